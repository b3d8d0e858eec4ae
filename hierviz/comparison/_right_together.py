"""Which models are right together: every combination of models that are right on the same samples, with its samples.

Conventions
-----------
*Right* is *named* of `hierviz.comparison.two_by_two`: the most probable leaf is the truth or below it; of labels the answer is
in its place. No threshold plays a part. A method with several runs is right where more than half of its runs are. All methods
are compared on the samples that all of them judge.

Functions
---------
right_together, right_samples, RightTogether
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hierviz.comparison._paired_answers import common_places
from hierviz.diagnosis.sample_filter import SampleSet
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import percent_text
from hierviz.predictions.predictions import listed_models
from hierviz.taxonomy.checks import check_one_of

# More models than this are not told apart by combination.
MOST_METHODS = 60
NONE, ALL, ONLY = "none", "all", "only:"


@dataclass(frozen=True, eq=False)
class RightTogether(Short):
    """Which methods are right on which samples.

    Attributes
    ----------
    names : tuple of str
        Of the methods.
    keys : tuple of str
        What they are called in `select`; the names where nothing else is given.
    rows : ndarray of int, shape (n_samples,)
        Rows of the samples in the Predictions of the first run of the first method.
    ids : ndarray of str, shape (n_samples,), or None
        Their sample ids, where the first has some.
    is_right : ndarray of bool, shape (n_methods, n_samples)
    share : ndarray of float, shape (n_methods, n_samples)
        Share of the runs of a method that are right.
    """

    _printed = ("names", "sentence")

    names: tuple[str, ...]
    keys: tuple[str, ...]
    rows: np.ndarray
    ids: np.ndarray | None
    is_right: np.ndarray
    share: np.ndarray

    @property
    def n_samples(self) -> int:
        """Samples that all methods judge."""
        return len(self.rows)

    @cached_property
    def _codes(self):
        return (1 << np.arange(len(self.names), dtype=np.int64)) @ self.is_right

    @cached_property
    def combinations(self) -> tuple[np.ndarray, np.ndarray]:
        """Combinations that occur, the most frequent first: (n_combinations, n_methods) of bool, and samples of each."""
        codes, counts = np.unique(self._codes, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        members = (codes[order][:, None] >> np.arange(len(self.names))) & 1
        return members.astype(bool), counts[order]

    def places(self, members: Sequence[bool] | np.ndarray) -> np.ndarray:
        """Places of the samples that exactly these methods are right on, ascending; `members` has shape (n_methods,)."""
        members = np.asarray(members, dtype=bool)
        return np.flatnonzero((self.is_right == members[:, None]).all(axis=0))

    def select(self, which: str) -> np.ndarray:
        """Places of the samples that no method is right on, all are, or some alone are.

        Parameters
        ----------
        which : str
            ``none``, ``all`` or ``only:KEY`` with one of `keys`, or several with full stops between them: those and no other are
            right.

        Returns
        -------
        ndarray of int

        Raises
        ------
        PredictionsError
            If it is none of these.
        """
        wanted = np.zeros(len(self.names), dtype=bool)
        if isinstance(which, str) and which.startswith(ONLY):
            named = which.removeprefix(ONLY)
            keys = [named] if named in self.keys else named.split(".")
            if set(keys) <= set(self.keys):
                wanted[[self.keys.index(key) for key in keys]] = True
                return self.places(wanted)
        check_one_of("right", which, (NONE, ALL, *(ONLY + key for key in self.keys)))
        wanted[:] = which == ALL
        return self.places(wanted)

    def word(self, members: Sequence[bool] | np.ndarray) -> str:
        """What `select` takes for a combination; `members` has shape (n_methods,)."""
        size = int(np.sum(members))
        if size in (0, len(self.names)):
            return ALL if size else NONE
        return ONLY + ".".join(key for key, is_in in zip(self.keys, members, strict=True) if is_in)

    def words(self, members: Sequence[bool] | np.ndarray) -> str:
        """A combination in words; `members` has shape (n_methods,)."""
        size = int(np.sum(members))
        if size == 0:
            return "no model is right"
        named = ", ".join(name for name, is_in in zip(self.names, members, strict=True) if is_in)
        if size == len(self.names):
            return "all are right" if size > 1 else f"{named} is right"
        return f"only {named} {'is' if size == 1 else 'are'} right"

    def samples(self, which: str) -> SampleSet:
        """The samples of `select` for a `hierviz.diagnosis.SampleFilter`."""
        places = self.select(which)
        return SampleSet(which, self.rows[places], None if self.ids is None else self.ids[places])

    @property
    def sentence(self) -> str:
        """How many samples no model and every model is right on, and which one is alone most often, in words."""
        n, n_none, n_all = self.n_samples, len(self.select(NONE)), len(self.select(ALL))
        shares = [f"{count:,} of {n:,} samples ({percent_text(count / n)})" for count in (n_none, n_all)]
        if len(self.names) == 1:
            return f"{self.names[0]} is right on {shares[1]}."
        alone = [len(self.select(ONLY + key)) for key in self.keys]
        best = int(np.argmax(alone))
        more = (
            f" {self.names[best]} is most often the only right one: {alone[best]:,} sample{'s' * (alone[best] != 1)}."
            if alone[best]
            else ""
        )
        return f"No model is right on {shares[0]}; all are right on {shares[1]}.{more}"

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a combination, the most frequent first: whether each method is right, and the samples."""
        members, counts = self.combinations
        columns = {name: members[:, place] for place, name in enumerate(self.names)}
        return frame({**columns, "samples": counts, "share": counts / max(self.n_samples, 1)})


def right_together(models: Mapping[str, Any] | Sequence[Any]) -> RightTogether:
    """On which samples several models are right together.

    Parameters
    ----------
    models : sequence, or dict of str to one
        Of Evaluation, Predictions or JudgedAnswers, or of lists of them: the runs of one method. The keys of a dict are those of
        `RightTogether.select`.

    Returns
    -------
    RightTogether

    Raises
    ------
    PredictionsError
        If there is no model, there are more than 60, they share no sample, have several truths or answers a sample, or other
        truths or taxonomies.
    """
    is_named = isinstance(models, Mapping)
    methods = [listed_models(of) for of in (models.values() if isinstance(models, Mapping) else models)]
    if not methods or not all(methods) or len(methods) > MOST_METHODS:
        raise PredictionsError(f"models: expected 1 to {MOST_METHODS}, got {len(methods)}. Choose some.")
    answers = [[judged_answers(run) for run in of] for of in methods]
    leaves = [[judged_answers(one.evaluation, "leaf") for one in of] for of in answers]
    every = [one for of in answers for one in of]
    rows = [one.rows[places] for one, places in zip(every, common_places(every, "models"), strict=True)]
    share, of_each = [], iter(rows)
    for of in leaves:
        for one in of:
            _ = one.single
        # The next rows are those of the runs of this method.
        right_of_runs = [one.outcome[np.searchsorted(one.rows, next(of_each))] == 0 for one in of]
        share.append(np.mean(right_of_runs, axis=0))
    first = every[0].evaluation.predictions
    names = tuple(_names([of[0].evaluation.predictions.name for of in answers]))
    keys = tuple(map(str, models)) if is_named else names
    ids = None if first.sample_ids is None else np.asarray(first.ids)[rows[0]].astype(str)
    shares = np.array(share)
    return RightTogether(names, keys, rows[0], ids, shares > 0.5, shares)


def right_samples(models: Mapping[str, Any], which: str) -> SampleSet | None:
    """The samples of `RightTogether.select` of models by key, those of one name are runs; None where they cannot be compared."""
    methods: dict[str, list] = {}
    keys: dict[str, str] = {}
    for key, model in models.items():
        methods.setdefault(keys.setdefault(model.predictions.name, key), []).append(model)
    try:
        return right_together(methods).samples(which)
    except PredictionsError:
        return None


def _names(names):
    """Names of the methods, those that repeat with a number."""
    return [
        name if names.count(name) == 1 else f"{name} ({names[: k + 1].count(name)})" for k, name in enumerate(names)
    ]
