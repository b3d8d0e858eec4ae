"""Answers that look wrong as a whole: constant, worse than a constant, of exchanged columns, or of some classes never."""

from __future__ import annotations

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
