"""The page Mistakes: every part on trees, several paths and graphs, and its numbers are those of the API."""

from urllib.parse import parse_qsl

import numpy as np
import pytest
from small_worlds import spread, world, write
from visit import Visit, plain, shelve

import hierviz as hv
from hierviz.app.mistakes_page import slices_panel
from hierviz.app.state import server_memory
from hierviz.charts._matrix_lines import lines_at_first
from hierviz.diagnosis import review_queue
from hierviz.diagnosis.constant_answers import against_constants
from hierviz.diagnosis.folded_matrix import folded_matrix, opened_to_fill
from hierviz.diagnosis.mistakes import set_mistakes
from hierviz.evaluation import judged_answers
from hierviz.messages.number_text import value_text
from hierviz.reports.view_pages import PARTS

TRUTHS = ["violin", "cello", "flute", "oboe", "reeds", "drum"]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """What is said of samples is kept for each test alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def instruments(tmp_path):
    """60 samples with an attribute."""
    truth = [TRUTHS[i % 6] for i in range(60)]
    return world(
        tmp_path, scores=spread(60), truth=truth, extra=[("room", ["hall" if i % 3 else "studio" for i in range(60)])]
    )


def samples(visit):
    """The table of samples: the last one on the page that lists any."""
    return next(one.value for one in reversed(list(visit.at.dataframe)) if "sample" in one.value)


def test_ranked_list(instruments):
    model = instruments.first
    visit = Visit("mistakes", data=instruments.key, rule="leaf")
    found = hv.mistakes(model, "leaf", outcome="wrong")
    table = samples(visit)
    assert table["sample"].tolist() == model.predictions.ids[found.row].tolist()
    assert table["truth"].tolist() == [model.taxonomy.names[node] for node in found.truth.tolist()]
    assert table["answer"].tolist() == [model.taxonomy.names[node] for node in found.predicted.tolist()]
    assert table["win lost"].tolist() == pytest.approx(found.win_lost.tolist(), abs=1e-6)
    assert f"{len(found):,} samples" in visit.text
    assert visit.control("Show").value == "wrong"
    for order in ("info_dist", "depth_dist", "confidence_dist"):
        visit.control("Rank by").set_value(order)
        visit.run()
        found = hv.mistakes(model, "leaf", outcome="wrong", order=order)
        assert samples(visit)["sample"].tolist() == model.predictions.ids[found.row].tolist()
    # The first one stands beside the list, with the severity that ranks it.
    assert model.predictions.sample_id(int(found.row[0])) in visit.text
    assert value_text(float(found.severity[0])) in visit.text
    visit.control("As").set_value("gallery")
    visit.run()
    assert not visit.at.dataframe
    assert f"1 to {min(18, len(found))} of {len(found)}" in visit.text.replace("**", "")


def test_the_address_has_the_sample_that_is_shown(instruments):
    found = hv.mistakes(instruments.first, "leaf", outcome="wrong")
    third = instruments.first.predictions.sample_id(int(found.row[2]))
    visit = Visit("mistakes", data=instruments.key, rule="leaf", sample=third)
    assert f"#### {third}" in [one.value for one in visit.at.markdown]


def test_the_probability_of_a_doubtful_truths_answer_is_that_of_the_answer(instruments):
    """As Examples shows it; that of the branch where truth and answer part is called so."""
    visit = Visit("mistakes", data=instruments.key, rule="leaf", part="labels")
    visit.control("As").set_value("list")
    table = samples(visit.run())
    predictions, taxonomy = instruments.first.predictions, instruments.taxonomy
    row = predictions.row(table["sample"].iloc[0])
    p = predictions.node_probabilities(np.array([row]))[0]
    answer = int(hv.infer(taxonomy, p[None], "leaf")[0])
    assert table["p (answer)"].iloc[0] == pytest.approx(p[answer])
    assert table["p (branch of answer)"].iloc[0] == pytest.approx(
        table["score"].iloc[0] + table["p (branch of truth)"].iloc[0]
    )
    assert table["p (branch of answer)"].iloc[0] > p[answer]


def test_verdicts_last_and_are_counted(instruments):
    visit = Visit("mistakes", data=instruments.key, rule="leaf", part="list")
    visit.control("Verdict of an expert").set_value("wrong_label")
    visit.run()
    next(one for one in visit.at.text_input if one.label == "Note").set_value("=really?")
    visit.run()
    table = samples(visit)
    said = table["sample"].iloc[0]
    assert table.loc[table["sample"] == said, "verdict"].tolist() == ["Wrong label"]
    visit.control("Part of the page").set_value("review")
    visit.run()
    assert "1 answer reviewed** (1 wrong label, 0 acceptable, 0 model wrong)" in visit.text
    # They belong to the browser and the data, not to the session, which ends when the page is loaded anew.
    browser = visit.at.session_state["visit"].visitor
    (row,) = server_memory._of_data[instruments]["review", browser]["review"].rows
    assert (row.sample_id, row.verdict, row.note) == (said, "wrong_label", "=really?")
    # The filter of all pages.
    for page in ("mistakes", "taxonomy"):
        visit.go(page, data=instruments.key, rule="leaf", review="wrong_label")
        assert "Review: wrong label" in visit.text
    assert "1 samples" in visit.text


def test_a_queue_goes_on_and_back(instruments):
    visit = Visit("mistakes", data=instruments.key, rule="leaf", part="review")
    model = instruments.first
    queue = [model.predictions.sample_id(int(row)) for row in review_queue(model, "labels", "leaf")]
    assert f"1 of {len(queue)}" in visit.text
    for n, (sample, label) in enumerate(zip(queue, ["Wrong label", "Acceptable", "Model wrong"], strict=False), 1):
        assert f"Sample {sample}" in visit.text
        visit.press(label)
        assert f"{n} of {len(queue)} reviewed" in visit.at.get("progress")[0].proto.text
    browser = visit.at.session_state["visit"].visitor
    rows = server_memory._of_data[instruments]["review", browser]["review"].rows
    verdicts = ["wrong_label", "acceptable", "model_wrong"]
    assert [(row.sample_id, row.verdict) for row in rows] == list(zip(queue, verdicts, strict=False))
    truth = model.predictions.truth
    assert [row.truth for row in rows] == [(int(truth[model.predictions.row(one)]),) for one in queue[:3]]
    visit.press("Undo")
    assert f"Sample {queue[2]}" in visit.text
    assert f"2 of {len(queue)} reviewed" in visit.at.get("progress")[0].proto.text


def test_doubtful_truths_as_a_gallery(demo):
    """Below each the truth, and the class that most models name."""
    visit = Visit("mistakes", rule="majority", part="labels")
    answers = [judged_answers(model, "majority", threshold=0.5) for model in demo.models.values()]
    found = hv.diagnosis.label_errors(answers[0])
    agreement = hv.diagnosis.answer_agreement(answers, found.sample_id)
    title = demo.taxonomy.title
    links = [one.proto.label for one in visit.at.get("page_link") if "→" in one.proto.label]
    assert plain(links[0].replace(":orange[", "").replace("]", "")) == (
        f"{title(int(found.truth[0]))} → {title(int(agreement.named[0]))}"
    )
    n = len(answers)
    assert f"named by {agreement.n_named[0]} of {n}, wrong by {agreement.n_wrong[0]} of {n}" in visit.text


def test_confusions(instruments):
    visit = Visit("mistakes", data=instruments.key, rule="leaf", part="confusions")
    for by, keywords in (
        ("classes", {}),
        ("1", {"level": 1}),
        ("branches", {"by": "branches"}),
        ("common", {"by": "common"}),
    ):
        visit.control("Group by").set_value(by)
        visit.run()
        found = hv.diagnosis.confused_pairs(instruments.first, "leaf", **keywords)
        table = visit.at.dataframe[0].value
        assert table["count"].tolist() == found.count.tolist()
        assert table["cost"].tolist() == pytest.approx(found.cost.tolist(), abs=1e-3)
        # The samples of the first group, whatever the order.
        assert sorted(samples(visit)["sample"]) == sorted(instruments.first.predictions.ids[found.rows(0)])
        assert f"1 of {len(found.rows(0))}" in follow(visit).text, by


def test_matrix_opens_closes_and_counts(instruments):
    model = instruments.first
    visit = Visit("mistakes", data=instruments.key, rule="leaf", part="matrix")
    against = against_constants(model, "leaf")
    measures = next(one.value for one in visit.at.dataframe if "measure" in one.value).set_index("measure")["model"]
    assert measures["Matthews correlation"] == value_text(against.confusion.measures["mcc"])
    assert [plain(one.value) for one in visit.at.warning] == against.alarms
    taxonomy = instruments.taxonomy
    winds, reeds = taxonomy.nodes("winds", "reeds").tolist()

    def shown():
        """(truth, answer, count) of the cells below the chart."""
        chart = next(below for below in visit.at.dataframe if "of_different_classes" in below.value)
        return list(chart.value[["truth", "answer", "count"]].itertuples(index=False, name=None))

    def expected(*opened):
        matrix = hv.diagnosis.matrix(model, "leaf", open_nodes=opened)
        table = hv.charts.matrix(folded_matrix(matrix, 100)).table
        return list(table[["truth", "answer", "count"]].itertuples(index=False, name=None))

    # At first what fills the place is open: here all classes that hide another answer than the truth.
    first = opened_to_fill(hv.diagnosis.matrix(model, "leaf"), lines_at_first(1240))
    assert {winds, reeds} <= set(first)
    assert shown() == expected(*first)
    assert "opened" not in visit.query
    # What is pressed next starts from there: strings are closed, the others stay open.
    strings = taxonomy.node("strings")
    visit.select(matrix_chart(visit), {"node": [{"node": str(strings)}]})
    assert shown() == expected(*(set(first) - {strings}))
    visit.press("Close all")
    assert visit.query["opened"] == "0"
    assert shown() == expected()
    visit.select(matrix_chart(visit), {"node": [{"node": str(winds)}]})
    assert visit.query["opened"] == str(winds)
    assert shown() == expected(winds)
    # By key: the same from the list of classes; closing a class closes what is open below it.
    visit.control("Open or close a class").set_value(f"open {reeds}")
    visit.run()
    assert shown() == expected(winds, reeds)
    visit.control("Open or close a class").set_value(f"close {winds}")
    visit.run()
    assert shown() == expected()
    visit.control("Find a class").set_value("oboe")
    visit.run()
    assert shown() == expected(winds, reeds)
    visit.press("Close all")
    visit.press("Open where most is hidden")
    assert len(visit.query["opened"].split(",")) == 1
    # A cell leads to its samples, here and on Examples.
    visit.press("Close all")
    cell = {"row": str(taxonomy.node("strings")), "column": str(winds)}
    visit.select(matrix_chart(visit), {"cell": [cell]})
    matrix = folded_matrix(hv.diagnosis.matrix(model, "leaf"), 100)
    lines = [int(np.flatnonzero(matrix.nodes == int(node))[0]) for node in cell.values()]
    rows = matrix.samples(*lines)
    assert sorted(samples(visit)["sample"]) == sorted(model.predictions.ids[rows])


def matrix_chart(visit):
    """The chart that takes selections of cells."""
    return next(one for one in visit.at.get("vega_lite_chart") if "cell" in one.proto.selection_mode)


def test_filters_hold_on_every_part(instruments):
    model, taxonomy = instruments.first, instruments.taxonomy
    query = {"data": instruments.key, "rule": "leaf", "under": "winds", "where": "room=hall"}
    answers = hv.evaluation.judged_answers(model, "leaf")
    kept = hv.diagnosis.filtered(
        answers, hv.diagnosis.SampleFilter(under=taxonomy.node("winds"), where=(("room", "hall"),))
    )
    some = answers.take(kept)
    assert 0 < len(some.rows) < 60
    visit = Visit("mistakes", **query)
    assert len(samples(visit)) == int(some.is_wrong.sum())
    assert f"filtered: {some.n_judged}" in visit.text
    visit = Visit("mistakes", part="confusions", **query)
    found = hv.diagnosis.confused_pairs(some)
    assert visit.at.dataframe[0].value["count"].tolist() == found.count.tolist()
    assert follow(visit).text.count(f"1 of {len(found.rows(0))}")
    visit = Visit("mistakes", part="matrix", **query)
    cells = next(one.value for one in visit.at.dataframe if "of_different_classes" in one.value)
    assert cells["count"].sum() == len(some.rows)
    counts = next(one.value for one in visit.at.dataframe if "key" in one.value).set_index("key")["value"]
    assert counts["tp"] == against_constants(some).confusion.counts["tp"]
    chosen = next(one for one in visit.at.selectbox if one.label.startswith("Samples of the cell")).value
    n = len(samples(visit))
    assert chosen
    assert f"1 of {n}" in follow(visit).text
    nothing = Visit("mistakes", data=instruments.key, text="no such id")
    assert "No sample matches" in nothing.at.info[0].value


def follow(visit):
    """The page Examples as the link to the samples opens it."""
    (link,) = (one for one in visit.at.get("page_link") if "these samples" in one.label)
    return Visit("example", **dict(parse_qsl(link.proto.query_string)))


def rooms(tmp_path):
    """200 samples of six classes, far more of them wrong in the studio."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 6, 200)
    room = np.where(np.arange(200) % 4 == 0, "studio", "hall")
    said = np.where((room == "studio") & (rng.random(200) < 0.7), (truth + 1) % 6, truth)
    names = ["violin", "cello", "flute", "oboe", "bassoon", "drum"]
    return world(tmp_path, scores=np.eye(6)[said], truth=[names[k] for k in truth], extra=[("room", room.tolist())])


def test_many_slices_are_shown_in_parts(tmp_path, monkeypatch):
    """A row of a later part is the slice whose samples are below."""
    monkeypatch.setattr(slices_panel, "MOST_ROWS", 3)
    data = rooms(tmp_path)
    found = hv.diagnosis.slices(data.first, "threshold")
    visit = Visit("mistakes", data=data.key, part="slices")
    assert len(found) > 6
    for start in (0, 3, 6):
        part = found.rows[start : start + 3]
        assert visit.at.dataframe[0].value["n"].tolist() == [row.n for row in part]
        assert f"({start + 1} to {start + len(part)} shown)" in visit.text
        assert f"{part[0].n:,} samples" in visit.text
        visit.press("Next 3")


def test_slices(tmp_path):
    """A value of an attribute that is wrong far more often leads, and its samples are below."""
    data = rooms(tmp_path)
    visit = Visit("mistakes", data=data.key, part="slices")
    found = hv.diagnosis.slices(data.first, "threshold")
    assert found.rows[0].value == "studio"
    assert found.sentence().replace("%", " %") in visit.text.replace("**", "")
    table = visit.at.dataframe[0].value
    assert table["n"].tolist() == [row.n for row in found.rows]
    words = {(True, False): "clearly worse", (True, True): "shares samples", (False, False): ""}
    # Shown as text, and sorted as numbers: a minus is a minus sign.
    assert slices_panel.tenths_text(-3.14) == "−3.1"
    assert slices_panel.tenths_text(-0.01) == "0.0"
    written = visit.at.dataframe[0].proto.arrow_data.styler.display_values
    assert min(row.excess for row in found.rows) < 0
    assert all(slices_panel.tenths_text(value).encode() in written for value in [row.excess for row in found.rows])
    assert table["excess"].tolist() == [row.excess for row in found.rows]
    assert table["worse"].tolist() == [
        words[pair] for pair in ((row.is_flagged, row.is_explained) for row in found.rows)
    ]
    assert len(samples(visit)) == int(found.rows[0].loss)


def test_several_paths(shared_data):
    """Ranked by lost hF1; the matrix counts matched paths and what has no partner."""
    folder = shared_data / "germeval2019"
    data = shelve(
        taxonomy=str(folder / "taxonomy_1b.csv"),
        predictions=(str(folder / "pred_1b_EricssonResearch__fconv_A6C1Y.csv.gz"),),
        truth=str(folder / "truth_1b.csv.gz"),
    )
    visit = Visit("mistakes", data=data.key)
    found = set_mistakes(data.first)
    assert samples(visit)["sample"].tolist() == data.first.predictions.ids[found.row].tolist()
    visit.control("Part of the page").set_value("matrix")
    visit.run()
    cells = next(one.value for one in visit.at.dataframe if "of_different_classes" in one.value)
    assert cells["count"].sum() == hv.diagnosis.matrix(data.first).total
    assert "no truth left" in cells["truth"].tolist()
    assert "no answer left" in cells["answer"].tolist()
    # TP and FN as in the published table.
    values = next(one.value for one in visit.at.dataframe if "key" in one.value).set_index("key")["value"]
    assert values["tp"] == 8498
    assert values["fn"] == 6612
    for part in ("confusions", "slices", "labels"):
        visit.control("Part of the page").set_value(part)
        visit.run()
    assert "No candidates for wrong truths" in visit.at.info[0].value


@pytest.mark.long
def test_graph(tmp_path):
    edges = [("root", "a"), ("root", "b"), ("a", "both"), ("b", "both"), ("a", "a1"), ("b", "b1")]
    data = shelve(
        taxonomy=write(tmp_path / "t.csv", [("parent", "child"), *edges]),
        predictions=(
            write(
                tmp_path / "p.csv", [("sample_id", "predicted"), *((f"s{i}", ["both", "a1"][i % 2]) for i in range(40))]
            ),
        ),
        truth=write(
            tmp_path / "y.csv", [("sample_id", "truth"), *((f"s{i}", ["both", "b1"][i % 3 > 0]) for i in range(40))]
        ),
    )
    for part in PARTS:
        visit = Visit("mistakes", data=data.key, part=part)
        assert not visit.at.error, part
    assert len(samples(Visit("mistakes", data=data.key))) == len(set_mistakes(data.first))
    # The way to the samples of a group where a subtree was chosen before.
    visit = Visit("mistakes", data=data.key, part="slices", under="b")
    link = next(one for one in visit.at.get("page_link") if "Open these samples" in one.label)
    assert dict(parse_qsl(link.proto.query_string))["under"] in ("a", "both", "b1")


def test_no_truth(tmp_path):
    data = world(tmp_path, scores=spread(9))
    assert "no mistakes to show" in Visit("mistakes", data=data.key).at.info[0].value
