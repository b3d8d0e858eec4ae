"""Prediction tables: what each column is, and the rows of the wide and label forms. The long form is in `long_table`.

Conventions
-----------
A column named like a node that holds numbers is a score. The columns of `ID_COLUMNS`, `TRUTH_IN_PREDICTIONS` and
`PREDICTED_COLUMNS` are what they are called. What is left is a sample attribute when it holds text and an error when it
holds numbers: it may be a class that was misspelt.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.parameters import Sentence
from hierviz.predictions.listed_entries import ListedEntries
from hierviz.predictions.name_matching import LooseMatches, advice
from hierviz.predictions.node_names import column_node
from hierviz.readers.class_index import index_order, whole
from hierviz.readers.columns import joined, looks_numeric, named_place, require_names, require_truth_column
from hierviz.readers.labels import find_node, read_labels
from hierviz.readers.long_table import SCORE_COLUMNS, ends, long_roles, read_long
from hierviz.readers.prediction_forms.cell_types import holds_sigmoids
from hierviz.readers.prediction_forms.known_prediction_forms import PREDICTION_FORMS
from hierviz.readers.prediction_forms.language_models import are_sentences
from hierviz.readers.rank_columns import hold_classes, rank_places
from hierviz.readers.raw_predictions import RawPredictions
from hierviz.readers.sample_records import raw_of_form
from hierviz.readers.tables import with_named_ids
from hierviz.readers.top_k_table import read_top_k, top_k_roles
from hierviz.readers.truth_file import ID_COLUMNS, TRUTH_IN_PREDICTIONS, id_column, samples_of, truth_place
from hierviz.readers.votes import RUN_COLUMNS

PREDICTED_COLUMNS = ("predicted", "prediction", "pred", "y_pred", "label", "labels")
TEXT_COLUMNS = ("text", "image", "file")
_KNOWN = (*ID_COLUMNS, *TRUTH_IN_PREDICTIONS, *PREDICTED_COLUMNS)
# Their cells are never read as numbers.
VERBATIM_COLUMNS = (*_KNOWN, *TEXT_COLUMNS)
OWN_TABLE_FORMS = ("wide", "top_k", "long", "labels", "hard")
# Of other tools.
TABLE_FORMS = {key: form.of_tables for key, form in PREDICTION_FORMS.items() if form.of_tables is not None}
# Columns of ranks are levels too, and columns of classes a matrix.
_BY_CELLS = ("levels", "celltypist_matrix", "language_model")
# More numeric columns than this that are no nodes are reported before their cells are kept as text.
_MANY = 20
# Attributes that may be meant as the truth.
_MISTAKABLE = (*PREDICTED_COLUMNS, "target", "class", "leaf")


def read_prediction_table(table, reading):
    """Read a prediction table in whichever form it has.

    Parameters
    ----------
    table : TextTable or ParquetTable
    reading : Reading

    Returns
    -------
    RawPredictions

    Raises
    ------
    FileError, PredictionsError
        If the table cannot be read in that form; names line and column.
    """
    samples = SampleTable(table, reading)
    form = reading.form or _form(samples)
    if form == "long":
        return read_long(table, samples.names, reading)
    if form in TABLE_FORMS:
        return _read_other(TABLE_FORMS[form], samples)
    readers = {"top_k": _read_top_k, "wide": _read_wide}
    return readers[form](samples) if form in readers else _read_labels(samples, form)


def predicted_place(names, truth_column=None):
    """Place of the column of predicted classes by its name, which is not that of the truth; None when there is none."""
    return named_place(names, PREDICTED_COLUMNS, [place for place, name in enumerate(names) if name == truth_column])


class SampleTable:
    """A table whose rows are samples.

    Parameters
    ----------
    table : TextTable or ParquetTable
    reading : Reading

    Attributes
    ----------
    has_header : bool
    names : list of str
        Of the columns.
    scores : dict of int to int
        Node of each column of scores by its place.
    has_unnamed_ids : bool
        The column of ids had no name.
    """

    def __init__(self, table, reading):
        table, self.has_unnamed_ids = with_named_ids(table)
        self.table, self.reading, self.where, self.taxonomy = table, reading, table.where, reading.taxonomy
        self.has_header = _has_header(table, reading)
        first = [name.strip() for name in table.first]
        self.names = first if self.has_header else [f"column {k}" for k in range(1, len(first) + 1)]
        self.folded = [name.casefold() for name in self.names]
        if self.has_header:
            require_names(self.names, self.where)
        require_truth_column(self.names, reading.truth_column, self.where)
        self.loose = LooseMatches(self.taxonomy)
        self.scores = self._numbered_scores() if reading.classes is not None else self._named_scores()

    @cached_property
    def id_place(self):
        """Place of the sample ids, None when there are none."""
        return id_column(self.names) if self.has_header else None

    def is_number(self, place):
        """Whether the first rows of a column hold numbers."""
        return self.table.is_number_column(place, self.has_header)

    def truth_place(self, but=()):
        """Place of the column of true classes, which is none of `but`; None when there is none."""
        return truth_place(self.names, self.reading.truth_column, but)

    def read(self, **how):
        """The Columns; PredictionsError when there are no rows."""
        columns = self.table.read(has_header=self.has_header, **how)
        columns.require_rows()
        return columns

    def predictions(self, columns, form, words, *, left_out=(), notes=(), **found):
        """RawPredictions of a table that was read.

        Parameters
        ----------
        columns : Columns
        form : str
        words : dict of str to str
            What was found out about the predictions.
        left_out : collection of int
            Places of columns of the predictions: those that are neither these nor numbers are ids, truth and attributes.
        notes : iterable of str
        **found
            Scores or labels, as RawPredictions takes them.
        """
        names, place = columns.names, self.truth_place(set(range(len(columns.names))) - set(columns.text))
        special = {self.id_place, place, *left_out}
        # A caption or the name of a picture may happen to be made of digits.
        said = (*TEXT_COLUMNS, *(RUN_COLUMNS if self.reading.has_votes else ()))
        strange = [
            names[k]
            for k, cells in columns.text.items()
            if k not in special and self.folded[k] not in said and looks_numeric(map(joined, cells))
        ]
        if strange:
            raise _no_node(columns, strange, self.taxonomy, self.reading.answers)
        if place is not None and place not in columns.text:
            raise PredictionsError(
                f"{columns.where}: expected a column of true classes as {{truth_column}}, got the scores of {names[place]!r}. "
                "Name another one."
            )
        more = samples_of(columns, self.id_place, place, self.reading, left_out)
        mistakable = [name for name in more["attributes"] if name.casefold() in _MISTAKABLE]
        own = []
        if mistakable and more["truth"] is None:
            kept = f"column {listed(mistakable)} of {columns.where} was kept as an attribute"
            own = [Sentence(f"{kept}; if it is the truth, say {{truth_column}}")]
        detected = {
            **words,
            **self.table.detected,
            "header": "yes" if self.has_header else "no",
            "id column": "none (rows in order)" if self.id_place is None else names[self.id_place],
            "truth column": "none" if place is None else names[place],
            "rows": f"{len(columns):,}",
        }
        if more["attributes"]:
            detected["attributes"] = ", ".join(more["attributes"])
        return RawPredictions(self.where, form, **{**more, **found}, detected=detected, notes=(*own, *notes))

    def _numbered_scores(self):
        """Nodes of the columns of numbers by the class list: by the numbers that they are called by, else in order."""
        classes, numbers = self.reading.classes, self.reading.numbers
        places = [
            place
            for place, name in enumerate(self.names)
            if self.folded[place] not in (*ID_COLUMNS, *TRUTH_IN_PREDICTIONS)
            and name != self.reading.truth_column
            and self.is_number(place)
        ]
        if not places and not set(self.folded).isdisjoint(PREDICTED_COLUMNS):
            return {}  # labels, of a model that knows these classes
        if len(places) != len(classes) and all(self.folded[k] in PREDICTED_COLUMNS for k in places):
            return {}  # labels that are numbers
        if len(places) != len(classes):
            raise PredictionsError(
                f"{self.where}: expected {len(classes)} columns of numbers (one per entry of {{classes}}), got {len(places)}. "
                "Is a class missing, or an index column there?"
            )
        found = [whole(self.names[place]) for place in places]
        if None in found:
            nodes = np.asarray(classes).tolist()
        elif numbers and set(found) == set(numbers):
            nodes = [numbers[number] for number in found]
        else:
            order, _ = index_order(found, f"{self.where}, names of columns")
            nodes = np.empty(len(order), dtype=np.intp)
            nodes[order] = classes
        return dict(zip(places, np.asarray(nodes).tolist(), strict=True))

    def _named_scores(self):
        """Nodes of the columns of numbers by their names."""
        found, others = {}, {}
        for place, name in enumerate(self.names) if self.has_header else ():
            folded = self.folded[place]
            is_known = name == self.reading.truth_column or folded in _KNOWN
            may_be_class = folded not in ID_COLUMNS and (not is_known or self.is_number(place))
            # A class may be called "label": numbers distinguish it from a column of labels. An id column always is one.
            if name in self.taxonomy.index and may_be_class:
                found[place] = self.taxonomy.index[name]
            elif not is_known and folded not in (*TEXT_COLUMNS, *SCORE_COLUMNS) and self.is_number(place):
                node = column_node(name, self.taxonomy, self.loose)
                if node is not None:
                    others[place] = node
        return found | others


def _has_header(table, reading):
    if not table.can_lack_header:
        return True
    taxonomy, first = reading.taxonomy, [cell.strip() for cell in table.first]
    if reading.truth_column in first or any(cell.casefold() in _KNOWN for cell in first):
        return True
    are_classes = len(set(first)) == len(first) and 2 * sum(cell in taxonomy.index for cell in first) > len(first)
    if looks_numeric(first) and all(first) and not (are_classes and len(table.sample) > 1):
        if reading.classes is None:
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


def _form(samples):
    table, names, scores, has_header = samples.table, samples.names, samples.scores, samples.has_header
    if any(map(samples.is_number, scores)):
        return "celltypist_matrix" if holds_sigmoids(samples) else "wide"
    other = next((key for key, form in TABLE_FORMS.items() if has_header and form.looks_like(names)), None)
    if other is not None:
        return other
    if has_header and top_k_roles(names, table.where) is not None:
        return "top_k"
    if has_header and long_roles(names) is not None and not scores:
        return "long"
    if not set(samples.folded).isdisjoint(PREDICTED_COLUMNS) or (len(names) == 1 and not has_header):
        return "labels"
    if scores:
        return "wide"
    if has_header and hold_classes(table, rank_places(names), samples.taxonomy):
        return "levels"
    numeric = [name for k, name in enumerate(names) if samples.is_number(k) and samples.folded[k] not in _KNOWN]
    if numeric:
        raise _no_node(table, numeric, None)
    raise PredictionsError(
        f"{table.where}: expected a column per class, or a column of predicted classes ({', '.join(PREDICTED_COLUMNS)}), "
        f"got {listed(names)}. Rename the columns, or check the separator."
    )


def _read_wide(samples):
    names, scores = samples.names, samples.scores
    if not scores:
        raise PredictionsError(
            f"{samples.where}: expected a column per class, got {listed(names)}. Name them like the nodes."
        )
    special = {*scores, samples.id_place, samples.truth_place(scores)}
    strange = {k: name for k, name in enumerate(names) if k not in special and samples.is_number(k)}
    unknown = samples.reading.answers
    outside = {} if unknown is None else {k: unknown.code(name) for k, name in strange.items()}
    outside = {k: code for k, code in outside.items() if code is not None}
    strange = [name for k, name in strange.items() if k not in outside]
    if len(strange) > _MANY:
        raise _no_node(samples.table, strange, samples.taxonomy, unknown)
    columns = samples.read(numbers=[*scores, *outside], may_stay=not outside)
    nodes = np.array([*scores.values(), *outside.values()], dtype=np.intp)
    found = {"scores": columns.numbers, "scored_nodes": nodes}
    if outside:
        found = {"listed": _listed_of(columns.numbers, nodes, samples.reading, samples.where), "missing": "zero"}
    return samples.predictions(
        columns,
        "wide",
        {"form": "wide scores (one column per class)", "columns of scores": f"{len(nodes):,}"},
        notes=samples.loose.notes(samples.where, [names[place] for place in scores]),
        **found,
    )


def _listed_of(numbers, nodes, reading, where):
    """ListedEntries of columns of which some lie outside the taxonomy: what these have belongs to no class, so the rest is 0."""
    numbers = np.asarray(numbers)
    for place in np.flatnonzero(nodes < 0):
        most = 100 if reading.percent else 1
        wrong = np.flatnonzero(~((numbers[:, place] >= 0) & (numbers[:, place] <= most)))
        if len(wrong):
            raise PredictionsError(
                f"{where}, column {reading.answers.name(nodes[place])!r}: expected the probabilities of a class outside the "
                f"taxonomy (0 to {most}), got {float(numbers[wrong[0], place])!r}. Other numbers belong into the truth file."
            )
    row, column = np.nonzero(numbers)
    entries = ListedEntries(row, nodes[column], numbers[row, column].astype(np.float64), len(numbers), False)
    return reading.answers.settle_entries(entries, ends(reading.taxonomy, nodes, column))


def _read_top_k(samples):
    roles = top_k_roles(samples.names, samples.where) if samples.has_header else None
    if roles is None:
        raise PredictionsError(
            f"{samples.where}: expected the columns class_1, score_1, class_2, score_2, ..., got {listed(samples.names)}. "
            "Rename them so."
        )
    numbers, advice = [score for _, score in roles], "Leave it empty with its class."
    columns, notes = samples.read(numbers=numbers, instead={"": "nan"}, advice=advice), []
    entries = read_top_k(columns, samples.taxonomy, roles, notes, samples.reading.answers)
    words, classes = {"form": "top-k scores (class_1, score_1, ...)"}, {class_ for class_, _ in roles}
    return samples.predictions(columns, "top_k", words, left_out=classes, notes=notes, listed=entries)


def _read_other(form, samples):
    """RawPredictions of a table that another tool writes."""
    if not form.looks_like(samples.names) and form.key not in _BY_CELLS:
        raise PredictionsError(
            f"{samples.where}: expected {form.recognised}, got the columns {listed(samples.names)}. Rename them, or leave the "
            "form out."
        )
    detected = {**samples.table.detected, "header": "yes"}
    return raw_of_form(form, samples, samples.where, samples.reading, detected)


def _read_labels(samples, form):
    names, where, notes = samples.names, samples.where, []
    place = predicted_place(names, samples.reading.truth_column)
    if place is None and len(names) > 1:
        raise PredictionsError(
            f"{where}: expected a column of predicted classes called one of {', '.join(PREDICTED_COLUMNS)}, "
            f"got {listed(names)}. Rename it."
        )
    place = place or 0
    name, keep_empty, columns = names[place], samples.reading.keep_empty, samples.read()
    if form != "hard" and samples.reading.form is None and are_sentences(columns.text[place], samples.taxonomy):
        return _read_other(TABLE_FORMS["language_model"], samples)
    raw = samples.predictions(columns, "labels", {}, left_out=[place])
    labels, n_empty, has_lists = read_labels(
        columns.text[place],
        samples.taxonomy,
        lambda row: f"{columns.place(row)}, column {name!r}",
        what="prediction",
        keep_empty=keep_empty,
        numbers=samples.reading.numbers,
        where=f"{where}, column {name!r}",
        notes=notes,
        otherwise="" if raw.truth is not None else " If this file is the truth, give it as {truth}.",
        unknown=samples.reading.answers,
    )
    if form == "hard" and has_lists:
        row = int(np.argmax(labels.lengths > 1))
        raise PredictionsError(
            f"{columns.place(row)}: expected one label, got {columns.text[place][row]!r}. Leave the form out."
        )
    is_hard = form == "hard" or (form != "lists" and not has_lists and name.casefold() != "labels")
    if n_empty and not samples.reading.has_votes:
        done = "kept, each as one label outside the taxonomy" if keep_empty else "dropped"
        notes.append(f"{n_empty} empty labels in {where} were {done}")
    words = "hard labels (one per sample)" if is_hard else "label lists (separated by ;)"
    return replace(
        raw,
        form="hard" if is_hard else "labels",
        labels=labels,
        is_hard=is_hard,
        detected={"form": words, "predicted column": name, **raw.detected},
        notes=(*raw.notes, *notes),
    )


def _no_node(table, names, taxonomy, unknown=None):
    near = "" if taxonomy is None else advice(names[0], taxonomy)
    if names[0].casefold() in RUN_COLUMNS:
        near = " If its rows are several answers to one sample, say {parametrisation=votes}."
    if len(names) > 1 and all(whole(name) is not None for name in names):
        return PredictionsError(
            f"{table.where}, column {names[0]!r}: expected columns of numbers to be named after nodes of the taxonomy, "
            f"got {listed(names)}. If these are numbers of classes, give their names: {{classes}}."
        )
    return PredictionsError(
        f"{table.where}, column {names[0]!r}: expected columns of numbers to be named after nodes of the taxonomy, "
        f"got {listed(names)}.{near} Rename or remove it; put other numbers of a sample in the truth file."
        f"{'' if unknown is None else unknown.advice}"
    )
