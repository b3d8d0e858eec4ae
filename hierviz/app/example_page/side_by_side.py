"""All rules, and all models, on one sample: answer, outcome, specificity and win, as dots and as tables that switch."""

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.controls import offered_rules
from hierviz.app.widgets.figure import figure
from hierviz.app.widgets.table import seen_table
from hierviz.charts import answer_dots, threshold_text, win_text
from hierviz.charts.theme import answer_text
from hierviz.diagnosis.sample_answers import answers_by_rule, sample_answer
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.number_text import fixed_text, probability_text, value_text
from hierviz.metrics.sets.node_sets import most_specific
from hierviz.taxonomy.taxonomy import NodeLists

NAMES_IN_A_SET = 6
HELP = {
    "specificity, bits": "Information of the answer: log2 of all leaves over the leaves below it. 0 is the root.",
    "win": "Hierarchical win. It judges the probabilities of the model, so it is the same for every rule.",
    "p": "Probability of the answer.",
}
# Pixels of columns: those of numbers, of the ticks, the widest of names, the narrowest of answers.
WIDTHS = {"specificity, bits": 112, "p": 66, "win": 74}
TICKS, MOST_WIDTH, LEAST_WIDTH = 36, 260, 180
# Streamlit breaks lines in rows of more than 64 pixels only.
LEAST_WRAPPED = 66


def answers_of(data, key, row, choice):
    """SampleAnswer of each inference rule that is offered, of the model's scores; empty where it has none."""
    model = data.models[key]
    if not model.predictions.has_scores:
        return {}
    rules = offered_rules(data, model.why_no_mistakes() is not None)
    settings = {name: value for name, value in choice.items() if name != "rule"}
    # Rules that look at all pairs of classes take long on large taxonomies: once for each sample.
    return state.computed(
        "answers by rule",
        (data.digest, key, row, tuple(rules), tuple(sorted(map(str, settings.items())))),
        lambda: answers_by_rule(model, row, rules, **settings),
    )


def panels(data, key, row, choice, by_rule):
    """All answers as dots, the table of rules where there are scores, and that of models where there are several.

    `by_rule` is from `answers_of`.
    """
    settings = {name: value for name, value in choice.items() if name != "rule"}
    rules = {rule: INFERENCE_RULES[rule].label + _at(rule, settings) for rule in by_rule}
    by_model = _answers_of_models(data, key, row, choice, by_rule) if len(data.models) > 1 else {}
    models = {name: data.models[name].predictions.name for name in by_model}
    answers = {"rule": _called(rules, by_rule), "model": _called(models, by_model)}
    if by_rule or by_model:
        figure(answer_dots(data.taxonomy, answers, width=state.main_width()), name="answers")
    if by_rule:
        _rules(data, key, row, choice, rules, by_rule)
    if by_model:
        _models(data, key, row, models, by_model)


def _called(labels, answers):
    """Answers by what screens call them; equal names are told apart by their keys."""
    names = list(labels.values())
    return {labels[one] if names.count(labels[one]) == 1 else f"{labels[one]} ({one})": answers[one] for one in answers}


def _rules(data, key, row, choice, labels, answers):
    """Every inference rule on this sample; a click makes it the rule of all pages."""
    st.subheader("Inference rules on this sample")
    _table("rule", labels, answers, data.taxonomy, choice["rule"], lambda rule: state.change(rule=rule), (key, row))


def _answers_of_models(data, key, row, choice, by_rule):
    """SampleAnswer of every model, each at the rule and threshold of the page."""
    sample_id = data.models[key].predictions.sample_id(row)
    answers = {}
    for name, model in data.models.items():
        row = model.predictions.row(sample_id)
        if name == key and choice["rule"] in by_rule:
            answers[name] = by_rule[choice["rule"]]
        elif row is not None:
            answers[name] = sample_answer(model, row, **{**choice, "threshold": state.view().threshold_of(name)})
    return answers


def _models(data, key, row, labels, answers):
    """Every model on this sample; a click switches to it."""
    st.subheader("Models on this sample")
    sample_id = data.models[key].predictions.sample_id(row)
    _table("model", labels, answers, data.taxonomy, key, lambda name: state.change(model=name), (sample_id,))
    if any(data.models[name].predictions.has_scores for name in answers):
        has_win = any(answer.win is not None for answer in answers.values())
        st.caption(
            "All by the rule of this page. Scores of different models are on different scales: the same τ is not the same for "
            f"two models{', the win does not depend on τ' if has_win else ''}."
        )


def _at(rule, settings):
    return (
        f" (τ = {threshold_text(settings['threshold'])})" if THRESHOLD.name in INFERENCE_RULES[rule].parameters else ""
    )


def _table(what, labels, answers, taxonomy, now, switch, of):
    keys = list(answers)
    rows = [
        [labels[one], _nodes(taxonomy, answer.nodes), answer_text(answer.outcome)]
        + ["–" if answer.information is None else value_text(answer.information)]
        + ["–" if answer.p is None else probability_text(answer.p), win]
        for (one, answer), win in zip(answers.items(), _wins(answers, now), strict=True)
    ]
    table = pd.DataFrame(rows, columns=[what, "answers", "outcome", "specificity, bits", "p", "win"])
    # Of sets nothing else is known than their classes.
    table = table.loc[:, [name for name in table if name in (what, "answers") or (table[name] != "–").any()]]
    widget = f"switch-{what}-{'-'.join(map(str, of))}-{now}"
    place = keys.index(now) if now in keys else None

    def picked():
        clicked = state.session[widget].selection
        chosen = [row for row, _ in clicked.cells] or [row for row in clicked.rows if row != place]
        if chosen and keys[chosen[0]] != now:
            switch(keys[chosen[0]])

    # Columns as wide as their texts; the answers have what the others leave, and wrap where that is not enough.
    texts = {
        name: 24 + 6.6 * max(map(len, [name, *table[name]])) for name in (what, "answers", "outcome") if name in table
    }
    texts[what] = min(texts[what], max(MOST_WIDTH, 0.35 * state.main_width()))
    taken = sum(texts.values()) - texts["answers"] + sum(WIDTHS[name] for name in WIDTHS if name in table)
    left = max(state.main_width() - TICKS - taken, LEAST_WIDTH)
    # Widths of texts are rather too large than too small.
    row_height = (
        35 if 0.93 * texts["answers"] <= left else max(LEAST_WRAPPED, 30 + 18 * min(int(texts["answers"] // left), 3))
    )
    texts["answers"] = min(texts["answers"], left)
    columns = {name: st.column_config.TextColumn(width=int(width)) for name, width in texts.items()}
    columns |= {
        name: st.column_config.TextColumn(help=text, alignment="right", width=WIDTHS[name])
        for name, text in HELP.items()
    }
    state.see(f"table-{what}", lambda: seen_table(table, {}, {}))
    st.dataframe(
        table,
        hide_index=True,
        width="content",
        row_height=row_height,
        # A narrow window has a bar to scroll below the last row.
        height=row_height * len(table) + (52 if state.is_narrow() else 38),
        column_config=columns,
        on_select=picked,
        selection_mode=["single-row", "single-cell"],
        selection_default={"selection": {"rows": [] if place is None else [place]}},
        key=widget,
    )
    st.caption(f"Click a row to switch to this {what}. Now: {escape(labels.get(now, now))}.")


def _wins(answers, now):
    """All wins with the digits of the one in the head of the page, but for those that would read 0."""
    shown = answers.get(now)
    digits = 3 if shown is None or shown.win is None else len(win_text(shown.win_terms, shown.win).partition(".")[2])
    found = []
    for answer in answers.values():
        text = "–" if answer.win is None else fixed_text(answer.win, digits)
        found.append(text if answer.win in (None, 0) or float(text) else win_text(answer.win_terms, answer.win))
    return found


def _nodes(taxonomy, nodes):
    nodes = most_specific(taxonomy, NodeLists.from_lists([nodes])).nodes.tolist()
    names = [taxonomy.title(node) for node in nodes]
    more = f" and {len(names) - NAMES_IN_A_SET} more" if len(names) > NAMES_IN_A_SET else ""
    return "; ".join(names[:NAMES_IN_A_SET]) + more or "nothing"
