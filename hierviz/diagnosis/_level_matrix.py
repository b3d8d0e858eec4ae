"""Models trained at different levels, tested at each level: how much fine labels help at coarse ones.

Conventions
-----------
A model is tested at depth j on the taxonomy cut there (`hierviz.projection.cut`): probabilities of the nodes at depth j,
truths below at their ancestor there. A model that does not know all leaves of that part has no number
there: it cannot answer so finely.

Functions
---------
level_matrix, LevelMatrix
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import PredictionsError, TaxonomyError
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.messages.progress import Progress
from hierviz.metrics.registry import path_keys
from hierviz.predictions.predictions import Predictions, listed_models
from hierviz.projection.projected import cut
from hierviz.taxonomy.checks import check_kind, check_one_of


@dataclass(frozen=True, eq=False)
class LevelMatrix(Short):
    """A metric of each model at each level.

    Attributes
    ----------
    models : list of str
    finest : list of int
        Depth of the finest level that each model knows completely: the level it was trained at.
    levels : list of int
        Depths of the tests.
    metric : str
        Of `hierviz.metrics.registry.path_keys`.
    value : ndarray of float, shape (n_models, n_levels)
        Means over the judged samples; nan where a model does not know the level.
    n : ndarray of int, shape (n_models,)
        Judged samples.
    """

    models: list[str]
    finest: list[int]
    levels: list[int]
    metric: str
    value: np.ndarray
    n: np.ndarray

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a model: ``model``, ``trained_at``, ``n``, and a column for each level."""
        levels = {f"level {level}": self.value[:, place] for place, level in enumerate(self.levels)}
        return frame({"model": self.models, "trained_at": self.finest, "n": self.n} | levels)


def level_matrix(
    models: Predictions | Sequence[Predictions],
    metric: str = "exact",
    *,
    levels: Sequence[int] | None = None,
    rule: str = "leaf",
    progress: Progress = None,
    **parameters: Any,
) -> LevelMatrix:
    """A metric of models that know different levels, at each level of the taxonomy.

    Parameters
    ----------
    models : Predictions, or sequence of them
        On one tree; a model that knows a part of it has `Predictions.known` (read with ``missing="zero"``). Runs of one method
        (one `name`, each with a `run`) are one row, with the mean over them.
    metric : str
        Of `hierviz.metrics.registry.path_keys`; ``exact`` is the accuracy at the level.
    levels : sequence of int, optional
        Depths from 1 up; all when absent.
    rule, **parameters
        How the answer at each level is chosen, as in `hierviz.infer`; ignored for labels.
    progress : callable, optional
        Called with (tests done, tests in all).

    Returns
    -------
    LevelMatrix

    Raises
    ------
    PredictionsError
        If there is no model or no truth, the metric is unknown, or labels are several a sample.
    TaxonomyError
        If the taxonomy is no tree, models differ in it, or a depth is not one of it.
    """
    several = listed_models(models)
    for model in several:
        check_kind("models", model, Predictions, "Pass Predictions, or a list or dict of them.")
    if not several:
        raise PredictionsError("level_matrix: expected at least one model, got none. Pass Predictions.")
    taxonomy = several[0].taxonomy
    taxonomy.require_tree("a matrix of levels")
    if any(model.taxonomy.sha256 != taxonomy.sha256 for model in several):
        raise TaxonomyError("level_matrix: expected models of one taxonomy, got several. Read them with one.")
    check_one_of("metric", metric, path_keys())
    depths = list(range(1, taxonomy.max_depth + 1)) if levels is None else list(levels)
    value = np.full((len(several), len(depths)), np.nan)
    for row, model in enumerate(several):
        for column, depth in enumerate(depths):
            if depth <= _finest(model):
                value[row, column] = _mean(cut(model, max_depth=depth), metric, rule, parameters)
            if progress:
                progress(row * len(depths) + column + 1, value.size)
    methods: dict[Any, list[int]] = {}
    for row, model in enumerate(several):
        methods.setdefault(row if model.run is None else model.name, []).append(row)
    firsts = [several[rows[0]] for rows in methods.values()]
    finest = [min(_finest(several[row]) for row in rows) for rows in methods.values()]
    means = np.array([value[rows].mean(axis=0) for rows in methods.values()])
    n = np.array([int(model.has_truth.sum()) for model in firsts])
    return LevelMatrix([model.name for model in firsts], finest, depths, metric, means, n)


def _finest(model):
    """The largest depth to which the model knows all nodes."""
    taxonomy = model.taxonomy
    if model.known is None:
        return taxonomy.max_depth
    unknown = np.setdiff1d(np.arange(taxonomy.n_nodes), model.known)
    return int(taxonomy.depth[unknown].min()) - 1 if len(unknown) else taxonomy.max_depth


def _mean(model, metric, rule, parameters):
    evaluation = Evaluation.from_predictions(model)
    reason = evaluation.why_not_one_truth()
    answers = None if reason else judged_answers(evaluation, rule, **parameters)
    if answers is None or not answers.is_single:
        raise PredictionsError(
            f"{model.name}: expected one truth and one answer for each sample, got none: {reason or 'labels list several'}."
        )
    return answers.path_means[metric]
