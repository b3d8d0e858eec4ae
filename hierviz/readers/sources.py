"""What a file is, detected from its first bytes before anything tries to read it.

Conventions
-----------
`where` is the file's name without its folder: errors start with it. gzip is seen through, whatever the file is called.
Nothing is ever unpickled.

Functions
---------
open_source : open a file and detect its kind.
was_opened, forget_opened : which files were opened, for code that writes some.
translated : turn what libraries raise on broken files into one sentence.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from hierviz.messages.errors import FileError, printable
from hierviz.readers import file_limits
from hierviz.readers.file_limits import require_moderate_text, unpacked
from hierviz.readers.shared_file import SharedFile, is_url
from hierviz.readers.stored_array import Stamp, unchanged
from hierviz.readers.temporary_files import Held, Spooled, rewindable

HEAD_BYTES = 4096
_BYTES_AT_ONCE = 1 << 20
_SAMPLE_LINES, _SAMPLE_CHARACTERS = 50, 1 << 20

ARRAYS_WITHOUT_OBJECTS = (
    "python -c \"import numpy as np; old = np.load('{name}', allow_pickle=True); new = dict(old) if hasattr(old, 'files') else "
    "{{'prob': old}}; np.savez('new.npz', **{{k: v.astype(float if v.ndim == 2 else str) for k, v in new.items()}})\"."
)
PICKLE_TO_TABLE = (
    'pickle files can run any code. If you trust it, convert it once: python -c "import csv, pickle; '
    "csv.writer(open('new.csv', 'w', newline='')).writerows(pickle.load(open('{name}', 'rb')))\" for a list of rows "
    "(for an anytree tree: anytree.exporter.JsonExporter; for a networkx graph: .edges)"
)

_REFUSED = (
    (b"\x89PNG", "a PNG picture", ""),
    (b"\xff\xd8\xff", "a JPEG picture", ""),
    (b"GIF8", "a GIF picture", ""),
    (b"%PDF", "a PDF document", ""),
    (b"\x89HDF", "an HDF5 file", " Save the array with numpy.save, or the table as CSV."),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", " Save the sheet as CSV."),
    (b"\xfd7zXZ", "an xz archive", " Unpack it, or use gzip."),
    (b"BZh", "a bzip2 archive", " Unpack it, or use gzip."),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", " Unpack it, or use gzip."),
    (b"7z\xbc\xaf", "a 7z archive", " Unpack it, or use gzip."),
    (b"\x1f\x8b", "gzip inside gzip", " Unpack it once."),
    (b"ARROW1", "a Feather file", " Save it as Parquet."),
    (b"version https://git-lfs", "a git-lfs pointer, not the file itself", " Fetch it with git lfs pull."),
    (b"SQLite format", "an SQLite database", " Export the table as CSV."),
)


# Of names that say nothing about what a file holds.
_SUFFIXES = frozenset(
    (".gz", ".csv", ".tsv", ".txt", ".parquet", ".pq", ".npy", ".npz", ".json", ".jsonl", ".ndjson")
    + (".taxonomy", ".obo", ".nwk")
)
_ARCHIVE = "{where}: expected an intact archive, got {got}. Copy or download it again."
# What is raised on files: the first kind that fits.
_FAULTS = {
    FileNotFoundError: "{path}: expected a file, got nothing with that name. Check the path.",
    IsADirectoryError: "{path}: expected a file, got a folder. Name a file inside it.",
    PermissionError: "{path}: expected a file that can be read, got no permission. Check its mode.",
    csv.Error: "{where}: expected cells quoted as in RFC 4180, got an error ({got}). Close every quote.",
    EOFError: "{where}: expected a whole file, got a truncated one. Copy or download it again.",
    **dict.fromkeys((gzip.BadGzipFile, zlib.error, zipfile.BadZipFile, tarfile.TarError), _ARCHIVE),
    # zipfile says so to compressions and versions that it does not know.
    NotImplementedError: _ARCHIVE,
    MemoryError: "{where}: expected a file that fits into memory, got a larger one. Split it.",
    RecursionError: "{where}: expected no more nested levels than Python reads, got more. Use an edge list.",
    OSError: "{path}: expected a file that can be read, got {got}. Check the file.",
}
# Of this process, for `was_opened`.
_opened: set[str] = set()
_XML = re.compile(rb"(\xef\xbb\xbf)?\s*<\?xml", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """A file that was opened.

    Parameters
    ----------
    path : Path
    where : str
        Its name, as errors call it.
    kind : {"text", "npy", "zip", "parquet"}
    encoding : str, optional
        Of text, as Python calls it.
    encoding_words : str
        The same for people.
    is_gzipped : bool
    pipe : Spooled, optional
        What was read from a pipe, in place of a file.
    stamp : Stamp, optional
        What the file was like when it was opened.
    is_xml : bool
        Of text: whether it begins as XML does.
    head : bytes
        The first bytes, unpacked.
    held : Held, optional
        The open file, while it is read.
    """

    path: Path
    where: str
    kind: str
    encoding: str | None = None
    encoding_words: str = ""
    is_gzipped: bool = False
    pipe: Spooled | None = None
    stamp: Stamp | None = None
    is_xml: bool = False
    head: bytes = field(default=b"", repr=False)
    held: Held | None = field(default=None, repr=False, compare=False)

    @property
    def size(self):
        """Bytes as stored."""
        return self.pipe.size if self.stamp is None else self.stamp.size

    def open_stored(self):
        """The bytes as they are stored, as a context; ChangedFileError unless the file is the one that was opened."""
        return self.pipe.open() if self.stamp is None else unchanged(self.path, self.stamp, self.where, self.held)

    def to_keep(self):
        """The same for what stays on disk: the file is opened when some of it is read, and a later one is recognised."""
        if self.stamp is not None:
            self.stamp.settle()
        return replace(self, held=None, head=b"")

    @contextmanager
    def open(self, most=None):
        """The bytes from the beginning, unpacked, as a binary file.

        A FileError is raised where a gzip file unpacks to far too many, or to more than `most` (`file_limits.UNPACKED_BYTES`).
        """
        with self.open_stored() as stored:
            yield unpacked(stored, self.where, self.size, most) if self.is_gzipped else io.BufferedReader(stored)

    def read_bytes(self, most=None):
        """All bytes, unpacked; FileError beyond `most`, which is `file_limits.UNPACKED_BYTES` when absent."""
        most = file_limits.UNPACKED_BYTES if most is None else most
        content, is_more = io.BytesIO(), not self.is_gzipped and self.size > most
        if not is_more:
            with translated(self.where), self.open() as file:
                # Asking for everything at once would ask for `most` bytes of memory.
                while (some := file.read(_BYTES_AT_ONCE)) and content.tell() <= most:
                    content.write(some)
        if is_more or content.tell() > most:
            raise FileError(f"{self.where}: expected at most {file_limits.size_words(most)}, got more. Split the file.")
        return content.getvalue()

    def read_text(self, most=None, lines=None):
        """All text; FileError that names line and byte when it is not in the encoding that it seems to be in.

        Parameters
        ----------
        most : int, optional
            Bytes; `file_limits.TEXT_BYTES` when absent.
        lines : int, optional
            Lines; `file_limits.CLASS_ROWS` when absent.
        """
        with translated(self.where, self):
            text = self.read_bytes(file_limits.TEXT_BYTES if most is None else most).decode(self.encoding)
        lines = file_limits.CLASS_ROWS if lines is None else lines
        if text.count("\n") > lines:
            raise FileError(
                f"{self.where}: expected at most {lines:,} lines, got {text.count(chr(10)):,}. Remove blank lines or split it."
            )
        if "\0" in text:
            line = text[: text.index("\0")].count("\n") + 1
            raise FileError(
                f"{self.where}:{line}: expected text, got a NUL character. Save the file again as UTF-8 text."
            )
        return text

    @property
    def begins(self):
        """The first character of a text that is not blank; empty where the first bytes are all blank, or the file is no text."""
        return (
            ""
            if self.encoding is None
            else self.head.decode(self.encoding, errors="replace").lstrip("\ufeff \t\r\n")[:1]
        )

    @cached_property
    def first_lines(self):
        """The first lines of a text, and whether they are all of it."""
        lines, characters = [], 0
        with translated(self.where, self), self.open_text() as text:
            for line in self.lines_of(text):
                lines.append(line)
                characters += len(line)
                if len(lines) >= _SAMPLE_LINES or (characters > _SAMPLE_CHARACTERS and len(lines) > 2):
                    return lines, False
        return lines, True

    @property
    def filled_lines(self):
        """Those of the first lines that are not blank, without their ends."""
        lines = [line.strip("\r\n") for line in self.first_lines[0]]
        return [line for line in lines if line.strip()]

    @contextmanager
    def open_text(self):
        """The text from the beginning, with the ends of lines as they are."""
        with self.open() as file:
            yield io.TextIOWrapper(file, self.encoding, newline="")

    def lines_of(self, text):
        """Yield the lines of an open text; FileError where one is far too long, or is no text."""
        number, longest = 0, file_limits.ROW_CHARACTERS
        while line := text.readline(longest):
            number += 1
            if "\0" in line:
                raise FileError(
                    f"{self.where}:{number}: expected text, got a NUL character. Save the file again as UTF-8 text."
                )
            if len(line) >= longest:
                raise FileError(
                    f"{self.where}:{number}: expected lines of at most {longest:,} characters, "
                    "got a longer one. Is it a text file?"
                )
            yield line

    @property
    def stem(self):
        """The file's name without folder and suffixes."""
        name = printable(self.path.name)
        while Path(name).suffix.lower() in _SUFFIXES:
            name = Path(name).stem
        return name or self.where

    @property
    def detected(self):
        """What was found out, in words."""
        words = {"encoding": self.encoding_words} if self.kind == "text" else {}
        return {**words, **({"compression": "gzip"} if self.is_gzipped else {})}


def was_opened(path):
    """Whether `open_source` opened the file since `forget_opened`, including one that a reader found next to another."""
    return os.path.realpath(path) in _opened


def forget_opened():
    """Begin the list of `was_opened` again."""
    _opened.clear()


def open_source(path, wanted, kinds=("text",)):
    """Look at the first bytes of a file.

    Parameters
    ----------
    path : str, path or Spooled
        A path, or a URL that fsspec opens. What comes through a pipe is kept, so that it can be read again.
    wanted : str
        What errors say was expected, for example ``"a class taxonomy as text or JSON"``.
    kinds : tuple of str
        Which of "text", "npy", "zip" and "parquet" can be read; "xml" is text that most readers refuse.

    Returns
    -------
    Source

    Raises
    ------
    FileError
        If there is no such file, it is a folder, is empty, cannot be read, or is of another kind.
    """
    stored = path if isinstance(path, Spooled) else None
    if stored is None and not isinstance(path, (str, os.PathLike)):
        raise FileError(
            f"file: expected the path of {wanted}, got {type(path).__name__}. Pass a path; Taxonomy.from_edges and "
            "Predictions.from_scores take what is in memory."
        )
    # A URL is no path: Path would take one of its slashes away.
    stored = SharedFile.from_path(path) if stored is None and is_url(path) else stored
    path = Path(path if stored is None else stored)
    with translated(path.name or str(path), path=path):
        stored = stored or rewindable(path)
        # /dev/fd/63 is called so, not 63.
        pipe, where = (stored, str(path)) if isinstance(stored, Spooled) else (None, printable(path.name or str(path)))
        held = None if pipe else Held(path)
        with pipe.open() if pipe else open(path, "rb") if held.file is None else held.open() as file:
            stamp = None if pipe else Stamp.from_file(held.file or file)
            source = Source(path, where, "text", pipe=pipe, stamp=stamp, held=held)
            _opened.update(() if pipe else (os.path.realpath(path),))
            head = file.read(HEAD_BYTES)
        is_gzipped = head.startswith(b"\x1f\x8b")
        if is_gzipped:
            source = replace(source, is_gzipped=True)
            with source.open() as file:
                head = file.read(HEAD_BYTES)
    if not head:
        raise FileError(f"{where}: expected {wanted}, got an empty file. Was it saved?")
    kind, words, advice = _kind(head, path)
    if "xml" in kinds and kind == "refused" and _XML.match(head):
        kind, source = "text", replace(source, is_xml=True)
    if kind == "refused" or kind not in kinds:
        advice = advice.format(name=in_command(path.name))
        raise FileError(f"{where}: expected {wanted}, got {words}.{advice or ' Choose another file.'}")
    encoding, encoding_words = _encoding(head) if kind == "text" else (None, "")
    if kind == "text":
        if encoding is None:
            raise FileError(f"{where}: expected {wanted}, got binary data (NUL bytes). Choose another file.")
        if not head.decode(encoding, "ignore").strip() and len(head) < HEAD_BYTES:
            raise FileError(f"{where}: expected {wanted}, got an empty file. Was it saved?")
        if is_gzipped:
            with translated(where), source.open() as file:
                require_moderate_text(file, where, source.size)
    return replace(source, kind=kind, encoding=encoding, encoding_words=encoding_words, head=head)


def in_command(name):
    """A file's name for a command to copy: FILE for a long one, or one that a shell or Python could misread."""
    return name if re.fullmatch(r"\w[\w.+-]{0,59}", name, re.ASCII) else "FILE"


def _kind(head, path):
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip", "a zip archive", " Unpack it first."
    if head.startswith(b"\x93NUMPY"):
        return "npy", "a numpy array", " Save it as a table."
    if head.startswith(b"PAR1"):
        return "parquet", "a Parquet table", " Save it as CSV."
    for start, words, advice in _REFUSED:
        if head.startswith(start):
            return "refused", words, advice
    is_pickle = (head[0] == 0x80 and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")) or head.startswith(
        (b"ccopy_reg\n", b"ccopyreg\n", b"(lp", b"(dp", b"cnumpy", b"canytree")
    )
    if is_pickle or path.suffix.lower() in (".pkl", ".pickle"):
        return "refused", "a pickle", f" It is not opened: {PICKLE_TO_TABLE}."
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype", b"<html", b"<head", b"<?xml", b"<svg")):
        return "refused", "a web page or XML", " Download the file itself, not the page that shows it."
    # An ONNX file starts with its format version and then a field that text never has.
    if (
        head[:1] == b"\x08"
        and b"\x01" <= head[1:2] <= b"\x1e"
        and head[2:3] in (b"\x12", b"\x1a", b"\x22", b"\x2a", b"\x32", b"\x3a", b"\x42")
    ):
        return "refused", "an ONNX model", " Open models with {{model}}."
    return "text", "text", ""


def _encoding(head):
    """(Python's name, words) or (None, "") for binary."""
    for mark, encoding, words in (
        (b"\xef\xbb\xbf", "utf-8-sig", "UTF-8 with byte order mark"),
        (b"\xff\xfe\0\0", "utf-32", "UTF-32"),
        (b"\0\0\xfe\xff", "utf-32", "UTF-32"),
        (b"\xff\xfe", "utf-16", "UTF-16"),
        (b"\xfe\xff", "utf-16", "UTF-16"),
    ):
        if head.startswith(mark):
            return encoding, words
    if b"\0" not in head:
        return "utf-8", "UTF-8"
    # UTF-16 without a mark: every second byte of plain letters is zero.
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        high, low = head[first::2], head[1 - first :: 2]
        if high.count(0) > 0.7 * len(high) and low.count(0) == 0:
            return encoding, "UTF-16 without byte order mark (assumed)"
    return None, ""


@contextmanager
def translated(where, source=None, path=None):
    """Turn what is raised on missing, unreadable and broken files into a FileError that starts with `where`.

    Parameters
    ----------
    where : str
    source : Source, optional
        Lets an encoding error name its line.
    path : path, optional
        Shown in full when there is no such file.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise FileError(_encoding_message(where, source, error)) from None
    except ValueError as error:
        # open() raises this for a path with a NUL character; anything else is a bug in hierviz.
        if "null byte" not in str(error) and "null character" not in str(error):
            raise
        raise FileError(f"{where!r}: expected a path, got one with a NUL character. Check the path.") from None
    except tuple(_FAULTS) as error:
        words = next(words for kind, words in _FAULTS.items() if isinstance(error, kind))
        got = _one_line(getattr(error, "strerror", None) or error)
        raise FileError(words.format(where=where, path=path or where, got=got)) from None


def _one_line(error):
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


def _encoding_message(where, source, error):
    advice = "Save the file as UTF-8 text (on the command line: iconv -f latin1 -t utf-8)."
    if source is None or not source.encoding.startswith("utf-8"):
        return (
            f"{where}: expected {error.encoding.upper()} text, got bytes that are not valid in it ({error.reason}). "
            "Is the file complete? Save it as UTF-8 text."
        )
    with source.open() as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as line_error:
                return (
                    f"{where}:{number}: expected UTF-8 text, got byte 0x{line[line_error.start]:02x} at byte "
                    f"{line_error.start + 1} of the line. {advice}"
                )
    return f"{where}: expected UTF-8 text, got bytes that are not valid in it. {advice}"


def known_kind(start, path):
    """What a file is, in words that fit after "got"; None when its first bytes do not show it.

    Parameters
    ----------
    start : bytes
        The beginning of the file, or all of it.
    path : Path
        Some pickles are recognised by name only.
    """
    if not start:
        return "an empty file"
    if start.startswith(b"\x1f\x8b"):
        return "a gzip file"
    kind, words, _ = _kind(start[:HEAD_BYTES], path)
    return None if kind == "text" else words
