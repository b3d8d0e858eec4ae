"""Uploaded files in private folders of their own, which go when nobody holds them any more."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
import threading
import weakref
from pathlib import Path

from hierviz.errors import FileError

PREFIX = "hierviz-uploads-"
LONGEST_NAME = 255  # bytes, of most file systems
COPIED_AT_ONCE = 1 << 20


class Uploads:
    """Files that one visitor uploaded in one field.

    The files live as long as this object: in a session, or with a data set that was made of them. Files of the same name
    do not meet, unless they belong together.

    Parameters
    ----------
    files : sequence of uploaded files, or paths of files that were uploaded before
        With ``name`` and ``read``.
    parent : Path
        Private folder of the server.
    together : bool
        The files lie in one folder under their own names, as those of one model do; else each has a folder of its own.
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
            self.sizes = {(found.st_dev, found.st_ino): found.st_size for found in map(os.stat, self.paths)}
        except BaseException:
            self._end()
            raise

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
                f"{name}: expected files of different names, because files that belong to one model lie in one folder, "
                "got two of this name. Leave one of them out, or rename it."
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

    Its name holds the number of the process, by which a later server finds the folders of servers that were killed.

    Parameters
    ----------
    parent : path, optional
        The system's folder for temporary files.
    """

    def __init__(self, parent=None):
        self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=parent))
        self._held, self._lock = weakref.WeakSet(), threading.Lock()
        atexit.register(shutil.rmtree, self.path, ignore_errors=True)

    def keep(self, files, *, together=False, owner=""):
        """Uploads of these files; parameters as there."""
        found = Uploads(files, self.path, together=together, owner=owner)
        with self._lock:
            self._held.add(found)
        return found

    def size(self, owner=None):
        """Bytes on disk of the files of a visitor, None for all visitors."""
        return sum(self._sizes(owner).values())

    def count(self, owner):
        """Number of files of a visitor."""
        return len(self._sizes(owner))

    def _sizes(self, owner):
        with self._lock:
            held = [one for one in self._held if owner in (None, one.owner)]
        # A file that was kept when another one was added stands in two folders, but is there once.
        return {file: size for one in held for file, size in one.sizes.items()}


def remove_stale_folders(parent=None):
    """Remove the upload folders of this user's servers that run no more; returns those removed."""
    removed = []
    if os.name != "posix":  # elsewhere there is no harmless way to ask whether a process lives
        return removed
    for path in Path(parent or tempfile.gettempdir()).glob(f"{PREFIX}*"):
        number = re.fullmatch(rf"{PREFIX}(\d+)-\w+", path.name)
        try:
            is_ours = path.lstat().st_uid == os.getuid() and path.is_dir() and not path.is_symlink()
        except OSError:
            continue
        if number and is_ours and not _is_running(int(number[1])):
            shutil.rmtree(path, ignore_errors=True)
            removed.append(path)
    return removed


def _is_running(process):
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return process > 0
