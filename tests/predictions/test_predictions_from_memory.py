"""Predictions from frames, predict_proba, labels by level and pipelines: by name, never by place."""

import warnings

import numpy as np
import pandas as pd
import pytest

import hierviz as hv
from hierviz.predictions.predictions import Predictions

LEAVES = ["cat", "dog", "duck", "newt"]
P = np.array([[0.5, 0.25, 0.125, 0.125], [0.125, 0.125, 0.25, 0.5]])


def same(found, taxonomy, truth=("cat", "newt"), p=P):
    """`found` holds the probabilities `p` of `LEAVES`, and the truth."""
    expected = Predictions.from_scores(taxonomy, p, "leaf_probabilities")
    np.testing.assert_array_equal(found.node_probabilities(), expected.node_probabilities())
    assert (found.truth is None) if truth is None else (found.truth.tolist() == taxonomy.nodes(*truth).tolist())


def frame(**more):
    """Columns in another order than the nodes, with blanks around a name."""
    table = pd.DataFrame(P, columns=LEAVES)[["newt", "dog", "duck", "cat"]].rename(columns={"dog": " dog "})
    return table.assign(**more)


# Frames ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "truth",
    [
        ["cat", "newt"],
        np.array(["cat", "newt"]),
        pd.Series(["cat", "newt"]),
        ("cat", " newt "),
    ],
)
def test_truth_of_a_frame(taxonomy, truth):
    same(Predictions.from_frame(frame(), taxonomy, truth=truth), taxonomy)


def test_columns_of_a_frame(taxonomy):
    found = Predictions.from_frame(
        frame(label=["cat", "newt"], sample_id=[7, 8], place=["x", "y"]), taxonomy, truth="label", name="m"
    )
    same(found, taxonomy)
    assert (found.name, found.ids.tolist(), found.parametrisation) == ("m", ["7", "8"], "leaf_probabilities")
    assert list(found.attributes) == ["place"]
    same(Predictions.from_frame(frame(y_true=["cat", "newt"]), taxonomy), taxonomy)
    found = Predictions.from_frame(frame(truth=["cat", None]), taxonomy)
    assert found.truth.tolist() == [2, -1]
    same(Predictions.from_frame(frame(), taxonomy), taxonomy, None)


def test_the_index_of_a_frame_is_the_ids_unless_it_counts_rows(taxonomy):
    assert Predictions.from_frame(frame(), taxonomy).sample_ids is None
    named = frame().set_axis(["a", "b"])
    assert Predictions.from_frame(named, taxonomy).ids.tolist() == ["a", "b"]
    truth = pd.Series(["newt", "cat"], index=["b", "a"])
    with pytest.raises(
        hv.PredictionsError, match=r"^truth: expected a Series with the index of the frame, got another"
    ):
        Predictions.from_frame(named, taxonomy, truth=truth)
    same(Predictions.from_frame(named, taxonomy, truth=truth.reindex(named.index)), taxonomy)


def test_inner_nodes_and_raw_scores(taxonomy):
    p = Predictions.from_scores(taxonomy, P, "leaf_probabilities").node_probabilities()
    table = pd.DataFrame(p, columns=taxonomy.names).iloc[:, ::-1]
    found = Predictions.from_frame(table, taxonomy)
    assert found.parametrisation == "node_probabilities"
    np.testing.assert_array_equal(found.node_probabilities(), p)
    logits = Predictions.from_frame(np.log(frame()), taxonomy, parametrisation="flat_softmax")
    np.testing.assert_allclose(logits.node_probabilities(), p)


def test_several_truths(taxonomy):
    found = Predictions.from_frame(frame(truth=[["cat", "duck"], []]), taxonomy)
    assert [found.truth[0].tolist(), found.truth[1].tolist()] == [[2, 5], []]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: frame(nwet=[0.0, 0.0]), "frame, columns: expected names of nodes, got 'nwet'. Did you mean 'newt'?"),
        (lambda: frame().drop(columns="cat"), "scores: expected a column for 'cat' with leaf_probabilities"),
        (lambda: pd.concat([frame(), frame()[["cat"]]], axis=1), "expected every class once, got 'cat' more than once"),
        (lambda: frame(dog=[0.0, 0.0]), "expected every class once, got 'dog' more than once"),
        (lambda: frame(cat=[2.0, 0.0]), "column 'cat': expected a probability from 0 to 1, got 2.0"),
        (lambda: frame(cat=["a", "b"]), "frame, column 'cat': expected real numbers, got values of type"),
        (
            lambda: frame(truth=["ducks", "newt"]),
            "truth, sample 0: expected names of nodes, got 'ducks'. Did you mean 'duck'?",
        ),
        (lambda: pd.DataFrame({"x": ["a"]}), "frame: expected a column of scores for every class, got 'x'."),
    ],
)
def test_bad_frames(taxonomy, make, words):
    with pytest.raises(hv.PredictionsError) as caught:
        Predictions.from_frame(make(), taxonomy)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: {"cat": [1.0]},
            "frame: expected a DataFrame of pandas or polars, or a table of Arrow, got builtins.dict. Pass the frame first",
        ),
        (lambda: pd.DataFrame(), "frame: expected a column of scores for every class, got no column."),
        (
            lambda: pd.concat([frame(truth=["cat", "newt"]), pd.DataFrame({"truth": ["dog", "dog"]})], axis=1),
            "frame, columns: expected every column once, got 'truth' more than once. Keep one of each.",
        ),
        (
            lambda: frame(sample_id=["a", "a"]),
            "frame, 'sample_id': expected every sample id once, got 'a' more than once.",
        ),
        (
            lambda: frame(sample_id=["a", None]),
            "frame, 'sample_id': expected an id for every sample, got 1 without one.",
        ),
        (lambda: frame().set_axis([7, 7]), "frame, index: expected every sample id once, got '7' more than once."),
        (
            lambda: frame(cat=pd.array([0.5, None], dtype="Float64")),
            "column 'cat': expected a probability from 0 to 1, got nan",
        ),
    ],
)
def test_frames_that_break(taxonomy, make, words):
    with pytest.raises(hv.PredictionsError) as caught:
        Predictions.from_frame(make(), taxonomy)
    assert words in str(caught.value)


def test_a_frame_and_its_taxonomy_change_places(taxonomy):
    with pytest.raises(hv.PredictionsError, match=r"got hierviz\.Taxonomy\. Pass the frame first, then the taxonomy"):
        Predictions.from_frame(taxonomy, frame())
    with pytest.raises(
        hv.PredictionsError, match=r"^taxonomy: expected a Taxonomy, got str\. It comes after the frame"
    ):
        Predictions.from_frame(frame(), "taxonomy.csv")


def test_columns_of_pandas_own_types(taxonomy):
    truth = pd.array(["cat", "newt"], dtype="string")
    same(Predictions.from_frame(frame().astype("Float64"), taxonomy, truth=truth), taxonomy)
    found = Predictions.from_frame(frame(truth=pd.array(["cat", None], dtype="string")), taxonomy)
    assert found.truth.tolist() == [2, -1]
    index = pd.MultiIndex.from_product([["x"], ["a", "b"]])
    assert Predictions.from_frame(frame().set_axis(index), taxonomy).ids.tolist() == ["('x', 'a')", "('x', 'b')"]


@pytest.mark.parametrize(
    ("truth", "words"),
    [
        ("truth", "truth: expected node numbers or names, one a sample, got 'truth'."),
        (5, "truth: expected node numbers or names, one a sample, got int."),
        (pd.DataFrame({"truth": ["cat", "newt"]}), "truth: expected one axis (a truth a sample), got shape (2, 1)."),
        (np.ones((2, 1), dtype=int), "truth: expected one axis (a truth a sample), got shape (2, 1)."),
        ([{"a": 1}, "cat"], "truth: expected node numbers or names, or lists of them, got dict inside."),
        ([[["cat"]], "cat"], "truth: expected node numbers or names, or lists of them, got list inside."),
        ([1.5, 2], "truth, sample 0: expected names of nodes, got 1.5."),
    ],
)
def test_truths_that_break(taxonomy, truth, words):
    with pytest.raises(hv.PredictionsError) as caught:
        Predictions.from_predict_proba(taxonomy, P, LEAVES, truth=truth)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "truth", [np.array([0, 3]), [0, 3], [0.0, None], pd.array([0, 3], dtype="Int64"), [np.int64(0), -1]]
)
def test_whole_numbers_beside_names_are_no_truth(taxonomy, truth):
    """0 may be the first of the classes or node 0, the root: .81 of 1 once became .16 without a word."""
    message = r"^truth: expected names, because .* got whole numbers \(0.*node numbers by predictions\.replace"
    lists = [[{"label": name, "score": 0.25} for name in LEAVES]] * 2
    for make in (
        lambda: Predictions.from_predict_proba(taxonomy, P, LEAVES, truth=truth),
        lambda: Predictions.from_frame(frame(), taxonomy, truth=truth),
        lambda: Predictions.from_frame(frame(y=list(truth)), taxonomy, truth="y"),
        lambda: Predictions.from_pipeline(taxonomy, lists, truth=truth),
        lambda: Predictions.from_level_labels(taxonomy, [["newt"], ["newt"]], truth=truth),
        lambda: hv.load_truth(truth, taxonomy, classes=LEAVES),
    ):
        with pytest.raises(hv.PredictionsError, match=message):
            make()
    with pytest.raises(hv.PredictionsError, match=message):
        Predictions.from_predict_proba(taxonomy, P, LEAVES, truth=[[0, 3], [3]])
    # -1 says that it is not known; where nothing is named, numbers are nodes, said.
    assert Predictions.from_predict_proba(taxonomy, P, LEAVES, truth=[-1, -1]).truth.tolist() == [-1, -1]
    assert hv.load_truth(np.array([2, -1]), taxonomy).notes == (
        "truth: whole numbers were taken for node numbers (2 is 'cat')",
    )


def test_what_load_truth_read_is_attached(taxonomy):
    truth = hv.load_truth(["cat", "newt"], taxonomy)
    with pytest.raises(hv.PredictionsError, match=r"got Truth\. The truth of a file goes to hierviz\.attach_truth"):
        Predictions.from_predict_proba(taxonomy, P, LEAVES, truth=truth)
    same(hv.attach_truth(Predictions.from_predict_proba(taxonomy, P, LEAVES), truth), taxonomy)


def test_classes_that_are_called_by_numbers():
    """3 may be the class '3' or node 3, another class: neither is taken."""
    digits = hv.Taxonomy.from_edges([("digit", name) for name in ("3", "1", "0", "2")])
    message = r"^truth: expected names as text, because classes are called by numbers, got 3: the class '3' is node 1\."
    for truth in ([3, 4], np.array([3, 4]), [3.0, None]):
        with pytest.raises(hv.PredictionsError, match=message):
            Predictions.from_predict_proba(digits, P, [0, 1, 2, 3], truth=truth)
        with pytest.raises(hv.PredictionsError, match=message):
            hv.load_truth(truth, digits)
    found = Predictions.from_predict_proba(digits, P, [0, 1, 2, 3], truth=["3", "1"])
    assert found.truth.tolist() == [1, 2]


def test_classes_called_true_and_false():
    answers = hv.Taxonomy.from_edges([("answer", "true"), ("answer", "false")])
    found = Predictions.from_frame(pd.DataFrame({"true": [0.75], "false": [0.25]}), answers)
    assert found.truth is None
    assert found.scores.tolist() == [[0.75, 0.25]]


def test_a_truth_that_is_no_column(taxonomy):
    with pytest.raises(
        hv.PredictionsError, match=r"^truth: expected the name of a column, got 'lable'. Did you mean 'label'"
    ):
        Predictions.from_frame(frame(label=["cat", "newt"]), taxonomy, truth="lable")
    with pytest.raises(hv.PredictionsError, match="truth: expected 2 values"):
        Predictions.from_frame(frame(), taxonomy, truth=["cat"])


def test_scores_in_lists_and_ids_that_are_numbers(taxonomy):
    same(Predictions.from_scores(taxonomy, P.tolist(), "leaf_probabilities", truth=[2, 6]), taxonomy)
    found = Predictions.from_scores(taxonomy, P, "leaf_probabilities", sample_ids=[7, 8])
    assert found.ids.tolist() == ["7", "8"]
    assert found.row_of == {"7": 0, "8": 1}
    with pytest.raises(hv.PredictionsError, match=r"got DataFrame\..* a DataFrame to Predictions\.from_frame"):
        Predictions.from_scores(taxonomy, frame(), "leaf_probabilities")
    for labels in (5, "cat", np.ones((2, 2), dtype=int), [["cat"]]):
        with pytest.raises(hv.PredictionsError, match=r"^labels: expected node numbers"):
            Predictions.from_labels(taxonomy, labels)


# predict_proba -----------------------------------------------------------------------------------------------------------


def test_predict_proba(taxonomy):
    order = [3, 0, 2, 1]
    classes = np.array(LEAVES)[order]
    found = Predictions.from_predict_proba(taxonomy, P[:, order], classes, truth=["cat", "newt"], sample_ids=["a", "b"])
    same(found, taxonomy)
    assert found.ids.tolist() == ["a", "b"]


def test_predict_proba_of_scikit_learn(taxonomy):
    from sklearn.tree import DecisionTreeClassifier

    x, y = np.arange(4.0)[:, None], ["newt", "dog", "cat", "duck"]
    model = DecisionTreeClassifier(random_state=0).fit(x, y)
    found = Predictions.from_predict_proba(taxonomy, model.predict_proba(x), model.classes_, truth=y)
    assert hv.evaluate(found)["models"][0]["top_down"]["argmax_leaf_accuracy"] == 1


def test_predict_proba_by_level(taxonomy):
    tops = np.array([[0.75, 0.125, 0.125], [0.25, 0.25, 0.5]])
    below = np.array([[0.125, 0.5, 0.25, 0.125], [0.5, 0.125, 0.125, 0.25]])
    found = Predictions.from_predict_proba(
        taxonomy, [tops, below], [["mammal", "bird", "newt"], ["", "cat", "dog", "duck"]], truth=["cat", "newt"]
    )
    same(found, taxonomy)


@pytest.mark.parametrize(
    ("p", "classes", "words"),
    [
        ([], [], "probabilities: expected at least one row or array, got none."),
        ([[0.5, 0.5], [1.0]], LEAVES, "probabilities: expected rows of equal length, got different lengths."),
        (P, LEAVES[:3], "probabilities: expected shape (n_samples, 3) for 3 classes, got (2, 4)."),
        (P, [0, 1, 2, 3], "classes: expected names of nodes, got '0', '1', '2', '3'."),
        (P, ["cat", "dog", "duk", "newt"], "classes: expected names of nodes, got 'duk'. Did you mean 'duck'?"),
        (P, ["cat", "dog", "cat", "newt"], "classes: expected every class once, got 'cat' more than once"),
        (P[:, :3], LEAVES[:3], "scores: expected a column for 'newt' with leaf_probabilities"),
        ([P, P], [LEAVES], "classes: expected 2 lists (one per array), got 1."),
        ([P[:, :2], P[:1, 2:]], [LEAVES[:2], LEAVES[2:]], "probabilities: expected arrays of one length, got 1, 2."),
    ],
)
def test_bad_predict_proba(taxonomy, p, classes, words):
    with pytest.raises(hv.PredictionsError) as caught:
        Predictions.from_predict_proba(taxonomy, p, classes)
    assert words in str(caught.value)


def test_columns_of_a_frame_are_matched_by_name(taxonomy):
    """Its own columns say the classes, whatever the order of `classes`; others contradict, and counted ones say nothing."""
    table, names = pd.DataFrame(P, columns=LEAVES), ["newt", "dog", "cat", "duck"]
    same(Predictions.from_predict_proba(taxonomy, table, names, truth=["cat", "newt"]), taxonomy)
    same(Predictions.from_predict_proba(taxonomy, pd.DataFrame(P), LEAVES, truth=["cat", "newt"]), taxonomy)
    for wrong in (table.rename(columns={"cat": "kitten"}), table[["cat", "dog", "duck", "duck"]]):
        with pytest.raises(
            hv.PredictionsError, match=r"^probabilities: expected a DataFrame with the columns 'newt', 'dog'"
        ):
            Predictions.from_predict_proba(taxonomy, wrong, names)
    # So wherever an array has a column a node.
    p = pd.DataFrame(hv.node_probabilities(taxonomy, P, "leaf_probabilities"), columns=taxonomy.names)
    turned = p[p.columns[::-1]]
    assert hv.infer(taxonomy, turned).tolist() == hv.infer(taxonomy, p.to_numpy()).tolist()
    shuffled = hv.node_probabilities(taxonomy, table[names], "leaf_probabilities")
    np.testing.assert_array_equal(shuffled, p.to_numpy())
    np.testing.assert_array_equal(hv.node_probabilities(taxonomy, turned, "node_probabilities"), p.to_numpy())
    with pytest.raises(hv.PredictionsError, match=r"^p: expected a DataFrame with the columns"):
        hv.infer(taxonomy, p.rename(columns={"cat": "kitten"}))


def test_counted_columns_of_a_frame_are_names_where_classes_are_called_so():
    """Classes 2, 0 and 1: the column 2 is that of class 2. Classes with other names: by position, which is noted."""
    tree = hv.Taxonomy.from_edges([("r", "2"), ("r", "0"), ("r", "1")])
    for frame in (pd.DataFrame([[0.1, 0.2, 0.7]]), pd.DataFrame([[0.7, 0.2, 0.1]], columns=["2", "1", "0"])):
        found = Predictions.from_predict_proba(tree, frame, ["2", "0", "1"])
        assert tree.names == ("r", "2", "0", "1")
        np.testing.assert_array_equal(found.node_probabilities()[0, 1:], [0.7, 0.1, 0.2])
        np.testing.assert_array_equal(hv.node_probabilities(tree, frame, "leaf_probabilities")[0, 1:], [0.7, 0.1, 0.2])
    (note,) = Predictions.from_predict_proba(tree, pd.DataFrame([[0.1, 0.2, 0.7]]), ["2", "0", "1"]).notes
    assert note.startswith("the columns 0, 1, 2, ... of the DataFrame were read as names of classes")
    same_order = Predictions.from_predict_proba(tree, pd.DataFrame([[0.1, 0.2, 0.7]]), ["0", "1", "2"])
    assert same_order.notes == ()
    named = hv.Taxonomy.from_edges([("r", "a"), ("r", "b")])
    found = Predictions.from_predict_proba(named, pd.DataFrame([[0.1, 0.9]]), ["b", "a"])
    assert found.node_probabilities().tolist() == [[1.0, 0.9, 0.1]]
    (note,) = found.notes
    assert "were read in the order of `classes`" in note


def test_columns_that_contradict_what_is_predicted(taxonomy):
    """40 samples of each leaf: the columns of cat and dog are exchanged in `classes`."""
    y = np.repeat(np.arange(4), 40)
    scores = np.full((160, 4), 0.1)
    scores[np.arange(160), y] = 0.7
    names = np.array(LEAVES)
    for predicted in (
        names[y],
        [
            ["mammal" if name in ("cat", "dog") else "bird" if name == "duck" else name, "" if name == "newt" else name]
            for name in names[y]
        ],
    ):
        made = Predictions.from_predict_proba(taxonomy, scores, LEAVES, predicted=predicted)
        assert made.n_samples == 160
        message = r"2 columns of siblings look exchanged: 'dog' holds 'cat', 'cat' holds 'dog', judged by predict\."
        with pytest.raises(hv.PredictionsError, match=message):
            Predictions.from_predict_proba(taxonomy, scores, ["dog", "cat", "duck", "newt"], predicted=predicted)
    with pytest.raises(hv.PredictionsError, match="predicted: expected 160 answers"):
        Predictions.from_predict_proba(taxonomy, scores, LEAVES, predicted=names)


def test_one_level_of_hiclass():
    tree = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1")])
    levels = [np.array(["a", "b"]), np.array(["a1", "a2", "b1"])]
    found = Predictions.from_predict_proba(tree, [[0.5, 0.25, 0.25]], levels)
    assert [tree.names[node] for node in found.scored_nodes] == ["a1", "a2", "b1"]
    whole = Predictions.from_predict_proba(tree, [[[0.75, 0.25]], [[0.5, 0.25, 0.25]]], levels)
    assert [tree.names[node] for node in whole.scored_nodes] == ["a", "b", "a1", "a2", "b1"]
    ragged = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2")])
    for last in (["", "a1", "a2"], ["a1", "a2"]):
        with pytest.raises(hv.PredictionsError, match=r"Create the classifier with return_all_probabilities=True\."):
            Predictions.from_predict_proba(ragged, np.full((1, len(last)), 0.5), [["a", "b"], last])


@pytest.mark.parametrize("classes", [None, "cat", {"cat": 0}])
def test_classes_are_a_list(taxonomy, classes):
    with pytest.raises(hv.PredictionsError, match=r"^classes: expected the names of the columns in a list, got "):
        Predictions.from_predict_proba(taxonomy, P, classes)
    with pytest.raises(hv.PredictionsError, match=r"^classes: expected a list of names for each of the 2 arrays"):
        Predictions.from_predict_proba(taxonomy, [P, P], ["cat", "dog"])


# Labels by level -----------------------------------------------------------------------------------------------------------


def test_labels_by_level(taxonomy):
    labels = [["mammal", "cat"], ["bird", ""], ["newt", None], ["", ""], ["animal", "mammal"]]
    found = Predictions.from_level_labels(taxonomy, labels, truth=["dog", "duck", "newt", "cat", "cat"])
    assert [one.tolist() for one in (found.labels[k] for k in range(5))] == [[2], [4], [6], [], [1]]
    assert found.is_hard
    assert found.truth.tolist() == [3, 5, 6, 2, 2]
    assert hv.evaluate(found)["models"][0]["confusion"]["tp"] == 4  # mammal, bird, newt, mammal
    again = Predictions.from_level_labels(
        taxonomy, labels, truth=[["mammal", "dog"], ["bird", "duck"], *labels[2:3], *2 * labels[:1]]
    )
    assert again.truth.tolist() == found.truth.tolist()


def test_several_paths(taxonomy):
    labels = np.array([[["mammal", "cat"], ["bird", "duck"]], [["newt", ""], ["", ""]]])
    found = Predictions.from_level_labels(taxonomy, labels, truth=labels)
    assert [found.labels[k].tolist() for k in range(2)] == [[2, 5], [6]]
    assert hv.evaluate(found)["models"][0]["confusion"]["f1"] == 1


def test_a_name_at_two_places(tmp_path):
    (tmp_path / "levels.csv").write_text("genus,species\nBeta,vulgaris\nSturnus,vulgaris\nSturnus,unicolor\n")
    taxonomy = hv.load_taxonomy(tmp_path / "levels.csv")
    found = Predictions.from_level_labels(taxonomy, [["Beta", "vulgaris"], ["Sturnus", "vulgaris"]])
    assert [taxonomy.names[node] for node in found.labels.nodes] == ["Beta > vulgaris", "Sturnus > vulgaris"]


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([["newt", ""], ["mammal", "duck"]], "labels, sample 1: expected a child of 'mammal' in column 1, got 'duck'."),
        (
            [["mamal", "cat"]],
            "labels, sample 0: expected a child of 'animal' in column 0, got 'mamal'. Did you mean 'mammal'?",
        ),
        ([["", "cat"]], "labels, sample 0: expected names without gaps from the top down, got ['', 'cat']."),
        (["cat", "dog"], "labels: expected shape (n_samples, n_levels) or (n_samples, n_paths, n_levels), got (2,)."),
    ],
)
def test_bad_labels_by_level(taxonomy, labels, words):
    with pytest.raises(hv.PredictionsError) as caught:
        Predictions.from_level_labels(taxonomy, labels)
    assert words in str(caught.value)


def test_labels_without_levels(taxonomy):
    for labels in (
        [],
        np.empty((3, 0)),
        [["mammal", "cat"], ["newt"]],
        [[["mammal", "cat"], ["newt", ""]], [["newt", ""]]],
    ):
        with pytest.raises(
            hv.PredictionsError, match=r"^labels: expected shape \(n_samples, n_levels\) or .*filled with"
        ):
            Predictions.from_level_labels(taxonomy, labels)


def test_several_truths_beside_levels(taxonomy):
    labels = [["mammal", "cat"], ["newt", ""]]
    found = Predictions.from_level_labels(taxonomy, labels, truth=[["cat"], ["dog", "newt"]])
    assert [found.truth[row].tolist() for row in (0, 1)] == [[2], [3, 6]]


def test_hiclass(taxonomy):
    with warnings.catch_warnings():
        # Their imports, not our use, may warn.
        warnings.simplefilter("ignore")
        from hiclass import LocalClassifierPerParentNode
        from sklearn.tree import DecisionTreeClassifier

        x = np.arange(4.0)[:, None]
        y = np.array([["mammal", "cat"], ["mammal", "dog"], ["bird", "duck"], ["newt", ""]])
        model = LocalClassifierPerParentNode(DecisionTreeClassifier(random_state=0)).fit(x, y)
        found = Predictions.from_level_labels(taxonomy, model.predict(x), truth=y)
    assert found.labels.nodes.tolist() == found.truth.tolist() == [2, 3, 5, 6]


# Pipelines -----------------------------------------------------------------------------------------------------------------


def outputs():
    rows = [[{"label": name, "score": value} for name, value in zip(LEAVES, row)] for row in P.tolist()]
    return [sorted(row, key=lambda one: -one["score"]) for row in rows]


def test_pipeline(taxonomy):
    same(Predictions.from_pipeline(taxonomy, outputs(), truth=["cat", "newt"]), taxonomy)
    assert Predictions.from_pipeline(taxonomy, []).n_samples == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda one: one[1].reverse() or one[1].pop(0),
            "outputs: expected all classes of every sample, or the best of each in falling order, got neither. Call the",
        ),
        (
            lambda one: one[0].append(one[0][0]),
            "outputs, sample 0: expected one score for 'cat' as for every class, got several.",
        ),
        (
            lambda one: one.__setitem__(0, one[0][0]),
            "outputs, sample 0: expected a list of its classes, each {'label': ..., 'score': ...}, got dict.",
        ),
        (lambda one: one[0].clear(), "got an empty list."),
        (lambda one: one[0][0].pop("score"), "outputs, sample 0: expected the keys label and score, got 'label'."),
        (
            lambda one: one[0][0].update(score="0.5"),
            "outputs, sample 0, label 'cat': expected a number as score, got '0.5'.",
        ),
        (
            lambda one: [entry.update(label="LABEL_0") for row in one for entry in row if entry["label"] == "cat"],
            "outputs, labels: expected names of nodes, got 'LABEL_0'.",
        ),
        (
            lambda one: [row.remove(next(e for e in row if e["label"] == "cat")) for row in one],
            "scores, sample '0': expected leaf probabilities that sum to 1, got 0.5 listed and 1 other leaves of at most",
        ),
    ],
)
def test_bad_pipelines(taxonomy, change, words):
    made = outputs()
    change(made)
    with pytest.raises(hv.PredictionsError) as caught:
        Predictions.from_pipeline(taxonomy, made)
    assert words in str(caught.value)


@pytest.mark.parametrize("given", [None, "text", {"label": "cat", "score": 1}, 5])
def test_what_is_no_output_of_a_pipeline(taxonomy, given):
    with pytest.raises(hv.PredictionsError, match=r"^outputs: expected a list with the classes of every sample, got "):
        Predictions.from_pipeline(taxonomy, given)
