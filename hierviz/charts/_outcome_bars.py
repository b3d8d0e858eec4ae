"""One bar a model: shares of exact, coarse, no and wrong answers, all on one scale from 0 to 100 %."""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._canvas import boxes, hover, legend, texts
from hierviz.charts._compose import frame, layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import ANSWERS, SIZE, SMALL, palette
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.number_text import percent_text, shares_text
from hierviz.metrics.outcomes import OUTCOMES

# Pixels: a bar and the next, at least and at most, of the axis, of the widest name.
LEAST, TALL, AXIS, NAMES = 15, 34, 20, 170
# From one line of a label to the next.
LINE = 13
# Bars that are drawn, and the name of the selection of one.
MOST, CLICKED = 24, "model"
# Where some answers lie outside the taxonomy, the wrong ones are of two parts.
OUTSIDE = "outside"
PARTS = {**ANSWERS, OUTSIDE: ("outside", ANSWERS["wrong"][1])}
WORDS = {"wrong": "wrong, inside the taxonomy", OUTSIDE: "wrong, outside the taxonomy"}


def outcome_bars(shares, *, notes=None, outside=None, highlight=None, dark=None, width=430, height=230):
    """Shares of the outcomes of each model's answers, stacked to 100 %.

    Parameters
    ----------
    shares : dict of str to dict of str to float
        By model: shares by key of `hierviz.metrics.OUTCOMES`, in [0, 1], that add up to 1, such as `outcome_shares` gives;
        answers that are sets have no ``coarse``.
    notes : dict of str to str, optional
        How the answers of a model were chosen, for its tooltip and the table.
    outside : dict of str to float, optional
        By model: the share of the answers outside the taxonomy, in [0, 1], which are among the wrong ones. They are a
        part of the bar, with a colour and a share of its own.
    highlight : str, optional
        Model whose name is bold and whose numbers are in the sentence; the first if not given.
    dark : bool, optional
    width, height : int
        Pixels; of more models than have room the first are drawn, and the highlighted one.

    Returns
    -------
    Figure
        Its table: ``model, chosen by``, a column for each outcome, and ``outside`` where it is given. A
        click on a bar selects its ``model``.

    Raises
    ------
    PredictionsError
        If there is no model, the shares of one do not add up to 1, or more are outside than wrong.
    """
    if not shares:
        raise PredictionsError("outcome_bars: expected the shares of at least one model, got none. Pass some.")
    for name, of_model in shares.items():
        if not set(of_model) <= set(OUTCOMES) or not abs(sum(of_model.values()) - 1) < 1e-6:
            raise PredictionsError(
                f"outcome_bars: expected shares of {', '.join(OUTCOMES)} that add up to 1, got {shown(dict(of_model))} for "
                f"{name!r}. Pass what outcome_shares gives."
            )
    outside = {name: share for name, share in (outside or {}).items() if share > 0}
    for name, share in outside.items():
        if share > shares.get(name, {}).get("wrong", 0) + 1e-6:
            raise PredictionsError(
                f"outcome_bars: expected at most the share of wrong answers outside the taxonomy, got {share} for {name!r}. "
                "Pass both of the same answers."
            )
    highlight = next(iter(shares)) if highlight is None else highlight
    names = _drawn_names(shares, highlight, height)
    draw = functools.partial(_drawn, shares, names, notes or {}, outside, highlight, height)
    sentence = functools.partial(_sentence, shares, names, outside, highlight)
    return Figure(draw, lambda: _table(shares, notes or {}, outside), sentence, dark, width)


def _drawn_names(shares, highlight, height):
    """The models that have room."""
    most = max(1, min(MOST, int((height - AXIS) // LEAST)))
    names = list(shares)
    if len(names) <= most:
        return names
    kept = {highlight, *[name for name in names if name != highlight][: most - 1]}
    return [name for name in names if name in kept]


def _parts(shares, outside):
    """Shares of what is drawn of one bar: those of the outcomes, the wrong ones without those outside the taxonomy."""
    return shares if not outside else {**shares, "wrong": max(shares["wrong"] - outside, 0.0), OUTSIDE: outside}


def _label(sign, text, wide, tall):
    """Lines that fit into a part of a bar: sign and share next to each other or below, or the sign alone."""
    for said, lowest, around in (((f"{sign} {text}",), 0, 4), ((sign, text), 2 * LINE, 2), ((sign,), 0, 4)):
        if wide >= max(text_width(one, SMALL) for one in said) + around and tall >= lowest:
            return said
    return ()


def _drawn(shares, names, notes, outside, highlight, height, dark, width):
    look = palette(dark)
    keys = [key for key in ANSWERS if any(key in shares[name] for name in names)]
    side = min(NAMES, 0.4 * width, max(text_width(name, SIZE, bold=True) for name in names) + 10)
    scale, step = width - side - 14, min(TALL, (height - AXIS) / len(names))
    rows, words, hovers = [], [], []
    for place, name in enumerate(names):
        top, bottom, left = place * step + 1.5, (place + 1) * step - 1.5, side
        middle, of_model = (top + bottom) / 2, shares[name]
        weight = 700 if name == highlight else 400
        label = shorten(name, side - 9, SIZE, bold=weight == 700)
        words.append(
            {"x": side - 8, "y": middle, "text": label, "colour": look.ink, "align": "right", "weight": weight}
        )
        parts = _parts(of_model, outside.get(name, 0.0))
        for (key, share), text in zip(
            parts.items(), shares_text(1000 * share for share in parts.values()), strict=True
        ):
            wide, (fill, sign) = scale * share, PARTS[key]
            rows.append({"x": left, "x2": left + wide, "y": top, "y2": bottom, "colour": look.outcome(fill)})
            at = {"x": left + wide / 2, "size": SMALL, "align": "center", "colour": look.text_on(fill)}
            said = _label(sign, text, wide, bottom - top)
            words += [{**at, "y": middle + LINE * (k - (len(said) - 1) / 2), "text": one} for k, one in enumerate(said)]
            left += wide
        exact = {f"tip_{key}": percent_text(share, 1) for key, share in of_model.items()}
        if outside:
            exact["tip_outside"] = percent_text(outside.get(name, 0.0), 1)
        tips = {**{f"tip_{key}": "–" for key in keys}, **exact, "model": name, "note": notes.get(name, "")}
        hovers.append({"x": 0.0, "x2": float(width), "y": top, "y2": bottom, **tips})
    titles = {"model": "Model", "note": "Chosen by", **{f"tip_{key}": OUTCOMES[key].capitalize() for key in keys}}
    if outside:
        titles["tip_outside"] = "Of these outside the taxonomy"
    tall = step * len(names)
    ticks = np.arange(0, 101, 25)
    at = {"y": tall + 11, "colour": look.muted, "size": SMALL, "align": "center"}
    axis = [{**at, "x": side + scale * tick / 100, "text": f"{tick} %"} for tick in ticks.tolist()]
    drawing = layer(
        boxes(rows, width, tall + AXIS, radius=0),
        texts(words + axis, width, tall + AXIS),
        hover(hovers, width, tall + AXIS, titles, CLICKED, "model"),
    ).properties(width=width, height=tall + AXIS)
    words_of = OUTCOMES
    if any(name in outside for name in names):
        keys, words_of = [*keys, OUTSIDE], OUTCOMES | WORDS
    items = [
        {"kind": "box", "label": f"{PARTS[key][1]} {words_of[key]}", "colour": look.outcome(PARTS[key][0])}
        for key in keys
    ]
    return vconcat(legend([(None, items)], width, dark=dark), drawing, spacing=4)


def _table(shares, notes, outside):
    rows = [
        {"model": name, "chosen by": notes.get(name, ""), **of_model}
        | ({"outside": outside.get(name, 0.0)} if outside else {})
        for name, of_model in shares.items()
    ]
    return frame(rows)


def _sentence(shares, names, outside, highlight):
    said = ", ".join(f"{percent_text(share, 1)} {OUTCOMES[key]}" for key, share in shares[highlight].items())
    if highlight in outside:
        said += f" ({percent_text(outside[highlight], 1)} outside the taxonomy)"
    more = f" {len(names)} of {len(shares)} models are drawn; the table has all." if len(names) < len(shares) else ""
    return f"{highlight}: {said}.{more}"
