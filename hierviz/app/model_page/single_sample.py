"""One sample: choose or upload it, change it, and see the model's answer."""

from __future__ import annotations

import hashlib

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.model_page.details import one_line
from hierviz.app.model_page.edit import edited
from hierviz.app.model_page.where_it_looks import LABEL, LOOKS, panel, with_row
from hierviz.app.state.dataset import Dataset
from hierviz.app.state.escape import escape, in_form_words, sentence
from hierviz.app.widgets import controls, frame, sample, table
from hierviz.app.widgets import model_samples as samples
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import main_place
from hierviz.app.widgets.living import mount, take_rule
from hierviz.app.widgets.looked import Looked
from hierviz.charts.export import packed
from hierviz.charts.ladder_record import LadderSettings, ladder_record
from hierviz.charts.theme import ANSWERS, answer_signs
from hierviz.diagnosis.mistakes import mistakes
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.errors import HiervizError
from hierviz.onnx.description.open_question import OpenQuestion
from hierviz.taxonomy.taxonomy import NodeLists

WAYS = {"data": "From the open data", "file": "From a file", "type": "Typed"}
START = "Chosen with the model"
LADDER = "ladder"
# By the kind of samples: what one is called, the label of the uploader, and its help.
KINDS = {
    "picture": ("Picture", "A picture", "A picture, or a zip, .npy or .npz file with several."),
    "text": ("Text", "Texts", "A text file with one text a line, or a table with a column of texts."),
    "row": ("Row", "A table", "A table with a header (CSV, TSV, Parquet), .npy or .npz."),
    "array": ("Sample", "Arrays", "An .npy or .npz file with one row per sample."),
}
MOST_LISTED = 2000


def ask(source, model, kind, from_data, key, title_row):
    """The section.

    Parameters
    ----------
    source : ModelSource
    model : Model
        Without open questions that stop it.
    kind : str
        Of `model_samples.kind_of`.
    from_data : Samples or None
        The open data's.
    key : str
        Of the model in the view.
    title_row : container
        Of the controls of the drawing.

    Raises
    ------
    OpenQuestion
        Asked because of the scores.
    """
    left, right = frame.side_by_side(0.22, 0.78)
    place = left
    try:
        with left:
            sample_set, row = _choose(model, kind, from_data)
            feed, changed = (None, None) if row is None else edited(model, kind, sample_set, row)
            if not state.is_narrow():
                st.caption(one_line(model, kind))
        if feed is None:
            return
        place, truth = right, None if sample_set is None else sample_set.truth_of(row)
        first, second = _asked(source, model, sample_set, [feed, changed], truth)
    except HiervizError as error:
        if place is right and isinstance(error, OpenQuestion):
            raise
        place.error(escape(in_form_words(error)), icon=":material/error:")
        return
    dataset = Dataset("ask", "", first.taxonomy, {key: second or first})
    is_looks = state.view().tree == LOOKS and first.taxonomy.is_tree
    is_ladder = state.view().tree in (LADDER, LOOKS) and not is_looks
    with title_row:
        choice = controls.rule_controls(dataset, key, numbers=not is_ladder)
        drawings = {LADDER: "Ladder"} | sample.STYLES | ({LOOKS: LABEL} if first.taxonomy.is_tree else {})
        pick("Drawing", drawings, "tree", segmented=not state.is_narrow(), label_visibility="collapsed")
    with right:
        for note in (second or first).predictions.notes:
            st.warning(escape(sentence(note)), icon=":material/warning:")
        if is_looks:
            _looks(source, model, sample_set, (row, feed, changed), second or first, choice, truth)
        elif is_ladder:
            shown = {"changed": second, "original": first} if second else {"answer": first}
            _ladder(shown, dataset, key, choice)
        else:
            _tree(first, second, [] if sample_set is None else sample_set.truths_of(row), choice)
    with st.expander("Answers of all inference rules", icon=":material/table_rows:", key="all-rules"):
        _rules(first, second, choice, truth)
        signs = f" {answer_signs()}." if truth is not None and first.taxonomy.is_tree else ""
        st.caption(f"Each answer is followed by its probability.{signs}")


def _asked(source, model, sample_set, feeds, truth):
    """Evaluation of each feed, None for None."""
    if sample_set is not None:
        model = state.answered((source.key, "settled", sample_set.key), lambda: samples.settled(model, sample_set))
    known = (source.key, model.parametrisation, model.scores)

    def answered(feed):
        asked = (*known, samples.digest(feed), truth)
        return state.answered(asked, lambda: Evaluation.from_predictions(samples.answer(model, feed, truth)))

    return [None if feed is None else answered(feed) for feed in feeds]


def _choose(model, kind, from_data):
    """(Samples, row) of the chosen sample; (None, 0) to type one, (None, None) where none is chosen yet."""
    order = {"text": ("data", "type", "file"), "row": ("data", "file", "type")}.get(kind, ("data", "file"))
    ways = {key: WAYS[key] for key in order if key != "data" or from_data is not None}
    if from_data is not None and not from_data.is_open_data:
        ways["data"] = START
    start = next(iter(ways)) if from_data is None or from_data.is_meant else order[1]
    way = start
    if len(ways) > 1:
        field = f"from-{kind}-{from_data is not None and from_data.is_meant}"
        way = pick(KINDS[kind][0], ways, ("model", field), start, segmented=True, label_visibility="collapsed")
    if way == "type":
        return None, 0
    if way == "data":
        return from_data, _row_of_data(model, from_data)
    _, label, help = KINDS[kind]
    upload = state.kept_upload("sample", label, help=help)
    if upload is None:
        st.caption(help)
        return None, None
    path = upload.paths[0]
    sample_set = state.answered((str(path), repr(model.inputs)), lambda: samples.samples_of_file(path, model))
    n = len(sample_set)
    number = st.number_input(f"Sample, of {n}", 1, n, **state.kept("model", f"row-{path}", 1)) if n > 1 else 1
    return sample_set, int(number) - 1


def _row_of_data(model, sample_set):
    ids = sample_set.ids.tolist()
    places = {sample_id: k for k, sample_id in enumerate(ids)}
    row = places.get(state.view().sample, 0)

    def go(step):
        state.change(sample=ids[(row + step) % len(ids)])

    def words(sample_id):
        truth = sample_set.truth_of(places[sample_id])
        return sample_id if truth is None else f"{sample_id} · {model.taxonomy.title(truth)}"

    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", key="sample-row"):
        if len(ids) <= MOST_LISTED:
            tied = state.bound("sample", value=ids[row], width=170, label_visibility="collapsed")
            st.selectbox("Sample", ids, format_func=words, **tied)
        else:
            st.markdown(f"**{escape(words(ids[row]))}**")
        for step, key, icon, words in ((-1, "before", "back", "Previous"), (1, "next", "forward", "Next")):
            look = {"icon": f":material/arrow_{icon}:", "key": f"sample-{key}", "help": f"{words} sample"}
            st.button("", on_click=go, args=(step,), **look)
    return row


def _tree(first, second, truths, choice):
    """Another drawing; `truths` are all true nodes."""
    now = second or first
    taxonomy = now.taxonomy
    predicted, p = int(now.answers(**choice)[0]), now.predictions.node_probabilities()[0]
    said = f"Answer: **{escape(taxonomy.title(predicted))}**"
    if second is not None:
        said += f" — original: {escape(taxonomy.title(int(first.answers(**choice)[0])))}"
    if truths:
        said += f" · Truth: **{'; '.join(escape(taxonomy.title(truth)) for truth in truths)}**"
    st.markdown(said)
    threshold = sample.threshold_in(choice)
    with main_place(name="-tree"):
        sample.tree(taxonomy, p, truths or None, predicted, threshold=threshold, style=state.view().tree)


def _looks(source, model, sample_set, asked, evaluation, choice, truth):
    """What moves the model on the sample as it is, or as it was changed; `asked` is its row and both feeds."""
    row, feed, changed = asked
    inputs, row = with_row(sample_set, row, feed, changed)
    if sample_set is not None:
        model = state.answered((source.key, "settled", sample_set.key), lambda: samples.settled(model, sample_set))
    now = feed if changed is None else changed
    key = (
        source.key,
        model.parametrisation,
        model.scores,
        "" if sample_set is None else sample_set.key,
        samples.digest(now),
    )
    answer, p = evaluation.answers(**choice), evaluation.predictions.node_probabilities()[0]
    taxonomy = evaluation.taxonomy
    node = None if isinstance(answer, NodeLists) else int(answer[0])
    said = [f"Answer: **{escape(taxonomy.title(node))}**"] if node is not None else []
    said += [f"Truth: **{escape(taxonomy.title(truth))}**"] if truth is not None else []
    st.markdown(" · ".join(said))
    width = state.main_width() if state.is_narrow() else int(0.74 * state.main_width())
    panel(Looked(model, inputs, key), row, p, node, truth, width=width)


def _ladder(evaluations, dataset, key, choice):
    """The answer of the model, and to what was changed in the sample as that of another model."""
    settings = LadderSettings.of(choice, controls.offered_rules(dataset))
    sample_id = next(iter(evaluations.values())).predictions.sample_id(0)
    record = ladder_record(evaluations, sample_id, settings, curve=False)
    for model, name in zip(record["models"], evaluations, strict=True):
        model["name"] = name.capitalize()
    made = packed(record)
    of = (key, hashlib.sha256(made.encode()).hexdigest())
    mount("living-model", {0: sample_id}, {sample_id: made}, of, lambda told: take_rule(told | {"key": key}))


def _rules(first, second, choice, truth):
    taxonomy = first.taxonomy
    rules = [rule for rule in INFERENCE_RULES.values() if taxonomy.is_tree or not rule.tree_only]
    cells = {"rule": [rule.label for rule in rules]}
    shown = {"answer": first} if second is None else {"changed": second, "original": first}
    for title, evaluation in shown.items():
        p = evaluation.predictions.node_probabilities()[0]
        cells[title] = [_rule_cell(evaluation, rule, choice, p) for rule in rules]
    table.draw(pd.DataFrame(cells), {**dict.fromkeys(cells), "rule": table.words(width=165)}, key="rules", most=2000)


def _rule_cell(evaluation, rule, choice, p):
    taxonomy = evaluation.taxonomy
    answers = evaluation.answers(**{**choice, "rule": rule.key})
    if isinstance(answers, NodeLists):
        names = [taxonomy.title(node) for node in answers.nodes.tolist() if taxonomy.is_leaf[node]]
        inner = len(answers.nodes) - len(names)
        return ", ".join(names + ([f"{inner} inner nodes"] if inner else [])) or "nothing"
    node, sign = int(answers[0]), ""
    if evaluation.why_no_mistakes() is None:
        sign = ANSWERS[mistakes(evaluation, **{**choice, "rule": rule.key}).outcome[0]][1] + " "
    return f"{sign}{taxonomy.title(node)} · {p[node]:.3f}"
