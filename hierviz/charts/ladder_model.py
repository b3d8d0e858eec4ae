"""What the record of a sample has of one model: its steps, rows, bars, lanes, terms of the win, and its operating curve.

Functions and classes
---------------------
LadderModel, lines
"""

from __future__ import annotations

import functools
import textwrap

import numpy as np

from hierviz.charts._win_breakdown import fraction_text, p_text
from hierviz.charts.ladder_scene import scene
from hierviz.charts.theme import ANSWERS
from hierviz.diagnosis._sample_steps import steps_by_rule
from hierviz.evaluation.unknown_mass import node_bounds
from hierviz.inference.registry import INFERENCE_RULES, rule_parameters
from hierviz.inference.rules import node_thresholds
from hierviz.messages.number_text import adding_up, fixed_text, probability_text
from hierviz.metrics.confusion.multi_path import confusion, greedy_cover
from hierviz.metrics.confusion.path_lists import PathLists
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.metrics.win import win_breakdown
from hierviz.taxonomy.taxonomy import NodeLists
from hierviz.uncertainty._vote_shares import has_votes, vote_shares

# Lanes of a drawing, of answers and of truths; what has more is drawn as layers.
MOST_LANES = 6
NO_SCENE = -1
# In heights of a bar with its name: between two rows, and from the top of such a place to its middle.
BETWEEN, MIDDLE = 0.45, 0.6
# Thresholds at which the small curve has points, and its axes.
CURVE_KNOTS = np.arange(201)[::-1] / 200
CURVE_AXES = "info_recall", "correct"
# Letters and lines, wide and narrow, of the sentence.
SENTENCE = {"wide": (124, 2), "medium": (84, 2), "narrow": (48, 3)}
SIGNS = {"threshold": "τ", "lam": "λ", "bits": "ζ"}


def lines(text, letters, most):
    """Lines of so many letters, broken between words, and no more than that."""
    return list(_lines(text, letters, most))


# Most sentences of a sample are those of several rules.
@functools.lru_cache(1 << 10)
def _lines(text, letters, most):
    return tuple(textwrap.wrap(text, letters, max_lines=most, placeholder=" …", break_on_hyphens=False))


def _reached(step, reaching):
    """At which values of the parameter the answers of some steps reach what that of a step does not."""
    if not reaching:
        return "not reached by this rule"
    near = min(reaching, key=lambda one: abs(one["k"] - step["k"]))
    sign, is_low = SIGNS[near["parameter"]], near["closed"] == "low"
    if near["k"] < step["k"]:
        return f"reached only {'below' if is_low else 'up to'} {sign} = {near['high']:.3f}: {near['name']}"
    return f"reached only {'from' if is_low else 'above'} {sign} = {near['low']:.3f}: {near['name']}"


class LadderModel:
    """The rows of one model."""

    def __init__(self, number, evaluation, row, settings, curve):
        self.number, self.evaluation, self.row, self.taxonomy = number, evaluation, row, evaluation.taxonomy
        predictions, one = evaluation.predictions, np.array([row])
        self.truth = np.atleast_1d(predictions.truth[row]).tolist() if evaluation.judged[row] else []
        # In a graph a class may have several paths.
        each = PathLists.from_nodes(self.taxonomy, np.array(self.truth, dtype=np.intp))
        self.true_paths = [path.tolist()[1:] for i in range(len(self.truth)) for path in each[i]]
        self.p = predictions.node_probabilities(one)[0] if predictions.has_scores else None
        self.high = node_bounds(predictions, one)[1][0] if predictions.has_unknown else None
        self.votes = vote_shares(predictions, one) if has_votes(predictions) else None
        self.tables = {name: [] for name in ("steps", "rows", "empty", "bars", "lanes", "win", "curve")}
        self.scenes = {}
        rules = list(dict.fromkeys((*settings.rules, settings.rule)))
        steps = steps_by_rule(evaluation, row, rules, threshold=settings.threshold, **settings.parameters)
        by_depth = settings.parameters.get("thresholds_by_depth", rule_parameters()["thresholds_by_depth"].default)
        self.thresholds = node_thresholds(self.taxonomy, by_depth) if self.taxonomy.is_tree else None
        self.below = self._below(steps.get("threshold"))
        for rule, table in steps.items():
            needed = self._needed(table)
            for k in range(len(table)):
                self._step(rule, table, k, needed)
        for is_set in dict.fromkeys(drawn["is_set"] for drawn in self.scenes.values()):
            self._lay_out(is_set)
        if curve and not evaluation.why_no_curve():
            self._curve()

    def _add(self, table, row):
        self.tables[table].append({"m": self.number} | row)

    def _below(self, steps):
        """Of each answer to a threshold the last of those below it that lower thresholds give, one below the other."""
        below = {}
        for k in range(len(steps) if steps is not None else 0):
            node, following = int(steps.answers[k][0]), int(steps.next_node[k])
            below[node] = below[following] if k and steps.next_is_below[k] else node
        return below

    def _step(self, rule, steps, k, needed):
        answer, outcome, following = steps.answers[k].tolist(), str(steps.outcome[k]), int(steps.next_node[k])
        sentence = str(steps.sentence[k])
        name = ", ".join(self.taxonomy.title(node) if node >= 0 else "outside the taxonomy" for node in answer[:3])
        row = {"r": rule, "k": k, "low": float(steps.low[k]), "high": float(steps.high[k]), "closed": steps.closed}
        row |= {"first": k == 0, "last": k == len(steps) - 1, "parameter": steps.parameter}
        row |= {"from": float(steps.axis[0]), "to": float(steps.axis[1])}
        row |= {"name": name + (f" and {len(answer) - 3} more" if len(answer) > 3 else "") or "nothing"}
        paths = steps.paths.take(slice(k, k + 1))
        row |= {"a": self._scene(rule, answer, paths, following), "outcome": outcome, "sentence": sentence}
        row |= {
            "sign": ANSWERS[outcome][1] if outcome else "",
            "said": OUTCOMES[outcome] if outcome else "truth unknown",
        }
        row |= {f"lines_{size}": lines(sentence, *room) for size, room in SENTENCE.items()}
        row |= {"next": self.taxonomy.title(following) if following >= 0 else ""}
        row |= {
            "next_p": probability_text(float(steps.next_p[k])),
            "elsewhere": following >= 0 and not steps.next_is_below[k],
        }
        row |= {name: int(getattr(steps, name)[k]) for name in ("tp", "fp", "fn")} if self.truth else {}
        row |= {"outside": bool(answer) and max(answer) < 0}
        row |= {"sums": self._sums(steps, k), "unlisted": steps.unlisted, "needed": needed}
        row |= {"on": f"counted on {len(paths[0])} paths" if self.truth and len(paths[0]) > 1 else ""}
        self._add("steps", row | {"g": int(INFERENCE_RULES[rule].returns_sets)})

    def _sums(self, steps, k):
        """hP and hR of an answer, in words."""
        if not self.truth:
            return "truth unknown"
        ratios = (("hP", float(steps.hp[k])), ("hR", float(steps.hr[k])))
        # Of nothing answered the precision is 0/0, which counts as 1.
        is_none = steps.tp[k] + steps.fp[k] == 0
        return " · ".join(
            f"{name} {fixed_text(value, 2)}" + (" (0/0)" if is_none and name == "hP" else "") for name, value in ratios
        )

    def _needed(self, steps):
        """For which values of the parameter the answer is exact, or else as deep as it is ever right; "" where unknown."""
        if not self.truth or not steps.parameter:
            return ""
        sign = SIGNS[steps.parameter]
        exact, coarse = (np.flatnonzero(steps.outcome == outcome) for outcome in ("exact", "coarse"))
        if not len(exact) + len(coarse):
            return f"No {sign} gives a right class."
        best = exact if len(exact) else coarse[steps.tp[coarse] == steps.tp[coarse].max()]
        low, high = (fixed_text(float(ends[best[k]]), 3) for ends, k in ((steps.low, 0), (steps.high, -1)))
        where = f"{low} ≤ {sign} < {high}" if steps.closed == "low" else f"{low} < {sign} ≤ {high}"
        is_one = best[-1] - best[0] == len(best) - 1
        what = "Exact" if len(exact) else f"At best coarse ({self.taxonomy.title(int(steps.answers[int(best[0])][0]))})"
        return f"{what} for {where}{'' if is_one else ', with gaps'}."

    def _scene(self, rule, answer, paths, following):
        """Number of the scene of an answer, which is made when it is first asked for."""
        is_set = INFERENCE_RULES[rule].returns_sets
        if (key := (tuple(answer), following, is_set)) in self.scenes:
            return self.scenes[key]["number"]
        claimed = [path.tolist()[1:] for path in paths[0]]
        if len(claimed) + len(self.true_paths) > MOST_LANES:
            return NO_SCENE
        lanes = claimed
        if len(answer) == 1 and answer[0] in self.below and self.taxonomy.is_tree and answer[0] >= 0:
            lanes = [self.taxonomy.path(self.below[answer[0]]).tolist()[1:]]
        drawn = scene(
            self.taxonomy, self.p, claimed, lanes, self._true_paths(paths), following, high=self.high, votes=self.votes
        )
        self.scenes[key] = drawn | {
            "number": len(self.scenes),
            "is_set": is_set,
            "reach": max(map(len, claimed), default=0),
        }
        return len(self.scenes) - 1

    def _true_paths(self, paths):
        """The true paths; in a graph, where a class may have several, those that the paths of an answer are counted against."""
        if self.taxonomy.is_tree or not self.truth:
            return self.true_paths
        ends = greedy_cover(self.taxonomy, NodeLists.from_lists([self.truth])).ends
        matched = confusion(self.taxonomy, ends, paths).pairs(0)
        return [path.tolist()[1:] for path in (*(pair.true for pair in matched.pairs), *matched.left_over)]

    def _lay_out(self, is_set):
        """Rows that are as high as any scene needs them, so that nothing moves while the threshold is dragged."""
        scenes = [drawn for drawn in self.scenes.values() if drawn["is_set"] == is_set]
        slots = {}
        for drawn in scenes:
            for bar in drawn["bars"]:
                slots[bar["row"]] = max(slots.get(bar["row"], 0), bar["slot"] + 1)
        tops, at = {-1: 0.0}, 0.0
        for row in range(max(slots, default=-1) + 1):
            tops[row], at = at, at + slots.get(row, 0) + BETWEEN
            self._add(
                "rows",
                {"g": int(is_set), "row": row, "u": tops[row], "u2": at, "odd": row % 2, "t": self._threshold_at(row)},
            )
        for drawn in scenes:
            for table in ("bars", "lanes"):
                for row in drawn[table]:
                    places = {"u": tops[row["row"]] + row["slot"] + MIDDLE}
                    if table == "lanes":
                        places["u0"] = tops[row["row0"]] + row["slot0"] + MIDDLE if row["row0"] >= 0 else 0.0
                    self._add(table, {"a": drawn["number"]} | row | places)
        self._empty(int(is_set), scenes, [tops[row] + (slots[row] - 1) / 2 + MIDDLE for row in sorted(slots)])
        self._win(int(is_set), tops)

    def _empty(self, group, scenes, middles):
        """Why a row has nothing at a step: which of the other answers of the rule it is for."""
        filled = {drawn["number"]: {bar["row"] for bar in drawn["bars"]} for drawn in scenes}
        reach = {drawn["number"]: drawn["reach"] for drawn in scenes}
        of_rule, every = {}, set(range(len(middles)))
        for step in self.tables["steps"]:
            if step["g"] == group:
                of_rule.setdefault(step["r"], []).append(step)
        for rule, steps in of_rule.items():
            for step in steps:
                for row in sorted(every - filled.get(step["a"], every)):
                    text = _reached(step, [one for one in steps if reach.get(one["a"], 0) > row])
                    self._add("empty", {"r": rule, "k": step["k"], "row": row, "u": middles[row], "text": text})

    def _threshold_at(self, row):
        """That of rule `depth_thresholds` at the depth of a row; None in a graph."""
        level = self.taxonomy.levels[row + 1] if self.taxonomy.is_tree else ()
        return float(self.thresholds[level[0]]) if len(level) else None

    def _win(self, group, tops):
        """The terms of the win by depth, and their sum."""
        if self.p is None or len(self.truth) != 1 or not self.taxonomy.is_tree:
            return
        terms = win_breakdown(self.taxonomy, self.truth[0], self.p)
        texts, total = adding_up(terms.term.tolist(), terms.win)
        decimals = max(3, len(total.partition(".")[2]))
        for row, (weight, p, term) in enumerate(
            zip(terms.weight.tolist(), terms.p.tolist(), terms.term.tolist(), strict=True)
        ):
            words = f"{fraction_text(weight)} × {p_text(p, decimals)} = {texts[row]}"
            self._add(
                "win",
                {
                    "g": group,
                    "row": row,
                    "asked": f"{fraction_text(weight)} × p = ?",
                    "u": tops.get(row, 0.0) + MIDDLE,
                    "weight": weight,
                    "term": term,
                    "text": words,
                    "short": texts[row],
                },
            )
        self._add(
            "win",
            {"g": group, "row": -1, "u": -1.0, "weight": 1.0, "term": terms.win, "text": f"win {total}", "short": total}
            | {"asked": "win = ?"},
        )

    def _curve(self):
        """The operating curve at some thresholds."""
        values = self.evaluation.curve.at(CURVE_KNOTS)
        for threshold, x, y in zip(CURVE_KNOTS.tolist(), *(values[key].tolist() for key in CURVE_AXES), strict=True):
            self._add("curve", {"t": threshold, "x": x, "y": y})
