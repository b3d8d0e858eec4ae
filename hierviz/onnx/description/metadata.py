"""What an ONNX model says about itself: title, node names, parametrisation, how to prepare its inputs.

Conventions
-----------
It is in metadata called ``hierviz.*``, or in ``<model>.hierviz.json`` next to the model, with the same keys without
``hierviz.``: `KEYS`, and within ``input`` those of `input_keys`. A ``preprocessor_config.json`` next to it, else the
``pretrained_cfg`` of timm's ``config.json``, completes the latter. The caller wins over the metadata, they over the JSON;
contradictions become notes.
"""

import json

from hierviz.messages.errors import ModelError, listed, near_miss, shortened
from hierviz.onnx.description.file import declaration_beside, json_object
from hierviz.onnx.description.input_keys import INPUT_KEYS, checked_input, geometry_problem
from hierviz.onnx.description.preprocessor_config import FILE, load_preprocessor_config
from hierviz.onnx.description.timm_config import FILE as TIMM
from hierviz.onnx.description.timm_config import timm_preprocessing

KEYS = ("format", "title", "parametrisation", "loss", "nodes", "taxonomy_sha256", "input", "training")
# These only make sense together: they are taken from one place.
SCALING, GEOMETRY = ("range", "mean", "std"), ("size", "resize", "crop", "pad", "rounding")
# How a picture gets its size: whoever says one of them says all.
FITTING = ("resize", "crop", "pad", "rounding")
OWN, CALLER = "the model's metadata", "the user"
MOST_BESIDE_BYTES = 64 << 20


def declared(path, metadata, notes, preprocessing=None):
    """What a model says about itself.

    Parameters
    ----------
    path : Path
    metadata : dict of str to str
        Those in the model, all of them.
    notes : list of str
        Grows by what contradicts itself or is not known.
    preprocessing : dict, optional
        By key of `input_keys.INPUT_KEYS`; wins over all that is found.

    Returns
    -------
    said, origin : dict
        Checked values, and who said them, by key of `KEYS`. `origin` also has the parts of the input, as ``input.range``.

    Raises
    ------
    ModelError
        If something is no JSON or of another type.
    FileError
        If a file next to the model cannot be read.
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
    file = declaration_beside(path)
    beside = "" if file is None else file.name
    other = {} if file is None else _checked(beside, json_object(file, MOST_BESIDE_BYTES), "", notes)
    said, origin = _merged([(beside, other), (OWN, own)], notes, silent=("format", "training", "input"))
    layers = [(beside, other.get("input", {})), (OWN, own.get("input", {})), (CALLER, _asked(preprocessing))]
    config = path.with_name(FILE)
    if config.is_file():
        layers.insert(0, (FILE, _of_config(config, layers, notes)))
    elif of_timm := timm_preprocessing(path):
        wrong = _wrong(TIMM, lambda key: f", {key.removeprefix('input.')!r}")
        layers.insert(0, (TIMM, checked_input(of_timm, wrong, notes.append)))
    merged, from_whom = _merged(layers, notes)
    if merged:
        said["input"] = merged
        origin["input"] = origin.get("input", next(iter(from_whom.values())))
        origin |= {f"input.{key}": name for key, name in from_whom.items()}
    return said, origin


def _asked(preprocessing):
    """The caller's preprocessing, checked; an unknown key is an error here."""

    def unknown(words):
        raise ModelError(f"preprocessing: expected keys among {', '.join(INPUT_KEYS)}, got {words} Correct the key.")

    wrong = _wrong("preprocessing", lambda key: "" if key == "input" else f", {key.removeprefix('input.')!r}")
    said = {} if preprocessing is None else checked_input(preprocessing, wrong, unknown)
    problem = geometry_problem(said)
    if problem:
        raise ModelError(f"preprocessing: expected {problem}")
    return said


def _of_config(path, layers, notes):
    """The parts of a preprocessor_config.json that complete what the model says itself."""
    wrong = _wrong(path.name, lambda key: f", {key.removeprefix('input.')!r}")
    settings = checked_input(load_preprocessor_config(path, notes), wrong, notes.append)
    if any("layout" in layer for _, layer in layers):
        settings.pop("layout", None)  # what processors of transformers give by habit, not what they say of the model
    own = {key for name, layer in layers if name != CALLER for key in layer}
    for group in (SCALING, GEOMETRY):
        if own.intersection(group):
            left = [
                key for key in group if settings.pop(key, None) is not None and key not in own and key != "rounding"
            ]
            if left:
                notes.append(
                    f"{path.name}: {listed(left)} not used, because the model itself declares {listed(own & set(group))}"
                )
    return settings


def _merged(layers, notes, silent=()):
    """(what counts, who said it) by key; `layers` are (name, parts), the later ones win, of `silent` keys without a note."""
    merged, origin = {}, {}
    for name, parts in layers:
        if name == CALLER and any(key in parts for key in ("size", *FITTING)):
            for key in [key for key in FITTING if key in merged and key not in parts]:
                declared = _short(merged.pop(key))
                if key != "rounding":
                    notes.append(
                        f"{origin[key]} declares {key} {declared}: not used, because the user gave "
                        f"{'a size' if 'size' in parts else 'another preparation'}"
                    )
        for key, value in parts.items():
            if key in merged and merged[key] != value and key not in silent:
                used = {OWN: "the metadata were used", CALLER: "the user's value was used"}.get(
                    name, f"{name} was used"
                )
                notes.append(f"{origin[key]} declares {key} {_short(merged[key])}, {name} {_short(value)}: {used}")
            merged[key], origin[key] = value, name
    return merged, origin


def _checked(where, said, prefix, notes):
    """`said` without unknown keys, its values in their types; ModelError where one is of another kind."""
    wrong = _wrong(where, lambda key: f", {prefix + key!r}")
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
            isinstance(node, (str, int)) and not isinstance(node, bool) for node in nodes
        ):
            raise wrong("nodes", "a list of node names, one per output column", nodes)
        said["nodes"] = [str(node) for node in nodes]
    if "input" in said:

        def unknown_key(words):
            notes.append(f"{where}: unknown keys of the input were left out: {words}")

        said["input"] = checked_input(said["input"], wrong, unknown_key)
    return said


def _wrong(where, called):
    """wrong(key, expected, got) of `checked_input`; `called` gives what follows `where` for a key."""
    return lambda key, expected, got: ModelError(
        f"{where}{called(key)}: expected {expected}, got {_short(got)}. Correct it."
    )


def _short(value):
    return shortened(json.dumps(value, ensure_ascii=False, default=str))
