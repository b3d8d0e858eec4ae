r"""How two models differ on the same samples: the test of a difference of means, its interval, and their words.

Conventions
-----------
The difference is B less A. One run each of 0/1 values of independent samples: exact binomial test of the discordant pairs, and
Tango's score interval. Grouped samples: paired bootstrap of whole groups. Several runs: mean over them, with the variance of the
runs (`hierviz.uncertainty.repeats.with_runs`).

Functions
---------
difference_of_means, difference_of_recall, points, table_of, PairedDifference
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.diagnosis.many_tests import discordant_p_values
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import fixed_text, percent_text, probability_text
from hierviz.metrics.path import path_metrics
from hierviz.uncertainty.bootstrap import bootstrap_means
from hierviz.uncertainty.model_difference import difference_of_models
from hierviz.uncertainty.paired_proportions import score_interval
from hierviz.uncertainty.repeats import with_runs
from hierviz.uncertainty.resamples import FEWEST, FEWEST_WRONG, Resamples, leaves_too_few_wrong, too_few_units

EXACT_TEST, GROUP_TEST, RUN_TEST = "exact binomial test", "paired bootstrap of whole groups", "bootstrap and runs"
CURVE_TEST = "paired bootstrap of both curves"


@dataclass(frozen=True)
class PairedDifference(Short):
    """B less A on the same samples.

    Attributes
    ----------
    estimate : float
        Of the share of right answers, or of information recall; in [-1, 1].
    lower, upper : float
        Its interval; nan where there is none.
    p_value : float
        Two-sided; nan where the test is the interval.
    test : str
        How interval and p-value were made.
    confidence : float
    reason : str
        Why there is neither interval nor p-value, in words; empty where there is one.
    """

    estimate: float
    lower: float
    upper: float
    p_value: float
    test: str
    confidence: float
    reason: str = ""

    @property
    def is_clear(self) -> bool:
        """Whether the test, or the interval where there is no p-value, says that there is a difference."""
        if np.isfinite(self.p_value):
            return bool(self.p_value <= 1 - self.confidence + 1e-12)
        return bool(self.lower > 0 or self.upper < 0)

    def words(self, names: tuple[str, str]) -> str:
        """Difference, interval and p-value, for the inside of a sentence: of the model that is higher less the other one.

        `names` are those of A and B.
        """
        (a, b), estimate, lower, upper = names, self.estimate, self.lower, self.upper
        if estimate < 0:
            a, b, estimate, lower, upper = b, a, -estimate, -upper, -lower
        said = f"{b} less {a}: {points(estimate)}"
        if np.isnan(lower):
            return said
        p = f", p = {probability_text(self.p_value)}" if np.isfinite(self.p_value) else ""
        return f"{said}, {100 * self.confidence:g} % interval [{points(lower, False)}, {points(upper, False)}]{p}"


def points(difference: float, with_unit: bool = True) -> str:
    """A difference of shares in percentage points, with its sign."""
    text = fixed_text(100 * float(difference), 1)
    sign = "" if text.startswith("-") or float(text) == 0 else "+"
    return f"{sign}{text.replace('-', '−')}{' points' if with_unit else ''}"


def difference_of_means(values, groups, confidence, progress):
    """The PairedDifference of the means of values, each of shape (n_runs, n_samples)."""
    own = values[1].mean(axis=0) - values[0].mean(axis=0)
    n, estimate, has_runs = len(own), float(own.mean()), max(map(len, values)) > 1
    is_binary = not has_runs and all(np.isin(of, (0.0, 1.0)).all() for of in values)
    if groups is None and is_binary:
        gained, lost = int((own > 0).sum()), int((own < 0).sum())
        p = float(discordant_p_values(np.array([gained]), np.array([lost]))[0])
        ends = score_interval(gained, lost, n, confidence) if n >= FEWEST else (np.nan, np.nan)
        p = p if n >= FEWEST else np.nan
        reason = too_few_units(n, False) or ""
        return PairedDifference(estimate, float(ends[0]), float(ends[1]), p, EXACT_TEST, confidence, reason)
    if groups is not None and not groups.any():
        reason = too_few_units(1, True) or ""
        return PairedDifference(estimate, np.nan, np.nan, np.nan, GROUP_TEST, confidence, reason)
    resamples = Resamples.draw(n, groups=groups)
    found = bootstrap_means(own, resamples, level=confidence, progress=progress)
    if not has_runs:
        test = GROUP_TEST if groups is not None else "paired bootstrap"
        return _bootstrapped(found, np.nan, test)
    found, p = with_runs(found, [of.mean(axis=1) for of in values])
    return _bootstrapped(found, float(p), RUN_TEST)


def _bootstrapped(found, p, test, reason=""):
    """The PairedDifference of an Interval, with the reason where it has no ends."""
    estimate, lower, upper = (float(of) for of in (found.estimate, found.lower, found.upper))
    if np.isnan(lower):
        reason = found.resamples.why_no_interval or reason or "too many resamples lack the number"
    else:
        reason = ""
    return PairedDifference(estimate, lower, upper, p, test, found.level, reason)


def difference_of_recall(pair, correct, groups, confidence, progress):
    """Difference of information recall where the same share of answers is correct, on all common samples.

    Of one run each, both curves are computed again in each resample; of several, the thresholds are held.
    """
    if max(pair.n_runs) > 1:
        return difference_of_means([pair.each(method, _info_recall) for method in (0, 1)], groups, confidence, progress)
    taxonomy, truth = pair.taxonomy, np.asarray(pair.truth)
    second, first = (table_of(pair.runs[method][0], pair.places[method][0]) for method in (1, 0))
    resamples = Resamples.draw(pair.n_samples, groups=groups)
    found = difference_of_models(
        taxonomy, truth, second, first, resamples, correct=(correct,), level=confidence, progress=progress
    ).at_correct.part(0)
    reason = ""
    if leaves_too_few_wrong(pair.n_samples, correct):
        n_wrong = fixed_text(pair.n_samples * (1 - correct), 1).removesuffix(".0")
        reason = (
            f"at {percent_text(correct)} correct answers {pair.n_samples:,} samples have {n_wrong} wrong ones, and an interval "
            f"needs at least {FEWEST_WRONG}"
        )
    return _bootstrapped(found, np.nan, CURVE_TEST, reason)


def _info_recall(answers):
    return path_metrics(answers.taxonomy, *answers.single)["info_recall"]


def table_of(answers, places):
    """ParetoTable of some samples."""
    model = answers.evaluation
    return model.judged_table if len(places) == model.n_judged else model.table.take(answers.rows[places])
