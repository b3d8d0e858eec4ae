"""Which columns of a table feed which input of a model.

Conventions
-----------
What the caller gives wins, then what the model declares, then equal names, then names that differ in case, blanks and
punctuation only. A single input of several values takes the columns of numbers in the order of the file when they are not
named. Columns of the sample id and of the truth feed a model only when it asks for them by name. Assumptions become notes.
"""

import re
from collections.abc import Mapping

from hierviz.messages.errors import ModelError, listed, near_miss
from hierviz.readers.columns import looks_numeric
from hierviz.readers.truth_file import ID_COLUMNS, TRUTH_COLUMNS

# Cells that mean a missing number, as in pandas.
MISSING = frozenset({"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None"})
TRUE_FALSE = {"True": "1", "true": "1", "TRUE": "1", "False": "0", "false": "0", "FALSE": "0"}
# Numbers that other cells mean.
INSTEAD = {**dict.fromkeys(MISSING, "nan"), **TRUE_FALSE}
TEXT_COLUMN = "text"


def match_columns(table, names, specs, text_column, columns, notes):
    """Places of the columns of each input.

    Parameters
    ----------
    table : TextTable, ParquetTable or FrameTable
    names : list of str
        Its columns.
    specs : sequence of InputSpec
        Of one or two axes.
    text_column : str, optional
        Column of the only input of text.
    columns : sequence of str, or mapping of input name to column or columns, optional
    notes : list of str
        Grows by what was assumed.

    Returns
    -------
    dict of input name to list of int

    Raises
    ------
    ModelError
        If an input gets no column, a column is not there, or their number does not fit.
    """
    where = table.where
    wanted = _wanted(where, specs, text_column, columns)
    single = specs[0] if len(specs) == 1 else None
    chosen = {}
    for spec in specs:
        if spec.name in wanted:
            chosen[spec.name] = [_named(where, names, column, spec, notes) for column in wanted[spec.name]]
            continue
        # A matrix called X is not the one column called x.
        by_name = single is None or spec.is_text or _width(spec) == 1
        place = _find(where, names, spec.name, spec, notes) if by_name else None
        if place is None and single is not None:
            chosen[spec.name] = (_text if spec.is_text else _others)(table, names, spec, notes)
        elif place is not None:
            chosen[spec.name] = [place]
    missing = [spec.name for spec in specs if spec.name not in chosen]
    if missing:
        near = next(filter(None, (near_miss(name, names) for name in missing)), "")
        advice = "Rename columns, or assign them with {columns_by_input}."
        if all(_width(spec) != 1 and not spec.is_text for spec in specs):
            advice = "Pass an .npz with one array per input; for texts, what the model's own tokenizer makes of them."
        raise ModelError(
            f"{where}: expected a column for every input of the model ({listed([spec.name for spec in specs])}), got none "
            f"for {listed(missing)} among {listed(names, 10)}.{near} {advice}"
        )
    for spec in specs:
        width = _width(spec)
        if width not in (None, len(chosen[spec.name])):
            got = listed([names[place] for place in chosen[spec.name]], 10)
            raise ModelError(
                f"{where}: expected {width} columns for input {spec.name!r}, got {len(chosen[spec.name])} ({got}). "
                "Name them in order with {columns}."
            )
    return chosen


def _width(spec):
    """Values of one sample, None when any number will do."""
    return spec.shape[1] if len(spec.shape) == 2 else 1


def _wanted(where, specs, text_column, columns):
    """Names of columns by input, as far as the caller or the model says them."""
    wanted = {spec.name: list(spec.columns) for spec in specs if spec.columns}
    inputs = [spec.name for spec in specs]
    if isinstance(columns, Mapping):
        strange = [name for name in columns if name not in inputs]
        if strange:
            raise ModelError(
                f"{where}: expected names of inputs ({listed(inputs)}) in columns, got {listed(strange)}."
                f"{near_miss(str(strange[0]), inputs)} Correct them."
            )
        wanted |= {name: [column] if isinstance(column, str) else list(column) for name, column in columns.items()}
    elif columns is not None:
        if len(inputs) != 1:
            raise ModelError(
                f"{where}: expected columns by input for a model with {len(inputs)} inputs ({listed(inputs)}), got a list. "
                "Columns go by the names of the inputs; else pass {columns_by_input}."
            )
        wanted[inputs[0]] = [columns] if isinstance(columns, str) else list(columns)
    if text_column is not None:
        texts = [spec.name for spec in specs if spec.is_text and spec.name not in (columns or ())]
        if len(texts) != 1:
            got = listed(texts) or "none"
            raise ModelError(
                f"{where}: expected one input of text for the text column {text_column!r}, got {got}. "
                "Leave {text_column} out: columns go by the names of the inputs."
            )
        wanted[texts[0]] = [text_column]
    return wanted


def _find(where, names, wanted, spec, notes):
    """Place of the column of that name, or of the only one nearly of that name; None when there is none."""
    if wanted in names:
        return names.index(wanted)
    # skl2onnx writes _ for anything else: "sepal length (cm)" is its input sepal_length__cm_.
    for fold in (lambda name: "".join(name.casefold().split()), lambda name: re.sub("[^0-9a-z]", "", name.lower())):
        fits = [name for name in names if fold(name) == fold(wanted) != ""]
        if len(fits) > 1:
            raise ModelError(
                f"{where}: expected one column for input {spec.name!r}, got {listed(fits)}, which differ from {wanted!r} in "
                "case and punctuation only. Rename one."
            )
        if fits:
            notes.append(f"{where}: column {fits[0]!r} was used for input {wanted!r}")
            return names.index(fits[0])
    return None


def _named(where, names, wanted, spec, notes):
    place = _find(where, names, str(wanted), spec, notes)
    if place is None:
        raise ModelError(
            f"{where}: expected a column {wanted!r} for input {spec.name!r}, got {listed(names, 10)}."
            f"{near_miss(str(wanted), names)} Name one of the columns."
        )
    return place


def set_aside(names, places):
    """Those places, among some, of columns that hold ids of the samples or their truth, which is the first so called."""
    folded = {place: names[place].casefold() for place in places}
    truth = next((place for name in TRUTH_COLUMNS for place in folded if folded[place] == name), None)
    return {place for place, name in folded.items() if name in ID_COLUMNS or place == truth}


def _text(table, names, spec, notes):
    """The column of a model that takes one text."""
    where = table.where
    place = _find(where, names, TEXT_COLUMN, spec, notes)
    if place is None:
        others = sorted(set(range(len(names))) - set_aside(names, range(len(names))))
        if len(others) != 1:
            raise ModelError(
                f"{where}: expected a column `text` for input {spec.name!r}, got {listed(names, 10)}. "
                "Name the column of texts with {text_column}."
            )
        place = others[0]
        notes.append(f"{where}: column {names[place]!r} was used as the text")
    return [place]


def _others(table, names, spec, notes):
    """All columns of numbers, or of any kind for text, but for the sample id and the truth, in the order of the file."""
    aside = set_aside(names, range(len(names)))
    places = [k for k in range(len(names)) if k not in aside and (spec.dtype == "str" or _is_number(table, k))]
    kind = "" if spec.dtype == "str" else " of numbers"
    if not places:
        raise ModelError(
            f"{table.where}: expected columns{kind} for input {spec.name!r}, got {listed(names, 10)}. "
            "Name them in order with {columns}."
        )
    fed = listed([names[k] for k in places], 10)
    notes.append(
        f"{table.where}: input {spec.name!r} was fed its {len(places)} columns{kind} in the order of the file ({fed})"
    )
    return places


def _is_number(table, place):
    if table.can_lack_header:  # text: detected from its first rows, where a missing number does not count
        cells = (row[place] for _, row in table.sample[1:] if place < len(row))
        return looks_numeric("" if cell.strip() in MISSING else TRUE_FALSE.get(cell.strip(), cell) for cell in cells)
    return table.is_number_column(place) or table.is_truth_column(place)
