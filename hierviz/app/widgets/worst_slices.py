"""The slices that are clearly worse than the rest, in a few lines with links to their samples."""

import streamlit as st

from hierviz.app import state
from hierviz.app.widgets import numbers, shell
from hierviz.app.widgets.progress import worked_out
from hierviz.diagnosis.slices import slices
from hierviz.evaluation.judged_answers import judged_answers
from hierviz.evaluation.severity import SEVERITIES

MOST = 3
# Losses that a permutation test may draw without being asked for it (about a second), and permutations that it takes at least.
AT_ONCE, FEWEST_PERMUTATIONS = 3_000_000, 999


def found_slices(data, key, choice):
    """The Slices of a model and a choice of rule, worked out once; None where the visitor cancelled it."""
    asked = (data.digest, key, repr(sorted(choice.items(), key=lambda pair: pair[0])))

    def make(stages):
        return slices(data.models[key], **choice, progress=stages("Slices", "permutations"))

    return worked_out("slices", asked, "Slices", make)


def slice_name(found, place, taxonomy):
    """What a slice is called on a page, in Markdown."""
    if found.kind[place] == "subtree":
        return f"*{numbers.escape(taxonomy.title(int(found.node[place])))}*"
    return f"*{numbers.escape(found.kind[place])}* = *{numbers.escape(found.value[place])}*"


def slice_link(found, place, taxonomy, **more):
    """Query of a link to the samples of a slice."""
    if found.kind[place] == "subtree":
        return state.link(sample="", under=taxonomy.names[int(found.node[place])], **more)
    where = state.view().where_with(found.kind[place], found.value[place])
    return state.link(sample="", where=where, **more)


def worst_slices(data, key, choice):
    """The worst slices, or that none is clearly worse than the rest; only the way to them where the test takes long."""
    answers = judged_answers(data.models[key], **choice)
    if not answers.is_single and answers.n_judged * FEWEST_PERMUTATIONS > AT_ONCE:
        _all_slices(0, key, "Which subtrees and attributes are worse than the rest?")
        return
    found = found_slices(data, key, choice)
    if found is None:
        return
    if not len(found):
        st.markdown("No subtree and no attribute value has the 10 samples inside and outside that a comparison needs.")
        return
    if not found.n_flagged:
        st.markdown(f"No subtree and no attribute value is clearly worse than the rest ({len(found):,} tested).")
        _all_slices(0, key)
        return
    is_wrong = found.loss_key == "wrong"
    what = "wrong" if is_wrong else SEVERITIES[found.loss_key].label
    own = [place for place in range(found.n_flagged) if not found.is_explained[place]]
    for place in own[:MOST]:
        inside, rest = found.rate[place], found.rest_rate[place]
        told = (
            f"{inside:.1%} wrong, the rest {rest:.1%}" if is_wrong else f"mean {what} {inside:.3f}, the rest {rest:.3f}"
        )
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"slice-link-{place}"):
            st.markdown(
                f"{slice_name(found, place, data.taxonomy)}: {told.replace('%', ' %')} "
                f"({int(found.n[place]):,} of {found.n_samples:,} samples)",
                width="content",
            )
            link = slice_link(found, place, data.taxonomy, outcome="wrong", model=key)
            st.page_link(shell.page("example"), label="Samples", query_params=link, width="content")
    st.caption(
        f"Clearly worse than all other samples ({found.test} test, corrected for {len(found):,} tests; false discovery rate "
        f"5\u00a0%)."
        + (" Slices that fail mostly through samples of these are left out here." if len(own) < found.n_flagged else "")
    )
    if not (found.kind[: found.n_flagged] == "subtree").any():
        st.markdown("**No subtree is clearly worse than the rest.**")
    _all_slices(found.n_flagged, key)


def _all_slices(n_flagged, key, label="All tested slices"):
    """The way to the table of all slices."""
    label = f"All {n_flagged:,} such slices" if n_flagged > MOST else label
    link = state.link(sample="", part="slices", model=key)
    st.page_link(shell.page("mistakes"), label=label, icon=":material/list:", query_params=link)
