r"""An interval for each number of an evaluation that has one, when only some scores of each sample are listed.

Conventions
-----------
An interval contains the number that all scores would give, and never widens as more of the best scores are listed. The number
computed without the unlisted scores may lie outside. Trees and one truth a sample; block ``labels`` takes several.

`low` and `high` have shape (n_rows, n_nodes). At a threshold t the answer is the most informative candidate with p > t, the most
probable of equal information, the lowest node on ties; where none is above t, the most probable one, the most informative on
ties. Thus a node can be the answer when its high is above t and it is at least as informative as every node whose low is
above t, and, among equally informative ones, not surely less probable. As t falls a node comes in at its high and goes out at
the largest low of the more informative ones: an interval of thresholds, ``leaves_at <= t < enters_at``. Below 0 only leaves are
left: the rule `leaf`.

Answers of one sample that agree in their lowest common ancestor with the truth, their information and their depth have the
same metrics: one of them represents all.

Functions
---------
bounds, curve_bounds, Answers, reachable_answers, reachable_leaves
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.evaluation.listed_bounds import CurveBounds, SetBounds, intervals
from hierviz.evaluation.unknown_mass import node_bounds, win_bounds
from hierviz.messages.notebook_html import Short
from hierviz.metrics.confusion.pair_counts import count_in_tree
from hierviz.metrics.outcomes import outcome_indicators
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import path_keys
from hierviz.metrics.win import best_leaf_metrics

# Bounds of a block of rows: 4 MB each.
BLOCK_VALUES = 1 << 19
# Threshold of the rules that have an interval; None: the threshold that is asked for.
RULES = {"majority": 0.5, "threshold": None, "leaf": -np.inf, "top_down": None}


def bounds(predictions, rows, rule="majority", threshold=0.5, progress=None):
    """Intervals of the numbers of `hierviz.evaluate`.

    Parameters
    ----------
    predictions : Predictions
        With scores that are unknown (`Predictions.has_unknown`), on a tree.
    rows : ndarray of int
        Samples with a known truth, at least one.
    rule : str
        Key of `INFERENCE_RULES`; blocks ``predicted`` and ``confusion`` have intervals with `RULES` only.
    threshold : float
        Of the rule ``threshold`` and of the sets of block ``labels``.
    progress : callable, optional
        Called with (samples done, number of rows).

    Returns
    -------
    dict of str to dict of str to [low, high]
        By block and key; a number without an interval is not there.
    """
    taxonomy, has_one = predictions.taxonomy, predictions.has_single_truth
    sets = SetBounds(taxonomy, threshold, predictions.parametrisation == "leaf_probabilities")
    curve, sums = CurveBounds(), {}
    step = RULES.get(rule)
    at = {"majority": 0.5, "leaf": -np.inf}
    if rule in RULES and rule != "top_down":
        at["predicted"] = threshold if step is None else step
    for block in _blocks(taxonomy, rows, progress):
        low, high = node_bounds(predictions, block)
        sets.add(predictions.truth[block] if has_one else predictions.truth.take(block), low, high)
        if not has_one:
            continue
        truth = predictions.truth[block]
        answers, leaves = reachable_answers(taxonomy, truth, low, high), reachable_leaves(taxonomy, truth, low, high)
        curve.add(taxonomy, truth, answers)
        parts = {name: _sums_of_path(taxonomy, truth, answers.at(where)) for name, where in at.items()}
        if rule == "top_down":
            parts["predicted"] = _sums_of_path(taxonomy, truth, leaves)
        best = _sums_of_leaf(taxonomy, truth, answers.at(-np.inf))["finest_accuracy"]
        parts["top_down"] = _sums_of_leaf(taxonomy, truth, leaves) | {"argmax_leaf_accuracy": best}
        parts["distribution"] = _sums_of_distribution(predictions, block)
        for name, part in parts.items():
            before = sums.setdefault(name, {})
            before |= {key: before.get(key, 0) + values for key, values in part.items()}
    found, n = {"labels": sets.summary()}, len(rows)
    if has_one:
        f1 = {f"{name}_f1": (sums[name]["info_f1"][:2] / n).tolist() for name in ("majority", "leaf")}
        found["curve"] = curve.summary() | f1
        sums["confusion"] = sums.get("predicted", {})
        for name in ("distribution", "top_down", "predicted", "confusion"):
            found[name] = intervals(name, sums.get(name, {}) | {"n_samples": n})
    return found


def curve_bounds(predictions, rows, progress=None):
    """CurveBounds of some samples (ndarray of int) with one known truth each, on a tree; `progress` as in `bounds`."""
    curve = CurveBounds()
    for block in _blocks(predictions.taxonomy, rows, progress):
        truth = predictions.truth[block]
        curve.add(
            predictions.taxonomy,
            truth,
            reachable_answers(predictions.taxonomy, truth, *node_bounds(predictions, block)),
        )
    return curve


def _blocks(taxonomy, rows, progress):
    step = max(1, BLOCK_VALUES // taxonomy.n_nodes)
    for start in range(0, len(rows), step):
        yield rows[start : start + step]
        if progress:
            progress(min(start + step, len(rows)), len(rows))


def _sums_of_extremes(answers, values, losses=()):
    """The sums over rows of each of `values` (dict of arrays, shape (n_answers,)) that `intervals` takes.

    Of `losses`, in which less is better, the highest sum is the worst.
    """
    start = np.flatnonzero(np.diff(answers.row, prepend=-1))
    found = {}
    for key, column in values.items():
        low, high = (extreme.reduceat(column, start).sum() for extreme in (np.minimum, np.maximum))
        found[key] = np.array([high, low, low] if key in losses else [low, high, low])
    return found


def _sums_of_path(taxonomy, truth, answers):
    truth = truth[answers.row]
    metrics = path_metrics(taxonomy, truth, answers.node, common=answers.common)
    tp, tn, fn = count_in_tree(taxonomy, truth, answers.node)
    cells = {"tp": tp, "tn": tn, "fp": taxonomy.depth[answers.node] - tp, "fn": fn}
    counted = {key: holds.astype(int) for key, holds in outcome_indicators(metrics).items()}
    return _sums_of_extremes(answers, {key: metrics[key] for key in path_keys()} | counted | cells, ("fp", "fn"))


def _sums_of_leaf(taxonomy, truth, answers):
    values = best_leaf_metrics(taxonomy, truth[answers.row], answers.node)
    # Of what is claimed, what is shared is known to be right: the rest varies.
    values["claimed"] -= values["shared"]
    sums = _sums_of_extremes(answers, values, ("claimed",))
    sums["claimed"] += sums["shared"]
    return sums


def _sums_of_distribution(predictions, rows):
    of = win_bounds(predictions, rows)
    wins, p_truth, p_root = (np.array(of[key]) for key in ("win", "p_truth", "p_root"))
    # Both logarithms fall where the win and the probability of the truth grow.
    with np.errstate(divide="ignore"):
        log_win, log_truth = (-np.log(values[::-1]) + 0.0 for values in (wins, p_truth))
    values = {
        "softmax_win": wins,
        "softmax_win_raw": (p_root + wins) / 2,
        "neg_log_win": log_win,
        "neg_log_win_infinite": np.isinf(log_win),
        "cross_entropy": log_truth,
        "cross_entropy_infinite": np.isinf(log_truth),
    }
    return {key: pair.sum(axis=1)[[0, 1, 0]] for key, pair in values.items()}


@dataclass(frozen=True, eq=False)
class Answers(Short):
    """Nodes that can be the answer; arrays of shape (n,), ordered by row, at least one of each row at every threshold.

    Attributes
    ----------
    row, node : ndarray of int
    common : ndarray of int
        Lowest common ancestor with the truth of the row.
    leaves_at, enters_at : ndarray of float
        The node can be the answer at thresholds t with ``leaves_at <= t < enters_at``.
    """

    row: np.ndarray
    node: np.ndarray
    common: np.ndarray
    leaves_at: np.ndarray
    enters_at: np.ndarray

    def at(self, threshold):
        """Those at one threshold; -inf means the most probable leaf."""
        return self.take((self.leaves_at <= threshold) & (threshold < self.enters_at))

    def take(self, which):
        """Some of them: ndarray of int or bool."""
        return Answers(*(getattr(self, name)[which] for name in ("row", "node", "common", "leaves_at", "enters_at")))


def reachable_answers(taxonomy, truth, low, high):
    """Answers of threshold inference at every threshold.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_rows,)
    low, high : ndarray of float, shape (n_rows, n_nodes)

    Returns
    -------
    Answers
    """
    groups = taxonomy.candidate_groups
    surest, likeliest = (np.max([values[:, group].max(axis=1) for group in groups], axis=0) for values in (low, high))
    forced = np.full(len(low), -np.inf)
    rows, nodes, leaves_at, enters_at = [], [], [], []
    for group in groups:
        lows, highs = low[:, group], high[:, group]
        best = lows.max(axis=1)
        is_after = np.arange(len(group)) > lows.argmax(axis=1)[:, None]
        is_beaten = (highs < best[:, None]) | ((highs == best[:, None]) & is_after)
        # Above all thresholds that a node is sure to exceed, the most probable one is the answer.
        enters = np.where(highs >= surest[:, None], np.inf, highs)
        row, place = np.nonzero(~is_beaten & (enters > forced[:, None]))
        rows.append(row)
        nodes.append(group[place])
        leaves_at.append(forced[row])
        enters_at.append(enters[row, place])
        forced = np.maximum(forced, np.where(best >= likeliest, np.inf, best))
    row, node, leaves, enters = map(np.concatenate, (rows, nodes, leaves_at, enters_at))
    return _without_repeats(taxonomy, truth, row, node, leaves, enters)


def reachable_leaves(taxonomy, truth, low, high):
    """Leaves that the walk from the root to the most probable child can end at.

    A child can be chosen when its high is not below the low of one of its siblings, the first in declared order on ties.

    Parameters
    ----------
    taxonomy, truth, low, high
        As in `reachable_answers`.

    Returns
    -------
    Answers
        At every threshold.
    """
    reached = np.zeros(low.shape, dtype=bool)
    reached[:, 0] = True
    for nodes, start, parents in taxonomy.families:
        family = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(nodes))))
        lows, highs, place = low[:, nodes], high[:, nodes], np.arange(len(nodes))
        best = np.maximum.reduceat(lows, start, axis=1)[:, family]
        first = np.minimum.reduceat(np.where(lows == best, place, len(nodes)), start, axis=1)[:, family]
        can_win = (highs > best) | ((highs == best) & (place <= first))
        reached[:, nodes] = can_win & reached[:, parents][:, family]
    row, place = np.nonzero(reached[:, taxonomy.leaves])
    always = np.full(len(row), np.inf)
    return _without_repeats(taxonomy, truth, row, taxonomy.leaves[place], -always, always)


def _without_repeats(taxonomy, truth, row, node, leaves_at, enters_at):
    """Answers, one for all with the same metrics and thresholds."""
    common = lowest_common_ancestors(taxonomy, truth[row], node)
    width = taxonomy.max_depth + 1
    kind = (row * width + taxonomy.depth[common]) * width + taxonomy.depth[node]
    keys = (enters_at, leaves_at, kind * (taxonomy.n_leaves + 1) + taxonomy.n_leaves_below[node])
    order = np.lexsort(keys)
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    order = order[is_new]
    return Answers(row[order], node[order], common[order], leaves_at[order], enters_at[order])
