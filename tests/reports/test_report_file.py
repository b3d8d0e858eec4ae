"""One HTML file of some models: its numbers, what it asks for, names that are markup, pictures, inputs of every kind."""

import base64
import hashlib
import json
import re
import shlex
from html import escape

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli
from hierviz.charts import threshold_text
from hierviz.messages.number_text import percent_text
from hierviz.reports import ReportRun, ReportSamples
from hierviz.reports.markup import all_numbers, overview_table
from hierviz.reports.report_samples import chosen_samples, sample_pictures
from hierviz.reports.story_step import StoryStep
from hierviz.thresholds.most_specific import most_specific
from tests.reports.report_cases import HOSTILE, Seen, hostile_predictions, numbers_of, packed_of
from tests.small_tree import EDGES


@pytest.fixture(scope="module")
def predictions():
    return hostile_predictions()


@pytest.fixture(scope="module")
def made(predictions):
    return hv.report(
        [predictions, hostile_predictions(seed=1, name="other")],
        "threshold",
        0.6,
        title=HOSTILE[2],
        notes=f"{HOSTILE[0]}\n\n{HOSTILE[1]}",
        samples=ReportSamples(worst=1, random=0, named=[str(predictions.ids[5])]),
        run=ReportRun(command=f"hierviz report {HOSTILE[2]}"),
    )


def test_the_numbers_are_those_of_evaluate(made, predictions):
    numbers = hv.evaluate([predictions, hostile_predictions(seed=1, name="other")], "threshold", 0.6, more=True)
    assert made.evaluate == numbers
    held = numbers_of(made.html)
    assert held == {"hierviz": hv.__version__, "command": f"hierviz report {HOSTILE[2]}", "evaluate": numbers}


def test_conformal_nodes_that_were_asked_for_are_in_the_overview(predictions):
    found = hv.evaluation.conformal_of_model(predictions, 0.5)
    made = hv.report(predictions, samples=ReportSamples(worst=1, random=0), run=ReportRun(conformal=[found]))
    assert made.evaluate["models"][0]["conformal"] == found.to_json()
    assert escape(found.sentence) in made.html.replace("\u00a0", " ")
    assert percent_text(found.root_share, 1).replace(" ", "\u00a0") in made.html


def test_numbers_with_and_without_further_blocks(predictions):
    """An evaluation has some blocks on request only: the tables hold what is there."""
    plain, more = (hv.evaluate(predictions, more=more)["models"] for more in (False, True))
    assert overview_table(plain) == overview_table(more)
    assert "Random cuts" in all_numbers(more)
    assert "Random cuts" not in all_numbers(plain)
    assert all(title in all_numbers(plain) for title in ("Label sets", "All thresholds", "Hierarchical confusion"))
    # Of models with and without them, a dash where there is none.
    assert "<td>–</td>" in all_numbers([*plain, *more])
    only = [{key: value for key, value in model.items() if key not in ("curve", "labels")} for model in plain]
    assert "softmax" not in overview_table(only)


def test_it_asks_for_nothing(made):
    seen = Seen(made.html)
    assert seen.links
    assert [link for link in seen.links if not link.startswith(("#", "data:"))] == []
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', made.html)[1]
    assert policy.startswith("default-src 'none';")
    scripts = re.findall(r"<script>(.*?)</script>", made.html, re.S)
    assert len(scripts) == 2
    for script in scripts:
        assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
    assert made.html.count("vegaEmbed=") + made.html.count(".vegaEmbed") >= 1


def test_names_that_are_markup_stay_text(made):
    seen = Seen(made.html)
    n_packed = made.html.count('<script type="text/plain"')
    assert seen.tags["script"] == 3 + n_packed
    assert seen.handlers == []
    assert set(seen.tags) <= {
        *(
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "header",
            "h1",
            "h2",
            "h3",
            "h4",
            "nav",
            "a",
            "main",
            "section",
        ),
        *(
            "p",
            "b",
            "i",
            "span",
            "div",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "dl",
            "dt",
            "dd",
            "details",
            "summary",
        ),
        *("figure", "figcaption", "blockquote", "ul", "li", "pre", "code", "noscript", "script"),
    }
    text = "".join(seen.texts)
    for name in HOSTILE[:3]:
        assert name in text


@pytest.mark.long
def test_the_same_input_gives_the_same_bytes(predictions):
    samples = ReportSamples(worst=0, random=1, seed=4)
    first, again = (hv.report(predictions, samples=samples).html for _ in range(2))
    assert first == again


def test_what_the_browser_unfolds(made, predictions):
    tree, matrix = packed_of(made.html, "taxonomy-tree"), packed_of(made.html, "matrix")
    taxonomy = predictions.taxonomy
    assert tree["titles"] == list(taxonomy.names)
    found = hv.diagnosis.matrix(predictions, "threshold", 0.6, open_nodes=np.flatnonzero(~taxonomy.is_leaf))
    assert sum(matrix["count"]) == predictions.n_samples
    cells = dict(zip(zip(matrix["truth"], matrix["answer"], strict=True), matrix["count"], strict=True))
    for row, column, count in zip(found.row, found.column, found.count, strict=True):
        assert cells[found.row_nodes[row], found.column_nodes[column]] == count
    values = packed_of(made.html, "taxonomy-values")
    table = hv.diagnosis.node_table(predictions, "threshold", 0.6)
    texts = {column["label"]: column["texts"] for column in values["columns"]}
    assert texts["Support"] == [str(n) for n in table.support]
    assert texts["Wrong"] == [f"{n:.0f}" for n in table.n_wrong]
    curves = packed_of(made.html, "curves")
    assert set(curves["specs"]) == {"light-wide", "dark-wide", "light-narrow", "dark-narrow"}


def test_chosen_samples(predictions):
    evaluation = hv.Evaluation.from_predictions(predictions)
    ids = predictions.ids[[7, 5]].tolist()
    named, worst, drawn = chosen_samples(evaluation, ReportSamples(3, 39, 1, ids), rule="majority", threshold=0.5)
    assert [predictions.sample_id(row) for row in worst[1]] == hv.diagnosis.worst(predictions, 3)
    assert named[1] == [7, 5]
    assert drawn[0] == "Random samples (seed 1)"
    assert len(set(drawn[1])) == 39
    assert chosen_samples(evaluation, ReportSamples(0, 40), rule="majority", threshold=0.5)[0][1] != list(range(40))
    with pytest.raises(hv.PredictionsError, match=r"^samples: expected ids of samples of <b>model</b>, such as "):
        hv.report(predictions, samples=ReportSamples(named=["nobody"]))
    with pytest.raises(hv.PredictionsError, match=r"^worst: expected a whole number from 0, got -1\."):
        ReportSamples(worst=-1)
    with pytest.raises(hv.PredictionsError, match=r"^model: expected one of <b>model</b>, got 'x'\."):
        hv.report(predictions, model="x")
    with pytest.raises(hv.PredictionsError, match=r"^max_mb: expected a number of megabytes from 0, got 'x'\."):
        ReportSamples(max_mb="x")


class Pictures:
    """Pictures of so many bytes as `most` pixels a side."""

    def png(self, name, most=None):
        return b"x" * (most or 1000) ** 2


@pytest.mark.long
def test_pictures_keep_to_their_budget(predictions):
    some = predictions.replace(media=Pictures(), attributes={"image": predictions.ids})
    rows = [3, 1, 3, 0, 2]
    whole, note = sample_pictures(some, rows, 5)
    assert list(whole) == [3, 1, 0, 2]
    assert note == ""
    smaller, note = sample_pictures(some, rows, 0.4)
    assert len(smaller) == 4
    assert note == "Pictures were reduced to 240 pixels to keep to 0.4 MB of pictures."
    fewer, note = sample_pictures(some, rows, 0.03)
    assert list(fewer) == [3]
    assert (
        note == "Pictures were reduced to 120 pixels and 3 of 4 pictures were left out to keep to 0.03 MB of pictures."
    )
    for pictures, most in ((whole, 5e6), (smaller, 0.4e6), (fewer, 0.03e6)):
        assert sum(map(len, pictures.values())) <= most
    made = hv.report(some, samples=ReportSamples(worst=2, random=0, max_mb=0.03))
    assert made.left_out in "".join(Seen(made.html).texts)
    assert Seen(made.html).tags["img"] == 1


@pytest.mark.long
def test_every_kind_of_input(taxonomy):
    labels = hv.Predictions.from_labels(taxonomy, [[2, 5], [3], []], truth=[[2], [3, 6], [5]])
    hard = hv.Predictions.from_labels(taxonomy, taxonomy.nodes("cat", "newt"), truth=taxonomy.nodes("cat", "dog"))
    p = np.array([[0.5, 0.25, 0.125, 0.125], [0.125, 0.125, 0.25, 0.5]])
    unknown = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities")
    several = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=[[2, 5], [6]])
    graph = hv.Taxonomy.from_edges([*EDGES, ("bird", "newt")])
    names = [taxonomy.names[node] for node in taxonomy.leaves]
    of_graph = hv.Predictions.from_scores(
        graph, p, "leaf_probabilities", scored_nodes=graph.nodes(*names), truth=graph.nodes("cat", "newt")
    )
    for found, sections in (
        (labels, {"matrix", "taxonomy"}),
        (hard, {"matrix", "taxonomy"}),
        (unknown, {"taxonomy"}),
        (several, {"curves", "matrix", "taxonomy"}),
        (of_graph, {"curves", "matrix", "taxonomy"}),
    ):
        html = hv.report(found, samples=ReportSamples(random=1)).html
        assert (
            set(re.findall(r'<section id="(\w+)"', html)) - {"overview", "examples", "numbers", "files", "about"}
            == sections
        )
        assert numbers_of(html)["evaluate"] == hv.evaluate(found, more=True)


def test_the_command(tmp_path, predictions, capsys, monkeypatch):
    for name, data in (("taxonomy", None), ("scores", predictions)):
        path = str(tmp_path / f"{name}.csv")
        hv.write_taxonomy(predictions.taxonomy, path) if data is None else hv.write_predictions(data, path)
    files = ["--taxonomy", str(tmp_path / "taxonomy.csv"), "--predictions", f"m={tmp_path / 'scores.csv'}"]
    out = str(tmp_path / "report.html")
    assert cli.main(["report", *files, "--rule", "threshold", "--note", "A <b>note</b>", "--out", out]) == 0
    assert cli.main(["evaluate", *files, "--rule", "threshold", "--more", "--json", str(tmp_path / "out.json")]) == 0
    html = (tmp_path / "report.html").read_text("utf-8")
    held = numbers_of(html)
    assert held["evaluate"] == json.loads((tmp_path / "out.json").read_text("utf-8"))
    # It names files; where they lie on this machine is told when it is asked for.
    assert str(tmp_path) not in html
    assert held["command"].startswith("hierviz report --taxonomy taxonomy.csv --predictions m=scores.csv ")
    assert held["command"].endswith("--note 'A <b>note</b>' --out report.html")
    assert "A &lt;b&gt;note&lt;/b&gt;" in html
    # The command makes the same file again.
    (tmp_path / "report.html").unlink()
    with monkeypatch.context() as patch:
        patch.chdir(tmp_path)
        assert cli.main(shlex.split(held["command"])[1:]) == 0
    assert (tmp_path / "report.html").read_text("utf-8") == html
    assert cli.main(["report", *files, "--folders", "--out", out]) == 0
    assert shlex.split(numbers_of((tmp_path / "report.html").read_text("utf-8"))["command"]) == [
        *("hierviz", "report", *files, "--folders", "--out", out)
    ]
    # Views of links come first, with words that say what they show.
    view = ["--view", "http://localhost:8501/curves?data=x&model=m&threshold=0.25", "--view", "taxonomy"]
    assert cli.main(["report", *files, "--rule", "threshold", *view, "--out", out]) == 0
    html = (tmp_path / "report.html").read_text("utf-8")
    assert '<p class="caption">m</p>' in html  # no truth
    assert html.count('<article class="step"') == 2
    capsys.readouterr()  # the notes of the runs above
    for wrong, said in (
        ([*files, "--view", "learn?x=1", "--out", out], "--view: expected the link of a page of the app (overview, "),
        (["--out", out], "report: expected one of --predictions, --model and --demo, got none."),
        (
            ["--demo", *files, "--out", out],
            "report: expected one of --predictions, --model and --demo, got --demo and ",
        ),
        (
            ["--model", "m.onnx", "--taxonomy", "t.csv", "--out", out],
            "report: expected --inputs with --model, got none.",
        ),
        ([*files, "--sample", "nobody", "--out", out], "--sample: expected ids of samples of m, such as "),
        ([*files, "--look-at", "x", "--out", out], "--look-at: expected one of m, got 'x'."),
    ):
        assert cli.main(["report", *wrong]) == 2
        assert capsys.readouterr().err.startswith(f"hierviz: {said}"), said


def test_a_report_in_place(tmp_path, made):
    made.write(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text("utf-8") == made.html
    with pytest.raises(hv.FileError, match=r"expected a file that can be written"):
        made.write(tmp_path / "none" / "b.html")


def test_the_overview_says_which_model_at_95_percent(predictions, made):
    """The sentence of the app's Overview, with the numbers of the curves."""
    for found in ([predictions], [predictions, hostile_predictions(seed=1, name="other")]):
        curves = {one.name: hv.Evaluation.from_predictions(one).curve for one in found}
        best = most_specific(curves)
        html = hv.report(found, samples=ReportSamples(worst=0, random=0)).html if len(found) == 1 else made.html
        if best is None:
            assert "No model has 95\u00a0% correct answers at any threshold." in html
            continue
        text = " ".join(Seen(html).texts)
        values = curves[best.key].at(best.choice.threshold)
        assert values["correct"] >= 0.95
        assert all(
            curve.values["info_recall"][curve.values["correct"] >= 0.95].max(initial=0) <= values["info_recall"] + 1e-12
            for curve in curves.values()
        )
        for part in (best.key, threshold_text(best.choice.threshold), percent_text(values["info_recall"], 1)):
            assert part.replace(" %", "\u00a0%") in text


@pytest.mark.long
def test_a_view_holds_its_models_and_its_part():
    """What the address says is drawn, and what is not is said."""
    rng = np.random.default_rng(3)
    taxonomy = hv.Taxonomy.from_edges(EDGES)
    truth = rng.choice(taxonomy.leaves, 300)
    hit = np.eye(taxonomy.n_nodes)[truth][:, taxonomy.leaves]
    found = [
        hv.Predictions.from_scores(
            taxonomy,
            share * hit + (1 - share) * rng.dirichlet(np.ones(taxonomy.n_leaves), 300),
            "leaf_probabilities",
            truth=truth,
            name=name,
            attributes={"light": np.where(np.arange(300) % 3 == 0, "night", "day")},
        )
        for name, share in (("one", 0.5), ("two", 0.3), ("three", 0.1))
    ]

    def step(page, **view):
        html = hv.report(
            found, "threshold", samples=ReportSamples(worst=0, random=0), story=(StoryStep(page, view, ""),)
        ).html
        return html, html.split('<article class="step"')[1].split("</article>")[0]

    html, first = step("curves", models="one,three", drawn="bands", threshold="0.6", axes="exact-correct")
    words = json.dumps(packed_of(html, "story-1"))
    assert '"Exact"' in words
    assert "clearly" in first or "not clearly" in first
    assert "bootstrap interval" in first
    assert ('"three"' in words, '"two"' in words) == (True, False)
    assert "Not in this file, of what the page shows: the panel below the curves; marks of rules" in first
    _, first = step("mistakes", part="slices", model="two")
    model = hv.Evaluation.from_predictions(found[1])
    tested = hv.diagnosis.slices(model, "threshold", 0.5)
    assert tested.sentence().replace(" %", "\u00a0%") in first.replace("&#x27;", "'")
    assert "light = night" in first
    for words in ("clearly worse", "shares samples"):
        assert first.count(f">{words}<") == [row.verdict for row in tested.rows[:15]].count(words)
    _, first = step("mistakes", part="labels")
    assert first.count("<tr>") == 1 + min(15, len(hv.diagnosis.label_errors(found[0], "threshold", 0.5)))
    plain, other = (packed_of(step("example", sample="4", tree=tree)[0], "story-1") for tree in ("icicle", "node-link"))
    assert other["specs"] != plain["specs"]
    # The default is the living drawing, of all models, with what the view shows at the start.
    html, first = step("example", sample="4", model="two", rule="threshold", threshold="0.7")
    record = packed_of(html, "story-1")
    assert [one["name"] for one in record["models"]] == ["one", "two", "three"]
    assert (record["id"], record["start"]) == ("4", {"model": 1, "rule": "threshold", "value": 0.7})
    steps = hv.diagnosis.sample_steps(model, 4)
    said = str(steps.sentence[steps.place(0.7)])
    assert f"<p>{said}</p>" in first.replace("&#x27;", "'")
    of_model = [one["sentence"] for one in record["steps"] if (one["m"], one["r"]) == (1, "threshold")]
    assert of_model == steps.sentence.tolist()
    _, first = step("compare", models="one,two")
    assert ('<th scope="row">one</th>' in first, ">three<" in first) == (True, False)
    assert "added or hidden columns" in first
    _, first = step("compare", comparison="pair", model="one", against="two")
    pair = hv.comparison.two_by_two(found[0], found[1])
    assert escape(pair.sentence).replace(" %", "\u00a0%") in first
    assert "the samples of the cells" in first
    _, first = step(
        "compare",
        comparison="pair",
        model="two",
        against="three",
        contrast="tree",
        metric="info_recall",
        threshold="0.5",
    )
    tree = hv.comparison.difference_tree(found[1], found[2], "info_recall", rule="threshold", threshold=0.5)
    assert escape(tree.sentence).replace(" %", "\u00a0%") in first
    # What is zoomed into is where the view is.
    inner = taxonomy.names[int(taxonomy.children[0][0])]
    html, _ = step("compare", comparison="pair", contrast="tree", zoom=inner)
    assert packed_of(html, "story-1")["start"] == inner
    html, _ = step("taxonomy", aspect="icicle", under=inner)
    zoomed = packed_of(html, "story-1")
    assert (zoomed["start"], zoomed["zoom"]["rows"]["name"][0]) == (inner, taxonomy.title(0))
    _, first = step("compare", comparison="pair", contrast="together")
    assert escape(hv.comparison.right_together(found).sentence).replace(" %", "\u00a0%") in first
    _, first = step("compare", comparison="classes")
    assert "Not in this file, of what the page shows: this part of the page Compare." in first
    html, first = step("taxonomy", aspect="levels")
    assert "classes per sample" in first
    at = {"rule": "threshold", "threshold": "0.5", "model": "one"}
    _, first = step("taxonomy", aspect="levels", choices="taxonomy.levels=%22departures%22", **at)
    said = hv.diagnosis.departures(found[0], "threshold", 0.5).sentence
    assert f"one: {said[0].lower()}{said[1:]}" in first
    _, first = step("curves", models="one", panel="changes", to="0.9", **at)
    changes = hv.comparison.answer_changes(found[0], threshold=0.5, to=0.9)
    assert changes.n_changed
    assert changes.sentence in first
    assert "the panel below the curves" not in first
    _, first = step(
        "mistakes", part="matrix", choices="matrix.drawing=%22flow%22", opened="0", **at | {"model": "three"}
    )
    flow = hv.diagnosis.mistake_flow(found[2], "threshold", 0.5)
    assert f"{flow.total['wrong']:,} wrong and {flow.total['coarse']:,} coarse answers of" in first


def test_levels_where_no_path_can_be_left_are_drawn_as_the_page_draws_them():
    """Several labels a sample have no departures, and neither have truths at the root."""
    taxonomy = hv.Taxonomy.from_edges(EDGES)
    levels = {"aspect": "levels", "choices": "taxonomy.levels=%22departures%22"}
    for labels, truth, said in (
        ([[2, 5], [3], []], [[2], [3, 6], [5]], "classes per sample"),
        ([2, 3, 5], [0, 0, 0], ""),
    ):
        model = hv.Predictions.from_labels(taxonomy, labels, truth=truth)
        html = hv.report(
            [model], samples=ReportSamples(worst=0, random=0), story=(StoryStep("taxonomy", levels, "Levels"),)
        ).html
        first = html.split('<article class="step"')[1].split("</article>")[0]
        assert said in first
        assert "the samples of the bars" not in first


def test_two_models_sample_by_sample():
    """A report of several models has their cells, the difference tree and which are right together; one of one model has not."""
    rng = np.random.default_rng(5)
    taxonomy = hv.Taxonomy.from_edges(EDGES)
    truth = rng.choice(taxonomy.leaves, 80)
    models = [
        hv.Predictions.from_labels(
            taxonomy, np.where(rng.random(80) < share, truth, taxonomy.leaves[0]), truth=truth, name=name
        )
        for name, share in (("one", 0.5), ("two", 0.9), ("three", 0.7))
    ]
    alone, two, three = (hv.report(models[:n], samples=ReportSamples(worst=0, random=0)).html for n in (1, 2, 3))
    assert 'id="pair"' not in alone
    assert "A against B" in two
    for html, names in ((two, ("pair-cells", "pair-tree")), (three, ("pair-cells", "pair-tree", "pair-together"))):
        for name in names:
            assert f'id="packed-{name}"' in html
    found = hv.comparison.two_by_two(*models[:2])
    assert escape(found.sentence).replace(" %", "\u00a0%") in two
    cells = [row for rows in packed_of(two, "pair-cells")["specs"].values() for row in [json.dumps(rows)]]
    assert any("wrong-right" in one for one in cells) or "wrong-right" in json.dumps(packed_of(two, "pair-cells"))
    tree = hv.comparison.difference_tree(*models[:2])
    assert packed_of(two, "pair-tree")["zoom"]["rows"]["node"] == hv.charts.difference_tree(tree).record["rows"]["node"]
    assert 'data-zoom="pair-tree"' in two
    assert escape(hv.comparison.right_together(models).sentence).replace(" %", "\u00a0%") in three


@pytest.mark.long
def test_calibration_in_words(tmp_path):
    """Says 0.9 of every answer, half of them are right: the report says what `diagnose` says, and of each depth."""
    hv.write_taxonomy(hv.Taxonomy.from_edges(EDGES), tmp_path / "tree.csv")
    # Of two answers cat one is a dog; mammals are always right.
    lines = [f"s{row},{('cat', 'dog')[row % 2]},0.9,0.1,0,0" for row in range(60)]
    (tmp_path / "scores.csv").write_text("\n".join(["sample_id,truth,cat,dog,duck,newt", *lines]))
    files = ["--taxonomy", str(tmp_path / "tree.csv"), "--predictions", str(tmp_path / "scores.csv")]
    assert cli.main(["diagnose", *files, "--json", str(tmp_path / "out.json")]) == 0
    said = json.loads((tmp_path / "out.json").read_text())["overconfidence"]["sentence"]
    assert said.startswith("Overconfident")
    assert "says 0.90, right 0.50" in said
    assert cli.main(["report", *files, "--out", str(tmp_path / "report.html")]) == 0
    text = "".join(Seen((tmp_path / "report.html").read_text()).texts)
    assert f"Calibration: {said} Overconfident at depth 2 (depth 2 says 0.90, right 0.50" in text


@pytest.mark.long
@pytest.mark.parametrize("how", ["isotonic", "venn-abers"])
def test_confidence_of_the_answers(tmp_path, how):
    """Each sample has its own, the calibration what the map does to it; nothing of it without the flag."""
    hv.write_taxonomy(hv.Taxonomy.from_edges(EDGES), tmp_path / "tree.csv")
    lines = [f"s{row},{('cat', 'dog')[row % 2]},0.9,0.1,0,0" for row in range(60)]
    (tmp_path / "scores.csv").write_text("\n".join(["sample_id,truth,cat,dog,duck,newt", *lines]))
    files = ["--taxonomy", str(tmp_path / "tree.csv"), "--predictions", str(tmp_path / "scores.csv"), "--rule", "leaf"]
    out = tmp_path / "report.html"
    assert cli.main(["report", *files, "--confidence-map", how, "--out", str(out)]) == 0
    text = "".join(Seen(out.read_text()).texts)
    evaluation = hv.Evaluation.from_predictions(
        hv.load_predictions(tmp_path / "scores.csv", hv.load_taxonomy(tmp_path / "tree.csv"))
    )
    found = hv.evaluation.answer_confidence(evaluation, how, "leaf")
    # Half of them are right.
    assert found.confidence == pytest.approx(np.full(60, 0.5), abs=0.1)
    assert f"Confidence of the answer{found.text(0)}" in text.replace("\n", "")
    assert f"Confidence of the answers {found.said}: ECE " in text
    assert "in place of 0.400 of p (60 answers below the root)." in text
    assert cli.main(["report", *files, "--out", str(out)]) == 0
    assert "Confidence of the answer" not in out.read_text()


def test_groups_of_the_confidence_alone_are_refused(tmp_path, capsys):
    hv.write_taxonomy(hv.Taxonomy.from_edges(EDGES), tmp_path / "tree.csv")
    (tmp_path / "scores.csv").write_text("sample_id,truth,cat,dog,duck,newt\ns,cat,1,0,0,0\n")
    files = ["--taxonomy", str(tmp_path / "tree.csv"), "--predictions", str(tmp_path / "scores.csv")]
    assert cli.main(["report", *files, "--group", "g", "--out", str(tmp_path / "r.html")]) == 2
    assert "--group: expected --confidence-map with it, got none." in capsys.readouterr().err


def test_labels_have_no_calibration(tmp_path):
    labels = hv.Predictions.from_labels(hv.Taxonomy.from_edges(EDGES), [1, 2], truth=[1, 2])
    assert "Calibration:" not in hv.report([labels]).html
