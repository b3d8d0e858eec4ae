"""The subtrees and attribute values that are clearly worse than the rest, in a few lines with links to their samples."""

import streamlit as st

from hierviz.app import state
from hierviz.app.widgets import numbers
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.progress import worked_out
from hierviz.diagnosis._slices import slices
from hierviz.messages.number_text import percent_text, value_text

MOST = 3
# Of a slice that is flagged, and would not be by its samples outside the flagged slices before it.
SHARED = "Mostly because of samples that also lie in another, worse slice."
# Losses that a permutation test may draw unasked (about a second), and permutations that it takes at least.
AT_ONCE, FEWEST_PERMUTATIONS = 3_000_000, 999


def takes_long(choice):
    """Whether the test of a TaxonomyChoice is made on the page Mistakes only."""
    return not choice.answers.is_single and choice.answers.n_judged * FEWEST_PERMUTATIONS > AT_ONCE


def found_slices(choice):
    """The Slices of the answers of a TaxonomyChoice, computed once; None where that takes long or was cancelled."""
    if takes_long(choice):
        return None
    return worked_out(
        "slices", choice.where, "Slices", lambda told: slices(choice.answers, progress=told), "permutations"
    )


def slice_name(row, taxonomy):
    """What a slice is called on a page, in Markdown."""
    if row.kind == "subtree":
        return f"*{numbers.escape(taxonomy.title(row.node))}*"
    return f"*{numbers.escape(row.kind)}* = *{numbers.escape(row.value)}*"


def subtree_verdict(choice, found):
    """The worst subtree in the sentence of all places, and others that are clearly worse too."""
    if worst_line(choice, found):
        further_subtrees(choice, found)


def worst_line(choice, found):
    """The worst subtree in the sentence of all places, in one line; returns whether there is one."""
    worst = found.worst_subtree
    if worst is not None:
        _line(choice, found, worst, numbers.escape(found.worst_sentence()), "Its samples")
    return worst is not None


def further_subtrees(choice, found):
    """Other subtrees that are clearly worse than the rest, too."""
    worst = found.worst_subtree
    for place in [place for place in found.worse_subtrees if place != worst][: MOST - 1]:
        said = f"{slice_name(found.rows[place], choice.taxonomy)} is clearly worse too:"
        _line(choice, found, place, said, found.counts(place), SHARED if found.rows[place].is_explained else "")


def worst_attributes(choice, found):
    """The worst values of attributes, the test, and a link to all slices; `found` is None where nothing was tested."""
    if takes_long(choice):
        _all_slices(choice.key, "Which subtrees and attributes are worse than the rest?")
    if found is None:
        return
    if not len(found):
        st.markdown("No subtree and no attribute value has the 10 samples inside and outside that a comparison needs.")
        return
    attributes = [row for row in found.rows if row.node < 0]
    own = [place for place, row in enumerate(found.rows) if row.node < 0 and row.is_flagged and not row.is_explained]
    for place in own[:MOST]:
        rest = found.rows[place].rest_rate
        rest = percent_text(rest, 1) if found.loss_key == "wrong" else value_text(rest)
        said = f"{slice_name(found.rows[place], choice.taxonomy)} is clearly worse than the rest:"
        _line(choice, found, place, said, found.counts(place), f"The rest: {rest}.")
    if attributes and not any(row.is_flagged for row in attributes):
        st.markdown("No attribute value is clearly worse than the rest.")
    left_out = " Left out here: values that are worse mostly because of samples they share with these."
    st.caption(
        f"Clearly worse than all other samples: by a {found.test} test, corrected for {len(found):,} tests (false discovery "
        "rate 5\u00a0%)." + left_out * any(row.is_explained for row in found.rows)
    )
    _all_slices(choice.key)


def _line(choice, found, place, said, label, also=""):
    """A slice in words, the link to its samples, and a note."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"slice-link-{place}"):
        st.markdown(said, width="content")
        outcome = "wrong" if found.loss_key == "wrong" else ""
        row, fields = found.rows[place], {"sample": "", "outcome": outcome, "model": choice.key}
        if row.kind == "subtree":
            fields["under"] = choice.taxonomy.names[row.node]
        else:
            fields["where"] = state.view().where_with(row.kind, row.value)
        link_to("example", label, **fields)
        if also:
            st.markdown(also, width="content")


def _all_slices(key, label="All tested slices"):
    """A link to the table of all slices."""
    link_to("mistakes", label, "list", sample="", part="slices", model=key)
