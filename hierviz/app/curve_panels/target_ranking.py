"""Panel "Threshold by target": every model at its own threshold for one goal, and what the choice yields on left-out samples."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.curve_panels import choosing, uncertainty
from hierviz.app.state.current import move_thresholds
from hierviz.app.state.escape import escape
from hierviz.app.widgets import table
from hierviz.app.widgets.table import TIED
from hierviz.charts import threshold_text
from hierviz.charts.curve_table import short_label
from hierviz.messages.errors import HiervizError
from hierviz.messages.number_text import value_text
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import METRICS
from hierviz.thresholds.cross_fitting import Folds, Target, rank_for_target

# Up to this many answers, of all models together, are cross-fitted unasked: about a second.
FEW_ANSWERS = 6000
FOLDS, SPLITS = 5, 20


@dataclass(frozen=True)
class Goal:
    """One thing that a threshold is to reach.

    Attributes
    ----------
    label : str
    find : callable
        (OperatingCurve, truth, ParetoTable) -> Choice.
    key : str
        The number that is best there, by which models are ranked.
    numbers : callable
        As of `hierviz.thresholds.Target`.
    bound : tuple
        Metric and value that are to be reached, where the goal is a line on curves of this metric.
    """

    label: str
    find: Callable
    key: str
    numbers: Callable = path_metrics
    bound: tuple = ()


def found(choice, goal, asked, points):
    """The TargetRanking of the models of the page by key; without intervals and cross-fitting where they are not wanted.

    None where it was cancelled; `asked` identifies the goal, `points` are the Choices on all samples by key.
    """
    samples, how = choice.samples(), uncertainty.settings(choice)
    first = choice.first_samples()
    on_all = {id(samples[key].table): point for key, point in points.items()}

    def find(curve, truth, table):
        return on_all.get(id(table)) or goal.find(curve, truth, table)

    def rank(**more):
        return rank_for_target(
            choice.taxonomy,
            first.truth,
            {key: sample.table for key, sample in samples.items()},
            Target(find, goal.key, goal.numbers, of_samples=True),
            curves={key: sample.curve for key, sample in samples.items()},
            **more,
        )

    try:
        resamples = how.resamples(first)
    except HiervizError:
        resamples = None
    groups = None if how.group is None else first.groups(how.group)
    enough = first.n_samples if groups is None else len(set(groups.tolist()))
    if not is_wanted(choice) or enough < FOLDS:
        return choice.computed("target ranking", lambda: rank(folds=None), asked)
    folds, what = Folds(FOLDS, SPLITS, how.seed, groups), "Values on left-out samples"
    return choice.worked_out(
        *("cross-fitted ranking", what, lambda told: rank(resamples=resamples, folds=folds, progress=told)),
        *(asked, how),
        unit="folds",
    )


def controls(choice):
    """The switch of the slow columns."""
    st.toggle(
        "Intervals, and values on samples left out of the choice",
        help=f"The threshold is chosen on {FOLDS - 1} of {FOLDS} parts of the samples and measured on the part left out, for "
        f"{SPLITS} random divisions. With many samples this takes minutes.",
        **state.kept(choosing.MEMORY, "left_out", _is_few(choice)),
    )


def panel(choice, goal, asked, points):
    """The table, the models that reach the goal best first, and what its columns mean."""
    ranking = found(choice, goal, asked, points)
    if ranking is None:
        return
    if len(ranking.rows) > 1:
        where = " on left-out samples" if any(row.margin for row in ranking.rows) else ""
        st.markdown(
            f"**All models, {escape(goal.label)}**, each at its own τ, because their scores are on different scales; ordered by "
            f"{METRICS[goal.key].name}{where}:"
        )
    _table(choice, goal, ranking, "-".join(map(str, asked[:2])))
    st.caption(" ".join(_words(choice, goal, ranking)))


def _is_few(choice):
    return sum(sample.n_samples for sample in choice.samples().values()) <= FEW_ANSWERS


def is_wanted(choice):
    """Whether the slow columns are wanted."""
    return state.memory(choosing.MEMORY).get("left_out", _is_few(choice))


def _table(choice, goal, ranking, where):
    keys = list(dict.fromkeys(("correct", "no_answer", goal.key, "info_recall", "exact")))
    has_left_out = any(row.cross_fitted is not None for row in ranking.rows)
    samples, rows = choice.samples(), []
    several = len(ranking.rows) > 1
    for row in ranking.rows:
        now = state.view().threshold_of(row.name)
        before = samples[row.name].curve.at(now)
        mark = "" if not (several and row.is_best) else "best" if row.name == ranking.rows[0].name else f"{TIED} best"
        cells = {"model": choice.name(row.name)} | ({"": mark} if several else {})
        if row.threshold is None:
            cells |= {"τ": "not reached", "use": []} | dict.fromkeys([*map(short_label, keys), "stops early"], "–")
        else:
            cells |= {"τ": threshold_text(row.threshold), "use": "current" if row.threshold == now else "use"}
            cells |= {short_label(key): table.cell_text(row.values[key], row.interval.get(key)) for key in keys}
            cells["stops early"] = table.percent_cell(row.stops_early)
        if has_left_out:
            cells |= {f"{short_label(key)}, left out": _left_out(row, key, goal) for key in ("correct", goal.key)}
        cells["current τ"] = threshold_text(now)
        cells |= {f"{short_label(key)}, current τ": value_text(before[key]) for key in ("correct", "info_recall")}
        rows.append(cells)
    key = f"rank-{where}"

    def use():
        row = ranking.rows[state.session[f"{key}-click"]["row"]]
        state.change(model=row.name)
        state.move_threshold(row.threshold, row.name)

    frame = pd.DataFrame(rows)
    columns = dict.fromkeys(frame) | {
        "model": table.words("model", pinned=not state.is_narrow()),
        "use": st.column_config.ButtonColumn("", width=90, on_click=use, key=f"{key}-click"),
    }
    table.draw(frame, columns, key=key, width="content")
    reached = {row.name: row.threshold for row in ranking.rows if row.threshold is not None}
    if len(reached) > 1:
        st.button(
            "Use all, each model with its own τ",
            key=f"use-all-{where}",
            icon=":material/my_location:",
            on_click=move_thresholds,
            args=(reached, state.shown_model_of(choice.keys)),
        )


def _left_out(row, key, goal):
    """The cross-fitted mean, ± where known, with the range over divisions; a dash with the count where the goal was missed."""
    fitted = row.cross_fitted
    if fitted is None:
        return "–"
    if fitted.n_unreached:
        return f"– ({fitted.n_unreached} of {fitted.n_folds * fitted.n_splits} not reached)"
    plus_minus = f" ± {value_text(row.margin)}" if key == goal.key and row.margin is not None else ""
    return f"{value_text(fitted.values[key])}{plus_minus} ({value_text(fitted.low[key])} to {value_text(fitted.high[key])})"


def _words(choice, goal, ranking):
    """What the columns mean."""
    one = METRICS[goal.key].name
    if len(ranking.rows) > 1:
        yield (
            f"{TIED}: not clearly different from the best on left-out samples when all pairs of models are compared."
            if any(row.is_best for row in ranking.rows)
            else "No model is marked as the best: marks need values on left-out samples, of at least ten samples or groups."
        )
    yield "*Stops early*: share of the answers that are no leaf."
    fits = [row.cross_fitted for row in ranking.rows if row.cross_fitted is not None]
    if not fits:
        yield (
            "τ was chosen on the samples it is measured on, so these values are optimistic. Switch on values on left-out samples "
            "below."
        )
        return
    yield (
        f"*Left out*: the same choice made on {FOLDS - 1} of {FOLDS} parts of the samples, measured on the other part; mean of "
        f"{SPLITS} random divisions, with their range; ± is half the width of a 95 % interval "
        "that includes the choice. It estimates what choosing in this way yields on new samples; the other "
        "columns are measured where τ was chosen and are optimistic. A stated guarantee for new samples is under Guarantee."
    )
    inside = ranking.best_inside
    if len(ranking.rows) > 1 and inside is not None and inside.values:
        yield (
            f"With the best model chosen inside the folds, too: {short_label('correct').lower()} "
            f"{value_text(inside.values['correct'])}"
            + ("" if goal.key == "correct" else f", {one} {value_text(inside.values[goal.key])}")
            + "."
        )
