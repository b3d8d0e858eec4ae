"""Check of host and origin: only requests to this server's own names, from its own pages.

A page of another site can have its name point to this machine, so the name that a request asks for is compared with the
setting `server.allowedHosts`: of pages, uploads, pictures, downloads and WebSockets alike. Streamlit itself compares it of
WebSockets alone, and answers a page of another origin only after it has asked the internet for this machine's address.
"""

from __future__ import annotations

from hierviz.app.state.host_names import is_allowed, split_host

_PORTS = {"http": 80, "https": 443}


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
            await refuse(send, 403, refusal, (b"x-content-type-options", b"nosniff"))


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
            "machine itself, or start hierviz with --allow-host NAME."
        )
    # A browser names the page that a request comes from wherever another site could have sent it.
    if origins and not (len(origins) == 1 and _is_own(origins[0], host)):
        return (
            f"Origin: expected a page of this server, got {', '.join(origins)[:60]!r}. Open the app by its own address; a "
            "reverse proxy has to pass on the name it was asked for (Host)."
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


async def refuse(send, status, words, header):
    """Answer a request of HTTP with a line of text.

    Parameters
    ----------
    send : callable
        ASGI's.
    status : int
    words : str
        Without the end of the line.
    header : (bytes, bytes)
        One more header, its name in lower case.
    """
    headers = [(b"content-type", b"text/plain; charset=utf-8"), header]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{words}\n".encode()})
