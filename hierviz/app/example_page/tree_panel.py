"""The probability tree of a sample, in which one can look around: focus, search, unfolding."""

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import sample

# Siblings that a click on "others" adds, and matches of a search that are offered.
MORE, MOST_FOUND = 20, 8
MEMORY = "tree"


def tree_panel(taxonomy, p, truth, predicted, sample_id, bounds=None):
    """Heading, search, path of the focused node, and the tree.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    p : ndarray of float, shape (n_nodes,)
    truth, predicted : int, sequence of int, or None
    sample_id : str
        The focus of one sample is not that of the next.
    bounds : (ndarray, ndarray), optional
        Lowest and highest probability of each node.
    """
    if state.memory(MEMORY).setdefault("sample", sample_id) != sample_id:
        state.memory(MEMORY)["sample"] = sample_id
        state.change(focus="", unfold="")
        state.publish()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.subheader("Probability tree", width="content")
        _search_field()
    focus, unfolded = state.view().focus, state.view().unfolded
    node = taxonomy.index.get(focus, 0)
    top = int(taxonomy.parent[node]) if node and taxonomy.is_leaf[node] else node
    _search(taxonomy)
    if node:
        _breadcrumb(taxonomy, node)
    shown = {"top": top, "keep": [node] if node != top else []}
    if unfolded and unfolded[0] in taxonomy.index:
        shown["unfold"] = {taxonomy.index[unfolded[0]]: unfolded[1]}

    def opened(number):
        if number < 0:
            parent = -1 - number
            before = unfolded[1] if unfolded and unfolded[0] == taxonomy.names[parent] else 0
            state.change(unfold=f"{before + MORE}:{taxonomy.names[parent]}")
        elif number == top:
            # A click on the first row leads one level up.
            _focus(taxonomy, int(taxonomy.parent[top]) if top else 0)
        else:
            _focus(taxonomy, number)

    view = state.view()
    model = state.shown_model_of(state.data().models)
    threshold = sample.threshold_in({"rule": view.rule, "threshold": view.threshold_of(model)})
    also = {"bounds": bounds, "opened": opened, "threshold": threshold}
    sample.tree(taxonomy, p, truth, predicted, shown=shown, **also, title=False, style=view.tree)
    st.caption(
        "Click a class to see what is below it, “others” to unfold 20 more of them, the first class to go up. "
        "A class that is too small to see or to hit is found by its name above, and stands in the List."
    )


def _focus(taxonomy, node):
    state.change(focus=taxonomy.names[node] if node else "", unfold="")


def _breadcrumb(taxonomy, node):
    path = taxonomy.path(node).tolist()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="tree-path"):
        for step in path[:-1]:
            st.button(
                f"{escape(taxonomy.title(step))} ›",
                key=f"tree-to-{step}",
                type="tertiary",
                on_click=_focus,
                args=(taxonomy, step),
                help="Show the whole tree" if step == 0 else None,
            )
        st.markdown(f"**{escape(taxonomy.title(node))}**")


def _search_field():
    """A field that finds classes by a part of their names."""
    st.text_input(
        "Find a class in the tree",
        placeholder="Find a class in the tree",
        label_visibility="collapsed",
        icon=":material/search:",
        width=260,
        **state.kept(MEMORY, "find", ""),
    )


def _search(taxonomy):
    """What the field has found."""
    memory = state.memory(MEMORY)
    text = memory.get("find", "").strip()
    if not text:
        return
    matches = matching(taxonomy, text)
    if not matches:
        st.caption(f"No class has {escape(repr(text))} in its name.")
        return

    def choose(node):
        memory["find"] = ""
        _focus(taxonomy, node)

    with st.container(horizontal=True, gap="small", key="tree-found"):
        for node in matches[:MOST_FOUND]:
            st.button(escape(taxonomy.title(node)), key=f"tree-found-{node}", on_click=choose, args=(node,))
        if len(matches) > MOST_FOUND:
            st.caption(f"and {len(matches) - MOST_FOUND:,} more: type more of the name")


def matching(taxonomy, text):
    """Nodes with a text in their name or title, whatever the case: equal names first, then those that start with it."""
    text, found = text.casefold(), []
    for node, name in enumerate(taxonomy.names):
        names = {name.casefold(), taxonomy.title(node).casefold()}
        if any(text in one for one in names):
            found.append((text not in names, not any(one.startswith(text) for one in names), len(name), node))
    return [node for *_, node in sorted(found)]
