"""Views that Altair makes when they are asked for, so that a picture drawn again with other rows is written out once.

Altair takes ten times as long to build and write out a figure as its rows take. A `Sketch` is a view, or several put together,
that is not made yet: what it is drawn with besides its tables is its `layout`, and figures of one layout have one
specification but for their data and for those settings that are an `Own`. It stands for the chart: whatever a chart can do, it
is made for.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from types import SimpleNamespace
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from altair.utils.schemapi import SchemaBase

PLAIN = (str, int, float, bool, type(None), SchemaBase)


@dataclass(frozen=True, eq=False)
class Own:
    """A setting of one picture, such as the words of an axis: no part of the layout, since `make` only hands it on.

    Attributes
    ----------
    value : object
        What Vega-Lite takes: number, text, list or dict.
    """

    value: Any


class PlainColumns(dict):
    """Columns of a table that is drawn, ndarrays of shape (n_rows,) by name, see `_compose.plain_columns`.

    A DataFrame takes as long to make as the rest of a picture that is drawn again, and Altair alone needs one.
    """

    @functools.cached_property
    def frame(self):
        """The same as a DataFrame, whose columns of text are of objects."""
        index = pd.RangeIndex(len(next(iter(self.values()), ())))
        # Pandas would look at each text to find out its kind, and at each index.
        of_kinds = {
            name: pd.Series(of, index=index, dtype=object, copy=False) if of.dtype == object else of
            for name, of in self.items()
        }
        return pd.DataFrame(of_kinds, index=index, copy=False)


def frame_of(table):
    """The DataFrame of PlainColumns; another table as it is."""
    return table.frame if isinstance(table, PlainColumns) else table


def columns_of(table, known):
    """Those of the known PlainColumns whose DataFrame this is; else the table as it is."""
    return next((one for one in known if isinstance(one, PlainColumns) and vars(one).get("frame") is table), table)


class Slot(str):
    """Where a table, or the value of an `Own`, goes into a specification."""

    def __new__(cls, place):
        made = super().__new__(cls, place)
        made.place = place
        return made


@dataclass(frozen=True, eq=False)
class Sketch:
    """A chart that `make` gives of a table, or of other sketches, and of settings.

    Attributes
    ----------
    make : callable
        A function of a module: it is a part of the layout by its name.
    table : PlainColumns, DataFrame or None
    parts : tuple of Sketch or alt.Chart
    settings : tuple of (tuple, dict)
        Arguments and keywords besides those: numbers, texts, lists and dicts of them, records of a look or a plane, channels; an
        `Own` by itself or in lists and dicts.
    """

    make: Callable
    table: Any
    parts: tuple
    settings: tuple

    @functools.cached_property
    def chart(self):
        """The chart, made when it is first asked for."""
        if self.table is not None:
            return made(self.made_of(frame_of(self.table)))
        arguments, keywords = self._filled_settings
        return self.make(*map(made, self.parts), *arguments, **keywords)

    def made_of(self, table):
        """What `make` gives of a table, its own or one for it: a chart, or a Sketch of several."""
        arguments, keywords = self._filled_settings
        return self.make(table, *arguments, **keywords)

    @property
    def _filled_settings(self):
        return _own_filled(self.settings, lambda own: own.value)

    @property
    def form(self):
        """The same with a `Slot` for each `Own`, whose place is ("own", its number in `values`)."""
        numbers = itertools.count()
        return self._filled(lambda own: Slot(("own", next(numbers))))

    @property
    def plain(self):
        """The same with the value of each `Own`."""
        return self._filled(lambda own: own.value)

    @property
    def values(self):
        """The values of all `Own`, in the order of their slots: list."""
        found = []
        self._filled(lambda own: found.append(own.value))
        return found

    def _filled(self, fill):
        parts = tuple(part._filled(fill) if isinstance(part, Sketch) else part for part in self.parts)
        return Sketch(self.make, self.table, parts, _own_filled(self.settings, fill))

    @functools.cached_property
    def has_layout(self):
        """Whether all its parts are sketches."""
        return all(isinstance(part, Sketch) and part.has_layout for part in self.parts)

    @functools.cached_property
    def layout(self):
        """What the specification depends on, the rows aside: a text; of what `has_layout`."""
        parts = ",".join(part.layout for part in self.parts)
        return f"{self.make.__module__}.{self.make.__qualname__}({parts};{_text(self.settings)})"

    @functools.cached_property
    def tables(self):
        """The tables of all sketched views, in order: list of PlainColumns or DataFrame."""
        own = [] if self.table is None else [self.table]
        return own + [table for part in self.parts if isinstance(part, Sketch) for table in part.tables]

    def properties(self, **keywords):
        """The same with properties, as a chart has them."""
        return Sketch(with_properties, None, (self,), ((), keywords))

    def __getattr__(self, name):
        if name.startswith("__"):  # as asked by copies
            raise AttributeError(name)
        return getattr(self.chart, name)


def _own_filled(value, fill):
    """A setting with what `fill` gives for each `Own`."""
    if isinstance(value, Own):
        return fill(value)
    if isinstance(value, dict):
        return {key: _own_filled(part, fill) for key, part in value.items()}
    return type(value)(_own_filled(part, fill) for part in value) if type(value) in (tuple, list) else value


def with_properties(chart, **keywords):
    """A chart with properties: Altair's method would copy every view and check each value, which may be a slot."""
    made = chart.copy(deep=False)
    for name, value in keywords.items():
        setattr(made, name, value)
    return made


def sketched(make):
    """A function of a table and settings that makes a view: what it gives is a Sketch."""

    @functools.wraps(make)
    def sketch(table, *arguments, **keywords):
        return Sketch(make, table, (), (arguments, keywords))

    return sketch


def put_together(make, charts, keywords):
    """What `make` gives of several charts: a Sketch where all of them are or are views, else the chart."""
    if all(isinstance(chart, Sketch | alt.Chart) for chart in charts):
        return Sketch(make, None, tuple(charts), ((), keywords))
    return make(*map(made, charts), **keywords)


def made(chart):
    """The chart itself, where it is a Sketch of one."""
    return chart.chart if isinstance(chart, Sketch) else chart


def _text(value):
    """A setting as a text that differs where it does."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, Own):
        return "…"
    if isinstance(value, tuple | list):
        return f"({','.join(map(_text, value))})"
    if isinstance(value, dict):
        return f"{{{','.join(f'{key!r}:{_text(part)}' for key, part in value.items())}}}"
    if isinstance(value, SimpleNamespace):
        return _text(vars(value))
    if is_dataclass(value):
        return f"{type(value).__name__}({','.join(_text(getattr(value, part.name)) for part in fields(value))})"
    raise TypeError(f"sketch: expected plain settings, got {type(value).__name__}. Pass it with the rows.")
