"""Tables as inputs of a model: CSV, TSV, Parquet and pandas.

Conventions
-----------
Which column feeds which input: see `column_matching`. Text stays as it is in the file: ``1`` is not turned into ``1.0``.
A number that is missing is NaN where the input takes fractions, and an error anywhere else. True and false are 1 and 0.
"""

import numpy as np

from hierviz.messages.csv_cells import text_of_cell
from hierviz.messages.errors import FileError, ModelError
from hierviz.onnx.inputs.column_matching import INSTEAD, MISSING, TEXT_COLUMN, TRUE_FALSE, match_columns, set_aside
from hierviz.readers.columns import Columns, looks_numeric, require_names
from hierviz.readers.labels import text_array
from hierviz.readers.tables import open_table
from hierviz.readers.truth_file import ID_COLUMNS, sample_ids, text_attributes

# Up to this many features of a sample are shown next to its tree.
MOST_SHOWN = 24
# Rows by which columns that were fed are found among those that are shown.
ROWS_TO_MATCH = 64


def read_table_inputs(table, specs, *, text_column=None, columns=None):
    """Read a table whose columns feed a model.

    Parameters
    ----------
    table : path, FrameTable, TextTable or ParquetTable
    specs : sequence of InputSpec
    text_column : str, optional
        Column of the only input of text.
    columns : sequence of str, or mapping of input name to column or columns, optional
        Columns of the only input in order, or those of each input.

    Returns
    -------
    dict
        Fields of `ModelInputs`: ``arrays``, exactly typed; ``sample_ids``; ``notes``; and ``attributes``, to be shown and to
        slice by: the columns, but for one that holds the truth, which is read elsewhere, and more than `MOST_SHOWN` numbers
        that were fed. A text that is all the model takes is called ``text``.

    Raises
    ------
    FileError
        If the table cannot be read, or a cell is missing or of another kind.
    ModelError
        If an input takes no tables, gets no columns, or their number does not fit.
    PredictionsError
        If a sample id is missing or there twice.
    """
    if not hasattr(table, "read"):
        table = open_table(table, "a table of inputs (CSV, TSV or Parquet)", is_verbatim=True)
    deep = next((spec for spec in specs if len(spec.shape) > 2), None)
    if deep is not None:
        raise ModelError(
            f"{table.where}: expected inputs of one or two axes for a table, got {deep.name!r} with {len(deep.shape)}. "
            "Pass an .npz with one array per input."
        )
    names = [str(name).strip() for name in table.first]
    if table.can_lack_header and looks_numeric(names):
        raise FileError(f"{table.where}: expected names of columns in the first row, got numbers. Add a header row.")
    require_names(names, table.where)
    notes = []
    chosen = match_columns(table, names, specs, text_column, columns, notes)
    fractions = {place for spec in specs if spec.dtype.startswith("float") for place in chosen[spec.name]}
    # A column may feed two inputs; one that is read as numbers is no text any more.
    doubly = [place for spec in specs if not spec.dtype.startswith("float") for place in chosen[spec.name]]
    both = fractions.intersection(doubly)
    if both:
        raise ModelError(
            f"{table.where}: expected column {names[min(both)]!r} for one kind of input, got inputs of numbers and others. "
            "Copy the column."
        )
    order = [place for spec in specs for place in chosen[spec.name] if place in fractions]
    order = list(dict.fromkeys(order))
    content = table.read(
        numbers=order, instead=INSTEAD, advice="Write it as 1.5; leave the cell empty when it is not known."
    )
    if not len(content):
        raise FileError(f"{table.where}: expected at least one row, got none. Check the table.")
    arrays = {spec.name: _array(content, names, spec, chosen[spec.name], order) for spec in specs}
    _note_nan(content, names, order, notes)
    ids, attributes = _rest(content, names, specs, chosen, order, notes)
    return {"arrays": arrays, "sample_ids": ids, "attributes": attributes, "notes": tuple(notes)}


def _array(content, names, spec, places, order):
    """The cells of some columns as what an input takes."""
    if spec.dtype.startswith("float"):
        values = content.numbers[:, [order.index(place) for place in places]]
    else:
        columns = [_cells(content, names, place, spec) for place in places]
        values = np.array(columns, dtype=np.bool_ if spec.dtype == "bool" else object).T
        if spec.is_whole:
            spec.require_range(values, content.where)
            values = values.astype(spec.dtype)
    made = spec.cast(values, content.where)
    return np.ascontiguousarray(made if len(spec.shape) == 2 else made[:, 0])


def _cells(content, names, place, spec):
    read, kind = _KINDS.get(spec.dtype, (_whole, "a whole number"))
    made = []
    for row, cell in enumerate(content.text[place]):
        value = read(cell) if isinstance(cell, str) else None
        if value is None:
            got = "a list" if not isinstance(cell, str) else repr(cell) if cell.strip() else "an empty cell"
            is_missing = isinstance(cell, str) and cell.strip() in MISSING
            advice = "Fill missing values" if is_missing else "Correct it"
            raise FileError(
                f"{content.place(row)}, column {names[place]!r}: expected {kind} for input {spec.name!r}, got {got}. {advice}."
            )
        made.append(value)
    return made


def _whole(cell):
    """A whole number of any size; ``3.0`` is one, which pandas writes in a column where another is missing."""
    cell = TRUE_FALSE.get(cell.strip(), cell)
    try:
        return None if "_" in cell else int(cell)
    except ValueError:
        pass
    try:
        value = float(cell)
        return int(value) if value.is_integer() and "_" not in cell else None
    except ValueError:
        return None


# Type of an input: the value of a cell, None where it is none, and what is expected in words.
_KINDS = {
    "str": (lambda cell: cell if cell.strip() else None, "text"),
    "bool": (lambda cell: {"1": True, "0": False}.get(TRUE_FALSE.get(cell.strip(), cell.strip())), "true or false"),
}


def _note_nan(content, names, order, notes):
    if order:
        n_missing = np.isnan(content.numbers).sum(axis=0)
        without = [f"{names[place]!r} ({n})" for place, n in zip(order, n_missing, strict=True) if n]
        if without:
            more = "" if len(without) <= 5 else f" and {len(without) - 5} more columns"
            notes.append(f"{content.where}: missing numbers are passed on as NaN: {', '.join(without[:5])}{more}")


def _rest(content, names, specs, chosen, order, notes):
    """(sample ids or None, attributes)."""
    folded = [name.casefold() for name in names]
    fed = {place for places in chosen.values() for place in places}
    free = [k for k in range(len(names)) if k not in fed]
    ids = next((k for name in ID_COLUMNS for k in free if folded[k] == name), None)
    aside = set_aside(names, free)
    attributes = text_attributes(content, [k for k in free if k not in aside])
    if len(fed) <= MOST_SHOWN:
        attributes |= text_attributes(content, [k for k in sorted(fed) if k in content.text])
        for k, place in enumerate(order):
            cells = ["" if number != number else f"{number:.7g}" for number in content.numbers[:, k].tolist()]
            attributes[names[place]] = text_array(cells)
    if len(specs) == 1 and specs[0].is_text and len(fed) == 1:
        (place,) = fed
        if TEXT_COLUMN in attributes and names[place] != TEXT_COLUMN:
            notes.append(
                f"{content.where}: column {TEXT_COLUMN!r} was left out, {names[place]!r} is shown in its place"
            )
        attributes[TEXT_COLUMN] = attributes.pop(names[place])
    if ids is not None and content.unit == "line":  # as the file of the truth is read, whose ids these are too
        content.text[ids] = [text_of_cell(cell) for cell in content.text[ids]]
    return (None if ids is None else sample_ids(content, ids)), attributes


def column_names(inputs, spec):
    """Names of the columns of a table that were fed to an input with several values, found by their content.

    Parameters
    ----------
    inputs : ModelInputs
    spec : InputSpec

    Returns
    -------
    list of str, or None when some column has no name of its own
    """
    rows = slice(0, ROWS_TO_MATCH)
    values, names = np.asarray(inputs.arrays[spec.name][rows]), []
    free = {name: [str(cell) for cell in cells[rows]] for name, cells in inputs.attributes.items()}
    for column in values.T:
        cells_of_input = [
            str(value) if values.dtype == object else "" if value != value else f"{value:.7g}"
            for value in column.tolist()
        ]
        name = next((name for name, cells in free.items() if cells == cells_of_input), None)
        if name is None:
            return None
        names.append(name)
        del free[name]
    return names


class FrameTable:
    """A pandas DataFrame with the methods of a table that was opened.

    Parameters
    ----------
    frame : pandas.DataFrame
    """

    where = "the DataFrame"
    can_lack_header = False

    @staticmethod
    def fits(value):
        """True for a DataFrame; pandas need not be installed."""
        return all(hasattr(value, name) for name in ("dtypes", "iloc", "columns", "to_numpy"))

    def __init__(self, frame):
        self.frame = frame
        self.first = [str(name) for name in frame.columns]

    def is_number_column(self, place, has_header=True):
        """True when the column's type is a number."""
        return getattr(self.frame.dtypes.iloc[place], "kind", "O") in "fiu"

    def is_truth_column(self, place):
        """True when the column's type is true or false."""
        return getattr(self.frame.dtypes.iloc[place], "kind", "O") == "b"

    def read(self, numbers=(), has_header=True, instead=None, advice=""):
        """All rows as Columns; see `TextTable.read`. A missing number is always NaN, and truth is 1."""
        block = np.empty((len(self.frame), len(numbers)))
        for k, place in enumerate(numbers):
            column = self.frame.iloc[:, place]
            try:
                block[:, k] = column.to_numpy(dtype=np.float64, na_value=np.nan)
            except (TypeError, ValueError) as error:
                words = " ".join(str(error).split())[:100].rstrip(".")
                raise FileError(
                    f"{self.where}, column {self.first[place]!r}: expected numbers, got others ({words}). {advice}"
                ) from None
        text = {}
        for place in sorted(set(range(len(self.first))).difference(numbers)):
            column = self.frame.iloc[:, place]
            absent = column.isna().to_numpy()
            text[place] = ["" if gone else str(value) for value, gone in zip(column.tolist(), absent, strict=True)]
        lines = np.arange(1, len(self.frame) + 1)
        return Columns(self.where, self.first, text, block if len(numbers) else None, lines, "row")
