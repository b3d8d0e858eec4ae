"""`hierviz.metrics.OperatingCurveDisplay`: an operating curve in the manner of scikit-learn's displays, drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from hierviz.curves.operating_curve import OperatingCurve
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import require
from hierviz.metrics.registry import METRICS
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind, check_one_of, check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.tracking._scorer import predictions_of, predictions_of_arrays


class OperatingCurveDisplay:
    """An operating curve: Correct against specificity over all thresholds.

    Build with `from_predictions` or `from_estimator`, which also draw it.

    Parameters
    ----------
    curve : OperatingCurve
    name : str, optional
        Of the model, for the legend.

    Attributes
    ----------
    curve : OperatingCurve
    ac : float
        Average correctness, in [0, 1].
    line_, ax_, figure_
        Of matplotlib, once it is drawn.

    Examples
    --------
    >>> import hierviz as hv
    >>> taxonomy = hv.Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> predictions = hv.Predictions.from_predict_proba(taxonomy, [[0.5, 0.25, 0.25]], ["newt", "dog", "cat"], truth=["newt"])
    >>> hv.metrics.OperatingCurveDisplay(hv.Evaluation.from_predictions(predictions).curve).ac
    1.0
    """

    line_: Any
    ax_: Any
    figure_: Any

    def __init__(self, curve: OperatingCurve, *, name: str | None = None) -> None:
        check_kind("curve", curve, OperatingCurve)
        self.curve, self.name = curve, name
        self.ac = curve.summary()["ac"]

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_proba: Any,
        *,
        taxonomy: Taxonomy,
        classes: Sequence[str] | None = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of probabilities.

        Parameters
        ----------
        y_true : sequence of str, shape (n_samples,)
            Names of nodes.
        y_proba : ndarray of float, shape (n_samples, n_classes), Predictions or Evaluation
            What ``predict_proba`` returns; of Predictions their truth is used where `y_true` is None.
        taxonomy : Taxonomy
        classes : sequence of str, optional
            ``classes_`` of the estimator; the leaves in the order of the taxonomy when None.
        name : str, optional
        ax : matplotlib.axes.Axes, optional
        **kwargs
            Of ``Axes.plot``.

        Returns
        -------
        OperatingCurveDisplay

        Raises
        ------
        PredictionsError
            If shapes or names do not fit, or there is no curve.
        MissingExtraError
            Without matplotlib.
        """
        check_taxonomy(taxonomy)
        if not isinstance(y_proba, (Predictions, Evaluation)):
            columns = [taxonomy.names[leaf] for leaf in taxonomy.leaves.tolist()] if classes is None else classes
            y_proba = predictions_of_arrays(y_proba, [str(one) for one in columns], y_true, taxonomy, name or "model")
        elif y_true is not None:
            raise PredictionsError("y_true: expected None, as predictions hold their truth, got truths. Pass None.")
        return cls._of(y_proba, name, ax, kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        taxonomy: Taxonomy,
        classes: Sequence[str] | None = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of a fitted estimator with ``predict_proba``.

        Parameters
        ----------
        estimator : estimator of scikit-learn
        X, y
            Samples and their truth.
        taxonomy : Taxonomy
        classes : sequence of str, optional
            As of `hierviz.metrics.scorer`.
        name : str, optional
            The class of the estimator when None.
        ax, **kwargs
            As of `from_predictions`.

        Returns
        -------
        OperatingCurveDisplay

        Raises
        ------
        PredictionsError
            As `from_predictions`.
        """
        check_taxonomy(taxonomy)
        return cls._of(predictions_of(estimator, X, y, taxonomy, classes), name or type(estimator).__name__, ax, kwargs)

    @classmethod
    def _of(cls, predictions, name, ax, kwargs):
        is_judged = isinstance(predictions, Evaluation)
        evaluation = predictions if is_judged else Evaluation.from_predictions(predictions)
        return cls(evaluation.curve, name=name).plot(ax, **kwargs)

    def plot(self, ax: Any = None, *, x: str = "info_recall", name: str | None = None, **kwargs: Any) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            A new figure when None.
        x : str
            The specificity: a key of ``curve.values``, such as ``info_recall`` or ``exact``.
        name : str, optional
            As of the constructor.
        **kwargs
            Of ``Axes.plot``.

        Returns
        -------
        OperatingCurveDisplay
            This one, with ``ax_``, ``figure_`` and ``line_``.

        Raises
        ------
        PredictionsError
            If `x` is no key of the curve.
        MissingExtraError
            Without matplotlib.
        """
        check_one_of("x", x, self.curve.values)
        require("OperatingCurveDisplay", "sklearn", "matplotlib")
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots()
        name = self.name if name is None else name
        label = f"{name} (AC = {self.ac:.2f})" if name else f"AC = {self.ac:.2f}"
        # A threshold keeps what it answers until the next one: the means between two points belong to no threshold.
        settings = {"label": label, "drawstyle": "steps-post", **kwargs}
        (self.line_,) = ax.plot(self.curve.values[x], self.curve.values["correct"], **settings)
        ax.set(xlabel=METRICS[x].label, ylabel=METRICS["correct"].label, xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
        ax.legend(loc="lower left")
        self.ax_, self.figure_ = ax, ax.figure
        return self
