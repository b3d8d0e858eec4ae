"""Preparation of pictures for a model: usual ways to choose from, and a field for each step; fields of other questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from hierviz.app import state
from hierviz.onnx.description.input_keys import IMAGENET_MEAN, IMAGENET_STD, scaling_problem
from hierviz.onnx.description.open_question import Question
from hierviz.onnx.inputs.named_presets import NAMED
from hierviz.opening.options import LABELS

FITTING, RANGE = "preprocessing.resize", "preprocessing.range"
# A model does not declare how pictures were fitted: this is shown with the required questions, and is optional.
SHOWN = Question("preprocessing", "", (FITTING,), stops="")
_METHODS = ("bilinear", "bicubic", "lanczos", "nearest")
_SIDES = ("Height in pixels", "Width in pixels")
_SHORTER = "Shorter side in pixels"
MEMORY = "answers-widgets"
# What there is to choose from: value -> (label, caption).
SCALES = {
    "0,1": ("0 to 1", "each value divided by 255; what PyTorch's ToTensor does"),
    "imagenet": (
        "0 to 1, then standardised",
        "minus ImageNet's mean, divided by its standard deviation; usual for ResNets",
    ),
    "-1,1": ("−1 to 1", "usual for MobileNet and Inception of TensorFlow"),
    "0,255": ("0 to 255", "as in the picture file"),
    "other": ("Other numbers", "typed below"),
}
FITTINGS = {
    "stretch": ("Stretched to the size", "proportions change; Hugging Face's ViT, Keras"),
    "crop": ("Shorter side first, then the middle", "proportions stay, the edges are cut off; torchvision, timm, CLIP"),
    "borders": ("Whole, with borders", "proportions stay, nothing is cut off"),
    "cut": ("The middle, without resizing", "for pictures at the right scale already"),
}
LAYOUTS = {
    "NCHW": ("Channels first (NCHW)", "PyTorch, and most ONNX files"),
    "NHWC": ("Channels last (NHWC)", "TensorFlow and Keras"),
}
COLOURS = {
    "RGB": ("Red, green, blue", "nearly always"),
    "BGR": ("Blue, green, red", "models trained with OpenCV or Caffe"),
}
MISSING_CHOICES = (
    (
        "missing",
        "zero",
        "the other classes of the taxonomy have probability 0, and truths among them count as mistakes",
    ),
    ("only_known", "yes", "it is judged on its own classes, without samples of others"),
)


class Fields(NamedTuple):
    """How a question is asked.

    Attributes
    ----------
    draw : callable
        Takes source, model, question and key; gives the answer, or several as a dict by keyword, None while there is none.
    text : str
        Where the question has no text of its own.
    more : tuple of str
        Keywords that the answer may give besides the one that the question is about.
    """

    draw: Callable
    text: str = ""
    more: tuple[str, ...] = ()


def presets(source, model, asked):
    """A choice of usual preparations, which fills in the fields of all questions about pictures.

    Parameters
    ----------
    source : ModelSource
    model : Model
    asked : dict of key to Question
        Grows by the questions that a preset answers.
    """
    spec = model.inputs[0]

    def use():
        key = state.session["preset"]
        if key is not None:
            _fill(source, spec, NAMED[key].preprocessing(spec.size), asked)

    st.selectbox(
        "A usual preparation (fills in the fields below)",
        list(NAMED),
        index=None,
        format_func=lambda key: f"{NAMED[key].words(spec.size)} – {NAMED[key].where}",
        placeholder="Choose one, type the name of a network, or answer below",
        key="preset",
        on_change=use,
    )


def _fill(source, spec, said, asked):
    asked.setdefault(FITTING, SHOWN)
    if "preprocessing.size" in asked:
        fill(source, "preprocessing.size", dict(zip(_SIDES, said["size"], strict=True)))
    way = "borders" if "pad" in said else "crop" if "resize" in said else "stretch"
    values = {None: way, _SHORTER: said.get("resize"), LABELS["preprocessing.pad"]: said.get("pad", 0)}
    fill(source, FITTING, values | {LABELS["preprocessing.resample"]: said["resample"]})
    if spec.is_whole:
        return
    asked.setdefault(RANGE, Question("preprocessing", "", (RANGE,)))
    low, high = said["range"]
    mean, std = said.get("mean"), said.get("std")
    if mean is None:
        fill(source, RANGE, {None: f"{low:g},{high:g}"})
    elif tuple(mean) == IMAGENET_MEAN:
        fill(source, RANGE, {None: "imagenet"})
    else:
        typed = (low, high, *(", ".join(f"{value:.9g}" for value in values) for values in (mean, std)))
        fields = dict(zip(_scale_fields(), typed, strict=True))
        fill(source, RANGE, {None: "other", "used": typed, **fields})


def _scale_fields():
    return ("0 becomes", "255 becomes", LABELS["preprocessing.mean"], LABELS["preprocessing.std"])


def _choice(table):
    return lambda source, model, question, key: radio(key, name_of(source, key), table)


def _size(source, model, question, key):
    with st.container(horizontal=True):
        sides = [_number(source, key, side, None, 16384, 160, placeholder="224") for side in _SIDES]
    return None if None in sides else [int(side) for side in sides]


def _number(source, key, label, start, most, width, least=1, **widget):
    limits = {"min_value": least, "max_value": most, "width": width}
    return field(st.number_input, source, key, label, start, **limits, **widget)


def _fitting(source, model, question, key):
    size, shorter, grey = model.inputs[0].size, None, None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = st.selectbox(
            LABELS[key],
            list(FITTINGS),
            format_func=lambda option: f"{FITTINGS[option][0]} – {FITTINGS[option][1]}",
            placeholder="Stretched, or as the model declares",
            label_visibility="collapsed",
            width=560,
            **state.kept(MEMORY, name_of(source, key)),
        )
        if way is None:
            return None
        if way == "crop":
            shorter = _number(source, key, _SHORTER, size and int(max(size) / 0.875), 16384, 190)
        if way == "borders":
            grey = _number(source, key, LABELS["preprocessing.pad"], 0, 255, 190, least=0)
        label = LABELS["preprocessing.resample"]
        how = field(st.selectbox, source, key, label, _METHODS[0], options=_METHODS, width=160)
    said = {"preprocessing.resample": how}
    if way == "crop" and shorter is None:
        return None
    if way == "borders":
        return said | {"preprocessing.pad": int(0 if grey is None else grey)}
    if way == "stretch":
        return said | ({key: list(size)} if size else {})
    return said | {key: int(shorter) if way == "crop" else 0}


def _range(source, model, question, key):
    chosen = radio(key, name_of(source, key), SCALES)
    if chosen is None:
        return None
    if chosen == "imagenet":
        return {key: [0.0, 1.0], "preprocessing.mean": list(IMAGENET_MEAN), "preprocessing.std": list(IMAGENET_STD)}
    if chosen != "other":
        return {key: [float(bound) for bound in chosen.split(",")]}
    with st.container(horizontal=True):
        steps = {"step": 0.01, "format": "%.4g", "width": 130}
        bounds = [field(st.number_input, source, key, label, None, **steps) for label in _scale_fields()[:2]]
        hint = {"help": "One number, or one for each channel: 0.485, 0.456, 0.406", "width": 200}
        starts = zip(_scale_fields()[2:], ("0", "1"), strict=True)
        lists = [field(st.text_input, source, key, label, start, **hint) for label, start in starts]
    memory, used = state.memory(MEMORY), f"{name_of(source, key)}-used"
    # Taken together: two of them are an answer already, which would fold the fields away while the others are typed.
    if st.button("Use these numbers", type="primary", key="use-numbers"):
        memory[used] = (*bounds, *lists)
        if None in bounds:
            st.warning("Fill in all fields.", icon=":material/error:")
    low, high, *typed = memory.get(used, (None,) * 4)
    if None in (low, high):
        return None
    mean, std = (_numbers(line) for line in typed)
    n = model.inputs[0].channels
    problem = ""
    if any(values is None or len(values) not in (1, n) for values in (mean, std)):
        problem = f"expected 1 or {n} numbers as mean and as divisor, with commas between them"
    elif low >= high or min(std) <= 0:
        problem = "the second number must be above the first, and the divisor above 0"
    elif scaling := scaling_problem((low, high), mean, std):
        problem = f"expected {scaling}"
    if problem:
        st.warning(f"{problem[0].upper()}{problem[1:]}.", icon=":material/error:")
        return None
    return {key: [low, high], "preprocessing.mean": mean, "preprocessing.std": std}


def _numbers(line):
    """The numbers of a line, None where one is none."""
    try:
        return [float(part) for part in line.replace(",", " ").split()] or None
    except ValueError:
        return None


QUESTIONS = {
    "preprocessing.layout": Fields(
        _choice(LAYOUTS), "In which order does the model expect height, width and channels of a picture?"
    ),
    "preprocessing.size": Fields(_size, "Which picture size does the model expect, in pixels?"),
    FITTING: Fields(
        _fitting,
        "Pictures of another size are stretched by default.",
        ("preprocessing.resample", "preprocessing.pad"),
    ),
    RANGE: Fields(
        _range, "Which range of pixel values does the model expect?", ("preprocessing.mean", "preprocessing.std")
    ),
    "preprocessing.colour": Fields(_choice(COLOURS), "Which order of the colour channels does the model expect?"),
}


def name_of(source, key, taxonomy=None):
    """Key of a field's value, which is another one for each taxonomy that it is about."""
    return f"{source.path}-{key}" + (f"-{taxonomy.sha256}" if taxonomy else "")


def radio(key, name, table):
    """A choice of one of a table, value -> (label, caption)."""
    return st.radio(
        LABELS[key],
        list(table),
        captions=[caption for _, caption in table.values()],
        format_func=lambda value: table[value][0],
        label_visibility="collapsed",
        **state.kept(MEMORY, name),
    )


def field(draw, source, key, label, start, **widget):
    """A field of a question that has several, such as `st.number_input`."""
    return draw(label, **widget, **state.kept(MEMORY, f"{name_of(source, key)}-{label}", start))


def fill(source, key, values):
    """Give fields of a question other values: by label, or the choice of one under None."""
    memory = state.memory(MEMORY)
    for label, value in values.items():
        memory[name_of(source, key) + (f"-{label}" if label else "")] = value
