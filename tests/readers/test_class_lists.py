"""Class lists of every form: a list that says its places is read by them, and names are matched by what they mean."""

import json

import numpy as np
import pytest

from hierviz import Taxonomy, attach_truth, load_predictions, load_truth
from hierviz.messages.errors import FileError, HiervizError, PredictionsError
from hierviz.readers.classes_file import CLASS_LIST_FORMS, load_classes, read_class_list
from hierviz.readers.columns import unfit_keys

# Columns of the scores: their places are 0, 1, 2, 3.
COLUMNS = ["newt", "cat", "duck", "dog"]
SHUFFLED = [(3, "dog"), (0, "newt"), (2, "duck"), (1, "cat")]
WNIDS = {"newt": "n01630670", "cat": "n02121808", "duck": "n01846331", "dog": "n02084071"}


def _pbtxt(pairs, first):
    return "".join(f"item {{\n  id: {k + first}\n  name: '{name}'\n}}\n" for k, name in pairs)


# Form -> text of a list whose entries stand in another order than its numbers; {} where it has none.
NUMBERED = {
    "csv": lambda pairs, first: "index,class\n" + "".join(f"{k + first},{name}\n" for k, name in pairs),
    "csv, no header": lambda pairs, first: "".join(f"{name},{k + first}\n" for k, name in pairs),
    "tsv": lambda pairs, first: "label\tclass_id\n" + "".join(f"{name}\t{k + first}\n" for k, name in pairs),
    "colon": lambda pairs, first: "".join(f"{k + first}: {name}\n" for k, name in pairs),
    "blank": lambda pairs, first: "# numbers and names\n" + "".join(f"{k + first} {name}\n" for k, name in pairs),
    "equals": lambda pairs, first: "".join(f"{name}={k + first}\n" for k, name in pairs),
    "json index to name": lambda pairs, first: json.dumps({str(k + first): name for k, name in pairs}),
    "json name to index": lambda pairs, first: json.dumps({name: k + first for k, name in pairs}),
    "json pairs": lambda pairs, first: json.dumps([[k + first, name] for k, name in pairs]),
    "json records": lambda pairs, first: json.dumps([{"name": name, "index": k + first} for k, name in pairs]),
    "keras": lambda pairs, first: json.dumps({str(k + first): [WNIDS[name], name] for k, name in pairs}),
    "coco": lambda pairs, first: json.dumps(
        {"categories": [{"name": name, "id": k + first, "supercategory": "x"} for k, name in pairs]}
    ),
    "hugging face": lambda pairs, first: json.dumps(
        {"model_type": "vit", "id2label": {str(k + first): name for k, name in pairs}, "hidden_size": 3}
    ),
    "label2id alone": lambda pairs, first: json.dumps({"label2id": {name: k + first for k, name in pairs}}),
    "python": lambda pairs, first: repr({k + first: name for k, name in pairs}),
    "yolo": lambda pairs, first: "path: ../x\nnames:\n" + "".join(f"  {k + first}: {name}\n" for k, name in pairs),
    "data card": lambda pairs, first: (
        "---\ndataset_info:\n  features:\n  - name: image\n    dtype: image\n  - name: label\n    dtype:\n"
        "      class_label:\n        names:\n"
        + "".join(f"          '{k + first}': {name}\n" for k, name in pairs)
        + "---\n# Card\n"
    ),
    "pbtxt": _pbtxt,
}
ORDERED = {
    "lines": "\n".join(COLUMNS),
    "lines with comments": "# classes\n\nnewt # wet\ncat\n// birds\nduck\ndog\n",
    "one line": ", ".join(COLUMNS),
    "json list": json.dumps(COLUMNS),
    "torchvision": json.dumps({"categories": COLUMNS, "min_size": [1, 1]}),
    "timm": json.dumps({"architecture": "x", "num_classes": 4, "pretrained_cfg": {"label_names": COLUMNS}}),
    "yolo list": f"nc: 4\nnames: {COLUMNS}\n",
    "python list": repr(COLUMNS),
    "synset words": "".join(f"{WNIDS[name]} {name}, Some {name}\n" for name in COLUMNS),
    "synsets": "".join(f"{WNIDS[name]}\n" for name in COLUMNS),
    "synonyms": "".join(f'"{name}, Some {name}"\n' for name in COLUMNS),
    "other letters": "".join(f"{name.upper()}\n" for name in COLUMNS),
}


@pytest.fixture
def with_wnids(taxonomy):
    return taxonomy.with_nodes(attributes={"wnid": WNIDS})


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("form", NUMBERED)
def test_a_shuffled_list_gives_the_answers_of_the_ordered_one(tmp_path, with_wnids, form, first):
    taxonomy, scores = with_wnids, tmp_path / "p.npy"
    np.save(scores, [[0.125, 0.5, 0.25, 0.125], [0, 0.25, 0, 0.75]])
    shuffled, ordered = tmp_path / "classes", tmp_path / "ordered.txt"
    shuffled.write_text(NUMBERED[form](SHUFFLED, first))
    ordered.write_text("\n".join(COLUMNS))
    found, wanted = (load_predictions(scores, taxonomy, classes=path) for path in (shuffled, ordered))
    assert np.array_equal(found.node_probabilities(), wanted.node_probabilities())
    assert found.scored_nodes.tolist() == taxonomy.nodes(*COLUMNS).tolist()


@pytest.mark.parametrize("form", ORDERED)
def test_lists_in_the_order_of_the_columns(tmp_path, with_wnids, form):
    (tmp_path / "classes").write_text(ORDERED[form])
    assert load_classes(tmp_path / "classes", with_wnids).tolist() == with_wnids.nodes(*COLUMNS).tolist()


def test_arrays_folders_and_memory(tmp_path, taxonomy):
    wanted = taxonomy.nodes(*COLUMNS).tolist()
    np.save(tmp_path / "classes_.npy", np.array(COLUMNS))
    assert load_classes(tmp_path / "classes_.npy", taxonomy).tolist() == wanted
    for name in COLUMNS:
        (tmp_path / "train" / name).mkdir(parents=True)
    assert load_classes(tmp_path / "train", taxonomy).tolist() == taxonomy.nodes(*sorted(COLUMNS)).tolist()
    assert load_classes({"categories": COLUMNS}, taxonomy).tolist() == wanted
    assert load_classes({name: k for k, name in SHUFFLED}, taxonomy).tolist() == wanted
    np.save(tmp_path / "bad.npy", np.array(COLUMNS, dtype=object), allow_pickle=True)
    with pytest.raises(FileError, match="Python objects, which are not opened"):
        load_classes(tmp_path / "bad.npy", taxonomy)
    assert len(CLASS_LIST_FORMS) == 10


@pytest.mark.parametrize("form", sorted(set(NUMBERED) - {"coco", "pbtxt"}))
@pytest.mark.parametrize("numbers", [(0, 1, 3, 4), (0, 1, 1, 2), (2, 3, 4, 5)])
def test_gaps_and_doubles_are_refused(tmp_path, with_wnids, form, numbers):
    pairs = list(zip(numbers, COLUMNS, strict=True))
    (tmp_path / "classes").write_text(NUMBERED[form](pairs, 0))
    if len(set(numbers)) < 4 and form in ("json index to name", "keras", "hugging face", "python", "yolo", "data card"):
        return  # the text itself holds the key once
    with pytest.raises(PredictionsError, match=r"each once, got") as raised:
        load_classes(tmp_path / "classes", with_wnids)
    assert "\n" not in str(raised.value)


def test_ids_of_categories_may_have_gaps_but_no_doubles(tmp_path, taxonomy):
    path, notes = tmp_path / "coco.json", []
    path.write_text(NUMBERED["coco"]([(90, "dog"), (1, "newt"), (44, "duck"), (3, "cat")], 0))
    assert load_classes(path, taxonomy, notes).tolist() == taxonomy.nodes("newt", "cat", "duck", "dog").tolist()
    assert "in the order of the ids, 1 to 90; 86 ids between them have no class" in notes[0]
    assert read_class_list(path, taxonomy).numbers == (1, 3, 44, 90)
    path.write_text(NUMBERED["coco"]([(1, "dog"), (1, "newt")], 0))
    with pytest.raises(PredictionsError, match="expected every id once, got 1 more than once"):
        load_classes(path, taxonomy)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"a": [1]}',
        "[",
        "[[[1]]]",
        '{"0": {"x": 1}}',
        "names:\n  - {a: b}\n",
        "names: *x\n",
        "item { name: 'a' }",
        "\0",
    ],
)
def test_broken_lists_are_refused_in_one_line(tmp_path, taxonomy, text):
    (tmp_path / "classes").write_text(text)
    with pytest.raises(HiervizError) as raised:
        load_classes(tmp_path / "classes", taxonomy)
    assert "\n" not in str(raised.value)
    assert str(raised.value).startswith("classes")


MACHINES = [
    ("thing", "crane (bird)"),
    ("thing", "crane (machine)"),
    ("thing", "tench"),
    ("thing", "golden_retriever"),
    ("thing", "café"),
    ("thing", "jack-o'-lantern"),
    ("thing", "C++"),
    ("thing", "C"),
    ("thing", "great_white_shark.n.01"),
]


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("tench, Tinca tinca", "tench"),
        ("Tinca tinca, tench", "tench"),
        ("n01440764 tench, Tinca tinca", "tench"),
        ("n01440764", "tench"),
        ("n01440764_tench", "tench"),
        ("Golden Retriever", "golden_retriever"),
        ("golden  retriever", "golden_retriever"),
        ("golden\u00a0retriever", "golden_retriever"),
        ("goldenretriever", "golden_retriever"),
        ("CAFE", "café"),
        ("cafe\u0301", "café"),
        ("jack o lantern", "jack-o'-lantern"),
        ("c++", "C++"),
        ("thing > Golden Retriever", "golden_retriever"),
        ("Stork relative", "crane (bird)"),
        ("crane, derrick", "crane (machine)"),
        ("great white shark, white shark, man-eater", "great_white_shark.n.01"),
    ],
)
def test_names_are_matched_by_what_they_mean(text, node):
    taxonomy = Taxonomy.from_edges(MACHINES).with_nodes(
        {"crane (bird)": "stork relative", "crane (machine)": "derrick"}, {"wnid": {"tench": "n01440764"}}
    )
    notes = []
    assert load_classes([text], taxonomy, notes).tolist() == [taxonomy.node(node)]
    if text != node:
        assert notes == [] or "matched by meaning" in notes[0]


def test_names_that_fit_several_nodes_are_asked_about(tmp_path):
    taxonomy = Taxonomy.from_edges(MACHINES)
    said = r"got 'crane'\. Both fit: 'crane \(bird\)' and 'crane \(machine\)'\. Write the one you mean\."
    for read in (
        lambda: load_classes(["crane"], taxonomy),
        lambda: load_truth(_file(tmp_path, "t.csv", "sample_id,truth\na,crane\n"), taxonomy),
        lambda: load_predictions(_file(tmp_path, "p.csv", "sample_id,predicted\na,crane\n"), taxonomy),
        lambda: load_predictions(_file(tmp_path, "p.json", '[[{"label": "crane", "score": 1}]]'), taxonomy),
    ):
        with pytest.raises(PredictionsError, match=said):
            read()


def test_of_two_classes_the_one_that_no_other_name_has():
    taxonomy = Taxonomy.from_edges([("r", "n1"), ("r", "n2")]).with_nodes({"n1": "missile", "n2": "projectile"})
    notes = []
    assert load_classes(["projectile, missile", "missile"], taxonomy, notes).tolist() == [2, 1]
    assert "classes: 'projectile, missile' fits several nodes and was matched to 'n2', the only one" in notes[-1]
    # Two names for one node, and what would follow from another such name, are asked about.
    for names in (["projectile, missile", "missile, projectile", "missile"],):
        with pytest.raises(PredictionsError, match="Both fit"):
            load_classes(names, taxonomy)
    more = Taxonomy.from_edges([("r", "n1"), ("r", "n2"), ("r", "n3")]).with_nodes({"n1": "a", "n2": "b", "n3": "c"})
    with pytest.raises(PredictionsError, match="Both fit"):
        load_classes(["a", "a, b", "b, c"], more)
    with pytest.raises(PredictionsError, match=r"Both fit: 'n1' \('missile'\) and 'n2' \('projectile'\)\. Write"):
        load_classes(["projectile, missile"], taxonomy)


def test_a_title_written_exactly_so_wins_over_one_in_other_letters(tmp_path):
    # ImageNet: 'Cardigan' is a dog, 'cardigan' a jacket.
    attributes = {"words": {"n5": "maillot, tank suit", "n6": "Maillot"}}
    edges = [("r", f"n{k}") for k in range(1, 7)]
    titles = {"n1": "Cardigan, Cardigan Welsh corgi", "n2": "cardigan", "n3": "Crane", "n4": "crane"}
    taxonomy = Taxonomy.from_edges(edges).with_nodes(titles, attributes)
    names = ["cardigan", "Cardigan", "crane", "Crane", "Maillot", "maillot"]
    expected = taxonomy.nodes("n2", "n1", "n4", "n3", "n6", "n5").tolist()
    assert load_classes(names, taxonomy).tolist() == expected
    path = _file(tmp_path, "p.csv", ",".join([*names, "truth"]) + "\n1,0,0,0,0,0,Cardigan\n")
    found = load_predictions(path, taxonomy)
    assert (found.scored_nodes.tolist(), found.truth.tolist()) == (expected, [1])
    assert load_predictions(_file(tmp_path, "l.csv", "predicted\ncrane\n"), taxonomy).labels.nodes.tolist() == [4]
    # Written as neither, or exactly so twice, it is asked about.
    twice = Taxonomy.from_edges([("r", "n1"), ("r", "n2")]).with_nodes({"n1": "crane", "n2": "crane"})
    for name, tree in (("CRANE", taxonomy), ("crane", twice)):
        with pytest.raises(PredictionsError, match="Both fit"):
            load_classes([name], tree)


def test_no_near_miss_for_ids(tmp_path):
    taxonomy = Taxonomy.from_edges([("r", "n01440764"), ("r", "n01443537"), ("r", "1024"), ("r", "GO:0008150")])
    for name in ("n01440765", "1025", "GO:0008151"):
        with pytest.raises(PredictionsError) as raised:
            load_classes(["n01443537", name], taxonomy)
        assert "Did you mean" not in str(raised.value)


def _file(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


def test_the_note_counts_and_gives_three_examples(tmp_path, taxonomy):
    path = _file(tmp_path, "t.csv", "sample_id,truth\na,CAT\nb,Dog\nc,Duck\nd,NEWT\ne,cat\n")
    truth = load_truth(path, taxonomy)
    assert truth.nodes.tolist() == taxonomy.nodes("cat", "dog", "duck", "newt", "cat").tolist()
    assert truth.notes == (
        "t.csv, column 'truth': 4 names were matched by meaning (spelling, synonym, title or id): 'CAT' is 'cat', "
        "'Dog' is 'dog', 'Duck' is 'duck' and 1 more",
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("wide.csv", "sample_id,Cat,Dog,Duck,Newt\na,0.5,0.25,0.125,0.125\n"),
        ("long.csv", "sample_id,class,score\na,CAT,0.5\na,DOG,0.25\na,duck,0.125\na,newt,0.125\n"),
        ("top.csv", "sample_id,class_1,score_1,class_2,score_2\na,Cat,0.5,Dog,0.25\n"),
        ("lists.json", '[[{"label": "Cat", "score": 0.5}, {"label": "Dog", "score": 0.25}]]'),
        ("labels.csv", "sample_id,predicted\na,Cat\n"),
    ],
)
def test_predictions_are_matched_alike(tmp_path, taxonomy, name, text):
    found = load_predictions(_file(tmp_path, name, text), taxonomy)
    assert any("matched by meaning" in note for note in found.notes)


def test_two_columns_of_one_class_are_refused(tmp_path, taxonomy):
    path = _file(tmp_path, "p.csv", "cat,Cat,dog,duck,newt\n0.5,0,0.25,0.125,0.125\n")
    with pytest.raises(PredictionsError, match="expected one column for"):
        load_predictions(path, taxonomy)


def test_whole_numbers_as_truth_go_through_the_class_list(tmp_path, taxonomy):
    classes = _file(tmp_path, "classes.csv", NUMBERED["csv"](SHUFFLED, 0))
    truth = _file(tmp_path, "t.csv", "sample_id,truth\na,3\nb,0\nc,\n")
    np.savez(tmp_path / "p.npz", prob=[[0.1, 0.6, 0.2, 0.1]] * 3, sample_id=np.array(["a", "b", "c"]))
    found = load_predictions(tmp_path / "p.npz", taxonomy, truth, classes=classes)
    assert found.truth.tolist() == [taxonomy.node("dog"), taxonomy.node("newt"), -1]
    assert any("2 numbers were looked up in the class list: 3 is 'dog', 0 is 'newt'" in note for note in found.notes)
    with pytest.raises(PredictionsError, match=r"got '3'.*If these are numbers of classes, list these: classes="):
        load_truth(truth, taxonomy)
    with pytest.raises(PredictionsError, match=r"got '9'\. It is no number of classes="):
        load_truth(_file(tmp_path, "u.csv", "sample_id,truth\na,9\nb,1\n"), taxonomy, classes=classes)
    # Inside the predictions, as an array, and as labels.
    own = _file(tmp_path, "q.csv", "sample_id,c0,c1,c2,c3,truth\na,0.1,0.6,0.2,0.1,1\n")
    assert load_predictions(own, taxonomy, classes=classes).truth.tolist() == [taxonomy.node("cat")]
    np.savez(tmp_path / "r.npz", prob=[[0.1, 0.6, 0.2, 0.1]], y_true=np.array([2]))
    assert load_predictions(tmp_path / "r.npz", taxonomy, classes=classes).truth.tolist() == [taxonomy.node("duck")]
    labels = load_predictions(
        _file(tmp_path, "l.csv", "sample_id,y_true,y_pred\na,1,0\nb,3,3\n"), taxonomy, classes=classes
    )
    assert labels.labels.nodes.tolist() == taxonomy.nodes("newt", "dog").tolist()
    assert labels.truth.tolist() == taxonomy.nodes("cat", "dog").tolist()


def test_truth_from_the_names_of_folders(tmp_path, taxonomy):
    for file in ("val/Cat/a.jpg", "val/dog/b.jpg", "val/dog/deeper/c.jpg", "val/newt/.hidden"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(b"x")
    truth = load_truth(tmp_path / "val", taxonomy)
    assert dict(zip(truth.ids.tolist(), truth.nodes.tolist(), strict=True)) == {
        "a": taxonomy.node("cat"),
        "b": taxonomy.node("dog"),
        "c": taxonomy.node("dog"),
    }
    predictions = load_predictions(
        _file(tmp_path, "p.csv", "sample_id,cat,dog,duck,newt\nb,0.2,0.6,0.1,0.1\na,0.7,0.1,0.1,0.1\n"), taxonomy
    )
    assert attach_truth(predictions, tmp_path / "val").truth.tolist() == taxonomy.nodes("dog", "cat").tolist()
    (tmp_path / "val" / "unicorn").mkdir()
    (tmp_path / "val" / "unicorn" / "d.jpg").write_bytes(b"x")
    with pytest.raises(PredictionsError, match=r"folders named after nodes .* got .unicorn"):
        load_truth(tmp_path / "val", taxonomy)


def test_keys_that_do_not_say_which_row_is_meant():
    found = list(unfit_keys(zip([3, 5, 8, 9, 12], ["a", None, "b", "a", "a"], strict=True)))
    assert found == [(5, None), (9, 3), (12, 3)]
    # The first is known before the second is asked for: a strict reader stops there.
    endless = iter(lambda: "a", None)
    assert next(unfit_keys(enumerate(endless))) == (1, 0)
