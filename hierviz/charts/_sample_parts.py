"""The pictures of one sample: probability tree, answers at every threshold, win, confusion; those that apply to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.charts._confusion_breakdown import (
    confusion_breakdown,
    confusion_breakdown_sentence,
)
from hierviz.charts._flip_ribbon import flip_ribbon, flip_ribbon_sentence
from hierviz.charts._path_graph import path_graph, path_graph_sentence
from hierviz.charts._probability_tree import probability_tree, probability_tree_sentence, refused_styles
from hierviz.charts._win_breakdown import win_breakdown, win_breakdown_sentence
from hierviz.diagnosis._flip_intervals import RULES, flip_intervals
from hierviz.diagnosis.sample_answers import sample_answer, sample_confusion
from hierviz.evaluation.unknown_mass import node_bounds
from hierviz.metrics.win import win_breakdown as win_terms

# Pixels below which the tree is drawn as a list.
NARROW = 600


@dataclass(frozen=True)
class SamplePart:
    """One picture of a sample.

    Attributes
    ----------
    name : str
        'tree', 'paths', 'ribbon', 'win' or 'confusion'.
    title : str
    draw : callable
        Takes `dark` and `width`, gives an unconfigured chart.
    sentence : str
    """

    name: str
    title: str
    draw: Callable[[bool, int], Any]
    sentence: str


def sample_parts(evaluation, row, rule="majority", threshold=0.5, *, tree="icicle", **parameters):
    """The pictures of one sample that apply to it.

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
        parts.append(_tree(predictions, row, p, truth, predicted, tree))
    is_simple = answer.outcome != "" and predictions.has_single_truth and taxonomy.is_tree
    counts = sample_confusion(evaluation, row, rule, threshold, **parameters) if is_judged else None
    if counts is not None and not is_simple:
        parts.append(_paths(taxonomy, counts, p, truth, predicted))
    if p is not None and taxonomy.is_tree:
        flips = flip_intervals(evaluation, row)
        at = 0.5 if rule == "majority" else threshold if rule in RULES else None
        parts.append(
            SamplePart(
                "ribbon",
                "Answer at every threshold",
                lambda dark, width: flip_ribbon(flips, at, dark=dark, width=width),
                flip_ribbon_sentence(flips, 0.5 if at is None else at),
            )
        )
    if is_simple and answer.win is not None and p is not None:
        terms = win_terms(taxonomy, truth[0], p)
        parts.append(
            SamplePart(
                "win",
                "Win by level",
                lambda dark, width: win_breakdown(taxonomy, terms, dark=dark, width=width),
                win_breakdown_sentence(taxonomy, terms),
            )
        )
    if counts is not None:
        parts.append(
            SamplePart(
                "confusion",
                "Predicted and true path" if is_simple else "Counts of the paths",
                lambda dark, width: confusion_breakdown(taxonomy, counts, 0, dark=dark, width=width),
                confusion_breakdown_sentence(taxonomy, counts, 0),
            )
        )
    return parts


def _tree(predictions, row, p, truth, predicted, wanted):
    taxonomy = predictions.taxonomy
    nodes = {"truth": truth or None, "predicted": predicted or None}
    bounds = None
    if predictions.has_unknown:
        low, high = node_bounds(predictions, np.array([row]))
        bounds = low[0], high[0]

    def draw(dark, width):
        is_refused = width < NARROW or wanted in refused_styles(taxonomy, p, **nodes, width=width)
        style = "list" if is_refused else wanted
        return probability_tree(taxonomy, p, **nodes, style=style, bounds=bounds, dark=dark, width=width)

    return SamplePart("tree", "Probability tree", draw, probability_tree_sentence(taxonomy, p, **nodes))


def _paths(taxonomy, counts, p, truth, predicted):
    nodes = {"truth": truth, "predicted": predicted}
    return SamplePart(
        "paths",
        "Predicted and true paths",
        lambda dark, width: path_graph(taxonomy, counts, 0, p=p, **nodes, dark=dark, width=width),
        path_graph_sentence(taxonomy, counts, 0, p=p),
    )
