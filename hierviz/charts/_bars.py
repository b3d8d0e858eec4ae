"""Amounts of some items as bars, an item a line: values of several series, and the levels of a taxonomy."""

from __future__ import annotations

import functools

import altair as alt

from hierviz.charts._compose import STILL, frame, layer, plain_columns
from hierviz.charts._figure import Figure
from hierviz.charts._items import NARROW, item_places, places_of, tips_of
from hierviz.charts._sketch import Own, sketched
from hierviz.charts.theme import SIZE, SMALL, palette
from hierviz.messages.number_text import value_text

# Of a level of the taxonomy, both numbers of samples: title and colour.
COLUMNS = {"truths": ("Truths of this depth", "fn"), "answers": ("Answers that stop there", "path")}


def signed_bars(series, items, *, highlight=None, dark=None, width=1000):
    """Bars of the values of each item, one a series, to the left of zero where negative.

    Parameters
    ----------
    series : dict of str to sequence of float
        Name to one value an item.
    items : sequence of str
    highlight : int, optional
        Place of an item whose name is bold.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``item`` and a column a series.
    """
    values = {name: [float(value) for value in row] for name, row in series.items()}
    bold = None if highlight is None else items[highlight]
    draw = functools.partial(_signed_bars, values, list(items), bold)
    return Figure(draw, frame({"item": list(items), **values}), dark=dark, width=width)


def _signed_bars(values, items, bold, dark, width):
    look = palette(dark)
    size, at = item_places(items, dict(zip(values, look.models)), look, width, bold)
    rows = [
        {"item": item, "model": name, "value": value, "text": value_text(value)}
        for name, row in values.items()
        for item, value in zip(items, row, strict=True)
    ]
    low, high = (extreme(0.0, *(row["value"] for row in rows)) for extreme in (min, max))
    # Numbers are at the ends of the bars.
    room = (0.2 if width >= NARROW else 0.32) * (high - low) or 1.0
    ends, table = Own([low - room if low else 0, high + room if high else 0]), plain_columns(rows)
    zero = _zero(plain_columns({"value": [0.0]}), ends, look)
    return layer(_bars(table, at, ends, 1), zero, _at_ends(table, at, ends, SMALL)).properties(**size)


def _amount(ends):
    """The channel of amounts, whose numbers are next to their bars."""
    return alt.X("value:Q", axis=None, scale=alt.Scale(domain=ends, nice=False))


@sketched
def _bars(table, at, ends, radius, tooltip=None):
    bars = alt.Chart(table).mark_bar(cornerRadius=radius, **({} if tooltip else STILL))
    return bars.encode(_amount(ends), **places_of(*at), **({"tooltip": tips_of(tooltip)} if tooltip else {}))


@sketched
def _zero(table, ends, look):
    return alt.Chart(table).mark_rule(color=look.axis, **STILL).encode(_amount(ends))


@sketched
def _at_ends(table, at, ends, size):
    """Numbers at the ends of bars, which go to the left where they are negative."""
    (_, _, look, *_), is_left, places = at, "datum.value < 0", places_of(*at)
    side = {"align": alt.ExprRef(f"{is_left} ? 'right' : 'left'"), "dx": alt.ExprRef(f"{is_left} ? -5 : 5")}
    words = alt.Chart(table).mark_text(**side, fontSize=size, color=look.ink, tooltip=None)
    return words.encode(_amount(ends), places["y"], places["yOffset"], text=alt.Text("text:N"))


def level_bars(levels, *, dark=None, width=800):
    """Pairs of bars for every level of a taxonomy, all on one scale: truths that are classes of it, answers that stop there.

    Parameters
    ----------
    levels : SubtreeLevels
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        The number of classes of a level is next to its depth. Its table: that of `SubtreeLevels.to_frame`.
    """
    table = frame(dict(levels.to_frame().items()))
    return Figure(functools.partial(_level_bars, table), table, lambda: _levels_said(levels), dark, width)


def _level_bars(table, dark, width):
    look, rows = palette(dark), table[table["n_nodes"] > 0]
    items = [
        f"depth {depth}\n{n:,} {'class' if n == 1 else 'classes'}"
        for depth, n in zip(rows["depth"].tolist(), rows["n_nodes"].tolist())
    ]
    colours = {title: look.outcome(colour) for title, colour in COLUMNS.values()}
    size, at = item_places(items, colours, look, width)
    # Large enough to compare, in a drawing that fits a screen.
    size["height"] = Own(len(items) * min(64, max(36, 500 // max(len(items), 1))))
    pairs = [
        {"item": item, "model": title, "value": int(value), "text": f"{value:,}"}
        for key, (title, _) in COLUMNS.items()
        for item, value in zip(items, rows[key].tolist())
    ]
    tips = {"item:N": "Level", "model:N": "What", "text:N": "Samples"}
    # Numbers are at the ends of the bars.
    most = max((row["value"] for row in pairs), default=0) or 1
    ends, table = Own([0, most * (1.1 if width >= NARROW else 1.25)]), plain_columns(pairs)
    return layer(_bars(table, at, ends, 1, tips), _at_ends(table, at, ends, SIZE - 1)).properties(**size)


def _levels_said(levels):
    """How large the taxonomy is and where truths and answers are, in words."""
    truths, answers = int(levels.truths.argmax()), int(levels.answers.argmax())
    said = f"{levels.n_nodes.sum():,} classes on {(levels.n_nodes > 0).sum()} levels, {levels.n_leaves.sum():,} of them leaves; "
    said += f"{levels.n_supported.sum():,} have a truth at or below them. "
    n_truths, n_answers = int(levels.truths[truths]), int(levels.answers[answers])
    if n_truths:
        most = (
            f", most answers of depth {answers} ({n_answers:,})" if n_answers else "; no answer is one of these classes"
        )
        said += f"Most truths are classes of depth {truths} ({n_truths:,}){most}."
    return said.strip()
