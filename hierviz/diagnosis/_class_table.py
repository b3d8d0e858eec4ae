r"""Precision, recall and F of every class by itself, its most frequent confusion, and their averages over classes.

Several runs of one method are passed as a list: numbers are then means over the runs, with their standard deviation between
runs next to them.

Conventions
-----------
*Exact* counts a class only where it is itself a true class or an answer; *inclusive* counts a sample at its class and at all
classes above (the numbers of `node_table`). With tp, fp, fn of a class,

    precision = tp / (tp + fp),  recall = tp / (tp + fn),  F_beta = (1 + beta^2) tp / ((1 + beta^2) tp + beta^2 fn + fp),

in [0, 1], higher is better, nan for 0/0. A macro average gives each class the same weight. It is named by its classes: *all*
of them, where one without any sample counts 0, or those with *support*. An undefined precision counts 0 in it and is counted.

Functions
---------
class_table, hierarchical_f, most_frequent_confusion
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierviz.diagnosis._node_table import node_table
from hierviz.diagnosis.runs import run_answers
from hierviz.evaluation._judged_answers import Judged, JudgedAnswers
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.sets.node_sets import own_keys, set_overlap
from hierviz.taxonomy.checks import is_number
from hierviz.taxonomy.node_lists import counted, is_member
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy
from hierviz.uncertainty.repeats import OverRuns, over_runs

# There F is recall to six digits.
MOST_BETA = 1000
COUNTS, SCORES = ("answered", "hits"), ("precision", "recall", "f")
READINGS = {"exact": "the class itself", "inclusive": "the class or one below it"}


@dataclass(frozen=True, eq=False)
class ClassScores(Short):
    """Counts and scores of every node by one reading; arrays of shape (n_nodes,).

    Attributes
    ----------
    support : ndarray of int
        Samples where it is true.
    answered, hits : ndarray of int
        Samples where it is answered, and where it is both; of several runs the means, as float.
    precision, recall, f : ndarray of float
        In [0, 1], higher is better; nan for 0/0. Of several runs the means over those that have a value.
    is_class : ndarray of bool
        The nodes that averages run over: all but the root; by the exact reading the leaves and what is true somewhere.
    runs : tuple of ClassScores
        Of each run, where there are several.
    """

    support: np.ndarray
    answered: np.ndarray
    hits: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    f: np.ndarray
    is_class: np.ndarray
    runs: tuple[ClassScores, ...] = ()

    def over_runs(self, key: str) -> OverRuns:
        """``answered``, ``hits``, ``precision``, ``recall`` or ``f`` of each class over the runs that have a value."""
        return over_runs([getattr(run, key) for run in self.runs or (self,)])

    def averages(self) -> dict[str, dict[str, float | int | OverRuns | None]]:
        """Macro averages over ``all`` classes and over those with ``support``.

        Returns
        -------
        dict of str to dict
            ``precision``, ``recall``, ``f`` (None without classes; of several runs as OverRuns), ``n_classes``, and
            ``n_undefined``: classes that were never answered (in some run), whose precision counts 0.
        """
        runs, found = self.runs or (self,), {}
        for name, inside in (("all", self.is_class), ("support", self.is_class & (self.support > 0))):
            some: dict[str, float | int | OverRuns | None] = dict.fromkeys(SCORES)
            if inside.any():
                some = {key: _over([_mean(getattr(run, key)[inside]) for run in runs]) for key in SCORES}
            never = np.any([np.isnan(run.precision[inside]) for run in runs], axis=0)
            found[name] = some | {"n_classes": int(inside.sum()), "n_undefined": int(never.sum())}
        return found


def _mean(values):
    return float(np.nan_to_num(values).mean())


def _over(values):
    """The one value, or those of several runs as OverRuns."""
    return values[0] if len(values) == 1 else over_runs(values)


@dataclass(frozen=True, eq=False)
class ScoresByClass(Short):
    """Scores of every class.

    Attributes
    ----------
    taxonomy : Taxonomy
    beta : float
    exact, inclusive : ClassScores
    confused_with : ndarray of int, shape (n_nodes,)
        The most frequent wrong answer (neither the truth nor above nor below it) to samples of exactly this true class, in all
        runs together, ties to the lower node; -1 without one. With several paths, what its path is matched with where that is
        another class.
    confused_count : ndarray of int, shape (n_nodes,)
    n_left_out : int
        Samples of the first run that another one does not have, which count nowhere.
    """

    taxonomy: Taxonomy
    beta: float
    exact: ClassScores
    inclusive: ClassScores
    confused_with: np.ndarray
    confused_count: np.ndarray
    n_left_out: int = 0

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return max(1, len(self.exact.runs))

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a node but the root: names, depth, numbers by both readings, most frequent confusion.

        Of several runs also the standard deviation between them, ``_sd``, and how many have the score, ``_runs``.
        """
        names = self.taxonomy.names
        columns: dict[str, Any] = {"class": list(names), "depth": self.taxonomy.depth}
        for reading, end in (("exact", ""), ("inclusive", "_inclusive")):
            scores = getattr(self, reading)
            columns[f"support{end}"] = scores.support
            for key in (*COUNTS, *SCORES):
                columns[f"{key}{end}"] = getattr(scores, key)
                if scores.runs:
                    columns[f"{key}{end}_sd"] = scores.over_runs(key).sd
                    columns |= {f"{key}{end}_runs": scores.over_runs(key).n} if key in SCORES else {}
        columns["confused_with"] = ["" if node < 0 else names[node] for node in self.confused_with.tolist()]
        columns["confused_count"] = self.confused_count
        return frame(columns).iloc[1:]


def class_table(
    evaluation: Judged | Sequence[Judged],
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    beta: float = 1.0,
    **parameters: Any,
) -> ScoresByClass:
    """Precision, recall, F and the most frequent confusion of every class.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, JudgedAnswers, or list of them
        Of trees or graphs, with one truth a sample or several. Several are runs of one method on the same samples (of
        JudgedAnswers those that all have are kept).
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.
    beta : float
        In (0, 1000]: recall counts beta times as much as precision.

    Returns
    -------
    ScoresByClass

    Raises
    ------
    PredictionsError
        If no sample has a known truth, a keyword is out of range, or runs judge other samples or have other truths.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> answers = taxonomy.nodes("dog", "cat", "newt")
    >>> found = class_table(Predictions.from_labels(taxonomy, answers, truth=taxonomy.nodes("cat", "cat", "newt")))
    >>> cat, mammal = taxonomy.nodes("cat", "mammal")
    >>> float(found.exact.recall[cat]), float(found.inclusive.recall[mammal]), taxonomy.names[found.confused_with[cat]]
    (0.5, 1.0, 'dog')
    >>> found.exact.averages()["support"]
    {'precision': 1.0, 'recall': 0.75, 'f': 0.8333333333333333, 'n_classes': 2, 'n_undefined': 0}
    """
    _check_beta(beta)
    runs = run_answers(evaluation, rule, threshold, **parameters)
    exact, inclusive = map(_over_runs, zip(*(_both_readings(answers, beta) for answers in runs.answers), strict=True))
    confused = most_frequent_confusion(runs.answers)
    return ScoresByClass(runs.answers[0].taxonomy, float(beta), exact, inclusive, *confused, runs.n_left_out)


def _over_runs(runs):
    """The ClassScores of one run, or the means over several."""
    if len(runs) == 1:
        return runs[0]
    means = {key: over_runs([getattr(run, key) for run in runs]).mean for key in (*COUNTS, *SCORES)}
    return replace(runs[0], **means, runs=runs)


def _both_readings(answers, beta):
    """ClassScores of one run, exact and inclusive."""
    taxonomy, n_nodes = answers.taxonomy, answers.taxonomy.n_nodes
    nodes = node_table(answers)
    if answers.is_single:
        truth, predicted = answers.single
        of_nodes: tuple[np.ndarray, ...] = (truth, predicted[predicted >= 0], truth[truth == predicted])
    else:
        true, claimed = (own_keys(taxonomy, nodes) for nodes in (answers.truth, answers.predicted))
        of_nodes = (true % n_nodes, claimed % n_nodes, true[is_member(true, claimed)] % n_nodes)
    support, answered, hits = (np.bincount(own, minlength=n_nodes) for own in of_nodes)
    is_class = np.arange(n_nodes) > 0
    exact = _scores(support, answered, hits, beta, is_class & (taxonomy.is_leaf | (support > 0)))
    return exact, _scores(nodes.support, nodes.answered, nodes.hits, beta, is_class)


def hierarchical_f(
    evaluation: Judged | Sequence[Judged],
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    beta: float = 1.0,
    **parameters: Any,
) -> dict[str, float] | dict[str, OverRuns]:
    r"""Hierarchical F with beta, of the answers with all classes above them.

    Parameters
    ----------
    evaluation, rule, threshold, **parameters
        As in `class_table`.
    beta : float
        In (0, 1000]: recall counts beta times as much as precision.

    Returns
    -------
    dict of str to float, or of several runs to OverRuns
        ``micro``, from nodes summed over all samples; ``samples``, the mean over samples. In [0, 1], higher is better; 0
        where nothing is answered. A sample without due or claimed nodes (truth and answer are the root) counts 0.

    Raises
    ------
    PredictionsError
        As in `class_table`.

    Notes
    -----
    .. math:: hF_\beta = \frac{(1 + \beta^2)\, hP\, hR}{\beta^2\, hP + hR}

    of Kiritchenko et al., Canadian AI 2006, the root left out.
    """
    _check_beta(beta)
    weight, micro, samples = 1 + beta**2, [], []
    for answers in run_answers(evaluation, rule, threshold, **parameters).answers:
        shared, claimed, due = set_overlap(answers.taxonomy, answers.truth, NodeLists.of(answers.predicted))
        micro.append(float(ratio(weight * shared.sum(), beta**2 * due.sum() + claimed.sum(), 0.0)))
        samples.append(float(ratio(weight * shared, beta**2 * due + claimed, 0.0).mean()))
    return {"micro": _over(micro), "samples": _over(samples)}


def _check_beta(beta):
    if not is_number(beta) or not 0 < beta <= MOST_BETA:
        raise PredictionsError(
            f"beta: expected a number above 0, at most {MOST_BETA:,}, got {shown(beta)}. 1 weighs both alike."
        )


def _scores(support, answered, hits, beta, is_class):
    weight = 1 + beta**2
    f = ratio(weight * hits, beta**2 * support + answered, np.nan)
    return ClassScores(
        support, answered, hits, ratio(hits, answered, np.nan), ratio(hits, support, np.nan), f, is_class
    )


def most_frequent_confusion(several: Sequence[JudgedAnswers]) -> tuple[np.ndarray, np.ndarray]:
    """Node and count of the most frequent confusion of each class, of some answers together: `ScoresByClass.confused_with`."""
    n_nodes, found = several[0].taxonomy.n_nodes, []
    for answers in several:
        pairs = answers.pairs
        other = (pairs.truth >= 0) & (pairs.predicted >= 0) & (pairs.truth != pairs.predicted)
        if answers.is_single:
            other &= answers.is_wrong
        found.append(pairs.truth[other] * n_nodes + pairs.predicted[other])
    keys, count = counted(np.concatenate(found), n_nodes**2)
    # The largest count of each truth comes last, of equal ones the lower node.
    order = np.lexsort((-keys, count))
    confused, most = np.full(n_nodes, -1), np.zeros(n_nodes, dtype=np.intp)
    confused[keys[order] // n_nodes] = keys[order] % n_nodes
    most[keys[order] // n_nodes] = count[order]
    return confused, most
