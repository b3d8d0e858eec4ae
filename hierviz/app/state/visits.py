"""The sessions of this server: what each shows and remembers, and what is freed when one ends."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import hashlib
import sys
import threading
import time
import weakref

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string

from hierviz.app.state.current import session

# A page that is loaded again, or a short loss of the connection, loses nothing.
SECONDS_AWAY = 30
SECONDS_BETWEEN_SWEEPS = 10
# After the last run of a page garbage is collected, which stops all threads: see `postScriptGC` in .streamlit/config.toml.
SECONDS_AT_REST = 3
# The cookie that Streamlit gives every browser against forged uploads: secret, and the same after a reload.
COOKIE = "_streamlit_xsrf"
# What `mallopt` of the GNU C library calls the size from which the system gives and gets memory, and this size in bytes: numpy
# asks for large pages from there on, which are quick to get.
M_MMAP_THRESHOLD, LARGE = -3, 1 << 22
# Collections of younger garbage between two of all: Python's number where memory is short, and one for quick presses.
SOON, SELDOM = 10, 200

_visits: weakref.WeakSet = weakref.WeakSet()
_last_run = 0.0
_keeps_little = False
# Pages that are being drawn.
_n_runs = 0
_lock = threading.Lock()


class Visit:
    """One session: one page in one browser.

    Parameters
    ----------
    session_id : str
        Streamlit's.
    visitor : str
        The browser, or the session where the browser cannot be identified.
    fragments : FragmentStorage, optional
        Streamlit's, of the session.

    Attributes
    ----------
    memories : dict of str to dict
    shows : str
        Key of the data set on the page.
    seen : set of str
        Keys of all data sets that were on it.
    has_ended : bool
    """

    def __init__(self, session_id, visitor, fragments=None):
        self.session_id, self.visitor = session_id, visitor
        self.memories, self.shows, self.seen = {}, "", set()
        self._fragments = fragments
        server = running_server()
        self._session = (lambda: None) if server is None else weakref.ref(server.get_app_session(session_id))
        self._left, self.has_ended = None, False
        with _lock:
            _visits.add(self)

    def is_here(self, now):
        """True while the page is open, and a short time after."""
        if self.has_ended:
            return False
        server = running_server()
        if server is None or server.is_active_session(self.session_id):
            self._left = None
            return True
        self._left = now if self._left is None else self._left
        return now - self._left < SECONDS_AWAY

    def end(self):
        """Free all that the session remembers; a page that comes back later starts a new one."""
        self.has_ended, self.shows = True, ""
        self.seen.clear()
        for memory in self.memories.values():
            memory.clear()  # callbacks of widgets hold it
        server = running_server()
        if server is not None:
            server.stopped.get_loop().call_soon_threadsafe(self._close)

    def _close(self):
        """Let Streamlit forget the session, which it would keep until another one ends, and the last one for ever."""
        server, session = running_server(), self._session()
        if server is not None:
            server.close_session(self.session_id)
        if session is not None:
            # What its widgets and fragments call holds all that the page has read; `clear` would leave that.
            session._session_state = type(session.session_state)()
            self._fragments.clear()


def running_server():
    """Streamlit's Runtime; None without a server, as in a test of a page."""
    instance = runtime.get_instance() if runtime.exists() else None
    return instance if isinstance(instance, runtime.Runtime) else None


def visit():
    """The Visit of this session, asked for by all runs of pages and of their parts: no garbage is collected meanwhile."""
    global _last_run
    _last_run = time.monotonic()
    if "visit" not in session:
        context = get_script_run_ctx()
        session.visit = Visit(context.session_id, _browser() or context.session_id, context.fragment_storage)
    return session.visit


@contextlib.contextmanager
def callbacks_of_this_run():
    """Around a run: at its end, remove from Streamlit the callbacks of widgets of former runs that it has not drawn again.

    They would keep in memory what their pages read, also once closed. A run that the next press ends removes none: the browser
    still shows the widgets it had not come to, and a press on them counts.
    """
    global _n_runs
    former = _widgets().copy()
    with _lock:
        _n_runs += 1
    try:
        yield
    finally:
        with _lock:
            _n_runs -= 1
    widgets = _widgets()
    for widget_id, widget in former.items():
        if widgets.get(widget_id) is widget:
            del widgets[widget_id]


def _widgets():
    """What Streamlit knows of the widgets of this session, by their ids."""
    try:
        return get_script_run_ctx().session_state._state._new_widget_state.widget_metadata
    except AttributeError:
        return {}


def is_busy():
    """Whether a page is being drawn for anyone."""
    return _n_runs > 0


def visits_here(now=None):
    """The visits that have not ended."""
    with _lock:
        known_visits = list(_visits)
    now = time.monotonic() if now is None else now
    return [known_visit for known_visit in known_visits if known_visit.is_here(now)]


def shown_keys():
    """Keys of the data sets on the pages that are open."""
    return {visit.shows for visit in visits_here()}


def _browser():
    """An identifier of the browser, None when it has no cookie."""
    # The server writes its token behind a new mask each time.
    token, _ = decode_xsrf_token_string(st.context.cookies.get(COOKIE, ""))
    return hashlib.blake2b(token, digest_size=16).hexdigest() if token and len(token) == 16 else None


def sweep(shelf, now=None):
    """Free what belongs to visits that have ended; returns the number of visits and objects."""
    here = visits_here(now)
    with _lock:
        ended = [visit for visit in _visits if visit not in here and not visit.has_ended]
    n_gone = len([visit.end() for visit in ended])
    return n_gone + shelf.sweep(here)


def give_back_memory():
    """Return to the system the memory that Python and its libraries keep in reserve."""
    gc.collect()
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    if sys.platform == "linux":
        # The C library keeps freed memory for later; musl has no such function, and no need of one.
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def collect_rarely():
    """Look through all that sessions left while nobody waits (`keep_sweeping`); presses seldom wait for it."""
    if not _keeps_little:
        gc.set_threshold(*gc.get_threshold()[:2], SELDOM)


def keep_little_memory():
    """From now on free at once what was left, return the memory of a large array, and the rest while nobody waits.

    The C library's reserve of these, among what is still used, came to as much as all that was used. To ask the system again
    takes up to a third of the time of a press, so it is for data that are too large for this machine.
    """
    global _keeps_little
    _keeps_little = True
    gc.set_threshold(*gc.get_threshold()[:2], SOON)
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE)


def keep_sweeping(shelf):
    """Sweep now and then, as long as the server lives; returns the thread."""

    def run():
        rounds, collected = -1, 0.0
        while True:
            time.sleep(SECONDS_BETWEEN_SWEEPS)
            # Streamlit ends a session with a delay: its memory is freed in the second round.
            rounds = 2 if sweep(shelf) else rounds - 1
            shelf.give_way()
            if rounds >= 0:
                give_back_memory()
            elif collected < _last_run <= time.monotonic() - SECONDS_AT_REST:
                give_back_memory() if _keeps_little else gc.collect()
                collected = time.monotonic()

    thread = threading.Thread(target=run, name="hierviz-sweep", daemon=True)
    thread.start()
    return thread
