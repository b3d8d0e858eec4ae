"""What all sessions of this server share: limits, upload folder, opened data sets and results."""

from __future__ import annotations

import sys
import weakref

import streamlit as st

from hierviz.app.state.limits import GIGA, MEGA, ServerLimits
from hierviz.app.state.shelf import Results, Shelf
from hierviz.app.state.uploads import UploadFolder
from hierviz.app.state.visits import keep_sweeping, running_server, shown_keys
from hierviz.opening.start_options import start_options

# The largest result is a chart with its tables, some megabytes.
MOST_RESULTS, MOST_MODELS, MOST_ANSWERS = 256, 8, 256


class Server:
    """One per process.

    Parameters
    ----------
    limits : ServerLimits
    """

    def __init__(self, limits):
        self.limits, self.uploads = limits, UploadFolder()
        room = limits.data // 4
        self.results, self.answers = Results(MOST_RESULTS, room), Results(MOST_ANSWERS, room)
        self.models = Results(MOST_MODELS, room)
        self.of_data = weakref.WeakKeyDictionary()
        made = (self.results, self.answers, self.models)
        self.shelf = Shelf(limits, self.uploads, shown_keys, self._forget, made)
        if running_server() is not None:
            keep_sweeping(self.shelf, made)

    def _forget(self, digest):
        for results in (self.results, self.answers, self.models):
            results.drop(digest)


@st.cache_resource(show_spinner=False)
def server():
    """The Server of this process."""
    return Server(limits_of(sys.argv[1:], st.get_option("server.maxUploadSize")))


def limits_of(arguments, upload_mb):
    """Limits of the arguments that started the app."""
    options = start_options(tuple(arguments))
    return ServerLimits(upload_mb * MEGA, int(options.max_data_gb * GIGA), options.max_files)
