"""The page Learn: every step of every lesson, with its question, its answer and what can be changed."""

import re

import pytest
from visit import Visit

from hierviz.app.learn_page.look import table_text
from hierviz.app.state.escape import escape
from hierviz.lessons.catalogue import LESSON_FILES, glossary, lesson, lessons
from hierviz.metrics.registry import METRICS

# Each with a control of its own kind; the numbers of all lessons are tested without a page (tests/lessons).
DAILY = ("sandbox", "win")


def press(visit, key):
    next(one for one in visit.at.button if one.key == key).click()
    return visit.run()


def test_the_first_page_lists_the_lessons_and_leads_to_the_glossary():
    visit = Visit("learn")
    for one in lessons():
        assert one.title in visit.text
        assert f"{len(one.steps)} steps" in visit.text
    visit.go("learn", lesson="glossary")
    for term, text in glossary().items():
        assert f"**{escape(term)}.** {escape(text)}" in "\n".join(visit.markdown())


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=() if key in DAILY else pytest.mark.long) for key in LESSON_FILES]
)
def test_every_step_asks_and_answers(key):
    found = lesson(key)
    visit = Visit("learn", lesson=key)
    for number, step in enumerate(found.steps, 1):
        visit.go("learn", lesson=key, step=str(number))
        assert visit.query["step"] == str(number)
        assert step.title in [one.value for one in visit.at.subheader]
        (question,) = (one for one in visit.at.radio if one.label == "Your prediction")
        assert tuple(question.options) == step.options
        assert question.value is None
        assert "Answer: " not in visit.text
        result = step.result()
        assert len(visit.charts()) == len(result.of_question)
        question.set_value(step.options[result.right])
        visit.run()
        press(visit, "reveal")
        assert f"Answer: **{step.options[result.right]}**. You predicted it." in "\n".join(visit.markdown())
        assert result.reveal in [one.value for one in visit.at.markdown]
        assert len(visit.charts()) == len(result.before) + len(result.after)
        for place, one in enumerate(result.numbers[:9]):
            label = f"number-{key}-{number}-{place}-{one.key}"
            if one.key in METRICS:
                (popover,) = (block for block in visit.popovers() if block.key == label)
                assert popover.proto.popover.label.endswith(f"**{one.text}**")
            else:
                assert f"**{one.text}**" in "\n".join(visit.markdown())
        if result.rows:
            assert table_text(result.rows) in [one.value for one in visit.at.markdown]


def test_an_exercise_has_a_solution_and_the_numbers_of_the_opened_data(demo):
    visit = Visit("learn", lesson="flat-metrics", step="exercise")
    found = lesson("flat-metrics")
    assert found.exercise.text in [one.value for one in visit.at.markdown]
    press(visit, "solution")
    assert found.exercise.result().reveal in [one.value for one in visit.at.markdown]
    press(visit, "on-data-0")
    (table,) = (one.value for one in visit.at.markdown if one.value.startswith("| model |"))
    assert len(table.splitlines()) == 2 + len(demo.models)
    assert all(len(re.findall(r"0\.\d{3}", line)) == len(found.on_data.keys) for line in table.splitlines()[2:])


def test_what_is_changed_is_kept_and_goes_back_to_the_start():
    visit = Visit("learn", lesson="sandbox", step="1")
    press(visit, "reveal")
    (cat,) = (one for one in visit.at.slider if one.label == "cat")
    cat.set_value(90)
    visit.run()
    changed = lesson("sandbox").step(1).result(cat=90)
    assert changed.reveal in [one.value for one in visit.at.markdown]
    visit.go("learn", lesson="sandbox", step="2")
    visit.go("learn", lesson="sandbox", step="1")
    assert changed.reveal in [one.value for one in visit.at.markdown]
    press(visit, "reset-step")
    assert lesson("sandbox").step(1).result().reveal in [one.value for one in visit.at.markdown]


def test_next_leads_to_the_exercise_and_on_to_the_next_lesson():
    visit = Visit("learn", lesson="flat-metrics")
    for step in ("2", "3", "4", "exercise"):
        press(visit, "next-sample")
        assert visit.query["step"] == step
    assert next(one for one in visit.at.button if one.key == "next-sample").label == "Next lesson"
    press(visit, "next-sample")
    assert visit.query["lesson"] == "sandbox"
    assert "Step 1 of 5" in visit.text
    visit.go("learn", lesson="losses", step="exercise")
    assert not next(one for one in visit.at.button if one.key == "next-sample").disabled


@pytest.mark.long
def test_sheets_for_paper_have_every_step_with_and_without_answers():
    visit = Visit("learn", lesson="thresholds", step="all")
    steps = lesson("thresholds").steps
    assert len(visit.charts()) == sum(len(step.result().of_question) for step in steps)
    for step in steps:
        assert step.question in visit.text
        assert step.result().reveal not in "\n".join(visit.markdown())
    assert "Answer" not in "\n".join(visit.markdown())
    press(visit, "print-answers")
    assert visit.query["step"] == "answers"
    solution = lesson("thresholds").exercise.result()
    drawn = [figure for step in steps for figure in (*step.result().before, *step.result().after)]
    assert len(visit.charts()) == len(drawn) + len(solution.before)
    for step in steps:
        assert f"**Answer: {escape(step.options[step.result().right])}.** {step.result().reveal}" in visit.markdown()
    assert f"**Solution.** {solution.reveal}" in visit.markdown()


def test_unknown_lessons_and_steps_show_what_there_is():
    visit = Visit("learn", lesson="nothing", step="77")
    assert not visit.at.error
    assert "All numbers are computed on this page" in visit.text
    visit.go("learn", lesson="win", step="9")
    assert "Step 1 of 5" in visit.text
