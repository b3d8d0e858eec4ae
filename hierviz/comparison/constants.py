r"""The best constant answer of each metric: what every method has to beat.

Conventions
-----------
Of a number of answers (blocks ``predicted``, ``labels``, ``confusion``) it is the best value of always answering one node, or of
always predicting one node with its ancestors, with the node named: each number has its own. Of numbers of scores (blocks
``distribution``, ``top_down``, ``curve``, areas) it is that of the constant distribution of the class frequencies: of the leaves'
``train_count`` where the nodes have one, else of the truth itself. Numbers that the root, or no answer at all, makes perfect, and
counts, have none.

Values have shape (n_nodes,) and are nan where undefined. A predicted set is a node with all its ancestors, without the root.
Samples of one truth are worked on together.

Functions
---------
constants, Constants, confusion_of_nodes, predicted_of_nodes, sets_of_nodes

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, JRSS-C 2023.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from hierviz.comparison.columns import CONFORMAL, Column, file_numbers
from hierviz.comparison.resampled import ProteinNumbers, has_protein
from hierviz.evaluation._judged_answers import samples_at_or_below
from hierviz.evaluation.constant_scores import evaluation_of_constant
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.sample_numbers import OVER_ERRORS
from hierviz.evaluation.score_numbers import SCORE_BLOCKS
from hierviz.messages.notebook_html import Short
from hierviz.metrics.calibration import CALIBRATION_ERRORS
from hierviz.metrics.confusion.confusion_counts import CELLS
from hierviz.metrics.confusion.constant_paths import MOST_TRIED, counts_of_all
from hierviz.metrics.confusion.multi_path import greedy_cover, without_repeats
from hierviz.metrics.node_pairs import harmonic_mean, ratio
from hierviz.metrics.parts import OfSums
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import METRICS, PROTEIN_METRICS, PathMetric, keys_of, path_keys
from hierviz.metrics.sets.lca_sets import lca_scores
from hierviz.metrics.sets.node_sets import closed_lists, closed_once, corpus_weights, node_weights
from hierviz.metrics.ties import rounded
from hierviz.taxonomy.taxonomy import NodeLists

AREAS = ("hf1_auc", "ihf1_auc", "hf1_auc_raw")
OF_SCORES = (
    *("distribution", "top_down", "best_leaves", "probabilities", "random_cuts", "levels", "curve", "selective"),
)
# One side of a trade-off alone, which some constant answer makes good: no alarm is raised by them.
ONE_SIDED = (
    *("ppv", "tpr", "fnr", "fpr", "tnr", "pt", "correct", "micro_precision", "micro_recall"),
    *("info_precision", "info_recall", "depth_precision", "depth_recall", "aggregate_precision", "aggregate_recall"),
    *("hp_samples", "hr_samples", "hp_micro", "hr_micro", "lca_precision", "lca_recall"),
)
_UNDEFINED = "it is not defined for this input"
TRAINING, TRUTH = "the training frequencies of the leaves", "the frequencies of the true classes"


@dataclass(frozen=True, eq=False)
class Constants(Short):
    """The best constant answer of each column.

    Attributes
    ----------
    values : dict of str to (float or None)
    answers : dict of str to str
        What is always answered: the name of a node, or which frequencies.
    reasons : dict of str to str
        Why a value is None.
    """

    values: dict[str, float | None]
    answers: dict[str, str]
    reasons: dict[str, str]

    def only(self, keys: set[str]) -> Constants:
        """Those of some columns."""
        parts: tuple[Any, ...] = (self.values, self.answers, self.reasons)
        return Constants(*({key: value for key, value in part.items() if key in keys} for part in parts))

    def with_those_of(self, other: Constants) -> Constants:
        """These and those of other columns."""
        return Constants(self.values | other.values, self.answers | other.answers, self.reasons | other.reasons)

    def to_dict(self) -> dict[str, Any]:
        """As the JSON of a table has it."""
        return {"values": self.values, "answers": self.answers, "reason": self.reasons}


def constants(
    model: Evaluation,
    columns: Sequence[Column],
    class_weights: np.ndarray | None = None,
    accretion: np.ndarray | None = None,
) -> Constants:
    """The Constants of the truth that a model is judged by.

    Parameters
    ----------
    model : Evaluation
        Any of the methods: only its taxonomy and truth play a part.
    columns : sequence of Column
    class_weights : ndarray of float, shape (n_nodes,), optional
        Of balanced numbers, as in `hierviz.evaluate`.
    accretion : ndarray of float, shape (n_nodes,), optional
        Of S-min and weighted F-max, as in `hierviz.evaluation.protein_function`.

    Returns
    -------
    Constants
    """
    frequencies = cache(lambda: _of_frequencies(model, columns, class_weights, accretion))
    of_nodes = cache(lambda block: _of_nodes(model, block))
    found = {column.key: _of_column(column, model.taxonomy, frequencies, of_nodes) for column in columns}
    values = {key: value for key, (value, _, _) in found.items()}
    answers = {key: answer for key, (_, answer, reason) in found.items() if reason is None}
    return Constants(values, answers, {key: reason for key, (_, _, reason) in found.items() if reason is not None})


def _of_column(column, taxonomy, frequencies, of_nodes):
    """(value, what is always answered, why there is none); `frequencies()` and `of_nodes(block)` have the candidates."""
    reason = _why_none(column)
    if reason is not None:
        return None, None, reason
    if _is_of_scores(column):
        numbers, reasons, source = frequencies()
        value = numbers.get(column.key)
        return value, source, reasons.get(column.key, _UNDEFINED) if value is None else None
    table = of_nodes(column.block)
    if isinstance(table, str):
        return None, None, table
    values = table.get(column.key.partition(".")[2])
    if values is None:
        return None, None, _UNDEFINED
    gain = rounded(np.where(np.isfinite(values), column.sign * values, -np.inf))
    node = int(np.argmax(gain))
    if math.isinf(gain[node]):
        return None, None, "no constant answer has a value"
    return float(values[node]), taxonomy.names[node], None


def _why_none(column):
    metric = METRICS[column.metric]
    if column.block == CONFORMAL:
        return "a constant answer is not calibrated"
    if not metric.sign:
        return "neither higher nor lower is better"
    if column.metric in CELLS or metric.unit == "samples":
        return "it is a count"
    if column.metric in ("hp_samples", "lca_precision") or (isinstance(metric, PathMetric) and metric.is_best_at_root):
        return "always answering the root has a perfect value"
    if column.metric == "selective_coverage":
        return "always answering any leaf has a perfect value"
    if column.metric == "no_answer":
        return "always answering any class but the root has a perfect value"
    if column.metric == "tice":
        return "always answering one path has a perfect value"
    if column.metric in ("fpr", "tnr", "n_incoherent"):
        return "no answer at all has a perfect value"
    if column.metric.removesuffix("_by_depth") in CALIBRATION_ERRORS:
        return "class frequencies are calibrated, whatever they say of a sample"
    return "it is defined over wrong leaves" if column.metric in OVER_ERRORS else None


def _of_nodes(model, block):
    """Values of always answering each node, shape (n_nodes,), by key within the block; a reason where that is too much."""
    taxonomy, truth = model.taxonomy, model.truth
    if block == "confusion":
        return confusion_of_nodes(model)
    if block == "predicted":
        reason = model.why_not_one_truth()
        return reason or predicted_of_nodes(taxonomy, np.asarray(truth))
    if block == "lca":
        return lca_of_nodes(taxonomy, truth)
    return sets_of_nodes(taxonomy, truth)


def _is_of_scores(column):
    return column.block in OF_SCORES or column.metric in AREAS or column.metric in PROTEIN_METRICS


def _of_frequencies(model, columns, class_weights, accretion):
    """(values, reasons, what is answered) of the constant distribution of class frequencies."""
    wanted = [column for column in columns if _is_of_scores(column)]
    (p, source), values, reasons = _distribution(model), {}, {}
    # One block after the other: what its numbers are made of need not be in memory together with that of the others.
    for block in dict.fromkeys(column.block for column in wanted):
        own = [column for column in wanted if column.block == block]
        blocks = [one for one in SCORE_BLOCKS if one == block or (one == "probabilities" and block == "levels")]
        how = {"blocks": blocks, "with_paths": block == "selective", "with_win": block == "distribution"}
        how["with_answers"] = block != "distribution"
        constant = evaluation_of_constant(model.taxonomy, model.truth, p, "constant", **how)
        choice = {"rule": "majority", "threshold": 0.5}
        protein = ProteinNumbers(constant, accretion, own) if has_protein(own) else None
        found = file_numbers(constant, own, choice, class_weights, protein=protein, has_remarks=False)
        values, reasons = values | found.values, reasons | found.reasons
        del constant, protein
    return values, reasons, source


def _distribution(model):
    """Probability of each node by class frequencies, and which these are."""
    taxonomy, truth = model.taxonomy, model.truth
    counts = _leaf_counts(taxonomy)
    if counts is not None and taxonomy.is_tree and not isinstance(truth, NodeLists):
        p = samples_at_or_below(taxonomy, taxonomy.leaves, counts)
        return p / p[0], TRAINING
    closed, n_of = closed_once(taxonomy, truth)
    p = np.bincount(closed.nodes, n_of[closed.rows], taxonomy.n_nodes) / len(truth)
    p[0] = 1.0
    return p, TRUTH


def _leaf_counts(taxonomy):
    """Training samples of each leaf; None unless all are known and some are above 0."""
    try:
        counts = np.array(taxonomy.attributes["train_count"], dtype=float)[taxonomy.leaves]
    except (KeyError, TypeError, ValueError):
        return None
    return counts if np.isfinite(counts).all() and (counts >= 0).all() and counts.sum() > 0 else None


# Pairs of a candidate and a distinct truth: above this the best one is not looked for.
MOST_PAIRS = 100_000_000
# Where labels are linked, which takes far longer.
MOST_LINKED = 1_000_000
# At a time, for each level of the taxonomy: 4 MB an array.
BLOCK_PAIRS = 500_000
_TOO_MANY = "there are too many nodes and distinct truths to try all constant answers"


def confusion_of_nodes(model):
    """Measures of the confusion matrix of always answering each node: dict of arrays, or why there are none, in words."""
    taxonomy, truth = model.taxonomy, model.truth
    ends = greedy_cover(taxonomy, truth).ends if isinstance(truth, NodeLists) else NodeLists.of(truth)
    counts = counts_of_all(taxonomy, without_repeats(ends))
    if counts is None:
        return (
            f"there are too many nodes (over {MOST_TRIED}) to try all constant answers on a graph or on nested truths"
        )
    return {key: METRICS[key].made.of(counts) for key in keys_of("confusion", OfSums)}


def predicted_of_nodes(taxonomy, truth):
    """Means of the path metrics of always answering each node: dict of arrays, or why there are none, in words."""
    targets, count = np.unique(truth, return_counts=True)
    n_nodes, n = taxonomy.n_nodes, len(truth)
    if n_nodes * len(targets) > MOST_PAIRS:
        return _TOO_MANY
    found = {key: np.empty(n_nodes) for key in path_keys()}
    for nodes in _blocks(n_nodes, len(targets)):
        pairs = np.tile(targets, len(nodes)), np.repeat(nodes, len(targets))
        values = path_metrics(taxonomy, *pairs)
        for key, means in found.items():
            means[nodes] = values[key].reshape(len(nodes), -1) @ count / n
    return found


def lca_of_nodes(taxonomy, truth):
    """Numbers of block ``lca`` of always predicting each node, as of `sets_of_nodes`."""
    distinct, count = _distinct(*closed_once(taxonomy, truth))
    if taxonomy.n_nodes * len(distinct) > MOST_LINKED:
        return _TOO_MANY
    nodes = np.repeat(np.arange(taxonomy.n_nodes), len(distinct))
    pairs = distinct.take(np.tile(np.arange(len(distinct)), taxonomy.n_nodes))
    values = lca_scores(taxonomy, pairs, NodeLists.of(nodes))
    return {key: of.reshape(taxonomy.n_nodes, -1) @ count / count.sum() for key, of in values.items()}


def sets_of_nodes(taxonomy, truth):
    """Numbers of block ``labels`` of always predicting each node with its ancestors.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : ndarray of int, shape (n_samples,), or NodeLists

    Returns
    -------
    dict of str to ndarray of float, shape (n_nodes,), or str
        By key within the block; why there are none where they are too many.
    """
    n, n_nodes = len(truth), taxonomy.n_nodes
    distinct, count = _distinct(*closed_once(taxonomy, truth))
    if n_nodes * len(distinct) > MOST_PAIRS:
        return _TOO_MANY
    member = np.zeros((n_nodes, len(distinct)), dtype=bool)
    member[distinct.nodes, distinct.rows] = True
    own = closed_lists(taxonomy, np.arange(n_nodes))
    true_count = member.astype(float) @ count
    node_f1 = ratio(2 * true_count, n + true_count, empty=0.0)
    weights = {"h": node_weights(taxonomy)}
    if taxonomy.is_tree:
        weights |= {"ih": node_weights(taxonomy, "information"), "corpus": corpus_weights(taxonomy, truth)[0]}
    names = {"h": "nodes", "ih": "information", "corpus": "corpus"}
    found = {f"{prefix}f1_samples": np.empty(n_nodes) for prefix in weights if prefix != "corpus"}
    found |= {key: np.empty(n_nodes) for key in ("hp_samples", "hr_samples", "subset_accuracy")}
    sums = {
        f"{name}_{part}": np.empty(n_nodes) for name in map(names.get, weights) for part in ("shared", "claimed", "due")
    }
    for nodes in _blocks(n_nodes, len(distinct)):
        lists = own.take(nodes)
        start = lists.offsets[:-1]
        for prefix, weight in weights.items():
            name = names[prefix]
            values = np.vstack([member[lists.nodes] * weight[lists.nodes, None], np.zeros((1, len(distinct)))])
            # An empty list, the root's, has no sum of its own.
            shared = np.where(lists.lengths[:, None] > 0, np.add.reduceat(values, start, axis=0), 0)
            claimed, due = _sums(lists, weight)[:, None], _sums(distinct, weight)[None]
            hp, hr = (ratio(shared, np.broadcast_to(whole, shared.shape)) for whole in (claimed, due))
            f1 = np.where(claimed > 0, harmonic_mean(hp, hr), 0)
            if prefix != "corpus":
                found[f"{prefix}f1_samples"][nodes] = f1 @ count / n
            sums[f"{name}_shared"][nodes] = shared @ count
            sums[f"{name}_claimed"][nodes], sums[f"{name}_due"][nodes] = n * claimed[:, 0], float(due[0] @ count)
            if prefix == "h":
                found["hp_samples"][nodes], found["hr_samples"][nodes] = hp @ count / n, hr @ count / n
                same = (shared == claimed) & (shared == due)
                found["subset_accuracy"][nodes] = same @ count / n
    if taxonomy.is_tree:
        found["icm"] = (3 * sums["corpus_shared"] - sums["corpus_claimed"] - sums["corpus_due"]) / n
    sums |= {"n_hit": sums["nodes_shared"], "n_predicted": n * own.lengths.astype(float), "n_true": true_count.sum()}
    sums |= {"n_valid": sums["n_predicted"], "n_valid_hit": sums["n_hit"]}
    sums |= {"n_wrong": sums["n_predicted"] + sums["n_true"] - 2 * sums["n_hit"], "n_cells": n * (n_nodes - 1)}
    for key in keys_of("labels", OfSums):
        made = METRICS[key].made
        if all(name in sums for name in made.parts):
            found[key] = made.of(sums)
    groups = {"": np.ones(n_nodes, dtype=bool)}
    if taxonomy.is_tree:
        groups |= {f"_by_depth.{depth}": taxonomy.depth == depth for depth in range(1, taxonomy.max_depth + 1)}
    for suffix, inside in groups.items():
        for supported in (False, True):
            chosen = inside & (true_count > 0) if supported else inside.copy()
            chosen[0] = False
            lists = np.append((node_f1 * chosen)[own.nodes], 0.0)
            total = np.where(own.lengths > 0, np.add.reduceat(lists, own.offsets[:-1]), 0)
            ending = "" if not supported else "_supported" if not suffix else ".supported"
            found[f"macro_f1{suffix}{ending}"] = total / chosen.sum() if chosen.any() else np.full(n_nodes, np.nan)
    return found | dict.fromkeys(("c_f1_macro", "c_f1_macro_strict"), found["macro_f1"])


def _sums(lists, weight):
    """Sum of the weights of the nodes of each list."""
    return np.bincount(lists.rows, weight[lists.nodes], len(lists))


def _distinct(lists, n_of):
    """The different lists, and how many samples have each (as float); lists ascend, `n_of` samples have each of them."""
    # Sums of two random 64-bit numbers a node tell sets apart.
    codes = np.random.default_rng(0).integers(0, 2**63, (int(lists.nodes.max(initial=0)) + 1, 2), dtype=np.uint64)
    sums = np.vstack([np.zeros((1, 2), dtype=np.uint64), np.cumsum(codes[lists.nodes], axis=0, dtype=np.uint64)])
    _, first, place = np.unique(
        sums[lists.offsets[1:]] - sums[lists.offsets[:-1]], axis=0, return_index=True, return_inverse=True
    )
    return lists.take(first), np.bincount(place.reshape(-1), n_of)


def _blocks(n_nodes, width):
    step = max(1, BLOCK_PAIRS // max(1, width))
    for start in range(0, n_nodes, step):
        yield np.arange(start, min(start + step, n_nodes))
