"""A chart with its table and one plain sentence: one object, from one computation, which shows itself in a notebook."""

from __future__ import annotations

from functools import cached_property

from hierviz.charts._show import show


class Figure:
    """A chart, the table behind it and what it says in words, each made when it is first asked for.

    A notebook shows it; `hierviz.show` and the functions of `hierviz.charts` that make files take it.

    Parameters
    ----------
    draw : callable
        Takes `dark` and `width`, gives an unconfigured Altair chart; see `theme.finish`.
    table : DataFrame, or callable without arguments that gives one
    sentence : str, or callable without arguments that gives one
    dark : bool, optional
        None: light, and in a notebook its theme.
    width : int
        Pixels.
    """

    def __init__(self, draw, table, sentence="", dark=None, width=1000):
        self._draw, self._table, self._sentence = draw, table, sentence
        self.dark, self.width = dark, width

    @cached_property
    def chart(self):
        """The Altair chart, unconfigured."""
        return self._draw(bool(self.dark), self.width)

    @cached_property
    def table(self):
        """The numbers of the chart: DataFrame."""
        return self._table() if callable(self._table) else self._table

    @cached_property
    def sentence(self):
        """What the chart says, in words; empty where it says no more than its table."""
        return self._sentence() if callable(self._sentence) else self._sentence

    def draw(self, dark=None, width=None):
        """The Altair chart in another theme or width; `dark` and `width` are those of the figure where they are None."""
        dark, width = bool(self.dark if dark is None else dark), self.width if width is None else width
        return self.chart if (dark, width) == (bool(self.dark), self.width) else self._draw(dark, width)

    def _repr_html_(self):
        return show(self)._repr_html_()

    def __repr__(self):
        return f"<hierviz figure: {self.sentence or f'{len(self.table)} rows'}>"
