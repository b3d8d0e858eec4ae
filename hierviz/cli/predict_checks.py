"""What `hierviz predict --truth` prints: how many answers are right in other orders of the classes and prepared in other ways."""

from __future__ import annotations

import sys

import numpy as np

from hierviz.cli.parameter_flags import with_flags
from hierviz.messages.errors import HiervizError
from hierviz.messages.number_text import percent_text
from hierviz.onnx.class_order import check_class_order, near_chance
from hierviz.onnx.input_check import check_inputs
from hierviz.onnx.inputs.model_inputs import without_unreadable
from hierviz.projection.projected import NodeColumns
from hierviz.readers.join import join
from hierviz.readers.raw_predictions import RawPredictions
from hierviz.taxonomy.taxonomy import NodeLists

_MOST_ROWS = 4


def truth_of(inputs, where, truth):
    """The truth of each input row, before any model has run.

    Parameters
    ----------
    inputs : ModelInputs
    where : str
        What errors call the inputs.
    truth : Truth

    Returns
    -------
    ndarray of int, shape (n_samples,), or NodeLists
        -1, or an empty list, where it is not known.
    """
    return join(RawPredictions(where, "wide", np.empty((len(inputs), 0)), ids=inputs.sample_ids), truth).truth


def check_predictions(model, inputs, predictions, truth):
    """Print both checks of predictions to standard error, and a warning where one finds something.

    Parameters
    ----------
    model : Model
    inputs : ModelInputs
    predictions : Predictions
        Of `model` for `inputs`.
    truth : ndarray of int, shape (n_samples,), or NodeLists
    """
    taxonomy = model.known.taxonomy
    # Of a model that knows some of the classes, what it gave for these.
    scored = predictions.scores.source if isinstance(predictions.scores, NodeColumns) else predictions
    key, known = scored.parametrisation, model.known.truth(truth)
    # Columns that were summed are in no order any more.
    orders = []
    if not model.known.is_shared:
        orders, warning = check_class_order(taxonomy, known, scored.scores, scored.scored_nodes, parametrisation=key)
        _print_table("order of the classes", orders, "order", "is_chosen")
        _print_warning(warning)
    ways, warning = check_inputs(model, inputs, truth)
    _print_table("preprocessing of the pictures", ways, "variant", "is_declared", len(ways))
    _print_warning(warning)
    if isinstance(truth, NodeLists) or model.known.is_shared:
        return
    leaves = np.where((known >= 0) & taxonomy.is_leaf[known], known, -1)
    orders, _ = check_class_order(taxonomy, leaves, scored.scores, scored.scored_nodes, parametrisation=key)
    chosen = next((row for row in orders if row["is_chosen"]), None)
    if chosen is not None:
        _print_warning(near_chance(chosen["n_right"], chosen["n"], taxonomy.n_leaves))


def show_orders(model, inputs, truth):
    """Print the accuracy by order of the classes for a model whose columns have no class names, to standard output.

    What is missing is said after it, as the one line on standard error.

    Parameters
    ----------
    model : Model
        With the question about its classes open.
    inputs, truth
        As in `check_predictions`.
    """
    unreadable = {}
    try:
        scores = model.raw_scores(inputs, unreadable=unreadable)
        _, kept = without_unreadable(inputs, unreadable)
    except HiervizError:
        return  # what is missing is said in any case
    table, _ = check_class_order(model.taxonomy, truth.take(kept), np.asarray(scores)[kept], None)
    _print_table("accuracy by order of the classes", table, "order", "is_chosen", file=sys.stdout)


def _print_table(title, table, key, chosen, most=_MOST_ROWS, file=None):
    if not table:
        return
    print(f"{title} ({table[0]['n']} samples with known truth, top-1 accuracy):", file=file or sys.stderr)
    shown = table[:most] + [row for row in table[most:] if row[chosen]]
    for row in shown:
        tops = row.get("top_level_wrong")
        more = "" if tops is None else f", {percent_text(tops, 1)} wrong at the top level"
        print(
            f"  {percent_text(row['accuracy'], 1):>7}  {row[key]}{' (used)' if row[chosen] else ''}{more}",
            file=file or sys.stderr,
        )


def _print_warning(text):
    if text is not None:
        print(f"warning: {with_flags(text)}.", file=sys.stderr)
