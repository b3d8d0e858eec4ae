"""What the numbers of block ``labels`` are called, mean and come from: entries for `METRICS`; nothing is computed here.

References
----------
.. [1] R. Plaud, M. Labeau, A. Saillenfest, T. Bonald, Revisiting hierarchical text classification: inference and
       metrics, CoNLL 2024.
"""

from __future__ import annotations

from hierviz.metrics.entry import COUNT, entries_of

PLAUD = "Plaud et al., CoNLL 2024"
KIRITCHENKO = "Kiritchenko et al., Canadian AI 2006"
_METRICS = PLAUD
_SET = r"\hat Y_i"
_AUGMENTED = r"\hat Y_i^{+}"
_GRAPH = {"tree_only": False}

LABEL_METRICS = {
    **entries_of(
        "labels",
        _METRICS,
        (
            "micro_precision",
            "Micro precision",
            "Share of all predicted nodes that are true; every node but the root is one label.",
            rf"\sum_i |{_SET} \cap Y_i| \,/\, \sum_i |{_SET}|",
            _GRAPH,
        ),
        (
            "micro_recall",
            "Micro recall",
            "Share of all true nodes that are predicted.",
            rf"\sum_i |{_SET} \cap Y_i| \,/\, \sum_i |Y_i|",
            _GRAPH,
        ),
        (
            "micro_f1",
            "Micro F1",
            "Harmonic mean of micro precision and recall; frequent nodes weigh most.",
            r"2TP / (2TP + FP + FN)",
            _GRAPH,
        ),
        (
            "macro_f1",
            "Macro F1",
            "Mean F1 of all nodes, each with the same weight; a node without any sample counts as 0.",
            r"\frac{1}{|V|} \sum_{v \in V} \frac{2TP_v}{2TP_v + FP_v + FN_v}",
            _GRAPH,
        ),
        (
            "macro_f1_supported",
            "Macro F1 of nodes with samples",
            "Mean F1 of the nodes that are true for at least one sample.",
            r"\mathrm{mean}\{F_1(v) : TP_v + FN_v > 0\}",
            {**_GRAPH, "source": "hierviz, beside macro F1"},
        ),
        (
            "hamming_loss",
            "Hamming loss",
            "Share of all sample-node pairs that are wrong; small because most nodes are correctly not predicted. A predicted "
            "label outside the taxonomy counts as a wrong pair, so many of them can bring it above 1.",
            r"(FP + FN) / (n\,|V|)",
            {**_GRAPH, "better": "lower", "range": (0.0, float("inf")), "source": f"{PLAUD}, Table 2 (in per mille)"},
        ),
        (
            "c_f1_micro",
            "C-F1 micro",
            "Micro F1 after removing every predicted node of which an ancestor is not predicted.",
            rf"F_1 \text{{ of }} \{{y \in {_SET} : A(y) \subseteq {_SET}\}}",
            {**_GRAPH, "source": f"{PLAUD}, Table 6 (path-constrained F1, read as pruning)"},
        ),
        (
            "c_f1_macro",
            "C-F1 macro",
            "Macro F1 after removing every predicted node of which an ancestor is not predicted.",
            rf"\mathrm{{mean}}_v\, F_1(v) \text{{ of }} \{{y \in {_SET} : A(y) \subseteq {_SET}\}}",
            {**_GRAPH, "source": f"{PLAUD}, Table 6 (path-constrained F1, read as pruning)"},
        ),
        (
            "c_f1_micro_strict",
            "Strict C-F1 micro",
            "Micro F1 in which a predicted node of which an ancestor is not predicted is wrong, even when it is true.",
            rf"y \in TP \Leftrightarrow y \in Y_i,\ A(y) \subseteq {_SET}",
            {**_GRAPH, "source": f"HierVerb (Ji et al., ACL 2023), code; quoted by {PLAUD}"},
        ),
        (
            "c_f1_macro_strict",
            "Strict C-F1 macro",
            "Macro F1 in which a predicted node of which an ancestor is not predicted is wrong, even when it is true.",
            rf"y \in TP \Leftrightarrow y \in Y_i,\ A(y) \subseteq {_SET}",
            {**_GRAPH, "source": f"HierVerb (Ji et al., ACL 2023), code; quoted by {PLAUD}"},
        ),
        (
            "hf1_samples",
            "hF1 sample mean",
            "Hierarchical F1 of each sample's predicted set, ancestors added; 0 where nothing is predicted.",
            rf"\frac{{1}}{{n}} \sum_i \frac{{2|{_AUGMENTED} \cap Y_i|}}{{|{_AUGMENTED}| + |Y_i|}}",
            {**_GRAPH, "brief": "hF1"},
        ),
        (
            "hf1_micro",
            "hF1 micro",
            "Hierarchical F1 from nodes summed over all samples, ancestors added; equals micro F1 for coherent sets.",
            rf"\frac{{2 \sum_i |{_AUGMENTED} \cap Y_i|}}{{\sum_i |{_AUGMENTED}| + \sum_i |Y_i|}}",
            {**_GRAPH, "source": f"{PLAUD}, Proposition 1"},
        ),
        (
            "hp_samples",
            "hP sample mean",
            "Share of the predicted nodes, ancestors added, that are true; 1 where nothing is predicted.",
            rf"\frac{{1}}{{n}} \sum_i |{_AUGMENTED} \cap Y_i| \,/\, |{_AUGMENTED}|",
            {**_GRAPH, "brief": "hP"},
        ),
        (
            "hr_samples",
            "hR sample mean",
            "Share of the true nodes that are predicted, ancestors added.",
            rf"\frac{{1}}{{n}} \sum_i |{_AUGMENTED} \cap Y_i| \,/\, |Y_i|",
            {**_GRAPH, "brief": "hR"},
        ),
        (
            "ihf1_samples",
            "ihF1 sample mean",
            "Hierarchical F1 with each node weighted by the bits it adds to its parent; a node without siblings adds none.",
            rf"\frac{{1}}{{n}} \sum_i \frac{{2\,I({_AUGMENTED} \cap Y_i)}}{{I({_AUGMENTED}) + I(Y_i)}}",
            {"source": f"{PLAUD}, Table 7", "brief": "ihF1"},
        ),
        (
            "ihf1_micro",
            "ihF1 micro",
            "Information-weighted hierarchical F1 from bits summed over all samples.",
            rf"\frac{{2 \sum_i I({_AUGMENTED} \cap Y_i)}}{{\sum_i I({_AUGMENTED}) + \sum_i I(Y_i)}}",
            {"source": f"{PLAUD}, Table 7"},
        ),
        (
            "hp_micro",
            "hP micro",
            "Nodes that are predicted, ancestors added, and true, over all predicted ones; a ratio of sums.",
            rf"\sum_i |{_AUGMENTED} \cap Y_i| \,/\, \sum_i |{_AUGMENTED}|",
            {**_GRAPH, "source": KIRITCHENKO},
        ),
        (
            "hr_micro",
            "hR micro",
            "Nodes that are predicted, ancestors added, and true, over all true ones; a ratio of sums.",
            rf"\sum_i |{_AUGMENTED} \cap Y_i| \,/\, \sum_i |Y_i|",
            {**_GRAPH, "source": KIRITCHENKO},
        ),
        (
            "subset_accuracy",
            "Subset accuracy",
            "Share of samples whose predicted set, as listed or above the threshold, is the true set with all ancestors.",
            rf"\mathrm{{mean}}\,[{_SET} = Y_i]",
            {**_GRAPH, "source": "Remus, Aly & Biemann, KONVENS 2019"},
        ),
        (
            "n_empty",
            "Empty predictions",
            "How many samples get no answer: no predicted node at all, or the root alone, also where the truth is the root.",
            rf"\#\{{i : {_SET} = \emptyset\}}",
            {**_GRAPH, "range": COUNT, "better": "lower", "unit": "samples", "source": "hierviz"},
        ),
        (
            "n_incoherent",
            "Incoherent predictions",
            "How many samples have a predicted node without one of its ancestors.",
            rf"\#\{{i : {_SET} \ne {_AUGMENTED}\}}",
            {**_GRAPH, "range": COUNT, "better": "lower", "unit": "samples", "source": PLAUD},
        ),
        (
            "hf1_auc",
            "hF1 AUC",
            "Area under precision over recall of the predicted set, all thresholds, ancestors added; mean over samples.",
            r"\frac{1}{n} \sum_i \int_0^1 hP_i \, d\,hR_i",
            {**_GRAPH, "source": f"{PLAUD}, Table 2; code compute_curve_hf1"},
        ),
        (
            "ihf1_auc",
            "ihF1 AUC",
            "Area under precision over recall in bits, all thresholds, ancestors added; mean over samples.",
            r"\frac{1}{n} \sum_i \int_0^1 ihP_i \, d\,ihR_i",
            {"source": f"hierviz, after {PLAUD}, Table 7"},
        ),
        (
            "hf1_auc_raw",
            "hF1 AUC without ancestors",
            "The hF1 AUC of the authors' code, on the predicted nodes alone; for coherent scores the same as hF1 AUC.",
            r"\frac{1}{n} \sum_i \int_0^1 P_i \, dR_i",
            {**_GRAPH, "source": f"{PLAUD}, code compute_curve_hf1"},
        ),
        (
            "macro_f1_by_depth",
            "Macro F1 by depth",
            "Mean F1 of the nodes of each depth; the children of the root are depth 1.",
            r"\mathrm{mean}\{F_1(v) : d(v) = k\}, \quad k = 1, 2, \dots",
            {"source": f"{PLAUD}, Figure 3"},
        ),
    ),
    **entries_of(
        "per_sample",
        _METRICS,
        (
            "ihf1",
            "ihF1 of this sample",
            "Hierarchical F1 of the predicted set in bits, ancestors added.",
            rf"\frac{{2\,I({_AUGMENTED} \cap Y_i)}}{{I({_AUGMENTED}) + I(Y_i)}}",
            {"source": f"{PLAUD}, Table 7"},
        ),
        (
            "n_predicted",
            "Predicted nodes",
            "How many nodes are predicted, as listed or above the threshold, root left out.",
            rf"|{_SET}|",
            {**_GRAPH, "range": COUNT, "better": "neither", "unit": "nodes", "source": "hierviz"},
        ),
    ),
}
