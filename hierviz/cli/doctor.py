"""`hierviz doctor`: all faults of files at once, and the mended files."""

from __future__ import annotations

import json
import os
import textwrap

from hierviz.cli.files import add_predictions_form, add_reading
from hierviz.cli.named_files import run_files
from hierviz.cli.output import require_places, write_text
from hierviz.cli.parameter_flags import flag, with_flags
from hierviz.cli.taxonomy_flags import add_taxonomy_flags, taxonomy_options
from hierviz.messages.errors import FileError
from hierviz.messages.parameters import said

_WIDTH = 120


def add_doctor(commands):
    """Add the command `doctor`."""
    command = commands.add_parser(
        "doctor",
        help="find all faults of taxonomy, class list, predictions and truth, and mend what is certain",
        description="Find all faults of taxonomy, class list, predictions and truth (docs/doctor.md), and mend those of which it "
        "is certain what was meant. Exits with 2 when there is an error.",
    )
    command.add_argument("--taxonomy", required=True, metavar="T", help="taxonomy of any form that hierviz reads")
    add_taxonomy_flags(command)
    command.add_argument(
        "--predictions", metavar="P", action="append", default=[], help="scores or labels; may be given several times"
    )
    add_predictions_form(command, several=False)
    command.add_argument("--truth", metavar="F", help="file of the truth, when it is not in the predictions")
    command.add_argument("--truth-column", metavar="C", help="column of the truth")
    command.add_argument("--classes", metavar="F", help="class list: the node of each score column")
    command.add_argument("--parametrisation", metavar="KEY", help="how scores become probabilities")
    add_reading(command)
    command.add_argument("--json", metavar="FILE|-", help="file for the findings as JSON (- is standard output)")
    command.add_argument("--fix", metavar="FOLDER", help="folder for the mended files, which keep their names")
    command.set_defaults(run=run_doctor)


def run_doctor(options):
    """`hierviz doctor`; returns 2 when there is an error among the findings."""
    from hierviz.findings.doctor import doctor

    if options.json is not None:
        require_places(options, options.json)
    if options.fix is not None and os.path.isfile(options.fix):
        raise FileError(f"{options.fix}: expected a folder for the mended files, got a file. Name a folder.")
    found = doctor(
        options.taxonomy,
        [file.path for file in run_files(options.predictions)],
        options.truth,
        classes=options.classes,
        truth_column=options.truth_column,
        parametrisation=options.parametrisation,
        missing=options.missing,
        percent=options.percent,
        ids=options.ids,
        predictions_form=options.predictions_form,
        taxonomy_reading=taxonomy_options(options),
    )
    written = found.write_mended(options.fix) if options.fix is not None else []
    if options.json != "-":
        write_text("-", _text(found, written, options.fix))
    if options.json is not None:
        write_text(options.json, json.dumps(with_flags(found.to_dict()), indent=1, ensure_ascii=False) + "\n")
    return 2 if found.counts["error"] else 0


def _text(found, written, folder):
    """The findings for people."""
    lines = []
    for one in found:
        words = f"{one.severity:<8} {one.where}: {said(one.message, flag)}"
        lines += textwrap.wrap(words, _WIDTH, subsequent_indent=" " * 9, break_on_hyphens=False, break_long_words=False)
        if one.fix is not None:
            mended = f"mended as: {one.fix}" if folder is not None else f"--fix FOLDER writes it mended: {one.fix}"
            lines += textwrap.wrap(
                mended, _WIDTH, initial_indent=" " * 9, subsequent_indent=" " * 9, break_on_hyphens=False
            )
    lines.append(f"{found.sentence[:1].upper()}{found.sentence[1:]}.")
    lines += [f"Written: {path}" for path in written]
    return "\n".join(lines) + "\n"
