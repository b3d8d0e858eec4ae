"""Flows: ribbons as high as their samples, at both ends, one after the other in their blocks; where answers leave the path."""

import re

import numpy as np
import pytest

import hierviz as hv
from hierviz.charts._mistake_flow import HEAD, ribbon_key
from hierviz.charts._ribbons import stacked_ends
from hierviz.charts.theme import palette
from tests.charts.chart_cases import shown_texts, views
from tests.comparison.paired_worlds import grid, scored


@pytest.fixture(scope="module")
def model():
    rng, taxonomy = np.random.default_rng(0), grid()
    truth = rng.choice(taxonomy.leaves, 400)
    return scored(taxonomy, truth, rng.random(400) < 0.7, "A", rng)


def numbers(spec):
    """(x, y, text) of the numbers of ribbons."""
    rows = [row for view in views(spec) if view["mark"]["type"] == "text" for row in view["rows"]]
    return [(row["x"], row["y"], row["text"]) for row in rows if re.fullmatch(r"[×≈] [\d,]+", str(row.get("text", "")))]


def ribbons(spec, field):
    """(height at the left end, at the right end) of each ribbon, by what a click on it selects."""
    found = {}
    for view in views(spec):
        for row in view["rows"] if view["mark"]["type"] == "area" else ():
            if field in row:
                found.setdefault(row[field], []).append((row["x"], row["y2"] - row["y"]))
    return {key: (min(points)[1], max(points)[1]) for key, points in found.items()}


def test_ends_follow_each_other():
    """Blocks 0 and 1 on both sides, 2 pixels for one: those to block 0 come first, and those from block 0."""
    ends = stacked_ends([(0, 1, 3), (0, 0, 1), (1, 0, 2)], {0: 10.0, 1: 30.0}, {0: 5.0, 1: 50.0}, 2.0)
    assert ends == [
        {"y": 12.0, "y2": 18.0, "end": 50.0, "end2": 56.0},
        {"y": 10.0, "y2": 12.0, "end": 5.0, "end2": 7.0},
        {"y": 30.0, "y2": 34.0, "end": 7.0, "end2": 11.0},
    ]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [330, 1200])
@pytest.mark.parametrize("whole", [False, True])
def test_heights_of_changes_are_in_proportion(model, whole, width, dark):
    found = hv.comparison.answer_changes(model, threshold=0.3, to=0.75)
    figure = hv.charts.answer_changes(found, whole=whole, dark=dark, width=width)
    drawn = ribbons(figure.chart.to_dict(), "flow")
    flows = {flow: n for flow, n in found.flows.items() if whole or not flow.endswith("-same")}
    assert set(drawn) == set(flows)
    one = drawn[max(flows, key=flows.get)][0] / max(flows.values())
    for flow, n in flows.items():
        assert drawn[flow] == pytest.approx((one * n, one * n))
    words = shown_texts(hv.charts.to_svg(figure, dark))
    assert {"τ = 0.300", "τ = 0.750"} <= set(words)
    assert f"{max(flows.values()):,}" in words
    assert figure.sentence == found.sentence
    assert figure.table["samples"].sum() == 400


def test_blocks_have_the_colour_of_their_outcome(model):
    found = hv.comparison.answer_changes(model, threshold=0.3, to=0.75)
    look = palette()
    colours = {
        row["colour"]
        for view in views(hv.charts.answer_changes(found).chart.to_dict())
        for row in view["rows"]
        if "colour" in row
    }
    assert {look.tp, look.fp, look.path} & colours
    with pytest.raises(hv.PredictionsError, match="no answer of 400 changes"):
        hv.charts.answer_changes(hv.comparison.answer_changes(model, threshold=0.3))
    with pytest.raises(hv.PredictionsError, match="flow: expected one of"):
        hv.charts.answer_changes(found, chosen="exact-better")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [330, 1200])
@pytest.mark.parametrize("n_models", [1, 3])
def test_bars_of_departures_are_shares(model, n_models, width, dark):
    rules = ("majority", "leaf", "plurality")[:n_models]
    found = {rule: hv.diagnosis.departures(model, rule) for rule in rules}
    figure = hv.charts.departures(found, dark=dark, width=width)
    hits = {
        row["departure"]: row for view in views(figure.chart.to_dict()) for row in view["rows"] if row.get("departure")
    }
    assert len(hits) == sum(
        int((getattr(one, way) > 0).sum()) for one in found.values() for way in ("right", "stopped", "wrong")
    )
    whole = {(key.rpartition(":")[0]): 0.0 for key in hits}
    for key, row in hits.items():
        whole[key.rpartition(":")[0]] += row["x2"] - row["x"]
    # All bars are equally long: shares of what comes to a level.
    assert np.ptp(list(whole.values())) < 1e-6
    for key, row in hits.items():
        place, level, way = key.split(":")
        one = found[rules[int(place)]]
        share = (row["x2"] - row["x"]) / whole[key.rpartition(":")[0]]
        assert share == pytest.approx(one.share(way)[int(level) - 1])
        assert row["samples"].startswith(f"{int(getattr(one, way)[int(level) - 1]):,} of ")
    words = shown_texts(hv.charts.to_svg(figure, dark))
    assert {"Level 1", "Level 2", "Level 3", "100 %"} <= set(words)
    assert figure.table["model"].tolist() == [rule for rule in rules for _ in range(3)]
    assert figure.sentence.startswith("majority: ")


def test_departures_need_a_model_and_a_truth(model):
    with pytest.raises(hv.PredictionsError, match="at least one model"):
        hv.charts.departures({})
    at_root = hv.diagnosis.departures(model.replace(truth=np.zeros(400, dtype=int)))
    with pytest.raises(hv.PredictionsError, match="a truth below the root"):
        hv.charts.departures({"A": at_root})


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [330, 1200])
@pytest.mark.parametrize("opened", [(), ("a", "aa", "b")])
def test_heights_of_mistakes_are_in_proportion(model, opened, width, dark):
    found = hv.diagnosis.mistake_flow(model, "plurality", open_nodes=[model.taxonomy.node(name) for name in opened])
    figure = hv.charts.mistake_flow(found, dark=dark, width=width)
    spec = figure.chart.to_dict()
    drawn = {key: ends for key, ends in ribbons(spec, "picked").items() if "|" in key}
    counts = {ribbon_key(found, place): n for place, n in enumerate(found.count.tolist())}
    assert set(drawn) == set(counts)
    one = (560 - HEAD) / sum(counts.values())
    for key, n in counts.items():
        assert drawn[key] == pytest.approx((one * n, one * n))
    # The icicles have one scale: a class at either side is as high as its wrong and coarse answers.
    blocks = [
        row["y2"] - row["y"]
        for view in views(spec)
        if view["mark"]["type"] == "rect"
        for row in view["rows"]
        if row.get("stroke") == palette(dark).background
    ]
    of_lines = [
        int(found.count[of == line].sum()) for of in (found.row, found.column) for line in np.unique(of).tolist()
    ]
    for n in of_lines:
        assert any(tall == pytest.approx(one * n) for tall in blocks)
    assert figure.table["count"].sum() == found.count.sum()
    assert figure.sentence.startswith(
        f"{found.total['wrong']:,} wrong and {found.total['coarse']:,} coarse answers of 400"
    )


def test_a_click_on_a_class_opens_it_and_one_on_a_ribbon_chooses_it(model):
    taxonomy = model.taxonomy
    found = hv.diagnosis.mistake_flow(model, "plurality", open_nodes=taxonomy.nodes("a"))
    spec = hv.charts.mistake_flow(found, chosen=ribbon_key(found, 0)).chart.to_dict()
    picked = {row["picked"] for view in views(spec) for row in view["rows"] if row.get("picked")}
    # "a" is open, its children and the other classes are closed; leaves cannot be opened.
    assert {str(taxonomy.node(name)) for name in ("a", "aa", "b", "c")} <= picked
    assert ribbon_key(found, 0) in picked
    assert [param["name"] for param in spec["params"]] == ["picked"]
    assert len(spec["params"][0]["views"]) == 1
    with pytest.raises(hv.PredictionsError, match="chosen: expected one of"):
        hv.charts.mistake_flow(found, chosen="1|2|wrong")


def test_the_largest_ribbons_have_their_numbers():
    """Of 60 wrong answers, in ribbons of 1 to 9, the largest are numbered at one of their ends, and no number is on another."""
    rng, taxonomy = np.random.default_rng(3), grid()
    leaves = taxonomy.leaves
    truth = rng.choice(leaves, 300, p=np.arange(1, len(leaves) + 1) / np.arange(1, len(leaves) + 1).sum())
    answers = np.where(rng.random(300) < 0.5, rng.choice(leaves[-3:], 300), truth)
    model = hv.Predictions.from_labels(taxonomy, answers, truth=truth)
    found = hv.diagnosis.mistake_flow(model, open_nodes=np.flatnonzero(~taxonomy.is_leaf).tolist())
    figure = hv.charts.mistake_flow(found, height=300)
    shown = numbers(figure.chart.to_dict())
    counts = sorted((f"× {count}" for count in found.count.tolist()), key=lambda text: -int(text[2:]))
    assert counts[0] in [text for _, _, text in shown]
    # Every number is one of a ribbon, each at most as often as there are such ribbons, and none of one answer without room.
    said = [text for _, _, text in shown]
    assert all(said.count(text) <= counts.count(text) for text in said)
    for side in {x for x, _, _ in shown}:
        heights = sorted(y for x, y, _ in shown if x == side)
        assert np.diff(heights).min(initial=99) >= 12
    # Few answers are paler than many: of wrong ones between two classes the largest is the strongest.
    opacity = {}
    for view in views(figure.chart.to_dict()):
        for row in view["rows"] if view["mark"]["type"] == "area" else ():
            if "opacity" in row:
                opacity.setdefault(round(row["y2"] - row["y"], 6), set()).add(row["opacity"])
    strengths = [max(opacity[height]) for height in sorted(opacity)]
    assert strengths[-1] > strengths[0] > 0
