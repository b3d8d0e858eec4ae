"""Files that any process can open again by their path or URL: what a worker on another machine reads.

Conventions
-----------
A URL has ``://`` in it and is opened by fsspec: ``s3://`` through s3fs, ``gs://`` through gcsfs, ``hdfs://`` through pyarrow
and Hadoop's own library, and whatever else is installed. Paths are absolute. Every time a file is opened, its size, and where
it is a path its time of change to the second, are compared with those at first: numbers of two files never meet.
"""

from __future__ import annotations

import io
import os
import socket
from contextlib import contextmanager
from pathlib import Path

from hierviz.messages.errors import FileError, HiervizError
from hierviz.messages.extras import require
from hierviz.readers.picture_names import natural_key
from hierviz.readers.stored_array import ChangedFileError
from hierviz.readers.temporary_files import Spooled

# What is to be installed for a protocol, where fsspec does not bring it along.
_PACKAGES = {
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("az", "abfs", "abfss"), "adlfs"),
    **dict.fromkeys(("http", "https"), "fsspec[http]"),
    **dict.fromkeys(("sftp", "ssh"), "paramiko"),
    "hdfs": "pyarrow",
}


def is_url(path):
    """True for text such as ``s3://bucket/scores.npy``."""
    return isinstance(path, str) and "://" in path


class _OpenFile(io.FileIO):
    """Closed when nobody reads it any more, without a warning: pyarrow closes no file that it was given."""

    def __del__(self):
        self.close()


class SharedFile(Spooled):
    """A file by its path or URL, which can be sent to another process and opened there.

    Parameters
    ----------
    place : str
        URL or absolute path.
    size : int
        Bytes.
    changed : int, optional
        Second of its last change.
    """

    def __init__(self, place, size, changed=None):
        self.place, self.size, self.changed = place, size, changed
        self.path = place.rstrip("/").rpartition("/")[2]

    @classmethod
    def from_path(cls, path):
        """Of a path or URL as it is now; FileError when there is no such file."""
        if is_url(path):
            with _foreign(path):
                files, inside = file_system(path)
                return cls(path, files.info(inside)["size"])
        status = os.stat(path)
        return cls(os.path.abspath(path), status.st_size, status.st_mtime_ns // 10**9)

    def __reduce__(self):
        return SharedFile, (self.place, self.size, self.changed)

    def __repr__(self):
        return f"<SharedFile {self.place!r}>"

    def open(self):
        """The bytes from the beginning, as a binary file.

        Raises
        ------
        FileError
            If this machine cannot read it.
        ChangedFileError
            If it is not the same any more.
        """
        if is_url(self.place):
            with _foreign(self.place):
                files, inside = file_system(self.place)
                file = files.open(inside, "rb")
            size, changed = getattr(file, "size", self.size), None
        else:
            try:
                file = _OpenFile(self.place)
            except OSError as error:
                raise FileError(
                    f"{self.place}: expected a file that {socket.gethostname()} can read, got: {error.strerror}. "
                    "Put it where all workers see it under this path, or name a URL."
                ) from None
            status = os.fstat(file.fileno())
            size, changed = status.st_size, status.st_mtime_ns // 10**9
        if size != self.size or (self.changed is not None and changed != self.changed):
            file.close()
            raise ChangedFileError(
                f"{self.path}: expected the file of {self.size} bytes that was opened, got one of {size} bytes or of another "
                "time. Open it again to read it as it is now.",
                self.path,
            )
        return file


def file_system(url):
    """The fsspec file system of a URL and the path inside it; one line that names the package where one is missing."""
    require(url, "cluster", "fsspec")
    import fsspec

    protocol = url.partition("://")[0]
    try:
        return fsspec.core.url_to_fs(url)
    except ImportError as error:
        package = _PACKAGES.get(protocol)
        got, advice = ("no such package", f"Run pip install {package}.") if package else (str(error), "Install it.")
        raise FileError(
            f"{url}: expected {package or 'the package'} for {protocol}:// to be installed, got {got}. {advice}"
        ) from None
    except ValueError as error:
        raise FileError(f"{url}: expected a URL such as s3://bucket/file, got: {error}. Check it.") from None


@contextmanager
def _foreign(url):
    """Whatever a file system raises becomes one line; only its calls belong inside."""
    try:
        yield
    except HiervizError:
        raise
    except FileNotFoundError:
        raise FileError(f"{url}: expected a file, got nothing with that name. Check the URL.") from None
    except Exception as error:
        words = " ".join(str(error).split()).rstrip(".")[:200]
        if "libjvm" in words or "libhdfs" in words:
            raise FileError(
                f"{url}: expected Java and Hadoop's libhdfs for hdfs:// to be installed, got none that loads. "
                "Install them and set JAVA_HOME and HADOOP_HOME."
            ) from None
        raise FileError(
            f"{url}: expected a file that {socket.gethostname()} can read, got {type(error).__name__} ({words}). "
            "Check the URL and the credentials."
        ) from None


def parts_of_folder(folder, suffixes):
    """The files of a folder with one of the suffixes, as SharedFile in the order of their names, numbers by their size.

    Names that begin with ``_`` or ``.`` are passed over, as those that Spark writes next to its parts.

    Returns
    -------
    (list of SharedFile, list of str), or None
        The parts and the names of the other files; None when this is no folder.
    """
    if is_url(folder):
        with _foreign(folder):
            files, inside = file_system(folder)
            if not files.isdir(inside):
                return None
            entries = files.ls(inside, detail=True)
            found = [SharedFile(files.unstrip_protocol(e["name"]), e["size"]) for e in entries if e["type"] == "file"]
    else:
        if not os.path.isdir(folder):
            return None
        found = [SharedFile.from_path(entry.path) for entry in os.scandir(folder) if entry.is_file()]
    found = sorted((file for file in found if file.path[0] not in "_."), key=lambda file: natural_key(file.path))
    is_part = [Path(file.path).suffix.lower() in suffixes for file in found]
    others = [file.path for file, is_one in zip(found, is_part) if not is_one]
    return [file for file, is_one in zip(found, is_part) if is_one], others
