r"""F-max and S-min, as protein function predictions are compared: sets of terms at a grid of thresholds.

Conventions
-----------
Thresholds are .01, .02, ..., .99, and a term is predicted where its score is >= the threshold. Scores and truth are
propagated to the ancestors (maximum); the root is left out. A term weighs 1 or its information accretion, in bits,

    IA(v) = -log2(n(v) / n(all parents of v)),

with n the number of annotated proteins that have the term, or all of its parents. Precision is the mean over the proteins
with something predicted (of a weight above 0, where terms are weighed), recall, remaining uncertainty ru (weight of what is
missed) and misinformation mi (weight of what is wrong) over all proteins. F-max is the largest F1 of mean precision and mean
recall, its micro form that of summed weights; S-min is the smallest sqrt(ru^2 + mi^2). Means of ru and mi run over the same
proteins at every threshold, so that summing first changes nothing: the micro form of S-min is S-min. Each ontology is judged by
itself: give the taxonomy of one.

Functions
---------
information_accretion, TermCounts, indicator
protein_function, term_counts : of the predictions of one model

References
----------
.. [1] W. Clark, P. Radivojac, Information-theoretic evaluation of predicted ontological annotations, Bioinformatics 2013.
.. [2] N. Zhou et al., The CAFA challenge reports improved protein function prediction, Genome Biology 2019.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError
from hierviz.metrics.node_pairs import harmonic_mean, ratio
from hierviz.metrics.sets.node_sets import highest_below, rows_of, same_length, truth_keys, work_blocks
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import array_of_numbers, check_kind, check_taxonomy, checked_probabilities
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

THRESHOLDS = np.arange(1, 100) / 100
PROTEIN_KEYS = ("f_max", "f_max_micro", "wf_max", "wf_max_micro", "s_min", "s_min_micro")
# What is summed over proteins, by kind of weight and threshold.
SUMS = ("precision", "recall", "covered", "hit", "wrong", "missed")


def information_accretion(taxonomy: Taxonomy, annotations: Any) -> np.ndarray:
    """Information accretion of every term.

    Parameters
    ----------
    taxonomy : Taxonomy
    annotations : ndarray of int, shape (n_proteins,), or NodeLists
        Terms of each annotated protein; ancestors are added. None has to be empty.

    Returns
    -------
    ndarray of float, shape (n_nodes,)
        Bits, at least 0; 0 at the root. nan where no protein has the term: nothing is known about it.

    Raises
    ------
    PredictionsError
        If there is no protein, or a value is no node number.
    """
    check_taxonomy(taxonomy)
    if not len(annotations):
        raise PredictionsError("annotations: expected at least one protein, got none. Is the file complete?")
    n = taxonomy.n_nodes
    keys = truth_keys(taxonomy, annotations)
    row, node = np.divmod(keys, n)
    count = np.bincount(node, minlength=n).astype(float)
    # A term's proteins have all its parents, so that these are counted among the proteins that have any of them.
    lengths, n_proteins = taxonomy.parents.lengths, len(annotations)
    # How many parents of a term each protein has; the root is everyone's.
    row, node = np.append(row, np.arange(n_proteins)), np.append(node, np.zeros(n_proteins, dtype=np.intp))
    below = taxonomy.children.take(node)
    rows, nodes = np.repeat(row, below.lengths), below.nodes
    of_all = np.zeros(n)
    pair, times = np.unique(rows * n + nodes, return_counts=True)
    whole = pair[times == lengths[pair % n]]
    of_all += np.bincount(whole % n, minlength=n)
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(count > 0, np.log2(of_all) - np.log2(count), np.nan)
    bits[0] = 0.0
    return np.maximum(bits, 0.0)


class TermCounts:
    """What is predicted, true and both at every threshold, added up in blocks of proteins.

    Parameters
    ----------
    taxonomy : Taxonomy
        Of one ontology: a tree or a graph.
    accretion : ndarray of float, shape (n_nodes,), optional
        Bits of every term; nan counts 0.
    keep_samples : bool
        Keep what each protein adds, for `TermCounts.weighed`: 5 kB a protein and kind of weight.
    """

    def __init__(self, taxonomy: Taxonomy, accretion: Any = None, *, keep_samples: bool = False):
        check_taxonomy(taxonomy)
        self.taxonomy = taxonomy
        self.weights = [np.ones(taxonomy.n_nodes)]
        if accretion is not None:
            bits = array_of_numbers(accretion, "accretion")
            if bits.shape != (taxonomy.n_nodes,) or (bits < 0).any() or np.isinf(bits).any():
                raise PredictionsError(
                    f"accretion: expected bits of at least 0 for each of the {taxonomy.n_nodes} nodes, got shape {bits.shape}. "
                    "hierviz.metrics.information_accretion gives them."
                )
            self.weights.append(np.nan_to_num(bits))
        for weights in self.weights:
            weights[0] = 0.0
        # Sums over proteins by kind of weight and threshold.
        shape = (len(self.weights), len(THRESHOLDS))
        self.sums = {name: np.zeros(shape) for name in SUMS}
        self.kept: list[dict[str, list[np.ndarray]]] | None = None
        if keep_samples:
            self.kept = [{name: [] for name in SUMS} for _ in self.weights]
        self.n_samples = 0

    def add(self, truth: Any, p: Any) -> None:
        """Add proteins.

        Parameters
        ----------
        truth : ndarray of int, shape (n_rows,), or NodeLists
            True terms; ancestors are added.
        p : ndarray of float, shape (n_rows, n_nodes)
            Scores of all terms; they need not be coherent.

        Raises
        ------
        PredictionsError
            If shapes do not fit, or a truth is not a node number.
        """
        n_nodes = self.taxonomy.n_nodes
        p = checked_probabilities(self.taxonomy, p)
        same_length(truth, p)
        keys = truth_keys(self.taxonomy, truth)
        for rows in work_blocks(len(p), n_nodes):
            here = rows_of(keys, rows.start, rows.stop, n_nodes)
            # How many thresholds a term's score reaches.
            reached = np.searchsorted(THRESHOLDS, highest_below(self.taxonomy, p[rows]), side="right")
            for kind, weights in enumerate(self.weights):
                self._count(kind, weights, reached, here)
        self.n_samples += len(p)

    def _count(self, kind, weights, reached, here):
        n, n_nodes = reached.shape
        n_bins = len(THRESHOLDS) + 1
        row, node = np.divmod(here, n_nodes)

        def at_each(bins, own, of_row):
            """Weight of the terms that reach each threshold, shape (n_rows, n_thresholds)."""
            # Of nothing bincount makes whole numbers.
            sums = np.bincount(of_row * n_bins + bins, own, n * n_bins).reshape(n, n_bins).astype(float)
            return np.cumsum(sums[:, ::-1], axis=1)[:, ::-1][:, 1:]

        every = np.repeat(np.arange(n), n_nodes)
        # Sums of bits in another order differ by rounding, and nothing predicted has to stay nothing.
        claimed = at_each(reached.ravel(), np.tile(weights, n), every)
        counted = at_each(reached.ravel(), np.tile((weights > 0).astype(float), n), every)
        shared = at_each(reached[row, node], weights[node], row)
        due = np.bincount(row, weights[node], n)[:, None]
        n_due = np.bincount(row, weights[node] > 0, n)[:, None]
        n_shared = at_each(reached[row, node], (weights[node] > 0).astype(float), row)
        has_any = counted > 0
        precision = np.divide(shared, claimed, out=np.zeros_like(shared), where=has_any)
        recall = np.divide(shared, due, out=np.zeros_like(shared), where=n_due > 0)
        wrong = np.where(n_shared == counted, 0, claimed - shared)
        missed = np.where(n_shared == n_due, 0, due - shared)
        for name, values in zip(SUMS, (precision, recall, has_any, shared, wrong, missed), strict=True):
            self.sums[name][kind] += values.sum(axis=0)
            if self.kept is not None:
                self.kept[kind][name].append(values)

    def summary(self) -> dict[str, float | None]:
        """The numbers of `PROTEIN_KEYS`; those of information are None without it, and all without a protein.

        Returns
        -------
        dict of str to float or None
            F-max in [0, 1], higher is better; S-min in bits, lower is better.
        """
        found: dict[str, float | None] = dict.fromkeys(PROTEIN_KEYS)
        if self.n_samples:
            for kind in range(len(self.weights)):
                numbers = _numbers(kind, {name: sums[kind] for name, sums in self.sums.items()}, self.n_samples)
                found |= {key: float(value) for key, value in numbers.items()}
        return found

    def weighed(self, counts: np.ndarray, rows: np.ndarray) -> dict[str, np.ndarray]:
        """The numbers of resamples; needs `keep_samples`.

        Parameters
        ----------
        counts : ndarray of float, shape (n_draws, n_rows)
            How often each protein is taken.
        rows : ndarray of int, shape (n_rows,)
            Which proteins these are, in the order in which they were added.

        Returns
        -------
        dict of str to ndarray of float, shape (n_draws,)
        """
        assert self.kept is not None
        found: dict[str, np.ndarray] = {}
        for kind, parts in enumerate(self.kept):
            sums = {name: counts @ np.concatenate(blocks)[rows].astype(float) for name, blocks in parts.items()}
            found |= _numbers(kind, sums, counts.sum(axis=1))
        return found


def _numbers(kind, sums, n):
    """F-max of the plain (0) or weighed (1) terms and its micro form, and of the latter S-min; sums end in thresholds."""
    name = ("f_max", "wf_max")[kind]
    n = np.asarray(n, dtype=float)[..., None]
    mean = ratio(sums["precision"], sums["covered"], 0.0)
    precision = ratio(sums["hit"], sums["hit"] + sums["wrong"], 0.0)
    recall = ratio(sums["hit"], sums["hit"] + sums["missed"], 0.0)
    found = {
        name: harmonic_mean(mean, sums["recall"] / n).max(axis=-1),
        f"{name}_micro": harmonic_mean(precision, recall).max(axis=-1),
    }
    if kind:
        found["s_min"] = np.hypot(sums["missed"] / n, sums["wrong"] / n).min(axis=-1)
        found["s_min_micro"] = found["s_min"]
    return found


def indicator(taxonomy: Taxonomy, lists: NodeLists) -> np.ndarray:
    """Scores of 1 for listed terms and 0 for all others, shape (n_lists, n_nodes); labels outside the taxonomy are left out."""
    p = np.zeros((len(lists), taxonomy.n_nodes))
    known = lists.nodes >= 0
    p[lists.rows[known], lists.nodes[known]] = 1
    return p


def protein_function(
    predictions: Predictions,
    accretion: ArrayLike | None = None,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, float | None]:
    """F-max and S-min of one model on one ontology.

    Parameters
    ----------
    predictions : Predictions
        Scores of terms, or lists of terms, which count as scores of 1; samples without a known truth play no part.
    accretion : array_like of float, shape (n_nodes,), optional
        Information accretion of every term in bits, from `hierviz.metrics.information_accretion` or `hierviz.load_accretion`.
    progress : callable, optional
        Called with (rows done, n_samples).

    Returns
    -------
    dict of str to float or None
        ``f_max``, ``f_max_micro``, ``wf_max``, ``wf_max_micro``, ``s_min``, ``s_min_micro``; the last four are None without
        `accretion`.
    """
    check_kind("predictions", predictions, Predictions, "Pass those of one model.")
    return term_counts(predictions, accretion, progress).summary()


def term_counts(predictions, accretion=None, progress=None, *, judged=None, keep_samples=False):
    """TermCounts of the judged samples, in their order: those with a known truth if not given; else as `protein_function`."""
    counts = TermCounts(predictions.taxonomy, accretion, keep_samples=keep_samples)
    judged = predictions.has_truth if judged is None else judged
    for rows in predictions.blocks():
        known = np.flatnonzero(judged[rows]) + rows.start
        if len(known):
            truth = predictions.truth
            assert truth is not None
            p = (
                indicator(predictions.taxonomy, labels.take(known))
                if (labels := predictions.answer_labels) is not None
                else predictions.node_probabilities(rows)[known - rows.start]
            )
            counts.add(truth.take(known) if isinstance(truth, NodeLists) else truth[known], p)
        if progress:
            progress(rows.stop, predictions.n_samples)
    return counts
