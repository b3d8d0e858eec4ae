"""Pictures of any size fitted to the size that a model takes, a preview of what it is fed, and the memory that takes.

Conventions
-----------
Pictures are uint8, RGB, (height, width, 3). Sizes are (height, width) in pixels. Preparing counts against the memory limit of
the model, and is checked before memory is allocated: a model, or a file next to it, may declare pictures of any size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hierviz.messages.errors import FileError, ModelError
from hierviz.messages.notebook_html import Short

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


# Numbers that Pillow and preprocessor_config.json use for them, from 0.
RESAMPLING = ("nearest", "lanczos", "bilinear", "bicubic", "box", "hamming")
# Where the middle begins when it is half a pixel off: at the even one (torchvision), or always the lower one (transformers).
ROUNDINGS = ("even", "down")


@dataclass(frozen=True, eq=False)
class Preview(Short):
    """One picture as a model is fed it.

    Parameters
    ----------
    picture : ndarray of uint8, shape (height, width, 3)
        What is left of the picture, in RGB: cut, resized, grey where the model sees grey; scaling undone for the eye.
    low, high, mean : float
        Of the numbers fed.
    dtype : str
    shape : tuple of int
        Of the numbers fed, the batch axis first.
    """

    picture: np.ndarray
    low: float
    high: float
    mean: float
    dtype: str
    shape: tuple

    @property
    def words(self):
        """The numbers as one sentence."""
        shape = " x ".join(map(str, self.shape))
        return f"{shape} numbers of type {self.dtype}, from {self.low:.4g} to {self.high:.4g}, mean {self.mean:.4g}"


def fitted(image, size, resize=None, resample="bilinear", pad=None, rounding="even"):
    """A picture at the size that a model takes.

    Parameters
    ----------
    image : PIL.Image.Image (RGB), or ndarray of uint8, shape (height, width, 3)
    size : (height, width)
    resize : int or (height, width), optional
        Size before `size` is cut from its middle, missing borders black: a pair stretches the picture to it, a number
        brings the shorter side to that many pixels with the proportions kept, 0 leaves the picture as it is. Stretched
        to `size` itself when absent.
    resample : str
        One of `RESAMPLING`; all but nearest average when a picture shrinks.
    pad : int, optional
        Grey level, 0 to 255, of borders: the whole picture keeps its proportions inside `size` (`PIL.ImageOps.pad`). Not
        with `resize`.
    rounding : str
        One of `ROUNDINGS`.

    Returns
    -------
    ndarray of uint8, shape (*size, 3)

    Notes
    -----
    The longer side is cut down to a whole number, as torchvision and transformers do. The middle of torchvision's CenterCrop
    begins at round((length - wanted) / 2), half a pixel going to the even number, and a picture that is too small gets
    floor((wanted - length) / 2) pixels before it; that of transformers begins at floor((length - wanted) / 2) in both cases.
    """
    from PIL import Image, ImageOps

    image = image if isinstance(image, Image.Image) else Image.fromarray(np.ascontiguousarray(image))
    if pad is not None:
        image = ImageOps.pad(image, (size[1], size[0]), RESAMPLING.index(resample), (pad, pad, pad))
        return np.array(image, dtype=np.uint8)
    width, height = image.size
    target = resized(height, width, size, resize)
    if target != (height, width):
        image = image.resize((target[1], target[0]), RESAMPLING.index(resample))
    if target != tuple(size):
        top, left = (_start(length, wanted, rounding) for length, wanted in zip(target, size, strict=True))
        image = image.crop((left, top, left + size[1], top + size[0]))
    return np.array(image, dtype=np.uint8)


def _start(length, wanted, rounding):
    """First pixel of the middle; negative where borders are missing."""
    if rounding == "down":
        return (length - wanted) // 2
    return round((length - wanted) / 2) if length >= wanted else -((wanted - length) // 2)


def resized(height, width, size, resize=None):
    """(height, width) that a picture is resized to before the middle is cut out; see `fitted`."""
    if resize is None:
        return tuple(size)
    if resize == 0:
        return (height, width)
    if isinstance(resize, int):
        short = min(height, width)
        return tuple(resize if side == short else int(resize * side / short) for side in (height, width))
    return tuple(resize)


def fitting_words(size, resize, resample, pad=None):
    """What `fitted` does, in words."""
    wanted = f"{size[1]} x {size[0]} (width x height)"
    how = "" if resample == "bilinear" else f" ({resample})"
    if pad is not None:
        return f"whole pictures padded to {wanted}{how} with borders of grey level {pad}"
    if resize is None:
        return f"pictures stretched to {wanted}{how}"
    first = "pictures unchanged"
    if resize != 0:
        to = f"{resize} on the shorter side" if isinstance(resize, int) else f"{resize[1]} x {resize[0]}"
        first = f"pictures resized to {to}{how}"
    return f"{first}, then a centre crop of {wanted}"
