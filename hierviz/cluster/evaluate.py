"""`hierviz.evaluate`: here, or on a cluster when a client is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hierviz.cluster.running import evaluation_on
from hierviz.evaluation import summary
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.registry import rule_and_threshold
from hierviz.predictions.predictions import Predictions, listed_models


def evaluate(
    predictions: Predictions | Evaluation | Sequence[Predictions | Evaluation],
    rule: str | None = None,
    threshold: float | Sequence[float] | None = None,
    *,
    threads: int | None = None,
    client: Any = None,
    class_weights: Any = None,
    **parameters: Any,
) -> dict[str, Any]:
    """Every number of one or several models.

    Parameters
    ----------
    predictions : Predictions, Evaluation, or list of them
        Several models need the same taxonomy and the same samples.
    rule : str, optional
        Key of `INFERENCE_RULES`; ``majority`` when absent, or ``threshold`` where a threshold is given.
    threshold : float, or sequence of float, optional
        In [0, 1], one for all models or one for each; used by the rules ``threshold`` and ``threshold_set`` and by the sets
        of block ``labels``, which ``notes`` says where the rule has none. 0.5 when absent.
    threads : int, optional
        Blocks of rows that are processed at a time, where compiled loops serve (`hierviz.compiled`); all processors when
        None. On a cluster each thread of a worker is one.
    client : distributed.Client, optional
        Evaluates Predictions on its workers (extra ``cluster``). Scores of ``.npy`` and Parquet files are read by the
        workers, under the same path or URL; load them with ``load_predictions(..., read_scores=False)``.
    class_weights : "equal", or ndarray of float, shape (n_nodes,), optional
        Adds the numbers of block ``curve`` as means over true classes, each with the same weight or with its own
        (``balanced_ac``, ...).
    **parameters
        Of the rule, ``INFERENCE_RULES[rule].parameters``; each has a default, and those of other rules play no part.

    Returns
    -------
    dict
        The JSON of the command line: version, taxonomy and ``models``, each with the blocks distribution, top_down,
        predicted, labels, curve and confusion. A block that does not apply is None and ``notes`` says why.

    Raises
    ------
    PredictionsError
        If models differ in samples, or rule or threshold is not valid.
    TaxonomyError
        If models differ in their taxonomy.
    ClusterError
        If the cluster has no workers, or ones without this version of hierviz.
    """
    rule, threshold = rule_and_threshold(rule, threshold)
    if client is None:
        return summary.evaluate(
            predictions, rule, threshold, threads=threads, class_weights=class_weights, **parameters
        )
    models = listed_models(predictions)
    thresholds = summary.thresholds_of(models, threshold)
    summary.check_models(models, rule, thresholds, **parameters)
    evaluations = [
        model
        if isinstance(model, Evaluation)
        else evaluation_on(client, model, rule=rule, threshold=of_model, **parameters)
        for model, of_model in zip(models, thresholds, strict=True)
    ]
    return summary.evaluate(evaluations, rule, thresholds, class_weights=class_weights, **parameters)
