"""Operating curves of parts of the samples, and the models tested at each level of the taxonomy."""

from __future__ import annotations

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.controls import width_for
from hierviz.app.widgets.figure import figure
from hierviz.app.widgets.progress import worked_out
from hierviz.charts._facet_curves import MOST
from hierviz.diagnosis._level_matrix import level_matrix
from hierviz.evaluation.common_samples import curves_by, facet_columns, facets, judged_samples
from hierviz.messages.errors import HiervizError

# Curves that can be told apart, and answers that are looked at without being asked for.
MOST_CURVES, AT_ONCE = 8, 20_000


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
            "There are none: neither a column of the samples (in the file of the truth) has two to twelve values, nor do the "
            "nodes have a `train_count` that tells seen from unseen classes."
        )
        return
    now = state.memory("compare parts").get("by")
    now = now if now in columns else min(columns, key=sizes.__getitem__)
    by = st.selectbox("Parts by", columns, width=width_for(columns), **state.kept("compare parts", "by", now))
    by = by if by in columns else now
    shown = usable[: max(1, MOST_CURVES // min(sizes[by], MOST))]
    place, asked = (compared.data.digest, *shown, by), state.memory("curves of parts")
    runs = [run for key in shown for run in compared.runs(key)]
    n = sum(run.n_judged for run in runs)
    if n > AT_ONCE and place not in asked and state.known("curves of parts", place) is None:
        st.button(
            "Draw the curves of the parts", icon=":material/play_arrow:", on_click=lambda: asked.update({place: True})
        )
        return

    def made(stages):
        stages("Curves of the parts")
        return dict(curves_by(runs, by))

    found = worked_out("curves of parts", place, "Curves of the parts", made)
    if found is None:
        return
    figure(charts.facet_curves(found, by, width=state.session.px), name="part-curves")
    notes = ["Of all samples, at all thresholds: neither filters nor τ play a part."]
    if len(shown) < len(models):
        notes.append(
            f"{len(shown)} of {len(models)} models are drawn, as more cannot be told apart: choose methods above."
        )
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
        "Each model is tested on the taxonomy cut at each level, by the share of its most probable classes there that are right. "
        "A model that does not know all classes of a level has a dash; models trained at different levels show how much fine "
        "labels help at coarse ones."
    )
    place, asked = (compared.data.digest, tuple(compared.keys)), state.memory("level tests")
    n = sum(len(run.sample_ids) if run.sample_ids is not None else run.n_samples for run in runs)
    if n > AT_ONCE and place not in asked and state.known("levels", place) is None:
        st.button("Test at each level", icon=":material/play_arrow:", on_click=lambda: asked.update({place: True}))
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
