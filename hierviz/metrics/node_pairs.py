r"""Values of one answer against one truth, sample by sample: the path metrics.

Conventions
-----------
Each function takes `NodePairs` and returns an array of shape (n_samples,). With a value v, bits of information or depth in
edges,

    shared = v(lca),  claimed = v(predicted),  due = v(truth).

0/0 is 1: predicting the root claims nothing and is not wrong. An answer outside the taxonomy (-1) is one claimed leaf below the
root that is never true, with the bits of a leaf and one edge: precision and recall are 0.

To add one, write a function of `NodePairs` here, its attributes in `PATH_METRICS`, and its text in ``metrics.md``: it is then in
the evaluation, the tables, the axes and goals of the operating curves and `docs/metrics.md`.

Functions
---------
exact, correct, no_answer, selective_coverage; precision, recall, f1 and distance are those of the `PathValues` of information or
depth; with_outside, truncated

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
.. [2] S. Goren, I. Galil, R. El-Yaniv, Hierarchical selective classification, NeurIPS 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

import numpy as np

from hierviz.messages.notebook_html import Short
from hierviz.metrics.outcomes import is_no_answer
from hierviz.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class PathValues(Short):
    """One value of the three nodes of each sample, arrays of float, shape (n_samples,).

    `is_outside`, if there are any, are the samples whose answer lies outside the taxonomy, shape (n_samples,) of bool.
    """

    shared: np.ndarray
    claimed: np.ndarray
    due: np.ndarray
    is_outside: np.ndarray | None = None

    @cached_property
    def precision(self):
        """shared / claimed."""
        return self._inside(ratio(self.shared, self.claimed))

    @cached_property
    def recall(self):
        """shared / due."""
        return self._inside(ratio(self.shared, self.due))

    def _inside(self, values):
        return values if self.is_outside is None else np.where(self.is_outside, 0.0, values)

    @property
    def f1(self):
        """Harmonic mean of precision and recall."""
        return harmonic_mean(self.precision, self.recall)

    @property
    def distance(self):
        """From the answer up to the common ancestor and down to the truth."""
        return self.excess + self.deficient

    @property
    def excess(self):
        """claimed - shared."""
        return self.claimed - self.shared

    @property
    def deficient(self):
        """due - shared."""
        return self.due - self.shared


@dataclass(frozen=True, eq=False)
class NodePairs(Short):
    """The true and the predicted node of each sample, and their lowest common ancestor.

    Attributes
    ----------
    taxonomy : Taxonomy
        A tree.
    truth, predicted, common : ndarray of int, shape (n_samples,)
        -1 in `predicted` is an answer outside the taxonomy.
    answered : ndarray of int, shape (n_samples,)
        The answer before it was truncated at the truth.
    """

    taxonomy: Taxonomy
    truth: np.ndarray
    predicted: np.ndarray
    common: np.ndarray
    answered: np.ndarray

    @cached_property
    def information(self):
        """PathValues in bits."""
        return self.values_of(self.taxonomy.information, np.log2(self.taxonomy.n_leaves))

    @cached_property
    def depth(self):
        """PathValues in edges."""
        return self.values_of(self.taxonomy.depth.astype(float), 1.0)

    @cached_property
    def is_outside(self):
        """Which answers lie outside the taxonomy, shape (n_samples,) of bool; None where none does."""
        found = self.predicted < 0
        return found if found.any() else None

    def values_of(self, value, outside):
        """PathValues of any number of every node, ndarray of float, shape (n_nodes,), and of an answer `outside` (float)."""
        claimed = with_outside(value, outside)[self.predicted]
        return PathValues(value[self.common], claimed, value[self.truth], self.is_outside)


def exact(pairs):
    """1 where the answer is the truth, else 0."""
    return (pairs.predicted == pairs.truth).astype(float)


def correct(pairs):
    """1 where the answer is the truth or one lies above the other, else 0."""
    is_on_path = (pairs.common == pairs.predicted) | (pairs.common == pairs.truth)
    return (is_on_path & (pairs.predicted >= 0)).astype(float)


def no_answer(pairs):
    """1 where the answer is the root and the truth is not, else 0."""
    return is_no_answer(pairs.truth, pairs.predicted).astype(float)


def selective_coverage(pairs):
    """Bits of the answer, before it is truncated at the truth, over those of a leaf [2]_; 1 where the taxonomy has one leaf."""
    most = np.log2(pairs.taxonomy.n_leaves)
    return ratio(with_outside(pairs.taxonomy.information, most)[pairs.answered], most)


def _by(counts, prefix, unit, wrong, missing):
    """Precision, recall, F1 and distance by information or by depth."""

    def of(name, brief, **more):
        return {"function": attrgetter(f"{counts}.{name}"), "counts": counts, "brief": brief} | more

    return {
        f"{prefix}_precision": of("precision", "Prec.", loss=f"wrong {wrong}", is_best_at_root=True),
        f"{prefix}_recall": of("recall", "Recall", loss=f"missing {missing}"),
        f"{prefix}_f1": of("f1", "F1"),
        f"{prefix}_dist": of("distance", "Dist.", range=(0.0, float("inf")), better="lower", unit=unit),
    }


# Attributes of each metric of one answer against one truth, for `hierviz.metrics.entry.PathMetric`.
PATH_METRICS = {
    "exact": {"function": exact, "brief": "Exact", "loss": "answers that are not exact", "is_binary": True},
    "correct": {"function": correct, "brief": "Corr.", "loss": "wrong answers", "is_binary": True}
    | {"is_best_at_root": True},
    "no_answer": {"function": no_answer, "brief": "No ans.", "better": "lower", "is_binary": True},
    **_by("information", "info", "bits", "information (1 − precision)", "information (1 − recall)"),
    **_by("depth", "depth", "edges", "depth (1 − precision by depth)", "depth (1 − recall by depth)"),
    "selective_coverage": {"function": selective_coverage, "brief": "Cov.", "counts": "answers"},
}


def with_outside(values, outside):
    """Values of all nodes, with that of an answer outside the taxonomy at the end, where -1 finds it; shape (n_nodes + 1,)."""
    return np.append(values, outside)


def truncated(truth, predicted, common):
    """Answers, those below the truth being the truth; what lies outside the taxonomy is below no truth."""
    return np.where((common == truth) & (predicted >= 0), truth, predicted)


def ratio(part, whole, empty=1.0):
    """part / whole, `empty` where whole is 0."""
    whole = np.asarray(whole, dtype=float)
    return np.divide(part, whole, out=np.full(np.broadcast(part, whole).shape, float(empty)), where=whole != 0)


def harmonic_mean(precision, recall):
    """2PR / (P + R), 0 where both are 0."""
    return ratio(2 * precision * recall, np.asarray(precision + recall), empty=0.0)
