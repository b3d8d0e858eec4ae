"""Where answers leave the true path, level by level and by model; a press opens the samples in Examples."""

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.chosen_model import ChosenModel
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import below, draw, main_place, title, written_out
from hierviz.app.widgets.links import go_to, link_to_sample
from hierviz.app.widgets.progress import answers_worked_out
from hierviz.charts._departures import CLICKED
from hierviz.diagnosis._departures import WAYS, departure_filter, departures
from hierviz.reports.view import DEEPER

# Models that are drawn.
MOST = 6


def draw_departures(choice, size):
    """The bars of the open models, and what they are of."""
    shown = _chosen(choice)
    if shown is None:
        return
    if not shown:
        st.info("No sample has a truth below this class.", icon=":material/info:")
        return
    names = {key: one.predictions.name for key, one in shown.items()}
    found = {
        names[key]: one.computed("departures", lambda one=one: departures(one.answers)) for key, one in shown.items()
    }
    if not any(len(one) for one in found.values()):
        st.info("No sample has a truth below the root.", icon=":material/info:")
        return
    drawn = charts.departures(found, **size)
    rest = title(drawn.sentence, drawn.width, is_first=True)
    keys, key = list(shown), f"departures-{[one.where for one in shown.values()]}-{size}-{state.is_dark()}"
    with main_place("content"):
        event = draw(written_out(drawn), key=key, alt=drawn.sentence, on_select="rerun", selection_mode=CLICKED)
    below(drawn, name="departures", sentence=rest)
    several = (
        " Models have thresholds on different scales: compare what they reach, not one τ." if len(keys) > 1 else ""
    )
    left = len(choice.data.methods) - len(keys)
    more = f" {left:,} more models are not drawn." if left else ""
    st.caption(
        "A bar has the samples whose answer and truth share their class one level above: there the answer is right, stops, or "
        f"goes wrong. Click a part of a bar to see its samples.{several}{more}"
    )
    _samples(shown, names, found)
    clicked = ((event or {}).get("selection", {}).get(CLICKED) or [{}])[0].get(CLICKED)
    # The press stays in the chart when the visitor comes back; it is no choice, which a session file keeps.
    memory = state.memory("pressed departure")
    if clicked and memory.get(key) != clicked:
        memory[key] = clicked
        place, level, way = str(clicked).split(":")
        go_to("example", model=keys[int(place)], sample="", **_fields(int(level), way))


def _chosen(choice):
    """ChosenModel by key of the methods that are drawn, the one of the page among them; None where one was cancelled."""
    methods = list(choice.data.methods)
    own = choice.data.method_of(choice.key)
    keys = methods[:MOST] if own in methods[:MOST] else [*methods[: MOST - 1], own]
    found = {}
    for key in keys:
        one = ChosenModel(choice.data, key, choice.choice | {"threshold": state.view().threshold_of(key)})
        if not one.model.n_judged or one.model.why_no_mistakes() is not None:
            continue
        if not answers_worked_out(one.data.digest, key, one.model, one.choice):
            return None
        if one.answers is not None:
            found[key] = one
    return found


def _samples(shown, names, found):
    """The same without a pointer: model, level and way from menus, and a link."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        key = pick("Samples of", names, ("departures", "model"), width=200) if len(names) > 1 else next(iter(names))
        levels = {str(level): f"level {level}" for level in found[names[key]].level.tolist()}
        if not levels:
            return
        level = int(pick("At", levels, ("departures", "level"), width=110))
        way = pick("That", WAYS, ("departures", "way"), "wrong", width=130)
        n = int(getattr(found[names[key]], way)[level - 1])
        if n:
            label = f"Open {n:,} sample{'s' * (n != 1)} of {escape(names[key])} in Examples"
            link_to_sample(label, model=key, sample="", **_fields(level, way))
        else:
            st.caption("No sample.")


def _fields(level, way):
    """Fields of the address for the samples of a part of a bar."""
    wanted = departure_filter(level, way)
    common = str(wanted.common) if wanted.common_least is None else f"{DEEPER}{wanted.common_least}"
    return {"outcome": wanted.outcome or "", "common": common}
