"""ONNX models: what is in the file, which node each output column belongs to, and running it on inputs.

Conventions
-----------
A model may describe itself in metadata called ``hierviz.*``, or in ``<model>.hierviz.json`` beside it (the same keys
without ``hierviz.``): title, parametrisation, nodes, taxonomy_sha256, input (layout, dtype, range, colour, size, mean,
std), loss, training. What the caller passes wins over the metadata, the metadata over the file beside; contradictions
become notes. Columns are matched to nodes by name, never by position.

Rows run in batches of one fixed size, the last one padded with copies, so that a row's scores do not depend on its
neighbours. `Session` is the only part that touches onnxruntime.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hierviz.errors import HiervizError, ModelError, PredictionsError, listed, near_miss
from hierviz.parametrisation import PARAMETRISATIONS, column_order
from hierviz.predictions import Predictions
from hierviz.readers.classes_file import read_classes
from hierviz.readers.model_inputs import InputSpec, ModelInputs
from hierviz.taxonomy import NodeLists, Taxonomy

# Earlier releases read any file of the machine as weights when a model says so.
OLDEST_ONNXRUNTIME = (1, 24, 1)
# protobuf's own limit; larger models keep their weights in a file beside.
MOST_BYTES = 2 << 30
MOST_BESIDE_BYTES = 64 << 20

DTYPES = {
    "tensor(float)": "float32",
    "tensor(double)": "float64",
    "tensor(float16)": "float16",
    "tensor(string)": "str",
    "tensor(bool)": "bool",
    **{f"tensor({sign}int{bits})": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
SCORE_TYPES = ("tensor(float)", "tensor(double)", "tensor(float16)")
SCORE_NAMES = ("logits", "scores", "probabilities", "output_probability")
PROBABILITIES = ("leaf_probabilities", "node_probabilities")
# Rounding may take a float32 softmax this far out of [0, 1].
ROUNDING = 1e-5

KEYS = ("format", "title", "parametrisation", "loss", "nodes", "taxonomy_sha256", "input", "training")
INPUT_KEYS = ("layout", "dtype", "range", "colour", "size", "mean", "std")


@dataclass(frozen=True, eq=False)
class Model:
    """An ONNX model whose outputs are scores of nodes. Build it with `hierviz.load_model`.

    Parameters
    ----------
    taxonomy : Taxonomy
    name : str
        How screens call the model.
    parametrisation : str
        Key of `PARAMETRISATIONS`.
    scored_nodes : ndarray of int, shape (n_scores,)
        Node of each output column.
    inputs : tuple of InputSpec
    output : str
        Name of the output that holds the scores.
    batch : int or None
        Rows of one run when the model fixes them.
    account : dict
        What is known about the model, in plain words and JSON types.
    notes : tuple of str
        What had to be assumed or contradicts itself.
    session : Session
    """

    taxonomy: Taxonomy
    name: str
    parametrisation: str
    scored_nodes: np.ndarray
    inputs: tuple[InputSpec, ...]
    output: str
    batch: int | None
    account: dict
    notes: tuple[str, ...]
    session: Session = field(repr=False)

    def __repr__(self):
        return f"<Model {self.name!r}: {len(self.scored_nodes)} scores ({self.parametrisation}) in {self.output!r}>"

    def predict(self, inputs, *, truth=None, sample_ids=None, attributes=None, batch_size=64, progress=None):
        """Run the model.

        Parameters
        ----------
        inputs : ModelInputs, Pictures, path, ndarray, or mapping of input name to ndarray
            What `hierviz.readers.model_inputs.load_inputs` accepts, or arrays at hand.
        truth : sequence of node names or numbers, shape (n_samples,), or NodeLists, optional
            An empty name, None or -1 where it is not known.
        sample_ids, attributes : optional
            As in `Predictions`; those of the inputs when absent.
        batch_size : int
            Rows of one run, at least 2 (one row alone is computed differently), unless the model fixes them.
        progress : callable, optional
            Called as progress(rows done, rows in all) after each run.

        Returns
        -------
        Predictions
            Scores as float32, shape (n_samples, n_scores).

        Raises
        ------
        ModelError
            If the inputs do not fit, onnxruntime fails, or a score is not finite (says in which rows).
        FileError
            If a picture or array cannot be read.
        PredictionsError
            If truth, ids or attributes do not fit the samples, or probabilities are none.
        """
        where = self.account["file"]
        if int(batch_size) < 1:
            raise ModelError(f"{where}: expected a batch size of at least 1, got {batch_size}. Leave it out.")
        inputs = ModelInputs.of(inputs, self.inputs)
        truth = _truth_nodes(self.taxonomy, truth)
        ids = inputs.sample_ids if sample_ids is None else np.asarray(sample_ids).astype(str)
        total, step = len(inputs), self.batch or max(2, int(batch_size))
        scores = np.empty((total, len(self.scored_nodes)), dtype=np.float32)
        for start in range(0, total, step):
            rows = slice(start, min(start + step, total))
            feeds = {name: _padded(block, step) for name, block in inputs.feed(self.inputs, rows).items()}
            with np.errstate(over="ignore"):
                scores[rows] = self._columns(self.session.run(feeds, self.output), step)[: rows.stop - start]
            if progress is not None:
                progress(rows.stop, total)
        if self.parametrisation in PROBABILITIES:
            rounded = (scores > 1) & (scores <= 1 + ROUNDING) | (scores < 0) & (scores >= -ROUNDING)
            scores[rounded] = np.clip(scores[rounded], 0, 1)
        bad = np.flatnonzero(~np.isfinite(scores).all(axis=1))
        if len(bad):
            named = listed([str(row) for row in bad] if ids is None else [str(ids[row]) for row in bad])
            raise ModelError(
                f"{where}: expected finite scores, got NaN or infinity in {len(bad)} of {total} rows ({named}). "
                "Check these inputs, their scaling and the model's weights."
            )
        account = self.account
        made = Predictions(
            self.taxonomy,
            self.name,
            scores,
            self.parametrisation,
            self.scored_nodes,
            truth=truth,
            sample_ids=ids,
            attributes={**inputs.attributes, **(attributes or {})},
            notes=(*self.notes, *inputs.notes),
            detected={key: str(account[key]) for key in ("file", "sha256", "output", "classes", "preprocessing")}
            | {"parametrisation": f"{self.parametrisation} ({account['parametrisation_from']})"},
            media=inputs.pictures,
        )
        made.check_scores(f"{where}, output {self.output!r}")
        return made

    def _columns(self, result, n_rows):
        """One run's output as an array of shape (n_rows, n_scores)."""
        where = f"{self.account['file']}, output {self.output!r}"
        width = len(self.scored_nodes)
        if isinstance(result, list):  # skl2onnx's ZipMap: one dict a row
            keys = sorted(result[0]) if result else []
            names = [self.taxonomy.names[node] for node in self.scored_nodes]
            if keys and all(isinstance(key, str) for key in keys):
                unknown = [key for key in keys if key not in set(names)] or [
                    name for name in names if name not in result[0]
                ]
                if unknown:
                    raise ModelError(
                        f"{where}: expected the {width} class names that were given, got {listed(keys)}; "
                        f"{listed(unknown)} stands on one side only. Correct the class names (--classes)."
                    )
                keys = names
            result = np.array([[row[key] for key in keys] for row in result], dtype=np.float32)
        result = np.asarray(result)
        while result.ndim > 2 and result.shape[-1] == 1:
            result = result[..., 0]
        if result.shape != (n_rows, width):
            raise ModelError(
                f"{where}: expected {width} scores for each of {n_rows} rows, got shape {result.shape}. "
                "Is the first axis the batch, and is there a name for every column?"
            )
        return result


class Session:
    """One loaded model in onnxruntime: its inputs, outputs and metadata, and how to run it.

    Parameters
    ----------
    path : Path
        A path, not bytes: that halves the memory and lets weights lie beside the model.

    Attributes
    ----------
    inputs, outputs : list of (name, type, shape)
        Types as onnxruntime writes them; None for axes of any length.
    metadata : dict of str to str
    """

    def __init__(self, path):
        self.where = path.name
        ort = _onnxruntime()
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            # With the fallback on, onnxruntime prints to standard output and tries again.
            self._session = ort.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"], enable_fallback=False
            )
            self.inputs = [_signature(one) for one in self._session.get_inputs()]
            self.outputs = [_signature(one) for one in self._session.get_outputs()]
            self.metadata = dict(self._session.get_modelmeta().custom_metadata_map)
        except Exception as error:  # onnxruntime's exceptions have no base of their own
            raise ModelError(f"{self.where}: {_load_failure(error)}") from None

    def run(self, feeds, output):
        """The value of one output for exactly typed feeds."""
        try:
            return self._session.run([output], feeds)[0]
        except Exception as error:
            shapes = ", ".join(f"{name} {block.dtype} {block.shape}" for name, block in feeds.items())
            raise ModelError(
                f"{self.where}: expected onnxruntime to run the model on {shapes}, got {_message(error)}. "
                "Check the layout and size of the inputs."
            ) from None


def load_model(path, taxonomy, *, classes=None, parametrisation=None, name=None):
    """Load an ONNX model and find out which node each of its output columns belongs to.

    Parameters
    ----------
    path : str or Path
    taxonomy : Taxonomy
    classes : sequence of str, or path, optional
        Node of each output column: names, a text file with one a line, or a CSV with a column of them.
    parametrisation : str, optional
        Key of `PARAMETRISATIONS`.
    name : str, optional
        How screens call the model; its title, else its file name, when absent.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If the file is no ONNX model or too large; onnxruntime is missing, too old or refuses it; class names are
        missing or unknown to the taxonomy; the parametrisation is missing or does not fit; or no output is wide enough.
    TaxonomyError
        If the parametrisation is defined on trees only and the taxonomy is not one.
    """
    path = Path(path)
    where = path.name
    check_file(path)
    session = Session(path)
    notes = []
    said, origin = _declared(path, session.metadata, notes)
    _refuse_strange_inputs(where, session)

    nodes, classes_from = _classes(path, taxonomy, session, said, origin, classes, notes)
    key, key_from = _parametrisation(where, taxonomy, said, origin, parametrisation, nodes, notes)
    output = _choose_output(where, session.outputs, len(nodes), key, notes)
    single = len(session.inputs) == 1
    inputs = tuple(_input_spec(where, one, said.get("input", {}) if single else {}, notes) for one in session.inputs)
    fixed = {spec.shape[0] for spec in inputs} - {None}
    if len(fixed) > 1 or 0 in fixed:
        raise ModelError(
            f"{where}: expected one batch size for all inputs, got {listed(sorted(fixed))}. Export it again."
        )

    here, there = taxonomy.sha256, said.get("taxonomy_sha256")
    match = "not stated by the model"
    if there is not None:
        match = "the one the model was trained with" if there == here else "another one than the model was trained with"
        if there != here:
            notes.append(
                f"the model was trained with another taxonomy (hash {there[:8]}…, here {here[:8]}…): "
                "its columns were matched by name"
            )
    title = name or said.get("title") or path.stem
    account = {
        "title": title,
        "file": where,
        "bytes": path.stat().st_size,
        "sha256": _sha256(path),
        "companions": [
            {"file": beside.name, "bytes": beside.stat().st_size, "sha256": _sha256(beside)}
            for beside in _companions(path)
        ],
        "inputs": [{"name": one.name, "dtype": one.dtype, "shape": list(one.shape)} for one in inputs],
        "outputs": [{"name": one, "type": kind, "shape": list(shape)} for one, kind, shape in session.outputs],
        "output": output,
        "batch": next(iter(fixed), None),
        "parametrisation": key,
        "parametrisation_from": key_from,
        "classes": f"{len(nodes)} names from {classes_from}",
        "preprocessing": inputs[0].words if single else "arrays are fed as they are",
        "pictures": _pictures_words(inputs),
        "taxonomy": match,
        "loss": said.get("loss"),
        "training": said.get("training"),
        "notes": notes,
    }
    return Model(taxonomy, title, key, nodes, inputs, output, account["batch"], account, tuple(notes), session)


# The file ----------------------------------------------------------------------------------------------------------------


def check_file(path):
    """Refuse what is visibly no ONNX model, by its first bytes; ModelError says what it is instead."""
    where = path.name
    if path.is_dir():
        raise ModelError(f"{where}: expected an ONNX file, got a folder. Name the .onnx file inside.")
    try:
        size = path.stat().st_size
        with open(path, "rb") as file:
            start = file.read(1024)
    except FileNotFoundError:
        raise ModelError(f"{path}: expected an ONNX file, got nothing there. Check the path.") from None
    except OSError as error:
        raise ModelError(f"{path}: expected a readable file, got {_message(error)}. Check its permissions.") from None
    got = _kind(path, start)
    if got is not None:
        raise ModelError(f"{where}: expected an ONNX model, got {got[0]}. {got[1]}.")
    if size > MOST_BYTES:
        raise ModelError(
            f"{where}: expected at most 2 GB (protobuf's limit), got {size / 2**30:.1f} GB. "
            "Export it again with the weights in a file beside."
        )


def _kind(path, start):
    """What a file that is no ONNX model is, and what to do; None when it may be one."""
    export = "Export the model with torch.onnx.export"
    again = "Download it again"
    if not start:
        return "an empty file", again
    if start.startswith(b"version https://git-lfs"):
        return "a git-lfs pointer, not the file itself", "Fetch it with git lfs pull"
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_kind(path)
    if start[:1] == b"\x80" and start[1:2] in b"\x02\x03\x04\x05" and len(start) > 2:
        return "a Python pickle (.pkl, .pt or .joblib), which may run code when loaded and is never opened here", (
            "Export the model to ONNX, with torch.onnx.export or skl2onnx, where you trust it"
        )
    known = {
        b"\x89HDF": ("an HDF5 file (Keras)", "Export the model with tf2onnx"),
        b"\x1f\x8b": ("a gzip file", "Unpack it first"),
        b"BZh": ("a bzip2 file", "Unpack it first"),
        b"\xfd7zXZ": ("an xz file", "Unpack it first"),
        b"7z\xbc\xaf": ("a 7z archive", "Unpack it first"),
        b"\x89PNG": ("a PNG picture", "Name the .onnx file; pictures are inputs"),
        b"\xff\xd8\xff": ("a JPEG picture", "Name the .onnx file; pictures are inputs"),
        b"%PDF": ("a PDF", again),
        b"GGUF": ("a GGUF file", "Export the model to ONNX"),
        b"\x93NUMPY": ("a numpy array", "Name the .onnx file; arrays are inputs or predictions"),
        b"PAR1": ("a Parquet table", "Load it as predictions, not as a model"),
    }
    for first, answer in known.items():
        if start.startswith(first):
            return answer
    if start[4:8] == b"TFL3":
        return "a TensorFlow Lite model", "Convert it with tf2onnx --tflite"
    if start[4:8] == b"ORTM":
        return "an onnxruntime .ort file", "Use the .onnx file it was made from"
    if start[8:10] == b'{"':
        return "a safetensors file, which holds weights only", export
    try:
        text = start.decode("utf-8-sig", "strict" if len(start) < 1024 else "ignore").lstrip()
    except UnicodeDecodeError:
        return None
    if any(ord(one) < 32 and one not in "\t\r\n\f" for one in text) or not text:
        return None
    if text[:200].lower().startswith(("<!doctype html", "<html")) or "<html" in text[:500].lower():
        return "a web page (HTML)", f"{again}: the link led to a page, not to the file"
    if text.startswith(("{", "[")):
        return "a JSON file", "Name the .onnx file"
    if text.startswith("<"):
        return "an XML file", "Name the .onnx file"
    return "a text file", "Name the .onnx file"


def _zip_kind(path):
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return "a damaged zip", "Download it again"
    if any(name.endswith("data.pkl") for name in names):
        return "a PyTorch file (.pt or .pth), which may run code when loaded and is never opened here", (
            "Export the model with torch.onnx.export where you trust it"
        )
    inside = [name for name in names if name.lower().endswith(".onnx")]
    if inside:
        return f"a zip with {listed(inside)} inside", "Unpack it and name the .onnx file"
    if any(name.endswith((".weights.h5", "metadata.json")) for name in names) and "config.json" in names:
        return "a Keras model", "Export it with model.export(path, format='onnx') or tf2onnx"
    if names and all(name.endswith(".npy") for name in names):
        return "a numpy .npz file", "Name the .onnx file; arrays are inputs or predictions"
    return "a zip without an .onnx file inside", "Name the .onnx file"


def _companions(path):
    ends = (".data", "_data", ".hierviz.json")
    names = [start + end for end in ends for start in (path.stem, path.name)]
    return [path.with_name(name) for name in dict.fromkeys(names) if path.with_name(name).is_file()]


def _sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# onnxruntime -------------------------------------------------------------------------------------------------------------


def _onnxruntime():
    try:
        import onnxruntime
    except ImportError:
        raise ModelError(
            "onnxruntime: expected it to be installed to run ONNX models, got no such package. Run pip install 'hierviz[onnx]'."
        ) from None
    version = tuple(int(part) for part in re.findall(r"\d+", onnxruntime.__version__)[:3])
    if version < OLDEST_ONNXRUNTIME:
        raise ModelError(
            f"onnxruntime: expected {'.'.join(map(str, OLDEST_ONNXRUNTIME))} or newer (older ones read any file as weights), "
            f"got {onnxruntime.__version__}. Run pip install --upgrade onnxruntime."
        )
    return onnxruntime


def _signature(one):
    return one.name, one.type, tuple(axis if isinstance(axis, int) and axis >= 0 else None for axis in one.shape)


def _message(error):
    """The message of a foreign exception on one line, without onnxruntime's prefix and paths in its source."""
    text = " ".join(str(error).split()) or type(error).__name__
    text = re.sub(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ", "", text)
    text = re.sub(r"\w+\.(?:cc|h):\d+ \w+ ", "", text)
    text = re.sub(r"^Load model from .*? failed: ?", "", text)
    text = re.sub(r"/\S+/onnxruntime/\S+:\d+ .*?\) ", "", text)
    return (text[:220] + "…" if len(text) > 220 else text).rstrip(". ")


def _load_failure(error):
    text = " ".join(str(error).split())
    found = re.search(r"Unsupported model IR version: (\d+), max supported IR version: (\d+)", text)
    if found:
        return f"expected IR version {found[2]} or lower, got {found[1]}. Update onnxruntime, or export with an older opset."
    found = re.search(r"is till opset (\d+)", text)
    if found:
        return (
            f"expected opset {found[1]} or lower, got a newer one. Update onnxruntime, or export with an older opset."
        )
    if "construct locale" in text:
        return (
            "expected a locale that exists here, got a text model whose StringNormalizer wants another one. "
            "Export it again with options={id(vectoriser): {'locale': 'C.UTF-8'}}."
        )
    if re.search(r"external.?data|\.data\b|onnx_data", text, re.IGNORECASE) and "Protobuf" not in text:
        if re.search("escapes|symlink|symbolic|absolute", text, re.IGNORECASE):
            return "expected its weights in a file beside the model, got a path that leads elsewhere. Export it again."
        return (
            f"expected the file of its weights beside the model, got {_message(error)}. Put the weights file (often "
            "<model>.onnx.data, under its first name) into the same folder, or export with external_data=False."
        )
    if isinstance(error, UnicodeDecodeError) or re.search("Protobuf parsing failed|INVALID_PROTOBUF|No graph", text):
        return "expected an ONNX model, got a file that is damaged, cut short or of another kind. Download or export it again."
    found = re.search(r"(?:No Op registered for|is not a registered function/op|Fatal error:) ?([\w.:]*)", text)
    if found:
        return f"expected standard operators, got {_message(error)}. Export it without custom operators."
    return f"expected a model that onnxruntime can load, got {_message(error)}. Export it again."


# What the model says about itself ------------------------------------------------------------------------------------------


def _declared(path, metadata, notes):
    """(what is said, who said it) by key of `KEYS`; the model's own metadata win over the file beside."""
    own = {key.removeprefix("hierviz."): value for key, value in metadata.items() if key.startswith("hierviz.")}
    for key in ("nodes", "input", "training"):
        if key in own:
            try:
                own[key] = json.loads(own[key])
            except (ValueError, RecursionError) as error:
                raise ModelError(
                    f"{path.name}, metadata 'hierviz.{key}': expected JSON, got {_short(own[key])} ({_message(error)}). "
                    "Write it again."
                ) from None
    own = _checked(f"{path.name}, metadata", own, "hierviz.", notes)
    beside = next((one for one in _companions(path) if one.name.endswith(".hierviz.json")), None)
    if beside is None:
        return own, dict.fromkeys(own, "the model's metadata")
    try:
        if beside.stat().st_size > MOST_BESIDE_BYTES:
            raise ValueError("more than 64 MB")
        other = json.loads(beside.read_text(encoding="utf-8-sig"))
    except (ValueError, OSError, RecursionError) as error:
        raise ModelError(f"{beside.name}: expected JSON, got {_message(error)}. Correct or remove it.") from None
    if not isinstance(other, dict):
        raise ModelError(
            f"{beside.name}: expected a JSON object, got {type(other).__name__}. See the README of models/."
        )
    other = _checked(beside.name, other, "", notes)
    said, origin = dict(other), dict.fromkeys(other, beside.name)
    for key, value in own.items():
        if key == "input":
            theirs = other.get("input", {})
            for part in (part for part in value if theirs.get(part, value[part]) != value[part]):
                notes.append(
                    f"{beside.name} says {part} {_short(theirs[part])}, the model's metadata {_short(value[part])}: "
                    "the metadata were used"
                )
            value = {**theirs, **value}
        elif key in other and other[key] != value and key not in ("format", "training"):
            notes.append(
                f"{beside.name} says {key} {_short(other[key])}, the model's metadata {_short(value)}: the metadata were used"
            )
        said[key], origin[key] = value, "the model's metadata"
    return said, origin


def _checked(where, said, prefix, notes):
    """`said` without unknown keys, its values in their types; ModelError where one is of another kind."""

    def wrong(key, expected, got):
        return ModelError(f"{where}, {prefix + key!r}: expected {expected}, got {_short(got)}. Correct it.")

    unknown = [prefix + key for key in said if key not in KEYS]
    if unknown:
        near = near_miss(unknown[0], [prefix + key for key in KEYS])
        notes.append(f"{where}: unknown keys were left out: {listed(unknown)}.{near}")
    said = {key: value for key, value in said.items() if key in KEYS and value is not None}
    if str(said.get("format", "1")) != "1":
        notes.append(f"{where}: written in format {said['format']}, read as format 1")
    for key in ("title", "parametrisation", "loss", "taxonomy_sha256"):
        if key in said and not isinstance(said[key], str):
            raise wrong(key, "text", said[key])
    nodes = said.get("nodes")
    if nodes is not None:
        if not isinstance(nodes, list) or not all(
            isinstance(one, (str, int)) and not isinstance(one, bool) for one in nodes
        ):
            raise wrong("nodes", "a list of node names, one per output column", nodes)
        said["nodes"] = [str(one) for one in nodes]
    if "input" in said:
        said["input"] = _checked_input(said["input"], wrong)
    return said


def _checked_input(given, wrong):
    if not isinstance(given, dict):
        raise wrong("input", "an object with " + ", ".join(INPUT_KEYS), given)
    made = {key: value for key, value in given.items() if value is not None and key in INPUT_KEYS}
    for key, choices in (("layout", ("NHWC", "NCHW")), ("colour", ("RGB", "BGR", "GREY"))):
        if key in made:
            text = str(made[key]).upper().replace("GRAY", "GREY")
            if text not in choices:
                raise wrong(f"input.{key}", " or ".join(choices), made[key])
            made[key] = text
    for key, lengths in (("range", (2,)), ("size", (2,)), ("mean", (1, 3)), ("std", (1, 3))):
        if key not in made:
            continue
        values = made[key] if isinstance(made[key], list) else [made[key]]
        fine = len(values) in lengths and all(type(v) in (int, float) and abs(v) < 1e9 for v in values)
        if key == "size":
            fine = fine and all(v == int(v) and 0 < v <= 16384 for v in values)
        if (
            not fine
            or (key == "range" and not values[0] < values[1])
            or (key == "std" and not all(v > 0 for v in values))
        ):
            expected = {
                "range": "[low, high] with low below high",
                "size": "[height, width] in pixels",
                "mean": "1 or 3 numbers",
                "std": "1 or 3 numbers above 0",
            }[key]
            raise wrong(f"input.{key}", expected, made[key])
        made[key] = tuple(int(v) if key == "size" else float(v) for v in values)
    return made


def _short(value):
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"


# Columns, parametrisation, inputs, output ----------------------------------------------------------------------------------


def _classes(path, taxonomy, session, said, origin, classes, notes):
    """(node of each output column, where the names came from)."""
    where = path.name
    declared = said.get("nodes")
    if classes is not None:
        try:
            nodes = read_classes(classes, taxonomy)
        except PredictionsError as error:
            raise ModelError(f"{error} (class names of {where}, --classes)") from None
        source = Path(classes).name if isinstance(classes, (str, os.PathLike)) else "the list given"
        names = [taxonomy.names[node] for node in nodes]
        if declared is not None and declared != names:
            differ = sum(a != b for a, b in zip(names, declared)) + abs(len(names) - len(declared))
            notes.append(f"{source} names other nodes than {origin['nodes']} in {differ} columns: {source} was used")
        return nodes, source
    if not declared:
        raise ModelError(
            f"{where}: expected the node name of each output column, got none in the model or beside it "
            f"(outputs: {_outputs_words(session.outputs)}). "
            "Pass a file with one name a line as --classes (in Python: classes=)."
        )
    place = f"{where}, class names in {origin['nodes']}"
    unknown = [name for name in declared if name not in taxonomy.index]
    if unknown:
        raise ModelError(
            f"{place}: expected nodes of the taxonomy ({taxonomy.n_nodes} nodes), got {listed(unknown)}."
            f"{near_miss(unknown[0], taxonomy.names)} "
            "Check that model and taxonomy belong together, or pass the right names as --classes."
        )
    twice = [name for name, count in Counter(declared).items() if count > 1]
    if twice:
        raise ModelError(f"{place}: expected every node once, got {listed(twice)} several times. Pass --classes.")
    return taxonomy.nodes(*declared), origin["nodes"]


def _parametrisation(where, taxonomy, said, origin, given, nodes, notes):
    """(key, where it came from)."""
    declared = said.get("parametrisation")
    key, source = (declared, origin.get("parametrisation")) if given is None else (given, "the caller")
    if given is not None and declared is not None and given != declared:
        notes.append(f"{origin['parametrisation']} says {declared}; {given} was asked for and used")
    if key is None or key not in PARAMETRISATIONS:
        fits = [one for one in PARAMETRISATIONS if _fits(taxonomy, one, nodes)]
        got = "none" if key is None else repr(key)
        near = "" if key is None else near_miss(key, list(PARAMETRISATIONS))
        if fits:
            do = f"Pass --parametrisation; {len(nodes)} columns with these names fit {', '.join(fits)}."
        else:
            do = f"No --parametrisation fits {len(nodes)} columns with these names: check the class names (--classes) first."
        raise ModelError(f"{where}: expected to know what its scores mean (a parametrisation), got {got}.{near} {do}")
    if PARAMETRISATIONS[key].tree_only:
        taxonomy.require_tree(f"{where}, {key}")
    try:
        column_order(taxonomy, key, len(nodes), nodes)
    except PredictionsError as error:
        text = (
            str(error).removeprefix("scores: ").replace("Check the column names", "Check the class names (--classes)")
        )
        raise ModelError(
            f"{where}: {text.replace('choose another parametrisation', 'pass another --parametrisation')}"
        ) from None
    return key, source


def _fits(taxonomy, key, nodes):
    try:
        if PARAMETRISATIONS[key].tree_only:
            taxonomy.require_tree(key)
        column_order(taxonomy, key, len(nodes), nodes)
    except HiervizError:
        return False
    return True


def _refuse_strange_inputs(where, session):
    strange = [f"{name!r} ({kind})" for name, kind, shape in session.inputs if kind not in DTYPES or not shape]
    if strange or not session.inputs:
        got = ", ".join(strange[:5]) or "a model without inputs"
        raise ModelError(
            f"{where}: expected inputs that are tensors with a batch axis, got {got}, which is not possible yet. "
            "Export it with plain tensors of numbers or text."
        )


def _input_spec(where, signature, said, notes):
    """The InputSpec of one input: what the graph fixes wins over what is declared."""
    name, kind, shape = signature
    dtype = DTYPES[kind]
    said = dict(said)
    if len(shape) != 4:
        return InputSpec(name, dtype, shape)
    small = {1, 3, 4}
    layout = said.get("layout")
    if (shape[1] in small) != (shape[3] in small):
        seen = "NCHW" if shape[1] in small else "NHWC"
        if layout not in (None, seen):
            notes.append(
                f"layout {layout} is declared, input {name!r} has shape {_shape_words(shape)}: {seen} was used"
            )
        layout = seen
    if layout is None:
        return InputSpec(name, dtype, shape)
    fixed = (shape[layout.index("H")], shape[layout.index("W")])
    size = said.get("size", fixed)
    if any(b not in (None, a) for a, b in zip(size, fixed, strict=True)):
        notes.append(
            f"size {list(size)} is declared, input {name!r} has shape {_shape_words(shape)}: the shape was used"
        )
        size = tuple(b or a for a, b in zip(size, fixed, strict=True))
    if said.get("dtype") not in (None, dtype):
        notes.append(f"dtype {said['dtype']!r} is declared, input {name!r} is {dtype}: {dtype} was used")
    spread, mean, std = said.get("range"), said.get("mean"), said.get("std")
    if dtype.startswith(("int", "uint")):
        if spread not in (None, (0.0, 255.0)) or mean is not None or std is not None:
            notes.append(f"input {name!r} holds whole numbers: pictures are fed as 0..255, without range, mean and std")
        spread = mean = std = None
    elif spread is None and (mean is not None or std is not None):
        if max(map(abs, (mean or ()) + (std or ()))) > 1:
            raise ModelError(
                f"{where}: expected `range` with mean {mean} and std {std}, got none, and they are not in units of 0..1. "
                "Write `range` ([0, 255] or what they belong to) into `input` of the model's hierviz.json."
            )
        spread = (0.0, 1.0)
        notes.append("mean and std are declared without range: pictures are scaled to 0..1 first")
    spec = InputSpec(name, dtype, shape, layout, "RGB", spread, mean, std, None if None in size else tuple(size))
    colour = said.get("colour")
    if colour == "GREY" and spec.channels != 1:
        notes.append(f"colour grey is declared, input {name!r} has {spec.channels} channels: RGB was used")
    if colour is None and spec.channels == 3 and not spec.why_no_pictures:
        notes.append("the order of the colour channels is not declared: RGB was assumed")
    if spec.channels == 1 and any(one is not None and len(one) == 3 for one in (mean, std)):
        raise ModelError(f"{where}: expected one mean and std for a grey input, got 3. Correct `input`.")
    colour = "BGR" if colour == "BGR" and spec.channels == 3 else "RGB"
    return InputSpec(name, dtype, shape, layout, colour, spread, mean, std, spec.size)


def _choose_output(where, outputs, width, parametrisation, notes):
    """Name of the one output that holds `width` scores a row."""
    scores = [one for one in outputs if one[1] in SCORE_TYPES or one[1].startswith("seq(map(")]
    fits = [one for one in scores if _width(one) == width] or [one for one in scores if _width(one) is None]
    if len(fits) > 1:
        order = SCORE_NAMES if parametrisation not in PROBABILITIES else (*SCORE_NAMES[2:], *SCORE_NAMES[:2])
        best = next((one for name in order for one in fits if one[0].casefold() == name), None)
        if best is not None:
            notes.append(f"outputs {listed([one[0] for one in fits])} all fit; {best[0]!r} was used")
            fits = [best]
    if len(fits) != 1:
        got = "several" if fits else "none"
        raise ModelError(
            f"{where}: expected one output of fractions with {width} scores a row (one per class name), got {got} among "
            f"{_outputs_words(outputs)}. Check the class names (--classes), or export the model with one output of scores."
        )
    return fits[0][0]


def _width(output):
    """Scores a row of an output; None when the graph does not say, 0 when it has no such axis."""
    _, kind, shape = output
    if kind.startswith("seq") or not shape:
        return None
    return shape[1] if len(shape) > 1 and all(axis == 1 for axis in shape[2:]) else 0


def _outputs_words(outputs):
    said = [f"{name!r} {kind} {_shape_words(shape)}" for name, kind, shape in outputs]
    return ", ".join(said[:8]) + (f" and {len(said) - 8} more" if len(said) > 8 else "")


def _shape_words(shape):
    return "[" + ", ".join("any" if axis is None else str(axis) for axis in shape) + "]"


def _pictures_words(inputs):
    if len(inputs) != 1:
        return f"not accepted: the model has {len(inputs)} inputs; pass an .npz with one array per input"
    why = inputs[0].why_no_pictures
    return f"not accepted: {why}" if why else "accepted"


def _padded(block, n_rows):
    """`block` with copies of its first row up to `n_rows`."""
    missing = n_rows - len(block)
    return block if not missing else np.concatenate([block, np.repeat(block[:1], missing, axis=0)])


def _truth_nodes(taxonomy, truth):
    """Truth given as names or numbers as node numbers, -1 where unknown."""
    if truth is None or isinstance(truth, NodeLists):
        return truth
    values = truth.tolist() if isinstance(truth, np.ndarray) else list(truth)
    if any(isinstance(one, str) for one in values):
        blank = (None, "", -1)
        unknown = [one for one in values if one not in blank and str(one) not in taxonomy.index]
        if unknown:
            raise PredictionsError(
                f"truth: expected nodes of the taxonomy, got {listed(dict.fromkeys(unknown))}."
                f"{near_miss(str(unknown[0]), taxonomy.names)} Correct these rows."
            )
        return np.array([-1 if one in blank else taxonomy.index[str(one)] for one in values], dtype=np.intp)
    return np.array([-1 if one is None else one for one in values], dtype=np.intp)
