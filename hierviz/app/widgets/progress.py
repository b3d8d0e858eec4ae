"""What takes long on a page: computed once for all visitors, with its progress and a button that cancels it."""

from contextlib import contextmanager
from contextvars import ContextVar

import streamlit as st

from hierviz.app import state
from hierviz.app.state import server_memory
from hierviz.app.state.escape import escape

_meanwhile: ContextVar = ContextVar("meanwhile", default=None)


@contextmanager
def meanwhile(draw):
    """Show the first picture of a page while something inside takes long: `draw()` is called once, when progress is shown.

    What it drew is gone at the end, when the whole page can be drawn.
    """
    places = []

    def once():
        if not places:
            places.append(st.empty())
            with places[0].container():
                draw()

    token = _meanwhile.set(once)
    try:
        yield
    finally:
        _meanwhile.reset(token)
    for place in places:
        place.empty()


def worked_out(name, key, what, make, unit=None):
    """What is slow to make: once for all visitors, with its stages on the page and a button that cancels it.

    In a fragment of a page it starts a run of the whole page, which is to ask for the same before the fragment: what runs in
    a fragment cannot be cancelled.

    Parameters
    ----------
    name, key : as of `state.computed`
    what : str
        What is made, as it is called where it was cancelled.
    make : callable
        Takes a `state.Stages`; with a `unit` the progress of its only stage, which is called `what`. Gives what is not None.
    unit : str, optional
        What that stage counts, in the plural.

    Returns
    -------
    object or None
        None where this visitor cancelled it: then the page has a note once, with a button that starts it again.
    """
    found = state.known(name, key)
    if found is not None:
        return found
    place = server_memory.place_of(name, key)
    if server_memory.was_cancelled(place):
        if server_memory.is_told_first(place):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f":material/cancel: {escape(what)}: cancelled.")
                st.button(
                    "Start again",
                    icon=":material/refresh:",
                    key=f"again-{place}",
                    on_click=server_memory.resume,
                    args=(place,),
                )
        return None
    server_memory.whole_run()
    with state.Stages(f"cancel-{place}", server_memory.cancel, (place,), meanwhile=_meanwhile.get()) as stages:
        server_memory.wait_for_ahead(name, key, stages.show)
        return state.computed(name, key, lambda: make(stages if unit is None else stages(what, unit)))


def is_wanted(name, asked, at_once, button, why="", **options):
    """Whether something slow is to be computed: at once, or once its button was pressed, which is drawn until then.

    Parameters
    ----------
    name, asked : as of `state.computed`
    at_once : bool
    button : str or None
        None draws nothing.
    why : str
        Markdown above the button.
    **options
        Of the button.
    """
    pressed = state.memory(f"requested {name}")
    if at_once or asked in pressed or state.known(name, asked) is not None:
        return True
    if button is None:
        return False
    if why:
        st.markdown(why)
    st.button(button, on_click=lambda: pressed.update({asked: True}), **options)
    return False


def choice_key(choice):
    """What distinguishes choices of rule and parameters."""
    return tuple(sorted(choice.items()))


def answers_worked_out(data_key, key, model, choice):
    """Make sure that a model has the answers of a choice of rule, where all scores are read for them; False where cancelled."""
    if not model.predictions.has_scores or not model.needs_pass(**choice):
        return True
    asked = (data_key, key, choice_key(choice))
    server_memory.forget("answers", asked)  # the model keeps the last few only
    what = f"Answers of {model.predictions.name}"
    is_made = worked_out(
        "answers", asked, what, lambda told: model.answers(**choice, progress=told) is not None, "rows"
    )
    return is_made is not None
