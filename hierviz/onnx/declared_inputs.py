"""What the inputs of an ONNX model take: what its graph fixes, completed by what the model says about itself."""

from __future__ import annotations

from hierviz.errors import ModelError, listed
from hierviz.onnx.input_spec import InputSpec
from hierviz.onnx.session import shape_words

DTYPES = {
    "tensor(float)": "float32",
    "tensor(double)": "float64",
    "tensor(float16)": "float16",
    "tensor(string)": "str",
    "tensor(bool)": "bool",
    **{f"tensor({sign}int{bits})": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


def require_tensors(where, signatures):
    """Raise a ModelError unless there are inputs and all are tensors with a batch axis."""
    strange = [f"{name!r} ({kind})" for name, kind, shape in signatures if kind not in DTYPES or not shape]
    if strange or not signatures:
        got = ", ".join(strange[:5]) or "a model without inputs"
        raise ModelError(
            f"{where}: expected inputs that are tensors with a batch axis, got {got}, which is not possible yet. "
            "Export it with plain tensors of numbers or text."
        )


def find_inputs(where, signatures, said, notes):
    """What the inputs take.

    Parameters
    ----------
    where : str
        Name of the model's file.
    signatures : list of signatures
    said : dict
        By key of `metadata.INPUT_KEYS`; it counts when there is a single input.
    notes : list of str
        Grows by contradictions and assumptions.

    Returns
    -------
    tuple of InputSpec

    Raises
    ------
    ModelError
        If batch sizes differ, or what is said about the scaling is not enough.
    """
    single = len(signatures) == 1
    specs = tuple(_input_spec(where, one, said if single else {}, notes) for one in signatures)
    fixed = {spec.shape[0] for spec in specs} - {None}
    if len(fixed) > 1 or 0 in fixed:
        raise ModelError(
            f"{where}: expected one batch size for all inputs, got {listed(sorted(fixed))}. Export it again."
        )
    return specs


def pictures_words(specs):
    """Whether pictures are accepted, and why not."""
    if len(specs) != 1:
        return f"not accepted: the model has {len(specs)} inputs; pass an .npz with one array per input"
    why = specs[0].why_no_pictures
    return f"not accepted: {why}" if why else "accepted"


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
            notes.append(f"layout {layout} is declared, input {name!r} has shape {shape_words(shape)}: {seen} was used")
        layout = seen
    if layout is None:
        return InputSpec(name, dtype, shape)
    fixed = (shape[layout.index("H")], shape[layout.index("W")])
    size = said.get("size", fixed)
    if any(b not in (None, a) for a, b in zip(size, fixed, strict=True)):
        notes.append(
            f"size {list(size)} is declared, input {name!r} has shape {shape_words(shape)}: the shape was used"
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
