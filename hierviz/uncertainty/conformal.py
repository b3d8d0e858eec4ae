r"""One node for each sample that holds its true class with a stated probability: split conformal prediction on a path.

Conventions
-----------
Of a sample, v0 is its most probable leaf (the lowest of equal ones) and v0, v1, ..., vm the path up to the root. Its truth y is
held by a node that is y or above it. With j(y) the first j whose v_j holds y, the score of a sample is

.. math:: s(y) = p(v_{j(y) - 1}), \quad 0 \text{ where } j(y) = 0

the largest probability that q may have before the answer has to move up to hold y. Over n calibration samples q is the
ceil((n + 1)(1 - alpha))-th smallest score, infinite where there are not so many. The answer is the node above the highest node
of the path with p <= q; v0 where there is none; the root where q is infinite or as large as p of the root. If the calibration
samples and a new one are exchangeable, its answer holds its truth with a probability of at least 1 - alpha [1]_: whatever the
scores of the model, and with ties. This probability is marginal: an average over all samples. A truth at an inner node is held
where the answer is at or above it.

Groups
------
Samples of one group, for example the pictures of one place, are dependent. With G groups q is the smallest t at which the
shares of scores <= t of the groups sum to at least (1 - alpha)(G + 1). The probability is that of one sample of a new group [2]_:
an average over groups, each counting once; a large group may be held less often. Quantiles of pooled groups without the + 1 hold
for many groups only [5]_.

By class
--------
q of the samples whose v0 is in one top class (child of the root), each class by itself: the probability is then at least
1 - alpha among the new samples of each of these. It is the class of the answer and not of the truth, which is not known for a
new sample.

Related work
------------
Mortier et al. [3]_ answer with one inner node, or with the union of a bounded number of nodes, which is smaller; den Hengst et
al. [4]_ choose nodes at different levels by an optimisation that weighs how large they are. Here the answer is one node on the
path of the most probable leaf, so that it is one name that is read off the tree, and one number, q, is all that is calibrated.

Functions
---------
conformal_nodes, ConformalNodes, conformal_scores, conformal_quantile, group_quantile, nodes_at, rank_of_quantile, fewest_units

References
----------
.. [1] V. Vovk, A. Gammerman, G. Shafer, Algorithmic learning in a random world, 2005 (inductive conformal prediction).
.. [2] Y. Lee, R. F. Barber, R. Willett, Distribution-free inference with hierarchical data, 2023, arXiv 2306.06342.
.. [3] T. Mortier et al., Conformal prediction in hierarchical classification with constrained representation complexity, 2025,
   arXiv 2501.19038.
.. [4] F. den Hengst et al., Hierarchical conformal classification, 2025, arXiv 2508.13288.
.. [5] R. Dunn, L. Wasserman, A. Ramdas, Distribution-free prediction sets for two-layer hierarchical models, JASA 2023.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.inference.leaf_paths import LeafPaths, as_leaf_paths
from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import percent_text
from hierviz.metrics.path import check_nodes
from hierviz.metrics.ties import at_least
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_share, one_truth_each
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.resamples import FEWEST, group_numbers, split_samples
from hierviz.uncertainty.risk_bounds import wilson

# Sums of shares differ by rounding.
_NEAR = 1e-9


@dataclass(frozen=True, eq=False)
class ConformalNodes(Short):
    """Nodes that hold the true classes of new samples with a stated probability.

    Attributes
    ----------
    taxonomy : Taxonomy
    alpha : float
        A new answer holds its truth with a probability of at least 1 - alpha.
    rows : ndarray of int, shape (n_new,)
        Which of the samples are new, ascending: those that are not used for calibration, nor in a group that is.
    nodes : ndarray of int, shape (n_new,)
        The answer to each of them.
    classes : ndarray of int, shape (n_classes,), or None
        Top classes that have a q of their own, ascending; None where there is one q.
    q : ndarray of float, shape (n_classes,) or (1,)
        Infinite where there are too few calibration samples.
    n_calibration : ndarray of int, shape of `q`
        Samples, or groups, that each q is of.
    unit : str
        'sample' or 'group': what `n_calibration` counts.
    n_check : int
        New samples, or their groups, whose truth is known.
    held : float or None
        Share of these samples whose answer holds the truth, each group counting once; None without one.
    outcomes : dict of str to float, or None
        Shares of these samples by key of `hierviz.metrics.outcomes.OUTCOMES`, each sample counting once: the answer is the
        truth, an ancestor of it, the root, or does not hold it (``wrong``).
    fraction, seed : float and int, or None
        Of a random split.
    unit_of : ndarray of int, shape (n_new,), or None
        Number of the group of each new sample; None where each sample counts.
    """

    _printed = ("alpha", "q", "held")

    taxonomy: Taxonomy
    alpha: float
    rows: np.ndarray
    nodes: np.ndarray
    classes: np.ndarray | None
    q: np.ndarray
    n_calibration: np.ndarray
    unit: str
    n_check: int
    held: float | None
    outcomes: dict[str, float] | None = None
    fraction: float | None = None
    seed: int | None = None
    unit_of: np.ndarray | None = None

    @property
    def n_needed(self) -> int:
        """Calibration samples, or groups, from which q is finite."""
        return fewest_units(self.alpha)

    @property
    def promised(self) -> str:
        """1 - alpha as a percentage."""
        return f"{100 * (1 - self.alpha):.4g} %"

    @property
    def root_share(self) -> float | None:
        """Share of the new answers that are the root, and say nothing; None without a new sample."""
        return float((self.nodes == 0).mean()) if len(self.nodes) else None

    @property
    def leaf_share(self) -> float | None:
        """Share of the new answers that are a leaf; None without a new sample."""
        return float(self.taxonomy.is_leaf[self.nodes].mean()) if len(self.nodes) else None

    @property
    def mean_information(self) -> float | None:
        """Mean information of the new answers in bits; None without a new sample."""
        return float(self.taxonomy.information[self.nodes].mean()) if len(self.nodes) else None

    @property
    def mean_depth(self) -> float | None:
        """Mean depth of the new answers in edges; None without a new sample."""
        return float(self.taxonomy.depth[self.nodes].mean()) if len(self.nodes) else None

    @property
    def sentence(self) -> str:
        """What the answers promise, or why they are all the root, in one sentence."""
        who, share = "sample of a new group" if self.unit == "group" else "sample", self.promised
        promise = f"with a probability of at least {share} the true class of a new {who} is its answer or below it"
        if np.isinf(self.q).all():
            return (
                f"All answers are the root: {share} needs at least {self.n_needed:,} calibration {self.unit}s"
                f"{' in a top class' if self.classes is not None else ''}, and there are {self.n_calibration.max(initial=0):,}."
            )
        if self.classes is None:
            over = "groups, each counting once, and over classes" if self.unit == "group" else "all samples and classes"
            return f"{promise[0].upper()}{promise[1:]}; this is marginal, an average over {over}."
        few = np.isinf(self.q)
        said = (
            f"Within each top class of the most probable leaf, {promise}; this is marginal, an average over the samples of "
            "that class."
        )
        if not few.any():
            return said
        names = listed([self.taxonomy.title(int(node)) for node in self.classes[few]])
        return f"{said} Too few for an answer below the root ({self.n_needed:,} are needed): {names}."

    @property
    def checked(self) -> str:
        """What `n_check` counts: held-out samples, or groups, of a random split, else new ones."""
        return f"{'new' if self.fraction is None else 'held-out'} {self.unit}s"

    @property
    def held_interval(self) -> tuple[float, float] | None:
        """95 % interval of `held` (Wilson), in [0, 1]; None of groups, whose samples are dependent, and of few samples."""
        if self.held is None or self.unit == "group" or self.n_check < FEWEST:
            return None
        low, high = wilson(round(self.held * self.n_check), self.n_check)
        return float(low), float(high)

    @property
    def shortfall(self) -> str | None:
        """That the true class is held less often than promised, and whether clearly so, in words; None where it is not."""
        if self.held is None or at_least(self.held, 1 - self.alpha):
            return None
        said, clearly, interval = percent_text(self.held, 1), "", self.held_interval
        if interval is not None:
            low, high = (percent_text(end, 1) for end in interval)
            said = f"{said}, 95 % interval [{low}, {high}],"
            clearly = "not clearly " if at_least(interval[1], 1 - self.alpha) else "clearly "
        return (
            f"The true class is held in {said} of the {self.n_check:,} {self.checked}: {clearly}less often than the promised "
            f"{self.promised}. The share varies with the {'calibration samples' if self.fraction is None else 'split'}: the "
            "probability is an average over calibration parts and new samples."
        )

    @property
    def assumption(self) -> str:
        """The assumption of the promise, in one sentence."""
        if self.unit == "group":
            return (
                "Assumption: new and calibration groups are exchangeable, as when drawn at random from one population; "
                "samples of one group may be dependent."
            )
        return (
            "Assumption: new and calibration samples are exchangeable, as when drawn at random from one population, and the "
            "model was not trained or tuned on them."
        )

    def to_json(self) -> dict[str, Any]:
        """As the JSON of `hierviz evaluate` has it: plain values, infinite ones as text."""
        q = ["Infinity" if math.isinf(value) else value for value in self.q.tolist()]
        numbers = self.n_calibration.tolist()
        found = {"alpha": self.alpha, "unit": self.unit, "n_needed": self.n_needed}
        if self.classes is None:
            found |= {"q": q[0], "n_calibration": numbers[0]}
        else:
            names = [self.taxonomy.names[node] for node in self.classes.tolist()]
            found |= {"q": dict(zip(names, q)), "n_calibration": dict(zip(names, numbers))}
        found |= {"n_new": len(self.nodes), "n_check": self.n_check}
        numbers_of = ("held", "outcomes", "root_share", "leaf_share", "mean_information", "mean_depth")
        found |= {key: getattr(self, key) for key in numbers_of}
        return found | {key: getattr(self, key) for key in ("fraction", "seed", "sentence", "assumption")}


def conformal_nodes(
    taxonomy: Taxonomy,
    truth: ArrayLike,
    p: ArrayLike | Predictions | LeafPaths,
    alpha: float = 0.1,
    *,
    calibration: float | ArrayLike = 0.5,
    seed: int = 0,
    groups: ArrayLike | None = None,
    by_class: bool = False,
) -> ConformalNodes:
    """Answer each new sample with one node that holds its true class with a probability of at least 1 - alpha.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree: in a graph a leaf has several paths to the root.
    truth : ndarray of int, shape (n_samples,)
        One true node a sample, leaf or inner; -1 where it is not known, which calibration samples cannot have.
    p : ndarray of float, shape (n_samples, n_nodes), Predictions, or LeafPaths
    alpha : float
        In (0, 1).
    calibration : float or array_like of bool, shape (n_samples,)
        A share in (0, 1) of the samples with a known truth, or of their groups, drawn at random; or which samples are for
        calibration. All others are new.
    seed : int
        Of the random draw.
    groups : array_like, shape (n_samples,), optional
        Group of each sample: no group is on both sides, and the probability is about one sample of a new group.
    by_class : bool
        A q for each top class of the most probable leaf. Not with groups.

    Returns
    -------
    ConformalNodes

    Raises
    ------
    PredictionsError
        If lengths differ, an argument is out of range, a calibration sample has no truth, or a group is on both sides.
    TaxonomyError
        If the taxonomy is not a tree.

    Examples
    --------
    >>> import numpy as np
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> p = np.array([[1, 0.8, 0.5, 0.3, 0.2]] * 4)
    >>> truth = taxonomy.nodes("cat", "dog", "cat", "cat")
    >>> found = conformal_nodes(taxonomy, truth, p, 0.25, calibration=[True, True, True, False])
    >>> found.q.tolist(), taxonomy.names[found.nodes[0]]
    ([0.5], 'mammal')
    """
    check_share("alpha", alpha)
    paths, nodes = as_leaf_paths(taxonomy, p), one_truth_each(truth, "the probabilities")
    if len(nodes) != paths.n_samples:
        raise PredictionsError(
            f"truth: expected one node for each of the {paths.n_samples} samples, got {len(nodes)}. Align them."
        )
    check_nodes(taxonomy, "truth", nodes[nodes != -1])
    if by_class and groups is not None:
        raise PredictionsError("by_class: expected no groups with it, got both. Leave one of them out.")
    unit_of = None if groups is None else group_numbers(groups, len(nodes))
    first, drawn = _parts(nodes, calibration, seed, unit_of)
    is_first = np.zeros(len(nodes), dtype=bool)
    is_first[first] = True
    # Of a calibration group no sample is new, of which one may have no truth.
    rows = np.flatnonzero(~is_first if unit_of is None else ~np.isin(unit_of, unit_of[first]))
    scores = conformal_scores(taxonomy, nodes[first], paths.take(first))
    new, classes = paths.take(rows), None
    if by_class:
        classes, q, n_units = _quantiles_by_class(paths.top_classes, first, scores, alpha)
        q_of = q[np.searchsorted(classes, new.top_classes)]
    elif unit_of is None:
        n_units = np.array([len(first)])
        q = q_of = np.atleast_1d(conformal_quantile(scores, alpha))
    else:
        n_units = np.array([len(np.unique(unit_of[first]))])
        q = q_of = np.array([group_quantile(scores, unit_of[first], alpha)])
    answers = nodes_at(new, q_of)
    new_units = None if unit_of is None else unit_of[rows]
    n_check, held, outcomes = _checked(taxonomy, nodes[rows], answers, new_units)
    unit = "sample" if unit_of is None else "group"
    fraction, at_seed = drawn or (None, None)
    return ConformalNodes(
        taxonomy,
        float(alpha),
        rows,
        answers,
        classes,
        q,
        n_units,
        unit,
        n_check,
        held,
        outcomes,
        fraction,
        at_seed,
        new_units,
    )


def conformal_scores(taxonomy: Taxonomy, truth: np.ndarray, paths: LeafPaths) -> np.ndarray:
    """The score s(y) of each sample: probability of the last node below those of its path that hold the truth.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
    paths : LeafPaths

    Returns
    -------
    ndarray of float, shape (n_samples,)
        0 where the most probable leaf holds the truth.
    """
    leaves = paths.leaves
    # Of the path of v0, the nodes that hold the truth are those from the lowest common ancestor up.
    lowest = lowest_common_ancestors(taxonomy, truth, leaves)
    is_leaf = lowest == leaves
    below = paths.paths.offsets[:-1] + taxonomy.depth[lowest] + np.where(is_leaf, 0, 1)
    return np.where(is_leaf, 0.0, paths.p[below]) if len(leaves) else np.empty(0)


def rank_of_quantile(n: int, alpha: float) -> int:
    """ceil((n + 1)(1 - alpha)), of alpha as it is written: .07 is seven hundredths."""
    return math.ceil((n + 1) * (1 - Fraction(repr(float(alpha)))))


def fewest_units(alpha: float) -> int:
    """Calibration samples, or groups, from which q is finite: ceil(1 / alpha) - 1."""
    return math.ceil(1 / Fraction(repr(float(alpha)))) - 1


def conformal_quantile(scores: np.ndarray, alpha: float) -> Any:
    """The ceil((n + 1)(1 - alpha))-th smallest of n scores, infinite where that exceeds n.

    Parameters
    ----------
    scores : ndarray of float, shape (..., n)
        Several sets of scores at once, one in each row.
    alpha : float

    Returns
    -------
    float, or ndarray of float, shape (...)
    """
    n = scores.shape[-1]
    rank = rank_of_quantile(n, alpha)
    if rank > n:
        return np.full(scores.shape[:-1], np.inf)[()]
    return np.partition(scores, rank - 1, axis=-1)[..., rank - 1]


def group_quantile(scores: np.ndarray, group_of: np.ndarray, alpha: float) -> float:
    """The smallest t at which the shares of scores <= t of G groups sum to at least (1 - alpha)(G + 1); infinite without one.

    Parameters
    ----------
    scores : ndarray of float, shape (n,)
    group_of : ndarray of int, shape (n,)
        Group of each.
    alpha : float
    """
    _, group, size = np.unique(group_of, return_inverse=True, return_counts=True)
    order = np.argsort(scores, kind="stable")
    reached = np.cumsum(1 / size[group[order]]) >= float(1 - Fraction(repr(float(alpha)))) * (len(size) + 1) - _NEAR
    return float(scores[order][np.argmax(reached)]) if reached.any() else math.inf


def nodes_at(paths: LeafPaths, q: ArrayLike) -> np.ndarray:
    """The node above the highest node of each path with p <= q.

    Parameters
    ----------
    paths : LeafPaths
    q : float, or ndarray of float, shape (n_samples,)

    Returns
    -------
    ndarray of int, shape (n_samples,)
        The leaf where no node of the path has p <= q, the root where the root has it.
    """
    offsets, n = paths.paths.offsets, paths.n_samples
    if not n:
        return np.empty(0, dtype=np.intp)
    bound = np.repeat(np.broadcast_to(np.asarray(q, dtype=float), n), paths.paths.lengths)
    # Paths run from the root down: the first such place, or that beyond the end.
    ends = np.repeat(offsets[1:], paths.paths.lengths)
    highest = np.minimum.reduceat(np.where(paths.p <= bound, np.arange(len(bound)), ends), offsets[:-1])
    return paths.paths.nodes[np.maximum(highest - 1, offsets[:-1])].astype(np.intp)


def _parts(truth, calibration, seed, unit_of):
    """Rows of the calibration samples; and (fraction, seed) where they were drawn."""
    if isinstance(calibration, (float, np.floating)):
        known = np.flatnonzero(truth != -1)
        groups = None if unit_of is None else unit_of[known]
        return known[split_samples(len(known), calibration, seed=seed, groups=groups)[0]], (float(calibration), seed)
    chosen = np.asarray(calibration)
    if chosen.dtype != bool or chosen.shape != truth.shape:
        raise PredictionsError(
            f"calibration: expected a share between 0 and 1, or true or false for each of the {len(truth)} samples, got "
            f"{chosen.dtype} of shape {chosen.shape}. Pass one of them."
        )
    without = np.flatnonzero(chosen & (truth == -1))
    if len(without):
        raise PredictionsError(
            f"calibration: expected samples with a known truth, got none in rows {listed(without)}. Leave them out."
        )
    if unit_of is not None:
        both = np.intersect1d(unit_of[chosen], unit_of[~chosen])
        if len(both):
            raise PredictionsError(
                f"calibration: expected whole groups, got {len(both)} with samples on both sides. Move them to one side."
            )
    return np.flatnonzero(chosen), None


def _quantiles_by_class(top_classes, first, scores, alpha):
    """Top classes of all samples, and q and number of calibration samples of each."""
    classes, of_sample = np.unique(top_classes, return_inverse=True)
    number = of_sample[first]
    n_samples = np.bincount(number, minlength=len(classes))
    sizes, of_class = np.unique(n_samples, return_inverse=True)
    rank = np.array([rank_of_quantile(n, alpha) for n in sizes.tolist()], dtype=np.intp)[of_class]
    ordered = scores[np.lexsort((scores, number))]
    start = np.cumsum(n_samples) - n_samples
    is_finite = rank <= n_samples
    q = np.full(len(classes), np.inf)
    q[is_finite] = ordered[(start + rank - 1)[is_finite]]
    return classes, q, n_samples


def _checked(taxonomy, truth, answers, unit_of):
    """Samples or groups with a known truth, share of them whose answer holds it, and shares by outcome; None of none."""
    known = truth != -1
    if not known.any():
        return 0, None, None
    truth, answers = truth[known], answers[known]
    holds = lowest_common_ancestors(taxonomy, truth, answers) == answers
    is_exact, is_root = answers == truth, answers == 0
    kinds = {
        "exact": is_exact,
        "coarse": holds & ~is_exact & ~is_root,
        "no_answer": is_root & ~is_exact,
        "wrong": ~holds,
    }
    outcomes = {key: float(of.mean()) for key, of in kinds.items()}
    if unit_of is None:
        return len(truth), float(holds.mean()), outcomes
    _, group, size = np.unique(unit_of[known], return_inverse=True, return_counts=True)
    return len(size), float(np.mean(np.bincount(group, holds) / size)), outcomes
