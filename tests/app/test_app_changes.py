"""Answers that change between two thresholds, and where they leave the path: the pages have the numbers of the API."""

from visit import Visit

from hierviz.comparison import answer_changes
from hierviz.diagnosis import departures
from hierviz.evaluation import judged_answers

A = "flat-softmax"
SHOWN = {"models": A, "model": A, "panel": "changes"}


def table_of(visit):
    return next(one.value for one in visit.at.dataframe if "sample" in one.value.columns)


def test_all_that_change_in_their_order(demo):
    visit = Visit("curves", **SHOWN, to="0.8")
    found = answer_changes(demo.models[A], threshold=0.5, to=0.8)
    assert found.sentence in visit.text
    ids = demo.models[A].predictions.ids[found.samples()].tolist()
    shown = table_of(visit)
    assert shown["sample"].tolist() == ids
    assert shown["at"].tolist() == sorted(shown["at"].tolist())
    assert f"all {found.n_changed:,} answers that change" in visit.at.selectbox("widget_flow").options


def test_a_flow_of_the_address_and_another_threshold(demo):
    visit = Visit("curves", **SHOWN, threshold="0.6", to="0.4", flow="coarse-exact")
    found = answer_changes(demo.models[A], threshold=0.6, to=0.4)
    ids = demo.models[A].predictions.ids
    assert table_of(visit)["sample"].tolist() == ids[found.samples("coarse-exact")].tolist()
    visit.at.number_input("widget_to").set_value(0.6)
    visit.run()
    assert visit.query["to"] == "0.600"
    assert "no answer of 600 changes" in visit.text
    visit.at.number_input("widget_to").set_value(0.9)
    visit.run()
    assert answer_changes(demo.models[A], threshold=0.6, to=0.9).sentence in visit.text


def test_each_model_has_its_own(demo):
    other = "log-win-flat-start"
    visit = Visit("curves", models=f"{A},{other}", model=other, panel="changes")
    assert answer_changes(demo.models[other], threshold=0.5, to=0.7).sentence in visit.text


def test_where_answers_leave_the_path(demo):
    """Levels draws all models; the menus lead to the samples, which a filter of the address says."""
    choice = "taxonomy.levels=%22departures%22,departures.level=2"
    visit = Visit("taxonomy", model=A, aspect="levels", choices=choice, threshold="0.6")
    found = departures(demo.models[A], "threshold", 0.6)
    assert f"{demo.models[A].predictions.name}: {found.sentence[0].lower()}{found.sentence[1:]}" in visit.text
    n = int(found.wrong[1])
    assert f"Open {n:,} samples of Flat softmax in Examples" in visit.text
    visit = Visit("example", model=A, threshold="0.6", outcome="wrong", common="1")
    assert f"all {n:,}" in visit.text or f"of {n:,}" in visit.text
    right = Visit("example", model=A, threshold="0.6", common="2+")
    assert right.query["common"] == "2+"
    assert "Common ancestor at depth 2 or deeper" in right.text
    answers = judged_answers(demo.models[A], "threshold", 0.6)
    assert int((demo.taxonomy.depth[answers.common] >= 2).sum()) == int(found.right[1])
    assert f"{int(found.right[1]):,}" in right.text
