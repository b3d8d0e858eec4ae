"""Memory that preparing samples for a model takes in this process, told before it is asked for.

Preparing counts against the memory limit of the model: a model, or a file beside it, may declare pictures of any size.
"""

from __future__ import annotations

import math

import numpy as np

from hierviz.messages.errors import FileError, ModelError
from hierviz.onnx.description.picture_fitting import resized

# So much is prepared at once, one sample at least: what the model runs at once may be far more.
BLOCK_BYTES = 64 << 20
# Pillow keeps a pixel of RGB in four bytes; the array of it, and one stacked with others, take three each.
_PILLOW_BYTES, _ARRAY_BYTES = 4, 3
_GREY_BYTES = 20  # colours weighted in whole numbers of four bytes
_TEXT_BYTES = 64


def array_bytes(shape, dtype):
    """Bytes of an array as the model receives it; axes of any length (None) count as 1, a text as `_TEXT_BYTES`."""
    item = _TEXT_BYTES if dtype == "str" else np.dtype(dtype).itemsize
    return math.prod(axis for axis in shape if axis is not None) * item


def picture_bytes(spec):
    """Bytes that preparing one picture for an InputSpec takes."""
    # What is written first, and the copy in another type.
    first = spec.dtype if spec.is_whole or spec.dtype == "float64" else "float32"
    made = sum(array_bytes((spec.channels,), kind) for kind in {first, spec.dtype})
    grey = _GREY_BYTES if spec.channels == 1 else 0
    return spec.size[0] * spec.size[1] * (_PILLOW_BYTES + 2 * _ARRAY_BYTES + made + grey)


def require_room_for_picture(spec):
    """Raise a ModelError when preparing one picture of the size that an InputSpec takes needs more than it may."""
    if spec.size is not None:
        height, width = spec.size
        _require(spec, picture_bytes(spec), f"a picture of {width} x {height} pixels (width x height)")


def require_room_for_row(spec, shape):
    """Raise a ModelError when one row of an array of this shape needs more than an InputSpec may."""
    _require(spec, array_bytes(shape[1:], spec.dtype), f"one of {' x '.join(map(str, shape[1:]))} values")


def _require(spec, n_bytes, what):
    if n_bytes > spec.most_bytes:
        raise ModelError(
            f"input {spec.name!r}: expected samples that can be prepared in {spec.most_bytes >> 20} MB of memory, the limit of "
            f"the model, got {what}, which takes {-(-n_bytes >> 20)} MB. Raise the limit with {{limits.memory_mb}}, or "
            "take a model of smaller inputs."
        )


def require_room_to_resize(spec, width, height, where):
    """Raise a FileError when a picture, being far longer than wide, becomes too large before its middle is cut out."""
    target = resized(height, width, spec.size, spec.resize)
    if target[0] * target[1] * _PILLOW_BYTES > spec.most_bytes:
        raise FileError(
            f"{where}: expected a picture that can be resized in {spec.most_bytes >> 20} MB of memory, got {width} x {height} "
            f"pixels, which become {target[1]} x {target[0]}. Cut it, or leave it out."
        )
