"""Where in the tree the page is, and where its mistakes are: breadcrumb, headline, and the worst class of each level."""

import numpy as np
import streamlit as st

from hierviz.app.state.escape import escape
from hierviz.app.taxonomy_page.choice import enter, path_to
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.worst_slices import (
    found_slices,
    further_subtrees,
    subtree_verdict,
    worst_attributes,
    worst_line,
)
from hierviz.diagnosis._node_table import NODE_COLUMNS, number_text_of
from hierviz.messages.number_text import fixed_text, percent_text

# Levels below the current class whose worst class is named.
MOST_LEVELS = 4


def breadcrumb(choice):
    """The classes above the current one, each a button, and that other pages show the same subtree."""
    if not choice.root:
        return
    taxonomy = choice.taxonomy
    path = path_to(taxonomy, choice.root).tolist()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="breadcrumb"):
        for node in path[:-1]:
            st.button(
                escape(taxonomy.title(node)),
                on_click=enter,
                args=(taxonomy.names[node] if node else "",),
                type="tertiary",
                key=f"crumb-{node}",
            )
            st.markdown("›")
        st.markdown(f"**{escape(taxonomy.title(path[-1]))}**")
        st.button(
            "Show all classes", icon=":material/close:", on_click=enter, args=("",), type="tertiary", key="crumb-all"
        )
    has_several = any(taxonomy.parents.lengths[node] > 1 for node in path)
    several = " It has several parents; the path through the first one is shown." if has_several else ""
    st.caption(f"Other pages also show the samples of this subtree only.{several}")


def headline(choice, everywhere=False):
    """The worst subtree in one line, the title of the picture; returns whether there is one."""
    # Inside a subtree the question is another one, but for pictures of all classes.
    if (choice.root and not everywhere) or choice.answers is None or (found := found_slices(choice)) is None:
        return False
    return worst_line(choice, found)


def worse_than_expected(choice):
    """One sentence about the subtree, and of each level below it the class that is worst."""
    table, levels, taxonomy, root = choice.plain, choice.levels, choice.taxonomy, choice.root
    cost = levels.cost_key
    n, lost = int(table.support[root]), float(getattr(table, cost)[root])
    what = "answers are wrong" if cost == "n_wrong" else "samples are missed"
    said = f"Of **{n:,} samples** of *{escape(taxonomy.title(root))}*, **{number_text_of(cost, lost)}** {what}"
    said += f" ({_rate(choice, root)})"
    without = int(table.n_no_answer[root])
    said += f", and **{without:,}** get no answer ({percent_text(without / n, 1)})." if without else "."
    if not root and cost == "missed":
        said = f"**{n:,} samples** have a known truth."
    st.markdown(said)
    if not root and choice.answers is not None and (found := found_slices(choice)) is not None:
        further_subtrees(choice, found)
    worst, verb = _worst(choice), _verb(choice)
    if not worst:
        return
    st.markdown(_most_beyond(choice, worst))
    with st.container(horizontal=True, gap="small", key="costliest"):
        for node, words in worst:
            st.button(
                words,
                help=f"Depth {int(taxonomy.depth[node])}: {verb} of the samples of this class. Click to open this subtree.",
                on_click=enter,
                args=(taxonomy.names[node],),
                key=f"worst-{node}",
            )


def worst_subtree(choice):
    """The subtree with the most mistakes beyond the expected ones, and whether it is clearly worse than the rest."""
    if choice.answers is not None and (found := found_slices(choice)) is not None:
        subtree_verdict(choice, found)


def goes_wrong_most(choice):
    """The worst attribute values; where no test has named the worst subtree, the worst class of each level."""
    found = found_slices(choice)
    if found is not None:
        further_subtrees(choice, found)
    worst_attributes(choice, found)
    if found is None or found.worst_subtree is None:
        worst_subtrees(choice)


def worst_subtrees(choice):
    """Links to the worst class of each level on the page Taxonomy, those that are worse than expected."""
    worst = _worst(choice)
    if not worst:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="worst-subtrees"):
        st.markdown(
            f"Classes with more {_verb(choice)} than expected{_everything(choice, ' (', ')')}:", width="content"
        )
        for node, words in worst:
            link_to("taxonomy", words, under=choice.taxonomy.names[node], sample="", model=choice.key)


def _most_beyond(choice, worst):
    """What the worst classes are: those with most mistakes beyond what is expected of their samples."""
    nodes = np.array([node for node, _ in worst])
    taxonomy, nested = choice.taxonomy, ""
    if len(nodes) > 1 and taxonomy.is_tree and taxonomy.is_ancestor(nodes[:-1], nodes[1:]).all():
        nested = "; each is in the one before it"
    expected = (
        "the rate of all samples" if choice.levels.cost_key == "n_wrong" else "the rate of all classes of their depth"
    )
    return (
        f"Most {_verb(choice)} beyond the expected, one class of each level (expected: {expected}{nested}"
        f"{_everything(choice, '; ')}):"
    )


def _everything(choice, before, after=""):
    """The share of all samples, to compare with; nothing inside a subtree, and of samples that no answer misses at the root."""
    if choice.root or choice.levels.cost_key != "n_wrong":
        return ""
    return f"{before}all samples: {_rate(choice, 0)}{after}"


def _worst(choice):
    """[(node, name and counts)] of the class of each level with most mistakes beyond the expected, where it has more."""
    table, taxonomy, root, levels = choice.plain, choice.taxonomy, choice.root, choice.levels
    # A leaf has no subtree to open.
    found = [
        (node, more)
        for node, more in zip(levels.worst.tolist(), levels.excess.tolist())
        if node > 0 and node != root and not taxonomy.is_leaf[node] and more > 1e-9
    ]
    return [
        (
            node,
            f"{escape(taxonomy.title(node))} · {fixed_text(more, 1)} more than expected: "
            f"{number_text_of(levels.cost_key, float(getattr(table, levels.cost_key)[node]))} "
            f"of {int(table.support[node]):,} ({_rate(choice, node)})",
        )
        for node, more in found[:MOST_LEVELS]
    ]


def _rate(choice, node):
    """The rate of a class, which the number of mistakes does not give."""
    rate = "correct" if choice.levels.cost_key == "n_wrong" else "recall"
    return f"{percent_text(_share(choice, node), 1)} {NODE_COLUMNS[rate].label.lower()}"


def _share(choice, node):
    return float(getattr(choice.plain, "correct" if choice.levels.cost_key == "n_wrong" else "recall")[node])


def _verb(choice):
    return "wrong answers" if choice.levels.cost_key == "n_wrong" else "missed samples"
