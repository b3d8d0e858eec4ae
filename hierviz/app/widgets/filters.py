"""Which samples are shown: filters that all pages share, each shown as a chip that removes it."""

import numpy as np
import streamlit as st

from hierviz.app import state
from hierviz.app.state.current import key_in_popover
from hierviz.app.state.escape import escape
from hierviz.app.widgets import right_filter
from hierviz.app.widgets.controls import menu, pick
from hierviz.diagnosis._review_queue import FILTERS as REVIEWED
from hierviz.diagnosis.sample_filter import facets
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.reports.view import DEEPER, FILTERS, NODES

WORDS = {"under": "Truth in", "truth": "Truth is", "answered": "Answer in", "answer": "Answer is"}
OUTSIDE = {"yes": "Answer outside the taxonomy", "no": "Answer in the taxonomy"}
COMMON = "Common ancestor at depth"
OUTCOMES_HELP = "Coarse: correct, but less specific than the truth. No answer: only the root, or no class at all."


def clear(*names):
    """Remove filters."""
    state.change(**{name: () if name == "where" else "" for name in names or FILTERS}, sample="")


def chips(taxonomy, but=()):
    """One chip for each filter that is set, but for those in `but`; a press removes it."""
    view = state.view()
    shown = [name for name in view.filters if name not in but]
    if not shown:
        return
    with st.container(horizontal=True, gap="small"):
        for name in shown:
            if name == "where":
                for place, (column, value) in enumerate(view.conditions):
                    others = tuple(word for word in view.where if word != view.where[place])
                    _chip(f"{column}: {value}", f"where-{place}", others)
            else:
                _chip(_said(name, getattr(view, name), taxonomy), name, "")
        if len(shown) + max(0, len(view.where) - 1) > 1:
            st.button("Remove all filters", key="chip-all", type="tertiary", on_click=clear, args=tuple(shown))


def chip(name, taxonomy):
    """The chip of one filter, where it is set."""
    if value := getattr(state.view(), name):
        _chip(_said(name, value, taxonomy), name, "")


def _chip(words, name, rest):
    field = name.partition("-")[0]
    st.button(
        escape(words),
        icon=":material/close:",
        key=f"chip-{name}",
        help="Remove this filter",
        on_click=lambda: state.change(**{field: rest}, sample=""),
    )


def said(taxonomy):
    """The filters that are set, in words."""
    view = state.view()
    conditions = [f"{column}: {value}" for column, value in view.conditions]
    return conditions + [_said(name, getattr(view, name), taxonomy) for name in view.filters if name != "where"]


def _said(name, value, taxonomy):
    """A filter in words."""
    if name in NODES:
        title = taxonomy.title(taxonomy.index[value]) if value in taxonomy.index else value
        return f"{WORDS[name]} {title}"
    if name == "right":
        return right_filter.words(value)
    if name == "review":
        return f"Review: {REVIEWED[value].lower()}"
    if name == "outside":
        return OUTSIDE[value]
    return {"outcome": OUTCOMES.get(value, value), "text": f"contains “{value}”", "common": _common_text(value)}[name]


def _common_text(value):
    """The filter by the depth of the common ancestor in words."""
    return f"{COMMON} {_depth_text(value)}"


def _depth_text(value):
    return f"{value.removeprefix(DEEPER)}{' or deeper' * value.startswith(DEEPER)}"


def brief_outcome(key):
    """Name of an outcome where there is little room."""
    return OUTCOMES[key].rpartition("correct but ")[2]


def outcome_control(counts):
    """Which outcomes are shown, each with its number of samples: dict of key of `OUTCOMES` to int."""
    labels = {"": f"all {sum(counts.values()):,}"}
    labels |= {key: f"{brief_outcome(key)} {count:,}" for key, count in counts.items()}
    pick("Show", labels, "outcome", "", segmented=True, help=OUTCOMES_HELP)


def more(model, data_key):
    """The other filters, in a popover: subtrees, depth of the common ancestor, attributes, words."""
    predictions, taxonomy = model.predictions, model.taxonomy
    with st.popover("Filters", icon=":material/filter_alt:"):
        if model.n_judged:
            inner = [taxonomy.names[node] for node in np.flatnonzero(~taxonomy.is_leaf)[1:]]
            for name, label in (("under", "Truth in subtree"), ("answered", "Answer in subtree")):
                options = dict.fromkeys(filter(None, (*inner, getattr(state.view(), name))))
                titles = {"": "all"} | {one: taxonomy.title(taxonomy.node(one)) for one in options}
                pick(label, titles, name, in_popover=True, width="stretch")
        if model.why_no_mistakes() is None:
            help = "Depth of the lowest common ancestor of truth and answer: 0 where they share nothing but the root."
            depths = {"": "all"} | {str(depth): str(depth) for depth in range(taxonomy.max_depth + 1)}
            now = state.view().common
            depths |= {now: _depth_text(now)} if now else {}
            pick(COMMON, depths, "common", in_popover=True, width="stretch", help=help)
        if predictions.is_outside.any() or state.view().outside:
            options = {"": "all", "yes": "outside the taxonomy", "no": "in the taxonomy"}
            pick("Answers", options, "outside", in_popover=True, width="stretch")
        if options := right_filter.options():
            pick("Right: the most probable leaf is the truth", options, "right", in_popover=True, width="stretch")
        if options := right_filter.review_options(state.data()):
            pick("Review by an expert", options, "review", in_popover=True, width="stretch")
        st.text_input("Sample id or text contains", **state.bound("text", in_popover=True, max_chars=1000))
        rows = model.rows if model.n_judged else np.arange(predictions.n_samples)
        values = state.computed("facets", (data_key, predictions.name), lambda: facets(predictions, rows))
        for column, counts in values.items():
            _attribute(column, counts)


def _attribute(column, counts):
    """Choose a value of an attribute."""
    now = dict(state.view().conditions).get(column)
    shown = now if now in counts else None
    key, seen = key_in_popover(f"widget_where_{column}", shown)
    state.session[key] = shown

    def changed():
        value = state.session[key]
        seen(value)
        state.change(where=state.view().where_with(column, value), sample="")

    words = {value: f"{value} ({count:,})" for value, count in counts.items()}
    menu(escape(column), words, placeholder="all", key=key, on_change=changed)
