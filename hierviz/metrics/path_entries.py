"""The metrics of one answer against one truth, each with its function: entries for `METRICS`.

To add one, write a function of `hierviz.metrics.node_pairs.NodePairs` there and an entry here: it is then in the evaluation,
the tables, the axes and goals of the operating curves and `docs/metrics.md`.

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

from hierviz.metrics import node_pairs
from hierviz.metrics.entry import COUNT, POSITIVE, PathMetric, entries_of

VALMADRE = "Valmadre, NeurIPS 2022"
_PREDICTED_NOTE = "An answer below the truth is first truncated to the truth."


def _counting(prefix, counts, value, unit, wrong, missing):
    """Precision, recall, F1 and distance by information or by depth."""

    def of(function):
        return lambda pairs: function(getattr(pairs, counts))

    return (
        (
            f"{prefix}_precision",
            f"{counts.capitalize()} precision",
            f"{unit.capitalize()} that answer and truth share, over those of the answer. {_PREDICTED_NOTE}",
            rf"P = {value}(\mathrm{{lca}}(y, \hat y)) \,/\, {value}(\hat y)",
            {"function": of(node_pairs.precision), "counts": counts, "brief": "Prec.", "loss": wrong}
            | {"is_best_at_root": True},
        ),
        (
            f"{prefix}_recall",
            f"{counts.capitalize()} recall",
            f"{unit.capitalize()} that answer and truth share, over those of the truth. {_PREDICTED_NOTE}",
            rf"R = {value}(\mathrm{{lca}}(y, \hat y)) \,/\, {value}(y)",
            {"function": of(node_pairs.recall), "counts": counts, "brief": "Recall", "loss": missing},
        ),
        (
            f"{prefix}_f1",
            f"{counts.capitalize()} F1",
            "Harmonic mean of precision and recall of each sample; the mean is over samples.",
            r"F_1 = 2PR / (P + R)",
            {"function": of(node_pairs.f1), "counts": counts, "brief": "F1"},
        ),
        (
            f"{prefix}_dist",
            f"{counts.capitalize()} distance",
            f"{unit.capitalize()} on the way from the answer to the truth through their lowest common ancestor.",
            rf"d = {value}(y) + {value}(\hat y) - 2\,{value}(\mathrm{{lca}}(y, \hat y))",
            {"function": of(node_pairs.distance), "counts": counts, "brief": "Dist."}
            | {"range": POSITIVE, "better": "lower", "unit": unit},
        ),
    )


PATH_METRICS = entries_of(
    "predicted",
    VALMADRE,
    (
        "exact",
        "Exact",
        f"The answer is the truth. {_PREDICTED_NOTE}",
        r"[\hat y = y]",
        {"function": node_pairs.exact, "brief": "Exact", "loss": "answers that are not exact", "is_binary": True},
    ),
    (
        "correct",
        "Correct",
        f"The answer is the truth or one of its ancestors, the root included. {_PREDICTED_NOTE}",
        r"[\mathrm{lca}(y, \hat y) = \hat y]",
        {"function": node_pairs.correct, "brief": "Corr.", "loss": "wrong answers"}
        | {"is_binary": True, "is_best_at_root": True},
    ),
    (
        "no_answer",
        "No answer",
        "The answer is the root, and the truth is not: it says nothing, and counts as correct.",
        r"[\hat y = \text{root} \ne y]",
        {"function": node_pairs.no_answer, "brief": "No ans.", "better": "lower", "is_binary": True}
        | {"source": "hierviz"},
    ),
    *_counting(
        "info",
        "information",
        "I",
        "bits",
        wrong="wrong information (1 − precision)",
        missing="missing information (1 − recall)",
    ),
    *_counting(
        "depth",
        "depth",
        "D",
        "edges",
        wrong="wrong depth (1 − precision by depth)",
        missing="missing depth (1 − recall by depth)",
    ),
    kind=PathMetric,
)

# How many samples have each outcome (`hierviz.metrics.outcomes`); they add up to all.
OUTCOME_COUNTS = entries_of(
    "predicted",
    "hierviz",
    *(
        (
            f"n_{key}",
            f"Samples: {label}",
            f"How many samples have this outcome: the answer is {meaning}.",
            rf"\#\{{i : {formula}\}}",
            {"range": COUNT, "better": better, "unit": "samples"},
        )
        for key, label, meaning, formula, better in (
            ("exact", "exact", "the truth or below it", r"\hat y_i = y_i", "higher"),
            (
                "coarse",
                "correct but coarse",
                "an ancestor of the truth, not the root",
                r"\text{root} \ne \hat y_i \ne y_i,\ \mathrm{lca}(y_i, \hat y_i) = \hat y_i",
                "neither",
            ),
            ("no_answer", "no answer", "the root, and the truth is not", r"\hat y_i = \text{root} \ne y_i", "lower"),
            (
                "wrong",
                "wrong",
                "neither the truth nor above or below it",
                r"\mathrm{lca}(y_i, \hat y_i) \ne \hat y_i",
                "lower",
            ),
        )
    ),
)
