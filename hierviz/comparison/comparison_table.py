"""A table of methods: values, intervals, ranks, marks, constants, warnings and agreement, and its forms.

Functions
---------
ComparisonTable, which `hierviz.compare` makes
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hierviz.comparison import formats
from hierviz.comparison.agreement import Agreement, agreement
from hierviz.comparison.columns import Column, FileNumbers
from hierviz.comparison.constants import Constants
from hierviz.comparison.methods import Method, difference, marks_of, ranks_of
from hierviz.comparison.methods_text import methods_paragraph
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.summary import jsonable
from hierviz.messages.errors import PredictionsError, listed, near_miss
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.predictions.outside_lines import outside_lines
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.resamples import Resamples


@dataclass(frozen=True, eq=False)
class ComparisonTable(Short):
    """Methods (rows) by numbers (columns). Made by `hierviz.compare`.

    Attributes
    ----------
    taxonomy : Taxonomy
    columns : list of Column
    methods : list of Method
        In the order in which they came.
    files : list of FileNumbers
        Numbers of each file, runs of one method among them.
    models : list of Evaluation
        Of each file.
    level : float
        Of intervals.
    resamples : Resamples or None
    constants : Constants
    warnings : dict of str to list of str
        By method.
    choice : dict
        Rule and its parameters, of the first file.
    thresholds : list of float
        Of each file.
    has_class_weights : bool
    rules : list of str
        Of each file.
    notes : list of str
        What else a reader should know, below the table.
    """

    taxonomy: Taxonomy
    columns: list[Column]
    methods: list[Method]
    files: list[FileNumbers]
    models: list[Evaluation]
    level: float
    resamples: Resamples | None
    constants: Constants
    warnings: Mapping[str, list[str]]
    choice: dict[str, Any]
    thresholds: list[float]
    has_class_weights: bool = False
    rules: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @cached_property
    def marks(self) -> dict[str, list[str | None]]:
        """Mark of each method by key; see `hierviz.comparison.methods`."""
        return {column.key: marks_of(self.methods, column, self.level) for column in self.columns}

    @cached_property
    def ranks(self) -> dict[str, list[int | None]]:
        """Rank of each method by key."""
        return {column.key: ranks_of(self.methods, column) for column in self.columns}

    @cached_property
    def agreement(self) -> Agreement:
        """How far the metrics agree in the order of the methods."""
        return agreement(self.methods, self.columns, self.level)

    @cached_property
    def methods_paragraph(self) -> str:
        """Sentences for a section on methods: tests, samples, resamples, seed, conventions."""
        return methods_paragraph(self)

    def reasons(self, name: str) -> dict[str, str]:
        """Why a method has no value, by key."""
        own = [file for file in self.files if file.name == name]
        return {key: reason for file in own for key, reason in file.reasons.items()}

    def interval_reasons(self, method: Method) -> dict[str, str]:
        """Why a value of a method has no interval, by key; empty without resamples."""
        wanted = [c for c in self.columns if method.value(c.key) is not None and self.resamples is not None]
        reasons = {column.key: method.why_no_interval(column) for column in wanted}
        return {key: f"no interval: {reason}" for key, reason in reasons.items() if reason is not None}

    def interval_cautions(self, method: Method) -> dict[str, str]:
        """Which intervals of a method may be too short, and why, by key; empty without resamples."""
        wanted = [] if self.resamples is None else self.columns
        found = {column.key: method.interval_caution(column) for column in wanted}
        return {key: caution for key, caution in found.items() if caution is not None}

    def interval(self, method: Method, column: Column) -> tuple[float, float] | None:
        """Interval of a value; None where there is none."""
        return method.interval(column, self.level)

    def difference(self, a: str, b: str, key: str) -> dict[str, Any]:
        """The value of one method minus that of another, paired by the resamples.

        Parameters
        ----------
        a, b : str
            Names of methods.
        key : str
            Of a column.

        Returns
        -------
        dict
            ``estimate``, ``interval`` [low, high] and ``is_clear`` (the interval leaves out 0), all None where it has no
            interval; ``has_runs``: whether runs of a method add to it.

        Raises
        ------
        PredictionsError
            If a method or the column is unknown.
        """
        by_name = {method.name: method for method in self.methods}
        by_key = {column.key: column for column in self.columns}
        for what, name, known in (("method", a, by_name), ("method", b, by_name), ("column", key, by_key)):
            if name not in known:
                raise PredictionsError(
                    f"{what}: expected one of {listed(list(known))}, got {name!r}.{near_miss(name, known)} Choose one."
                )
        found = difference(by_name[a], by_name[b], by_key[key])
        if found is None:
            return {"estimate": None, "interval": None, "is_clear": None, "has_runs": None}
        return {
            "estimate": found.estimate,
            "interval": list(found.interval(self.level)),
            "is_clear": found.is_clear(self.level),
            "has_runs": found.has_runs,
        }

    @property
    def outside_words(self) -> str:
        """What names outside the taxonomy did to the numbers, as of `outside_lines`; nothing where there are none."""
        return ". ".join(outside_lines([model.predictions for model in self.models]))

    @property
    def notes_of_files(self) -> list[str]:
        """What was assumed, added or left out of the files, such as a cut of the taxonomy; with names where not true of all."""
        methods: dict[str, dict[str, None]] = {}
        for model in self.models:
            for note in model.predictions.notes:
                methods.setdefault(note, {})[model.predictions.name] = None
        return [
            note if len(names) == len(self.methods) else f"{', '.join(names)}: {note}"
            for note, names in methods.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `hierviz table`: columns, rows, constant, agreement, methods, and notes where there are any.

        Infinite values are "Infinity". ``reason`` says why a value is null, has no interval, or one that may be too short.
        """
        rows = []
        for place, method in enumerate(self.methods):
            own = [{"run": file.run, "values": file.values} for file in self.files if file.name == method.name]
            reasons = (self.reasons(method.name), self.interval_reasons(method), self.interval_cautions(method))
            rows.append(
                {
                    "model": method.name,
                    "n_samples": method.n_samples,
                    "n_runs": method.n_runs,
                    "values": {column.key: method.value(column.key) for column in self.columns},
                    "spread": {column.key: method.spread(column.key) for column in self.columns},
                    "interval": {column.key: self.interval(method, column) for column in self.columns},
                    "rank": {column.key: self.ranks[column.key][place] for column in self.columns},
                    "mark": {column.key: self.marks[column.key][place] for column in self.columns},
                    "reason": reasons[0] | reasons[1] | reasons[2],
                    "warnings": list(self.warnings[method.name]),
                    "runs": own,
                }
            )
        return jsonable(
            {
                "columns": [column.to_dict() for column in self.columns],
                "rows": rows,
                "constant": self.constants.to_dict(),
                "agreement": self.agreement.to_dict(),
                "methods": self.methods_paragraph,
            }
            | ({"notes": found} if (found := [*self.notes, *self.notes_of_files]) else {})
        )

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a method: of each column the value, named as its key, and where any method has an
        interval its ends ``<key>.lower`` and ``<key>.upper``, nan where there is none."""
        columns: dict[str, list[float | None]] = {}
        for column in self.columns:
            columns[column.key] = [method.value(column.key) for method in self.methods]
            ends = [self.interval(method, column) or (None, None) for method in self.methods]
            if any(low is not None for low, _ in ends):
                columns[f"{column.key}.lower"], columns[f"{column.key}.upper"] = map(list, zip(*ends, strict=True))
        return frame(columns, index=[method.name for method in self.methods], dtype=float)

    def to_markdown(self) -> str:
        """Markdown: best and tied bold, second in italics; constant, notes and methods below."""
        return formats.markdown(self)

    def to_latex(self) -> str:
        """A LaTeX table (package booktabs) with its caption."""
        return formats.latex(self)

    def to_csv(self) -> str:
        """CSV: one row a method, and of each column value, spread, interval, rank and mark."""
        return formats.csv_text(self)
