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
from hierviz.app.numbers import escape
from hierviz.app.uploads import Uploads
from hierviz.app.view import View, own_thresholds

session, url = st.session_state, st.query_params
MOST_DATASETS = 4
MOST_RESULTS = 32
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


def bound_threshold(model, **widget):
    """As `bound`, for the threshold of a model."""
    key = "widget_tau"
    session[key] = view().tau_of(model)

    def changed():
        session.view = view().with_tau(round(float(session[key]), 12), model)

    return {"key": key, "on_change": changed, **widget}


def curve_start(drawn, models):
    """What the curve chart starts at, and its widget key; `drawn` says which chart it is.

    The chart keeps its own selection: to move its handle from here it needs a new key. The start is frozen as long as the
    key lives, or every release would build the chart anew.

    Parameters
    ----------
    drawn : str
    models : list of str
        Keys of the models on it, in order.

    Returns
    -------
    start : View
        Of which the thresholds and the model count.
    key : str
    """
    session.setdefault("curve_nonce", 0)
    key = f"curves-{session.curve_nonce}-{view().data}-{drawn}"
    if key not in session and not session.pop("curve_moved", False):
        shown = shown_model_of(models)
        session.curve_start = replace(view(), tau=view().tau_of(shown), model=shown)
    # A button inside the fragment reruns the fragment alone, so the URL is written here.
    publish()
    return session.curve_start, key


def move_threshold(tau, model):
    """Set the threshold from a button and move the chart's handle there."""
    tau = min(max(float(tau), 0.0), 1.0)
    session.curve_nonce = session.get("curve_nonce", 0) + 1
    session.view = replace(view().with_tau(tau, model), rule="threshold")
    session.curve_start, session.curve_moved = replace(view(), model=model), True


def dragged(event, start, models):
    """Take over what was chosen on the chart: the threshold and the model. `start` until the first touch.

    Returns
    -------
    View
        Of which the thresholds and the model count.
    """
    chosen = event.selection if event else {}
    tau, model = (chosen.get(name) or [{}] for name in ("tau", "model"))
    place = int(model[0].get("model", models.index(start.model)))
    model = models[place] if 0 <= place < len(models) else start.model
    tau = min(max(float(tau[0].get("tau", start.tau)), 0.0), 1.0)
    seen, session.curve_seen = session.get("curve_seen"), (start, model, tau)
    if model != start.model or view().model:
        change(model=model)
    # The model may arrive before its own threshold does.
    is_late = bool(view().own) and seen is not None and seen[0] is start and seen[1] != model and seen[2] == tau
    if tau != view().tau_of(model) and not is_late:
        session.view = replace(view().with_tau(tau, model), rule="threshold")
    publish()
    return replace(view(), model=model)


def bound_own_thresholds(models):
    """Keywords of the toggle that gives every model a threshold of its own, or all the same again."""
    key = "widget_own"
    session[key] = bool(view().own)

    def changed():
        tau = view().tau_of(shown_model_of(models))
        change(taus=own_thresholds(dict.fromkeys(models, tau) if session[key] else {}), tau=tau)

    return {"key": key, "on_change": changed}


def bound_member(field, word):
    """Keywords of a toggle that puts a word into a field of the view that holds several."""
    key = f"widget_{field}_{word}"
    session[key] = word in getattr(view(), field)

    def changed():
        others = tuple(one for one in getattr(view(), field) if one != word)
        change(**{field: (*others, word) if session[key] else others})

    return {"key": key, "on_change": changed}


def shown_model_of(models):
    """The one of these models that is looked at; the first when it is another."""
    return view().model if view().model in models else models[0]


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


# The Model page ---------------------------------------------------------------------------------------------------------


def memory(name):
    """A dict of this session that outlives page changes; what only one page needs and no link carries."""
    return session.setdefault(f"memory_{name}", {})


def kept(name, field, default=None, **widget):
    """Keywords that tie a widget to an entry of a memory: its key, value and callback."""
    key, store = f"kept_{name}_{field}", memory(name)
    session[key] = store.get(field, default)

    def changed():
        store[field] = session[key]

    return {"key": key, "on_change": changed, **widget}


def kept_upload(slot, label, *, several=False, **widget):
    """A file uploader whose files stay when the page changes and go with the session or with the next upload.

    Returns
    -------
    Uploads or None
    """
    key, store = f"upload_{slot}", memory("uploads")

    def changed():
        given = session[key]
        given = given if several else [given] if given else []
        store[slot] = Uploads(given, _upload_folder()) if given else None

    st.file_uploader(label, key=key, accept_multiple_files=several, on_change=changed, **widget)
    found = store.get(slot)
    if found is not None and not session.get(key):
        # The browser's list is empty after a change of page.
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"Still here: {escape(', '.join(path.name for path in found.paths))}")
            st.button("Remove", on_click=store.pop, args=(slot,), type="tertiary", key=f"forget_{slot}")
    return found


@st.cache_resource(max_entries=8, show_spinner="Looking at the model …")
def opened_model(key, _make):
    """`_make()` once per model and what was said about it."""
    return _make()


@st.cache_resource(max_entries=256, show_spinner=False)
def answered(key, _make):
    """`_make()` once per model and sample."""
    return _make()


@st.cache_resource
def _worked_out():
    """Results of `computed` for all sessions; the oldest leave first."""
    return {}


def computed(name, key, make):
    """As `cached`, for what shows its progress on the page while it works."""
    shelf = _worked_out()
    if (name, key) not in shelf:
        found = make()
        while len(shelf) >= MOST_RESULTS:
            shelf.pop(next(iter(shelf)), None)
        shelf[name, key] = found
    return shelf[name, key]
