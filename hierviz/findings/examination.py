"""All findings about some files, and the mended files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hierviz.findings.finding import SEVERITIES, Finding, counted
from hierviz.messages.errors import FileError
from hierviz.messages.notebook_html import Short
from hierviz.new_files import check_place


@dataclass(frozen=True, eq=False)
class Examination(Short):
    """What `doctor` has found.

    Attributes
    ----------
    findings : tuple of Finding
        Errors first, then warnings, then what is to know.
    fixes : tuple of Mend
        Of the files that can be mended.
    """

    findings: tuple[Finding, ...]
    fixes: tuple[Any, ...] = ()

    def __iter__(self):
        return iter(self.findings)

    def __len__(self):
        return len(self.findings)

    def __str__(self):
        return "\n".join(map(str, self.findings)) or "No fault was found."

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
        return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]])) if words else "no fault"

    @property
    def mended_names(self) -> tuple[str, ...]:
        """Names of the files that can be mended."""
        return tuple(fix.name for fix in self.fixes)

    def to_dict(self) -> dict[str, Any]:
        """``{"findings": [{"code", "severity", "where", "message", "fix"}]}``; messages may be a `Sentence`."""
        return {"findings": [finding.to_dict() for finding in self]}

    def write_mended(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the mended files, under the names of the files, into a folder that is made if it is not there.

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
            raise FileError(f"{folder}: expected files of different names to mend, got {twice[0]!r} twice. Rename one.")
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
