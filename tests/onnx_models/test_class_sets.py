"""Models that know some of the classes, score inner nodes, or have several columns for a class or one for none."""

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli
from hierviz.messages.errors import ModelError
from hierviz.onnx.model import draft_model, load_model
from hierviz.taxonomy.taxonomy import Taxonomy

from .one_line import one_line

EDGES = [
    ("all", "pet"),
    ("all", "bird"),
    ("pet", "cat"),
    ("pet", "dog"),
    ("dog", "poodle"),
    ("dog", "pug"),
    ("bird", "duck"),
]


@pytest.fixture
def tree():
    """all > pet (cat, dog (poodle, pug)), bird (duck)."""
    return Taxonomy.from_edges(EDGES)


def naive(tree, scores, names):
    """Probability of each node by name: the softmax's share of all columns at the node or below it."""
    mass = np.exp(scores - scores.max(axis=1, keepdims=True))
    mass /= mass.sum(axis=1, keepdims=True)
    below = {name: {name} for name in tree.names}
    for parent, child in reversed(EDGES):
        below[parent] |= below[child]
    return np.array(
        [[sum(row[k] for k, name in enumerate(names) if name in below[node]) for node in tree.names] for row in mass]
    )


@pytest.mark.parametrize(
    ("names", "more", "notes"),
    [
        (["poodle", "cat"], {"missing": "zero"}, ["knows 2 classes with their ancestors: the 2 other leaves of 4 have"]),
        (["duck", "dog", "cat"], {"missing": "zero"}, ["knows 3 classes"]),  # dog is a leaf of what it knows
        (["poodle", "dog", "duck", "cat"], {"missing": "zero"}, ["1 class lies above others ('dog')", "knows 3 classes"]),
        (["pug", "dog", "duck", "cat", "poodle"], {}, ["1 class lies above others ('dog')"]),
        (["pug", "duck", "cat", "poodle", "duck"], {"sum_repeated": True}, ["1 class has several columns"]),
        (["pug", "other", "duck", "cat", "poodle"], {"ignore": ["Other"]}, ["the column was left out, as requested: 'other'"]),
        (["cat", "void", "dog", "dog"], {"missing": "zero", "ignore": "void", "sum_repeated": True}, ["summed", "left out"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("softmax", [False, True])
def test_probabilities_are_those_of_the_columns(build, tree, pictures, expected, names, more, notes, softmax):
    if "other" in names and softmax:
        names = [*names[:1], "background", *names[2:]]
        more, notes = {}, ["left out as background"]
    path = build(width=len(names), softmax=softmax)
    predictions = load_model(path, tree, classes=names, **more).predict(pictures)
    kept = [k for k, name in enumerate(names) if name in tree.names]
    wanted = naive(tree, expected(pictures, len(names))[:, kept], [names[k] for k in kept])
    np.testing.assert_allclose(predictions.node_probabilities(), wanted, atol=1e-6)
    for note in notes:
        assert any(note in told for told in predictions.notes), predictions.notes
    assert (predictions.known is None) == ("missing" not in more)


def test_what_is_missing_is_asked(build, tree):
    model = draft_model(build(width=2), tree, classes=["poodle", "cat"])
    (question,) = model.questions
    assert (question.about, question.keywords, question.stops) == ("known", ("missing", "only_known"), "loading")
    assert "No column is called 'pug', 'duck': the model has no column for 2 of the 4 leaf classes" in question.text
    with pytest.raises(ModelError, match=r"none for 'pug', 'duck'.*missing='zero'"):
        model.require_answers()
    with pytest.raises(ModelError, match="but none of the 2 columns has that name") as raised:
        load_model(build(width=2), tree, classes=["poodle", "cat"], ignore=["othr"])
    one_line(raised)
    with pytest.raises(ModelError, match=r"got 'cat' again .*sum_repeated=True"):
        load_model(build(width=2), tree, classes=["cat", "cat"], missing="zero")


def test_independent_scores_of_classes_above_others_are_refused(build, tree, pictures):
    names = ["pug", "dog", "duck", "cat", "poodle"]
    model = load_model(build(width=5, softmax=True), tree, classes=names, scores="independent")
    with pytest.raises(ModelError, match="expected scores that share a row's probability") as raised:
        model.predict(pictures)
    one_line(raised)


def test_the_command_line_writes_the_whole_tree_or_what_is_known(build, tree, folder, tmp_path, capsys):
    taxonomy, classes, truth = tmp_path / "tree.csv", tmp_path / "classes.txt", tmp_path / "truth.csv"
    taxonomy.write_text("parent,child\n" + "\n".join(f"{a},{b}" for a, b in EDGES))
    classes.write_text("poodle\nvoid\ncat\n")
    names = [file.stem for file in sorted(folder.iterdir())]
    truth.write_text(
        "sample_id,truth\n" + "\n".join(f"{n},{c}" for n, c in zip(names, ["cat", "duck", "pug", "dog"] * 2))
    )
    line = ["predict", "--model", build(width=3), "--taxonomy", taxonomy, "--inputs", folder, "--classes", classes]
    line += ["--truth", truth, "--ignore", "void"]

    def run(*more):
        code = cli.main([str(part) for part in [*line, "--out", tmp_path / "p.parquet", *more]])
        return code, capsys.readouterr().err

    code, told = run()
    assert code == 2
    assert "pass --missing zero or --only-known" in told
    code, told = run("--missing", "zero")
    assert code in (0, None)
    assert "have probability 0" in told
    assert "order of the classes" in told
    whole = hv.load_predictions(tmp_path / "p.parquet", tree)
    assert whole.node_probabilities()[:, tree.nodes("duck")].max() == 0
    code, told = run("--only-known")
    assert code in (0, None)
    assert "the taxonomy is that of the known classes: 2 leaves, 5 of 8 nodes" in told
    part = hv.load_predictions(tmp_path / "p.parquet", tree, partial=True)
    assert sorted(tree.names[node] for node in part.known) == ["all", "cat", "dog", "pet", "poodle"]
    np.testing.assert_allclose(part.node_probabilities(), whole.node_probabilities(), atol=1e-6)
    assert run("--missing", "unknown")[0] == 2
