"""The slices that are clearly worse than the rest, in a few lines with links to their samples."""

import streamlit as st

from hierviz.app import state
from hierviz.app.widgets import numbers, shell
from hierviz.diagnosis.slices import slices
from hierviz.evaluation.severity import SEVERITIES

MOST = 3


def found_slices(data, key, choice):
    """The Slices of a model and a choice of rule, worked out once."""
    asked = (data.digest, key, repr(sorted(choice.items(), key=lambda pair: pair[0])))

    def make():
        with st.spinner("Comparing subtrees and attributes …"):
            return slices(data.models[key], **choice)

    return state.computed("slices", asked, make)


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
    """The worst slices, or that none is clearly worse than the rest."""
    found = found_slices(data, key, choice)
    if not len(found):
        st.markdown("No subtree and no attribute value has the 10 samples inside and outside that a comparison needs.")
        return
    if not found.n_flagged:
        st.markdown(f"No subtree and no attribute value is clearly worse than the rest ({len(found):,} tested).")
        _all_slices(found, key)
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
    _all_slices(found, key)


def _all_slices(found, key):
    """The way to the table of all slices."""
    label = f"All {found.n_flagged:,} such slices" if found.n_flagged > MOST else "All tested slices"
    link = state.link(sample="", part="slices", model=key)
    st.page_link(shell.page("mistakes"), label=label, icon=":material/list:", query_params=link)
