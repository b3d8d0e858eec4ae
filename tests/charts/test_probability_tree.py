"""The probability tree as data: heights, ribbons and bars as long as p, outline, fallback to a list, labels, sentences."""

import itertools

import numpy as np
import pytest
from chart_cases import font_sizes, large, shown_texts, size, views

from hierviz import PredictionsError, Taxonomy
from hierviz.charts import palette, probability_tree, to_svg
from hierviz.charts._icicle import TALL
from hierviz.charts._node_link import WIDE

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
    """Rows of the boxes of each layer; the legend has boxes, too, and comes first."""
    return [view["rows"] for view in views(chart.chart.to_dict()) if "cornerRadius" in view["mark"]]


def cells_of(chart):
    """Rows of the cells of an icicle, outlines without cells among them."""
    return boxes_of(chart)[-1]


def bars_of(chart):
    """Rows of the bars of a list: a track, and the bar in it."""
    return boxes_of(chart)[-1]


def filled(rows):
    """The rows that are no outlines."""
    return [row for row in rows if row["colour"] != "transparent"]


def ribbons_of(chart):
    """Of each ribbon its height everywhere, by the number of its row: dict of int to set of float."""
    (area,) = (view for view in views(chart.chart.to_dict()) if view["mark"].get("type") == "area")
    found: dict = {}
    for point in area["rows"]:
        found.setdefault(point["link"], set()).add(round(point["y2"] - point["y"], 2))
    return found


def test_cells_of_a_small_tree(taxonomy):
    cells = cells_of(probability_tree(taxonomy, P, truth=3, predicted=2))
    look = palette()
    # mammal right, cat wrong, dog missed; bird, duck and newt on neither path; animal, the root, counts for none.
    assert sorted(row["colour"] for row in filled(cells)) == sorted(
        [look.root, look.tp, look.fp, look.fn] + [look.tn] * 3
    )
    # The true path is outlined: animal, mammal, dog.
    assert sum(row["colour"] == "transparent" and row["line"] > 0 for row in cells) == 3


def test_all_true_classes_are_outlined(taxonomy):
    # True are cat (2) and duck (5) below bird (4); the answer is cat.
    truth = taxonomy.nodes("cat", "duck")
    cells = cells_of(probability_tree(taxonomy, P, truth=truth, predicted=2))
    look = palette()
    # mammal and cat right; bird and duck missed; dog and newt on neither path; animal, the root, counts for none.
    colours = [look.root] + [look.tp] * 2 + [look.fn] * 2 + [look.tn] * 2
    assert sorted(row["colour"] for row in filled(cells)) == sorted(colours)
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


@pytest.mark.long
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


# Depth first, likeliest child first: animal, mammal, cat, dog, bird, duck, newt.
IN_ORDER = [1, 0.6, 0.37, 0.23, 0.3, 0.3, 0.1]


def test_bars_of_the_list_are_as_long_as_p(taxonomy):
    bars = bars_of(probability_tree(taxonomy, P, truth=3, predicted=2, style="list"))
    tracks, values = bars[::2], bars[1::2]
    assert len({round(track["x2"] - track["x"], 6) for track in tracks}) == 1
    shares = [(v["x2"] - v["x"]) / (t["x2"] - t["x"]) for t, v in zip(tracks, values)]
    assert shares == pytest.approx(IN_ORDER)
    tiny = np.array([1, 0.999, 0.998, 0.001, 0.001, 0.001, 0.0])
    bars = bars_of(probability_tree(taxonomy, tiny, truth=5, predicted=2, style="list"))
    lengths = [row["x2"] - row["x"] for row in bars[1::2]]
    assert lengths[3] == pytest.approx(0.001 * (bars[0]["x2"] - bars[0]["x"]))


def test_cells_are_as_high_as_p_and_lie_inside_their_parents(taxonomy):
    cells = filled(cells_of(probability_tree(taxonomy, P, truth=3, predicted=2)))
    animal, mammal, cat, dog, *_ = cells
    assert [row["y2"] - row["y"] for row in cells] == pytest.approx([TALL * p for p in IN_ORDER])
    assert mammal["x"] == pytest.approx(animal["x2"] + 3)
    assert animal["y"] <= mammal["y"] <= cat["y"] < cat["y2"] <= dog["y"] < dog["y2"] <= mammal["y2"] + 1e-9
    # The icicle has no second encoding of p.
    assert len(boxes_of(probability_tree(taxonomy, P, truth=3, predicted=2))) == 2


def test_ribbons_are_as_wide_as_p_and_those_of_children_sum_to_their_parent(taxonomy):
    figure = probability_tree(taxonomy, P, truth=3, predicted=2, style="node-link")
    wide = ribbons_of(figure)
    # Equally wide from end to end; the root has none.
    assert all(len(of) == 1 for of in wide.values())
    widths = [min(wide[i]) for i in range(1, 7)]
    assert widths == pytest.approx([WIDE * p for p in IN_ORDER[1:]], abs=0.02)
    animal, mammal, cat, dog, bird, duck, newt = (WIDE, *widths)
    assert mammal + bird + newt == pytest.approx(animal, abs=0.05)
    assert cat + dog == pytest.approx(mammal, abs=0.05)
    assert duck == pytest.approx(bird, abs=0.05)
    # Where some children are folded the rest has a ribbon too, and the sum is still that of the parent.
    large_one, p = large()
    rows = probability_tree(large_one, p, truth=1, predicted=2, style="node-link").table
    wide = ribbons_of(probability_tree(large_one, p, truth=1, predicted=2, style="node-link"))
    for row in rows[rows["node"] >= 0].to_dict("records"):
        inside = rows[rows["parent_row"] == row["row"]]
        if len(inside):
            total = sum(min(wide[i]) for i in inside["row"] if inside["p"][i] * WIDE >= 1)
            thin = sum(p for p in inside["p"] if p * WIDE < 1)
            assert total == pytest.approx(WIDE * (row["p"] - thin), abs=0.1)


def test_both_paths_are_above_the_other_ribbons(taxonomy):
    figure = probability_tree(taxonomy, P, truth=3, predicted=2, style="node-link")
    (area,) = (view for view in views(figure.chart.to_dict()) if view["mark"].get("type") == "area")
    order = list(dict.fromkeys(point["link"] for point in area["rows"]))
    # mammal, cat and dog, of which the last is drawn last.
    assert set(order[-3:]) == {1, 2, 3}


def test_the_threshold_makes_ribbons_paler_and_crosses_the_bars(taxonomy):
    def fades(threshold=None):
        figure = probability_tree(taxonomy, P, truth=3, predicted=2, style="node-link").at(threshold)
        (area,) = (view for view in views(figure.chart.to_dict()) if view["mark"].get("type") == "area")
        return {point["link"]: point["fade"] for point in area["rows"]}

    # cat .37, dog .23, bird and duck .3 and newt .1 are not above .37.
    assert {link for link, fade in fades(0.37).items() if fade < 1} == {2, 3, 4, 5, 6}
    assert set(fades().values()) == {1}
    figure = probability_tree(taxonomy, P, truth=3, predicted=2, style="list").at(0.37)
    bars = bars_of(figure)
    (line,) = (row for view in views(figure.chart.to_dict()) if view["mark"]["type"] == "rule" for row in view["rows"])
    # The end of the bar of cat, to the pixel.
    assert line["x"] == line["x2"] == pytest.approx(bars[2 * 2 + 1]["x2"])
    assert line["y2"] >= bars[-1]["y2"]
    assert "τ = 0.370" in shown_texts(to_svg(figure))
    with pytest.raises(PredictionsError, match=r"threshold: expected a number from 0 to 1, got 1\.5"):
        probability_tree(taxonomy, P).at(1.5)


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


@pytest.mark.long
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


def test_a_path_that_is_too_thin_is_a_line_whose_label_says_so(taxonomy):
    p = np.array([1, 0.999, 0.998, 0.001, 0.0006, 0.0006, 0.0004])
    figure = probability_tree(taxonomy, p, truth=5, predicted=2)
    heights = [row["y2"] - row["y"] for row in filled(cells_of(figure))]
    # animal, mammal, cat; bird and duck are lines of a pixel; dog and newt, on no path, are left out.
    assert heights == pytest.approx([TALL, 0.999 * TALL, 0.998 * TALL, 1, 1])
    words = shown_texts(to_svg(figure))
    assert {"bird 6e-4", "› duck 6e-4 · truth", "too thin to draw to scale, drawn as a 1 px line"} <= set(words)
    (hover,) = (view for view in views(figure.chart.to_dict()) if view["mark"].get("opacity") == 0)
    told = {row["name"]: row["tip_height"] for row in hover["rows"]}
    assert told["mammal"] == "to scale"
    assert told["duck"] == "a 1 px line: too thin to draw to scale"
    # animal, mammal, cat, bird, duck; dog and newt are too improbable.
    assert figure.sentence.endswith("The chart shows 5 of 7 nodes, the rest is folded.")
    assert " nodes" not in probability_tree(taxonomy, p, truth=5, predicted=2, style="list").sentence
    ribbons = probability_tree(taxonomy, p, truth=5, predicted=2, style="node-link")
    assert any("1 px line" in word for word in shown_texts(to_svg(ribbons)))
    for style in ("icicle", "node-link"):
        words = shown_texts(to_svg(probability_tree(taxonomy, P, truth=3, predicted=2, style=style)))
        assert not any("1 px" in word for word in words)


def test_a_thin_cell_has_its_label_outside_at_a_leader(taxonomy):
    # duck has 10 of 500 pixels, which hold no words.
    p = np.array([1, 0.88, 0.5, 0.38, 0.02, 0.02, 0.1])
    figure = probability_tree(taxonomy, p, truth=5, predicted=2)
    duck = next(row for row in reversed(filled(cells_of(figure))) if row["y2"] - row["y"] < 11)
    assert duck["y2"] - duck["y"] == pytest.approx(0.02 * TALL)
    texts = [row for view in views(figure.chart.to_dict()) if view["mark"]["type"] == "text" for row in view["rows"]]
    label = next(row for row in texts if row["text"] == "› duck 0.020 · truth")
    assert label["x"] > duck["x2"]
    lines = [row for view in views(figure.chart.to_dict()) if view["mark"]["type"] == "rule" for row in view["rows"]]
    assert any(row["x"] == duck["x2"] and duck["y"] < row["y"] < duck["y2"] for row in lines)


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
