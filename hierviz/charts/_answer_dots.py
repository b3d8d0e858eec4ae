"""Answers of all rules and all models to one sample as dots: their probability and the win, on one axis from 0 to 1."""

from __future__ import annotations

import functools

import altair as alt

from hierviz.charts._compose import STILL, frame, layer, tooltips, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._text import shorten
from hierviz.charts.theme import ANSWERS, SMALL, answer_text, palette
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import probability_text, value_text
from hierviz.metrics.sets.node_sets import most_specific
from hierviz.taxonomy.taxonomy import NodeLists

# Pixels: a row, the widest name. What the marks are.
ROW, NAMES = 21, 190
SIGNS = (("p", "●", "probability p of the answer"), ("win", "◇", "win"))


def answer_dots(taxonomy, answers, *, dark=None, width=1000):
    """Probability of the answer and win of several answers to one sample.

    Parameters
    ----------
    taxonomy : Taxonomy
    answers : dict of str to dict of str to SampleAnswer
        By kind, such as "rule" and "model": by name, of the same sample, such as `hierviz.diagnosis.answers_by_rule` gives.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``kind, name, answer, outcome, p, win``; one row an answer. Sets have no p.

    Raises
    ------
    PredictionsError
        If there is no answer.
    """
    rows = [
        {
            "kind": kind,
            "name": name,
            "answer": _named(taxonomy, one.nodes),
            "outcome": one.outcome,
            "p": one.p,
            "win": one.win,
        }
        for kind, of_kind in answers.items()
        for name, one in of_kind.items()
    ]
    if not rows:
        raise PredictionsError("answer_dots: expected at least one answer, got none. Pass some.")
    table = frame(rows)
    return Figure(functools.partial(_drawn, rows), table, functools.partial(_sentence, rows), dark, width)


def _named(taxonomy, nodes):
    nodes = most_specific(taxonomy, NodeLists.from_lists([list(nodes)])).nodes.tolist()
    names = [taxonomy.title(node) for node in nodes]
    return "; ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") or "nothing"


def _drawn(rows, dark, width):
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    parts = [_of_kind([row for row in rows if row["kind"] == kind], kind, dark, width) for kind in kinds]
    return vconcat(*parts, spacing=14)


def _of_kind(rows, kind, dark, width):
    """A row an answer: a dot at its p with the answer next to it, and a diamond at the win."""
    look, names = palette(dark), min(NAMES, int(0.38 * width))
    wide = width - names - 24
    drawn = [_row(row, wide, look) for row in rows]
    order = [row["name"] for row in rows]
    axis = alt.Axis(labelLimit=names, title=None, ticks=False, domain=False, grid=True, gridColor=look.grid)
    y = alt.Y("name:N", sort=order, axis=axis, scale=alt.Scale(domain=order))
    marks = [f"{sign} {word}" for key, sign, word in SIGNS if any(row[key] is not None for row in rows)]
    x = functools.partial(alt.X, title=", ".join(marks) or None, scale=alt.Scale(domain=[0, 1]))
    tips = tooltips(
        {
            "name:N": kind.capitalize(),
            "answer:N": "Answer",
            "tip_outcome:N": "Outcome",
            "tip_p:N": "p",
            "tip_win:N": "Win",
        }
    )
    parts = []
    if some := [row for row in drawn if row["win"] is not None]:
        wins = alt.Chart(frame(some)).mark_point(
            shape="diamond", size=70, color=look.ink, fill=look.background, opacity=1
        )
        parts.append(wins.encode(x("win:Q"), y, tooltip=tips))
    if some := [row for row in drawn if row["p"] is not None]:
        dots = alt.Chart(frame(some)).mark_point(shape="circle", filled=True, size=80, opacity=1)
        parts.append(dots.encode(x("p:Q"), y, color=alt.Color("colour:N", scale=None), tooltip=tips))
    for side, away in (("left", 8), ("right", -8)):
        if some := [row for row in drawn if row["side"] == side]:
            words = alt.Chart(frame(some)).mark_text(fontSize=SMALL, color=look.ink, align=side, dx=away, **STILL)
            parts.append(words.encode(x("at:Q"), y, text="said:N"))
    return layer(*parts).properties(width=wide, height=ROW * len(order))


def _row(row, wide, look):
    """A row with its words, which are at the side of its dot that has more room; those of sets begin at 0."""
    at, (colour, sign) = row["p"] or 0.0, ANSWERS.get(row["outcome"], ("muted", ""))
    room = wide * max(at, 1 - at) - 14
    said = shorten(f"{sign} {row['answer']}".strip(), room, SMALL)
    texts = {"p": probability_text, "win": value_text}
    tips = {f"tip_{key}": "–" if row[key] is None else text(row[key]) for key, text in texts.items()}
    tips |= {"tip_outcome": answer_text(row["outcome"]), "colour": getattr(look, colour)}
    return {**row, **tips, "said": said, "at": at, "side": "left" if at < 0.5 else "right"}


def _sentence(rows):
    said = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        some = [row for row in rows if row["kind"] == kind]
        n, n_answers = len(some), len({row["answer"] for row in some})
        right = sum(row["outcome"] == "exact" for row in some)
        known = [row["p"] for row in some if row["p"] is not None]
        are = "are" if n_answers > 1 else "is"
        text = f"With {n} {kind}{'s' * (n != 1)} there {are} {n_answers} different answer{'s' * (n_answers != 1)}"
        text += f"; {right} of {n} {'are' if n > 1 else 'is'} exact" if any(row["outcome"] for row in some) else ""
        if known:
            text += f"; p of the answer is from {probability_text(min(known))} to {probability_text(max(known))}"
        said.append(f"{text}.")
    return " ".join(said)
