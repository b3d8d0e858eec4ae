"""The hierarchical confusion matrix of single paths: `naive`, figure 4 of the paper, its case study, and its properties."""

import csv
import gzip
import json
import math
from fractions import Fraction

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.metrics.confusion.confusion_counts import CELLS, measures
from hierviz.metrics.confusion.constant_paths import best_constant_path
from hierviz.second_opinion.plain_sets import nodes_of_pair


@many
@given(strategies.pairs())
def test_against_naive(case):
    graph, taxonomy, truth, predicted = case
    found = hv.confusion(taxonomy, truth, predicted)
    both = list(zip(truth.tolist(), predicted.tolist()))
    expected = [naive.confusion(graph, y, q) for y, q in both]
    for cell in CELLS:
        assert getattr(found, cell).tolist() == [one[cell] for one in expected]
    assert found.counts == naive.totals(graph, truth.tolist(), predicted.tolist())
    for row, (y, q) in enumerate(both):
        nodes = nodes_of_pair(graph, naive.path(graph, y), naive.path(graph, q))
        ours = found.node_sets(row)
        assert [of_cell.tolist() for of_cell in ours.values()] == [sorted(of_cell) for of_cell in nodes]
        assert {cell: len(nodes) for cell, nodes in ours.items()} == expected[row]


@many
@given(strategies.pairs())
def test_properties(case):
    """The example of Riehl et al., JRSS-C 2023, single path in a tree."""
    graph, taxonomy, truth, predicted = case
    found = hv.confusion(taxonomy, truth, predicted)
    claimed, due = (sum(len(naive.path(graph, node)) - 1 for node in nodes.tolist()) for nodes in (predicted, truth))
    counts, values = found.counts, found.measures
    assert counts["tp"] + counts["fp"] == claimed
    assert counts["tp"] + counts["fn"] == due
    shared = sum(
        len(naive.ancestors(graph, y) & naive.ancestors(graph, q)) - 1
        for y, q in zip(truth.tolist(), predicted.tolist())
    )
    assert values["ppv"] == (shared / claimed if claimed else None)
    assert values["tpr"] == (shared / due if due else None)
    assert values["f1"] == (2 * shared / (claimed + due) if claimed + due else None)
    swapped = hv.confusion(taxonomy, predicted, truth)
    for a, b in (("tp", "tp"), ("tn", "tn"), ("fp", "fn"), ("fn", "fp")):
        np.testing.assert_array_equal(getattr(found, a), getattr(swapped, b))
    for key, other in (("hp", "hr"), ("hr", "hp"), ("hf1", "hf1")):
        np.testing.assert_array_equal(found.per_sample[key], swapped.per_sample[other])


@many
@given(strategies.trees(), st.data())
def test_best_constant_path(graph, data):
    taxonomy = strategies.from_graph(graph)
    truth = data.draw(strategies.truths(graph, data.draw(st.integers(1, 7))))
    node, found = best_constant_path(taxonomy, truth)
    assert node == naive.best_constant(graph, truth.tolist())
    assert found.counts == naive.totals(graph, truth.tolist(), [node] * len(truth))


def test_by_hand(taxonomy):
    """animal -> mammal (cat, dog), bird (duck), newt."""
    cat, dog, duck, newt, mammal, bird, animal = taxonomy.nodes(
        "cat", "dog", "duck", "newt", "mammal", "bird", "animal"
    )
    truth = np.array([cat, cat, cat, cat, mammal, animal, duck])
    predicted = np.array([cat, dog, mammal, newt, dog, bird, animal])
    found = hv.confusion(taxonomy, truth, predicted)
    assert found.tp.tolist() == [2, 1, 1, 0, 1, 0, 0]
    assert found.fp.tolist() == [0, 1, 0, 1, 1, 1, 0]
    assert found.fn.tolist() == [0, 1, 1, 2, 0, 0, 2]
    # cat: siblings bird, newt and dog. cat/dog: bird, newt. cat/mammal: bird, newt and its child dog. cat/newt: bird.
    # mammal/dog: bird, newt and cat. animal/bird: mammal, newt. duck/animal: mammal, newt.
    assert found.tn.tolist() == [3, 2, 3, 1, 3, 2, 2]
    assert found.counts == {"tp": 5, "tn": 16, "fp": 4, "fn": 6}
    np.testing.assert_allclose(found.per_sample["hp"], [1, 0.5, 1, 0, 0.5, 0, 1])
    np.testing.assert_allclose(found.per_sample["hr"], [1, 0.5, 0.5, 0, 1, 1, 0])
    np.testing.assert_allclose(found.per_sample["hf1"], [1, 0.5, 2 / 3, 0, 2 / 3, 0, 0])
    assert {cell: [taxonomy.names[i] for i in nodes] for cell, nodes in found.node_sets(1).items()} == {
        "tp": ["mammal"],
        "tn": ["bird", "newt"],
        "fp": ["dog"],
        "fn": ["cat"],
    }


def test_a_constant_path_by_hand(taxonomy):
    # Truths cat, cat, dog, newt: 7 true nodes. Always mammal: 3 hits of 4 claimed, F1 6/11; always cat: 5 of 8, 10/15.
    # TN of always cat: 3 + 3 (bird, newt, dog), 2 for dog (bird, newt), 1 for newt (bird).
    node, found = best_constant_path(taxonomy, taxonomy.nodes("cat", "cat", "dog", "newt"))
    assert taxonomy.names[node] == "cat"
    assert found.counts == {"tp": 5, "tn": 9, "fp": 3, "fn": 2}
    assert found.measures["f1"] == 10 / 15
    assert best_constant_path(taxonomy, np.zeros(3, dtype=int))[0] == 0


# Measures --------------------------------------------------------------------------------------------------------------


def test_measures_by_hand():
    found = measures(tp=6, tn=8, fp=2, fn=4)
    # TPR 6/10, TNR 8/10: PT = (sqrt(.6 * .2) - .2) / .4. MCC = (48 - 8) / sqrt(8 * 10 * 10 * 12).
    expected = {"acc": 0.7, "ppv": 0.75, "tpr": 0.6, "fnr": 0.4, "fpr": 0.2, "tnr": 0.8, "f1": 12 / 18}
    expected |= {"pt": (math.sqrt(0.12) - 0.2) / 0.4, "mcc": 40 / math.sqrt(9600)}
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("counts", "undefined"),
    [
        ((0, 0, 0, 0), {"acc", "ppv", "tpr", "fnr", "fpr", "tnr", "pt", "f1", "mcc"}),
        ((0, 5, 0, 0), {"ppv", "tpr", "fnr", "pt", "f1", "mcc"}),
        ((5, 0, 0, 0), {"fpr", "tnr", "pt", "mcc"}),
        ((0, 0, 3, 0), {"tpr", "fnr", "pt", "mcc"}),
        ((0, 0, 0, 3), {"ppv", "fpr", "tnr", "pt", "mcc"}),
        ((0, 0, 2, 3), set()),
        ((3, 1, 1, 3), {"pt"}),  # TPR + TNR = 1/2 + 1/2
    ],
)
def test_undefined_measures(counts, undefined):
    found = measures(*counts)
    assert {key for key, value in found.items() if value is None} == undefined


def test_pt_is_undefined_exactly_where_tpr_equals_fpr():
    """Decided in whole numbers: a sum of two rounded ratios need not be 1."""
    for whole in range(1, 60):
        for part in range(1, whole):
            assert measures(part, 3 * (whole - part), 3 * part, whole - part)["pt"] is None


@many
@given(st.tuples(*[st.one_of(st.integers(0, 9), st.integers(0, 10**12))] * 4))
def test_measures_in_exact_arithmetic(counts):
    tp, tn, fp, fn = counts
    found = measures(*counts)

    def over(part, whole):
        return Fraction(part, whole) if whole else None

    expected = {
        "acc": over(tp + tn, sum(counts)),
        "ppv": over(tp, tp + fp),
        "tpr": over(tp, tp + fn),
        "fnr": over(fn, tp + fn),
        "fpr": over(fp, fp + tn),
        "tnr": over(tn, fp + tn),
        "f1": over(2 * tp, 2 * tp + fp + fn),
    }
    for key, value in expected.items():
        assert found[key] == (None if value is None else float(value)), key
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    if product:
        # The square of MCC is a ratio of whole numbers; 64 bits would overflow.
        assert found["mcc"] == pytest.approx(
            math.copysign(math.sqrt(Fraction((tp * tn - fp * fn) ** 2, product)), tp * tn - fp * fn), abs=1e-12
        )
    else:
        assert found["mcc"] is None
    rates = expected["tpr"], expected["tnr"]
    if None in rates or sum(rates) == 1:
        assert found["pt"] is None
    else:
        root_tpr, root_fpr = math.sqrt(expected["tpr"]), math.sqrt(expected["fpr"])
        assert found["pt"] == pytest.approx(root_fpr / (root_tpr + root_fpr), abs=1e-4)


def test_sums_do_not_overflow():
    assert measures(10**11, 10**12, 10**10, 10**10)["mcc"] == pytest.approx(
        (10**23 - 10**20) / (1.1e11 * 1.01e12), rel=1e-9
    )


def test_errors(taxonomy):
    with pytest.raises(hv.PredictionsError, match=r"expected two arrays of one length, got shapes \(2,\) and \(1,\)"):
        hv.confusion(taxonomy, np.array([1, 2]), np.array([1]))
    with pytest.raises(hv.PredictionsError, match=r"^predicted: expected node numbers from 0 to 6"):
        hv.confusion(taxonomy, np.array([1]), np.array([7]))


def test_no_samples(taxonomy):
    nothing = np.empty(0, dtype=int)
    found = hv.confusion(taxonomy, nothing, nothing)
    assert found.counts == {"tp": 0, "tn": 0, "fp": 0, "fn": 0}
    assert set(found.measures.values()) == {None}
    assert best_constant_path(taxonomy, nothing)[0] == 0


# Figure 4 and the case study of the paper ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def figure(golden):
    return golden("hcm_figure4.json")


def test_figure_4a(figure):
    panel = figure["panels"][0]
    assert (panel["panel"], len(panel["examples"])) == ("a", 3)
    taxonomy = hv.Taxonomy.from_edges(panel["edges"])
    truth = taxonomy.nodes(*panel["true_labels"] * 3)
    predicted = taxonomy.nodes(*(example["predicted_paths"][0][-1] for example in panel["examples"]))
    found = hv.confusion(taxonomy, truth, predicted)
    for row, example in enumerate(panel["examples"]):
        (pair,) = example["pairs"]
        assert {cell.upper(): int(getattr(found, cell)[row]) for cell in CELLS} == example["expected"]
        for cell, nodes in found.node_sets(row).items():
            assert {taxonomy.names[node] for node in nodes} == set(pair[cell.upper()])


def test_edge_cases_of_the_reference(figure):
    taxonomy = hv.Taxonomy.from_edges(figure["panels"][0]["edges"])
    seen = 0
    for case in figure["edge_cases"]["cases"]:
        ends = [path[-1] for path in case["predicted_paths"]]
        if (
            case["edges"] != "panel a"
            or len(case["true_labels"]) != 1
            or len(ends) != 1
            or ends[0] not in taxonomy.index
        ):
            continue
        found = hv.confusion(taxonomy, taxonomy.nodes(*case["true_labels"]), taxonomy.nodes(*ends))
        assert {cell.upper(): count for cell, count in found.counts.items()} == case["reference"], case["case"]
        seen += 1
    assert seen >= 3


def read_gz(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def transposon(shared_data):
    folder = shared_data / "transposon"
    with open(folder / "taxonomy.csv", encoding="utf-8", newline="") as file:
        taxonomy = hv.Taxonomy.from_edges([(row["parent"], row["child"]) for row in csv.DictReader(file)])
    assert taxonomy.n_nodes == 19
    return folder, taxonomy, read_gz(folder / "truth.csv.gz"), json.loads((folder / "expected.json").read_text())


@pytest.mark.parametrize("model", ["RFSB", "HC_GA", "TopDown"])
def test_transposon(transposon, model):
    folder, taxonomy, truth, expected = transposon
    rows = read_gz(folder / f"pred_{model}.csv.gz")
    assert [row["sample_id"] for row in rows] == [row["sample_id"] for row in truth]
    predicted = taxonomy.nodes(*(row["label"] for row in rows))
    for variant, column in (("paper", "label_paper"), ("raw_truth", "label_raw")):
        found = hv.confusion(taxonomy, taxonomy.nodes(*(row[column] for row in truth)), predicted)
        want = expected["models"][model][variant]
        assert {cell.upper(): count for cell, count in found.counts.items()} == {
            k: want[k] for k in ("TP", "TN", "FP", "FN")
        }
        for key in ("ACC", "PPV", "TPR", "F1", "MCC"):
            assert found.measures[key.lower()] == pytest.approx(want[key], abs=1e-12)
        if variant == "paper":
            each = [row for row in read_gz(folder / "expected_per_sample.csv.gz") if row["model"] == model]
            assert len(each) == 9006
            for cell in CELLS:
                assert getattr(found, cell).tolist() == [int(row[cell.upper()]) for row in each]


@pytest.mark.parametrize("model", ["RFSB", "HC_GA", "TopDown"])
def test_transposon_scores_from_the_top_down(transposon, model):
    """The labels were decoded from the scores by always stepping to the best child, the first on ties."""
    folder, taxonomy, _, _ = transposon
    rows = read_gz(folder / f"scores_{model}.csv.gz")
    names = [name for name in rows[0] if name != "sample_id"]
    scores = np.array([[float(row[name]) for name in names] for row in rows])
    p = hv.node_probabilities(taxonomy, scores, "node_probabilities", taxonomy.nodes(*names))
    labels = [row["label"] for row in read_gz(folder / f"pred_{model}.csv.gz")]
    assert [taxonomy.names[node] for node in hv.infer(taxonomy, p, "top_down")] == labels


def test_transposon_baseline(transposon):
    """Always 1/1/1 on label_paper: 18891/26048/8127/7998, F1 70.09 %, MCC 46.45 %."""
    _, taxonomy, truth, _ = transposon
    node, found = best_constant_path(taxonomy, taxonomy.nodes(*(row["label_paper"] for row in truth)))
    assert taxonomy.names[node] == "1/1/1"
    assert found.counts == {"tp": 18891, "tn": 26048, "fp": 8127, "fn": 7998}
    assert round(100 * found.measures["f1"], 2) == 70.09
    assert round(100 * found.measures["mcc"], 2) == 46.45
