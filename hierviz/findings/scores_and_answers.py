"""Scores that cannot be probabilities, what the answers to them are, and answers that look wrong as a whole.

Scores are looked at in one pass over blocks of rows. Answers look wrong that are constant, worse than a constant, of exchanged
columns, or of some classes never.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hierviz.findings.finding import counted, some
from hierviz.onnx.class_order import are_right
from hierviz.predictions.exchanged_columns import (
    CLEARLY,
    LEAST_OF_CLASS,
    LEAST_SAMPLES,
    exchanged,
    exchanged_words,
    luck_of_many,
    luck_words,
)
from hierviz.predictions.listed_scores import ListedScores
from hierviz.predictions.parametrisation import SUM_TOLERANCE, column_nodes, node_probabilities
from hierviz.predictions.score_rows import PROBABILITIES, wrong_scores
from hierviz.taxonomy.node_lists import group

# A row that sums to this is one in percent.
_PERCENT = 100.0
_SEED = 0


@dataclass
class ScoreLook:
    """What one pass over the scores gives.

    Attributes
    ----------
    leaves : ndarray of int, shape (n_samples,)
        The most probable leaf; -1 where the scores cannot be used.
    hashes : ndarray of float, shape (n_samples,)
        Equal for equal rows.
    divisors : dict of int to float
        Row -> what its scores have to be divided by; the key None means all rows.
    """

    leaves: np.ndarray
    hashes: np.ndarray
    divisors: dict = field(default_factory=dict)


def look_at_scores(predictions, where, found, can_fix, with_sums=True):
    """Note scores that cannot be what they are said to be.

    Parameters
    ----------
    predictions : Predictions
        With scores, unchecked.
    where : str
    found : Findings
    can_fix : bool
        The scores can be fixed in the file.
    with_sums : bool
        Leaf probabilities have to sum to 1: all columns are there.

    Returns
    -------
    ScoreLook
    """
    taxonomy, key, n = predictions.taxonomy, predictions.parametrisation, predictions.n_samples
    nodes = column_nodes(taxonomy, key, predictions.scores.shape[1], predictions.scored_nodes)
    look = ScoreLook(np.full(n, -1), np.zeros(n))
    totals, wrong, low = np.ones(n), np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    draws = np.random.default_rng(_SEED).random(len(nodes))
    families = _families(taxonomy, nodes) if key == "node_probabilities" else None
    lowest: dict = {}
    is_leaf = taxonomy.is_leaf[nodes]
    for rows in predictions.blocks():
        block = np.asarray(predictions.scores[rows])
        is_finite = np.isfinite(block)
        usable = np.where(is_finite, block, 0)
        wrong[rows] = wrong_scores(block, key).any(axis=1)
        look.hashes[rows] = usable @ draws
        if key in PROBABILITIES:
            totals[rows] = usable.sum(axis=1, dtype=np.float64)
            p, leaves = usable[:, is_leaf], nodes[is_leaf]
        else:
            p = node_probabilities(taxonomy, usable, key, predictions.scored_nodes)[:, taxonomy.leaves]
            leaves = taxonomy.leaves
        if len(leaves):
            look.leaves[rows] = np.where(is_finite.all(axis=1), leaves[p.argmax(axis=1)], -1)
        if families is not None and families[0].size:
            parents, columns, starts = families
            gap = np.add.reduceat(usable[:, columns], starts, axis=1) - usable[:, parents]
            is_low = gap > SUM_TOLERANCE
            low[rows] = is_low.any(axis=1)
            for place in np.flatnonzero(is_low.any(axis=0)).tolist():
                lowest[place] = lowest.get(place, 0) + int(is_low[:, place].sum())
    _note_sums(predictions, where, found, look, totals, wrong, can_fix, with_sums)
    if low.any() and not wrong.any() and (predictions.truth is None or predictions.has_single_truth):
        worst = sorted(lowest, key=lambda place: -lowest[place])
        names = [taxonomy.names[nodes[families[0][place]]] for place in worst]
        text = (
            f"{counted(int(low.sum()), 'sample has', 'samples have')} a class less probable than its children together "
            f"({some(names, 3)}). Are these independent probabilities, or columns of other classes?"
        )
        found.note("parents_below_children", where, text)
    return look


def _families(taxonomy, nodes):
    """Places of the parents, places of their children one family after the other, and where each family starts (trees only)."""
    empty = np.empty(0, dtype=np.intp)
    if not taxonomy.is_tree:
        return empty, empty, empty
    place = np.full(taxonomy.n_nodes, -1, dtype=np.intp)
    place[nodes] = np.arange(len(nodes))
    edges = taxonomy.edges[(place[taxonomy.edges[:, 0]] >= 0) & (place[taxonomy.edges[:, 1]] >= 0)]
    below = group(edges[:, 0], place[edges[:, 1]], taxonomy.n_nodes)
    parents = np.flatnonzero(below.lengths)
    return place[parents], below.nodes, below.offsets[parents]


def _note_sums(predictions, where, found, look, totals, wrong, can_fix, with_sums):
    """Values outside of 0 to 1, sums that are not 1, and rows without any score."""
    key, ids = predictions.parametrisation, predictions.sample_id
    is_leaves = key == "leaf_probabilities" and with_sums
    finite = look.leaves >= 0
    empty = finite & (totals == 0) & ~wrong if key in PROBABILITIES else np.zeros(len(totals), dtype=bool)
    if empty.any():
        text = f"{counted(int(empty.sum()), 'sample has', 'samples have')} no score above 0 ({_named(empty, ids)})."
        found.note("empty_samples", where, text, severity="error" if is_leaves else None)
        look.leaves[empty] = -1
    usual = np.median(totals[~empty]) if (~empty).any() else 1
    is_percent = (
        is_leaves and finite.all() and abs(usual - _PERCENT) < 1 and bool((np.abs(totals[~empty] - _PERCENT) < 1).all())
    )
    off = np.abs(totals - 1) > SUM_TOLERANCE
    if isinstance(predictions.scores, ListedScores):
        # What is not listed may be missing from a sum.
        off = np.isin(np.arange(len(off)), np.concatenate(predictions.scores.off_sums()))
    off &= is_leaves & ~empty & finite
    # A few rows among many that sum to 1 were scaled; where most do not, they are no probabilities.
    few = bool(off.any()) and 2 * int(off.sum()) < len(off) and not _has_negative(predictions, np.flatnonzero(off))
    if is_percent:
        text = "the scores of every sample sum to 100: they are percent."
        found.note("sums_not_one", where, text, "the scores divided by 100" if can_fix else None)
        look.divisors = {None: _PERCENT}
        return
    if off.any() and (few or not wrong.any()):
        text = (
            f"the probabilities of {counted(int(off.sum()), 'sample')} do not sum to 1 ({_named(off, ids)}; "
            f"sums from {totals[off].min():.4g} to {totals[off].max():.4g})."
        )
        raw = "" if few else " If they are raw scores or independent probabilities, set {parametrisation}."
        found.note("sums_not_one", where, text + raw, "these rows divided by their sums" if few and can_fix else None)
    if few:
        look.divisors = dict(zip(np.flatnonzero(off).tolist(), totals[off].tolist(), strict=True))
        wrong = wrong & ~(off & finite)
    if wrong.any():
        expected = "is outside 0 to 1 or not finite" if key in PROBABILITIES else "is not finite"
        # Raw scores are finite, too.
        is_raw = key in PROBABILITIES and bool((wrong & finite).any() or not finite.any())
        advice = "Correct them, or leave these samples out."
        if is_raw:
            advice = "If the file holds raw scores, say which with {parametrisation}."
        text = (
            f"{counted(int(wrong.sum()), 'sample has', 'samples have')} a score that {expected} "
            f"({_named(wrong, ids)}). {advice}"
        )
        found.note("not_probabilities", where, text)


def _has_negative(predictions, rows):
    """Whether a score of some rows is below 0; checked 1,000 rows at a time."""
    return any((np.asarray(predictions.scores[rows[k : k + 1000]]) < 0).any() for k in range(0, len(rows), 1000))


def _named(flags, ids):
    """The first samples that are flagged."""
    places = np.flatnonzero(flags)
    return some([ids(int(row)) for row in places[:3]]) + (f" and {len(places) - 3:,} more" if len(places) > 3 else "")


# Distinct rows are few below this share of the samples.
FEW = 0.1


def look_at_answers(taxonomy, truth, leaves, where, found, *, hashes=None, can_rename=False, known=None):
    """Note answers that look wrong as a whole.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : ndarray of int, shape (n_samples,), NodeLists or None
    leaves : ndarray of int, shape (n_samples,)
        The answered node; -1 for none.
    where : str
    found : Findings
    hashes : ndarray of float, shape (n_samples,), optional
        Equal for equal rows of scores.
    can_rename : bool
        The names of the columns can be fixed in the file.
    known : ndarray of int, optional
        The nodes that the model knows; all when absent.

    Returns
    -------
    dict of int to int
        Node -> the node whose column it looks to be; empty where columns look right.
    """
    answered = leaves >= 0
    n = int(answered.sum())
    if n < LEAST_SAMPLES:
        return {}
    answers = np.unique(leaves[answered])
    n_rows = None if hashes is None else len(np.unique(hashes[answered]))
    is_constant = len(answers) == 1 and taxonomy.n_leaves > 1
    if is_constant:
        rows = ""
        if n_rows is not None:
            rows = f", with {counted(n_rows, 'row')} of different scores" if n_rows > 1 else ", with the same scores"
        text = f"{taxonomy.names[answers[0]]!r} is the answer to all {n:,} samples{rows}."
        found.note("constant_predictions", where, text)
    elif n_rows is not None and n_rows < FEW * n:
        text = f"only {n_rows:,} rows of different scores for {n:,} samples. Were the inputs different, and each read once?"
        found.note("few_distinct_rows", where, text)
    if not isinstance(truth, np.ndarray):
        return {}
    judged = np.flatnonzero(answered & (truth > 0))
    if len(judged) < LEAST_SAMPLES:
        return {}
    truth, leaves = truth[judged], leaves[judged]
    moved = exchanged(truth, leaves, taxonomy.n_nodes)
    if moved:
        text = exchanged_words(moved, taxonomy)
        found.note("permuted_columns", where, text, "the names of these columns exchanged" if can_rename else None)
        return moved
    if not is_constant:
        _look_below_constant(taxonomy, truth, leaves, where, found)
        _look_for_never(taxonomy, truth, leaves, where, found, known)
    return {}


def _look_below_constant(taxonomy, truth, leaves, where, found):
    nodes, counts = np.unique(truth, return_counts=True)
    best = int(nodes[counts.argmax()])
    of_constant = truth == best
    is_right = are_right(taxonomy, truth, leaves)
    chance = luck_of_many(int((of_constant & ~is_right).sum()), int((is_right & ~of_constant).sum()))
    if of_constant.sum() > is_right.sum() and chance < CLEARLY:
        text = (
            f"{int(is_right.sum()):,} of {len(truth):,} most probable answers are correct; answering "
            f"{taxonomy.names[best]!r} always would be correct {int(of_constant.sum()):,} times "
            f"(chance that this is luck: {luck_words(max(chance, 1e-300))}). "
            "Are the classes in the right order, and the samples those of the truth?"
        )
        found.note("worse_than_constant", where, text)


def _look_for_never(taxonomy, truth, leaves, where, found, known):
    support = np.bincount(truth if known is None else truth[np.isin(truth, known)], minlength=taxonomy.n_nodes)
    never = np.flatnonzero(
        (support >= LEAST_OF_CLASS) & taxonomy.is_leaf & (np.bincount(leaves, minlength=taxonomy.n_nodes) == 0)
    )
    if len(never):
        shown = some(taxonomy.names[node] for node in never[np.argsort(-support[never], kind="stable")])
        text = f"{counted(len(never), 'true class is', 'true classes are')} never the most probable answer ({shown})."
        found.note("never_predicted", where, text)
