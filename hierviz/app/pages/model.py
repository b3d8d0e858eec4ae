"""Run a model: choose or upload one, answer what its file leaves open, run it on a single sample or a batch."""

import streamlit as st

from hierviz.app import state
from hierviz.app.model_page import batch as model_run
from hierviz.app.model_page import checks as model_checks
from hierviz.app.model_page import choice as model_choice
from hierviz.app.model_page import details as model_account
from hierviz.app.model_page import questions as model_questions
from hierviz.app.model_page import single_sample as model_ask
from hierviz.app.state.escape import escape, in_form_words
from hierviz.app.widgets import frame, shell
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.model_samples import kind_of, samples_of_data, samples_of_start
from hierviz.messages.errors import HiervizError
from hierviz.onnx.description.open_question import OpenQuestion

SECTIONS = {"ask": "Single sample", "run": "Batch", "about": "Details"}

data = shell.open_data()
with frame.title_row("Model") as title_row:
    pass
base, taxonomy, key = model_choice.choose(data, title_row)
if base is None:
    shell.stop()
try:
    source = base.saying(model_questions.answers(base, taxonomy))
    model = state.opened_model((source.key, taxonomy.sha256, taxonomy.names), lambda: source.draft(taxonomy))
except OSError as error:
    model = error
if isinstance(model, Exception):
    st.error(escape(in_form_words(model, is_of_path=True)), icon=":material/error:")
    model_questions.take_back(base, taxonomy)
    shell.stop()
kind = kind_of(model)
with title_row:
    section = pick("Section", SECTIONS, ("model", "section"), segmented=True, label_visibility="collapsed")
if section != "ask":
    st.markdown(model_account.one_line(model, kind))
asking = st.container()
questions = [question for question in model.questions if question.stops != "pictures" or kind == "picture"]
from_data = samples_of_data(data, model, source) if source.files is None else None
if source.files is not None:
    try:
        asked = (source.key, "inputs", repr(source.files))
        from_data = state.answered(asked, lambda: samples_of_start(model, source.files))
    except HiervizError as error:
        if not questions:  # else the answer comes first
            st.error(escape(in_form_words(error)), icon=":material/error:")
is_ready = not any(question.stops == "loading" for question in questions)
if section == "about":
    model_account.account(source, model, kind)
    may_check = not any(question.stops == "pictures" for question in questions)
    if may_check and from_data is not None and from_data.truth is not None:
        st.subheader("Checks against the truth")
        checks = state.answered((source.key, "checks", from_data.key), lambda: model_checks.attempt(model, from_data))
        model_checks.show(checks)
elif not is_ready:
    st.info("Answer the question above to continue.", icon=":material/arrow_upward:")
else:
    try:
        if section == "ask":
            model_ask.ask(source, model, kind, from_data, key or "own", title_row)
        else:
            model_run.run(source, model, kind, from_data, data)
    except OpenQuestion as error:  # because of the scores
        questions.append(error.question)
with asking:
    model_questions.ask(base, model, questions)
