"""Every number of one model for any weights of its samples: what resamples need, computed once.

Conventions
-----------
A draw takes each sample as often as its count says. Means run over the samples that have a value; ratios of sums, counts of
nodes and macro averages are computed again from the sums of each draw, and so is the operating curve. Metrics of all ones
are the numbers of `hierviz.evaluate`. All files take the same resamples, so that methods can be compared in pairs.

Functions
---------
ResampledNumbers, NodeCounts, ProteinNumbers, has_protein, resampled_draws
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from hierviz.comparison.columns import CONFORMAL, Column
from hierviz.curves._selective_curve import RISK_AREAS
from hierviz.curves.operating_curve import SUMMARY, CurveSteps
from hierviz.evaluation.class_means import sample_weights
from hierviz.evaluation.sample_numbers import parts_of
from hierviz.inference.registry import inference_rule
from hierviz.messages.progress import Progress
from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.parts import ByNode, Mean, MeanByDepth, OfSums, OverCurve, Total, WeightedByDepth, WeightedMean
from hierviz.metrics.registry import BALANCED_PREFIX, CELLS, METRICS, PROTEIN_METRICS
from hierviz.metrics.sets.label_sets import AREAS
from hierviz.metrics.sets.node_sets import closed_keys, predicted_keys, truth_keys, valid_keys
from hierviz.metrics.sets.protein_function import term_counts
from hierviz.taxonomy.node_lists import is_member
from hierviz.taxonomy.taxonomy import NodeLists
from hierviz.uncertainty.resamples import Resamples

# Numbers of a whole curve by key: the values each is made of, and how.
OF_CURVE = SUMMARY | RISK_AREAS
# Parts of which sums are taken whatever is asked for: products of matrices of another width may differ in the last bit.
SUMMED = {
    "top_down": ("shared", "claimed", "due"),
    "labels": (
        *("n_predicted", "n_true", "n_hit", "n_incoherent"),
        *(f"{weight}_{part}" for weight in ("nodes", "information") for part in ("shared", "claimed", "due")),
        *AREAS,
    ),
    "confusion": CELLS,
}
# Parts whose sums follow from those of others.
DERIVED = ("n_wrong", "n_cells")


class ResampledNumbers:
    """Numbers of one model for counts of its samples.

    Parameters
    ----------
    model : Evaluation
    columns : sequence of Column
        Of which the numbers are wanted; those that have no value are left out of `keys`.
    values : dict of str to (float or None)
        The model's numbers by key: says which apply.
    rows : ndarray of int, shape (n_samples,)
        Rows of the Predictions that the counts are about, in their order; all judged samples.
    choice : dict
        rule, threshold and the parameters of the rule.
    class_weights : ndarray of float, shape (n_nodes,), optional
        As in `hierviz.evaluate`.
    protein : ProteinNumbers, optional
        Of the same model; its numbers are among these.
    conformal : dict of str to ndarray, optional
        `hierviz.evaluation._conformal.conformal_parts` of the model, where it has conformal nodes whose samples can be drawn.

    Attributes
    ----------
    keys : list of str
        Numbers that have draws.
    has_value : dict of str to ndarray of bool, shape (n_samples,)
        Of means over samples: those that have a value.
    shares : set of str
        Means of 0/1 values.
    """

    def __init__(self, model, columns, values, rows, choice, class_weights=None, protein=None, conformal=None):
        self.model, self.choice, self.rows, self._conformal = model, choice, rows, conformal
        # Places of the samples among the judged ones, of which arrays are.
        self.places = np.searchsorted(model.rows, rows)
        self.has_value: dict[str, np.ndarray] = {}
        self.shares: set[str] = set()
        self._sums: list[np.ndarray] = []
        self._counts: list[np.ndarray] = []
        self._from_sums: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {}
        # Columns whose numbers are computed draw by draw.
        self._of_curve: list[Column] = []
        self._of_balanced: list[Column] = []
        self._of_nodes: list[Column] = []
        wanted = {column.key: column for column in columns if values.get(column.key) is not None}
        for block in dict.fromkeys(column.block for column in wanted.values()):
            self._add_block(block, [column for column in wanted.values() if column.block == block])
        none = np.empty((len(rows), 0))
        self._matrix, self._counted = np.column_stack([none, *self._sums]), np.column_stack([none, *self._counts])
        self._sums, self._counts = [], []
        self._class_weights, self._protein = class_weights, protein
        if self._of_nodes:
            self._node_counts = NodeCounts(model, rows, choice)
        if on_curve := [*self._of_curve, *self._of_balanced]:
            self._truth = model.predictions.truth[rows]
            # Of every draw only what the columns are made of.
            needed: dict[str, set[str]] = {}
            for column in on_curve:
                needed.setdefault(_rule_of(column), set()).update(OF_CURVE[_curve_name(column)][0])
            self._steps = {}
            for rule, keys in needed.items():
                answers = model.table.take(rows) if rule == "threshold" else model.climbed.take(self.places)
                self._steps[rule] = CurveSteps.from_table(model.taxonomy, self._truth, answers, keys=sorted(keys))
        by_draw = {column.key for column in (*on_curve, *self._of_nodes)}
        self.keys = [key for key in wanted if key in self._from_sums or key in by_draw]
        self.keys += [] if protein is None else protein.keys

    def of(self, counts, report=lambda share: None):
        """The numbers of some draws.

        Parameters
        ----------
        counts : ndarray of float, shape (n_draws, n_samples)
            How often each sample is taken.
        report : callable, optional
            Called with the share of the work that is done, from 0 to 1, after each draw of each kind of number.

        Returns
        -------
        dict of str to ndarray of float, shape (n_draws,)
            By key; nan where a draw has no such number.
        """
        sums, n = np.hstack([counts @ self._matrix, counts @ self._counted]), counts.sum(axis=1)
        found = {key: formula(sums, n) for key, formula in self._from_sums.items()}
        kinds = (
            (self._of_curve, self._curve_numbers),
            (self._of_balanced, self._balanced_numbers),
            (self._of_nodes, lambda draw, columns: self._node_counts.numbers(draw, columns)),
        )
        n_steps, done = len(counts) * sum(bool(columns) for columns, _ in kinds), itertools.count(1)
        for columns, numbers_of in kinds:
            numbers = []
            for draw in counts if columns else ():
                numbers.append(numbers_of(draw, columns))
                report(next(done) / n_steps)
            found |= dict(zip((column.key for column in columns), np.array(numbers, dtype=np.float64).T))
        return found if self._protein is None else found | self._protein.of(counts, self.places)

    def _balanced_numbers(self, draw, columns):
        """Of a draw that is weighed so that each class has its weight, however often the draw takes it."""
        return self._curve_numbers(sample_weights(self.model.taxonomy, self._truth, self._class_weights, draw), columns)

    def _curve_numbers(self, counts, columns):
        """Of the curve; nan where a draw takes no class that has a weight."""
        if not counts.any():
            return [np.nan] * len(columns)
        curves = {rule: self._steps[rule].curve(counts) for rule in {_rule_of(column) for column in columns}}
        return [OF_CURVE[_curve_name(column)][1](curves[_rule_of(column)]) for column in columns]

    # Kinds of numbers ----------------------------------------------------------------------------------------------

    def _sum(self, values):
        """The place among the sums of a new column, values of the judged samples."""
        self._sums.append(np.asarray(values, dtype=np.float64)[self.places])
        return len(self._sums) - 1

    def _count(self, values):
        """The place, from the end, among the sums of a new column of whole numbers, which is kept out of their product."""
        self._counts.insert(0, np.asarray(values, dtype=np.float64)[self.places])
        return -len(self._counts)

    def _add_mean(self, key, values):
        values = np.asarray(values, dtype=np.float64)
        self.has_value[key] = ~np.isnan(values)[self.places]
        if np.isin(values[~np.isnan(values)], (0, 1)).all():
            self.shares.add(key)
        total = self._sum(np.where(np.isfinite(values), values, 0))
        known = None if not np.isnan(values).any() else self._sum(~np.isnan(values))
        infinite = None if not np.isinf(values).any() else self._sum(np.isinf(values))

        def mean(sums, n):
            found = ratio(sums[:, total], n if known is None else sums[:, known], np.nan)
            return found if infinite is None else np.where(sums[:, infinite] > 0, np.inf, found)

        self._from_sums[key] = mean

    def _add_weighted_mean(self, key, values, weights):
        known = ~np.isnan(values)
        if len(np.unique(weights[known])) < 2:
            self._add_mean(key, values)
            return
        self.has_value[key] = known[self.places]
        total, whole = self._sum(np.where(known, weights * values, 0)), self._sum(np.where(known, weights, 0))
        self._from_sums[key] = lambda sums, n: ratio(sums[:, total], sums[:, whole], np.nan)

    def _add_weighted(self, key, made, parts):
        names = [name for name in parts if name.startswith(f"{made.part}.")]
        weights = np.array([parts[f"{made.weight}.{name.partition('.')[2]}"][0] for name in names])
        values = [np.asarray(parts[name], dtype=np.float64) for name in names]
        places = [self._sum(np.where(np.isnan(of), 0, of)) for of in values]
        known = [self._sum(~np.isnan(of)) for of in values]

        def weighted(sums, n):
            there = (sums[:, known] > 0) * weights
            return ratio((there * ratio(sums[:, places], sums[:, known], 0.0)).sum(axis=1), there.sum(axis=1), np.nan)

        self._from_sums[key] = weighted

    def _add_block(self, block, columns):
        made = {column.key: METRICS[column.metric].made for column in columns}
        has_parts = any(hasattr(one, "parts") or isinstance(one, MeanByDepth) for one in made.values())
        if block == CONFORMAL and self._conformal is None:
            return
        parts = self._conformal if block == CONFORMAL else parts_of(self.model, block, self.choice) if has_parts else {}
        places = {name: self._sum(parts[name]) for name in SUMMED.get(block, ()) if name in parts}
        for column in columns:
            key, how = column.key, made[column.key]
            if isinstance(how, Mean):
                self._add_mean(key, parts[how.part])
            elif isinstance(how, WeightedMean):
                self._add_weighted_mean(key, parts[how.part], parts[how.weight])
            elif isinstance(how, WeightedByDepth):
                self._add_weighted(key, how, parts)
            elif isinstance(how, MeanByDepth):
                self._add_mean(key, parts[f"{how.part}.{key.split('.')[2]}"])
            elif isinstance(how, Total):
                place = places[how.part] if block == "confusion" else self._sum(parts[how.part])
                self._from_sums[key] = self._formula(how, {how.part: place})
            elif isinstance(how, OfSums):
                places |= {name: self._count(parts[name]) for name in how.parts if name not in {*places, *DERIVED}}
                self._from_sums[key] = self._formula(how, places)
            elif isinstance(how, ByNode):
                self._of_nodes.append(column)
            elif isinstance(how, OverCurve):
                (self._of_balanced if column.is_balanced else self._of_curve).append(column)

    def _formula(self, made, places):
        n_labels = self.model.taxonomy.n_nodes - 1

        def of(sums, n):
            found = {name: sums[:, place] for name, place in places.items()}
            if "n_cells" in made.parts:
                found["n_wrong"] = found["n_predicted"] + found["n_true"] - 2 * found["n_hit"]
                found["n_cells"] = n * n_labels
            return made.of(found)

        return of


def _rule_of(column):
    """The rule over whose threshold the curve of a column runs."""
    return METRICS[column.metric].made.rule


def _curve_name(column):
    """Key of `OperatingCurve.summary` of a column."""
    return column.metric.removeprefix(BALANCED_PREFIX)


class NodeCounts:
    """True, predicted and hit nodes of each sample, counted again for any weights of the samples.

    Parameters
    ----------
    model : Evaluation
    rows : ndarray of int, shape (n_samples,)
        Rows of its Predictions.
    choice : dict
        rule, threshold and parameters: of the sets of score files.
    """

    def __init__(self, model, rows, choice):
        predictions, taxonomy = model.predictions, model.taxonomy
        self.taxonomy, self.n_nodes = taxonomy, taxonomy.n_nodes
        truth = predictions.truth.take(rows) if isinstance(predictions.truth, NodeLists) else predictions.truth[rows]
        if not inference_rule(choice["rule"]).returns_sets:
            choice = {"rule": "threshold_set", "threshold": choice["threshold"]}
        lists = model.answers(**choice) if predictions.has_scores else predictions.answer_labels
        predicted, _ = predicted_keys(taxonomy, lists.take(rows))
        if predictions.is_hard or predictions.is_by_level:
            predicted = closed_keys(taxonomy, predicted)
        true, valid = truth_keys(taxonomy, truth), valid_keys(taxonomy, predicted) if len(predicted) else predicted
        keys = {
            "true": true,
            "predicted": predicted,
            "hit": true[is_member(true, predicted)],
            "valid": valid,
            "valid_hit": true[is_member(true, valid)],
        }
        self._row_and_node = {name: np.divmod(of, self.n_nodes) for name, of in keys.items()}

    def numbers(self, counts, columns):
        """The numbers of one draw: a float for each of some Columns, nan where there is none."""
        n = {name: np.bincount(node, counts[row], self.n_nodes)[1:] for name, (row, node) in self._row_and_node.items()}
        f1 = {
            "plain": ratio(2 * n["hit"], n["predicted"] + n["true"], empty=0.0),
            "prune": ratio(2 * n["valid_hit"], n["valid"] + n["true"], empty=0.0),
            "strict": ratio(2 * n["valid_hit"], n["predicted"] + n["true"], empty=0.0),
        }
        return [self._number(column, f1, n["true"] > 0) for column in columns]

    def _number(self, column, f1, is_supported):
        made = METRICS[column.metric].made
        parts, inside = column.key.split("."), np.ones(self.n_nodes - 1, dtype=bool)
        if made.over == "depth":
            inside = self.taxonomy.depth[1:] == int(parts[2])
        if made.over == "supported" or len(parts) > 3:
            inside = inside & is_supported
        return float(f1[made.reading][inside].mean()) if inside.any() else float("nan")


# Samples above which what each adds is not kept: 10 kB a sample.
MOST_KEPT = 50_000


def has_protein(columns):
    """Whether columns ask for F-max or S-min."""
    return any(column.metric in PROTEIN_METRICS for column in columns)


class ProteinNumbers:
    """Terms of every sample at every threshold, counted once.

    Parameters
    ----------
    model : Evaluation
    accretion : ndarray of float, shape (n_nodes,), or None
        Bits of each term; without them F-max alone is there.
    columns : sequence of Column
        Those of F-max and S-min are `keys`, where they have a value and the samples are not too many to resample.
    progress : callable, optional
        Called with (rows done, n_samples).

    Attributes
    ----------
    values : dict of str to (float or None)
        The numbers by metric.
    """

    def __init__(self, model, accretion, columns, progress=None):
        self.is_kept = model.n_judged <= MOST_KEPT
        self.counts = term_counts(
            model.predictions, accretion, progress, judged=model.judged, keep_samples=self.is_kept
        )
        self.values = self.counts.summary()
        self.keys = [c.key for c in columns if self.is_kept and self.values.get(c.metric) is not None]

    def of(self, counts, places):
        """Numbers of draws: dict of key to ndarray of float, shape (n_draws,).

        `counts` are those of `ResampledNumbers.of`, of samples in the order of `places` among the judged ones.
        """
        found = self.counts.weighed(counts, places)
        return {key: found[key.split(".")[1]] for key in self.keys}


# Counts of resamples that are held at a time: 16 MB.
BLOCK_COUNTS = 2_000_000


def resampled_draws(
    files: Sequence[ResampledNumbers], resamples: Resamples, progress: Progress = None
) -> list[dict[str, np.ndarray]]:
    """Every number of every file in every resample.

    Parameters
    ----------
    files : sequence of ResampledNumbers
        Of the same samples in one order.
    resamples : Resamples
    progress : callable, optional
        Called with (resamples done, n_resamples) after every draw of a file.

    Returns
    -------
    list of dict of str to ndarray of float, shape (n_resamples,)
        One a file, by key.
    """
    draws = [{key: np.empty(resamples.n_resamples) for key in file.keys} for file in files]
    step = max(1, BLOCK_COUNTS // resamples.n_samples)
    for start in range(0, resamples.n_resamples, step):
        block = range(start, min(start + step, resamples.n_resamples))
        counts = np.stack([resamples.counts(index) for index in block]).astype(np.float64)
        for place, (file, of_file) in enumerate(zip(files, draws, strict=True)):

            def report(share, block=block, place=place):
                if progress:
                    progress(block.start + int(len(block) * (place + share) / len(files)), resamples.n_resamples)

            found = file.of(counts, report)
            for key, values in of_file.items():
                values[block.start : block.stop] = found[key]
        if progress:
            progress(block.stop, resamples.n_resamples)
    return draws
