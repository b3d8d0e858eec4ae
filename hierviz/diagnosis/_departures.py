"""Where answers leave the true path: at each level, of the samples whose answer and truth are together until there.

Conventions
-----------
Depths count edges from the root; level 1 are its children. A sample comes to level d where answer and truth share their class
at depth d - 1 and the truth is at depth d or deeper. There the answer

- is *right*: it shares the class of the truth at depth d, and goes on from there;
- *stops*: it is the class that it shares at depth d - 1 (at level 1 the root: no answer);
- goes *wrong*: it is another class at depth d, or below another one.

So all samples come to level 1, whose truth is not the root, and what goes wrong over all levels are the wrong answers. Answers
below a truth are right at all its levels.

Functions
---------
departures, Departures
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.diagnosis.sample_filter import SampleFilter
from hierviz.evaluation._judged_answers import Judged, judged_answers
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Rows
from hierviz.taxonomy.checks import check_one_of, check_whole

# What an answer does at a level, with what it is called.
WAYS = {"right": "right", "stopped": "stops", "wrong": "goes wrong"}


@dataclass(frozen=True, eq=False)
class Departures(Rows):
    """What answers do at each level, arrays of int of shape (n_levels,): of level 1 to that of the deepest truth.

    Attributes
    ----------
    level : ndarray of int
    n : ndarray of int
        Samples that come to the level, the sum of the other three.
    right, stopped, wrong : ndarray of int
    """

    level: np.ndarray
    n: np.ndarray
    right: np.ndarray
    stopped: np.ndarray
    wrong: np.ndarray

    def share(self, way: str) -> np.ndarray:
        """Share of the samples that come to each level, in [0, 1]; NaN where none does. `way` is a key of `WAYS`."""
        check_one_of("way", way, WAYS)
        count = getattr(self, way)
        return np.divide(count, self.n, out=np.full(len(self.n), np.nan), where=self.n > 0)

    @property
    def sentence(self) -> str:
        """Where most wrong answers leave the path, and where most answers stop, in words."""
        said = []
        for way, what, verb in (
            ("wrong", "wrong answers", "leave the path"),
            ("stopped", "answers that stop early", "stop"),
        ):
            count = getattr(self, way)
            if count.any():
                most = int(np.argmax(count))
                said.append(f"{int(count[most]):,} of {int(count.sum()):,} {what} {verb} at level {self.level[most]}")
            else:
                said.append(f"there are no {what}")
        text = ", ".join(said)
        return f"{text[0].upper()}{text[1:]}."

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a level: samples, counts and shares."""
        counts = {way: getattr(self, way) for way in WAYS}
        shares = {f"share_{way}": self.share(way) for way in WAYS}
        return frame({"level": self.level, "samples": self.n, **counts, **shares})


def departure_filter(level: int, way: str) -> SampleFilter:
    """The SampleFilter of the samples that do something at a level.

    Parameters
    ----------
    level : int
        At least 1.
    way : str
        Key of `WAYS`.

    Raises
    ------
    PredictionsError
        If there is no such level or way.
    """
    check_whole("level", level, 1)
    check_one_of("way", way, WAYS)
    if way == "right":
        return SampleFilter(common_least=level)
    outcome = "wrong" if way == "wrong" else "coarse" if level > 1 else "no_answer"
    return SampleFilter(outcome=outcome, common=level - 1)


def departures(evaluation: Judged, rule: str = "majority", threshold: float = 0.5, **parameters: Any) -> Departures:
    """Where answers leave the true path: level by level, how many are right, stop, or go wrong.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
        On a tree, with one truth and one answer a sample.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.

    Returns
    -------
    Departures

    Raises
    ------
    PredictionsError
        If no sample has a known truth, or samples have several truths or answers.
    TaxonomyError
        If the taxonomy is no tree.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> answers = taxonomy.nodes("cat", "dog", "mammal", "newt", "animal")
    >>> found = departures(Predictions.from_labels(taxonomy, answers, truth=taxonomy.nodes(*["cat"] * 5)))
    >>> found.n.tolist(), found.right.tolist(), found.stopped.tolist(), found.wrong.tolist()
    ([5, 3], [3, 1], [1, 1], [1, 1])
    """
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    truth, predicted = answers.single
    depth = answers.taxonomy.depth
    # A label outside the taxonomy shares nothing.
    shared = np.where(predicted < 0, 0, depth[answers.common])
    leaves_path = shared < depth[truth]
    stops = leaves_path & (predicted >= 0) & (depth[np.maximum(predicted, 0)] == shared)
    n_levels = int(depth[truth].max(initial=0))
    level = np.arange(1, n_levels + 1)
    stopped, wrong = (
        np.bincount(shared[which], minlength=n_levels)[:n_levels] for which in (stops, leaves_path & ~stops)
    )
    right = np.cumsum(np.bincount(shared, minlength=n_levels + 1)[::-1])[::-1][1:]
    return Departures(level, right + stopped + wrong, right, stopped, wrong)
