"""The flow of wrong and coarse answers between the classes that are open in the confusion matrix; a ribbon opens its samples."""

import numpy as np
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.mistakes_page import sample_table
from hierviz.app.widgets import sample
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import below, main_place, title, written_out
from hierviz.app.widgets.figure import draw as draw_chart
from hierviz.app.widgets.selection import named
from hierviz.charts._mistake_flow import CLICKED, ribbon_key, ribbon_title
from hierviz.diagnosis._mistake_flow import mistake_flow
from hierviz.evaluation._judged_answers import JudgedAnswers
from hierviz.metrics.outcomes import OUTCOMES

# Pixels of the drawing by those of the window; ribbons that the menu lists.
HEIGHTS, HEIGHT_ON_PHONE, MOST_RIBBONS = {1600: 720, 1200: 560, 900: 540}, 520, 300


def counted(asked, opened, most):
    """The MistakeFlow of the answers that the filters leave; None where none of them is wrong or coarse."""
    answers: JudgedAnswers = asked.answers
    keys = list(OUTCOMES)
    if not np.isin(answers.outcome, [keys.index("wrong"), keys.index("coarse")]).any():
        return None
    return asked.computed("mistake flow", lambda: mistake_flow(answers, open_nodes=opened, most=most), opened, most)


def _memory(asked):
    return state.memory(asked.mark("flow ribbon"))


def draw_flow(asked, found, width, opened, toggle):
    """The drawing: a click on a class opens or closes it, one on a ribbon chooses its samples."""
    dark, height = state.is_dark(), HEIGHTS.get(state.session.px, HEIGHT_ON_PHONE)
    keys = [ribbon_key(found, place) for place in range(len(found))]
    chosen = _memory(asked).get("ribbon")
    chosen = chosen if chosen in keys else None
    widget = f"flow-{asked.mark('')}-{opened}-{chosen}-{width}"

    def clicked():
        points = state.session[widget].selection.get(CLICKED) or [{}]
        picked = str(points[0].get(CLICKED) or "")
        if "|" in picked:
            _memory(asked)["ribbon"] = picked
        elif picked:
            toggle(asked, picked)

    def drawn():
        figure = charts.mistake_flow(found, chosen=chosen, height=height, width=width)
        return figure, written_out(figure)

    figure, spec = asked.computed("drawn flow", drawn, opened, chosen, width, height, dark)
    rest = title(figure.sentence, width, is_first=True)
    with main_place("content"):
        draw_chart(spec, key=widget, alt=figure.sentence, on_select=clicked, selection_mode=CLICKED)
    below(figure, name="mistake-flow", sentence=rest)
    st.caption(
        "Left: classes of the truth, right: of the answer, of wrong and coarse answers alone. Classes are open as in the matrix. "
        "Click a class to open or close it and a ribbon to see its samples."
    )


def ribbon(asked, found):
    """Lines and kind of the ribbon that is chosen, in the drawing or in the list of ribbons; the largest between two classes."""
    order = np.lexsort((-found.count, found.is_within)).tolist()
    keys = {ribbon_key(found, place): place for place in order}
    words = {
        key: f"{ribbon_title(found, place)}, {found.kind[place]}: {int(found.count[place]):,}"
        for key, place in keys.items()
    }
    first = next(iter(keys))
    now = _memory(asked).get("ribbon", first)
    options = {key: words[key] for key in (*list(keys)[:MOST_RIBBONS], now) if key in keys}
    chosen = pick("Samples of the ribbon", options, (asked.mark("flow ribbon"), "ribbon"), first, width="stretch")
    place = keys[chosen]
    return int(found.row[place]), int(found.column[place]), str(found.kind[place])


def samples(asked, found, row, column, kind):
    """Cards of the worst samples of a ribbon, and the table of all."""
    severity = asked.severities[0]
    rows = asked.ranked(found.samples(row, column, kind), severity)
    some = rows[: sample.n_cards(asked.predictions)]
    places = asked.places(some)
    pairs = zip(*(map(str, named(asked.taxonomy, nodes, places)) for nodes in asked.whole.single), strict=True)
    sample.gallery(asked.model, asked.key, some, list(pairs), outcome=kind)
    line = f"{found.folded.nodes[row]}-{found.folded.nodes[column]}-{kind}"
    sample_table.draw(asked, rows, severity, f"ribbon-{line}", outcome=kind)
