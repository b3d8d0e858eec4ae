"""The Evaluation of scores that are the same for every sample: each different truth is worked on once.

Functions
---------
evaluation_of_constant
"""

from __future__ import annotations

from functools import partial

import numpy as np

from hierviz.curves.answer_values import repeated_table
from hierviz.evaluation.evaluation import Evaluation, corpus_of
from hierviz.evaluation.score_numbers import score_numbers
from hierviz.metrics.parts import OnDemand
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.metrics.sets.node_sets import closed_lists
from hierviz.predictions.predictions import Predictions

_OF_WIN = ("win", "raw_win", "p_truth")
_COLUMNS = ("best_leaf", *_OF_WIN, "leaf_mass", "leaf_rank")


def evaluation_of_constant(
    taxonomy, truth, p, name, threshold=0.5, blocks=(), with_paths=True, with_win=True, with_answers=True
):
    """Evaluate one row of node probabilities as the scores of every sample.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : ndarray of int, shape (n_samples,), or NodeLists
    p : ndarray of float, shape (n_nodes,)
    name : str
        Of the Predictions.
    threshold : float
        Of the sets of labels.
    blocks : sequence of str
        Of `hierviz.evaluation.score_numbers` that will be asked for.
    with_paths, with_win : bool
        Whether `Evaluation.leaf_paths`, and the win and the probability of the truth, will be.
    with_answers : bool
        Whether the answers of a rule will be, or the breakpoints of a curve: one Pareto set a sample.

    Returns
    -------
    Evaluation
        As `Evaluation.from_predictions` makes it of so many equal rows.
    """

    def predictions_of(truth):
        rows = np.broadcast_to(p[1:], (len(truth), len(p) - 1))
        return Predictions(taxonomy, name, rows, "node_probabilities", None, truth=truth)

    predictions = predictions_of(truth)
    if not isinstance(truth, np.ndarray) or not len(truth):
        return Evaluation.from_predictions(predictions, threshold=threshold)
    targets, place, n_of = np.unique(truth, return_inverse=True, return_counts=True)
    corpus = corpus_of(predictions)
    once = Evaluation.from_predictions(predictions_of(targets), threshold=threshold, corpus=corpus)
    assert once.table is not None
    names = [key for key in _COLUMNS if with_win or key not in _OF_WIN]
    columns = {key: _of_all(values, place) for key in names if (values := getattr(once, key)) is not None}
    has_curve = once.why_no_curve() is None
    numbers = score_numbers(once, blocks) if has_curve else {}
    kept = {block: {key: values[place] for key, values in of.items()} for block, of in numbers.items()}
    counts = {threshold: _repeated(taxonomy, once.label_counts(threshold), targets, place, n_of)}
    kept_fields = {
        "_label_counts": counts,
        "_curve": [once.curve_steps().curve(n_of[once.judged])] if has_curve else [],
        "_paths": [once.leaf_paths().take(place)] if with_paths and taxonomy.is_tree else [],
        "corpus": corpus,
        "kept_numbers": kept,
    }
    # All rows have the same answers.
    table = repeated_table(once.table.take(slice(0, 1)), len(place)) if with_answers else None
    return Evaluation(predictions, predictions.has_truth, table, **columns, **kept_fields)


def _of_all(values, place):
    """The value of each sample from those of the different truths; one value for all takes no memory."""
    if (values == values[0]).all():
        return np.broadcast_to(values[0], len(place))
    return values[place]


def _repeated(taxonomy, once, targets, place, n_of):
    """The LabelSetCounts of all samples from those of the different truths."""
    sums, columns = once.counted()
    closed = closed_lists(taxonomy, targets)
    n_true = np.bincount(closed.nodes, n_of[closed.rows], taxonomy.n_nodes).astype(np.int64)
    is_predicted, is_valid = (sums[key] > 0 for key in ("n_predicted", "n_valid"))
    sums = {
        "n_true": n_true,
        "n_predicted": is_predicted * len(place),
        "n_hit": is_predicted * n_true,
        "n_valid": is_valid * len(place),
        "n_valid_hit": is_valid * n_true,
        "n_samples": len(place),
    }
    repeated = OnDemand({key: partial(np.take, values, place) for key, values in columns.items()})
    return LabelSetCounts.from_counted(taxonomy, once.threshold, [(sums, repeated)])
