"""One step of a lesson: its text, controls and question, and the answer with its numbers; and all steps for paper."""

import streamlit as st

from hierviz.app import state
from hierviz.app.example_page.sample_keys import sample_keys
from hierviz.app.learn_page import contents
from hierviz.app.learn_page.on_data import on_data
from hierviz.app.learn_page.result import draw_figures, draw_quoted, draw_result
from hierviz.app.state.escape import escape
from hierviz.app.widgets.progress import worked_out
from hierviz.lessons import demo_models
from hierviz.lessons.lesson import Selector, paragraphs

EXERCISE = "exercise"


def one(lesson, asked):
    """The step that is asked for, or the exercise."""
    places = [*(str(number + 1) for number in range(len(lesson.steps))), EXERCISE]
    step = asked if asked in places else "1"
    _bar(lesson, places, step)
    if not _models_are_run(lesson):
        return
    if step == EXERCISE:
        _exercise(lesson)
        on_data(lesson)
        contents.terms(lesson.key)
    else:
        _step(lesson, int(step))


def _bar(lesson, places, step):
    place = places.index(step)
    with st.container(horizontal=True, vertical_alignment="center", key="step-bar"):
        for label, icon, to, stop in (
            ("Previous", "arrow_back", place - 1, 0),
            ("Next", "arrow_forward", place + 1, len(places) - 1),
        ):
            st.button(
                label,
                key=f"{label.lower()}-sample",
                icon=f":material/{icon}:",
                on_click=state.change,
                kwargs={"step": places[min(max(to, 0), len(places) - 1)]},
                disabled=place == stop,
                help="Keys: ← → or k j",
                type="primary" if label == "Next" and _is_revealed(lesson.key, step) else "secondary",
            )
        st.markdown(
            "Exercise" if step == EXERCISE else f"Step {step} of {len(lesson.steps)}",
            width="content",
        )
        st.button(
            "All steps on one page",
            icon=":material/print:",
            type="tertiary",
            key="print-lesson",
            on_click=state.change,
            kwargs={"step": "all"},
        )
        sample_keys()


def _models_are_run(lesson):
    """Run the models of a lesson, with progress and a button that cancels it; False where it was cancelled."""
    if not lesson.models:
        return True

    def make(stages):
        for key in lesson.models:
            stages(f"Running the model {key.replace('_', ' ')}")
            demo_models.evaluated(key)
        return True

    return bool(worked_out("lesson", lesson.models, "Models of this lesson", make))


def _is_revealed(key, step):
    return state.memory(f"lesson-{key}").get(f"revealed-{step}", False)


def _step(lesson, number):
    step, name = lesson.step(number), f"lesson-{lesson.key}"
    memory, where = state.memory(name), f"{lesson.key}-{number}"
    if state.session.px > 600:
        words, pictures = st.columns([0.4, 0.6], gap="large")
        # What is changed stands below the picture it changes, beside the question.
        first, changed, after = (pictures.container() for _ in range(3))
        text = asked = words.container()
    else:
        # A phone shows the picture between the text and the question.
        text, first, asked, changed, after = (st.container() for _ in range(5))
    with text:
        st.subheader(escape(step.title), anchor=False)
        st.markdown(paragraphs(step.text))
    shown = step.result(**_settings(step, name, number, changed))
    with asked:
        st.markdown(f"**{step.question}**")
        predicted = st.radio(
            "Your prediction",
            step.options,
            **state.kept(name, f"prediction-{number}"),
            label_visibility="collapsed",
        )
        revealed = memory.get(f"revealed-{number}", False)
        st.button(
            "Hide the answer" if revealed else "Reveal",
            key="reveal",
            type="secondary" if revealed else "primary",
            on_click=memory.__setitem__,
            args=(f"revealed-{number}", not revealed),
        )
        if revealed:
            right = step.options[step.result().right]
            judged = {None: "", right: " You predicted it."}.get(predicted, f" Not quite: you predicted *{predicted}*.")
            st.markdown(f"Answer: **{right}**.{judged}")
            st.markdown(shown.reveal)
    with first:
        draw_quoted(shown)
        draw_figures(shown.before, where)
        if shown.after and not shown.before and not revealed:
            st.caption("A picture comes with the answer.")
    if revealed:
        with after:
            draw_result(shown, where)


def _settings(step, name, number, place):
    """The controls of a step, in a place of their own; returns their values by name."""
    values = {}
    with place:
        if step.controls:
            st.markdown("**Change it**")
        columns = _columns(len(step.controls))
        for i, control in enumerate(step.controls):
            with columns[i % len(columns)]:
                values[control.name] = _control(control, name, number)
        if any(values[control.name] != control.value for control in step.controls):
            st.button(
                "Back to the start",
                icon=":material/restart_alt:",
                type="tertiary",
                key="reset-step",
                on_click=_reset,
                args=(name, number, step),
            )
    return values


def _columns(n):
    """Places of the controls of a step: beside each other, as far as there is room."""
    if n == 1 and state.session.px > 600:
        return [st.container(width=380)]
    most = 1 if state.is_narrow() else 2 if state.session.px <= 900 else 4 if n > 3 else 3
    return st.columns(min(most, max(n, 1)), gap="medium") if most > 1 else [st.container()]


def _control(control, name, number):
    kept = state.kept(name, f"{number}-{control.name}", control.value)
    if isinstance(control, Selector):
        return st.selectbox(control.label, control.options, **kept)
    return st.slider(control.label, control.low, control.high, step=control.step, **kept)


def _reset(name, number, step):
    for control in step.controls:
        state.memory(name).pop(f"{number}-{control.name}", None)


def _exercise(lesson):
    st.subheader("Exercise", anchor=False)
    st.markdown(lesson.exercise.task)
    memory = state.memory(f"lesson-{lesson.key}")
    shown = memory.get("solution", False)
    st.button(
        "Hide the solution" if shown else "Show the solution",
        key="solution",
        type="primary",
        on_click=memory.__setitem__,
        args=("solution", not shown),
    )
    if shown:
        result = lesson.exercise.work()
        st.markdown(result.reveal)
        draw_figures(result.before, f"{lesson.key}-exercise")
        draw_result(result, f"{lesson.key}-exercise")
    if lesson.sources:
        st.caption(f"Sources: {escape('; '.join(lesson.sources))}. Definitions: docs/metrics.md.")


def whole(lesson):
    """All steps with their answers, one below the other, to be printed."""
    if not _models_are_run(lesson):
        return
    st.header(escape(lesson.title), anchor=False)
    st.button(
        "Back to the steps",
        icon=":material/arrow_back:",
        key="back-to-steps",
        on_click=state.change,
        kwargs={"step": ""},
    )
    st.caption("Print this page with your browser. The questions come first; the answers stand at the end.")
    for number, step in enumerate(lesson.steps, 1):
        with st.container(key=f"printed-{number}"):
            st.subheader(f"{number}. {escape(step.title)}", anchor=False)
            st.markdown(paragraphs(step.text))
            draw_quoted(step.result())
            draw_figures(step.result().before, f"{lesson.key}-{number}", plain=True)
            st.markdown(f"**{step.question}**  \n" + "  \n".join(f"☐ {escape(option)}" for option in step.options))
    st.subheader("Exercise", anchor=False)
    st.markdown(lesson.exercise.task)
    st.subheader("Answers", anchor=False)
    for number, step in enumerate(lesson.steps, 1):
        result = step.result()
        st.markdown(f"**{number}. {escape(step.options[result.right])}.** {result.reveal}")
    st.markdown(f"**Exercise.** {lesson.exercise.work().reveal}")
