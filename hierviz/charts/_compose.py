"""Charts put together: `alt.layer`, `alt.hconcat` and `alt.vconcat` of views that are written out first; and what marks share.

Altair copies every view once at each level of nesting, and its marks and channels carry about a hundred fields each that
nobody set. Written out to those that were set, as objects that it does not look into, a figure of many views is built in a
third of the time. For the same reason channels are `alt.YValue(3)` and `alt.X2("x2:Q")`, not `alt.value(3)` and ``"x2:Q"``,
of which Altair finds the class by looking at all that it has.
"""

from __future__ import annotations

from typing import ClassVar

import altair as alt
import numpy as np
import pandas as pd
from altair.utils import schemapi

from hierviz.charts._sketch import PlainColumns, put_together
from hierviz.charts.theme import FONT

# Marks that the pointer and screen readers pass over; the colour that a row has itself.
STILL = {"tooltip": None, "aria": False}
OWN_COLOUR = alt.Color("colour:N", scale=None)


def build_unchecked():
    """From now on Altair does not check each part of a chart when it is made, which takes longer than all else.

    The tests check the whole charts.
    """
    schemapi.disable_debug_mode()


def layer(*charts, **keywords):
    """Views on top of each other: alt.LayerChart, or a Sketch of one."""
    return put_together(_layer, charts, keywords)


def hconcat(*charts, **keywords):
    """Views next to each other: alt.HConcatChart, or a Sketch of one."""
    return put_together(_hconcat, charts, keywords)


def vconcat(*charts, **keywords):
    """Views below each other: alt.VConcatChart, or a Sketch of one."""
    return put_together(_vconcat, charts, keywords)


def _layer(*charts, **keywords):
    return alt.layer(*map(_written_out, charts), **keywords)


def _hconcat(*charts, **keywords):
    return alt.hconcat(*map(_written_out, charts), **keywords)


def _vconcat(*charts, **keywords):
    return alt.vconcat(*map(_written_out, charts), **keywords)


# What Vega-Lite calls the charts of those that put them together.
KINDS = {_layer: "layer", _hconcat: "hconcat", _vconcat: "vconcat"}


class _Written:
    """A mark or channels as they will be written: Altair copies dicts with all they hold, other objects not at all.

    It has what Altair asks of them.
    """

    _schema: ClassVar[dict] = {"type": "object"}

    def __init__(self, content):
        self._content = content

    def to_dict(self, *_, **__):
        """A copy of what will be written."""
        return _copied(self._content)

    def _get(self, name, default=alt.Undefined):
        return self._content.get(name, default)

    def __repr__(self):
        # Names that Altair gives to views are made of it.
        return repr(self._content)


class _View(alt.Chart):
    """A view whose parts copies share, as Altair changes none of them."""

    def __deepcopy__(self, _):
        return self.copy(deep=False)


def _copied(part):
    if isinstance(part, dict):
        return {key: _copied(value) for key, value in part.items()}
    return [_copied(value) for value in part] if isinstance(part, list) else part


def _written_out(chart):
    if not isinstance(chart, alt.Chart):
        return chart
    with schemapi.debug_mode(False):
        written = _View(*chart._args, **chart._kwds)
    if isinstance(chart.mark, alt.MarkDef):
        written.mark = _Written(chart.mark.to_dict(validate=False))
    if isinstance(chart.encoding, alt.FacetedEncoding):
        # Types of fields are inferred from the data here.
        written.encoding = _Written(chart.encoding.to_dict(validate=False, context={"data": chart.data}))
    return written


def tooltips(fields):
    """Tooltips in the order of their fields: a dict of field with its type, as in ``"x:Q"``, to title or (title, format)."""
    pairs = [(field, (title, None) if isinstance(title, str) else title) for field, title in fields.items()]
    return [
        alt.Tooltip(field, title=title, **({"format": number_format} if number_format else {}))
        for field, (title, number_format) in pairs
    ]


def haloed(base, background, colour=None, **mark):
    """Words above lines, with a halo of the background: two layers. `colour` None: that of each row."""
    mark = {"fontSize": 12, "font": FONT, "tooltip": None, **mark}
    halo = base.mark_text(**mark | {"stroke": background, "strokeWidth": 4, "strokeJoin": "round", "aria": False})
    return [halo, base.mark_text(color=colour, **mark) if colour else base.mark_text(**mark).encode(color=OWN_COLOUR)]


def frame(rows):
    """DataFrame of plain columns: numbers, text and truth values, with nan and infinities kept as null.

    Parameters
    ----------
    rows : dict of str to sequence, or list of dict
        Columns of equal length, or one dict a row.

    Returns
    -------
    pandas.DataFrame
        A column of integers with gaps becomes float; a column of text keeps None for what is missing. It shares no memory with
        the columns.
    """
    return plain_columns(rows).frame.copy()


def plain_columns(rows):
    """As `frame`, for what is drawn and not shown as a table: PlainColumns."""
    if isinstance(rows, list):
        names = dict.fromkeys(name for row in rows for name in row)
        rows = {name: [row.get(name) for row in rows] for name in names}
    return PlainColumns({name: _column(values) for name, values in rows.items()})


def _column(values):
    """Plain values of a column, ndarray; what lists hold is found out here: pandas takes several times as long."""
    if isinstance(values, list):
        kinds = set(map(type, values))
        if kinds <= {str, type(None)}:
            texts = np.empty(len(values), dtype=object)
            texts[:] = values
            return texts
        if kinds <= {int, float} or kinds == {bool}:
            values = np.array(values)
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiub":
        values = pd.Series(values)
        if pd.api.types.is_float_dtype(values.dtype):
            values = values.to_numpy(dtype=float, na_value=np.nan)
        elif pd.api.types.is_numeric_dtype(values.dtype):
            values = values.to_numpy()
        else:
            return values.astype(object).where(values.notna(), None).to_numpy()
    if values.dtype.kind == "f" and not (is_known := np.isfinite(values)).all():
        return np.where(is_known, values, np.nan)
    return values
