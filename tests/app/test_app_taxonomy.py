"""The page Taxonomy: numbers of the API, rows level by level, subtrees that other pages show, data of every kind."""

import json

import numpy as np
import pytest
from small_worlds import EDGES, LEAVES, spread, world
from visit import Visit, shelve

import hierviz as hv
from hierviz import charts
from hierviz.app.taxonomy_page.tree_table import FIRST, MORE, flat_rows, named, tree_rows
from hierviz.diagnosis._level_table import subtree_levels
from hierviz.diagnosis._node_table import number_text_of
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.messages.number_text import percent_text


def tree(visit):
    """What the component of the table is sent."""
    return json.loads(visit.component("tree_table").proto.json)


def rows(visit):
    """{title: {column: text}} of the rows that are shown."""
    data = tree(visit)
    keys = [column["key"] for column in data["columns"]]
    return {
        row["title"]: dict(zip(keys, (cell["text"] for cell in row["cells"]))) for row in data["rows"] if "title" in row
    }


def did(visit, kind, what):
    """A press in the table."""
    return visit.trigger("tree_table", "did", {"kind": kind, "what": what})


def test_numbers_are_those_of_the_api(demo):
    visit = Visit("taxonomy", threshold="0.7")
    model, taxonomy = demo.models["flat-softmax"], demo.taxonomy
    table = hv.diagnosis.node_table(model, "threshold", 0.7)
    found = rows(visit)
    assert set(found) == {taxonomy.title(node) for node in [0, *taxonomy.children[0].tolist()]}
    for title, cells in found.items():
        node = next(node for node in range(taxonomy.n_nodes) if taxonomy.title(node) == title)
        for key in (
            "support",
            "n_wrong",
            "correct",
            "stopped_here",
            "win_lost",
            "mean_win",
            "recall",
            "precision",
            "f1",
        ):
            assert cells[key] == number_text_of(key, float(getattr(table, key)[node])), (title, key)
    calibration = hv.diagnosis.reliability(model, nodes=[taxonomy.node("aircraft")])
    assert found["aircraft"]["ece"].removeprefix("✗ ") == number_text_of("ece", float(calibration.ece[0]))
    assert f"**{int(table.n_wrong[0])}** answers are wrong" in visit.text


def test_the_worst_subtree_is_two_presses_away(demo):
    """Worst is what has the most wrong answers beyond those of the rate of all samples, not what is largest."""
    visit = Visit("taxonomy")
    table = hv.diagnosis.node_table(demo.models["flat-softmax"], "threshold", 0.5)
    children = demo.taxonomy.children[0]
    beyond = table.n_wrong[children] - table.support[children] * table.n_wrong[0] / table.support[0]
    worst = int(children[np.argmax(beyond)])
    assert worst != children[np.argmax(table.n_wrong[children])]
    title, more = demo.taxonomy.title(worst), f"{beyond.max():.1f} more than expected"
    share = percent_text(table.correct[worst], 1)
    assert f"Worst subtree: {title}, {int(table.n_wrong[worst])} of {table.support[worst]} wrong" in visit.text
    visit.press(f"{title} · {more}: {int(table.n_wrong[worst])} of {table.support[worst]} ({share} correct)")
    assert visit.query["under"] == demo.taxonomy.names[worst]
    assert next(iter(rows(visit))) == title
    # The samples of the other pages are those of this subtree.
    visit.go("example")
    assert f"Truth in {title}" in {one.label for one in visit.at.button}
    visit.go("taxonomy")
    visit.press("Show all classes")
    assert "under" not in visit.query


def test_presses_in_the_table(demo):
    visit = Visit("taxonomy")
    taxonomy = demo.taxonomy
    first = int(taxonomy.children[0][0])
    did(visit, "toggle", f"0/{first}")
    shown = {taxonomy.title(node) for node in taxonomy.children[first].tolist()}
    assert shown <= set(rows(visit))
    did(visit, "toggle", f"0/{first}")
    assert not shown & set(rows(visit))
    did(visit, "sort", "recall")
    assert visit.query["node_order"] == "recall"
    by_recall = [float(cells["recall"]) for cells in list(rows(visit).values())[1:]]
    assert by_recall == sorted(by_recall)
    did(visit, "sort", "recall")
    assert visit.query["node_order"] == "recall-reversed"
    did(visit, "sort", "recall")
    assert visit.query["node_order"] == "tree"
    assert list(rows(visit))[1:] == [taxonomy.title(node) for node in taxonomy.children[0].tolist()]
    did(visit, "enter", f"0/{first}")
    assert visit.query["under"] == taxonomy.names[first]
    for nonsense in ("x", "0/999999", "", "-1"):
        did(visit, "enter", nonsense)
    assert visit.query["under"] == taxonomy.names[first]


def test_search_and_one_level(demo):
    visit = Visit("taxonomy")
    visit.control("Search").set_value("AIR")
    visit.run()
    assert "aircraft" in rows(visit)
    assert all("air" in title.casefold() for title in rows(visit))
    visit.control("Search").set_value("zzz")
    assert "No class of this subtree has this name" in visit.run().at.info[0].value
    visit.control("Search").set_value("")
    visit.run()
    visit.control("Rows").set_value("depth-2")
    assert visit.run().query["node_rows"] == "depth-2"
    table, taxonomy = hv.diagnosis.node_table(demo.models["flat-softmax"], "threshold", 0.5), demo.taxonomy
    here = np.flatnonzero(taxonomy.depth == 2)
    assert set(rows(visit)) == {taxonomy.title(node) for node in here.tolist()}
    assert int(next(iter(rows(visit).values()))["n_wrong"]) == table.n_wrong[here].max()


@pytest.mark.parametrize("aspect", ["icicle", "treemap", "calibration", "levels"])
def test_every_part_says_what_it_shows(demo, aspect):
    visit = Visit("taxonomy", aspect=aspect, under="aircraft")
    assert not visit.at.error
    assert len(visit.charts()) == {"calibration": 3, "levels": 1}.get(aspect, 0)
    # Each says what it shows, in words of its own.
    table = hv.diagnosis.node_table(demo.first, "threshold", 0.5)
    node, text = demo.taxonomy.node("aircraft"), visit.text
    said = {
        "icicle": lambda: charts.subtree_icicle(table, node, width=1270, height=610).sentence,
        "treemap": lambda: charts.mistake_treemap(table, node, width=1270, height=610).sentence,
        "levels": lambda: charts.level_bars(subtree_levels(judged_answers(demo.first, "threshold"), node)).sentence,
        "calibration": lambda: "a calibrated model would show",
    }[aspect]()
    assert all(part.strip(".") in text for part in said.split(". "))


@pytest.mark.parametrize("aspect", ["icicle", "treemap"])
def test_a_class_that_is_zoomed_into_is_that_of_the_page_and_the_picture_stays(demo, aspect):
    visit = Visit("taxonomy", aspect=aspect)
    start = visit.zoom
    assert start["name"] == demo.taxonomy.names[0]
    visit.choose_class("watercraft")
    assert visit.query["under"] == "watercraft"
    table = hv.diagnosis.node_table(demo.first, "threshold", 0.5)
    make = charts.subtree_icicle if aspect == "icicle" else charts.mistake_treemap
    said = make(table, demo.taxonomy.node("watercraft"), width=1270, height=610).sentence
    assert all(part.strip(".") in visit.text for part in said.split(". "))
    # It is a filter of all pages, said next to the headline.
    assert [one.label for one in visit.at.button if str(one.key).startswith("chip-")] == ["Truth in watercraft"]
    # The same record as before, zoomed into.
    assert visit.zoom == start | {"name": "watercraft", "heard": 1}
    # A leaf is seen in its parent; the root is all classes.
    visit.choose_class("canoe")
    assert visit.query["under"] == "paddled boat"
    visit.at.button("chip-under").click()
    visit.run()
    assert "under" not in visit.query
    assert visit.zoom == start | {"heard": 2}
    visit.choose_class("watercraft")
    visit.choose_class(demo.taxonomy.names[0])
    assert "under" not in visit.query
    assert visit.zoom == start | {"heard": 4}


def test_the_record_of_a_picture_is_not_sent_with_each_choice(demo):
    """What changes with a choice is a message of its own; that with the record is the same byte for byte, so it is not sent."""
    visit = Visit("taxonomy", aspect="icicle")
    messages = []
    for name in ("", "watercraft", "road vehicle"):
        if name:
            visit.choose_class(name)
        messages.append([visit.component(f"hierviz_zoom{end}").proto for end in ("", "_record")])
    (choices, records) = zip(*messages, strict=True)
    assert len({one.json for one in choices}) == 3
    assert len({one.SerializeToString() for one in records}) == 1
    assert max(len(one.json) for one in choices) < 1000 < 3000 < len(records[0].json)


def test_a_class_without_samples_or_mistakes_is_seen_in_the_class_above_it(tmp_path):
    data = world(tmp_path, scores=spread(12), truth=["violin"] * 12)
    empty = next(leaf for leaf in LEAVES if leaf != "violin")
    taxonomy = data.taxonomy
    visit = Visit("taxonomy", data=data.key, aspect="icicle", under=empty)
    assert "No sample has a truth below this class." in [one.value for one in visit.at.info]
    shared = [
        node for node in taxonomy.path(taxonomy.node(empty)) if taxonomy.is_ancestor(node, taxonomy.node("violin"))
    ]
    assert visit.zoom["name"] == taxonomy.names[int(shared[-1])]


def test_filters_of_all_pages_apply(demo):
    visit = Visit("taxonomy", where="far=yes")
    model = demo.models["flat-softmax"]
    answers = hv.evaluation.judged_answers(model, "threshold", 0.5)
    some = answers.take(hv.diagnosis.filtered(answers, hv.diagnosis.SampleFilter(where=(("far", "yes"),))))
    assert rows(visit)["vehicle"]["support"] == str(some.n_judged)
    assert rows(visit)["vehicle"]["n_wrong"] == str(int(some.is_wrong.sum()))


def test_several_labels(shared_data):
    folder = shared_data / "germeval2019"
    data = shelve(
        taxonomy=str(folder / "taxonomy_1b.csv"),
        predictions=(str(folder / "pred_1b_EricssonResearch__fconv_A6C1Y.csv.gz"),),
        truth=str(folder / "truth_1b.csv.gz"),
    )
    visit = Visit("taxonomy", data=data.key)
    table = hv.diagnosis.node_table(data.first)
    node = data.taxonomy.node("Sachbuch")
    assert rows(visit)["Sachbuch"]["missed"] == f"{table.missed[node]:,}"
    assert "several true classes" in visit.text
    assert len(Visit("taxonomy", data=data.key, aspect="levels").charts()) == 1
    for aspect in ("icicle", "treemap"):
        assert len(Visit("taxonomy", data=data.key, aspect=aspect).zoom["record"]["rows"]["node"]) > 100
    visit = Visit("taxonomy", data=data.key, aspect="calibration")
    assert "Calibration needs scores" in visit.at.info[0].value
    # The example needs no data.
    assert len(visit.charts()) == 1


def test_calibration_of_a_subtree_is_that_of_the_answers_in_it(demo):
    """The depths from the class down, of the samples that are answered there; not those of all samples, and said."""
    taxonomy, model = demo.taxonomy, demo.first
    node = taxonomy.node("aircraft")
    answers = hv.evaluation.judged_answers(model, "threshold", threshold=0.5)
    inside = taxonomy.is_ancestor(node, answers.predicted)
    below = taxonomy.depth[taxonomy.subtree(node)]
    found = hv.diagnosis.reliability(answers.take(inside), depths=range(below.min(), below.max() + 1))
    visit = Visit("taxonomy", aspect="calibration", under="aircraft")
    n_true = int(taxonomy.is_ancestor(node, answers.truth).sum())
    assert 0 < inside.sum() != n_true
    assert f"**{inside.sum()} samples whose answer is *aircraft* or a class below it**, not the {n_true}" in visit.text
    assert charts.reliability_diagram(found, np.arange(len(found))).sentence in visit.text
    # The classes, too, are those of the subtree.
    assert f"of all {answers.n_judged} samples" not in visit.text
    whole = Visit("taxonomy", aspect="calibration").text
    assert "samples whose answer is" not in whole
    found = hv.diagnosis.reliability(answers, depths=range(1, taxonomy.max_depth + 1))
    assert charts.reliability_diagram(found, np.arange(len(found))).sentence in whole


@pytest.mark.long
def test_graph_and_no_truth(tmp_path):
    edges = [*EDGES, ("strings", "oboe")]
    truth = [LEAVES[i % 6] for i in range(40)]
    data = world(tmp_path, edges=edges, scores=spread(40), truth=truth)
    visit = Visit("taxonomy", data=data.key)
    assert "several parents" in visit.text
    did(visit, "toggle", f"0/{data.taxonomy.node('strings')}")
    assert "oboe" in rows(visit)
    visit = Visit("taxonomy", data=data.key, aspect="calibration")
    assert "Depths need a tree" in visit.at.info[0].value
    visit = Visit("taxonomy", data=data.key, under="oboe")
    assert "several parents" in visit.text
    (tmp_path / "none").mkdir()
    data = world(tmp_path / "none", scores=spread(4))
    assert "none has one" in Visit("taxonomy", data=data.key).at.info[0].value


def test_a_fan_is_never_sent_at_once():
    leaves = [f"leaf {i}" for i in range(2101)]
    taxonomy = hv.Taxonomy.from_edges([("root", "fan"), ("root", "other"), *(("fan", leaf) for leaf in leaves)])
    truth = np.arange(3, 2104)
    predictions = hv.Predictions.from_labels(taxonomy, np.where(truth % 5, truth, 3), truth=truth)
    table = hv.diagnosis.node_table(predictions)
    found = tree_rows(table, 0, {"0", "0/1"}, {}, "n_wrong")
    assert [row.kind for row in found] == ["open", "open", *["leaf"] * FIRST, "more", "leaf"]
    assert found[-2].n_more == 2101 - FIRST
    # The classes that are always wrong come first.
    assert all(row.node % 5 == 0 for row in found[2 : 2 + FIRST])
    assert len(tree_rows(table, 0, {"0", "0/1"}, {"0/1": FIRST + MORE})) == 3 + FIRST + MORE + 1
    listed = flat_rows(table, taxonomy.leaves, FIRST, "support")
    assert [row.kind for row in listed] == ["leaf"] * FIRST + ["more"]
    assert len(named(taxonomy, np.arange(taxonomy.n_nodes), "LEAF 210")) == 3
