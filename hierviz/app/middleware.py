"""Checks of requests before Streamlit gets them: hosts and origins, the size of uploads, addresses of no page.

Hosts: only requests to this server's own names, from its own pages. A page of another site can have its name point to this
machine, so the name that a request asks for is compared with the setting `server.allowedHosts`: of pages, uploads, pictures,
downloads and WebSockets alike. Streamlit itself compares it of WebSockets alone, and answers a page of another origin only
after it has asked the internet for this machine's address.

Uploads: Streamlit holds an upload in memory before any page of the app can check it, so what is too much is refused here.

Addresses: Streamlit would show a dialog of its own that knows nothing of the app, and below a folder an empty page. They lead
to the Overview, which shows a message.
"""

from __future__ import annotations

import asyncio
import re
import sys
from urllib.parse import quote, unquote

import streamlit as st
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from streamlit import runtime

from hierviz.app.state.limits import size_text
from hierviz.app.state.paths import is_allowed, split_host
from hierviz.reports.view_pages import NO_PAGE, PAGES

_PORTS = {"http": 80, "https": 443}
ROUTE = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+")
# Where the module of drawings is, below any folder.
MODULE_FOLDER = "/_hierviz/"
# What Streamlit serves besides pages.
SERVED = frozenset(("media", "component", "static", "vendor", "healthz", "auth", "oauth2callback"))


class HostCheck:
    """ASGI middleware that refuses requests to a foreign name or from a foreign page.

    Parameters
    ----------
    app : callable
        The application behind it.
    """

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        refusal = why_refused(scope["headers"]) if scope["type"] in ("http", "websocket") else None
        if refusal is None:
            if scope["type"] == "websocket":  # judged here: Streamlit looks up addresses on the internet to judge it
                scope = {**scope, "headers": [(name, value) for name, value in scope["headers"] if name != b"origin"]}
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
        else:
            response = PlainTextResponse(f"{refusal}\n", 403, {"x-content-type-options": "nosniff"})
            await response(scope, receive, send)


def why_refused(headers):
    """Why a request with these headers is not answered, in one line; None when it is.

    Parameters
    ----------
    headers : iterable of (bytes, bytes)
        Names in lower case, as ASGI gives them.
    """
    hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
    origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
    host = split_host(hosts[0]) if len(hosts) == 1 else None
    if host is None or not is_allowed(host[0]):
        return (
            f"Host: expected a name of this server, got {', '.join(hosts)[:60]!r}. Open http://localhost with its port on the "
            "same machine, or start hierviz with --allow-host NAME."
        )
    # A browser names the page that a request comes from wherever another site could have sent it.
    if origins and not (len(origins) == 1 and _is_own(origins[0], host)):
        return (
            f"Origin: expected a page of this server, got {', '.join(origins)[:60]!r}. Open the app by its own address; a "
            "reverse proxy has to pass on the header Host."
        )
    return None


def _is_own(origin, host):
    """True when the origin is a page of the server that the request asks for, by the same name and port."""
    scheme, _, place = origin.partition("://")
    origin_host, port = split_host(place), _PORTS.get(scheme)
    return (
        port is not None
        and origin_host is not None
        and (origin_host[0], origin_host[1] or port) == (host[0], host[1] or port)
    )


class UploadCheck:
    """ASGI middleware that refuses uploads beyond the limits of the server, with status 413, before they are in memory.

    What a session and all sessions have sent, and no page has taken over yet, is counted with what arrives at this moment.

    Parameters
    ----------
    app : callable
        The application behind it.
    """

    def __init__(self, app):
        self.app = app
        self._arriving = {}  # request -> [session, bytes that came]

    async def __call__(self, scope, receive, send):
        matched_route = ROUTE.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if matched_route is None:
            await self.app(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"")
        request, session, limits = object(), matched_route[1], _limits()
        self._arriving[request] = [session, 0]

        async def counted():
            message = await receive()
            if request not in self._arriving:
                return message
            self._arriving[request][1] += len(message.get("body", b""))
            refusal = self._why_refused(limits, session)
            if refusal is not None:
                raise _Refused(refusal)
            return message

        async def answered(message):
            self._arriving.pop(request, None)  # Streamlit holds it now, or has refused it
            await send(message)

        try:
            # A length that is missing or wrong is corrected by counting what arrives.
            refusal = self._why_refused(limits, session, int(length) if length.isdigit() else 0)
            if refusal is not None:
                raise _Refused(refusal)
            await self.app(scope, counted, answered)
        except _Refused as refused:
            await PlainTextResponse(f"{refused}\n", 413, {"connection": "close"})(scope, receive, send)
        finally:
            self._arriving.pop(request, None)

    def _why_refused(self, limits, session, n_bytes=0):
        """Why a session may not send so many bytes more, in one line; None when it may."""
        n_files, own, everybody = waiting(session)
        n_files += sum(sender == session for sender, _ in self._arriving.values())
        own += n_bytes + sum(size for sender, size in self._arriving.values() if sender == session)
        everybody += n_bytes + sum(size for _, size in self._arriving.values())
        if n_files > limits.files:
            return f"upload: expected at most {limits.files} files at once, got {n_files}. Upload fewer files."
        for whose, limit, size in (("one visitor", limits.visitor, own), ("all visitors", limits.data, everybody)):
            if size > limit:
                return (
                    f"upload: expected at most {size_text(limit)} of {whose} at once, got {size_text(size)}. "
                    "Upload less, or start the app with a larger --max-data-gb."
                )
        return None


class _Refused(Exception):
    """Why an upload is not read to its end."""


def waiting(session):
    """(files, bytes) of a session that Streamlit holds, and the bytes of all sessions."""
    if not runtime.exists():
        return 0, 0, 0
    manager = runtime.get_instance().uploaded_file_mgr
    own = list(manager.file_storage.get(session, {}).values())
    everybody = sum(stat.byte_length for stats in manager.get_stats().values() for stat in stats)
    return len(own), sum(len(file.data) for file in own), everybody


def _limits():
    from hierviz.app.state.server_memory import limits_of  # the pages have loaded it; the start of the server need not

    return limits_of(sys.argv[1:], st.get_option("server.maxUploadSize"))


class DrawingModule:
    """ASGI middleware that serves the module which draws samples in the browser, with its drawing library.

    It is the same file for a version: the browser keeps it. Below other folders, as behind a reverse proxy, it is found too.

    Parameters
    ----------
    app : callable
        The application behind it.
    """

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or MODULE_FOLDER not in scope["path"]:
            await self.app(scope, receive, send)
            return
        from hierviz.charts.ladder_module import browser_module, module_name

        if scope["path"].rpartition("/")[2] != module_name():
            response = PlainTextResponse("Not found\n", 404)
        else:
            content = await asyncio.to_thread(browser_module)
            headers = {"cache-control": "public, max-age=31536000, immutable", "x-content-type-options": "nosniff"}
            response = Response(content, media_type="text/javascript", headers=headers)
        await response(scope, receive, send)


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
        leads_to = None
        if scope["type"] == "http" and scope["method"] == "GET" and not st.get_option("server.baseUrlPath"):
            # A browser asks for a page, a program for a file.
            wants_page = any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])
            leads_to = way_out(scope["path"]) if wants_page else None
        if leads_to is None:
            await self.app(scope, receive, send)
            return
        query = scope["query_string"].decode("latin-1")
        if query:
            leads_to += f"{'&' if '?' in leads_to else '?'}{query}"
        await RedirectResponse(leads_to)(scope, receive, send)


def way_out(path):
    """Where the path of no page of hierviz leads, relative to it; None for a page, and for what is no page at all.

    A page below other folders, as behind a reverse proxy, is that page; else it is the Overview.

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
