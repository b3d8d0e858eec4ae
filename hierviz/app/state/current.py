"""The view of this session, written to the URL, and the widgets and the threshold chart that are tied to it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from hierviz.lessons.catalogue import LESSON_FILES
from hierviz.reports.view import FILTERS, View, own_thresholds
from hierviz.reports.view_pages import MARKED

session, url = st.session_state, st.query_params


def view():
    """The current View."""
    return session.setdefault("view", View())


def view_of(asked):
    """The View of an address; a lesson that there is not is dropped, as all that is not understood."""
    found = View.from_query(asked)
    return found if found.lesson in ("", "glossary", *LESSON_FILES) else replace(found, lesson="", step="")


def change(**changes):
    """Change the view; the URL follows at the next run or `publish`."""
    session.view = replace(view(), **changes)


def link(**changes):
    """Query parameters of the current view with some changes, for links to pages."""
    asked = replace(view(), **changes)
    # Where an address without data means those of the start, that of the demo says so.
    return ({"data": asked.data} if session.get("starts_elsewhere") else {}) | asked.to_query()


def open_with(**changes):
    """Change the view of a page before it is drawn: the browser replaces the address, so that Back does not lead here again."""
    change(**changes)
    session.replaced, session.published, session.is_replaced = url.to_dict(), link(), True


def enter_with(page, **changes):
    """Change the view once a page (its path) is entered: the address of the page that is left stays as it is."""
    session.coming = page, changes


def publish(is_late=False):
    """Write the view to the URL; `is_late` where what the browser sent `is_behind` what it is about to draw."""
    now, there = link(), url.to_dict()
    if not there and now == session.get("published"):
        return  # the browser is about to write it: see `begin`
    if now != there or is_late:
        url.from_dict(now)
        session.had_query = bool(now)
    session.published = now


def is_behind(asked):
    """Whether a browser sends an address that it had in a former run, since it has not drawn the latest, with another choice.

    What was chosen counts then, also that there is no view any more (`restart_startup`). The button Back leads to such an
    address, too, but chooses nothing.
    """
    return asked in session.get("latest", ()) and ("view" not in session or link() != session.published)


def lost_sample():
    """Id of a sample that a link named and the data do not have, until another one is chosen; None otherwise."""
    if view().sample:
        session.pop("lost_sample", None)
    return session.get("lost_sample")


def shown_model_of(models):
    """The selected one of some models by their keys, else the first."""
    return view().model if view().model in models else next(iter(models))


def tied(key, value, take, *, is_left_alone=False, **widget):
    """Keywords of a widget that shows a value; `take` is called with what its visitor gives.

    What is set replaces what the browser shows, also where that was pressed while this run was under way: a toggle, or a slider
    over steps, that is as it should be is left alone (`is_left_alone`). Widgets that become others with their options lose their
    value and must be set each time.
    """
    if not is_left_alone or session.get(key) != value:
        session[key] = value
    else:
        # A browser that drew nothing of the run that set it, for the next one had begun, draws what a new toggle starts with.
        widget["value"] = value
    return {"key": key, "on_change": lambda: take(session[key]), **widget}


def bound(field, **widget):
    """Keywords that tie a widget to one field of the view: its key, value and callback.

    `value` is shown where the field's own value is not one of the widget's; `back` translates the widget's value into the
    field's, None for no change. `in_popover` says that the widget may be out of sight, see `key_in_popover`.
    """
    back = widget.pop("back", lambda value: value)
    shown, key = widget.pop("value", getattr(view(), field)), f"widget_{field}"
    seen = None
    if widget.pop("in_popover", False):
        key, seen = key_in_popover(key, shown)

    def take(given):
        if seen is not None:
            seen(given)
        value = back(given)
        if value is not None:
            # Another selection starts with its own first sample.
            change(**{field: value}, **({"sample": ""} if field in (*FILTERS, "order") else {}))

    return tied(key, shown, take, **widget)


def key_in_popover(key, value):
    """(key, what is to be called with each value that its visitor gives) of a widget in a popover that shows a value.

    While the popover is shut, the browser does not hear of another value, and sends the former one with the next run as if the
    visitor had chosen it. Where something else changed the value, the widget is another one.
    """
    drawn = session.setdefault("in_popovers", {})
    number, before = drawn.get(key, (0, value))
    number += before != value
    drawn[key] = number, value

    def seen(chosen):
        drawn[key] = number, chosen

    return f"{key}_{number}" if number else key, seen


def bound_threshold(model, **widget):
    """As `bound`, for the threshold of a model."""
    key, seen, now = "widget_threshold", None, view().threshold_of(model)
    if widget.pop("in_popover", False):
        key, seen = key_in_popover(key, now)

    def take(threshold):
        if seen is not None:
            seen(threshold)
        session.view = view().with_threshold(round(float(threshold), 12), model)

    return tied(key, now, take, **widget)


def bound_member(field, word):
    """Keywords of a toggle that puts a word into a field of the view that holds several."""

    def take(is_on):
        others = tuple(other for other in getattr(view(), field) if other != word)
        change(**{field: (*others, word) if is_on else others})

    return tied(f"widget_{field}_{word}", word in getattr(view(), field), take, is_left_alone=True)


# The threshold chart: where its handle starts, and what was chosen on it.


def curve_start(drawn, models):
    """What the curve chart starts at, and its widget key; `drawn` says which chart it is.

    The chart keeps its own selection: to move its handle from here it needs a new key. The start is frozen as long as the
    key lives, or every release would build the chart again.

    Parameters
    ----------
    drawn : str
    models : list of str
        Keys of the models on it, in order.

    Returns
    -------
    start : View
        Of which the thresholds and the model count.
    key : str
    """
    session.setdefault("curve_nonce", 0)
    key = f"curves-{session.curve_nonce}-{view().data}-{drawn}"
    if key not in session and not session.pop("curve_moved", False):
        shown = shown_model_of(models)
        session.curve_start = replace(view(), threshold=view().threshold_of(shown), model=shown)
    # A button inside the fragment reruns the fragment alone, so the URL is written here.
    publish()
    return session.curve_start, key


def move_threshold(threshold, model, rule="threshold"):
    """Set the threshold from a button and move the chart's handle there; `rule` is the one that answers."""
    threshold = min(max(float(threshold), 0.0), 1.0)
    session.curve_nonce = session.get("curve_nonce", 0) + 1
    session.view = replace(view().with_threshold(threshold, model), rule=rule)
    session.curve_start, session.curve_moved = replace(view(), model=model), True


def move_thresholds(own, model):
    """Give every model a threshold of its own, and move the chart's handle to that of `model`; `own` is by key."""
    session.view = replace(view(), thresholds=own_thresholds({**view().own, **own}))
    move_threshold(view().threshold_of(model), model)


def dragged(event, start, models, rule="threshold"):
    """Take over what was chosen on the chart: the threshold and the model. `start` until the first touch.

    `rule` is the one that answers with the threshold.

    Returns
    -------
    View
        Of which the thresholds and the model count.
    """
    chosen = event.selection if event else {}
    threshold, model = (chosen.get(name) or [{}] for name in ("chosen", "model"))
    place = int(model[0].get("model", models.index(start.model)))
    model = models[place] if 0 <= place < len(models) else start.model
    threshold = min(max(float(threshold[0].get("threshold", start.threshold)), 0.0), 1.0)
    seen, session.curve_seen = session.get("curve_seen"), (start, model, threshold)
    if model != start.model or view().model:
        change(model=model)
    # The model may arrive before its own threshold does.
    is_late = bool(view().own) and seen is not None and seen[0] is start and seen[1] != model and seen[2] == threshold
    if threshold != view().threshold_of(model) and not is_late:
        session.view = replace(view().with_threshold(threshold, model), rule=rule)
    publish()
    return replace(view(), model=model)


def bound_marks():
    """Keywords of the toggle that marks the usual inference rules on the curves, or none."""
    return tied(
        "widget_marks", bool(view().marked), lambda is_on: change(marked=MARKED if is_on else ()), is_left_alone=True
    )


def bound_own_thresholds(models):
    """Keywords of the toggle that gives every model a threshold of its own, or all the same again."""

    def take(is_on):
        threshold = view().threshold_of(shown_model_of(models))
        change(thresholds=own_thresholds(dict.fromkeys(models, threshold) if is_on else {}), threshold=threshold)

    return tied("widget_own", bool(view().own), take, is_left_alone=True)
