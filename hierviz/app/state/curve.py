"""The threshold chart: where its handle starts, and what was chosen on it."""

from __future__ import annotations

from dataclasses import replace

from hierviz.app.state.current import change, publish, session, show_toggle, shown_model_of, view
from hierviz.reports.view import own_thresholds


def curve_start(drawn, models):
    """What the curve chart starts at, and its widget key; `drawn` says which chart it is.

    The chart keeps its own selection: to move its handle from here it needs a new key. The start is frozen as long as the
    key lives, or every release would build the chart anew.

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


def bound_own_thresholds(models):
    """Keywords of the toggle that gives every model a threshold of its own, or all the same again."""
    key = "widget_own"
    show_toggle(key, bool(view().own))

    def changed():
        threshold = view().threshold_of(shown_model_of(models))
        change(thresholds=own_thresholds(dict.fromkeys(models, threshold) if session[key] else {}), threshold=threshold)

    return {"key": key, "on_change": changed}
