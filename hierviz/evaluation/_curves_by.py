"""Operating curves of each part of the samples: seen and unseen classes, or the values of an attribute.

Functions
---------
curves_by
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hierviz.curves.operating_curve import OperatingCurve
from hierviz.evaluation.common_samples import SEEN, JudgedSamples, facet_columns, facets, judged_samples
from hierviz.evaluation.evaluation import Evaluation, as_evaluation
from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.predictions import Predictions, listed_models
from hierviz.projection.projected import SEEN as KNOWN
from hierviz.uncertainty.repeats import curve_of_runs


def curves_by(
    models: Evaluation | Predictions | Sequence[Evaluation | Predictions], by: str | None = None
) -> Mapping[str, Mapping[str, OperatingCurve]]:
    """Operating curves of every model on each part of the samples that all models judge.

    Parameters
    ----------
    models : Evaluation, Predictions, or sequence of them
        Of one taxonomy, each with an operating curve. Those of one name are runs of one method.
    by : str, optional
        An attribute of the samples, among them ``truth known to the model`` (`hierviz.projection.only_known`), or ``class seen in
        training`` where the nodes have ``train_count``. The first of these two that divides the samples when absent.

    Returns
    -------
    dict of str to dict of str to OperatingCurve
        By model, then by value in alphabetical order, missing values last. Of several runs the mean at every threshold, whose
        `summary` has the means over the runs, and `spread` the standard deviations between them.

    Raises
    ------
    PredictionsError
        If a model has no operating curve, or there is nothing of that name to divide by.

    Examples
    --------
    >>> import numpy as np
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    >>> p = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    >>> light, truth = np.array(["day", "night", "day"]), taxonomy.nodes("cat", "cat", "dog")
    >>> model = Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth, attributes={"light": light})
    >>> {value: curve.n_samples for value, curve in curves_by(model, "light")["model"].items()}
    {'day': 2, 'night': 1}
    """
    evaluated = [as_evaluation("models", one) for one in listed_models(models)]
    samples = judged_samples(evaluated)
    if by is None:
        by = next((column for column in facet_columns(samples[0]) if column in (KNOWN, SEEN)), None)
    if by is None:
        raise PredictionsError(
            f"by: expected something to divide the samples by ({listed(facet_columns(samples[0]), 20) or 'there is none'}), got "
            "none, and all samples are of seen classes or nothing is known about that. Name one."
        )
    parts = facets(samples[0], by)
    methods: dict[str, list[JudgedSamples]] = {}
    for one in samples:
        methods.setdefault(one.name, []).append(one)
    return {
        name: {value: curve_of_runs([run.take(places).curve for run in runs]) for value, places in parts.items()}
        for name, runs in methods.items()
    }
