"""The ONNX loader: names of the columns, the output with the scores, and the predictions."""

import json

import numpy as np
import pytest

from hierviz import Taxonomy
from hierviz.messages.errors import HiervizError, ModelError, PredictionsError
from hierviz.onnx.description.class_names import parsed_names
from hierviz.onnx.description.open_question import OpenQuestion
from hierviz.onnx.model import draft_model, inspect_model, load_model
from hierviz.onnx.process.session import Run
from hierviz.onnx.scores.outputs import gathered

from .one_line import one_line

LEAVES = ["newt", "cat", "duck", "dog"]


def test_metadata_names_columns_and_numbers_agree(build, metadata, taxonomy, pictures, expected):
    model = load_model(build(metadata=metadata), taxonomy)
    seen = []
    preds = model.predict(pictures, batch_size=3, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (7, 7)
    assert seen == sorted(seen)
    assert preds.name == "Tiny"
    assert preds.scores.dtype == np.float32
    assert [taxonomy.names[node] for node in preds.scored_nodes] == LEAVES
    np.testing.assert_allclose(preds.scores, expected(pictures), rtol=1e-5, atol=1e-5)
    e = np.exp(expected(pictures))
    p = preds.node_probabilities()
    np.testing.assert_allclose(p[:, taxonomy.node("cat")], e[:, 1] / e.sum(axis=1), rtol=1e-5)
    np.testing.assert_allclose(p[:, taxonomy.node("mammal")], (e[:, 1] + e[:, 3]) / e.sum(axis=1), rtol=1e-5)
    assert preds.notes == ()
    assert preds.sample_ids is None


def test_rows_do_not_depend_on_neighbours(build, metadata, taxonomy, pictures):
    model = load_model(build(metadata=metadata), taxonomy)
    alone = np.concatenate([model.predict(pictures[i : i + 1]).scores for i in range(7)])
    np.testing.assert_array_equal(alone, model.predict(pictures).scores)


def test_account_is_plain_json(build, metadata, taxonomy):
    account = json.loads(json.dumps(load_model(build(metadata=metadata), taxonomy).account))
    assert account["title"] == "Tiny"
    assert account["inputs"] == [{"name": "image", "dtype": "uint8", "shape": [None, 5, 6, 3]}]
    assert account["outputs"] == [{"name": "logits", "type": "tensor(float)", "shape": [None, 4]}]
    assert account["parametrisation_from"] == "the model's metadata"
    assert account["taxonomy"] == "the taxonomy that the model was trained with"
    assert account["accepts"] == "pictures, arrays (.npy, .npz)"
    assert len(account["sha256"]) == 64


@pytest.mark.parametrize("form", ["list", "txt", "csv", "csv without header"])
def test_classes_win(build, metadata, taxonomy, tmp_path, form):
    mine = ["cat", "newt", "dog", "duck"]
    classes = mine
    if form == "txt":
        classes = tmp_path / "classes.txt"
        classes.write_text("\n".join(mine) + "\n\n")
    elif form == "csv":
        classes = tmp_path / "classes.csv"
        classes.write_text("index,label text,node\n" + "".join(f'{i},"a, {n}",{n}\n' for i, n in enumerate(mine)))
    elif form == "csv without header":
        classes = str(tmp_path / "classes.csv")
        (tmp_path / "classes.csv").write_text("\n".join(mine))
    model = load_model(build(metadata=metadata), taxonomy, classes=classes)
    assert [taxonomy.names[node] for node in model.scored_nodes] == mine
    assert any("names other nodes than the model's metadata in 4 columns" in note for note in model.notes)


def test_no_names_asks_for_classes(build, taxonomy):
    with pytest.raises(ModelError, match="classes=") as raised:
        load_model(build(), taxonomy)
    assert "'logits' tensor(float) [any, 4]" in one_line(raised)


def test_unknown_name_offers_the_near_miss(build, metadata, taxonomy):
    names = ["newt", "cat", "duk", "dog"]
    for given in ({"metadata": {**metadata, "nodes": names}}, {"beside": {**metadata, "nodes": names}}):
        with pytest.raises(ModelError, match="Did you mean 'duck'") as raised:
            load_model(build(**given), taxonomy)
        assert "classes=" in one_line(raised)
    with pytest.raises(ModelError, match=r"Did you mean 'duck'.*classes=") as raised:
        load_model(build(), taxonomy, classes=names, parametrisation="flat_softmax")
    one_line(raised)


def test_repeated_and_missing_names(build, metadata, taxonomy):
    path = build()
    twice = ["newt", "cat", "cat", "dog"]
    with pytest.raises(ModelError, match="'cat' again"):
        load_model(path, taxonomy, classes=twice, parametrisation="flat_softmax")
    with pytest.raises(ModelError, match=r"expected a column for 'duck' with flat_softmax.*classes="):
        load_model(path, taxonomy, classes=["newt", "cat", "bird", "dog"], parametrisation="flat_softmax")
    with pytest.raises(ModelError, match=r"class names in the model's metadata, entry 3: .*'cat' again"):
        load_model(build(metadata={**metadata, "nodes": twice}), taxonomy)


def test_wrong_width_lists_outputs(build, metadata, taxonomy):
    with pytest.raises(
        ModelError,
        match=r"expected 5 class names, .* output 'logits' tensor\(float\) \[any, 5\], got 4.*'background'",
    ) as raised:
        load_model(build(metadata=metadata, width=5), taxonomy)
    one_line(raised)


def test_missing_parametrisation_is_told_by_the_numbers(build, taxonomy, pictures, expected):
    raw = load_model(build("raw.onnx"), taxonomy, classes=LEAVES)
    assert raw.parametrisation is None
    preds = raw.predict(pictures)
    assert preds.parametrisation == "flat_softmax"
    assert preds.detected["scores"].startswith("logits: the scores range from ")
    probable = load_model(build("p.onnx", softmax=True), taxonomy, classes=LEAVES).predict(pictures)
    assert probable.parametrisation == "leaf_probabilities"
    np.testing.assert_allclose(probable.node_probabilities(), preds.node_probabilities(), atol=1e-6)
    with pytest.raises(ModelError, match="Did you mean 'flat_softmax'") as raised:
        load_model(build(), taxonomy, classes=LEAVES, parametrisation="flat-softmax")
    one_line(raised)
    with pytest.raises(ModelError, match="got 3 columns, none for 'dog'") as raised:
        load_model(build(width=3), taxonomy, classes=LEAVES[:3])
    one_line(raised)


def test_raw_scores_of_nodes_ask(build, taxonomy, pictures):
    names = ["newt", "cat", "duck", "dog", "bird", "mammal"]
    model = load_model(build(width=6), taxonomy, classes=names)
    with pytest.raises(OpenQuestion, match=r"parametrisation='multilabel_sigmoid' \| .*, or scores='levels'") as raised:
        model.predict(pictures)
    one_line(raised)
    (question,) = [raised.value.question.as_dict()]
    assert json.loads(json.dumps(question)) == question
    (answer,) = (one for one in question["choices"] if one["value"] == "ps_softmax")
    again = load_model(build(width=6), taxonomy, classes=names, **{answer["keyword"]: answer["value"]})
    assert again.predict(pictures).parametrisation == "ps_softmax"
    assert "path" in answer["means"]


def test_parametrisation_argument_wins(build, metadata, taxonomy, pictures):
    model = load_model(build(metadata=metadata, softmax=True), taxonomy, parametrisation="leaf_probabilities")
    preds = model.predict(pictures)
    assert preds.parametrisation == "leaf_probabilities"
    assert "the user gave leaf_probabilities" in preds.notes[0]
    np.testing.assert_allclose(preds.node_probabilities()[:, 0], 1, atol=1e-5)


def test_logits_called_probabilities_are_refused(build, metadata, taxonomy, pictures):
    model = load_model(build(metadata=metadata), taxonomy, parametrisation="leaf_probabilities")
    with pytest.raises(PredictionsError, match="probability from 0 to 1"):
        model.predict(pictures)


def test_nan_rows_are_named(build, metadata, taxonomy, pictures, folder):
    model = load_model(build(metadata=metadata, bad_above=100.0), taxonomy)
    bright = pictures // 4
    assert model.predict(bright).n_samples == 7
    bright[[2, 5]] = 255
    with pytest.raises(ModelError, match=r"NaN or infinity in 2 of 7 rows \('2', '5'\)") as raised:
        model.predict(bright)
    one_line(raised)
    with pytest.raises(ModelError, match=r"\('c', 'f'\)"):
        model.predict(bright, sample_ids=list("abcdefg"))


def test_output_choice(build, metadata, taxonomy, pictures, expected):
    two = (("label", None), ("embedding", [0, 1]), ("linear", None))
    model = load_model(build(metadata=metadata, outputs=two), taxonomy)
    assert model.output == "linear"
    np.testing.assert_allclose(model.predict(pictures).scores, expected(pictures), rtol=1e-5, atol=1e-5)
    model = load_model(build(metadata=metadata, outputs=(("probabilities", None), ("logits", None))), taxonomy)
    assert model.output == "logits"
    assert "all fit" in model.notes[0]
    two = build(metadata=metadata, outputs=(("first", None), ("second", None)))
    with pytest.raises(OpenQuestion, match=r"got several among 'first' .*, 'second' .*outputs=") as raised:
        load_model(two, taxonomy)
    one_line(raised)
    choices = raised.value.question.as_dict()["choices"]
    assert [(one["keyword"], one["value"]) for one in choices] == [("outputs", "first"), ("outputs", "second")]
    assert load_model(two, taxonomy, outputs="second").output == "second"
    with pytest.raises(ModelError, match="Did you mean 'second'"):
        load_model(two, taxonomy, outputs=["secnd"])


def test_truth_as_names_or_numbers(build, metadata, taxonomy, pictures):
    model = load_model(build(metadata=metadata), taxonomy)
    preds = model.predict(pictures, truth=["cat", "", None, "mammal", "newt", "dog", "duck"])
    assert preds.truth.tolist() == [2, -1, -1, 1, 6, 3, 5]
    assert model.predict(pictures, truth=preds.truth).truth.tolist() == preds.truth.tolist()
    with pytest.raises(PredictionsError, match="Did you mean 'duck'"):
        model.predict(pictures, truth=["duk"] * 7)
    with pytest.raises(PredictionsError, match="expected 7 values"):
        model.predict(pictures, truth=["cat"])
    with pytest.raises(PredictionsError, match="attach_truth"):
        model.predict(pictures, truth="truth.csv")


def test_zip_map_output(build, metadata, taxonomy, tmp_path, weights):
    """skl2onnx's default: a dict a row, keys in their own order."""
    from onnx import TensorProto, helper, numpy_helper

    build()
    keys = sorted(LEAVES)
    graph = helper.make_graph(
        [
            helper.make_node("Gemm", ["x", "w", "b"], ["s"]),
            helper.make_node("ZipMap", ["s"], ["output_probability"], domain="ai.onnx.ml", classlabels_strings=keys),
        ],
        "zipmap",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 3])],
        [
            helper.make_value_info(
                "output_probability",
                helper.make_sequence_type_proto(
                    helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
                ),
            )
        ],
        [numpy_helper.from_array(weights[0][:, :4].copy(), "w"), numpy_helper.from_array(weights[1][:4].copy(), "b")],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 1)]
    path = tmp_path / "zip.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())
    x = np.random.default_rng(2).normal(size=(5, 3))
    preds = load_model(path, taxonomy, classes=LEAVES, parametrisation="flat_softmax").predict({"x": x})
    by_key = dict(zip(keys, (x @ weights[0][:, :4] + weights[1][:4]).T, strict=True))
    np.testing.assert_allclose(preds.scores, np.stack([by_key[name] for name in LEAVES], axis=1), rtol=1e-4, atol=1e-5)


def test_zip_map_of_codes_goes_by_the_order_of_the_graph():
    """Codes say nothing: the list of classes is in their order, not in that of the keys."""
    run = Run({"p": np.array([[0.1, 0.2, 0.7]])}, {"p": ["a", "b", "c"]})
    made = gathered("m.onnx", run, ["p"], 1, ["cat", "dog", "newt"], ["c", "a", "b"])
    assert made.tolist() == [[0.7, 0.1, 0.2]]
    made = gathered("m.onnx", Run(run.values, {"p": ["Cat", "Dog", "Newt"]}), ["p"], 1, ["newt", "cat", "dog"])
    assert made.tolist() == [[0.7, 0.1, 0.2]]
    with pytest.raises(ModelError, match="is in only one of the two lists"):
        gathered("m.onnx", Run(run.values, {"p": ["cat", "dog", "cow"]}), ["p"], 1, ["newt", "cat", "dog"])


HEADS = (("top", [4, 5, 0]), ("bottom", [1, 3, 2]))


def test_heads_are_put_side_by_side(build, taxonomy, pictures, expected):
    """Depth 1: mammal, bird, newt. Depth 2: cat, dog, duck."""
    names = ["mammal", "bird", "newt", "cat", "dog", "duck"]
    path = build(width=6, outputs=(("label", None), *HEADS))
    model = load_model(path, taxonomy, classes=names)
    assert model.outputs == ("top", "bottom")
    assert any("one depth of the taxonomy each" in note for note in model.notes)
    with pytest.raises(OpenQuestion, match="scores='levels'"):
        model.predict(pictures)
    preds = load_model(path, taxonomy, classes=names, scores="levels").predict(pictures)
    assert preds.parametrisation == "node_probabilities"
    e = np.exp(expected(pictures, 6)[:, [4, 5, 0]])
    np.testing.assert_allclose(
        preds.node_probabilities()[:, taxonomy.nodes("mammal", "bird", "newt")],
        e / e.sum(axis=1, keepdims=True),
        rtol=1e-5,
    )
    # The caller's order of heads is that of the names.
    other = load_model(path, taxonomy, classes=names[3:] + names[:3], outputs=["bottom", "top"], scores="levels")
    np.testing.assert_allclose(other.predict(pictures).node_probabilities(), preds.node_probabilities(), atol=1e-7)
    # Names that are no depth each are not put together by position.
    with pytest.raises(OpenQuestion, match="got none among"):
        load_model(path, taxonomy, classes=["cat", "bird", "newt", "mammal", "dog", "duck"])
    with pytest.raises(ModelError, match=r"got 3\. Check"):
        load_model(path, taxonomy, classes=names, outputs=["top"])
    with pytest.raises(ModelError, match=r"expected an output of scores.*which holds none"):
        load_model(path, taxonomy, classes=names, outputs=["label"])


def test_heads_that_repeat_a_leaf(build, taxonomy):
    """newt has no children: a head of depth 2 may carry it along."""
    path = build(width=7, outputs=(("top", [4, 5, 0]), ("bottom", [1, 3, 2, 6])))
    names = ["mammal", "bird", "newt", "cat", "dog", "duck", "newt"]
    with pytest.raises(OpenQuestion, match=r"'newt' again.*name one with outputs= and") as raised:
        load_model(path, taxonomy, classes=names)
    one_line(raised)
    model = load_model(path, taxonomy, classes=names[3:], outputs="bottom")
    assert not any("bottom" in note for note in model.notes)
    model = load_model(path, taxonomy, classes=names[3:])
    assert "output 'bottom' was used; the scores in 'top' were not" in model.notes


def test_class_names_as_json(build, taxonomy, tmp_path):
    file = tmp_path / "classes.json"
    for said in (LEAVES, dict(enumerate(LEAVES, 1)), {name: k for k, name in enumerate(LEAVES)}):
        file.write_text(json.dumps(said))
        for given in (file, said):
            model = load_model(build(), taxonomy, classes=given)
            assert model.scored_nodes.tolist() == taxonomy.nodes(*LEAVES).tolist()
    for text, words in (
        ("3", "expected a JSON list of class names"),
        ("[", "expected a JSON list of class names"),
        ('{"a": [1]}', "expected an object from column number to class name"),
        ('{"0": "cat", "7": "dog"}', r"whole numbers from 0 to 1, or from 1 to 2, each once, got none for 1"),
        ('{"0": "newt", "1": "cat", "1": "duck", "2": "dog"}', "expected every key once, got '1' again"),
        ('{"cat": 0, "newt": 0, "duck": 1, "dog": 2}', "got 0 again"),
        ('{"0": 1, "1": 2, "2": 0}', "got numbers on both"),
    ):
        file.write_text(text)
        with pytest.raises(HiervizError, match=words) as raised:
            load_model(build(), taxonomy, classes=file)
        one_line(raised)
    with pytest.raises(PredictionsError, match="each once, got none for 2"):
        load_model(build(), taxonomy, classes={0: "newt", 1: "cat", 3: "duck", 4: "dog"})


def test_an_index_beside_the_class_names_is_obeyed(build, taxonomy, tmp_path, pictures):
    """The columns are LEAVES; the rows of the table are in another order."""
    table = "index,class\n" + "".join(f"{LEAVES.index(name)},{name}\n" for name in sorted(LEAVES))
    (tmp_path / "classes.csv").write_text(table)
    model = load_model(build(), taxonomy, classes=tmp_path / "classes.csv")
    assert [taxonomy.names[node] for node in model.scored_nodes] == LEAVES
    said = "classes.csv: column 'index' says which column of scores each class name belongs to, counted from 0"
    assert said in model.predict(pictures).notes
    # In other letters, with a background class, and beside the model.
    beside = tmp_path / "m.labels.txt"
    beside.write_text("2 Cat\n0 background\n4 duck\n1 newt\n3 dog\n")
    model = load_model(build(width=5), taxonomy)
    assert model.columns.names == ("background", "newt", "Cat", "dog", "duck")
    assert any("m.labels.txt: column 1 says which column" in note for note in model.notes)


def with_metadata(path, **metadata):
    """The model with more metadata of its own, not under hierviz."""
    onnx = pytest.importorskip("onnx")
    model = onnx.load(path)
    for key, value in metadata.items():
        model.metadata_props.add(key=key, value=value)
    onnx.save(model, path)
    return path


@pytest.mark.parametrize(
    "metadata",
    [
        {"names": "{0: 'newt', 1: 'cat', 2: 'duck', 3: 'dog'}"},
        {"classes": '["newt", "cat", "duck", "dog"]'},
        {"class_names": "newt,cat,duck,dog"},
        {"labels": "newt\ncat\nduck\ndog\n"},
        {"labels": '{"dog": 3, "newt": 0, "cat": 1, "duck": 2}'},
        {"labels": "__import__('os').system('false')", "names": "['newt', 'cat', 'duck', 'dog']"},
        {"names": "{0: 'n01', 1: 'n02', 2: 'n03', 3: 'n04'}", "classes": "newt, cat, duck, dog"},
    ],
    ids=str,
)
def test_names_in_foreign_metadata(build, taxonomy, metadata):
    model = load_model(with_metadata(build(), **metadata), taxonomy)
    assert [taxonomy.names[node] for node in model.scored_nodes] == LEAVES
    assert "the metadata '" in model.account["classes"]


def test_names_in_any_writing():
    assert parsed_names("{0: 'a\\'b', 1: \"it's [x]\"}") == ["a'b", "it's [x]"]
    assert parsed_names("('a', 'b')") == ["a", "b"]
    assert parsed_names("{1: 'a', 0: 'b'}") == ["b", "a"]
    assert parsed_names('{"a": 1, "b": 0}') == ["b", "a"]
    assert parsed_names("[1, 2]") == ["1", "2"]
    # Nothing runs, nothing exhausts the parser, nothing is invented.
    for text in ("one", "", "{0: 'a', 2: 'b'}", "[['a'], ['b']]", "[True, 1.5]", '{"a": {"b": 1}}'):
        assert parsed_names(text) == [], text
    for text in (
        "-" * 100_000 + "1",
        "[" * 100_000,
        "(" * 100_000 + ")" * 100_000,
        "1+" * 100_000 + "1",
        "{1:" * 50_000,
    ):
        assert parsed_names(text) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("m.labels.txt", "newt\ncat\nduck\ndog\n"),
        ("m.onnx.labels.txt", "newt\ncat\nduck\ndog"),
        ("m.labels.json", '{"0": "newt", "1": "cat", "2": "duck", "3": "dog"}'),
        ("config.json", '{"id2label": {"0": "newt", "1": "cat", "2": "duck", "3": "dog"}, "model_type": "vit"}'),
    ],
)
def test_names_beside_the_model(build, taxonomy, tmp_path, file, text):
    path = build()
    (tmp_path / file).write_text(text)
    model = load_model(path, taxonomy)
    assert [taxonomy.names[node] for node in model.scored_nodes] == LEAVES
    assert model.account["classes"] == f"4 names from {file}"
    assert [one["file"] for one in model.account["companions"]] == [file]
    assert file in model.predict(np.zeros((2, 5, 6, 3), np.uint8)).detected["sha256 of companions"]


def test_the_order_of_sources(build, metadata, taxonomy, tmp_path):
    path = with_metadata(build(metadata=metadata), names="['cat', 'newt', 'duck', 'dog']")
    (tmp_path / "m.labels.txt").write_text("dog\ncat\nduck\nnewt\n")
    assert load_model(path, taxonomy).account["classes"] == "4 names from the model's metadata"
    assert (
        load_model(path, taxonomy, classes=["dog", "cat", "duck", "newt"]).account["classes"].endswith("the list given")
    )
    path = with_metadata(build("x.onnx"), names="['cat', 'newt', 'duck', 'dog']")
    (tmp_path / "x.labels.txt").write_text("dog\ncat\nduck\nnewt\n")
    assert load_model(path, taxonomy).account["classes"] == "4 names from the metadata 'names'"
    # A list that names no node does not count, and is told about.
    path = with_metadata(build("y.onnx"), names="['a', 'b', 'c', 'd']")
    with pytest.raises(
        OpenQuestion, match=r"got none that is in the taxonomy \(the metadata 'names' \(4: 'a', 'b', 'c'\)\)"
    ):
        load_model(path, taxonomy)


def test_loose_names_and_background(build, taxonomy, pictures, expected):
    model = load_model(build(width=5), taxonomy, classes=["Newt", "CAT", "__background__", "duck_", "dog"])
    assert [taxonomy.names[node] for node in model.scored_nodes] == LEAVES
    assert model.account["columns"][:3] == [
        {"column": 0, "name": "Newt", "node": "newt"},
        {"column": 1, "name": "CAT", "node": "cat"},
        {"column": 2, "name": "__background__", "node": None},
    ]
    assert any("class names: 3 names were matched by meaning" in note for note in model.notes)
    assert any("left out as background" in note for note in model.notes)
    e = np.exp(expected(pictures, 5)[:, [0, 1, 3, 4]])
    p = model.predict(pictures).node_probabilities()
    np.testing.assert_allclose(p[:, taxonomy.nodes(*LEAVES)], e / e.sum(axis=1, keepdims=True), rtol=1e-5)
    twins = Taxonomy.from_edges([("r", "Cat"), ("r", "cat"), ("r", "dog")])
    with pytest.raises(ModelError, match="got 'CAT'"):  # Cat or cat?
        load_model(build(width=3), twins, classes=["CAT", "CaT", "dog"])
    # Beside "cat" only Cat is left.
    model = load_model(build(width=3), twins, classes=["CAT", "cat", "dog"])
    assert [twins.names[node] for node in model.scored_nodes] == ["Cat", "cat", "dog"]


def test_questions_instead_of_errors(build, metadata, taxonomy, pictures):
    bare = {key: value for key, value in metadata.items() if key not in ("nodes", "parametrisation", "input")}
    path = build(metadata=bare, dtype="float32", shape=("n", 5, 6, 3))
    account = inspect_model(path, taxonomy)
    assert json.loads(json.dumps(account)) == account
    about = [(one["about"], one["keywords"], one["stops"]) for one in account["questions"]]
    assert about == [("classes", ["classes"], "loading"), ("preprocessing", ["preprocessing.range"], "pictures")]
    assert account["questions"][0]["text"] == "What are the class names of the 4 output columns, in order?"
    assert account["columns"] == []
    assert account["facts"]["opset"] == {"ai.onnx": 17}
    model = draft_model(path, taxonomy)
    with pytest.raises(OpenQuestion, match="classes="):
        model.predict(pictures.astype(np.float32))
    # The raw numbers are there all the same: a help to find out.
    assert model.raw_scores(pictures.astype(np.float32)).shape == (7, 4)
    said = {"classes": LEAVES, "preprocessing": {"range": [0, 255]}}
    assert inspect_model(path, taxonomy, **said)["questions"] == []
    p = load_model(path, taxonomy, **said).predict(pictures)
    assert p.parametrisation == "flat_softmax"
    unknown = inspect_model(path, taxonomy, classes=["newt", "cat", "duk", "cow"])["questions"][0]
    assert unknown["text"].startswith("2 of 4 class names in the list given are not in the taxonomy ('duk', 'cow').")
    assert [one["node"] for one in inspect_model(path, taxonomy, classes=["newt", "duk"])["columns"]] == ["newt", None]


def test_scores_keyword(build, metadata, taxonomy, pictures):
    with pytest.raises(ModelError, match=r"scores \(scores=\): expected one of .* got 'logit'"):
        load_model(build(metadata=metadata), taxonomy, scores="logit")
    # A softmax in the graph, flat_softmax in the metadata: said so, it is undone.
    path = build(metadata=metadata, softmax=True)
    twice, once = (load_model(path, taxonomy, scores=kind).predict(pictures) for kind in (None, "probabilities"))
    assert "second softmax" in " ".join(twice.notes)
    assert once.notes == ()
    raw = load_model(build(metadata=metadata), taxonomy).predict(pictures)
    np.testing.assert_allclose(once.node_probabilities(), raw.node_probabilities(), atol=1e-6)


def test_what_was_run_is_known(build, metadata, taxonomy, pictures):
    preds = load_model(build(metadata=metadata), taxonomy).predict(pictures)
    assert len(preds.detected["sha256"]) == 64
    assert preds.detected["numpy"] == np.__version__
    assert preds.detected["onnxruntime"].startswith("1.")
    assert preds.detected["hierviz"]
