"""How much a file may ask for: every budget of the readers, in one place, and the unpacking that keeps to them.

A file of a few kilobytes can unpack to gigabytes. Each budget is checked before memory is asked for, and what is beyond it
is refused in one line that says how to go on. They are far above ordinary data: 16,344 classes, 1,000,000 samples and an
``.npy`` file of any size, which stays on disk, are within them.

Budgets
-------
- What is compressed (gzip, ``.npz``, Parquet, a zip of pictures) may unpack to 4 GB (`UNPACKED_BYTES`; a zip of pictures to
  32 GB, `PICTURES_BYTES`) and, once that is more than 128 MB (`FREE_BYTES`), to 100 times its size on disk (`MOST_RATIO`).
  Compressed text of more than 1,000,000 lines (`FREE_LINES`) may have 4 for each byte on disk (`LINES_PER_BYTE`).
  To go beyond, unpack the file first: a plain file has no such limits.
- A table may have 20,000,000 rows (`TABLE_ROWS`), 250,000 columns (`TABLE_COLUMNS`), 500,000,000 numbers (`TABLE_NUMBERS`),
  50,000,000 cells of text (`TABLE_TEXTS`) and 8,000,000 characters in a row (`ROW_CHARACTERS`). Larger scores need
  an ``.npy`` file, which has no such limits.
- Scores of more than 256 MB (`MEMORY_BYTES`) are not held in memory: ``.npy`` and what an ``.npz`` holds uncompressed are read
  in place, Parquet by its row groups; what is compressed, and the scores of CSV files, go to a temporary file first, which
  may have 256 GB (`SCRATCH_BYTES`) and as much as its disk has room for. These scores are not limited by `UNPACKED_BYTES` and
  `TABLE_NUMBERS`, and they are checked when they are first read.
- A taxonomy may have 1,000,000 classes (`CLASSES`), 2,000,000 rows (`CLASS_ROWS`), 1,000 levels (`edges.MOST_DEPTH`) and names of
  1,000 characters (`NAME_CHARACTERS`). Taxonomies and class lists that are no tables may have 64 MB of text (`TEXT_BYTES`).
- JSON may hold 4,000,000 values (`JSON_VALUES`), a list of texts 5,000,000 lines (`TEXT_LINES`) and 1 GB (`TEXTS_BYTES`),
  an ``.npz`` 1,000 arrays (`ARRAYS`), a zip 1,000,000 pictures (`PICTURES`) of at most 64 MB (`PICTURE_BYTES`) and
  64,000,000 pixels (`PICTURE_PIXELS`) each, a pipe 4 GB (`PIPE_BYTES`).

In Python a budget is changed by setting it, for example ``hierviz.readers.TABLE_ROWS = 50_000_000``.
"""

from __future__ import annotations

import gzip
import io
import zipfile

from hierviz.messages.errors import FileError

MB = 1 << 20

MEMORY_BYTES = 256 * MB
SCRATCH_BYTES = 256 << 30

UNPACKED_BYTES = 4 << 30
FREE_BYTES = 128 * MB
MOST_RATIO = 100
FREE_LINES = 1_000_000
LINES_PER_BYTE = 4

TABLE_ROWS = 20_000_000
TABLE_COLUMNS = 250_000
TABLE_NUMBERS = 500_000_000
TABLE_TEXTS = 50_000_000
ROW_CHARACTERS = 8_000_000

CLASSES = 1_000_000
CLASS_ROWS = 2_000_000
NAME_CHARACTERS = 1_000
TEXT_BYTES = 64 * MB
TEXT_LINES = 5_000_000
TEXTS_BYTES = 1 << 30
JSON_VALUES = 4_000_000
ARRAYS = 1_000

PICTURES = 1_000_000
PICTURES_BYTES = 32 << 30
PICTURE_BYTES = 64 * MB
PICTURE_PIXELS = 64_000_000

PIPE_BYTES = 4 << 30


def most_unpacked(packed, most=None):
    """Bytes that a compressed file of `packed` bytes may unpack to; never more than `most` (`UNPACKED_BYTES`)."""
    return min(UNPACKED_BYTES if most is None else most, max(FREE_BYTES, MOST_RATIO * packed))


def most_rows(said, n_numbers, n_texts):
    """How many rows of so many columns may be read; `said` in place of `TABLE_ROWS`."""
    most = TABLE_ROWS if said is None else said
    return min(most, TABLE_NUMBERS // max(1, n_numbers), TABLE_TEXTS // max(1, n_texts))


def require_unpacked(where, unpacked, packed, advice, most=None):
    """Raise a FileError when what is compressed would unpack to more than it may.

    Parameters
    ----------
    where : str
    unpacked, packed : int
        Bytes, as announced or counted so far, and on disk.
    advice : str
        How to save or open it instead.
    most : int, optional
        In place of `UNPACKED_BYTES`.
    """
    limit = most_unpacked(packed, most)
    if unpacked > limit:
        share = f" ({MOST_RATIO} times its size on disk)" if limit == MOST_RATIO * packed else ""
        raise FileError(
            f"{where}: expected at most {size_words(limit)} when unpacked{share}, got {size_words(unpacked)} or more. {advice}"
        )


def require_json(where, text):
    """Raise a FileError for JSON of far too many values, counted by its brackets and commas before it is parsed."""
    n_values = text.count("{") + text.count("[") + text.count(",")
    if n_values > JSON_VALUES:
        raise FileError(f"{where}: expected JSON of at most {JSON_VALUES:,} values, got {n_values:,}. Write a table.")


def size_words(n_bytes):
    """A number of bytes for people, rounded down so that it is never above the true one."""
    return f"{n_bytes // MB} MB" if n_bytes >= MB else f"{n_bytes} bytes"


GUNZIP = "Unpack it first (gunzip) and open that."
_BUFFER_BYTES = 1 << 18


class _Counted(io.RawIOBase):
    """A gzip file that stops with a FileError where it has unpacked to more than it may."""

    def __init__(self, stored, where, packed, most):
        self.file, self.where, self.packed, self.count = gzip.GzipFile(fileobj=stored), where, packed, 0
        self.stored, self.most = stored, most

    def readable(self):
        return True

    def readinto(self, buffer):
        n = self.file.readinto(buffer)
        self.count += n
        require_unpacked(self.where, self.count, self.packed, GUNZIP, self.most)
        return n


def unpacked(stored, where, packed, most=None):
    """The unpacked bytes of an open gzip file of `packed` bytes, as a binary file.

    Raises
    ------
    FileError
        While reading, beyond `most_unpacked(packed, most)`.
    """
    return io.BufferedReader(_Counted(stored, where, packed, most), _BUFFER_BYTES)


def stored_place(file):
    """Bytes that have been read of what is stored, for a file from `Source.open`."""
    raw = file.raw
    return raw.stored.tell() if isinstance(raw, _Counted) else raw.tell()


def require_moderate_text(file, where, packed):
    """Raise a FileError for unpacked text of far too many bytes or lines, before any of it is parsed.

    Parameters
    ----------
    file : binary file
        From `unpacked`; it is read to its end.
    where : str
    packed : int
    """
    most, lines = max(FREE_LINES, LINES_PER_BYTE * packed), 0
    while some := file.read(_BUFFER_BYTES):
        lines += some.count(b"\n")
        if lines > most:
            raise FileError(f"{where}: expected at most {most:,} lines when unpacked, got more. {GUNZIP}")


def require_deflate(where, members):
    """Raise a FileError for members of a zip that have a password, or a compression that may ask for any memory.

    Parameters
    ----------
    where : str
    members : iterable of zipfile.ZipInfo
    """
    for member in members:
        if member.flag_bits & 1:
            raise FileError(f"{where}: expected an open archive, got one with a password. Save it without.")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            name = zipfile.compressor_names.get(member.compress_type, f"method {member.compress_type}")
            raise FileError(
                f"{where}: expected an archive packed with deflate, as numpy and most programs do, got {name}. Pack it again."
            )
