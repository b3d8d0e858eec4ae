"""One step of a lesson: its text, controls and question, and the answer with its numbers; and all steps for paper."""

import streamlit as st

from hierviz.app import state
from hierviz.app.learn_page import contents
from hierviz.app.learn_page.look import draw_figures, draw_numbers, draw_quoted, draw_result, table_text
from hierviz.app.learn_page.practice import practice
from hierviz.app.state.escape import escape
from hierviz.app.widgets.progress import worked_out
from hierviz.app.widgets.sample_keys import sample_keys
from hierviz.lessons import quantities
from hierviz.lessons.catalogue import LESSON_FILES
from hierviz.lessons.lesson import Selector

EXERCISE = "exercise"
# Steps of the address that are a whole lesson on one page, and their buttons.
SHEETS = {"all": "Sheet without answers", "answers": "Sheet with answers"}


def one(lesson, asked):
    """The step that is asked for, or the exercise."""
    places = [*(str(number + 1) for number in range(len(lesson.steps))), EXERCISE]
    step = asked if asked in places else "1"
    _bar(lesson, places, step)
    if not _models_are_run(lesson):
        return
    if step == EXERCISE:
        _exercise(lesson)
        practice(lesson)
        contents.on_data(lesson)
        contents.terms(lesson.key)
    else:
        _step(lesson, int(step))


def _bar(lesson, places, step):
    place, keys = places.index(step), list(LESSON_FILES)
    following = keys[keys.index(lesson.key) + 1 :][:1]
    is_last = place == len(places) - 1
    forward = {"step": places[min(place + 1, len(places) - 1)]}
    if is_last and following:
        forward = {"lesson": following[0], "step": ""}
    with st.container(horizontal=True, vertical_alignment="center", key="step-bar"):
        for name, label, icon, to, is_stopped in (
            ("previous", "Previous", "arrow_back", {"step": places[max(place - 1, 0)]}, place == 0),
            ("next", "Next lesson" if is_last else "Next", "arrow_forward", forward, is_last and not following),
        ):
            is_revealed = state.memory(f"lesson-{lesson.key}").get(f"revealed-{step}", False)
            look = "primary" if name == "next" and is_revealed else "secondary"
            keys = "Keys: ← → or k j" + (", PageUp PageDown" if state.view().presenter else "")
            _lead(label, f"{name}-sample", icon, to, look, disabled=is_stopped, help=keys)
        st.markdown("Exercise" if step == EXERCISE else f"Step {step} of {len(lesson.steps)}", width="content")
        if not state.view().presenter:
            _sheets("")
        sample_keys()


def _sheets(step):
    """Links to the sheets for paper, except the one shown."""
    for sheet, label in SHEETS.items():
        if sheet != step:
            _lead(label, f"print-{sheet}", "print", {"step": sheet}, "tertiary")


def _lead(label, key, icon, to, look="secondary", **widget):
    """A button that changes fields of the view."""
    st.button(label, key=key, icon=f":material/{icon}:", type=look, on_click=state.change, kwargs=to, **widget)


def _models_are_run(lesson):
    """Run the models of a lesson, with progress and a Cancel button; False where it was cancelled."""
    if not lesson.models:
        return True

    def make(stages):
        for key in lesson.models:
            stages(f"Running the model {key.replace('_', ' ')}")
            quantities.evaluated(key)
        return True

    return bool(worked_out("lesson", lesson.models, "Models of this lesson", make))


def _step(lesson, number):
    step, name = lesson.step(number), f"lesson-{lesson.key}"
    memory, where = state.memory(name), f"{lesson.key}-{number}"
    if state.view().presenter and not state.is_narrow():
        words, pictures = st.columns([0.38, 0.62], gap="large")
        text, asked, changed, numbers = (words.container() for _ in range(4))
        # Pictures and tables are side by side as far as there is room.
        with pictures:
            first = tables = st.container(horizontal=True, gap="medium", key="pictures")
    elif state.session.px > 600:
        words, pictures = st.columns([0.4, 0.6], gap="large")
        # Controls are below the picture they change, next to the question.
        first, changed, numbers, tables = (pictures.container() for _ in range(4))
        text = asked = words.container()
    else:
        # A phone shows the picture between the text and the question.
        text, first, asked, changed, numbers, tables = (st.container() for _ in range(6))
    with text:
        st.subheader(escape(step.title), anchor=False)
        st.markdown(step.text)
    shown = step.result(**_settings(step, name, number, changed))
    with asked:
        st.markdown(f"**{step.question}**")
        kept = state.kept(name, f"prediction-{number}", label_visibility="collapsed")
        predicted = st.radio("Your prediction", step.options, **kept)
        revealed = _opened(memory, f"revealed-{number}", "reveal", "Reveal", "Hide the answer")
        if revealed:
            right = step.options[step.right]
            judged = {None: "", right: " You predicted it."}.get(predicted, f" Not quite: you predicted *{predicted}*.")
            st.markdown(f"Answer: **{right}**.{judged}")
            st.markdown(shown.reveal)
    with first:
        draw_quoted(shown)
        draw_figures(shown.before if revealed else shown.of_question, where, small=revealed and bool(shown.after))
    if revealed:
        with numbers:
            draw_numbers(shown, where)
        with tables:
            draw_result(shown, where)


def _opened(memory, name, key, show, hide):
    """A button that shows something, or hides it again; returns whether it is shown."""
    shown = memory.get(name, False)
    label, look = (hide, "secondary") if shown else (show, "primary")
    st.button(label, key=key, type=look, on_click=memory.__setitem__, args=(name, not shown))
    return shown


def _settings(step, name, number, place):
    """The controls of a step, in a place of their own; returns their values by name."""
    values = {}
    with place:
        if step.controls:
            st.markdown("**Change it**")
        columns = _columns(len(step.controls))
        for i, control in enumerate(step.controls):
            kept, column = state.kept(name, f"{number}-{control.name}", control.value), columns[i % len(columns)]
            if isinstance(control, Selector):
                value = column.selectbox(control.label, control.options, **kept)
            else:
                value = column.slider(control.label, control.low, control.high, step=control.step, **kept)
            values[control.name] = value
        if any(values[control.name] != control.value for control in step.controls):
            look = {"icon": ":material/restart_alt:", "type": "tertiary", "key": "reset-step"}
            st.button("Back to the start", on_click=_reset, args=(name, number, step), **look)
    return values


def _columns(n):
    """Places of the controls of a step: side by side, as far as there is room."""
    if n == 1 and state.session.px > 600:
        return [st.container(width=380)]
    most = 1 if state.is_narrow() else 2 if state.session.px <= 900 else 4 if n > 3 else 3
    return st.columns(min(most, max(n, 1)), gap="medium") if most > 1 else [st.container()]


def _reset(name, number, step):
    for control in step.controls:
        state.memory(name).pop(f"{number}-{control.name}", None)


def _exercise(lesson):
    st.subheader("Exercise", anchor=False)
    st.markdown(lesson.exercise.text)
    memory = state.memory(f"lesson-{lesson.key}")
    if _opened(memory, "solution", "solution", "Show the solution", "Hide the solution"):
        result, where = lesson.exercise.result(), f"{lesson.key}-exercise"
        st.markdown(result.reveal)
        draw_figures(result.before, where)
        draw_numbers(result, where)
        draw_result(result, where)
    if lesson.sources:
        st.caption(f"Sources: {escape('; '.join(lesson.sources))}. Definitions: docs/metrics.md.")


def whole(lesson, has_answers):
    """All steps, one below the other, to be printed: with or without their answers."""
    if not _models_are_run(lesson):
        return
    st.header(escape(lesson.title), anchor=False)
    with st.container(horizontal=True, vertical_alignment="center", key="sheet-bar"):
        _lead("Back to the steps", "back-to-steps", "arrow_back", {"step": ""})
        _sheets("answers" if has_answers else "all")
        st.caption("Print this page with your browser.", width="content")
    for number, step in enumerate(lesson.steps, 1):
        result, where = step.result(), f"{lesson.key}-{number}"
        with st.container(key=f"printed-{number}"):
            st.subheader(f"{number}. {escape(step.title)}", anchor=False)
            st.markdown(step.text)
            draw_quoted(result)
            draw_figures(result.before if has_answers else result.of_question, where, plain=True)
            st.markdown(f"**{step.question}**  \n" + "  \n".join(f"☐ {escape(option)}" for option in step.options))
        if has_answers:
            with st.container(key=f"printed-answer-{number}"):
                st.markdown(f"**Answer: {escape(step.options[result.right])}.** {result.reveal}")
                if result.rows:
                    st.markdown(table_text(result.rows))
                draw_figures(result.after, where, plain=True)
    with st.container(key="printed-exercise"):
        st.subheader("Exercise", anchor=False)
        st.markdown(lesson.exercise.text)
        if has_answers:
            solution = lesson.exercise.result()
            st.markdown(f"**Solution.** {solution.reveal}")
            draw_figures(solution.before, f"{lesson.key}-exercise", plain=True)
