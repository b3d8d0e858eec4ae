"""Addresses of pages that hierviz does not have: they lead to the Overview, which says so in a line.

Streamlit would show a dialog of its own that knows nothing of the app.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

import streamlit as st

from hierviz.app.state.not_here import NO_PAGE
from hierviz.app.state.page_fields import OWN

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
        name = unknown_page(scope["path"]) if is_asked and not st.get_option("server.baseUrlPath") else None
        if name is None:
            await self.app(scope, receive, send)
            return
        query = "&".join(filter(None, [f"{NO_PAGE}={quote(name, safe='')}", scope["query_string"].decode("latin-1")]))
        headers = [(b"location", f"./?{query}".encode("latin-1")), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 307, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def unknown_page(path):
    """The name of the page that a path asks for and hierviz does not have, else None.

    Parameters
    ----------
    path : str
        Such as "/curves".

    Examples
    --------
    >>> unknown_page("/nosuchpage"), unknown_page("/curves"), unknown_page("/"), unknown_page("/static/index.js")
    ('nosuchpage', None, None, None)
    """
    name = unquote(path).removeprefix("/")
    is_page = name and not set(name) & set("/.\\") and name[0] not in "_~" and name not in SERVED
    return name if is_page and (name not in OWN or name == "overview") else None


def _wants_html(headers):
    """Whether a browser asks for a page, not a program for a file."""
    return any(name == b"accept" and b"text/html" in value for name, value in headers)
