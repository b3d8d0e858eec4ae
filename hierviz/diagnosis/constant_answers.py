r"""A model's hierarchical confusion next to that of the best constant answers, and what is suspicious about it.

Conventions
-----------
For each measure in `MEASURES` the best constant answer is the node that, answered for every sample, has the highest value of
that measure. A model that is not above it, or whose MCC is far below 0, gets a warning: true negatives reward
being right near the top, so a constant answer can have an MCC of 0.5; and an MCC far below 0 is what columns in another order
than the taxonomy's classes look like, and not what a bad model looks like [1]_.

Functions
---------
against_constants, best_constants

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hierviz.evaluation._judged_answers import Judged, JudgedAnswers, judged_answers
from hierviz.messages.notebook_html import Short
from hierviz.metrics.confusion.confusion_counts import HierarchicalConfusion
from hierviz.metrics.confusion.constant_paths import best_constant_path
from hierviz.metrics.confusion.multi_path import confusion, greedy_cover
from hierviz.metrics.registry import METRICS
from hierviz.taxonomy.taxonomy import NodeLists
from hierviz.uncertainty.resamples import FEWEST

MEASURES = ("f1", "mcc")
# Below this MCC, answers contradict the truth far more often than chance would.
SUSPICIOUS_MCC = -0.2


@dataclass(frozen=True, eq=False)
class AgainstConstants(Short):
    """The confusion of a model and of constant answers.

    Attributes
    ----------
    confusion : HierarchicalConfusion
    constants : dict of str to (int, HierarchicalConfusion)
        By key of `MEASURES`: the best node and its confusion. A measure is missing where too many nodes of a graph would
        have to be tried.
    """

    confusion: HierarchicalConfusion
    constants: dict[str, tuple[int, HierarchicalConfusion]]

    @property
    def alarms(self) -> list[str]:
        """One sentence for each measure in which the model does not beat its constant answer, and one for a low MCC.

        None below ten samples.
        """
        if len(self.confusion.tp) < FEWEST:
            return []
        taxonomy = self.confusion.taxonomy
        found: list[str] = []
        for key, (node, constant) in self.constants.items():
            own, best = self.confusion.measures[key], constant.measures[key]
            if own is not None and best is not None and own <= best and own < 1:
                found.append(
                    f"{METRICS[key].label} is {own:.3f}, not above the {best:.3f} of always answering "
                    f"{taxonomy.title(node)}."
                )
        return found + contradicting(self.confusion.measures["mcc"])


def contradicting(mcc: float | None) -> list[str]:
    """What is said of a very low MCC, in one sentence or none."""
    if mcc is None or mcc >= SUSPICIOUS_MCC:
        return []
    return [
        f"MCC is {mcc:.3f}: the answers contradict the truth more often than chance. Check that the columns of the scores "
        "are in the order of the classes."
    ]


def against_constants(
    evaluation: Judged,
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    constants: dict[str, tuple[int, HierarchicalConfusion]] | None = None,
    **parameters: Any,
) -> AgainstConstants:
    """Hierarchical confusion of a model over all judged samples, next to the best constant answers.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.
    constants : dict, optional
        `best_constants` of the same samples, which do not depend on the rule.

    Returns
    -------
    AgainstConstants

    Raises
    ------
    PredictionsError
        If no sample has a known truth, or the rule or a parameter is not valid.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    >>> truth = taxonomy.nodes(*["cat", "cat", "dog"] * 4)
    >>> answers = taxonomy.nodes(*["dog", "dog", "cat"] * 4)
    >>> found = against_constants(Predictions.from_labels(taxonomy, answers, truth=truth))
    >>> found.alarms[0]
    'F1 (nodes) is 0.000, not above the 0.667 of always answering cat.'
    """
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    taxonomy, predicted = answers.taxonomy, answers.predicted
    paths = greedy_cover(taxonomy, predicted) if isinstance(predicted, NodeLists) else predicted
    counted = confusion(taxonomy, _true_ends(answers), paths)
    return AgainstConstants(counted, best_constants(answers) if constants is None else constants)


def best_constants(answers: JudgedAnswers) -> dict[str, tuple[int, HierarchicalConfusion]]:
    """The best constant answer to some samples by each key of `MEASURES`: its node and its confusion."""
    truth = _true_ends(answers)
    found = {key: best_constant_path(answers.taxonomy, truth, key) for key in MEASURES}
    return {key: (node, constant) for key, (node, constant) in found.items() if node is not None}


def _true_ends(answers):
    """The true node of each sample, or the ends of the paths that its truths are."""
    truth = answers.truth
    return greedy_cover(answers.taxonomy, truth).ends if isinstance(truth, NodeLists) else truth
