"""What is written for Windows and macOS, as far as it can run here; the rest is marked for its system."""

import ctypes
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from hierviz.app.state import uploads
from hierviz.messages import processors
from hierviz.onnx.process import isolation
from hierviz.onnx.process.isolation import Limits
from hierviz.onnx.process.verdicts import ended_words
from hierviz.readers import temporary_files

from . import hostile_models as hostile

CHILD = Path(isolation.__file__).parent / "child"


@pytest.fixture
def child_limits(monkeypatch):
    monkeypatch.syspath_prepend(str(CHILD))
    import child_limits

    return child_limits


class Kernel:
    """The functions of kernel32 that a job object needs, and what they were given."""

    def __init__(self, takes=1):
        self.said, self.joined = [], []

        class Function:
            restype = None

            def __init__(self, call):
                self.call = call

            def __call__(self, *arguments):
                return self.call(*arguments)

        def limits(job, kind, record, size):
            self.said.append((job.value, kind, record._obj, size))
            return 1

        def join(job, process):
            self.joined.append((job.value, process.value))
            return takes

        self.CreateJobObjectW = Function(lambda *_: 7)
        self.GetCurrentProcess = Function(lambda: 9)
        self.SetInformationJobObject = Function(limits)
        self.AssignProcessToJobObject = Function(join)


def test_a_job_object_of_windows(child_limits):
    kernel = Kernel()
    job = child_limits.JobObject(1 << 30, 2.5, kernel)
    ((handle, kind, said, size),) = kernel.said
    assert (handle, kind, kernel.joined) == (7, 9, [(7, 9)])
    assert said.Basic.LimitFlags == 0x2 | 0x100 | 0x2000
    assert (said.ProcessMemoryLimit, said.Basic.PerProcessUserTimeLimit) == (1 << 30, 25_000_000)
    # As winnt.h lays it out on a machine of 64 bits.
    assert size == (144 if ctypes.sizeof(ctypes.c_void_p) == 8 else 112)
    assert child_limits.Extended.ProcessMemoryLimit.offset == (112 if ctypes.sizeof(ctypes.c_void_p) == 8 else 96)
    job.set_limits(5)
    assert kernel.said[1][2].Basic.PerProcessUserTimeLimit == 50_000_000
    with pytest.raises(OSError, match="does not take this process"):
        child_limits.JobObject(1, 1, Kernel(takes=0))


def test_memory_that_the_process_measures_itself(child_limits):
    """As on macOS: the words come before the end, and both as soon as the peak is too high."""
    peaks, done, ended = iter([10, 20, 31]), [], threading.Event()

    def end(code):
        done.append(code)
        ended.set()

    child_limits.watch_memory(30, lambda: done.append("said"), 0.001, lambda: next(peaks), end)
    assert ended.wait(10)
    assert done == ["said", 1]
    before = child_limits.peak_memory()
    block = np.ones(4_000_000)
    assert child_limits.peak_memory() >= before > 0
    assert child_limits.peak_memory("darwin") * 1024 == pytest.approx(child_limits.peak_memory(), rel=0.5)
    del block


def test_windows_says_that_time_is_over():
    assert "2 s of processor time" in ended_words(0xC0000044, Limits(cpu_seconds=2), 100, "run")
    assert "2 s of processor time" in ended_words(-0x3FFFFFBC, Limits(cpu_seconds=2), 100, "run")


def test_places_in_a_file_without_preadv(monkeypatch):
    """Several readers of one file, each with its own place."""
    monkeypatch.delattr(os, "preadv", raising=False)
    monkeypatch.delattr(os, "pwrite", raising=False)
    scratch = temporary_files.Scratch("x")
    scratch.append(np.arange(100_000))
    first, second = scratch.open_stored(), scratch.open_stored()
    first.seek(8 * 50_000)
    assert np.frombuffer(second.read(80), dtype=np.int64).tolist() == list(range(10))
    assert np.frombuffer(first.read(16), dtype=np.int64).tolist() == [50_000, 50_001]
    scratch.write(np.array([7]), 0)
    assert np.frombuffer(scratch.open_stored().read(16), dtype=np.int64).tolist() == [7, 1]
    found = []
    readers = [scratch.open_stored() for _ in range(4)]
    threads = [threading.Thread(target=lambda one=one: found.append(one.readall())) for one in readers]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(set(found)) == 1


def test_processors_without_affinity(monkeypatch):
    assert processors.n_processors() == len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else True
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert processors.n_processors() == os.cpu_count()


class Msvcrt:
    """Locks of Windows: a byte of a file is one process's."""

    LK_NBLCK = 2

    def __init__(self):
        self.held = set()

    def locking(self, number, how, n_bytes):
        key = os.fstat(number).st_ino
        if key in self.held:
            raise PermissionError
        self.held.add(key)


def test_folders_of_uploads_are_locked_by_a_file(tmp_path, monkeypatch):
    locks = Msvcrt()
    monkeypatch.setattr(uploads, "fcntl", None)
    monkeypatch.setattr(uploads, "msvcrt", locks, raising=False)
    folder = uploads.UploadFolder(tmp_path)
    assert (folder.path / uploads.LOCK).is_file()
    assert uploads.remove_stale_folders(tmp_path) == []
    locks.held.clear()  # its process has ended
    assert uploads.remove_stale_folders(tmp_path) == [folder.path]
    assert not folder.path.exists()


def test_without_fork_each_job_starts_the_program(write, monkeypatch):
    """The way of Windows and macOS, here without their limits."""
    monkeypatch.setattr(isolation, "CAN_FORK", False)
    from hierviz.onnx.process.session import Session

    with Session(write(hostile.honest()), limits=Limits(wall_seconds=120)) as session:
        assert session.inputs


@pytest.mark.skipif(sys.platform != "win32", reason="job objects are of Windows")
def test_limits_of_windows(child_limits):
    code = f"import sys; sys.path.insert(0, {str(CHILD)!r})\nfrom child_limits import ProcessLimits\n"
    code += "ProcessLimits(200 << 20, 0, 60, None); x = bytearray(500 << 20)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "MemoryError" in done.stderr


@pytest.mark.skipif(sys.platform != "darwin", reason="macOS has no limit of memory")
def test_limits_of_macos(child_limits):
    ended = threading.Event()
    child_limits.watch_memory(child_limits.peak_memory() + (64 << 20), ended.set, end=lambda code: None)
    block = np.ones(32 << 20)
    time.sleep(0.5)
    assert ended.is_set()
    del block
