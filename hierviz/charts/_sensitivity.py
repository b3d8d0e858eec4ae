"""What in a sample moves the log-odds between two classes: a heat map over the picture, a coloured text, or bars."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from hierviz.charts._compose import frame
from hierviz.charts._effect_bars import effect_bars
from hierviz.charts._effect_map import effect_map
from hierviz.charts._effect_text import effect_text
from hierviz.charts._figure import Figure
from hierviz.diagnosis._average_sensitivity import AverageSensitivity
from hierviz.diagnosis._sensitivity import Sensitivity
from hierviz.messages.errors import PredictionsError


def sensitivity(found: Sensitivity | AverageSensitivity, *, dark: bool | None = None, width: int = 1000) -> Figure:
    """What hiding parts of a sample does to the log-odds between two classes.

    A picture has a heat map over it, where every place has the mean effect of the patches that covered it. Words of a text are
    coloured, and underlined in the colour of their sentence. Columns of a row, and means over texts or rows, are bars. All
    effects of a figure are on one scale that is as long to both sides.

    Parameters
    ----------
    found : Sensitivity or AverageSensitivity
        From `Model.sensitivity` or `Model.average_sensitivity`.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: that of `found.to_frame`. Below the drawing it says what sensitivity is and what it is not.

    Raises
    ------
    PredictionsError
        If `found` is neither.
    """
    if not isinstance(found, (Sensitivity, AverageSensitivity)):
        raise PredictionsError(
            f"found: expected a Sensitivity or AverageSensitivity, got {type(found).__name__}. "
            "Pass what Model.sensitivity returns."
        )
    draw: Callable[..., Any]
    if found.parts.kind == "picture":
        draw = effect_map
    elif found.parts.kind == "text" and isinstance(found, Sensitivity):
        draw = effect_text
    else:
        draw = effect_bars
    drawn = functools.partial(draw, found)
    still = drawn if draw is effect_map else None
    return Figure(drawn, lambda: frame(dict(found.to_frame().items())), found.sentence, dark, width, still=still)
