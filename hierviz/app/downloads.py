"""Files made for a download stay until the browser has had time to fetch them.

Streamlit makes the file of a download button when it is pressed, sends the browser its address, and deletes the file at the
second end of a script run, of whichever visitor, even if the browser has not asked for it yet.
"""

from __future__ import annotations

import threading

from streamlit import runtime

# Seconds that a file of a download stays after Streamlit has no more use for it.
LONGEST_FETCH = 60


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
