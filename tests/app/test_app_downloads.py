"""A download can be fetched after the click, whatever the server does before the browser's request."""

import threading
from types import SimpleNamespace

import pytest

pytest.importorskip("streamlit")

from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from hierviz.app import lifetime


@pytest.fixture
def timers(monkeypatch):
    """All timers that were started, as [seconds, function]; none of them runs by itself."""
    started = []

    class Timer:
        def __init__(self, seconds, function):
            self.function, self.cancelled = function, False
            started.append((seconds, self))

        def start(self):
            assert self.daemon  # the server ends without it

        def cancel(self):
            self.cancelled = True

    monkeypatch.setattr(lifetime, "threading", SimpleNamespace(Timer=Timer, Lock=threading.Lock))
    return started


@pytest.fixture
def manager():
    """Streamlit's manager of files, as it is in a server."""
    storage = MemoryMediaFileStorage("/media")
    lifetime.keep_downloads(storage)
    return MediaFileManager(storage)


def press(manager):
    """Press a download button; the name of the file that the browser then asks for."""
    button = manager.add_deferred(lambda: b"numbers", "text/csv", "1.2", "table.csv")
    return manager.execute_deferred(button).removeprefix("/media/")


def ends_of_runs(manager, n=3):
    """What Streamlit does at the end of every run of a script, of any visitor."""
    for _ in range(n):
        manager.clear_session_refs()
        manager.remove_orphaned_files()


def test_streamlit_itself_loses_it():
    """Once this fails, Streamlit keeps the file, and `keep_downloads` can go."""
    manager = MediaFileManager(MemoryMediaFileStorage("/media"))
    name = press(manager)
    ends_of_runs(manager)
    assert manager.read_file(name) is None


def test_a_download_outlives_the_runs_of_other_visitors(manager, timers):
    name = press(manager)
    ends_of_runs(manager)
    file = manager.read_file(name)
    assert (file.content, file.filename) == (b"numbers", "table.csv")
    ((seconds, timer),) = timers
    assert seconds == lifetime.LONGEST_FETCH
    timer.function()
    assert manager.read_file(name) is None


def test_a_download_pressed_again_has_its_time_anew(manager, timers):
    name = press(manager)
    ends_of_runs(manager)
    assert press(manager) == name
    ((_, first),) = timers
    assert first.cancelled
    first.function()  # it was about to run
    assert manager.read_file(name) is not None
    ends_of_runs(manager)
    (_, (_, second)) = timers
    first.function()
    assert manager.read_file(name) is not None
    second.function()
    assert manager.read_file(name) is None


def test_pictures_of_a_page_go_at_once(manager, timers):
    url = manager.add(b"picture", "image/png", "1.3")
    assert manager._storage._files_by_id[url.removeprefix("/media/").removesuffix(".png")].kind == MediaFileKind.MEDIA
    ends_of_runs(manager)
    assert manager.read_file(url.removeprefix("/media/")) is None
    assert timers == []


def test_a_streamlit_without_these_parts_still_runs():
    lifetime.keep_downloads(SimpleNamespace())
