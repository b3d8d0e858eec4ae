"""How much visitors may send at once: Streamlit holds an upload in memory before any page of the app can look at it."""

from __future__ import annotations

import re
import sys

import streamlit as st
from streamlit import runtime

from hierviz.app.server.host_check import refuse
from hierviz.app.state.limits import size_text

ROUTE = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+")


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
            # What is not told, or told wrong, is counted as it comes.
            refusal = self._why_refused(limits, session, int(length) if length.isdigit() else 0)
            if refusal is not None:
                raise _Refused(refusal)
            await self.app(scope, counted, answered)
        except _Refused as refused:
            await refuse(send, 413, refused, (b"connection", b"close"))
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
