"""Cutting, pruning to known classes and inner truths as leaves, against trees built by hand and plain walks to the root."""

import json

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TIES, from_graph, graphs, leaf_rows, many, rows, trees, truths

import hierviz as hv
from hierviz import NodeLists, Predictions, PredictionsError, Taxonomy, TaxonomyError
from hierviz.cli import main
from hierviz.compiled import tree_pass
from hierviz.predictions.listed_scores import ListedScores
from hierviz.projection.projected import SEEN, NodeColumns
from hierviz.projection.taxonomy_part import TaxonomyPart, part_of_known, part_to_level


def built(taxonomy, kept):
    """A taxonomy made anew from the edges between the nodes `kept`, and the number of each of its nodes by name."""
    edges = [(taxonomy.names[a], taxonomy.names[b]) for a, b in taxonomy.edges.tolist() if {a, b} <= set(kept)]
    made = Taxonomy.from_edges(edges)
    return made, [taxonomy.index[name] for name in made.names]


def nearest(graph, node, kept):
    while node not in kept:
        node = graph.parents[node][0]
    return node


def numbers(report):
    """The blocks of the only model of a report."""
    (model,) = report["models"]
    return {key: model[key] for key in ("distribution", "top_down", "predicted", "labels", "curve", "confusion")}


def same(a, b):
    assert a.keys() == b.keys()
    for key, value in a.items():
        if isinstance(value, dict):
            same(value, b[key])
        else:
            assert value == pytest.approx(b[key], abs=1e-12, nan_ok=True), key


@st.composite
def cuts(draw):
    """(graph, taxonomy, depth, truth): at least one node below the root stays."""
    graph = draw(trees())
    return graph, from_graph(graph), draw(st.integers(1, 4)), draw(truths(graph, 3))


@many
@given(cuts(), st.data())
def test_a_cut_equals_a_tree_built_with_these_nodes_only(case, data):
    graph, taxonomy, depth, truth = case
    kept = [node for node in range(graph.n) if naive.depth(graph, node) <= depth]
    by_hand, nodes = built(taxonomy, kept)
    near = [nodes.index(nearest(graph, node, kept)) for node in truth]
    leaves = data.draw(leaf_rows(graph, least=3, most=3))
    whole = Predictions.from_scores(taxonomy, leaves, "leaf_probabilities", truth=truth)
    p = whole.node_probabilities()[:, nodes]
    expected = Predictions(by_hand, scores=p, parametrisation="node_probabilities", truth=np.array(near))
    found = hv.projection.cut(whole, max_depth=depth)
    assert found.taxonomy.names == by_hand.names
    assert found.taxonomy.sha256 == by_hand.sha256
    rule, threshold = (
        data.draw(st.sampled_from(["majority", "threshold", "leaf", "darts"])),
        data.draw(st.sampled_from(TIES)),
    )
    same(
        numbers(hv.evaluate(found, rule=rule, threshold=threshold)),
        numbers(hv.evaluate(expected, rule=rule, threshold=threshold)),
    )
    # Labels: each becomes its ancestor at the cut.
    labels = data.draw(truths(graph, 3))
    found = hv.projection.cut(Predictions.from_labels(taxonomy, labels, truth=truth), max_depth=depth)
    expected = [nodes.index(nearest(graph, node, kept)) for node in labels]
    assert found.labels.nodes.tolist() == expected
    expected = Predictions.from_labels(by_hand, np.array(expected), truth=np.array(near))
    same(numbers(hv.evaluate(found)), numbers(hv.evaluate(expected)))


@many
@given(graphs(), st.data())
def test_a_cut_graph_keeps_all_parents_or_says_which_is_lost(graph, data):
    taxonomy, depth = from_graph(graph), data.draw(st.integers(1, 3))
    kept = [node for node in range(graph.n) if naive.depth(graph, node) <= depth]
    lists = [data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=3, unique=True)) for _ in range(3)]
    model = Predictions.from_labels(taxonomy, NodeLists.from_lists(lists), truth=NodeLists.from_lists(lists))
    if any(parent not in kept for node in kept for parent in graph.parents[node]):
        with pytest.raises(TaxonomyError, match="without its parent"):
            hv.projection.cut(model, max_depth=depth)
        return
    found = hv.projection.cut(model, max_depth=depth)
    for nodes, made in zip(lists, [found.truth[i] for i in range(3)]):
        above = set().union(*(naive.ancestors(graph, node) for node in nodes)) & set(kept)
        names = {f"n{node}" for node in above}
        made_names = {found.taxonomy.names[node] for node in found.taxonomy.ancestors(made).nodes}
        assert made_names == names
        assert len(set(made.tolist())) == len(made)


def test_one_truth_in_a_graph_becomes_several():
    """d has the parents b and c; cut above d, its truth is both."""
    edges = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("b", "e")]
    taxonomy = Taxonomy.from_edges(edges)
    model = Predictions.from_labels(taxonomy, taxonomy.nodes("d", "e", "b"), truth=taxonomy.nodes("d", "e", "c"))
    found = hv.projection.cut(model, max_depth=1)
    assert [[found.taxonomy.names[node] for node in found.truth[i]] for i in range(3)] == [["b", "c"], ["b"], ["c"]]


def test_a_rank_cuts_below_it_and_leaves_above_stay():
    edges = [("life", "cats"), ("cats", "felis"), ("felis", "tabby"), ("life", "felidae"), ("life", "moss")]
    ranks = {"cats": "Family", "felis": "genus", "tabby": "species", "felidae": "family"}
    taxonomy = Taxonomy.from_edges(edges, attributes={"rank": ranks})
    assert hv.projection.cut(taxonomy, level="family").names == ("life", "cats", "felidae", "moss")
    assert hv.projection.cut(taxonomy, level="genus").names == ("life", "cats", "felis", "felidae", "moss")
    assert hv.projection.cut(taxonomy, level="1").names == ("life", "cats", "felidae", "moss")
    assert (
        hv.projection.cut(taxonomy, level=2).information.tolist()
        == hv.projection.cut(taxonomy, max_depth=2).information.tolist()
    )
    with pytest.raises(
        TaxonomyError, match=r"expected one of 'Family', 'genus', 'species', 'family', or a depth, got 'genuss'"
    ):
        part_to_level(taxonomy, "genuss")
    with pytest.raises(TaxonomyError, match="from 1 up"):
        hv.projection.cut(taxonomy, max_depth=0)
    with pytest.raises(PredictionsError, match="both or none"):
        hv.projection.cut(taxonomy)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        # One class in the first column: it is the root. Two: a root is added above them.
        ("kingdom,family,genus\nlife,cats,felis\nlife,dogs,canis\n", {"life", "cats", "dogs"}),
        ("family,genus\ncats,felis\ndogs,canis\n", {"root", "cats", "dogs"}),
    ],
)
def test_the_header_of_a_level_column_is_a_rank(tmp_path, text, names):
    path = tmp_path / "levels.csv"
    path.write_text(text)
    found = hv.projection.cut(hv.load_taxonomy(path), level="Family")
    assert set(found.names[1:]) == {name for name in names if name not in ("root", "life")}
    assert found.max_depth == 1


@many
@given(trees(), st.data())
def test_known_classes_and_projection_against_plain_walks(graph, data):
    taxonomy = from_graph(graph)
    leaves = data.draw(st.lists(st.sampled_from(graph.leaves), min_size=1, unique=True))
    kept = sorted(set().union(*(naive.ancestors(graph, leaf) for leaf in leaves)))
    truth = data.draw(truths(graph, 4))
    p = data.draw(rows(graph.n, least=4, most=4))
    model = Predictions(taxonomy, scores=p, parametrisation="node_probabilities", truth=truth, known=np.array(kept))
    by_hand, nodes = built(taxonomy, kept)
    assert hv.projection.truth_is_known(model).tolist() == [node in kept for node in truth]
    for unseen in (None, "project"):
        found = hv.projection.only_known(model, unseen)
        near = [nodes.index(nearest(graph, node, kept)) for node in truth]
        near = [a if unseen or node in kept else -1 for a, node in zip(near, truth)]
        assert (found.truth if len(kept) < graph.n else [nodes.index(n) for n in truth]) == pytest.approx(near)
        expected = Predictions(by_hand, scores=p[:, nodes], parametrisation="node_probabilities", truth=np.array(near))
        same(numbers(hv.evaluate(found)), numbers(hv.evaluate(expected)))
        if len(kept) < graph.n and not set(truth) <= set(kept):
            assert found.attributes[SEEN].tolist() == ["yes" if node in kept else "no" for node in truth]
            with pytest.raises(PredictionsError, match="expected truths that the model knows"):
                hv.projection.only_known(model, "error")


def test_unseen_truths_worked_by_hand():
    """animal > {mammal > {cat, dog}, bird > {duck, owl}}; known: cat, dog, duck.

    Known tree: 3 leaves, so mammal has log2(3/2) bits and bird, with its only child duck, log2 3. An owl is judged as bird:
    the answer duck lies below bird and counts as bird itself, exact. Left out, there is one sample less.
    """
    taxonomy = Taxonomy.from_edges(
        [
            ("animal", "mammal"),
            ("mammal", "cat"),
            ("mammal", "dog"),
            ("animal", "bird"),
            ("bird", "duck"),
            ("bird", "owl"),
        ]
    )
    known = part_of_known(taxonomy, taxonomy.nodes("cat", "dog", "duck"))
    assert known.taxonomy.information == pytest.approx(np.log2([1, 1.5, 3, 3, 3, 3]))
    p = np.array([[0.75, 0.25, 0], [0.125, 0, 0.875]])
    small = Predictions.from_scores(known.taxonomy, p, "leaf_probabilities")
    from hierviz.projection.projected import with_zeros

    model = with_zeros(taxonomy, known, small).replace(truth=taxonomy.nodes("dog", "owl"))
    assert model.node_probabilities().tolist() == [[1, 1, 0.75, 0.25, 0, 0, 0], [1, 0.125, 0.125, 0, 0.875, 0.875, 0]]
    # On the whole tree the owl has no probability: the answer duck is wrong.
    whole = hv.evaluate(model)["models"][0]
    assert whole["predicted"]["correct"] == 0
    assert whole["distribution"]["cross_entropy_infinite"] == 1
    projected = hv.evaluate(hv.projection.only_known(model, "project"))["models"][0]
    assert (projected["n_samples"], projected["predicted"]["correct"], projected["predicted"]["exact"]) == (2, 0.5, 0.5)
    # dog answered with cat: they share mammal, log2(3/2) of log2(3) bits.
    assert projected["predicted"]["info_recall"] == pytest.approx((np.log2(1.5) / np.log2(3) + 1) / 2)
    left = hv.evaluate(hv.projection.only_known(model))["models"][0]
    assert left["n_samples"] == 1
    assert any("truths of 1 samples lie outside and were left out" in note for note in left["notes"])


def test_inner_truths_as_leaves_worked_by_hand(taxonomy):
    """The fish of the paper, in animals: a sample whose truth is mammal itself.

    The tree gets "mammal (other)" beside cat and dog: 5 leaves, mammal has log2(5/3) bits. Of node probabilities mammal .75,
    cat .5, dog .125 the new leaf has .125; of leaf probabilities nothing. W of a truth at depth 2 is p(a1)/2 + p(y)/4 + p(y)/4.
    """
    p = np.array([[1, 0.75, 0.5, 0.125, 0.25, 0.25, 0], [1, 0.75, 0.5, 0.25, 0.25, 0.25, 0]])
    truth = taxonomy.nodes("mammal", "cat")
    model = Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
    found = hv.projection.with_other_leaves(model)
    assert found.taxonomy.names[-1] == "mammal (other)"
    assert found.taxonomy.information[1] == pytest.approx(np.log2(5 / 3))
    assert found.node_probabilities()[:, -1].tolist() == [0.125, 0]
    assert [found.taxonomy.names[node] for node in found.truth] == ["mammal (other)", "cat"]
    report = hv.evaluate(found)["models"][0]
    assert report["distribution"]["softmax_win"] == pytest.approx((0.75 / 2 + 0.125 / 2 + 0.75 / 2 + 0.5 / 2) / 2)
    # The answer mammal to "mammal (other)": correct, log2(5/3) of log2(5) bits.
    assert report["predicted"]["info_recall"] == pytest.approx(np.log2(5 / 3) / np.log2(5))
    leaves = Predictions.from_scores(taxonomy, p[1:, taxonomy.leaves], "leaf_probabilities", truth=truth[:1])
    report = hv.evaluate(hv.projection.with_other_leaves(leaves))["models"][0]
    assert report["distribution"]["cross_entropy_infinite"] == 1
    lists = NodeLists.from_lists([taxonomy.nodes("mammal", "cat", "bird"), taxonomy.nodes("mammal")])
    found = hv.projection.with_other_leaves(Predictions.from_labels(taxonomy, lists, truth=lists))
    names = [[found.taxonomy.names[node] for node in found.labels[i]] for i in range(2)]
    assert names == [["mammal", "cat", "bird (other)"], ["mammal (other)"]]
    assert hv.evaluate(found)["models"][0]["confusion"]["fp"] == 0


@pytest.mark.long
def test_scores_on_disk_are_read_in_blocks(tmp_path, monkeypatch):
    """Never more rows at a time than fit, also where the part is far smaller than the taxonomy; lists of the best as well."""
    rng = np.random.default_rng(0)
    n_leaves, n = 500, 300
    edges = [(f"g{k % 5}", f"c{k}") for k in range(n_leaves)] + [("root", f"g{k}") for k in range(5)]
    taxonomy = Taxonomy.from_edges(edges)
    scores = rng.dirichlet(np.full(n_leaves, 0.05), n).astype(np.float32)
    np.save(tmp_path / "p.npy", scores)
    stored = np.load(tmp_path / "p.npy", mmap_mode="r")
    truth = taxonomy.leaves[rng.integers(0, n_leaves, n)]
    model = Predictions(taxonomy, scores=stored, parametrisation="leaf_probabilities", truth=truth)
    monkeypatch.setattr("hierviz.projection.projected.BLOCK_VALUES", 64 * taxonomy.n_nodes)
    sizes, read = [], Predictions.node_probabilities

    def noted(self, rows=slice(None)):
        if self is model:
            sizes.append(len(np.arange(n)[rows]))
        return read(self, rows)

    monkeypatch.setattr(Predictions, "node_probabilities", noted)
    found = hv.projection.cut(model, max_depth=1)
    assert isinstance(found.scores, NodeColumns)
    report = hv.evaluate(found)
    assert sizes
    assert max(sizes) <= 64
    by_group = np.zeros((n, 6))
    by_group[:, 0] = 1
    np.add.at(by_group.T, found.taxonomy.nodes(*(f"g{k % 5}" for k in range(n_leaves))), 0)
    for k in range(n_leaves):
        by_group[:, found.taxonomy.node(f"g{k % 5}")] += scores[:, list(taxonomy.leaves).index(taxonomy.node(f"c{k}"))]
    assert found.node_probabilities()[:, 1:] == pytest.approx(by_group[:, 1:], abs=1e-6)
    # The compiled pass reads the same columns.
    monkeypatch.setenv("HIERVIZ_COMPILED", "1")
    if tree_pass.is_used(found):
        same(numbers(hv.evaluate(found)), numbers(report))
    best = np.argsort(-scores, axis=1)[:, :3]
    entries = ListedScores.from_entries(
        np.repeat(np.arange(n), 3), best.ravel(), np.take_along_axis(scores, best, 1).ravel(), (n, n_leaves)
    )
    top = Predictions(taxonomy, scores=entries, parametrisation="leaf_probabilities", truth=truth)
    p = top.node_probabilities()
    found = hv.projection.cut(top, max_depth=1)
    assert found.node_probabilities() == pytest.approx(p[:, [taxonomy.node(name) for name in found.taxonomy.names]])
    assert any("bounds: not available" in note for note in found.notes)


def test_rows_are_read_one_by_one_and_in_any_order(taxonomy):
    p = np.linspace(0, 1, 28).reshape(4, 7)
    model = Predictions.from_scores(taxonomy, p, "node_probabilities")
    columns = NodeColumns(model, np.array([1, -1]))
    assert columns[2].tolist() == [p[2, 1], 0]
    assert columns[np.array([3, 0])][:, 0].tolist() == p[[3, 0], 1].tolist()
    assert columns[5:].shape == (0, 2)


def test_a_cut_twice_reads_its_first_source(taxonomy):
    model = Predictions.from_scores(taxonomy, np.zeros((1, 7)), "node_probabilities", truth=np.array([2]))
    part = part_of_known(taxonomy, taxonomy.nodes("cat", "duck"))
    found = hv.projection.cut(hv.projection.only_known(model.replace(known=part.nodes)), max_depth=1)
    assert found.scores.source.taxonomy is taxonomy
    assert found.taxonomy.names == ("animal", "mammal", "bird")


def test_a_part_needs_two_nodes(taxonomy):
    with pytest.raises(TaxonomyError, match="only the root"):
        TaxonomyPart.of(taxonomy, np.arange(7) < 1, "known classes")


# The command line -------------------------------------------------------------------------------------------------------

TREE = "parent,child\nanimal,mammal\nmammal,cat\nmammal,dog\nanimal,bird\nbird,duck\nbird,owl\n"
PART = "sample_id,cat,dog,duck,truth\na,0.75,0.25,0,dog\nb,0.125,0,0.875,owl\n"


def run(capsys, *arguments):
    code = main(list(arguments))
    found = capsys.readouterr()
    return code, (json.loads(found.out) if code == 0 else found.err)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "tree.csv").write_text(TREE)
    (tmp_path / "part.csv").write_text(PART)
    (tmp_path / "labels.csv").write_text("sample_id,predicted,truth\na,cat,dog\nb,duck,owl\n")
    (tmp_path / "known.txt").write_text("cat\ndog\nduck\n")
    return tmp_path


def test_flags_of_known_classes(files, capsys):
    ask = ("evaluate", "--taxonomy", f"{files}/tree.csv", "--predictions", f"{files}/part.csv")
    code, error = run(capsys, *ask)
    assert code == 2
    assert "missing 'owl'" in error
    assert "--missing zero" in error
    code, report = run(capsys, *ask, "--missing", "zero")
    assert report["taxonomy"]["n_nodes"] == 7
    assert any("knows 3 classes" in note and "1 other leaves of 4" in note for note in report["models"][0]["notes"])
    code, report = run(capsys, *ask, "--only-known")
    assert (report["taxonomy"]["n_nodes"], report["models"][0]["n_samples"]) == (6, 1)
    code, report = run(capsys, *ask, "--unseen", "project")
    assert (report["models"][0]["n_samples"], report["models"][0]["predicted"]["exact"]) == (2, 0.5)
    code, error = run(capsys, *ask, "--unseen", "error")
    assert code == 2
    assert "--unseen project" in error
    ask = ("evaluate", "--taxonomy", f"{files}/tree.csv", "--predictions", f"{files}/labels.csv")
    code, error = run(capsys, *ask, "--only-known")
    assert code == 2
    assert "--classes" in error
    code, report = run(capsys, *ask, "--unseen", "project", "--classes", f"{files}/known.txt")
    assert report["models"][0]["n_samples"] == 2
    code, error = run(capsys, *ask, "--unseen", "guess")
    assert code == 2
    assert "--unseen: expected project or error" in error


def test_flags_of_cuts(files, capsys):
    ask = ("--taxonomy", f"{files}/tree.csv", "--predictions", f"{files}/part.csv", "--missing", "zero")
    code, report = run(capsys, "evaluate", *ask, "--max-depth", "1")
    assert report["taxonomy"]["max_depth"] == 1
    assert report["models"][0]["predicted"]["correct"] == 1
    code, report = run(capsys, "diagnose", *ask, "--cut-level", "1", "--level", "1")
    assert report["taxonomy"]["n_leaves"] == 2
    code = main(["curve", *ask, "--level", "1"])
    assert code == 0
    assert capsys.readouterr().out.startswith("threshold,")
    code, error = run(capsys, "evaluate", *ask, "--max-depth", "1", "--level", "1")
    assert code == 2
    assert "--max-depth" in error
    code, error = run(capsys, "evaluate", *ask, "--level", "genus")
    assert code == 2
    assert "the file names no ranks" in error
    code, report = run(capsys, "evaluate", *ask, "--inner-truth", "other")
    assert report["taxonomy"]["n_nodes"] == 7


def test_the_app_opens_a_cut(files):
    from hierviz.app.state.dataset import Files, open_files

    data = open_files(
        Files(
            taxonomy=f"{files}/tree.csv",
            predictions=(f"{files}/part.csv",),
            projection={"unseen": "project", "cut_level": "1"},
        )
    )
    assert data.taxonomy.names == ("animal", "mammal", "bird")
    assert data.first.predictions.attributes[SEEN].tolist() == ["yes", "no"]
