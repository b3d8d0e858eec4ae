"""What an ONNX model says about itself: title, node names, parametrisation, how to prepare its inputs.

Conventions
-----------
It stands in metadata called ``hierviz.*``, or in ``<model>.hierviz.json`` beside the model, with the same keys without
``hierviz.``: `KEYS`, and within ``input`` `INPUT_KEYS`. The metadata win; contradictions become notes.
"""

from __future__ import annotations

import json

from hierviz.errors import ModelError, listed, near_miss
from hierviz.onnx.file import companions
from hierviz.readers.sources import open_source

KEYS = ("format", "title", "parametrisation", "loss", "nodes", "taxonomy_sha256", "input", "training")
INPUT_KEYS = ("layout", "dtype", "range", "colour", "size", "mean", "std")
MOST_BESIDE_BYTES = 64 << 20


def declared(path, metadata, notes):
    """What a model says about itself.

    Parameters
    ----------
    path : Path
    metadata : dict of str to str
        Those in the model, all of them.
    notes : list of str
        Grows by what contradicts itself or is not known.

    Returns
    -------
    said, origin : dict
        Checked values, and who said them, by key of `KEYS`.

    Raises
    ------
    ModelError
        If something is no JSON or of another type.
    FileError
        If the file beside cannot be read.
    """
    own = {key.removeprefix("hierviz."): value for key, value in metadata.items() if key.startswith("hierviz.")}
    for key in ("nodes", "input", "training"):
        if key in own:
            try:
                own[key] = json.loads(own[key])
            except (ValueError, RecursionError) as error:
                raise ModelError(
                    f"{path.name}, metadata 'hierviz.{key}': expected JSON, got {_short(own[key])} ({error}). "
                    "Write it again."
                ) from None
    own = _checked(f"{path.name}, metadata", own, "hierviz.", notes)
    beside = next((one for one in companions(path) if one.name.endswith(".hierviz.json")), None)
    if beside is None:
        return own, dict.fromkeys(own, "the model's metadata")
    text = open_source(beside, "JSON").read_text(MOST_BESIDE_BYTES)
    try:
        other = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{beside.name}: expected JSON, got {error}. Correct or remove it.") from None
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
