"""Panel "Conformal node": for each sample one class that holds its true class with a stated probability; the line on Examples."""

import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.curve_panels import choosing
from hierviz.app.curve_panels.choosing import NO_GROUPS, Setting, percent
from hierviz.app.state.escape import escape
from hierviz.app.widgets import table
from hierviz.app.widgets.figure import figure
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.progress import worked_out
from hierviz.evaluation._conformal import BY_CLASS, conformal_of_model, conformal_of_sample, why_no_conformal
from hierviz.evaluation.common_samples import group_columns
from hierviz.evaluation.summary import PATHS
from hierviz.messages.errors import HiervizError
from hierviz.messages.number_text import percent_text, value_text

PROBABILITY = percent(
    *("conformal_probability", "Probability (%)", 90.0, 170, 0.1, 99.9),
    help="How often the true class of a new sample is at least to be its answer or below it.",
)
FRACTION = percent("conformal_fraction", "Calibration part (%)", 50.0, 170, 1.0, 99.0, 5.0, "%.0f")
SEED = Setting("conformal_seed", "Seed of the split", 0, 150, numbers=(0, 2**31, 1, None))
CLASSES = "top classes"
BY = Setting(
    "conformal_by",
    "Calibrate by",
    NO_GROUPS,
    230,
    lambda choice: (NO_GROUPS, CLASSES, *choice.columns(group_columns)),
    help="Top classes: a calibration for each top class of the most probable leaf. A column: samples of one user, document or "
    "place are dependent; a group is not divided between the two parts, and counts once.",
)
# Whether Examples has a line with the class of the sample.
ON_EXAMPLES = "conformal_examples"
# Top classes and columns of the table of the classes.
HEADS = ("Top class of the most probable leaf", "Calibration samples", "q")


def panel(choice, now):
    """Controls, the promise, how the held-out samples bear it out, and the table of the models."""
    st.markdown(
        "Each sample is answered with one class that is its true class or above it, with the probability that you choose, and as "
        "specific as that allows. The bound q is calibrated on one part of the samples (split conformal prediction); the "
        "held-out part shows what it yields. It holds for any model, well calibrated or not."
    )
    choosing.ask(choice, PROBABILITY, BY, FRACTION, SEED)
    found = {key: _nodes(choice, key) for key in choice.keys}
    found = {key: nodes for key, nodes in found.items() if nodes is not None}
    if now.model not in found:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle(
            "Show on Examples",
            help="Below the answer to each sample, its class at this probability.",
            **state.kept(choosing.MEMORY, ON_EXAMPLES, False),
        )
        if is_on_examples():
            link_to("example", "Go to Examples", "arrow_forward")
    _promise(choice, now.model, found[now.model])
    _picture(choice, found, now.model)
    _models(choice, found)
    if found[now.model].classes is not None:
        _classes(choice, now.model, found[now.model])


def prepare(choice, key):
    """Compute what takes long: paths of all samples."""
    for one in choice.keys:
        _nodes(choice, one)


def is_on_examples():
    """Whether Examples shows conformal nodes: only where a visitor asked for them."""
    return state.view().choice(choosing.MEMORY, ON_EXAMPLES, False) is True


def conformal_line(data, key, row):
    """The conformal node of one sample in a line of Examples, where it is asked for and the model has one.

    Parameters
    ----------
    data : Dataset
    key : str
        Of the model.
    row : int
        The sample.
    """
    found = _of_sample(data, key, row)
    if found is not None:
        st.caption(
            f":material/verified: {escape(_line(data.taxonomy, found))}",
            help=f"{escape(found.sentence)} {escape(found.assumption)}",
        )


def conformal_lines(data, samples):
    """The same sentences for the ladder, which changes models without the server.

    Parameters
    ----------
    data : Dataset
    samples : iterable of str
        Their ids.

    Returns
    -------
    dict of str to dict of str to str
        By id and key; empty where none are asked for.
    """
    if not is_on_examples():
        return {}
    found = {}
    for sample in samples:
        rows = {key: model.predictions.row(sample) for key, model in data.models.items()}
        nodes = {key: _of_sample(data, key, row) for key, row in rows.items() if row is not None}
        found[sample] = {key: _line(data.taxonomy, of_model) for key, of_model in nodes.items() if of_model is not None}
    return found


def _of_sample(data, key, row):
    """ConformalNodes of one sample; None where they are not asked for, or the model or the sample's groups have none."""
    model = data.models[key]
    if not is_on_examples() or why_no_conformal(model) is not None or not paths_read(model, data.digest, key):
        return None
    alpha, by = _alpha(), state.memory(choosing.MEMORY).get(BY.field, NO_GROUPS)
    try:
        return state.computed(
            "conformal node",
            (data.digest, key, row, alpha, by),
            lambda: conformal_of_sample(model, row, alpha, by=_column(by, model)),
        )
    except HiervizError:
        return None  # the panel says what is wrong with these groups


def _line(taxonomy, found):
    share, node = found.promised, int(found.nodes[0])
    n, units = int(found.n_calibration.sum()), f"{found.unit}s"
    within = "" if found.classes is None else f" of its top class, {taxonomy.title(int(found.classes[0]))}"
    others = f"conformal node, calibrated on the {n:,} other {units}{within}; marginal"
    if node == 0:
        few = f"; {found.n_needed:,} calibration {units} are needed" if n < found.n_needed else ""
        return f"With {share}: no class below the root ({others}{few})."
    where = taxonomy.title(node) if taxonomy.is_leaf[node] else f"somewhere in {taxonomy.title(node)}"
    return f"With {share}: {where} ({others}){'; it does not hold the truth' if found.held == 0 else ''}."


def _alpha():
    # Whole percentages stay what they are: 1 - 0.9 is not 0.1.
    return round(1 - PROBABILITY.value() / 100, 12)


def _column(by, model):
    """What `conformal_of_model` takes for a value of `BY`."""
    if by == CLASSES:
        return BY_CLASS
    return by if by != NO_GROUPS and by in model.predictions.attributes else None


def paths_read(model, digest, key):
    """Read the paths of all samples; None where that was cancelled."""
    what = f"{PATHS} of {model.predictions.name}"
    return worked_out("leaf paths", (digest, key), what, model.leaf_paths, "rows")


def _nodes(choice, key):
    """ConformalNodes of a model for the settings; None where they were cancelled."""
    model, by = choice.models[key], BY.value(choice)
    if not paths_read(model, choice.data_key, key):
        return None
    asked = {
        "alpha": _alpha(),
        "calibration": float(FRACTION.value() / 100),
        "seed": SEED.value(),
        "by": _column(by, model),
    }
    return choice.computed("conformal nodes", lambda: conformal_of_model(model, **asked), key, *asked.values())


def _promise(choice, key, nodes):
    units = f"{nodes.unit}s"
    with st.container(border=True):
        st.markdown(f"**{escape(choice.name(key))}: {escape(nodes.sentence)}**")
        held, root, leaf = st.columns(3)
        held.metric(f"True class held, {nodes.n_check:,} held-out {units}", percent_text(nodes.held, 1))
        root.metric("Answers that are the root (say nothing)", percent_text(nodes.root_share, 1))
        leaf.metric("Answers that are a leaf", percent_text(nodes.leaf_share, 1))
        st.markdown(escape(nodes.assumption))
        if nodes.shortfall:
            st.markdown(escape(nodes.shortfall))


def _picture(choice, found, key):
    shares = {choice.name(one): nodes.outcomes for one, nodes in found.items()}
    notes = {choice.name(one): f"conformal node, {nodes.promised}" for one, nodes in found.items()}
    drawn = charts.outcome_bars(
        shares, notes=notes, highlight=choice.name(key), width=state.session.px, height=60 + 40 * len(shares)
    )
    figure(drawn, name="conformal-nodes")


def _models(choice, found):
    """A row a model: how specific its answers are at the same probability."""
    rows = [
        {
            "Model": choice.name(key),
            "Held": percent_text(nodes.held, 1),
            "Root": percent_text(nodes.root_share, 1),
            "Leaf": percent_text(nodes.leaf_share, 1),
            "Mean information (bits)": value_text(nodes.mean_information),
            "q": _q_text(nodes.q[0]) if nodes.classes is None else "by class",
            "Calibrated on": f"{int(nodes.n_calibration.sum()):,} {nodes.unit}s",
        }
        for key, nodes in found.items()
    ]
    data = pd.DataFrame(rows)
    table.draw(data, key="conformal-models", width="content")
    table.say_cut([table.width_of(head, data[head]) for head in data], len(data.columns))


def _classes(choice, key, nodes):
    titles = [choice.taxonomy.title(int(node)) for node in nodes.classes]
    values = zip(titles, nodes.n_calibration.tolist(), map(_q_text, nodes.q.tolist()), strict=True)
    st.markdown(f"Top classes of **{escape(choice.name(key))}**:")
    frame = pd.DataFrame([dict(zip(HEADS, row, strict=True)) for row in values])
    table.draw(frame, key="conformal-classes", width="content")


def _q_text(q):
    return value_text(q) if q < float("inf") else "∞ (root)"
