"""What every number is called, means and comes from: the texts behind menus, tooltips, tables and the reference.

`METRICS` maps the keys of the JSON of `hierviz.evaluate` to Metric entries. Those of the block ``predicted`` are
PathMetric entries, each with the function that computes it: see `hierviz.metrics.path_entries`.

References
----------
.. [1] C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically, 2019.
.. [2] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
.. [3] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation, 2023.
.. [4] S. Kiritchenko et al., Learning and evaluation in the presence of class hierarchies, Canadian AI 2006.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from hierviz.metrics.confusion_texts import CONFUSION_METRICS, KIRITCHENKO
from hierviz.metrics.entry import COUNT, POSITIVE, PathMetric, entries_of
from hierviz.metrics.label_texts import LABEL_METRICS
from hierviz.metrics.path_entries import OUTCOME_COUNTS, PATH_METRICS, VALMADRE
from hierviz.metrics.protein_texts import PROTEIN_METRICS

WU = "Wu, Tygert & LeCun, 2019"

_ENTRIES = {
    **entries_of(
        "distribution",
        WU,
        (
            "softmax_win",
            "Hierarchical win",
            "Share of probability that lies on the true path, each level counting half of the level above, the last one twice, "
            "so that the weights sum to 1. a_d: class of the true path at depth d; D: depth of the truth y.",
            r"W = \sum_{d=1}^{D} 2^{-d}\, p(a_d) + 2^{-D}\, p(y)",
            {},
        ),
        (
            "softmax_win_raw",
            "Raw win",
            "The win with the root counted too: 0.5 where only the root is shared with the truth, 1 with all probability on the "
            "truth.",
            r"\tfrac{1}{2}\,(p(\text{root}) + W)",
            {"range": (0.5, 1.0)},
        ),
        (
            "neg_log_win",
            "−log win",
            "Minus the natural logarithm of the win; infinite if any sample has no probability on its true path.",
            r"-\ln W",
            {"range": POSITIVE, "better": "lower", "unit": "nats"},
        ),
        (
            "neg_log_win_infinite",
            "Samples with infinite −log win",
            "Number of samples without probability on their true path.",
            r"\#\{i : W_i = 0\}",
            {"range": COUNT, "better": "lower", "unit": "samples"},
        ),
        (
            "cross_entropy",
            "Cross entropy",
            "Minus the natural logarithm of the probability of the truth; infinite if any truth has probability 0.",
            r"-\ln p(y)",
            {"range": POSITIVE, "better": "lower", "unit": "nats"},
        ),
        (
            "cross_entropy_infinite",
            "Samples with infinite cross entropy",
            "Number of samples whose true class has probability 0.",
            r"\#\{i : p_i(y_i) = 0\}",
            {"range": COUNT, "better": "lower", "unit": "samples"},
        ),
        (
            "cross_entropy_finite_mean",
            "Cross entropy of finite samples",
            "Mean cross entropy over the samples where it is finite.",
            r"\mathrm{mean}\{-\ln p_i(y_i) : p_i(y_i) > 0\}",
            {"range": POSITIVE, "better": "lower", "unit": "nats"},
        ),
    ),
    **entries_of(
        "top_down",
        WU,
        (
            "one_hot_win",
            "One-hot win",
            "Win of the top-down best leaf: 1 where it is the truth, else 1 − 2⁻ᵐ with m levels shared with the truth.",
            r"1 \text{ if } \hat y = y, \text{ else } 1 - 2^{-m}",
            {},
        ),
        (
            "coarsest_accuracy",
            "Coarsest accuracy",
            "Share of samples whose top-down best leaf lies under the same child of the root as the truth.",
            r"\mathrm{mean}\,[\text{depth-1 ancestors agree}]",
            {},
        ),
        (
            "parents_accuracy",
            "Parents' accuracy",
            "Share of samples whose top-down best leaf has the same parent as the truth.",
            r"\mathrm{mean}\,[\text{parents agree}]",
            {},
        ),
        (
            "finest_accuracy",
            "Finest accuracy (top down)",
            "Share of samples whose top-down best leaf (at each step the most probable child) is the truth. "
            "This is not top-1 accuracy, which takes the most probable of all leaves.",
            r"\mathrm{mean}\,[\hat y = y]",
            {},
        ),
        (
            "argmax_leaf_accuracy",
            "Top-1 accuracy",
            "Share of samples whose most probable leaf is the truth, or lies below it: accuracy without regard to the hierarchy.",
            r"\mathrm{mean}\,[\arg\max_{\text{leaf}} p = y]",
            {},
        ),
        (
            "top5_leaf_accuracy",
            "Top-5 accuracy",
            "Share of samples whose truth, or a leaf below it, is among the five most probable leaves; equally probable ones "
            "in the order of classes.",
            r"\mathrm{mean}\,[\mathrm{rank}(y) \le 5]",
            {"source": "hierviz"},
        ),
        (
            "error_lca_height",
            "Height of errors",
            "Mean height of the lowest common ancestor of the truth and the most probable leaf, over the samples where that "
            "leaf is wrong. The height of a node is the number of edges down to the deepest leaf below it.",
            r"\mathrm{mean}\{h(\mathrm{lca}(y_i, \hat y_i)) : \hat y_i \ne y_i\}",
            {"range": POSITIVE, "better": "lower", "unit": "edges"}
            | {"source": "Bertinetto et al., CVPR 2020, section 5 (severity of mistakes)"},
        ),
        (
            "aggregate_precision",
            "Hierarchical precision (hP)",
            "Nodes shared by the chosen and the true paths, over all nodes of the chosen paths; a ratio of sums.",
            r"hP = \sum_i |\hat P_i \cap T_i| \,/\, \sum_i |\hat P_i|",
            {"source": f"{WU}; {KIRITCHENKO}"},
        ),
        (
            "aggregate_recall",
            "Hierarchical recall (hR)",
            "Nodes shared by the chosen and the true paths, over all nodes of the true paths; a ratio of sums.",
            r"hR = \sum_i |\hat P_i \cap T_i| \,/\, \sum_i |T_i|",
            {"source": f"{WU}; {KIRITCHENKO}"},
        ),
        (
            "aggregate_f1",
            "Hierarchical F1 (hF)",
            "Harmonic mean of hierarchical precision and recall.",
            r"hF = 2\,hP\,hR / (hP + hR)",
            {"source": f"{WU}; {KIRITCHENKO}"},
        ),
    ),
    **PATH_METRICS,
    **OUTCOME_COUNTS,
    **entries_of(
        "curve",
        VALMADRE,
        (
            "ap",
            "AP",
            "Average precision: area under the upper envelope of information precision over information recall, all thresholds.",
            r"\int_0^1 \max_{R(\tau) \ge x} P(\tau)\, dx",
            {},
        ),
        (
            "ac",
            "AC",
            "Average correctness: area under the upper envelope of the share of correct answers over information recall, "
            "all thresholds.",
            r"\int_0^1 \max_{R(\tau) \ge x} C(\tau)\, dx",
            {},
        ),
        (
            "ac_exact",
            "AC over exact",
            "Area under the upper envelope of the share of correct over the share of exact answers, all thresholds.",
            r"\int_0^1 \max_{E(\tau) \ge x} C(\tau)\, dx",
            {},
        ),
        (
            "depth_ap",
            "Depth AP",
            "Average precision with levels of the taxonomy in place of bits.",
            r"\int_0^1 \max_{R_D(\tau) \ge x} P_D(\tau)\, dx",
            {},
        ),
        (
            "depth_ac",
            "Depth AC",
            "Average correctness with levels of the taxonomy in place of bits.",
            r"\int_0^1 \max_{R_D(\tau) \ge x} C(\tau)\, dx",
            {},
        ),
        (
            "recall_at_90_correct",
            "R@90C",
            "The highest information recall of all thresholds at which at least 90 % of the answers are correct; 0 if "
            "there is none.",
            r"\max\{R(\tau) : C(\tau) \ge 0.90\}",
            {},
        ),
        (
            "recall_at_95_correct",
            "R@95C",
            "The highest information recall of all thresholds at which at least 95 % of the answers are correct; 0 if "
            "there is none.",
            r"\max\{R(\tau) : C(\tau) \ge 0.95\}",
            {},
        ),
        (
            "majority_f1",
            "F1 at majority",
            "Mean information F1 of the majority rule, which answers the most specific node with probability above 0.5.",
            r"\overline{F_1}(\tau = 0.5)",
            {},
        ),
        (
            "leaf_f1",
            "F1 of the leaf",
            "Mean information F1 of the rule that always answers the most probable leaf.",
            r"\overline{F_1}(\text{leaf})",
            {},
        ),
        (
            "n_points",
            "Points of the curve",
            "Number of operating points: the distinct thresholds plus one.",
            r"J + 1",
            {"range": (1, float("inf")), "better": "neither", "unit": "points"},
        ),
    ),
    **CONFUSION_METRICS,
    **entries_of(
        "goal",
        "hierviz",
        (
            "missing",
            "Missing information of correct answers",
            "What a correct answer lacks of the truth: 1 − information recall, 0 where the answer is wrong.",
            r"C\,(1 - R)",
            {"better": "lower"},
        ),
        (
            "cost",
            "Mean cost",
            "Cost of a wrong answer, or for a correct one the cost of answering only the root times its missing information; "
            "mean over samples.",
            r"c_{\text{wrong}}\,(1 - C) + c_{\text{vague}}\,C\,(1 - R)",
            {"range": POSITIVE, "better": "lower"},
        ),
        (
            "above_depth",
            "Shallow answers",
            "Share of the answers at a smaller depth than the chosen one, before they are truncated to the truth.",
            r"\mathrm{mean}\,[d(\hat y) < d]",
            {"better": "lower"},
        ),
    ),
    **LABEL_METRICS,
    **PROTEIN_METRICS,
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
        source=f"{VALMADRE}; weights of classes: hierviz",
    )
    for key, metric in list(_ENTRIES.items())
    if metric.block == "curve" and key != "n_points"
}
# Complete here, and read-only: what shows numbers reads it at every call.
METRICS = MappingProxyType(_ENTRIES)


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
