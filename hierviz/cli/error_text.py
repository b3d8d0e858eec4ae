"""What the command line says about an error: with its own flags, and that `hierviz doctor` can fix the files."""

from __future__ import annotations

import os
import re
import stat

from hierviz.inference.registry import rule_parameters
from hierviz.messages.errors import HiervizError
from hierviz.opening.files import files_of
from hierviz.opening.loading import examined
from hierviz.opening.parameter_words import flag

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
}
SAME = ("rule", "by", "level", "loss", "group", "correction", "q", "view", "worst", "random", "seed", "max_mb")


def error_line(error, options):
    """An error in the words of the command line, also where it starts with a keyword that an option has given.

    Parameters
    ----------
    error : HiervizError
    options : argparse.Namespace or None
        What was given.
    """
    text = error.said(flag)
    start = re.match(r"([a-z_]+)(?=( '[^']*')?: )", text)
    if start is None:
        return text
    is_same = start[0] in SAME or start[0] in rule_parameters()
    places = [*OPTIONS.get(start[0], ()), *([start[0]] if is_same else [])]
    given = next((place for place in places if getattr(options, place, None) is not None), None)
    return text if given is None else f"--{given.replace('_', '-')}{text[start.end() :]}"


def fixing_hint(options):
    """`HINT` where the doctor can fix an error in the files of a command, else an empty text.

    Parameters
    ----------
    options : argparse.Namespace or None
    """
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
