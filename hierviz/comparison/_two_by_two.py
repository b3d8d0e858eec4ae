r"""Right and wrong answers of two models on the same samples, crossed: which model is right where the other is not.

Conventions
-----------
*Right* has three readings, keys of `READINGS`:

- ``named``: the most probable leaf is the truth or below it. No threshold; of labels the answer is in its place.
- ``to_level``: answer and truth have the same class at depth d. A shallower truth is compared at its own depth; an answer that is
  shallower than that is *not said*.
- ``correct``: each model answers at the threshold at which it is the most specific with at least the share c of its answers
  correct (`hierviz.thresholds.choose`, on all common samples). At equal shares of correct answers the two off cells of correct
  and wrong are equal by arithmetic: the table has the four outcomes, and what is tested is information recall.

The difference is B less A, on the same samples: see `_paired_difference`. With several runs a sample is in the cell of most of
them, the worse one on ties. One run says nothing about retraining.

Functions
---------
two_by_two, TwoByTwo
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierviz.comparison._paired_answers import PairedAnswers, paired_answers
from hierviz.comparison._paired_difference import (
    PairedDifference,
    difference_of_means,
    difference_of_recall,
    table_of,
)
from hierviz.curves.operating_curve import OperatingCurve, operating_curve
from hierviz.evaluation._judged_answers import Judged, judged_answers
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import percent_text, threshold_text
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.taxonomy.checks import check_one_of, check_share, check_whole
from hierviz.thresholds.selection import Choice, choose
from hierviz.uncertainty.repeats import curve_of_runs
from hierviz.uncertainty.resamples import check_level

READINGS = {"named": "Named", "to_level": "Right to level", "correct": "Correct"}
# States of a sample by reading, the best first, with what they are called.
STATES: dict[str, dict[str, str]] = {
    "named": {"right": "right", "wrong": "wrong"},
    "to_level": {"right": "right", "not_said": "not said", "wrong": "wrong"},
    "correct": {**OUTCOMES, "coarse": "coarse"},
}


@dataclass(frozen=True, eq=False)
class TwoByTwo(Short):
    """Two models on the samples that both judge.

    Attributes
    ----------
    pair : PairedAnswers
        As the answers were chosen for the reading.
    reading : str
    level : int or None
        Depth d of ``to_level``.
    state : (ndarray of int, ndarray of int), each shape (n_samples,)
        Place of each sample in `states`, by A and by B.
    is_right : (ndarray of bool, ndarray of bool), each shape (n_runs, n_samples)
        Whether a run is right; of ``correct`` whether it is not wrong.
    groups : ndarray of int, shape (n_samples,), or None
        Group of each sample.
    difference : PairedDifference
    points : (Choice, Choice) or None
        Of ``correct``: the threshold of each model, with the means of its curve there.
    """

    _printed = ("reading", "sentence")

    pair: PairedAnswers
    reading: str
    level: int | None
    state: tuple[np.ndarray, np.ndarray]
    is_right: tuple[np.ndarray, np.ndarray]
    groups: np.ndarray | None
    difference: PairedDifference
    points: tuple[Choice, Choice] | None = None

    @property
    def share(self) -> tuple[np.ndarray, np.ndarray]:
        """Share of the runs of each method that are right, in [0, 1], each of shape (n_samples,)."""
        return self.is_right[0].mean(axis=0), self.is_right[1].mean(axis=0)

    def take(self, places: np.ndarray) -> TwoByTwo:
        """The table of some samples (ndarray of int, ascending); the difference of ``correct`` stays that of all."""
        pair, groups = self.pair.take(places), None if self.groups is None else self.groups[places]
        groups = None if groups is None else np.unique(groups, return_inverse=True)[1]
        is_right = (self.is_right[0][:, places], self.is_right[1][:, places])
        difference = self.difference
        if self.points is None:
            difference = difference_of_means(
                [one.astype(float) for one in is_right], groups, difference.confidence, None
            )
        state = (self.state[0][places], self.state[1][places])
        return replace(self, pair=pair, state=state, is_right=is_right, groups=groups, difference=difference)

    @property
    def names(self) -> tuple[str, str]:
        """Names of A and B."""
        return self.pair.names

    @property
    def states(self) -> dict[str, str]:
        """Keys of the states of a sample, the best first, with what they are called."""
        return STATES[self.reading]

    @property
    def n_samples(self) -> int:
        """Samples in all cells."""
        return len(self.state[0])

    @property
    def counts(self) -> np.ndarray:
        """Samples of each cell, shape (n_states, n_states): A's state, B's state."""
        k = len(self.states)
        return np.bincount(self.state[0] * k + self.state[1], minlength=k * k).reshape(k, k)

    @property
    def first_cell(self) -> tuple[str, str]:
        """The largest cell of the model that is more often best alone, A where both are as often; states of A and of B.

        The sentence begins with that model.
        """
        keys, counts = list(self.states), self.counts
        of_a, of_b = (np.zeros_like(counts) for _ in range(2))
        of_a[0, 1:], of_b[1:, 0] = counts[0, 1:], counts[1:, 0]
        differ = of_b if of_b.sum() > of_a.sum() else of_a
        differ = differ if differ.any() else counts * ~np.eye(len(keys), dtype=bool)
        place = np.unravel_index(int(np.argmax(differ)), differ.shape) if differ.any() else (0, 0)
        return keys[int(place[0])], keys[int(place[1])]

    def places(self, a: str, b: str) -> np.ndarray:
        """Places of the samples of a cell, ascending: of A's state and B's, keys of `states`.

        Where methods have runs, those that the most runs put there come first.
        """
        for what, key in (("a", a), ("b", b)):
            check_one_of(what, key, self.states)
        keys = list(self.states)
        found = np.flatnonzero((self.state[0] == keys.index(a)) & (self.state[1] == keys.index(b)))
        if max(self.pair.n_runs) == 1:
            return found
        contrast = np.abs(self.share[0][found] - self.share[1][found])
        return found[np.argsort(-contrast if a != b else contrast, kind="stable")]

    def samples(self, a: str, b: str) -> np.ndarray:
        """Rows of A's first Predictions of the samples of a cell, in the order of `places`."""
        return self.pair.rows[0][self.places(a, b)]

    @property
    def right(self) -> np.ndarray:
        """Samples right by both, A alone, B alone and neither, shape (2, 2); of ``correct`` what is not wrong is right."""
        is_right = [self._is_right(state) for state in self.state]
        return np.array(
            [[int((x & y).sum()) for y in (is_right[1], ~is_right[1])] for x in (is_right[0], ~is_right[0])]
        )

    def _is_right(self, state):
        return state < len(self.states) - 1 if self.reading == "correct" else state == 0

    @property
    def notes(self) -> list[str]:
        """What the reader has to know about the test, a sentence each."""
        found = [] if self.difference.reason else [f"Test: {self.difference.test}."]
        single = [name for name, n in zip(self.names, self.pair.n_runs, strict=True) if n == 1]
        runs = "one run of each model says" if len(single) == 2 else f"one run of {' and '.join(single)} says"
        found += [f"{runs[0].upper()}{runs[1:]} nothing about retraining."] if single else []
        if max(self.pair.n_runs) > 1:
            found.append("A sample is in the cell that most of its runs put it in, the worse one on ties.")
        if self.reading == "correct":
            found.append("The thresholds are chosen on the same samples; scores of two models are on different scales.")
        return found

    @property
    def sentence(self) -> str:
        """What the table says, in words."""
        (a, b), n, difference = self.names, self.n_samples, self.difference
        better, worse = (b, a) if difference.estimate > 0 else (a, b)
        said, verdict, untested = difference.words(self.names), f"No clear difference between {a} and {b}", ""
        if difference.reason:
            verdict, untested = "", f" No test was made, because {difference.reason}."
        elif difference.is_clear:
            verdict = f"{better} is clearly better than {worse}"
        if self.points is not None:
            shares = " and ".join(
                f"{name} {percent_text(point.values['correct'], 1)} at τ = {threshold_text(point.threshold)}"
                for name, point in zip(self.names, self.points, strict=True)
            )
            recall = f"{verdict} in information recall ({said})" if verdict else f"{said} in information recall"
            return f"{recall}; correct answers: {shares}. {n:,} samples.{untested}"
        (_, only_a), (only_b, _) = self.right.tolist()
        first, last = ((b, only_b), (a, only_a))[:: 1 if only_b > only_a else -1]
        what = "names the right leaf" if self.reading == "named" else f"is right to level {self.level}"
        if only_a == only_b == 0:
            return f"{a} and {b} are right on the same samples: {self.right[0, 0]:,} of {n:,}."
        only = f"only {first[0]} {what} on {first[1]:,} of {n:,} samples, only {last[0]} on {last[1]:,} ({said})."
        return f"{verdict}: {only}" if verdict else f"O{only[1:]}{untested}"

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a cell: state of A and of B, samples and their share."""
        keys, counts = list(self.states), self.counts
        cells = [(x, y) for x in range(len(keys)) for y in range(len(keys))]
        a, b = self.names
        n = [int(counts[cell]) for cell in cells]
        states = {a: [self.states[keys[x]] for x, _ in cells], b: [self.states[keys[y]] for _, y in cells]}
        return frame({**states, "samples": n, "share": [count / max(self.n_samples, 1) for count in n]})


def two_by_two(
    a: Judged | Sequence[Judged],
    b: Judged | Sequence[Judged],
    reading: str = "named",
    *,
    level: int = 1,
    correct: float = 0.95,
    rule: str = "majority",
    threshold: float = 0.5,
    group: str | np.ndarray | None = None,
    confidence: float = 0.95,
    progress: Callable[[int, int], object] | None = None,
    **parameters: Any,
) -> TwoByTwo:
    """Which of two models is right on which samples.

    Parameters
    ----------
    a, b : Evaluation, Predictions, JudgedAnswers, or sequence of them
        Models, or the runs of a method each. JudgedAnswers may be of some samples; their cells are of those that both have.
    reading : {'named', 'to_level', 'correct'}
        What right means, see the conventions of this module.
    level : int
        Depth d of ``to_level``, from 1 to that of the taxonomy.
    correct : float
        Share c of correct answers of ``correct``, in (0, 1).
    rule, threshold, **parameters
        How the answers of ``to_level`` are chosen, as in `Evaluation.answers`; ignored for labels and JudgedAnswers.
    group : str, or array_like of shape (n_samples,), optional
        Samples with one label belong together and are drawn together.
    confidence : float
        Level of the interval, in (0, 1).
    progress : callable, optional
        Called with (resamples done, n_resamples).

    Returns
    -------
    TwoByTwo

    Raises
    ------
    PredictionsError
        If they share no sample, have several truths or answers a sample, or of ``correct`` no curve or no threshold that is so
        correct.
    TaxonomyError
        If the taxonomy is no tree and the reading is not ``named``.
    """
    check_one_of("reading", reading, READINGS)
    check_level(confidence)
    pair = paired_answers(a, b, rule, threshold, **parameters)
    taxonomy, points = pair.taxonomy, None
    if reading == "to_level":
        check_whole("level", level, 1, max(taxonomy.max_depth, 1))
        taxonomy.require_tree("classes at a depth")
        places = [pair.each(method, lambda answers: _level_state(answers, level)) for method in (0, 1)]
    elif reading == "named":
        pair = _with_answers(pair, lambda method: {"rule": "leaf"})
        places = [pair.each(method, _named_state) for method in (0, 1)]
    else:
        check_share("correct", correct)
        curves = _curves(pair)
        points = (_point(pair.names[0], curves[0], correct), _point(pair.names[1], curves[1], correct))
        thresholds = [point.threshold for point in points]
        pair = _with_answers(pair, lambda method: {"rule": "threshold", "threshold": thresholds[method]})
        places = [pair.each(method, lambda answers: answers.outcome) for method in (0, 1)]
    n_states = len(STATES[reading])
    state = (_most_runs(places[0], n_states), _most_runs(places[1], n_states))
    is_right = [of < n_states - 1 if reading == "correct" else of == 0 for of in places]
    groups = pair.groups(group)
    if points is None:
        values = [one.astype(float) for one in is_right]
        difference = difference_of_means(values, groups, confidence, progress)
    else:
        whole = _whole(pair)
        difference = difference_of_recall(whole, correct, whole.groups(group), confidence, progress)
    depth = level if reading == "to_level" else None
    return TwoByTwo(pair, reading, depth, state, (is_right[0], is_right[1]), groups, difference, points)


def _named_state(answers):
    """0 where the answer is the truth or below it, else 1."""
    _ = answers.single
    return (answers.outcome != 0).astype(np.int8)


def _level_state(answers, level):
    """Place of each sample in the states of ``to_level``."""
    truth, predicted = answers.single
    depth = answers.taxonomy.depth
    wanted = np.minimum(level, depth[truth])
    is_short = depth[np.maximum(predicted, 0)] < wanted
    is_right = depth[answers.common] >= wanted
    # A label outside the taxonomy is wrong.
    return np.where(predicted < 0, 2, np.where(is_short, 1, np.where(is_right, 0, 2))).astype(np.int8)


def _with_answers(pair, choice_of):
    """The same samples with other answers of those models that have scores."""

    def chosen(method, answers, places):
        evaluation = answers.evaluation
        if not evaluation.predictions.has_scores:
            return answers, places
        whole = judged_answers(evaluation, **choice_of(method))
        return whole, np.searchsorted(whole.rows, answers.rows[places])

    made = [
        [chosen(method, *one) for one in zip(pair.runs[method], pair.places[method], strict=True)] for method in (0, 1)
    ]
    runs, places = (tuple([one[which] for one in of] for of in made) for which in (0, 1))
    return replace(pair, runs=runs, places=places)


def _whole(pair):
    """The pair with all common samples, where its answers are of some."""
    return paired_answers(*([answers.whole or answers for answers in runs] for runs in pair.runs))


def _curves(pair) -> list[list[OperatingCurve]]:
    """Curves of the runs of each method on all common samples."""
    whole = _whole(pair)
    return [
        [_curve(answers, places) for answers, places in zip(*of, strict=True)] for of in zip(whole.runs, whole.places)
    ]


def _curve(answers, places):
    model: Any = answers.evaluation
    model.require_curve()
    if len(places) == model.n_judged:
        return model.curve
    truth = np.asarray(model.predictions.truth)[answers.rows[places]]
    return operating_curve(model.taxonomy, truth, table_of(answers, places))


def _point(name, curves, correct):
    found = choose(curve_of_runs(curves), subject_to={"correct": correct})
    if not found.is_feasible:
        raise PredictionsError(f"{name}: {found.why_not} Choose a smaller share.")
    return found


def _most_runs(places, n_states):
    """The state of most runs of each sample, the worse one on ties, shape (n_samples,)."""
    if len(places) == 1:
        return places[0].astype(np.intp)
    counts = np.stack([(places == state).sum(axis=0) for state in range(n_states)])
    return n_states - 1 - np.argmax(counts[::-1], axis=0)
