"""Why one answer is what it is: probability tree, answers at every threshold, win and confusion of a sample in one figure."""

from __future__ import annotations

import textwrap
from typing import Any

import altair as alt

from hierviz.charts._compose import vconcat
from hierviz.charts._recipes import remembered
from hierviz.charts._sample_parts import sample_parts
from hierviz.charts._show import Shown, show
from hierviz.charts.theme import palette
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import PredictionsError, shown
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind


def explanation(evaluation, row, rule="majority", threshold=0.5, *, dark=False, width=1000, **parameters):
    """The pictures of one sample below each other.

    Parameters
    ----------
    evaluation : Evaluation
    row : int
        Row of the Predictions.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.
    dark : bool
    width : int
        Pixels.

    Returns
    -------
    alt.VConcatChart
        Unconfigured; see `theme.finish`. Each picture has its sentence as title.

    Raises
    ------
    PredictionsError
        If there is no such sample or rule, or nothing to draw: labels without a known truth.
    """
    parts = sample_parts(evaluation, row, rule, threshold, **parameters)
    if not parts:
        raise PredictionsError(
            f"sample {evaluation.predictions.sample_id(row)!r}: expected scores or a known truth, got neither. Choose another."
        )
    titled = []
    for part in parts:
        lines = _wrapped(part.sentence, width / 7)
        look = palette(dark)
        title = alt.TitleParams(
            part.title, subtitle=lines, anchor="start", frame="group", offset=6, fontWeight=600, subtitleColor=look.ink
        )
        titled.append(vconcat(part.draw(dark, width), title=title))
    return vconcat(*titled, spacing=24)


def example(
    predictions: Predictions | Evaluation,
    sample_id: str,
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    dark: bool | None = None,
    width: int = 1000,
    **parameters: Any,
) -> Shown:
    """Show in a notebook why the answer to a sample is what it is: tree, thresholds, win and confusion in one figure.

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
    Shown
        As of `hierviz.show`.

    Raises
    ------
    PredictionsError
        If there is no such sample or rule, or nothing to draw.
    """
    if isinstance(predictions, Evaluation):
        evaluation, row = predictions, _row(predictions.predictions, sample_id)
    else:
        check_kind("predictions", predictions, Predictions, "Pass those of one model.")
        row = _row(predictions, sample_id)
        evaluation = Evaluation.from_predictions(predictions)
    drawn = remembered(explanation)
    look = {} if dark is None else {"dark": dark}
    return show(drawn(evaluation, row, rule, threshold, width=width, **look, **parameters), dark)


def _row(predictions, sample_id):
    row = predictions.row(sample_id)
    if row is None:
        raise PredictionsError(
            f"sample_id: expected the id of a sample of {predictions.name}, got {shown(sample_id)}. "
            "Predictions.ids lists them, hv.diagnosis.worst names the worst."
        )
    return row


def _wrapped(text, most):
    """Lines of at most so many letters."""
    return textwrap.wrap(text, max(20, int(most)))
