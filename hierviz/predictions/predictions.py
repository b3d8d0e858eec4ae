"""The predictions of one model: scores or label lists, with the truth they are judged by.

Conventions
-----------
Samples are rows. A truth of -1 means that the truth of that sample is not known. In label lists -1 is a label outside
the taxonomy, for example an empty field that was kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError, first_words, listed, shown
from hierviz.messages.notebook_html import fact_rows, fact_sheet, table
from hierviz.predictions.column_text import as_text
from hierviz.predictions.from_memory import FromMemory
from hierviz.predictions.listed_scores import ListedScores
from hierviz.predictions.outside import OUTSIDE_AT_LEVEL, Outside
from hierviz.predictions.parametrisation import column_nodes, column_order, node_probabilities
from hierviz.predictions.score_rows import PROBABILITIES, check_rows, taken_rows
from hierviz.taxonomy.checks import array_of_rows, check_kind, check_taxonomy, of_tensor
from hierviz.taxonomy.positions import check_position, places_of
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

# Rows are processed in blocks of about this many node probabilities (32 MB), whatever the number of samples.
BLOCK_VALUES = 4_000_000
# Letters of a text by which its sample is called.
HEADING = 60
# Samples that a notebook shows.
ROWS_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Predictions(FromMemory):
    """Predictions of one model on some samples.

    Build with `hierviz.load_predictions`, `Model.predict`, `Predictions.from_scores` or `Predictions.from_labels`; or from
    what a library holds: `from_frame`, `from_predict_proba`, `from_level_labels`, `from_pipeline`.

    Parameters
    ----------
    taxonomy : Taxonomy
    name : str
        How screens call the model.
    run : str, optional
        Which of several runs of one method this is; those have one `name`.
    scores : array that can be sliced by rows, shape (n_samples, n_scores), optional
        An ndarray, a memory-mapped file, or ListedScores of some classes only. Exactly one of `scores` and `labels` is given.
    parametrisation : str, optional
        Key of `PARAMETRISATIONS`; given with `scores`.
    scored_nodes : ndarray of int, shape (n_scores,), optional
        Node of each column of `scores`; the default order of the parametrisation when absent.
    labels : NodeLists, optional
        Predicted nodes of each sample in the order of the source; may be empty; -1 for a label outside the taxonomy.
    is_hard : bool
        True when a label means its whole path (one hard label a sample), False when lists are taken as listed.
    truth : ndarray of int, shape (n_samples,), or NodeLists, optional
        One node a sample (leaf or inner, -1 unknown), or lists of nodes.
    sample_ids : ndarray of str, shape (n_samples,), optional
    attributes : mapping of str to ndarray, each shape (n_samples,)
        Anything else known per sample: text, picture name, facets.
    n_without_prediction, n_without_truth : int
        Truths that met no prediction, and predictions that met no truth.
    notes : tuple of str
        What had to be assumed, added or left out, in words.
    detected : mapping of str to str
        What the reader found out about the file.
    media : object, optional
        Pictures with a method ``png(name, most)``; the attribute ``image`` or ``file`` names the one of each sample.
    is_by_level : bool
        True when a list of labels has the answer of each level, from the top down, whether or not they lie on one path: measures
        of coherence judge them, all others the deepest one.
    known : ndarray of int, shape (n_known,), optional
        Nodes that the model knows, with all their ancestors; absent where it knows all. See `hierviz.projection.only_known`.
    moves : tuple
        How the nodes of the file became those of `taxonomy`, see `hierviz.projection.moves`; empty where they are these.
    best_outside : ndarray of bool, shape (n_samples,), optional
        Of scores: whether the largest one is of a class outside the taxonomy, whose score is not among these. By every rule the
        answer is then outside the taxonomy (-1), as a label outside is.
    outside : mapping of str to Outside
        Names that the taxonomy does not hold and what was done with them: of ``answers`` and of ``truths``.
    dropped : ndarray of str
        Ids (else row numbers) of samples that were left out with such a name.
    """

    taxonomy: Taxonomy
    name: str = "model"
    scores: Any = None
    parametrisation: str | None = None
    scored_nodes: np.ndarray | None = None
    labels: NodeLists | None = None
    is_hard: bool = False
    truth: np.ndarray | NodeLists | None = None
    sample_ids: np.ndarray | None = None
    attributes: Mapping[str, np.ndarray] = field(default_factory=dict)
    n_without_prediction: int = 0
    n_without_truth: int = 0
    notes: tuple[str, ...] = ()
    detected: Mapping[str, str] = field(default_factory=dict)
    media: Any = None
    known: np.ndarray | None = None
    run: str | None = None
    is_by_level: bool = False
    moves: tuple[Any, ...] = ()
    best_outside: np.ndarray | None = None
    outside: Mapping[str, Outside] = field(default_factory=dict)
    dropped: np.ndarray | tuple[str, ...] = ()
    # Ids of the samples with the worst answers: `hierviz.diagnosis.mistakes`, which is built on this class.
    worst: ClassVar[Callable[..., list[str]]]

    def __post_init__(self):
        if (self.scores is None) == (self.labels is None):
            raise PredictionsError(
                "predictions: expected either scores or labels, got both or neither. Pass one of them."
            )
        check_taxonomy(self.taxonomy)
        truth = _as_nodes("truth", self.truth)
        if isinstance(truth, NodeLists) and (truth.nodes == -1).any():
            # As in an array, -1 means no truth.
            truth = truth.only(truth.nodes != -1)
        object.__setattr__(self, "truth", truth)
        if self.scores is not None:
            if not hasattr(self.scores, "shape") or hasattr(self.scores, "iloc"):
                raise PredictionsError(
                    f"scores: expected an array, got {type(self.scores).__name__}. Pass scores to Predictions.from_scores, a "
                    "DataFrame to Predictions.from_frame."
                )
            if len(self.scores.shape) != 2:
                raise PredictionsError(
                    f"scores: expected two axes (samples, scores), got shape {tuple(self.scores.shape)}. Reshape them."
                )
            column_order(self.taxonomy, self.parametrisation, self.scores.shape[1], self.scored_nodes)
            if self.has_unknown and self.parametrisation not in ("leaf_probabilities", "node_probabilities"):
                raise PredictionsError(
                    f"{self.name}: expected probabilities, because scores of some classes are not listed, got "
                    f"{self.parametrisation}. List the scores of all classes, or convert them to probabilities."
                )
        per_sample = {"truth": self.truth, "sample ids": self.sample_ids, **self.attributes}
        per_sample["answers outside"] = self.best_outside
        for what, values in per_sample.items():
            if values is not None and len(values) != self.n_samples:
                raise PredictionsError(
                    f"{what}: expected {self.n_samples} values (one per sample), got {len(values)}. Align the rows."
                )
        _check_distinct(self.sample_ids)
        for what, none, nodes in (("truth", "not known", self.truth), ("labels", "outside the taxonomy", self.labels)):
            _check_nodes(what, none, nodes, self.taxonomy.n_nodes)

    def __repr__(self):
        what = self.parametrisation if self.has_scores else "labels"
        return f"<Predictions {self.name!r}: {what} of {self.n_samples} samples, {self.truth_words}>"

    def _repr_html_(self):
        facts = {
            "samples": self.n_samples,
            "truth": self.truth_words,
            "predictions": self.parametrisation if self.has_scores else "labels",
            "taxonomy": f"{self.taxonomy.n_nodes:,} nodes, {self.taxonomy.n_leaves:,} leaves",
            **({"attributes": ", ".join(self.attributes)} if self.attributes else {}),
        }

        def named(lists, row):
            nodes = np.atleast_1d(lists[row]).tolist()
            return "; ".join(self.taxonomy.title(node) if node >= 0 else "–" for node in nodes) or "none"

        columns = {"sample": self.sample_id}
        for what, lists in (("truth", self.truth), ("labels", self.labels)):
            if lists is not None:
                columns[what] = partial(named, lists)
        rows = [[made(row) for made in columns.values()] for row in range(min(self.n_samples, ROWS_SHOWN))]
        return fact_sheet(f"Predictions {self.name}", fact_rows(facts), table(list(columns), rows))

    @classmethod
    def from_scores(
        cls,
        taxonomy: Taxonomy,
        scores: Any,
        parametrisation: str,
        *,
        scored_nodes: np.ndarray | None = None,
        truth: Any = None,
        name: str = "model",
        **more: Any,
    ) -> Self:
        """Predictions from an array of scores; checks once that they are finite and, for probabilities, in range.

        Parameters
        ----------
        taxonomy : Taxonomy
        scores : array_like, shape (n_samples, n_scores)
            Or any array that can be sliced by rows, such as a memory-mapped file.
        parametrisation : str
            Key of `PARAMETRISATIONS`.
        scored_nodes : ndarray of int, shape (n_scores,), optional
            Node of each column; the default order of the parametrisation when absent.
        truth : array_like of int, or list of lists of int, optional
            Node numbers, one a sample or a list of them, -1 where not known, which a list leaves out; `Taxonomy.nodes` looks
            names up.
        name : str
            Of the model.
        **more
            Further fields of `Predictions`, such as ``sample_ids``.

        Returns
        -------
        Predictions

        Raises
        ------
        PredictionsError
            If shapes do not fit, a score is not valid (see `check_scores`), a truth is no node number, or an id occurs twice.
        """
        # What is on disk stays there.
        scores = of_tensor(scores, "scores") if hasattr(scores, "shape") else array_of_rows(scores, "scores")
        made = cls(taxonomy, name, scores, parametrisation, scored_nodes, truth=truth, **more)
        made.check_scores()
        return made

    @classmethod
    def from_labels(
        cls,
        taxonomy: Taxonomy,
        labels: Any,
        *,
        truth: Any = None,
        name: str = "model",
        is_hard: bool = False,
        **more: Any,
    ) -> Self:
        """Predictions from lists of predicted nodes, or from one node a sample.

        Parameters
        ----------
        taxonomy : Taxonomy
        labels : array_like of int, shape (n_samples,), list of lists of int, or NodeLists
            Node numbers; -1 for a label outside the taxonomy.
        truth, name, **more
            As in `from_scores`.
        is_hard : bool
            Of lists: a label means its whole path. Always so where there is one label a sample.

        Returns
        -------
        Predictions

        Raises
        ------
        PredictionsError
            If lengths differ, a label or a truth is no node number, or an id occurs twice.
        """
        if not isinstance(labels, NodeLists):
            labels = _as_nodes("labels", labels)
            if isinstance(labels, np.ndarray):
                labels, is_hard = NodeLists.of(labels), True
        return cls(taxonomy, name, labels=labels, is_hard=is_hard, truth=truth, **more)

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        ids = self.sample_ids
        if ids is None or "sample_ids" in changes:
            return replace(self, **changes)
        # Ids were checked before: of a million samples that takes longer than all else.
        made = replace(self, **changes, sample_ids=None)
        if len(ids) != made.n_samples:
            return replace(self, **changes)
        object.__setattr__(made, "sample_ids", ids)
        return made

    def take(self, rows: ArrayLike) -> Self:
        """The same of some samples.

        Parameters
        ----------
        rows : array_like of int, or of bool, shape (n_samples,)
            Row numbers in any order; a slice reads scores that stay on disk only when they are asked for.

        Raises
        ------
        PredictionsError
            If a row is not there.
        """
        rows = places_of("rows", rows, self.n_samples, "row")
        labels, truth = (
            nodes.take(rows) if isinstance(nodes, NodeLists) else None if nodes is None else nodes[rows]
            for nodes in (self.labels, self.truth)
        )
        ids = None if self.sample_ids is None else np.asarray(self.sample_ids)[rows]
        return self.replace(
            scores=None if self.scores is None else taken_rows(self.scores, rows),
            labels=labels,
            truth=truth,
            sample_ids=ids,
            attributes={name: np.asarray(values)[rows] for name, values in self.attributes.items()},
            best_outside=None if self.best_outside is None else self.best_outside[rows],
        )

    @property
    def has_scores(self) -> bool:
        """True for scores, False for labels."""
        return self.scores is not None

    @property
    def has_unknown(self) -> bool:
        """True when scores of some classes are not listed and not known to be 0: numbers leave them out."""
        return isinstance(self.scores, ListedScores) and self.scores.missing == "unknown"

    @property
    def n_samples(self) -> int:
        """Number of rows, with or without a known truth."""
        return self.scores.shape[0] if self.labels is None else len(self.labels)

    @property
    def mapped_words(self) -> str:
        """The share of answers, and of truths, that were mapped to the nearest name; nothing where none were."""
        return "; ".join(filter(None, (record.mapped_words for record in self.outside.values())))

    @cached_property
    def is_outside(self) -> np.ndarray:
        """Which samples have an answer outside the taxonomy, one of several or by scores, shape (n_samples,) of bool."""
        found = np.zeros(self.n_samples, dtype=bool)
        if (labels := self.answer_labels) is not None:
            found[labels.rows[labels.nodes < 0]] = True
        elif self.best_outside is not None:
            found |= self.best_outside
        return found

    @property
    def has_single_truth(self) -> bool:
        """True when every sample has at most one true node, kept as an array."""
        return isinstance(self.truth, np.ndarray)

    @property
    def has_truth(self) -> np.ndarray:
        """Which samples have a known truth, shape (n_samples,) of bool."""
        if self.truth is None:
            return np.zeros(self.n_samples, dtype=bool)
        return self.truth.lengths > 0 if isinstance(self.truth, NodeLists) else self.truth >= 0

    @property
    def truth_words(self) -> str:
        """How much truth there is, in words."""
        known = int(self.has_truth.sum())
        return "truth known" if known == self.n_samples else f"truth known for {known}" if known else "no truth"

    @cached_property
    def ids(self) -> np.ndarray:
        """Id of every sample as text, shape (n_samples,); row numbers, counted from 0, when there are no ids."""
        ids = np.arange(self.n_samples) if self.sample_ids is None else np.asarray(self.sample_ids)
        return ids if ids.dtype.kind in "UO" else ids.astype(str)

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Mapping of sample id to row."""
        return {name: row for row, name in enumerate(self.ids.tolist())}

    def row(self, sample_id: str) -> int | None:
        """Row of a sample, None where no sample has this id; without ids it is the row number as text."""
        check_kind("sample_id", sample_id, str, "Ids are text.")
        if self.sample_ids is None:
            row = int(sample_id) if sample_id.isdecimal() else -1
            return row if 0 <= row < self.n_samples and str(row) == sample_id else None
        places = np.flatnonzero(self.ids == sample_id)
        return int(places[0]) if len(places) else None

    def sample_id(self, row: int) -> str:
        """Id of a sample as text; its row number, counted from 0, when there are no ids."""
        check_position("row", row, self.n_samples, "row")
        return str(row) if self.sample_ids is None else str(self.sample_ids[row])

    def picture(self, row: int, most: int | None = None) -> bytes | None:
        """PNG bytes of a sample's picture, reduced to `most` pixels a side when given; None when it has none."""
        column = next((self.attributes[key] for key in ("image", "file") if key in self.attributes), None)
        return (
            None if self.media is None or column is None or not column[row] else self.media.png(str(column[row]), most)
        )

    def text(self, row: int) -> str | None:
        """Text of a sample, None when it has none."""
        return str(self.attributes["text"][row]) if "text" in self.attributes else None

    def called(self, row: int) -> str:
        """What people call a sample: the first words of its text; its id where it has none."""
        return first_words(self.text(row) or "", HEADING) or self.sample_id(row)

    @property
    def level_labels(self) -> np.ndarray | None:
        """Answer of each level of labels that are given by level, shape (n_samples, max_depth). None for others.

        -1 for none, -2 for one outside the taxonomy.
        """
        if not self.is_by_level or self.labels is None:
            return None
        found = np.full((self.n_samples, max(self.taxonomy.max_depth, 1)), -1)
        rows = self.labels.rows
        level = np.arange(len(rows)) - self.labels.offsets[:-1][rows]
        # Of a taxonomy that was cut, lower levels say what those above say.
        inside = level < found.shape[1]
        nodes = self.labels.nodes[inside]
        found[rows[inside], level[inside]] = np.where(nodes < 0, OUTSIDE_AT_LEVEL, nodes)
        return found

    @property
    def answer_labels(self) -> NodeLists | None:
        """The labels that are judged: all of them; of labels by level the deepest one of each sample. None of scores."""
        labels = self.labels
        if labels is None or not self.is_by_level:
            return labels
        filled = labels.lengths > 0
        ends = labels.nodes[labels.offsets[1:][filled] - 1]
        return NodeLists.of_pairs(np.flatnonzero(filled), ends, len(labels))

    def blocks(self) -> list[slice]:
        """Slices of rows that together are all of them, each small enough to hold its node probabilities."""
        step = max(1, BLOCK_VALUES // self.taxonomy.n_nodes)
        return [slice(start, min(start + step, self.n_samples)) for start in range(0, self.n_samples, step)]

    def node_probabilities(self, rows: slice | np.ndarray = slice(None)) -> np.ndarray:
        """Probability of every node for some rows.

        Parameters
        ----------
        rows : slice or ndarray of int
            Which samples; all of them when absent, which needs n_samples * n_nodes * 8 bytes.

        Returns
        -------
        ndarray of float64, shape (n_rows, n_nodes)
            A score that is not listed counts as 0; where it is unknown the root is 1 all the same.

        Raises
        ------
        PredictionsError
            If this holds labels, not scores, or a row is not there.
        """
        if self.scores is None or self.parametrisation is None:
            raise PredictionsError(f"{self.name}: expected scores, got labels, which have no probabilities.")
        if not isinstance(rows, slice):
            rows = places_of("rows", rows, self.n_samples, "row")
        p = node_probabilities(self.taxonomy, np.asarray(self.scores[rows]), self.parametrisation, self.scored_nodes)
        if self.has_unknown:
            np.minimum(p, 1, out=p)
            p[:, 0] = 1
        return p

    def check_scores(self, where: str = "scores") -> None:
        """Check every score once, in blocks.

        Raises
        ------
        PredictionsError
            If a value is not finite or, for probabilities, outside [0, 1]; or a row of leaf probabilities does not sum
            to 1 within 2e-3. Names row, column and what to do.
        """
        key = self.parametrisation
        if isinstance(self.scores, ListedScores) and key in PROBABILITIES:
            nodes = column_nodes(self.taxonomy, key, self.scores.shape[1], self.scored_nodes)
            is_distribution = key == "leaf_probabilities"
            self.scores.check(where, is_distribution, lambda column: self.taxonomy.names[nodes[column]], self.sample_id)
            return
        for rows in self.blocks():
            check_rows(self, rows, where)


def _check_distinct(ids):
    """Raise a PredictionsError when an id occurs twice: models and truths are joined by them."""
    texts = [] if ids is None else as_text(ids).tolist()
    if len(set(texts)) < len(texts):
        twice = listed(sorted(text for text, count in Counter(texts).items() if count > 1))
        raise PredictionsError(
            f"sample ids: expected every id once, got {twice} more than once. Give every sample its own id, or leave the "
            "ids out."
        )


def _check_nodes(what, none, nodes, n_nodes):
    """Raise a PredictionsError unless `nodes`, one a sample or NodeLists, are node numbers, or -1 for what is `none`."""
    is_list = isinstance(nodes, NodeLists)
    numbers = nodes.nodes if is_list else nodes
    bad = np.flatnonzero((numbers < -1) | (numbers >= n_nodes)) if numbers is not None and len(numbers) else ()
    if len(bad):
        rows = np.unique(np.searchsorted(nodes.offsets, bad, side="right") - 1 if is_list else bad).tolist()
        raise PredictionsError(
            f"{what}, {'row' if len(rows) == 1 else 'rows'} {listed(rows)}: expected node numbers from 0 to {n_nodes - 1}, or "
            f"-1 ({none}), got {listed(numbers[bad].tolist())}. Use Taxonomy.nodes to look names up."
        )


def _as_nodes(what, values):
    """None and NodeLists as they are, one node number a sample as an array, lists of them as NodeLists."""
    if values is None or isinstance(values, NodeLists):
        return values
    values = of_tensor(values, what)
    if isinstance(values, (str, Mapping)) or not hasattr(values, "__iter__"):
        raise PredictionsError(
            f"{what}: expected node numbers in a list or an array, got {shown(values)}. Use Taxonomy.nodes to look names up."
        )
    has_lists = not isinstance(values, np.ndarray) and any(np.ndim(value) for value in values)
    # An empty list is one of floats.
    parts = [np.ravel(value) for value in values if np.size(value)] if has_lists else []
    array = np.concatenate([np.empty(0, np.intp), *parts]) if has_lists else np.asarray(values)
    if array.size and not (np.issubdtype(array.dtype, np.integer) and array.ndim == 1):
        got = f"values of type {array.dtype} ({listed(array.ravel().tolist(), 2)})"
        got = got if array.ndim == 1 else f"an array of shape {array.shape}"
        raise PredictionsError(
            f"{what}: expected node numbers, one a sample, got {got}. "
            "Use Taxonomy.nodes to look names up; -1 says that a truth is not known."
        )
    return NodeLists.from_lists(values) if has_lists else array.astype(np.intp, copy=False)


def with_distinct_names(models):
    """The same Predictions, a number behind the name of each whose name an earlier one has; runs of one method keep theirs."""
    seen: Counter = Counter()
    renamed = []
    for model in models:
        seen[model.name] += model.run is None
        is_again = model.run is None and seen[model.name] > 1
        renamed.append(model.replace(name=f"{model.name} ({seen[model.name]})") if is_again else model)
    return renamed


def listed_models(models: Any) -> list[Any]:
    """Models as a list: one, several in an order, or a mapping of name to model, which then has that name.

    What is in the list is for the caller to check.
    """
    if isinstance(models, Mapping):
        return [_named(model, str(name)) for name, model in models.items()]
    return list(models) if hasattr(models, "__iter__") and not isinstance(models, str) else [models]


def _named(model, name):
    of_model = getattr(model, "predictions", model)
    if not isinstance(of_model, Predictions) or of_model.name == name:
        return model
    named = of_model.replace(name=name)
    return named if of_model is model else replace(model, predictions=named)
