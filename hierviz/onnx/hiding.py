"""Samples with a part hidden, as a model takes them: patches of pictures, words and sentences of texts, columns of rows.

Conventions
-----------
The first row of every sample is the sample as it is; the others follow in the order of its parts. Pictures are changed as they
are fed: at the size and in the numbers of the model.

Functions and classes
---------------------
hiding_of, HiddenPictures, HiddenTexts, HiddenRows
"""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

from hierviz.diagnosis.hidden_parts import HiddenParts, part_of_picture
from hierviz.messages.errors import ModelError
from hierviz.onnx.inputs.table_inputs import column_names
from hierviz.onnx.perturbation import WIDEST_BLUR
from hierviz.taxonomy.checks import check_one_of

# Patches: one over the share of the side. They are half a patch apart.
SHARES = (4, 8)
FILLS = {"mean": "the mean colour of the picture", "blur": "a blurred copy of the picture"}
# Columns of a row, and rows from which a median is taken.
MOST_COLUMNS, MOST_ROWS = 20_000, 10_000
# What a tokenizer gives is no feature: its medians mean nothing.
TOKENS = frozenset({"input_ids", "attention_mask", "token_type_ids", "position_ids", "decoder_input_ids"})
_WORD, _SENTENCE = re.compile(r"\S+"), re.compile(r"\S.*?(?:[.!?]+[\"'”’)\]]*(?=\s|$)|$)", re.DOTALL)


def hiding_of(model, inputs, fill="mean"):
    """What hides parts of the samples of a model.

    Parameters
    ----------
    model : Model
    inputs : ModelInputs
    fill : {"mean", "blur"}
        What a patch of a picture is filled with.

    Returns
    -------
    HiddenPictures, HiddenTexts or HiddenRows

    Raises
    ------
    ModelError
        If samples of the model have no parts that are known here.
    """
    check_one_of("fill", fill, FILLS)
    specs, where = model.inputs, model.account["file"]
    if len(specs) == 1 and not specs[0].why_never_pictures:
        if specs[0].layout is None:
            raise ModelError(
                f"{where}: expected to know which axis holds the colours, to hide parts of pictures, got no layout. "
                "Pass {preprocessing.layout}."
            )
        return HiddenPictures(specs[0], inputs, fill)
    if len(specs) == 1 and specs[0].is_text:
        return HiddenTexts(specs[0], inputs)
    tokens = [spec.name for spec in specs if spec.name in TOKENS]
    of_any_length = [spec.name for spec in specs if spec.is_whole and len(spec.shape) == 2 and spec.shape[1] is None]
    deep = [f"{spec.name!r} with {len(spec.shape)} axes" for spec in specs if len(spec.shape) > 2]
    if tokens or of_any_length or deep:
        got = ", ".join(deep or [f"numbers of words in {name!r}" for name in tokens or of_any_length])
        first = "" if deep else "Export the model with its tokenizer, or "
        raise ModelError(
            f"{where}: expected pictures, texts or rows of features, whose parts can be hidden, got {got}. "
            f"{first}{'hide' if first else 'Hide'} parts in Python and run predict."
        )
    return HiddenRows(specs, inputs, where)


class HiddenPictures:
    """Patches of pictures, each filled with one colour or with a blurred copy."""

    def __init__(self, spec, inputs, fill):
        self._spec, self._inputs, self._fill = spec, inputs, fill
        self.note = f"hidden patches are filled with {FILLS[fill]}"

    def parts(self, row):
        """(HiddenParts, function of a range of rows that gives what the model is fed) of a sample."""
        spec = self._spec
        fed = self._inputs.feed((spec,), slice(row, row + 1))[spec.name]
        values = fed if spec.layout == "NHWC" else np.moveaxis(fed, 1, 3)
        filled = _blurred(values[0]) if self._fill == "blur" else values[0].mean(axis=(0, 1), dtype=np.float64)
        filled = np.rint(filled) if spec.is_whole else filled
        places, what = _patches(*values.shape[1:3])
        names = tuple(part_of_picture(*place, values.shape[1:3]) for place in places.tolist())
        parts = HiddenParts("picture", what, names, places, self._shown(fed[0], values[0]))

        def feed(rows):
            made = np.repeat(values, len(rows), axis=0)
            for number, one in enumerate(rows):
                if one:
                    top, left, bottom, right = places[one - 1].tolist()
                    patch = filled[top:bottom, left:right] if filled.ndim == 3 else filled
                    made[number, top:bottom, left:right] = patch
            made = made if spec.layout == "NHWC" else np.moveaxis(made, 3, 1)
            return {spec.name: np.ascontiguousarray(made)}

        return parts, feed

    def _shown(self, fed, values):
        """The picture as the model sees it; where its preparation is not known, from the lowest number to the highest."""
        if not self._spec.why_no_pictures:
            return self._spec.seen(fed)
        low, high = float(values.min()), float(values.max())
        grey = np.rint((values.astype(np.float64) - low) * (255 / ((high - low) or 1.0))).astype(np.uint8)
        grey = grey[..., ::-1] if self._spec.colour == "BGR" else grey
        return np.ascontiguousarray(np.broadcast_to(grey, (*grey.shape[:2], 3)))


class HiddenTexts:
    """Words, and of several sentences each, left out of texts."""

    note = "words and sentences are left out one at a time"

    def __init__(self, spec, inputs):
        self._spec, self._inputs = spec, inputs

    def parts(self, row):
        """As of HiddenPictures."""
        spec = self._spec
        text = str(np.asarray(self._inputs.arrays[spec.name][row]).ravel()[0])
        words = [found.span() for found in _WORD.finditer(text)]
        sentences = [found.span() for found in _SENTENCE.finditer(text)]
        sentences = sentences if len(sentences) > 1 else []
        if len(words) < 2:
            raise ModelError(
                f"row {row}: expected a text of at least two words, to leave one out, got {len(words)}. Take another one."
            )
        places = np.array([*words, *sentences], dtype=np.intp)
        what = np.repeat(["word", "sentence"], [len(words), len(sentences)])
        parts = HiddenParts("text", what, tuple(text[start:end] for start, end in places.tolist()), places, text)

        def feed(rows):
            made = [text if not one else _without(text, *places[one - 1].tolist()) for one in rows]
            shape = [len(made), *[1] * (len(spec.shape) - 1)]
            return {spec.name: spec.cast(np.array(made, dtype=object).reshape(shape))}

        return parts, feed


class HiddenRows:
    """Columns of rows of features, each set to its median over all inputs; of texts to the most common value."""

    note = "columns are set to their median over the inputs, columns of text and of true and false to their most common value"

    def __init__(self, specs, inputs, where):
        self._specs, self._inputs = specs, inputs
        self._widths = [int(np.prod(inputs.arrays[spec.name].shape[1:], dtype=int)) for spec in specs]
        if sum(self._widths) > MOST_COLUMNS:
            raise ModelError(
                f"{where}: expected at most {MOST_COLUMNS:,} columns, to set one after the other, got {sum(self._widths):,}. "
                "Take a model of fewer features."
            )

    @cached_property
    def _middle(self):
        """Name, kind and typical value of each column: list of (input, place in its row, name, kind, value)."""
        found = []
        for spec, width in zip(self._specs, self._widths, strict=True):
            array = self._inputs.arrays[spec.name]
            rows = np.unique(np.linspace(0, len(array) - 1, min(len(array), MOST_ROWS)).astype(int))
            values = np.asarray(array[rows] if len(rows) < len(array) else array).reshape(len(rows), width)
            names = [spec.name]
            if width != 1:
                names = (
                    spec.columns or column_names(self._inputs, spec) or [f"{spec.name} {k + 1}" for k in range(width)]
                )
            for place, (name, column) in enumerate(zip(names, values.T, strict=True)):
                found.append((spec, place, name, *_typical(column)))
        return found

    def parts(self, row):
        """As of HiddenPictures."""
        fed = self._inputs.feed(self._specs, slice(row, row + 1))
        flat = {name: array.reshape(1, -1) for name, array in fed.items()}
        now = tuple(_cell(flat[spec.name][0, place]) for spec, place, *_ in self._middle)
        names = tuple(name for _, _, name, *_ in self._middle)
        what = np.array([kind for *_, kind, _ in self._middle])
        instead = tuple(_cell(value) for *_, value in self._middle)
        parts = HiddenParts("row", what, names, np.arange(len(names))[:, None], now, instead)

        def feed(rows):
            made = {name: np.repeat(array, len(rows), axis=0) for name, array in flat.items()}
            for number, one in enumerate(rows):
                if one:
                    spec, place, _, _, value = self._middle[one - 1]
                    made[spec.name][number, place] = value
            return {name: array.reshape(len(rows), *fed[name].shape[1:]) for name, array in made.items()}

        return parts, feed


def _patches(height, width):
    """Places of all patches, shape (274, 4), and their sizes; of very small pictures some are equal."""
    places, what = [], []
    for share in SHARES:
        steps = np.arange(2 * share - 1)
        (top, bottom), (left, right) = (_ends(steps, side, share) for side in (height, width))
        down, across = np.meshgrid(steps, steps, indexing="ij")
        places.append(np.stack([top[down], left[across], bottom[down], right[across]], axis=-1).reshape(-1, 4))
        what += [f"1/{share}"] * down.size
    return np.concatenate(places), np.array(what)


def _ends(steps, side, share):
    start = np.minimum(np.rint(steps * side / (2 * share)).astype(np.intp), side - 1)
    return start, np.maximum(np.rint((steps + 2) * side / (2 * share)).astype(np.intp), start + 1)


def _blurred(values):
    """A picture of any numbers with a Gaussian blur as wide as the widest of `perturbation.blurred`."""
    sigma = WIDEST_BLUR * min(values.shape[:2])
    reach = max(1, round(3 * sigma))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(sigma, 1e-6)) ** 2)
    weights /= weights.sum()
    made = values.astype(np.float64)
    for axis in (0, 1):
        widths = [(reach, reach) if axis == one else (0, 0) for one in range(3)]
        padded = np.pad(made, widths, mode="edge")
        made = np.lib.stride_tricks.sliding_window_view(padded, len(weights), axis=axis) @ weights
    return made


def _without(text, start, end):
    """A text without some letters and the space that followed them."""
    after = text[end:]
    return text[:start] + (after.lstrip() if not start or text[start - 1].isspace() else after)


def _typical(column):
    """(kind, value) that stands for a column: the median of numbers, the lower of two whole ones; else the most common one."""
    if column.dtype.kind == "f":
        known = column[np.isfinite(column)]
        return "column", np.median(known) if len(known) else column[0]
    if column.dtype.kind in "iu":
        return "column", np.sort(column)[(len(column) - 1) // 2]
    values, counts = np.unique(column.astype(bool if column.dtype.kind == "b" else str), return_counts=True)
    return "category", values[counts.argmax()]


def _cell(value):
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)
