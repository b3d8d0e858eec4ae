"""The tree as an indented table with bars, opened level by level: a component that is sent the rows that are open.

Its program (`tree_table.js`) builds an ARIA tree grid: arrow keys move and open, Enter opens a subtree.
Rows are the nodes that are open, never all siblings at once. A row is known by its path, the node numbers from the root of
the table joined by "/": in a graph a node can be under each of its parents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.components import component
from hierviz.app.taxonomy_page.choice import enter, path_to
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import main_place
from hierviz.app.widgets.table import download, unbroken
from hierviz.diagnosis._node_table import NODE_COLUMNS, cost_key, number_text_of, worst_first
from hierviz.reports.view_file import SeenTable

ROWS = {"tree": "as a tree", "all": "all classes", "leaves": "all leaves"}
# Children of a node that are shown first, and that are added by each press on "more".
FIRST, MORE = 30, 100


def draw(choice, *_):
    """Search, which classes, the table, and its download."""
    with main_place():
        inside = _table(choice)
    if inside is None:
        return
    st.caption(
        "▸ opens the children of a class, its name opens its subtree, a number of wrong answers opens these samples. "
        "Click a column's head to sort, worst first; a second click reverses the order, a third restores that of the file. "
        "Keys: arrows move, open and close, Enter opens a subtree, S shows its wrong answers."
    )
    with st.popover("Definitions of the columns", icon=":material/functions:", type="tertiary"):
        for key in choice.columns:
            column = NODE_COLUMNS[key]
            st.markdown(f"**{column.label}.** {column.sentence}")
            st.latex(column.formula)
        st.caption("T(v): samples with a truth at or below class v; A(v): samples with an answer at or below it.")
    label = f"CSV of {'the whole taxonomy' if not choice.root else 'this subtree'}, {len(inside):,} classes"
    table = choice.table
    download(label, lambda: table.to_frame().iloc[inside], "taxonomy.csv", "get-taxonomy", type="tertiary")


def _table(choice):
    """The table below its controls; returns the nodes that it is about, None where no class is found."""
    taxonomy, store = choice.taxonomy, _store(choice)
    inside = taxonomy.subtree(choice.root)
    depths = np.unique(taxonomy.depth[inside])
    with st.container(horizontal=True, vertical_alignment="center"):
        words = st.text_input(
            "Search",
            placeholder="Search: part of a name",
            label_visibility="collapsed",
            **state.kept("taxonomy", "words", "", width=200, icon=":material/search:"),
        )
        options = ["tree", *(f"depth-{depth}" for depth in depths.tolist() if depth), "all", "leaves"]
        labels = {key: ROWS.get(key, f"classes of {key.replace('-', ' ')}") for key in options}
        help = "As a tree, or the classes of one level in one list: the worst of the whole level comes first."
        rows = pick("Rows", labels, "node_rows", "tree", width=180, help=help, label_visibility="collapsed")
        if choice.has_calibration:
            st.toggle(
                "Calibration",
                help=f"For the {len(choice.calibrated_nodes)} classes with the most samples. Takes seconds on large data and "
                "cannot be cancelled.",
                **state.kept("taxonomy", "calibration", choice.wants_calibration),
            )
    order, reverse = choice.order
    table, is_tree = choice.table, rows == "tree" and not words.strip()
    if is_tree:
        found = tree_rows(table, choice.root, store["open"], store["shown"], order, reverse)
    else:
        if words.strip():
            nodes = named(taxonomy, inside, words)
        elif rows in ("all", "leaves"):
            nodes = inside[inside > 0] if rows == "all" else inside[taxonomy.is_leaf[inside]]
        else:
            nodes = inside[taxonomy.depth[inside] == int(rows.partition("-")[2])]
        if not len(nodes):
            st.info("No class of this subtree has this name.", icon=":material/search_off:")
            return None
        found = flat_rows(table, nodes, store["shown"].get("", FIRST), order, reverse)

    def did():
        _react(choice, state.session["tree-table"].did)

    drawn = table_data(choice, table, found, is_tree)
    state.see("tree-table", lambda: _seen(drawn))
    component(__file__, "tree_table")(key="tree-table", data=drawn, on_did_change=did)
    return inside


def _seen(drawn):
    """The SeenTable of what the component draws: levels of the tree are dashes before the name."""
    rows = [
        (f"{'– ' * (row['level'] - 1)}{row['title']}", *(cell["text"] for cell in row["cells"]))
        if "cells" in row
        else (row["text"], *[""] * len(drawn["columns"]))
        for row in drawn["rows"]
    ]
    return SeenTable(("Class", *(column["label"] for column in drawn["columns"])), rows, len(rows))


def _store(choice):
    """Which rows of this data set are open, and how many children of each are shown."""
    kept = state.memory("taxonomy").setdefault("rows of", {})
    return kept.setdefault((choice.data.key, choice.root), {"open": {str(choice.root)}, "shown": {}})


def table_data(choice, table, rows, is_tree):
    """What the component draws: columns, and of each row texts and lengths of bars."""
    taxonomy, columns, cost = choice.taxonomy, choice.columns, cost_key(table)
    look = charts.palette(state.is_dark())
    nodes = np.array([row.node for row in rows if row.node >= 0], dtype=np.intp)
    values = {key: np.asarray(getattr(table, key), dtype=float) for key in columns}
    # Bars of counts are as long as their share of the largest below the root of the table.
    others = nodes[nodes != choice.root] if len(nodes) > 1 else nodes
    largest = {key: max(float(np.nan_to_num(values[key][others]).max(initial=0)), 1e-12) for key in columns}
    full = {key: 1.0 if NODE_COLUMNS[key].kind in ("share", "error") else largest[key] for key in columns}
    can_open_samples = cost == "n_wrong" and choice.model.why_no_mistakes() is None

    def cell(key, node):
        value = float(values[key][node])
        is_whole = node == choice.root and NODE_COLUMNS[key].kind in ("count", "sum")
        bar = None if is_whole or np.isnan(value) else round(min(value / full[key], 1.0), 4)
        mark = "✗ " if key == "ece" and table.is_miscalibrated[node] == 1 else ""
        return {"text": mark + unbroken(number_text_of(key, value)), "bar": bar}

    drawn = [{"kind": row.kind, "path": row.path, "level": row.level} for row in rows]
    for shown, row in zip(drawn, rows, strict=True):
        if row.kind == "more":
            shown["text"] = f"{row.n_more:,} more"
            continue
        shown |= {
            "title": taxonomy.title(row.node),
            "above": " › ".join(map(taxonomy.title, path_to(taxonomy, row.node)[:-1].tolist())),
            "enter": row.kind != "leaf" and row.node != choice.root,
            "samples": bool(can_open_samples and table.n_wrong[row.node] > 0),
            "cells": [cell(key, row.node) for key in columns],
        }
    order, reverse = choice.order
    heads = [
        {
            "key": key,
            "label": NODE_COLUMNS[key].label,
            "help": NODE_COLUMNS[key].sentence,
            "colour": look.fp if NODE_COLUMNS[key].worse == "high" else look.path,
            "sorted": "" if key != order else "reversed" if reverse else "worst",
            "samples": key == cost,
        }
        for key in columns
    ]
    return {"columns": heads, "rows": drawn, "isTree": is_tree, "track": look.grid}


def _react(choice, did):
    """Do what was pressed in the table."""
    if not isinstance(did, dict):
        return
    kind, what = did.get("kind"), str(did.get("what", ""))
    store, taxonomy = _store(choice), choice.taxonomy
    if kind == "sort" and what in NODE_COLUMNS:
        order, reverse = choice.order
        following = f"{what}-reversed" if order == what and not reverse else "tree" if order == what else what
        state.change(node_order=following)
        return
    if kind == "more":
        store["shown"][what] = store["shown"].get(what, FIRST) + MORE
        return
    last = what.rpartition("/")[2]
    node = int(last) if last.isdecimal() and int(last) < taxonomy.n_nodes else None
    if node is None:
        return
    if kind == "toggle":
        store["open"] ^= {what}
    elif kind == "enter" and not taxonomy.is_leaf[node]:
        enter(taxonomy.names[node] if node else "")
    elif kind == "samples":
        state.change(under=taxonomy.names[node] if node else "", outcome="wrong", sample="")
        state.memory("taxonomy")["to samples"] = True


@dataclass(frozen=True)
class TreeRow:
    """One row: a node, or how many more there are.

    Attributes
    ----------
    path : str
        Of a row "more" that of the parent.
    node : int
        -1 in a row "more".
    level : int
        1 at the root of the table.
    kind : str
        'open', 'closed', 'leaf' or 'more'.
    n_more : int
        Nodes that are not shown.
    """

    path: str
    node: int
    level: int
    kind: str
    n_more: int = 0


def tree_rows(table, root, opened, shown, order="support", reverse=False):
    """Rows of the open part of a subtree.

    Parameters
    ----------
    table : NodeTable
    root : int
    opened : collection of str
        Paths that are open.
    shown : dict of str to int
        Children that are shown of a path; `FIRST` where none is given.
    order : str
        Column by which siblings are sorted, worst first; "tree" for the order of the source.
    reverse : bool
        The better end first.

    Returns
    -------
    list of TreeRow
    """
    children, rows = table.taxonomy.children, []
    stack = [TreeRow(str(root), root, 1, "closed")]
    while stack:
        row = stack.pop()
        if row.kind == "more":
            rows.append(row)
            continue
        below = children[row.node]
        kind = "leaf" if not len(below) else "open" if row.path in opened else "closed"
        rows.append(TreeRow(row.path, row.node, row.level, kind))
        if kind != "open":
            continue
        below = below if order == "tree" else worst_first(table, below, order, reverse=reverse)
        some = below[: shown.get(row.path, FIRST)]
        if len(some) < len(below):
            stack.append(TreeRow(row.path, -1, row.level + 1, "more", len(below) - len(some)))
        stack += [TreeRow(f"{row.path}/{node}", node, row.level + 1, "closed") for node in some.tolist()[::-1]]
    return rows


def flat_rows(table, nodes, shown, order="support", reverse=False):
    """Rows of some nodes without their tree, the first `shown` of them.

    Parameters
    ----------
    table : NodeTable
    nodes : ndarray of int
    shown : int
    order, reverse
        As in `tree_rows`.

    Returns
    -------
    list of TreeRow
    """
    ordered = nodes if order == "tree" else worst_first(table, nodes, order, reverse=reverse)
    is_leaf = table.taxonomy.is_leaf
    rows = [TreeRow(str(node), node, 1, "leaf" if is_leaf[node] else "closed") for node in ordered[:shown].tolist()]
    if shown < len(ordered):
        rows.append(TreeRow("", -1, 1, "more", len(ordered) - shown))
    return rows


def named(taxonomy, nodes, words):
    """Those of some nodes whose name or title holds all the words, whatever their case: ndarray of int."""
    words = words.casefold().split()

    def holds(node):
        text = f"{taxonomy.names[node]} {taxonomy.title(node)}".casefold()
        return all(word in text for word in words)

    return np.array([node for node in nodes.tolist() if holds(node)], dtype=np.intp)
