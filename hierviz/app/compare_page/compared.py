"""What the page Compare shows: the models, how their answers are chosen, the samples that the filters leave."""

from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import right_filter
from hierviz.app.widgets.chosen_model import answers_left
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.progress import choice_key
from hierviz.charts.comparison_words import threshold_caution
from hierviz.diagnosis.sample_filter import SampleFilter
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.metrics.registry import METRICS

# Rows of the table that are still readable.
MOST = 60
# Blocks whose numbers depend on no threshold, but for F1 at the majority's.
WITHOUT_THRESHOLD = (
    *("distribution", "curve", "selective", "top_down", "best_leaves", "probabilities", "random_cuts", "levels"),
)


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
        return self.data.digest, key, choice_key(self.choice_of(key)), self.wanted

    @cached_property
    def wanted(self):
        """The SampleFilter of all pages without outcome."""
        return replace(right_filter.sample_filter(self.model(self.keys[0])), outcome=None)

    @property
    def is_filtered(self):
        """Whether filters leave some samples out."""
        return self.wanted != SampleFilter()

    def answers(self, key, run=0):
        """JudgedAnswers of a run of a method that the filters leave; None where they leave none."""
        return answers_left(self.runs(key)[run], self.choice_of(key), self.wanted, (*self.where(key), run))

    def answers_of_runs(self, key):
        """JudgedAnswers of every run of a method that the filters leave; None where they leave none of a run."""
        answers = [self.answers(key, run) for run in range(len(self.runs(key)))]
        return None if any(one is None for one in answers) else answers

    def model_control(self, memory, field="model", label="Model", otherwise=0):
        """Which of the methods is shown: its key; a menu where there are several, at first the one at `otherwise`."""
        if len(self.keys) == 1:
            return self.keys[0]
        names = {key: self.name(key) for key in self.keys}
        return pick(label, names, (memory, field), self.keys[min(otherwise, len(self.keys) - 1)])

    def run_control(self, key, memory, otherwise=0):
        """Which run of a method is shown: its place; a menu where there are several, at first that at `otherwise`."""
        runs = self.runs(key)
        if len(runs) == 1:
            return 0
        names = {place: run_name(runs, place) for place in range(len(runs))}
        return pick(f"Run of {self.name(key)}", names, (memory, f"run of {key}"), otherwise)

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

    def caution(self, *metrics):
        """Note that one threshold means different things for different models, where one of the metrics depends on it."""
        depends = [
            key
            for key in metrics
            if not key.endswith(("_auc", "_auc_raw"))
            and (METRICS[key].block not in WITHOUT_THRESHOLD or key.endswith("majority_f1"))
        ]
        if not depends or not any(self.model(key).predictions.has_scores for key in self.keys):
            return
        has_threshold = THRESHOLD.name in INFERENCE_RULES[self.choice["rule"]].parameters
        if has_threshold or any(METRICS[key].block in ("labels", "lca") for key in depends):
            words = threshold_caution(len(self.keys), not state.view().own)
            if words:
                names = ", ".join(dict.fromkeys(METRICS[key].label for key in depends))
                st.caption(f":material/info: {escape(names)}: {words}")


def run_name(runs, place):
    """Name of a run for people."""
    return runs[place].predictions.run or f"{place + 1}"
