"""Prediction tables: what each column is, and the rows of the wide and label forms. The long form stands in `long_table`.

Conventions
-----------
A column named like a node that holds numbers is a score. The columns of `ID_COLUMNS`, `TRUTH_IN_PREDICTIONS` and
`PREDICTED_COLUMNS` are what they are called. What is left is a sample attribute when it holds text and an error when it
holds numbers: it may be a class that was misspelt.
"""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.parameters import Sentence
from hierviz.predictions.name_matching import LooseMatches, advice
from hierviz.readers.class_index import index_order, whole
from hierviz.readers.columns import looks_numeric, require_names, require_truth_column
from hierviz.readers.label_lists_json import raw_of_records
from hierviz.readers.labels import find_node, read_labels
from hierviz.readers.long_scores import is_large, read_long_in_blocks
from hierviz.readers.long_table import SCORE_COLUMNS, long_roles, read_long
from hierviz.readers.prediction_forms import levels, timm_results
from hierviz.readers.prediction_forms.known_prediction_forms import PREDICTION_FORMS
from hierviz.readers.rank_columns import hold_classes, rank_places
from hierviz.readers.raw_predictions import RawPredictions
from hierviz.readers.top_k_table import read_top_k, top_k_roles
from hierviz.readers.truth_file import (
    ID_COLUMNS,
    Truth,
    find_truth_column,
    id_column,
    sample_ids,
    text_attributes,
    truth_of_column,
)

TRUTH_IN_PREDICTIONS = ("truth", "true", "y_true", "true_label")
PREDICTED_COLUMNS = ("predicted", "prediction", "pred", "y_pred", "label", "labels")
TEXT_COLUMNS = ("text", "image", "file")
_KNOWN = (*ID_COLUMNS, *TRUTH_IN_PREDICTIONS, *PREDICTED_COLUMNS)
# What stands there is never read as a number.
VERBATIM_COLUMNS = (*_KNOWN, *TEXT_COLUMNS)
# More numeric columns than this that are no nodes are reported before their cells are kept as text.
_MANY = 20


def read_prediction_table(
    table, taxonomy, *, classes=None, truth_column=None, keep_empty=False, form=None, missing=None, numbers=None
):
    """Read a prediction table in whichever form it has.

    Parameters
    ----------
    table : TextTable or ParquetTable
    taxonomy : Taxonomy
    classes : ndarray of int, shape (n_scores,), optional
        Node of each column of numbers, whatever the columns are called.
    truth_column : str, optional
    keep_empty : bool
        Whether an empty label is a label outside the taxonomy, -1.
    form : {"wide", "top_k", "long", "labels", "hard"}, optional
    missing : {"unknown", "zero"}, optional
        What classes without a row are in the long form.
    numbers : mapping of int to int, optional
        Node of each number of a class list: what labels that are numbers mean.

    Returns
    -------
    RawPredictions

    Raises
    ------
    FileError, PredictionsError
        If the table cannot be read in that form; names line and column.
    """
    has_header = _has_header(table, taxonomy, truth_column, classes)
    names = (
        [name.strip() for name in table.first] if has_header else [f"column {k + 1}" for k in range(len(table.first))]
    )
    if has_header:
        require_names(names, table.where)
    require_truth_column(names, truth_column, table.where)
    loose = LooseMatches(taxonomy)
    scores = _score_columns(table, names, taxonomy, classes, numbers, truth_column, has_header, loose)
    of_samples = {"taxonomy": taxonomy, "truth_column": truth_column, "has_header": has_header, "numbers": numbers}
    if form is None:
        form = _form(table, names, scores, has_header, taxonomy)
    if form == "levels":
        return levels.read(table, names, of_samples, _other_columns)
    if form == "timm":
        return _read_timm(table, names, of_samples, missing)
    if form == "long":
        if is_large(table) and missing is None:
            return read_long_in_blocks(table, names, taxonomy, truth_column, TRUTH_IN_PREDICTIONS)
        return read_long(table, names, taxonomy, truth_column, TRUTH_IN_PREDICTIONS, missing)
    if form == "top_k":
        return _read_top_k(table, names, of_samples)
    if form == "wide":
        return _read_wide(table, names, scores, of_samples, loose)
    return _read_label_table(table, names, of_samples, keep_empty, form)


def _has_header(table, taxonomy, truth_column, classes):
    if not table.can_lack_header:
        return True
    first = [cell.strip() for cell in table.first]
    if truth_column in first or any(cell.casefold() in _KNOWN for cell in first):
        return True
    are_classes = len(set(first)) == len(first) and 2 * sum(cell in taxonomy.index for cell in first) > len(first)
    if looks_numeric(first) and all(first) and not (are_classes and len(table.sample) > 1):
        if classes is None:
            raise PredictionsError(
                f"{table.where}:{table.sample[0][0]}: expected a header row that names the class of each column, got numbers. "
                "Add one, or name the columns with {classes}."
            )
        # What pandas calls columns without names: 0, 1, 2, ... above scores.
        below = [cell for _, cells in table.sample[1:] for cell in cells]
        return list(map(whole, first)) == list(range(len(first))) and not all(whole(cell) is not None for cell in below)
    if len(first) == 1:
        below = [cells[0] for _, cells in table.sample[1:]]
        if first[0] in taxonomy.index and looks_numeric(below) and any(cell not in taxonomy.index for cell in below):
            return True
        return not any(find_node(part, taxonomy) is not None for part in (first[0], *first[0].split(";")) if part)
    # Names of nodes above numbers are a header; above names they are labels already.
    nodes = [place for place, cell in enumerate(first) if cell in taxonomy.index]
    if nodes and len(table.sample) > 1 and not any(table.is_number_column(place) for place in nodes):
        raise PredictionsError(
            f"{table.where}:{table.sample[0][0]}: expected a header row such as 'sample_id,truth,predicted', got names of nodes "
            f"({listed(first[place] for place in nodes)}). Add a header row."
        )
    return True


def _numbered(table, headings, classes, numbers):
    """Nodes of columns by the class list: by the numbers that they are called by, else in order."""
    found = [whole(heading) for heading in headings]
    if None in found:
        return np.asarray(classes).tolist()
    if numbers and set(found) == set(numbers):
        return [numbers[number] for number in found]
    order, _ = index_order(found, f"{table.where}, names of columns")
    nodes = np.empty(len(order), dtype=np.intp)
    nodes[order] = classes
    return nodes.tolist()


def _score_columns(table, names, taxonomy, classes, numbers, truth_column, has_header, loose):
    """{place: node} of the columns that hold scores."""
    if classes is not None:
        places = [
            place
            for place, name in enumerate(names)
            if name.casefold() not in (*ID_COLUMNS, *TRUTH_IN_PREDICTIONS)
            and name != truth_column
            and table.is_number_column(place, has_header)
        ]
        if not places and any(name.casefold() in PREDICTED_COLUMNS for name in names):
            return {}  # labels, of a model that knows these classes
        if len(places) != len(classes) and all(names[k].casefold() in PREDICTED_COLUMNS for k in places):
            return {}  # labels that are numbers
        if len(places) != len(classes):
            raise PredictionsError(
                f"{table.where}: expected {len(classes)} columns of numbers (one per entry of {{classes}}), got {len(places)}. "
                "Is a class missing, or an index column there?"
            )
        return dict(zip(places, _numbered(table, [names[place] for place in places], classes, numbers), strict=True))
    node_of_place = {}
    for place, name in enumerate(names) if has_header else ():
        is_other = name == truth_column or name.casefold() in _KNOWN
        # A class may be called "label": numbers tell it from a column of labels. An id column always is one.
        if (
            name in taxonomy.index
            and name.casefold() not in ID_COLUMNS
            and (not is_other or table.is_number_column(place))
        ):
            node_of_place[place] = taxonomy.index[name]
    for place, name in enumerate(names) if has_header else ():
        is_other = name == truth_column or name.casefold() in (*_KNOWN, *TEXT_COLUMNS, *SCORE_COLUMNS)
        if place not in node_of_place and not is_other and table.is_number_column(place):
            node = loose.find(name)
            if node is not None:
                node_of_place[place] = node
    return node_of_place


def _form(table, names, scores, has_header, taxonomy):
    if any(table.is_number_column(place, has_header) for place in scores):
        return "wide"
    if has_header and timm_results.looks_like_table(names):
        return "timm"
    if has_header and top_k_roles(names, table.where) is not None:
        return "top_k"
    if has_header and levels.looks_like(names):
        return "levels"
    folded = [name.casefold() for name in names]
    if has_header and long_roles(names) is not None and not scores:
        return "long"
    if any(name in folded for name in PREDICTED_COLUMNS) or (len(names) == 1 and not has_header):
        return "labels"
    if scores:
        return "wide"
    if has_header and hold_classes(table, rank_places(names), taxonomy):
        return "levels"
    numeric = [names[place] for place in range(len(names)) if table.is_number_column(place)]
    numeric = [name for name in numeric if name.casefold() not in _KNOWN]
    if numeric:
        raise _no_node(table, numeric, None)
    raise PredictionsError(
        f"{table.where}: expected a column per class, or a column of predicted classes ({', '.join(PREDICTED_COLUMNS)}), "
        f"got {listed(names)}. Rename the columns, or check the separator."
    )


def _read_wide(table, names, scores, of_samples, loose):
    taxonomy, truth_column, has_header = (of_samples[key] for key in ("taxonomy", "truth_column", "has_header"))
    if not scores:
        raise PredictionsError(
            f"{table.where}: expected a column per class, got {listed(names)}. Name them like the nodes."
        )
    rest = [place for place in range(len(names)) if place not in scores]
    special = {id_column(names) if has_header else None, _truth_place(names, truth_column, taxonomy, scores)} - {None}
    strange = [names[k] for k in rest if k not in special and table.is_number_column(k, has_header)]
    if len(strange) > _MANY:
        raise _no_node(table, strange, taxonomy)
    columns = table.read(numbers=list(scores), has_header=has_header, may_stay=True)
    columns.require_rows()
    more = _other_columns(columns, special, **of_samples)
    more["notes"] += tuple(loose.notes(table.where, [names[place] for place in scores]))
    nodes = np.array(list(scores.values()), dtype=np.intp)
    detected = {
        "form": "wide scores (one column per class)",
        "columns of scores": f"{len(nodes):,}",
        **_words(table, has_header),
    }
    more["detected"] = {**detected, **more["detected"]}
    return RawPredictions(table.where, "wide", columns.numbers, nodes, **more)


def _read_top_k(table, names, of_samples):
    taxonomy, truth_column, has_header = (of_samples[key] for key in ("taxonomy", "truth_column", "has_header"))
    roles = top_k_roles(names, table.where) if has_header else None
    if roles is None:
        raise PredictionsError(
            f"{table.where}: expected the columns class_1, score_1, class_2, score_2, ..., got {listed(names)}. Rename them so."
        )
    columns = table.read(
        numbers=[score for _, score in roles], instead={"": "nan"}, advice="Leave it empty with its class."
    )
    columns.require_rows()
    classes = {class_ for class_, _ in roles}
    notes = []
    entries = read_top_k(columns, taxonomy, roles, notes)
    special = {id_column(names), _truth_place(names, truth_column, taxonomy, classes)} - {None}
    more = _other_columns(columns, special, **of_samples, left_out=classes)
    more["notes"] += tuple(notes)
    more["detected"] = {"form": "top-k scores (class_1, score_1, ...)", **_words(table, has_header), **more["detected"]}
    return RawPredictions(table.where, "top_k", listed=entries, **more)


def _read_timm(table, names, of_samples, missing):
    if not timm_results.looks_like_table(names):
        raise PredictionsError(
            f"{table.where}: expected the columns filename, label or index, and prob, got {listed(names)}. Rename them so."
        )
    columns = table.read(has_header=True)
    columns.require_rows()
    return raw_of_records(
        table.where,
        timm_results.table_records(columns, table.where),
        of_samples["taxonomy"],
        TRUTH_IN_PREDICTIONS,
        of_samples["truth_column"],
        missing,
        of_samples["numbers"],
        lambda: {"form": PREDICTION_FORMS["timm"].words, **_words(table, True)},
    )


def _read_label_table(table, names, of_samples, keep_empty, form):
    taxonomy, truth_column, has_header = (of_samples[key] for key in ("taxonomy", "truth_column", "has_header"))
    folded = [name.casefold() for name in names]
    places = [
        folded.index(name) for name in PREDICTED_COLUMNS if name in folded and names[folded.index(name)] != truth_column
    ]
    if not places and len(names) == 1:
        places = [0]
    if not places:
        raise PredictionsError(
            f"{table.where}: expected a column of predicted classes called one of {', '.join(PREDICTED_COLUMNS)}, "
            f"got {listed(names)}. Rename it."
        )
    place = places[0]
    columns = table.read(has_header=has_header)
    columns.require_rows()
    special = {place, id_column(names) if has_header else None, _truth_place(names, truth_column, taxonomy, ())} - {
        None
    }
    more = _other_columns(columns, special, **of_samples)
    name, notes = names[place], list(more["notes"])
    labels, n_empty, has_lists = read_labels(
        columns.text[place],
        taxonomy,
        lambda row: f"{columns.place(row)}, column {name!r}",
        what="prediction",
        keep_empty=keep_empty,
        numbers=of_samples["numbers"],
        where=f"{table.where}, column {name!r}",
        notes=notes,
        otherwise="" if more["truth"] is not None else " If this file is the truth, give it as {truth}.",
    )
    if form == "hard" and has_lists:
        row = next(row for row in range(len(columns)) if labels.lengths[row] > 1)
        raise PredictionsError(
            f"{columns.place(row)}: expected one label, got {columns.text[place][row]!r}. Leave the form out."
        )
    is_hard = form == "hard" or (form != "lists" and not has_lists and name.casefold() != "labels")
    if n_empty:
        done = "kept, each as one label outside the taxonomy" if keep_empty else "dropped"
        notes.append(f"{n_empty} empty labels in {table.where} were {done}")
    words = "hard labels (one per sample)" if is_hard else "label lists (separated by ;)"
    detected = {"form": words, "predicted column": name, **_words(table, has_header), **more["detected"]}
    more.update(detected=detected, notes=tuple(notes))
    return RawPredictions(table.where, "hard" if is_hard else "labels", labels=labels, is_hard=is_hard, **more)


def _truth_place(names, truth_column, taxonomy, scores):
    if truth_column is not None:
        return names.index(truth_column)
    folded = [name.casefold() for name in names]
    return next((folded.index(n) for n in TRUTH_IN_PREDICTIONS if n in folded and folded.index(n) not in scores), None)


def _other_columns(columns, special, *, taxonomy, truth_column, has_header, numbers=None, left_out=()):
    """Ids, truth and attributes of a table: keywords of RawPredictions. The columns at `left_out` are none of them."""
    names = columns.names
    special = {*special, *left_out}
    # A caption or the name of a picture may happen to be made of digits.
    strange = [
        names[k]
        for k, cells in columns.text.items()
        if k not in special and names[k].casefold() not in TEXT_COLUMNS and looks_numeric(_texts(cells))
    ]
    if strange:
        raise _no_node(columns, strange, taxonomy)
    id_place = id_column(names) if has_header else None
    truth, notes = None, []
    place = _truth_place(names, truth_column, taxonomy, set(range(len(names))) - set(columns.text))
    if place is not None and place not in columns.text:
        raise PredictionsError(
            f"{columns.where}: expected a column of true classes as {{truth_column}}, got the scores of {names[place]!r}. Name "
            "another one."
        )
    if place is not None:
        find_truth_column(columns, taxonomy, names[place], id_place)
        nodes, notes = truth_of_column(columns, place, taxonomy, numbers)
        truth = Truth(nodes, where=columns.where, notes=tuple(notes))
    others = [k for k in columns.text if k not in special]
    mistakable = [names[k] for k in others if names[k].casefold() in (*PREDICTED_COLUMNS, "target", "class", "leaf")]
    notes = []
    if mistakable and truth is None:
        kept = f"column {listed(mistakable)} of {columns.where} was kept as an attribute"
        notes.append(Sentence(f"{kept}; if it is the truth, say {{truth_column}}"))
    detected = {
        "id column": "none (rows in order)" if id_place is None else names[id_place],
        "truth column": "none" if place is None else names[place],
        "rows": f"{len(columns):,}",
    }
    if others:
        detected["attributes"] = ", ".join(names[k] for k in others)
    return {
        "ids": None if id_place is None else sample_ids(columns, id_place),
        "truth": truth,
        "attributes": text_attributes(columns, others),
        "detected": detected,
        "notes": tuple(notes),
    }


def _texts(cells):
    return (cell if isinstance(cell, str) else ";".join(cell) for cell in cells)


def _words(table, has_header):
    return {**table.detected, "header": "yes" if has_header else "no"}


def _no_node(table, names, taxonomy):
    near = "" if taxonomy is None else advice(names[0], taxonomy)
    if len(names) > 1 and all(whole(name) is not None for name in names):
        return PredictionsError(
            f"{table.where}, column {names[0]!r}: expected columns of numbers to be named after nodes of the taxonomy, "
            f"got {listed(names)}. If these are numbers of classes, give their names: {{classes}}."
        )
    return PredictionsError(
        f"{table.where}, column {names[0]!r}: expected columns of numbers to be named after nodes of the taxonomy, "
        f"got {listed(names)}.{near} Rename or remove it; put other numbers of a sample in the truth file."
    )
