"""What the commands write: CSV and text, whole or not at all, progress on a terminal, and errors.

An error is shown with the command line's own flags, and with a hint where `hierviz doctor` can fix the files.
"""

import contextlib
import json
import os
import re
import stat
import sys

from hierviz.messages.csv_cells import SafeWriter
from hierviz.messages.errors import FileError, HiervizError, shown
from hierviz.messages.new_files import check_place, new_text
from hierviz.messages.progress import ProgressText
from hierviz.opening.files import files_of
from hierviz.opening.named_files import run_files
from hierviz.opening.options import flag, with_flags
from hierviz.readers.picture_names import is_picture
from hierviz.readers.sources import was_opened

# Options whose folders are read, of some only the pictures.
_WHOLE, _PICTURES = ("taxonomy", "predictions"), ("media", "inputs")
_READ = "{path}: expected another file to write to, got one that is read. Choose another place."


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


def write_json(path, value):
    """Write a value as JSON, its notes in the words of the command line."""
    write_text(path, json.dumps(with_flags(value), indent=1, ensure_ascii=False) + "\n")


def require_places(options, *paths):
    """Raise a FileError where a file to write has no place, before an hour of work; - and None have one.

    A place that is an input of the command, or another of its outputs, is none: one of them would be lost.
    """
    outputs = set()
    require_no_input(options, *paths)
    for path in paths:
        if path is None or path == "-":
            continue
        if not path:
            raise FileError("file to write: expected a name, got ''. Name one.")
        check_place(path)
        place = os.path.realpath(path)
        if place in outputs and (os.path.isfile(path) or not os.path.exists(path)):
            raise FileError(f"{path}: expected one table or report for this file, got several. Choose another place.")
        outputs.add(place)


def require_no_input(options, *paths):
    """Raise a FileError where a file to write is one that the command reads: `paths` are all options that name one to write."""
    places = [os.path.realpath(path) for path in paths if path]
    files, folders = _named(options)
    for path, place in zip(filter(None, paths), places, strict=True):
        keys = (*_WHOLE, *_PICTURES) if is_picture(os.path.basename(place)) else _WHOLE
        is_inside = any(folder == os.path.dirname(place) and key in keys for key, folder in folders)
        # The option that names it to be written is one of those that name it.
        if os.path.isfile(path) and (files.count(place) > places.count(place) or is_inside):
            raise FileError(_READ.format(path=path))


def require_unread(path):
    """Raise a FileError where a file to write was opened to be read, such as a file that a reader found next to its input."""
    if was_opened(path):
        raise FileError(_READ.format(path=path))


def _named(options):
    """Places that are named by any option: those of files, and (option, place) of folders."""
    texts = []
    for key, given in vars(options).items():
        if key != "arguments":  # the command as it was typed
            texts += [(key, text) for text in (given if isinstance(given, list) else [given]) if isinstance(text, str)]
    texts += [(key, text.partition("=")[2]) for key, text in texts if "=" in text]
    with contextlib.suppress(FileError):  # reported when they are read
        texts += [("predictions", file.path) for file in run_files(getattr(options, "predictions", None) or ())]
    places = [(key, os.path.realpath(text)) for key, text in dict.fromkeys(texts) if text and "\0" not in text]
    return [place for _, place in places], [(key, place) for key, place in places if os.path.isdir(place)]


def _write(path, write):
    if path != "-":
        require_unread(path)
        with new_text(path) as file:
            write(file)
        return
    try:
        # JSON and CSV are UTF-8 whatever the terminal's own encoding.
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8")
        write(sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(
            f"standard output: expected a file that can be written, got: {error.strerror}. Choose another place."
        ) from None


def progress(name, unit="rows"):
    """A progress line on standard error with rate and time left, only when that is a terminal; `unit` is what is counted."""
    if not sys.stderr.isatty():
        return None

    text, widest = ProgressText(unit=unit), 0

    def report(done, total):
        nonlocal widest
        line = f"{name}: {text(done, total)}"
        # Spaces cover what a longer line left behind.
        padded, widest = line.ljust(widest), len(line)
        print(f"\r{padded}", end="\n" if done >= total else "", file=sys.stderr, flush=True)

    return report


# Larger files are not read once more for a hint.
MOST_BYTES = 2 * 10**6
HINT = " Or fix the files: run hierviz doctor with the same files and --fix FOLDER."
# Keywords of functions that errors start with and that options are called otherwise than.
OPTIONS = {
    "cost": ("severity",),
    "order": ("severity",),
    "attributes": ("attribute",),
    "samples": ("sample",),
    "model": ("look_at",),
    "form": ("predictions_form", "taxonomy_form"),
    "level": ("depth", "confidence"),
    "a, b": ("against", "predictions"),
    "models": ("predictions",),
    "metrics": ("metric",),
}
# Before those of a second rule.
SECOND = "to_"
SAME = (
    *("rule", "by", "level", "loss", "group", "correction", "q", "view", "worst", "random", "seed", "max_mb"),
    *("correct", "reading", "metric", "max_drop", "resamples", "max_depth"),
)


def error_line(error, options):
    """An error in the words of the command line, also where it starts with a keyword that an option has given.

    Parameters
    ----------
    error : HiervizError
    options : argparse.Namespace or None
        What was given.
    """
    from hierviz.inference.registry import rule_parameters

    text = error.said(flag)
    start = re.match(r"([a-z_]+|a, b)(?=( '[^']*')?: )", text)
    if start is None:
        return text
    places = [*([start[0]] if start[0] in SAME else []), *OPTIONS.get(start[0], ())]
    if start[0] in rule_parameters():
        places += [start[0], SECOND + start[0]]
    values = {place: value for place in places if (value := getattr(options, place, None)) is not None}
    # Of several options that it may be, the one with the value that the text shows.
    given = next((place for place, value in values.items() if f"got {shown(value)}" in text), next(iter(values), None))
    return text if given is None else f"--{given.replace('_', '-')}{text[start.end() :]}"


def fixing_hint(options):
    """`HINT` where the doctor can fix an error in the files of a command, else an empty text.

    Parameters
    ----------
    options : argparse.Namespace or None
    """
    from hierviz.opening.loading import examined

    given = vars(options) if options is not None else {}
    if not given.get("taxonomy") or "fix" in given or not given.get("predictions"):
        return ""
    try:
        files = files_of(options)
        found = [os.stat(file) for file in (files.taxonomy, *files.predictions, *filter(None, [files.truth]))]
        if not all(stat.S_ISREG(one.st_mode) for one in found) or sum(one.st_size for one in found) > MOST_BYTES:
            return ""
    except (OSError, ValueError, HiervizError):
        return ""
    try:
        found = examined(files)
    except Exception:  # the error that stopped the command is shown in any case
        return ""
    return HINT if any(one.severity == "error" and one.fix is not None for one in found) else ""
