"""Data sets other than the demo: every page shows something sensible on each, never an exception."""

import csv
import itertools
import json
import math
import re

import numpy as np
import pytest
from small_worlds import EDGES, LEAVES, one_hot, spread, world, write
from visit import PRIVACY, Visit, look_around, plain, shelve

import hierviz as hv
from hierviz.app.state.escape import JOINER, escape


def models_table(visit):
    """The table of models against metrics, which comes after those behind the pictures."""
    return [one.value for one in visit.at.dataframe if "model" in one.value][-1]


@pytest.mark.long
def test_hard_labels(shared_data):
    folder = shared_data / "transposon"
    data = shelve(
        taxonomy=str(folder / "taxonomy.csv"),
        predictions=(str(folder / "pred_RFSB.csv.gz"), str(folder / "pred_HC_GA.csv.gz")),
        truth=str(folder / "truth.csv.gz"),
        truth_column="label_paper",
    )
    pages = look_around(data)
    table = models_table(pages["overview"].all_metrics())
    assert len(table) == 2
    measures = hv.evaluate(list(data.models.values()))["models"][0]["confusion"]
    assert table[hv.METRICS["f1"].label].iloc[0] == pytest.approx(measures["f1"])
    assert "This file contains labels" in pages["overview"].text
    assert "this file holds labels" in pages["curves"].at.info[0].value
    numbers = pages["example"].numbers()
    assert {"tp", "hp", "exact", "info_f1"} <= set(numbers)
    assert "softmax_win" not in numbers
    # All answers and the counts of the paths, in expanders: no probabilities, no win.
    assert len(pages["example"].charts()) == 2
    assert pages["example"].truth
    assert "without probabilities" in pages["example"].ladder["sample"][0]["axis"]


@pytest.mark.long
def test_label_lists_with_several_truths(shared_data):
    folder = shared_data / "germeval2019"
    data = shelve(
        taxonomy=str(folder / "taxonomy_1b.csv"),
        predictions=(
            str(folder / "pred_1b_EricssonResearch__fconv_A6C1Y.csv.gz"),
            str(folder / "pred_1b_Comtravo-DS__local_clf_logit_cnn.csv.gz"),
        ),
        truth=str(folder / "truth_1b.csv.gz"),
    )
    pages = look_around(data)
    assert "are exactly the true classes" in pages["overview"].text
    assert "this file holds labels" in pages["curves"].at.info[0].value
    predictions = data.first.predictions
    row = next(i for i in range(predictions.n_samples) if predictions.truth.lengths[i] > 2)
    visit = Visit("example", data=data.key, sample=predictions.sample_id(row))
    true, parent = predictions.truth[row].tolist(), data.taxonomy.parent
    most_specific = [node for node in true if node not in {int(parent[other]) for other in true}]
    names = [data.taxonomy.title(node) for node in most_specific]
    assert set(names) <= set(visit.truth.split(", "))
    assert visit.answer
    visit.go(data=data.key, sample=predictions.sample_id(row), tree="list")
    assert visit.truth.split(", ") == names


@pytest.mark.long
def test_no_truth(tmp_path):
    data = world(tmp_path, scores=spread(9))
    pages = look_around(data)
    assert "no truth, so answers are not evaluated" in pages["overview"].text
    assert "no sample has a known truth" in pages["curves"].at.info[0].value
    example = pages["example"]
    assert "1 of 9" in example.text
    # All answers.
    assert len(example.charts()) == 1
    assert not example.numbers()
    assert example.answer
    assert not example.truth
    assert example.step["said"] == "truth unknown"
    assert [one.label for one in example.at.button if not one.disabled and one.label == "Next"]
    assert example.press("Next").sample == "s1"
    # The tree and the answers by threshold.
    charts = Visit("example", data=data.key, tree="icicle").charts()
    assert [below.type for _, below in charts] == ["markdown"] * 3


def test_graph_with_several_parents(tmp_path):
    # The organ is a wind and a keyboard instrument.
    edges = [*EDGES, ("instrument", "keys"), ("keys", "piano"), ("keys", "organ"), ("winds", "organ")]
    leaves = [*LEAVES, "piano", "organ"]
    scores = spread(6, len(leaves))
    data = world(tmp_path, edges=edges, leaves=leaves, scores=scores, truth=["organ", *leaves[:5]])
    pages = look_around(data)
    assert "several parents" in pages["overview"].text
    assert "several parents" in pages["curves"].text
    assert len(pages["curves"].charts()) == 1
    example = pages["example"]
    assert example.answer
    # The truth is known: it is shown, although nothing is judged.
    assert example.truth == "organ"
    assert "No path is predicted; 1 true path is missed." in example.text  # the answer is the root


@pytest.mark.long
def test_real_graph(shared_data, tmp_path):
    path = shared_data / "hierarchies" / "audioset_dag.csv"
    with open(path, encoding="utf-8", newline="") as file:
        edges = [tuple(row) for row in csv.reader(file)]
    parents = {parent for parent, _ in edges}
    leaves = list(dict.fromkeys(child for _, child in edges if child not in parents))
    data = world(tmp_path, edges=edges, leaves=leaves, scores=spread(4, len(leaves)), truth=leaves[:4])
    assert not data.taxonomy.is_tree
    pages = look_around(data)
    assert "1 of 4" in pages["example"].text


@pytest.mark.long
def test_one_single_sample(tmp_path):
    data = world(tmp_path, scores=[[0.25, 0.25, 0.5, 0, 0, 0]], truth=["violin"])
    pages = look_around(data)
    assert "on **1 samples**" not in pages["overview"].text
    example = pages["example"]
    assert "1 of 1" in example.text
    assert all(one.disabled for one in example.at.button if one.label in ("Next", "Previous"))
    # By hand: half of p(strings) = 1/2, and the other half, which the last node keeps whole, of p(violin) = 1/4.
    assert example.numbers()["softmax_win"].proto.popover.label.endswith("**0.375**")
    assert len(pages["curves"].charts()) == 1


@pytest.mark.long
def test_all_correct(tmp_path):
    data = world(tmp_path, scores=one_hot(0, 1, 2, 3, 4, 5), truth=LEAVES)
    pages = look_around(data)
    overview = pages["overview"].text
    assert pages["overview"].says(6, "are exact")
    assert pages["overview"].says(0, "are wrong")
    # There is no mistake to show, so nothing may promise one.
    assert "come first" not in overview
    assert "All 0 mistakes" not in overview
    table = models_table(Visit("curves", data=data.key, panel="models"))
    assert table[hv.METRICS["ap"].label].iloc[0] == pytest.approx(1)
    wrong = Visit("example", data=data.key, outcome="wrong")
    assert "No sample matches these filters" in wrong.at.info[0].value


@pytest.mark.long
def test_all_wrong(tmp_path):
    data = world(tmp_path, scores=one_hot(5, 5, 5, 5), truth=["violin", "flute", "oboe", "cello"])
    pages = look_around(data)
    assert pages["overview"].says(4, "are wrong")
    assert "All 4 mistakes" in pages["overview"].text
    labels = {key: block.proto.popover.label for key, block in pages["example"].numbers().items()}
    assert labels["softmax_win"].endswith("**0.000**")
    assert labels["cross_entropy"].endswith("**∞**")
    assert labels["exact"].endswith("**no**")


@pytest.mark.long
def test_constant_scores(tmp_path):
    scores = np.full((8, 6), 1 / 6)
    data = world(tmp_path, scores=scores, truth=[LEAVES[i % 6] for i in range(8)])
    pages = look_around(data)
    # No class holds more than one half, so the answer at 0.5 is the root: right, and saying nothing.
    assert pages["overview"].says(8, "are no answer")
    assert pages["example"].answer == "instrument"
    assert pages["example"].numbers()["info_recall"].proto.popover.label.endswith("**0.000**")


@pytest.mark.long
def test_fan_of_2101_siblings_with_long_names(tmp_path):
    n = 2101
    names = [f"Dendrocalamus {'very-' * (i % 6)}long species name number {i:04d}" for i in range(n)]
    edges = [
        ("Plantae", "Bambusoideae of the whole world"),
        *(("Bambusoideae of the whole world", one) for one in names),
    ]
    edges.append(("Plantae", "moss"))
    leaves = [*names, "moss"]
    scores = np.zeros((3, n + 1))
    scores[0, :8] = 1 / 8
    scores[1, :2048] = 1 / 2048
    scores[2, n] = 1
    data = world(tmp_path, edges=edges, leaves=leaves, scores=scores, truth=[names[3], names[2000], "moss"])
    pages = look_around(data)
    assert f"**{n + 1:,} leaf classes**" in pages["overview"].text
    for sample, trees in {"s1": ("icicle", "node-link", "list"), "s2": ("icicle",)}.items():
        for tree in trees:
            visit = Visit("example", data=data.key, sample=sample, tree=tree)
            assert visit.sample == sample
            assert len(visit.charts()) == 5
            assert all(len(chart.proto.spec) < 500_000 for chart, _ in visit.charts())
    assert "Dendrocalamus" in Visit("example", data=data.key, sample="s1").truth


def test_a_drawing_without_room_is_not_offered_and_says_why(tmp_path):
    """On deep samples all three drawings were the same list, whatever was chosen."""
    steps = ["life", *(f"level {i}" for i in range(1, 13)), "deep"]
    edges = [*itertools.pairwise(steps), ("life", "shallow"), ("life", "flat")]
    leaves = ["deep", "shallow", "flat"]
    scores = [[0.5, 0.25, 0.25], [0, 0.5, 0.5]]
    data = world(tmp_path, edges=edges, leaves=leaves, scores=scores, truth=["deep", "shallow"])
    visit = Visit("example", data=data.key, sample="s0", tree="node-link", rule="leaf")
    assert visit.control("Drawing").value == "node-link"
    reason = "14 levels side by side need 1,344 pixels, there are 792"
    assert f"Blocks and Branches are not possible here: {reason}." in visit.text
    assert "drawn as a list" not in visit.charts()[0][0].proto.spec
    # The next sample has room again: the wish was kept.
    visit.go(sample="s1", tree="node-link", rule="leaf", data=data.key)
    assert visit.control("Drawing").value == "node-link"
    assert "not possible" not in visit.text


@pytest.mark.long
def test_scores_with_several_truths(tmp_path):
    data = world(tmp_path, scores=spread(5), truth=["violin;flute", "drum", "oboe", "cello;drum;flute", "flute"])
    pages = look_around(data)
    assert "truth lists several" in pages["curves"].text
    assert len(pages["curves"].charts()) == 1
    assert "Ranked by lost hierarchical F1" in pages["example"].text
    example = Visit("example", data=data.key, sample="s0", rule="majority")
    assert example.truth == "violin, flute"
    # What is known is said and drawn, and what two pages judge is named.
    assert "truth unknown" not in example.step["said"]
    drawn = {bar["name"] for bar in example.ladder["bars"] if bar.get("truth")}
    assert drawn == {"violin", "flute"}
    blocks = Visit("example", data=data.key, sample="s0", rule="majority", tree="icicle").text
    assert "the truth is not known" not in blocks
    assert "the 2 true classes violin (p = " in blocks
    assert (
        "This sample has several true classes. The answer shown is the one class of the inference rule" in example.text
    )
    assert "Several classes" not in Visit("example", data=data.key, sample="s1").text
    # One answer on the Overview: the set, and the same set as paths.
    entry = hv.evaluate(data.first, rule="threshold_set", threshold=0.5)["models"][0]
    table = models_table(pages["overview"].all_metrics())
    for block, key in (("labels", "micro_f1"), ("confusion", "f1"), ("confusion", "mcc")):
        assert table[hv.METRICS[key].label].iloc[0] == pytest.approx(entry[block][key])
    text = pages["overview"].text
    assert "the set of all classes with a score above τ = 0.5**: Micro F1" in text
    assert "as the smallest set of paths through all its classes**: Precision (PPV)" in text


@pytest.mark.long
def test_texts(shared_data):
    folder = shared_data / "hwv"
    data = shelve(
        taxonomy=str(folder / "hwv.taxonomy"),
        predictions=(str(folder / "pred_flat.npz"),),
        truth=str(folder / "test.csv"),
    )
    pages = look_around(data)
    entry = hv.evaluate(list(data.models.values()))["models"][0]
    table = models_table(pages["overview"].all_metrics())
    assert table[hv.METRICS["softmax_win"].label].iloc[0] == pytest.approx(entry["distribution"]["softmax_win"])
    visit = Visit("example", data=data.key, sample="0")
    lines = " ".join(visit.ladder["sample"][0]["text_wide"])
    assert lines.startswith("Boletus edulis (English: cep, penny bun, porcino or porcini)")
    assert visit.truth == "Fungi"
    listed = Visit("example", data=data.key, sample="0", tree="list").text
    assert "> Boletus edulis (English: cep, penny bun, porcino or porcini)" in listed
    assert "Truth: **Fungi**" in listed
    assert "Biological and health sciences › Organisms › Fungi" in listed
    table = next(one.value for one in pages["example"].at.dataframe if "answer" in one.value.columns)
    assert "truth" in table.columns


@pytest.mark.long
def test_scores_beside_labels(tmp_path):
    """One model with scores and one of labels: both can be chosen on every page."""
    taxonomy = write(tmp_path / "taxonomy.csv", [("parent", "child"), *EDGES])
    ids, scores = [f"s{i}" for i in range(6)], spread(6)
    data = shelve(
        taxonomy=taxonomy,
        predictions=(
            write(
                tmp_path / "scores.csv",
                [("sample_id", *LEAVES), *([one, *row] for one, row in zip(ids, scores.tolist()))],
            ),
            write(tmp_path / "labels.csv", [("sample_id", "label"), *zip(ids, LEAVES)]),
            write(tmp_path / "lists.csv", [("sample_id", "labels"), *((one, "violin;drum") for one in ids)]),
        ),
        truth=write(tmp_path / "truth.csv", [("sample_id", "truth"), *zip(ids, LEAVES)]),
    )
    look_around(data)
    for model in data.models:
        for page in ("overview", "curves", "example"):
            visit = Visit(page, data=data.key, model=model)
            assert not visit.at.error, [model, page, visit.at.error[0].value]
            assert visit.at.title


# A name for each thing that Markdown, HTML or LaTeX could read into it.
SIGNS = [
    "<b>bold</b>",
    "<script>alert(1)</script>",
    "$x$ and $y$",
    "*star*",
    "__under__",
    "a|b|c",
    "[a](http://b.example)",
    "![picture](c)",
    "`code`",
    "~~gone~~",
    ":red[alarm]",
    ":material/home:",
    "# heading",
    "back\\slash",
    "R&amp;D",
    "{brace}",
    "http://a.example/x?y=1",
    "see https://a.example now",
    "www.a.example",
    "me@a.example",
    "---",
    "- item",
    "1. one",
    "===",
    ":::box",
    ":smile:",
    ":streamlit:",
    "a -> b",
    "x >= y",
    "<->",
]


def signs_world(folder):
    edges = [("all *things*", "odd $names$"), *(("odd $names$", one) for one in SIGNS), ("all *things*", "plain")]
    leaves = [*SIGNS, "plain"]
    truth = [*SIGNS, "plain"]
    scores = 0.5 * np.eye(len(leaves)) + 0.5 * np.roll(np.eye(len(leaves)), 1, axis=1)
    # Every third sample is all wrong.
    scores[::3] = np.roll(np.eye(len(leaves)), 1, axis=1)[::3]
    return world(
        folder,
        edges=edges,
        leaves=leaves,
        scores=scores,
        truth=truth,
        extra={"*note*": ["$5$ <i>x</i>"] * len(leaves), "www.column.example": ["at me@b.example"] * len(leaves)},
        name="my *best* $model$ www.b.example.csv",
        ids=[*SIGNS, "last"],
    )


def unescaped(visit, texts):
    """(text, Markdown) of all texts that stand in Markdown as they are, where they would be read as Markdown."""
    found = []
    for markdown in visit.markdown():
        for text in texts:
            # These are read as Markdown at the start of a line only.
            before = "(?m:^)" if text in ("---", "- item", "1. one", "===") else rf"(?<![\\{JOINER}])"
            found += [(text, markdown[:160])] if re.search(before + re.escape(text), markdown) else []
    return found


@pytest.mark.parametrize("text", [*SIGNS, "    code", "two\n\nlines", "key :b", "C++ 12:30 > 11:00"])
def test_escaped_text_is_shown_as_it_is(text):
    """What the browser makes of it is tested in `tests/browser/test_names.py`."""
    escaped = escape(text)
    assert plain(escaped) == " ".join(re.split("\n+", text))
    # No address, emoji, icon or arrow stands in one piece when the backslashes are gone.
    bare = re.sub(r"\\(.)", r"\1", escaped)
    assert not re.search(r"://\w|www\.|\w@\w|:[-+\w]+:|:material/|(?<!\S)(<->|->|<-|--|[<>~]=)(?!\S)", bare)
    assert not re.match(r"[-+*=#>]|\s|\d+[.)]", escaped)


@pytest.mark.long
def test_names_that_look_like_markup(tmp_path):
    data = signs_world(tmp_path)
    texts = [*SIGNS, "all *things*", "odd $names$", "$5$ <i>x</i>", "*note*", "*best*", "$model$"]
    texts += ["www.b.example", "me@b.example", "www.column.example"]
    pages = look_around(data)
    for page, visit in pages.items():
        assert unescaped(visit, texts) == [], page
    visit = None
    for name in SIGNS:
        # The ladder is no Markdown; the list has names in it.
        assert Visit("example", data=data.key, sample=name).truth == name
        query = {"data": data.key, "sample": name, "tree": "list"}
        visit = visit.go(**query) if visit else Visit("example", **query)
        assert visit.sample == name
        assert visit.truth == name
        assert unescaped(visit, texts) == [], name


@pytest.mark.long
def test_names_that_look_like_markup_in_a_graph(tmp_path):
    """The class with several parents is named where the pages say what they leave out."""
    name = "![x](http://evil.example/x.png)"
    edges = [("thing", "left"), ("thing", "right"), ("left", name), ("right", name), ("right", "plain")]
    data = world(tmp_path, edges=edges, leaves=[name, "plain"], scores=np.eye(2), truth=[name, "plain"])
    for page, visit in look_around(data).items():
        assert unescaped(visit, [name]) == [], page


def test_names_reach_tables_unchanged(tmp_path):
    data = signs_world(tmp_path)
    visit = Visit("example", data=data.key)
    table = next(one.value for one in visit.at.dataframe if "answer" in one.value.columns)
    assert set(table["truth"]) <= {*SIGNS, "plain"}
    assert visit.control("Truth in subtree").options == ["all", "odd $names$"]


@pytest.mark.parametrize("kind", ["no truth", "label lists", "all correct, wrong asked for"])
def test_privacy_line_where_a_page_ends_early(tmp_path, kind):
    if kind == "label lists":
        taxonomy = write(tmp_path / "taxonomy.csv", [("parent", "child"), *EDGES])
        labels = write(tmp_path / "labels.csv", [("sample_id", "labels", "truth"), ("a", "violin;drum", "violin")])
        visit = Visit("curves", data=shelve(taxonomy=taxonomy, predictions=(labels,)).key)
    elif kind == "no truth":
        visit = Visit("curves", data=world(tmp_path, scores=spread(3)).key)
    else:
        data = world(tmp_path, scores=one_hot(0, 1), truth=["violin", "cello"])
        visit = Visit("example", data=data.key, outcome="wrong")
    assert visit.at.info
    assert PRIVACY in [one.value for one in visit.at.caption]


@pytest.mark.long
def test_empty_labels(tmp_path):
    taxonomy = write(tmp_path / "taxonomy.csv", [("parent", "child"), *EDGES])
    rows = [("sample_id", "labels", "truth"), ("a", "", "violin"), ("b", "drum", "drum"), ("c", "reeds", "oboe")]
    data = shelve(taxonomy=taxonomy, predictions=(write(tmp_path / "labels.csv", rows),))
    pages = look_around(data)
    assert pages["overview"].says(1, "are exact")
    # The empty answer says nothing, and reeds is above oboe.
    assert pages["overview"].says(1, "are correct but coarse")
    assert pages["overview"].says(1, "are no answer")
    assert Visit("example", data=data.key, sample="a").answer == "instrument"


@pytest.mark.long
def test_partly_known_truth(tmp_path):
    data = world(tmp_path, scores=spread(4), truth=["violin", "", "flute", ""])
    pages = look_around(data)
    assert "2 with known truth" in pages["overview"].text
    assert "1 of 2" in pages["example"].text
    assert math.isfinite(models_table(pages["overview"].all_metrics())[hv.METRICS["softmax_win"].label].iloc[0])
    assert len(pages["curves"].charts()) == 1


def test_no_chart_is_squeezed_into_the_width_of_its_plot(tmp_path):
    """Streamlit fits a single view with its axes into its width and its height, unless the specification says otherwise."""
    data = world(tmp_path, scores=spread(12), truth=[*LEAVES, *LEAVES][:12])
    shown = [chart for chart, _ in Visit("compare", data=data.key, comparison="groups").charts()]
    assert shown
    for chart in shown:
        assert json.loads(chart.proto.spec)["autosize"]["type"] in ("pad", "fit-x")
