"""Which samples the page Examples shows, in which order, and the list of them."""

from dataclasses import dataclass, replace
from textwrap import wrap

import numpy as np
import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.widgets import filters, right_filter, table
from hierviz.app.widgets.controls import pick
from hierviz.charts.export import picture_url
from hierviz.charts.theme import ANSWERS, answer_signs
from hierviz.diagnosis.mistakes import ORDERS, Mistakes, SetMistakes, mistakes, outcome_counts, set_mistakes
from hierviz.diagnosis.sample_filter import SampleFilter, filtered, rows_with
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.severity import SEVERITIES
from hierviz.inference.leaf_costs import LeafCosts
from hierviz.inference.parameters import COST
from hierviz.messages.errors import first_words
from hierviz.metrics.sets.node_sets import most_specific
from hierviz.taxonomy.taxonomy import NodeLists

# Streamlit breaks lines in rows of more than 64 pixels only.
ON_A_PAGE, ROW_HEIGHT, LEAST_WRAPPED = 15, 44, 66
# Letters of a line of a cell in windows of two widths, of lists of classes in three lines, and of ids that have a column of their
# own.
LETTERS, LETTERS_OF_LARGE, ROOM, LONG_ID = 15, 20, 40, 8
# The same of lists in wider columns.
ROOM_OF_LISTS = 90


@dataclass(frozen=True)
class Selection:
    """Samples in order and the one looked at.

    Attributes
    ----------
    rows : ndarray of int
        Rows of the Predictions.
    found : Mistakes or None
        The same samples with their outcome; None where samples have several truths or answers, or answers cannot be judged.
    sets : SetMistakes or None
        The same samples where they have several truths or answers, or a graph of classes.
    counts : dict of str to int
        Number of samples by outcome, whichever outcome is shown; empty where there is none.
    place : int
        Place of the sample shown in `rows`.
    """

    predictions: object
    rows: np.ndarray
    found: Mistakes | None
    sets: SetMistakes | None
    counts: dict
    place: int

    def worst(self, taxonomy, most=6):
        """Rows of the first few wrong answers, with their truth and answer in words: (rows, pairs)."""
        is_wrong = self.found.has_outcome("wrong") if self.sets is None else self.sets.lost_hf1 > 0
        some = self.ranked.take(np.flatnonzero(is_wrong)[:most])
        return some.row, list(zip(_titles(taxonomy, some.truth), _titles(taxonomy, some.predicted), strict=True))

    @property
    def ranked(self):
        """`found` or `sets`, None without both."""
        return self.sets if self.found is None else self.found

    def step(self, by):
        """Show the sample after or before that of the view: presses that come before the page is drawn again add up."""
        sample = state.view().sample
        here = np.flatnonzero(self.rows == self.predictions.row(sample)) if sample else ()
        self.go(min(max((int(here[0]) if len(here) else 0) + by, 0), len(self.rows) - 1))

    def go(self, place):
        """Show another sample of the selection."""
        state.change(sample=self.predictions.sample_id(int(self.rows[place])))


def select(model, choice, of, **instead):
    """The selection that the view asks for, or would ask for with other values of `outcome` and `order`.

    Ranked samples are kept; `of` is the digest of the data and the key of the model.
    """
    predictions, view = model.predictions, replace(state.view(), **instead)
    outcome = view.outcome
    wanted = replace(right_filter.sample_filter(model), outcome=outcome or None)
    offered = orders(model, choice)
    order = view.order if view.order in offered else offered[0]
    asked = (*of, wanted, outcome, order, *sorted(choice.items(), key=lambda pair: pair[0]))
    rows, found, sets, counts = state.computed(
        "selection", asked, lambda: _ranked(model, choice, wanted, outcome, order)
    )
    row = predictions.row(view.sample) if view.sample else None
    hit = np.flatnonzero(rows == row) if row is not None else ()
    return Selection(predictions, rows, found, sets, counts, int(hit[0]) if len(hit) else 0)


def _ranked(model, choice, wanted, outcome, order):
    """`rows`, `found`, `sets` and `counts` of a Selection; `outcome` also where `wanted` has none for this model."""
    predictions = model.predictions
    if model.why_no_mistakes() is None:
        rest, answers = replace(wanted, outcome=None), judged_answers(model, **choice)
        among = None if rest == SampleFilter() else filtered(answers, rest)
        found = mistakes(model, **choice, outcome=wanted.outcome, among=among, order=order)
        return found.row, found, None, outcome_counts(answers, among)
    if not model.n_judged:
        rows = np.arange(predictions.n_samples)
        return rows[rows_with(predictions, rows, wanted.where, wanted.text)], None, None, {}
    answers = judged_answers(model, **choice)
    fits = filtered(answers, replace(wanted, outcome=None))
    counts = outcome_counts(answers, fits)
    if outcome in counts:
        fits &= filtered(answers, SampleFilter(outcome=outcome))
    ranked = set_mistakes(answers, only_wrong=False)
    is_kept = np.zeros(predictions.n_samples, dtype=bool)
    is_kept[model.rows[fits]] = True
    sets = ranked.take(np.flatnonzero(is_kept[ranked.row]))
    return sets.row, None, sets, counts


def orders(model, choice):
    """The orders in which the samples of a model can be ranked: by cost where the choice of its answers has a table of costs."""
    has_scores, costs = model.predictions.has_scores, choice.get(COST.name)
    has_costs = isinstance(costs, LeafCosts) and costs.is_of(model.taxonomy)
    return [
        key
        for key in ORDERS
        if key == "file"
        or ((has_scores or not SEVERITIES[key].needs_scores) and (has_costs or not SEVERITIES[key].needs_costs))
    ]


def worst_order(model, choice):
    """The order of the worst mistakes: by cost where a table of costs is loaded, else the first."""
    return "cost" if "cost" in orders(model, choice) else ""


def controls(selection, model, choice, data_key):
    """Controls of the selection: outcome, filters and order."""
    if selection.counts:
        with st.container(key="outcomes"):
            filters.outcome_control(selection.counts)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if selection.found is not None:
            pick("Sort by", {key: ORDERS[key] for key in orders(model, choice)}, "order", width=155)
        filters.more(model, data_key)


def sample_list(selection, taxonomy, key):
    """One page of the selection as a list to click in."""
    rows, place = selection.rows, selection.place
    start = place // ON_A_PAGE * ON_A_PAGE
    end = min(start + ON_A_PAGE, len(rows))
    st.markdown(f"**Samples** {start + 1:,} to {end:,} of {len(rows):,}")
    key = f"list-{key}-{start}-{place}"
    # Long names wrap, which Streamlit does in high rows only.
    listed = _table(selection, taxonomy, slice(start, end))
    letters = LETTERS_OF_LARGE if state.session.px >= 1600 else LETTERS
    cells = [str(cell) for name in ("truth", "answer") if name in listed for cell in listed[name]]
    n_lines = min(max((len(wrap(cell, letters)) for cell in cells), default=0), 5)
    row_height = ROW_HEIGHT if n_lines <= 1 else max(LEAST_WRAPPED, 12 + 18 * n_lines)

    def picked():
        clicked = state.session[key].selection
        # A click on a cell leaves the tick of the row shown before in place.
        chosen = [row for row, _ in clicked.cells] or [row for row in clicked.rows if row != place - start]
        if chosen:
            selection.go(start + chosen[0])

    of_f1 = "1 minus the hierarchical F1 of the answers and the true classes."
    st.dataframe(
        listed,
        hide_index=True,
        row_height=row_height,
        height=(end - start) * row_height + ROW_HEIGHT,
        column_config={
            " ": st.column_config.ImageColumn(" ", width=52),
            "truth": table.words(width=112 if "sample" in listed else 128),
            "answer": table.words(width=118 if "sample" in listed else 142),
            "lost": table.number(width=60, help="Win lost: 1 minus the hierarchical win."),
            "lost hF1": table.number(width=70, help=of_f1),
            "distance": table.number(decimals=2, width=65, help="Distance between answer and truth in bits."),
        },
        on_select=picked,
        selection_mode=table.MODES["one"],
        selection_default={"selection": {"rows": [place - start]}},
        key=key,
    )
    with st.container(horizontal=True):
        before, after = max(start - ON_A_PAGE, 0), min(start + ON_A_PAGE, len(rows) - 1)
        st.button(f"Previous {ON_A_PAGE}", on_click=selection.go, args=(before,), disabled=start == 0)
        st.button(f"Next {ON_A_PAGE}", on_click=selection.go, args=(after,), disabled=end == len(rows))
    of_sets = "The largest lost hierarchical F1 comes first. " if selection.sets is not None else ""
    signs = f"{answer_signs()}. " if selection.found is not None else of_sets
    st.caption(f"{signs}Click a row to open it.")


def _table(selection, taxonomy, part):
    predictions, rows = selection.predictions, selection.rows[part].tolist()
    if predictions.media is not None:
        table = {" ": [picture_url(predictions.picture(row, most=64)) for row in rows]}
    else:
        table = {"sample": [predictions.sample_id(row) for row in rows]}
    is_judged = selection.ranked is not None
    if is_judged:
        ranked = selection.ranked.take(np.arange(len(selection.rows))[part])
        table["truth"], table["answer"] = (_titles(taxonomy, of, ROOM) for of in (ranked.truth, ranked.predicted))
    if selection.found is not None:
        table["answer"] = [f"{ANSWERS[kind][1]} {text}" for kind, text in zip(ranked.outcome, table["answer"])]
        by_bits = state.view().order == "info_dist" or not predictions.has_scores
        name, lost = ("distance", ranked.info_dist) if by_bits else ("lost", ranked.win_lost)
        table[name] = lost.round(3)
    elif is_judged:
        table["lost hF1"] = ranked.lost_hf1.round(3)
    if "sample" in table and is_judged and max(map(len, table["sample"])) > LONG_ID:
        del table["sample"]  # it stands above the sample that is looked at
    if "sample" in table and len(table) > 1:
        table["sample"] = table.pop("sample")  # after what there may not be room for all of
    if "text" in predictions.attributes and not is_judged:
        table["text"] = [first_words(predictions.text(row), 60) for row in rows]
    return pd.DataFrame(table)


def _titles(taxonomy, nodes, most=None):
    """Titles of the class of each sample, or of the most specific ones of its list, see `_listed`."""
    if isinstance(nodes, NodeLists):
        return [_listed(taxonomy, some, most) for some in most_specific(taxonomy, nodes)]
    return [taxonomy.title(node) for node in nodes.tolist()]


def _listed(taxonomy, nodes, most):
    """Classes by title; none is the root. With `most`, no more of them than have room in about so many letters."""
    titles = [class_title(taxonomy, node) for node in nodes.tolist()]
    return shortened(titles, most, ", ") if most else ", ".join(titles) or "none"


def shortened(titles, most, between):
    """Titles in a line of about `most` letters, with the number of those left out."""
    lengths = np.cumsum([len(title) + len(between) for title in titles])
    n = max(1, int((lengths <= most).sum()))
    left_out = f"{between}{len(titles) - n} more" if n < len(titles) else ""
    return between.join(titles[:n]) + left_out or "none"


def named(taxonomy, nodes, places):
    """Classes of some places by title: a Categorical, or a list of joined titles where there are several."""
    if isinstance(nodes, NodeLists):
        lists = most_specific(taxonomy, nodes.take(places))
        titles = ([class_title(taxonomy, node) for node in lists[i].tolist()] for i in range(len(lists)))
        return pd.Categorical([shortened(names, ROOM_OF_LISTS, "; ") for names in titles])
    different, codes = np.unique(nodes[places], return_inverse=True)
    titles = [class_title(taxonomy, node) for node in different.tolist()]
    unique, of_title = np.unique(np.array(titles, dtype=object).astype(str), return_inverse=True)
    return pd.Categorical.from_codes(of_title[codes], unique)


def class_title(taxonomy, node):
    """Title of a class; -1 is a label outside the taxonomy."""
    return taxonomy.title(node) if node >= 0 else "outside the taxonomy"
