"""Every number hierviz reports: its range and better direction, and how it is put together; its text is in ``metrics.md``.

Tables, charts, the command line and ``docs/metrics.md`` take their words from here; totals, numbers of single samples, resamples,
bounds and constant answers follow from `made`: see `hierviz.metrics.parts`. Of the block ``per_sample`` are numbers that only
single samples have, of ``goal`` those that a threshold is chosen by.

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation, 2023.
.. [2] S. Kiritchenko et al., Learning and evaluation in the presence of class hierarchies, Canadian AI 2006.

Functions
---------
path_keys, share_keys, keys_of
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import MappingProxyType

from hierviz.metrics.calibration import CALIBRATION_ERRORS, calibration_error
from hierviz.metrics.entry import BITS, COUNT, EDGES, NATS, POSITIVE, SAMPLES, PathMetric, entries_of
from hierviz.metrics.node_pairs import PATH_METRICS
from hierviz.metrics.parts import (
    ByNode,
    MeanByDepth,
    OfAll,
    OfAllByDepth,
    OfSums,
    OverCurve,
    Total,
    WeightedByDepth,
    WeightedMean,
    f1_of,
    matthews,
    normalised_icm,
    prevalence_threshold,
    ratio_of,
)

CELLS = ("tp", "tn", "fp", "fn")
CORPUS_SUMS = ("corpus_shared", "corpus_claimed", "corpus_due")

LABEL_METRICS = {
    **entries_of(
        "labels",
        tree_only=False,
        micro_precision={"made": ratio_of("n_hit", "n_predicted", 0.0)},
        micro_recall={"made": ratio_of("n_hit", "n_true", 0.0)},
        micro_f1={"made": f1_of("n_hit", "n_predicted", "n_true")},
        macro_f1={"made": ByNode()},
        macro_f1_supported={"made": ByNode(over="supported")},
        hamming_loss={"range": COUNT, "better": "lower", "made": ratio_of("n_wrong", "n_cells")},
        c_f1_micro={"made": f1_of("n_valid_hit", "n_valid", "n_true")},
        c_f1_macro={"made": ByNode("prune")},
        c_f1_micro_strict={"made": f1_of("n_valid_hit", "n_predicted", "n_true")},
        c_f1_macro_strict={"made": ByNode("strict")},
        hf1_samples={"brief": "hF1"},
        hf1_micro={"made": f1_of("nodes_shared", "nodes_claimed", "nodes_due")},
        hp_samples={"brief": "hP"},
        hr_samples={"brief": "hR"},
        ihf1_samples={"tree_only": True, "brief": "ihF1"},
        ihf1_micro={
            "tree_only": True,
            "made": f1_of("information_shared", "information_claimed", "information_due"),
        },
        hp_micro={"made": ratio_of("nodes_shared", "nodes_claimed", 0.0)},
        hr_micro={"made": ratio_of("nodes_shared", "nodes_due", 0.0)},
        n_empty=SAMPLES,
        outside_share={"better": "lower", "brief": "Outside", "is_binary": True},
        n_incoherent=SAMPLES,
        ihf1_auc={"tree_only": True},
        macro_f1_by_depth={"tree_only": True, "made": ByNode(over="depth")},
        icm={"tree_only": True, "range": (float("-inf"), float("inf")), "unit": "bits"},
        icm_norm={"tree_only": True, "made": OfSums(CORPUS_SUMS, normalised_icm)},
    ),
    **entries_of(
        "per_sample of sets",
        tree_only=False,
        ihf1={"tree_only": True},
        n_predicted={"range": COUNT, "better": "neither", "unit": "nodes"},
    ),
}
# Only under a rule that maximises an expected hF_beta.
OPTIMAL_SET_METRICS = entries_of(
    "labels of optimal sets",
    tree_only=False,
    hf_beta_samples={"brief": "hFβ"},
    hf_beta_expected={"brief": "expected hFβ", "range": POSITIVE, "better": "neither"},
)
# Over all thresholds, and only where they are asked for.
PROTEIN_METRICS = entries_of("labels of proteins", tree_only=False, made=None, s_min=BITS, s_min_micro=BITS)
# How many of the most probable leaves are judged, and what heights and distances of them are measured in.
SIZES = (1, 5, 20)
_LCA_UNITS = {"height": EDGES, "depth": EDGES, "information": BITS}


def _of_confidence(key, made=OfAll):
    """Attributes of an error of calibration, or of its value under calibration, of the most probable class."""
    better = "neither" if key.endswith("_calibrated") else "lower"
    low = -1.0 if key == "calibration_error_squared" else 0.0
    return {
        "range": (low, 1.0),
        "better": better,
        "made": made(("confidence", "is_right"), partial(calibration_error, key)),
    }


_ENTRIES = {
    **entries_of(
        "distribution",
        softmax_win_raw={"range": (0.5, 1.0)},
        neg_log_win=NATS,
        neg_log_win_infinite=SAMPLES,
        cross_entropy=NATS,
        cross_entropy_infinite=SAMPLES,
        cross_entropy_finite_mean=NATS,
    ),
    **entries_of(
        "top_down",
        error_lca_height=EDGES,
        aggregate_precision={"made": ratio_of("shared", "claimed")},
        aggregate_recall={"made": ratio_of("shared", "due")},
        aggregate_f1={"made": ratio_of("shared shared", "claimed due")},
    ),
    **entries_of(
        "best_leaves",
        **{f"lca_{name}_{size}": unit for name, unit in _LCA_UNITS.items() for size in SIZES},
    ),
    **entries_of("random_cuts"),
    **entries_of(
        "probabilities",
        brier={"range": (0.0, 2.0), "better": "lower"},
        brier_by_depth={"range": (0.0, 2.0), "better": "lower", "made": MeanByDepth("brier")},
        log_loss=NATS,
        log_loss_by_depth=NATS | {"made": MeanByDepth("log_loss")},
        **{key: _of_confidence(key) for key in CALIBRATION_ERRORS},
        **{f"{key}_by_depth": _of_confidence(key, OfAllByDepth) for key in CALIBRATION_ERRORS},
    ),
    **entries_of(
        "predicted",
        **PATH_METRICS,
        # How many samples have each outcome (`hierviz.metrics.outcomes`); they add up to all.
        n_exact={"range": COUNT, "unit": "samples", "made": Total},
        n_coarse={"range": COUNT, "better": "neither", "unit": "samples", "made": Total},
        n_no_answer=SAMPLES,
        n_wrong=SAMPLES,
    ),
    **entries_of(
        "levels",
        full_path_accuracy={"is_binary": True},
        tice={"better": "lower", "is_binary": True},
        wap={"made": WeightedByDepth("hit", "n_classes")},
        accuracy_by_depth={"made": MeanByDepth("hit")},
    ),
    **entries_of(
        "curve",
        made=OverCurve(),
        n_points={"range": (1, float("inf")), "better": "neither", "unit": "points", "made": None},
    ),
    **entries_of(
        "selective",
        haurc={"better": "lower", "made": OverCurve("climbing")},
        haurc_threshold={"better": "lower", "made": OverCurve()},
        climbing_differs={"better": "neither"},
        climbing_differs_mean={"better": "neither"},
    ),
    **entries_of(
        "confusion",
        tree_only=False,
        tp={"range": COUNT, "unit": "nodes", "made": Total},
        tn={"range": COUNT, "unit": "nodes", "made": Total},
        fp={"range": COUNT, "better": "lower", "unit": "nodes", "made": Total},
        fn={"range": COUNT, "better": "lower", "unit": "nodes", "made": Total},
        acc={"made": ratio_of("tp tn", "tp tn fp fn")},
        ppv={"made": ratio_of("tp", "tp fp")},
        tpr={"made": ratio_of("tp", "tp fn")},
        fnr={"better": "lower", "made": ratio_of("fn", "fn tp")},
        fpr={"better": "lower", "made": ratio_of("fp", "fp tn")},
        tnr={"made": ratio_of("tn", "fp tn")},
        pt={"better": "lower", "made": OfSums(CELLS, prevalence_threshold)},
        f1={"made": ratio_of("tp tp", "tp tp fp fn")},
        mcc={"range": (-1.0, 1.0), "made": OfSums(CELLS, matthews)},
    ),
    # Only where conformal nodes are asked for.
    **entries_of(
        "conformal",
        held={"better": "neither", "made": WeightedMean("held", "weight")},
        root_share={"better": "lower"},
        leaf_share={"better": "neither"},
        mean_information={"range": POSITIVE, "unit": "bits"},
        mean_depth={"range": POSITIVE, "unit": "edges"},
    ),
    **entries_of("per_sample", tree_only=False),
    **entries_of(
        "goal",
        missing={"better": "lower"},
        cost={"range": POSITIVE, "better": "lower"},
        above_depth={"better": "lower"},
    ),
    **LABEL_METRICS,
    **OPTIMAL_SET_METRICS,
    **PROTEIN_METRICS,
    **entries_of("lca", tree_only=False),
}
# The numbers of block `curve` as means over classes: there where weights of classes are given.
BALANCED_PREFIX = "balanced_"
_ENTRIES |= {
    f"{BALANCED_PREFIX}{key}": replace(
        metric,
        key=f"{BALANCED_PREFIX}{key}",
        label=f"Balanced {metric.name}",
        sentence=f"{metric.sentence} All means run over the true classes, each with the same weight or the one given.",
        formula=rf"{metric.formula} \text{{ of }} \textstyle\sum_c w_c \bar x_c / \sum_c w_c",
        source=f"{metric.source}; weights of classes: hierviz",
    )
    for key, metric in list(_ENTRIES.items())
    if metric.block == "curve" and key != "n_points"
}
# Complete here, and read-only: what shows numbers reads it at every call.
METRICS = MappingProxyType(_ENTRIES)


def keys_of(block, *kinds):
    """Keys of the numbers of a block that are put together in one of some ways (classes of `hierviz.metrics.parts`); else of all.

    Those over true classes are left out.
    """
    return tuple(
        key
        for key, metric in METRICS.items()
        if metric.block == block
        and not key.startswith(BALANCED_PREFIX)
        and (not kinds or isinstance(metric.made, kinds))
    )


def path_keys():
    """Keys of the metrics of one answer against one truth, as a tuple: all that have a function."""
    return tuple(key for key, metric in METRICS.items() if isinstance(metric, PathMetric))


def share_keys(counts="information"):
    """The path metrics from 0 to 1 in which more is better, Correct first; those by information or those by depth.

    Parameters
    ----------
    counts : str
        'information' or 'depth'; metrics that count neither are always there.

    Returns
    -------
    tuple of str
    """
    keys = [key for key in path_keys() if METRICS[key].is_share and METRICS[key].better == "higher"]
    return tuple(sorted((key for key in keys if METRICS[key].counts in ("", counts)), key=lambda key: key != "correct"))
