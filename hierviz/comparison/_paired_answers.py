"""The answers of two methods to the samples that both judge: the input of the two-by-two table and the difference tree.

Conventions
-----------
A method is one model, or its runs. Arrays of samples have shape (n_samples,), in the order of the first run of the first method.

Functions
---------
paired_answers, names_of_two, PairedAnswers
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierviz.diagnosis.sample_filter import SampleFilter, filtered
from hierviz.diagnosis.slice_members import group_codes
from hierviz.evaluation._judged_answers import Judged, JudgedAnswers, judged_answers
from hierviz.evaluation.common_samples import common_rows
from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.metrics.sets.node_sets import own_keys
from hierviz.predictions.predictions import Predictions, listed_models
from hierviz.taxonomy.node_lists import NodeLists
from hierviz.taxonomy.taxonomy import Taxonomy

# Conditions on answers, not on samples.
OF_ANSWERS = ("answered", "answer", "common", "common_least")


@dataclass(frozen=True, eq=False)
class PairedAnswers(Short):
    """The answers of every run of two methods to the samples that all of them have.

    Attributes
    ----------
    names : (str, str)
        Of the methods; of two of one name, their runs or numbers.
    runs : (list of JudgedAnswers, list of JudgedAnswers)
    places : (list of ndarray of int, list of ndarray of int)
        Place of each sample among the answers of each run.
    """

    names: tuple[str, str]
    runs: tuple[list[JudgedAnswers], list[JudgedAnswers]]
    places: tuple[list[np.ndarray], list[np.ndarray]]

    @property
    def n_samples(self) -> int:
        """Samples that all runs judge."""
        return len(self.places[0][0])

    @property
    def n_runs(self) -> tuple[int, int]:
        """Runs of each method."""
        return len(self.runs[0]), len(self.runs[1])

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy of the predictions."""
        return self.runs[0][0].taxonomy

    @property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Row of each sample in the Predictions of the first run of each method."""
        first, second = (runs[0].rows[places[0]] for runs, places in zip(self.runs, self.places, strict=True))
        return first, second

    @property
    def truth(self) -> np.ndarray | NodeLists:
        """True node, or nodes, of each sample."""
        truth, places = self.runs[0][0].truth, self.places[0][0]
        return truth.take(places) if isinstance(truth, NodeLists) else truth[places]

    def each(self, method: int, of_run: Callable[[JudgedAnswers], np.ndarray]) -> np.ndarray:
        """A number of every sample by every run of a method (0 or 1), shape (n_runs, n_samples).

        `of_run` takes the JudgedAnswers of a run and returns one number of each, in its order.
        """
        runs = zip(self.runs[method], self.places[method], strict=True)
        return np.stack([np.asarray(of_run(answers))[places] for answers, places in runs])

    def take(self, places: np.ndarray) -> PairedAnswers:
        """The same runs with some of the samples (ndarray of int)."""
        first, second = ([own[places] for own in of] for of in self.places)
        return replace(self, places=(first, second))

    def fits(self, chosen: SampleFilter) -> np.ndarray:
        """Which samples fulfil all conditions, shape (n_samples,) of bool.

        Conditions on answers hold for the first run of A or that of B.
        """
        unset: dict[str, Any] = dict.fromkeys(OF_ANSWERS)
        base = replace(chosen, **unset)
        kept = filtered(self.runs[0][0], base)[self.places[0][0]]
        of_answers = SampleFilter(**{name: getattr(chosen, name) for name in OF_ANSWERS})
        if of_answers == SampleFilter():
            return kept
        first, second = (
            filtered(runs[0], of_answers)[own[0]] for runs, own in zip(self.runs, self.places, strict=True)
        )
        return kept & (first | second)

    def groups(self, group: str | np.ndarray | None) -> np.ndarray | None:
        """Number of the group of each sample from 0 without gaps; None without groups, and where each is one sample."""
        codes = group_codes(self.runs[0][0], group)
        if codes is None:
            return None
        numbers, codes = np.unique(codes[self.places[0][0]], return_inverse=True)
        return None if len(numbers) == len(codes) else codes


def paired_answers(
    a: Judged | Sequence[Judged],
    b: Judged | Sequence[Judged],
    rule: str = "majority",
    threshold: float = 0.5,
    **parameters: Any,
) -> PairedAnswers:
    """The answers of two methods to their common samples.

    Parameters
    ----------
    a, b : Evaluation, Predictions, JudgedAnswers, or sequence of them
        One model, or the runs of one method. Of JudgedAnswers, which may be of some samples, those that all have are kept.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels and JudgedAnswers.

    Returns
    -------
    PairedAnswers

    Raises
    ------
    PredictionsError
        If there is no run, they share no sample, or have other truths or taxonomies.
    """
    methods = [[judged_answers(run, rule, threshold, **parameters) for run in listed_models(of)] for of in (a, b)]
    if not all(methods):
        raise PredictionsError("a, b: expected at least one run of each method, got none. Pass an Evaluation.")
    every = [*methods[0], *methods[1]]
    places = common_places(every, "a, b")
    n = len(methods[0])
    names = names_of_two(*(of[0].evaluation.predictions for of in methods))
    return PairedAnswers(names, (methods[0], methods[1]), (places[:n], places[n:]))


def common_places(every: Sequence[JudgedAnswers], what: str) -> list[np.ndarray]:
    """Places of the samples that all have in each JudgedAnswers, in the order of the first one's Predictions.

    Raises
    ------
    PredictionsError
        If they share no sample, or have other truths or taxonomies; `what` is what the arguments are called.
    """
    if any(list(one.taxonomy.names) != list(every[0].taxonomy.names) for one in every[1:]):
        raise PredictionsError(f"{what}: expected models of one taxonomy, got two. Open all with the same taxonomy.")
    rows = common_rows([answers.evaluation for answers in every])
    kept = np.all([np.isin(own, answers.rows) for own, answers in zip(rows, every, strict=True)], axis=0)
    if not kept.any():
        raise PredictionsError(f"{what}: expected a sample that all have, got none. Use other filters or models.")
    places = [np.searchsorted(answers.rows, own[kept]) for own, answers in zip(rows, every, strict=True)]
    truths = {
        (
            isinstance(answers.truth, NodeLists),
            own_keys(answers.taxonomy, NodeLists.of(answers.truth).take(own)).tobytes(),
        )
        for answers, own in zip(every, places, strict=True)
    }
    if len(truths) > 1:
        raise PredictionsError(f"{what}: expected models with the same truth, got others. Attach one truth to all.")
    return places


def names_of_two(first: Predictions, second: Predictions) -> tuple[str, str]:
    """What two models are called: by their runs, too, where these are of one method."""
    if first.name != second.name:
        return first.name, second.name
    one, other = (f"{model.name}, {model.run or number}" for number, model in ((1, first), (2, second)))
    return (one, other) if one != other else (one, f"{other} (2)")
