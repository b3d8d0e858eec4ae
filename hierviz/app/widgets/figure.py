"""A chart on a page: the picture, one plain sentence with it, its table and downloads one click away; the main picture."""

import contextlib
import json
import re

import numpy as np
import streamlit as st
from streamlit.dataframe_util import convert_anything_to_arrow_bytes, convert_arrow_table_to_arrow_bytes

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.slide import slide_downloads
from hierviz.app.widgets.table import download
from hierviz.charts._compose import build_unchecked
from hierviz.charts._sketch import frame_of
from hierviz.reports.view_file import SeenFigure

build_unchecked()

# Pixels of a letter, lines of a title, letters of a sentence that is none without the next.
LETTER, LINES, SHORT = 6.5, 2, 30


def main_place(width="stretch", name=""):
    """The place of the main picture of a page or tab: the browser marks it with ``data-hierviz="main"``.

    There is one at a time; `name` tells those apart of which one replaces the other in a run.
    """
    return st.container(key=f"main-picture{name}", width=width)


def part_place(name, width="stretch"):
    """The place of one of several pictures that are the main picture together, inside `main_place`."""
    return st.container(key=f"main-part-{name}", width=width)


def figure(shown, *, name, select=None, clicked=None, key=None, main=False):
    """Draw a figure with everything that belongs to it, in the theme of the page.

    Parameters
    ----------
    shown : hierviz.charts.Figure
    name : str
        File name of the downloads and key of the widgets.
    select : str, optional
        Name of a selection that reruns the page.
    clicked : callable, optional
        Called before that.
    main : bool
        Whether it is the main picture of the page: its sentence is its title then.

    Returns
    -------
    The selection state of `st.altair_chart`, or None.
    """
    rest = title(shown.sentence, shown.width) if main else shown.sentence
    with main_place("content") if main else contextlib.nullcontext():
        event = _drawn(shown, key or f"chart-{name}", select, clicked)
    below(shown, name=name, sentence=rest)
    return event


def part(shown, lead="", n=0, *, name, select, clicked=None, key):
    """One of several pictures that are the main picture together, as `figure`.

    Its title is `lead` in Markdown, with the first `n` sentences of the figure; the others are next to its table.
    """
    rest = _sentences(shown.sentence)[n:]
    if lead:
        st.markdown(" ".join([lead, *map(escape, _sentences(shown.sentence)[:n])]))
    with part_place(name, "content"):
        event = _drawn(shown, key, select, clicked)
    below(shown, name=name, note=" ".join(rest), sentence="")
    return event


def _drawn(shown, key, select, clicked):
    options = {"on_select": clicked or "rerun", "selection_mode": select} if select else {}
    return draw(written_out(shown), key=key, alt=shown.sentence, **options)


def title(sentence, width, is_first=False):
    """Write what a picture of so many pixels says above it, as far as it fits in `LINES` lines; the rest is for below.

    With `is_first` the picture comes first on a phone: all of it is for below.
    """
    if is_first and state.is_narrow():
        return sentence
    sentences = _sentences(sentence)
    n, length = 1, len(sentences[0])
    while n < len(sentences) and (length < SHORT or (length + 1 + len(sentences[n])) * LETTER <= LINES * width):
        length += 1 + len(sentences[n])
        n += 1
    if sentence:
        st.markdown(escape(" ".join(sentences[:n])))
    return " ".join(sentences[n:])


def _sentences(text):
    return re.split(r"(?<=[.!?]) (?=[A-Z*_])", text)


def written_out(shown):
    """A figure, or a chart, as the browser gets it, to be kept where it is drawn again: Altair takes long to write one out."""

    def keep(layout, write):
        return state.computed("specification", layout, write)

    spec, tables = charts.to_spec(shown, arrow_bytes, state.is_dark(), keep)
    # Streamlit squeezes a single view into its width, axes included, where the specification does not say otherwise.
    return {"autosize": {"type": "pad", "contains": "padding"}} | spec | {"datasets": tables}


def arrow_bytes(table):
    """PlainColumns, or a DataFrame, as Arrow bytes; pandas, which Streamlit asks, takes three times as long for small ones."""
    import pyarrow

    try:
        columns = [pyarrow.array(np.asarray(table[name]), from_pandas=True) for name in table]
    except pyarrow.ArrowException:
        return convert_anything_to_arrow_bytes(frame_of(table))
    return convert_arrow_table_to_arrow_bytes(pyarrow.table(columns, list(table)))


def draw(spec, **options):
    """Draw what `written_out` gave; `options` and what is returned are those of `st.vega_lite_chart`."""
    return st.vega_lite_chart(spec=spec, width="content", theme=None, **options)


def below(shown, *, name, note="", sentence=None, alt=""):
    """The sentence (that of the figure if not given), the table with a note, and the downloads of a figure drawn with `alt`."""
    dark, table = state.is_dark(), shown.table
    state.see(name, lambda: SeenFigure(name, shown, sentence or "", alt))
    if said := shown.sentence if sentence is None else sentence:
        st.markdown(escape(said))
    with st.popover("Table and downloads", icon=":material/download:", type="tertiary", key=f"more-{name}"):
        st.dataframe(table, hide_index=True, height=min(35 * (len(table) + 1) + 3, 300))
        if note:
            st.caption(escape(note))
        with st.container(horizontal=True):
            for kind, label, make in (
                ("csv", "CSV", lambda: table),
                ("png", "PNG", lambda: charts.to_png(shown, dark)),
                ("svg", "SVG", lambda: charts.to_svg(shown, dark)),
                ("vl.json", "Vega-Lite", lambda: json.dumps(charts.to_vega_lite(shown, dark))),
            ):
                download(label, make, f"{name}.{kind}", f"get-{name}-{kind}", icon="")
            slide_downloads(shown, name)
