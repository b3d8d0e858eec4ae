"""Why one answer is what it is: probability tree, answers at every threshold, win and confusion of a sample in one figure."""

from __future__ import annotations

import functools
import textwrap
from typing import Any

import altair as alt

from hierviz.charts._compose import vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._rows import frame
from hierviz.charts._sample_parts import sample_parts
from hierviz.charts.theme import palette
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import PredictionsError, shown
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind


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
    return Figure(functools.partial(_drawn, parts), table, " ".join(said), dark, width)


def _drawn(parts, dark, width):
    titled = []
    for part in parts:
        look, lines = palette(dark), textwrap.wrap(part.figure.sentence, max(20, int(width / 7)))
        title = alt.TitleParams(
            part.title, subtitle=lines, anchor="start", frame="group", offset=6, fontWeight=600, subtitleColor=look.ink
        )
        titled.append(vconcat(part.figure.draw(dark, width), title=title))
    return vconcat(*titled, spacing=24)


def _row(predictions, sample_id):
    row = predictions.row(sample_id)
    if row is None:
        raise PredictionsError(
            f"sample_id: expected the id of a sample of {predictions.name}, got {shown(sample_id)}. "
            "Predictions.ids lists them, hv.diagnosis.worst names the worst."
        )
    return row
