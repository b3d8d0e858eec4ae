"""Other pictures of one sample than that of `example`: its whole tree, its paths in a graph, the counts of its paths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.charts._confusion import confusion_breakdown
from hierviz.charts._figure import Figure
from hierviz.charts._path_graph import path_graph
from hierviz.charts._probability_tree import probability_tree
from hierviz.diagnosis.sample_answers import sample_answer, sample_confusion
from hierviz.evaluation.unknown_mass import node_bounds
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES

# Pixels below which the tree is drawn as a list.
NARROW = 600


@dataclass(frozen=True)
class SamplePart:
    """One picture of a sample.

    Attributes
    ----------
    name : str
        'tree', 'paths' or 'confusion'.
    title : str
    figure : Figure
    """

    name: str
    title: str
    figure: Figure


def sample_parts(evaluation, row, rule="majority", threshold=0.5, *, tree="icicle", **parameters):
    """The pictures of one sample, besides that of `example`, that apply to it.

    Parameters
    ----------
    evaluation : Evaluation
    row : int
        Row of the Predictions.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.
    tree : str
        Style of `probability_tree`; where that does not fit, the tree is a list.

    Returns
    -------
    list of SamplePart

    Raises
    ------
    PredictionsError
        If there is no such sample or rule.
    """
    predictions, taxonomy = evaluation.predictions, evaluation.taxonomy
    answer = sample_answer(evaluation, row, rule, threshold, **parameters)
    predicted = [node for node in answer.nodes if node >= 0]
    is_judged = bool(evaluation.judged[row])
    truth = np.atleast_1d(predictions.truth[row]).tolist() if is_judged else []
    p = predictions.node_probabilities(np.array([row]))[0] if predictions.has_scores else None
    parts = []
    if p is not None and taxonomy.is_tree:
        parts.append(_tree(predictions, row, p, truth, predicted, tree, compared_with(rule, threshold)))
    is_simple = answer.outcome != "" and predictions.has_single_truth and taxonomy.is_tree
    counts = sample_confusion(evaluation, row, rule, threshold, **parameters) if is_judged else None
    if counts is not None and not is_simple:
        paths = path_graph(taxonomy, counts, 0, p=p, truth=truth, predicted=predicted)
        parts.append(SamplePart("paths", "Predicted and true paths", paths))
    if counts is not None:
        title = "Predicted and true path" if is_simple else "Counts of the paths"
        parts.append(SamplePart("confusion", title, confusion_breakdown(taxonomy, counts, 0)))
    return parts


def compared_with(rule, threshold):
    """The threshold that a rule compares p with, None where it has none."""
    if rule == "majority":
        return THRESHOLD.default
    return threshold if THRESHOLD.name in INFERENCE_RULES[rule].parameters else None


def _tree(predictions, row, p, truth, predicted, wanted, threshold):
    taxonomy = predictions.taxonomy
    bounds = None
    if predictions.has_unknown:
        low, high = node_bounds(predictions, np.array([row]))
        bounds = low[0], high[0]
    ends = {"truth": truth or None, "predicted": predicted or None}
    tree = probability_tree(taxonomy, p, **ends, bounds=bounds).at(threshold)

    def draw(dark, width):
        is_refused = width < NARROW or wanted in tree.refused(width)
        return tree.styled("list" if is_refused else wanted).draw(dark, width)

    return SamplePart("tree", "Probability tree", Figure(draw, lambda: tree.table, lambda: tree.sentence))
