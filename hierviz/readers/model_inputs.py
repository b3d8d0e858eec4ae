"""What goes into an ONNX model: pictures and arrays, turned into exactly the numbers the model was made for.

Conventions
-----------
An `InputSpec` says what one input of a model takes. `ModelInputs` are the samples, read lazily: pictures are decoded and
scaled one batch at a time. `load_inputs` reads them from files.

Pictures are uint8, RGB. For a model they are stretched to its size, brought into its channel order, mapped linearly from
0..255 to its `range`, then normalised by `mean` and `std` (in the model's channel order, in units of the range), then laid
out as NHWC or NCHW. Arrays of uint8 that look like pictures are treated the same way; all other arrays are fed as they
are, after a cast within their kind.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hierviz.errors import FileError, ModelError, listed
from hierviz.readers.pictures import SUFFIXES, Pictures
from hierviz.readers.tables import open_table

# Arrays larger than this when unpacked are refused before they are loaded.
MOST_ARRAY_BYTES = 4 << 30

# What numpy and zipfile raise on broken files; NotImplementedError is a RuntimeError.
UNREADABLE = (ValueError, OSError, EOFError, MemoryError, SyntaxError, RuntimeError, zipfile.BadZipFile, zlib.error)

ID_COLUMNS = ("sample_id", "id")
ID_ARRAYS = ("sample_id", "ids", "id")
PICTURE_COLUMNS = ("image", "file")
TABLES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".parquet")
TRUTH_COLUMNS = ("truth", "true", "y_true", "target", "leaf", "label", "labels", "class", "path")

ACCEPTED = (
    "Pass pictures (a folder or zip), an .npy array with one row per sample, "
    "or an .npz with one array per input, by input name"
)


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


@dataclass(frozen=True, eq=False)
class ModelInputs:
    """Samples for a model: pictures, or one array per input.

    Parameters
    ----------
    arrays : mapping of input name to array of shape (n_samples, ...), optional
        Anything that can be sliced by rows, memory-mapped files too. Exactly one of `arrays` and `pictures` is given.
    pictures : Pictures, optional
    sample_ids : ndarray of str, shape (n_samples,), optional
    attributes : mapping of str to ndarray, each shape (n_samples,)
    notes : tuple of str
    """

    arrays: Mapping[str, np.ndarray] | None = None
    pictures: Pictures | None = None
    sample_ids: np.ndarray | None = None
    attributes: Mapping[str, np.ndarray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self):
        return len(self.pictures) if self.arrays is None else min((len(one) for one in self.arrays.values()), default=0)

    @property
    def n_samples(self):
        """Number of samples."""
        return len(self)

    @classmethod
    def of(cls, values, specs):
        """Inputs from what a notebook has at hand.

        Parameters
        ----------
        values : ModelInputs, Pictures, str or Path, ndarray, or mapping of input name to ndarray
        specs : sequence of InputSpec
        """
        if isinstance(values, cls):
            return values.checked(specs)
        if isinstance(values, Pictures):
            return _of_pictures(values, specs)
        if isinstance(values, (str, Path)):
            return load_inputs(values, specs)
        arrays = dict(values) if isinstance(values, Mapping) else _by_position(values, specs, "inputs")
        return cls(arrays).checked(specs)

    def checked(self, specs, where="inputs"):
        """The same inputs after a look at their names, shapes and types.

        Raises
        ------
        ModelError
            If an input has no array, an array no input, or a shape, type or length does not fit.
        """
        if self.arrays is None:
            _require_pictures(specs, self.pictures.path.name)
            return self
        names = {spec.name for spec in specs}
        if set(self.arrays) != names:
            raise ModelError(
                f"{where}: expected one array per input of the model ({listed(sorted(names))}), "
                f"got {listed(sorted(self.arrays))}. {ACCEPTED}."
            )
        arrays = {spec.name: spec.check(self.arrays[spec.name], where) for spec in specs}
        lengths = {name: len(array) for name, array in arrays.items()}
        if len(set(lengths.values())) > 1 or not min(lengths.values()):
            said = ", ".join(f"{length} of {name!r}" for name, length in lengths.items())
            raise ModelError(
                f"{where}: expected equally many rows for every input, at least one, got {said}. Align the arrays."
            )
        return ModelInputs(arrays, None, self.sample_ids, self.attributes, self.notes)

    def feed(self, specs, rows):
        """Exactly typed arrays for some rows.

        Parameters
        ----------
        specs : sequence of InputSpec
        rows : slice

        Returns
        -------
        dict of input name to ndarray
        """
        if self.arrays is None:
            spec = specs[0]
            names = self.pictures.names[rows]
            return {spec.name: spec.from_pictures(np.stack([self.pictures.array(name, spec.size) for name in names]))}
        made = {}
        for spec in specs:
            block = np.asarray(self.arrays[spec.name][rows])
            pictures = spec.as_pictures(block)
            made[spec.name] = spec.cast(block) if pictures is None else spec.from_pictures(pictures)
        return made


def load_inputs(path, model, *, media=None):
    """Read samples for a model.

    Parameters
    ----------
    path : str or Path
        A folder, a zip or one file of pictures; an `.npy` array with one row per sample; an `.npz` with one array per
        input, by input name, and ids in `sample_id`, `ids` or `id`; or a CSV, TSV or Parquet table whose `image` or
        `file` column names pictures in `media`.
    model : Model, InputSpec or sequence of InputSpec
        Whom it is for.
    media : str or Path, optional
        Folder or zip of the pictures that a table names.

    Returns
    -------
    ModelInputs
        Pictures have their file names without suffix as sample ids (whole names where two are alike), `.npy` rows none;
        the other columns of a table are attributes, but for one that holds the truth, which is read elsewhere.

    Raises
    ------
    FileError
        If the file is missing, damaged, of another kind or too large.
    ModelError
        If it does not fit the model's inputs.
    """
    specs = _specs(model)
    path = Path(path)
    if not path.exists():
        raise FileError(f"{path}: expected pictures or arrays for the model, got nothing there. Check the path.")
    suffix = path.suffix.lower() if path.is_file() else ""
    if suffix == ".npy":
        return ModelInputs(_by_position(_load_npy(path), specs, path.name)).checked(specs, path.name)
    if suffix == ".npz":
        return _load_npz(path, specs)
    if path.is_dir() or suffix in {".zip", *SUFFIXES}:
        _require_pictures(specs, path.name)
        return _of_pictures(Pictures.open(path), specs)
    if path.name.lower().endswith(TABLES):
        return _load_table(path, specs, media)
    kind = repr(suffix) if suffix else "a file without a suffix"
    raise FileError(
        f"{path.name}: expected a folder, .zip, .npy, .npz or a table that names pictures, got {kind}. {ACCEPTED}."
    )


def _specs(model):
    specs = getattr(model, "inputs", model)
    return (specs,) if isinstance(specs, InputSpec) else tuple(specs)


def _require_pictures(specs, where):
    if len(specs) != 1:
        raise ModelError(
            f"{where}: expected arrays by input name for a model with {len(specs)} inputs "
            f"({listed([spec.name for spec in specs])}), got pictures, which is not possible yet. "
            "Pass an .npz with one array per input."
        )
    if specs[0].why_no_pictures:
        why = specs[0].why_no_pictures
        more = "" if "Write `" in why else " Pass an .npy array with one row per sample."
        raise ModelError(f"{where}: expected a model that takes pictures, got {why}.{more}")


def _of_pictures(pictures, specs, sample_ids=None, attributes=None):
    _require_pictures(specs, pictures.path.name)
    ids = np.array(pictures.stems if sample_ids is None else sample_ids, dtype=str)
    attributes = {**(attributes or {}), "image": np.array(pictures.names, dtype=str)}
    return ModelInputs(None, pictures, ids, attributes, pictures.notes)


def _by_position(array, specs, where):
    if len(specs) != 1:
        raise ModelError(
            f"{where}: expected one array for each of the {len(specs)} inputs ({listed([spec.name for spec in specs])}), "
            "got a single one. Pass an .npz, or a dict, with arrays by input name."
        )
    return {specs[0].name: array}


def _load_npy(path):
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except UNREADABLE as error:
        raise FileError(_no_array(path.name, error)) from None


def _load_npz(path, specs):
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
            if unpacked > MOST_ARRAY_BYTES:
                raise FileError(
                    f"{path.name}: expected at most {MOST_ARRAY_BYTES >> 30} GB of arrays, got {unpacked / 2**30:.1f} GB when "
                    "unpacked. Save the array as .npy, which is read piece by piece."
                )
        with np.load(path, allow_pickle=False) as archive:
            found = {name: archive[name] for name in archive.files}
    except UNREADABLE as error:
        raise FileError(_no_array(path.name, error)) from None
    names = [spec.name for spec in specs]
    ids_name = next((name for name in ID_ARRAYS if name in found and name not in names), None)
    ids = None if ids_name is None else found.pop(ids_name)
    if all(name in found for name in names):
        arrays = {name: found.pop(name) for name in names}
    elif len(names) == 1 and len(found) == 1:
        arrays, found = {names[0]: next(iter(found.values()))}, {}
    else:
        raise FileError(
            f"{path.name}: expected arrays named {listed(names)} (the inputs of the model), got {listed(found)}. "
            "Name the arrays in np.savez as the inputs are named."
        )
    notes = (f"{path.name}: arrays that no input is called after were left out: {listed(found)}",) if found else ()
    made = ModelInputs(arrays, notes=notes).checked(specs, path.name)
    if ids is None:
        return made
    if ids.ndim != 1 or len(ids) != len(made):
        raise FileError(
            f"{path.name}: expected {len(made)} ids in {ids_name!r}, got shape {ids.shape}. Align the rows."
        )
    return ModelInputs(made.arrays, None, ids.astype(str), {}, notes)


def _no_array(where, error):
    if any(words in str(error) for words in ("allow_pickle", "Object arrays", "Python objects")):
        return (
            f"{where}: expected plain numbers or text, got pickled Python objects, which may run code when loaded. "
            "Convert it once, where you trust it: "
            f"np.save('plain.npy', np.load({where!r}, allow_pickle=True).astype('float32'))."
        )
    words = " ".join(str(error).split())[:120].rstrip(".")
    return f"{where}: expected a numpy array, got a damaged or different file ({words}). Save it again."


def _load_table(path, specs, media):
    columns = open_table(path, "a table that names pictures").read()
    table = {}
    for place, name in enumerate(columns.names):
        table.setdefault(name.strip(), columns.text[place])
    column = next((name for name in PICTURE_COLUMNS if name in table), None)
    ids = next((table[name] for name in ID_COLUMNS if name in table), None)
    if column is None and (media is None or ids is None):
        raise FileError(
            f"{path.name}: expected a column `image` or `file` that names pictures, got the columns {listed(table)}; "
            f"tables of numbers or texts as inputs are not possible yet. {ACCEPTED}."
        )
    if media is None:
        raise FileError(f"{path.name}: expected the folder or zip of its pictures, got none. Pass it as media.")
    if not len(columns):
        raise FileError(f"{path.name}: expected at least one row, got none. Check the table.")
    _require_pictures(specs, path.name)
    pictures = Pictures.open(media, ids if column is None else table[column])
    truth = next((name for name in TRUTH_COLUMNS if name in table), None)
    left_out = {column, truth, *ID_COLUMNS}
    attributes = {name: np.array(cells, dtype=str) for name, cells in table.items() if name not in left_out}
    return _of_pictures(pictures, specs, ids, attributes)


def _numbers(values):
    return "[" + ", ".join(f"{value:g}" for value in values) + "]"
