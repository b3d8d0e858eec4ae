"""What the page Compare looks at: the models, how their answers are chosen, the samples that the filters leave."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

from hierviz.app import state
from hierviz.app.widgets.controls import width_for
from hierviz.diagnosis.sample_filter import SampleFilter, filtered
from hierviz.evaluation._judged_answers import judged_answers


@dataclass(frozen=True, eq=False)
class Compared:
    """Some models of the open data and one choice of rule.

    Attributes
    ----------
    data : Dataset
    keys : list of str
        Of the methods: each that of its first run.
    choice : dict
        Keywords of `Evaluation.answers` for the first of them; the others have their own thresholds.
    """

    data: object
    keys: list[str]
    choice: dict

    def choice_of(self, key):
        """Keywords of `Evaluation.answers` of a model."""
        if not self.model(key).predictions.has_scores:
            return {"rule": "majority"}
        return self.choice | {"threshold": state.view().threshold_of(key)}

    def model(self, key):
        """Evaluation of a method: of several runs the first, under the method's name."""
        return self.data.methods[key][0]

    def runs(self, key):
        """Evaluations of all runs of a method."""
        return self.data.methods[key]

    @property
    def has_runs(self):
        """Whether a method has several runs."""
        return any(len(self.runs(key)) > 1 for key in self.keys)

    def where(self, key):
        """What everything about a model's answers depends on, to keep it under."""
        named = repr(sorted(self.choice_of(key).items(), key=lambda pair: pair[0]))
        return self.data.digest, key, named, self.wanted

    @cached_property
    def wanted(self):
        """The SampleFilter of all pages without outcome."""
        return replace(state.view().sample_filter(self.model(self.keys[0])), outcome=None)

    @property
    def is_filtered(self):
        """Whether filters leave some samples out."""
        return self.wanted != SampleFilter()

    def answers(self, key, run=0):
        """JudgedAnswers of a run of a method that the filters leave; None where they leave none."""
        whole = judged_answers(self.runs(key)[run], **self.choice_of(key))
        if not self.is_filtered:
            return whole

        def some():
            fits = filtered(whole, self.wanted)
            return whole.take(fits) if fits.any() else None

        return state.computed("filtered answers", (*self.where(key), run), some)

    def answers_of_runs(self, key):
        """JudgedAnswers of every run of a method that the filters leave; None where they leave none of a run."""
        answers = [self.answers(key, run) for run in range(len(self.runs(key)))]
        return None if any(one is None for one in answers) else answers

    def run_control(self, key, memory, otherwise=0):
        """Which run of a method is looked at: its place; a menu where there are several, at first that at `otherwise`."""
        runs = self.runs(key)
        if len(runs) == 1:
            return 0
        name = f"run of {key}"
        now = state.memory(memory).get(name, otherwise)
        names = [run_name(runs, place) for place in range(len(runs))]
        return st.selectbox(
            f"Run of {self.name(key)}",
            range(len(runs)),
            format_func=lambda place: names[place],
            width=width_for(names),
            **state.kept(memory, name, now if now in range(len(runs)) else otherwise),
        )

    def run_words(self, key, run):
        """Which run of a method is shown, as a sentence; empty where it has one."""
        runs = self.runs(key)
        if len(runs) == 1:
            return ""
        return f"{self.name(key)}: run {run_name(runs, run)}, one of {len(runs)}."

    def name(self, key):
        """Name of a model for people."""
        return self.model(key).predictions.name

    def computed(self, name, key, make, *more):
        """`make()` once for a model, its choice, the filters and what else it depends on."""
        return state.computed(name, (*self.where(key), *more), make)


def run_name(runs, place):
    """Name of a run for people."""
    return runs[place].predictions.run or f"{place + 1}"
