"""What the visitor looks at, where it is kept, and what is cached: session, URL and server memory.

This is the only file that touches st.session_state, st.query_params and st.cache_*. The view lives in the session and is
written to the URL on every run; a URL that we did not write (a link, a reload, the back button) wins over the session.
"""

from __future__ import annotations

import argparse
import atexit
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from hierviz.app import dataset as datasets
from hierviz.app.view import View

session, url = st.session_state, st.query_params
MOST_DATASETS = 4
LOCAL_ADDRESSES = ("127.0.0.1", "localhost", "::1")


def view():
    """The current View."""
    return session.setdefault("view", View())


def change(**changes):
    """Change the view; the URL follows at the next run or `publish`."""
    session.view = replace(view(), **changes)


def begin(page):
    """Call first in every run of a page (its path): take over a foreign URL, then write ours."""
    asked = url.to_dict()
    is_entry = session.get("page") != page
    # The address without a query, on a page that had one: the back button returned to where the page was entered.
    is_back = not asked and not is_entry and session.get("had_query", False)
    session.page = page
    if is_back or (asked and asked != session.get("published")):
        session.view = View.from_query(asked)
        found = data()
        if found is not None:
            cleaned = view().cleaned(found)
            if view().sample and not cleaned.sample:
                session.lost_sample = view().sample
            session.view = cleaned
    elif "view" not in session and startup_files():
        session.view = View(data=startup().key)
    session.had_query = bool(asked)
    if not asked and (is_entry or is_back):
        # Entering a page clears the query. Writing it anew would be a step of the browser's history of its own, in
        # which the back button gets stuck: `width` lets the browser replace the address instead.
        session.published = link()
        session.entries = session.get("entries", 0) + 1
    else:
        publish()


def publish():
    """Write the view to the URL."""
    now, there = link(), url.to_dict()
    if not there and now == session.get("published"):
        return  # the browser is about to write it: see `begin`
    if now != there:
        url.from_dict(now)
        session.had_query = bool(now)
    session.published = now


def lost_sample():
    """Id of a sample that a link named and the data do not have, until another one is chosen; None otherwise."""
    if view().sample:
        session.pop("lost_sample", None)
    return session.get("lost_sample")


def link(**changes):
    """Query parameters of the current view with some changes, for links to pages."""
    return replace(view(), **changes).to_query()


def bound(field, **widget):
    """Keywords that tie a widget to one field of the view: its key, value and callback.

    `value` is shown where the field's own value is not one of the widget's; `back` translates the widget's value into the
    field's, None for no change.
    """
    back = widget.pop("back", lambda value: value)
    key = f"widget_{field}"
    session[key] = widget.pop("value", getattr(view(), field))

    def changed():
        value = back(session[key])
        if value is not None:
            # Another selection starts with its own first sample.
            change(**{field: value}, **({"sample": ""} if field in ("outcome", "under", "order") else {}))

    return {"key": key, "on_change": changed, **widget}


def curve_start(drawn):
    """Threshold that the curve chart starts at, and its widget key; `drawn` says which chart it is.

    The chart keeps its own selection: to move its handle from here it needs a new key. The start is frozen as long as the
    key lives, or every release would build the chart anew.
    """
    session.setdefault("curve_nonce", 0)
    key = f"curves-{session.curve_nonce}-{view().data}-{drawn}"
    if key not in session and not session.pop("curve_moved", False):
        session.curve_start = view().tau
    # A button inside the fragment reruns the fragment alone, so the URL is written here.
    publish()
    return session.curve_start, key


def move_threshold(tau):
    """Set the threshold from a button and move the chart's handle there."""
    tau = round(min(max(float(tau), 0.0), 1.0), 3)
    session.curve_nonce = session.get("curve_nonce", 0) + 1
    session.curve_start, session.curve_moved = tau, True
    change(tau=tau, rule="threshold")


def dragged(event, start):
    """Threshold of the chart's selection; `start` until the first touch. Keeps it in the view and the URL."""
    hit = event.selection.get("tau") if event else None
    tau = round(float(hit[0]["tau"]), 3) if hit else start
    if tau != view().tau:
        change(tau=tau, rule="threshold")
        publish()
    return tau


# Data ------------------------------------------------------------------------------------------------------------------


@st.cache_resource(show_spinner="Running the demo's models on its pictures …")
def _demo():
    return datasets.open_demo()


@st.cache_resource
def _shelf():
    """Opened data sets by key, the same for all sessions of this server; the oldest leave first."""
    return {}


@st.cache_resource
def _upload_folder():
    folder = Path(tempfile.mkdtemp(prefix="hierviz-uploads-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@st.cache_resource(show_spinner="Reading the files …")
def _startup(files):
    return datasets.open_files(files)


def startup_files():
    """Files named on the command line that started the app, or None."""
    from hierviz.cli.files import add_app_options

    parser = argparse.ArgumentParser(add_help=False)
    add_app_options(parser)
    options, _ = parser.parse_known_args(sys.argv[1:])
    if not options.taxonomy:
        return None
    return datasets.Files(**{name: tuple(v) if isinstance(v, list) else v for name, v in vars(options).items()})


def startup():
    """The data set of `startup_files`."""
    return _startup(startup_files())


def put(data):
    """Keep an opened data set and look at it."""
    shelf = _shelf()
    shelf.pop(data.key, None)
    shelf[data.key] = data
    while len(shelf) > MOST_DATASETS:
        del shelf[next(iter(shelf))]
    session.view = View(data=data.key, tau=view().tau)


def data():
    """The Dataset of the view, or None when its key is not known here (a link from another machine, say)."""
    key = view().data
    if key == datasets.DEMO:
        return _demo()
    if startup_files() and startup().key == key:
        return startup()
    return _shelf().get(key)


def shown_models(found):
    """Keys of the models on the curves: those of the URL, else all of a few, else a first selection."""
    chosen = [name for name in view().models if name in found.models]
    if chosen:
        return chosen
    if found.key == datasets.DEMO:
        first = [
            name
            for name in ("flat-softmax", "conditional-sigmoid", "multi-label", "soft-max-margin")
            if name in found.models
        ]
        return first or list(found.models)[:4]
    return list(found.models)[:6]


def shown_model(found):
    """Key of the one model that the Example page looks at."""
    return view().model if view().model in found.models else next(iter(found.models))


def save_upload(upload):
    """Write an uploaded file to the server's private folder under its own name; returns the path."""
    if upload is None:
        return None
    folder = _upload_folder() / upload.file_id
    folder.mkdir(exist_ok=True)
    path = folder / Path(upload.name).name
    path.write_bytes(upload.getbuffer())
    return str(path)


def may_open_paths():
    """Paths on this machine may be opened only when nobody else can reach the server."""
    return st.get_option("server.address") in LOCAL_ADDRESSES


# Look ------------------------------------------------------------------------------------------------------------------

_VIEWPORT = None


def is_dark():
    """True in the dark theme."""
    return st.context.theme.type == "dark"


def width():
    """Pixels that a chart may be wide: 330 on a phone, up to 1200. Reported by the browser once per size class."""
    global _VIEWPORT
    if _VIEWPORT is None:
        _VIEWPORT = st.components.v2.component(
            "hierviz_viewport",
            js="""export default function({data, setStateValue}) {
                if (data.query && !location.search)
                    history.replaceState(history.state, "", location.pathname + "?" + data.query);
                const w = window.innerWidth;
                setStateValue("px", w < 640 ? 330 : w < 1000 ? 600 : w < 1300 ? 900 : 1200);
            }""",
        )
    # The script runs again when its data change: each entry of a page changes them.
    known = {"query": urlencode(session.get("published") or {}), "entry": session.get("entries", 0)}
    found = _VIEWPORT(key="viewport_px", data=known, default={"px": session.get("px", 1200)}, on_px_change=lambda: None)
    session.px = int(found.px or session.get("px", 1200))
    return session.px


def is_narrow():
    """True on a phone."""
    return session.px < 600


def main_width():
    """Pixels for a chart in the main column of a page with a list beside it."""
    return {1200: 800, 900: 580}.get(session.px, session.px)


def request_open():
    """Remember that Open was pressed: an upload that ends meanwhile reruns the page and would lose the press."""
    session.open_requested = True


def open_requested(done=False):
    """True until an opening that was asked for is done."""
    if done:
        session.open_requested = False
    return session.get("open_requested", False)


def first_visit(page):
    """True on the page that a session starts with, until the hint is dismissed."""
    return session.setdefault("landing", page) == page and not session.get("hint_read", False)


def dismiss_hint():
    """Do not show the hint again in this session."""
    session.hint_read = True


@st.cache_resource(max_entries=64, show_spinner=False)
def cached(name, key, _make):
    """`_make()` once per name and key; for charts and tables that are slow to build."""
    return _make()
