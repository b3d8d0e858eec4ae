"""Every hazard of a foreign model file: one clear line within the limits, nothing read that is not the model's."""

import json
import os
import signal
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

from hierviz import cli
from hierviz.messages.errors import HiervizError, ModelError
from hierviz.onnx.account import account_lines
from hierviz.onnx.input_check import check_inputs
from hierviz.onnx.inputs.model_inputs import load_inputs
from hierviz.onnx.model import draft_model, load_model
from hierviz.onnx.process.isolation import Limits
from hierviz.onnx.process.session import _Watch

from . import hostile_models as hostile
from .conftest import LEAVES

SHORT = Limits(cpu_seconds=2)
MOST_MB = 30
EXPECTED = hostile.X @ hostile.WEIGHTS + hostile.BIAS
pytestmark = pytest.mark.usefixtures("temporary")


@pytest.fixture
def scores(write, taxonomy):
    """scores(model, limits) -> what `predict` gives for three rows; the model is forgotten again."""

    def of(model, limits=SHORT, name="m.onnx"):
        loaded = load_model(write(model, name), taxonomy, classes=LEAVES, parametrisation="flat_softmax", limits=limits)
        try:
            return loaded.predict({"x": hostile.X}).scores
        finally:
            loaded.session.close()

    return of


def memory_mb(which, again=False):
    """Of this process: VmRSS, or VmHWM, the most since it was last asked `again`; 0 where the system does not tell."""
    try:
        if again:
            Path("/proc/self/clear_refs").write_text("5")
        said = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return int(said.split(f"{which}:")[1].split()[0]) / 1024


def refused(work, words, start="m.onnx"):
    """The error of `work`: one printable line with these words, soon, and at no time much memory here."""
    began, before = time.monotonic(), memory_mb("VmRSS", again=True)
    with pytest.raises(HiervizError, match=words) as raised:
        work()
    assert memory_mb("VmHWM") - before < MOST_MB
    text = str(raised.value)
    assert text.isprintable()
    assert text.startswith(start)
    assert len(text) < 600
    assert time.monotonic() - began < 600  # for what never ends
    return text


def test_the_honest_model(scores):
    np.testing.assert_allclose(scores(hostile.honest()), EXPECTED, rtol=1e-5, atol=1e-6)


ODD = {
    "unknown operator": "standard operators, got 'Frobnicate', which onnxruntime does not know in opset 17",
    "custom domain": "standard operators, got 'Evil' of 'my.ops'. Export it without custom operators",
    "no opset": "Missing opset",
    "dangling edge": "Node input 'nowhere'",
    "cycle": "not acyclic",
    "wrong dims": "Dimension mismatch",
    "raw data too short": "size mismatch",
    "negative dims": "dimensions",
    "Gather out of range": "out of data bounds",
    "integer division by 0": "division by zero",
    "output without the batch": r"'logits' tensor\(float\) \[4\]",
    "IR 99": r"expected IR version \d+ or lower, got 99",
    "opset 99": r"expected opset \d+ or lower, got a newer one",
}


def test_models_that_are_not_well_formed(scores):
    models = hostile.odd_models()
    assert models.keys() == ODD.keys()
    for name, words in ODD.items():
        refused(lambda model=models[name]: scores(model), words)


@pytest.mark.long
def test_endless_loop(scores):
    text = refused(lambda: scores(hostile.endless_loop()), "within 2 s of processor time, got one that did not finish")
    assert "limits=Limits(cpu_seconds=...)" in text


@pytest.mark.long
def test_a_model_that_sleeps_or_hangs_where_processor_time_is_no_limit(scores):
    limits = Limits(cpu_seconds=60, wall_seconds=1)
    # A machine on which loading takes a second ends it there.
    refused(
        lambda: scores(hostile.endless_loop(), limits),
        r"(loads|runs each batch) within 1 s, got one that did not finish",
    )


def test_memory(scores):
    # 570 GB for 64 rows: no batch is small enough.
    text = refused(
        lambda: scores(hostile.ones(570)),
        r"at most 2048 MB of memory, got one that needs more, 8\.3 GB at once with 1 row at a time",
    )
    assert "limits=Limits(memory_mb=...)" in text
    assert "batch_size" not in text
    np.testing.assert_allclose(scores(hostile.ones(0.1)), EXPECTED, rtol=1e-5, atol=1e-6)


@pytest.mark.long
def test_a_batch_that_does_not_fit_halves_itself(write, taxonomy):
    """3 GB for 64 rows within 700 MB: the same scores, the number of rows in a note, and later runs begin with it."""
    given = {"classes": LEAVES, "parametrisation": "flat_softmax", "limits": Limits(memory_mb=700)}
    model = load_model(write(hostile.ones(3)), taxonomy, **given)
    x, told = np.repeat(hostile.X, 5, axis=0), []
    found = model.predict({"x": x}, progress=lambda done, n: told.append(done))
    np.testing.assert_allclose(found.scores, np.repeat(EXPECTED, 5, axis=0), rtol=1e-5, atol=1e-6)
    rows = model.session.most_rows
    assert rows in (2, 4, 8)
    assert found.notes == (f"m.onnx ran {rows} rows at a time: 64 rows exceed its memory limit of 700 MB",)
    assert told[-1] == 15
    # Wanted at most: nothing to say.
    assert model.predict({"x": x}, batch_size=rows).notes == ()
    # Later runs begin with what was found, and one that fixes its rows cannot be halved.
    tried, run = [], model.session.run
    model.session.run = lambda *args, **more: tried.append(more["step"]) or run(*args, **more)
    assert model.predict({"x": x}).notes == found.notes
    assert tried == [rows]
    with pytest.raises(
        ModelError, match=r"at most 700 MB .* with 64 rows at a time\. .*memory_mb=\.\.\.\), or export it"
    ):
        replace(model, batch=64).predict({"x": x})
    assert tried[1:] == [64]
    model.session.close()


def huge_pictures(height=12_000, width=12_000, **more):
    """A model that declares pictures of any size and looks at nothing but their number."""
    return hostile.model_of(
        [
            hostile.helper.make_node("Shape", ["x"], ["shape"], end=1),
            hostile.helper.make_node("Concat", ["shape", "four"], ["wanted"], axis=0),
            hostile.helper.make_node("ConstantOfShape", ["wanted"], ["logits"]),
        ],
        {"four": np.int64([4])},
        inputs=[hostile.helper.make_tensor_value_info("x", 1, ["n", 3, height, width])],
    )


@pytest.mark.parametrize("way", ["shape", "metadata", "config", "flag"])
def test_pictures_that_would_not_fit_are_refused_before_memory_is_asked_for(write, taxonomy, folder, tmp_path, way):
    """Preparing them counts against the model's limit: in a run, for one sample of the page, and in the checks."""
    given = {"range": [0, 1], "layout": "NCHW"}
    model = huge_pictures() if way == "shape" else huge_pictures("h", "w")
    if way == "metadata":
        hostile.helper.set_model_props(model, {"hierviz.input": json.dumps({"size": [12000, 12000]})})
    if way == "config":
        (tmp_path / "preprocessor_config.json").write_text(json.dumps({"size": {"height": 12000, "width": 12000}}))
    if way == "flag":
        given["size"] = (12000, 12000)
    loaded = load_model(
        write(model), taxonomy, classes=LEAVES, parametrisation="flat_softmax", preprocessing=given, limits=SHORT
    )
    inputs, words = load_inputs(folder, loaded), r"prepared in 2048 MB of memory.* 12000 x 12000 pixels .*memory_mb="
    picture = inputs.pictures.array(inputs.pictures.names[0])
    for work in (
        lambda: loaded.predict(inputs),
        lambda: loaded.inputs[0].preview(picture),
        lambda: loaded.inputs[0].from_pictures(picture[None]),
        lambda: check_inputs(loaded, inputs, np.zeros(7, dtype=int)),
    ):
        refused(work, words, "input 'x': expected samples that can be prepared")
    loaded.session.close()


@pytest.mark.long
def test_large_arrays_and_long_pictures_are_refused_likewise(write, taxonomy, tmp_path, image):
    array = np.lib.format.open_memmap(
        tmp_path / "x.npy", "w+", np.float32, (2, 3, 14_000, 14_000)
    )  # nothing but a hole
    del array
    given = {"classes": LEAVES, "parametrisation": "flat_softmax", "limits": SHORT}
    loaded = load_model(write(huge_pictures(14_000, 14_000)), taxonomy, **given)
    refused(
        lambda: loaded.predict(load_inputs(tmp_path / "x.npy", loaded)), r"one of 3 x 14000 x 14000 values", "input 'x'"
    )
    # One pixel wide: with 224 pixels on the shorter side it would be 13,440,000 long, of which the middle is kept.
    (tmp_path / "strips").mkdir()
    image.new("RGB", (1, 60_000)).save(tmp_path / "strips" / "strip.png")
    fitting = {"range": [0, 1], "layout": "NCHW", "size": [224, 224], "resize": 224}
    loaded = load_model(write(huge_pictures("h", "w")), taxonomy, preprocessing=fitting, **given)
    inputs = load_inputs(tmp_path / "strips", loaded)
    refused(lambda: loaded.predict(inputs, strict=True), r"60000 pixels, which become 224 x 13440000", "strips/")
    refused(lambda: loaded.predict(inputs), r"none of 1; the first is 'strip\.png'", "strips")


@pytest.mark.long
def test_more_columns_than_names(scores):
    """Refused before they are written and read: three rows would be 30 MB, a thousand 10 GB."""
    for declared in (4, "columns"):
        model = hostile.wide(2_500_000, declared)
        refused(lambda model=model: scores(model), "at most 4 scores a row in output 'logits'")


@pytest.mark.long
def test_much_to_say(scores):
    """What a model says of itself is read into the app's memory."""
    model = hostile.honest()
    hostile.helper.set_model_props(model, {"a": "\0" * (20 << 20)})
    model = model.SerializeToString()
    refused(lambda: scores(model), "at most 8 MB of names and metadata, got 120 MB")
    inputs = [hostile.helper.make_tensor_value_info(f"x{at}", 1, ["batch", 3]) for at in range(10_000)]
    model = hostile.model_of([hostile.gemm("x0")], inputs=inputs).SerializeToString()
    refused(lambda: scores(model), "at most 10,000 inputs and outputs, got 10,001")


def test_functions(scores):
    text = refused(lambda: scores(hostile.functions(27)), r"at most 200,000 operators, got 67,108,8\d\d or more once")
    assert "functions" in text
    refused(lambda: scores(hostile.functions(300)), "at most 200,000 operators")
    refused(lambda: scores(hostile.recursive_function()), "'t[io]ck', which calls itself")
    # 2^4 times minus is plus.
    np.testing.assert_allclose(scores(hostile.functions(5)), EXPECTED + hostile.BIAS, rtol=1e-5, atol=1e-6)


def test_nested_subgraphs(scores):
    np.testing.assert_allclose(scores(hostile.nested_ifs(30)), EXPECTED, rtol=1e-5, atol=1e-6)
    refused(lambda: scores(hostile.too_deep(60)), "nested at most 30 deep")


@pytest.mark.long
def test_many_operators(scores):
    some, many = hostile.many_nodes(200_001), hostile.many_nodes(3_000_000)
    refused(lambda: scores(some), "at most 200,000 operators, got 200,00")
    refused(lambda: scores(many, Limits(memory_mb=600)), "at most 200,000 operators|600 MB")


def test_scores_that_are_no_numbers(scores):
    nodes = [hostile.helper.make_node("Div", ["nought", "nought"], ["n"])]
    for model in (
        hostile.model_of([hostile.gemm()], {"w": hostile.WEIGHTS * np.float32(np.nan)}),
        hostile.added(nodes, "n", {"nought": np.float32(0)}),
    ):
        refused(lambda model=model: scores(model), "finite")


# Weights that lie elsewhere -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "where",
    [
        "initializer",
        *(pytest.param(one, marks=pytest.mark.long) for one in ("constant", "subgraph", "sparse", "default")),
    ],
)
def test_weights_from_elsewhere(scores, tmp_path, where):
    """A canary: were it read, the scores would be its numbers."""
    canary = np.float32([[31337] * 4] * 3).tobytes()
    (tmp_path / "canary.data").write_bytes(canary)
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "link.data").symlink_to(tmp_path / "canary.data")
    (tmp_path / "inside" / "folder.data").mkdir()
    os.mkfifo(tmp_path / "inside" / "pipe.data")
    for location, words in (
        ("../canary.data", "leads elsewhere"),
        (str(tmp_path / "canary.data"), "leads elsewhere"),
        (f"file://{tmp_path}/canary.data", "leads elsewhere"),
        ("..\\canary.data", "leads elsewhere"),
        ("C:canary.data", "leads elsewhere"),
        ("/etc/passwd", "leads elsewhere"),
        ("passwd", "leads elsewhere"),
        ("", "leads elsewhere"),
        (".hidden.data", "leads elsewhere"),
        ("*/_ORT_MEM_ADDR_/", "leads elsewhere"),
        ("*/_ORT_MEM_ADDR_/.data", "leads elsewhere"),
        ("link.data", "a link, which may lead elsewhere"),
        ("folder.data", "folder.data"),
        ("pipe.data", "pipe.data', which is not a file"),
        ("none.data", "got no 'none.data' there"),
    ):
        model = hostile.external(location, where)
        text = refused(lambda model=model: scores(model, name="inside/m.onnx"), words)
        assert "weights" in text
        assert "31337" not in text


@pytest.mark.parametrize("where", ["initializer", "subgraph"])
def test_weights_beside(scores, tmp_path, where):
    (tmp_path / "first.data").write_bytes(hostile.WEIGHTS.tobytes())
    os.link(tmp_path / "first.data", tmp_path / "m.onnx.data")  # the file itself under a second name
    model = hostile.external("m.onnx.data", where)
    np.testing.assert_allclose(scores(model), EXPECTED, rtol=1e-5, atol=1e-6)
    (tmp_path / "m.onnx.data").unlink()
    (tmp_path / "m.onnx.data").write_bytes(hostile.WEIGHTS.tobytes()[:20])
    refused(lambda: scores(model), "weights")


def test_two_places_in_one_tensor(scores, tmp_path):
    (tmp_path / "m.data").write_bytes(hostile.WEIGHTS.tobytes())
    model = hostile.external("m.data")
    entry = next(one for one in model.graph.initializer if one.external_data).external_data.add()
    entry.key, entry.value = "location", "/etc/passwd"
    refused(lambda: scores(model), "leads elsewhere")


def test_a_model_changed_after_loading_is_still_the_one_loaded(tmp_path, taxonomy):
    path = tmp_path / "m.onnx"
    path.write_bytes(hostile.honest().SerializeToString())
    model = load_model(path, taxonomy, classes=LEAVES, parametrisation="flat_softmax")
    path.write_bytes(hostile.endless_loop().SerializeToString())
    np.testing.assert_allclose(model.predict({"x": hostile.X}).scores, EXPECTED, rtol=1e-5, atol=1e-6)
    model.session.close()


# Inputs, and the command line -----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_arrays_that_unpack_to_much_more(tmp_path, taxonomy):
    """250 MB in 243 kB."""
    path = tmp_path / "m.onnx"
    path.write_bytes(hostile.honest().SerializeToString())
    model = load_model(path, taxonomy, classes=LEAVES, parametrisation="flat_softmax")
    head = np.lib.format.MAGIC_PREFIX  # a whole header is not needed: sizes are looked at first
    with (
        zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x.npy", "w") as file,
    ):
        file.write(head)
        for _ in range(320):
            file.write(bytes(1 << 20))
    assert (tmp_path / "bomb.npz").stat().st_size < 400_000
    with pytest.raises(HiervizError) as raised:
        load_inputs(tmp_path / "bomb.npz", model)
    assert str(raised.value).startswith("bomb.npz")
    model.session.close()


@pytest.mark.long
def test_the_command_line(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("animal,mammal\nmammal,cat\nmammal,dog\nanimal,bird\nbird,duck\nanimal,newt\n")
    (tmp_path / "c.txt").write_text("\n".join(LEAVES))
    np.save(tmp_path / "x.npy", hostile.X)
    fixed = ["--taxonomy", "t.csv", "--classes", "c.txt", "--parametrisation", "flat_softmax", "--inputs", "x.npy"]
    for model, words in (
        (hostile.endless_loop(), "within 2 s of processor time"),
        (hostile.functions(27), "at most 200,000 operators"),
        (hostile.ones(570), "of memory"),
        (hostile.external("../c.txt"), "leads elsewhere"),
        (hostile.odd_models()["custom domain"], "'Evil' of 'my.ops'"),
        (hostile.honest().SerializeToString()[:-40], "damaged"),
    ):
        (tmp_path / "m.onnx").write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
        assert cli.main(["predict", "--model", "m.onnx", *fixed, "--out", "p.parquet", "--cpu-seconds", "2"]) == 2
        said = capfd.readouterr()
        assert said.out == ""
        lines = said.err.strip().splitlines()
        assert len(lines) == 1
        assert words in lines[0]
        assert not (tmp_path / "p.parquet").exists()


def test_names_that_command_a_terminal(write, taxonomy):
    model = hostile.honest()
    said = {
        "hierviz.title": "\x1b[2J<b>a\ntitle",
        "\x1b[31m": "red",
        "hierviz.nodes": json.dumps(["a\x1b[2J\n", *"bcd"]),
    }
    hostile.helper.set_model_props(model, said)
    account = draft_model(write(model), taxonomy).account
    assert all(line.isprintable() for line in account_lines(account))
    assert account["title"] == " [2J<b>a title"


@pytest.mark.long
def test_the_command_line_is_stopped(tmp_path, capfd, monkeypatch):
    """Ctrl-C in the middle of a run: no traceback, and (see `temporary`) nothing left."""
    model = tmp_path / "m.onnx"
    model.write_bytes(hostile.endless_loop().SerializeToString())
    (tmp_path / "t.csv").write_text("animal,newt\nanimal,cat\nanimal,dog\nanimal,duck\n")
    np.save(tmp_path / "x.npy", hostile.X)
    monkeypatch.setattr(_Watch, "tell", lambda *_: signal.raise_signal(signal.SIGINT))
    given = {"model": "m.onnx", "taxonomy": "t.csv", "inputs": "x.npy", "out": "p.csv"}
    flags = [part for flag, name in given.items() for part in (f"--{flag}", str(tmp_path / name))]
    (tmp_path / "c.txt").write_text("\n".join(LEAVES))
    flags += ["--classes", str(tmp_path / "c.txt"), "--parametrisation", "flat_softmax"]
    assert cli.main(["predict", *flags]) == 130
    assert capfd.readouterr() == ("", "hierviz: stopped\n")


def test_no_error_is_a_bug(scores):
    """What a model may do wrong is never an exception of another kind."""
    with pytest.raises(ModelError):
        scores(b"\x08\x08" + bytes(range(200)))
