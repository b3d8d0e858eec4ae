"""Predictions from answers in memory: labels with one column a level, and several answers to each sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.predictions.answer_counts import answer_counts
from hierviz.predictions.column_text import is_missing_value
from hierviz.predictions.node_names import is_by_level, level_nodes, truth_nodes
from hierviz.taxonomy.checks import check_taxonomy
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


class FromAnswers:
    """Constructors of `hierviz.Predictions` from answers, not from scores."""

    if TYPE_CHECKING:
        from_labels: Callable[..., Any]
        from_scores: Callable[..., Any]

    @classmethod
    def from_level_labels(
        cls, taxonomy: Taxonomy, labels: Any, *, truth: Any = None, name: str = "model", **more: Any
    ) -> Self:
        """Predictions from labels with one column a level, as hiclass takes and returns them.

        Parameters
        ----------
        taxonomy : Taxonomy
        labels : array_like of str, shape (n_samples, n_levels), or (n_samples, n_paths, n_levels)
            Names from below the root down, filled with "" (or None, NaN) from where the answer stops; several paths a sample
            in the second form. Every name is a child of the one before it.
        truth : array_like, optional
            In the same form, or as in `from_predict_proba`.
        name, **more
            As in `from_predict_proba`.

        Returns
        -------
        Predictions
            Of labels that mean their whole path; a row without a name is an empty prediction.

        Raises
        ------
        PredictionsError
            If a name is not in the taxonomy or no child of the one before it.

        Examples
        --------
        >>> from hierviz import Predictions, Taxonomy
        >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
        >>> Predictions.from_level_labels(taxonomy, [["mammal", "cat"], ["newt", ""]], truth=["dog", "newt"]).labels.nodes
        array([2, 4])
        """
        check_taxonomy(taxonomy)
        nodes = level_nodes(labels, taxonomy, "labels")
        if is_by_level(truth):
            truth = level_nodes(truth, taxonomy, "truth")
            if len(truth.nodes) == len(truth) and (truth.lengths == 1).all():
                truth = truth.nodes
        else:
            truth = truth_nodes(truth, taxonomy, "labels")
        return cls.from_labels(taxonomy, nodes, truth=truth, name=name, is_hard=True, **more)

    @classmethod
    def from_votes(
        cls, taxonomy: Taxonomy, answers: Any, *, truth: Any = None, name: str = "model", **more: Any
    ) -> Self:
        """Predictions from several answers to each sample, such as those of a language model that is asked several times.

        The probability of a class is the share of the answers at or below it; `hierviz.uncertainty.vote_shares` has its
        interval.

        Parameters
        ----------
        taxonomy : Taxonomy
        answers : array_like of str, shape (n_samples, n_answers), list of lists of str, or NodeLists
            Names of leaves or inner classes, or node numbers; the number of answers may differ. None, NaN, "" and -1 are
            answers that name no class: their share is below no class but the root.
        truth, name, **more
            As in `from_predict_proba`.

        Returns
        -------
        Predictions
            With the numbers of answers as scores and the parametrisation ``votes``.

        Raises
        ------
        PredictionsError
            If an answer or a truth is no name of a class.

        Examples
        --------
        >>> from hierviz import Predictions, Taxonomy
        >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
        >>> votes = Predictions.from_votes(taxonomy, [["cat", "cat", "mammal", "newt"]], truth=["cat"])
        >>> votes.node_probabilities()
        array([[1.  , 0.75, 0.5 , 0.  , 0.25]])
        """
        check_taxonomy(taxonomy)
        if isinstance(answers, str) or not hasattr(answers, "__iter__"):
            raise PredictionsError(
                f"answers: expected a list with the answers to every sample, got {type(answers).__name__}. Pass one list "
                "a sample."
            )
        if not isinstance(answers, NodeLists):
            answers = _answer_lists(answers, taxonomy)
        counts = answer_counts(answers, taxonomy)
        truth = truth_nodes(truth, taxonomy)
        return cls.from_scores(taxonomy, counts, "votes", truth=truth, name=name, **more)


def _answer_lists(answers, taxonomy):
    """NodeLists of the answers, those that name no class being -1."""
    lists = [np.asarray(of_sample, dtype=object).tolist() for of_sample in answers]
    wrong = next((k for k, of_sample in enumerate(lists) if not isinstance(of_sample, list)), None)
    if wrong is not None:
        raise PredictionsError(
            f"answers, sample {wrong}: expected a list of answers, got {lists[wrong]!r}. Pass one list a sample."
        )
    flat = [value for of_sample in lists for value in of_sample]
    names = {value for value in flat if not is_missing_value(value)}
    try:
        found = truth_nodes(list(names), taxonomy)
    except PredictionsError as error:
        raise PredictionsError(
            str(error).replace("truth, sample", "answers, name").replace("truth:", "answers:")
        ) from None
    node_of = dict(zip(names, found.tolist(), strict=True))
    nodes = np.array([node_of.get(value, -1) for value in flat], dtype=np.intp)
    offsets = np.cumsum([0, *map(len, lists)])
    return NodeLists(offsets, nodes)
