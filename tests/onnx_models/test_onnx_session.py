"""Models that onnxruntime refuses, weights beside the model, damage, and onnxruntime's own absence."""

import subprocess
import sys

import numpy as np
import pytest

from hierviz.messages.errors import HiervizError, ModelError
from hierviz.onnx.model import load_model
from hierviz.onnx.process.session import Session

from .one_line import one_line


def test_models_onnxruntime_refuses(build, metadata, taxonomy, tmp_path, capfd):
    whole = build(metadata=metadata).read_bytes()
    cut = tmp_path / "cut.onnx"
    cut.write_bytes(whole[: len(whole) // 2])
    for path, words in (
        (cut, "damaged, cut short"),
        (build("new.onnx", metadata, ir=99), r"expected IR version \d+ or lower, got 99"),
        (build("opset.onnx", metadata, opset=99), "opset"),
    ):
        with pytest.raises(ModelError, match=words) as raised:
            load_model(path, taxonomy)
        assert one_line(raised).startswith(path.name)
    assert capfd.readouterr().out == ""


def test_weights_in_a_file_beside(build, metadata, taxonomy, tmp_path, pictures, expected):
    whole = build(metadata=metadata)
    import onnx

    def split(location):
        model = onnx.load(whole)
        tensor = next(one for one in model.graph.initializer if one.name == "w")
        (tmp_path / "w.onnx.data").write_bytes(tensor.raw_data)
        tensor.ClearField("raw_data")
        tensor.data_location = 1
        entry = tensor.external_data.add()
        entry.key, entry.value = "location", location
        (tmp_path / "w.onnx").write_bytes(model.SerializeToString())
        return tmp_path / "w.onnx"

    model = load_model(split("w.onnx.data"), taxonomy)
    np.testing.assert_allclose(model.predict(pictures).scores, expected(pictures), rtol=1e-5, atol=1e-5)
    assert [one["file"] for one in model.account["companions"]] == ["w.onnx.data"]
    for location, words in (
        ("none.data", "expected its weights file next to"),
        ("../../etc/passwd", "leads elsewhere"),
    ):
        with pytest.raises(ModelError, match=words) as raised:
            load_model(split(location), taxonomy)
        one_line(raised)


def test_damaged_models_never_raise_anything_else(build, metadata, taxonomy, tmp_path, pictures):
    whole = bytearray(build(metadata=metadata).read_bytes())
    rng = np.random.default_rng(3)
    path = tmp_path / "damaged.onnx"
    for _ in range(30):
        changed = bytearray(whole)
        for place in rng.integers(0, len(whole), 4):
            changed[place] = rng.integers(0, 256)
        path.write_bytes(bytes(changed))
        try:
            load_model(path, taxonomy).predict(pictures[:2])
        except HiervizError as error:
            assert "\n" not in str(error)  # noqa: PT017


def test_old_or_missing_onnxruntime(build, metadata, taxonomy, monkeypatch, tmp_path):
    path = build(metadata=metadata)
    (tmp_path / "old" / "onnxruntime").mkdir(parents=True)
    (tmp_path / "old" / "onnxruntime" / "__init__.py").write_text("__version__ = '1.23.2'\n")
    with monkeypatch.context() as changed:
        changed.delitem(sys.modules, "onnxruntime", raising=False)
        changed.syspath_prepend(tmp_path / "old")
        with pytest.raises(ModelError, match=r"^onnxruntime: expected 1\.24\.1 or newer .*, got 1\.23\.2\.") as raised:
            load_model(path, taxonomy)
        one_line(raised)
    for name in ("onnxruntime", "onnx"):
        with monkeypatch.context() as changed:
            changed.setitem(sys.modules, name, None)
            with pytest.raises(ModelError, match=rf"^{name}: expected .*pip install \"hierviz\[onnx\]\""):
                load_model(path, taxonomy)


def test_a_locale_that_is_not_there(tmp_path, taxonomy):
    """What skl2onnx writes for a text model where en_US.UTF-8 is missing, and with the locale that always exists."""
    pytest.importorskip("onnxruntime")
    helper = pytest.importorskip("onnx").helper
    text, path = 8, tmp_path / "m.onnx"

    def load(locale):
        node = helper.make_node("StringNormalizer", ["x"], ["y"], case_change_action="LOWER", locale=locale)
        x, y = (helper.make_tensor_value_info(name, text, [None]) for name in "xy")
        graph = helper.make_graph([node], "g", [x], [y])
        opsets = [helper.make_opsetid("", 17)]
        path.write_bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())
        with Session(path) as session:
            return session.run([{"x": np.array(["ÄB", "c"])}], ["y"], n_rows=2, step=2).values["y"].tolist()

    assert load("C.UTF-8") == ["äb", "c"]
    with pytest.raises(ModelError, match=r"StringNormalizer wants another one.*C\.UTF-8") as raised:
        load("tlh_QO.UTF-8")
    one_line(raised)


def test_this_process_stays_light(build, metadata, taxonomy, tmp_path):
    """Models are opened elsewhere: onnx and onnxruntime are not even imported here."""
    path = build(metadata=metadata)
    code = f"""
import sys
import hierviz as hv, hierviz.onnx.inputs.model_inputs, hierviz.readers.pictures
import numpy as np
heavy = ('onnxruntime', 'onnx', 'PIL', 'pandas', 'pyarrow')
print([m for m in heavy if m in sys.modules])
edges = "animal mammal mammal cat mammal dog animal bird bird duck animal newt".split()
taxonomy = hv.Taxonomy.from_edges(list(zip(edges[::2], edges[1::2])))
print(hv.load_model({str(path)!r}, taxonomy).predict(np.zeros((3, 5, 6, 3), np.uint8)).scores.shape)
print([m for m in heavy if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["[]", "(3, 4)", "[]"]
