"""What the inputs of an ONNX model take: what its graph fixes, completed by what the model says about itself."""

from dataclasses import replace

from hierviz.messages.errors import ModelError, listed
from hierviz.messages.parameters import Sentence
from hierviz.onnx.description.input_keys import geometry_problem, scaling_problem
from hierviz.onnx.inputs.input_spec import InputSpec
from hierviz.onnx.process.session import shape_words

DTYPES = {
    "tensor(float)": "float32",
    "tensor(double)": "float64",
    "tensor(float16)": "float16",
    "tensor(string)": "str",
    "tensor(bool)": "bool",
    **{f"tensor({sign}int{bits})": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
# Means nothing where ready arrays are fed.
COLOUR_ASSUMED = "the order of the colour channels is not declared: RGB was assumed"


def require_tensors(where, signatures):
    """Raise a ModelError unless there are inputs and all are tensors with a batch axis."""
    strange = [f"{name!r} ({kind})" for name, kind, shape in signatures if kind not in DTYPES or not shape]
    if strange or not signatures:
        got = ", ".join(strange[:5]) or "a model without inputs"
        raise ModelError(
            f"{where}: expected inputs that are tensors with a batch axis, got {got}, which is not supported. "
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
        By key of `input_keys.INPUT_KEYS`; it counts for the only input, else for the only one of four axes.
    notes : list of str
        Grows by contradictions and assumptions.

    Returns
    -------
    tuple of InputSpec

    Raises
    ------
    ModelError
        If batch sizes differ, or what is said about the scaling is not enough or does not belong together.
    """
    meant = signatures if len(signatures) == 1 else [signature for signature in signatures if len(signature[2]) == 4]
    meant = meant[0] if len(meant) == 1 else None
    specs = tuple(_input_spec(where, signature, said if signature is meant else {}, notes) for signature in signatures)
    fixed = {spec.shape[0] for spec in specs} - {None}
    if len(fixed) > 1 or 0 in fixed:
        raise ModelError(
            f"{where}: expected one batch size for all inputs, got {listed(sorted(fixed))}. Export it again."
        )
    return specs


def accepted_words(specs):
    """What files a model can be fed from."""
    if len(specs) > 1:
        # Which columns of a table belong to which of several matrices (token ids, say) is not known.
        is_table = all(len(spec.shape) == 1 or (len(spec.shape) == 2 and spec.shape[1] == 1) for spec in specs)
        arrays = "arrays by input name (.npz)"
        return f"a table with a column for every input, {arrays}" if is_table else arrays
    spec, arrays = specs[0], "arrays (.npy, .npz)"
    if spec.is_text:
        return f"texts (.txt), a table with a column `text`, {arrays}"
    if len(spec.shape) <= 2:
        return f"a table, {arrays}"
    if spec.why_never_pictures:
        return f"{arrays}; no pictures: {spec.why_never_pictures}"
    asked = " and ".join(f"{{preprocessing.{key}}}" for key, _ in spec.questions)
    return Sentence(f"pictures (after {asked}), {arrays}") if asked else f"pictures, {arrays}"


def layout_of(shape):
    """NHWC or NCHW as the lengths of four axes show it, None when both or neither could be."""
    small = {1, 3, 4}
    if len(shape) != 4 or (shape[1] in small) == (shape[3] in small):
        return None
    return "NCHW" if shape[1] in small else "NHWC"


def _input_spec(where, signature, said, notes):
    """The InputSpec of one input: what the graph fixes wins over what is declared."""
    name, kind, shape = signature
    dtype, shape = DTYPES[kind], tuple(shape)
    if len(shape) != 4:
        return InputSpec(name, dtype, shape, columns=said.get("columns"))
    layout, seen = said.get("layout"), layout_of(shape)
    if seen is not None and layout not in (None, seen):
        notes.append(f"layout {layout} is declared, input {name!r} has shape {shape_words(shape)}: {seen} was used")
    layout = seen or layout
    fixed = (None, None) if layout is None else (shape[layout.index("H")], shape[layout.index("W")])
    size, resize, pad = _size(where, name, shape, fixed, said, notes)
    if said.get("dtype") not in (None, dtype):
        notes.append(f"dtype {said['dtype']!r} is declared, input {name!r} is {dtype}: {dtype} was used")
    spread, mean, std = _scaling(where, name, dtype, said, notes)
    how = {"resample": said.get("resample", "bilinear"), "pad": pad, "rounding": said.get("rounding", "even")}
    spec = InputSpec(name, dtype, shape, layout, "RGB", spread, mean, std, size, resize, **how)
    colour = said.get("colour")
    if colour == "GREY" and spec.channels != 1:
        notes.append(f"colour grey is declared, input {name!r} has {spec.channels} channels: RGB was used")
    if colour is None and spec.channels == 3 and not spec.why_no_pictures:
        notes.append(COLOUR_ASSUMED)
    if spec.channels == 1 and any(values is not None and len(values) == 3 for values in (mean, std)):
        raise ModelError(f"{where}: expected one mean and std for a grey input, got 3. Correct `input`.")
    return replace(spec, colour="BGR") if colour == "BGR" and spec.channels == 3 else spec


def _size(where, name, shape, fixed, said, notes):
    """((height, width) or None, resize, pad) out of what the graph fixes and what is declared."""
    crop, resize, pad = said.get("crop"), said.get("resize"), said.get("pad")
    size = said.get("size", fixed if crop is None else crop)
    if crop is not None:
        problem = geometry_problem({"crop": crop, "size": size if None in fixed else fixed})
        if problem:
            raise ModelError(f"{where}: expected {problem}")
        resize = 0 if resize is None else resize
    if isinstance(resize, tuple) and "size" not in said and None in fixed:
        size, resize = resize, None
    if any(b not in (None, a) for a, b in zip(size, fixed, strict=True)):
        dropped = "" if resize is None else ", pictures are stretched to that shape"
        notes.append(
            f"size {list(size)} is declared, input {name!r} has shape {shape_words(shape)}: the shape was used{dropped}"
        )
        size, resize = tuple(b or a for a, b in zip(size, fixed, strict=True)), None
    if None in size:
        return None, resize, pad
    resize = None if resize == tuple(size) else resize
    least = (resize,) * 2 if isinstance(resize, int) else resize
    if least and any(length < wanted for length, wanted in zip(least, size, strict=True)) and resize != 0:
        notes.append(
            f"pictures are resized to {'x'.join(map(str, dict.fromkeys(least)))}, and {size[0]} x {size[1]} (height x width) "
            "are cut out: the missing borders are black"
        )
    return tuple(size), resize, pad


def _scaling(where, name, dtype, said, notes):
    """(range, mean, std) as far as they are known and mean something for the type."""
    spread, mean, std = said.get("range"), said.get("mean"), said.get("std")
    if dtype.startswith(("int", "uint")):
        if spread not in (None, (0.0, 255.0)) or mean is not None or std is not None:
            notes.append(f"input {name!r} holds whole numbers: pictures are fed as 0..255, without range, mean and std")
        return None, None, None
    if spread is None and (mean is not None or std is not None):
        if max(map(abs, (mean or ()) + (std or ()))) > 1:
            raise ModelError(
                f"{where}: expected `range` with mean {mean} and std {std}, got none, and they are not in units of 0..1. "
                "Pass {preprocessing.range=0,255} or the range that they belong to, or write `range` into `input` of "
                "the model's hierviz.json."
            )
        notes.append("mean and std are declared without range: pictures are scaled to 0..1 first")
        spread = (0.0, 1.0)
    problem = "" if spread is None else scaling_problem(spread, mean, std)
    if problem:
        raise ModelError(
            f"{where}: expected {problem}. Pass {{preprocessing.range}}, {{preprocessing.mean}} and {{preprocessing.std}} "
            "that belong together, such as a range of 0,1 with a mean of 0.5 or one of 0,255 with one of 127.5."
        )
    return spread, mean, std
