"""The file of an ONNX model: what kind of file it is instead, the files next to it, and checksums."""

import hashlib
import json
import stat
import zipfile

from hierviz.messages.errors import ModelError, listed
from hierviz.readers.sources import known_kind, open_source

# protobuf's own limit; larger models keep their weights in a separate file.
MOST_BYTES = 2 << 30
_HEAD_BYTES = 1024

# What to do with a file of another kind, by a word for the kind.
_ADVICE = {
    "git-lfs": "Fetch it with git lfs pull",
    "empty": "Download it again",
    "PDF": "Download it again",
    "web page": "Download it again: the link led to a page, not to the file",
    "archive": "Unpack it first",
    "gzip": "Unpack it first",
    "HDF5": "If Keras wrote it, export the model with tf2onnx",
    "picture": "Select the .onnx file; pictures are inputs",
    "array": "Select the .onnx file; arrays are inputs or predictions",
    "Parquet": "Load it as predictions, not as a model",
}


def check_file(path):
    """Raise a ModelError for a file that is visibly no ONNX model, by its first bytes, with what it is instead."""
    where = path.name
    try:
        status = path.stat()
        size = status.st_size
        if stat.S_ISDIR(status.st_mode):
            raise ModelError(f"{where}: expected an ONNX file, got a folder. Select the .onnx file inside.")
        if not stat.S_ISREG(status.st_mode):  # reading a pipe would never end
            raise ModelError(f"{where}: expected an ONNX file, got a pipe or device. Select the .onnx file.")
        with open(path, "rb") as file:
            start = file.read(_HEAD_BYTES)
    except FileNotFoundError:
        raise ModelError(f"{path}: expected an ONNX file, got nothing there. Check the path.") from None
    except OSError as error:
        raise ModelError(f"{path}: expected a readable file, got {error.strerror}. Check its permissions.") from None
    except ValueError:
        raise ModelError(
            f"{where!r}: expected the path of a file, got one with a zero byte in it. Check the path."
        ) from None
    got = _other_kind(path, start)
    if got is not None:
        raise ModelError(f"{where}: expected an ONNX model, got {got[0]}. {got[1]}.")
    if size > MOST_BYTES:
        raise ModelError(
            f"{where}: expected at most 2 GB (protobuf's limit), got {size / 2**30:.1f} GB. "
            "Export it again with the weights in a separate file."
        )


def declaration_beside(path):
    """The file ``<model>.hierviz.json`` next to a model, in which it is described, or None."""
    names = (f"{path.stem}.hierviz.json", f"{path.name}.hierviz.json")
    return next((path.with_name(name) for name in names if path.with_name(name).is_file()), None)


def json_object(path, most_bytes):
    """The object in a JSON file next to a model; a ModelError where it is something else, a FileError where it cannot be read."""
    text = open_source(path, "JSON").read_text(most_bytes)
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path.name}: expected JSON, got {error}. Correct or remove it.") from None
    if not isinstance(said, dict):
        raise ModelError(f"{path.name}: expected a JSON object, got {type(said).__name__}. Correct or remove it.")
    return said


def sha256(path):
    """Checksum of a file in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _other_kind(path, start):
    """What a file that is no ONNX model is, and what to do; None when it may be one."""
    words = known_kind(start, path)
    if words == "a zip archive":
        return _zip_kind(path)
    if words == "a pickle":
        return "a Python pickle (.pkl, .pt or .joblib), which may run code when loaded and is never opened here", (
            "Export the model to ONNX, with torch.onnx.export or skl2onnx, if you trust it"
        )
    if words is not None and words != "an ONNX model":
        return words, next((advice for word, advice in _ADVICE.items() if word in words), "Select the .onnx file")
    if start.startswith(b"GGUF"):
        return "a GGUF file", "Export the model to ONNX"
    if start[4:8] == b"TFL3":
        return "a TensorFlow Lite model", "Convert it with tf2onnx --tflite"
    if start[4:8] == b"ORTM":
        return "an onnxruntime .ort file", "Use the .onnx file it was made from"
    if start[8:10] == b'{"':
        return "a safetensors file, which holds weights only", "Export the model with torch.onnx.export"
    try:
        text = start.decode("utf-8-sig", "strict" if len(start) < _HEAD_BYTES else "ignore").lstrip()
    except UnicodeDecodeError:
        return None
    if any(ord(character) < 32 and character not in "\t\r\n\f" for character in text) or not text:
        return None
    if text.startswith("<") or "<html" in text[:500].lower():
        return "a web page or XML", _ADVICE["web page"]
    return "a JSON file" if text.startswith(("{", "[")) else "a text file", "Select the .onnx file"


def _zip_kind(path):
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return "a damaged zip", "Download it again"
    if any(name.endswith("data.pkl") for name in names):
        return "a PyTorch file (.pt or .pth), which may run code when loaded and is never opened here", (
            "Export the model with torch.onnx.export if you trust it"
        )
    inside = [name for name in names if name.lower().endswith(".onnx")]
    if inside:
        return f"a zip with {listed(inside)} inside", "Unpack it and select the .onnx file"
    if any(name.endswith((".weights.h5", "metadata.json")) for name in names) and "config.json" in names:
        return "a Keras model", "Export it with model.export(path, format='onnx') or tf2onnx"
    if names and all(name.endswith(".npy") for name in names):
        return "a numpy .npz file", "Select the .onnx file; arrays are inputs or predictions"
    return "a zip without an .onnx file inside", "Select the .onnx file"
