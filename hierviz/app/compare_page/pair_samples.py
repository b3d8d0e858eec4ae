"""The samples of a cell of two models: as pictures or first words, as rows, and one of them with both ladders."""

import numpy as np
import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import sample, table
from hierviz.app.widgets.controls import offered_rules
from hierviz.app.widgets.figure import main_place, part_place
from hierviz.app.widgets.links import link_to_sample
from hierviz.app.widgets.living import ABOVE, mount
from hierviz.app.widgets.selection import named
from hierviz.charts.export import packed, picture_url
from hierviz.charts.ladder_record import LadderSettings, ladder_record
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.messages.errors import first_words
from hierviz.messages.number_text import percent_text

# Rows of the table, class pairs in the menu.
MOST_ROWS, MOST_PAIRS = 10_000, 30
# Letters of a text above the ladders, and what a ladder does not repeat.
LETTERS = 280


def heading(found, a, b):
    """What a cell is, in Markdown."""
    one, other = (escape(name) for name in found.names)
    return f"**{one}: {found.states[a]}, {other}: {found.states[b]}**"


def gallery_of(choice, found, a, b):
    """The first samples of a cell, which are opened by a press, and the class pairs among them."""
    places = found.places(a, b)
    n = len(places)
    st.markdown(
        f"{heading(found, a, b)}: {n:,} sample{'s' * (n != 1)} ({percent_text(n / max(found.n_samples, 1), 1)})"
    )
    _pairs(choice, found, places)
    if not n:
        st.markdown("No sample is in this cell.")
        return
    with part_place("cell-samples"):
        model = choice.runs(choice.keys[0])[0]
        some = places[: sample.n_cards(model.predictions)]
        truth, answers = _classes(found, some)
        pairs = list(
            zip(truth, (f"{one} | {other}" if one != other else one for one, other in zip(*answers)), strict=True)
        )

        def link(sample_id, label):
            opened = {"both": sample_id, "cell": f"{a}-{b}"}
            st.button(label, key=f"open-{sample_id}", type="tertiary", on_click=state.change, kwargs=opened)

        several = [method for method in (0, 1) if found.pair.n_runs[method] > 1]
        shades = [
            [(f"{found.names[m]}: ", float(found.share[m][place]), found.pair.n_runs[m]) for m in several]
            for place in some.tolist()
        ]
        rows = found.pair.rows[0][some]
        sample.gallery(model, choice.keys[0], rows, pairs, link=link, shades=shades if several else None)
    more = f" The first {len(some):,} of {n:,}; all are in the table below." if len(some) < n else ""
    st.caption(
        f"Truth → answer of {escape(found.names[0])} | of {escape(found.names[1])}. Press one for both ladders.{more}"
        + ("  Squares: the fuller, the more runs of a method are right." if several else "")
    )


def _pairs(choice, found, places):
    """A menu of the most frequent pairs of a truth and the answer of the model that is wrong, or of A."""
    view, taxonomy = state.view(), choice.taxonomy
    answers = [found.pair.runs[method][0] for method in (0, 1)]
    if not all(one.is_single for one in answers) or not len(places):
        return
    truth = answers[0].truth[found.pair.places[0][0][places]]
    wrong = int(found.share[0][places].mean() > found.share[1][places].mean())
    predicted = answers[wrong].predicted[found.pair.places[wrong][0][places]]
    # The last place is that of answers outside the taxonomy.
    n, outside = np.intp(taxonomy.n_nodes + 1), taxonomy.n_nodes
    keys, counts = np.unique(truth * n + np.where(predicted < 0, outside, predicted), return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_PAIRS]
    words = {"": "all class pairs"}
    for key, count in zip(keys[order].tolist(), counts[order].tolist(), strict=True):
        y, node = divmod(key, int(n))
        node = -1 if node == outside else node
        words[f"{y}:{node}"] = f"{taxonomy.title(y)} → {taxonomy.title(node)} ({count:,})"
    index = taxonomy.index
    now = f"{index[view.truth]}:{index[view.answer]}" if view.truth in index and view.answer in index else ""
    if view.truth in index and view.outside == "yes":
        now = f"{index[view.truth]}:-1"
    if now and now not in words:
        words[now] = " → ".join(taxonomy.title(int(node)) for node in now.split(":"))

    def changed():
        y, _, node = state.session["pair-classes"].partition(":")
        is_outside = node == "-1"
        answer = taxonomy.names[int(node)] if y and not is_outside else ""
        truth = taxonomy.names[int(y)] if y else ""
        state.change(truth=truth, answer=answer, outside="yes" if is_outside else "", both="")

    state.session["pair-classes"] = now
    st.selectbox(
        "Class pair",
        list(words),
        format_func=words.get,
        key="pair-classes",
        on_change=changed,
        label_visibility="collapsed",
    )


def gallery_of_rows(choice, rows):
    """The first of some samples, each with its truth and A's answer; a press shows it on Examples."""
    key = choice.keys[0]
    model = choice.runs(key)[0]
    some = rows[: 2 * sample.n_cards(model.predictions)]
    if not len(some):
        st.markdown("No sample is among these.")
        return
    answers = judged_answers(model, "leaf")
    places = np.searchsorted(answers.rows, some)
    titles = [[choice.taxonomy.title(int(node)) for node in of[places]] for of in answers.single]
    sample.gallery(model, key, some, list(zip(*titles, strict=True)), outcome="")
    more = f"The first {len(some):,} of {len(rows):,}. " if len(some) < len(rows) else ""
    st.caption(f"{more}Truth → most probable leaf of {escape(choice.names[0])}.")


def _classes(found, places):
    """Titles of the truth, and of the answers of A and B, of some samples."""
    taxonomy = found.pair.taxonomy
    truth = named(taxonomy, found.pair.truth, places)
    answers = [
        named(taxonomy, found.pair.runs[method][0].predicted, found.pair.places[method][0][places]) for method in (0, 1)
    ]
    return [str(one) for one in truth], [[str(one) for one in of] for of in answers]


def rows_of(choice, found, a, b):
    """All samples of a cell as a table: a press opens one with both ladders."""
    places = found.places(a, b)
    if not len(places):
        return
    st.subheader(
        f"All {len(places):,} samples of the cell" if len(places) > 1 else "The sample of the cell", anchor=False
    )
    shown = places[:MOST_ROWS]
    taxonomy, predictions = choice.taxonomy, found.pair.runs[0][0].evaluation.predictions
    one, other = found.names
    cells = {"truth": named(taxonomy, found.pair.truth, shown)}
    for method, key in enumerate(("a", "b")):
        own = found.pair.places[method][0][shown]
        cells[key] = named(taxonomy, found.pair.runs[method][0].predicted, own)
    columns = {"truth": table.words("Truth"), "a": table.words(f"{one}"), "b": table.words(f"{other}")}
    for method, name in enumerate(("runs_a", "runs_b")):
        if found.pair.n_runs[method] > 1:
            cells[name] = 100 * found.share[method][shown]
            columns[name] = table.number(f"runs right of {found.names[method]} (%)", 0)
    ids = predictions.ids[found.pair.rows[0][shown]]
    cells["sample"], columns["sample"] = ids, table.words("Sample")
    key = f"pair-rows-{choice.where}-{choice.reading}-{choice.level}-{choice.correct}-{a}-{b}-{choice.wanted}"

    def opened():
        chosen = state.session[key].selection
        rows = [row for row, _ in chosen.get("cells", [])] or list(chosen.rows)
        if rows and rows[0] < len(ids):
            state.change(both=str(ids[rows[0]]), cell=f"{a}-{b}")

    table.draw(pd.DataFrame(cells), columns, key=key, select="one", most=430, on_select=opened)
    if len(shown) < len(places):
        st.caption(f"The first {len(shown):,} of {len(places):,}.")

    def everything():
        truth, answers = _classes(found, places)
        rows = found.pair.rows[0][places]
        return pd.DataFrame({"sample_id": predictions.ids[rows], "truth": truth, one: answers[0], other: answers[1]})

    table.download("Samples of the cell (CSV)", everything, f"{a}-{b}.csv", "get-pair-rows")


def both(choice, found, sample_id):
    """One sample with the ladder of A above that of B, on one scale of p, and the samples before and after in its cell."""
    place = _place(found, sample_id)
    states = list(found.states)
    cells = [states[int(of[place])] for of in found.state] if place is not None else None
    name = found.pair.runs[0][0].evaluation.predictions
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="pair-sample"):
        st.button("Back to the cells", icon=":material/arrow_back:", on_click=state.change, kwargs={"both": ""})
        if cells is not None:
            order = found.places(*cells)
            here = int(np.flatnonzero(order == place)[0])
            for label, icon, to in (("Previous", "arrow_back_ios", here - 1), ("Next", "arrow_forward_ios", here + 1)):
                is_there = 0 <= to < len(order)
                other = name.sample_id(int(found.pair.rows[0][order[to]])) if is_there else ""
                st.button(
                    label,
                    icon=f":material/{icon}:",
                    key=f"pair-{label.lower()}",
                    disabled=not is_there,
                    on_click=state.change,
                    kwargs={"both": other},
                )
            st.markdown(f"{heading(found, *cells)} · {here + 1:,} of {len(order):,}", width="content")
        for key, model in zip(choice.keys, choice.names, strict=True):
            link_to_sample(f"{escape(model)} in Examples", sample=sample_id, model=key, outcome="")
    with main_place():
        row = name.row(sample_id)
        if state.is_narrow():
            _picture(name, row)
            _facts(name, row, choice.taxonomy)
        for method, key in enumerate(choice.keys):
            label = f"**{'AB'[method]}: {escape(choice.names[method])}**"
            if state.is_narrow():
                st.markdown(label)
                _ladder(choice, found, method, key, sample_id)
                continue
            # What the sample is stands at the left: both ladders fit into the window, one above the other.
            left, right = st.columns([0.15, 0.85], gap="small")
            with left:
                st.markdown(label)
                if method:
                    _facts(name, row, choice.taxonomy)
                else:
                    _picture(name, row)
            with right:
                _ladder(choice, found, method, key, sample_id)
    st.caption(
        "Both ladders have one scale of p. Rule and threshold can be changed in each: this changes the drawing, not the cells."
    )


def _picture(predictions, row):
    """Picture of a sample, or its first words."""
    picture, text = predictions.picture(row), predictions.text(row)
    if picture:
        width = 72 if state.is_narrow() else 180
        st.image(picture_url(picture), width=width, alt=f"Sample {predictions.sample_id(row)}")
    elif text:
        st.caption(escape(first_words(text, LETTERS)))


def _facts(predictions, row, taxonomy):
    """What a sample is called, its truth, and what else is known of it."""
    truth = np.atleast_1d(predictions.truth[row]).tolist()
    known = {
        k: v[row] for k, v in predictions.attributes.items() if k not in sample.SHOWN_ELSEWHERE and str(v[row]) != ""
    }
    titles = ", ".join(escape(taxonomy.title(node)) for node in truth)
    st.markdown(f"{escape(predictions.called(row))}: truth **{titles}**")
    facts = " · ".join(f"{escape(str(key))}: {escape(str(value))}" for key, value in known.items())
    if facts:
        st.caption(facts)


def _place(found, sample_id):
    predictions = found.pair.runs[0][0].evaluation.predictions
    row = predictions.row(sample_id)
    hit = np.flatnonzero(found.pair.rows[0] == row) if row is not None else ()
    return int(hit[0]) if len(hit) else None


def _ladder(choice, found, method, key, sample_id):
    models = {name: choice.data.models[name] for name in choice.data.runs_of(key)}
    model, answers = choice.data.models[key], found.pair.runs[method][0]
    settings_of = {"rule": answers.rule or "majority", "threshold": answers.threshold or 0.0, **answers.parameters}
    rules = tuple(offered_rules(choice.data, model.why_no_mistakes() is not None))
    settings = LadderSettings.of(settings_of, rules, False)
    lanes = _most_lanes(choice, sample_id, settings)

    def record():
        made = ladder_record(models, sample_id, settings, shown=key, curve=False)
        # Picture and text are above both.
        made["sample"][0] |= {field: [] for field in ABOVE} | {"lanes": lanes}
        return packed(made)

    of = (choice.data.digest, key, str(settings), sample_id, lanes)
    records = {sample_id: state.computed("ladder of a pair", of, record)}
    mount(f"pair-{method}", {0: sample_id}, records, of, lambda told: None, share=0.5)


def _most_lanes(choice, sample_id, settings):
    """Lanes of the ladder of either model, so that the bars of both begin at the same place."""

    def made():
        models = {name: model for key in choice.keys for name, model in _models(choice, key).items()}
        record = ladder_record(models, sample_id, settings)
        return max((int(row["lane"]) for row in record["lanes"]), default=0)

    return state.computed("lanes of a pair", (choice.data.digest, choice.keys, sample_id, str(settings)), made)


def _models(choice, key):
    return {name: choice.data.models[name] for name in choice.data.runs_of(key)}
