r"""Slices that fail more than the rest: subtrees of the truth and values of attributes, tested, corrected and ordered.

Conventions
-----------
The loss of a sample is 1 where its answer is wrong, unless another severity is asked for. A slice with at least
`min_samples` samples inside and outside is tested one-sided against the rest: by Fisher's exact test where the loss is
"wrong" and samples are independent, else by a permutation test of the mean losses. Where samples are grouped, a slice that
is the same for all samples of each group permutes whole groups: sum and number of the losses of a group move together, whatever
its size. A slice that varies inside groups permutes the losses inside each group, so that neither the order of rows nor the
level of a group matters. With fewer than ten groups, or samples, nothing is tested, which is said.
All p-values are adjusted together [1]_; flagged is what stays at or below q.

The excess of a slice is n (rate - overall rate), its losses beyond those of an average slice of its size. Flagged slices
come first, the largest excess first; later ones are counted again on the samples outside the earlier ones, so that a subtree
and its only bad child do not both lead. The worst subtree is the one with the largest excess, of those that are clearly worse
where there are some; its sentence says whether it is.

Functions
---------
slices

References
----------
.. [1] Y. Benjamini, Y. Hochberg, Controlling the false discovery rate, J. R. Stat. Soc. B 57, 1995.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hierviz.diagnosis.many_tests import USUAL_TESTS, ManyTests, adjusted, hypergeometric_tail
from hierviz.diagnosis.slice_members import (
    FEWEST_GROUPS,
    SliceMembers,
    group_codes,
    permutation_p_values,
    slice_members,
    worst_first,
)
from hierviz.evaluation._judged_answers import Judged, judged_answers
from hierviz.evaluation.severity import SEVERITIES, severity
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Rows, Short
from hierviz.messages.number_text import fixed_text, percent_text, probability_text, value_text
from hierviz.messages.progress import Progress
from hierviz.metrics.ties import at_most
from hierviz.taxonomy.checks import check_kind, check_one_of, check_whole, listed_values
from hierviz.taxonomy.positions import check_position
from hierviz.taxonomy.taxonomy import Taxonomy

WRONG = "wrong"


@dataclass(frozen=True)
class Slice(Short):
    """One tested slice.

    Attributes
    ----------
    kind : str
        ``subtree``, or the name of an attribute.
    node : int
        Top of the subtree; -1 of an attribute.
    value : str
        Name of the node, or value of the attribute.
    n : int
        Samples in the slice.
    loss : float
        Sum of their losses: wrong answers.
    rate, rest_rate : float
        Mean loss inside, and of all other samples.
    excess : float
        n (rate - overall_rate).
    p_value, p_adjusted : float
        In [0, 1]; adjusted for all tested slices. nan where nothing is tested.
    is_flagged : bool
        Clearly worse than the rest.
    n_outside : int
        Of a flagged slice, samples outside all flagged slices before it; of others `n`.
    rate_outside, excess_outside : float
        The same as above of these samples; nan and 0 where there are none.
    """

    kind: str
    node: int
    value: str
    n: int
    loss: float
    rate: float
    rest_rate: float
    excess: float
    p_value: float
    p_adjusted: float
    is_flagged: bool
    n_outside: int
    rate_outside: float
    excess_outside: float

    @property
    def name(self) -> str:
        """The subtree by the name of its node, or attribute and value."""
        return self.value if self.kind == "subtree" else f"{self.kind} = {self.value}"

    @property
    def is_explained(self) -> bool:
        """True of a flagged slice most of whose excess is that of samples of the flagged slices before it."""
        return self.is_flagged and self.excess_outside < self.excess / 2

    @property
    def verdict(self) -> str:
        """In words: ``"clearly worse"``, ``"shares samples"`` where `is_explained`, ``""`` where not flagged."""
        return "shares samples" if self.is_explained else "clearly worse" if self.is_flagged else ""


@dataclass(frozen=True, eq=False)
class Slices(Rows):
    """Tested slices: the flagged ones by excess, then the others by p-value.

    Attributes
    ----------
    taxonomy : Taxonomy
    rows : list of Slice
    overall_rate : float
    loss_key : str
        ``wrong`` or a key of `SEVERITIES`.
    test : str
        ``Fisher``, ``permutation``, or ``none`` with fewer than ten groups, or samples.
    n_samples, n_groups : int
        Judged samples, and groups of them (n_samples where there are none).
    members : SliceMembers
    order : ndarray of int
        Number of each slice in `members`.
    rows_judged : ndarray of int
        Rows of the Predictions.
    """

    taxonomy: Taxonomy
    rows: list[Slice]
    overall_rate: float
    loss_key: str
    test: str
    n_samples: int
    n_groups: int
    members: SliceMembers
    order: np.ndarray
    rows_judged: np.ndarray

    @property
    def n_flagged(self) -> int:
        """Number of slices that are clearly worse than the rest; they come first."""
        return sum(row.is_flagged for row in self.rows)

    def samples(self, place: int) -> np.ndarray:
        """Rows of the Predictions in a slice, ascending, shape (n,)."""
        check_position("place", place, len(self))
        lists = self.members.of_sample
        sample = lists.rows
        return self.rows_judged[sample[lists.nodes == self.order[place]]]

    @cached_property
    def worse_subtrees(self) -> list[int]:
        """Places of the subtrees that are clearly worse than the rest, without `Slice.is_explained` ones if others are."""
        flagged = [place for place, row in enumerate(self.rows) if row.is_flagged and row.node >= 0]
        return [place for place in flagged if not self.rows[place].is_explained] or flagged

    @cached_property
    def worst_subtree(self) -> int | None:
        """Place of the subtree with the largest excess, among the `worse_subtrees` where there are some.

        On ties the smaller subtree, then the later one; None where no subtree loses more than expected.
        """
        rows = self.rows
        places = self.worse_subtrees
        if not places:
            node, excess, n = (np.array([getattr(row, name) for row in rows]) for name in ("node", "excess", "n"))
            places = np.flatnonzero((node >= 0) & ~at_most(excess, 0, n)).tolist() if rows else []
        return min(places, key=lambda k: (-round(rows[k].excess, 9), rows[k].n, -rows[k].node), default=None)

    def sentence(self, most: int = 3) -> str:
        """The worst slices in one sentence, or that none is clearly worse, or that nothing is tested."""
        if self.test == "none":
            what = "samples" if self.n_groups == self.n_samples else "groups"
            return f"Slices are not tested: {self.n_groups:,} {what}, and a test needs at least {FEWEST_GROUPS}."
        if not self.n_flagged:
            return "No slice is clearly worse than the rest."
        # A slice that shares most of its excess with earlier ones is not a further cause.
        own = [row for row in self.rows if row.is_flagged and not row.is_explained]
        what = "wrong" if self.loss_key == WRONG else f"mean {SEVERITIES[self.loss_key].label}"
        shown_slices = []
        for row in own[:most]:
            numbers = f"{percent_text(row.rate, 1)} {what}, the rest {percent_text(row.rest_rate, 1)}"
            if self.loss_key != WRONG:
                numbers = f"{what} {row.rate:.3g}, the rest {row.rest_rate:.3g}"
            shown_slices.append(f"{row.name} ({numbers})")
        more, n_explained = len(own) - len(shown_slices), self.n_flagged - len(own)
        others = ""
        if n_explained:
            are_worse = "1 more slice is worse" if n_explained == 1 else f"{n_explained:,} more slices are worse"
            others = f" {are_worse}, but mostly because of samples shared with these."
        return f"Clearly worse than the rest: {', '.join(shown_slices)}{f' and {more} more' if more else ''}.{others}"

    def worst_sentence(self) -> str:
        """The `worst_subtree` in one sentence with its excess and its test; empty where there is none."""
        place = self.worst_subtree
        if place is None:
            return ""
        row = self.rows[place]
        name = f"{self.taxonomy.title(row.node)}{' (a leaf class)' if self.taxonomy.is_leaf[row.node] else ''}"
        verdict, p = "clearly worse" if row.is_flagged else "not clearly worse", probability_text(row.p_adjusted)
        tested = f"{verdict} than the rest (corrected p = {p})" if self.test != "none" else "not tested"
        return f"Worst subtree: {name}, {self.counts(place)}: {tested}."

    def counts(self, place: int) -> str:
        """The losses of a slice in words, and how many more they are than those of an average slice of its size."""
        row = self.rows[place]
        n, rate, excess = row.n, row.rate, row.excess
        more = f"{fixed_text(abs(excess), 1)} {'more' if excess >= 0 else 'fewer'} than expected"
        if self.loss_key == WRONG:
            return f"{int(row.loss):,} of {n:,} wrong ({percent_text(rate, 1)}), {more}"
        more = more.replace("fewer", "less")
        return f"mean {SEVERITIES[self.loss_key].label} {value_text(rate)} of {n:,} samples, in all {more}"

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a slice; ``node`` is a number and -1 of an attribute."""
        return frame({key: [getattr(row, key) for row in self.rows] for key in Slice.__dataclass_fields__})


def slices(
    evaluation: Judged,
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    loss: str | None = None,
    attributes: Sequence[str] | None = None,
    group: str | np.ndarray | None = None,
    min_samples: int = 10,
    tests: ManyTests = USUAL_TESTS,
    progress: Progress = None,
    **parameters: Any,
) -> Slices:
    """Subtrees and values of attributes whose answers are worse than those of the rest.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.
    loss : str, optional
        ``wrong``, or a key of `SEVERITIES`. By default ``wrong``, and ``lost_hf1`` where samples have several truths or answers.
    attributes : sequence of str, optional
        Columns of the predictions or the truth whose values are slices; all but pictures and texts if not given.
    group : str, or array_like of shape (n_samples,), optional
        Samples with one label (an observer, a document) belong together; those without a label are groups of their own.
    min_samples : int
        A slice needs as many samples inside and outside.
    tests : ManyTests
        Draws are permutations, and the smallest p-value of their test is 1 / (n_draws + 1). By default twice as many as one
        slice needs to be flagged alone (tests / q), but 999 to 9,999; a permutation of a million samples takes about 0.4 seconds.
    progress : callable, optional
        Called with (permutations done, permutations in all) where losses are permuted.

    Returns
    -------
    Slices

    Raises
    ------
    PredictionsError
        If no sample has a known truth, there is no such column or severity, or a number is out of range.
    """
    check_whole("min_samples", min_samples, 1)
    check_kind("tests", tests, ManyTests, "Pass hierviz.diagnosis.ManyTests(q=...).")
    if attributes is not None:
        attributes = listed_values("attributes", attributes, "columns")
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    if loss is None:
        loss = WRONG if answers.is_single else "lost_hf1"
    check_one_of("loss", loss, (WRONG, *SEVERITIES))
    if loss == WRONG:
        losses = answers.is_wrong.astype(float)
    else:
        losses = severity(
            answers.evaluation,
            answers.truth,
            answers.predicted,
            loss,
            rows=answers.rows,
            what="loss",
            costs=answers.parameters.get("cost"),
        )
    members, groups = slice_members(answers, attributes, min_samples), group_codes(answers, group)
    n_all, total = len(losses), losses.sum()
    sums = members.sums(losses)
    n_groups = n_all if groups is None else int(groups.max()) + 1
    test = "none" if n_groups < FEWEST_GROUPS else "Fisher" if loss == WRONG and groups is None else "permutation"
    if test == "none":
        p_values = np.full(len(sums), np.nan)
    elif test == "Fisher":
        p_values = hypergeometric_tail(np.rint(sums), members.n, round(total), n_all)
    else:
        enough = int(np.clip(np.ceil(2 * len(members.n) / tests.q), 999, 9999))
        p_values = permutation_p_values(members, losses, groups, tests.n_draws or enough, tests.seed, progress)
    p_adjusted = adjusted(p_values, tests.correction)
    overall = float(total / n_all)
    flagged = p_adjusted <= tests.q
    first, n_outside, sum_outside = worst_first(members, losses, sums, np.flatnonzero(flagged), overall)
    others = np.flatnonzero(~flagged)
    excess = sums - members.n * overall
    others = others[np.lexsort((-excess[others], p_values[others]))]
    order, n = np.concatenate([first, others]), members.n
    with np.errstate(invalid="ignore"):
        rate_outside = np.where(n_outside > 0, sum_outside / np.maximum(n_outside, 1), np.nan)
    columns = (
        *(members.kind, members.node, members.value, n, sums, sums / n, (total - sums) / (n_all - n)),
        *(excess, p_values, p_adjusted, flagged, n_outside, rate_outside, sum_outside - n_outside * overall),
    )
    rows = [Slice(*row) for row in zip(*(column[order].tolist() for column in columns), strict=True)]
    return Slices(answers.taxonomy, rows, overall, loss, test, n_all, n_groups, members, order, answers.rows)
