"""Panel "Uncertainty": bands and intervals from resamples, and whether two models clearly differ."""

import contextlib
from dataclasses import dataclass
from functools import partial

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.curve_panels import model_differences
from hierviz.app.curve_panels.choosing import Setting, group_of, group_setting
from hierviz.app.state.current import bound_member
from hierviz.app.widgets.progress import worked_out
from hierviz.evaluation.bounds import bounded_curve, why_no_bounds
from hierviz.evaluation.model_table import answer_intervals, model_intervals
from hierviz.messages.errors import HiervizError, PredictionsError
from hierviz.uncertainty.comparison import fewest_resamples, never_reached
from hierviz.uncertainty.repeats import summary_over_repeats
from hierviz.uncertainty.resamples import Resamples

# With fewer no difference of two models can be called clear at 95 %.
FEWEST, MOST = fewest_resamples(0.95), 100_000
# Samples up to which intervals are computed before anyone asks for them.
MOST_AHEAD = 20_000
RESAMPLES = Setting(
    "n_resamples",
    "Resamples",
    1000,
    140,
    numbers=(FEWEST, MOST, 100, None),
    help="More resamples give smoother bands and take longer; 1000 is usual.",
)
SEED = Setting("seed", "Seed", 0, 120, numbers=(0, 2**31, 1, None), help="The same seed draws the same samples.")
GROUP = group_setting("group", "whole groups are resampled, which gives wider bands.")


@dataclass(frozen=True)
class Settings:
    """How samples are resampled; `group` is a column of the sample table, or None."""

    n_resamples: int = 1000
    seed: int = 0
    group: str | None = None

    def resamples(self, samples):
        """The Resamples of some JudgedSamples; an error where these are too few for intervals."""
        groups = None if self.group is None else samples.groups(self.group)
        found = Resamples.draw(samples.n_samples, self.n_resamples, self.seed, groups)
        if found.why_no_interval is not None:
            raise PredictionsError(f"intervals: {found.why_no_interval}. Add samples, or choose other groups.")
        return found

    def to_json(self):
        """As in an operating point."""
        return {"n_resamples": self.n_resamples, "seed": self.seed, "group": self.group, "level": 0.95}


def is_on():
    """Whether bands and intervals are wanted."""
    return "bands" in state.view().drawn


def settings(choice):
    """The Settings chosen."""
    return Settings(RESAMPLES.value(), SEED.value(), group_of(GROUP, choice))


def intervals(choice):
    """ModelIntervals of every model by key; empty where they are not wanted, were cancelled, or the data allow none."""
    if not is_on():
        return {}
    how, found = settings(choice), {}
    try:
        work = _bootstraps(choice, how)
    except HiervizError:
        return {}  # the panel shows why
    for (key, run), made in work.items():
        found[key] = choice.worked_out("intervals", "Bands and intervals", made, *_mark(key, how, run))
        if found[key] is None:
            return {}
    return found


def bands_of_runs(choice, keys):
    """CurveBands of every run of some methods, by key; empty as `intervals`."""
    first = intervals(choice)
    if not first or not set(keys) <= first.keys():
        return {}
    how, found = settings(choice), {key: [first[key].bands] for key in keys}
    for (key, run), made in _bootstraps(choice, how, keys).items():
        if run:
            one = choice.worked_out("intervals", "Bands and intervals", made, *_mark(key, how, run))
            if one is None:
                return {}
            found[key].append(one.bands)
    return found


def ahead(choice):
    """Begin with the bands and intervals of models that are likely to be compared, where that takes seconds."""
    how = settings(choice)
    if choice.first_samples().n_samples > MOST_AHEAD:
        return
    with contextlib.suppress(HiervizError):
        for (key, run), made in _bootstraps(choice, how, choice.keys).items():
            choice.ahead("intervals", made, *_mark(key, how, run))


def _mark(key, how, run):
    """What the ModelIntervals of a run depend on."""
    return (key, how, run) if run else (key, how)


def _bootstraps(choice, how, all_runs_of=()):
    """What makes the ModelIntervals of the first run of each model, and of all runs of some, by (key, number of the run)."""
    resamples = how.resamples(choice.first_samples())
    samples = {
        (key, run): one
        for key, runs in choice.samples_of_runs().items()
        for run, one in enumerate(runs if key in all_runs_of else runs[:1])
    }

    def made(which, place, stages):
        who = f"Bootstrap of {choice.name(which[0])}, model {place} of {len(samples)}"
        return model_intervals(samples[which], resamples, progress=stages(who, "resamples"))

    return {which: partial(made, which, place) for place, which in enumerate(samples, 1)}


def prepare(choice):
    """Compute what takes long: bands, and the intervals at the thresholds of the view."""
    bands(choice)
    if intervals(choice) and state.view().panel == "uncertainty" and len(choice.keys) > 1:
        bands_of_runs(choice, model_differences.pair(choice, state.shown_model_of(choice.keys)))
        model_differences.prepare(choice, settings(choice))
    for key in choice.keys:
        at(choice, key, state.view().threshold_of(key))


def shown(choice):
    """What the bands depend on, for keys of caches; None without bands."""
    return settings(choice) if is_on() else None


def bands(choice):
    """Bands by name for the chart, or None: CurveBands where they are wanted, else the bounds that unknown scores leave."""
    found = {choice.name(key): intervals_of_model.bands for key, intervals_of_model in intervals(choice).items()}
    return found or bounds(choice) or None


def bounds(choice):
    """BoundedCurve by name of the models whose file lists some scores of each sample only."""
    return {
        choice.name(key): band
        for key, model in choice.models.items()
        if model.predictions.has_unknown and why_no_bounds(model) is None
        if (band := _bounds_of(choice, key, model)) is not None
    }


def _bounds_of(choice, key, model):
    what = f"Bounds of {choice.name(key)}"
    return worked_out("curve bounds", (choice.data_key, key), what, lambda told: bounded_curve(model, told), "rows")


def at(choice, key, threshold):
    """Intervals of one model's answers at any threshold: dict of metric to Interval; empty where they are not wanted."""
    if not intervals(choice):
        return {}
    samples, how, name = choice.samples()[key], settings(choice), choice.name(key)

    def made(stages):
        told = stages(f"Bootstrap of the answers of {name}", "resamples")
        return answer_intervals(samples, threshold, how.resamples(choice.first_samples()), progress=told)

    what = f"Intervals of the answers of {name}"
    return choice.worked_out("answer intervals", what, made, key, threshold, how) or {}


def comparison(choice, model):
    """How a model of the page compares with the others, in words; empty where it is alone."""
    if len(choice.keys) < 2:
        return ""
    try:
        samples = choice.samples()
    except HiervizError:
        return ""  # they share no sample, as the panels show
    n, spans = choice.first_samples().n_samples, intervals(choice)
    numbers_by_name = {
        sample.name: spans[key].numbers if spans else sample.curve.summary() for key, sample in samples.items()
    }
    never = {sample.name: never_reached(sample.curve) for sample in samples.values()}
    if choice.runs:
        # The lines are means over runs: resamples of the first run are not about them.
        for key, runs in choice.runs.items():
            means = summary_over_repeats([run.curve for run in runs])
            numbers_by_name[choice.name(key)] = {name: one.mean for name, one in means.items()}
        plain = {
            name: {key: float(getattr(value, "estimate", value)) for key, value in values.items()}
            for name, values in numbers_by_name.items()
        }
        words = charts.comparison_sentence(plain, choice.name(model), n)
        return f"{words} Means over runs; the table on the page Compare shows which differences are clear."
    words = charts.comparison_sentence(numbers_by_name, choice.name(model), n, never=never)
    return words if spans else f"{words} Bands and intervals can be switched on under Uncertainty."


def panel(choice, now):
    """Controls, what they mean, and the difference of two models."""
    st.markdown(
        "Bootstrap: the samples are resampled with replacement, and the pale bands and the intervals contain the middle 95 % of "
        "the resampled values; shares of samples, such as Correct, have Wilson's interval. Only the samples vary; the models "
        "are not trained again."
        + (
            " Between methods with several runs the interval also contains the spread between their runs."
            if choice.runs
            else ""
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.toggle("Show bands and intervals", **bound_member("drawn", "bands"))
        for setting in (RESAMPLES, SEED, GROUP):
            setting.ask(choice)
    if not is_on():
        st.markdown(
            "Switch on bands and intervals to see bands on the curves, intervals in every table, and which models clearly differ."
        )
        return
    settings(choice).resamples(choice.first_samples())  # an error says why there are no intervals
    if not intervals(choice):
        return  # cancelled, as the page notes above the chart
    if len(choice.keys) > 1:
        shown = model_differences.pair(choice, now.model)
        model_differences.panel(choice, now, settings(choice), bands_of_runs(choice, shown))
    else:
        st.markdown("Add a second model to the chart to see the difference of the two here.")
