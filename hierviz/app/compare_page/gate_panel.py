"""The gate on the page: is B at most so much worse than A, with the command that says the same in CI."""

import shlex

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import table
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.progress import is_wanted, worked_out
from hierviz.comparison.gating._gate import DEFAULT_LIMIT, gate
from hierviz.messages.errors import HiervizError
from hierviz.metrics.registry import METRICS
from hierviz.opening.files import flags_of
from hierviz.opening.options import without_folder

# Of models with an operating curve, and of others.
OF_CURVES = (
    *("curve.ac", "top_down.argmax_leaf_accuracy", "predicted.exact", "predicted.correct"),
    *("distribution.softmax_win", "labels.hf1_samples"),
)
OF_LABELS = ("labels.hf1_samples", "labels.micro_f1", "labels.subset_accuracy", "confusion.f1")
HEADINGS = {
    "key": "Metric",
    "baseline": "Baseline",
    "candidate": "Candidate",
    "difference": "Difference",
    "lower": "Low",
    "upper": "High",
    "limit": "Limit",
    "verdict": "Verdict",
}
# A drop of 1 is the whole range of a share.
MOST = 0.999
SAID = {0: (st.success, "check_circle"), 1: (st.error, "error"), 3: (st.warning, "help")}


def draw(choice):
    """Metric and limit, a button that starts the resamples, the verdict and the command; `choice` is a PairChoice."""
    # Open once it was asked for: a run of the whole page would close it.
    is_open, icon = bool(state.memory("requested gate")), ":material/verified:"
    with st.expander("Gate: is B at most so much worse than A?", icon=icon, expanded=is_open):
        keys = (
            OF_CURVES
            if all(run.why_no_curve() is None for key in choice.keys for run in choice.runs(key))
            else OF_LABELS
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            metric = pick("Metric", {key: METRICS[key.split(".")[1]].label for key in keys}, ("gate", "metric"))
            tied = state.kept("gate", "limit", DEFAULT_LIMIT, width=150)
            limit = float(st.number_input("Largest drop", 0.0, MOST, step=0.005, format="%.3f", **tied))
            asked = ("gate", (*choice.where, metric, limit))
            is_asked = is_wanted(*asked, False, "Check", icon=":material/play_arrow:")
        baseline, candidate = map(escape, choice.names)
        st.caption(
            f"A, the baseline, is {baseline}; B, the candidate, is {candidate}. All samples count, whatever the filters. "
            "*Holds*: B is at most so much worse, with the whole 95 % interval of the difference above −limit. *Fails*: it is "
            "clearly worse than that. *Not clear*: there are too few samples to tell."
        )
        if is_asked:
            _found(worked_out(*asked, "Gate", lambda told: _made(choice, metric, limit, told)))
        if words := command(choice, metric, limit):
            st.caption("The same check on the command line, for continuous integration:")
            st.code(words, language="sh", wrap_lines=True)


def _made(choice, metric, limit, told):
    """A tuple of the Gate, or of why there is none."""
    a, b = choice.keys
    each = [choice.choice_of(key) for key in (b, a) for _ in choice.runs(key)]
    parameters = {name: value for name, value in choice.choice.items() if name not in ("rule", "threshold")}
    how = {"rule": [of["rule"] for of in each], "threshold": [of.get("threshold", 0.5) for of in each], **parameters}
    models = choice.runs(a), choice.runs(b)
    try:
        return (gate(*models, {metric: limit}, group=choice.group or None, stage=told, **how),)
    except HiervizError as error:
        return (str(error),)


def _found(made):
    if made is None:
        return
    (found,) = made
    if isinstance(found, str):
        st.warning(escape(found), icon=":material/help:")
        return
    say, sign = SAID[found.code]
    # As the menu calls it.
    labels = {row.key: row.column.label for row in found.rows}
    said = found.sentence
    for key, label in labels.items():
        said = said.replace(key, label)
    say(f"**{found.verdict.capitalize()}.** {escape(said)}", icon=f":material/{sign}:")
    rows = found.to_frame()[list(HEADINGS)].replace({"key": labels}).rename(columns=HEADINGS)
    words, number = (HEADINGS["key"], HEADINGS["verdict"]), table.number(decimals=4)
    table.draw(rows, {name: None if name in words else number for name in rows}, key="gate-rows")


def _name(run):
    """The name of a model of the menu: a step of a training with its number."""
    return run.method if run.step is None else run.name


def command(choice, metric, limit):
    """The command with the same verdict; empty where no files say all. Files stand by their names."""
    files = choice.data.files
    if (
        files is None
        or files.given
        or files.reading
        or files.model
        or files.taxonomy_direction
        or files.taxonomy_separator
    ):
        return ""
    values = choice.choice_of(choice.keys[0])
    if any(not isinstance(value, str | int | float) for value in values.values()):
        return ""
    sides = dict(zip(choice.names, ("--baseline", "--candidate"), strict=True))
    files = files.of_last_steps
    runs = [run for run, *_ in files.readings]
    methods = {_name(run): run.method for run in runs}
    others = set(methods) - set(sides)
    flags = [pair for pair in flags_of(files) if pair[0] != "--predictions"]
    flags = [(flag, value) for flag, value in flags if not any(str(value).startswith(f"{name}=") for name in others)]
    flags += [(sides[_name(run)], f"{_name(run)}={run.path}") for run in runs if _name(run) in sides]
    if {flag for flag, _ in flags}.isdisjoint(sides.values()):
        return ""
    flags = [(flag, value and without_folder(value)) for flag, value in flags]
    flags += [("--metric", f"{metric}={limit:g}"), *(("--group", group) for group in [choice.group] if group)]
    if choice.runs(choice.keys[0])[0].predictions.has_scores:
        flags += [(f"--{name.replace('_', '-')}", str(value)) for name, value in values.items() if name != "threshold"]
        ats = [choice.choice_of(key).get("threshold") for key in choice.keys]
        flags += [
            ("--threshold", f"{methods.get(name, name)}={at:g}")
            for name, at in zip(choice.names, ats, strict=True)
            if at is not None
        ]
    return shlex.join(["hierviz", "gate", *(word for pair in flags for word in pair if word is not None)])
