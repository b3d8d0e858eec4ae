"""The numbers of block ``labels``, and those of protein function: entries for `METRICS`.

References
----------
.. [1] R. Plaud, M. Labeau, A. Saillenfest, T. Bonald, Revisiting hierarchical text classification: inference and
       metrics, CoNLL 2024.
"""

from __future__ import annotations

from hierviz.metrics.entry import BITS, COUNT, SAMPLES, entries_of
from hierviz.metrics.parts import ByNode, f1_of, ratio_of

PLAUD = "Plaud et al., CoNLL 2024"
KIRITCHENKO = "Kiritchenko et al., Canadian AI 2006"

LABEL_METRICS = {
    **entries_of(
        "labels",
        PLAUD,
        r"""
        micro_precision: Micro precision
            Share of all predicted nodes that are true; every node but the root is one label.
            $ \sum_i |\hat Y_i \cap Y_i| \,/\, \sum_i |\hat Y_i|

        micro_recall: Micro recall
            Share of all true nodes that are predicted.
            $ \sum_i |\hat Y_i \cap Y_i| \,/\, \sum_i |Y_i|

        micro_f1: Micro F1
            Harmonic mean of micro precision and recall; frequent nodes weigh most.
            $ 2TP / (2TP + FP + FN)

        macro_f1: Macro F1
            Mean F1 of all nodes, each with the same weight; a node without any sample counts as 0.
            $ \frac{1}{|V|} \sum_{v \in V} \frac{2TP_v}{2TP_v + FP_v + FN_v}

        macro_f1_supported: Macro F1 of nodes with samples
            Mean F1 of the nodes that are true for at least one sample.
            $ \mathrm{mean}\{F_1(v) : TP_v + FN_v > 0\}
            [hierviz, a variant of macro F1]

        hamming_loss: Hamming loss
            Share of all sample-node pairs that are wrong; small because most nodes are correctly not predicted. A
            predicted label outside the taxonomy counts as a wrong pair, so many of them can bring it above 1.
            $ (FP + FN) / (n\,|V|)
            [Plaud et al., CoNLL 2024, Table 2 (in per mille)]

        c_f1_micro: C-F1 micro
            Micro F1 after removing every predicted node of which an ancestor is not predicted.
            $ F_1 \text{ of } \{y \in \hat Y_i : A(y) \subseteq \hat Y_i\}
            [Plaud et al., CoNLL 2024, Table 6 (path-constrained F1, read as pruning)]

        c_f1_macro: C-F1 macro
            Macro F1 after removing every predicted node of which an ancestor is not predicted.
            $ \mathrm{mean}_v\, F_1(v) \text{ of } \{y \in \hat Y_i : A(y) \subseteq \hat Y_i\}
            [Plaud et al., CoNLL 2024, Table 6 (path-constrained F1, read as pruning)]

        c_f1_micro_strict: Strict C-F1 micro
            Micro F1 in which a predicted node of which an ancestor is not predicted is wrong, even when it is true.
            $ y \in TP \Leftrightarrow y \in Y_i,\ A(y) \subseteq \hat Y_i
            [HierVerb (Ji et al., ACL 2023), code; quoted by Plaud et al., CoNLL 2024]

        c_f1_macro_strict: Strict C-F1 macro
            Macro F1 in which a predicted node of which an ancestor is not predicted is wrong, even when it is true.
            $ y \in TP \Leftrightarrow y \in Y_i,\ A(y) \subseteq \hat Y_i
            [HierVerb (Ji et al., ACL 2023), code; quoted by Plaud et al., CoNLL 2024]

        hf1_samples: hF1 sample mean
            Hierarchical F1 of each sample's predicted set, ancestors added; 0 where nothing is predicted.
            $ \frac{1}{n} \sum_i \frac{2|\hat Y_i^{+} \cap Y_i|}{|\hat Y_i^{+}| + |Y_i|}

        hf1_micro: hF1 micro
            Hierarchical F1 from nodes summed over all samples, ancestors added; equals micro F1 for coherent sets.
            $ \frac{2 \sum_i |\hat Y_i^{+} \cap Y_i|}{\sum_i |\hat Y_i^{+}| + \sum_i |Y_i|}
            [Plaud et al., CoNLL 2024, Proposition 1]

        hp_samples: hP sample mean
            Share of the predicted nodes, ancestors added, that are true; 1 where nothing is predicted.
            $ \frac{1}{n} \sum_i |\hat Y_i^{+} \cap Y_i| \,/\, |\hat Y_i^{+}|

        hr_samples: hR sample mean
            Share of the true nodes that are predicted, ancestors added.
            $ \frac{1}{n} \sum_i |\hat Y_i^{+} \cap Y_i| \,/\, |Y_i|

        ihf1_samples: ihF1 sample mean
            Hierarchical F1 with each node weighted by the bits it adds to its parent; a node without siblings adds
            none.
            $ \frac{1}{n} \sum_i \frac{2\,I(\hat Y_i^{+} \cap Y_i)}{I(\hat Y_i^{+}) + I(Y_i)}
            [Plaud et al., CoNLL 2024, Table 7]

        ihf1_micro: ihF1 micro
            Information-weighted hierarchical F1 from bits summed over all samples.
            $ \frac{2 \sum_i I(\hat Y_i^{+} \cap Y_i)}{\sum_i I(\hat Y_i^{+}) + \sum_i I(Y_i)}
            [Plaud et al., CoNLL 2024, Table 7]

        hp_micro: hP micro
            Nodes that are predicted, ancestors added, and true, over all predicted ones; a ratio of sums.
            $ \sum_i |\hat Y_i^{+} \cap Y_i| \,/\, \sum_i |\hat Y_i^{+}|
            [Kiritchenko et al., Canadian AI 2006]

        hr_micro: hR micro
            Nodes that are predicted, ancestors added, and true, over all true ones; a ratio of sums.
            $ \sum_i |\hat Y_i^{+} \cap Y_i| \,/\, \sum_i |Y_i|
            [Kiritchenko et al., Canadian AI 2006]

        subset_accuracy: Subset accuracy
            Share of samples whose predicted set, as listed or above the threshold, is the true set with all ancestors.
            $ \mathrm{mean}\,[\hat Y_i = Y_i]
            [Remus, Aly & Biemann, KONVENS 2019]

        n_empty: Empty predictions
            How many samples get no answer: no predicted node at all, or the root alone, also where the truth is the
            root.
            $ \#\{i : \hat Y_i = \emptyset\}
            [hierviz]

        n_incoherent: Incoherent predictions
            How many samples have a predicted node without one of its ancestors.
            $ \#\{i : \hat Y_i \ne \hat Y_i^{+}\}

        hf1_auc: hF1 AUC
            Area under precision over recall of the predicted set, all thresholds, ancestors added; mean over samples.
            $ \frac{1}{n} \sum_i \int_0^1 hP_i \, d\,hR_i
            [Plaud et al., CoNLL 2024, Table 2; code compute_curve_hf1]

        ihf1_auc: ihF1 AUC
            Area under precision over recall in bits, all thresholds, ancestors added; mean over samples.
            $ \frac{1}{n} \sum_i \int_0^1 ihP_i \, d\,ihR_i
            [hierviz, after Plaud et al., CoNLL 2024, Table 7]

        hf1_auc_raw: hF1 AUC without ancestors
            The hF1 AUC of the authors' code, on the predicted nodes alone; for coherent scores the same as hF1 AUC.
            $ \frac{1}{n} \sum_i \int_0^1 P_i \, dR_i
            [Plaud et al., CoNLL 2024, code compute_curve_hf1]

        macro_f1_by_depth: Macro F1 by depth
            Mean F1 of the nodes of each depth; the children of the root are depth 1.
            $ \mathrm{mean}\{F_1(v) : d(v) = k\}, \quad k = 1, 2, \dots
            [Plaud et al., CoNLL 2024, Figure 3]
        """,
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
        n_incoherent=SAMPLES,
        ihf1_auc={"tree_only": True},
        macro_f1_by_depth={"tree_only": True, "made": ByNode(over="depth")},
    ),
    **entries_of(
        "per_sample",
        f"{PLAUD}, Table 7",
        r"""
        ihf1: ihF1 of this sample
            Hierarchical F1 of the predicted set in bits, ancestors added.
            $ \frac{2\,I(\hat Y_i^{+} \cap Y_i)}{I(\hat Y_i^{+}) + I(Y_i)}

        n_predicted: Predicted nodes
            How many nodes are predicted, as listed or above the threshold, root left out.
            $ |\hat Y_i|
            [hierviz]
        """,
        tree_only=False,
        ihf1={"tree_only": True},
        n_predicted={"range": COUNT, "better": "neither", "unit": "nodes"},
    ),
}
# Over all thresholds, and only where they are asked for.
PROTEIN_METRICS = {
    **entries_of(
        "labels",
        "Zhou et al., Genome Biology 2019 (CAFA)",
        r"""
        f_max: F-max
            Largest F1 of mean precision and mean recall of predicted terms over the thresholds .01 to .99, without the
            root.
            $ \max_\tau \frac{2\, \overline{pr}(\tau)\, \overline{rc}(\tau)}{\overline{pr}(\tau) + \overline{rc}(\tau)}

        f_max_micro: F-max micro
            As F-max, with precision and recall of the terms of all proteins together.
            $ \max_\tau \frac{2TP(\tau)}{2TP(\tau) + FP(\tau) + FN(\tau)}

        wf_max: Weighted F-max
            As F-max, every term weighed by its information accretion.
            $ \max_\tau F_1(\tau), \quad IA(v) = -\log_2 \frac{n(v)}{n(\text{all parents of } v)}

        wf_max_micro: Weighted F-max micro
            As F-max micro, every term weighed by its information accretion.
            $ \max_\tau F_1(\tau) \text{ of summed } IA

        s_min: S-min
            Smallest distance of mean remaining uncertainty and mean misinformation from nothing missed and nothing
            wrong.
            $ \min_\tau \sqrt{ru(\tau)^2 + mi(\tau)^2}
            [Clark & Radivojac, Bioinformatics 2013]

        s_min_micro: S-min micro
            As S-min, of the terms of all proteins together: the same number, as both means of S-min run over all
            proteins.
            $ \min_\tau \sqrt{\left(\tfrac{1}{n} \sum ru(\tau)\right)^2 + \left(\tfrac{1}{n} \sum mi(\tau)\right)^2}
            [Clark & Radivojac, Bioinformatics 2013]
        """,
        tree_only=False,
        made=None,
        s_min=BITS,
        s_min_micro=BITS,
    ),
}
