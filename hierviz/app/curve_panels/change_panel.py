"""Panel "From τ to τ": which answers change from the threshold of the handle to a second one, as a flow, and their samples."""

import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import sample, table
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import below, draw, written_out
from hierviz.app.widgets.links import link_to_sample
from hierviz.app.widgets.selection import named
from hierviz.charts._answer_changes import CLICKED, flow_text
from hierviz.comparison._answer_changes import STATES, answer_changes

# Pixels of the flow; rows of the table of samples.
HEIGHT, HEIGHT_ON_PHONE, MOST_ROWS = 380, 440, 10_000


def panel(choice, now):
    """The second threshold, the flow, and the samples of a ribbon."""
    key = now.model
    start, is_whole = now.threshold_of(key), _controls(choice, key, now)
    to = state.view().to
    found = choice.computed(
        "answer changes", lambda: answer_changes(choice.models[key], threshold=start, to=to), key, start, to
    )
    st.markdown(escape(found.sentence))
    if not found.n_changed:
        st.info("Choose another second threshold, or move the handle of the chart.", icon=":material/info:")
        return
    _flow(choice, key, found, is_whole)
    _samples(choice, key, found)


def _controls(choice, key, now):
    """The second threshold, and whether answers that stay the same are drawn."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.number_input(
            f"From τ = {charts.threshold_text(now.threshold_of(key))} to τ",
            0.0,
            1.0,
            step=0.01,
            format=f"%.{max(len(charts.threshold_text(state.view().to)) - 2, 2)}f",
            help="The first threshold is that of the handle in the chart above.",
            **state.bound("to", width=190, back=lambda value: round(float(value), 12)),
        )
        is_whole = st.toggle("Draw answers that stay the same", **state.kept("changes", "whole", False))
        if len(choice.keys) > 1:
            st.markdown(f"Model: **{escape(choice.name(key))}**", width="content")
    return is_whole


def _flow(choice, key, found, is_whole):
    """The drawing; a press on a ribbon chooses its flow."""
    width, dark = state.session.px, state.is_dark()
    height = HEIGHT_ON_PHONE if state.is_narrow() else HEIGHT
    chosen = state.view().flow if state.view().flow in found.flows else None
    asked = (key, found.labels, chosen, is_whole, width, dark)
    drawn = charts.answer_changes(found, chosen=chosen, whole=is_whole, height=height, width=width)
    spec = choice.computed("drawn changes", lambda: written_out(drawn), *asked)
    widget = f"changes-{choice.data_key}-{asked}"

    def clicked():
        points = state.session[widget].selection.get(CLICKED) or [{}]
        if points[0].get(CLICKED):
            state.change(flow=str(points[0][CLICKED]))

    draw(spec, key=widget, alt=found.sentence, on_select=clicked, selection_mode=CLICKED)
    below(drawn, name="answer-changes", sentence="")


def _samples(choice, key, found):
    """The samples of the chosen flow, or of all that change: cards, and a table in the order in which their answers change."""
    flows = {flow: f"{flow_text(flow)}: {n:,}" for flow, n in found.flows.items()}
    options = {"": f"all {found.n_changed:,} answers that change", **flows}
    flow = pick("Samples", options, "flow", "", width="stretch" if state.is_narrow() else 430)
    places = found.places(flow or None)
    answers = [runs[0] for runs in found.pair.runs]
    predictions, taxonomy = choice.models[key].predictions, choice.taxonomy
    shown = places[:MOST_ROWS]
    cells = {"truth": named(taxonomy, found.pair.truth, shown)}
    for method, column in enumerate(("before", "after")):
        cells[column] = named(taxonomy, answers[method].predicted, found.pair.places[method][0][shown])
    words = list(STATES.values())
    cells["from"], cells["to"] = (pd.Categorical([words[i] for i in of[shown].tolist()]) for of in found.state)
    cells["at"], cells["sample"] = found.at[shown], predictions.ids[found.pair.rows[0][shown]]
    some = shown[: sample.n_cards(predictions)]
    pairs = [
        (truth, f"{before} | {after}" if before != after else before)
        for truth, before, after in zip(
            *(list(cells[name])[: len(some)] for name in ("truth", "before", "after")), strict=True
        )
    ]
    sample.gallery(choice.models[key], key, found.pair.rows[0][some], pairs, outcome="")
    first, second = found.labels
    is_changed = bool(found.is_changed[places].any())
    order = " The first to change come first." if is_changed else ""
    st.caption(f"Truth → answer at {first} | at {second}. Press one to see it in Examples.{order}")
    columns = {
        "truth": table.words("Truth"),
        "before": table.words(f"Answer at {first}"),
        "after": table.words(f"at {second}"),
        **({"from": table.words("From"), "to": table.words("To")} if not flow else {}),
        **({"at": table.number("changes at τ", 4)} if is_changed else {}),
        "sample": table.words("Sample"),
    }
    where = f"{choice.data_key}-{key}-{found.labels}-{flow}"
    pressed = table.draw(pd.DataFrame(cells), columns, key=f"change-rows-{where}", select="one", most=430)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if pressed.place is not None:
            sample_id = str(cells["sample"][pressed.place])
            label = f"Open {escape(predictions.called(int(found.pair.rows[0][shown[pressed.place]])))} in Examples"
            link_to_sample(label, sample=sample_id, model=key, outcome="", rule=choice.rule)
        if len(shown) < len(places):
            st.caption(f"The first {len(shown):,} of {len(places):,}.")
        name = f"{flow or 'changes'}.csv"
        table.download("Samples (CSV)", lambda: found.to_sample_frame(flow or None), name, "get-change-rows")
