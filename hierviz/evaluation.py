"""Everything at once: one pass over a model's probabilities, then every number at any rule and threshold.

Conventions
-----------
Arrays are per sample, shape (n_samples,), in the order of the Predictions; samples without a known truth are kept and
marked by ``judged == False``. Means run over the judged samples only. In the dict of `evaluate` infinite values are the
strings "Infinity" and "-Infinity", and undefined ones None, so that it is JSON.

Functions
---------
evaluate, Evaluation.of
"""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierviz.curves import CURVE_KEYS, ParetoTable, operating_curve, pareto_table
from hierviz.errors import PredictionsError, TaxonomyError, listed
from hierviz.inference import check_threshold, infer, inference_rule, top_down
from hierviz.metrics.confusion import best_constant_path, confusion
from hierviz.metrics.path import path_metrics
from hierviz.metrics.win import best_leaf_metrics, win
from hierviz.parametrisation import SUM_TOLERANCE
from hierviz.predictions import Predictions

BLOCKS = ("distribution", "top_down", "predicted", "labels", "curve", "confusion")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What one pass over a model's node probabilities leaves behind.

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
        Rescaled and raw win and probability of the truth; nan where not judged. None without one truth a sample on a tree.
    leaf_mass : ndarray of float, shape (n_samples,), or None
        Sum of p over the leaves.
    """

    predictions: Predictions
    judged: np.ndarray
    table: ParetoTable | None = None
    best_leaf: np.ndarray | None = None
    win: np.ndarray | None = None
    raw_win: np.ndarray | None = None
    p_truth: np.ndarray | None = None
    leaf_mass: np.ndarray | None = None

    @classmethod
    def of(cls, predictions, progress=None):
        """Evaluate a Predictions, in blocks of rows; `progress` is called with (rows done, n_samples)."""
        judged = predictions.has_truth
        if not predictions.has_scores:
            return cls(predictions, judged)
        taxonomy, n = predictions.taxonomy, predictions.n_samples
        has_win = predictions.has_single_truth and taxonomy.is_tree
        best_leaf, leaf_mass = np.zeros(n, dtype=np.intp), np.zeros(n)
        wins, raw_wins, p_truth = (np.full(n, np.nan) for _ in range(3))
        tables = []
        for rows in predictions.blocks():
            p = predictions.node_probabilities(rows)
            tables.append(pareto_table(taxonomy, p))
            best_leaf[rows] = top_down(taxonomy, p)
            leaf_mass[rows] = p[:, taxonomy.leaves].sum(axis=1)
            if has_win:
                known = judged[rows]
                truth, p = predictions.truth[rows][known], p[known]
                places = np.arange(rows.start, rows.stop)[known]
                wins[places] = win(taxonomy, p, truth)
                raw_wins[places] = (p[:, 0] + wins[places]) / 2
                p_truth[places] = p[np.arange(len(p)), truth]
            if progress:
                progress(rows.stop, n)
        table = ParetoTable.concatenate(tables) if tables else pareto_table(taxonomy, predictions)
        if not has_win:
            wins = raw_wins = p_truth = None
        return cls(predictions, judged, table, best_leaf, wins, raw_wins, p_truth, leaf_mass)

    @property
    def taxonomy(self):
        """The taxonomy of the predictions."""
        return self.predictions.taxonomy

    @property
    def truth(self):
        """True nodes of the judged samples, shape (n_judged,); needs one truth a sample."""
        return self.predictions.truth[self.judged]

    @property
    def n_judged(self):
        """Number of samples the means run over."""
        return int(self.judged.sum())

    @cached_property
    def curve(self):
        """OperatingCurve over the judged samples."""
        return operating_curve(self.taxonomy, self.table.take(np.flatnonzero(self.judged)), self.truth)

    def why_no_curve(self):
        """Why this input has no operating curve, in words; None when it has one."""
        return self._why_not("curve")

    def why_no_mistakes(self):
        """Why answers cannot be ranked one by one, in words; None when they can."""
        return self._why_not("confusion")

    def checked_curve(self):
        """The curve, or a PredictionsError that says why this input has none."""
        reason = self.why_no_curve()
        if reason:
            raise PredictionsError(f"{self.predictions.name}: expected an operating curve, got none: {reason}.")
        return self.curve

    def answers(self, rule="majority", threshold=0.5):
        """Predicted node of every sample by an inference rule, shape (n_samples,), before truncation.

        Raises
        ------
        PredictionsError
            If these are labels, or the rule or threshold is not valid.
        """
        if self.table is None:
            raise PredictionsError(
                f"{self.predictions.name}: expected scores for rule {rule!r}, got labels. Rules need scores."
            )
        entry = inference_rule(rule)
        if rule in ("threshold", "majority"):
            return self.table.nodes_at(threshold if rule == "threshold" else 0.5)
        if rule == "leaf":
            return self.table.nodes[self.table.offsets[1:] - 1]
        if rule == "top_down":
            return self.best_leaf
        parameters = {"threshold": threshold} if "threshold" in entry.parameters else {}
        taxonomy, predictions = self.taxonomy, self.predictions
        return np.concatenate(
            [infer(taxonomy, predictions.node_probabilities(rows), rule, **parameters) for rows in predictions.blocks()]
        )

    def label_paths(self):
        """End node of the one path a sample's labels stand for, shape (n_samples,); None where a sample has several labels."""
        labels = self.predictions.labels
        if labels is None or (len(labels) and labels.lengths.max() > 1) or (labels.nodes < 0).any():
            return None
        ends = np.zeros(len(labels), dtype=np.intp)
        ends[labels.lengths == 1] = labels.nodes
        return ends

    def per_sample(self, rule="majority", threshold=0.5):
        """Every number of every judged sample.

        Returns
        -------
        dict of str to ndarray, shape (n_judged,)
            ``row`` (place in the Predictions), ``sample_id``, ``truth``, ``predicted``, ``best_leaf`` (node numbers), the
            keys of blocks distribution, top_down and predicted as values of one sample, and ``tp, tn, fp, fn, hp, hr,
            hf1``. Only what applies to the input is there.
        """
        rows = np.flatnonzero(self.judged)
        found = {"row": rows, "sample_id": self.predictions.ids[rows]}
        if not self.predictions.has_single_truth:
            return found
        found["truth"] = self.truth
        is_tree = self.taxonomy.is_tree
        if self.table is not None:
            found["predicted"], found["best_leaf"] = self.answers(rule, threshold)[rows], self.best_leaf[rows]
            if is_tree:
                found |= self._distribution_per_sample()
                best = best_leaf_metrics(self.taxonomy, self.truth, found["best_leaf"])
                found |= {
                    key: best[key]
                    for key in ("one_hot_win", "coarsest_accuracy", "parents_accuracy", "finest_accuracy")
                }
                metrics = path_metrics(self.taxonomy, self.truth, found["predicted"])
                found |= {key: metrics[key] for key in CURVE_KEYS}
        elif (ends := self.label_paths()) is not None:
            found["predicted"] = ends[rows]
        if is_tree and "predicted" in found:
            found |= confusion(self.taxonomy, self.truth, found["predicted"]).per_sample
        return found

    def as_dict(self, rule="majority", threshold=0.5):
        """One entry of ``models`` in the JSON of `evaluate`."""
        predictions, notes = self.predictions, list(self.taxonomy.notes) + list(self.predictions.notes)
        check_threshold(threshold)
        inference_rule(rule)
        has_scores = predictions.has_scores
        blocks = dict.fromkeys(BLOCKS)
        for block in BLOCKS:
            reason = self._why_not(block)
            if reason:
                notes.append(f"{block}: null, {reason}")
            else:
                blocks[block] = getattr(self, f"_{block}")(rule, threshold)
        notes += self._remarks()
        return _jsonable(
            {
                "name": predictions.name,
                "n_samples": self.n_judged,
                "n_without_prediction": predictions.n_without_prediction,
                "n_without_truth": predictions.n_without_truth,
                "parametrisation": predictions.parametrisation,
                "rule": rule if has_scores else None,
                "threshold": float(threshold) if has_scores and rule == "threshold" else None,
                **blocks,
                "notes": notes,
            }
        )

    def _why_not(self, block):
        """Why a block does not apply to this input; None when it does."""
        if block == "labels":
            return "metrics of label sets are not part of this version"
        if self.n_judged == 0:
            return "no sample has a known truth"
        if not self.predictions.has_single_truth:
            return "it needs one true node a sample, and this truth lists several"
        if not self.taxonomy.is_tree:
            return "it is defined on trees, and this taxonomy has nodes with several parents"
        if block == "confusion" and not self.predictions.has_scores:
            several = "it needs one predicted path a sample, and these label lists hold several"
            return several if self.label_paths() is None else None
        return None if self.predictions.has_scores else "it needs scores, and this file holds labels"

    def _remarks(self):
        if self.table is None or not self.predictions.has_single_truth:
            return []
        remarks = []
        mass = self.leaf_mass[self.judged]
        off = int((np.abs(mass - 1) > SUM_TOLERANCE).sum())
        if off:
            remarks.append(
                f"distribution: the leaves of {off} of {len(mass)} samples do not sum to 1 "
                f"({mass.min():.4g} to {mass.max():.4g}); each node's own p is used"
            )
        inner = int((~self.taxonomy.is_leaf[self.truth]).sum())
        if inner:
            remarks.append(
                f"distribution, top_down: {inner} samples have their truth at an inner node; the path ends there, "
                "its p counts twice and a best leaf below it is right"
            )
        return remarks

    def _distribution_per_sample(self):
        wins, p_truth = self.win[self.judged], self.p_truth[self.judged]
        with np.errstate(divide="ignore"):
            return {
                "softmax_win": wins,
                "softmax_win_raw": self.raw_win[self.judged],
                "neg_log_win": -np.log(wins) + 0.0,
                "cross_entropy": -np.log(p_truth) + 0.0,
                "p_truth": p_truth,
            }

    def _distribution(self, rule, threshold):
        values = self._distribution_per_sample()
        finite = values["cross_entropy"][np.isfinite(values["cross_entropy"])]
        return {
            "softmax_win": values["softmax_win"].mean(),
            "softmax_win_raw": values["softmax_win_raw"].mean(),
            "neg_log_win": values["neg_log_win"].mean(),
            "neg_log_win_infinite": int(np.isinf(values["neg_log_win"]).sum()),
            "cross_entropy": values["cross_entropy"].mean(),
            "cross_entropy_infinite": int(np.isinf(values["cross_entropy"]).sum()),
            "cross_entropy_finite_mean": finite.mean() if len(finite) else None,
        }

    def _top_down(self, rule, threshold):
        values = best_leaf_metrics(self.taxonomy, self.truth, self.best_leaf[self.judged])
        leaf = best_leaf_metrics(self.taxonomy, self.truth, self.answers("leaf")[self.judged])
        shared, claimed, due = (values[key].sum() for key in ("shared", "claimed", "due"))
        return {
            **{
                key: values[key].mean()
                for key in ("one_hot_win", "coarsest_accuracy", "parents_accuracy", "finest_accuracy")
            },
            "argmax_leaf_accuracy": leaf["finest_accuracy"].mean(),
            "aggregate_precision": shared / claimed if claimed else None,
            "aggregate_recall": shared / due if due else None,
            "aggregate_f1": 2 * shared / (claimed + due) if claimed + due else None,
        }

    def _predicted(self, rule, threshold):
        metrics = path_metrics(self.taxonomy, self.truth, self.answers(rule, threshold)[self.judged])
        return {key: metrics[key].mean() for key in CURVE_KEYS}

    def _curve(self, rule, threshold):
        return self.curve.summary()

    def _confusion(self, rule, threshold):
        ends = self.answers(rule, threshold) if self.table is not None else self.label_paths()
        found = confusion(self.taxonomy, self.truth, ends[self.judged])
        node, baseline = best_constant_path(self.taxonomy, self.truth)
        return {
            **found.counts,
            **found.measures,
            "baseline": {"path_to": self.taxonomy.names[node], **baseline.counts, **baseline.measures},
        }


def evaluate(predictions, rule="majority", threshold=0.5):
    """Every number of one or several models.

    Parameters
    ----------
    predictions : Predictions, Evaluation, or list of them
        Several models need the same taxonomy and the same samples.
    rule : str
        Key of `INFERENCE_RULES`.
    threshold : float
        In [0, 1]; used by rule ``threshold``.

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
    """
    models = predictions if isinstance(predictions, (list, tuple)) else [predictions]
    if not models:
        raise PredictionsError("evaluate: expected at least one model, got none. Pass Predictions.")
    check_threshold(threshold)
    inference_rule(rule)
    require_same_samples([model.predictions if isinstance(model, Evaluation) else model for model in models])
    models = [model if isinstance(model, Evaluation) else Evaluation.of(model) for model in models]
    taxonomy = models[0].taxonomy
    return {
        "hierviz": version(),
        "taxonomy": {
            "n_nodes": taxonomy.n_nodes,
            "n_leaves": taxonomy.n_leaves,
            "is_tree": taxonomy.is_tree,
            "max_depth": taxonomy.max_depth,
        },
        "models": [model.as_dict(rule, threshold) for model in models],
    }


def require_same_samples(models):
    """Raise unless all Predictions have the same taxonomy and the same samples (ids, else counts)."""
    first = models[0]
    for other in models[1:]:
        if other.taxonomy is not first.taxonomy and other.taxonomy.sha256 != first.taxonomy.sha256:
            raise TaxonomyError(
                f"{other.name}: expected the taxonomy of {first.name} ({first.taxonomy.n_nodes} nodes), got another one "
                f"({other.taxonomy.n_nodes} nodes). Compare models on one taxonomy."
            )
        if first.sample_ids is not None and other.sample_ids is not None:
            mine, theirs = set(map(str, first.sample_ids)), set(map(str, other.sample_ids))
            if mine != theirs:
                missing, extra = sorted(mine - theirs), sorted(theirs - mine)
                raise PredictionsError(
                    f"{other.name}: expected the samples of {first.name}, got {len(missing)} missing ({listed(missing, 2)}) "
                    f"and {len(extra)} others ({listed(extra, 2)}). Compare models on the same samples."
                )
        elif first.n_samples != other.n_samples:
            raise PredictionsError(
                f"{other.name}: expected the {first.n_samples} samples of {first.name}, got {other.n_samples}. "
                "Compare models on the same samples."
            )


def version():
    """Version of the installed package as text."""
    try:
        return importlib.metadata.version("hierviz")
    except importlib.metadata.PackageNotFoundError:
        return "0+unknown"


def _jsonable(value):
    """The value with plain Python numbers: infinities as text, nan as None."""
    if isinstance(value, dict):
        return {key: _jsonable(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_jsonable(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
