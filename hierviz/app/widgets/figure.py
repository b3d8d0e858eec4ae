"""A chart on a page: the picture, one plain sentence under it, and its table and downloads one click away."""

import json

import streamlit as st
from streamlit.dataframe_util import convert_anything_to_arrow_bytes

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.slide import slide_downloads
from hierviz.app.widgets.table import download
from hierviz.charts._compose import build_unchecked

build_unchecked()


def figure(shown, *, name, select=None, clicked=None, key=None):
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

    Returns
    -------
    The selection state of `st.altair_chart`, or None.
    """
    options = {"on_select": clicked or "rerun", "selection_mode": select} if select else {}
    event = draw(written_out(shown), key=key or f"chart-{name}", alt=shown.sentence, **options)
    below(shown, name=name)
    return event


def written_out(shown):
    """A figure, or a chart, as the browser gets it, to be kept where it is drawn again: Altair takes long to write one out."""
    spec, tables = charts.to_spec(charts.finish(shown, state.is_dark()), convert_anything_to_arrow_bytes)
    # Streamlit squeezes a single view into its width, axes included, where the specification does not say otherwise.
    return {"autosize": {"type": "pad", "contains": "padding"}} | spec | {"datasets": tables}


def draw(spec, **options):
    """Draw what `written_out` gave; `options` and what is returned are those of `st.vega_lite_chart`."""
    return st.vega_lite_chart(spec=spec, width="content", theme=None, **options)


def below(shown, *, name, note="", sentence=None):
    """The sentence (that of the figure if not given), the table with a note, and the downloads of a figure."""
    dark, table = state.is_dark(), shown.table
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
