"""Start of every page: take over the URL, ask the browser for its width, greet a first visitor, report what is missing."""

from __future__ import annotations

from urllib.parse import unquote, urlencode

import streamlit as st

from hierviz.app.state.components import component
from hierviz.app.state.current import is_behind, link, lost_sample, open_with, publish, session, url, view, view_of
from hierviz.app.state.opened import asked_files, data, startup, startup_demo, startup_files
from hierviz.messages.errors import shortened
from hierviz.reports.view import DEMO, FIELDS, View
from hierviz.reports.view_pages import NO_PAGE

# The cookie of a browser in which the greeting was dismissed; it says nothing else.
GREETED = "hierviz_greeted"
# Letters of a value that an address asks for in vain, and values, that are quoted.
LONGEST, MOST = 40, 4
# Addresses that are kept, to know one that a browser sends late.
LATEST = 12


def begin(page):
    """Call first in every run of a page (its path): take over a foreign URL, then write ours."""
    session.n_runs = session.get("n_runs", 0) + 1
    session.starts_elsewhere = bool(startup_files() or startup_demo())
    asked = url.to_dict()
    is_entry = session.get("page") != page
    # The address without a query, on a page that had one: the back button returned to where the page was entered.
    is_back = not asked and not is_entry and session.get("had_query", False)
    is_late = not is_entry and is_behind(asked)
    session.page = page
    if is_entry:
        session.pop("not_here", None)
        if page:
            session.pop("just_opened", None)
    # What `open_with` replaced is not foreign before the browser has done so.
    is_replaced = not is_entry and asked == session.get("replaced")
    if not is_late and (is_back or (asked and asked != session.get("published") and not is_replaced)):
        session.view = view_of(asked if "data" in asked else asked | {"data": _home()})
        dataset = data()
        if dataset is not None:
            cleaned = view().cleaned(dataset)
            if view().sample and not cleaned.sample:
                session.lost_sample = view().sample
            session.view = cleaned
        # What the address names and the view, which is made of it, does not have.
        lost = not_here(asked, view())
        session.not_here = (page, {name: getattr(view(), name) for name, _ in lost if name in FIELDS}, lost)
    elif "view" not in session:
        session.view = View(data=_home())
        session.to_model = bool(startup_files()) and asked_files() is not None
    session.had_query, session.asked = bool(asked), tuple(asked)
    coming, changes = session.pop("coming", (None, {}))
    if is_entry and coming == page and changes:
        open_with(**changes)
    elif not asked and (is_entry or is_back):
        # Entering a page clears the query. Writing it again would be a step of the browser's history of its own, in
        # which the back button gets stuck: `width` lets the browser replace the address instead.
        session.published = link()
        session.entries = session.get("entries", 0) + 1
    else:
        publish(is_late)
    session.latest = [*session.get("latest", ()), asked, session.published][-LATEST:]


def _home():
    """Key of the data that an address without one means: those of the command line, else the demo."""
    dataset = startup() if startup_files() else None
    return (startup_demo() or DEMO) if dataset is None else dataset.key


def must_ask(page):
    """True once in a session, on another page (its path) than Model: a model named at the start leaves a question open."""
    return session.pop("to_model", False) and page != "model"


def width():
    """Pixels that a chart may be wide: 330 on a phone, up to 1600.

    The browser reports the width, and a change of the theme, where they are not as assumed.
    """
    session.setdefault("px", 330 if "Mobi" in st.context.headers.get("User-Agent", "") else 1200)
    # The script runs again when its data change: each entry of a page changes them.
    query = urlencode(session.get("published") or {})
    known = {"query": query, "entry": session.get("entries", 0), "px": session.px, "dark": is_dark()}
    known["replaces"] = session.pop("is_replaced", False)
    start = {"px": session.px, "dark": known["dark"]}
    viewport = component(__file__, "viewport")(
        key="viewport_px", data=known, default=start, on_px_change=lambda: None, on_dark_change=lambda: None
    )
    session.px = int(viewport.px or session.px)
    return session.px


def is_dark():
    """True in the dark theme."""
    return st.context.theme.type == "dark"


def is_narrow():
    """True on a phone."""
    return session.px < 600


def main_width():
    """Pixels for a chart in the main column of a page with a list next to it."""
    return {1600: 1020, 1200: 800, 900: 550}.get(session.px, session.px)


def first_visit(page):
    """True on the page that a session starts with, until the hint is dismissed in this browser."""
    # A connection that is lost brings other cookies: what the session started with counts.
    if "is_known" not in session:
        session.is_known = GREETED in st.context.cookies.to_dict()
    return session.setdefault("landing", page) == page and not is_hint_read() and not session.is_known


def is_hint_read():
    """True once the hint was dismissed in this session."""
    return session.get("hint_read", False)


def dismiss_hint():
    """Do not show the hint again in this session."""
    session.hint_read = True


# What an address asks for in vain: one line names it, since the page shows something else.


def told_not_here():
    """Lines such as ``model “x”`` of what the address asked for, until another page or another value is chosen."""
    page, values, lost = session.get("not_here", (None, {}, []))
    if page != session.get("page") or any(getattr(view(), name) != value for name, value in values.items()):
        lost = []
    sample = lost_sample()
    if sample is not None and session.get("page") == "example":
        lost = [*lost, ("sample", sample)]
    said = [
        f"{FIELDS[name].metadata['kind'] if name in FIELDS else name} “{shortened(text, LONGEST)}”"
        for name, text in lost
    ]
    said = list(dict.fromkeys(said))
    return said if len(said) <= MOST else [*said[:MOST], f"and {len(said) - MOST:,} more"]


def not_here(asked, view):
    """(field, text) of the values of an address that a view does not have.

    A missing sample is reported where samples are shown: see `lost_sample`. Names that no field has are not ours.

    Parameters
    ----------
    asked : dict of str to str
    view : View
        Made of the address, and `cleaned` of what the data do not have.
    """
    # The Overview is where an unknown page leads.
    lost = [("page", asked[NO_PAGE])] if asked.get(NO_PAGE, "overview") != "overview" else []
    for name, text in asked.items():
        if name not in FIELDS or name == "sample" or not text:
            continue
        value = getattr(view, name)
        if isinstance(value, tuple):
            known, is_own = (view.own, True) if name == "thresholds" else (value, False)
            words = [word for word in text.split(",") if word not in ("", "-")]
            words = [word for word in words if (word.rpartition(":")[0] if is_own else word) not in known]
            lost += [(name, unquote(word) if name == "where" else word) for word in words]
        elif text != value and not _is_number(text, value):
            lost.append((name, text))
    return lost


def _is_number(text, value):
    """Whether both are the same number, as 1.0 and a step 1."""
    try:
        return abs(float(text) - float(value)) < 1e-9
    except ValueError:
        return False
