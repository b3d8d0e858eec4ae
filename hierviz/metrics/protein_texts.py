"""What F-max and S-min are called, mean and come from: entries for `METRICS`; nothing is computed here."""

from __future__ import annotations

from hierviz.metrics.entry import POSITIVE, entries_of

PROTEIN_METRICS = entries_of(
    "labels",
    "Zhou et al., Genome Biology 2019 (CAFA)",
    (
        "f_max",
        "F-max",
        "Largest F1 of mean precision and mean recall of predicted terms over the thresholds .01 to .99, without the root.",
        r"\max_\tau \frac{2\, \overline{pr}(\tau)\, \overline{rc}(\tau)}{\overline{pr}(\tau) + \overline{rc}(\tau)}",
        {},
    ),
    (
        "f_max_micro",
        "F-max micro",
        "As F-max, with precision and recall of the terms of all proteins together.",
        r"\max_\tau \frac{2TP(\tau)}{2TP(\tau) + FP(\tau) + FN(\tau)}",
        {},
    ),
    (
        "wf_max",
        "Weighted F-max",
        "As F-max, every term weighed by its information accretion.",
        r"\max_\tau F_1(\tau), \quad IA(v) = -\log_2 \frac{n(v)}{n(\text{all parents of } v)}",
        {},
    ),
    (
        "wf_max_micro",
        "Weighted F-max micro",
        "As F-max micro, every term weighed by its information accretion.",
        r"\max_\tau F_1(\tau) \text{ of summed } IA",
        {},
    ),
    (
        "s_min",
        "S-min",
        "Smallest distance of mean remaining uncertainty and mean misinformation from nothing missed and nothing wrong.",
        r"\min_\tau \sqrt{ru(\tau)^2 + mi(\tau)^2}",
        {"better": "lower", "range": POSITIVE, "unit": "bits", "source": "Clark & Radivojac, Bioinformatics 2013"},
    ),
    (
        "s_min_micro",
        "S-min micro",
        "As S-min, of the terms of all proteins together: the same number, as both means of S-min run over all proteins.",
        r"\min_\tau \sqrt{\left(\tfrac{1}{n} \sum ru(\tau)\right)^2 + \left(\tfrac{1}{n} \sum mi(\tau)\right)^2}",
        {"better": "lower", "range": POSITIVE, "unit": "bits", "source": "Clark & Radivojac, Bioinformatics 2013"},
    ),
    tree_only=False,
)
