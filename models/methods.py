"""The seven demo models and two of a lesson: how each scores nodes and what it is trained to lower."""

from dataclasses import dataclass
from functools import partial

import torch_losses

EPOCHS = 10
LOG_WIN_FROM = 7
MARGIN = 1.0


@dataclass(frozen=True)
class Method:
    """One way of modelling a hierarchy; `parametrisation` and `loss` are keys of hierviz, `lesson` one plain sentence."""

    title: str
    parametrisation: str
    loss: str
    lesson: str

    def columns(self, tree):
        """Node of every output column, int (n_scores,)."""
        if self.parametrisation == "flat_softmax":
            return tree.leaves
        if self.parametrisation == "conditional_softmax":
            return tree.grouped_by_parent
        return range(0 if self.parametrisation == "softmax_all_nodes" else 1, len(tree))

    def loss_of_epoch(self, tree, epoch):
        """Function (scores, truth) -> (n,) for one epoch.

        Log-win collapses when trained from scratch: it does not learn to separate the leaves of a branch.
        """
        name = "flat_ce" if self.loss == "log_win" and epoch < LOG_WIN_FROM else self.loss
        options = {"tau": MARGIN} if name == "soft_max_margin" else {}
        return partial(getattr(torch_losses, name), tree, **options)


METHODS = {
    "flat_softmax": Method(
        "Flat softmax",
        "flat_softmax",
        "flat_ce",
        "Trained without the tree; the probability of a node is the sum of its leaves.",
    ),
    "conditional_softmax": Method(
        "Conditional softmax",
        "conditional_softmax",
        "conditional_softmax",
        "One softmax among the children of each node, multiplied along the path.",
    ),
    "conditional_sigmoid": Method(
        "Conditional sigmoid",
        "conditional_sigmoid",
        "conditional_sigmoid",
        "One sigmoid per node given its parent, multiplied along the path; the leaves need not sum to 1.",
    ),
    "multilabel_sigmoid": Method(
        "Multi-label",
        "multilabel_sigmoid",
        "multilabel_bce",
        "One independent sigmoid per node; a child may be more probable than its parent.",
    ),
    "parameter_sharing": Method(
        "Parameter sharing",
        "ps_softmax",
        "ps_softmax",
        "A leaf's score is the sum of the scores on its path, so related classes share parameters.",
    ),
    "softmax_margin": Method(
        "Soft-max margin",
        "softmax_all_nodes",
        "soft_max_margin",
        "One softmax over inner nodes and leaves together.",
    ),
    "log_win": Method(
        "Log-win (flat start)",
        "flat_softmax",
        "log_win",
        "Flat softmax with three last epochs of the log-win loss, in which upper levels weigh more than the leaf.",
    ),
}

# Two more networks of the same shape that only a lesson of the page Learn opens.
LESSON_METHODS = {
    "lesson_raw_win": Method(
        "Raw win",
        "flat_softmax",
        "raw_win",
        "Flat softmax trained on the raw win from the first epoch.",
    ),
    "lesson_softmax_descendant": Method(
        "Soft-max descendant",
        "softmax_all_nodes",
        "soft_max_descendant",
        "One softmax over inner nodes and leaves, in which each node of the true path competes with unrelated nodes only.",
    ),
}
