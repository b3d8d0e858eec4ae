"""Uploaded files in private folders, which are removed when they are no longer used."""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import shutil
import tempfile
import threading
import weakref
from pathlib import Path

from hierviz.messages.errors import FileError
from hierviz.readers.prediction_forms.camtrap_dp import MEDIA

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]
    import msvcrt

PREFIX = "hierviz-uploads-"
LOCK = "in use"
LONGEST_NAME = 255  # bytes, of most file systems
COPIED_AT_ONCE = 1 << 20
# Tables that are looked for next to the file that is read.
COMPANIONS = (MEDIA,)


class Uploads:
    """Files that one visitor uploaded in one field.

    The files live as long as this object: in a session, or with a data set that was made of them. Files of the same name
    are kept apart, unless they belong together.

    Parameters
    ----------
    files : sequence of uploaded files, or paths of files that were uploaded before
        With ``name`` and ``read``.
    parent : Path
        Private folder of the server.
    together : bool
        The files share a folder, as those of one model do; else each has its own.
    owner : str
        The visitor.

    Attributes
    ----------
    paths : tuple of Path

    Raises
    ------
    FileError
        For a name that cannot be kept, and for two files of one name that belong together.
    """

    def __init__(self, files, parent, *, together=False, owner=""):
        self.owner, self.folder = owner, Path(tempfile.mkdtemp(dir=parent))
        self._end = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        try:
            self.paths = tuple(self._keep(file, "." if together else str(k)) for k, file in enumerate(files))
            if not together:
                self._put_companions()
            self.sizes = {(status.st_dev, status.st_ino): status.st_size for status in map(os.stat, self.paths)}
        except BaseException:
            self._end()
            raise

    def _put_companions(self):
        """Put tables that are read with another file next to the others."""
        for companion in self.paths:
            for path in self.paths if companion.name.casefold() in COMPANIONS else ():
                with contextlib.suppress(FileExistsError):
                    os.link(companion, path.with_name(companion.name))

    def _keep(self, file, place):
        name = file_name(file.name)
        folder = self.folder / place
        folder.mkdir(exist_ok=True)
        try:
            if isinstance(file, Path):
                os.link(file, folder / name)  # the same folder of the same server: no second copy
            else:
                with open(folder / name, "xb") as kept:
                    file.seek(0)
                    shutil.copyfileobj(file, kept, COPIED_AT_ONCE)
        except FileExistsError:
            raise FileError(
                f"{name}: expected files with different names, since the files of one model share a folder, "
                "got two with this name. Leave one out, or rename it."
            ) from None
        except OSError as error:
            raise FileError(
                f"{name}: expected room for the uploaded file in {tempfile.gettempdir()}, got {error.strerror}. "
                "Make room there, or set TMPDIR to another folder."
            ) from None
        return folder / name


def file_name(given):
    """The last part of the name that a browser gave an uploaded file.

    Raises
    ------
    FileError
        If no file can have that name.
    """
    name = re.split(r"[/\\]", given)[-1]
    shown = name if len(name) < 60 else f"{name[:28]} … {name[-28:]}"
    if name in ("", ".", "..") or re.search(r"[\x00-\x1f\x7f]", name):
        raise FileError(f"upload: expected a file with a name, got {shown!r}. Rename the file and upload it again.")
    if len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME or re.search(r"[\ud800-\udfff]", name):
        raise FileError(
            f"upload: expected a file name of at most {LONGEST_NAME} bytes in UTF-8, got {shown!a}. "
            "Rename the file and upload it again."
        )
    return name


class UploadFolder:
    """Folder of all uploads of this server, which goes with the server.

    It is locked as long as the process lives, in whatever container: so a later server can tell apart the folders of servers
    that were killed from those in use.

    Parameters
    ----------
    parent : path, optional
        The system's folder for temporary files.
    """

    def __init__(self, parent=None):
        self.path, lock = _new_folder(parent)
        unlock = _Unlock(lock)
        weakref.finalize(self, unlock)
        self._held, self._lock = weakref.WeakSet(), threading.Lock()
        atexit.register(_remove, self.path, unlock)

    def keep(self, files, *, together=False, owner=""):
        """Uploads of these files; parameters as there."""
        uploads = Uploads(files, self.path, together=together, owner=owner)
        with self._lock:
            self._held.add(uploads)
        return uploads

    def size(self, owner=None, without=()):
        """Bytes on disk of the files of a visitor, None for all visitors, as they would be without some Uploads."""
        return sum(self._sizes(owner, without).values())

    def count(self, owner):
        """Number of files of a visitor."""
        return len(self._sizes(owner))

    def _sizes(self, owner, without=()):
        with self._lock:
            held = [uploads for uploads in self._held if owner in (None, uploads.owner) and uploads not in without]
        # A file that was kept when another one was added is in two folders, but on disk once.
        return {file: size for uploads in held for file, size in uploads.sizes.items()}


def remove_stale_folders(parent=None):
    """Remove the upload folders of this user's servers that run no more; returns those removed."""
    removed = []
    for path in upload_folders(parent):
        # Former versions used names with a dash and no lock: these folders may be in use.
        if not re.fullmatch(rf"{PREFIX}\w+", path.name):
            continue
        with contextlib.suppress(OSError):
            lock = _locked(path)
            if lock is not None:
                _remove(path, _Unlock(lock))
                removed.append(path)
    return removed


def upload_folders(parent=None):
    """The folders with uploads of all servers that share a folder for temporary files."""
    return sorted(Path(parent or tempfile.gettempdir()).glob(f"{PREFIX}*"))


class _Unlock:
    """Gives a lock back, once; `lock` is its descriptor, None for none."""

    def __init__(self, lock):
        self.lock = lock

    def __call__(self):
        lock, self.lock = self.lock, None
        if lock is not None:
            os.close(lock)


def _remove(path, unlock):
    """Remove a folder that this process has locked, and give the lock back."""
    if fcntl is None:
        unlock()  # Windows removes no file that is open
    shutil.rmtree(path, ignore_errors=True)
    unlock()


def _new_folder(parent):
    """A new folder and the descriptor that keeps it locked, None where the system has no locks."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        try:
            lock = _locked(path)
        except (BlockingIOError, FileNotFoundError):
            continue  # a server that starts at this moment takes it for that of a dead one, and removes it
        except OSError:
            return path, None
        if path.exists():
            return path, lock
        os.close(lock)


def _locked(path):
    """Descriptor of a folder of this user's that is locked until it is closed; None where the system has no locks.

    Raises
    ------
    OSError
        BlockingIOError when a process that lives holds the lock.
    """
    if fcntl is None:
        return _locked_file(path / LOCK)
    lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if os.fstat(lock).st_uid != os.getuid():
            raise PermissionError(path)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(lock)
        raise
    return lock


def _locked_file(path):
    """As `_locked`, of a file in the folder: Windows locks no folders."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
    except OSError:
        os.close(lock)
        raise BlockingIOError(path) from None
    return lock
