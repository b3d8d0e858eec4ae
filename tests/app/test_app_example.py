"""The page of one sample: its numbers are those of the public functions, for trees, graphs and several paths; its controls."""

import os

import numpy as np
import pytest
from small_worlds import EDGES, LEAVES, spread, world, write
from visit import Visit, plain, shelve

import hierviz as hv
from hierviz.app.example_page import why_panel
from hierviz.app.example_page.tree_panel import matching
from hierviz.app.widgets import sample as panels
from hierviz.diagnosis._flip_intervals import outcomes
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.number_text import probability_text, value_text
from hierviz.metrics.registry import METRICS
from hierviz.metrics.sets.node_sets import closed_lists

GRAPH = [*EDGES, ("winds", "drum"), ("strings", "oboe")]
SIGNS = {"exact": "✓ exact", "coarse": "≈ correct but coarse", "wrong": "× wrong", "": "–"}
SIGNS["no_answer"] = "∅ no answer"


@pytest.fixture
def figures(monkeypatch):
    """What the figures of a page say in words and numbers: name -> (sentence, table); no chart is drawn."""
    seen = {}

    def figure(drawn, *, name, **_):
        seen[name] = (drawn.sentence, drawn.table)

    for panel in (panels, why_panel):
        monkeypatch.setattr(panel, "figure", figure)
    return seen


def table_of(visit, column):
    return next(one.value for one in visit.at.dataframe if column in one.value.columns)


def data_of(kind, demo, folder):
    """A data set, 20 of its samples, and the rules to look at."""
    rng = np.random.default_rng(11)
    if kind in ("leaf truth", "inner truth"):
        is_inner = ~demo.taxonomy.is_leaf[demo.first.predictions.truth]
        rows = np.flatnonzero(is_inner if kind == "inner truth" else ~is_inner)
        return demo, rng.choice(rows, 20, replace=False), ("threshold", "majority")
    if kind == "several paths":
        names = [*LEAVES, "reeds", "strings"]
        truth = [";".join(rng.choice(names, rng.integers(1, 4), replace=False)) for _ in range(20)]
        return world(folder, scores=spread(20), truth=truth), np.arange(20), ("majority", "threshold_set")
    truth = rng.choice([*LEAVES, "reeds"], 20)
    return world(folder, edges=GRAPH, scores=spread(20), truth=truth), np.arange(20), ("threshold", "threshold_set")


@pytest.mark.parametrize("page", ["example", "mistakes"])
def test_rows_of_long_names_are_high_enough_to_wrap(tmp_path, page):
    """Streamlit breaks lines in rows of more than 4 rem, 64 pixels; a lower row would cut its names."""
    long = {
        name: f"{name} {'of an orchestra in which very many people play together' if page == 'mistakes' else 'of a band'}"
        for name in LEAVES
    }
    edges = [(parent, long.get(child, child)) for parent, child in EDGES]
    data = world(tmp_path, edges=edges, leaves=list(long.values()), scores=spread(30), truth=[long[LEAVES[0]]] * 30)
    part = {"part": "confusions"} if page == "mistakes" else {}
    visit = Visit(page, data=data.key, rule="leaf", **part)
    heights = [
        one.proto.row_height
        for one in visit.at.dataframe
        if {"truth", "answer"} <= set(one.value.columns) or {"truth", "predicted"} <= set(one.value.columns)
    ]
    assert heights
    assert all(height > 64 for height in heights)


@pytest.mark.parametrize(("rule", "has_threshold"), [("threshold_set", True), ("hf_optimal", False)])
def test_only_sets_of_a_threshold_follow_that_of_the_ribbon(tmp_path, rule, has_threshold):
    data, *_ = data_of("several paths", None, tmp_path)
    visit = Visit("example", data=data.key, rule=rule, tree="icicle")
    assert ("This rule answers with all classes above τ." in visit.text) == has_threshold
    assert ("does not depend on τ in this way" in visit.text) != has_threshold
    visit.trigger("ribbon_drag", "moved", 0.7)
    assert visit.query["threshold"] == "0.700"
    # The other rule would answer alike whatever is moved: the rule for several true classes that has a threshold is shown.
    assert visit.query["rule"] == "threshold_set"
    assert "This rule answers with all classes above τ." in visit.text


@pytest.mark.longer
@pytest.mark.parametrize(
    "kind",
    ["leaf truth", *(pytest.param(kind, marks=pytest.mark.long) for kind in ("inner truth", "several paths", "graph"))],
)
def test_every_number_of_twenty_samples(figures, demo, tmp_path, kind):
    """Six of the twenty each day, all before a release."""
    data, rows, rules = data_of(kind, demo, tmp_path)
    rows = rows if os.environ.get("HIERVIZ_LONG") else rows[:6]
    taxonomy, model = data.taxonomy, data.first
    predictions, visit = model.predictions, None
    for number, row in enumerate(rows.tolist()):
        rule, threshold = rules[number % 2], 0.25 + 0.03 * number
        query = {"data": data.key, "sample": predictions.sample_id(row), "rule": rule, "threshold": f"{threshold:.3f}"}
        query |= {"tree": "icicle"}
        figures.clear()
        visit = visit.go(**query) if visit else Visit("example", **query)
        assert visit.sample == predictions.sample_id(row)
        p = hv.node_probabilities(
            taxonomy, predictions.scores[[row]], predictions.parametrisation, scored_nodes=predictions.scored_nodes
        )
        truths = np.atleast_1d(predictions.truth[row])
        settings = {"threshold": round(threshold, 3)} if "threshold" in INFERENCE_RULES[rule].parameters else {}
        answer = np.atleast_1d(hv.infer(taxonomy, p, rule, **settings)[0])
        # No class may have a score above the threshold.
        said, true = (without_ancestors(taxonomy, listed) for listed in (answer, truths))
        assert f"Answer: {f'**{said[0]}**' if said else 'nothing'}" in visit.text
        assert f"Truth: **{true[0]}**" in visit.text
        check_tree(figures, taxonomy, p[0], truths, answer, kind)
        check_ribbon(figures, model, row, 0.5 if rule == "majority" else round(threshold, 3))
        check_rules(visit, taxonomy, p, truths, round(threshold, 3))
        counts = hv.confusion(taxonomy, *ends(taxonomy, truths, answer, kind))
        check_counts(visit, figures, taxonomy, counts, p[0])
    if len(data.models) > 1:
        check_models(visit, data, row, rule, settings)


def without_ancestors(taxonomy, nodes):
    """Titles of those of the nodes that have no descendant among them."""
    above = {node for one in nodes for node in taxonomy.ancestors(np.array([one])).nodes.tolist() if node != one}
    return [taxonomy.title(node) for node in nodes if node not in above]


def ends(taxonomy, truths, answer, kind):
    """Truth and answer of one sample for `hv.confusion`, of several each covered by paths as the evaluation does."""
    from hierviz.metrics.confusion.multi_path import greedy_cover

    true = truths if kind != "several paths" else greedy_cover(taxonomy, hv.NodeLists.from_lists([truths])).ends
    if len(answer) == 1:
        return true, answer
    return true, greedy_cover(taxonomy, hv.NodeLists.from_lists([answer]))


def check_tree(figures, taxonomy, p, truths, answer, kind):
    if kind == "graph":
        assert "probability-tree" not in figures
        return
    table = figures["probability-tree"][1]
    nodes = table["node"].to_numpy()
    assert table["p"][nodes >= 0].to_numpy() == pytest.approx(p[nodes[nodes >= 0]])
    true, said = ({node for one in given for node in taxonomy.path(one).tolist()} for given in (truths, answer))
    assert set(nodes[table["on_truth"]]) == true
    assert set(nodes[table["on_answer"]]) == said
    outcome = {(True, True): "tp", (True, False): "fn", (False, True): "fp", (False, False): "tn"}
    for _, row in table[nodes > 0].iterrows():
        ours = outcome[row["node"] in true, row["node"] in said]
        assert row["outcome"] == (ours if said or ours == "tn" else "path")
    text = figures["probability-tree"][0]
    assert all(f"{taxonomy.title(node)} (p = {probability_text(p[node])})" in text for node in {*truths, *answer} - {0})


def check_ribbon(figures, model, row, threshold):
    text, table = figures["flip-ribbon"]
    flips = hv.diagnosis.flip_intervals(model, row)
    for column, values in zip(
        ("from", "to", "node", "outcome", "p"), (flips.low, flips.high, flips.node, flips.outcome, flips.score)
    ):
        assert table[column].tolist() == values.tolist()
    now = flips.place(threshold)
    assert f"answer is {model.taxonomy.title(flips.node[now])} (p = {probability_text(flips.score[now])})" in text


def check_rules(visit, taxonomy, p, truths, threshold):
    table = table_of(visit, "rule").set_index("rule")
    for rule, entry in INFERENCE_RULES.items():
        label = entry.label + (f" (τ = {threshold:.3f})" if "threshold" in entry.parameters else "")
        if label not in table.index:
            # With several true classes the set above the threshold takes the place of the one class above it.
            has_sets = any(name.startswith(INFERENCE_RULES["threshold_set"].label) for name in table.index)
            assert entry.returns_sets or not taxonomy.is_tree or (rule == "threshold" and has_sets)
            continue
        settings = entry.settings({"threshold": threshold})
        answer = np.atleast_1d(hv.infer(taxonomy, p, rule, **settings)[0])
        row = table.loc[label]
        if entry.returns_sets:
            names = "; ".join(without_ancestors(taxonomy, answer))
            assert row["answers"] == (names or "nothing")
            is_true = np.array_equal(
                *(closed_lists(taxonomy, hv.NodeLists.from_lists([one])).nodes for one in (answer, truths))
            )
            assert row["outcome"] == SIGNS["exact" if is_true else "wrong" if answer.any() else "no_answer"]
            continue
        assert row["answers"] == taxonomy.title(answer[0])
        assert row["specificity, bits"] == value_text(taxonomy.information[answer[0]])
        assert row["p"] == probability_text(p[0, answer[0]])
        assert row["outcome"] == SIGNS[outcomes(taxonomy, answer, truths)[0]]


def check_counts(visit, figures, taxonomy, counts, p):
    numbers = visit.numbers()
    for key in ("tp", "fp", "fn", "tn", "hp", "hr", "hf1"):
        value = counts.per_sample[key][0].item()
        text = f"{int(value):,}" if METRICS[key].unit == "nodes" else value_text(value)
        assert numbers[key].proto.popover.label == f"{METRICS[key].label}  **{text}**"
    cells = figures["confusion"][1]
    sets = counts.node_sets(0)
    for cell, nodes in sets.items():
        assert sorted(cells["node"][cells["cell"] == cell]) == nodes.tolist()
    if "probability-tree" in figures:
        # The colours of the tree are the counts; a node of several paths may be counted in two cells, and is right in one.
        tree = figures["probability-tree"][1]
        for outcome, nodes in (("tp", sets["tp"]), ("fp", np.setdiff1d(sets["fp"], sets["tp"]))):
            assert set(tree["node"][tree["outcome"] == outcome]) == set(nodes.tolist())
        missed = np.setdiff1d(sets["fn"], sets["tp"]).tolist()
        assert set(tree["node"][tree["outcome"].isin(("fn", "path")) & (tree["node"] > 0)]) == set(missed)
        assert tree["outcome"][tree["node"] == 0].tolist() == ["root"]
    if "path-graph" not in figures:
        return
    table = figures["path-graph"][1].set_index("node")
    assert table["p"].to_numpy() == pytest.approx(p[table.index])
    assert set(table.index[table["outcome"] == "tp"]) == set(sets["tp"].tolist())
    assert set(table.index[table["outcome"] == "fp"]) == set(sets["fp"].tolist()) - set(sets["tp"].tolist())
    pairs = table_of(visit, "TP")
    for cell in ("tp", "fp", "fn", "tn"):
        assert pairs[cell.upper()].sum() == counts.per_sample[cell][0]


def check_models(visit, data, row, rule, settings):
    table = table_of(visit, "model").set_index("model")
    sample = data.first.predictions.sample_id(row)
    for model in data.models.values():
        predictions = model.predictions
        p = predictions.node_probabilities([predictions.row(sample)])
        node, truth = int(hv.infer(data.taxonomy, p, rule, **settings)[0]), predictions.truth[predictions.row(sample)]
        shown = table.loc[predictions.name]
        assert shown["answers"] == data.taxonomy.title(node)
        assert shown["specificity, bits"] == value_text(data.taxonomy.information[node])
        win = float(hv.win(data.taxonomy, np.array([truth]), p)[0])
        assert float(shown["win"]) == pytest.approx(win, abs=0.0006)


def test_a_sum_shown_adds_up_and_the_win_has_the_same_digits_everywhere(figures, demo):
    visit = Visit("example")
    text = figures["win"][0]
    label = visit.numbers()["softmax_win"].proto.popover.label
    shown = label.split("**")[1]
    assert f"The win is {shown} " in text
    assert table_of(visit, "rule")["win"].eq(shown).all()
    assert table_of(visit, "model")["win"][0] == shown


@pytest.mark.long
def test_focus_breadcrumb_search_and_unfolding(figures, demo):
    visit = Visit("example", sample="v0428", focus="watercraft", tree="icicle")
    nodes = figures["probability-tree"][1]["node"]
    below = set(demo.taxonomy.subtree(demo.taxonomy.node("watercraft")).tolist())
    assert set(nodes[nodes >= 0]) <= below
    assert "The chart shows watercraft alone" in figures["probability-tree"][0]
    # A leaf is shown in its family.
    visit.go(sample="v0428", focus="ferry", tree="icicle")
    parent = int(demo.taxonomy.parent[demo.taxonomy.node("ferry")])
    nodes = figures["probability-tree"][1]["node"].tolist()
    assert nodes[0] == parent
    assert demo.taxonomy.node("ferry") in nodes
    # The path leads back.
    visit.press("vehicle ›")
    assert "focus" not in visit.query
    assert figures["probability-tree"][1]["node"][0] == 0
    next(one for one in visit.at.text_input if one.label == "Find a class in the tree").set_value("FERR").run()
    visit.press("ferry")
    assert visit.query["focus"] == "ferry"
    # The next sample shows its own paths.
    visit.press("Next")
    assert "focus" not in visit.query
    assert figures["probability-tree"][1]["node"][0] == 0
    visit.go(sample="v0428", unfold="20:land vehicle", tree="icicle")
    children = set(demo.taxonomy.children[demo.taxonomy.node("land vehicle")].tolist())
    assert children <= set(figures["probability-tree"][1]["node"])
    for garbage in ({"focus": "no such class"}, {"unfold": "20:no such class"}, {"unfold": "x:ferry"}):
        assert not Visit("example", sample="v0428", tree="icicle", **garbage).at.error


def test_matching_names(demo):
    names = [demo.taxonomy.names[node] for node in matching(demo.taxonomy, "Car")]
    assert names[0] == "car"
    assert all("car" in name for name in names)
    assert matching(demo.taxonomy, "no such thing") == []


@pytest.mark.long
def test_scores_of_the_best_classes_have_intervals_and_the_reason(figures, tmp_path):
    full = spread(12)
    order = np.argsort(-full, axis=1, kind="stable")[:, :2]
    header = ["sample_id", "class_1", "score_1", "class_2", "score_2"]
    rows = [
        [f"s{i}", *(cell for leaf in of_row for cell in (LEAVES[leaf], full[i, leaf]))]
        for i, of_row in enumerate(order.tolist())
    ]
    data = shelve(
        taxonomy=write(tmp_path / "taxonomy.csv", [("parent", "child"), *EDGES]),
        predictions=(write(tmp_path / "best.csv", [header, *rows]),),
        truth=write(tmp_path / "truth.csv", [("sample_id", "truth"), *((f"s{i}", LEAVES[i % 6]) for i in range(12))]),
    )
    model, visit = data.first, None
    whole = hv.Predictions.from_scores(data.taxonomy, full, "leaf_probabilities", truth=model.predictions.truth)
    for row in range(12):
        query = {"data": data.key, "sample": f"s{row}", "tree": "icicle"}
        visit = visit.go(**query) if visit else Visit("example", **query)
        text = visit.text
        assert "lists the scores of 2 of 6 classes" in text
        assert "their scores are unknown" in text
        # What all scores give lies in the intervals that are shown.
        p = whole.node_probabilities([row])
        table = figures["probability-tree"][1]
        known = table[table["node"] >= 0]
        at = p[0, known["node"].to_numpy()]
        assert (known["p_low"] <= at + 1e-9).all()
        assert (at <= known["p_high"] + 1e-9).all()
        low, high = (
            float(one) for one in plain(text).split("the win would lie between ")[1].split(",")[0].split(" and ")
        )
        assert low - 0.0006 <= hv.win(data.taxonomy, model.predictions.truth[[row]], p)[0] <= high + 0.0006
