"""The outcome of an answer, in one word: the definition that all counts, filters and pictures share.

Conventions
-----------
An answer is *exact* (the truth or below it), *coarse* (an ancestor of the truth, not the root), *no answer* (the root, or an
empty set, where the truth is not the root itself) or *wrong*. `correct` in the sense of Valmadre [1]_ is all but *wrong*.

Functions
---------
OUTCOMES, is_no_answer, outcome_places, outcome_indicators, outcome_shares, answered_text, outcomes_text

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hierviz.messages.number_text import percent_text, shares_text

OUTCOMES = {"exact": "exact", "coarse": "correct but coarse", "no_answer": "no answer", "wrong": "wrong"}
_PLACES = {key: place for place, key in enumerate(OUTCOMES)}


def is_no_answer(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """True where a sample is answered by the root, which is not its truth: arrays of node numbers of one shape."""
    return (predicted == 0) & (truth != 0)


def outcome_places(is_exact: np.ndarray, is_correct: np.ndarray, without_answer: np.ndarray) -> np.ndarray:
    """Outcome of each answer as its place in `OUTCOMES`, int8; the first of exact, no answer and correct that holds."""
    outcomes = [(is_exact, "exact"), (without_answer, "no_answer"), (is_correct, "coarse")]
    holds, keys = zip(*outcomes)
    found = np.select([np.asarray(one, dtype=bool) for one in holds], [_PLACES[key] for key in keys], _PLACES["wrong"])
    return found.astype(np.int8)


def outcome_indicators(metrics: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Which answers have each outcome, from `hierviz.metrics.path_metrics`: arrays of bool by ``n_exact`` ... ``n_wrong``."""
    places = outcome_places(*(metrics[key] for key in ("exact", "correct", "no_answer")))
    return {f"n_{key}": places == place for key, place in _PLACES.items()}


def outcome_shares(means: Mapping[str, float]) -> dict[str, float]:
    """Share of the answers with each outcome, from means over samples, such as those of a curve at a threshold.

    Parameters
    ----------
    means : mapping of str to float
        ``exact``, ``correct`` and ``no_answer``, in [0, 1]; `correct` counts the samples without an answer.

    Returns
    -------
    dict of str to float
        By key of `OUTCOMES`; they add up to 1.

    Examples
    --------
    >>> outcome_shares({"exact": 0.5, "correct": 0.875, "no_answer": 0.125})
    {'exact': 0.5, 'coarse': 0.25, 'no_answer': 0.125, 'wrong': 0.125}
    """
    exact, correct, no_answer = (float(means[key]) for key in ("exact", "correct", "no_answer"))
    coarse = max(correct - exact - no_answer, 0.0)
    return {"exact": exact, "coarse": coarse, "no_answer": no_answer, "wrong": max(1 - correct, 0.0)}


def answered_text(no_answer: float, correct: float) -> str:
    """How many samples get no answer, and how many of the others are correct: both shares of all samples, in [0, 1].

    `correct` counts the samples without an answer, as Valmadre's does.

    Examples
    --------
    >>> answered_text(0.3, 0.95)
    '30.0 % get no answer; of the others 92.9 % are correct'
    >>> answered_text(0.0, 0.9), answered_text(1.0, 1.0)
    ('all samples get an answer', 'no sample gets an answer')
    """
    if no_answer <= 0:
        return "all samples get an answer"
    if no_answer >= 1:
        return "no sample gets an answer"
    return f"{percent_text(no_answer, 1)} get no answer; of the others {_correct_of_others(no_answer, correct)} are correct"


def _correct_of_others(no_answer: float, correct: float) -> str:
    return percent_text(min(max((correct - no_answer) / (1 - no_answer), 0.0), 1.0), 1)


def outcomes_text(counts: Mapping[str, int], bold: str = "{}") -> str:
    """How many answers have each outcome, in two sentences.

    Parameters
    ----------
    counts : dict of str to int
        Of `hierviz.diagnosis.mistakes.outcome_counts`; of sets nothing is coarse. Not all 0.
    bold : str
        How counts are marked, such as ``"**{}**"``.
    """
    n = sum(counts.values())
    shares = shares_text(counts.values())
    said = {
        key: f"{bold.format(f'{count:,}')} ({share})"
        for (key, count), share in zip(counts.items(), shares, strict=True)
    }
    if "coarse" in counts:
        parts = [f"{said['exact']} are exact", f"{said['coarse']} are correct but coarse (an ancestor of the truth)"]
        parts.append(f"{said['no_answer']} are no answer (only the root)")
    else:
        parts = [f"{said['exact']} are exactly the true classes", f"{said['no_answer']} are no answer (no class)"]
    text = f"of {n:,} answer{'s' * (n != 1)} {', '.join(parts)}, and {said['wrong']} are wrong."
    if "coarse" not in counts or not 0 < counts["no_answer"] < n:
        return text
    # The share without an answer is not repeated: those above are rounded so that they add up to 100 %.
    return f"{text} Of those with an answer {_correct_of_others(counts['no_answer'] / n, 1 - counts['wrong'] / n)} are correct."
