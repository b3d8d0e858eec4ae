"""Host names of this server, and whether a request comes from this machine."""

from __future__ import annotations

import re

import streamlit as st

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
# What a reverse proxy adds to a request that it passes on.
FORWARDED = re.compile(r"forwarded|x-forwarded-.*|x-original-.*|x-real-ip|via|true-client-ip|cf-.*", re.IGNORECASE)
_HOST = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::(?P<port>\d{1,5}))?", re.IGNORECASE)


def split_host(text):
    """Name, in lower case, and port, or None, of a Host header; None for what is none."""
    parts = _HOST.fullmatch(text)
    if not parts:
        return None
    name = (parts["six"] or parts["name"]).lower().rstrip(".")
    return name, int(parts["port"]) if parts["port"] else None


def is_local(headers):
    """True when a request was sent by a browser on this machine, as far as its headers show.

    Parameters
    ----------
    headers : mapping of str to str
    """
    host = split_host({name.lower(): value for name, value in headers.items()}.get("host", ""))
    return host is not None and host[0] in LOCAL_NAMES and not any(map(FORWARDED.fullmatch, headers))


def has_foreign_names():
    """True when the server also answers to names that are not this machine's own, as behind a reverse proxy."""
    return not set(_allowed()) <= set(LOCAL_NAMES)


def _allowed():
    return [name.strip().lower().rstrip(".") for name in st.get_option("server.allowedHosts")] or LOCAL_NAMES


def is_allowed(name):
    return any(
        pattern in ("*", name) or (pattern.startswith("*.") and name.endswith(pattern[1:])) for pattern in _allowed()
    )
