"""Which model, which threshold: correctness against specificity, with a threshold that is dragged in the browser."""

import streamlit as st

from hierviz import charts
from hierviz.app import numbers, shell, state
from hierviz.app.figure import below
from hierviz.curves import CURVE_KEYS
from hierviz.inference import INFERENCE_RULES
from hierviz.metrics import path_metrics

AXES = {
    "info_recall correct": "correct against information recall",
    "exact correct": "correct against exact",
    "info_recall info_precision": "precision against recall (information)",
    "depth_recall correct": "correct against depth recall",
    "depth_recall depth_precision": "precision against recall (depth)",
}
# Low enough that the strip to drag is in sight without scrolling on a laptop.
HEIGHT = 300
MARKED = ("leaf", "majority", "plurality", "expected_information", "top_down")
COLUMNS = ("ap", "ac", "recall_at_90_correct", "recall_at_95_correct", "majority_f1", "leaf_f1")

data = shell.open_data()
st.title("Operating curves")
usable = {key: model for key, model in data.models.items() if model.why_no_curve() is None}
if not usable:
    reason = data.first.why_no_curve()
    st.info(f"There is no curve to draw: {reason}.", icon=":material/show_chart:")
    shell.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    names = tuple(key for key in state.shown_models(data) if key in usable) or tuple(usable)[:8]
    if len(usable) > 1:
        st.multiselect(
            "Models",
            list(usable),
            format_func=lambda key: usable[key].predictions.name,
            max_selections=8,
            **state.bound("models", value=list(names), width=620, back=lambda value: tuple(value) or None),
        )
    axes = st.selectbox("Curve of", list(AXES), format_func=AXES.get, key="axes", width=300)
chosen = {usable[key].predictions.name: usable[key] for key in names}
x, y = axes.split()
strip = "depth_f1" if "depth" in axes else "info_f1"


def rule_points():
    """Where the rules without a threshold land: {model: {rule: {key: value}}}."""
    rules = [key for key in MARKED if data.taxonomy.is_tree or not INFERENCE_RULES[key].tree_only]
    points = {}
    for name, model in chosen.items():
        points[name] = {}
        for rule in rules:
            metrics = path_metrics(data.taxonomy, model.truth, model.answers(rule)[model.judged])
            points[name][rule] = {key: float(metrics[key].mean()) for key in CURVE_KEYS}
    return points


@st.fragment
def threshold_panel():
    """The chart, and what depends on the threshold it returns."""
    start, key = state.curve_start(f"{axes}-{'-'.join(names)}")
    dark, width = state.is_dark(), state.session.px
    curves = {name: model.curve for name, model in chosen.items()}
    rules = state.cached("rules", (data.key, names), rule_points)
    chart = state.cached(
        "curves",
        (data.key, names, axes, start, dark, width),
        lambda: charts.finish(
            charts.operating_curves(
                curves, tau=start, x=x, y=y, strip=strip, rules=rules, dark=dark, width=width, height=HEIGHT
            ),
            dark=dark,
        ),
    )
    event = st.altair_chart(
        chart,
        width="content",
        theme=None,
        key=key,
        on_select="rerun",
        selection_mode="tau",
        alt="Operating curves of the chosen models with a threshold that can be dragged",
    )
    tau = state.dragged(event, start)
    below(
        chart,
        name="operating-curves",
        sentence=charts.operating_curves_sentence(curves, tau=tau),
        table=charts.operating_curves_table(curves),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        name, curve = next(iter(curves.items()))
        goals = {
            "best F1": curve.best_threshold("info_f1"),
            "95 % correct": curve.best_threshold("info_recall", correct=0.95),
        }
        for goal, best in goals.items():
            if best is not None:
                st.button(
                    f"{goal} of {numbers.escape(name)}: τ = {best:.3f}", on_click=state.move_threshold, args=(best,)
                )
        st.button("Majority: τ = 0.5", on_click=state.move_threshold, args=(0.5,))
        answers = state.link(rule="threshold", tau=tau)
        st.page_link(
            shell.page("example"),
            label="See the answers at this τ",
            icon=":material/arrow_forward:",
            query_params=answers,
        )


st.markdown(
    "The answer is the most specific class whose probability exceeds the threshold τ. "
    "Drag the handle or click in the strip: a smaller τ says more, and errs more."
)
threshold_panel()

st.subheader("The whole curve in numbers")
shell.metric_table({name: model.curve.summary() for name, model in chosen.items()}, COLUMNS, key="curve-table")
judged = data.models[names[0]].n_judged
st.markdown(f"Each row is a model, judged on {judged} samples at all its thresholds; the best of a column is **bold**.")
st.markdown("What the numbers on this page mean:")
numbers.definitions((*COLUMNS, *dict.fromkeys((x, y, *charts.read_out_keys(x, y)))), "curves")
