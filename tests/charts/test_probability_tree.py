"""The probability tree as data: cells, outline, bars, fallback to a list, labels, widths, sentences."""

import itertools

import numpy as np
import pytest
from chart_cases import font_sizes, large, shown_texts, size, views

from hierviz import PredictionsError, Taxonomy
from hierviz.charts import palette, probability_tree, to_svg

P = np.array([1, 0.6, 0.37, 0.23, 0.3, 0.3, 0.1])
CASES = [
    {"truth": 3, "predicted": 2},
    {"truth": 2, "predicted": 2},
    {"truth": 2, "predicted": 0},
    {"truth": 1, "predicted": 2},
    {"truth": 0, "predicted": 0},
    {"predicted": 5},
    {"truth": 5},
    {},
]


def boxes_of(chart):
    """Rows of the cells and of the bars; the legend has boxes, too, and comes first."""
    rects = [view for view in views(chart.chart.to_dict()) if "cornerRadius" in view["mark"]]
    *_, cells, bars = (view["rows"] for view in rects)
    return cells, bars


def test_cells_of_a_small_tree(taxonomy):
    cells, bars = boxes_of(probability_tree(taxonomy, P, truth=3, predicted=2))
    look = palette()
    filled = [row["colour"] for row in cells if row["colour"] != "transparent"]
    # mammal right, cat wrong, dog missed; bird, duck and newt on neither path; animal, the root, counts for none.
    assert sorted(filled) == sorted([look.root, look.tp, look.fp, look.fn] + [look.tn] * 3)
    # The true path is outlined: animal, mammal, dog.
    assert sum(row["colour"] == "transparent" and row["line"] > 0 for row in cells) == 3
    assert len(bars) == 14  # each in its track


def test_all_true_classes_are_outlined(taxonomy):
    # True are cat (2) and duck (5) below bird (4); the answer is cat.
    truth = taxonomy.nodes("cat", "duck")
    cells, _ = boxes_of(probability_tree(taxonomy, P, truth=truth, predicted=2))
    look = palette()
    filled = [row["colour"] for row in cells if row["colour"] != "transparent"]
    # mammal and cat right; bird and duck missed; dog and newt on neither path; animal, the root, counts for none.
    assert sorted(filled) == sorted([look.root] + [look.tp] * 2 + [look.fn] * 2 + [look.tn] * 2)
    assert sum(row["colour"] == "transparent" and row["line"] > 0 for row in cells) == 5
    words = shown_texts(to_svg(probability_tree(taxonomy, P, truth=truth, predicted=2)))
    assert {"answer = truth", "truth", "outlined: all true classes"} <= set(words)
    for predicted, said in (
        (2, "The answer cat (p = 0.370) is one of the 2 true classes cat (p = 0.370), duck (p = 0.300)."),
        (1, "The answer mammal (p = 0.600) is correct, but less specific than the truth: the 2 true classes cat"),
        (3, "The answer dog (p = 0.230) is none of the 2 true classes cat"),
        (0, "The answer is the root, above the 2 true classes cat"),
        (None, "The true classes are cat (p = 0.370), duck (p = 0.300); no answer is given."),
    ):
        assert probability_tree(taxonomy, P, truth=truth, predicted=predicted).sentence.startswith(said)
    # A list of one is one truth.
    one = probability_tree(taxonomy, P, truth=taxonomy.nodes("cat"), predicted=2).sentence
    assert one == probability_tree(taxonomy, P, truth=2, predicted=2).sentence


def test_a_truth_given_twice_is_one_and_an_empty_list_is_none(taxonomy):
    for given, same in (([], None), ([2, 2], 2), (taxonomy.nodes("cat", "duck", "cat"), [2, 5])):
        for predicted in (None, 2):
            ends = [{"truth": one, "predicted": predicted} for one in (given, same)]
            said, wanted = (probability_tree(taxonomy, P, **one).sentence for one in ends)
            assert said == wanted
            drawn, wanted = (shown_texts(to_svg(probability_tree(taxonomy, P, **one))) for one in ends)
            assert drawn == wanted


@pytest.mark.parametrize("style", ["icicle", "node-link", "list"])
def test_the_root_is_coloured_as_no_outcome(taxonomy, style):
    """The hierarchical confusion leaves the root out: a colour of true positives would not agree with its counts."""
    look = palette()
    # The root alone is on both paths, whose truth is newt, or it is the answer: no node is a true positive.
    for case in ({"truth": 6, "predicted": 2}, {"truth": 2, "predicted": 0}):
        spec = probability_tree(taxonomy, P, style=style, **case).chart.to_dict()
        shapes = [view["rows"] for view in views(spec) if view["mark"].get("type") in ("rect", "circle")]
        coloured = [row["colour"] for rows in shapes for row in rows if "colour" in row]
        assert look.tp not in coloured
        assert coloured.count(look.root) >= 2  # in the legend and in the drawing


@pytest.mark.parametrize("style", ["icicle", "list"])
def test_bars_stand_on_one_scale(taxonomy, style):
    _, bars = boxes_of(probability_tree(taxonomy, P, truth=3, predicted=2, style=style))
    tracks, values = bars[::2], bars[1::2]
    assert len({round(track["x2"] - track["x"], 6) for track in tracks}) == 1
    shares = [(v["x2"] - v["x"]) / (t["x2"] - t["x"]) for t, v in zip(tracks, values)]
    # Depth first, likeliest child first: animal, mammal, cat, dog, bird, duck, newt.
    assert shares == pytest.approx([1, 0.6, 0.37, 0.23, 0.3, 0.3, 0.1])


def test_cells_of_the_icicle_lie_inside_their_parents(taxonomy):
    cells, _ = boxes_of(probability_tree(taxonomy, P, truth=3, predicted=2))
    cells = [row for row in cells if row["colour"] != "transparent"]
    animal, mammal, cat, dog, *_ = cells
    assert mammal["x"] == pytest.approx(animal["x2"] + 3)
    assert animal["y"] <= mammal["y"] <= cat["y"] < cat["y2"] < dog["y"] < dog["y2"] <= mammal["y2"] + 1e-9


@pytest.mark.parametrize(("dark", "width"), [(False, 1000), pytest.param(True, 330, marks=pytest.mark.long)])
@pytest.mark.parametrize("style", ["icicle", "node-link", "list"])
@pytest.mark.parametrize("case", CASES)
def test_every_case_compiles_and_fits(taxonomy, case, style, dark, width):
    svg = to_svg(probability_tree(taxonomy, P, style=style, width=width, dark=dark, **case), dark)
    assert size(svg)[0] <= width
    assert min(font_sizes(svg)) >= 11
    words = shown_texts(svg)
    assert any(word.startswith("animal") for word in words)
    for node, tag in (("predicted", "answer"), ("truth", "truth")):
        both = ("answer = truth", "exact")
        tags = {word for word in words if word in (tag, *both) or word.endswith((f"· {tag}", "· answer = truth"))}
        assert len(tags) == (node in case)


@pytest.mark.parametrize("width", [330, 1000])
@pytest.mark.parametrize("style", ["icicle", "node-link"])
def test_large_taxonomies_with_long_names(style, width):
    taxonomy, p = large()
    leaf = int(taxonomy.leaves[p[taxonomy.leaves].argmax()])
    chart = probability_tree(taxonomy, p, truth=int(taxonomy.children[3][-1]), predicted=leaf, style=style, width=width)
    assert len(chart.chart.to_json()) < 120_000
    svg = to_svg(chart)
    assert size(svg)[0] <= width
    assert size(svg)[1] < 1200
    assert any("others" in word or word.startswith("+") for word in shown_texts(svg))


def test_what_is_taller_than_its_p_has_a_striped_edge(taxonomy):
    p = np.array([1, 0.999, 0.998, 0.001, 0.0006, 0.0006, 0.0004])
    chart = probability_tree(taxonomy, p, truth=5, predicted=2)
    edges = [view["rows"] for view in views(chart.chart.to_dict()) if view["mark"].get("strokeDash") == [3, 3]]
    # In the legend; bird and duck, which are on the true path.
    assert [len(rows) for rows in edges] == [1, 2]
    words = shown_texts(to_svg(chart))
    assert "not to scale: enlarged" in words
    assert "p below 0.048 is drawn on the paths and for the likeliest others only" in words
    sentence = probability_tree(taxonomy, p, truth=5, predicted=2).sentence
    # animal, mammal, cat, bird, duck; dog and newt are too improbable.
    assert sentence.endswith("The chart shows 5 of 7 nodes, the rest is folded.")
    assert " nodes" not in probability_tree(taxonomy, p, truth=5, predicted=2, style="list").sentence
    assert "not to scale: enlarged" not in shown_texts(to_svg(probability_tree(taxonomy, P)))


def test_a_chain_of_only_children_becomes_a_list_that_says_why():
    names = ["root", *(f"level {i} with quite some name" for i in range(14))]
    taxonomy = Taxonomy.from_edges(
        [*itertools.pairwise(names), (names[-1], "a"), (names[-1], "b"), ("root", "elsewhere")]
    )
    p = np.full(taxonomy.n_nodes, 0.8)
    svg = to_svg(probability_tree(taxonomy, p, truth=taxonomy.node("a"), predicted=taxonomy.node("b")))
    assert names[14] in shown_texts(svg)
    reason = "16 levels side by side need 1,536 pixels, there are 992"
    assert f"drawn as a list: {reason}" in shown_texts(svg)
    ends = {"truth": taxonomy.node("a"), "predicted": taxonomy.node("b")}
    assert probability_tree(taxonomy, p, **ends).refused() == {"icicle": reason, "node-link": reason}
    assert (
        probability_tree(taxonomy, p, **ends, width=2000)
        .refused()["icicle"]
        .startswith("the names of 16 levels are too long")
    )
    assert probability_tree(taxonomy, p, **ends, width=3000).refused() == {}


def test_incoherent_probabilities_are_drawn_as_they_are(taxonomy):
    p = np.array([1, 0.4, 0.55, 0.1, 0.2, 1.3, 0.4])
    words = shown_texts(to_svg(probability_tree(taxonomy, p, truth=2, predicted=5)))
    assert "1.300" in words
    assert "0.550" in words


def test_the_tooltip_has_the_full_name_and_p(taxonomy):
    spec = probability_tree(taxonomy, P, truth=3, predicted=2).chart.to_dict()
    (hover,) = (view for view in views(spec) if view["mark"].get("opacity") == 0)
    assert [tip["title"] for tip in hover["encoding"]["tooltip"]] == [
        "Node",
        "p",
        "Outcome",
        "Nodes not shown",
        "Height",
    ]
    assert hover["rows"][2]["name"] == "cat"
    assert hover["rows"][2]["tip_p"] == "0.37"
    assert hover["rows"][2]["tip_outcome"] == "wrong (false positive)"
    assert hover["rows"][2]["tip_height"] == "to scale"


def test_an_unknown_style_is_refused(taxonomy):
    with pytest.raises(PredictionsError, match="style: expected one of icicle, node-link, list, got 'sunburst'"):
        probability_tree(taxonomy, P, style="sunburst")


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        (
            {"truth": 3, "predicted": 2},
            "The answer is cat (p = 0.370), the truth is dog (p = 0.230); their paths diverge after mammal.",
        ),
        (
            {"truth": 6, "predicted": 2},
            "The answer is cat (p = 0.370), the truth is newt (p = 0.100); their paths diverge at the root.",
        ),
        ({"truth": 2, "predicted": 2}, "The answer cat (p = 0.370) is exactly the truth."),
        (
            {"truth": 2, "predicted": 1},
            "The answer mammal (p = 0.600) is correct and stops one level above the truth cat (p = 0.370).",
        ),
        ({"truth": 2, "predicted": 0}, "The answer is the root. The truth is cat (p = 0.370)."),
        (
            {"truth": 1, "predicted": 2},
            "The answer cat (p = 0.370) goes one level further than the known truth mammal (p = 0.600).",
        ),
        ({"predicted": 5}, "The answer is duck (p = 0.300); the truth is not known."),
        ({"truth": 5}, "The truth is duck (p = 0.300); no answer is given."),
        ({}, "Neither an answer nor the truth is given."),
    ],
)
def test_the_sentence(taxonomy, case, sentence):
    assert probability_tree(taxonomy, P, **case).sentence == sentence


def test_the_sentence_says_what_is_left_out():
    taxonomy, p = large()
    assert " nodes, the rest is folded." in probability_tree(taxonomy, p, truth=1, predicted=2).sentence
