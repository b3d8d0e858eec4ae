"""Scores of every class over several runs of one method: mean, standard deviation between runs, and of how many.

Functions
---------
class_table_of_runs, hierarchical_f_of_runs, ClassesOverRuns
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.diagnosis._class_table import READINGS, ScoresByClass, class_table, hierarchical_f, most_frequent_confusion
from hierviz.diagnosis.run_answers import OverRuns, over_runs, run_answers
from hierviz.evaluation._judged_answers import JudgedAnswers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Short
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.taxonomy import Taxonomy

SCORES = ("precision", "recall", "f")
COUNTS = ("answered", "hits")


@dataclass(frozen=True, eq=False)
class ClassesOverRuns(Short):
    """Scores of every class over runs.

    Attributes
    ----------
    taxonomy : Taxonomy
    runs : list of ScoresByClass
        One a run.
    confused_with : ndarray of int, shape (n_nodes,)
        The most frequent wrong answer to samples of exactly this class in all runs together, as in `ScoresByClass`.
    confused_count : ndarray of int, shape (n_nodes,)
        Its times in all runs together.
    n_left_out : int
        Samples of the first run that another one does not have, which count nowhere.
    """

    taxonomy: Taxonomy
    runs: list[ScoresByClass]
    confused_with: np.ndarray
    confused_count: np.ndarray
    n_left_out: int

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return len(self.runs)

    def support(self, reading: str = "exact") -> np.ndarray:
        """Samples of each class, the same in all runs, shape (n_nodes,); `reading` is a key of `READINGS`."""
        return getattr(self.runs[0], reading).support

    def is_class(self, reading: str = "exact") -> np.ndarray:
        """The nodes that averages run over, as in `ClassScores`, shape (n_nodes,) of bool."""
        return getattr(self.runs[0], reading).is_class

    def scores(self, key: str, reading: str = "exact") -> OverRuns:
        """``precision``, ``recall``, ``f``, ``answered`` or ``hits`` of each class over the runs that have a value."""
        return over_runs([getattr(getattr(run, reading), key) for run in self.runs])

    def averages(self, reading: str = "exact") -> dict[str, dict[str, OverRuns | int | None]]:
        """Macro averages of the runs: mean and standard deviation of what `ClassScores.averages` gives of each.

        Returns
        -------
        dict of str to dict
            ``all`` and ``support``: ``precision``, ``recall``, ``f`` as OverRuns (None without classes), ``n_classes``, and
            ``n_undefined``: classes that some run never answered.
        """
        alone = [getattr(run, reading).averages() for run in self.runs]
        found: dict[str, dict[str, OverRuns | int | None]] = {}
        for name, first in alone[0].items():
            values = {key: [one[name][key] for one in alone] for key in SCORES}
            some = {key: None if None in own else over_runs(own) for key, own in values.items()}
            inside = self.is_class(reading) & ((self.support(reading) > 0) | (name == "all"))
            never = np.any([np.isnan(getattr(run, reading).precision) for run in self.runs], axis=0)
            found[name] = some | {"n_classes": int(first["n_classes"]), "n_undefined": int((inside & never).sum())}
        return found

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a node but the root: for each score its mean, ``_sd`` between runs and ``_runs``."""
        names = self.taxonomy.names
        columns: dict[str, Any] = {"class": list(names), "depth": self.taxonomy.depth}
        for reading in READINGS:
            end = "" if reading == "exact" else "_inclusive"
            columns[f"support{end}"] = self.support(reading)
            for key in (*COUNTS, *SCORES):
                found = self.scores(key, reading)
                columns[f"{key}{end}"], columns[f"{key}{end}_sd"] = found.mean, found.spread
                if key in SCORES:
                    columns[f"{key}{end}_runs"] = found.n
        columns["confused_with"] = ["" if node < 0 else names[node] for node in self.confused_with.tolist()]
        columns["confused_count"] = self.confused_count
        return frame(columns).iloc[1:]


def class_table_of_runs(
    runs: Sequence[Evaluation | Predictions | JudgedAnswers],
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    beta: float = 1.0,
    **parameters: Any,
) -> ClassesOverRuns:
    """Precision, recall, F and the most frequent confusion of every class over several runs of one method.

    Parameters
    ----------
    runs : sequence of Evaluation, Predictions, or JudgedAnswers
        Of the same samples; of JudgedAnswers those that all have are kept.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.
    beta : float
        > 0: recall counts beta times as much as precision.

    Returns
    -------
    ClassesOverRuns

    Raises
    ------
    PredictionsError
        If the runs judge other samples or have other truths, or a keyword is out of range.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> truth = taxonomy.nodes("cat", "cat", "newt")
    >>> answers = [taxonomy.nodes("dog", "cat", "newt"), taxonomy.nodes("cat", "cat", "newt")]
    >>> found = class_table_of_runs([Predictions.from_labels(taxonomy, one, truth=truth) for one in answers])
    >>> recall, cat = found.scores("recall"), taxonomy.node("cat")
    >>> float(recall.mean[cat]), round(float(recall.spread[cat]), 4), int(recall.n[cat])
    (0.75, 0.3536, 2)
    """
    found = run_answers(runs, rule, threshold, **parameters)
    tables = [class_table(answers, beta=beta) for answers in found.answers]
    return ClassesOverRuns(tables[0].taxonomy, tables, *most_frequent_confusion(found.answers), found.n_left_out)


def hierarchical_f_of_runs(
    runs: Sequence[Evaluation | Predictions | JudgedAnswers],
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    beta: float = 1.0,
    **parameters: Any,
) -> dict[str, OverRuns]:
    """`hierarchical_f` over several runs of one method; arguments and errors as `class_table_of_runs`.

    Returns
    -------
    dict of str to OverRuns
        ``micro`` and ``samples``.
    """
    found = run_answers(runs, rule, threshold, **parameters)
    alone = [hierarchical_f(answers, beta=beta) for answers in found.answers]
    return {key: over_runs([one[key] for one in alone]) for key in alone[0]}
