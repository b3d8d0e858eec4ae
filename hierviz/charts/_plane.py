"""The plane of two numbers that curves, differences and parts are drawn on: axes, lines, legends, words that do not overlap."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import altair as alt
import numpy as np

from hierviz.charts._compose import STILL, frame, haloed, layer, plain_columns, tooltips
from hierviz.charts._sketch import sketched
from hierviz.charts._text import text_width
from hierviz.charts.curve_lines import tables
from hierviz.charts.theme import Palette, beside_tools

# Pixels: width of the left axis, what stays free on the right, width of one entry of a legend.
LEFT, RIGHT, ENTRY = 40, 16, 190
# Of a legend and of its lines: clear of the title of the left axis, long enough for dashes.
OF_LINES = {"symbolType": "stroke", "symbolSize": 300, "offset": 28}
# Pixels between two labels of an axis at least.
LABELS_APART = 8
# Dashes of lines, in the order in which parts get them.
DASHES = ([1, 0], [6, 4], [1.5, 3], [9, 3, 1.5, 3])


def plot_of(width):
    """Pixels of the plot in a figure of so many, below a legend and right of the left axis."""
    return max(width - LEFT - RIGHT, 120)


def left_axis(title, ticks, **more):
    """A left axis of fixed width with its title lying on top: names are read without turning the head."""
    return alt.Axis(
        title=title,
        titleAngle=0,
        titleAlign="left",
        titleAnchor="end",
        titleBaseline="bottom",
        titleX=-LEFT + 2,
        titleY=-8,
        minExtent=LEFT - 2,
        maxExtent=LEFT - 2,
        tickCount=ticks,
        **more,
    )


def by_name(channel, field, looks, plot, title=None, **look):
    """A channel of Altair by the names in a field, with its legend above a plot of so many pixels.

    `looks` is a dict of name to colour, shape or dashes; `look` has more of `alt.Legend`.
    """
    plot = beside_tools(plot)
    columns = max(1, min(len(looks), int(plot // ENTRY)))
    look = {"orient": "top", "columns": columns, "labelLimit": plot / columns - 30, "symbolOpacity": 1} | look
    scale = {"domain": list(looks), "range": list(looks.values())}
    return channel(f"{field}:N", sort=list(looks), title=title, scale=scale, legend=alt.Legend(title=title, **look))


@dataclass(frozen=True)
class Plane:
    """Two axes, and what is drawn on them from rows with ``x`` and ``y``.

    Attributes
    ----------
    look : Palette
    titles, domains : pairs, of x and y
    plot, height : float
        Pixels of the plot.
    formats : pair of str or None
        Of the numbers at the axes.
    """

    look: Palette
    titles: tuple[str, str]
    domains: tuple[tuple[float, float], tuple[float, float]]
    plot: float
    height: float
    formats: tuple[str | None, str | None] = (None, None)

    @property
    def place(self):
        """The channels ``x`` and ``y``."""
        across, up = ({} if number_format is None else {"format": number_format} for number_format in self.formats)
        scales = [{"domain": list(domain), "nice": False, "zero": False} for domain in self.domains]
        ticks = max(4, self.plot // 90)
        # In a narrow plot every other label is left out before two of them look like one.
        across |= {"grid": True, "tickSize": 4, "labelSeparation": LABELS_APART}
        return {
            "x": alt.X("x:Q", scale=scales[0], axis={"title": self.titles[0], "tickCount": ticks, **across}),
            "y": alt.Y("y:Q", scale=scales[1], axis=left_axis(self.titles[1], 5, grid=True, **up)),
        }

    def lines(self, drawn, series, **channels):
        """Lines of `curve_lines`; `series` are columns with a value for each of their numbers, which `channels` use."""
        return [
            _lines(
                table.assign(**{name: [of[k] for k in table["model"]] for name, of in series.items()}), self, **channels
            )
            for table in tables(drawn)
        ]

    def hover(self, rows, fields, place=None):
        """Invisible points that show their numbers under the pointer; `fields` as of `tooltips`, `place` if not that of here."""
        return _hover(plain_columns(rows), self, fields, place)

    def words(self, rows, **mark):
        """Words at some places with a halo, for rows that `Room.placed` gives."""
        if not rows:
            return []
        table = plain_columns(rows)
        return [_words(table, self, place, **mark) for place in (0, 1)]

    def pixel(self, row):
        """Pixels of a row from the top left corner of the plot."""
        (left, right), (low, high) = self.domains
        return (row["x"] - left) / (right - left) * self.plot, (high - row["y"]) / (high - low) * self.height

    def values(self, across, down):
        """``x`` and ``y`` of some pixels."""
        (left, right), (low, high) = self.domains
        return {"x": left + across / self.plot * (right - left), "y": high - down / self.height * (high - low)}

    def chart(self, layers, notes=()):
        """The chart of its layers, with notes above it."""
        drawn = layer(*layers).properties(width=self.plot, height=self.height)
        # A note is not broken where there is room for it in a line.
        lines = textwrap.wrap(" · ".join(note.replace(" ", "\u00a0") for note in notes), int(self.plot / 6.5))
        text = [line.replace("\u00a0", " ") for line in lines]
        title = alt.TitleParams(text, color=self.look.muted, fontSize=12, anchor="start", frame="group")
        return drawn.properties(title=title) if notes else drawn


@sketched
def _lines(table, on, **channels):
    mark = alt.Chart(table).mark_line(strokeWidth=2, strokeJoin="round", clip=True, **STILL)
    detail = [alt.Detail("model:N"), alt.Detail("part:N")]
    return mark.encode(**on.place, **channels, order=alt.Order("order:Q"), detail=detail)


@sketched
def _hover(table, on, fields, place):
    points = alt.Chart(table).mark_circle(size=160, opacity=0, aria=False)
    return points.encode(**(place or on.place), tooltip=tooltips(fields))


@sketched
def _words(table, on, place, **mark):
    """The halo of words (0), or the words (1)."""
    base = alt.Chart(table).encode(**on.place, text=alt.Text("text:N"))
    return haloed(base, on.look.background, baseline="middle", aria=False, **SPOT, **mark)[place]


# Of a text mark whose rows say on which side of their place they are written.
SPOT = {name: alt.ExprRef(f"datum.{name}") for name in ("align", "dx", "dy")}


class Room:
    """Where words can be written on a plot: inside its edges, clear of each other and of other things.

    Parameters
    ----------
    edges : (float, float, float, float)
        Left, right, top and bottom, pixels.
    size : float
        Of the font, pixels.
    bold : bool
    others : ndarray of float, shape (2, n_others)
        Places that no word may cover, pixels.
    """

    def __init__(self, edges, size, bold=False, others=((), ())):
        self.edges, self.size, self.bold, self.others, self._taken = edges, size, bold, np.asarray(others), []

    def placed(self, text, tries):
        """The first of some places that has room for a text: dict ``text, across, down, align, dx, dy``; or None.

        `tries` are tuples of x and y in pixels, align, dx and dy.
        """
        wide, half = text_width(text, self.size, self.bold), self.size * 0.78
        for x, y, align, dx, dy in tries:
            start, middle = x + dx - (wide if align == "right" else 0), y + dy
            box = start - 3, start + wide + 3, middle - half, middle + half
            left, right, top, bottom = self.edges
            inside = box[0] >= left and box[1] <= right and box[2] >= top and box[3] <= bottom
            meets = any(box[0] < b[1] and b[0] < box[1] and box[2] < b[3] and b[2] < box[3] for b in self._taken)
            across, down = self.others
            covers = ((across > box[0]) & (across < box[1]) & (down > box[2]) & (down < box[3])).any()
            if inside and not meets and not covers:
                self._taken.append(box)
                return {"text": text, "across": x, "down": y, "align": align, "dx": dx, "dy": dy}
        return None


def points(rows, place, look, fields):
    """Hollow marks whose rows have ``colour``, ``shape`` and ``size``."""
    mark = alt.Chart(frame(rows)).mark_point(strokeWidth=2, fill=look.background, fillOpacity=0.85, opacity=1)
    return mark.encode(
        **place,
        stroke=alt.Stroke("colour:N", scale=None),
        shape=alt.Shape("shape:N", scale=None),
        size=alt.Size("size:Q", scale=None),
        tooltip=tooltips(fields),
    )
