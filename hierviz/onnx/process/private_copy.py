"""A private copy of a model and of the weight files it may have: nothing else is ever opened by its process."""

import errno
import hashlib
import os
import stat

from hierviz.messages.errors import ModelError

_BLOCK = 1 << 20
ADVICE = (
    "Put the weights file (often <model>.onnx.data, under its first name) into the model's folder, "
    "or export with external_data=False."
)


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
