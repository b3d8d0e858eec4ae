"""A chart with its table and one plain sentence: one object, from one computation, which shows itself in a notebook.

It does so with the network off: an iframe carries what it needs, the drawing library once a notebook.
"""

from __future__ import annotations

import html
import re
import sys
from functools import cached_property
from string import Template
from typing import Any

from hierviz.charts._sketch import made
from hierviz.charts.export import NARROW, WIDE, browser_library, looks_of, packed, to_svg
from hierviz.charts.scripts import LADDER, ZOOM, script_of, text_of
from hierviz.charts.theme import drawn


class Figure:
    """A chart, the table behind it and what it says in words, each made when it is first asked for.

    A notebook shows it; `hierviz.show` and the functions of `hierviz.charts` that make files take it.

    Parameters
    ----------
    draw : callable
        Takes `dark` and `width`, gives an unconfigured Altair chart, see `theme.finish`, a Sketch of one, or a Vega specification
        (dict).
    table : DataFrame, or callable without arguments that gives one
    sentence : str, or callable without arguments that gives one
    dark : bool, optional
        None: light, and in a notebook its theme.
    width : int
        Pixels.
    still : callable, optional
        Takes `dark`, `width` and `height`, gives the chart as it is on a slide with that much room: without handles and the like.
    """

    # Whether its place in a notebook is one that is zoomed into, see `zoom_record`.
    is_zoomed = False

    def __init__(self, draw, table, sentence="", dark=None, width=1000, *, still=None):
        self._draw, self._table, self._sentence = draw, table, sentence
        self.dark, self.width, self.still = dark, width, still
        self._sketches = {}

    @cached_property
    def chart(self):
        """The Altair chart, unconfigured; of `example` a Vega specification."""
        return made(self.sketch(self.dark))

    @cached_property
    def table(self):
        """The numbers of the chart: DataFrame."""
        return self._table() if callable(self._table) else self._table

    @cached_property
    def sentence(self):
        """What the chart says, in words; empty where it says no more than its table."""
        return self._sentence() if callable(self._sentence) else self._sentence

    def draw(self, dark=None, width=None):
        """The chart in another theme or width; `dark` and `width` are those of the figure where they are None."""
        dark, width = bool(self.dark if dark is None else dark), self.width if width is None else width
        return self.chart if (dark, width) == (bool(self.dark), self.width) else made(self._draw(dark, width))

    def sketch(self, dark=None):
        """What `draw` gives of its width: the chart, or a Sketch where it is not made yet; None: of the theme of the figure."""
        dark = bool(self.dark if dark is None else dark)
        if dark not in self._sketches:
            self._sketches[dark] = self._draw(dark, self.width)
        return self._sketches[dark]

    def looks(self, themes=(False, True), wide=WIDE):
        """What the browser needs to draw it in some themes, and no wider than so many pixels: see `looks_of`."""
        return looks_of(self.draw, themes, wide)

    def _repr_html_(self):
        return show(self)._repr_html_()

    def __repr__(self):
        return f"<hierviz figure: {self.sentence or f'{len(self.table)} rows'}>"


# Pixels of the path above a picture that is zoomed into, and of the words below it.
AROUND = 80
# Programs and styles of figures that are no charts, by what `looks` of them holds.
PROGRAMS = {"record": (LADDER, ("ladder.css",)), "zoom": (ZOOM, ("zoom.css",))}


class Shown:
    """What `show` returns: notebooks draw it, and `html` is a page of its own."""

    # Cell and execution that carry the drawing library for the other cells of this notebook.
    carrier: tuple[str, str] | None = None

    def __init__(self, figure, width, height, library=None):
        self._packed = packed(figure)
        self._kind = next((kind for kind in PROGRAMS if kind in figure), "")
        # What is drawn without the library carries none.
        self.width, self.height, self._library = width, height, False if self._kind == "zoom" else library

    @property
    def html(self) -> str:
        """A page that needs nothing else."""
        return self._page(self._kind != "zoom")

    def _page(self, has_library):
        scripts, styles = PROGRAMS.get(self._kind, ((), ()))
        return Template(text_of("figure.html").rstrip()).substitute(
            style="".join(map(text_of, (*styles, "figure.css"))),
            library=f'<script id="library">{browser_library()}</script>' if has_library else "",
            figure=script_of(*scripts, "figure.js"),
            packed=self._packed,
        )

    def _repr_html_(self):
        page = self._page(needs_library() if self._library is None else self._library)
        return (
            f'<iframe srcdoc="{html.escape(page)}" width="{self.width}" height="{self.height}" '
            'style="border:0;max-width:100%" title="hierviz chart"></iframe>'
        )

    def __repr__(self):
        return f"<hierviz chart, {self.width} x {self.height}>"


def show(chart: Any, dark: bool | None = None, *, library: bool | None = None) -> Shown:
    """Show a chart in a notebook; works offline, and the keyboard reaches its handle.

    Parameters
    ----------
    chart : Figure, or altair chart
        That of `example` fills the width of its cell.
    dark : bool, optional
        None: that of the figure, or the theme of the notebook, which the chart follows; an Altair chart stays as it is.
    library : bool, optional
        Whether this cell carries the drawing library (0.9 MB). None: once a notebook where the front end names its cells
        (JupyterLab does), else in every cell.

    Returns
    -------
    Shown
        ``_repr_html_`` is an iframe sized to the chart, ``html`` a page of its own, with the library.

    Notes
    -----
    The first cell that shows a chart carries the library for the others. Without it they show a message.
    """
    if isinstance(chart, Figure) and chart.is_zoomed:
        dark = chart.dark if dark is None else dark
        figure = chart.looks((False, True) if dark is None else (bool(dark),))
        return Shown(figure, "100%", figure["room"] + AROUND)
    shown, is_dark = drawn(chart, dark)
    size = re.findall(r'<svg[^>]*? width="([\d.]+)" height="([\d.]+)"', to_svg(shown, is_dark))[0]
    width, height = map(float, size)
    if shown is chart:
        figure = looks_of(lambda *_: chart, (is_dark,), NARROW)
    else:
        dark = chart.dark if dark is None else dark
        figure = chart.looks((False, True) if dark is None else (bool(dark),), chart.width)
    if "record" in figure:
        return Shown(figure, "100%", round(height) + 8, library)
    figure["wide"] = round(width)
    # Bound inputs but the threshold's are below the picture, one a line.
    params = next(iter(figure["specs"].values())).get("params", ())
    n_inputs = sum(bool(param.get("bind")) and param["name"] != "chosen" for param in params)
    return Shown(figure, round(width) + 8, round(height) + 8 + (14 + 28 * n_inputs if n_inputs else 0), library)


def needs_library():
    """Whether the cell that runs has to carry the library: where cells have no names, always."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    request = shell.get_parent() if hasattr(shell, "get_parent") else {}
    cell, execution = request.get("metadata", {}).get("cellId"), request.get("header", {}).get("msg_id")
    if not cell:
        return True
    if Shown.carrier is None or (Shown.carrier[0] == cell and Shown.carrier[1] != execution):
        Shown.carrier = cell, execution
        return True
    return False
