"""Separate processes for foreign models: limits, a private copy of the model, and jobs that are started, watched and killed.

A job is a private folder with `job.json`; the program in `child/` does it and leaves `verdict.json` there. Where the
system can fork, one process that has done the slow imports lives as long as this one and forks for every
job; elsewhere (Windows, macOS) each job starts the program again. Either way a model sees a process that saw no other model.

This contains models that are damaged, endless or too large. It is no sandbox: the process has the rights of this user, so a
model that took over onnxruntime through a bug of it could read this user's files and use the network.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import hashlib
import importlib.util
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from hierviz.messages.errors import ModelError
from hierviz.messages.parameters import PARAMETERS

PROGRAM = Path(__file__).parent / "child"
# Fork without threads is safe; macOS has libraries that forbid it all the same.
CAN_FORK = sys.platform == "linux"
MOST_VERDICT_BYTES = 8 << 20  # the program keeps to it and says so
LONGEST_END = 10  # seconds until a killed process is gone
FOLDER_PREFIX = "hierviz-onnx-"
_KEPT = ("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "SYSTEMROOT")  # Windows starts nothing without the last one

MOST_OF_LIMIT = 1e9
_BLOCK = 1 << 20
ADVICE = (
    "Put the weights file (often <model>.onnx.data, under its first name) into the model's folder, "
    "or export with external_data=False."
)

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


@dataclass(frozen=True)
class Limits:
    """What inspecting, loading and running one model may use, each step by itself.

    Parameters
    ----------
    cpu_seconds : float
        Processor time of inspecting and loading together, and of each batch of a run: a long run that gets on is never
        stopped, one that hangs is.
    wall_seconds : float, optional
        Waiting time without any progress; five times `cpu_seconds`, at least 30, when absent. Catches a process that sleeps.
    memory_mb : int, optional
        2048 plus four times the model's files when absent: of address space on Linux, of committed memory on Windows; on macOS,
        which has no such limit, the process measures its memory ten times a second and ends itself.
    output_mb : int
        Most bytes of all outputs of a run together; on Windows checked when the run has ended.

    Raises
    ------
    ModelError
        If a limit is not above 0, or above `MOST_OF_LIMIT`, which the system may not be able to count.
    """

    cpu_seconds: float = 60.0
    wall_seconds: float | None = None
    memory_mb: int | None = None
    output_mb: int = 4096

    def __post_init__(self):
        for name in ("cpu_seconds", "wall_seconds", "memory_mb", "output_mb"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= MOST_OF_LIMIT:
                limit = f"limits.{name}"
                where = f"{{{limit}}}" if limit in PARAMETERS else name
                raise ModelError(
                    f"{where}: expected a limit above 0 and up to {MOST_OF_LIMIT:g}, got {value}. Leave it out for the default."
                )

    @property
    def wall(self):
        """Seconds to wait without progress."""
        return max(30.0, 5 * self.cpu_seconds) if self.wall_seconds is None else self.wall_seconds

    def memory(self, n_bytes):
        """Address space in MB for files of `n_bytes`."""
        return 2048 + 4 * (n_bytes >> 20) if self.memory_mb is None else int(self.memory_mb)


def copy_model(path, folder):
    """Copy a model into a private folder.

    Parameters
    ----------
    path : Path
        It may be a link: the user named it.
    folder : Path

    Returns
    -------
    target : Path
    sha256 : str
    """
    target = folder / "model.onnx"
    try:
        with open(path, "rb") as file:
            return target, _copy(file, target)
    except OSError as error:
        raise ModelError(f"{path.name}: {_trouble(error, folder)}") from None


def copy_weights(path, name, folder):
    """Copy a weight file that is next to a model: its bytes only, never what a link leads to.

    A hard link is taken: it is the file itself under a second name, which only someone who could already write to this
    folder and disk can make, and copies made by backup tools and caches have them.

    Parameters
    ----------
    path : Path
        The model.
    name : str
        As the model names it.
    folder : Path

    Returns
    -------
    dict
        file, bytes, sha256
    """
    where, source = path.name, path.parent / name
    try:
        # A link is refused by the system; a pipe must not make us wait.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        if source.is_symlink():
            raise OSError(errno.ELOOP, "a link")
        number = os.open(source, flags)
    except OSError as error:
        got = f"no {name!r} there" if error.errno == errno.ENOENT else f"{name!r}: {error.strerror}"
        if error.errno == errno.ELOOP:
            got = f"{name!r}, a link, which may lead elsewhere"
        raise ModelError(f"{where}: expected its weights file next to the model, got {got}. {ADVICE}") from None
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise ModelError(
            f"{where}: expected its weights file next to the model, got {name!r}, which is not a file. {ADVICE}"
        )
    with open(number, "rb") as file:
        try:
            digest = _copy(file, folder / name)
        except OSError as error:
            raise ModelError(f"{where}: {_trouble(error, folder)}") from None
        return {"file": name, "bytes": (folder / name).stat().st_size, "sha256": digest}


def _copy(file, target):
    """Copy and return the checksum in hexadecimal digits."""
    digest = hashlib.sha256()
    with open(target, "xb") as copy:
        while block := file.read(_BLOCK):
            digest.update(block)
            copy.write(block)
    return digest.hexdigest()


def _trouble(error, folder):
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"expected room for a private copy in {folder.parent}, got {error.strerror}. Make room, or set TMPDIR to "
            "another folder."
        )
    return f"expected a readable file, got {error.strerror}. Check its permissions."


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
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
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
