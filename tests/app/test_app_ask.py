"""Examples and lessons that ask first: state in the address, what is hidden on the page, and a changed p."""

import pytest

from hierviz.lessons.catalogue import LESSON_FILES, lesson
from tests.app.visit import Visit

pytest.importorskip("onnxruntime")


def toggle(page):
    return next(one for one in page.at.toggle if one.label == "Ask first")


@pytest.mark.long
def test_the_switch_is_in_the_address(demo):
    page = Visit("example", sample="v0001")
    assert toggle(page).value is False
    assert "ask" not in page.ladder
    toggle(page).set_value(True)
    page.run()
    assert page.query == {"sample": "v0001", "ask": "yes"}
    assert page.ladder["ask"]["answers"]
    # What comes below the ladder says the answer.
    assert [one.label for one in page.at.expander if "rules" in one.label] == []
    toggle(page).set_value(False)
    page.run()
    assert page.query == {"sample": "v0001"}
    assert "ask" not in page.ladder


def test_a_link_asks_and_other_drawings_do_not(demo):
    assert Visit("example", ask="yes").ladder["ask"]
    page = Visit("example", ask="yes", tree="icicle")
    assert page.ladder is None
    assert "Ask first" not in [one.label for one in page.at.toggle]


def test_the_switch_is_on_also_where_the_run_that_set_it_was_never_drawn(demo):
    """The browser of a phone asks for a second run at once, and may draw nothing of the first."""
    page = Visit("example", sample="v0001", ask="yes")
    assert toggle(page).value is True
    page.run()
    # What a browser draws that is told nothing else.
    assert toggle(page).proto.default is True


def test_a_changed_p_is_marked_and_can_be_taken_back(demo):
    page = Visit("example", sample="v0001", ask="yes")
    key, model = next(iter(demo.models.items()))
    node = demo.taxonomy.node("motorcycle")
    before = page.step
    page.memory("what if")[demo.digest, key, "v0001"] = {node: 0.9}
    page.run()
    record = page.ladder
    assert [one["name"] for one in record["models"]] == ["Changed by you", f"{model.predictions.name}, unchanged"]
    assert "motorcycle 0.900 (model: " in record["ask"]["words"]["changed"]
    assert record["ask"]["words"]["changed"].startswith("Changed by you, not the model’s")
    assert (before["name"], page.answer) == ("bicycle", "motorcycle")
    # The row below is that of the model itself.
    unchanged = [row for row in record["steps"] if row["m"] == 1 and row["r"] == "threshold"]
    assert before["sentence"] in [row["sentence"] for row in unchanged]
    page.memory("what if").clear()
    page.run()
    assert page.answer == "bicycle"
    assert page.ladder["ask"]["words"]["changed"] == ""


def test_without_asking_nothing_is_changed(demo):
    page = Visit("example", sample="v0001")
    key = next(iter(demo.models))
    page.memory("what if")[demo.digest, key, "v0001"] = {demo.taxonomy.node("motorcycle"): 0.9}
    page.run()
    assert page.answer == "bicycle"


@pytest.mark.parametrize("key", [key for key in LESSON_FILES if lesson(key).practice])
def test_a_ladder_asks_next_to_the_exercise(key):
    page = Visit("learn", lesson=key, step="exercise")
    record = page.ladder
    assert [one["key"] for one in record["rules"]] == list(lesson(key).practice)
    assert record["sample"][0]["truth"] == "cat"
    asked = record["ask"]["answers"][0]
    assert sorted(one["text"] for one in asked["choices"]) == ["animal", "cat", "mammal", "pet"]
    assert asked["choices"][asked["at"][page.step["k"]]]["text"] == "pet"


def test_three_lessons_have_one():
    assert [key for key in LESSON_FILES if lesson(key).practice] == ["thresholds", "rules", "win"]
