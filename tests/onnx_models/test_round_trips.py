"""Models as today's exporters write them say what the original libraries say: through Python and the command line.

`files/` is written by `make_models.py`; expected values are torch's and scikit-learn's own. Sums along the tree are taken
here, straight from the taxonomy's CSV.
"""

import csv
import hashlib
import json
import locale
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli
from hierviz.messages.errors import HiervizError, ModelError

from .one_line import one_line

pd = pytest.importorskip("pandas")
pytest.importorskip("onnxruntime")

FILES = Path(__file__).parent / "files"
MANIFEST = json.loads((FILES / "manifest.json").read_text(encoding="utf-8"))


def has_locale(name):
    """Whether this machine can load a model that wants a locale."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        return False
    finally:
        locale.setlocale(locale.LC_ALL, before)
    return True


class Case:
    """An entry of the manifest with its files."""

    def __init__(self, entry):
        self.entry, self.folder = entry, FILES / entry["name"]
        self.taxonomy_path = FILES / entry["taxonomy"]
        self.inputs, self.truth = self.folder / entry["inputs"], self.folder / "truth.csv"
        self.inputs_options = entry.get("inputs_options", {})
        self.loads = "locale" not in entry or has_locale(entry["locale"])

    def keywords(self, without=None):
        """What load_model has to be told."""
        told = {key: value for key, value in self.entry["load"].items() if key != without}
        return told | ({"classes": self.folder / told["classes"]} if "classes" in told else {})

    def flags(self, without=None):
        """The same for the command line."""
        told = self.keywords(without)
        flags = [f"--{key}={told[key]}" for key in ("classes", "parametrisation", "scores") if key in told]
        flags += [f"--output={name}" for name in told.get("outputs", ())]
        for key, value in told.get("preprocessing", {}).items():
            text = "x" if key == "size" else ","
            flags.append(f"--{key}={value if isinstance(value, str) else text.join(map(str, value))}")
        return [*flags, *(f"--{key.replace('_', '-')}={value}" for key, value in self.inputs_options.items())]

    def model(self, without=None):
        """The loaded model and its taxonomy."""
        taxonomy = hv.load_taxonomy(self.taxonomy_path)
        return hv.load_model(self.folder / "model.onnx", taxonomy, **self.keywords(without)), taxonomy

    def predict(self, without=None):
        """Predictions through the public API."""
        model, _ = self.model(without)
        return model.predict(hv.load_inputs(self.inputs, model, **self.inputs_options))

    def rows(self):
        """truth.csv as dicts."""
        with open(self.truth, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def edges(self):
        """(parent, child) of the taxonomy."""
        with open(self.taxonomy_path, encoding="utf-8", newline="") as file:
            return [(row["parent"], row["child"]) for row in csv.DictReader(file)]

    def leaves(self):
        """Names of the leaves, in the order of the taxonomy."""
        edges = self.edges()
        return [child for _, child in edges if child not in {parent for parent, _ in edges}]

    def expected(self):
        """Name of every node -> probabilities (n_samples,) of the original library."""
        with np.load(self.folder / "expected.npz") as saved:
            p = {str(name): column for name, column in zip(saved["names"], saved["probabilities"].T, strict=True)}
        edges = self.edges()
        if self.entry["over"] == "leaves":
            for parent, _ in reversed(edges):
                p[parent] = sum(p[child] for above, child in edges if above == parent)
        else:
            p[edges[0][0]] = np.ones(self.entry["n_samples"])
        return p

    def check(self, predictions):
        """Node probabilities are those of the original library."""
        expected, names = self.expected(), predictions.taxonomy.names
        assert set(expected) == set(names)
        p = predictions.node_probabilities()
        np.testing.assert_allclose(
            p, np.stack([expected[name] for name in names], axis=1), rtol=0, atol=self.entry["tolerance"]
        )
        leaves = [names.index(name) for name in self.leaves()]
        best = [names[leaves[k]] for k in p[:, leaves].argmax(axis=1)]
        assert best == self.best_leaves()

    def best_leaves(self):
        """The most probable leaf of each sample according to the original library."""
        p, leaves = self.expected(), self.leaves()
        return [leaves[k] for k in np.stack([p[name] for name in leaves]).argmax(axis=0)]


CASES = [Case(entry) for entry in MANIFEST["cases"]]
LOADING = [case for case in CASES if case.loads]
ASKING = [(case, keyword) for case in CASES for keyword in case.entry["asks"]]


def by_name(value):
    """Id of a test."""
    return value.entry["name"] if isinstance(value, Case) else str(value)


def named(name):
    """One case."""
    return next(case for case in CASES if case.entry["name"] == name)


@pytest.fixture
def run(capsys):
    """run(*arguments) -> (exit code, standard output, standard error)."""

    def call(*arguments):
        capsys.readouterr()
        code = cli.main([str(one) for one in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def predict_flags(case, out, without=None):
    """Arguments of `hierviz predict`."""
    given = ["--model", case.folder / "model.onnx", "--taxonomy", case.taxonomy_path, "--inputs", case.inputs]
    return ["predict", *given, *case.flags(without), "--out", out]


@pytest.mark.parametrize("case", LOADING, ids=by_name)
def test_probabilities_of_the_original_library(case):
    predictions = case.predict()
    case.check(predictions)
    rows = case.rows()
    assert predictions.n_samples == len(rows)
    if "sample_id" in rows[0]:
        assert predictions.sample_ids.tolist() == [row["sample_id"] for row in rows]
    else:
        assert predictions.sample_ids is None


@pytest.mark.parametrize("case", LOADING, ids=by_name)
def test_predict_then_evaluate_without_further_flags(case, run, tmp_path):
    out = tmp_path / "p.parquet"
    code, printed, said = run(*predict_flags(case, out))
    assert (code, printed) == (0, ""), said
    back = hv.load_predictions(out, hv.load_taxonomy(case.taxonomy_path))
    case.check(back)
    made_by = " ".join(back.detected.values())
    for file in case.folder.glob("model.onnx*"):
        assert hashlib.sha256(file.read_bytes()).hexdigest() in made_by
    code, printed, said = run(
        "evaluate", "--taxonomy", case.taxonomy_path, "--predictions", out, "--truth", case.truth, "--json", "-"
    )
    assert (code, said) == (0, "")
    (scores,) = json.loads(printed)["models"]
    truth, expected = [row["truth"] for row in case.rows()], case.expected()
    assert scores["n_samples"] == len(truth)
    right = np.mean([one == best for one, best in zip(truth, case.best_leaves(), strict=True)])
    assert scores["top_down"]["argmax_leaf_accuracy"] == pytest.approx(right)
    if case.entry["tolerance"] <= 1e-5:
        surprise = np.mean([-np.log(expected[name][k]) for k, name in enumerate(truth)])
        assert scores["distribution"]["cross_entropy"] == pytest.approx(surprise, rel=1e-3)


def test_forest_differs_in_few_rows():
    """skl2onnx rounds thresholds to float32, which sends some rows down another branch of one tree in 15."""
    case = named("sklearn_forest")
    predictions, expected = case.predict(), case.expected()
    p, names = predictions.node_probabilities(), predictions.taxonomy.names
    off = np.abs(p - np.stack([expected[name] for name in names], axis=1)).max(axis=1)
    assert off.max() <= 1 / 15 + 1e-5
    assert (off > 1e-5).mean() <= 0.05


@pytest.mark.parametrize(("case", "keyword"), ASKING, ids=by_name)
def test_what_is_missing_is_asked_for(case, keyword, run, tmp_path):
    flag = case.entry["asks"][keyword]
    with pytest.raises(ModelError, match=flag) as raised:
        case.predict(without=keyword)
    one_line(raised)
    out = tmp_path / "p.parquet"
    code, printed, said = run(*predict_flags(case, out, without=keyword))
    assert (code, printed) == (2, "")
    assert said.count("\n") == 1
    assert re.search(flag, said), said
    assert not out.exists()


def test_text_model_says_which_locale_it_wants(run, tmp_path):
    """TF-IDF as skl2onnx exports it by default; where its locale is installed, it is a case like the others."""
    case = named("sklearn_text_default_locale")
    if case.loads:
        case.check(case.predict())
        return
    with pytest.raises(ModelError, match=r"locale.*C\.UTF-8") as raised:
        case.model()
    one_line(raised)
    code, printed, said = run(*predict_flags(case, tmp_path / "p.csv"))
    assert (code, printed, said.count("\n")) == (2, "", 1)
    assert re.search(r"locale.*C\.UTF-8", said), said


def test_data_frame_feeds_a_pipeline():
    """What pandas reads is what the command line reads."""
    case = named("sklearn_zipmap_mixed")
    frame = pd.read_csv(case.inputs, dtype={"sample_id": str})
    model, _ = case.model()
    case.check(model.predict(frame.iloc[:, ::-1]))


def test_rows_do_not_depend_on_the_batch():
    """The tail of a fixed batch is padded; a batch that the file leaves free may have any size."""
    fixed, free = named("torch_two_files_fixed_batch"), named("torch_uint8_nhwc")
    assert fixed.entry["n_samples"] % 4 != 0
    whole = fixed.predict().node_probabilities()
    model, _ = fixed.model()
    pictures = hv.load_inputs(fixed.inputs, model).pictures
    part = model.predict(type(pictures)(pictures.path, pictures.names[:3])).node_probabilities()
    np.testing.assert_array_equal(part, whole[:3])
    model, _ = free.model()
    inputs = hv.load_inputs(free.inputs, model)
    for size in (3, 64):
        free.check(model.predict(inputs, batch_size=size))


def test_weights_of_the_two_file_form_must_lie_beside(tmp_path):
    case = named("torch_two_files_fixed_batch")
    taxonomy = hv.load_taxonomy(case.taxonomy_path)
    moved = tmp_path / "renamed.onnx"
    shutil.copy(case.folder / "model.onnx", moved)
    with pytest.raises(ModelError, match="weights") as raised:
        hv.load_model(moved, taxonomy, **case.keywords())
    one_line(raised)
    shutil.copy(case.folder / "model.onnx.data", tmp_path)
    model = hv.load_model(moved, taxonomy, **case.keywords())
    case.check(model.predict(hv.load_inputs(case.inputs, model)))


def test_classes_in_another_order_change_only_names():
    """Columns follow names: the same list of classes backwards must move every probability."""
    case = named("torch_uint8_nhwc")
    names = (case.folder / "classes.txt").read_text(encoding="utf-8").split()
    taxonomy = hv.load_taxonomy(case.taxonomy_path)
    model = hv.load_model(case.folder / "model.onnx", taxonomy, classes=names[::-1])
    p, expected = model.predict(hv.load_inputs(case.inputs, model)).node_probabilities(), case.expected()
    for name, other in zip(names, names[::-1], strict=True):
        np.testing.assert_allclose(p[:, taxonomy.node(name)], expected[other], rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("case", "change"),
    [
        ("torch_tokens", "attention_mask"),
        ("torch_double", "features"),
        ("sklearn_zipmap_each", "weight"),
    ],
)
def test_input_that_is_missing_is_named(case, change, tmp_path):
    case = named(case)
    with np.load(case.inputs) as saved:
        arrays = {name: saved[name] for name in saved.files if name != change}
    np.savez(tmp_path / "inputs.npz", **arrays, other=np.zeros((case.entry["n_samples"], 2)), more=np.zeros(3))
    model, _ = case.model()
    with pytest.raises(HiervizError, match=change) as raised:
        model.predict(hv.load_inputs(tmp_path / "inputs.npz", model))
    one_line(raised)


def test_files_are_those_of_the_manifest_and_small():
    sizes = {path: path.stat().st_size for path in FILES.rglob("*") if path.is_file()}
    listed = {FILES / "manifest.json", FILES / "taxonomy.csv", FILES / "numbers.csv"}
    listed |= {case.folder / name for case in CASES for name in case.entry["files"]}
    assert set(sizes) == listed
    assert max(sizes.values()) < 60_000
    assert sum(sizes.values()) < 800_000
