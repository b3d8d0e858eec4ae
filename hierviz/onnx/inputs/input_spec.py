"""What one input of a model takes, and how pictures and arrays become exactly that.

Conventions
-----------
Pictures are uint8, RGB. For a model they are brought to its size (see `picture_fitting`) and into its channel order, mapped
linearly from 0..255 to its `range`, then normalised by `mean` and `std` (in the model's channel order, in units of the
range), then laid out as NHWC or NCHW. The memory that takes is checked before it is allocated. Arrays of uint8 that look like
pictures are treated the same way; all other arrays are fed as they are, after a cast within their kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hierviz.messages.errors import ModelError, listed
from hierviz.onnx.description import picture_fitting
from hierviz.onnx.process.isolation import Limits
from hierviz.readers.stored_array import StoredArray

_WHOLE = ("uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")  # what can hold 0..255
_FRACTIONS = ("float16", "float32", "float64")
_PREVIEW_VALUES = 1 << 20
# What must be said before pictures can be fed, by key of the preprocessing.
_ASKED = {
    "layout": "which axis holds the colour channels: NHWC (the last) or NCHW (the second)",
    "size": "the height and width of a picture in pixels",
    "range": "how to scale 0..255: what 0 and 255 become, such as 0,1 or -1,1 or 0,255",
}


@dataclass(frozen=True)
class InputSpec:
    """What one input of a model takes.

    Parameters
    ----------
    name : str
    dtype : str
        numpy's name of the type, ``"str"`` for text.
    shape : tuple of int or None
        None where any length will do; the first axis is the batch.
    layout : {"NHWC", "NCHW"}, optional
        Present when the input takes pictures.
    colour : {"RGB", "BGR"}
    range : (low, high), optional
        What 0 and 255 become; absent when not declared.
    mean, std : tuple of float, optional
        One value, or one per channel.
    size : (height, width), optional
    resize : int or (height, width), optional
        Size before `size` is cut from the middle; see `picture_fitting.fitted`.
    resample : str
        One of `picture_fitting.RESAMPLING`.
    pad : int, optional
        Grey level of the borders of whole pictures; instead of `resize`.
    rounding : str
        One of `picture_fitting.ROUNDINGS`.
    columns : tuple of str, optional
        Columns of a table that make up a row of the input, in this order.
    most_bytes : int
        Memory that preparing one sample may take, that of the model's own process.
    """

    name: str
    dtype: str
    shape: tuple
    layout: str | None = None
    colour: str = "RGB"
    range: tuple | None = None
    mean: tuple | None = None
    std: tuple | None = None
    size: tuple | None = None
    resize: int | tuple | None = None
    resample: str = "bilinear"
    pad: int | None = None
    rounding: str = "even"
    columns: tuple | None = None
    most_bytes: int = field(default=Limits().memory(0) << 20, repr=False, compare=False)

    @property
    def fed_bytes(self):
        """Bytes of one sample as it is fed, as far as its size is known."""
        if self.layout is not None and self.size is not None:
            return picture_fitting.array_bytes((self.channels, *self.size), self.dtype)
        return picture_fitting.array_bytes(self.shape[1:], self.dtype)

    @property
    def is_whole(self):
        """True for inputs of whole numbers."""
        return self.dtype.startswith(("uint", "int"))

    @property
    def is_text(self):
        """True for an input of one text a sample."""
        return self.dtype == "str" and all(axis in (1, None) for axis in self.shape[1:])

    @property
    def channels(self):
        """Number of channels of a picture input."""
        given = None if self.layout is None else self.shape[self.layout.index("C")]
        return 3 if given is None else given

    @property
    def why_never_pictures(self):
        """Why no answer could make this an input of pictures, in words for an error; an empty text when one could."""
        if len(self.shape) != 4:
            return f"an input with {len(self.shape)} axes, which takes no pictures"
        if self.layout is None and all(self.shape[axis] not in (1, 3, None) for axis in (1, 3)):
            return f"an input with {self.shape[1]} or {self.shape[3]} channels, where pictures have 1 or 3"
        if self.channels not in (1, 3):
            return f"an input with {self.channels} channels, where pictures have 1 or 3"
        if self.is_whole and self.dtype not in _WHOLE:
            return f"an input of type {self.dtype}, which cannot hold 0..255"
        if not self.is_whole and self.dtype not in _FRACTIONS:
            return f"an input of type {self.dtype}"
        return ""

    @property
    def questions(self):
        """What must be said before pictures can be fed: tuple of (key of the preprocessing, sentence)."""
        if self.why_never_pictures:
            return ()
        known = {"range"} if self.is_whole else set()
        return tuple((key, words) for key, words in _ASKED.items() if key not in known and getattr(self, key) is None)

    @property
    def why_no_pictures(self):
        """Why pictures cannot be fed, in words for an error; an empty text when they can."""
        never = self.why_never_pictures
        if never or not self.questions:
            return never
        keys = [key for key, _ in self.questions]
        answers = " ".join(f"{{preprocessing.{key}}}" for key in keys)
        written = ", ".join(f"`{key}`" for key in keys)
        said = "; ".join(sentence for _, sentence in self.questions)
        return (
            f"an input whose preprocessing is not known: {said}. Pass {answers}, "
            f"or write {written} under `input` into the model's hierviz.json"
        )

    @property
    def words(self):
        """The whole preprocessing of pictures as one sentence."""
        if self.why_no_pictures:
            return "arrays are fed to the model unchanged"
        steps = [picture_fitting.fitting_words(self.size, self.resize, self.resample, self.pad)]
        steps.append("turned to grey" if self.channels == 1 else self.colour)
        if self.is_whole:
            steps.append("values 0 to 255 unchanged")
        else:
            steps.append(f"values 0..255 mapped to {self.range[0]:g}..{self.range[1]:g}")
            if self.mean is not None:
                steps.append(f"minus mean {_numbers(self.mean)}")
            if self.std is not None:
                steps.append(f"divided by std {_numbers(self.std)}")
        return ", ".join([*steps, f"axes {self.layout}", self.dtype])

    def fitted(self, image, where="picture"):
        """A picture at the input's size; see `picture_fitting.fitted`.

        Raises
        ------
        ModelError
            If any picture takes more memory than `most_bytes`.
        FileError
            If this one does, being far longer than wide; starts with `where`.
        """
        picture_fitting.require_room_for_picture(self)
        width, height = image.shape[1::-1] if isinstance(image, np.ndarray) else image.size
        picture_fitting.require_room_to_resize(self, width, height, where)
        return picture_fitting.fitted(image, self.size, self.resize, self.resample, self.pad, self.rounding)

    def from_pictures(self, pictures):
        """Numbers to feed for pictures.

        Parameters
        ----------
        pictures : ndarray of uint8, shape (n, height, width, 3), RGB

        Returns
        -------
        ndarray of `dtype`, shape (n, height, width, channels) or (n, channels, height, width)
        """
        picture_fitting.require_room_for_picture(self)
        values = pictures
        if self.channels == 1:  # the weights of Pillow's "L"
            weighted = values.astype(np.uint32) @ np.array([19595, 38470, 7471], dtype=np.uint32)
            values = ((weighted + 0x8000) >> 16).astype(np.uint8)[..., None]
        elif self.colour == "BGR":
            values = values[..., ::-1]
        if self.is_whole:
            laid_out = values if self.layout == "NHWC" else values.transpose(0, 3, 1, 2)
            return np.ascontiguousarray(laid_out, dtype=self.dtype)
        kind = np.float64 if self.dtype == "float64" else np.float32
        factor, offset = (numbers.astype(kind) for numbers in self._scaling)
        shape = values.shape if self.layout == "NHWC" else tuple(values.shape[axis] for axis in (0, 3, 1, 2))
        made = np.empty(shape, dtype=kind)
        # Written where it belongs, without copies: pictures are most of the memory and of the time.
        seen = made if self.layout == "NHWC" else made.transpose(0, 2, 3, 1)
        np.multiply(values, factor, out=seen)
        seen += offset
        return made.astype(self.dtype, copy=False)

    def preview(self, picture):
        """What the model is fed for one picture.

        Parameters
        ----------
        picture : PIL.Image.Image (RGB), or ndarray of uint8, shape (height, width, 3)
            Of any size.

        Returns
        -------
        Preview

        Raises
        ------
        ModelError
            If the input takes no pictures or something must be said first.
        """
        if self.why_no_pictures:
            raise ModelError(f"input {self.name!r}: expected one that takes pictures, got {self.why_no_pictures}.")
        fed = self.from_pictures(self.fitted(picture)[None])
        mean = float(fed.mean(dtype=np.float64))
        return picture_fitting.Preview(
            self.seen(fed[0]), float(fed.min()), float(fed.max()), mean, self.dtype, fed.shape
        )

    def seen(self, fed):
        """The picture that numbers fed to the model mean, with the preparation undone.

        Parameters
        ----------
        fed : ndarray, shape (height, width, channels) or (channels, height, width)
            As the layout says.

        Returns
        -------
        ndarray of uint8, shape (height, width, 3), RGB
        """
        stored = fed if self.layout == "NHWC" else fed.transpose(1, 2, 0)
        seen = np.empty((*stored.shape[:2], 3), dtype=np.uint8)
        factor, offset = (1.0, 0.0) if self.is_whole else self._scaling
        # Some lines at a time: in float64 a whole picture is several times as large.
        step = max(1, _PREVIEW_VALUES // stored.shape[1])
        for top in range(0, len(stored), step):
            undone = (stored[top : top + step].astype(np.float64) - offset) / factor
            undone = np.clip(np.rint(undone), 0, 255).astype(np.uint8)
            seen[top : top + step] = undone[..., ::-1] if self.colour == "BGR" else undone
        return seen

    @property
    def _scaling(self):
        """(factor, offset) of each channel: number fed = factor * value + offset."""
        low, high = self.range
        mean, std = np.array(self.mean or (0.0,)), np.array(self.std or (1.0,))
        return (high - low) / 255 / std, (low - mean) / std

    def as_pictures(self, array):
        """`array` as (n, height, width, 3) when it is uint8 pictures for this input, else None."""
        if self.why_no_pictures or array.dtype != np.uint8 or array.ndim != 4 or self.channels != 3:
            return None
        if array.shape[3] == 3:
            return array
        return np.moveaxis(array, 1, 3) if array.shape[1] == 3 else None

    def check(self, array, where):
        """`array` with missing axes of length 1 added, or a ModelError that says what does not fit."""
        array = array if isinstance(array, (np.ndarray, StoredArray)) else np.asarray(array)
        fixed = self.shape[1:]
        if array.ndim == len(fixed) and array.ndim and fixed[-1] in (1, None):
            array = array[..., None]
        elif array.ndim == len(self.shape) + 1 and array.shape[-1] == 1:
            array = array[..., 0]
        wanted = " x ".join(["rows", *("any" if length is None else str(length) for length in fixed)])
        shape = array.shape[1:]
        # Of an array in a file nothing is read: shape and type suffice.
        pictures = self.as_pictures(np.broadcast_to(np.zeros((), array.dtype), (1, *shape)))
        if pictures is not None:
            shape, fixed = pictures.shape[1:3], self.size
        if array.ndim != len(self.shape) or not _fits(shape, fixed):
            axes = {"NCHW": (0, 3, 1, 2), "NHWC": (0, 2, 3, 1)}.get(self.layout)
            advice = "Resize the array, or put its axes in this order with transpose (not reshape)."
            if axes and array.ndim == 4 and _fits([array.shape[axis] for axis in axes[1:]], self.shape[1:]):
                advice = f"The axes are in another order: pass array.transpose{axes}."
            elif array.ndim == len(self.shape) - 1 and _fits(array.shape, self.shape[1:]):
                advice = "For a single sample pass array[None]."
            raise ModelError(
                f"{where}: expected {wanted} for input {self.name!r}, got {' x '.join(map(str, array.shape))}. {advice}"
            )
        if pictures is None:
            # Text is in memory anyway, and an error names the row of a missing one; numbers may lie on disk.
            is_small = picture_fitting.array_bytes(array.shape[1:], array.dtype) <= picture_fitting.BLOCK_BYTES
            self.cast(np.asarray(array if self.dtype == "str" else array[: int(is_small)]), where)
        return array

    def cast(self, values, where="inputs"):
        """`values` as `dtype`; ModelError unless that is a cast within whole numbers, fractions or text."""
        if values.dtype == self.dtype:
            return values
        have, want = values.dtype.kind, np.dtype(self.dtype).kind
        if have == "f" and want == "f":
            with np.errstate(over="ignore"):
                made = values.astype(self.dtype)
            if np.dtype(self.dtype).itemsize < values.dtype.itemsize:
                wrong = values[np.isinf(made) & np.isfinite(values)]
                if wrong.size:
                    most = np.finfo(self.dtype).max
                    raise ModelError(
                        f"{where}: expected {self.dtype} values for input {self.name!r} (up to {most:g}), "
                        f"got {listed(wrong.ravel().tolist())}. Check the units of the array."
                    )
            return made
        if have in "iu" and want in "iu":
            self.require_range(values, where)
            return values.astype(self.dtype)
        if want == "U" and have in "UTO":
            # One of numpy's own strings is always text; an object may be None or nan.
            if have != "U":
                self._require_text(values, where)
            return values.astype(object)
        more = f"Convert it with array.astype({self.dtype!r})."
        if values.dtype == np.uint8 and want == "f":
            more = (
                "For pictures, declare how to scale 0..255: pass {{preprocessing.range}} or write `input` with "
                f"`range` into the model's hierviz.json; for ready-made numbers use array.astype({self.dtype!r})."
            )
        raise ModelError(f"{where}: expected {self.dtype} for input {self.name!r}, got {values.dtype}. {more}")

    def require_range(self, values, where):
        """Raise a ModelError where whole numbers are too small or too large for the type."""
        limits = np.iinfo(self.dtype)
        wrong = values[(values < limits.min) | (values > limits.max)] if values.size else values
        if wrong.size:
            raise ModelError(
                f"{where}: expected {self.dtype} values for input {self.name!r} ({limits.min} to {limits.max}), "
                f"got {listed(wrong.ravel().tolist())}. Check the values."
            )

    def _require_text(self, values, where):
        missing = [(row, value) for row, value in enumerate(values.ravel().tolist()) if not isinstance(value, str)]
        if missing:
            row = missing[0][0] // max(1, values.size // len(values))
            raise ModelError(
                f"{where}, row {row}: expected text for input {self.name!r}, got {listed([value for _, value in missing])}. "
                "Fill missing values."
            )


def _fits(shape, fixed):
    """True when every axis has its fixed length, None being any."""
    return all(b is None or a == b for a, b in zip(shape, fixed, strict=True))


def _numbers(values):
    return "[" + ", ".join(f"{value:g}" for value in values) + "]"
