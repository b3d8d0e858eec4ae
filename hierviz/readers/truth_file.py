"""The truth: which node, or which nodes, each sample belongs to.

Conventions
-----------
The column of truth is the first of `TRUTH_COLUMNS` that is there, else the only column whose values are all nodes. ``;``
separates labels, ``A > B > C`` means its last node, an empty cell an unknown truth. All other columns
but the sample id are attributes, kept as text.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hierviz.messages.errors import HiervizError, PredictionsError, listed
from hierviz.messages.notebook_html import Short
from hierviz.predictions.name_matching import LooseMatches
from hierviz.predictions.node_names import truth_nodes
from hierviz.predictions.outside import OUTSIDE
from hierviz.readers.class_folders import class_folders
from hierviz.readers.classes_file import class_numbers
from hierviz.readers.columns import joined, named_place, require_names, require_truth_column, unfit_keys
from hierviz.readers.json_table import open_records
from hierviz.readers.labels import find_node, is_all_nodes, read_labels, single_nodes, text_array
from hierviz.readers.other_truths import labelled_samples
from hierviz.readers.outside import OutsideNames
from hierviz.readers.rank_columns import deepest_nodes, rank_places
from hierviz.readers.segments import segment_ids, segment_places
from hierviz.readers.tables import with_named_ids
from hierviz.taxonomy.checks import check_taxonomy
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

ID_COLUMNS = ("sample_id", "id")
TRUTH_IN_PREDICTIONS = ("truth", "true", "y_true", "true_label")
TRUTH_COLUMNS = ("truth", "true", "y_true", "target", "leaf", "label", "labels", "class", "path")


@dataclass(frozen=True, eq=False)
class Truth(Short):
    """What is true of some samples.

    Parameters
    ----------
    nodes : ndarray of int, shape (n_samples,), or NodeLists
        One node a sample, -1 where not known; lists when a sample has several.
    ids : ndarray of str, shape (n_samples,), optional
    attributes : mapping of str to ndarray, each shape (n_samples,)
    where : str
        How errors call it.
    detected : mapping of str to str
    notes : tuple of str
    outside : ndarray of int, optional
        Rows with a truth outside the taxonomy, ascending.
    """

    nodes: np.ndarray | NodeLists
    ids: np.ndarray | None = None
    attributes: Mapping[str, np.ndarray] = field(default_factory=dict)
    where: str = "truth"
    detected: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    outside: np.ndarray | None = None

    def __len__(self):
        return len(self.nodes)

    @property
    def is_known(self):
        """Which samples have a truth, shape (n_samples,) of bool."""
        return self.nodes.lengths > 0 if isinstance(self.nodes, NodeLists) else self.nodes >= 0


def load_truth(
    truth: Any,
    taxonomy: Taxonomy,
    truth_column: str | None = None,
    classes: Mapping[int, int] | Any = None,
    unknown: OutsideNames | None = None,
) -> Truth:
    """Read the truth from a table or from the names of folders, or take it from memory.

    Parameters
    ----------
    truth : str, path, Truth, or sequence
        A CSV, TSV or Parquet table, or JSON of one object a sample (gzipped too); a folder with a folder of files for each
        class (ImageFolder); or node numbers, names, or lists of either, one entry a sample.
        Numbers in memory are refused together with `classes`, whose places they may be.
    taxonomy : Taxonomy
    truth_column : str, optional
        Name of the column that holds it.
    classes : str, path, sequence of str or mapping of int to int, optional
        A class list as `load_classes` takes it, or the node of each number: what the numbers in a table of truths mean.
    unknown : OutsideNames, optional
        Takes names of a table that are not in the taxonomy; an error when absent.

    Returns
    -------
    Truth

    Raises
    ------
    FileError
        If the table cannot be read.
    PredictionsError
        If no column or several could be the truth, a name is not in the taxonomy (naming line and nearest name), or a
        sample id is missing or there twice.
    """
    check_taxonomy(taxonomy, "It comes after the truth.")
    if isinstance(truth, Truth):
        return truth
    if not isinstance(truth, (str, os.PathLike)):
        nodes = truth_nodes(truth, taxonomy, "" if classes is None else "the class list", unknown)
        if nodes is None:
            raise PredictionsError("truth: expected a file, node numbers or names, got None. Pass one of them.")
        notes = _number_notes(truth, nodes, taxonomy)
        if unknown is None or not unknown.codes:
            return Truth(nodes, notes=notes)
        labels = unknown.settle(NodeLists.of(nodes))
        nodes, outside = truths_of(labels, unknown)
        return Truth(nodes, notes=notes, outside=outside)
    if os.path.isdir(truth):
        path = Path(truth)
        files, nodes, notes = class_folders(path, taxonomy, unknown)
        detected = {"truth file": path.name, "truth column": "names of folders", "truth id column": "names of files"}
        outside = None if unknown is None else unknown.rows
        return Truth(nodes, text_array(files), {}, path.name, detected, tuple(notes), outside)
    numbers = classes
    if classes is not None and not (
        isinstance(classes, Mapping) and all(_is_number(node) for node in classes.values())
    ):
        numbers = class_numbers(classes, taxonomy)
    table, _ = with_named_ids(open_records(truth, "a table of true classes (CSV, TSV, Parquet or JSON)"))
    has_header = _has_header(table, taxonomy, truth_column)
    columns = table.read(has_header=has_header)
    if has_header:
        require_names(columns.names, columns.where)
    columns.require_rows()
    said: list[str] = []
    other = (
        labelled_samples(columns, table.source, taxonomy, said, unknown)
        if has_header and truth_column is None
        else None
    )
    if other is not None:
        form, samples, labels = other
        nodes, outside = truths_of(labels, unknown)
        detected = {"truth file": columns.where, "truth column": form, "truth id column": form}
        return Truth(nodes, text_array(samples), {}, columns.where, detected, tuple(said), outside)
    id_place = id_column(columns.names) if has_header else _headerless_id(columns, taxonomy)
    of_ranks = _truth_of_ranks(columns, taxonomy) if has_header and truth_column is None else None
    if of_ranks is not None:
        (nodes, places, notes), outside = of_ranks, None
    else:
        place = find_truth_column(columns, taxonomy, truth_column, id_place)
        places = [place]
        nodes, outside, notes = truth_of_column(columns, place, taxonomy, numbers, unknown)
    if not has_header:
        notes.append(f"{columns.where} has no header row: column {place + 1} was read as the truth")
    segments = segment_places(columns.names) if id_place is None and has_header else None
    if segments is not None:
        return _of_segments(columns, segments, nodes, outside, places, notes)
    words = "none (rows in order)" if id_place is None else columns.names[id_place]
    return Truth(
        nodes,
        None if id_place is None else sample_ids(columns, id_place),
        text_attributes(columns, [k for k in columns.text if k not in (id_place, *places)]),
        columns.where,
        {
            "truth file": columns.where,
            "truth column": ", ".join(columns.names[place] for place in places),
            "truth id column": words,
        },
        tuple(notes),
        outside,
    )


def _of_segments(columns, segments, nodes, outside, places, notes):
    """The Truth of segments of recordings: the truths of all rows of one of them are its."""
    ids = segment_ids(columns, segments)
    row_of: dict = {}
    for row, name in enumerate(ids):
        row_of.setdefault(name, []).append(row)
    lists = nodes if isinstance(nodes, NodeLists) else [[node] if node >= 0 else [] for node in nodes.tolist()]
    joined = [list(dict.fromkeys(int(node) for row in rows for node in lists[row])) for rows in row_of.values()]
    if len(row_of) < len(ids):
        notes.append(
            f"{columns.where}: {len(ids):,} rows are about {len(row_of):,} segments; all truths of a segment are its"
        )
    joined = NodeLists.from_lists(joined)
    single = single_nodes(joined)
    first = [rows[0] for rows in row_of.values()]
    attributes = text_attributes(columns, [k for k in columns.text if k not in (*segments, *places)])
    detected = {
        "truth file": columns.where,
        "truth column": ", ".join(columns.names[place] for place in places),
        "truth id column": ", ".join(columns.names[place] for place in segments),
    }
    attributes = {name: values[first] for name, values in attributes.items()}
    nodes = joined if single is None else single
    if outside is not None:
        place_of = {name: place for place, name in enumerate(row_of)}
        outside = np.unique([place_of[ids[row]] for row in outside.tolist()]).astype(np.intp)
    return Truth(nodes, text_array(list(row_of)), attributes, columns.where, detected, tuple(notes), outside)


def _number_notes(truth, nodes, taxonomy):
    """A note where whole numbers in memory were taken for nodes: they may have been meant as something else."""
    array = np.asarray(truth) if not isinstance(nodes, NodeLists) else np.empty(0)
    known = nodes[nodes >= 0] if array.dtype.kind in "iuf" and array.size else ()
    if not len(known):
        return ()
    return (f"truth: whole numbers were taken for node numbers ({known[0]} is {taxonomy.names[known[0]]!r})",)


def _is_number(value):
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def id_column(names):
    """Place of the sample id among column names, None when there is none."""
    return named_place(names, ID_COLUMNS)


def sample_ids(columns, place):
    """The ids of a column, shape (n_rows,); PredictionsError when one is empty or there twice."""
    cells = columns.single_text(place)
    is_right = len(set(cells)) == len(cells) and all(map(str.strip, cells))
    for row, first in () if is_right else unfit_ids(enumerate(cells)):
        if first is None:
            raise PredictionsError(
                f"{columns.place(row)}: expected a sample id, got an empty cell. Give every sample an id."
            )
        raise PredictionsError(
            f"{columns.place(row)}: expected every sample id once, got {cells[row]!r} again "
            f"(first at {columns.place(first)}). Remove one of the rows."
        )
    return text_array(cells)


def unfit_ids(ids):
    """Ids, pairs of (place, id), that are empty or came before: as `unfit_keys`."""
    return unfit_keys((place, sample if sample.strip() else None) for place, sample in ids)


def text_attributes(columns, places):
    """The cells of some columns by name, as arrays of text."""
    return {columns.names[k]: text_array(list(map(joined, columns.text[k]))) for k in places}


def truth_place(names, truth_column=None, but=(), accepted=TRUTH_IN_PREDICTIONS):
    """Place of the column of true classes by its name: the one that is said, else an accepted one that is none of `but`."""
    return names.index(truth_column) if truth_column in names else named_place(names, accepted, but)


def samples_of(columns, id_place, place, reading, left_out=()):
    """Ids, truth and attributes of the samples of a prediction file: keywords of RawPredictions.

    Parameters
    ----------
    columns : Columns
    id_place, place : int or None
        Columns of ids and of the truth.
    reading : Reading
    left_out : collection of int
        Places of columns that are none of these.
    """
    truth = None
    if place is not None:
        nodes, outside, notes = truth_of_column(columns, place, reading.taxonomy, reading.numbers, reading.truths)
        truth = Truth(nodes, where=columns.where, notes=tuple(notes), outside=outside)
    others = [k for k in columns.text if k not in (id_place, place, *left_out)]
    ids = None if id_place is None else sample_ids(columns, id_place)
    return {"ids": ids, "truth": truth, "attributes": text_attributes(columns, others)}


def find_truth_column(columns, taxonomy, truth_column, id_place):
    """Place of the column that holds the truth; PredictionsError when none or several could."""
    names = columns.names
    require_truth_column(names, truth_column, columns.where)
    place = truth_place(names, truth_column, (id_place,), TRUTH_COLUMNS)
    if place is not None:
        return place
    others = {k: cells for k, cells in columns.text.items() if k != id_place}
    fitting = [k for k, cells in others.items() if is_all_nodes(cells, taxonomy)]
    fitting = fitting or [k for k, cells in others.items() if is_all_nodes(cells, taxonomy, LooseMatches(taxonomy))]
    if len(fitting) == 1:
        return fitting[0]
    others = [name for k, name in enumerate(names) if k != id_place]
    if fitting:
        got = f"{len(fitting)} columns of node names ({listed(names[k] for k in fitting)})"
    elif len(others) == 1:
        # A single column is the truth for sure: the wrong name in it is what to say.
        return names.index(others[0])
    else:
        got = f"none whose values are all nodes among {listed(others)}"
    raise PredictionsError(
        f"{columns.where}: expected one column of true classes, got {got}. Name it with {{truth_column}}."
    )


def _truth_of_ranks(columns, taxonomy):
    """(nodes, places of the columns, notes) of a truth in columns of ranks; None where it is in one column."""
    places = rank_places(columns.names)
    folded = [name.casefold() for name in columns.names]
    # What is called class or leaf may be one of several ranks.
    if not places or any(name in TRUTH_COLUMNS and place not in places for place, name in enumerate(folded)):
        return None
    try:
        rows = list(zip(*(columns.single_text(place) for place in places), strict=True))
        nodes = deepest_nodes(rows, taxonomy, columns.place)
    except HiervizError:
        return None  # some of them are attributes
    shown = listed(columns.names[place] for place in places)
    return nodes, places, [f"{columns.where}: the truth of a sample is the deepest class of its columns {shown}"]


def truth_of_column(columns, place, taxonomy, numbers=None, unknown=None):
    """(nodes, rows with one outside or None, notes) of the truth in one column; `numbers`, `unknown` as of `read_labels`."""
    name, notes = columns.names[place], []
    labels, n_empty, _ = read_labels(
        columns.text[place],
        taxonomy,
        lambda row: f"{columns.place(row)}, column {name!r}",
        what="truth",
        is_path=name.casefold() == "path",
        numbers=numbers,
        where=f"{columns.where}, column {name!r}",
        notes=notes,
        unknown=unknown,
    )
    n_unknown = int((labels.lengths == 0).sum())
    if n_unknown:
        notes.append(f"{n_unknown} samples of {columns.where} have no truth (empty cell in column {name!r})")
    # An empty cell counts as one empty field, whatever it leaves out.
    stray = n_empty - n_unknown
    if stray > 0:
        notes.append(f"{stray} empty fields were dropped from the truth in {columns.where}")
    return *truths_of(labels, unknown), notes


def truths_of(labels, unknown):
    """Labels of truths that `read_labels` gave: (one node a sample if there is no more, rows with a name outside or None)."""
    labels = labels.only(labels.nodes != OUTSIDE)
    nodes = single_nodes(labels)
    return labels if nodes is None else nodes, None if unknown is None else unknown.rows


def _has_header(table, taxonomy, truth_column):
    if not table.can_lack_header:
        return True
    first = [cell.strip() for cell in table.first]
    folded = [cell.casefold() for cell in first]
    if truth_column in first or any(name in folded for name in (*ID_COLUMNS, *TRUTH_COLUMNS)):
        return True
    return not any(find_node(part, taxonomy) is not None for cell in first for part in (cell, *cell.split(";")) if part)


def _headerless_id(columns, taxonomy):
    others = [k for k, cells in columns.text.items() if not is_all_nodes(cells, taxonomy)]
    is_id = len(others) == 1 and len(columns.names) == 2 and len(set(columns.text[others[0]])) == len(columns)
    return others[0] if is_id else None
