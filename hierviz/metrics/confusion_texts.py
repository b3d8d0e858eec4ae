"""What the numbers of the hierarchical confusion are called, mean and come from: entries for `METRICS`.

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation, 2023.
.. [2] S. Kiritchenko et al., Learning and evaluation in the presence of class hierarchies, Canadian AI 2006.
"""

from __future__ import annotations

from hierviz.metrics.entry import COUNT, entries_of

RIEHL = "Riehl, Neunteufel & Hemberg, JRSS-C 2023"
KIRITCHENKO = "Kiritchenko et al., Canadian AI 2006"

CONFUSION_METRICS = {
    **entries_of(
        "confusion",
        RIEHL,
        (
            "tp",
            "True positives",
            "Nodes on both the answer's and the true path, root left out.",
            r"TP = |\hat P \cap T|",
            {"range": COUNT, "unit": "nodes"},
        ),
        (
            "tn",
            "True negatives",
            "Siblings along the common path, and children of its last node, that are on neither path.",
            r"TN = |\bigcup_{n \in TP} \mathrm{sib}(n) \setminus T| + |\mathrm{ch}(z) \setminus (T \cup \hat P)|",
            {"range": COUNT, "unit": "nodes"},
        ),
        (
            "fp",
            "False positives",
            "Nodes of the answer's path that are not on the true path.",
            r"FP = |\hat P \setminus T|",
            {"range": COUNT, "better": "lower", "unit": "nodes"},
        ),
        (
            "fn",
            "False negatives",
            "Nodes of the true path that the answer does not reach.",
            r"FN = |T \setminus \hat P|",
            {"range": COUNT, "better": "lower", "unit": "nodes"},
        ),
        (
            "acc",
            "Accuracy (nodes)",
            "Share of counted nodes that are classified correctly; inflated by true negatives near the top.",
            r"(TP + TN) / (TP + TN + FP + FN)",
            {},
        ),
        ("ppv", "Precision (PPV)", "Share of answered nodes that are true.", r"TP / (TP + FP)", {}),
        ("tpr", "Recall (TPR)", "Share of true nodes that are answered.", r"TP / (TP + FN)", {}),
        ("fnr", "Miss rate (FNR)", "Share of true nodes that are missed.", r"FN / (TP + FN)", {"better": "lower"}),
        ("fpr", "Fall-out (FPR)", "Share of the negatives that are answered.", r"FP / (FP + TN)", {"better": "lower"}),
        ("tnr", "Specificity (TNR)", "Share of the negatives that are not answered.", r"TN / (FP + TN)", {}),
        (
            "pt",
            "Prevalence threshold",
            "Prevalence below which precision drops steeply; at this prevalence, precision is 1 minus the prevalence.",
            r"(\sqrt{TPR\,(1 - TNR)} + TNR - 1) / (TPR + TNR - 1)",
            {"better": "lower"},
        ),
        ("f1", "F1 (nodes)", "Harmonic mean of the precision and recall of nodes.", r"2TP / (2TP + FP + FN)", {}),
        (
            "mcc",
            "Matthews correlation",
            "Correlation of answered and true nodes. 0 is the level of chance; a constant answer is above it.",
            r"\frac{TP \cdot TN - FP \cdot FN}{\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}",
            {"range": (-1.0, 1.0)},
        ),
        tree_only=False,
    ),
    **entries_of(
        "per_sample",
        KIRITCHENKO,
        (
            "hp",
            "hP of this sample",
            "Share of the answer's path that is on the true path; 1 when the root is predicted.",
            r"hP = |\hat P \cap T| / |\hat P|",
            {},
        ),
        (
            "hr",
            "hR of this sample",
            "Share of the true path that is on the answer's path.",
            r"hR = |\hat P \cap T| / |T|",
            {},
        ),
        ("hf1", "hF of this sample", "Harmonic mean of hP and hR.", r"hF = 2\,hP\,hR / (hP + hR)", {}),
        tree_only=False,
    ),
}
