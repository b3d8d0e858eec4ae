"""The open questions about a model, one widget each; the answers are kept for the session.

An answer is kept under its keyword of `load_model`, such as ``classes`` or ``preprocessing.range``. A question that
was asked stays on the page after its answer, so that the answer can be changed.
"""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.app.model_page import preparation
from hierviz.app.model_page.preparation import MEMORY, MISSING_CHOICES, Fields, name_of, radio
from hierviz.app.state.escape import escape, in_form_words, sentence
from hierviz.messages.errors import HiervizError
from hierviz.onnx.description.open_question import Question
from hierviz.onnx.scores.outputs import row_width, score_outputs
from hierviz.onnx.scores.score_kind import KINDS
from hierviz.opening.options import LABELS, choice
from hierviz.predictions.parametrisation import PARAMETRISATIONS
from hierviz.readers.classes_file import class_entries, entries_of_text
from hierviz.readers.picture_names import natural_key


def answers(source, taxonomy):
    """The visitor's answers about a model with a taxonomy, by keyword."""
    return dict(_store(source, taxonomy)["answers"])


def _store(source, taxonomy):
    """Questions and answers; with another taxonomy only those about the preparation of pictures are kept."""
    stores = state.memory("answers").setdefault(str(source.path), {})
    if taxonomy.sha256 not in stores:
        before = next(reversed(stores.values()), {"asked": {}, "answers": {}})
        stores[taxonomy.sha256] = {
            kind: {key: value for key, value in before[kind].items() if key.startswith("preprocessing.")}
            for kind in ("asked", "answers")
        }
    return stores[taxonomy.sha256]


def overrule(source, taxonomy, key):
    """Ask for something that is known already."""
    asked = _store(source, taxonomy)["asked"]
    if asked.get(key) in (None, preparation.SHOWN):
        asked[key] = Question(key.partition(".")[0], "", (key,))


def take_back(source, taxonomy):
    """A button that forgets all answers, where one of them led to an error."""
    if _store(source, taxonomy)["answers"]:
        st.button("Reset my answers", on_click=state.memory("answers").clear, icon=":material/undo:")


def _key(question):
    return "scores" if question.about == "scores" else question.keywords[0]


def ask(source, model, questions):
    """Draw a widget for every question that was asked.

    Parameters
    ----------
    source : ModelSource
    model : Model
        The draft, for its taxonomy and outputs.
    questions : sequence of Question
        Those that are open.
    """
    open_keys, store = [_key(question) for question in questions], _store(source, model.taxonomy)
    for key, question in zip(open_keys, questions, strict=True):
        if key not in store["asked"] or question.choices:
            store["asked"][key] = question
    if not store["asked"]:
        return
    texts = {_key(question): question.text for question in questions if question.about != "preprocessing"}
    errors = {_key(question): question.error for question in questions}
    if any(key.startswith("preprocessing.") for key in open_keys):
        store["asked"].setdefault(preparation.FITTING, preparation.SHOWN)
    waiting = [
        key
        for key, question in store["asked"].items()
        if question is not preparation.SHOWN and not set(_keywords(key)) & set(store["answers"])
    ]
    about_pictures = [key for key in store["asked"] if key in (preparation.FITTING, preparation.RANGE)]
    # Answered questions fold away.
    is_open = bool(open_keys or waiting)
    with st.container(border=True, key="questions") if is_open else st.expander("Your answers about the model"):
        if open_keys:
            st.markdown("##### Missing information about the model")
        for key in sorted(store["asked"], key=list(QUESTIONS).index):
            if about_pictures and key.startswith("preprocessing"):
                about_pictures = []
                preparation.presets(source, model, store["asked"])
            mark = ":material/help:" if key in open_keys or key in waiting else ":material/check_circle:"
            words = "" if key.startswith("preprocessing") else texts.get(key) or store["asked"][key].text
            st.markdown(f"{mark} **{LABELS[key]}** — {escape(in_form_words(words or QUESTIONS[key].text))}")
            if key in errors and key not in waiting:  # a wrong answer
                st.error(escape(in_form_words(errors[key])), icon=":material/error:")
            value = QUESTIONS[key].draw(source, model, store["asked"][key], key)
            if key in waiting and key not in open_keys:
                # A question that arose from the numbers of a run: the next run asks again.
                words = "Dismiss" if key == "scores" and store["asked"][key].choices else "Keep as detected"
                st.button(words, key=f"leave-{key}", on_click=store["asked"].pop, args=(key, None))
            _take(store, key, value)


def _keywords(key):
    """Keywords that the answer to a question may give."""
    return (key, *QUESTIONS[key].more)


def _take(store, key, value):
    """Keep an answer; a value of None takes it back. The page runs again when the answer has changed."""
    given = {} if value is None else value if isinstance(value, dict) else {key: value}
    others = {word: answer for word, answer in store["answers"].items() if word not in _keywords(key)}
    if store["answers"] != others | given:
        store["answers"] = others | given
        st.rerun()


def _classes(source, model, question, key):
    memory, name, taxonomy = state.memory(MEMORY), name_of(source, key, model.taxonomy), model.taxonomy
    problem = None
    left, right = st.columns([0.6, 0.4], gap="medium")
    with right:
        upload = state.kept_upload("class_names", "A file with one name per line, a table or a JSON list")
        if upload is not None and memory.get(f"{name}-from") is not upload:
            memory[f"{name}-from"] = upload
            try:
                notes_of_file = []
                columns = class_entries(upload.paths[0], taxonomy, notes_of_file)[1]
                memory[name] = "\n".join(class_name for _, class_name in columns)
                memory[f"{name}-notes"] = (memory[name], notes_of_file)
            except HiervizError as error:
                problem = error
        leaves = [taxonomy.names[node] for node in taxonomy.leaves.tolist()]
        orders = {"in alphabetical order": sorted(leaves), "in the order of the taxonomy": leaves}
        widths = {row_width(output) for output in score_outputs(model.session.outputs)}
        for words, order in orders.items() if widths & {None, len(leaves)} else ():
            st.button(
                f"All {len(leaves)} leaf classes {words}",
                on_click=memory.update,
                args=({name: "\n".join(order)},),
                key=f"fill-{words}",
                help="Only if the model was trained with this order: in a wrong order nearly every answer is wrong.",
            )
    with left:
        text = st.text_area(
            "One name per line, in the order of the model's columns",
            height=210,
            placeholder="\n".join(sorted(leaves, key=natural_key)[:3] + ["…"]),
            **state.kept(MEMORY, name, ""),
        )
        st.button("Use these names", type="primary", key="use-names")
    of_text, notes_of_file = memory.get(f"{name}-notes", ("", ()))
    names, notes = (), list(notes_of_file) if text == of_text else []
    if text.strip():
        try:
            names = tuple(class_name for _, class_name in entries_of_text(text, "class names", taxonomy, notes))
        except HiervizError as error:
            problem = error
    if problem:
        st.error(escape(in_form_words(problem)), icon=":material/error:")
    for note in notes:
        st.caption(escape(sentence(note)))
    if not names:
        return None
    ignore, is_summed = _class_sets(source, model, names)
    return {"classes": names} | ({"ignore": ignore} if ignore else {}) | ({"sum_repeated": True} if is_summed else {})


def _class_sets(source, model, names):
    """(names that belong to no class, whether the columns of a class are summed): fields that few models need."""
    name = name_of(source, "classes", model.taxonomy)
    memory = state.memory(MEMORY)
    memory[f"{name}-ignore"] = [other for other in memory.get(f"{name}-ignore", []) if other in names]
    ignore = st.multiselect(
        LABELS["ignore"],
        list(dict.fromkeys(names)),
        placeholder="None: every column is a class of the taxonomy or background",
        **state.kept(MEMORY, f"{name}-ignore", []),
    )
    return tuple(ignore), st.toggle(LABELS["sum_repeated"], **state.kept(MEMORY, f"{name}-summed", False))


def _missing(source, model, question, key):
    means = {word: f"{sentence(words).removesuffix('.')}." for word, _, words in question.choices or MISSING_CHOICES}
    labels = {"missing": "Probability 0", "only_known": "Only the classes that it knows"}
    table = {word: (label, means[word]) for word, label in labels.items()}
    chosen = radio("missing", name_of(source, key, model.taxonomy), table)
    if question.choices:
        st.caption("If the class names are wrong instead, correct them in the section Details.")
    return {None: None, "missing": {"missing": "zero"}, "only_known": {"only_known": True}}[chosen]


def _outputs(source, model, question, key):
    if not question.choices:
        return None
    means = {name: words for _, name, words in question.choices}
    chosen = st.multiselect(
        "Outputs, in the order of the class names",
        list(means),
        format_func=lambda name: f"{name} — {means.get(name, '')}",
        placeholder="Choose one, or several if each level of the tree has its own output",
        **state.kept(MEMORY, name_of(source, key, model.taxonomy), []),
    )
    return tuple(chosen) or None


def _scores(source, model, question, key):
    choices = question.choices or [
        *(("scores", kind, words) for kind, words in KINDS.items()),
        *(("parametrisation", parametrisation, entry.sentence) for parametrisation, entry in PARAMETRISATIONS.items()),
    ]
    table = {
        f"{word}:{value}": (choice(word, value), f"{sentence(words).removesuffix('.')}.")
        for word, value, words in choices
    }
    name = name_of(source, key, model.taxonomy)
    if question.choices:
        chosen = radio(key, name, table)
    else:
        chosen = st.selectbox(
            LABELS["scores"],
            list(table),
            format_func=lambda option: ": ".join(table[option]),
            placeholder="Detect from the scores",
            label_visibility="collapsed",
            **state.kept(MEMORY, name),
        )
    return None if chosen not in table else dict([chosen.split(":", 1)])


# In the order in which they are asked.
QUESTIONS = {
    "classes": Fields(_classes, "Which class does each column belong to?", ("ignore", "sum_repeated")),
    "missing": Fields(_missing, "Does the model know some of the classes only?", ("only_known",)),
    "outputs": Fields(_outputs),
    "scores": Fields(_scores, "What are the scores?", ("parametrisation",)),
    **preparation.QUESTIONS,
}
