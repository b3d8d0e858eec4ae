"""onnxruntime: what it refuses, weights beside the model, damage, and its own absence."""

import subprocess
import sys

import numpy as np
import pytest

from hierviz.errors import HiervizError, ModelError
from hierviz.onnx.model import load_model

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
        ("none.data", "expected the file of its weights beside"),
        ("../../etc/passwd", "leads elsewhere"),
    ):
        with pytest.raises(ModelError, match=words) as raised:
            load_model(split(location), taxonomy)
        one_line(raised)


def test_damaged_models_never_raise_anything_else(build, metadata, taxonomy, tmp_path, pictures):
    whole = bytearray(build(metadata=metadata).read_bytes())
    rng = np.random.default_rng(3)
    path = tmp_path / "damaged.onnx"
    for _ in range(60):
        changed = bytearray(whole)
        for place in rng.integers(0, len(whole), 4):
            changed[place] = rng.integers(0, 256)
        path.write_bytes(bytes(changed))
        try:
            load_model(path, taxonomy).predict(pictures[:2])
        except HiervizError as error:
            assert "\n" not in str(error)  # noqa: PT017


def test_old_or_missing_onnxruntime(build, metadata, taxonomy, monkeypatch):
    import onnxruntime

    path = build(metadata=metadata)
    monkeypatch.setattr(onnxruntime, "__version__", "1.23.2")
    with pytest.raises(ModelError, match=r"expected 1\.24\.1 or newer"):
        load_model(path, taxonomy)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelError, match=r"pip install 'hierviz\[onnx\]'"):
        load_model(path, taxonomy)


def test_import_loads_no_heavy_library():
    code = (
        "import sys, hierviz.onnx.model, hierviz.readers.pictures, hierviz.onnx.model_inputs; "
        "print([m for m in ('onnxruntime', 'onnx', 'PIL', 'pandas', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
