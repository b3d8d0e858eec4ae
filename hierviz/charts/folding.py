"""Focus and context: the few dozen nodes of a large taxonomy that one sample is about.

The path to the truth and the path to the answer are always there. Under each open node come its likeliest children;
the rest of a family is one row, ``others``, with the summed probability. A node off both paths opens only when it is
likely and while the budget of rows lasts, most probable first. A single node is never folded.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from hierviz.charts._rows import frame
from hierviz.charts._text import count_text
from hierviz.checks import array_of_rows, check_taxonomy, checked_probabilities
from hierviz.errors import PredictionsError, shown


def fold(taxonomy, p, *, truth=None, predicted=None, max_rows=34, n_likely=3, min_p=0.005, open_p=0.1):
    """The nodes worth showing of one sample, in depth-first order, likeliest child first and ``others`` last.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    p : ndarray of float, shape (n_nodes,)
        Node probabilities; they need not be coherent.
    truth : int or sequence of int, optional
        True node or nodes, leaf, inner node or root; None or empty where unknown.
    predicted : int, optional
        Answered node; None where unknown.
    max_rows : int
        Budget of rows. Exceeded only when the two paths need more.
    n_likely : int
        Children shown besides those on a path.
    min_p : float
        A child off both paths is shown from this probability on.
    open_p : float
        A node off both paths is opened from this probability on.

    Returns
    -------
    pandas.DataFrame
        One row a shown node or group: ``row`` its number, ``parent_row`` (-1 for the root), ``node`` (-1 for others),
        ``name``, ``depth``, ``p`` (sum over the group for others), ``outcome`` (tp, fp, fn, tn, path, root or others),
        ``on_truth``, ``on_answer``, ``hidden``: nodes not shown that this row stands for (below a closed node; in the
        group with all below it), ``n_siblings``: children of the parent in this row (1 for a node).

    Raises
    ------
    PredictionsError
        If `p` has another length, or truth or predicted is not a node.
    TaxonomyError
        If the taxonomy is not a tree.
    """
    check_taxonomy(taxonomy)
    taxonomy.require_tree("probability tree")
    p = array_of_rows(p, "p")
    if p.shape != (taxonomy.n_nodes,):
        raise PredictionsError(
            f"p: expected shape ({taxonomy.n_nodes},), one sample, got {p.shape}. Pass one row of node probabilities."
        )
    p = checked_probabilities(taxonomy, p[None])[0]
    truths = {_node(taxonomy, node, "truth") for node in as_nodes(truth)}
    predicted = _node(taxonomy, predicted, "predicted")
    true_path = {node for truth in truths for node in taxonomy.path(truth).tolist()}
    answer_path = set() if predicted is None else set(taxonomy.path(predicted).tolist())
    shown = _open(
        taxonomy, p, true_path | answer_path | {0}, {*truths, predicted, 0}, max_rows, n_likely, min_p, open_p
    )
    return _as_frame(taxonomy, p, shown, true_path, answer_path)


def as_nodes(truth):
    """One true node or several as a list of int, each once; empty where none is known."""
    if truth is None:
        return []
    nodes = np.atleast_1d(array_of_rows(truth, "truth")).ravel()
    if nodes.size and nodes.dtype.kind not in "iu":
        raise PredictionsError(
            f"truth: expected node numbers, got {shown(truth)}. Use Taxonomy.node to look a name up."
        )
    return list(dict.fromkeys(nodes.astype(int).tolist()))


def _node(taxonomy, node, what):
    if node is None:
        return None
    if not 0 <= int(node) < taxonomy.n_nodes:
        raise PredictionsError(
            f"{what}: expected a node from 0 to {taxonomy.n_nodes - 1}, got {node!r}. Use Taxonomy.node."
        )
    return int(node)


def _cost(n_children, n_shown):
    """Rows of an open family: the shown ones and one for the rest, be it one node or a group."""
    return n_shown + (n_shown < n_children)


def _open(taxonomy, p, paths, ends, max_rows, n_likely, min_p, open_p):
    """Open nodes and their shown children: dict of node to list of nodes, most probable first."""
    ranked, shown, waiting = {}, {}, []

    def family(node):
        if node not in ranked:
            children = taxonomy.children[node]
            ranked[node] = children[np.argsort(-np.nan_to_num(p[children]), kind="stable")].tolist()
        return ranked[node]

    def wish(node):
        if not taxonomy.is_leaf[node]:
            heapq.heappush(waiting, (-_known(p[node]), node))

    for node in sorted(paths):
        on_path = {child for child in family(node) if child in paths}
        if on_path:
            shown[node] = on_path
        if on_path or node in ends:
            wish(node)
    rows = 1 + sum(_cost(len(family(node)), len(children)) for node, children in shown.items())
    while waiting:
        _, node = heapq.heappop(waiting)
        children, have = family(node), shown.get(node, set())
        spent = _cost(len(children), len(have)) if have else 0
        likely = [child for child in children[: n_likely + len(have)] if child not in have][:n_likely]
        likely = [child for child in likely if p[child] >= min_p] or ([] if have else children[:1])
        while likely and rows - spent + _cost(len(children), len(have) + len(likely)) > max_rows:
            likely.pop()
        if likely:
            rows += _cost(len(children), len(have) + len(likely)) - spent
            shown[node] = have | set(likely)
        for child in likely:
            if p[child] >= open_p:
                wish(child)
    return {node: _in_order(family(node), children) for node, children in shown.items()}


def _in_order(family, chosen):
    """The chosen children in the order of the family; all of it when only one would be folded."""
    return list(family) if len(chosen) >= len(family) - 1 else [child for child in family if child in chosen]


def _known(value):
    return 0.0 if math.isnan(value) else float(value)


def _as_frame(taxonomy, p, shown, true_path, answer_path):
    size, depth = taxonomy.subtree_size, taxonomy.depth
    rows, stack = [], [(0, None, -1)]
    while stack:
        node, group, parent_row = stack.pop()
        row = {"row": len(rows), "parent_row": parent_row}
        if group is not None:
            hidden = int(size[group].sum())
            row |= {"node": -1, "name": f"others (n={count_text(hidden)})", "depth": int(depth[node]) + 1}
            row |= {"p": float(p[group].sum()), "outcome": "others", "on_truth": False, "on_answer": False}
            rows.append(row | {"hidden": hidden, "n_siblings": len(group)})
            continue
        children = shown.get(node, [])
        row |= {"node": node, "name": taxonomy.title(node), "depth": int(depth[node]), "p": float(p[node])}
        row |= {"outcome": _outcome(node, true_path, answer_path), "on_truth": node in true_path}
        rows.append(
            row | {"on_answer": node in answer_path, "hidden": 0 if children else int(size[node]) - 1, "n_siblings": 1}
        )
        rest = np.setdiff1d(taxonomy.children[node], children) if children else ()
        if len(rest):
            stack.append((node, rest, row["row"]))
        stack += [(child, None, row["row"]) for child in reversed(children)]
    return frame(rows)


def _outcome(node, true_path, answer_path):
    if node == 0:
        return "root"  # on every path, so it counts for none
    if not true_path or not answer_path:
        return "path" if node in true_path or node in answer_path else "tn"
    if node in answer_path:
        return "tp" if node in true_path else "fp"
    return "fn" if node in true_path else "tn"
