"""What a prediction file holds, and how it meets the truth, sample by sample.

Conventions
-----------
By sample id as text when both sides have ids (where none is on both sides, by names of pictures without folder and suffix;
where it is asked for, a number such as 1.0 is 1), else in order; notes say so. Rows stay in the order of the prediction file.
A prediction without truth keeps its row, with the truth unknown. A truth without prediction is an empty prediction at the end
of a label file, and left out of a score file. Both are counted and named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.listed_entries import ListedEntries
from hierviz.predictions.listed_scores import ListedScores
from hierviz.predictions.score_rows import ArrayRows
from hierviz.readers.labels import text_array
from hierviz.readers.outside import OutsideNames
from hierviz.readers.segments import short_id
from hierviz.readers.truth_file import Truth
from hierviz.taxonomy.checks import check_one_of
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


class _Shares(ArrayRows):
    """Scores that are read from percent when rows are asked for."""

    def __init__(self, percent):
        self.percent, self.shape, self.dtype = percent, tuple(percent.shape), np.dtype(np.float64)

    def __getitem__(self, key):
        return self.percent[key] / 100


@dataclass(frozen=True, eq=False)
class Reading:
    """How a prediction file is read.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth_column : str, optional
        Of the file; found out when absent.
    form : str, optional
        Key of `predictions_file.FORMS`; found out when absent.
    missing : {"unknown", "zero"}, optional
        What classes are that a sample does not list.
    classes : ndarray of int, shape (n_scores,), optional
        Node of each column of scores, whatever the columns are called.
    numbers : mapping of int to int, optional
        Node of each number of a class list: what labels that are numbers mean.
    keep_empty : bool
        Whether an empty label is a label outside the taxonomy, -1.
    disagreeing : {"error", "levels", "deepest"}
        What is done with labels in columns of levels that lie on no single path.
    samples : {"picture", "detection"}
        What a sample is where a picture has several detections.
    percent : bool
        Scores are percent, for what depends on their size; `RawPredictions.as_shares` divides them.
    has_votes : bool
        Rows with one id are several answers to a sample, which `votes.as_votes` counts.
    answers, truths : OutsideNames, optional
        Take names that are not in the taxonomy; an error where they are absent.
    """

    taxonomy: Taxonomy
    truth_column: str | None = None
    form: str | None = None
    missing: str | None = None
    classes: np.ndarray | None = None
    numbers: Mapping[int, int] | None = None
    keep_empty: bool = False
    disagreeing: str = "error"
    samples: str = "picture"
    percent: bool = False
    has_votes: bool = False
    answers: OutsideNames | None = None
    truths: OutsideNames | None = None


@dataclass(frozen=True, eq=False)
class RawPredictions:
    """Rows of a prediction file.

    Parameters
    ----------
    where : str
        The file's name.
    form : str
        Key of `predictions_file.FORMS`.
    scores : array, shape (n_rows, n_scores), optional
    scored_nodes : ndarray of int, shape (n_scores,), optional
        None where the file does not name its columns.
    labels : NodeLists, optional
        Instead of scores.
    is_hard : bool
    ids : ndarray of str, shape (n_rows,), optional
    truth : Truth, optional
        From the same file, row by row.
    attributes : mapping of str to ndarray, each shape (n_rows,)
    detected : mapping of str to str
    notes : tuple of str
    listed : ListedEntries, optional
        Instead of scores: those of some classes.
    is_by_level : bool
        Whether a list of labels has the answer of each level, in their order.
    missing, parametrisation : str, optional
        What the form says of `load_predictions`'s parameters of that name, unless the user does.
    truth_ids : ndarray of str, shape (n_rows,), optional
        Id in the truth of each row, where several rows share one.
    counts_absent : bool
        Samples of the truth that are not here are answered with nothing, also where there are scores.
    outside : ndarray of int, optional
        Rows of scores that are not `listed` whose largest one is of a class outside the taxonomy, ascending.
    """

    where: str
    form: str
    scores: object | None = None
    scored_nodes: np.ndarray | None = None
    labels: NodeLists | None = None
    is_hard: bool = False
    ids: np.ndarray | None = None
    truth: Truth | None = None
    attributes: Mapping[str, np.ndarray] = field(default_factory=dict)
    detected: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    listed: ListedEntries | None = None
    is_by_level: bool = False
    missing: str | None = None
    parametrisation: str | None = None
    truth_ids: np.ndarray | None = None
    counts_absent: bool = False
    outside: np.ndarray | None = None

    def as_shares(self):
        """The same where scores are percent: divided by 100, when they are read."""
        if self.labels is not None:
            return replace(self, notes=(*self.notes, f"{self.where} holds labels: that scores are percent is ignored"))
        detected = {**self.detected, "scores": "percent, divided by 100"}
        if self.listed is not None:
            outside = None if self.listed.outside_mass is None else self.listed.outside_mass / 100
            listed_scores = replace(self.listed, value=self.listed.value / 100, outside_mass=outside)
            return replace(self, listed=listed_scores, detected=detected)
        scores = self.scores / 100 if isinstance(self.scores, np.ndarray) else _Shares(self.scores)
        return replace(self, scores=scores, detected=detected)

    def __len__(self):
        if self.listed is not None:
            return self.listed.n_rows
        return len(self.labels) if self.scores is None else self.scores.shape[0]


IDS = ("text", "number")
# What is done with labels in columns of levels that lie on no single path.
DISAGREEING = ("error", "levels", "deepest")
# What a sample is where a picture has several detections.
SAMPLES = ("picture", "detection")
_WHOLE_AS_FLOAT = re.compile(r"(-?\d+)\.0*")


@dataclass(frozen=True, eq=False)
class Joined:
    """What the join makes of scores, labels, truth, ids and attributes, row by row; see `Predictions`."""

    scores: object | None
    labels: NodeLists | None
    truth: np.ndarray | NodeLists | None
    sample_ids: np.ndarray | None
    attributes: dict
    n_without_prediction: int
    n_without_truth: int
    notes: tuple[str, ...]
    # Rows of the prediction file whose truth is outside the taxonomy.
    lost: np.ndarray | None = None


def join(raw, truth, ids=None):
    """Join a prediction file with the truth.

    Parameters
    ----------
    raw : RawPredictions
    truth : Truth or None
    ids : {"text", "number"}, optional
        Whether ids are compared as they are, or numbers such as ``1.0`` are the same as ``1``.

    Returns
    -------
    Joined

    Raises
    ------
    PredictionsError
        If no id is on both sides (shows two of each), or row counts differ where there are no ids to join by.
    """
    check_ids(ids)
    n = len(raw)
    if truth is None:
        said = ("there is no truth: nothing can be evaluated",)
        return Joined(raw.scores, raw.labels, None, raw.ids, dict(raw.attributes), 0, n, said)
    notes = []
    if truth is raw.truth:
        places, extra = np.arange(n), np.empty(0, dtype=np.intp)
    elif raw.ids is not None and truth.ids is not None:
        if ids == "number":
            raw, truth = _with_whole_ids(raw), _with_whole_ids(truth)
        places, extra = _by_id(raw, truth, notes)
    else:
        places, extra = np.arange(n), np.empty(0, dtype=np.intp)
        lacking = " and ".join(side.where for side in (raw, truth) if side.ids is None)
        _require_equal_counts(raw, truth, lacking)
        rows = f"the {n} rows of {raw.where} and {truth.where}"
        notes.append(f"{lacking} has no sample ids: {rows} were joined in order")
    is_joined = places >= 0
    known = is_joined.copy()
    known[is_joined] = truth.is_known[places[is_joined]]
    lost = np.zeros(n, dtype=bool)
    if truth.outside is not None:
        lost[is_joined] = np.isin(places[is_joined], truth.outside)
    # A sample with neither prediction nor truth says nothing.
    extra = extra[truth.is_known[extra]]
    is_kept = raw.labels is not None or (raw.counts_absent and isinstance(raw.scores, ListedScores))
    if len(extra):
        is_one = len(extra) == 1
        empty = "an empty prediction" if is_one else "empty predictions"
        done = f"treated as {empty}" if is_kept else "left out"
        have, were = ("1 sample has", "it was") if is_one else (f"{len(extra)} samples have", "they were")
        notes.append(f"{have} a truth but no prediction ({listed(truth.ids[extra].tolist())}); {were} {done}")
    missing = np.flatnonzero(~is_joined)
    if len(missing):
        have, are = ("1 sample has", "it is") if len(missing) == 1 else (f"{len(missing)} samples have", "they are")
        notes.append(f"{have} a prediction but no truth ({listed(raw.ids[missing].tolist())}); {are} not evaluated")
    scores, labels, ids = raw.scores, raw.labels, raw.ids if raw.ids is not None else truth.ids
    attributes = _attributes(raw, truth, places)
    if is_kept and len(extra):
        if labels is None:
            scores = scores.with_empty_rows(len(extra))
        else:
            labels = NodeLists(np.append(labels.offsets, np.full(len(extra), labels.offsets[-1])), labels.nodes)
        places = np.append(places, extra)
        ids = text_array(raw.ids.tolist() + truth.ids[extra].tolist())
        attributes = _attributes(raw, truth, places)
    n_lost = len(extra) if scores is raw.scores else 0
    return Joined(
        scores, labels, _take(truth.nodes, places), ids, attributes, n_lost, int((~known).sum()), tuple(notes), lost
    )


def check_ids(ids):
    """Raise a PredictionsError unless `ids` is None or one of `IDS`."""
    if ids is not None:
        check_one_of("ids", ids, IDS)


def check_disagreeing(disagreeing):
    """Raise a PredictionsError unless it is None or one of `DISAGREEING`."""
    if disagreeing is not None:
        check_one_of("disagreeing", disagreeing, DISAGREEING)


def check_samples(samples):
    """Raise a PredictionsError unless it is None or one of `SAMPLES`."""
    if samples is not None:
        check_one_of("samples", samples, SAMPLES)


def ids_advice(mine, theirs):
    """What to do about ids of two files of which none is in both."""
    if set(map(whole_id, mine)).isdisjoint(map(whole_id, theirs)):
        return "Use the same ids in both files."
    return "If a number such as 1.0 is the same as 1, say {ids=number}."


def _with_whole_ids(side):
    """RawPredictions or a Truth, an id such as 1.0 being 1."""
    if getattr(side, "truth_ids", None) is not None:
        return replace(side, truth_ids=text_array(list(map(whole_id, side.truth_ids.tolist()))))
    whole = [whole_id(sample_id) for sample_id in side.ids.tolist()]
    if len(set(whole)) < len(whole):
        twice = next(sample_id for sample_id, count in Counter(whole).items() if count > 1)
        raise PredictionsError(
            f"{side.where}: expected every sample id once, got {twice!r} more than once when numbers such as 1.0 and 1 are the "
            "same. Remove one of the rows."
        )
    return replace(side, ids=text_array(whole))


def whole_id(sample_id):
    """An id, a number such as 1.0 as 1."""
    number = _WHOLE_AS_FLOAT.fullmatch(sample_id.strip())
    return sample_id if number is None else number[1]


def _by_id(raw, truth, notes):
    """Row of the truth for every prediction, -1 where there is none; and the rows of the truth that are left."""
    own = raw.ids if raw.truth_ids is None else raw.truth_ids
    if len(own) == len(truth.ids) and (own == truth.ids).all():
        return np.arange(len(raw)), np.empty(0, dtype=np.intp)
    mine, theirs = own.tolist(), truth.ids.tolist()
    if set(mine).isdisjoint(theirs):
        stems = picture_stems(mine, theirs)
        if stems is None:
            here, there = (", ".join(map(repr, ids[:2])) for ids in (mine, theirs))
            raise PredictionsError(
                f"{raw.where}: expected sample ids that are also in {truth.where}, got none in common: {here} here, "
                f"{there} there. {ids_advice(mine, theirs)}"
            )
        mine, theirs = stems
        notes.append(f"{raw.where} and {truth.where} were joined by file names without folder and suffix")
    row_of = {sample_id: row for row, sample_id in enumerate(theirs)}
    places = np.array([row_of.get(sample_id, -1) for sample_id in mine], dtype=np.intp)
    left = np.ones(len(truth), dtype=bool)
    left[places[places >= 0]] = False
    return places, np.flatnonzero(left)


def picture_stems(mine, theirs):
    """The ids of two files without the folder and suffix of pictures; None where none is in both, or one is in a file twice."""
    stems = [list(map(short_id, ids)) for ids in (mine, theirs)]
    is_once = all(len(set(short)) == len(set(ids)) for short, ids in zip(stems, (mine, theirs), strict=True))
    return None if not is_once or set(stems[0]).isdisjoint(stems[1]) else stems


def _require_equal_counts(raw, truth, lacking):
    if len(raw) != len(truth):
        raise PredictionsError(
            f"{raw.where}: expected {len(truth)} rows as in {truth.where} (there are no sample ids in {lacking}, so rows are "
            f"joined in order), got {len(raw)}. Add a sample_id column to both, or align the rows."
        )


def _take(nodes, places):
    """Truth by row; unknown where the place is -1."""
    if not isinstance(nodes, NodeLists):
        return np.append(nodes, -1)[places].astype(np.intp)
    with_empty = NodeLists(np.append(nodes.offsets, nodes.offsets[-1]), nodes.nodes)
    return with_empty.take(np.where(places < 0, len(nodes), places))


def _attributes(raw, truth, places):
    attributes = {}
    for name, values in raw.attributes.items():
        attributes[name] = (
            values
            if len(values) == len(places)
            else text_array([*values.tolist(), *[""] * (len(places) - len(values))])
        )
    for name, values in () if truth is raw.truth else truth.attributes.items():
        taken = text_array([*values.tolist(), ""])[places]
        if name not in attributes:
            attributes[name] = taken
        elif (attributes[name] != taken)[places >= 0].any():
            # Both files call a column so; where they agree one of them is enough.
            attributes[f"{name} ({truth.where})"] = taken
    return attributes
