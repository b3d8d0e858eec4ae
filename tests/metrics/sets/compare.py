"""Compare a dict of ours with one of a golden file, key by key."""

import math

import numpy as np

from hierviz.metrics.parts import ratio_of_sums
from hierviz.metrics.sets.node_sets import closed_lists, set_scores


def same(ours, golden, where="", tolerance=1e-9):
    """Every key of `golden` is in `ours` with the same value; returns how many values were compared."""
    if isinstance(golden, dict):
        assert isinstance(ours, dict), f"{where}: {ours!r}"
        missing = [key for key in golden if key not in ours]
        assert not missing, f"{where}: keys of the golden that nothing of ours answers to: {missing}"
        return sum(same(ours[key], golden[key], f"{where}/{key}", tolerance) for key in golden)
    if isinstance(golden, list):
        assert len(ours) == len(golden), f"{where}: {len(ours)} values, not {len(golden)}"
        return sum(same(a, b, f"{where}[{i}]", tolerance) for i, (a, b) in enumerate(zip(ours, golden)))
    if golden is None or isinstance(golden, str):
        assert ours == golden or (golden is None and isinstance(ours, float) and math.isnan(ours)), f"{where}: {ours!r}"
    elif isinstance(golden, int):
        assert int(ours) == golden == ours, f"{where}: {ours!r} is not {golden!r}"
    else:
        assert abs(ours - golden) <= tolerance * max(1, abs(golden)), f"{where}: {ours!r} is not {golden!r}"
    return 1


def samples_f1_plain(counts):
    """Mean of the F1 of every sample without adding ancestors; 0 for an empty prediction."""
    parts = counts.parts()
    both = parts["n_predicted"] + parts["n_true"]
    return float(np.mean(2 * parts["n_hit"] / np.maximum(both, 1)))


def level_accuracy(taxonomy, truth, inside):
    """Share of samples whose predicted nodes of a depth are the true ones; `inside` is bool, shape (n_samples, n_nodes)."""
    lists = closed_lists(taxonomy, truth)
    wrong = inside.copy()
    wrong[np.repeat(np.arange(len(lists)), lists.lengths), lists.nodes] ^= True
    return [1 - wrong[:, taxonomy.depth == depth].any(axis=1).mean() for depth in range(1, taxonomy.max_depth + 1)]


def macro_f1_by_train_count(counts, train_count, bins):
    """Macro F1 of nodes grouped by quantiles of their number of training samples: Plaud et al., CoNLL 2024, Figure 4."""
    of_node = np.asarray(train_count)[1:].astype(float)
    edges = np.quantile(of_node, np.arange(1, bins) / bins)
    group = np.searchsorted(edges, of_node, side="left")
    found = []
    for k, means in enumerate(macro_f1_by(counts, group, bins)):
        own = of_node[group == k]
        ends = {"min_count": int(own.min()), "max_count": int(own.max())} if len(own) else {}
        found.append({"bin": k, "min_count": None, "max_count": None} | ends | means)
    return {"edges": edges.tolist(), "bins": found}


def macro_f1_by(counts, group, n_groups):
    """Macro F1 within groups of the nodes but the root: list of dict; None for the mean of no node."""
    f1, supported, found = counts.node_f1(), counts.n_true[1:] > 0, []
    for k in range(n_groups):
        means = {}
        for suffix, inside in (("", group == k), ("_supported", (group == k) & supported)):
            means[f"macro_f1{suffix}"] = float(f1[inside].mean()) if inside.any() else None
            means[f"n{suffix or '_nodes'}"] = int(inside.sum())
        found.append(means)
    return found


def family(counts, weight="nodes"):
    """Means over samples and ratios of sums of the hF1 or ihF1 family, an empty prediction counted as 1 or as 0."""
    overlap = [counts.parts()[f"{weight}_{what}"] for what in ("shared", "claimed", "due")]
    means = [*set_scores(*overlap, empty=0.0)[:1], *set_scores(*overlap)]
    keys = ("precision_samples_empty0", "precision_samples_empty1", "recall_samples", "f1_samples")
    micro = zip(("precision_micro", "recall_micro", "f1_micro"), ratio_of_sums(*overlap))
    return {key: float(values.mean()) for key, values in zip(keys, means)} | dict(micro)


def threshold_block(counts, train_count=None, bins=()):
    """What the goldens hold of one prediction of all samples, by their keys."""
    summary, depths = counts.summary(), counts.taxonomy.depth[1:]
    found = {
        **summary,
        "c_f1_micro_prune": summary["c_f1_micro"],
        "c_f1_macro_prune": summary["c_f1_macro"],
        "n_supported": int((counts.n_true[1:] > 0).sum()),
        "samples_f1_plain": samples_f1_plain(counts),
        "hierarchical": family(counts),
        "information": family(counts, "information"),
        "macro_f1_by_depth": {
            str(depth): one for depth, one in enumerate(macro_f1_by(counts, depths, depths.max() + 1)) if depth
        },
    }
    if train_count is not None:
        found["macro_f1_by_train_count"] = {str(k): macro_f1_by_train_count(counts, train_count, k) for k in bins}
    # The means and sums of the two families are the summary's keys.
    for prefix, means in (("h", found["hierarchical"]), ("ih", found["information"])):
        assert summary[f"{prefix}f1_samples"] == means["f1_samples"]
        assert summary[f"{prefix}f1_micro"] == means["f1_micro"]
    for depth, means in summary["macro_f1_by_depth"].items():
        same(means, {key: found["macro_f1_by_depth"][depth][key] for key in means}, f"depth {depth}")
    assert summary["hp_samples"] == found["hierarchical"]["precision_samples_empty1"]
    assert summary["hr_samples"] == found["hierarchical"]["recall_samples"]
    return found


def points_list(table):
    """`SetMetricsByThreshold.table` as the goldens' list of dicts."""
    return [
        {"tau": table["threshold"][i], **{key: table[key][i] for key in table if key != "threshold"}}
        for i in range(len(table["threshold"]))
    ]
