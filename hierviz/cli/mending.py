"""What the command line says where files were refused that `hierviz doctor` can mend."""

from __future__ import annotations

import os
import stat

from hierviz.cli.named_files import run_files
from hierviz.cli.taxonomy_flags import taxonomy_options
from hierviz.messages.errors import HiervizError

# Larger files are not read once more for a hint.
MOST_BYTES = 2 * 10**6
HINT = " Or mend the files: hierviz doctor with the same files and --fix FOLDER."


def mending_hint(options):
    """`HINT` where the doctor can mend an error of the files that a command was given, else an empty text.

    Parameters
    ----------
    options : argparse.Namespace or None
    """
    given = vars(options) if options is not None else {}
    if not given.get("taxonomy") or "fix" in given or not given.get("predictions"):
        return ""
    try:
        predictions = [file.path for file in run_files(options.predictions)]
        files = [options.taxonomy, *predictions, *filter(None, [given.get("truth")])]
        found = [os.stat(file) for file in files]
        if not all(stat.S_ISREG(one.st_mode) for one in found) or sum(one.st_size for one in found) > MOST_BYTES:
            return ""
    except (OSError, ValueError, HiervizError):
        return ""
    from hierviz.findings.doctor import doctor

    classes = given.get("classes")
    classes = classes if isinstance(classes, str) else (classes or [None])[-1]
    said = {key: given.get(key) for key in ("truth_column", "missing", "percent", "ids")}
    try:
        found = doctor(
            options.taxonomy,
            predictions,
            given.get("truth"),
            classes=classes,
            taxonomy_reading=taxonomy_options(options),
            **said,
        )
    except Exception:  # what stopped the command is to be said, whatever else is wrong with its files
        return ""
    return HINT if any(one.severity == "error" and one.fix is not None for one in found) else ""
