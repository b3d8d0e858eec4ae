"""Answers level by level: what is drawn broken, in colours of outcomes, narrow and wide, light and dark."""

import itertools
import json

import pytest

import hierviz as hv
from hierviz.charts.theme import palette


@pytest.mark.parametrize(("width", "dark"), list(itertools.product((330, 1200), (False, True))))
def test_a_broken_link(taxonomy, width, dark):
    """bird, then cat: the cat is right, and follows from mammal."""
    drawn = hv.charts.level_answers(
        taxonomy, taxonomy.nodes("bird", "cat"), taxonomy.node("cat"), dark=dark, width=width
    )
    assert drawn.table.to_dict("records") == [
        {"level": 1, "answer": "bird", "truth": "mammal", "outcome": "fp", "is_broken": False},
        {"level": 2, "answer": "cat", "truth": "cat", "outcome": "tp", "is_broken": True},
    ]
    assert drawn.sentence == "The answers of 2 levels are no path from the top: cat at level 2 is in mammal."
    text = json.dumps(drawn.chart.to_dict())
    look = palette(dark)
    for part in (look.fp, look.tp, '"strokeDash": [3, 3]', "cat is in mammal", "broken link"):
        assert part in text, part


def test_an_answer_outside_is_one_and_follows_from_nothing(taxonomy):
    drawn = hv.charts.level_answers(taxonomy, [taxonomy.node("mammal"), -2], taxonomy.node("cat"))
    assert drawn.table.to_dict("records")[1] == {
        "level": 2, "answer": "(outside the taxonomy)", "truth": "cat", "outcome": "outside", "is_broken": True
    }  # fmt: skip
    assert drawn.sentence.endswith("no path from the top: (outside the taxonomy) at level 2 is in no class.")
    text = json.dumps(drawn.chart.to_dict())
    assert palette(None).outside in text
    assert "no answer" not in text


def test_a_path_has_no_broken_link(taxonomy):
    drawn = hv.charts.level_answers(taxonomy, taxonomy.nodes("mammal", "cat"))
    assert drawn.sentence == "The answers of 2 levels are a path from the top."
    assert not drawn.table["is_broken"].any()
    assert "broken link" not in json.dumps(drawn.chart.to_dict())


def test_an_early_stop_and_a_shallow_truth(taxonomy):
    stopped = hv.charts.level_answers(taxonomy, [taxonomy.node("mammal")], taxonomy.node("dog"))
    assert stopped.table["answer"].tolist() == ["mammal"]
    below = hv.charts.level_answers(taxonomy, taxonomy.nodes("mammal", "cat"), taxonomy.node("newt"))
    assert below.table["truth"].tolist() == ["newt", ""]


def test_too_many_levels(taxonomy):
    with pytest.raises(hv.PredictionsError, match="expected 1 to 2 levels, got 3"):
        hv.charts.level_answers(taxonomy, [1, 2, 3])
