"""Start and orderly end of the server, and files for downloads, which stay until the browser has had time to fetch them.

Streamlit makes the file of a download button when it is pressed, sends the browser its address, and deletes the file at the
second end of a script run, of whichever visitor, even if the browser has not asked for it yet.
"""

from __future__ import annotations

import contextlib
import gc
import signal
import threading
import webbrowser

import streamlit as st
from streamlit import runtime

from hierviz.app.state.uploads import remove_stale_folders

# Seconds that visitors' connections have to close; those that do not are cut.
LONGEST_END = 5
# As Ctrl-C: what service managers send, and what a terminal sends that is closed.
ENDINGS = ("SIGTERM", "SIGHUP")
# Seconds that a file of a download stays after Streamlit has no more use for it.
LONGEST_FETCH = 60


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
        from hierviz.app.state import opened, server_memory, visits

        # Reading and hashing of files goes on while the charts are imported.
        opened.begin()
        import hierviz.charts  # noqa: F401  takes half a second

        server_memory.work_ahead()
        # What was imported stays: no collection of garbage, which holds up all visitors, need look through it.
        gc.freeze()
        visits.collect_rarely()
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


def keep_downloads(storage=None):
    """Let the server's storage delete files of downloads a while later than requested, pictures of a page at once.

    Does nothing where Streamlit keeps its files in another way than it does today.

    Parameters
    ----------
    storage : MemoryMediaFileStorage, optional
        That of the running server by default.
    """
    try:
        from streamlit.runtime.media_file_storage import MediaFileKind

        if storage is None:
            storage = runtime.get_instance().media_file_mgr._storage
        files, load, delete = storage._files_by_id, storage.load_and_get_id, storage.delete_file
    except (AttributeError, ImportError, RuntimeError):
        return
    waiting, lock = {}, threading.Lock()  # id of a file -> the timer that deletes it

    def load_and_get_id(*arguments, **keywords):
        with lock:
            file_id = load(*arguments, **keywords)
            if file_id in waiting:
                waiting.pop(file_id).cancel()
            return file_id

    def delete_now(file_id, timer):
        with lock:
            # A file that was made again meanwhile has no timer, or one of its own.
            if waiting.get(file_id) is timer:
                del waiting[file_id]
                delete(file_id)

    def delete_file(file_id):
        with lock:
            file = files.get(file_id)
            if file is None or file.kind != MediaFileKind.DOWNLOADABLE:
                delete(file_id)
            elif file_id not in waiting:
                timer = threading.Timer(LONGEST_FETCH, lambda: delete_now(file_id, timer))
                timer.daemon = True
                waiting[file_id] = timer
                timer.start()

    storage.load_and_get_id, storage.delete_file = load_and_get_id, delete_file
