"""The three linked pictures of the Overview: curves with the chosen point, a bar a model with the worst subtrees, mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import controls, recommended
from hierviz.app.widgets.figure import main_place, part, part_place
from hierviz.app.widgets.links import go_to, link_to
from hierviz.app.widgets.sample import gallery, shades_of_runs
from hierviz.app.widgets.selection import worst_order
from hierviz.app.widgets.worst_slices import MOST, found_slices, worst_line
from hierviz.charts import threshold_text
from hierviz.evaluation._judged_answers import judged_answers, outside_of_runs
from hierviz.inference.parameters import COST
from hierviz.messages.number_text import percent_text
from hierviz.metrics.outcomes import outcome_shares
from hierviz.thresholds.most_specific import equally_correct
from hierviz.uncertainty.repeats import curve_of_runs

# By the width of the window, pixels: of the three pictures, of the heights of curve, bars and icicle; cards of mistakes.
SIZES = {
    1600: ((600, 530), (590, 270, 290), 16),
    1200: ((470, 420), (465, 205, 220), 9),
    900: ((450, 450), (400, 190, 200), 10),
    600: ((560, 560), (330, 200, 200), 8),
    330: ((330, 330), (270, 200, 190), 6),
}
# Pixels at the side of a picture that has half of the window.
GAP = 25
TEXT_CARDS = {1600: 12, 1200: 10, 900: 8, 600: 6, 330: 4}


@dataclass(frozen=True, eq=False)
class OverviewPictures:
    """What the pictures are of.

    Attributes
    ----------
    choice : TaxonomyChoice
        Data, model, rule and threshold, and what filters leave.
    """

    choice: object

    @property
    def data(self):
        """The open data."""
        return self.choice.data

    @cached_property
    def is_recommended(self):
        """Whether the recommended model and threshold are shown."""
        found = recommended.recommendation(self.data)
        return recommended.is_shown(self.data, found, self.choice.key, self.choice.choice)

    @cached_property
    def method(self):
        """Key of the method of the shown model."""
        return self.data.method_of(self.choice.key)

    def name(self, method):
        """Name of a method; where a run of one is shown that is not recommended, that of the run."""
        if method == self.method and not self.is_recommended:
            return self.choice.predictions.name
        return self.data.methods[method][0].predictions.name

    @cached_property
    def curves(self):
        """Operating curve of each method that has one, by its key: of several runs their mean."""
        return {key: curve_of_runs(runs) for key, runs in recommended.curves_of_runs(self.data).items()}

    @cached_property
    def means(self):
        """Means of exact, correct, no_answer and the like of what is shown; None where answers are sets."""
        if self.is_recommended:
            return recommended.recommendation(self.data).choice.values
        if self.choice.taxonomy.is_tree and self.choice.whole.is_single:
            return self.choice.whole.path_means
        return None

    @property
    def has_curve(self):
        """Whether operating curves are drawn."""
        return bool(self.curves) and self.means is not None

    @cached_property
    def thresholds(self):
        """Where as many answers of each other method are correct, by its key."""
        if self.means is None:
            return {}
        level = recommended.LEVEL if self.is_recommended else self.means["correct"]
        others = {key: curve for key, curve in self.curves.items() if key != self.method}
        return {key: point.threshold for key, point in equally_correct(others, level).items()}

    @property
    def setting(self):
        """How the shown answers were chosen, as plain text: "τ = 0.709", or the rule."""
        choice = self.choice.choice
        if not self.choice.predictions.has_scores:
            return "labels"
        if choice["rule"] == "threshold":
            return f"τ = {threshold_text(choice['threshold'])}"
        return controls.rule_text(self.data, self.choice.key, choice, write=str)

    def shares(self):
        """(shares of the outcomes by name of the method, how they were chosen, names of those that are left out)."""
        shares, notes, left_out = {}, {}, []
        for key, runs in self.data.methods.items():
            name, found, note = self.name(key), None, ""
            if key == self.method:
                found = outcome_shares(self.means) if self.is_recommended else self.choice.whole.outcome_shares
                note = self.setting
            elif key in self.thresholds:
                found = outcome_shares(self.curves[key].at(self.thresholds[key]))
                note = f"τ = {threshold_text(self.thresholds[key])}"
            elif key not in self.curves:
                found, note = self._of_other(key, runs[0])
            if found is None:
                left_out.append(name)
            else:
                shares[name], notes[name] = found, note
        return shares, notes, left_out

    def _of_other(self, key, model):
        """Shares and note of a model without a curve: of its labels, or of the rule that is shown where that is quick."""
        if not model.n_judged:
            return None, ""
        if not model.predictions.has_scores:
            return judged_answers(model).outcome_shares, "labels"
        asked = self.choice.choice | {"threshold": state.view().threshold_of(key)}
        if not self.choice.predictions.has_scores or model.needs_pass(**asked):
            return None, ""
        return judged_answers(model, **asked).outcome_shares, f"τ = {threshold_text(asked['threshold'])}"

    def outside(self):
        """Share of the answers outside the taxonomy, by name of the method."""
        found = {self.name(key): outside_of_runs(runs) for key, runs in self.data.methods.items()}
        if not self.is_recommended:
            found[self.name(self.method)] = self.choice.whole.outside_share
        return found

    @property
    def key(self):
        """Part of the keys of the pictures: after another choice a click is another one."""
        return f"{self.data.key}-{self.choice.key}-{sorted(self.choice.choice.items())}-{state.is_dark()}"


def draw(pictures, found):
    """All but the worst subtrees in their places; `found` is the Selection of wrong answers. Returns the place of `subtrees`."""
    px, has_curve = state.session.px, pictures.has_curve
    (wide, side), heights, n_cards = _sizes(pictures)
    with main_place():
        first, second, third = _places(px, has_curve)
        if has_curve:
            with first:
                _curves(pictures, wide, heights[0])
        with second:
            _models(pictures, side, heights[1])
            place = st.container()
        with third:
            _mistakes(pictures, found, n_cards if pictures.choice.predictions.media is not None else TEXT_CARDS[px])
    if not has_curve:
        why = pictures.choice.model.why_no_curve() or "the answers are sets, or the scores of some classes are unknown"
        st.caption(f"No operating curves: {escape(why)}.")
    return place


def _sizes(pictures):
    """Those of `SIZES`; without curves the other two pictures share the room of three."""
    px = state.session.px
    (wide, side), *others = SIZES.get(px, SIZES[330])
    if px >= 1200 and not pictures.has_curve:
        side = (wide + 2 * side) // 2 - GAP
    return (wide, side), *others


def _places(px, has_curve):
    """Places of the three pictures; without curves the first is none."""
    if px >= 1200:
        columns = st.columns([0.36, 0.32, 0.32] if has_curve else [0.5, 0.5], gap="medium")
        return columns if has_curve else (None, *columns)
    if px == 900 and has_curve:
        first, second = st.columns(2, gap="medium")
        return first, second, st.container()
    return st.container(), st.container(), st.container()


def _curves(pictures, width, height):
    names = {key: pictures.name(key) for key in pictures.data.methods}
    curves = {names[key]: curve for key, curve in pictures.curves.items()}
    thresholds = {names[key]: threshold for key, threshold in pictures.thresholds.items()}
    means = pictures.means
    chosen = charts.ChosenPoint(names[pictures.method], pictures.setting, means["info_recall"], means["correct"])
    drawn = charts.operating_points(
        curves, thresholds, chosen, level=recommended.LEVEL, among=list(names.values()), width=width, height=height
    )
    _figure(pictures, "**Threshold.**", 1, drawn, "operating-points", thresholds)
    if pictures.is_recommended:
        recommended.cost(pictures.data)


def _models(pictures, width, height):
    shares, notes, left_out = pictures.shares()
    highlight = pictures.name(pictures.method)
    tall = min(height, 20 + 34 * len(shares))
    outside = {name: share for name, share in pictures.outside().items() if name in shares}
    drawn = charts.outcome_bars(shares, notes=notes, outside=outside, highlight=highlight, width=width, height=tall)
    thresholds = {pictures.name(key): threshold for key, threshold in pictures.thresholds.items()}
    level = recommended.LEVEL if pictures.is_recommended else pictures.means and pictures.means["correct"]
    correct = f"each where at least {percent_text(level, 0 if pictures.is_recommended else 1)} are correct"
    lead = f"**Answers of the models**, {correct}" if pictures.thresholds else "**Answers.**"
    _figure(pictures, lead, 0 if pictures.thresholds else 1, drawn, "outcome-bars", thresholds)
    if left_out:
        st.caption(f"Not drawn: {', '.join(map(escape, left_out))}.")


def _figure(pictures, lead, n, drawn, name, thresholds):
    """A figure of models: a click on one shows its answers, at the threshold that is drawn."""
    keys = {pictures.name(key): key for key in pictures.data.methods}
    widget = f"{name}-{pictures.key}"

    def clicked():
        points = state.session[widget].selection.get("model") or [{}]
        model = points[0].get("model")
        if model in keys and keys[model] != pictures.method:
            at = {"rule": "threshold", "threshold": thresholds[model], "thresholds": ()} if model in thresholds else {}
            state.change(model=keys[model], **at)

    part(drawn, lead, n, name=name, select="model", clicked=clicked, key=widget)


def subtrees(pictures):
    """The worst subtrees, in a sentence with a link to their samples, and in an icicle; their test may take a moment."""
    choice, ((_, width), (*_, height), _) = pictures.choice, _sizes(pictures)
    if choice.answers is None:
        return
    slices = found_slices(choice)
    places = [] if slices is None or slices.worst_subtree is None else slices.worse_subtrees or [slices.worst_subtree]
    if places:
        first = slices.worst_subtree
        places = [first, *(place for place in places if place != first)][:MOST]
        nodes = [slices.rows[place].node for place in places]
        worst_line(choice, slices)
    else:
        nodes = [node for node in choice.levels.worst.tolist() if node > 0 and choice.plain.support[node]][:1]
    if not nodes:
        return
    drawn = charts.worst_subtrees(choice.plain, nodes, width=width, height=height)
    key = f"worst-{pictures.key}-{choice.where}"
    lead, n = ("", 0) if places else ("**Where answers are wrong.**", 1)
    event = part(drawn, lead, n, name="worst-subtrees", select="node", key=key)
    clicked = (event or {}).get("selection", {}).get("node", [])
    target = str(clicked[0].get("target", "")) if clicked else ""
    if target in choice.taxonomy.index:
        go_to("taxonomy", under=target, sample="")


def _mistakes(pictures, found, most):
    """The worst mistakes of what is shown, and a link to all of them."""
    choice = pictures.choice
    n_wrong = found.counts.get("wrong", 0)
    name, at = escape(choice.predictions.name), controls.rule_text(pictures.data, choice.key, choice.choice)
    order = "lowest win" if found.found is not None and choice.predictions.has_scores else "largest distance"
    order = "largest lost hierarchical F1" if found.sets is not None else order
    if worst_order(choice.model, choice.choice):
        order = f"largest cost by {escape(choice.choice[COST.name].name)}"
    st.markdown(f"**Worst mistakes of {name}, {at}**: truth → answer, {order} first")
    with part_place("mistakes"):
        if n_wrong:
            rows, pairs = found.worst(choice.taxonomy, most)
            shades = shades_of_runs(pictures.data, choice.key, choice.choice, rows)
            gallery(choice.model, choice.key, rows, pairs, shades=shades)
        else:
            st.markdown("No answer is wrong at this setting.")
    if n_wrong:
        label = f"All {n_wrong:,} mistakes" if n_wrong > 1 else "The only mistake"
        link_to("mistakes", label, "list", sample="", outcome="wrong", model=choice.key)
