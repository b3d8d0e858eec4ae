"""Every number of always answering a node, for all nodes at once: the candidates of the best constant answer.

Conventions
-----------
Values have shape (n_nodes,) and are nan where undefined. A predicted set is a node with all its ancestors, without the root.
Samples of one truth are worked on together.

Functions
---------
confusion_of_nodes, predicted_of_nodes, sets_of_nodes
"""

from __future__ import annotations

import numpy as np

from hierviz.metrics.confusion.constant_paths import MOST_TRIED, counts_of_all
from hierviz.metrics.confusion.multi_path import without_repeats
from hierviz.metrics.confusion.path_cover import greedy_cover
from hierviz.metrics.node_pairs import harmonic_mean, ratio
from hierviz.metrics.parts import OfSums
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import METRICS, keys_of, path_keys
from hierviz.metrics.sets.node_sets import closed_lists, node_weights
from hierviz.taxonomy.taxonomy import NodeLists

# Pairs of a candidate and a distinct truth: above this the best one is not looked for.
MOST_PAIRS = 100_000_000
# At a time, for each level of the taxonomy: 4 MB an array.
BLOCK_PAIRS = 500_000
_TOO_MANY = "the nodes and distinct truths are too many to try all constant answers"


def confusion_of_nodes(model):
    """Measures of the confusion matrix of always answering each node: dict of arrays, or why there are none, in words."""
    taxonomy, truth = model.taxonomy, model.truth
    if isinstance(truth, NodeLists):
        truth = greedy_cover(taxonomy, truth).ends
    else:
        truth = NodeLists(np.arange(len(truth) + 1), np.asarray(truth))
    truth = without_repeats(truth)
    counts = counts_of_all(taxonomy, truth)
    if counts is None:
        return f"the nodes are too many (over {MOST_TRIED}) to try all constant answers on a graph or on nested truths"
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


def sets_of_nodes(taxonomy, truth):
    """Numbers of block ``labels`` of always predicting each node with its ancestors.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : NodeLists
        True nodes of each sample with their ancestors, without the root.

    Returns
    -------
    dict of str to ndarray of float, shape (n_nodes,), or str
        By key within the block; why there are none where they are too many.
    """
    n, n_nodes = len(truth), taxonomy.n_nodes
    distinct, count = _distinct(truth)
    if n_nodes * len(distinct) > MOST_PAIRS:
        return _TOO_MANY
    member = np.zeros((n_nodes, len(distinct)), dtype=bool)
    member[distinct.nodes, np.repeat(np.arange(len(distinct)), distinct.lengths)] = True
    own = closed_lists(taxonomy, np.arange(n_nodes))
    true_count = member.astype(float) @ count
    node_f1 = ratio(2 * true_count, n + true_count, empty=0.0)
    weights = {"h": "nodes"} | ({"ih": "information"} if taxonomy.is_tree else {})
    found = {f"{prefix}f1_samples": np.empty(n_nodes) for prefix in weights}
    found |= {key: np.empty(n_nodes) for key in ("hp_samples", "hr_samples", "subset_accuracy")}
    sums = {f"{name}_{part}": np.empty(n_nodes) for name in weights.values() for part in ("shared", "claimed", "due")}
    for nodes in _blocks(n_nodes, len(distinct)):
        lists = own.take(nodes)
        start = lists.offsets[:-1]
        for prefix, name in weights.items():
            weight = node_weights(taxonomy, name)
            values = np.vstack([member[lists.nodes] * weight[lists.nodes, None], np.zeros((1, len(distinct)))])
            # An empty list, the root's, has no sum of its own.
            shared = np.where(lists.lengths[:, None] > 0, np.add.reduceat(values, start, axis=0), 0)
            claimed = np.bincount(np.repeat(np.arange(len(nodes)), lists.lengths), weight[lists.nodes], len(nodes))[
                :, None
            ]
            due = np.bincount(
                np.repeat(np.arange(len(distinct)), distinct.lengths), weight[distinct.nodes], len(distinct)
            )[None]
            hp, hr = (
                ratio(shared, np.broadcast_to(claimed, shared.shape)),
                ratio(shared, np.broadcast_to(due, shared.shape)),
            )
            f1 = np.where(claimed > 0, harmonic_mean(hp, hr), 0)
            found[f"{prefix}f1_samples"][nodes] = f1 @ count / n
            sums[f"{name}_shared"][nodes] = shared @ count
            sums[f"{name}_claimed"][nodes], sums[f"{name}_due"][nodes] = n * claimed[:, 0], float(due[0] @ count)
            if prefix == "h":
                found["hp_samples"][nodes], found["hr_samples"][nodes] = hp @ count / n, hr @ count / n
                same = (shared == claimed) & (shared == due)
                found["subset_accuracy"][nodes] = same @ count / n
    sums |= {"n_hit": sums["nodes_shared"], "n_predicted": n * own.lengths.astype(float), "n_true": true_count.sum()}
    sums |= {"n_wrong": sums["n_predicted"] + sums["n_true"] - 2 * sums["n_hit"], "n_cells": n * (n_nodes - 1)}
    for key in keys_of("labels", OfSums):
        made = METRICS[key].made
        if all(name in sums for name in made.parts):
            found[key] = made.of(sums)
    found |= dict.fromkeys(("c_f1_micro", "c_f1_micro_strict"), found["hf1_micro"])
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


def _distinct(lists):
    """The different lists, and how many samples have each (as float); lists ascend."""
    # Sums of two random 64-bit numbers a node tell sets apart.
    codes = np.random.default_rng(0).integers(0, 2**63, (int(lists.nodes.max(initial=0)) + 1, 2), dtype=np.uint64)
    sums = np.vstack([np.zeros((1, 2), dtype=np.uint64), np.cumsum(codes[lists.nodes], axis=0, dtype=np.uint64)])
    _, first, count = np.unique(
        sums[lists.offsets[1:]] - sums[lists.offsets[:-1]], axis=0, return_index=True, return_counts=True
    )
    return lists.take(first), count.astype(float)


def _blocks(n_nodes, width):
    step = max(1, BLOCK_PAIRS // max(1, width))
    for start in range(0, n_nodes, step):
        yield np.arange(start, min(start + step, n_nodes))
