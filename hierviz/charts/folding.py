"""Focus and context: the few dozen nodes of a large taxonomy that one sample is about.

The paths to the truths, to the answers and to the most probable other leaves are always there. Under each open node come its
likeliest children; the rest of a family is one row, ``others``, with the summed probability. A node off these paths opens
only when it is likely and while the budget of rows lasts, most probable first. A single node is never folded.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hierviz.charts._compose import frame
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.number_text import count_text
from hierviz.taxonomy.checks import array_of_rows, check_taxonomy, checked_probabilities

# Shares of the probability of the first row from which on a leaf competes, and a node off all paths is opened.
COMPETITOR_P, OPEN_P = 0.005, 0.1
# Children shown besides those on a path.
N_LIKELY = 3


@dataclass(frozen=True)
class Folding:
    """Which nodes of a sample are shown besides those on the paths to truth and answer.

    Attributes
    ----------
    max_rows : int
        Budget of rows. Exceeded only when what is always shown needs more.
    min_p : float
        A child off all paths is shown from this share of the probability of `top` on.
    n_competitors : int
        So many of the most probable leaves off the paths of truth and answer are always shown, those from `COMPETITOR_P` on.
    top : int
        Node of the first row: nothing outside of its subtree is shown.
    keep : sequence of int
        Further nodes that are always shown.
    unfold : dict of int to int, optional
        Inner nodes whose most probable children are always shown, so many of them.
    """

    max_rows: int = 34
    min_p: float = 0.005
    n_competitors: int = 2
    top: int = 0
    keep: Sequence[int] = ()
    unfold: Mapping[int, int] | None = None


def fold(taxonomy, p, *, truth=None, predicted=None, folding=None):
    """The nodes worth showing of one sample, in depth-first order, likeliest child first and ``others`` last.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    p : ndarray of float, shape (n_nodes,)
        Node probabilities; they need not be coherent.
    truth : int or sequence of int, optional
        True node or nodes, leaf, inner node or root; None or empty where unknown.
    predicted : int or sequence of int, optional
        Answered node or nodes; None or empty where unknown.
    folding : Folding, optional

    Returns
    -------
    pandas.DataFrame
        One row a shown node or group: ``row`` its number, ``parent_row`` (-1 for the root), ``node`` (-1 for others),
        ``name``, ``depth``, ``p`` (sum over the group for others), ``outcome`` (tp, fp, fn, tn, path, root or others),
        ``on_truth``, ``on_answer``, ``kept`` (always shown, for another reason than truth and answer), ``hidden``: nodes not
        shown that this row represents (below a closed node; in the group with all below it), ``n_siblings``: children of the
        parent in this row (1 for a node).

    Raises
    ------
    PredictionsError
        If `p` has another length, or truth or predicted is not a node.
    TaxonomyError
        If the taxonomy is not a tree.
    """
    return frame(fold_rows(taxonomy, p, truth, predicted, folding or Folding()))


def fold_rows(taxonomy, p, truth, predicted, folding):
    """The rows of `fold` as list of dict."""
    check_taxonomy(taxonomy)
    taxonomy.require_tree("probability tree")
    p = array_of_rows(p, "p")
    if p.shape != (taxonomy.n_nodes,):
        raise PredictionsError(
            f"p: expected shape ({taxonomy.n_nodes},), one sample, got {p.shape}. Pass one row of node probabilities."
        )
    p = checked_probabilities(taxonomy, p[None])[0]
    truths = {_node(taxonomy, node, "truth") for node in as_nodes(truth)}
    answers = {_node(taxonomy, node, "predicted") for node in as_nodes(predicted, "predicted")}
    top, unfold = _node(taxonomy, folding.top, "top"), folding.unfold or {}
    true_path, answer_path = _paths(taxonomy, truths), _paths(taxonomy, answers)
    whole = p[top] if top and p[top] > 0 else 1.0
    paths = true_path | answer_path
    below = (lambda nodes: {node for node in nodes if taxonomy.is_ancestor(top, node)}) if top else set
    leaves = np.intersect1d(taxonomy.subtree(top), taxonomy.leaves) if top else taxonomy.leaves
    wanted = {_node(taxonomy, node, "keep") for node in folding.keep}
    wanted |= {_node(taxonomy, node, "unfold") for node in unfold}
    # Competitors of nobody are no competitors: without truth and answer the likeliest children are shown as always.
    if len(paths) > 1:
        ranked = _by_probability(p, leaves)[: folding.n_competitors + len(paths)]
        competing = [leaf for leaf in ranked if leaf not in paths and p[leaf] >= COMPETITOR_P * whole]
        wanted |= set(competing[: folding.n_competitors])
    kept = below(_paths(taxonomy, wanted)) - paths
    for node, n_children in unfold.items():
        kept |= set(_by_probability(p, taxonomy.children[node])[:n_children]) - paths if below({node}) else set()
    always = below(paths) | kept | {top}
    ends = (truths | answers | {top}) & always
    shown = _open(taxonomy, p, always, ends, kept, folding, whole)
    return _rows(taxonomy, p, shown, true_path, answer_path, kept, top, {*unfold, top} if top else set(unfold))


def as_nodes(nodes, what="truth"):
    """One node or several as a list of int, each once; empty where none is known."""
    if nodes is None:
        return []
    given, nodes = nodes, np.atleast_1d(array_of_rows(nodes, what)).ravel()
    if nodes.size and nodes.dtype.kind not in "iu":
        raise PredictionsError(
            f"{what}: expected node numbers, got {shown(given)}. Use Taxonomy.node to look a name up."
        )
    return list(dict.fromkeys(nodes.astype(int).tolist()))


def _paths(taxonomy, nodes):
    """Some nodes (set of int) with all above them."""
    return set(taxonomy.ancestors(np.array(sorted(nodes), dtype=np.intp)).nodes.tolist())


def _by_probability(p, nodes):
    """Nodes, the most probable first; unknown ones count as 0."""
    return nodes[np.argsort(-np.nan_to_num(p[nodes]), kind="stable")].tolist()


def _node(taxonomy, node, what):
    if not 0 <= int(node) < taxonomy.n_nodes:
        raise PredictionsError(
            f"{what}: expected a node from 0 to {taxonomy.n_nodes - 1}, got {node!r}. Use Taxonomy.node."
        )
    return int(node)


def _cost(n_children, n_shown):
    """Rows of an open family: the shown ones and one for the rest, be it one node or a group."""
    return n_shown + (n_shown < n_children)


def _open(taxonomy, p, paths, ends, kept, folding, whole):
    """Open nodes and their shown children: dict of node to list of nodes, most probable first."""
    ranked, shown, waiting = {}, {}, []

    def family(node):
        if node not in ranked:
            ranked[node] = _by_probability(p, taxonomy.children[node])
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
        most = N_LIKELY - len(have & kept)
        likely = [child for child in children[: N_LIKELY + len(have)] if child not in have][: max(0, most)]
        likely = [child for child in likely if p[child] >= folding.min_p * whole] or ([] if have else children[:1])
        while likely and rows - spent + _cost(len(children), len(have) + len(likely)) > folding.max_rows:
            likely.pop()
        if likely:
            rows += _cost(len(children), len(have) + len(likely)) - spent
            shown[node] = have | set(likely)
        for child in likely:
            if p[child] >= OPEN_P * whole:
                wish(child)
    return {node: _in_order(family(node), children) for node, children in shown.items()}


def _in_order(family, chosen):
    """The chosen children in the order of the family; all of it when only one would be folded."""
    return list(family) if len(chosen) >= len(family) - 1 else [child for child in family if child in chosen]


def _known(value):
    return 0.0 if math.isnan(value) else float(value)


def _rows(taxonomy, p, shown, true_path, answer_path, kept, top, opened):
    size, depth = taxonomy.subtree_size, taxonomy.depth
    rows, stack = [], [(top, None, -1)]
    while stack:
        node, group, parent_row = stack.pop()
        row = {"row": len(rows), "parent_row": parent_row}
        if group is not None:
            hidden = int(size[group].sum())
            row |= {"node": -1, "name": f"others (n={count_text(hidden)})", "depth": int(depth[node]) + 1}
            row |= {"p": float(p[group].sum()), "outcome": "others", "on_truth": False, "on_answer": False}
            row |= {"kept": node in opened}
            rows.append(row | {"hidden": hidden, "n_siblings": len(group)})
            continue
        children = shown.get(node, [])
        row |= {"node": node, "name": taxonomy.title(node), "depth": int(depth[node]), "p": float(p[node])}
        row |= {"outcome": _outcome(node, true_path, answer_path), "on_truth": node in true_path, "kept": node in kept}
        rows.append(
            row | {"on_answer": node in answer_path, "hidden": 0 if children else int(size[node]) - 1, "n_siblings": 1}
        )
        rest = np.setdiff1d(taxonomy.children[node], children) if children else ()
        if len(rest):
            stack.append((node, rest, row["row"]))
        stack += [(child, None, row["row"]) for child in reversed(children)]
    return rows


def _outcome(node, true_path, answer_path):
    if node == 0:
        return "root"  # on every path, so it counts for none
    if not true_path or not answer_path:
        return "path" if node in true_path or node in answer_path else "tn"
    if node in answer_path:
        return "tp" if node in true_path else "fp"
    return "fn" if node in true_path else "tn"
