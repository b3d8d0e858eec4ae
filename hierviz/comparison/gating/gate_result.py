"""What a gate finds: one row for each metric and part, and what follows from them.

Functions
---------
Gate, GateRow, verdict_of, CODES
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hierviz._version import version
from hierviz.comparison.columns import Column
from hierviz.comparison.gating import gate_formats
from hierviz.evaluation.summary import jsonable
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.metrics.ties import TIE

HOLDS, FAILS, NOT_CLEAR, SAME = "holds", "fails", "not clear", "same answers"
# Exit code of each outcome; 2 is bad input and 4 a bug of hierviz.
CODES = {HOLDS: 0, FAILS: 1, NOT_CLEAR: 3}


def verdict_of(lower: float, p_adjusted: float, limit: float, level: float) -> str:
    """Whether a difference stays above -limit, clearly does not, or neither; ends are nan where there is no interval."""
    if p_adjusted <= (1 - level) / 2:
        return FAILS
    return HOLDS if lower > -limit + TIE else NOT_CLEAR


@dataclass(frozen=True)
class GateRow(Short):
    """One metric on all samples or on a part of them.

    Attributes
    ----------
    column : Column
        Of the metric.
    part : str
        What the samples have in common; empty for all.
    n : int
        Samples.
    baseline, candidate : float
        Values in the unit of the metric; of several runs their mean; nan without one.
    difference : float
        Candidate less baseline, turned so that more is better.
    lower, upper : float
        Its interval; nan where there is none.
    limit : float
        Largest drop that is allowed, >= 0.
    p_value, p_adjusted : float
        One-sided, of a drop of at most the limit; alone, and by Holm's steps with the others. nan without an interval.
    verdict : str
        'holds', 'fails', 'not clear', or 'same answers', which holds.
    reason : str
        Why there is no interval, in words; empty where there is one.
    """

    _printed = ("key", "part", "difference", "lower", "upper", "limit", "verdict")

    column: Column
    part: str
    n: int
    baseline: float
    candidate: float
    difference: float
    lower: float
    upper: float
    limit: float
    p_value: float
    p_adjusted: float
    verdict: str
    reason: str = ""

    @property
    def key(self) -> str:
        """``block.key`` of the metric."""
        return self.column.key

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it: null without a value."""
        names = ("baseline", "candidate", "difference", "lower", "upper", "limit", "p_value", "p_adjusted")
        values = {name: getattr(self, name) for name in names}
        numbers = {name: None if math.isnan(value) else value for name, value in values.items()}
        interval = None if math.isnan(self.lower) else [numbers["lower"], numbers["upper"]]
        del numbers["lower"], numbers["upper"]
        part = {"part": self.part} if self.part else {}
        row = {**self.column.to_dict(), **part, "n_samples": self.n, **numbers, "interval": interval}
        return row | {"verdict": self.verdict, "reason": self.reason or None}


@dataclass(frozen=True, eq=False)
class Gate(Short):
    """Whether a candidate is at most so much worse than a baseline. Made by `hierviz.comparison.gate`.

    Attributes
    ----------
    names : (str, str)
        Of baseline and candidate.
    rows : list of GateRow
        One for each metric, on all samples.
    parts : list of GateRow
        One for each metric and part of the samples, where parts were asked for.
    by : str or None
        What divides the samples into the parts.
    level : float
        Of the intervals.
    n_samples : int
    n_groups : int or None
        Where samples belong together.
    notes : list of str
        What else a reader should know.
    """

    _printed = ("names", "verdict", "code", "n_samples")

    names: tuple[str, str]
    rows: list[GateRow]
    parts: list[GateRow]
    by: str | None
    level: float
    n_samples: int
    n_groups: int | None = None
    notes: list[str] = field(default_factory=list)

    @cached_property
    def failed(self) -> list[GateRow]:
        """Rows and parts that fail."""
        return [row for row in [*self.rows, *self.parts] if row.verdict == FAILS]

    @property
    def verdict(self) -> str:
        """'fails' where a metric or a part does, 'holds' where every metric does, else 'not clear'."""
        if self.failed:
            return FAILS
        return HOLDS if all(row.verdict in (HOLDS, SAME) for row in self.rows) else NOT_CLEAR

    @property
    def code(self) -> int:
        """Exit code of ``hierviz gate``: 0 holds, 1 fails, 3 not clear: not enough samples to tell."""
        return CODES[self.verdict]

    @property
    def passed(self) -> bool:
        """Whether the code is 0."""
        return self.code == CODES[HOLDS]

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        return gate_formats.sentence(self)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `hierviz gate`."""
        about = {"verdict": self.verdict, "code": self.code, "sentence": self.sentence}
        about |= {"baseline": self.names[0], "candidate": self.names[1], "level": self.level}
        about |= {"n_samples": self.n_samples, "n_groups": self.n_groups, "by": self.by}
        rows = {"metrics": [row.to_dict() for row in self.rows], "parts": [row.to_dict() for row in self.parts]}
        return jsonable({"hierviz": version(), "gate": about | rows | {"notes": list(self.notes)}})

    def to_text(self) -> str:
        """For a terminal."""
        return gate_formats.text(self)

    def to_markdown(self) -> str:
        """Markdown, for the summary of a job."""
        return gate_formats.markdown(self)

    def to_junit(self) -> str:
        """JUnit XML: a test for each metric and part; 'not clear' is an error, so that it is never green."""
        return gate_formats.junit(self)

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row for each metric and part."""
        rows = [*self.rows, *self.parts]
        numbers = ("baseline", "candidate", "difference", "lower", "upper", "limit", "p_value", "p_adjusted")
        names = ("key", "part", "n", *numbers, "verdict")
        return frame({name: [getattr(row, name) for row in rows] for name in names})
