r"""Is a model over- or underconfident? The probability of its most probable leaf against how often that is right, by subtree.

Conventions
-----------
Of each sample the most probable leaf, its probability and whether the truth is at or below it; samples whose truth is a proper
ancestor of the leaf decide nothing and are left out. A subtree has the samples whose most probable leaf is in it: chosen by their
truth, not even a calibrated model would look so. Arrays have shape (n_subtrees,).

Of a calibrated model the number of right answers has the mean :math:`\sum p` and the variance :math:`\sum p (1 - p)`. A subtree
is called over- or underconfident where this number is too far from its mean, after the correction for all subtrees, and the mean
probability is outside Wilson's interval of the share.

Functions
---------
overconfidence, Overconfidence, confidence_text, depths_sentence
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.diagnosis._reliability import Reliability, TruthRelation
from hierviz.diagnosis.calibration_bins import directions
from hierviz.diagnosis.many_tests import USUAL_TESTS, ManyTests
from hierviz.evaluation._judged_answers import Judged, judged_answers
from hierviz.evaluation.severity import table_probabilities
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Rows
from hierviz.messages.number_text import fixed_text
from hierviz.taxonomy.checks import check_kind, check_share, check_whole
from hierviz.taxonomy.positions import check_position
from hierviz.taxonomy.taxonomy import Taxonomy

# Subtrees that a sentence names.
MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class Overconfidence(Rows):
    """Subtrees with enough samples, the clearest first.

    Attributes
    ----------
    taxonomy : Taxonomy
    node : ndarray of int
    n : ndarray of int
        Samples whose most probable leaf is at or below it, and whose truth decides.
    mean_p : ndarray of float
        What the model says: mean probability of these leaves, in [0, 1].
    rate, lower, upper : ndarray of float
        What is right: share of these leaves, in [0, 1], and its Wilson interval.
    p_adjusted : ndarray of float
        Two-sided p-value, adjusted for all rows.
    direction : ndarray of int
        1 overconfident, -1 underconfident, 0 not clear.
    """

    taxonomy: Taxonomy
    node: np.ndarray
    n: np.ndarray
    mean_p: np.ndarray
    rate: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    p_adjusted: np.ndarray
    direction: np.ndarray

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a subtree."""
        names = np.array(self.taxonomy.names, dtype=object)
        columns = {name: getattr(self, name) for name in ("n", "mean_p", "rate", "lower", "upper", "p_adjusted")}
        words = np.array(["underconfident", "", "overconfident"], dtype=object)
        return frame({"subject": names[self.node], **columns, "direction": words[self.direction + 1]})

    def sentence(self, form: str = "*{}*") -> str:
        """The clear subtrees in words; `form` is how the name of a class is written.

        Of subtrees in each other's path the clearest one is named.
        """
        named: list[int] = []
        for place in np.flatnonzero(self.direction).tolist():
            node = self.node[place]
            others = self.node[named]
            is_apart = ~(self.taxonomy.is_ancestor(others, node) | self.taxonomy.is_ancestor(node, others))
            if is_apart.all():
                named.append(place)
            if len(named) == MOST_NAMED:
                break
        if not named:
            return f"No subtree is clearly over- or underconfident ({len(self):,} with enough samples)."
        parts = []
        for place in named:
            title = self.taxonomy.title(int(self.node[place]))
            word = "overconfident" if self.direction[place] > 0 else "underconfident"
            where = f"{word} {'at' if self.taxonomy.is_leaf[self.node[place]] else 'below'} {form.format(title)}"
            parts.append(f"{where}: {confidence_text(self, place)}")
        text = "; ".join(parts)
        return f"{text[0].upper()}{text[1:]}."


def confidence_text(found: Any, place: int) -> str:
    """What is said and what is right, of one row: ``says 0.83, right 0.71 [0.66, 0.75], 412 samples``."""
    says, right, low, high = (
        fixed_text(getattr(found, name)[place], 2) for name in ("mean_p", "rate", "lower", "upper")
    )
    n = int(found.n[place])
    return f"says {says}, right {right} [{low}, {high}], {n:,} sample{'s' * (n != 1)}"


def depths_sentence(found: Reliability) -> str:
    """What is clear of depths (`reliability` of them alone), in a sentence, with the numbers of the one that is farthest off."""
    said = []
    for way, word in ((1, "overconfident"), (-1, "underconfident")):
        places = np.flatnonzero(found.direction == way)
        if not len(places):
            continue
        farthest = places[np.argmax(np.abs(found.mean_p - found.rate)[places])]
        depths = ", ".join(found.subjects[place].removeprefix("depth ") for place in places.tolist())
        s = "s" * (len(places) > 1)
        said.append(f"{word} at depth{s} {depths} ({found.subjects[farthest]} {confidence_text(found, farthest)})")
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}." if said else "No depth is clearly over- or underconfident."


def overconfidence(
    evaluation: Judged,
    *,
    under: int = 0,
    min_samples: int = 20,
    confidence: float = 0.95,
    tests: ManyTests = USUAL_TESTS,
) -> Overconfidence:
    """Subtrees in which the most probable leaf is right less, or more often than its probability says.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
        Of scores on a tree, with one truth a sample or several.
    under : int
        Only subtrees at or below this node, and the samples whose most probable leaf is there.
    min_samples : int
        Subtrees with fewer samples are left out.
    confidence : float
        Of Wilson's intervals.
    tests : ManyTests
        Of all subtrees together; nothing is drawn.

    Returns
    -------
    Overconfidence

    Raises
    ------
    PredictionsError
        If there are no scores or no known truth, or a number is out of range.
    TaxonomyError
        If the taxonomy is no tree.
    """
    answers = judged_answers(evaluation)
    model = answers.evaluation
    taxonomy, predictions = answers.taxonomy, model.predictions
    taxonomy.require_tree("confidence by subtree")
    if not predictions.has_scores:
        raise PredictionsError(f"{predictions.name}: expected scores, got labels, which have no probabilities.")
    check_position("under", under, taxonomy.n_nodes, "node number")
    check_whole("min_samples", min_samples, 1)
    check_share("confidence", confidence)
    check_kind("tests", tests, ManyTests, "Pass hierviz.diagnosis.ManyTests(q=...).")
    rows = answers.rows
    assert predictions.truth is not None
    leaf = np.asarray(model.answers("leaf"))[rows]
    p = np.clip(table_probabilities(model, leaf, rows), 0, 1)
    is_right, is_unknown = TruthRelation(taxonomy, predictions.truth, rows).of(leaf)
    # A best class outside the taxonomy is below none.
    kept = ~is_unknown & (leaf >= 0) & taxonomy.is_ancestor(np.full(len(leaf), under), np.maximum(leaf, 0))
    values = np.stack([np.ones(len(leaf)), p, is_right, p * (1 - p)])[:, kept]
    n, said, events, variance = _sums_below(taxonomy, leaf[kept], values)
    node = np.flatnonzero(n >= min_samples)
    node = node[taxonomy.is_ancestor(np.full(len(node), under), node)]
    n, said, events, variance = (of[node] for of in (np.round(n), said, np.round(events), variance))
    lower, upper, p_adjusted, direction = directions(n, said, events, variance, confidence, tests)
    # Of chains of single children the first stands for all.
    order = np.lexsort((node, p_adjusted))
    columns = (node, n.astype(np.intp), said / np.maximum(n, 1), events / np.maximum(n, 1))
    return Overconfidence(taxonomy, *(of[order] for of in (*columns, lower, upper, p_adjusted, direction)))


def _sums_below(taxonomy, nodes, values):
    """Sums of values over the samples whose node is at or below each node, shape (n_values, n_nodes)."""
    n = taxonomy.n_nodes
    ends = np.zeros((len(values), n + 1))
    for total, of in zip(ends, values, strict=True):
        total[1:] = np.cumsum(np.bincount(taxonomy.preorder[nodes], weights=of, minlength=n))
    first = taxonomy.preorder
    return ends[:, first + taxonomy.subtree_size] - ends[:, first]
