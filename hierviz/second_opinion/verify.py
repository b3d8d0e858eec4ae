"""A second opinion: every number of an evaluation computed again from independent definitions.

Conventions
-----------
The numbers of `hierviz.evaluate` on some of the samples are compared with plain definitions (sets and loops, in this folder)
and, where they are installed and define a number alike, with scikit-learn and hiclass. Two numbers are equal where they
differ by less than `TOLERANCE`, relative to a value above 1. Node probabilities are recomputed from the scores as well; the rest
starts from those of hierviz, so that a tie that rounding breaks the other way is no difference.

Functions
---------
verify, SecondOpinion, Check
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.summary import evaluate
from hierviz.inference.registry import inference_rule, rule_and_threshold
from hierviz.messages.notebook_html import Short
from hierviz.metrics.random_cuts import random_cuts
from hierviz.predictions.parametrisation import column_nodes
from hierviz.predictions.predictions import Predictions
from hierviz.second_opinion import (
    packages,
    plain_climbing,
    plain_graph,
    plain_lca,
    plain_numbers,
    plain_optimal,
    plain_scores,
    plain_sets,
)
from hierviz.taxonomy.checks import check_kind
from hierviz.taxonomy.taxonomy import NodeLists

MOST_SAMPLES, TOLERANCE = 2000, 1e-9
# Nodes of a taxonomy of which every pair is looked at for every sample.
MOST_PAIRED = 100
EQUAL, BY_DEFINITION, DIFFERENT, LEFT_OUT = "equal", "different by definition", "different", "not recomputed"
PLAIN = "plain definition"
# Entries of a block that are compared on their own way, or not at all.
NO_NUMBERS = ("baseline", "cuts", "links", "macro_f1_by_depth")
# Means over outcomes that are drawn at random.
REDRAWN = tuple(f"ece_{bins}_calibrated{ending}" for bins in ("adaptive", "static") for ending in ("", "_by_depth"))
PACKAGES = {"sklearn": "scikit-learn", "hiclass": "hiclass"}


@dataclass(frozen=True)
class Check:
    """One number, twice.

    Attributes
    ----------
    key : str
        ``block.key``; ``p`` for the largest difference of a node probability.
    value, again : float or None
        By hierviz and by the other way.
    way : str
        'plain definition', 'scikit-learn' or 'hiclass'.
    verdict : str
        'equal', 'different by definition', 'different' or 'not recomputed'.
    why : str
        Of the last three; "" else.
    """

    key: str
    value: float | None
    again: float | None
    way: str
    verdict: str
    why: str = ""


@dataclass(frozen=True, eq=False)
class SecondOpinion(Short):
    """What `verify` found.

    Attributes
    ----------
    name : str
        Of the model.
    n_samples, n_judged : int
        Samples that were checked, and all that have a known truth.
    checks : list of Check
    without : tuple of str
        Packages that are not installed, or cannot be imported: nothing was compared with them.
    """

    name: str
    n_samples: int
    n_judged: int
    checks: list[Check]
    without: tuple[str, ...] = ()

    def of_verdict(self, verdict: str) -> list[Check]:
        """The checks with one verdict."""
        return [check for check in self.checks if check.verdict == verdict]

    @property
    def sentence(self) -> str:
        """How many numbers are equal, and which are not."""
        counts = {verdict: len(self.of_verdict(verdict)) for verdict in (EQUAL, BY_DEFINITION, DIFFERENT, LEFT_OUT)}
        some = "" if self.n_samples == self.n_judged else f" (drawn from {self.n_judged:,})"
        named = ", ".join(f"{check.key} ({check.way})" for check in self.of_verdict(DIFFERENT))
        without = f"; {' and '.join(self.without)} cannot be imported here" if self.without else ""
        return (
            f"{self.name}, {self.n_samples:,} samples{some}: {counts[EQUAL]} comparisons are equal, {counts[BY_DEFINITION]} "
            f"different by definition, {counts[LEFT_OUT]} numbers were not recomputed, and {counts[DIFFERENT]} are different"
            f"{f': {named}' if named else ''}{without}."
        )

    def to_dict(self) -> dict[str, Any]:
        """As the JSON of a second opinion of the command line has it; infinite values are "Infinity"."""
        checks = [
            {key: "Infinity" if value == math.inf else value for key, value in asdict(check).items()}
            for check in self.checks
        ]
        return {"n_samples": self.n_samples, "n_judged": self.n_judged, "sentence": self.sentence, "checks": checks}


def verify(
    predictions: Predictions | Evaluation,
    rule: str | None = None,
    threshold: float | None = None,
    *,
    most: int = MOST_SAMPLES,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
    **parameters: Any,
) -> SecondOpinion:
    """Recompute every number of `hierviz.evaluate` from independent definitions. Slow: seconds to minutes.

    Parameters
    ----------
    predictions : Predictions or Evaluation
    rule, threshold, **parameters
        As in `hierviz.evaluate`.
    most : int
        Maximum number of samples to check; of more, that many are drawn at random.
    seed : int
        Of that draw.
    progress : callable, optional
        Called with (blocks done, blocks in all).

    Returns
    -------
    SecondOpinion

    Raises
    ------
    PredictionsError
        If the rule or a parameter is not valid.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    >>> truth = taxonomy.nodes("cat", "dog")
    >>> verify(Predictions.from_labels(taxonomy, truth, truth=truth)).of_verdict("different")
    []
    """
    if isinstance(predictions, Evaluation):
        predictions = predictions.predictions
    check_kind("verify", predictions, Predictions, "Pass those of one model.")
    rule, threshold = rule_and_threshold(rule, threshold)
    settings = inference_rule(rule).settings({"threshold": threshold, **parameters})
    judged = np.flatnonzero(predictions.has_truth)
    rows = judged
    if len(judged) > most:
        rows = np.sort(np.random.default_rng(seed).choice(judged, most, replace=False))
    part = _part(predictions, rows)
    (model,) = evaluate(part, rule, threshold, more=True, **parameters)["models"]
    checks: list[Check] = []
    if len(rows):
        work = _Recomputation(predictions, part, rows, model, rule, settings, threshold)
        parts = (work.probabilities, work.plain, work.packages)
        for done, of_part in enumerate(parts, 1):
            checks += of_part()
            if progress:
                progress(done, len(parts))
    without = tuple(name for module, name in PACKAGES.items() if not packages.is_installed(module))
    return SecondOpinion(predictions.name, len(rows), len(judged), checks, without)


def _part(predictions, rows):
    """Some samples, with scores as an array."""
    truth = predictions.truth
    chosen = truth.take(rows) if isinstance(truth, NodeLists) else None if truth is None else truth[rows]
    changes = {"truth": chosen, "attributes": {}, "sample_ids": None}
    if predictions.best_outside is not None:
        changes["best_outside"] = predictions.best_outside[rows]
    if not predictions.has_scores:
        changes["labels"] = predictions.labels.take(rows)
    elif predictions.has_unknown:
        # Unknown scores are left out, as the numbers do it.
        changes |= {"scores": predictions.node_probabilities(rows), "parametrisation": "node_probabilities"}
        changes["scored_nodes"] = np.arange(predictions.taxonomy.n_nodes)
    else:
        changes["scores"] = np.asarray(predictions.scores[rows])
    return predictions.replace(**changes)


class _Recomputation:
    """The numbers by hierviz, and what the other ways start from."""

    def __init__(self, predictions, part, rows, model, rule, settings, threshold):
        taxonomy = part.taxonomy
        self.original, self.part, self.rows, self.model = predictions, part, rows, model
        self.rule, self.settings = rule, settings
        self.graph = plain_graph.PlainGraph(
            [list(map(int, taxonomy.parents[node])) for node in range(taxonomy.n_nodes)]
        )
        self.names = list(taxonomy.names)
        self.p = part.node_probabilities().tolist() if part.has_scores else None
        self.outside = [False] * len(rows) if part.best_outside is None else part.best_outside.tolist()
        has_one = isinstance(part.truth, np.ndarray)
        self.single = part.truth.tolist() if has_one else None
        self.truth = [[y] for y in self.single] if has_one else _as_lists(part.truth)
        if self.p is not None:
            inner = range(1, self.graph.n)
            self.sets = [[node for node in inner if p[node] > threshold] for p in self.p]
            if rule == "hf_optimal":
                self.sets = [plain_optimal.hf_optimal(self.graph, p, settings["beta"]) for p in self.p]
            self.sets = [[*one, *[plain_graph.OUTSIDE] * is_out] for one, is_out in zip(self.sets, self.outside)]
        else:
            self.sets = _as_lists(part.answer_labels)
            if part.is_hard or part.is_by_level:
                self.sets = [[*plain_sets.closed(self.graph, one), *(-1 for v in one if v < 0)] for one in self.sets]

    def probabilities(self):
        """The probabilities of nodes, from the scores."""
        if self.p is None or self.original.has_unknown:
            return []
        part = self.part
        nodes = column_nodes(part.taxonomy, part.parametrisation, part.scores.shape[1], part.scored_nodes)
        if part.parametrisation == "node_probabilities" and part.scored_nodes is None:
            nodes = range(self.graph.n - part.scores.shape[1], self.graph.n)
        largest = 0.0
        for row, p in zip(np.asarray(part.scores, dtype=np.float64).tolist(), self.p):
            again = plain_graph.node_probabilities(self.graph, part.parametrisation, [int(node) for node in nodes], row)
            # The root is 1 whatever rounding says, or the sum.
            largest = max([largest, *(abs(a - b) for a, b in zip(again, p))])
        verdict = EQUAL if largest < 1e-9 else DIFFERENT
        why = "" if verdict == EQUAL else "the largest difference of a node probability"
        return [Check("p", 0.0, largest, PLAIN, verdict, why)]

    def plain(self):
        """All blocks by plain definitions."""
        graph, found, left_out = self.graph, {}, {}
        unknown_rule = f"the rule {self.rule} has no plain definition here"
        if self.model["distribution"] is not None:
            found["distribution"] = plain_numbers.distribution(graph, self.p, self.single)
            blocks = (plain_numbers.top_down, plain_numbers.curve, plain_climbing.selective, plain_scores.best_leaves)
            for block in (*blocks, plain_scores.probabilities):
                found[block.__name__] = block(graph, self.p, self.single, self.outside)
            cuts = [cut.tolist() for cut in random_cuts(self.part.taxonomy).cuts]
            found["random_cuts"] = plain_scores.random_cuts(graph, self.p, self.single, self.outside, cuts)
        answers = self._answers()
        if self.model["predicted"] is not None and answers is not None:
            found["predicted"] = plain_numbers.predicted(graph, answers, self.single)
        elif self.model["predicted"] is not None:
            left_out["predicted"] = unknown_rule
        if self.model["levels"] is not None:
            found["levels"] = plain_scores.levels(graph, self._level_answers(), self.single)
        found["labels"] = plain_sets.labels(graph, self.sets, self.truth, self.p)
        found["lca"] = plain_lca.lca(graph, self.sets, self.truth)
        if self.rule == "hf_optimal" and self.p is not None:
            found["labels"] |= plain_optimal.labels(graph, self.sets, self.truth, self.p, self.settings["beta"])
        if not graph.is_tree:
            left_out["confusion"] = "on graphs all paths would have to be listed"
        elif answers is None and self.p is not None and not inference_rule(self.rule).returns_sets:
            left_out["confusion"] = unknown_rule
        else:
            found["confusion"] = plain_sets.confusion(graph, self.names, self._true_ends(), self._paths(answers))
        checks = []
        for block, values in (found | {block: {} for block in left_out}).items():
            checks += [_compared(f"{block}.{key}", *pair, PLAIN) for key, pair in _pairs(self.model[block], values)]
            why = left_out.get(block, "it has no plain definition here")
            checks += [
                Check(f"{block}.{key}", _number(value), None, PLAIN, LEFT_OUT, why)
                for key, value in self.model[block].items()
                if key not in (*values, *NO_NUMBERS, *REDRAWN) and (value is not None or block in left_out)
            ]
        return checks

    def packages(self):
        """Numbers that scikit-learn and hiclass define alike."""
        found = {}
        if packages.is_installed("sklearn"):
            rows = self.p if self.model["distribution"] is not None else None
            single = self.single if rows is not None else None
            given = (self.sets, self.truth, rows, single, self.outside)
            found["scikit-learn"] = packages.from_scikit_learn(self.graph, *given)
        if packages.is_installed("hiclass") and self.model["top_down"] is not None and all(self.single):
            answers = self._of_each(lambda p: plain_graph.top_down(self.graph, p))
            found["hiclass"] = packages.from_hiclass(self.graph, self.names, answers, self.single)
        checks = []
        for way, numbers in found.items():
            for key, (again, why) in numbers.items():
                block, name = key.split(".")
                checks.append(_compared(key, _number(self.model[block][name]), again, way, why))
        return checks

    def _answers(self):
        """The answer to each sample by the rule; None where it is not recomputed or there is none."""
        if self.p is None or not self.graph.is_tree:
            return None
        if self.rule == "optimal_node" and isinstance(self.settings["cost"], str) and self.graph.n <= MOST_PAIRED:
            return self._of_each(lambda p: plain_optimal.optimal_node(self.graph, p, self.settings["cost"]))
        if self.rule not in plain_graph.RULES:
            return None
        return self._of_each(lambda p: plain_graph.answer(self.graph, p, self.rule, self.settings))

    def _of_each(self, rule):
        """What a rule answers to each sample: where the best class lies outside the taxonomy, every rule answers so."""
        return [plain_graph.OUTSIDE if is_out else rule(p) for p, is_out in zip(self.p, self.outside, strict=True)]

    def _level_answers(self):
        """The answers of the levels of each sample, from the top down."""
        if self.p is not None:
            levels = [plain_scores.level_answers(self.graph, p) for p in self.p]
            # An answer outside the taxonomy is one of no level.
            return [[] if is_out else one for one, is_out in zip(levels, self.outside)]
        if self.part.is_by_level:
            return _as_lists(self.part.labels)
        return [self.graph.path(one[0])[1:] if one and one[0] >= 0 else [] for one in _as_lists(self.part.labels)]

    def _true_ends(self):
        if self.single is not None:
            return self.truth
        return [[path[-1] for path in plain_sets.cover(self.graph, one)] for one in self.truth]

    def _paths(self, answers):
        if answers is not None:
            return [[self.graph.path(answer)] for answer in answers]
        lists = self.sets if self.p is not None else _as_lists(self.part.answer_labels)
        return [plain_sets.cover(self.graph, one) for one in lists]


def _as_lists(lists):
    return [lists[row].tolist() for row in range(len(lists))]


def _number(value):
    return math.inf if value == "Infinity" else value


def _pairs(block, values):
    """(key, (value, value again)) of all numbers of a block, those of single depths too."""
    for key, value in block.items():
        if isinstance(value, dict) and key in values:
            for depth, of_depth in value.items():
                if not isinstance(of_depth, dict):
                    yield f"{key}.{depth}", (_number(of_depth), values[key][depth])
                    continue
                for name, inner in of_depth.items():
                    if name != "n_nodes":
                        ending = "" if name == key.removesuffix("_by_depth") else ".supported"
                        yield f"{key}.{depth}{ending}", (inner, values[key][depth][name])
        elif key in values:
            yield key, (_number(value), values[key])


def _compared(key, value, again, way, why=None):
    if value is None or again is None or math.isinf(value) or math.isinf(again):
        same = value == again
    else:
        same = abs(value - again) <= TOLERANCE * max(1.0, abs(value))
    verdict = EQUAL if same else BY_DEFINITION if why else DIFFERENT
    return Check(key, value, again, way, verdict, why or "" if not same else "")
