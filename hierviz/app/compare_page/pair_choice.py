"""Which two models are compared, what right means, and the samples that the filters leave: all from the address."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import controls, filters, right_filter
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.progress import answers_worked_out, choice_key, worked_out
from hierviz.charts import threshold_text
from hierviz.comparison._difference_tree import USUAL_METRICS, difference_tree, metrics_by_class
from hierviz.comparison._paired_answers import paired_answers
from hierviz.comparison._two_by_two import READINGS, two_by_two
from hierviz.diagnosis.many_tests import CORRECTIONS, ManyTests
from hierviz.diagnosis.sample_filter import SampleFilter
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.common_samples import JudgedSamples, group_columns
from hierviz.messages.number_text import percent_text
from hierviz.metrics.registry import METRICS
from hierviz.reports.view_pages import CONTRASTS

SHARES = (0.8, 0.9, 0.95, 0.98, 0.99)
# Numbers of one answer, which depend on the rule.
OF_RULE = ("predicted", "labels")


@dataclass(frozen=True, eq=False)
class PairChoice:
    """Two methods of the open data and how they are compared.

    Attributes
    ----------
    data : Dataset
    keys : (str, str)
        Of the methods, A and B.
    contrast : str
        Key of `CONTRASTS`.
    reading : str
        Key of `READINGS`.
    level : int
    correct : float
    metric : str or None
        Of the difference tree.
    choice : dict
        Rule, threshold and parameters of A's answers.
    group, correction : str
        Column of groups, empty for none; key of `CORRECTIONS`.
    """

    data: object
    keys: tuple[str, str]
    contrast: str
    reading: str
    level: int
    correct: float
    metric: str | None
    choice: dict
    group: str
    correction: str

    @property
    def names(self):
        """Names of A and B."""
        return tuple(self.runs(key)[0].predictions.name for key in self.keys)

    @property
    def taxonomy(self):
        """Of the data."""
        return self.data.taxonomy

    def runs(self, key):
        """Evaluations of the runs of a method."""
        return self.data.methods[key]

    def choice_of(self, key):
        """Keywords of `Evaluation.answers` of a model."""
        if not self.runs(key)[0].predictions.has_scores:
            return {"rule": "majority"}
        return self.choice | {"threshold": state.view().threshold_of(key)}

    @cached_property
    def wanted(self):
        """The SampleFilter of all pages without outcome, which is what the cells say."""
        return replace(right_filter.sample_filter(self.runs(self.keys[0])[0]), outcome=None)

    @cached_property
    def where(self):
        """What the answers depend on, to keep it under."""
        return self.data.digest, self.keys, *(choice_key(self.choice_of(key)) for key in self.keys), self.group

    def answers(self, key):
        """JudgedAnswers of the runs of a method by the rule of the page."""
        return [judged_answers(run, **self.choice_of(key)) for run in self.runs(key)]

    def are_answers_made(self):
        """Make the answers of all runs, where all scores are read for them; False where that was cancelled."""
        return all(
            answers_worked_out(self.data.digest, name, self.data.models[name], self.choice_of(key))
            for key in self.keys
            for name in self.data.runs_of(key)
        )

    def two_by_two(self):
        """The TwoByTwo of all samples and of those that filters leave, None where they leave none; None where cancelled."""
        asked = (*self.where, self.reading, self.level, self.correct)
        keywords = {"level": self.level, "correct": self.correct, "group": self.group or None}

        def made(told):
            a, b = (self.answers(key) for key in self.keys)
            return (two_by_two(a, b, self.reading, progress=told, **keywords),)

        whole = worked_out("two by two", asked, "Two by two", made, "resamples")
        if whole is None:
            return None
        if self.wanted == SampleFilter():
            return whole[0], whole[0]

        def some():
            kept = np.flatnonzero(whole[0].pair.fits(self.wanted))
            return whole[0].take(kept) if len(kept) else None

        return whole[0], state.computed("two by two of some", (*asked, self.wanted), some)

    def tree(self):
        """A tuple of the DifferenceTree of what filters leave, of None where they leave nothing; None where cancelled."""

        def made(told):
            a, b = (self.answers(key) for key in self.keys)
            if self.wanted != SampleFilter():
                pair = paired_answers(a, b)
                kept = pair.fits(self.wanted)
                if not kept.any():
                    return (None,)
                a = [a[0].take(pair.places[0][0][kept]), *a[1:]]
            tests = ManyTests(correction=self.correction)
            return (difference_tree(a, b, self.metric, group=self.group or None, tests=tests, progress=told),)

        asked = (*self.where, self.wanted, self.metric, self.correction)
        return worked_out("difference tree", asked, "Difference tree", made, "steps")

    @property
    def setting(self):
        """What is compared and how, as plain text."""
        if self.contrast == "tree":
            depends = METRICS[self.metric].block in OF_RULE
            return f"{METRICS[self.metric].label}{', ' + self.rule_words if depends else ''}"
        return {
            "named": "right: the most probable leaf is the truth or below it",
            "to_level": f"right: the class at level {self.level} is that of the truth; {self.rule_words}",
            "correct": f"each model where at least {percent_text(self.correct)} of its answers are correct",
        }[self.reading]

    @property
    def rule_words(self):
        """Rule and thresholds of both models."""
        return ", ".join(
            f"{name}: {controls.rule_text(self.data, key, self.choice_of(key), write=str)}"
            for name, key in zip(self.names, self.keys, strict=True)
        )


def chosen_pair(data, row):
    """The PairChoice of the controls: what is drawn is chosen in the row of the title, the rest in a row below it.

    In a narrow window, and next to an open sample, the rest is in a popover.
    """
    names = {key: runs[0].predictions.name for key, runs in data.methods.items()}
    with row:
        contrast = pick("Drawing", CONTRASTS, "contrast", segmented=True, label_visibility="collapsed")
    a = data.method_of(state.shown_model_of(data.models))
    if contrast == "together":
        b = next(key for key in names if key != a)
        with row:
            filters.more(data.methods[a][0], data.digest)
        return PairChoice(data, (a, b), contrast, "named", 1, 0.95, None, _by_leaf(data, a), "", "bh")
    # Next to an open sample they would take the room of its ladders.
    is_narrow = state.is_narrow() or bool(state.view().both)
    place = row.popover("Models", icon=":material/tune:") if is_narrow else _row()
    with place:
        a = pick("A", names, "model", a, width="stretch" if is_narrow else 170, in_popover=is_narrow)
        others = {key: name for key, name in names.items() if key != a}
        b = pick("B", others, "against", width="stretch" if is_narrow else 170, in_popover=is_narrow)
        st.button(
            "Swap",
            icon=":material/swap_horiz:",
            key="swap-pair",
            help="Makes B the model A, and A the model B.",
            on_click=_swap,
            args=(a, b),
        )
        reading, level, correct, metric = _meaning(data, (a, b), contrast, is_narrow)
        needs_rule = reading == "to_level" if contrast == "cells" else bool(metric) and METRICS[metric].block in OF_RULE
        choice = controls.rule_controls(data, a) if needs_rule else _by_leaf(data, a)
        group, correction = _test_controls(data, a, contrast, is_narrow)
        if not is_narrow:
            filters.more(data.methods[a][0], data.digest)
    if is_narrow:
        with row:
            filters.more(data.methods[a][0], data.digest)
    return PairChoice(data, (a, b), contrast, reading, level, correct, metric, choice, group, correction)


def _swap(a, b):
    """Change the places of two models; a chosen cell stays that of the same samples."""
    one, _, other = state.view().cell.partition("-")
    state.change(model=b, against=a, cell=f"{other}-{one}" if other else "")


def _row():
    return st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="pair-controls")


def _by_leaf(data, key):
    """Keywords of answers that depend on no threshold."""
    return {"rule": "leaf"} if data.methods[key][0].predictions.has_scores else {"rule": "majority"}


def _meaning(data, keys, contrast, in_popover):
    """Controls of what right means, or which number is compared."""
    view, reading, metric = state.view(), "named", None
    level, correct = min(int(view.level), max(data.taxonomy.max_depth, 1)), view.correct
    if contrast == "cells":
        is_tree = data.taxonomy.is_tree
        has_curves = all(run.why_no_curve() is None for key in keys for run in data.methods[key])
        offered = {key: label for key, label in READINGS.items() if key == "named" or is_tree}
        if not has_curves:
            offered.pop("correct", None)
        help = (
            "**Named**: the most probable leaf is the truth or below it; no threshold.  \n**Right to level**: answer and truth "
            "have the same class at that depth.  \n**Correct**: each model at its most specific threshold with enough correct "
            "answers."
        )
        reading = pick("Right means", offered, "reading", width=160, help=help, in_popover=in_popover)
        if reading == "to_level":
            depths = {str(depth): f"level {depth}" for depth in range(1, data.taxonomy.max_depth + 1)}
            level = int(pick("Level", depths, "level", str(level), width=105, in_popover=in_popover))
        if reading == "correct":
            shares = {share: percent_text(share, 1) for share in sorted({*SHARES, correct})}
            correct = pick("Correct answers", shares, "correct", width=130, in_popover=in_popover)
    elif contrast == "tree":
        found = state.computed("metrics by class", (data.digest, keys), lambda: _metrics(data, keys))
        usable = {key: METRICS[key].label for key, reason in found.items() if reason is None}
        usual = next((key for key in USUAL_METRICS if key in usable), None)
        metric = pick("Number", usable, "metric", usual, width=210, in_popover=in_popover)
    return reading, level, correct, metric


def _metrics(data, keys):
    return metrics_by_class(paired_answers(*(data.methods[key] for key in keys)))


def _test_controls(data, a, contrast, is_inside):
    """Groups of the samples and the correction of the tests, in a popover."""
    model = data.methods[a][0]
    columns = state.computed("group columns", (data.digest, a), lambda: group_columns(JudgedSamples(model, model.rows)))
    if contrast == "cells" and not columns:
        return "", "bh"
    with contextlib.nullcontext() if is_inside else st.popover("Test", icon=":material/balance:"):
        words = {"": "none: samples are independent"} | {column: escape(column) for column in columns}
        group = pick("Samples belong together by", words, ("compare pair", "group"), width="stretch")
        correction = "bh"
        if contrast == "tree":
            correction = pick("Correction of all tests", CORRECTIONS, ("compare pair", "correction"), width="stretch")
    return group, correction


def thresholds_text(found):
    """Thresholds of a TwoByTwo of the reading ``correct``; empty for others."""
    if found.points is None:
        return ""
    return ", ".join(
        f"{name}: τ = {threshold_text(point.threshold)}, {percent_text(point.values['correct'], 1)} correct"
        for name, point in zip(found.names, found.points, strict=True)
    )
