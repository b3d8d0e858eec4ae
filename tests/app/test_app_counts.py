"""The cost of a click, in calls rather than in time, which depends on the machine."""

import numpy as np
import pytest
from visit import Visit

from hierviz.app.example_page import side_by_side
from hierviz.app.state import server_memory
from hierviz.app.widgets import living
from hierviz.charts import _probability_tree as tree
from hierviz.diagnosis import sample_answers
from hierviz.evaluation import worked


@pytest.fixture
def calls(monkeypatch):
    """Arguments of the calls of what costs time, by name."""
    made = {"fold": [], "layout": [], "win": [], "infer": []}

    def counted(name, function, key):
        def call(*given, **named):
            made[name].append(key(*given, **named))
            return function(*given, **named)

        return call

    def folding(taxonomy, p, truth, predicted, limits):
        return str(limits)

    monkeypatch.setattr(tree, "fold_rows", counted("fold", tree.fold_rows, folding))
    monkeypatch.setattr(tree, "icicle_layout", counted("layout", tree.icicle_layout, lambda *_, **__: ""))
    win = counted("win", sample_answers.win_breakdown, lambda taxonomy, truth, p: np.asarray(p).tobytes())
    for place in (sample_answers, worked):
        monkeypatch.setattr(place, "win_breakdown", win)
    infer = counted("infer", sample_answers.infer, lambda taxonomy, p, rule, **_: (rule, np.asarray(p).tobytes()))
    monkeypatch.setattr(sample_answers, "infer", infer)
    return made


def press_next(visit):
    visit.at.button(key="next-sample").click()
    return visit.run()


def test_what_is_folded_below_the_drawing_is_not_made(monkeypatch):
    made = []
    monkeypatch.setattr(side_by_side, "panels", lambda *given: made.append(given))
    visit = Visit("example")
    n = len(made)
    assert n
    visit.folded, visit.at.session_state["all-rules"] = (), False
    visit.run()
    assert len(made) == n


def test_a_press_of_next_works_everything_out_once(calls, demo):
    """One folding, one layout; one inference for each rule and for each model, one win for each model."""
    visit = Visit("example", tree="icicle")
    for made in calls.values():
        made.clear()
    press_next(visit)
    # An icicle leaves out what it has no room for: that is a second folding, with its own limits.
    assert 1 <= len(calls["fold"]) <= 2
    assert len(set(calls["fold"])) == len(calls["fold"])
    assert len(calls["layout"]) == 1
    assert len(calls["win"]) == len(set(calls["win"])) == len(demo.models)
    assert len(calls["infer"]) == len(set(calls["infer"]))


def test_the_record_of_a_sample_is_made_once_and_those_beside_it_are_there(monkeypatch, demo):
    """The browser gets the two samples that follow and the one before: a press of Next makes one record, of the third."""
    made, drawn = [], living.ladder_record

    def record(models, sample, *given, **named):
        made.append(sample)
        return drawn(models, sample, *given, **named)

    monkeypatch.setattr(living, "ladder_record", record)
    # Records are kept for all visitors.
    server_memory.server().results.drop("ladder of all thresholds")
    visit = Visit("example", threshold="0.4321")
    first = visit.sample
    assert len(made) == len(set(made)) == 3
    press_next(visit)
    assert visit.sample == made[1] != first
    assert len(made) == len(set(made)) == 4
    # Back again, and pages between: nothing is made anew.
    visit.at.button(key="previous-sample").click()
    visit.run()
    assert visit.sample == first
    visit.go("overview")
    visit.go("example")
    assert len(made) == 4
    # Another threshold is where the handle is.
    other = Visit("example", threshold="0.4322", sample=first)
    assert other.sample == first
    assert len(made) == 4
