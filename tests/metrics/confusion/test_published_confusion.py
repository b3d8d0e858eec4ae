"""Figure 4, its edge cases, and the case studies of the paper, sample by sample."""

import json
from pathlib import Path

import numpy as np
import pytest

from hierviz import NodeLists, PredictionsError, Taxonomy, confusion
from hierviz.metrics.confusion.constant_paths import best_constant_path
from hierviz.metrics.confusion.multi_path import confusion_paths, greedy_cover
from hierviz.metrics.confusion.path_lists import PathLists

FIGURE = json.loads((Path(__file__).parents[2] / "golden" / "hcm_figure4.json").read_text())
PANELS = {panel["panel"]: panel for panel in FIGURE["panels"]}
CASES = FIGURE["edge_cases"]["cases"]
CELLS = ("tp", "tn", "fp", "fn")
MEASURES = ("acc", "ppv", "tpr", "f1", "mcc")
SUBMISSIONS = [
    (task, name)
    for task in ("1a", "1b")
    for name in (
        "EricssonResearch__fconv_A6C1Y",
        "Comtravo-DS__local_clf_logit_cnn",
        "DFKI-SLT__full",
        "LT-UHH__baseline",
    )
]


def run(edges, truth, predicted):
    """(taxonomy, confusion) of one sample given by names; names outside the taxonomy become -1."""
    taxonomy = Taxonomy.from_edges(edges)
    paths = [[taxonomy.index.get(name, -1) for name in path] for path in predicted]
    return taxonomy, confusion_paths(
        taxonomy, NodeLists.from_lists([taxonomy.nodes(*truth)]), PathLists.from_lists([paths])
    )


def upper(counts):
    return {cell.upper(): count for cell, count in counts.items()}


def assert_measures(found, expected):
    assert upper(found.counts) == {cell.upper(): expected[cell.upper()] for cell in CELLS}
    for key in MEASURES:
        assert found.measures[key] == pytest.approx(expected[key.upper()], rel=1e-12)


@pytest.mark.parametrize(
    ("panel", "example"),
    [pytest.param(p, e, id=f"{p['panel']}-{e['id']}") for p in FIGURE["panels"] for e in p["examples"]],
)
def test_figure_4(panel, example):
    taxonomy, found = run(panel["edges"], panel["true_labels"], example["predicted_paths"])
    assert upper(found.counts) == example["expected"]
    pairs = found.pairs(0)
    assert pairs.surplus == pairs.left_over == ()
    by_path = {tuple(pair["predicted_path"]): pair for pair in example["pairs"]}
    assert len(pairs.pairs) == len(by_path)
    for pair in pairs.pairs:
        names = {key: [taxonomy.names[node] for node in nodes] for key, nodes in vars(pair).items()}
        expected = by_path.pop(tuple(names["predicted"]))
        assert names["true"] == expected["considered_true_path"]
        for cell in CELLS:
            assert sorted(names[cell]) == sorted(expected[cell.upper()])


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_edge_case(case):
    edges = PANELS[case["edges"][-1]]["edges"] if isinstance(case["edges"], str) else case["edges"]
    _, found = run(edges, case["true_labels"], case["predicted_paths"])
    assert upper(found.counts) == case["reference"]
    sets = found.node_sets(0)
    assert {cell.upper(): len(nodes) for cell, nodes in sets.items()} == case["reference"]


def test_a_node_may_be_tn_of_one_pair_and_fp_of_another():
    # Panel c, example 2: E is a sibling of C (TN of the first pair) and predicted below B (FP of the second).
    panel = PANELS["c"]
    taxonomy, found = run(panel["edges"], panel["true_labels"], panel["examples"][2]["predicted_paths"])
    # Both share one node below the root with a truth: B comes first, as its name is larger.
    below_b, below_a = found.pairs(0).pairs
    assert taxonomy.node("E") in below_a.tn
    assert taxonomy.node("E") in below_b.fp


class TestWhereWeDifferFromTheReference:
    """The reference lowers FN, stops with an unrelated exception, or guesses; we say what is wrong."""

    edges = PANELS["a"]["edges"]

    def confusion(self, truth, paths):
        return confusion_paths(Taxonomy.from_edges(self.edges), NodeLists.from_lists([truth]), paths)

    @pytest.mark.parametrize("node", [-1, 14])
    def test_unknown_true_label_is_an_error(self, node):
        with pytest.raises(PredictionsError, match=f"truth: expected node numbers from 0 to 13, got {node}"):
            self.confusion([3, node], PathLists.from_lists([[[0]]]))
        with pytest.raises(PredictionsError, match="truth: expected node numbers"):
            best_constant_path(Taxonomy.from_edges(self.edges), NodeLists.from_lists([[node]]))

    def test_true_label_that_is_no_integer_is_an_error(self):
        with pytest.raises(PredictionsError, match="truth: expected node numbers"):
            confusion_paths(Taxonomy.from_edges(self.edges), np.array([0.5]), PathLists.from_lists([[[0]]]))

    @pytest.mark.parametrize(
        ("path", "why"),
        [
            ([1, 3], "it does not start at the root"),
            ([0, 3], "there is no edge from 0 to 3"),  # skips A
            ([0, -1, 1], "there is no edge from -1 to 1"),
            ([0, 1, 99], "node numbers end at 13"),
            ([0, -2], "node numbers end at 13"),
            ([], "it is empty"),
        ],
    )
    def test_what_is_no_path_is_an_error(self, path, why):
        with pytest.raises(PredictionsError, match=rf"sample 0: expected a path from the root.*: {why}\."):
            self.confusion([3], PathLists.from_lists([[path, [0, 1]]]))

    def test_the_error_names_the_sample(self):
        paths = PathLists.from_lists([[[0, 1], [0]], [[0]], [[0, 1], [0, 1, 1]]])
        with pytest.raises(PredictionsError, match="sample 2: expected a path"):
            confusion_paths(Taxonomy.from_edges(self.edges), np.array([3, 3, 3]), paths)

    def test_no_path_is_the_root_only_path_or_an_error(self):
        assert PathLists.from_lists([[]])[0][0].tolist() == [0]
        assert (
            self.confusion([3], PathLists.from_lists([[]])).counts
            == self.confusion([3], PathLists.from_lists([[[0]]])).counts
        )
        nothing = PathLists(np.array([0, 0]), np.empty(0, np.intp), NodeLists.from_lists([[0]]))
        with pytest.raises(PredictionsError, match="sample 0: expected at least one path, got none"):
            self.confusion([3], nothing)

    def test_lengths_must_agree(self):
        with pytest.raises(PredictionsError, match="as many samples in both, got 1 and 2"):
            self.confusion([3], PathLists.from_lists([[[0]], [[0]]]))

    def test_two_unknown_nodes_are_two(self):
        found = self.confusion([1], PathLists.from_lists([[[0, 1, -1, -1], [0, -1]]]))
        assert found.counts == {"tp": 1, "tn": 4, "fp": 3, "fn": 0}
        assert found.node_sets(0)["fp"].tolist() == [-1, -1, -1]


def test_no_sample():
    taxonomy = Taxonomy.from_edges(PANELS["b"]["edges"])
    empty = NodeLists.from_lists([])
    found = confusion_paths(taxonomy, empty, greedy_cover(taxonomy, empty))
    assert found.counts == dict.fromkeys(CELLS, 0)
    assert best_constant_path(taxonomy, empty)[0] == 0


@pytest.mark.parametrize("variant", ["paper", "raw_truth"])
@pytest.mark.parametrize("model", ["RFSB", "HC_GA", "TopDown"])
def test_transposon(transposon, model, variant):
    taxonomy = transposon.taxonomy
    truth = taxonomy.nodes(*transposon.truth[variant])
    predicted = taxonomy.nodes(*transposon.predicted[model])
    found = confusion_paths(taxonomy, truth, PathLists.from_nodes(taxonomy, predicted))
    assert_measures(found, transposon.expected[model][variant])
    plain = confusion(taxonomy, truth, predicted)
    for cell in CELLS:
        np.testing.assert_array_equal(getattr(found, cell), getattr(plain, cell))
    covered = confusion_paths(taxonomy, truth, greedy_cover(taxonomy, NodeLists(np.arange(len(truth) + 1), predicted)))
    assert covered.counts == found.counts
    assert found.counts["tp"] + found.counts["fn"] == (26_889 if variant == "paper" else taxonomy.depth[truth].sum())
    if variant == "paper":
        np.testing.assert_array_equal(
            np.stack([getattr(found, cell) for cell in CELLS], 1), transposon.per_sample[model]
        )
        assert found.counts["tp"] + found.counts["fp"] == taxonomy.depth[predicted].sum()


def test_transposon_constant_path(transposon):
    # Riehl et al., JRSS-C 2023, Transposon: always 1/1/1 has F1 70.09 % and MCC 46.45 % on label_paper.
    taxonomy = transposon.taxonomy
    node, found = best_constant_path(taxonomy, taxonomy.nodes(*transposon.truth["paper"]))
    assert taxonomy.names[node] == "1/1/1"
    assert found.counts == {"tp": 18891, "tn": 26048, "fp": 8127, "fn": 7998}
    assert round(100 * found.measures["f1"], 2) == 70.09
    assert round(100 * found.measures["mcc"], 2) == 46.45


@pytest.mark.parametrize("variant", ["paper", "clean"])
@pytest.mark.parametrize("key", SUBMISSIONS, ids="-".join)
def test_germeval(germeval, as_lists, key, variant):
    case, task = germeval[key], key[0]
    keep_empty = task == "1a" and variant == "paper"
    truth = greedy_cover(case.taxonomy, as_lists(case.taxonomy, case.truth)).ends
    labels = as_lists(case.taxonomy, case.predicted, keep_empty)
    found = confusion_paths(case.taxonomy, truth, greedy_cover(case.taxonomy, labels))
    assert_measures(found, case.expected[variant])
    expected = np.array(case.per_sample)
    if task == "1a" and variant == "clean":
        # An empty label is one false positive and nothing else: no label at all is the root-only path.
        expected[:, 2] -= [0 if cell is None else cell.split(";").count("") for cell in case.predicted]
    np.testing.assert_array_equal(np.stack([getattr(found, cell) for cell in CELLS], axis=1), expected)
    assert found.counts["tp"] + found.counts["fn"] == {"1a": 4470, "1b": 15110}[task]
    depths = found.predicted.paths.lengths[found.predicted.which] - 1
    assert found.counts["tp"] + found.counts["fp"] == depths.sum()
    if task == "1a":
        # One level: each label by itself, without a cover, is the same.
        by_label = confusion_paths(
            case.taxonomy, as_lists(case.taxonomy, case.truth), PathLists.from_nodes(case.taxonomy, labels)
        )
        assert by_label.counts == found.counts


@pytest.mark.parametrize("key", SUBMISSIONS[:4], ids="-".join)
def test_one_level_is_flat_micro(germeval, as_lists, key):
    case = germeval[key]
    truth, labels = (as_lists(case.taxonomy, cells) for cells in (case.truth, case.predicted))
    measures = confusion_paths(case.taxonomy, truth, greedy_cover(case.taxonomy, labels)).measures
    flat = case.expected["flat_micro"]
    assert (measures["ppv"], measures["tpr"]) == (flat["precision"], flat["recall"])
    assert measures["f1"] == pytest.approx(flat["f1"], rel=1e-15)


def test_label_order_decides_one_sample(germeval, as_lists):
    # Section 5: 8498/119546/3208/6612 with the labels in the order of the file.
    case = germeval["1b", "EricssonResearch__fconv_A6C1Y"]
    sort = lambda cells: [cell and ";".join(sorted(cell.split(";"))) for cell in cells]  # noqa: E731
    truth, labels = (as_lists(case.taxonomy, sort(cells)) for cells in (case.truth, case.predicted))
    found = confusion_paths(case.taxonomy, greedy_cover(case.taxonomy, truth).ends, greedy_cover(case.taxonomy, labels))
    assert found.counts == {"tp": 8499, "tn": 119547, "fp": 3207, "fn": 6611}
    ours = np.stack([getattr(found, cell) for cell in CELLS], axis=1)
    assert (ours != np.array(case.per_sample)).any(axis=1).sum() == 1


def test_shared_ancestors_count_once_per_path(germeval, as_lists):
    # Section 4: the truth of 1b lists 13 052 labels, its paths hold 15 110 nodes.
    case = germeval["1b", "DFKI-SLT__full"]
    truth = as_lists(case.taxonomy, case.truth)
    ends = greedy_cover(case.taxonomy, truth).ends
    assert len(truth.nodes) == 13_052
    assert case.taxonomy.depth[ends.nodes].sum() == 15_110


@pytest.mark.parametrize(("task", "end"), [("1a", "Literatur & Unterhaltung"), ("1b", "Romane & Erzählungen")])
def test_germeval_constant_path(germeval, as_lists, task, end):
    case = germeval[task, "LT-UHH__baseline"]
    truth = greedy_cover(case.taxonomy, as_lists(case.taxonomy, case.truth)).ends
    node, found = best_constant_path(case.taxonomy, truth)
    n = len(truth)
    every = [
        confusion_paths(case.taxonomy, truth, PathLists.from_nodes(case.taxonomy, np.full(n, one))).measures["f1"]
        for one in range(case.taxonomy.n_nodes)
    ]
    assert case.taxonomy.names[node] == end
    assert node == int(np.argmax(every))
    assert found.measures["f1"] == every[node]
