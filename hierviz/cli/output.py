"""Where the commands write: CSV and text with clear errors, and progress on a terminal."""

from __future__ import annotations

import sys

from hierviz.csv_cells import SafeWriter
from hierviz.errors import FileError


def write_csv(path, header, rows):
    """Write a table to a file, or to standard output for -; no text in it is a formula."""

    def write(file):
        writer = SafeWriter(file)
        writer.writerow(header)
        writer.writerows(rows)

    _write(path, write)


def write_text(path, text):
    """Write text to a file, or to standard output for -; halves of characters are escaped as JSON does it."""
    # Names of files that are not UTF-8 have them.
    text = text.encode("utf-8", "backslashreplace").decode()
    _write(path, lambda file: file.write(text))


def _write(path, write):
    try:
        if path == "-":
            # JSON and CSV are UTF-8 whatever the terminal's own encoding.
            if hasattr(sys.stdout, "reconfigure"):
                sys.stdout.reconfigure(encoding="utf-8")
            write(sys.stdout)
            sys.stdout.flush()
            return
        with open(path, "w", encoding="utf-8", newline="") as file:
            write(file)
    except BrokenPipeError:
        raise
    except OSError as error:
        where = "standard output" if path == "-" else path
        raise FileError(
            f"{where}: expected a file that can be written, got: {error.strerror}. Choose another place."
        ) from None


def progress(name):
    """A progress line on standard error, only when that is a terminal."""
    if not sys.stderr.isatty():
        return None

    def report(done, total):
        print(f"\r{name}: {done} of {total}", end="\n" if done >= total else "", file=sys.stderr, flush=True)

    return report
