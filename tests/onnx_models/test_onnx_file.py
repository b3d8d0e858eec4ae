"""Files that are no ONNX models are named for what they are, before onnxruntime sees them."""

import os
import pickle
import zipfile

import pytest

from hierviz.messages.errors import ModelError
from hierviz.onnx.model import load_model

from .one_line import one_line


def kinds(tmp_path):
    """Files that are no ONNX models, and the words that name them."""

    def zipped(*names):
        path = tmp_path / "made.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, b"x")
        return path.read_bytes()

    return {
        "an empty file": b"",
        "a web page": b"\n<!DOCTYPE html><html><body>Sign in</body></html>",
        "a git-lfs pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n",
        "a PyTorch file": zipped("archive/data.pkl", "archive/data/0"),
        r"a zip with 'm/model.onnx' inside": zipped("m/model.onnx"),
        "a Keras model": zipped("metadata.json", "config.json", "model.weights.h5"),
        "a numpy .npz": zipped("a.npy"),
        "a damaged zip": b"PK\x03\x04" + bytes(40),
        "a Python pickle": pickle.dumps({"a": 1}),
        "a Python pickle ": b"ccopy_reg\n_reconstructor\np0\n",
        "an SQLite database. Select the": b"SQLite format 3\x00" + bytes(20),
        "an xz archive. Unpack": b"\xfd7zXZ\x00" + bytes(20),
        "an HDF5 file": b"\x89HDF\r\n\x1a\n" + bytes(20),
        "a gzip file": b"\x1f\x8b\x08" + bytes(20),
        "a PNG picture": b"\x89PNG\r\n\x1a\n" + bytes(20),
        "a TensorFlow Lite": b"\x1c\x00\x00\x00TFL3" + bytes(20),
        "a safetensors": (100).to_bytes(8, "little") + b'{"a": {}}',
        "a JSON file": b'{"nodes": []}',
        "a text file": b"cat\ndog\n",
        "damaged, cut short": bytes(range(256)) * 5,
    }


def test_files_that_are_no_models(tmp_path, taxonomy, build):
    build()
    for words, content in kinds(tmp_path).items():
        path = tmp_path / "some.onnx"
        path.write_bytes(content)
        with pytest.raises(ModelError, match=words) as raised:
            load_model(path, taxonomy)
        assert one_line(raised).startswith("some.onnx: ")
    with pytest.raises(ModelError, match="nothing there"):
        load_model(tmp_path / "none.onnx", taxonomy)
    for path, words in (("a" * 300, "too long"), ("a\0b", "a zero byte in it")):
        with pytest.raises(ModelError, match=words):
            load_model(tmp_path / path, taxonomy)
    with pytest.raises(ModelError, match="a folder"):
        load_model(tmp_path, taxonomy)
    os.mkfifo(tmp_path / "pipe.onnx")
    with pytest.raises(ModelError, match="a pipe or device"):
        load_model(tmp_path / "pipe.onnx", taxonomy)
