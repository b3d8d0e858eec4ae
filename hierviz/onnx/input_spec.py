"""What one input of a model takes, and how pictures and arrays become exactly that.

Conventions
-----------
Pictures are uint8, RGB. For a model they are stretched to its size, brought into its channel order, mapped linearly from
0..255 to its `range`, then normalised by `mean` and `std` (in the model's channel order, in units of the range), then laid
out as NHWC or NCHW. Arrays of uint8 that look like pictures are treated the same way; all other arrays are fed as they
are, after a cast within their kind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.errors import ModelError, listed


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
        What 0 and 255 become; absent when nobody said.
    mean, std : tuple of float, optional
        One value, or one per channel.
    size : (height, width), optional
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

    @property
    def is_whole(self):
        """True for inputs of whole numbers."""
        return self.dtype.startswith(("uint", "int"))

    @property
    def channels(self):
        """Number of channels of a picture input."""
        given = None if self.layout is None else self.shape[self.layout.index("C")]
        return 3 if given is None else given

    @property
    def why_no_pictures(self):
        """Why pictures cannot be fed, in words for an error; an empty text when they can."""
        if len(self.shape) != 4:
            return f"an input of {len(self.shape)} axes, which takes no pictures"
        if self.layout is None:
            return "an input whose layout nobody said. Write `layout` (NHWC or NCHW) into its hierviz.json"
        if self.channels not in (1, 3):
            return f"an input of {self.channels} channels, where pictures have 1 or 3"
        if self.size is None:
            return "an input without a picture size. Write `size` ([height, width]) into its hierviz.json"
        if self.is_whole and self.dtype not in ("uint8", "int16", "uint16", "int32", "int64", "uint32", "uint64"):
            return f"an input of type {self.dtype}, which cannot hold 0..255"
        if not self.is_whole and self.dtype not in ("float16", "float32", "float64"):
            return f"an input of type {self.dtype}"
        if not self.is_whole and self.range is None:
            return "an input of fractions and nobody said how to scale 0..255. Write `range` ([low, high]) into its hierviz.json"
        return ""

    @property
    def words(self):
        """The whole preprocessing of pictures as one sentence."""
        if self.why_no_pictures:
            return "arrays are fed as they are"
        steps = [f"pictures stretched to {self.size[1]} x {self.size[0]} (width x height)"]
        steps.append("turned to grey" if self.channels == 1 else self.colour)
        if self.is_whole:
            steps.append("values 0 to 255 as they are")
        else:
            steps.append(f"values 0..255 mapped to {self.range[0]:g}..{self.range[1]:g}")
            if self.mean is not None:
                steps.append(f"minus mean {_numbers(self.mean)}")
            if self.std is not None:
                steps.append(f"divided by std {_numbers(self.std)}")
        return ", ".join([*steps, f"laid out as {self.layout}", self.dtype])

    def from_pictures(self, pictures):
        """Numbers to feed for pictures.

        Parameters
        ----------
        pictures : ndarray of uint8, shape (n, height, width, 3), RGB

        Returns
        -------
        ndarray of `dtype`, shape (n, height, width, channels) or (n, channels, height, width)
        """
        values = pictures
        if self.channels == 1:  # the weights of Pillow's "L"
            weighted = values.astype(np.uint32) @ np.array([19595, 38470, 7471], dtype=np.uint32)
            values = ((weighted + 0x8000) >> 16).astype(np.uint8)[..., None]
        elif self.colour == "BGR":
            values = values[..., ::-1]
        if not self.is_whole:
            kind = np.float64 if self.dtype == "float64" else np.float32
            low, high = self.range
            values = values.astype(kind) * kind((high - low) / 255) + kind(low)
            if self.mean is not None:
                values -= np.array(self.mean, dtype=kind)
            if self.std is not None:
                values /= np.array(self.std, dtype=kind)
        if self.layout == "NCHW":
            values = values.transpose(0, 3, 1, 2)
        return np.ascontiguousarray(values, dtype=self.dtype)

    def as_pictures(self, array):
        """`array` as (n, height, width, 3) when it is uint8 pictures for this input, else None."""
        if self.why_no_pictures or array.dtype != np.uint8 or array.ndim != 4 or self.channels != 3:
            return None
        if array.shape[3] == 3:
            return array
        return np.moveaxis(array, 1, 3) if array.shape[1] == 3 else None

    def check(self, array, where):
        """`array` with missing axes of length 1 added, or a ModelError that says what does not fit."""
        array = array if isinstance(array, np.ndarray) else np.asarray(array)
        fixed = self.shape[1:]
        if array.ndim == len(fixed) and array.ndim and fixed[-1] in (1, None):
            array = array[..., None]
        wanted = " x ".join(["rows", *("any" if one is None else str(one) for one in fixed)])
        pictures = self.as_pictures(array)
        shape = array.shape[1:]
        if pictures is not None:
            shape, fixed = pictures.shape[1:3], self.size
        if array.ndim != len(self.shape) or any(b is not None and a != b for a, b in zip(shape, fixed, strict=True)):
            raise ModelError(
                f"{where}: expected {wanted} for input {self.name!r}, got {' x '.join(map(str, array.shape))}. "
                "Reshape or resize the array."
            )
        if pictures is None:
            self.cast(array[:1], where)
        return array

    def cast(self, values, where="inputs"):
        """`values` as `dtype`; ModelError unless that is a cast within whole numbers, fractions or text."""
        if values.dtype == self.dtype:
            return values
        have, want = values.dtype.kind, np.dtype(self.dtype).kind
        if have == "f" and want == "f":
            return values.astype(self.dtype)
        if have in "iu" and want in "iu":
            limits = np.iinfo(self.dtype)
            wrong = values[(values < limits.min) | (values > limits.max)] if values.size else values
            if wrong.size:
                raise ModelError(
                    f"{where}: expected {self.dtype} values for input {self.name!r} ({limits.min} to {limits.max}), "
                    f"got {listed(wrong.ravel().tolist())}. Check the array."
                )
            return values.astype(self.dtype)
        if want == "U" and have in "UTO":
            missing = [one for one in values.ravel().tolist() if not isinstance(one, str)]
            if missing:
                raise ModelError(
                    f"{where}: expected text for input {self.name!r}, got {listed(missing)}. Fill missing values."
                )
            return values.astype(object)
        more = f"Convert it with array.astype({self.dtype!r})."
        if values.dtype == np.uint8 and want == "f":
            more = (
                "For pictures, say how to scale 0..255: write `input` with `range` into the model's hierviz.json; "
                f"for ready-made numbers use array.astype({self.dtype!r})."
            )
        raise ModelError(f"{where}: expected {self.dtype} for input {self.name!r}, got {values.dtype}. {more}")


def _numbers(values):
    return "[" + ", ".join(f"{value:g}" for value in values) + "]"
