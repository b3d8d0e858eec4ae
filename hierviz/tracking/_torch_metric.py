"""`hierviz.metrics.torch_metric`: numbers of `hierviz.evaluate` as a metric of torchmetrics.

The class is made when it is asked for, which needs torch; as a name of this module it can be pickled.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from hierviz.comparison.columns import Column, columns_of, file_numbers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.registry import inference_rule, rule_and_threshold
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.extras import require
from hierviz.predictions.parametrisation import default_columns
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_one_of, check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

TARGETS = ("columns", "nodes")


def torch_metric(
    taxonomy: Taxonomy,
    metrics: Sequence[str] | str = ("curve.ac", "predicted.info_f1", "predicted.exact"),
    parametrisation: str = "flat_softmax",
    rule: str | None = None,
    threshold: float | None = None,
    *,
    classes: Sequence[str] | None = None,
    targets: str = "columns",
    options: dict[str, Any] | None = None,
    **parameters: Any,
) -> Any:
    """A metric of torchmetrics with ``update(scores, target)`` and ``compute()``, for a training loop or Lightning.

    Parameters
    ----------
    taxonomy : Taxonomy
    metrics : sequence of str, or str with commas
        Keys as of `hierviz.compare`.
    parametrisation : str
        Key of `PARAMETRISATIONS`: what the scores are. ``flat_softmax``: logits of the leaves.
    rule, threshold, **parameters
        As of `hierviz.evaluate`.
    classes : sequence of str, optional
        Name of the node of each column of scores; the default order of the parametrisation when None.
    targets : {"columns", "nodes"}
        Whether targets are numbers of columns, as of a loss of torch, or numbers of nodes; -1 is an unknown truth.
    options : dict, optional
        Of `torchmetrics.Metric`, such as ``compute_on_cpu`` or ``sync_on_compute``.

    Returns
    -------
    torchmetrics.Metric
        ``update`` takes scores, shape (n_samples, n_scores), and targets, int, shape (n_samples,). ``compute`` returns a dict of
        key to a float64 tensor without dimensions, nan where it is undefined: the numbers that `hierviz.evaluate` gives for all
        rows of all processes, as areas and ratios of sums are no means of batches. It keeps the scores until ``reset``.

    Raises
    ------
    PredictionsError
        If a key, the rule or a class is unknown, shapes do not fit, or nothing was updated before ``compute``.
    MissingExtraError
        Without torchmetrics.
    """
    require("torch_metric", "torchmetrics", "torch", "torchmetrics")
    check_taxonomy(taxonomy)
    check_one_of("targets", targets, TARGETS)
    columns = columns_of(taxonomy, None, metrics)
    rule, threshold = rule_and_threshold(rule, threshold)
    inference_rule(rule).settings({"threshold": threshold, **parameters})
    nodes = default_columns(taxonomy, parametrisation) if classes is None else taxonomy.nodes(*map(str, classes))
    choice = {"rule": rule, "threshold": threshold, **parameters}
    return _metric_class()(taxonomy, columns, parametrisation, nodes, targets == "nodes", choice, options or {})


def numbers_of_arrays(
    scores: np.ndarray, truth: np.ndarray, taxonomy: Taxonomy, columns: Sequence[Column], how: dict[str, Any]
) -> dict[str, float | None]:
    """Values of the columns, by key; `how` has parametrisation, scored_nodes and choice."""
    predictions = Predictions.from_scores(
        taxonomy, scores, how["parametrisation"], scored_nodes=how["scored_nodes"], truth=truth
    )
    return file_numbers(Evaluation.from_predictions(predictions), columns, how["choice"]).values


@cache
def _metric_class():
    import torch
    from torchmetrics import Metric
    from torchmetrics.utilities import dim_zero_cat

    class TorchMetric(Metric):
        """See `hierviz.metrics.torch_metric`."""

        is_differentiable = False
        higher_is_better = None
        full_state_update = False

        def __init__(self, taxonomy, columns, parametrisation, nodes, is_by_node, choice, options):
            super().__init__(**options)
            self.taxonomy, self.columns, self.nodes, self.is_by_node = taxonomy, columns, nodes, is_by_node
            self.how = {"parametrisation": parametrisation, "scored_nodes": nodes, "choice": choice}
            self.add_state("scores", default=[], dist_reduce_fx="cat")
            self.add_state("truth", default=[], dist_reduce_fx="cat")

        def update(self, scores, target):
            """Add a batch: scores of shape (n_samples, n_scores), targets of shape (n_samples,)."""
            if scores.ndim != 2 or scores.shape[1] != len(self.nodes) or target.shape != scores.shape[:1]:
                raise PredictionsError(
                    f"torch_metric: expected scores of shape (n_samples, {len(self.nodes)}) and targets of shape (n_samples,), "
                    f"got {tuple(scores.shape)} and {tuple(target.shape)}. Pass one row and one target a sample."
                )
            most = self.taxonomy.n_nodes if self.is_by_node else len(self.nodes)
            if target.is_floating_point() or (len(target) and not -1 <= int(target.min()) <= int(target.max()) < most):
                raise PredictionsError(
                    f"torch_metric: expected whole targets from -1 to {most - 1}, got {shown(target.tolist()[:5])}. "
                    "Pass numbers of columns, or targets='nodes' for numbers of nodes."
                )
            # numpy has no bfloat16.
            scores = scores.detach()
            self.scores.append(scores.float() if scores.dtype == torch.bfloat16 else scores)
            self.truth.append(target.detach().long())

        def compute(self):
            """The numbers of all rows so far, as float64 tensors by key."""
            if isinstance(self.scores, list) and not self.scores:
                raise PredictionsError("torch_metric: expected update before compute, got no batch. Call update first.")
            scores, target = dim_zero_cat(self.scores), dim_zero_cat(self.truth).cpu().numpy()
            truth = target if self.is_by_node else np.where(target < 0, -1, self.nodes[target])
            values = numbers_of_arrays(scores.cpu().numpy(), truth, self.taxonomy, self.columns, self.how)
            return {
                key: torch.tensor(float("nan") if value is None else value, dtype=torch.float64, device=scores.device)
                for key, value in values.items()
            }

    TorchMetric.__qualname__ = "TorchMetric"
    return TorchMetric


def __getattr__(name):
    """`TorchMetric`, for pickles."""
    if name == "TorchMetric":
        return _metric_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
