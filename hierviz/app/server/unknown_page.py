"""Addresses of pages that hierviz does not have: they lead to the Overview, which says so in a line.

Streamlit would show a dialog of its own that knows nothing of the app, and below a folder an empty page.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

import streamlit as st

from hierviz.app.state.not_here import NO_PAGE
from hierviz.reports.view_pages import PAGES

# What Streamlit serves beside pages.
SERVED = frozenset(("media", "component", "static", "vendor", "healthz", "auth", "oauth2callback"))


class UnknownPage:
    """ASGI middleware that leads the address of a page that does not exist to the Overview.

    Parameters
    ----------
    app : callable
        The application behind it.
    """

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        is_asked = scope["type"] == "http" and scope["method"] == "GET" and _wants_html(scope["headers"])
        leads_to = way_out(scope["path"]) if is_asked and not st.get_option("server.baseUrlPath") else None
        if leads_to is None:
            await self.app(scope, receive, send)
            return
        query = scope["query_string"].decode("latin-1")
        if query:
            leads_to += f"{'&' if '?' in leads_to else '?'}{query}"
        headers = [(b"location", leads_to.encode("latin-1")), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 307, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def way_out(path):
    """Where the path of no page of hierviz leads, relative to it; None for a page, and for what is no page at all.

    A page below other folders, as of a server that stands behind another one, is that page; else it is the Overview.

    Parameters
    ----------
    path : str
        Such as "/curves".

    Examples
    --------
    >>> way_out("/nosuchpage"), way_out("/hierviz/learn"), way_out("/curves"), way_out("/"), way_out("/static/index.js")
    ('./?no-page=nosuchpage', '../learn', None, None, None)
    """
    name = unquote(path).strip("/")
    first, last = name.split("/")[0], name.rpartition("/")[2]
    if not name or set(name) & set(".\\") or name[0] in "_~" or first in SERVED:
        return None
    up, is_page = "../" * (path.count("/") - 1) or "./", last in PAGES and last != "overview"
    if path == f"/{name}" == f"/{last}" and is_page:
        return None
    return f"{up}{last}" if is_page else f"{up}?{NO_PAGE}={quote(name, safe='')}"


def _wants_html(headers):
    """Whether a browser asks for a page, not a program for a file."""
    return any(name == b"accept" and b"text/html" in value for name, value in headers)
