"""What the page Taxonomy shows: model, rule, threshold and subtree, and the numbers that are computed of them once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierviz.app import state
from hierviz.app.widgets.chosen_model import ChosenModel
from hierviz.app.widgets.progress import worked_out
from hierviz.diagnosis._level_table import level_table, subtree_levels
from hierviz.diagnosis._node_table import cost_key, node_table, usable_columns, worst_first
from hierviz.diagnosis._overconfidence import overconfidence
from hierviz.diagnosis._reliability import reliability
from hierviz.diagnosis.calibration_bins import calibration_example
from hierviz.diagnosis.sample_filter import SampleFilter, filtered

# Classes whose calibration is computed: those with the most samples of a subtree.
MOST_CALIBRATED = 60
# Probabilities from which on calibration is computed on request only.
AT_ONCE = 3_000_000


@dataclass(frozen=True, eq=False)
class TaxonomyChoice(ChosenModel):
    """A model of the open data, how its answers are chosen, and the class at the root of what is shown.

    Attributes
    ----------
    root : int
    """

    root: int

    ignored = ("outcome", "under")

    @property
    def of_samples(self):
        """What calibration depends on; filters by the answer change which samples it is of."""
        by_answer = (
            self.wanted.answered is not None
            or self.wanted.answer is not None
            or self.wanted.common is not None
            or self.wanted.common_least is not None
        )
        return self.where if by_answer else (self.data.digest, self.key, self.wanted)

    @cached_property
    def has_calibration(self):
        """Whether there are probabilities and truths."""
        return bool(self.predictions.has_scores and self.model.n_judged)

    @cached_property
    def calibrated_nodes(self):
        """Classes of the subtree whose calibration is computed, the largest support first; the root of all has p = 1."""
        inside = self.taxonomy.subtree(self.root)
        inside = inside[(self.plain.support[inside] > 0) & (inside != 0)]
        return worst_first(self.plain, inside, "support")[:MOST_CALIBRATED]

    @cached_property
    def plain(self):
        """NodeTable without calibration."""
        return self.computed("node table", lambda: node_table(self.answers))

    @cached_property
    def wants_calibration(self):
        """Whether the table shows calibration: always where that is quick, else on request."""
        is_quick = self.predictions.n_samples * self.taxonomy.n_nodes <= AT_ONCE
        return self.has_calibration and state.memory("taxonomy").get("calibration", is_quick)

    @cached_property
    def table(self):
        """NodeTable, with calibration where it is wanted."""
        if not self.wants_calibration:
            return self.plain
        found = self.calibration
        if found is None:
            return self.plain
        return self.computed("node table", lambda: node_table(self.answers, calibration=found), self.root)

    @cached_property
    def calibration(self):
        """Reliability of `calibrated_nodes`, None where cancelled; of the answers it depends on which classes these are."""
        nodes = tuple(self.calibrated_nodes.tolist())
        return self._slow((*self.of_samples, nodes), "Calibration of classes", self.answers, nodes=nodes)

    @cached_property
    def answered_here(self):
        """JudgedAnswers at or below the root of what is shown; None where there are none.

        Calibration chooses samples by their answers: chosen by their truth, not even a calibrated model would look so.
        """
        if not self.root:
            return self.answers
        inside = filtered(self.answers, SampleFilter(answered=self.root))
        return self.answers.take(inside) if inside.any() else None

    @cached_property
    def calibration_of_depths(self):
        """Reliability of the depths of a tree from the root of what is shown down, None where it was cancelled."""
        what, answers, first = "Calibration of depths", self.answered_here, max(1, int(self.taxonomy.depth[self.root]))
        last = int(self.taxonomy.depth[self.taxonomy.subtree(self.root)].max())
        key = (*self.where, "depths", self.root) if self.root else (*self.of_samples, "depths")
        return self._slow(key, what, answers, depths=range(first, last + 1))

    @cached_property
    def calibration_here(self):
        """Reliability of `calibrated_nodes` on `answered_here`, None where it was cancelled."""
        if not self.root:
            return self.calibration
        nodes = tuple(self.calibrated_nodes.tolist())
        key = (*self.where, "classes", self.root, nodes)
        return self._slow(key, "Calibration of classes", self.answered_here, nodes=nodes)

    @cached_property
    def overconfidence(self):
        """Overconfidence of the subtrees from the root of what is shown down."""
        return self.computed("overconfidence", lambda: overconfidence(self.answers, under=self.root), self.root)

    def _slow(self, key, what, answers, **chosen):
        return worked_out(
            "calibration", key, what, lambda stages: reliability(answers, **chosen, progress=stages(what, "steps"))
        )

    @cached_property
    def levels(self):
        """SubtreeLevels."""
        return self.computed("levels", lambda: subtree_levels(self.answers, self.root, nodes=self.plain), self.root)

    @cached_property
    def per_sample(self):
        """LevelTable of the samples, for its labels per sample."""
        return self.computed("labels per sample", lambda: level_table(self.answers))

    @cached_property
    def columns(self):
        """Keys of the columns that have numbers."""
        return usable_columns(self.table)

    @property
    def order(self):
        """(column or "tree", whether the better end comes first) of the view."""
        key, _, end = (state.view().node_order or cost_key(self.plain)).partition("-")
        return (key if key in (*self.columns, "tree") else cost_key(self.plain)), end == "reversed"

    @property
    def colour(self):
        """The column of the view that colours show."""
        key = state.view().colour
        return key if key in self.columns else "recall"


def example():
    """Reliability of the leaves and parents of the example, kept for all visitors."""
    return state.computed(
        "calibration example", "example", lambda: reliability(calibration_example(), nodes=range(1, 7))
    )


def path_to(taxonomy, node):
    """Nodes from the root to a node; in a graph by the first parent of each."""
    found = [int(node)]
    while found[-1]:
        found.append(int(taxonomy.parents[found[-1]][0]))
    return np.array(found[::-1])


def enter(name):
    """Show the subtree at a class here and on the other pages; "" shows all classes."""
    state.change(under=name, sample="")
