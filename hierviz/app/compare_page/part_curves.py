"""Operating curves of parts of the samples, and the models tested at each level of the taxonomy."""

from __future__ import annotations

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import figure
from hierviz.app.widgets.progress import is_wanted, worked_out
from hierviz.charts._facet_curves import MOST
from hierviz.diagnosis._level_matrix import level_matrix
from hierviz.evaluation.common_samples import curves_by, facet_columns, facets, judged_samples
from hierviz.messages.errors import HiervizError

# Curves that can be distinguished, and answers that are read unasked.
MOST_CURVES, AT_ONCE = 8, 20_000
PLAY = ":material/play_arrow:"


def curves(compared):
    """The operating curve of each part of the samples on one chart: seen and unseen classes, or an attribute."""
    st.subheader("Operating curves of the parts")
    models = {key: compared.model(key) for key in compared.keys}
    reasons = {
        key: next((why for run in compared.runs(key) if (why := run.why_no_curve()) is not None), None)
        for key in compared.keys
    }
    usable = [key for key, reason in reasons.items() if reason is None]
    if not usable:
        st.markdown(f"There are none: {escape(reasons[compared.keys[0]])}.")
        return
    first = judged_samples([models[usable[0]]])[0]
    sizes = state.computed(
        "facet columns",
        (compared.data.digest, usable[0]),
        lambda: {column: len(facets(first, column)) for column in facet_columns(first)},
    )
    columns = list(sizes)
    if not columns:
        st.markdown(
            "There are none: no column of the samples (in the file of the truth) has two to twelve values, and the nodes have no "
            "`train_count` that separates seen from unseen classes."
        )
        return
    by = pick("Parts by", columns, ("compare parts", "by"), min(columns, key=sizes.__getitem__))
    shown = usable[: max(1, MOST_CURVES // min(sizes[by], MOST))]
    place = (compared.data.digest, *shown, by)
    runs = [run for key in shown for run in compared.runs(key)]
    n = sum(run.n_judged for run in runs)
    if not is_wanted("curves of parts", place, n <= AT_ONCE, "Draw the curves of the parts", icon=PLAY):
        return

    def made(stages):
        stages("Curves of the parts")
        return dict(curves_by(runs, by))

    found = worked_out("curves of parts", place, "Curves of the parts", made)
    if found is None:
        return
    figure(charts.facet_curves(found, by, width=state.session.px), name="part-curves")
    notes = ["All samples, all thresholds: filters and τ do not apply."]
    if len(shown) < len(models):
        notes.append(f"Showing {len(shown)} of {len(models)} models: choose others above.")
    st.caption(" ".join(notes))


def levels(compared):
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
    place = (compared.data.digest, tuple(compared.keys))
    n = sum(len(run.sample_ids) if run.sample_ids is not None else run.n_samples for run in runs)
    if not is_wanted("levels", place, n <= AT_ONCE, "Test at each level", icon=PLAY):
        return
    try:
        found = worked_out(
            "levels",
            place,
            "Tests at each level",
            lambda stages: level_matrix(runs, progress=stages("Testing at each level", "tests")),
        )
    except HiervizError as error:
        st.markdown(f"Not here: {escape(str(error))}")
        return
    if found is not None:
        figure(charts.level_matrix(found, width=state.session.px), name="levels")
