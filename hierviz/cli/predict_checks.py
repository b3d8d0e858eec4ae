"""What `hierviz predict --truth` prints: how many answers are right in other orders of the classes and prepared in other ways."""

from __future__ import annotations

import sys

import numpy as np

from hierviz.errors import ModelError
from hierviz.taxonomy import NodeLists

_MOST_ROWS = 6


def check_predictions(model, inputs, predictions, truth, truth_column=None):
    """Print both checks of predictions to standard error, and a warning where one finds something.

    Parameters
    ----------
    model : Model
    inputs : ModelInputs
    predictions : Predictions
        Of `model` for `inputs`.
    truth : str or path
    truth_column : str, optional
    """
    from hierviz.onnx.class_order import check_class_order
    from hierviz.onnx.input_check import check_inputs
    from hierviz.onnx.right_answers import near_chance
    from hierviz.readers import attach_truth

    known = attach_truth(predictions, truth, truth_column).truth
    taxonomy, nodes = model.taxonomy, predictions.scored_nodes
    orders, warning = check_class_order(
        predictions.scores, taxonomy, nodes, known, parametrisation=predictions.parametrisation
    )
    _print_table("order of the classes", orders, "order", "is_chosen", "used")
    _print_warning(warning)
    ways, warning = check_inputs(model, inputs, known)
    _print_table("preparation of the pictures", ways, "variant", "is_declared", "used")
    _print_warning(warning)
    if isinstance(known, NodeLists):
        return
    leaves = np.where((known >= 0) & taxonomy.is_leaf[known], known, -1)
    orders, _ = check_class_order(
        predictions.scores, taxonomy, nodes, leaves, parametrisation=predictions.parametrisation
    )
    chosen = next((row for row in orders if row["is_chosen"]), None)
    if chosen is not None:
        _print_warning(near_chance(chosen["n_right"], chosen["n"], taxonomy.n_leaves))


def show_orders(model, inputs, truth, truth_column=None):
    """Print which order of the classes would fit a model whose columns nobody names: a help to write them down.

    Parameters
    ----------
    model : Model
        With the question about its classes open.
    inputs : ModelInputs
    truth, truth_column
        As in `check_predictions`.
    """
    from hierviz.onnx.class_order import check_class_order
    from hierviz.readers import load_truth
    from hierviz.readers.join import join
    from hierviz.readers.raw_predictions import RawPredictions

    try:
        scores = model.raw_scores(inputs)
    except ModelError:
        return  # what is missing is said in any case
    raw = RawPredictions(model.name, "wide", scores, ids=inputs.sample_ids)
    known = join(raw, load_truth(truth, model.taxonomy, truth_column)).truth
    table, _ = check_class_order(np.asarray(scores), model.taxonomy, None, known)
    _print_table("order of the classes, were the columns in", table, "order", "is_chosen", "used")


def _print_table(title, table, key, chosen, word):
    if not table:
        return
    print(f"{title} ({table[0]['n']} samples with known truth, answers right):", file=sys.stderr)
    shown = table[:_MOST_ROWS] + [row for row in table[_MOST_ROWS:] if row[chosen]]
    for row in shown:
        tops = row.get("top_level_wrong")
        more = "" if tops is None else f", {tops:.1%} wrong at the top level"
        print(f"  {row['accuracy']:6.1%}  {row[key]}{f' ({word})' if row[chosen] else ''}{more}", file=sys.stderr)


def _print_warning(text):
    if text is not None:
        print(f"warning: {text}.", file=sys.stderr)
