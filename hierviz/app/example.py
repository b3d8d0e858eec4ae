"""Why this answer: one sample with its probability tree, win, confusion and numbers, and the list of mistakes beside it."""

import base64

import numpy as np
import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import controls, numbers, shell, state
from hierviz.app.figure import figure
from hierviz.metrics import METRICS, confusion, win_breakdown
from hierviz.metrics.worked import worked_numbers
from hierviz.mistakes import ORDERS, OUTCOMES, mistakes, outcome_counts

ON_A_PAGE = 50
SIGNS = {"exact": "✓", "coarse": "≈", "wrong": "✗"}
VERDICTS = {"exact": ":green[exact]", "coarse": ":blue[correct but coarse]", "wrong": ":orange[wrong]"}

data = shell.open_data()
taxonomy = data.taxonomy
st.title("Examples")
with st.container(horizontal=True, vertical_alignment="bottom"):
    model_key = controls.model_control(data)
    rule, tau = controls.rule_controls(data, model_key)
model = data.models[model_key]
predictions = model.predictions

why_not = model.why_no_mistakes()
if why_not:
    if model.n_judged:
        st.info(f"Samples are shown in the order of the file and not judged: {why_not}.", icon=":material/info:")
    rows, found = np.arange(predictions.n_samples), None
else:
    everything = mistakes(model, rule, tau)
    counts = outcome_counts(everything)
    inner = [node for node in range(1, taxonomy.n_nodes) if not taxonomy.is_leaf[node]]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Show",
            ["", *OUTCOMES],
            format_func=lambda key: f"{OUTCOMES[key]} {counts[key]}" if key else f"all {len(everything)}",
            required=True,
            **state.bound("outcome"),
        )
        under = state.view().under if state.view().under in taxonomy.index else ""
        state.change(under=under)
        st.selectbox(
            "Truth under",
            ["", *(taxonomy.names[node] for node in inner)],
            format_func=lambda name: taxonomy.title(taxonomy.node(name)) if name else "anything",
            **state.bound("under", width=220),
        )
        st.selectbox(
            "Worst first by",
            list(ORDERS),
            format_func=ORDERS.get,
            **state.bound("order", width=200),
        )
    view = state.view()
    found = mistakes(
        model,
        rule,
        tau,
        outcome=view.outcome or None,
        under=taxonomy.node(view.under) if view.under else None,
        order=view.order,
    )
    rows = found.row
if not len(rows):
    st.info("No sample is left in this selection. Widen it above.", icon=":material/filter_alt_off:")
    st.stop()

asked = predictions.row_of.get(state.view().sample, -1)
place = int(np.flatnonzero(rows == asked)[0]) if (rows == asked).any() else 0
row = int(rows[place])


def go(to):
    """Look at the sample at a place of the selection."""
    state.change(sample=predictions.sample_id(int(rows[to])))


if state.is_narrow():
    main, beside = st.container(), st.popover("List of samples", icon=":material/list:")
else:
    main, beside = st.columns([0.68, 0.32], gap="large")

with beside:
    start = place // ON_A_PAGE * ON_A_PAGE
    shown = np.arange(start, min(start + ON_A_PAGE, len(rows)))
    table = {}
    if predictions.media is not None:
        pictures = [predictions.picture(int(one), most=64) for one in rows[shown]]
        table[" "] = [one and "data:image/png;base64," + base64.b64encode(one).decode() for one in pictures]
    elif "text" in predictions.attributes:
        table["text"] = [predictions.text(int(one))[:60] for one in rows[shown]]
    else:
        table["sample"] = [predictions.sample_id(int(one)) for one in rows[shown]]
    if found is not None:
        part = found.take(shown)
        table["truth"] = [taxonomy.title(node) for node in part.truth.tolist()]
        table["answer"] = [
            f"{SIGNS[kind]} {taxonomy.title(node)}" for kind, node in zip(part.outcome, part.predicted.tolist())
        ]
        severity = (
            part.info_dist if state.view().order == "info_dist" or np.isnan(part.win_lost).all() else part.win_lost
        )
        table["bits off" if severity is part.info_dist else "lost"] = severity.round(2)
    st.markdown(f"**Samples** {start + 1} to {start + len(shown)} of {len(rows)}, in the order chosen above")

    def picked():
        """Follow a click in the list."""
        chosen = state.session[list_key].selection.rows
        if chosen:
            go(start + chosen[0])

    list_key = f"list-{model_key}-{rule}-{tau}-{state.view().outcome}-{state.view().under}-{state.view().order}-{start}-{place}"
    st.dataframe(
        pd.DataFrame(table),
        hide_index=True,
        row_height=44 if predictions.media is not None else None,
        height=760,
        column_config={
            " ": st.column_config.ImageColumn(" ", width=52),
            "truth": st.column_config.TextColumn(width=98),
            "answer": st.column_config.TextColumn(width=108),
            "lost": st.column_config.NumberColumn(width=50, help="Win lost: 1 minus the hierarchical win."),
            "bits off": st.column_config.NumberColumn(width=65, help="Distance between answer and truth in bits."),
        },
        on_select=picked,
        selection_mode="single-row",
        selection_default={"selection": {"rows": [place - start]}},
        key=list_key,
    )
    st.caption("✓ exact, ≈ correct but coarse, ✗ wrong. Press a row to look at it.")
    with st.container(horizontal=True):
        st.button("Earlier 50", on_click=go, args=(max(start - ON_A_PAGE, 0),), disabled=start == 0)
        st.button(
            "Next 50",
            on_click=go,
            args=(min(start + ON_A_PAGE, len(rows) - 1),),
            disabled=start + ON_A_PAGE >= len(rows),
        )

with main:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Previous", icon=":material/arrow_back:", on_click=go, args=(place - 1,), disabled=place == 0)
        st.button(
            "Next", icon=":material/arrow_forward:", on_click=go, args=(place + 1,), disabled=place + 1 == len(rows)
        )
        st.markdown(f"{place + 1} of {len(rows)}")
        st.caption(controls.setting(data, model_key, rule, tau))
    truth = None if found is None else int(found.truth[place])
    predicted = None
    if predictions.has_scores:
        p = predictions.node_probabilities(np.array([row]))[0]
        predicted = int(model.answers(rule, tau)[row])
        best_leaf = int(model.best_leaf[row])
    else:
        p = best_leaf = None
        ends = model.label_paths()
        predicted = None if ends is None else int(ends[row])
    picture, text = predictions.picture(row), predictions.text(row)
    head = st.container(horizontal=True, vertical_alignment="top", gap="medium")
    with head:
        if picture:
            st.image(picture, width=176, alt=f"Sample {predictions.sample_id(row)}")
        with st.container():
            st.markdown(f"#### {numbers.escape(predictions.sample_id(row))}")

            def route(node):
                """Names from below the root to a node."""
                steps = taxonomy.path(node)[1:] if taxonomy.is_tree else []
                return " › ".join(numbers.escape(taxonomy.title(one)) for one in steps)

            def names(lists):
                """Several nodes by name; a label outside the taxonomy is an empty one."""
                return (
                    "; ".join(numbers.escape(taxonomy.title(one)) if one >= 0 else "(empty)" for one in lists[row])
                    or "nothing"
                )

            if truth is not None:
                st.markdown(f"Truth: **{numbers.escape(taxonomy.title(truth))}**  \n:gray[{route(truth)}]")
            elif predictions.truth is not None and not predictions.has_single_truth:
                st.markdown(f"Truth: **{names(predictions.truth)}**")
            verdict = f" — {VERDICTS[found.outcome[place]]}" if found is not None else ""
            if predicted is not None:
                st.markdown(
                    f"Answer: **{numbers.escape(taxonomy.title(predicted))}**{verdict}  \n:gray[{route(predicted)}]"
                )
            else:
                st.markdown(f"Answer: **{names(predictions.labels)}**")
            known = {
                k: v[row]
                for k, v in predictions.attributes.items()
                if k not in ("image", "file", "text", "path") and v[row] != ""
            }
            if known:
                st.caption(" · ".join(f"{numbers.escape(str(k))}: {numbers.escape(str(v))}" for k, v in known.items()))
    if text:
        st.markdown(f"> {numbers.escape(text)}")

    dark, width = state.is_dark(), state.main_width()
    if p is not None and not taxonomy.is_tree:
        st.subheader("Where the probability goes")
        top = np.argsort(-p, kind="stable")[:30]
        st.dataframe({"class": [taxonomy.title(node) for node in top.tolist()], "p": p[top].round(4)}, hide_index=True)
        st.markdown(
            "The thirty most probable classes; the tree is drawn for taxonomies in which every class has one parent."
        )
    elif p is not None:
        st.subheader("Where the probability goes")
        styles = {"icicle": "Blocks", "node-link": "Branches", "list": "List"}
        st.segmented_control(
            "Draw as",
            list(styles),
            format_func=styles.get,
            required=True,
            label_visibility="collapsed",
            **state.bound("tree"),
        )
        tree = charts.probability_tree_table(taxonomy, p, truth=truth, predicted=predicted)
        sentence = charts.probability_tree_sentence(taxonomy, p, truth=truth, predicted=predicted)
        if state.view().tree == "list":
            st.dataframe(tree, hide_index=True)
            st.markdown(sentence)
        else:
            drawn = charts.probability_tree(
                taxonomy, p, truth=truth, predicted=predicted, style=state.view().tree, dark=dark, width=width
            )
            figure(drawn, name="probability-tree", sentence=sentence, table=tree)
    if truth is not None:
        worked = worked_numbers(taxonomy, truth, predicted, p, best_leaf)

        def row_of_numbers(keys):
            """Numbers of this sample that open to their definition and arithmetic."""
            with st.container(horizontal=True, gap="small"):
                for key in keys:
                    if key in worked:
                        numbers.number(key, worked[key].value, worked[key].arithmetic, where="sample")

        if p is not None:
            st.subheader("The win, level by level")
            terms = win_breakdown(taxonomy, p, truth)
            figure(
                charts.win_breakdown(taxonomy, terms, dark=dark, width=width),
                name="win",
                sentence=charts.win_breakdown_sentence(taxonomy, terms),
                table=charts.win_breakdown_table(taxonomy, terms),
            )
            row_of_numbers(("softmax_win", "softmax_win_raw", "neg_log_win", "cross_entropy", "one_hot_win"))
        st.subheader("The answer's path against the true path")
        cells = confusion(taxonomy, np.array([truth]), np.array([predicted]))
        figure(
            charts.confusion_breakdown(taxonomy, cells, 0, dark=dark, width=width),
            name="confusion",
            sentence=charts.confusion_breakdown_sentence(taxonomy, cells, 0),
            table=charts.confusion_breakdown_table(taxonomy, cells, 0),
        )
        row_of_numbers(("tp", "fp", "fn", "tn", "hp", "hr", "hf1"))
        st.subheader("The answer as a point on the curves")
        row_of_numbers([key for key, entry in METRICS.items() if entry.block == "predicted"])
        st.caption("Press a number to see what it means and how it comes about for this sample.")
