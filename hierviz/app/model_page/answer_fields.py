"""Fields for answers about a model, whose values are kept for the session; the words of the questions, and what they offer."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.opening.options import LABELS

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
TEXTS = {
    "preprocessing.layout": "In which order does the model expect height, width and channels of a picture?",
    "preprocessing.size": "Which picture size does the model expect, in pixels?",
    "preprocessing.resize": "Pictures of another size are stretched by default.",
    "preprocessing.range": "Which range of pixel values does the model expect?",
    "preprocessing.colour": "Which order of the colour channels does the model expect?",
    "missing": "Does the model know some of the classes only?",
    "classes": "Which class does each column belong to?",
    "scores": "What are the scores?",
}
ORDER = (
    *("classes", "missing", "outputs", "scores"),
    *("preprocessing.layout", "preprocessing.size", "preprocessing.resize", "preprocessing.range"),
)
# Keywords that one answer may give, where they are others than that of its question, or more.
KEYWORDS = {
    "scores": ("scores", "parametrisation"),
    "missing": ("missing", "only_known"),
    "classes": ("classes", "ignore", "sum_repeated"),
    "preprocessing.resize": ("preprocessing.resize", "preprocessing.resample", "preprocessing.pad"),
    "preprocessing.range": ("preprocessing.range", "preprocessing.mean", "preprocessing.std"),
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
