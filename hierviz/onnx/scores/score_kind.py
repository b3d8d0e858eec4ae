"""What kind of numbers a model gives: raw scores, probabilities of one sort or another, or their logarithms.

Conventions
-----------
Scores have shape (n_samples, n_scores); column j belongs to node ``nodes[j]``, or to none of the taxonomy (a class for
the background) where that is -1. All rows are checked, in blocks. Sums count as 1 within `SUM_TOLERANCE`, as in
prediction files.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.messages.errors import ModelError, listed
from hierviz.messages.number_text import percent_text
from hierviz.predictions.parametrisation import SUM_TOLERANCE
from hierviz.predictions.predictions import BLOCK_VALUES

KINDS = {
    "logits": "raw scores, neither probabilities nor their logarithms",
    "log_probabilities": "logarithms of probabilities that sum to 1 over all columns",
    "probabilities": "probabilities that sum to 1 over all columns",
    "independent": "independent probabilities, one for each column",
    "conditional": "independent conditional probabilities, one for each node given its parent",
    "siblings": "probabilities that sum to 1 over the children of each node",
    "levels": "probabilities that sum to 1 over the nodes of each depth",
    "percentages": "percentages, or shares of another fixed total",
}
# Rounding may take a float32 softmax this far out of [0, 1].
ROUNDING = 1e-5
# A share of (row, node) pairs that must keep to the tree before scores count as the nodes' own probabilities.
NEARLY_ALL = 0.999
# Fewer rows may keep to the tree by chance.
ENOUGH_ROWS = 10
_NEAR_ONE = 0.05


@dataclass(frozen=True)
class ScoreKind:
    """What kind of numbers the scores look like.

    Parameters
    ----------
    kind : str
        Key of `KINDS`.
    columns : {"leaves", "nodes", "all", "other"}
        Which nodes have a column: the leaves, all but the root, all, or another selection.
    why : str
        One plain sentence.
    low, high : float
        Smallest and largest score.
    n_scores : int
        Number of columns.
    is_certain : bool
        False when the scores fit another kind as well, so that it has to be declared.
    is_log : bool
        True when the scores are the logarithms of such numbers.
    is_coherent : bool
        True when no child is above its parent and no children sum to more than it, nearly everywhere.
    sums : (float, float)
        Smallest and largest sum of a row (of its exponentials when `is_log`).
    """

    kind: str
    columns: str
    why: str
    low: float
    high: float
    n_scores: int
    is_certain: bool = True
    is_log: bool = False
    is_coherent: bool = False
    sums: tuple = (0.0, 0.0)

    @property
    def in_range(self):
        """True when every score is in [0, 1], but for rounding."""
        return self.low >= -ROUNDING and self.high <= 1 + ROUNDING


def columns_of(taxonomy, nodes):
    """Which nodes have a column: "leaves", "nodes" (all but the root), "all" or "other"."""
    there = np.zeros(taxonomy.n_nodes, dtype=bool)
    there[nodes[nodes >= 0]] = True
    if np.array_equal(there, taxonomy.is_leaf):
        return "leaves"
    return ("all" if there[0] else "nodes") if there[1:].all() else "other"


def find_kind(scores, taxonomy, nodes, *, where="scores", ids=None):
    """Detect the kind of scores from all rows.

    Parameters
    ----------
    scores : ndarray, shape (n_samples, n_scores)
    taxonomy : Taxonomy
    nodes : ndarray of int, shape (n_scores,)
        Node of each column, -1 for a column of no node.
    where : str
        What errors call the scores.
    ids : sequence of str, optional
        What errors call the rows, instead of their numbers.

    Returns
    -------
    ScoreKind

    Raises
    ------
    ModelError
        If a score is not finite; names the rows.

    Notes
    -----
    In this order: all in [0, 1] and rows, children of each node, or nodes of each depth sum to 1; all in [0, 1] otherwise;
    the same for the exponentials of scores that are nowhere above 0; not negative with one sum for all rows; else raw
    scores. "conditional" is never detected, only declared: the numbers do not show it. Rows in [0, 1] on the leaves that miss
    a sum of 1 by little may be rounded: `is_certain` is False.
    """
    nodes = np.asarray(nodes, dtype=np.intp)
    _require_finite(scores, where, ids)
    columns = columns_of(taxonomy, nodes)
    low, high = float(scores.min()), float(scores.max())
    of = {"columns": columns, "low": low, "high": high, "n_scores": scores.shape[1]}
    if low >= -ROUNDING and high <= 1 + ROUNDING:
        return _of_probabilities(_Sums.from_scores(scores, taxonomy, nodes, columns), scores, of)
    if high <= ROUNDING:
        sums = _Sums.from_scores(scores, taxonomy, nodes, columns, is_log=True)
        detected = _of_probabilities(sums, None, of | {"is_log": True})
        if detected.kind != "independent":
            return detected
    elif low >= 0:
        total = _Sums.from_scores(scores, taxonomy, nodes, "other").rows
        places = _decimals(scores)
        slack = 0.2 if places is None else min(10, max(0.2, scores.shape[1] * 0.5 * 10.0**-places))
        is_fixed = len(scores) > 1 and total[1] - total[0] <= SUM_TOLERANCE * total[1]
        if max(abs(sum_ - 100) for sum_ in total) <= slack or is_fixed:
            why = f"no score is negative and every row sums to {_span(total)}: percentages, or shares of another total?"
            return ScoreKind("percentages", why=why, **of, is_certain=False, sums=total)
    why = f"the scores range from {low:.4g} to {high:.4g} and the rows have no constant sum: raw scores"
    return ScoreKind("logits", why=why, **of)


def _of_probabilities(sums, scores, of):
    """The kind of numbers in [0, 1], or of logarithms whose exponentials are; `scores` to look for rounding."""
    said = "the exponentials of the scores are" if of.get("is_log") else "all scores are"
    start = f"{said} in 0..1 and "
    rest = {**of, "is_coherent": sums.coherent >= NEARLY_ALL, "sums": sums.rows}
    whole = "log_probabilities" if of.get("is_log") else "probabilities"
    if sums.is_near(sums.rows):
        # In a small tree the nodes' own probabilities may happen to sum to 1.
        return ScoreKind(whole, why=f"{start}every row sums to 1", **rest, is_certain=not rest["is_coherent"])
    is_siblings, is_levels = sums.is_near(sums.families), sums.is_near(sums.levels)
    if is_siblings or is_levels:
        kind = "siblings" if is_siblings else "levels"
        what = "the children of each node sum to 1" if is_siblings else "the nodes of each depth sum to 1"
        if is_siblings and is_levels:
            what = "both the children of each node and the nodes of each depth sum to 1, which cannot be distinguished here"
        return ScoreKind(kind, why=start + what, **rest, is_certain=is_siblings != is_levels)
    if of["columns"] == "leaves":
        places = None if scores is None else _decimals(scores)
        slack = _NEAR_ONE if not places else min(0.5, max(_NEAR_ONE, sums.n_scores * 0.5 * 10.0**-places))
        if sums.is_near(sums.rows, slack):
            to = f" to {places} decimals" if places else ""
            why = f"{start}the rows sum to {_span(sums.rows)}: probabilities rounded{to}?"
            return ScoreKind(whole, why=why, **rest, is_certain=False)
        why = f"{start}the rows sum to {_span(sums.rows)}, not to 1"
        return ScoreKind("independent", why=why, **rest, is_certain=False)
    if rest["is_coherent"]:
        why = f"{start}no child is more probable than its parent: the probability of each node"
        if sums.n_rows < ENOUGH_ROWS:
            why += f"; but {sums.n_rows} rows are few: it may be the probability given the parent"
        return ScoreKind("independent", why=why, **rest, is_certain=sums.n_rows >= ENOUGH_ROWS)
    if sums.coherent < 0:
        why = f"{start}the rows sum to {_span(sums.rows)}, not to 1"
    else:
        why = (
            f"{start}neither rows, children nor depths sum to 1, and {percent_text(1 - sums.coherent, 1)} of the children are "
            "more probable than their parent or sum to more than it: the probability of each node, or that given its parent"
        )
    return ScoreKind("independent", why=why, **rest, is_certain=False)


@dataclass(frozen=True)
class _Sums:
    """Smallest and largest sums of all rows, of the children of each node and of the nodes of each depth."""

    n_rows: int
    n_scores: int
    rows: tuple
    families: tuple | None
    levels: tuple | None
    coherent: float  # share of (row, node) pairs; -1 where nothing can be said

    @classmethod
    def from_scores(cls, scores, taxonomy, nodes, columns, is_log=False):
        with_tree = columns in ("nodes", "all") and taxonomy.is_tree
        place = np.full(taxonomy.n_nodes, -1)
        place[nodes[nodes >= 0]] = np.flatnonzero(nodes >= 0)
        groups = []
        for of in (taxonomy.parent, taxonomy.depth) if with_tree else ():
            order = np.argsort(of[1:], kind="stable") + 1
            groups.append((order, np.flatnonzero(np.diff(of[order], prepend=-1))))
        spans, n_coherent, n_pairs = [[] for _ in ("rows", *groups)], 0, 0
        step = max(1, BLOCK_VALUES // scores.shape[1])
        for first in range(0, len(scores), step):
            block = np.asarray(scores[first : first + step], dtype=np.float64)
            block = np.exp(block) if is_log else block
            sums = [np.add.reduceat(block[:, place[order]], start, axis=1) for order, start in groups]
            for span, some in zip(spans, (block.sum(axis=1), *sums), strict=True):
                span += [float(some.min()), float(some.max())]
            if with_tree:
                order, start = groups[0]
                above = taxonomy.parent[order][start]
                # Rounding is granted to both sides of a comparison.
                most = np.where(above > 0, block[:, place[above]], 1) + SUM_TOLERANCE
                n_coherent += int((sums[0] <= most).sum())
                n_pairs += most.size
        rows, families, levels = (*((min(span), max(span)) for span in spans), None, None)[:3]
        coherent = n_coherent / n_pairs if n_pairs else -1
        return cls(len(scores), scores.shape[1], rows, families, levels, coherent)

    @staticmethod
    def is_near(span, tolerance=SUM_TOLERANCE):
        """True when all sums are 1 within `tolerance`."""
        return span is not None and max(abs(bound - 1) for bound in span) <= tolerance


def _span(span):
    """A range of sums in words."""
    low, high = (f"{bound:.3g}" for bound in span)
    return low if low == high else f"{low} to {high}"


def _decimals(scores):
    """Fewest decimals, 0 to 4, that write all scores; None when it takes more. Looks at a thousand rows."""
    some = np.asarray(scores[:1000], dtype=np.float64)
    for places in range(5):
        scaled = some * 10.0**places
        if (np.abs(scaled - np.round(scaled)) <= 1e-3 * np.maximum(1, np.abs(some))).all():
            return places
    return None


def _require_finite(scores, where, ids):
    step = max(1, BLOCK_VALUES // scores.shape[1])
    blocks = (scores[first : first + step] for first in range(0, len(scores), step))
    bad = np.flatnonzero(np.concatenate([~np.isfinite(block).all(axis=1) for block in blocks]))
    if len(bad):
        named = listed([str(row) if ids is None else str(ids[row]) for row in bad])
        raise ModelError(
            f"{where}: expected finite scores, got NaN or infinity in {len(bad)} of {len(scores)} rows ({named}). "
            "Check these inputs (missing numbers?), their scaling and the model's weights."
        )
