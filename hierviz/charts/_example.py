"""Why one answer is what it is: probability tree, answers at every threshold, win and confusion of a sample in one figure."""

from __future__ import annotations

import functools
import textwrap
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np

from hierviz.charts._compose import frame, hconcat, vconcat
from hierviz.charts._confusion import confusion_breakdown
from hierviz.charts._figure import Figure
from hierviz.charts._flip_ribbon import flip_ribbon
from hierviz.charts._path_graph import path_graph
from hierviz.charts._probability_tree import probability_tree
from hierviz.charts._win_breakdown import win_breakdown
from hierviz.charts.theme import palette
from hierviz.diagnosis._flip_intervals import RULES, flip_intervals
from hierviz.diagnosis.sample_answers import sample_answer, sample_confusion
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.unknown_mass import node_bounds
from hierviz.messages.errors import PredictionsError, shown
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind

# Pixels below which the tree is drawn as a list.
NARROW = 600
# Pixels of the longer side of a picture on a slide.
PICTURE = 840


@dataclass(frozen=True)
class SamplePart:
    """One picture of a sample.

    Attributes
    ----------
    name : str
        'tree', 'paths', 'ribbon', 'win' or 'confusion'.
    title : str
    figure : Figure
    """

    name: str
    title: str
    figure: Figure


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
        paths = path_graph(taxonomy, counts, 0, p=p, truth=truth, predicted=predicted)
        parts.append(SamplePart("paths", "Predicted and true paths", paths))
    if p is not None and taxonomy.is_tree:
        flips = flip_intervals(evaluation, row)
        at = 0.5 if rule == "majority" else threshold if rule in RULES else None
        parts.append(SamplePart("ribbon", "Answer at every threshold", flip_ribbon(flips, at)))
    if is_simple and answer.breakdown is not None:
        parts.append(SamplePart("win", "Win by level", win_breakdown(taxonomy, answer.breakdown)))
    if counts is not None:
        title = "Predicted and true path" if is_simple else "Counts of the paths"
        parts.append(SamplePart("confusion", title, confusion_breakdown(taxonomy, counts, 0)))
    return parts


def _tree(predictions, row, p, truth, predicted, wanted):
    taxonomy = predictions.taxonomy
    bounds = None
    if predictions.has_unknown:
        low, high = node_bounds(predictions, np.array([row]))
        bounds = low[0], high[0]
    tree = probability_tree(taxonomy, p, truth=truth or None, predicted=predicted or None, bounds=bounds)

    def draw(dark, width):
        is_refused = width < NARROW or wanted in tree.refused(width)
        return tree.styled("list" if is_refused else wanted).draw(dark, width)

    return SamplePart("tree", "Probability tree", Figure(draw, lambda: tree.table, lambda: tree.sentence))


def example(
    predictions: Predictions | Evaluation,
    sample_id: str,
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    dark: bool | None = None,
    width: int = 1000,
    **parameters: Any,
) -> Figure:
    """Why the answer to a sample is what it is: tree, thresholds, win and confusion in one figure.

    Parameters
    ----------
    predictions : Predictions, or Evaluation
    sample_id : str
        Such as ``hv.diagnosis.worst(predictions)[0]``; without ids the row number as text.
    rule, threshold, **parameters
        How the answer is chosen, as in `hierviz.infer`; ignored for labels.
    dark : bool, optional
        None: the theme of the notebook.
    width : int
        Pixels.

    Returns
    -------
    Figure
        Each picture has its sentence as title. Its table: ``part``, ``sentence``.

    Raises
    ------
    PredictionsError
        If there is no such sample or rule, or nothing to draw: labels without a known truth.
    """
    if isinstance(predictions, Evaluation):
        evaluation, row = predictions, _row(predictions.predictions, sample_id)
    else:
        check_kind("predictions", predictions, Predictions, "Pass those of one model.")
        row = _row(predictions, sample_id)
        evaluation = Evaluation.from_predictions(predictions)
    parts = sample_parts(evaluation, row, rule, threshold, **parameters)
    if not parts:
        raise PredictionsError(
            f"sample {evaluation.predictions.sample_id(row)!r}: expected scores or a known truth, got neither. Choose another."
        )
    said = [part.figure.sentence for part in parts]
    table = frame({"part": [part.title for part in parts], "sentence": said})
    still = functools.partial(_in_columns, parts) if parts[0].name == "tree" and len(parts) > 1 else None
    of_sample = functools.partial(_sample, evaluation.predictions, row)
    draw = functools.partial(_drawn, parts)
    return Figure(draw, table, " ".join(said), dark, width, still=still, sample=of_sample)


def _drawn(parts, dark, width):
    titled = []
    for part in parts:
        look, lines = palette(dark), textwrap.wrap(part.figure.sentence, max(20, int(width / 7)))
        title = alt.TitleParams(
            part.title, subtitle=lines, anchor="start", frame="group", offset=6, fontWeight=600, subtitleColor=look.ink
        )
        titled.append(vconcat(part.figure.draw(dark, width), title=title))
    return vconcat(*titled, spacing=24)


def _in_columns(parts, dark, width, _):
    """The tree next to all else, without sentences."""
    left = 0.56 * width
    others = [
        vconcat(part.figure.draw(dark, round(width - left - 24)), title=alt.TitleParams(part.title, anchor="start"))
        for part in parts[1:]
    ]
    return hconcat(parts[0].figure.draw(dark, round(left)), vconcat(*others, spacing=18), spacing=24)


def _sample(predictions, row):
    """The picture of a sample, else its text; None where it has neither."""
    return predictions.picture(row, PICTURE) or predictions.text(row)


def _row(predictions, sample_id):
    row = predictions.row(sample_id)
    if row is None:
        raise PredictionsError(
            f"sample_id: expected the id of a sample of {predictions.name}, got {shown(sample_id)}. "
            "Predictions.ids lists them, hv.diagnosis.worst names the worst."
        )
    return row
