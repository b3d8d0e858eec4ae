"""Processes of their own for foreign models: started, watched, killed, and cleaned up after.

A job is a private folder with `job.json`; the program in `child/` does it and leaves `verdict.json` there. Where the
system can fork, one process that has done the slow imports lives as long as this one and forks for every
job; elsewhere (Windows, macOS) each job starts the program again. Either way a model sees a process that saw no other model.

This contains models that are damaged, endless or too large. It is no sandbox: the process has the rights of this user, so a
model that took over onnxruntime through a bug of it could read this user's files and use the network.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from hierviz.messages.errors import ModelError

PROGRAM = Path(__file__).parent / "child"
# Fork without threads is safe; macOS has libraries that forbid it all the same.
CAN_FORK = sys.platform == "linux"
MOST_VERDICT_BYTES = 8 << 20  # the program keeps to it and says so
LONGEST_END = 10  # seconds until a killed process is gone
FOLDER_PREFIX = "hierviz-onnx-"
_KEPT = ("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "SYSTEMROOT")  # Windows starts nothing without the last one

_servers: dict = {}
_lock = threading.Lock()


def private_folder():
    """A new folder that only this user can open.

    Raises
    ------
    ModelError
        If the system's folder for temporary files takes no more.
    """
    try:
        return Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))  # 0700
    except OSError as error:
        raise ModelError(
            f"{tempfile.gettempdir()}: expected room for a private copy of the model, got {error.strerror}. "
            "Make room, or set TMPDIR to another folder."
        ) from None


class IsolatedJob:
    """One job in a process of its own; a context manager that ends the process and removes the folder.

    Parameters
    ----------
    wanted : dict
        What `child/child_job.py` reads: task, model, limits.

    Attributes
    ----------
    folder : Path
    """

    def __init__(self, wanted):
        places = _places()
        self.folder = private_folder()
        try:
            with open(self.folder / "job.json", "w", encoding="utf-8") as file:
                json.dump(wanted, file)
            start = _Forked if CAN_FORK else _Started
            self._process = start(self.folder, places, Path(wanted["model"]).parent)
        except BaseException as error:
            shutil.rmtree(self.folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise ModelError(
                    f"{sys.executable}: expected to start a process for the model, got {error.strerror}. "
                    "Free memory or disk space and try again."
                ) from None
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._process.kill()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def ended(self):
        """Return code of the process, negative for a signal; None while it runs."""
        return self._process.poll()

    def wait(self, seconds):
        """Wait until the process ends; False when it has not after `seconds`."""
        until, pause = time.monotonic() + seconds, 0.001
        while self.ended() is None:
            if time.monotonic() > until:
                return False
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        return True

    def verdict(self):
        """What the process left behind; None when it did not get that far."""
        path = self.folder / "verdict.json"
        try:
            if path.stat().st_size > MOST_VERDICT_BYTES:
                return None
            said = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return said if isinstance(said, dict) and "ok" in said else None


class _Started:
    """A process that does one job."""

    def __init__(self, folder, places, _model_folder):
        self.process = _popen([json.dumps(places), str(folder)], subprocess.DEVNULL)

    def poll(self):
        return self.process.poll()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class _Forked:
    """A fork of the process that waits for jobs."""

    def __init__(self, folder, places, model_folder):
        self.folder = folder
        self.server = _server(places)
        self.server.tell("start", folder, model_folder)

    def poll(self):
        try:
            return int(os.readlink(self.folder / "ended"))
        except FileNotFoundError:
            # Without the server nobody reaps: it killed its jobs, or they end by themselves.
            return None if self.server.process.poll() is None else -signal.SIGKILL

    def kill(self):
        if self.poll() is None:
            self.server.tell("kill", self.folder)
            until = time.monotonic() + LONGEST_END
            while self.poll() is None and time.monotonic() < until:
                time.sleep(0.001)


class _Server:
    def __init__(self, places):
        self.lock = threading.Lock()
        self.process = _popen(["--serve", json.dumps(places)], subprocess.PIPE)
        atexit.register(self.close)

    def close(self):
        """Ask it to end, with all its jobs."""
        with self.lock, contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(LONGEST_END)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def tell(self, what, *folders):
        with self.lock, contextlib.suppress(BrokenPipeError, ValueError):  # `poll` sees that it has ended
            self.process.stdin.write(json.dumps([what, *map(str, folders)]).encode() + b"\n")
            self.process.stdin.flush()


def _server(places):
    """The process that forks, started when there is none."""
    key = (os.getpid(), *places)
    with _lock:
        if key not in _servers or _servers[key].process.poll() is not None:
            _servers[key] = _Server(places)
        return _servers[key]


def _popen(arguments, stdin):
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    # onnxruntime 1.29 and newer send telemetry unless switched off before they start (the second name is of some builds).
    environment |= {"ORT_DISABLE_TELEMETRY": "1", "ORT_TELEMETRY_DISABLED": "1"}
    return subprocess.Popen(
        [sys.executable, "-I", "-X", "utf8", str(PROGRAM), *arguments],
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd=Path(sys.executable).anchor or None,
        # Ctrl-C in a terminal is for this process, which then ends the others.
        start_new_session=os.name == "posix",
    )


def _places():
    """Folders of the packages a child needs: -I would hide those of the user.

    Raises
    ------
    ModelError
        If onnxruntime or onnx is not installed.
    """
    folders = []
    for name in ("onnxruntime", "onnx", "numpy"):
        try:
            spec = importlib.util.find_spec(name)
        except ValueError:  # a module made at run time
            spec = None
        if spec is None or spec.origin is None:
            raise ModelError(
                f"{name}: expected it to be installed to run ONNX models, got no such package. "
                'Run pip install "hierviz[onnx]".'
            )
        folders.append(str(Path(spec.origin).parent.parent))
    folders += [folder for folder in sys.path if Path(folder).name in ("site-packages", "dist-packages")]
    return list(dict.fromkeys(folders))
