"""What a model leaves open, asked with one widget a question; the answers are kept for the session.

An answer stands under the key of `load_model` that takes it, such as ``classes`` or ``preprocessing.range``. A question that
was asked stays on the page after its answer, so that the answer can be changed.
"""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.app.model_page.question_words import COLOURS, LAYOUTS, ORDER, SCALES, TEXTS
from hierviz.app.state.escape import escape
from hierviz.app.widgets.form_words import in_form_words, sentence
from hierviz.app.widgets.parameter_labels import LABELS, choice
from hierviz.errors import HiervizError
from hierviz.onnx.checks.input_check import IMAGENET_MEAN, IMAGENET_STD
from hierviz.onnx.description.input_keys import scaling_problem
from hierviz.onnx.description.open_question import Question
from hierviz.onnx.scores.outputs import row_width, score_outputs
from hierviz.onnx.scores.score_kind import KINDS
from hierviz.parametrisation import PARAMETRISATIONS
from hierviz.readers.classes_file import class_entries, entries_of_text
from hierviz.readers.picture_names import natural_key


def answers(source, taxonomy):
    """The visitor's answers about a model with a taxonomy, by keyword."""
    return dict(_store(source, taxonomy)["answers"])


def _store(source, taxonomy):
    """What was asked and said; with another taxonomy only what is about the preparation of pictures holds on."""
    stores = state.memory("answers").setdefault(str(source.path), {})
    if taxonomy.sha256 not in stores:
        before = next(reversed(stores.values()), {"asked": {}, "answers": {}})
        stores[taxonomy.sha256] = {"open": ()} | {
            kind: {key: value for key, value in before[kind].items() if key.startswith("preprocessing.")}
            for kind in ("asked", "answers")
        }
    return stores[taxonomy.sha256]


def remember(source, taxonomy, questions):
    """Ask these from now on; returns the keys of those that are open."""
    store = _store(source, taxonomy)
    for question in questions:
        key = _key(question)
        if key not in store["asked"] or question.choices:
            store["asked"][key] = question
    store["open"] = tuple(_key(question) for question in questions)
    return store["open"]


def overrule(source, taxonomy, key):
    """Ask something that is known already."""
    _store(source, taxonomy)["asked"].setdefault(key, Question(key.partition(".")[0], "", (key,)))


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
    open_keys, store = remember(source, model.taxonomy, questions), _store(source, model.taxonomy)
    if not store["asked"]:
        return
    texts = {_key(question): question.text for question in questions if question.about != "preprocessing"}
    errors = {_key(question): question.error for question in questions}
    waiting = [key for key in store["asked"] if not set(_words(key)) & set(store["answers"])]
    # Answered questions fold away.
    is_open = bool(open_keys or waiting)
    with st.container(border=True, key="questions") if is_open else st.expander("Your answers about the model"):
        if open_keys:
            st.markdown("##### Missing information about the model")
        for key in sorted(
            store["asked"], key=lambda question_key: ORDER.index(question_key) if question_key in ORDER else 99
        ):
            mark = ":material/help:" if key in open_keys or key in waiting else ":material/check_circle:"
            words = (
                TEXTS.get(key, "") if key.startswith("preprocessing") else texts.get(key) or store["asked"][key].text
            )
            st.markdown(f"{mark} **{LABELS[key]}** — {escape(in_form_words(words or TEXTS[key]))}")
            if key in errors and key not in waiting:  # an answer that does not do
                st.error(escape(in_form_words(errors[key])), icon=":material/error:")
            value = WIDGETS[key](source, model, store["asked"][key], key)
            if key in waiting and key not in open_keys:
                st.button("Keep as detected", key=f"leave-{key}", on_click=store["asked"].pop, args=(key, None))
            _take(store, key, value)


def _words(key):
    """Keywords that the answer to a question may have."""
    if key == "scores":
        return ("scores", "parametrisation")
    return (key, "preprocessing.mean", "preprocessing.std") if key == "preprocessing.range" else (key,)


def _take(store, key, value):
    """Keep an answer; a value of None takes it back. The page starts anew when it is another one than before."""
    given = {} if value is None else value if isinstance(value, dict) else {key: value}
    words = _words(key)
    before = {word: store["answers"][word] for word in words if word in store["answers"]}
    if before != given:
        for word in words:
            store["answers"].pop(word, None)
        store["answers"] |= given
        st.rerun()


def _name(source, key, taxonomy=None):
    """Key of a widget's value, which is another one for each taxonomy that it is about."""
    return f"{source.path}-{key}" + (f"-{taxonomy.sha256}" if taxonomy else "")


def _radio(key, name, options, captions, format_func=str):
    return st.radio(
        LABELS[key],
        options,
        captions=captions,
        format_func=format_func,
        label_visibility="collapsed",
        **state.kept("answers-widgets", name),
    )


def _number(source, key, label, start=None, **widget):
    return st.number_input(label, **widget, **state.kept("answers-widgets", f"{_name(source, key)}-{label}", start))


def _classes(source, model, question, key):
    memory, name, taxonomy = state.memory("answers-widgets"), _name(source, key, model.taxonomy), model.taxonomy
    problem = None
    left, right = st.columns([0.6, 0.4], gap="medium")
    with right:
        upload = state.kept_upload("class_names", "A file with one name per line, a table or a JSON list")
        if upload is not None and memory.get(f"{name}-from") is not upload:
            memory[f"{name}-from"] = upload
            try:
                told = []
                memory[name] = "\n".join(_names_of_file(upload.paths[0], taxonomy, told))
                memory[f"{name}-notes"] = (memory[name], told)
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
                help="Only if the model was trained with this order: with a wrong order nearly every answer is wrong.",
            )
    with left:
        text = st.text_area(
            "One name per line, in the order of the model's columns",
            height=210,
            placeholder="\n".join(sorted(leaves, key=natural_key)[:3] + ["…"]),
            **state.kept("answers-widgets", name, ""),
        )
        st.button("Use these names", type="primary", key="use-names")
    of_text, told = memory.get(f"{name}-notes", ("", ()))
    names, notes = (), list(told) if text == of_text else []
    if text.strip():
        try:
            names = tuple(class_name for _, class_name in entries_of_text(text, "class names", taxonomy, notes))
        except HiervizError as error:
            problem = error
    if problem:
        st.error(escape(in_form_words(problem)), icon=":material/error:")
    for note in notes:
        st.caption(escape(sentence(note)))
    return names or None


def _names_of_file(path, taxonomy, notes):
    return [name for _, name in class_entries(path, taxonomy, notes)[1]]


def _outputs(source, model, question, key):
    if not question.choices:
        return None
    means = {name: words for _, name, words in question.choices}
    chosen = st.multiselect(
        "Outputs, in the order of the class names",
        list(means),
        format_func=lambda name: f"{name} — {means.get(name, '')}",
        placeholder="Choose one, or several if each level of the tree has its own output",
        **state.kept("answers-widgets", _name(source, key, model.taxonomy), []),
    )
    return tuple(chosen) or None


def _scores(source, model, question, key):
    choices = question.choices or [
        *(("scores", kind, words) for kind, words in KINDS.items()),
        *(("parametrisation", parametrisation, entry.sentence) for parametrisation, entry in PARAMETRISATIONS.items()),
    ]
    options = [f"{word}:{value}" for word, value, _ in choices]
    captions = [words for _, _, words in choices]

    def label(option):
        return choice(*option.split(":", 1))

    if question.choices:
        chosen = _radio(key, _name(source, key, model.taxonomy), options, captions, label)
    else:
        chosen = st.selectbox(
            LABELS["scores"],
            options,
            format_func=lambda option: f"{label(option)}: {captions[options.index(option)]}",
            placeholder="Infer from the scores",
            label_visibility="collapsed",
            **state.kept("answers-widgets", _name(source, key, model.taxonomy)),
        )
    return None if chosen not in options else dict([chosen.split(":", 1)])


def _choice(table):
    def draw(source, model, question, key):
        captions = [entry[1] for entry in table.values()]
        return _radio(key, _name(source, key), list(table), captions, lambda option: table[option][0])

    return draw


def _size(source, model, question, key):
    with st.container(horizontal=True):
        sides = [
            _number(source, key, f"{side} in pixels", min_value=1, max_value=16384, placeholder="224", width=160)
            for side in ("Height", "Width")
        ]
    return None if None in sides else [int(side) for side in sides]


def _range(source, model, question, key):
    captions = [entry[1] for entry in SCALES.values()]
    chosen = _radio(key, _name(source, key), list(SCALES), captions, lambda option: SCALES[option][0])
    if chosen is None:
        return None
    if chosen == "imagenet":
        return {key: [0.0, 1.0], "preprocessing.mean": list(IMAGENET_MEAN), "preprocessing.std": list(IMAGENET_STD)}
    if chosen != "other":
        return {key: [float(number) for number in chosen.split(",")]}
    with st.container(horizontal=True):
        fields = {"0 becomes": None, "255 becomes": None}
        fields |= {LABELS["preprocessing.mean"]: 0.0, LABELS["preprocessing.std"]: 1.0}
        typed = tuple(
            _number(source, key, label, start, step=0.01, format="%.4g", width=130) for label, start in fields.items()
        )
    memory, used = state.memory("answers-widgets"), f"{_name(source, key)}-used"
    # Taken all at once: two of them are an answer already, which would fold the fields away while the others are typed.
    if st.button("Use these numbers", type="primary", key="use-numbers"):
        memory[used] = typed
        if None in typed:
            st.warning("Fill in all four numbers.", icon=":material/error:")
    low, high, mean, std = memory.get(used, (None,) * 4)
    if None in (low, high, mean, std):
        return None
    if low >= high or std <= 0:
        st.warning("The second number must be above the first, and the divisor above 0.", icon=":material/error:")
        return None
    problem = scaling_problem((low, high), (mean,), (std,))
    if problem:
        st.warning(f"Expected {problem}.", icon=":material/error:")
        return None
    return {key: [low, high], "preprocessing.mean": [mean], "preprocessing.std": [std]}


WIDGETS = {
    "classes": _classes,
    "outputs": _outputs,
    "scores": _scores,
    "preprocessing.layout": _choice(LAYOUTS),
    "preprocessing.size": _size,
    "preprocessing.range": _range,
    "preprocessing.colour": _choice(COLOURS),
}
