"""The answers of several runs of one method to the same samples.

Scores of every class over several runs of one method: mean, standard deviation between runs, and of how many.

Functions
---------
run_answers, RunAnswers, class_table_of_runs, hierarchical_f_of_runs, ClassesOverRuns
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.diagnosis._class_table import READINGS, ScoresByClass, class_table, hierarchical_f, most_frequent_confusion
from hierviz.evaluation._judged_answers import JudgedAnswers, judged_answers
from hierviz.evaluation.common_samples import common_rows
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Short
from hierviz.predictions.predictions import Predictions, listed_models
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy
from hierviz.uncertainty.repeats import OverRuns, over_runs


@dataclass(frozen=True, eq=False)
class RunAnswers(Short):
    """The answers of every run to the samples that all of them have.

    Attributes
    ----------
    answers : list of JudgedAnswers
        One a run, each in the order of its own file.
    places : list of ndarray of int, shape (n_samples,)
        Places in them of the samples in the order of the first run.
    n_left_out : int
        Samples of the first run that another one does not have: a filter that asks for answers leaves other samples in each.
    """

    answers: list[JudgedAnswers]
    places: list[np.ndarray]
    n_left_out: int

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return len(self.answers)


def run_answers(
    runs: Sequence[Evaluation | Predictions | JudgedAnswers],
    rule: str = "majority",
    threshold: float = 0.5,
    **parameters: Any,
) -> RunAnswers:
    """The answers of several runs of one method.

    Parameters
    ----------
    runs : sequence of Evaluation, Predictions, or JudgedAnswers
        Of the same judged samples, in any order; of JudgedAnswers, which may be of some samples, those that all have are kept.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels and JudgedAnswers.

    Returns
    -------
    RunAnswers

    Raises
    ------
    PredictionsError
        If there is no run, runs judge other samples or have other truths, or share no sample.
    """
    runs = listed_models(runs)
    if not runs:
        raise PredictionsError("runs: expected at least one run, got none. Pass an Evaluation.")
    answers = [judged_answers(run, rule, threshold, **parameters) for run in runs]
    if len(answers) == 1:
        return RunAnswers(answers, [np.arange(answers[0].n_judged)], 0)
    models = [one.evaluation for one in answers]
    rows = common_rows(models)
    if any(len(own) != model.n_judged for model, own in zip(models, rows, strict=True)):
        raise PredictionsError(
            "runs: expected runs of one method that judge the same samples, got others. Pass one run."
        )
    kept = np.all([np.isin(own, one.rows) for one, own in zip(answers, rows, strict=True)], axis=0)
    if not kept.any():
        raise PredictionsError(
            "runs: expected a sample that all runs have, got none. Use other filters, or pass one run."
        )
    places = [np.searchsorted(one.rows, own[kept]) for one, own in zip(answers, rows, strict=True)]
    n_left_out = answers[0].n_judged - int(kept.sum())
    for number, (one, own) in enumerate(zip(answers, places, strict=True)):
        if len(own) < one.n_judged:
            answers[number] = one.take(own)
            order = np.sort(own)
            places[number] = np.searchsorted(order, own)
    first = _in_order(answers[0].truth, places[0])
    for one, own in zip(answers[1:], places[1:], strict=True):
        if not _is_same(first, _in_order(one.truth, own)):
            raise PredictionsError(
                "runs: expected runs of one method with the same truth, got another one. Pass one run."
            )
    return RunAnswers(answers, places, n_left_out)


def _in_order(nodes, places):
    return nodes.take(places) if isinstance(nodes, NodeLists) else nodes[places]


def _is_same(truth, other):
    if isinstance(truth, NodeLists) != isinstance(other, NodeLists):
        return False
    if isinstance(truth, NodeLists):
        return np.array_equal(_own_pairs(truth), _own_pairs(other))
    return np.array_equal(truth, other)


def _own_pairs(lists):
    """(sample, node) of what is listed, each once, ascending."""
    return np.unique(np.column_stack([np.repeat(np.arange(len(lists)), lists.lengths), lists.nodes]), axis=0)


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
                columns[f"{key}{end}"], columns[f"{key}{end}_sd"] = found.mean, found.sd
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
    >>> float(recall.mean[cat]), round(float(recall.sd[cat]), 4), int(recall.n[cat])
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
