"""One answer to one sample as lanes from the root down: what stands in each depth, as rows of plain values.

Conventions
-----------
Row d of the drawing is depth d + 1; the root is above the first row. In each row every lane has a slot, then come the most
probable sibling and the rest. A node on several lanes is drawn once, between them. States: ``tp``, ``fp``, ``fn`` as the counts,
``path`` of an answer whose truth is unknown, ``tn`` of what is neither answered nor true, ``ghost`` of the next answer where it
is in another branch.

Functions
---------
scene
"""

from __future__ import annotations

import numpy as np

from hierviz.diagnosis._lane_bars import ROUNDING, lane_bars
from hierviz.messages.number_text import probability_text
from hierviz.metrics.node_pairs import with_outside


def scene(taxonomy, p, claimed, lanes, truth, following=-1, *, high=None, votes=None):
    """Rows of the drawing of an answer.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float, shape (n_nodes,), or None
        None of labels.
    claimed : list of list of int
        The paths of the answer, without the root.
    lanes : list of list of int
        What is drawn of them: a path may go on below its answer. Without the root.
    truth : list of list of int
        The true paths, without the root; empty where none is known.
    following : int
        The next answer; -1 where there is none.
    high : ndarray of float, shape (n_nodes,), optional
        Highest probabilities, where those of some classes are not known.
    votes : VoteShares, optional
        Of the one sample, where it has several answers.

    Returns
    -------
    dict of str to list of dict
        ``bars``: row, slot, kind, state, node (not of the rest), name, p, text, hi,
        mark; of several answers the ends ``i0`` and ``i1`` of the interval of their share, and all in words (``of``).
        ``lanes``: row, slot, lane and those of what is above it,
        state, answer, truth.
    """
    made = _Scene(taxonomy, p, claimed, lanes, truth, high, votes)
    for row in range(max(map(len, made.every), default=0)):
        made.add_row(row)
    if following >= 0 and made.depth_of(following) is not None and following not in made.places:
        made.add_ghost(following)
    return {"bars": made.bars, "lanes": made.links}


class _Scene:
    def __init__(self, taxonomy, p, claimed, lanes, truth, high, votes):
        self.taxonomy, self.p, self.high, self.votes = taxonomy, p, high, votes
        self.claimed, self.lanes, self.truth = claimed, lanes, truth
        self.every = [lane for lane in (*lanes, *truth) if lane]
        self.ends = {lane[-1] for lane in claimed if lane}, {lane[-1] for lane in truth if lane}
        self.places = {}
        for place, lane in enumerate(self.every):
            for node in lane:
                self.places.setdefault(node, []).append(place)
        self.slots = {}
        self.lane_bars = None
        if p is not None:
            # What no class has is that of an answer outside the taxonomy.
            self.p = with_outside(p, max(1 - float(p[taxonomy.children[0]].sum()), 0.0))
        if high is not None:
            self.high = with_outside(high, 1.0)
        if p is not None and lanes and lanes[0] and lanes[0][-1] >= 0 and taxonomy.is_tree:
            drawn = [node for lane in self.every for node in lane if node >= 0]
            self.lane_bars = lane_bars(taxonomy, p, [0, *lanes[0]], drawn)
        self.bars, self.links = [], []

    def state(self, node):
        """What a node of a lane is."""
        if node < 0:
            return "outside"
        is_claimed = any(node in path for path in self.claimed)
        if not self.truth:
            return "path" if is_claimed else "tn"
        is_true = any(node in path for path in self.truth)
        return ("tp" if is_true else "fp") if is_claimed else "fn" if is_true else "tn"

    def is_below_truth(self, node):
        """Whether an answered node is below the end of a true path, where the truth is an inner class."""
        above = [path[: path.index(node)] for path in self.claimed if node in path]
        return any(end in path for path in above for end in self.ends[1])

    def lane(self, node):
        """Where the lane of a node is, from 0; the root is between the first and the last."""
        places = self.places.get(node) or range(len(self.every))
        return sum(places) / len(places)

    def add_row(self, row):
        """The nodes at a depth, what is beside them, and their counts."""
        nodes = sorted({lane[row] for lane in self.every if row < len(lane)}, key=lambda node: (self.lane(node), node))
        for slot, node in enumerate(nodes):
            self.slots[node] = slot
            self._bar(row, slot, "node", self.state(node), node)
            for above in dict.fromkeys(
                lane[row - 1] if row else 0 for lane in self.every if lane[row : row + 1] == [node]
            ):
                self.links.append(
                    {"row": row, "slot": slot, "lane": self.lane(node), "state": self.state(node)}
                    | {"row0": row - 1, "slot0": self.slots.get(above, 0), "lane0": self.lane(above)}
                    | {"answer": node in self.ends[0], "truth": node in self.ends[1]}
                )
        self._beside(row, len(nodes), nodes)

    def _beside(self, row, slot, nodes):
        """The best sibling in the lane of the answer, and the rest of its parent."""
        if self.lane_bars is None or row >= len(self.lane_bars.node):
            return
        beside = self.lane_bars
        sibling, parent = int(beside.sibling[row]), self.taxonomy.parent[beside.node[row]]
        if sibling >= 0:
            self._bar(row, slot, "sibling", "tn", sibling)
            slot += 1
        n_others = len(self.taxonomy.children[parent]) - len(np.intersect1d(self.taxonomy.children[parent], nodes))
        n_others -= sibling >= 0
        if beside.is_incoherent[row]:
            self._rest(row, slot, None, "rest: p is not coherent")
        elif n_others or beside.rest[row] > ROUNDING:
            words = f"{n_others:,} other{'s' if n_others != 1 else ''}" if n_others else "unassigned"
            if any(self.taxonomy.parent[node] != parent for node in nodes):
                words += f" in {self.taxonomy.title(parent)}"
            self._rest(row, slot, float(beside.rest[row]) if beside.rest[row] > ROUNDING else 0.0, words)

    def _rest(self, row, slot, p, name):
        self.bars.append(
            {"row": row, "slot": slot, "kind": "rest", "state": "others", "name": name, "p": p or 0.0, "hi": 0.0}
            | {"text": probability_text(p) if p is not None else "", "mark": ""}
        )

    def _bar(self, row, slot, kind, state, node):
        p = None if self.p is None else float(self.p[node])
        mark = ""
        if kind == "node" and node > 0 and not self.taxonomy.is_leaf[node] and node not in self.taxonomy.candidates:
            mark = "one child: never predicted"
        if kind == "node" and state == "fp" and self.is_below_truth(node):
            mark = "below the truth"
        self.bars.append(
            {"row": row, "slot": slot, "kind": kind, "state": state, "node": int(node), "mark": mark}
            | {"name": self.taxonomy.title(node) if node >= 0 else "outside the taxonomy"}
            | {"p": p or 0.0, "hi": 0.0 if self.high is None else float(self.high[node])}
            | {"text": "" if p is None else probability_text(p) + self._counted(node)}
            | {"answer": node in self.ends[0] and kind == "node", "truth": node in self.ends[1] and kind == "node"}
            | {"leaf": node >= 0 and bool(self.taxonomy.is_leaf[node])}
            | self._interval(node)
        )

    def _counted(self, node):
        return "" if self.votes is None else f" ({self.votes.counted(0, node)})"

    def _interval(self, node):
        """Of several answers, the interval of the share of a class, or of those that name none."""
        if self.votes is None:
            return {}
        ends = {"i0": float(self.votes.low[0, node]), "i1": float(self.votes.high[0, node])}
        return ends | {"of": self.votes.words(0, node)}

    def depth_of(self, node):
        """Row of a node."""
        return int(self.taxonomy.depth[node]) - 1 if node else None

    def add_ghost(self, node):
        """The next answer, which is in none of the lanes, below what is in its row."""
        row = self.depth_of(node)
        here = [bar for bar in self.bars if bar["row"] == row]
        for bar in here:
            if bar["kind"] == "sibling" and bar["name"] == self.taxonomy.title(node):
                bar["state"] = "ghost"
                return
        self._bar(row, max((bar["slot"] for bar in here), default=-1) + 1, "ghost", "ghost", node)
