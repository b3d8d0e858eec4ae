"""An evaluation in pieces: results of consecutive rows, and the Evaluation that the pieces make together.

Conventions
-----------
A piece holds no scores and no taxonomy, so that it can be sent from one process to another: about 500 bytes a sample and
40 a node. Pieces are merged in the order of their rows. Everything in them belongs to one sample or is a whole number, so
that the division changes no bit of what is merged.

Functions
---------
EvaluationPiece, evaluation_of_pieces
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hierviz.evaluation.evaluation import Evaluation, corpus_of
from hierviz.evaluation.optimal_answers import OptimalSets
from hierviz.evaluation.rule_answers import OF_TABLE
from hierviz.evaluation.score_numbers import SCORE_BLOCKS, rule_of_sets, score_numbers
from hierviz.inference.leaf_paths import LeafPaths
from hierviz.inference.pareto_table import ParetoTable
from hierviz.inference.registry import inference_rule
from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.node_lists import NodeLists

PER_SAMPLE = ("best_leaf", "win", "raw_win", "p_truth", "leaf_mass", "leaf_rank")


@dataclass(frozen=True, eq=False)
class EvaluationPiece(Short):
    """Results of the evaluation of some consecutive rows.

    Attributes
    ----------
    n_samples : int
    columns : dict of str to ndarray, each shape (n_samples,)
        Those of `PER_SAMPLE` that the input has.
    table : ParetoTable or None
        None for labels.
    counts : dict of (float or None) to (dict, dict)
        Threshold of the sets of labels (None for lists) to `LabelSetCounts.counted`; empty without a judged sample.
    answers : list of (str, dict, ndarray or NodeLists)
        Rule, its settings and the predicted nodes, for rules that read all probabilities.
    numbers : dict of str to dict of str to ndarray of float
        Of `hierviz.evaluation.score_numbers`, of the judged samples; empty where there are none, and without `more`.
    paths : LeafPaths or None
        None for labels and graphs, and where nothing that asks for them was announced.
    """

    n_samples: int
    columns: dict[str, np.ndarray]
    table: ParetoTable | None = None
    counts: dict[float | None, Any] = field(default_factory=dict)
    answers: list[Any] = field(default_factory=list)
    numbers: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    paths: LeafPaths | None = None

    @classmethod
    def from_predictions(
        cls,
        predictions: Predictions,
        *,
        rule: str = "majority",
        threshold: float = 0.5,
        threads: int | None = None,
        corpus: tuple[np.ndarray, float] | None = None,
        more: bool = False,
        paths: bool = False,
        **parameters: Any,
    ) -> EvaluationPiece:
        """Evaluate some rows.

        Parameters
        ----------
        predictions : Predictions
            Of these rows.
        rule : str
            The rule whose answers will be asked for.
        threshold : float
            Of the rule and of the sets of labels.
        threads, corpus
            As `Evaluation.from_predictions`.
        more : bool
            Whether the blocks will be asked for that `hierviz.evaluate` adds for it.
        paths : bool
            Whether conformal nodes will be asked for.
        **parameters
            Of the rule.

        Returns
        -------
        EvaluationPiece

        Raises
        ------
        PredictionsError
            If the rule is unknown, or a score is not finite.
        """
        rule = inference_rule(rule).key
        evaluation = Evaluation.from_predictions(predictions, threshold=threshold, threads=threads, corpus=corpus)
        counts: dict[float | None, Any] = {}
        if evaluation.n_judged:
            key = threshold if predictions.has_scores else None
            counts[key] = evaluation.label_counts(threshold).counted()
        numbers = score_numbers(evaluation, tuple(SCORE_BLOCKS)) if more and evaluation.why_no_curve() is None else {}
        wanted = [rule] if rule not in OF_TABLE else []
        # Sets that the block of lowest common ancestors links.
        wanted += [sets] if more and (sets := rule_of_sets(rule)) not in wanted else []
        answers = []
        for name in wanted if predictions.has_scores else ():
            given = parameters if name == rule else {}
            settings = inference_rule(name).settings({"threshold": threshold, **given})
            answers.append((name, settings, evaluation.answers(name, threshold, **given)))
        columns = {name: getattr(evaluation, name) for name in PER_SAMPLE if getattr(evaluation, name) is not None}
        has_paths = (more or paths) and predictions.has_scores and predictions.taxonomy.is_tree
        kept = evaluation.leaf_paths(threads=threads) if has_paths else None
        return cls(predictions.n_samples, columns, evaluation.table, counts, answers, numbers, kept)


def evaluation_of_pieces(predictions: Predictions, pieces: Sequence[EvaluationPiece]) -> Evaluation:
    """The Evaluation of all rows.

    Parameters
    ----------
    predictions : Predictions
        Of all rows; its scores are read only for what the pieces do not hold, such as another rule.
    pieces : sequence of EvaluationPiece
        In the order of the rows, made with the same rule, threshold and parameters, and with the corpus of all rows
        (`hierviz.evaluation.evaluation.corpus_of`).

    Returns
    -------
    Evaluation
        As `Evaluation.from_predictions` makes it of all rows at once, bit for bit, except that areas under the set curves may
        differ by 1e-12 where some pieces took the compiled path and others did not.

    Raises
    ------
    PredictionsError
        If the pieces have another number of rows in all.
    """
    n = sum(piece.n_samples for piece in pieces)
    if n != predictions.n_samples:
        raise PredictionsError(
            f"{predictions.name}: expected pieces of {predictions.n_samples} samples in all, got {n}. Evaluate all rows."
        )
    judged = predictions.has_truth
    if not pieces:
        return Evaluation.from_predictions(predictions)
    tables = [piece.table for piece in pieces if piece.table is not None]
    names = [name for name in PER_SAMPLE if name in pieces[0].columns]
    columns: dict[str, Any] = {name: np.concatenate([piece.columns[name] for piece in pieces]) for name in names}
    keys = dict.fromkeys(key for piece in pieces for key in piece.counts)
    counts = {
        key: LabelSetCounts.from_counted(
            predictions.taxonomy, 0.5 if key is None else key, [p.counts[key] for p in pieces if key in p.counts]
        )
        for key in keys
    }
    answers = [
        (rule, settings, _joined([piece.answers[k][2] for piece in pieces]))
        for k, (rule, settings, _) in enumerate(pieces[0].answers)
    ]
    table = ParetoTable.concatenate(tables) if tables else None
    paths = [piece.paths for piece in pieces if piece.paths is not None]
    judging = [piece.numbers for piece in pieces if piece.numbers]
    kept: dict[str, Any] = {
        "_answers": answers,
        "_paths": [LeafPaths.concatenate(paths)] if paths else [],
        "_label_counts": counts,
        "corpus": corpus_of(predictions),
        "kept_numbers": {
            block: {key: np.concatenate([numbers[block][key] for numbers in judging]) for key in of}
            for block, of in (judging[0].items() if judging else ())
        },
    }
    return Evaluation(predictions, judged, table, **columns, **kept)


def _joined(parts):
    if not isinstance(parts[0], NodeLists):
        return np.concatenate(parts)
    lists = NodeLists.concatenate(parts)
    if not isinstance(parts[0], OptimalSets):
        return lists
    return OptimalSets(lists.offsets, lists.nodes, np.concatenate([part.expected for part in parts]))
