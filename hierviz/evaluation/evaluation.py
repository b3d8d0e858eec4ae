r"""One pass over a model's probabilities, then every answer and number at any rule and threshold.

Conventions
-----------
Arrays are per sample, shape (n_samples,), in the order of the Predictions; samples without a known truth are kept and
marked by ``judged == False``. Means run over the judged samples only. `hierviz.evaluation.summary` puts the numbers into blocks.

Functions
---------
corpus_of, as_evaluation

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from hierviz.curves.operating_curve import CurveSteps, OperatingCurve, operating_curve
from hierviz.evaluation import counted_sets, rule_answers, sample_numbers
from hierviz.evaluation.class_means import sample_weights
from hierviz.evaluation.one_pass import one_pass
from hierviz.inference.leaf_paths import LeafPaths, leaf_paths
from hierviz.inference.pareto_table import ParetoTable
from hierviz.inference.registry import inference_rule, rule_and_threshold
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import require
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.metrics.confusion.confusion_counts import HierarchicalConfusion
from hierviz.metrics.confusion.multi_path import confusion, greedy_cover
from hierviz.metrics.parts import OnDemand
from hierviz.metrics.sets.node_sets import corpus_weights
from hierviz.metrics.ties import largest_first
from hierviz.predictions.outside import outside_mass
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind, check_threads
from hierviz.taxonomy.node_lists import frozen
from hierviz.taxonomy.taxonomy import OUTSIDE_TITLE, NodeLists, Taxonomy

NODE_COLUMNS = ("truth", "predicted", "top_down", "argmax_leaf")


@dataclass(frozen=True, eq=False)
class Evaluation(Short):
    """Results of one pass over a model's node probabilities.

    Attributes
    ----------
    predictions : Predictions
    judged : ndarray of bool, shape (n_samples,)
        Samples with a known truth.
    table : ParetoTable or None
        Of all samples; None for label files.
    best_leaf : ndarray of int, shape (n_samples,), or None
        Wu's top-down leaf.
    win, raw_win, p_truth : ndarray of float, shape (n_samples,), or None
        Rescaled and raw win and probability of the truth; nan where not judged. None without one truth a sample on a
        tree.
    leaf_mass : ndarray of float, shape (n_samples,), or None
        Sum of p over the leaves.
    leaf_rank : ndarray of int, shape (n_samples,), or None
        How many leaves rank before the best leaf at or below the truth (`hierviz.metrics.win.leaf_ranks`); -1 where
        not judged.
    corpus : (ndarray of float, shape (n_nodes,), float), or None
        Of `hierviz.metrics.sets.node_sets.corpus_weights`; None on a graph, and without a known truth.
    kept_numbers : dict of str to dict of str to ndarray of float, shape (n_judged,)
        Of `hierviz.evaluation.score_numbers`, by block and name, where they were asked for.
    kept_answers : list
        What `hierviz.mistakes` was last asked for: pairs of the choice and what it gave.
    """

    _printed = ("predictions", "n_judged")

    predictions: Predictions
    judged: np.ndarray
    table: ParetoTable | None = None
    best_leaf: np.ndarray | None = None
    win: np.ndarray | None = None
    raw_win: np.ndarray | None = None
    p_truth: np.ndarray | None = None
    leaf_mass: np.ndarray | None = None
    leaf_rank: np.ndarray | None = None
    corpus: tuple[np.ndarray, float] | None = None
    _label_counts: dict = field(default_factory=dict, repr=False)
    kept_numbers: dict = field(default_factory=dict, repr=False)
    kept_answers: list = field(default_factory=list, repr=False)
    _answers: list = field(default_factory=list, repr=False)
    _curve: list = field(default_factory=list, repr=False)
    _paths: list = field(default_factory=list, repr=False)

    @classmethod
    def from_predictions(
        cls,
        predictions: Predictions,
        progress: Callable[[int, int], object] | None = None,
        *,
        threshold: float | None = None,
        threads: int | None = None,
        corpus: tuple[np.ndarray, float] | None = None,
    ) -> Evaluation:
        """Evaluate the predictions of one model, in blocks of rows.

        Parameters
        ----------
        predictions : Predictions
        progress : callable, optional
            Called with (rows done, n_samples).
        threshold : float, optional
            Of the sets of labels that will be asked for, which are then counted in the same pass.
        threads : int, optional
            Blocks of rows that are worked on at a time, where compiled loops serve (`hierviz.compiled`); all processors
            when None.
        corpus : (ndarray, float), optional
            Of `hierviz.metrics.sets.node_sets.corpus_weights`, where these are some samples of a larger corpus.

        Returns
        -------
        Evaluation

        Raises
        ------
        PredictionsError
            If this is no Predictions, or `threads` no whole number from 1 to 1024.
        """
        check_kind("predictions", predictions, Predictions, "Pass those of one model.")
        check_threads(threads)
        judged = predictions.has_truth
        corpus = corpus_of(predictions) if corpus is None else corpus
        if not predictions.has_scores:
            return cls(predictions, judged, corpus=corpus)
        found = one_pass(predictions, judged, progress, threshold, threads, corpus)
        return cls(predictions, judged, corpus=corpus, **found)

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy of the predictions."""
        return self.predictions.taxonomy

    @cached_property
    def rows(self) -> np.ndarray:
        """Rows of the judged samples, shape (n_judged,)."""
        return np.flatnonzero(self.judged)

    @cached_property
    def judged_by_win(self) -> np.ndarray:
        """Places of the judged samples, the largest lost win first, equal ones in the order of the file, shape (n_judged,)."""
        assert self.win is not None
        return largest_first(1 - self.win[self.rows])

    @property
    def n_judged(self) -> int:
        """Number of samples the means run over."""
        return len(self.rows)

    @property
    def outside_share(self) -> float:
        """Share of the judged samples that every rule answers outside the taxonomy, in [0, 1]; 0 where none is judged."""
        is_outside = self.predictions.is_outside[self.rows]
        return float(is_outside.mean()) if len(is_outside) else 0.0

    def of_judged(self, values: Any) -> Any:
        """What is of all samples (ndarray or NodeLists), of the judged ones: the same object where these are all."""
        if self.n_judged == len(self.judged):
            return values
        return values.take(self.rows) if isinstance(values, NodeLists) else values[self.rows]

    @property
    def truth(self) -> np.ndarray | NodeLists:
        """True node of each judged sample, shape (n_judged,), read-only; NodeLists where the truth lists several."""
        truth = self.predictions.truth
        assert truth is not None
        found = self.of_judged(truth)
        return frozen(found.view()) if isinstance(found, np.ndarray) else found

    @property
    def curve(self) -> OperatingCurve:
        """The OperatingCurve over the judged samples: the mean of every path metric at every threshold.

        ``curve.threshold`` has shape (J,), descending, and each of ``curve.values`` shape (J + 1,); see `OperatingCurve`.
        Computed on first use and kept.

        Raises
        ------
        PredictionsError
            For labels, graphs, several truths a sample and samples without a truth; `why_no_curve` says which.
        """
        return self.curve_with()

    def curve_with(self, progress: Callable[[int, int], object] | None = None) -> OperatingCurve:
        """OperatingCurve over the judged samples; kept for the next call.

        Parameters
        ----------
        progress : callable, optional
            Called with (steps done, steps in all).

        Raises
        ------
        PredictionsError
            If this input has none; says why.
        """
        self.require_curve()
        if not self._curve:
            made = operating_curve(self.taxonomy, np.asarray(self.truth), self.judged_table, progress=progress)
            self._curve.append(made)
        return self._curve[0]

    def leaf_paths(
        self, progress: Callable[[int, int], object] | None = None, *, threads: int | None = None
    ) -> LeafPaths:
        """LeafPaths of all samples, from one pass over the scores; kept for the next call.

        Parameters
        ----------
        progress : callable, optional
            Called with (rows done, n_samples).
        threads : int, optional
            As of `from_predictions`.

        Raises
        ------
        PredictionsError, TaxonomyError
            For labels and graphs.
        """
        if not self._paths:
            self._paths.append(leaf_paths(self.taxonomy, self.predictions, progress=progress, threads=threads))
        return self._paths[0]

    @cached_property
    def climbed(self) -> ParetoTable:
        """What climbing answers to the judged samples at every threshold (`LeafPaths.climbed`)."""
        climbed, outside = self.leaf_paths().take(self.rows).climbed(), self.predictions.best_outside
        if outside is None or self.leaf_mass is None:
            return climbed
        return climbed.with_outside(outside[self.rows], outside_mass(self.leaf_mass[self.rows]))

    def require_curve(self) -> None:
        """Raise a PredictionsError that says why where this input has no operating curve."""
        reason = self.why_no_curve()
        if reason:
            raise PredictionsError(f"{self.predictions.name}: expected an operating curve, got none: {reason}.")

    def balanced_curve(self, class_weights: np.ndarray | None = None) -> OperatingCurve:
        """OperatingCurve of means over true classes: each sample weighs as much as its class, divided by the class's samples.

        Parameters
        ----------
        class_weights : ndarray of float, shape (n_nodes,), optional
            Of each true class, >= 0; 1 each when absent.

        Raises
        ------
        PredictionsError
            If this input has no curve, a weight is negative or not finite, or no judged sample has a weight above 0.
        """
        self.require_curve()
        weights = sample_weights(self.taxonomy, np.asarray(self.truth), class_weights)
        return self.curve_steps().curve(weights)

    def curve_steps(self) -> CurveSteps:
        """CurveSteps of the judged samples, for curves with any weights of them; not kept."""
        return CurveSteps.from_table(self.taxonomy, np.asarray(self.truth), self.judged_table)

    @cached_property
    def judged_table(self) -> ParetoTable:
        """ParetoTable of the judged samples."""
        assert self.table is not None
        return self.table if self.judged.all() else self.table.take(self.rows)

    def why_not_one_truth(self) -> str | None:
        """Why measures of one true node on a tree do not apply, in words; None when they do."""
        if self.n_judged == 0:
            return "no sample has a known truth"
        if not self.predictions.has_single_truth:
            return "they need one true class per sample, and this truth lists several"
        if not self.taxonomy.is_tree:
            several = self.taxonomy.names[int(np.argmax(self.taxonomy.parents.lengths > 1))]
            return f"they are defined on trees, and {several!r} has several parents in this taxonomy"
        return None

    def why_no_curve(self) -> str | None:
        """Why this input has no operating curve and no win, in words; None when it has them."""
        no_scores = None if self.predictions.has_scores else "they need scores, and this file holds labels"
        return self.why_not_one_truth() or no_scores

    def why_no_set_curve(self) -> str | None:
        """Why this input has no curve of predicted sets (`hierviz.curves.set_curve`), in words; None when it has one."""
        if self.n_judged == 0:
            return "no sample has a known truth"
        return None if self.predictions.has_scores else "it needs scores, and this file holds labels"

    def why_no_mistakes(self) -> str | None:
        """Why answers cannot be ranked one by one, in words; None when they can."""
        several = "they need one answer per sample, and these label lists hold several"
        has_answers = self.predictions.has_scores or self.label_paths() is not None
        return self.why_not_one_truth() or (None if has_answers else several)

    # Answers -------------------------------------------------------------------------------------------------------

    def answers(
        self, rule: str | None = None, threshold: float | None = None, **parameters: Any
    ) -> np.ndarray | NodeLists:
        """Predicted node of every sample by an inference rule, shape (n_samples,), before truncation.

        Parameters
        ----------
        rule : str, optional
            Key of `INFERENCE_RULES`; ``majority`` when absent, or ``threshold`` where a threshold is given.
        threshold : float, optional
            For the rules ``threshold`` and ``threshold_set``, in [0, 1]; 0.5 when absent.
        **parameters
            Of any rules, ``INFERENCE_RULES[rule].parameters``: those of this one are used, and the default where none is
            given.

        Returns
        -------
        ndarray of int, shape (n_samples,), or NodeLists for rules that answer with sets

        Raises
        ------
        PredictionsError
            If these are labels, or the rule or a parameter is not valid.
        """
        rule, threshold = rule_and_threshold(rule, threshold)
        return self.answers_by_rule([rule], threshold, **parameters)[rule]

    answers_by_rule = rule_answers.answers_by_rule

    def needs_pass(self, rule: str, threshold: float = 0.5, **parameters: Any) -> bool:
        """Whether `answers` has to read all scores for a rule with these parameters."""
        if self.table is None or rule in rule_answers.OF_TABLE:
            return False
        given = inference_rule(rule).settings({"threshold": threshold, **parameters})
        return rule_answers.kept_answers(self, rule, given) is None

    def label_paths(self) -> np.ndarray | None:
        """End of the one path that the labels of each sample mean, shape (n_samples,); None when one has several.

        -1 lies outside the taxonomy.
        """
        labels = self.predictions.answer_labels
        if labels is None or (len(labels) and labels.lengths.max() > 1):
            return None
        ends = np.zeros(len(labels), dtype=np.intp)
        ends[labels.lengths == 1] = labels.nodes
        return ends

    # Metrics of the judged samples ---------------------------------------------------------------------------------

    def confusion(
        self, rule: str | None = None, threshold: float | None = None, **parameters: Any
    ) -> HierarchicalConfusion:
        """Hierarchical confusion: the answer by `rule` as a path, or lists turned into paths by the greedy cover.

        `rule`, `threshold` and `parameters` are those of `answers`.
        """
        taxonomy, predictions = self.taxonomy, self.predictions
        truth = self.truth
        if not predictions.has_single_truth:
            truth = greedy_cover(taxonomy, truth).ends
        labels = predictions.answer_labels
        answers = self.answers(rule, threshold, **parameters) if labels is None else labels
        if isinstance(answers, NodeLists):
            return confusion(taxonomy, truth, greedy_cover(taxonomy, answers.take(self.rows)))
        return confusion(taxonomy, truth, answers[self.rows])

    label_counts = counted_sets.label_counts
    set_counts = counted_sets.set_counts

    def distribution_per_sample(self) -> Mapping[str, np.ndarray]:
        """Win, logarithms and probability of the truth of each judged sample: arrays by name, each made when it is asked for."""
        assert self.win is not None
        assert self.raw_win is not None
        assert self.p_truth is not None
        values = {"softmax_win": self.win, "softmax_win_raw": self.raw_win, "p_truth": self.p_truth}
        logarithms = {"neg_log_win": self.win, "cross_entropy": self.p_truth}

        def negative_log(of_all):
            with np.errstate(divide="ignore"):
                return -np.log(of_all[self.judged]) + 0.0

        plain = {key: partial(operator.getitem, of_all, self.judged) for key, of_all in values.items()}
        return OnDemand(plain | {key: partial(negative_log, of_all) for key, of_all in logarithms.items()})

    per_sample = sample_numbers.per_sample

    def _first_rows(self):
        """None: its table runs through all samples."""

    @in_backend
    def to_frame(self, rule: str | None = None, threshold: float | None = None, **parameters: Any) -> Any:
        """`per_sample` as a pandas DataFrame, one row a judged sample: nodes by name, without ``row``.

        `rule`, `threshold` and `parameters` are those of `answers`.
        """
        require("to_frame", "files", "pandas")
        import pandas as pd

        columns = self.per_sample(rule, threshold, **parameters)
        # -1 finds the last.
        names = np.array([*self.taxonomy.names, OUTSIDE_TITLE], dtype=object)
        columns |= {key: names[columns[key]] for key in NODE_COLUMNS if isinstance(columns.get(key), np.ndarray)}
        return pd.DataFrame({key: values for key, values in columns.items() if key != "row"})


def corpus_of(predictions):
    """`corpus_weights` of the samples with a known truth; None on a graph, and where there are none."""
    truth, rows = predictions.truth, np.flatnonzero(predictions.has_truth)
    if not predictions.taxonomy.is_tree or not len(rows):
        return None
    return corpus_weights(predictions.taxonomy, truth.take(rows) if isinstance(truth, NodeLists) else truth[rows])


def as_evaluation(what: str, model: Any) -> Evaluation:
    """The Evaluation of an Evaluation or Predictions; a PredictionsError that calls the argument `what` for anything else."""
    if isinstance(model, Predictions):
        return Evaluation.from_predictions(model)
    check_kind(what, model, Evaluation, "Predictions can be passed too.")
    return model
