"""Are answers as often right as their confidence says? Before and after the map that it was calibrated by.

Functions
---------
confidence_reliability, confidence_sentence
"""

from __future__ import annotations

import numpy as np

from hierviz.diagnosis._reliability import Reliability
from hierviz.diagnosis.calibration_bins import judged_pairs
from hierviz.diagnosis.many_tests import USUAL_TESTS, ManyTests
from hierviz.evaluation._answer_confidence import AnswerConfidence
from hierviz.messages.number_text import fixed_text
from hierviz.taxonomy.checks import check_kind

# At most so many bins, of at least so many samples, and the level of their intervals.
BINS, LEVEL = (15, 20), 0.95


def confidence_reliability(
    found: AnswerConfidence, rows: np.ndarray | None = None, *, tests: ManyTests = USUAL_TESTS
) -> Reliability:
    """Calibration of the confidence of the answers of a model, before and after the map that it was calibrated by.

    Parameters
    ----------
    found : AnswerConfidence
        Of `hierviz.evaluation.answer_confidence`.
    rows : ndarray of int, optional
        Samples; all if not given. Those whose answer is the root, or whose truth is not known to be a leaf, are left out.
    tests : ManyTests
        Of both rows together.

    Returns
    -------
    Reliability
        A row for p of the answer and, where there is a map, one for its confidence.
    """
    check_kind("found", found, AnswerConfidence, "hierviz.evaluation.answer_confidence(evaluation) makes one.")
    rows = np.flatnonzero(found.evaluation.judged) if rows is None else rows
    used = rows[~np.isnan(found.p[rows]) & ~np.isnan(found.is_right[rows])]
    of = {"p of the answer": found.p}
    if found.how != "none":
        of[f"confidence by {found.way}"] = found.confidence
    pairs = [(values[used], found.is_right[used] == 1) for values in of.values()]
    judged = judged_pairs(pairs, BINS, LEVEL, tests, np.random.default_rng(tests.seed))
    neither = np.full(len(of), -1, dtype=np.intp)
    left_out = np.full(len(of), len(rows) - len(used))
    n, names = len(rows), tuple(of)
    return Reliability(
        found.evaluation.taxonomy, neither, neither, n_samples=n, n_used=n, n_left_out=left_out, names=names, **judged
    )


def confidence_sentence(found: AnswerConfidence, judged: Reliability) -> str:
    """What the map does to the calibration error of the confidence of the answers."""
    before, after, usual = (fixed_text(float(value), 3) for value in (*judged.ece[[0, -1]], judged.null_mean[-1]))
    return (
        f"Confidence of the answers {found.said}: ECE {after}, {usual} if it were calibrated, in place of {before} of p "
        f"({int(judged.n[0]):,} answers below the root)."
    )
