r"""Which nodes can be the answer to a sample whose probabilities are known within bounds.

Conventions
-----------
`low` and `high` have shape (n_rows, n_nodes). At a threshold t the answer is the most informative candidate with p > t, the most
probable of equal information, the lowest node on ties; where none is above t, the most probable one, the most informative on
ties. Thus a node can be the answer when its high is above t and it is at least as informative as every node whose low is
above t, and, among equally informative ones, not surely less probable. As t falls a node comes in at its high and goes out at
the largest low of the more informative ones: an interval of thresholds, ``leaves_at <= t < enters_at``. Below 0 only leaves are
left: the rule `leaf`.

Answers of one sample that agree in their lowest common ancestor with the truth, their information and their depth have the
same metrics: one of them stands for all.

Functions
---------
Answers, reachable_answers, reachable_leaves
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.messages.notebook_html import Short


@dataclass(frozen=True, eq=False)
class Answers(Short):
    """Nodes that can be the answer; arrays of shape (n,), ordered by row, at least one of each row at every threshold.

    Attributes
    ----------
    row, node : ndarray of int
    common : ndarray of int
        Lowest common ancestor with the truth of the row.
    leaves_at, enters_at : ndarray of float
        The node can be the answer at thresholds t with ``leaves_at <= t < enters_at``.
    """

    row: np.ndarray
    node: np.ndarray
    common: np.ndarray
    leaves_at: np.ndarray
    enters_at: np.ndarray

    def at(self, threshold):
        """Those at one threshold; -inf stands for the most probable leaf."""
        return self.take((self.leaves_at <= threshold) & (threshold < self.enters_at))

    def take(self, which):
        """Some of them: ndarray of int or bool."""
        return Answers(*(getattr(self, name)[which] for name in ("row", "node", "common", "leaves_at", "enters_at")))


def reachable_answers(taxonomy, truth, low, high):
    """Answers of threshold inference at every threshold.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_rows,)
    low, high : ndarray of float, shape (n_rows, n_nodes)

    Returns
    -------
    Answers
    """
    groups = taxonomy.candidate_groups
    surest, likeliest = (np.max([values[:, group].max(axis=1) for group in groups], axis=0) for values in (low, high))
    forced = np.full(len(low), -np.inf)
    rows, nodes, leaves_at, enters_at = [], [], [], []
    for group in groups:
        lows, highs = low[:, group], high[:, group]
        best = lows.max(axis=1)
        is_after = np.arange(len(group)) > lows.argmax(axis=1)[:, None]
        is_beaten = (highs < best[:, None]) | ((highs == best[:, None]) & is_after)
        # Above all thresholds that a node is sure to exceed, the most probable one is the answer.
        enters = np.where(highs >= surest[:, None], np.inf, highs)
        row, place = np.nonzero(~is_beaten & (enters > forced[:, None]))
        rows.append(row)
        nodes.append(group[place])
        leaves_at.append(forced[row])
        enters_at.append(enters[row, place])
        forced = np.maximum(forced, np.where(best >= likeliest, np.inf, best))
    row, node, leaves, enters = map(np.concatenate, (rows, nodes, leaves_at, enters_at))
    return _without_repeats(taxonomy, truth, row, node, leaves, enters)


def reachable_leaves(taxonomy, truth, low, high):
    """Leaves that the walk from the root to the most probable child can end at.

    A child can be chosen when its high is not below the low of one of its siblings, the first in declared order on ties.

    Parameters
    ----------
    taxonomy, truth, low, high
        As in `reachable_answers`.

    Returns
    -------
    Answers
        At every threshold.
    """
    reached = np.zeros(low.shape, dtype=bool)
    reached[:, 0] = True
    for nodes, start, parents in taxonomy.families:
        family = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(nodes))))
        lows, highs, place = low[:, nodes], high[:, nodes], np.arange(len(nodes))
        best = np.maximum.reduceat(lows, start, axis=1)[:, family]
        first = np.minimum.reduceat(np.where(lows == best, place, len(nodes)), start, axis=1)[:, family]
        can_win = (highs > best) | ((highs == best) & (place <= first))
        reached[:, nodes] = can_win & reached[:, parents][:, family]
    row, place = np.nonzero(reached[:, taxonomy.leaves])
    always = np.full(len(row), np.inf)
    return _without_repeats(taxonomy, truth, row, taxonomy.leaves[place], -always, always)


def _without_repeats(taxonomy, truth, row, node, leaves_at, enters_at):
    """Answers, one for all with the same metrics and thresholds."""
    common = lowest_common_ancestors(taxonomy, truth[row], node)
    width = taxonomy.max_depth + 1
    kind = (row * width + taxonomy.depth[common]) * width + taxonomy.depth[node]
    keys = (enters_at, leaves_at, kind * (taxonomy.n_leaves + 1) + taxonomy.n_leaves_below[node])
    order = np.lexsort(keys)
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    order = order[is_new]
    return Answers(row[order], node[order], common[order], leaves_at[order], enters_at[order])
