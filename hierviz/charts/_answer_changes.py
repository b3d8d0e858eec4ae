"""Answers before and after as two stacked columns, with a ribbon for each flow between their states, as high as its samples."""

from __future__ import annotations

import functools

from hierviz.charts._blocks import LINE, spread
from hierviz.charts._canvas import boxes, legend, texts
from hierviz.charts._compose import layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._ribbons import ribbon_hover, ribbons, stacked_ends
from hierviz.charts._text import shorten, wrap_words
from hierviz.charts._value_colours import mixed
from hierviz.charts.theme import ANSWERS, SIZE, SMALL, palette
from hierviz.comparison._answer_changes import OUTCOME_OF, SAME, STATES, AnswerChanges, flow_states
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import percent_text
from hierviz.taxonomy.checks import check_kind, check_whole

# Selection that a click makes; pixels of the names at the sides, of a column, above them, between blocks, of the lowest
# ribbon with its number.
CLICKED = "flow"
SIDE, COLUMN, HEAD, GAP, LOWEST = 190, 14, 24, 10, 12
# Opacity of ribbons, of those of the same answers, and of one that is chosen.
PALE, PALEST, CHOSEN = 0.5, 0.16, 0.85


def answer_changes(found, *, chosen=None, whole=False, height=360, dark=None, width=1000):
    """Flows of answers between outcomes from one threshold, rule or model to another.

    Parameters
    ----------
    found : AnswerChanges
    chosen : str, optional
        Flow that is drawn stronger, as in ``exact-coarse``.
    whole : bool
        Draw the answers that stay the same too, the palest ribbons.
    height : int
        Pixels of the columns and their head.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``from, to, answer, samples, share``, one row a flow. A click on a ribbon selects its ``flow``.

    Raises
    ------
    PredictionsError
        If `found` is no AnswerChanges, there is no such flow, or no answer changes.
    """
    check_kind("found", found, AnswerChanges, "hierviz.comparison.answer_changes makes it.")
    check_whole("height", height, 150)
    if chosen is not None:
        flow_states(chosen)
    if not found.n_changed and not whole:
        raise PredictionsError(f"{found.sentence} Compare others, such as thresholds that are further apart.")
    draw = functools.partial(_drawn, found, chosen, whole, height)
    return Figure(draw, found.to_frame, lambda: found.sentence, dark, width)


def _drawn(found, chosen, whole, height, dark, width):
    look, n = palette(dark), found.n_samples
    flows = {flow: count for flow, count in found.flows.items() if whole or not flow.endswith(f"-{SAME}")}
    states = [flow_states(flow) for flow in flows]
    moves = [(i, i if j is None else j, count) for (i, j), count in zip(states, flows.values(), strict=True)]
    sums = [_sums(moves, side) for side in (0, 1)]
    gaps = GAP * (max(map(len, sums)) - 1)
    scale = (height - HEAD - gaps) / sum(flows.values())
    tops = [_tops(of, scale) for of in sums]
    side = min(SIDE, 0.31 * width)
    left, right = side + COLUMN, width - side - COLUMN
    colours = {i: _colour(key, look) for i, key in enumerate(STATES)}
    blocks, words = [], []
    for which, (of, top) in enumerate(zip(sums, tops, strict=True)):
        x = (side, right)[which]
        blocks += [
            {"x": x, "x2": x + COLUMN, "y": top[i], "y2": top[i] + scale * count, "colour": colours[i]}
            for i, count in of.items()
        ]
        words += _names(found, which, of, top, scale, height, side, width, look, whole)
    rows = []
    for flow, (i, j), place, count in zip(
        flows, states, stacked_ends(moves, *tops, scale), flows.values(), strict=True
    ):
        is_chosen = flow == chosen
        rows.append(
            {
                **place,
                CLICKED: flow,
                "colour": colours[i if j is None else j],
                "opacity": CHOSEN if is_chosen else PALEST if j is None else PALE,
                "tip": flow_text(flow),
                "samples": f"{count:,} of {n:,} ({percent_text(count / max(n, 1), 1)})",
            }
        )
        if place["y2"] - place["y"] >= LOWEST:
            at = {"x": left + 8, "y": (place["y"] + place["y2"]) / 2 + 1, "weight": 600, "size": SMALL}
            words.append({**at, "text": f"{count:,}", "colour": look.ink})
    drawing = layer(
        ribbons(rows, left, right, width, height),
        boxes(blocks, width, height, radius=0),
        texts(words, width, height),
        ribbon_hover(rows, [], left, right, width, height, {"tip": "Flow", "samples": "Samples"}, CLICKED),
    ).properties(width=width, height=height)
    return vconcat(legend([(None, _items(found, whole))], width, dark=dark), drawing, spacing=6)


def flow_text(flow):
    """A flow in words."""
    i, j = flow_states(flow)
    words = list(STATES.values())
    if j is None:
        return f"{words[i]}, the same answer"
    return f"{words[i]} → {words[j]}" if i != j else f"{words[i]} → another class, {words[j]} too"


def _colour(key, look):
    fill = look.outcome(ANSWERS[OUTCOME_OF[key]][0])
    return mixed(look.background, fill, 0.62) if key == "wrong_later" else fill


def _sums(moves, side):
    """Answers by state on one side, of those that have some, in the order of the states."""
    found = {}
    for move in moves:
        found[move[side]] = found.get(move[side], 0) + move[2]
    return dict(sorted(found.items()))


def _tops(of, scale):
    tops, y = {}, float(HEAD)
    for i, count in of.items():
        tops[i] = y
        y += scale * count + GAP
    return tops


def _names(found, which, of, tops, scale, height, side, width, look, whole):
    """Rows of `texts` with the states of one side next to their blocks, and what the side is."""
    keys, totals = list(STATES), found.totals[which].tolist()
    at = {"x": side - 8, "align": "right"} if which == 0 else {"x": width - side + 8, "align": "left"}
    room = side - 10
    labels = []
    for i, count in of.items():
        said = f"{ANSWERS[OUTCOME_OF[keys[i]]][1]} {STATES[keys[i]]}"
        lines = [{"text": line, "weight": 600} for line in wrap_words(said, room, SMALL, 3, True)]
        counts = f"{count:,}" if whole else f"{count:,} of {totals[i]:,}"
        labels.append((tops[i] + scale * count / 2, [*lines, {"text": counts}]))
    tall = [LINE * len(lines) for _, lines in labels]
    placed = spread(
        [middle - HEAD - high / 2 for (middle, _), high in zip(labels, tall, strict=True)], tall, height - HEAD
    )
    head = {**at, "y": 9, "text": shorten(found.labels[which], side + 0.2 * width, SIZE, True), "weight": 600}
    if which == 0:
        head |= {"x": side + COLUMN, "align": "right"} if side > 150 else {"x": 0, "align": "left"}
    rows = [{**head, "colour": look.ink}]
    for (_, lines), top in zip(labels, placed, strict=True):
        for number, line in enumerate(lines):
            y = HEAD + top + LINE * (number + 0.5)
            rows.append({**at, **line, "y": y, "size": SMALL, "colour": look.ink})
    return rows


def _items(found, whole):
    stay = found.n_samples - found.n_changed
    notes = ["height: answers", "colour: what they become"]
    notes.append("palest: the same answer" if whole else f"{stay:,} that stay the same are not drawn")
    return [{"kind": "note", "label": note} for note in notes]
