"""Compare a dict of ours with one of a golden file, key by key."""

import math


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


def threshold_block(counts, train_count=None, bins=()):
    """What the goldens hold of one prediction of all samples, by their keys."""
    summary = counts.summary()
    found = {
        **summary,
        "c_f1_micro_prune": summary["c_f1_micro"],
        "c_f1_macro_prune": summary["c_f1_macro"],
        "n_supported": counts.n_supported,
        "samples_f1_plain": counts.samples_f1_plain,
        "hierarchical": counts.family("nodes"),
        "information": counts.family("information"),
        "macro_f1_by_depth": {str(depth): one for depth, one in counts.macro_f1_by_depth().items()},
    }
    if train_count is not None:
        found["macro_f1_by_train_count"] = {str(k): counts.macro_f1_by_train_count(train_count, k) for k in bins}
    # The means and sums of the two families are the summary's keys.
    for prefix, family in (("h", found["hierarchical"]), ("ih", found["information"])):
        assert summary[f"{prefix}f1_samples"] == family["f1_samples"]
        assert summary[f"{prefix}f1_micro"] == family["f1_micro"]
    assert summary["hp_samples"] == found["hierarchical"]["precision_samples_empty1"]
    assert summary["hr_samples"] == found["hierarchical"]["recall_samples"]
    return found


def points_list(table):
    """`SetMetricsByThreshold.table` as the goldens' list of dicts."""
    return [
        {"tau": table["threshold"][i], **{key: table[key][i] for key in table if key != "threshold"}}
        for i in range(len(table["threshold"]))
    ]
