"""The controls that several pages share: model, rule and threshold."""

import contextlib
import math

import streamlit as st

from hierviz.app import state
from hierviz.app.state import current, rule_parameters
from hierviz.app.state.escape import escape
from hierviz.app.widgets.cost_editor import cost_editor
from hierviz.charts import threshold_text
from hierviz.inference import registry
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES, rule_words
from hierviz.inference.rules import node_thresholds
from hierviz.messages.errors import HiervizError
from hierviz.predictions.parametrisation import PARAMETRISATIONS
from hierviz.reports.view import MOST, View
from hierviz.taxonomy.taxonomy import NodeLists

# Pixels from which a window is large, of a field without its entries, of an entry without its name, of a letter, at most.
LARGE_WINDOW, FIELD, ENTRY, LETTER, MOST_WIDTH = 1600, 90, 40, 7.5, 900


def part_control(options, field):
    """Which part of its page is shown: a row of segments, on a phone a menu, so that its picture is on the first screen."""
    is_narrow = state.is_narrow()
    width = {"width": 200} if is_narrow else {}
    return pick("Part of the page", options, field, segmented=not is_narrow, label_visibility="collapsed", **width)


def behind_a_press(label, icon):
    """Where controls are: in a popover on a phone, else where they are drawn."""
    return st.popover(label, icon=f":material/{icon}:") if state.is_narrow() else contextlib.nullcontext()


def answer_controls(data):
    """Which model is shown and how its answers are chosen; returns its key and the keywords of `Evaluation.answers`."""
    with behind_a_press("Model", "tune"):
        key = model_control(data, in_popover=state.is_narrow())
        return key, rule_controls(data, key, in_popover=state.is_narrow())


def model_control(data, **widget):
    """Which model the page shows; returns its key."""
    if len(data.models) == 1:
        return state.shown_model_of(data.models)
    names = {key: model.predictions.name for key, model in data.models.items()}
    return pick("Model", names, "model", state.shown_model_of(data.models), **widget)


def models_control(label, options, now, most, width, **widget):
    """Which of several models (or methods) the page shows; returns their keys, none where the field was emptied.

    `options` are names by key, `now` the keys that are shown where the address names none. The field has `width` pixels, and more
    for long names in a large window: it cuts what is beyond its end. `widget` has more of `state.bound`.
    """
    if state.session.px >= LARGE_WINDOW:
        wanted = FIELD + sum(ENTRY + LETTER * len(name) for name in options.values())
        width = int(min(max(width, wanted), MOST_WIDTH))
    memory = state.memory("emptied models")
    # A link names models of its own.
    is_empty = memory.get(label, "") == state.view().models

    def back(value):
        memory[label] = "" if value else state.view().models
        return tuple(value) or None

    tied = state.bound("models", value=[] if is_empty else now, width=width, back=back, **widget)
    st.multiselect(label, list(options), format_func=options.get, max_selections=most, **tied)
    return [] if is_empty else now


def width_for(names):
    """Pixels of a list of names: it cuts what is longer, and has no tooltip."""
    least, most = (170, 340) if state.is_narrow() else (230, 420)
    return min(max(least, 8 * max(map(len, names)) + 60), most)


def menu(label, words, **widget):
    """A menu of some values, given with their words; returns the chosen one."""
    return st.selectbox(label, list(words), format_func=words.get, **widget)


def pick(label, options, where, default=None, *, segmented=False, **widget):
    """One of several options, in a menu or a row of segments, which the address or the session remembers; returns it.

    Parameters
    ----------
    label : str
    options : dict of value to str, or sequence
        What can be chosen, with words for it or shown as it is.
    where : str or (str, str)
        Field of the view, or memory of the session and its field.
    default
        Where none of the options is remembered; the first of them if it is none of them itself.
    segmented : bool
    **widget
        Of the Streamlit widget; a menu is as wide as its longest option if no width is given.
    """
    values = list(options)
    words = options if isinstance(options, dict) else {value: str(value) for value in values}
    default = default if default in values else values[0]
    if not segmented:
        widget.setdefault("width", width_for(list(words.values())))
    if isinstance(where, str):
        now = getattr(state.view(), where)
        tied = state.bound(where, value=now if now in values else default, **widget)
    else:
        tied = state.kept(*where, default, **widget)
        if state.session[tied["key"]] not in values:
            state.session[tied["key"]] = default
    if segmented:
        chosen = st.segmented_control(label, values, format_func=words.get, required=True, **tied)
    else:
        chosen = menu(label, words, **tied)
    return chosen if chosen in values else default


def pick_several(label, options, where, default=(), **widget):
    """As `pick`, of several of the options, `default` at first; returns those chosen."""
    words = options if isinstance(options, dict) else {value: str(value) for value in options}
    in_view = isinstance(where, str)
    tied = state.bound(where, back=tuple, **widget) if in_view else state.kept(*where, list(default), **widget)
    state.session[tied["key"]] = [value for value in state.session[tied["key"]] if value in words]
    return st.multiselect(label, list(words), format_func=words.get, **tied)


def explained(entries):
    """Help of a menu of rules, severities or other entries: their labels with their sentences."""
    return "  \n".join(f"**{entry.label}**: {entry.sentence}" for entry in entries)


def offered_rules(data, sets=None):
    """Keys of the rules that can be chosen; `sets` is as in `rule_controls`."""
    is_tree, several = data.taxonomy.is_tree, isinstance(data.first.predictions.truth, NodeLists)
    return registry.offered_rules(is_tree, several, several or not is_tree if sets is None else sets)


def rule_controls(data, model, sets=None, *, numbers=True, in_popover=False):
    """How the answer is chosen; returns the keywords of `Evaluation.answers`.

    `sets` is whether rules that answer with sets are offered: if not given, for several true classes and for graphs. Without
    `numbers`, the rule and its number are chosen elsewhere, and only its other parameters have controls. `in_popover` says that
    they may be out of sight.
    """
    if not data.models[model].predictions.has_scores:
        if numbers:
            st.caption("This file contains labels: no inference rule is needed.", width="content")
        return {"rule": "majority"}
    rules = {key: INFERENCE_RULES[key] for key in offered_rules(data, sets)}
    if state.view().rule not in rules:
        state.change(rule=View().rule if View().rule in rules else next(iter(rules)))
    if numbers:
        labels = {key: rule.label for key, rule in rules.items()}
        help = explained(rules.values())
        pick("Inference rule", labels, "rule", width=165, help=help, in_popover=in_popover)
    for name, parameter in INFERENCE_RULES[state.view().rule].parameters.items():
        if parameter.kind == "number" and not numbers:
            continue
        if name == THRESHOLD.name:
            _threshold(parameter, model, in_popover)
        else:
            CONTROLS[parameter.kind](parameter, data.taxonomy)
            if parameter.kind == "costs":
                cost_editor(parameter, data, model)
    return {
        "rule": state.view().rule,
        **rule_parameters.rule_settings(data.taxonomy),
        "threshold": state.view().threshold_of(model),
    }


def _threshold(parameter, model, in_popover):
    text = threshold_text(state.view().threshold_of(model))
    # A threshold with more digits would be cut.
    tied = current.bound_threshold(model, width=130 if len(text) <= 5 else 150, in_popover=in_popover)
    form = f"%.{len(text) - 2}f"
    st.number_input(parameter.label, *parameter.range, step=0.01, format=form, help=parameter.sentence, **tied)


def _number(parameter, taxonomy):
    highest = math.floor(1000 * min(parameter.highest(taxonomy), MOST)) / 1000
    if state.view().parameter(parameter.name) > highest:
        rule_parameters.change_parameter(parameter.name, highest)
    tied, lowest = rule_parameters.bound_parameter(parameter.name, width=150), float(parameter.range[0])
    look = {"step": 1.0, "format": "%.0f"} if parameter.is_whole else {"step": 0.1}
    st.number_input(parameter.label, lowest, highest, help=parameter.sentence, **look, **tied)


def _choice(parameter, taxonomy, more=()):
    words = {value: parameter.choices.get(value, value) for value in (*parameter.choices, *more)}
    menu(parameter.label, words, help=parameter.sentence, **rule_parameters.bound_parameter(parameter.name, width=230))


def _costs(parameter, taxonomy):
    """One of the costs that have a name, or an uploaded table."""
    name = parameter.name
    with st.popover("Costs from a file", icon=":material/upload_file:"):
        st.markdown(
            "A table with the columns `predicted`, `truth` and `cost`, and a row for every pair of leaves; or with `predicted` "
            "and a column for every leaf. Inner classes may be predicted, too."
        )
        uploads = state.kept_upload(name, "Table of costs (CSV, TSV or Parquet)")
    seen = state.memory("cost files")
    if uploads is not None and seen.get(name) is not uploads:
        rule_parameters.change_parameter(name, uploads.paths[0].name)
    seen[name] = uploads
    _choice(parameter, taxonomy, (*rule_parameters.cost_files(name), state.view().parameter(name)))
    missing = rule_parameters.missing_costs(parameter, taxonomy)
    if missing is not None:
        st.error(f"{escape(missing)} The answers below use {parameter.choices[parameter.default]}.")


def _numbers(parameter, taxonomy):
    """A field of text; what is not a list of numbers in range is an error, and the former numbers stay."""
    key = f"{parameter.name} as typed"
    name = parameter.name
    now = state.view().parameter(name)

    def changed():
        text = state.session[f"typed_{name}"]
        try:
            node_thresholds(taxonomy, text)
        except HiervizError:
            state.memory("typed")[key] = text
        else:
            shares = (f"{float(part):.6f}".rstrip("0").rstrip(".") for part in text.split(","))
            rule_parameters.change_parameter(name, ",".join(shares))
            state.memory("typed").pop(key, None)

    state.session[f"typed_{name}"] = state.memory("typed").get(key, now)
    st.text_input(parameter.label, help=parameter.sentence, key=f"typed_{name}", on_change=changed, width=200)
    if key in state.memory("typed"):
        st.error(f"Expected numbers from 0 to 1 separated by commas. The answers below use {now}.")


CONTROLS = {"number": _number, "choice": _choice, "costs": _costs, "numbers": _numbers}


def setting(data, model, choice, n=None):
    """One line of Markdown with what a panel depends on; `n` samples are shown, all that are judged if not given."""
    predictions, judged = data.models[model].predictions, data.models[model].n_judged
    name, at = escape(predictions.name), rule_text(data, model, choice)
    samples = f"{judged:,} samples" if n in (None, judged) else f"{n:,} of {judged:,} samples"
    if not predictions.has_scores:
        return f"{name} · {at} · {samples}"
    kind = PARAMETRISATIONS[predictions.parametrisation].label
    kind = f" ({kind.lower()})" if kind.casefold() != predictions.name.casefold() else ""
    return f"{name}{kind} · {at} · {samples}"


def rule_text(data, model, choice, write=escape):
    """How the answers of a model are chosen, in Markdown: "threshold τ = 0.500", or "labels" where the file has them.

    `write` is what makes Markdown of names; `str` leaves plain text.
    """
    if not data.models[model].predictions.has_scores:
        return "labels"
    return rule_words(choice["rule"], choice, write)
