"""The bundled demo: complete files, models with the numbers of the app, and a correct model card.

The models are run once more here by plain onnxruntime on pictures decoded by plain PIL, with the parametrisations
written out in loops: nothing of `hierviz` takes part.
"""

import csv
import hashlib
import importlib
import io
import json
import math
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz.demo import MODELS, bundle_folder, load_demo
from hierviz.lessons.quantities import LESSON_MODELS

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "assets" / "demo"
CARD = ROOT / "models" / "README.md"
TITLES = {
    "flat_softmax": "Flat softmax",
    "conditional_softmax": "Conditional softmax",
    "conditional_sigmoid": "Conditional sigmoid",
    "multilabel_sigmoid": "Multi-label",
    "parameter_sharing": "Parameter sharing",
    "softmax_margin": "Soft-max margin",
    "log_win": "Log-win (flat start)",
}
PARAMETRISATION = {
    "flat_softmax": "flat_softmax",
    "conditional_softmax": "conditional_softmax",
    "conditional_sigmoid": "conditional_sigmoid",
    "multilabel_sigmoid": "multilabel_sigmoid",
    "parameter_sharing": "ps_softmax",
    "softmax_margin": "softmax_all_nodes",
    "log_win": "flat_softmax",
}
WIDTH = {"flat_softmax": 40, "log_win": 40, "softmax_margin": 61}


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def edges():
    return [(row["parent"], row["child"]) for row in read_csv(DEMO / "taxonomy.csv")]


@pytest.fixture(scope="module")
def examples():
    return read_csv(DEMO / "examples.csv")


def test_training_pictures_of_every_class(edges, app):
    """The 6,000 training pictures show the leaves in turn; an inner class has those of its leaves."""
    counts = {row["node"]: int(row["train_count"]) for row in read_csv(DEMO / "nodes.csv")}
    parents = {parent for parent, _ in edges}
    leaves = [child for _, child in edges if child not in parents]
    assert set(counts) == parents | set(leaves)
    assert sum(counts[leaf] for leaf in leaves) == counts["vehicle"] == 6000
    assert {counts[leaf] for leaf in leaves} == {150}
    for parent in parents:
        assert counts[parent] == sum(counts[child] for above, child in edges if above == parent)
    taxonomy, _ = app
    assert dict(zip(taxonomy.names, taxonomy.attributes["train_count"])) == counts


@pytest.fixture(scope="module")
def pictures(examples):
    """uint8 (600, 64, 64, 3), in the order of examples.csv."""
    image = pytest.importorskip("PIL.Image")
    with zipfile.ZipFile(DEMO / "pictures.zip") as archive:
        opened = [image.open(io.BytesIO(archive.read(row["image"]))) for row in examples]
        return np.stack([np.asarray(one.convert("RGB")) for one in opened])


@pytest.fixture(scope="module")
def app():
    """Taxonomy and Predictions by file name, as the app loads them."""
    pytest.importorskip("onnxruntime")
    taxonomy, predictions = load_demo()
    return taxonomy, dict(zip(MODELS, predictions))


# The drawn world -----------------------------------------------------------------------------------------------------


def test_taxonomy(edges):
    parent = {child: mother for mother, child in edges}
    names = ["vehicle", *parent]
    assert len(edges) == len(parent) == 60  # a tree: nobody has two parents
    assert {mother for mother, _ in edges} - set(parent) == {"vehicle"}
    leaves = [name for name in names if name not in parent.values()]
    assert (len(names), len(leaves)) == (61, 40)

    def depth(name):
        return 0 if name == "vehicle" else 1 + depth(parent[name])

    depths = [depth(leaf) for leaf in leaves]
    assert sorted(set(depths)) == [2, 3, 4, 5]
    families = {mother: sum(one == mother for one in parent.values()) for mother in parent.values()}
    assert min(families.values()) == 2  # no only children: every step says something
    assert len(set(families.values())) >= 3
    # Uneven: the leaves below the three worlds differ widely in number.
    world = [
        next(one for one in ("land vehicle", "watercraft", "aircraft") if one in path(leaf, parent)) for leaf in leaves
    ]
    counts = sorted(world.count(one) for one in set(world))
    assert len(counts) == 3
    assert counts[-1] >= 2 * counts[0]

    taxonomy = hv.load_taxonomy(DEMO / "taxonomy.csv")
    assert list(taxonomy.names) == names
    assert (taxonomy.n_nodes, taxonomy.n_leaves, taxonomy.max_depth, taxonomy.is_tree) == (61, 40, 5, True)
    assert taxonomy.notes == ()


def path(name, parent):
    return [name] if name not in parent else [*path(parent[name], parent), name]


def test_examples(edges, examples):
    parent = {child: mother for mother, child in edges}
    inner = set(parent.values())
    assert len(examples) == 600
    assert [row["sample_id"] for row in examples] == [f"v{k:04d}" for k in range(1, 601)]
    assert sum(row["truth"] in inner for row in examples) == 40
    assert {row["truth"] for row in examples} <= {"vehicle", *parent}
    drawn = [row["drawn_as"] for row in examples]
    assert len(set(drawn)) == 40
    assert all(drawn.count(kind) == 15 and kind not in inner for kind in set(drawn))
    for row in examples:
        # An expert who dares less says an ancestor, never another branch and never "a vehicle".
        assert row["truth"] in path(row["drawn_as"], parent)[1:]
        assert {row[key] for key in ("unusual_setting", "far", "occluded", "blurred")} <= {"yes", "no"}
    for key in ("unusual_setting", "far", "occluded", "blurred"):
        assert 60 <= sum(row[key] == "yes" for row in examples) <= 240


def test_pictures(examples, pictures):
    with zipfile.ZipFile(DEMO / "pictures.zip") as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == sorted(row["image"] for row in examples)
        heads = {archive.read(name)[:16] for name in archive.namelist()}
        # Lossless WebP.
        assert {(head[:4], head[8:]) for head in heads} == {(b"RIFF", b"WEBPVP8L")}
    assert pictures.shape == (600, 64, 64, 3)
    # No blank picture, and none twice.
    assert pictures.reshape(600, -1).std(axis=1).min() > 5
    assert len({picture.tobytes() for picture in pictures}) == 600


def test_the_app_finds_what_is_committed():
    assert bundle_folder() == ROOT
    assert set(MODELS) == set(TITLES)
    assert {*MODELS, *LESSON_MODELS} == {file.stem for file in (ROOT / "models").glob("*.onnx")}
    assert (ROOT / "assets" / "icon.png").read_bytes().startswith(b"\x89PNG")


# The models ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TITLES)
def test_model_file(name, edges):
    onnx = pytest.importorskip("onnx")
    file = ROOT / "models" / f"{name}.onnx"
    assert file.stat().st_size < 1_000_000
    model = onnx.load(file)
    onnx.checker.check_model(model, full_check=True)
    assert (model.ir_version, [(one.domain, one.version) for one in model.opset_import]) == (8, [("", 17)])
    said = {one.key.removeprefix("hierviz."): one.value for one in model.metadata_props}
    keys = {"format", "title", "parametrisation", "loss", "nodes", "taxonomy_sha256", "input", "training"}
    assert set(said) == keys
    assert all(one.key.startswith("hierviz.") for one in model.metadata_props)
    assert (said["format"], said["title"], said["parametrisation"]) == ("1", TITLES[name], PARAMETRISATION[name])
    lines = "".join(sorted(f"{mother}\t{child}\n" for mother, child in edges))
    assert said["taxonomy_sha256"] == hashlib.sha256(lines.encode()).hexdigest()
    nodes = json.loads(said["nodes"])
    assert len(nodes) == len(set(nodes)) == WIDTH.get(name, 60)
    assert set(nodes) <= {"vehicle", *(child for _, child in edges)}
    (image,), (logits,) = model.graph.input, model.graph.output
    shape = [axis.dim_value or None for axis in image.type.tensor_type.shape.dim]
    assert (image.name, image.type.tensor_type.elem_type, shape) == ("image", onnx.TensorProto.UINT8, [None, 64, 64, 3])
    assert (logits.name, logits.type.tensor_type.shape.dim[1].dim_value) == ("logits", len(nodes))
    size = {"layout": "NHWC", "dtype": "uint8", "range": [0, 255], "colour": "RGB", "size": [64, 64]}
    assert json.loads(said["input"]) == size
    training = json.loads(said["training"])
    assert (training["seed"], training["epochs"], training["pictures"]) == (0, 10, 6000)


def test_loss_keys_are_known():
    onnx = pytest.importorskip("onnx")
    losses = getattr(hv, "LOSSES", None)
    known = (
        set(losses)
        if losses
        else {"flat_ce", "conditional_softmax", "conditional_sigmoid", "multilabel_bce"}
        | {"ps_softmax", "soft_max_margin", "log_win"}
    )
    for name in TITLES:
        props = onnx.load(ROOT / "models" / f"{name}.onnx").metadata_props
        assert {one.value for one in props if one.key == "hierviz.loss"} <= known


def card_table(mark):
    """Rows of a measured table of models/README.md, as lists of cells."""
    text = CARD.read_text(encoding="utf-8").partition(f"<!-- {mark} -->")[2].partition("<!-- end -->")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")
    ]
    assert len(rows) > 2, mark
    return rows[0], rows[2:]


def test_card_names_every_file():
    header, rows = card_table("files")
    assert header == ["file", "title", "bytes", "sha256"]
    assert [row[0] for row in rows] == [f"`{name}.onnx`" for name in TITLES]
    for (_, title, size, digest), name in zip(rows, TITLES):
        content = (ROOT / "models" / f"{name}.onnx").read_bytes()
        assert title == TITLES[name]
        assert size.replace(" ", "") == str(len(content))
        assert digest.strip("`") == hashlib.sha256(content).hexdigest()


# The same, apart from hierviz --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tree(edges):
    """(names, parent by name, children by name, path without the root by name)."""
    parent = {child: mother for mother, child in edges}
    names = ["vehicle", *parent]
    children = {name: [child for child in names if parent.get(child) == name] for name in names}
    return names, parent, children, {name: path(name, parent)[1:] for name in names}


def softmax(columns):
    """{name: (n,) scores} -> {name: (n,) shares}."""
    most = np.max(list(columns.values()), axis=0)
    powers = {name: np.exp(column - most) for name, column in columns.items()}
    total = sum(powers.values())
    return {name: power / total for name, power in powers.items()}


def sigmoid(column):
    return 1 / (1 + np.exp(-column))


def below(name, children):
    return [name, *(one for child in children[name] for one in below(child, children))]


def probabilities(tree, scores, kind):
    """{node name: (n,)} from {node name: (n,) scores}: the definitions, one node at a time."""
    names, _, children, up = tree
    leaves = [name for name in names if not children[name]]
    n = len(next(iter(scores.values())))
    if kind in ("flat_softmax", "ps_softmax"):
        if kind == "ps_softmax":
            scores = {leaf: sum(scores[one] for one in up[leaf]) for leaf in leaves}
        share = softmax(scores)
        return {name: sum(share[one] for one in below(name, children) if one in share) for name in names}
    if kind == "softmax_all_nodes":
        share = softmax(scores)
        return {name: sum(share[one] for one in below(name, children)) for name in names}
    if kind == "multilabel_sigmoid":
        return {name: sigmoid(scores[name]) if up[name] else np.ones(n) for name in names}
    if kind == "conditional_sigmoid":
        step = {name: sigmoid(score) for name, score in scores.items()}
    else:
        assert kind == "conditional_softmax"
        families = [softmax({child: scores[child] for child in family}) for family in children.values() if family]
        step = {name: share for family in families for name, share in family.items()}
    return {name: math.prod((step[one] for one in up[name]), start=np.ones(n)) for name in names}


@pytest.fixture(scope="module")
def fresh(tree, pictures):
    """{model: {node name: (600,) probabilities}} by plain onnxruntime."""
    onnxruntime = pytest.importorskip("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    found = {}
    for name in TITLES:
        session = onnxruntime.InferenceSession(
            str(ROOT / "models" / f"{name}.onnx"), options, providers=["CPUExecutionProvider"]
        )
        nodes = json.loads(session.get_modelmeta().custom_metadata_map["hierviz.nodes"])
        parts = [session.run(["logits"], {"image": pictures[k : k + 100]})[0] for k in range(0, 600, 100)]
        scores = dict(zip(nodes, np.concatenate(parts).astype(float).T))
        found[name] = probabilities(tree, scores, PARAMETRISATION[name])
    return found


@pytest.mark.parametrize("name", TITLES)
def test_the_app_shows_what_the_model_says(name, app, fresh, examples):
    taxonomy, predictions = app
    shown = predictions[name]
    assert shown.name == TITLES[name]
    assert shown.n_samples == 600
    assert [str(one) for one in shown.sample_ids] == [row["sample_id"] for row in examples]
    assert [taxonomy.names[node] for node in shown.truth] == [row["truth"] for row in examples]
    for key in ("drawn_as", "light", "far", "image"):
        assert shown.attributes[key].tolist() == [row[key] for row in examples]
    p = shown.node_probabilities()
    for node, column in fresh[name].items():
        np.testing.assert_allclose(p[:, taxonomy.node(node)], column, rtol=0, atol=1e-5, err_msg=node)
    assert shown.notes == ()


def test_the_app_shows_the_picture_of_the_sample(app, pictures):
    _, predictions = app
    shown = predictions["flat_softmax"]
    for row in (0, 1, 299, 599):
        np.testing.assert_array_equal(shown.media.array(shown.attributes["image"][row]), pictures[row])


# The card ----------------------------------------------------------------------------------------------------------------


def test_what_the_card_says_in_words():
    text = CARD.read_text(encoding="utf-8")
    assert re.search(r"\*\*Licence\.\*\* MIT", text)
    _, rows = card_table("examples")
    height = {row[0]: float(row[3]) for row in rows}
    right = {row[0]: float(row[1]) for row in rows}
    # "the two models with the most leaves right ... make the tallest mistakes"
    assert set(sorted(right, key=right.get)[-2:]) == set(sorted(height, key=height.get)[-2:])


# The program that drew it ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def drawing():
    """The package models/drawing, found as models/train.py finds it."""
    pytest.importorskip("PIL")
    sys.path.insert(0, str(ROOT / "models"))
    try:
        yield importlib.import_module("drawing")
    finally:
        sys.path.remove(str(ROOT / "models"))


def test_drawing_needs_no_torch():
    code = "import sys; sys.modules['torch'] = None; import drawing, pictures, tree, measure; print(len(drawing.KINDS))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT / "models", capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "40\n", "")


def test_the_drawn_world_is_the_demo(drawing, edges):
    assert drawing.edges() == edges
    assert set(drawing.KINDS) == {child for _, child in edges} - {mother for mother, _ in edges}


# One of each kind of scene, over the whole series.
REDRAWN = (1, 2, 47, 130, 241, 333, 402, 515, 600)


@pytest.mark.parametrize("number", REDRAWN)
def test_redraw(number, drawing, examples, pictures):
    """Within a few grey levels: another Pillow draws some pictures a little differently."""
    kinds = list(drawing.KINDS)
    image, conditions = drawing.draw_picture(kinds[(number - 1) % len(kinds)], 22, number, 1.4)
    row = examples[number - 1]
    assert (conditions.drawn_as, conditions.truth) == (row["drawn_as"], row["truth"])
    assert (conditions.light, conditions.setting) == (row["light"], row["setting"])
    for key in ("unusual_setting", "far", "occluded", "blurred"):
        assert getattr(conditions, key) == (row[key] == "yes"), key
    difference = np.abs(np.asarray(image).astype(int) - pictures[number - 1])
    assert difference.mean() < 2
    assert np.quantile(difference, 0.99) <= 30
    # Not by chance: the next picture is far away.
    assert np.abs(pictures[number % 600].astype(int) - pictures[number - 1]).mean() > 10


def test_drawing_is_seeded(drawing):
    first, again, other = (np.asarray(drawing.draw_picture("tram", 22, k, 1.4)[0]) for k in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
