"""A finding, and the list of all kinds.

Conventions
-----------
An **error** stops `evaluate`, or makes its numbers wrong for certain; a **warning** may make them mislead; an **info** says what
numbers take as it is. A `fix` says what the fixed file holds; it is None where it is unclear what was meant.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hierviz.messages.errors import FileError, shown
from hierviz.messages.new_files import check_place
from hierviz.messages.notebook_html import Short
from hierviz.messages.parameters import Sentence, template_of

SEVERITIES = ("error", "warning", "info")
# Code -> (severity, what it is).
FINDINGS = {
    "unreadable": ("error", "the file cannot be read at all"),
    "other_form": ("info", "the format of another tool that a file is in"),
    "ragged_rows": ("error", "rows with more or fewer cells than the header"),
    "no_header": ("error", "a table whose first row is a sample, not a header"),
    "empty_names": ("error", "rows of a taxonomy that name no class"),
    "own_parent": ("error", "a class that is its own parent"),
    "cycles": ("error", "classes below themselves, each cycle by its names"),
    "gaps_in_levels": ("error", "an empty cell with a class below it"),
    "off_the_path": ("error", "rows of levels whose classes lie on no path of the taxonomy"),
    "look_alike_names": ("error", "names that differ in case, blanks, Unicode or leading zeros only"),
    "odd_characters": (
        "warning",
        "names with invisible characters, non-breaking or double blanks, or decomposed letters",
    ),
    "repeated_rows": ("info", "repeated rows of a taxonomy"),
    "several_roots": ("warning", "several classes without a parent"),
    "redundant_edges": ("warning", "a parent that is also above another parent of the class"),
    "several_parents": ("info", "classes with several parents: the taxonomy is a graph"),
    "only_children": ("info", "classes without siblings, and their effect on the win"),
    "uneven_depths": ("info", "leaves at several depths (ragged ranks)"),
    "duplicate_names": ("info", "one name under several parents"),
    "unknown_names": ("error", "names that are no classes of the taxonomy"),
    "nearest_names": ("info", "names that are no classes, and the classes whose names are nearest"),
    "unnamed_texts": ("error", "texts of a language model that name no single class"),
    "other_spellings": ("info", "names spelt differently from the taxonomy whose class is clear"),
    "repeated_classes": ("error", "a class twice in a class list"),
    "missing_classes": ("error", "classes of the taxonomy without scores"),
    "leading_zeros": ("error", "ids or codes that lost their leading zeros, for example in a spreadsheet"),
    "not_numbers": ("error", "cells of scores that hold no number"),
    "empty_ids": ("error", "samples without an id"),
    "duplicated_samples": ("error", "a sample id in several rows"),
    "ids_differ": ("error", "no sample id is in both files"),
    "samples_without_truth": ("info", "predictions of samples without a truth"),
    "samples_without_prediction": ("warning", "truths of samples without a prediction"),
    "empty_samples": ("warning", "samples with no score above 0, no label, or an empty text"),
    "texts_with_several_truths": ("warning", "the same text with different truths"),
    "not_probabilities": ("error", "scores that are not finite or outside 0 to 1"),
    "sums_not_one": ("error", "probabilities of the leaves that do not sum to 1"),
    "parents_below_children": ("warning", "a parent less probable than its children together"),
    "few_distinct_rows": ("warning", "the same scores for many samples"),
    "constant_predictions": ("warning", "one answer for all samples"),
    "worse_than_constant": ("warning", "fewer correct answers than a constant answer"),
    "never_predicted": ("warning", "true classes that are never predicted"),
    "permuted_columns": ("warning", "columns of scores whose names look exchanged"),
}


@dataclass(frozen=True)
class Finding:
    """One fault, or one thing to know.

    Parameters
    ----------
    code : str
        Key of `FINDINGS`.
    severity : {"error", "warning", "info"}
    where : str
        The file, with the line where there is one.
    message : str
        A plain sentence; it names parameters as `hierviz.messages.parameters` says.
    fix : str or None
        What the fixed file holds; None where there is none.
    """

    code: str
    severity: str
    where: str
    message: str
    fix: str | None = None

    def to_dict(self) -> dict:
        """As the command `doctor` writes it."""
        return {key: getattr(self, key) for key in ("code", "severity", "where", "message", "fix")}

    def __str__(self):
        fix = "" if self.fix is None else f" Can be fixed: {self.fix}."
        return f"{self.severity}: {self.where}: {self.message}{fix}"


class Findings(list):
    """Findings as they come."""

    def note(self, code, where, message, fix=None, severity=None):
        """Add one; the severity is that of `FINDINGS` unless it is said."""
        self.append(Finding(code, severity or FINDINGS[code][0], where, Sentence(template_of(message)), fix))

    def failed(self, error, where):
        """Add the error of a reader, which stops there."""
        message = template_of(error)
        place, colon, rest = message.partition(": ")
        is_place = bool(colon) and place.startswith(where)
        self.note("unreadable", place if is_place else where, rest if is_place else message)


def some(values, most=4):
    """The first values as errors show them, and how many more there are."""
    values = list(values)
    words = ", ".join(map(shown, values[:most]))
    return words if len(values) <= most else f"{words} and {len(values) - most:,} more"


def lines_words(lines, most=5):
    """`line 3`, `lines 3, 4 and 7`, or the first ones with a count."""
    lines = sorted(map(int, lines))
    if len(lines) == 1:
        return f"line {lines[0]}"
    if len(lines) <= most:
        return f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"
    return f"lines {', '.join(map(str, lines[:most]))} and {len(lines) - most:,} more"


def counted(n, what, many=None):
    """A number of things: `1 row`, `2 rows`."""
    return f"{n:,} {what if n == 1 else many or what + 's'}"


@dataclass(frozen=True, eq=False)
class Examination(Short):
    """What `doctor` finds.

    Attributes
    ----------
    findings : tuple of Finding
        Errors first, then warnings, then remarks.
    fixes : tuple of Changes
        Of the files that can be fixed.
    """

    findings: tuple[Finding, ...]
    fixes: tuple[Any, ...] = ()

    def __iter__(self):
        return iter(self.findings)

    def __len__(self):
        return len(self.findings)

    def __str__(self):
        return "\n".join(map(str, self.findings)) or "No problems found."

    @property
    def counts(self) -> dict[str, int]:
        """Number of findings by severity."""
        return {severity: sum(one.severity == severity for one in self) for severity in SEVERITIES}

    @property
    def sentence(self) -> str:
        """How many findings there are, in words."""
        n = self.counts
        words = [counted(n["error"], "error"), counted(n["warning"], "warning"), counted(n["info"], "remark")]
        words = [word for word, number in zip(words, n.values(), strict=True) if number]
        return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]])) if words else "no problems"

    @property
    def mended_names(self) -> tuple[str, ...]:
        """Names of the files that can be fixed."""
        return tuple(fix.name for fix in self.fixes)

    def to_dict(self) -> dict[str, Any]:
        """``{"findings": [{"code", "severity", "where", "message", "fix"}]}``; messages may be a `Sentence`."""
        return {"findings": [finding.to_dict() for finding in self]}

    def write_mended(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the fixed files, under the names of the files, into a folder that is created if it is not there.

        Returns
        -------
        list of Path

        Raises
        ------
        FileError
            If a file cannot be written, two files have one name, or one of that name is there already: nothing is written then.
        """
        folder = Path(folder)
        names = self.mended_names
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise FileError(f"{folder}: expected files of different names to fix, got {twice[0]!r} twice. Rename one.")
        for fix in self.fixes:
            place = folder / fix.name
            if place.exists() and place.samefile(fix.table.source.path):
                raise FileError(f"{place}: expected another folder than that of the file itself. Choose another one.")
            if os.path.lexists(place):
                raise FileError(
                    f"{place}: expected no file of that name in the folder, got one. Choose another folder."
                )
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(
                f"{folder}: expected a folder to write to, got {error.strerror}. Choose another one."
            ) from None
        for fix in self.fixes:
            check_place(folder / fix.name)
            fix.write(folder / fix.name)
        return [folder / fix.name for fix in self.fixes]


def examination(found: Sequence[Finding], fixes: Sequence[Any]) -> Examination:
    """An Examination of findings as they came, and of changes, where there are any."""
    ordered = sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))
    return Examination(tuple(ordered), tuple(fix for fix in fixes if fix))
