"""Files that are whole or not there: written next to their place, flushed to the disk, then moved into it at once.

Conventions
-----------
Whatever ends the process, a full disk included, the file that was there before stays as it was. On Linux the new content
has no name until it is complete (O_TMPFILE), so the system itself removes it. Elsewhere, and on file systems without that,
it is called ``.hierviz-….part`` in the same folder until then; `new_file` removes it, and the part of a process that
was killed goes when the next file is written there.

A link is followed, and the file that it names is replaced; the permissions of an old file are kept. What is no plain file
(standard output, a pipe, a device) is written to directly.

Functions
---------
new_file, new_text : a context manager that gives the file to write to.
check_place : report early that a file cannot be written.
kept_folder : where what takes long to make is kept for later starts.
"""

import contextlib
import errno
import io
import os
import secrets
import stat
from pathlib import Path

from hierviz.messages.errors import FileError

try:
    import fcntl
except ImportError:  # Windows, which removes no file that is open
    fcntl = None  # type: ignore[assignment]

_START, _END = ".hierviz-", ".part"


def kept_folder() -> Path:
    """Folder for what takes long to make and can be made again: `hierviz` in the user's cache; it may not be there yet."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hierviz"


@contextlib.contextmanager
def new_file(path):
    """Binary file whose content becomes the file `path` when the block ends, and not when it raises.

    Parameters
    ----------
    path : str or path

    Raises
    ------
    FileError
        If it cannot be written, for want of room too.
    BrokenPipeError
        If the reader of a pipe has gone.
    """
    with _as_file_error(path), _place(os.fspath(path)) as file, _forgotten_on_error(file):
        yield file


@contextlib.contextmanager
def new_text(path):
    """Text file (UTF-8, line ends as written) whose content becomes the file `path`; see `new_file`."""
    if not isinstance(path, (str, os.PathLike)):
        raise FileError(f"file: expected the path of a file to write, got {type(path).__name__}. Pass a path.")
    with new_file(path) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        try:
            with _forgotten_on_error(file):
                yield text
                text.flush()
        finally:
            text.detach()


def check_place(path):
    """Raise the FileError of `new_file` where it is certain before the work has begun."""
    with _as_file_error(path):
        folder = os.path.dirname(os.path.realpath(path))
        if os.path.isdir(path) or not os.path.isdir(folder):
            code = errno.EISDIR if os.path.isdir(path) else errno.ENOENT
            raise OSError(code, os.strerror(code))


@contextlib.contextmanager
def _forgotten_on_error(file):
    try:
        yield
    except BaseException:
        # What waits to be written would wait for the reader of a pipe, or fail once more on a full disk.
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), file.fileno())
        raise


@contextlib.contextmanager
def _as_file_error(path):
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        words = error.strerror or " ".join(str(error).split())
        more = "; the file that is there was not changed" if os.path.isfile(path) else ""
        raise FileError(
            f"{os.fspath(path)}: expected a file that can be written, got: {words}. Choose another place{more}."
        ) from None


def _place(path):
    number = _own_descriptor(path)
    if number is not None:
        return os.fdopen(os.dup(number), "wb")
    try:
        old = os.stat(path)
    except FileNotFoundError:
        old = None
    except ValueError:
        raise OSError(errno.EINVAL, "a NUL character in its name") from None
    if not os.path.basename(path) or (old is not None and not stat.S_ISREG(old.st_mode)):
        return open(path, "wb")  # a pipe or device; a folder and an empty name are the system's to refuse
    if old is not None and not os.access(path, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    return _next_to(os.path.realpath(path), old)


def _own_descriptor(path):
    """Which open file of this process a path such as /dev/stdout stands for, or None; it may be in the middle of a file."""
    for _ in range(40):
        folder, name = os.path.split(os.path.abspath(path))
        folder = os.path.realpath(folder)
        if name.isdecimal() and folder in ("/dev/fd", f"/proc/{os.getpid()}/fd"):
            return int(name)
        path = os.path.join(folder, name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


@contextlib.contextmanager
def _next_to(target, old):
    folder = os.path.dirname(target)
    _sweep(folder)
    file, part = _unnamed(folder), _part(folder)
    has_name = file is None
    try:
        while file is None:
            file = open(part, "xb")  # noqa: SIM115
            if not _lock(file):  # taken for the part of a dead process
                file.close()
                file, part = None, _part(folder)
        yield file
        file.flush()
        if old is not None and hasattr(os, "fchown"):
            with contextlib.suppress(PermissionError):
                os.fchown(file.fileno(), old.st_uid, old.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
        os.fsync(file.fileno())
        if not has_name:
            _name(file, part)
        if fcntl is None:
            file.close()
        os.replace(part, target)
        _sync_folder(folder)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)
        if file is not None:
            file.close()


def _unnamed(folder):
    """A file in `folder` without a name, or None where there is no such thing."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        number = os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT):
            return None  # a file system, or a Linux, without; a folder that is not there is said by the next try
        raise
    file = os.fdopen(number, "wb")
    _lock(file)
    return file


def _part(folder):
    return os.path.join(folder, f"{_START}{secrets.token_hex(8)}{_END}")


def _name(file, part):
    # With a folder descriptor, which is not used for a full path, Python follows the link to the file itself.
    os.link(f"/proc/self/fd/{file.fileno()}", part, src_dir_fd=file.fileno(), follow_symlinks=True)


def _lock(file):
    """Lock a part as long as this process lives; False where another process has swept it away."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # no locks here: nothing is swept either
        return True
    return not isinstance(file.name, str) or os.path.exists(file.name)


def _sweep(folder):
    """Remove the parts of processes that were killed: those without a lock."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(_START) and name.endswith(_END):
                with contextlib.suppress(OSError):
                    _remove_dead(os.path.join(folder, name))


def _remove_dead(part):
    if fcntl is not None:
        with open(part, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(part)
    else:
        os.unlink(part)


def _sync_folder(folder):
    """Bring the new name to the disk, where the system can."""
    if fcntl is None:
        return
    try:
        number = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):
            raise
    finally:
        os.close(number)
