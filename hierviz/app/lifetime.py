"""Start and orderly end of the server."""

from __future__ import annotations

import contextlib
import gc
import signal
import threading
import webbrowser

import streamlit as st

from hierviz.app.downloads import keep_downloads
from hierviz.app.state.uploads import remove_stale_folders

# Seconds that visitors' connections have to close; those that do not are cut.
LONGEST_END = 5
# As Ctrl-C: what service managers send, and what a terminal sends that is closed.
ENDINGS = ("SIGTERM", "SIGHUP")


@contextlib.asynccontextmanager
async def lifetime(app):
    """From the first to the last moment of the server.

    Parameters
    ----------
    app : streamlit.App
    """
    if threading.current_thread() is threading.main_thread():
        _end_on_signals()
    remove_stale_folders()
    keep_downloads()
    with contextlib.suppress(OSError):  # nobody may read any more, as in `hierviz app | head -1`
        print(f"hierviz: open at {address()} (Ctrl+C ends it)", flush=True)
    threading.Thread(target=_prepare, daemon=True).start()
    if not st.get_option("server.headless"):
        threading.Thread(target=webbrowser.open, args=(address(),), daemon=True).start()
    yield


def _prepare():
    """What the first page needs: charts, and the data that it shows."""
    # The server may end meanwhile; errors of the data are shown to the first visitor.
    with contextlib.suppress(Exception):
        import hierviz.charts  # noqa: F401  takes half a second
        from hierviz.app.state import opened

        # What was imported stays: no collection of garbage, which holds up all visitors, need look through it.
        gc.freeze()
        opened.prepare()


def address():
    """Where a browser on this machine finds the server."""
    place = st.get_option("server.address")
    if place in (None, "0.0.0.0", "::"):
        place = "localhost"
    return f"http://{f'[{place}]' if ':' in place else place}:{st.get_option('server.port')}"


def _end_on_signals():
    """Let all signals that ask for the end do what Ctrl-C does: uvicorn closes all connections, then Python cleans up.

    uvicorn itself would pass SIGTERM on to the system after the connections are closed, which ends the process before
    uploads are deleted, and a closed terminal would end it at once.
    """
    interrupt = signal.getsignal(signal.SIGINT)

    def end(*_):
        interrupt(signal.SIGINT, None)
        # A second Ctrl-C does not wait any longer.
        hurry = threading.Timer(LONGEST_END, interrupt, (signal.SIGINT, None))
        hurry.daemon = True
        hurry.start()

    for name in ENDINGS:
        number = getattr(signal, name, None)
        # `nohup` has a closed terminal ignored.
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)
