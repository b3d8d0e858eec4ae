"""The metrics of one answer against one truth, each with its function: entries for `METRICS`.

To add one, write a function of `hierviz.metrics.node_pairs.NodePairs` there and an entry here: it is then in the evaluation,
the tables, the axes and goals of the operating curves and `docs/metrics.md`.

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

from operator import attrgetter

from hierviz.metrics import node_pairs
from hierviz.metrics.entry import COUNT, POSITIVE, SAMPLES, PathMetric, entries_of
from hierviz.metrics.parts import Total

VALMADRE = "Valmadre, NeurIPS 2022"


def _counting(prefix, counts, value, unit, wrong, missing):
    """Precision, recall, F1 and distance by information or by depth."""

    def of(name, brief, **more):
        return {"function": attrgetter(f"{counts}.{name}"), "counts": counts, "brief": brief} | more

    words = rf"""
    {prefix}_precision: {counts.capitalize()} precision
        {unit.capitalize()} that answer and truth share, over those of the answer. An answer below the truth is first truncated
        to the truth.
        $ P = {value}(\mathrm{{lca}}(y, \hat y)) \,/\, {value}(\hat y)

    {prefix}_recall: {counts.capitalize()} recall
        {unit.capitalize()} that answer and truth share, over those of the truth. An answer below the truth is first truncated
        to the truth.
        $ R = {value}(\mathrm{{lca}}(y, \hat y)) \,/\, {value}(y)

    {prefix}_f1: {counts.capitalize()} F1
        Harmonic mean of precision and recall of each sample; the mean is over samples.
        $ F_1 = 2PR / (P + R)

    {prefix}_dist: {counts.capitalize()} distance
        {unit.capitalize()} on the way from the answer to the truth through their lowest common ancestor.
        $ d = {value}(y) + {value}(\hat y) - 2\,{value}(\mathrm{{lca}}(y, \hat y))
    """
    attributes = {
        f"{prefix}_precision": of("precision", "Prec.", loss=wrong, is_best_at_root=True),
        f"{prefix}_recall": of("recall", "Recall", loss=missing),
        f"{prefix}_f1": of("f1", "F1"),
        f"{prefix}_dist": of("distance", "Dist.", range=POSITIVE, better="lower", unit=unit),
    }
    return entries_of("predicted", VALMADRE, words, kind=PathMetric, **attributes)


PATH_METRICS = {
    **entries_of(
        "predicted",
        VALMADRE,
        r"""
        exact: Exact
            The answer is the truth. An answer below the truth is first truncated to the truth.
            $ [\hat y = y]

        correct: Correct
            The answer is the truth or one of its ancestors, the root included. An answer below the truth is first truncated to
            the truth.
            $ [\mathrm{lca}(y, \hat y) = \hat y]

        no_answer: No answer
            The answer is the root and the truth is not; Correct counts it as correct.
            $ [\hat y = \text{root} \ne y]
            [hierviz]
        """,
        kind=PathMetric,
        exact={"function": node_pairs.exact, "brief": "Exact", "loss": "answers that are not exact", "is_binary": True},
        correct={"function": node_pairs.correct, "brief": "Corr.", "loss": "wrong answers", "is_binary": True}
        | {"is_best_at_root": True},
        no_answer={"function": node_pairs.no_answer, "brief": "No ans.", "better": "lower", "is_binary": True},
    ),
    **_counting(
        "info",
        "information",
        "I",
        "bits",
        wrong="wrong information (1 − precision)",
        missing="missing information (1 − recall)",
    ),
    **_counting(
        "depth",
        "depth",
        "D",
        "edges",
        wrong="wrong depth (1 − precision by depth)",
        missing="missing depth (1 − recall by depth)",
    ),
}

# How many samples have each outcome (`hierviz.metrics.outcomes`); they add up to all.
OUTCOME_COUNTS = entries_of(
    "predicted",
    "hierviz",
    r"""
    n_exact: Samples: exact
        How many samples have this outcome: the answer is the truth or below it.
        $ \#\{i : \hat y_i = y_i\}

    n_coarse: Samples: correct but coarse
        How many samples have this outcome: the answer is an ancestor of the truth, not the root.
        $ \#\{i : \text{root} \ne \hat y_i \ne y_i,\ \mathrm{lca}(y_i, \hat y_i) = \hat y_i\}

    n_no_answer: Samples: no answer
        How many samples have this outcome: the answer is the root, and the truth is not.
        $ \#\{i : \hat y_i = \text{root} \ne y_i\}

    n_wrong: Samples: wrong
        How many samples have this outcome: the answer is neither the truth nor above or below it.
        $ \#\{i : \mathrm{lca}(y_i, \hat y_i) \ne \hat y_i\}
    """,
    n_exact={"range": COUNT, "unit": "samples", "made": Total},
    n_coarse={"range": COUNT, "better": "neither", "unit": "samples", "made": Total},
    n_no_answer=SAMPLES,
    n_wrong=SAMPLES,
)
