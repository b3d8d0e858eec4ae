"""Which subtree suffers: the tree with numbers of every class, its mistakes, its levels, and its calibration."""

from contextlib import nullcontext

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.taxonomy_page import calibration_panel, drawings, tree_table, where
from hierviz.app.taxonomy_page.choice import TaxonomyChoice
from hierviz.app.widgets import controls, filters, frame, shell
from hierviz.app.widgets.links import page
from hierviz.app.widgets.progress import answers_worked_out
from hierviz.reports.view_pages import ASPECTS

data = shell.open_data()
taxonomy = data.taxonomy
with frame.title_row("Taxonomy") as row:
    aspect = controls.part_control(ASPECTS, "aspect")
    key, answer = controls.answer_controls(data)
    filters.more(data.models[key], data.digest)
root = taxonomy.index.get(state.view().under, 0)
choice = TaxonomyChoice(data, key, answer, root)
if state.memory("taxonomy").pop("to samples", False):
    st.switch_page(page("example"))
if not choice.model.n_judged:
    shell.stop("The numbers of this page need samples with a known truth, and none has one.")
if not answers_worked_out(data.digest, key, choice.model, answer):
    shell.stop()
filters.chips(taxonomy, but=("under", "outcome"))
if choice.answers is None:
    shell.stop(*shell.NO_MATCH)
# A picture that is zoomed into has its own path, and what is above it stays.
is_zoomed = aspect in ("icicle", "treemap")
if not is_zoomed:
    where.breadcrumb(choice)
drawing = drawings.level_drawing(choice, row) if aspect == "levels" else aspect
# On a phone the picture comes first.
is_narrow = state.is_narrow()
# A place of its own: what is drawn while it is computed must not move the table below, which would lose the focus.
with (
    nullcontext()
    if is_narrow
    else st.container(
        key="headline-of-zoom" if is_zoomed else "headline", horizontal=is_zoomed, vertical_alignment="center"
    )
):
    # What leaves the path has a title of its own.
    has_headline = drawing != "departures"
    is_said = has_headline and (is_narrow or where.headline(choice, everywhere=is_zoomed))
    if is_zoomed and not is_narrow:
        filters.chip("under", taxonomy)
parts = {
    "table": tree_table.draw,
    "icicle": drawings.icicle,
    "treemap": drawings.treemap,
    "calibration": calibration_panel.draw,
    "counts": drawings.levels,
    "departures": drawings.leaving,
}
parts[drawing](choice, row, is_said)
if is_narrow:
    if is_zoomed:
        filters.chip("under", taxonomy)
    if has_headline:
        where.headline(choice, everywhere=is_zoomed)
where.worse_than_expected(choice)
st.caption(controls.setting(data, key, answer, int(choice.plain.support[root])))
reasons = dict.fromkeys(reason for column, reason in choice.plain.reasons.items() if column in ("correct", "mean_win"))
for reason in reasons:
    names = {"correct": "correct and wrong answers", "mean_win": "mean win and lost win"}
    missing = [words for column, words in names.items() if choice.plain.reasons.get(column) == reason]
    st.caption(f"Not available: {' and '.join(missing)} ({escape(reason)}).")
