"""`hierviz doctor`: all faults of files at once, and the fixed files."""

from __future__ import annotations

import os
import textwrap

from hierviz.cli.output import require_places, write_json, write_text
from hierviz.messages.errors import FileError
from hierviz.messages.parameters import said
from hierviz.opening.files import files_of
from hierviz.opening.flags import Option
from hierviz.opening.loading import examined
from hierviz.opening.options import READING, TAXONOMY, flag, options_of

_WIDTH = 120


def add_doctor(command):
    """The options of `doctor`."""
    command.description = (
        "Find all faults of taxonomy, class list, predictions and truth (docs/doctor.md), and fix those whose meaning is "
        "certain. Exits with 2 when there is an error."
    )
    names = ("predictions", "predictions_form", "truth", "truth_column", "classes", "parametrisation", *READING)
    files = options_of(("taxonomy", *TAXONOMY, *names), required=("taxonomy",))
    json_file = Option("--json FILE|-", "file for the findings as JSON (- is standard output)")
    return [*files, json_file, Option("--fix FOLDER", "folder for the fixed files, which keep their names")]


def run_doctor(options):
    """`hierviz doctor`; returns 2 when there is an error among the findings."""
    if options.json is not None:
        require_places(options, options.json)
    if options.fix is not None and os.path.isfile(options.fix):
        raise FileError(f"{options.fix}: expected a folder for the fixed files, got a file. Name a folder.")
    found = examined(files_of(options))
    written = found.write_mended(options.fix) if options.fix is not None else []
    if options.json != "-":
        write_text("-", _text(found, written, options.fix))
    if options.json is not None:
        write_json(options.json, found.to_dict())
    return 2 if found.counts["error"] else 0


def _text(found, written, folder):
    """The findings for people."""
    lines = []
    for one in found:
        words = f"{one.severity:<8} {one.where}: {said(one.message, flag)}"
        lines += textwrap.wrap(words, _WIDTH, subsequent_indent=" " * 9, break_on_hyphens=False, break_long_words=False)
        if one.fix is not None:
            fixed = f"fixed as: {one.fix}" if folder is not None else f"--fix FOLDER fixes it: {one.fix}"
            lines += textwrap.wrap(
                fixed, _WIDTH, initial_indent=" " * 9, subsequent_indent=" " * 9, break_on_hyphens=False
            )
    lines.append(f"{found.sentence[:1].upper()}{found.sentence[1:]}.")
    lines += [f"Written: {path}" for path in written]
    return "\n".join(lines) + "\n"
