"""Answers that change between two thresholds, where they leave the path, and mistakes as a flow: pages have the API's numbers."""

from visit import Visit

from hierviz.comparison import answer_changes
from hierviz.diagnosis import departures, mistake_flow, slices
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
    choice = "taxonomy.levels=%22departures%22,departures.level=%222%22"
    visit = Visit("taxonomy", model=A, aspect="levels", choices=choice, threshold="0.6")
    found = departures(demo.models[A], "threshold", 0.6)
    assert f"{demo.models[A].predictions.name}: {found.sentence[0].lower()}{found.sentence[1:]}" in visit.text
    # It is the title; that of the other tabs, the worst subtree, is none of this one.
    answers = judged_answers(demo.models[A], "threshold", 0.6)
    worst = slices(answers).worst_sentence()
    assert worst in Visit("taxonomy", model=A, aspect="levels", threshold="0.6").text
    assert worst not in visit.text
    n = int(found.wrong[1])
    assert f"Open {n:,} samples of Flat softmax in Examples" in visit.text
    visit = Visit("example", model=A, threshold="0.6", outcome="wrong", common="1")
    assert f"all {n:,}" in visit.text or f"of {n:,}" in visit.text
    right = Visit("example", model=A, threshold="0.6", common="from-2")
    assert right.query["common"] == "from-2"
    assert "Common ancestor at depth 2 or deeper" in right.text
    assert int((demo.taxonomy.depth[answers.common] >= 2).sum()) == int(found.right[1])
    assert f"{int(found.right[1]):,}" in right.text


def test_the_flow_opens_the_classes_of_the_matrix(demo):
    """The same field of the address opens classes in both drawings, and the list of ribbons has their samples."""
    node = demo.taxonomy.node("land vehicle")
    flow = {"model": A, "part": "matrix", "threshold": "0.6", "choices": "matrix.drawing=%22flow%22"}
    visit = Visit("mistakes", **flow, opened=str(node))
    found = mistake_flow(demo.models[A], "threshold", 0.6, open_nodes=[node])
    assert f"{found.total['wrong']:,} wrong and {found.total['coarse']:,} coarse answers of 600" in visit.text
    ribbons = next(one for one in visit.at.selectbox if one.label == "Samples of the ribbon")
    assert len(ribbons.options) == len(found)
    shown = next(one.value for one in visit.at.dataframe if "sample" in one.value.columns)
    between = [place for place in range(len(found)) if not found.is_within[place]]
    most = max(between, key=lambda place: found.count[place])
    ids = demo.models[A].predictions.ids[
        found.samples(int(found.row[most]), int(found.column[most]), str(found.kind[most]))
    ]
    assert sorted(shown["sample"].tolist()) == sorted(ids.tolist())
    assert f"{found.kind[most]}: {int(found.count[most]):,}" in visit.text
    # Closing it leaves the field of the matrix, too.
    close = next(one for one in visit.at.button if one.label == "Close all")
    close.click()
    visit.run()
    assert visit.query["opened"] == "0"
    matrix = Visit("mistakes", model=A, part="matrix", opened=str(node))
    assert any(one.label == "Cells" for one in matrix.at.selectbox)
