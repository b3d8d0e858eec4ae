"""Are probabilities calibrated? Calibration of nodes and of depths, next to that of a calibrated model.

The relation of a node of each sample to its truth: equal or above, below, or in another branch.

Conventions
-----------
Of a node v the event is "a truth at or below v" and its probability p(v); samples whose truth is a proper ancestor of v
do not decide it, and are left out and counted. Of a depth d, the most probable node at depth d (a shallower leaf counts as
itself; the lowest node on ties) is right where a truth is at or below it, and the sample is left out where its truth is a
proper ancestor of it. Pooling all nodes of a depth instead would be swamped by probabilities near 0.

Leaves that are calibrated one by one do not make calibrated parents: errors of leaves may cancel on average and add up under
a parent.

Functions
---------
reliability

References
----------
.. [1] E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22, 1927.
.. [2] Y. Benjamini, Y. Hochberg, Controlling the false discovery rate, J. R. Stat. Soc. B 57, 1995.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.diagnosis.calibration_bins import judged_pairs
from hierviz.diagnosis.many_tests import USUAL_TESTS, ManyTests
from hierviz.evaluation._judged_answers import Judged, JudgedAnswers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Rows
from hierviz.messages.progress import Progress
from hierviz.metrics.sets.node_sets import own_keys, truth_keys
from hierviz.predictions.outside import OUTSIDE, outside_mass
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind, check_share, check_whole, is_within, listed_values
from hierviz.taxonomy.node_lists import is_member
from hierviz.taxonomy.positions import check_position, places_of
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy
from hierviz.taxonomy.tree_sums import sum_in_order


class TruthRelation:
    """The truth of some samples, against which nodes can be held.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    truth : ndarray of int, or NodeLists
        Of all samples.
    rows : ndarray of int, shape (n_rows,)
        Samples with a known truth.
    """

    def __init__(self, taxonomy: Taxonomy, truth: np.ndarray | NodeLists, rows: np.ndarray):
        self.taxonomy, self.rows = taxonomy, np.arange(len(rows))
        self.truth = truth.take(rows) if isinstance(truth, NodeLists) else truth[rows]
        self.is_simple = taxonomy.is_tree and not isinstance(truth, NodeLists)
        if not self.is_simple:
            self.own, self.above = own_keys(taxonomy, self.truth), truth_keys(taxonomy, self.truth)

    def of(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Whether a truth is at or below the node of each sample; whether none is and one is a proper ancestor of it.

        Parameters
        ----------
        nodes : ndarray of int, shape (n_rows,)
            -1 lies outside the taxonomy: no truth is there.

        Returns
        -------
        is_event, is_unknown : ndarray of bool, shape (n_rows,)
        """
        if (nodes < 0).any():
            is_event, is_unknown = self.of(np.maximum(nodes, 0))
            return is_event & (nodes >= 0), is_unknown & (nodes >= 0)
        taxonomy = self.taxonomy
        if self.is_simple:
            truth = np.asarray(self.truth)
            is_event = taxonomy.is_ancestor(nodes, truth)
            return is_event, ~is_event & taxonomy.is_ancestor(truth, nodes)
        is_event = (nodes == 0) | is_member(self.rows * taxonomy.n_nodes + nodes, self.above)
        different, place = np.unique(nodes, return_inverse=True)
        lists = taxonomy.ancestors(different).take(place)
        row = np.repeat(self.rows, lists.lengths)
        has_truth = is_member(row * taxonomy.n_nodes + lists.nodes, self.own)
        return is_event, ~is_event & (np.bincount(row[has_truth], minlength=len(nodes)) > 0)


# Probabilities that are read unless `max_samples` says otherwise (about two seconds), but at least so many samples.
MOST_VALUES, LEAST_SAMPLES = 50_000_000, 5_000


@dataclass(frozen=True, eq=False)
class Reliability(Rows):
    """Calibration of some nodes or depths, arrays of shape (n_subjects,), and its bins, arrays of shape (n_bins,).

    Attributes
    ----------
    taxonomy : Taxonomy
    node, depth : ndarray of int
        What each row is about: a node, or -1 and a depth.
    n, n_left_out : ndarray of int
        Samples, and those whose truth says nothing about it.
    mean_p, rate : ndarray of float
        Mean probability and share of events; nan without samples.
    lower, upper : ndarray of float
        Wilson's interval [1]_ of the share of events; nan without samples.
    direction : ndarray of int
        1 where the probabilities are clearly too high on average, overconfident; -1 too low; 0 where neither is clear.
    ece : ndarray of float
        Expected calibration error, in [0, 1], lower is better; nan where there are too few samples for a bin.
    null_mean, null_high : ndarray of float
        Mean and 95 % quantile of the error that outcomes redrawn from p have: what a calibrated model shows.
    p_value, p_adjusted : ndarray of float
        Of an error as large in redrawn outcomes; adjusted for all rows.
    is_flagged : ndarray of bool
        Not calibrated.
    offsets : ndarray of int, shape (n_subjects + 1,)
        Row i has the bins ``offsets[i]:offsets[i + 1]``.
    bin_columns : dict of str to ndarray, shape (n_bins,)
        ``low``, ``high``, ``p``: smallest, largest and mean p; ``rate``, ``lower``, ``upper``: share of events and its Wilson
        interval [1]_; ``n``, ``events``: samples and events.
    n_samples, n_used : int
        Judged samples, and how many of them were used (drawn at random where these are fewer).
    names : tuple of str, optional
        What each row is called where it is about neither a node nor a depth.
    """

    taxonomy: Taxonomy
    node: np.ndarray
    depth: np.ndarray
    n: np.ndarray
    n_left_out: np.ndarray
    mean_p: np.ndarray
    rate: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    direction: np.ndarray
    ece: np.ndarray
    null_mean: np.ndarray
    null_high: np.ndarray
    p_value: np.ndarray
    p_adjusted: np.ndarray
    is_flagged: np.ndarray
    offsets: np.ndarray
    bin_columns: dict[str, np.ndarray]
    n_samples: int
    n_used: int
    names: tuple[str, ...] | None = None

    @property
    def subjects(self) -> list[str]:
        """Name of each row: of the node, or "depth d"."""
        if self.names is not None:
            return list(self.names)
        pairs = zip(self.node.tolist(), self.depth.tolist())
        return [f"depth {depth}" if node < 0 else self.taxonomy.names[node] for node, depth in pairs]

    def bins(self, place: int) -> dict[str, np.ndarray]:
        """The bins of one row by the keys of `bin_columns`."""
        check_position("place", place, len(self))
        inside = slice(self.offsets[place], self.offsets[place + 1])
        return {name: values[inside] for name, values in self.bin_columns.items()}

    @in_backend
    def to_frame(self, *, of_bins: bool = False) -> Any:
        """A pandas DataFrame, one row a node or depth, or one row a bin."""
        if of_bins:
            subjects = np.repeat(np.array(self.subjects, dtype=object), np.diff(self.offsets))
            return frame({"subject": subjects, **self.bin_columns})
        fields = list(self.__dataclass_fields__)
        keys = fields[fields.index("n") : fields.index("offsets")]
        return frame({"subject": self.subjects, "depth": self.depth, **{key: getattr(self, key) for key in keys}})


def reliability(
    evaluation: Judged,
    *,
    nodes: Iterable[int] | None = None,
    depths: Iterable[int] | None = None,
    n_bins: int = 15,
    min_samples: int = 20,
    confidence: float = 0.95,
    max_samples: int | None = None,
    tests: ManyTests = USUAL_TESTS,
    progress: Progress = None,
) -> Reliability:
    """Calibration of nodes or depths.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
        Of scores, of trees or graphs (depths: trees only), with one truth a sample or several.
    nodes : iterable of int, optional
        Nodes to check.
    depths : iterable of int, optional
        Depths to check, from 1; all of them where no nodes are given.
    n_bins, min_samples : int
        At most so many bins of equal size, with at least so many samples each; equal p in one bin.
    confidence : float
        Of the Wilson intervals of the bins.
    max_samples : int, optional
        Use so many judged samples at most, drawn at random. By default as many as have 50 million probabilities, and
        5,000 at least.
    tests : ManyTests
        Of all nodes and depths together. Draws are outcomes redrawn from p; by default 999.
    progress : callable, optional
        Called with (steps done, steps in all): one a sample whose scores are read, and as many for all redraws.

    Returns
    -------
    Reliability

    Raises
    ------
    PredictionsError
        If there are no scores, no sample has a known truth, or a number is out of range.
    TaxonomyError
        If depths are asked for and the taxonomy is no tree.
    """
    chosen = evaluation.rows if isinstance(evaluation, JudgedAnswers) else None
    if isinstance(evaluation, JudgedAnswers):
        evaluation = evaluation.evaluation
    predictions = evaluation.predictions if isinstance(evaluation, Evaluation) else evaluation
    check_kind("reliability", predictions, Predictions, "Pass Predictions or an Evaluation.")
    taxonomy = predictions.taxonomy
    if not predictions.has_scores:
        raise PredictionsError(f"{predictions.name}: expected scores, got labels, which have no probabilities.")
    judged = np.flatnonzero(predictions.has_truth) if chosen is None else chosen
    if not len(judged):
        raise PredictionsError(
            f"{predictions.name}: expected samples with a known truth, got none. Attach the truth by hierviz.attach_truth."
        )
    for what, value in (("n_bins", n_bins), ("min_samples", min_samples), ("max_samples", max_samples)):
        if value is not None:
            check_whole(what, value, 1)
    check_share("confidence", confidence)
    check_kind("tests", tests, ManyTests, "Pass hierviz.diagnosis.ManyTests(q=...).")
    if nodes is None and depths is None:
        depths = range(1, taxonomy.max_depth + 1)
    listed_nodes = [] if nodes is None else listed_values("nodes", nodes, "node numbers")
    asked = places_of("nodes", listed_nodes, taxonomy.n_nodes, "node number")
    asked_depths = [] if depths is None else listed_values("depths", depths, "depths")
    if asked_depths:
        taxonomy.require_tree("calibration of depths")
        for depth in asked_depths:
            if not is_within(depth, 1, taxonomy.max_depth) or depth != int(depth):
                raise PredictionsError(
                    f"depths: expected depths from 1 to {taxonomy.max_depth}, got {shown(asked_depths)}. Choose among them."
                )
    # What is asked for twice is tested once.
    node_list, depth_list = (
        np.array(list(dict.fromkeys(np.array(some, dtype=np.intp).tolist())), dtype=np.intp)
        for some in (asked, asked_depths)
    )
    rng = np.random.default_rng(tests.seed)
    most = max(LEAST_SAMPLES, MOST_VALUES // taxonomy.n_nodes) if max_samples is None else max_samples
    rows = judged if len(judged) <= most else np.sort(rng.choice(judged, most, replace=False))
    p, best = _probabilities(predictions, rows, node_list, depth_list, progress)
    assert predictions.truth is not None
    relation = TruthRelation(taxonomy, predictions.truth, rows)
    numbers = [*node_list.tolist(), *[-1] * len(depth_list)]
    pairs = []
    for place, node in enumerate(numbers):
        is_event, is_left = relation.of(best[:, place - len(node_list)] if node < 0 else np.full(len(rows), node))
        pairs.append((p[~is_left, place], is_event[~is_left]))

    def done(place):
        if progress:
            progress(len(rows) + place * len(rows) // len(numbers), 2 * len(rows))

    found = judged_pairs(pairs, (n_bins, min_samples), confidence, tests, rng, done)
    return Reliability(
        taxonomy=taxonomy,
        node=np.array(numbers, dtype=np.intp),
        depth=np.concatenate([taxonomy.depth[node_list], depth_list]).astype(np.intp),
        n_left_out=len(rows) - found["n"],
        n_samples=len(judged),
        n_used=len(rows),
        **found,
    )


def _probabilities(predictions, rows, nodes, depths, progress=None):
    """p of some nodes and of the most probable node of some depths, shape (n_rows, n_subjects), and these nodes or -1."""
    taxonomy = predictions.taxonomy
    families = [taxonomy.nodes_at_level(depth) for depth in depths.tolist()]
    p = np.empty((len(rows), len(nodes) + len(depths)))
    best = np.empty((len(rows), len(depths)), dtype=np.intp)
    step = max(1, (1 << 22) // taxonomy.n_nodes)
    for start in range(0, len(rows), step):
        some = slice(start, min(start + step, len(rows)))
        block = predictions.node_probabilities(rows[some])
        p[some, : len(nodes)] = block[:, nodes]
        for place, family in enumerate(families):
            of_family = block[:, family]
            chosen = of_family.argmax(axis=1)
            best[some, place] = family[chosen]
            p[some, len(nodes) + place] = of_family[np.arange(len(chosen)), chosen]
        if predictions.best_outside is not None and len(depths):
            # Their most probable class lies outside the taxonomy, at every depth.
            rows_outside = some.start + np.flatnonzero(predictions.best_outside[rows[some]])
            mass = outside_mass(sum_in_order(block[:, taxonomy.leaves]))[rows_outside - some.start]
            best[rows_outside], p[rows_outside, len(nodes) :] = OUTSIDE, mass[:, None]
        if progress:
            progress(some.stop, 2 * len(rows))
    return p, best
