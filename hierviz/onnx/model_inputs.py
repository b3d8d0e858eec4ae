"""What goes into an ONNX model: samples as pictures or arrays, read lazily and fed as the model's `InputSpec` says.

`ModelInputs` are the samples; pictures are decoded and scaled one batch at a time. `load_inputs` reads them from files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hierviz.errors import FileError, ModelError, listed
from hierviz.onnx.input_arrays import open_npy, read_npz
from hierviz.onnx.input_spec import InputSpec
from hierviz.onnx.picture_table import SUFFIXES as TABLE_SUFFIXES
from hierviz.onnx.picture_table import read_picture_table
from hierviz.readers.arrays import ID_ARRAYS
from hierviz.readers.labels import text_array
from hierviz.readers.picture_names import SUFFIXES
from hierviz.readers.pictures import Pictures

ACCEPTED = (
    "Pass pictures (a folder or zip), an .npy array with one row per sample, "
    "or an .npz with one array per input, by input name"
)


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
            return _of_pictures(values, None, {}, specs)
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
        `file` column names pictures in `media` or, without it, in the table's own folder.
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
    PredictionsError
        If a sample id of a table is missing or there twice.
    """
    specs = _specs(model)
    path = Path(path)
    if not path.exists():
        raise FileError(f"{path}: expected pictures or arrays for the model, got nothing there. Check the path.")
    suffix = path.suffix.lower() if path.is_file() else ""
    if suffix == ".npy":
        return ModelInputs(_by_position(open_npy(path), specs, path.name)).checked(specs, path.name)
    if suffix == ".npz":
        return _of_npz(path, specs)
    if path.is_dir() or suffix in {".zip", *SUFFIXES}:
        _require_pictures(specs, path.name)
        return _of_pictures(Pictures.open(path), None, {}, specs)
    if path.name.lower().endswith(TABLE_SUFFIXES):
        return _of_pictures(*read_picture_table(path, media), specs)
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


def _of_pictures(pictures, ids, attributes, specs):
    _require_pictures(specs, pictures.path.name)
    ids = text_array(pictures.stems) if ids is None else ids
    return ModelInputs(None, pictures, ids, {**attributes, "image": text_array(pictures.names)}, pictures.notes)


def _by_position(array, specs, where):
    if len(specs) != 1:
        raise ModelError(
            f"{where}: expected one array for each of the {len(specs)} inputs ({listed([spec.name for spec in specs])}), "
            "got a single one. Pass an .npz, or a dict, with arrays by input name."
        )
    return {specs[0].name: array}


def _of_npz(path, specs):
    found = read_npz(path)
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
