r"""Filters of samples: by outcome, subtree of the truth and of the answer, attributes, words, and which models are right.

Conventions
-----------
All conditions hold together. With several truths or answers a condition on one of them holds where any of them fulfils it,
also where a graph has several ways down to a node.

Functions
---------
SampleFilter, SampleSet, filtered, facets
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierviz.diagnosis.slice_members import NO_FACETS, attribute, codes_of
from hierviz.evaluation._judged_answers import JudgedAnswers
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.notebook_html import Short
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.predictions.column_text import as_text, is_missing
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind, check_one_of, check_whole, listed_values
from hierviz.taxonomy.positions import check_position, places_of
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

# Letters of texts that are looked through letter by letter.
MOST_LETTERS = 64


@dataclass(frozen=True, eq=False)
class SampleSet(Short):
    """Some samples of a data set, such as those that `hierviz.comparison.right_together` gives.

    Equal to one of the same name that holds the same samples.

    Attributes
    ----------
    name : str
        What they are.
    rows : ndarray of int, shape (n,)
        Rows of the Predictions that they were found in, ascending.
    ids : ndarray of str, shape (n,), or None
        Their sample ids; without ids samples are met by their rows.
    """

    name: str
    rows: np.ndarray
    ids: np.ndarray | None = None

    @cached_property
    def _digest(self):
        held = self.rows.tobytes() if self.ids is None else "\0".join(self.ids.tolist()).encode()
        return hashlib.sha256(held).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SampleSet) and (self.name, self._digest) == (other.name, other._digest)

    def __hash__(self) -> int:
        return hash((self.name, self._digest))

    def holds(self, predictions: Predictions, rows: np.ndarray) -> np.ndarray:
        """Which rows of some Predictions are among the samples, shape of `rows`, of bool."""
        if self.ids is None or predictions.sample_ids is None:
            return np.isin(rows, self.rows)
        return np.isin(np.asarray(predictions.ids)[rows].astype(str), self.ids)


@dataclass(frozen=True)
class SampleFilter:
    """Conditions on samples; None and () mean no condition.

    Attributes
    ----------
    outcome : str, optional
        Key of ``OUTCOMES``; with several truths or answers ``exact`` is exactly the true set, ``no_answer`` an empty set or
        the root alone where that is not the true set, ``wrong`` any other set, and there is no ``coarse``.
    under, answered : int, optional
        A truth, or an answer, at or below this node.
    truth, answer : int, optional
        A truth, or an answer, that is this node.
    where : tuple of (str, str)
        Columns of the predictions or the truth, and the value as text that each has to have.
    text : str
        Part of the sample's text or id, upper or lower case.
    common : int, optional
        Depth of the lowest common ancestor of truth and answer; trees with one truth and one answer a sample only.
    common_least : int, optional
        The same ancestor is at this depth or deeper.
    right : SampleSet, optional
        Samples that are among these, for example those that no model is right on: ``hierviz.comparison.right_together(models)
        .samples("none")``.
    outside : bool, optional
        An answer outside the taxonomy, or none.
    review : SampleSet, optional
        The same of what an expert said of samples: ``hierviz.diagnosis.review_samples(review, "acceptable", predictions)``.
    """

    outcome: str | None = None
    under: int | None = None
    truth: int | None = None
    answered: int | None = None
    answer: int | None = None
    where: tuple[tuple[str, str], ...] = ()
    text: str = ""
    common: int | None = None
    common_least: int | None = None
    right: SampleSet | None = None
    review: SampleSet | None = None
    outside: bool | None = None


def filtered(answers: JudgedAnswers, chosen: SampleFilter) -> np.ndarray:
    """Which judged samples fulfil all conditions.

    Parameters
    ----------
    answers : JudgedAnswers
    chosen : SampleFilter

    Returns
    -------
    ndarray of bool, shape (n_judged,)

    Raises
    ------
    PredictionsError
        If the outcome, a node or a column is unknown, or `common` is asked for where it is not defined.
    TaxonomyError
        If `common` is asked for and the taxonomy is no tree.
    """
    check_kind("answers", answers, JudgedAnswers, "Make them by hierviz.evaluation.judged_answers.")
    check_kind("chosen", chosen, SampleFilter, "The conditions are SampleFilter(...).")
    taxonomy, keep = answers.taxonomy, np.ones(answers.n_judged, dtype=bool)
    if chosen.outcome is not None:
        keep &= _has_outcome(answers, chosen.outcome)
    for node, nodes, is_subtree in (
        (chosen.under, answers.truth, True),
        (chosen.truth, answers.truth, False),
        (chosen.answered, answers.predicted, True),
        (chosen.answer, answers.predicted, False),
    ):
        if node is not None:
            keep &= _any_of(nodes, _wanted(taxonomy, node, is_subtree))
    if chosen.common is not None:
        check_whole("common", chosen.common, 0)
        keep &= taxonomy.depth[answers.common] == chosen.common
    if chosen.common_least is not None:
        check_whole("common_least", chosen.common_least, 0)
        keep &= taxonomy.depth[answers.common] >= chosen.common_least
    if chosen.outside is not None:
        keep &= answers.is_outside == chosen.outside
    predictions = answers.evaluation.predictions
    for name, some, source in (
        ("right", chosen.right, "hierviz.comparison.right_together(models).samples(...)"),
        ("review", chosen.review, "hierviz.diagnosis.review_samples"),
    ):
        if some is not None:
            check_kind(name, some, SampleSet, f"{source} gives it.")
            keep &= some.holds(predictions, answers.rows)
    return keep & rows_with(predictions, answers.rows, chosen.where, chosen.text)


def rows_with(predictions: Predictions, rows: np.ndarray, where: tuple[tuple[str, str], ...], text: str) -> np.ndarray:
    """Which rows have all values of attributes and the text, as `SampleFilter` says; shape of `rows`, of bool."""
    keep = np.ones(len(rows), dtype=bool)
    for name, value in _conditions(where):
        column = attribute(predictions.attributes, name, "where")[rows]
        # The empty text selects missing values.
        keep &= ~is_missing(column) & (as_text(column) == value) if value else is_missing(column)
    check_kind("text", text, str, "Pass a part of the text or id.")
    if text:
        sought = text.casefold()
        columns = [predictions.attributes["text"]] if "text" in predictions.attributes else []
        hit = np.zeros(len(rows), dtype=bool)
        for column in (np.asarray(predictions.ids), *columns):
            hit |= _contains(np.asarray(column)[rows].astype(str, copy=False), sought)
        keep &= hit
    return keep


def _contains(texts: np.ndarray, sought: str) -> np.ndarray:
    """Which texts hold one in lower case, upper or lower case; of short ASCII texts letter by letter, in a tenth of the time."""
    letters = texts.dtype.itemsize // 4
    codes = np.ascontiguousarray(texts).view(np.uint32).reshape(len(texts), letters)
    if letters > MOST_LETTERS or not sought.isascii() or "\0" in sought or codes.max(initial=0) > 127:
        return np.char.find(np.char.lower(texts), sought) >= 0
    # One letter of all texts after the other.
    lower = np.array([ord(chr(code).lower()) for code in range(128)], dtype=np.uint8)[codes.T]
    hit = np.zeros(len(texts), dtype=bool)
    for start in range(letters - len(sought) + 1):
        here = lower[start] == ord(sought[0])
        for place, letter in enumerate(sought[1:], start + 1):
            here &= lower[place] == ord(letter)
        hit |= here
    return hit


def facets(predictions: Predictions, rows: np.ndarray, most: int = 100) -> dict[str, dict[str, int]]:
    """The values of each attribute and how many of some samples have them.

    Parameters
    ----------
    predictions : Predictions
    rows : ndarray of int
        Rows of the samples.
    most : int
        Attributes with more values are left out: no list of them would serve.

    Returns
    -------
    dict of str to dict of str to int
        Attribute, value (empty ones left out), count; the most frequent first.
    """
    check_kind("predictions", predictions, Predictions, "Pass those of one model.")
    rows = places_of("rows", rows, predictions.n_samples, "row")
    check_whole("most", most, 0)
    found = {}
    for name, column in predictions.attributes.items():
        if name in NO_FACETS:
            continue
        codes, texts = codes_of(np.asarray(column)[rows])
        if 0 < len(texts) <= most:
            n = np.bincount(codes[codes >= 0], minlength=len(texts))
            found[name] = {texts[k]: int(n[k]) for k in np.argsort(-n, kind="stable").tolist()}
    return found


def _has_outcome(answers, outcome):
    check_one_of("outcome", outcome, OUTCOMES)
    if outcome not in answers.outcomes:
        raise PredictionsError(
            f"outcome: expected one of {', '.join(answers.outcomes)} where samples have several truths or answers, got "
            f"{outcome!r}. Choose one."
        )
    return answers.outcome == list(OUTCOMES).index(outcome)


def _wanted(taxonomy: Taxonomy, node: int, is_subtree: bool) -> np.ndarray:
    """Which nodes fulfil a condition, shape (n_nodes + 1,) of bool; the last one is for -1, which none does."""
    check_position("filter", node, taxonomy.n_nodes, "node number")
    wanted = np.zeros(taxonomy.n_nodes + 1, dtype=bool)
    wanted[taxonomy.subtree(node) if is_subtree else node] = True
    return wanted


def _conditions(where):
    """Pairs of a column and a value; a PredictionsError where these are none."""
    pairs = listed_values("where", where, "pairs of a column and a value")
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise PredictionsError(
                f"where: expected pairs of a column and a value, got {shown(pair)}. Pass ((column, value),)."
            )
    return [(name, str(value)) for name, value in pairs]


def _any_of(nodes, wanted):
    """Whether any node of each sample is wanted."""
    if not isinstance(nodes, NodeLists):
        return wanted[nodes]
    row = nodes.rows
    return np.bincount(row[wanted[nodes.nodes]], minlength=len(nodes)) > 0
