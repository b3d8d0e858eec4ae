"""Check of the class order: accuracy under each plausible order of a model's columns; and which answered leaves are right.

A model whose columns are named in the wrong order runs without an error and gets nearly everything wrong. With the truth of
some samples the right order shows. It is shown, never taken: columns belong to nodes by name.

Conventions
-----------
An answered leaf is right when it is the truth or lies below it; with several true nodes, when it does so for one of them.
A truth of -1, or an empty list, is not known, and nothing is right there.
"""

import numpy as np

from hierviz.messages.number_text import percent_text
from hierviz.messages.parameters import Sentence
from hierviz.predictions.exchanged_columns import CLEARLY, luck, luck_words
from hierviz.predictions.parametrisation import default_columns, node_probabilities
from hierviz.predictions.predictions import BLOCK_VALUES
from hierviz.readers.picture_names import natural_key
from hierviz.taxonomy.taxonomy import NodeLists

# Scores of inner nodes must go through the parametrisation once per order: so many rows are enough.
MOST_ROWS = 2000
CHOSEN = "as matched"
_SHIFTS = {0: "", 1: ", after one background class", -1: ", without the first class"}


def check_class_order(taxonomy, truth, scores, nodes, *, parametrisation=None):
    """Leaf accuracy under each plausible order of the columns.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : ndarray of int, shape (n_samples,), or NodeLists
        -1, or an empty list, where it is not known.
    scores : ndarray, shape (n_samples, n_scores)
        As the model gives them, columns of no node included.
    nodes : ndarray of int, shape (n_scores,), or None
        Node of each column as it was matched, -1 for a column of no node. None when the columns have no class names: the
        table then suggests an order.
    parametrisation : str, optional
        Needed where inner nodes have scores; without it the best leaf is the one with the largest score.

    Returns
    -------
    table : list of dict
        Best first: ``order``, ``is_chosen``, and the counts of `compared` over the rows with known truth: at most `MOST_ROWS`
        of them where inner nodes have scores. Equal orders are listed once, by the first name.
    warning : str or None
        When another order is clearly better: `luck` below `CLEARLY`.
    """
    orders = _orders(scores.shape[1], taxonomy, nodes)
    has_leaves_only = all(taxonomy.is_leaf[order[order >= 0]].all() for order in orders.values())
    rows = rows_to_check(truth, len(scores) if has_leaves_only else MOST_ROWS)
    if not len(rows) or not orders:
        return [], None
    truth = truth.take(rows) if isinstance(truth, NodeLists) else np.asarray(truth)[rows]
    key = None if has_leaves_only else parametrisation
    right = {
        name: are_right(taxonomy, truth, _answers(scores, rows, taxonomy, order, key)) for name, order in orders.items()
    }
    counts = compared(right, CHOSEN)
    table = best_first([{"order": name, "is_chosen": name == CHOSEN, **counts[name]} for name in right], "is_chosen")
    return table, _warning(table)


def rows_to_check(truth, most):
    """At most so many rows with known truth, ascending: the same ones for all checks that are read side by side."""
    known = truth.lengths > 0 if isinstance(truth, NodeLists) else np.asarray(truth) >= 0
    rows = np.flatnonzero(known)
    return rows if len(rows) <= most else np.sort(np.random.default_rng(0).choice(rows, most, replace=False))


def compared(right, chosen):
    """How often each of several alternatives is right, against the chosen one.

    Parameters
    ----------
    right : mapping of name to ndarray of bool, shape (n_rows,)
    chosen : str or None
        Name of the one in use.

    Returns
    -------
    dict of name to dict
        ``n_right``, ``n``, ``accuracy`` (in [0, 1]); ``n_better`` and ``n_worse`` (rows that are right only with this one, only
        with the chosen one) and ``luck`` (the chance that an alternative which is no better wins so often: the exact sign
        test, times the number of alternatives). These three are None where `chosen` is not among them.
    """
    counts = {}
    for name, is_right in right.items():
        n_right, n = int(is_right.sum()), len(is_right)
        counts[name] = {"n_right": n_right, "n": n, "accuracy": n_right / n}
        n_better = n_worse = chance = None
        if chosen in right:
            n_better, n_worse = int((is_right & ~right[chosen]).sum()), int((right[chosen] & ~is_right).sum())
            chance = luck(n_better, n_worse, max(1, len(right) - 1))
        counts[name] |= {"n_better": n_better, "n_worse": n_worse, "luck": chance}
    return counts


def best_first(table, chosen):
    """Rows sorted by `n_right`, of equal ones that first whose column `chosen` is True."""
    return sorted(table, key=lambda row: (-row["n_right"], not row[chosen]))


def _warning(table):
    best, chosen = table[0], next((row for row in table if row["is_chosen"]), None)
    if chosen is None or best["luck"] >= CLEARLY:
        return None
    return Sentence(
        f"the columns are probably in another order: {percent_text(chosen['accuracy'], 1)} of {chosen['n']} answers are "
        f"correct as the columns were matched, {percent_text(best['accuracy'], 1)} in {best['order']} "
        f"({best['n_better']} correct only there, "
        f"{best['n_worse']} only as matched; probability by chance: {luck_words(best['luck'])}). "
        f"Check the class names ({{classes}})"
    )


def _orders(n_scores, taxonomy, nodes):
    """{name: node of each column, -1 for none}; of equal orders only the first."""
    orders = {}
    if nodes is not None:
        nodes = np.asarray(nodes, dtype=np.intp)
        kept = np.flatnonzero(nodes >= 0)
        orders[CHOSEN] = nodes
        classes = nodes[kept]
    else:
        widths = {
            len(candidate): candidate
            for candidate in (np.arange(taxonomy.n_nodes), np.arange(1, taxonomy.n_nodes), taxonomy.leaves)
        }
        classes = widths.get(n_scores)
        classes = widths.get(n_scores - 1) if classes is None else classes
        if classes is None:
            return {}
        kept = np.arange(n_scores)
    is_leaves = bool(taxonomy.is_leaf[classes].all())
    by_name = sorted(classes.tolist(), key=lambda node: taxonomy.names[node])
    natural = sorted(classes.tolist(), key=lambda node: natural_key(taxonomy.names[node]))
    lists = {} if nodes is None else {CHOSEN: classes}
    lists |= {
        "alphabetical order": np.array(by_name),
        "natural order (2 before 10, any case)": np.array(natural),
        "the taxonomy's order": np.sort(classes),
    }
    if taxonomy.is_tree:
        lists["depth-first order of the tree"] = classes[np.argsort(taxonomy.preorder[classes])]
        if not is_leaves and 0 not in classes and len(classes) == taxonomy.n_nodes - 1:
            lists["the taxonomy's order, children together"] = default_columns(taxonomy, "conditional_softmax")
    for name, order in lists.items():
        # A parametrisation of inner nodes wants all of its columns.
        for shift, words in _SHIFTS.items() if is_leaves else ((0, ""),):
            placed = _placed(n_scores, kept, order, shift)
            if placed is not None:
                orders.setdefault(name + words, placed)
    first = {}
    for name, order in orders.items():
        first.setdefault(order.tobytes(), name)
    return {name: orders[name] for name in first.values()}


def _placed(n_scores, kept, order, shift):
    """Node of each column when column `kept[k]` belongs to class `order[k - shift]`; None when that cannot be."""
    placed = np.full(n_scores, -1)
    extra = len(kept) - len(order)
    if extra == 0 and shift == 0:
        placed[kept] = order
    elif extra == 0:
        placed[kept[1:] if shift > 0 else kept[:-1]] = order[:-1] if shift > 0 else order[1:]
    elif extra == 1 and shift >= 0:  # one column more than classes: the background comes first or last
        placed[kept[1:] if shift else kept[:-1]] = order
    else:
        return None
    return placed


def _answers(scores, rows, taxonomy, order, parametrisation):
    """Best leaf of each row, shape (n_rows,)."""
    places = np.flatnonzero(order >= 0)
    if parametrisation is None:
        places = places[taxonomy.is_leaf[order[places]]]
    best_leaves = []
    step = max(1, BLOCK_VALUES // max(len(places), taxonomy.n_nodes))
    for first in range(0, len(rows), step):
        block = np.asarray(scores[rows[first : first + step]])
        if parametrisation is None:
            best_leaves.append(order[places][block[:, places].argmax(axis=1)])
        else:
            p = node_probabilities(taxonomy, block[:, places], parametrisation, order[places])
            best_leaves.append(taxonomy.leaves[p[:, taxonomy.leaves].argmax(axis=1)])
    return np.concatenate(best_leaves)


def are_right(taxonomy, truth, leaves):
    """Which answered leaves are right.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : ndarray of int, shape (n_samples,), or NodeLists
    leaves : ndarray of int, shape (n_samples,)
        -1 for no answer, which is never right.

    Returns
    -------
    ndarray of bool, shape (n_samples,)
    """
    truth = NodeLists.of(truth)
    right = np.zeros(len(leaves), dtype=bool)
    row = np.repeat(np.arange(len(leaves)), truth.lengths)
    known = (truth.nodes >= 0) & (leaves[row] >= 0)
    row, nodes = row[known], truth.nodes[known]
    if taxonomy.is_tree:
        right[row[taxonomy.is_ancestor(nodes, leaves[row])]] = True
        return right
    above = taxonomy.ancestors(leaves[row])
    pair = np.repeat(np.arange(len(row)), above.lengths)
    right[row[pair[above.nodes == nodes[pair]]]] = True
    return right


def top_level_wrong(taxonomy, truth, leaves):
    """Which answers lie below another child of the root than the truth (trees, one true node a sample).

    Parameters
    ----------
    taxonomy : Taxonomy
    truth, leaves : ndarray of int, shape (n_samples,)
        Truths of -1 or the root count as not wrong.

    Returns
    -------
    ndarray of bool, shape (n_samples,)
    """
    tops = np.flatnonzero(taxonomy.parent == 0)
    # The top of a node is the last one that does not start after it in depth-first order.
    start = np.sort(taxonomy.preorder[tops])
    branch = np.searchsorted(start, taxonomy.preorder, side="right")
    return (truth > 0) & (branch[leaves] != branch[truth])


def near_chance(n_right, n, n_leaves):
    """A warning when the accuracy is so low that class order or scaling may be wrong, else None.

    Parameters
    ----------
    n_right, n : int
        Of the samples whose truth is a leaf.
    n_leaves : int
        Chance is one in `n_leaves`. Below 3 times that is close to chance; with fewer than 8 leaves, less than two
        standard errors above it.
    """
    if not n:
        return None
    chance = 1 / n_leaves
    limit = 3 * n if n_leaves >= 8 else n_leaves * (n * chance + 2 * np.sqrt(n * chance * (1 - chance)))
    if n_right * n_leaves >= limit:
        return None
    return (
        f"accuracy is close to chance ({percent_text(n_right / n, 1)} of {n} leaves correct, {percent_text(chance, 1)} by "
        "chance): check the order of the classes and the scaling of the inputs"
    )
