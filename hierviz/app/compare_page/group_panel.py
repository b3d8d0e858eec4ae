"""Where models are weak: a metric by part of the samples, the operating curves of the parts, and tests at each level."""

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import numbers
from hierviz.app.widgets.controls import behind_a_press, pick
from hierviz.app.widgets.figure import figure
from hierviz.app.widgets.frame import chart_and_controls
from hierviz.app.widgets.progress import is_wanted, worked_out
from hierviz.charts._facet_curves import MOST
from hierviz.diagnosis._level_matrix import level_matrix
from hierviz.diagnosis._means_by import DEPTH, N_LABELS, means_by, ways_to_divide
from hierviz.diagnosis.sample_values import sample_keys
from hierviz.evaluation.common_samples import curves_by, facet_columns, facets, judged_samples
from hierviz.messages.errors import HiervizError
from hierviz.metrics.registry import METRICS

# Curves that can be distinguished, and answers that are read unasked.
MOST_CURVES, AT_ONCE = 8, 20_000
PLAY = ":material/play_arrow:"
WORDS = {DEPTH: "depth of the truth", N_LABELS: "number of true labels", "train_count": "number of training samples"}


def draw(compared, _row):
    """What divides the samples, the metric, and a chart of all models."""
    runs = {key: compared.answers_of_runs(key) for key in compared.keys}
    answers = [of_method[0] for of_method in runs.values()]
    ways = ways_to_divide(answers[0])
    keys = [key for key in sample_keys(answers[0]) if all(key in sample_keys(one) for one in answers[1:])]
    main, side, width = chart_and_controls()
    with side, behind_a_press("Groups", "tune"), st.container(horizontal=True):
        by = pick("Divide the samples by", {way: WORDS.get(way, way) for way in ways}, "by", width=260)
        metric = pick("Metric", {key: METRICS[key].label for key in keys}, "metric", width=260)
    found = {
        compared.name(key): compared.computed(
            "means by", key, lambda own=own: means_by(own, by, metric=metric), by, metric
        )
        for key, own in runs.items()
    }
    with main:
        _means_chart(compared, found, metric, width)
    _curves(compared)
    _levels(compared)


def _means_chart(compared, found, metric, width):
    first = next(iter(found.values()))
    if not len(first):
        st.info("No sample has a value of this kind.", icon=":material/info:")
        return
    drawn = charts.means_by(found, among=compared.data.method_names, width=width)
    figure(drawn, name="means-by", main=True)
    st.caption(
        f"{100 * first.confidence:.0f} % intervals: Wilson's for shares, Student's for other means; none below ten samples. "
        f"Samples count as independent.{_runs_words(found)}"
    )
    numbers.definitions((metric,), "compare-groups")
    compared.caution(metric)


def _runs_words(found):
    """What the marks of methods with several runs are, and which samples they leave out."""
    several = [one for one in found.values() if one.n_runs > 1]
    if not several:
        return ""
    least, most = min(one.n_runs for one in several), max(one.n_runs for one in several)
    words = (
        f" Small circles are the {least if least == most else f'{least} to {most}'} runs of a method, the dot is their mean; its "
        "interval is over samples, with the runs fixed. The standard deviation between runs is in the table and the tooltip."
    )
    left_out = {name: one.n_left_out for name, one in found.items() if one.n_left_out}
    if left_out:
        named = ", ".join(f"{n:,} of {escape(name)}" for name, n in left_out.items())
        words += f" Filters by answers leave different samples in each run; left out, as not in every run: {named}."
    return words


def _curves(compared):
    """The operating curve of each part of the samples on one chart: seen and unseen classes, or an attribute."""
    st.subheader("Operating curves of the parts")
    reasons = {
        key: next((why for run in compared.runs(key) if (why := run.why_no_curve()) is not None), None)
        for key in compared.keys
    }
    usable = [key for key, reason in reasons.items() if reason is None]
    if not usable:
        st.markdown(f"There are none: {escape(reasons[compared.keys[0]])}.")
        return
    first = judged_samples([compared.model(usable[0])])[0]

    def n_values():
        return {column: len(facets(first, column)) for column in facet_columns(first)}

    sizes = state.computed("facet columns", (compared.data.digest, usable[0]), n_values)
    if not sizes:
        st.markdown(
            "There are none: no column of the samples (in the file of the truth) has two to twelve values, and the nodes have no "
            "`train_count` that separates seen from unseen classes."
        )
        return
    by = pick("Parts by", list(sizes), ("compare parts", "by"), min(sizes, key=sizes.__getitem__))
    shown = usable[: max(1, MOST_CURVES // min(sizes[by], MOST))]
    runs = [run for key in shown for run in compared.runs(key)]
    asked = ("curves of parts", (compared.data.digest, *shown, by))
    is_quick = sum(run.n_judged for run in runs) <= AT_ONCE
    if not is_wanted(*asked, is_quick, "Draw the curves of the parts", icon=PLAY):
        return
    found = worked_out(*asked, "Curves of the parts", lambda _: dict(curves_by(runs, by)), "parts")
    if found is None:
        return
    among = compared.data.method_names
    figure(charts.facet_curves(found, by, among=among, width=state.session.px), name="part-curves")
    notes = ["All samples, all thresholds: filters and τ do not apply."]
    if len(shown) < len(compared.keys):
        notes.append(f"Showing {len(shown)} of {len(compared.keys)} models: choose others above.")
    st.caption(" ".join(notes))


def _levels(compared):
    """The accuracy of each model at each level of the taxonomy."""
    st.subheader("Tested at each level")
    taxonomy = compared.data.taxonomy
    runs = [run.predictions for key in compared.keys for run in compared.runs(key)]
    single = all(run.why_no_mistakes() is None for key in compared.keys for run in compared.runs(key))
    if not (taxonomy.is_tree and single):
        st.markdown("Not here: this needs a tree, and one true class and one answer for each sample.")
        return
    st.markdown(
        "Each model is tested on the taxonomy cut at each level: the share of its most probable classes there that are right. A "
        "model that does not know all classes of a level has a dash; models trained at different levels show how much fine "
        "labels help at coarse ones."
    )
    asked = ("levels", (compared.data.digest, tuple(compared.keys)))
    n = sum(run.n_samples if run.sample_ids is None else len(run.sample_ids) for run in runs)
    if not is_wanted(*asked, n <= AT_ONCE, "Test at each level", icon=PLAY):
        return
    tests = "Testing at each level"
    try:
        found = worked_out(
            *asked, "Tests at each level", lambda told: level_matrix(runs, progress=told(tests, "tests"))
        )
    except HiervizError as error:
        st.markdown(f"Not here: {escape(str(error))}")
        return
    if found is not None:
        figure(charts.level_matrix(found, width=state.session.px), name="levels")
