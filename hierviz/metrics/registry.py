"""Every number hierviz reports: its name, meaning, formula, source, range and better direction, and how it is put together.

Tables, charts, the command line and ``docs/metrics.md`` take their words from here; totals, numbers of single samples, resamples
and constant answers follow from `made`: see `hierviz.metrics.parts`. Of the block ``per_sample`` are numbers that only single
samples have, of ``goal`` those that a threshold is chosen by.

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
from types import MappingProxyType

from hierviz.metrics.entry import COUNT, EDGES, NATS, POSITIVE, SAMPLES, PathMetric, entries_of
from hierviz.metrics.label_entries import KIRITCHENKO, LABEL_METRICS, PROTEIN_METRICS
from hierviz.metrics.parts import OfSums, OverCurve, Total, matthews, prevalence_threshold, ratio_of
from hierviz.metrics.path_entries import OUTCOME_COUNTS, PATH_METRICS, VALMADRE

WU = "Wu, Tygert & LeCun, 2019"
RIEHL = "Riehl, Neunteufel & Hemberg, JRSS-C 2023"
CELLS = ("tp", "tn", "fp", "fn")

_ENTRIES = {
    **entries_of(
        "distribution",
        WU,
        r"""
        softmax_win: Hierarchical win
            Share of probability that lies on the true path, each level counting half of the level above, the last one
            twice, so that the weights sum to 1. a_d: class of the true path at depth d; D: depth of the truth y.
            $ W = \sum_{d=1}^{D} 2^{-d}\, p(a_d) + 2^{-D}\, p(y)

        softmax_win_raw: Raw win
            The win with the root counted too: 0.5 where only the root is shared with the truth, 1 with all probability
            on the truth.
            $ \tfrac{1}{2}\,(p(\text{root}) + W)

        neg_log_win: −log win
            Minus the natural logarithm of the win; infinite if any sample has no probability on its true path.
            $ -\ln W

        neg_log_win_infinite: Samples with infinite −log win
            Number of samples without probability on their true path.
            $ \#\{i : W_i = 0\}

        cross_entropy: Cross entropy
            Minus the natural logarithm of the probability of the truth; infinite if any truth has probability 0.
            $ -\ln p(y)

        cross_entropy_infinite: Samples with infinite cross entropy
            Number of samples whose true class has probability 0.
            $ \#\{i : p_i(y_i) = 0\}

        cross_entropy_finite_mean: Cross entropy of finite samples
            Mean cross entropy over the samples where it is finite.
            $ \mathrm{mean}\{-\ln p_i(y_i) : p_i(y_i) > 0\}
        """,
        softmax_win_raw={"range": (0.5, 1.0)},
        neg_log_win=NATS,
        neg_log_win_infinite=SAMPLES,
        cross_entropy=NATS,
        cross_entropy_infinite=SAMPLES,
        cross_entropy_finite_mean=NATS,
    ),
    **entries_of(
        "top_down",
        WU,
        r"""
        one_hot_win: One-hot win
            Win of the top-down best leaf: 1 where it is the truth, else 1 − 2⁻ᵐ with m levels shared with the truth.
            $ 1 \text{ if } \hat y = y, \text{ else } 1 - 2^{-m}

        coarsest_accuracy: Coarsest accuracy
            Share of samples whose top-down best leaf lies under the same child of the root as the truth.
            $ \mathrm{mean}\,[\text{depth-1 ancestors agree}]

        parents_accuracy: Parents' accuracy
            Share of samples whose top-down best leaf has the same parent as the truth.
            $ \mathrm{mean}\,[\text{parents agree}]

        finest_accuracy: Finest accuracy (top down)
            Share of samples whose top-down best leaf (at each step the most probable child) is the truth. This is not
            top-1 accuracy, which takes the most probable of all leaves.
            $ \mathrm{mean}\,[\hat y = y]

        argmax_leaf_accuracy: Top-1 accuracy
            Share of samples whose most probable leaf is the truth, or lies below it: accuracy without regard to the
            hierarchy.
            $ \mathrm{mean}\,[\arg\max_{\text{leaf}} p = y]

        top5_leaf_accuracy: Top-5 accuracy
            Share of samples whose truth, or a leaf below it, is among the five most probable leaves; equally probable
            ones in the order of classes.
            $ \mathrm{mean}\,[\mathrm{rank}(y) \le 5]
            [hierviz]

        error_lca_height: Height of errors
            Mean height of the lowest common ancestor of the truth and the most probable leaf, over the samples where
            that leaf is wrong. The height of a node is the number of edges down to the deepest leaf below it.
            $ \mathrm{mean}\{h(\mathrm{lca}(y_i, \hat y_i)) : \hat y_i \ne y_i\}
            [Bertinetto et al., CVPR 2020, section 5 (severity of mistakes)]

        aggregate_precision: Hierarchical precision (hP)
            Nodes shared by the chosen and the true paths, over all nodes of the chosen paths; a ratio of sums.
            $ hP = \sum_i |\hat P_i \cap T_i| \,/\, \sum_i |\hat P_i|
            [Wu, Tygert & LeCun, 2019; Kiritchenko et al., Canadian AI 2006]

        aggregate_recall: Hierarchical recall (hR)
            Nodes shared by the chosen and the true paths, over all nodes of the true paths; a ratio of sums.
            $ hR = \sum_i |\hat P_i \cap T_i| \,/\, \sum_i |T_i|
            [Wu, Tygert & LeCun, 2019; Kiritchenko et al., Canadian AI 2006]

        aggregate_f1: Hierarchical F1 (hF)
            Harmonic mean of hierarchical precision and recall.
            $ hF = 2\,hP\,hR / (hP + hR)
            [Wu, Tygert & LeCun, 2019; Kiritchenko et al., Canadian AI 2006]
        """,
        error_lca_height=EDGES,
        aggregate_precision={"made": ratio_of("shared", "claimed")},
        aggregate_recall={"made": ratio_of("shared", "due")},
        aggregate_f1={"made": ratio_of("shared shared", "claimed due")},
    ),
    **PATH_METRICS,
    **OUTCOME_COUNTS,
    **entries_of(
        "curve",
        VALMADRE,
        r"""
        ap: AP
            Average precision: area under the upper envelope of information precision over information recall, all
            thresholds.
            $ \int_0^1 \max_{R(\tau) \ge x} P(\tau)\, dx

        ac: AC
            Average correctness: area under the upper envelope of the share of correct answers over information recall,
            all thresholds.
            $ \int_0^1 \max_{R(\tau) \ge x} C(\tau)\, dx

        ac_exact: AC over exact
            Area under the upper envelope of the share of correct over the share of exact answers, all thresholds.
            $ \int_0^1 \max_{E(\tau) \ge x} C(\tau)\, dx

        depth_ap: Depth AP
            Average precision with levels of the taxonomy in place of bits.
            $ \int_0^1 \max_{R_D(\tau) \ge x} P_D(\tau)\, dx

        depth_ac: Depth AC
            Average correctness with levels of the taxonomy in place of bits.
            $ \int_0^1 \max_{R_D(\tau) \ge x} C(\tau)\, dx

        recall_at_90_correct: R@90C
            The highest information recall of all thresholds at which at least 90 % of the answers are correct; 0 if
            there is none.
            $ \max\{R(\tau) : C(\tau) \ge 0.90\}

        recall_at_95_correct: R@95C
            The highest information recall of all thresholds at which at least 95 % of the answers are correct; 0 if
            there is none.
            $ \max\{R(\tau) : C(\tau) \ge 0.95\}

        majority_f1: F1 at majority
            Mean information F1 of the majority rule, which answers the most specific node with probability above 0.5.
            $ \overline{F_1}(\tau = 0.5)

        leaf_f1: F1 of the leaf
            Mean information F1 of the rule that always answers the most probable leaf.
            $ \overline{F_1}(\text{leaf})

        n_points: Points of the curve
            Number of operating points: the distinct thresholds plus one.
            $ J + 1
        """,
        made=OverCurve(),
        n_points={"range": (1, float("inf")), "better": "neither", "unit": "points", "made": None},
    ),
    **entries_of(
        "confusion",
        RIEHL,
        r"""
        tp: True positives
            Nodes on both the answer's and the true path, root left out.
            $ TP = |\hat P \cap T|

        tn: True negatives
            Siblings along the common path, and children of its last node, that are on neither path.
            $ TN = |\bigcup_{n \in TP} \mathrm{sib}(n) \setminus T| + |\mathrm{ch}(z) \setminus (T \cup \hat P)|

        fp: False positives
            Nodes of the answer's path that are not on the true path.
            $ FP = |\hat P \setminus T|

        fn: False negatives
            Nodes of the true path that the answer does not reach.
            $ FN = |T \setminus \hat P|

        acc: Accuracy (nodes)
            Share of counted nodes that are classified correctly; inflated by true negatives near the top.
            $ (TP + TN) / (TP + TN + FP + FN)

        ppv: Precision (PPV)
            Share of answered nodes that are true.
            $ TP / (TP + FP)

        tpr: Recall (TPR)
            Share of true nodes that are answered.
            $ TP / (TP + FN)

        fnr: Miss rate (FNR)
            Share of true nodes that are missed.
            $ FN / (TP + FN)

        fpr: Fall-out (FPR)
            Share of the negatives that are answered.
            $ FP / (FP + TN)

        tnr: Specificity (TNR)
            Share of the negatives that are not answered.
            $ TN / (FP + TN)

        pt: Prevalence threshold
            Prevalence below which precision drops steeply; at this prevalence, precision is 1 minus the prevalence.
            $ (\sqrt{TPR\,(1 - TNR)} + TNR - 1) / (TPR + TNR - 1)

        f1: F1 (nodes)
            Harmonic mean of the precision and recall of nodes.
            $ 2TP / (2TP + FP + FN)

        mcc: Matthews correlation
            Correlation of answered and true nodes. 0 is the level of chance; a constant answer is above it.
            $ \frac{TP \cdot TN - FP \cdot FN}{\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}
        """,
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
    **entries_of(
        "per_sample",
        KIRITCHENKO,
        r"""
        hp: hP of this sample
            Share of the answer's path that is on the true path; 1 when the root is predicted.
            $ hP = |\hat P \cap T| / |\hat P|

        hr: hR of this sample
            Share of the true path that is on the answer's path.
            $ hR = |\hat P \cap T| / |T|

        hf1: hF of this sample
            Harmonic mean of hP and hR.
            $ hF = 2\,hP\,hR / (hP + hR)
        """,
        tree_only=False,
    ),
    **entries_of(
        "goal",
        "hierviz",
        r"""
        missing: Missing information of correct answers
            What a correct answer lacks of the truth: 1 − information recall, 0 where the answer is wrong.
            $ C\,(1 - R)

        cost: Mean cost
            Cost of a wrong answer, or for a correct one the cost of answering only the root times its missing
            information; mean over samples.
            $ c_{\text{wrong}}\,(1 - C) + c_{\text{vague}}\,C\,(1 - R)

        above_depth: Shallow answers
            Share of the answers at a smaller depth than the chosen one, before they are truncated to the truth.
            $ \mathrm{mean}\,[d(\hat y) < d]
        """,
        missing={"better": "lower"},
        cost={"range": POSITIVE, "better": "lower"},
        above_depth={"better": "lower"},
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
