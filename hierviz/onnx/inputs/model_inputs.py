"""What goes into an ONNX model: samples as pictures, texts, tables or arrays, fed as the model's `InputSpec` says.

`ModelInputs` are the samples; pictures are decoded and scaled one batch at a time. `load_inputs` reads them from files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hierviz.messages.errors import FileError, ModelError, listed
from hierviz.messages.notebook_html import Short
from hierviz.onnx.description import picture_fitting
from hierviz.onnx.inputs import input_files
from hierviz.onnx.inputs.input_spec import InputSpec
from hierviz.onnx.inputs.table_inputs import FrameTable, read_table_inputs
from hierviz.readers.labels import text_array
from hierviz.readers.picture_names import SUFFIXES
from hierviz.readers.pictures import Pictures
from hierviz.readers.temporary_files import require_file

ACCEPTED = (
    "Pass pictures (a folder or zip), a table (CSV, TSV or Parquet), texts (.txt), an .npy array with one row per sample, "
    "or an .npz with one array per input, by input name"
)
_INSTEAD = {
    True: "Pass texts (.txt, or a table with a column `text`)",
    False: "Pass a table or an array with one row per sample",
}


@dataclass(frozen=True, eq=False)
class ModelInputs(Short):
    """Samples for a model: pictures, or one array per input.

    Parameters
    ----------
    arrays : mapping of input name to array of shape (n_samples, ...), optional
        Anything that can be sliced by rows, memory-mapped files too. The model is fed these when they are there.
    pictures : Pictures, optional
        Else these, one a sample. Beside `arrays` they are only shown.
    sample_ids : ndarray of str, shape (n_samples,), optional
    attributes : mapping of str to ndarray, each shape (n_samples,)
        ``image`` names the picture, ``text`` is the text of a sample.
    notes : tuple of str
        What was assumed or left out.
    files : tuple of Path
        Read for the arrays, or naming the pictures.
    """

    arrays: Mapping[str, np.ndarray] | None = None
    pictures: Pictures | None = None
    sample_ids: np.ndarray | None = None
    attributes: Mapping[str, np.ndarray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()

    def __len__(self):
        if self.arrays is None:
            return len(self.pictures)
        return min((len(array) for array in self.arrays.values()), default=0)

    @property
    def n_samples(self):
        """Number of samples."""
        return len(self)

    @classmethod
    def from_values(cls, values, specs):
        """Inputs from arrays, lists and tables in memory.

        Parameters
        ----------
        values : ModelInputs, Pictures, str or Path of a file, list of texts, ndarray, pandas.DataFrame, or mapping of
            input name to ndarray, list or Series
        specs : sequence of InputSpec

        Raises
        ------
        FileError, ModelError, PredictionsError
            As `load_inputs`.
        """
        if isinstance(values, cls):
            return values.checked(specs)
        if isinstance(values, Pictures):
            return _of_pictures(values, None, {}, specs)
        if isinstance(values, (str, os.PathLike)) or FrameTable.fits(values):
            return load_inputs(values, specs)
        if isinstance(values, Mapping):
            arrays = {name: _as_array(value) for name, value in values.items()}
            return cls(arrays).checked(specs)
        made = cls(input_files.by_position(_as_array(values), specs, "inputs")).checked(specs)
        array = made.arrays[specs[0].name]
        if not specs[0].is_text or array.size != len(array):
            return made
        return replace(made, attributes={"text": text_array(array.ravel().tolist())})

    def checked(self, specs, where="inputs"):
        """The same inputs once their names, shapes and types are checked.

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
        return replace(self, arrays=arrays)

    def feed(self, specs, rows, unreadable=None):
        """Exactly typed arrays for some rows, nothing of the others being read.

        Parameters
        ----------
        specs : sequence of InputSpec
        rows : slice
        unreadable : dict, optional
            Grows by the rows whose picture cannot be read, with the reason; they are fed black. Without it the first such
            picture is an error.

        Returns
        -------
        dict of input name to ndarray
            Contiguous.

        Raises
        ------
        FileError
            If a picture cannot be read.
        ModelError
            If a single sample needs more memory than its model may use.
        """
        if self.arrays is None:
            spec = specs[0]
            picture_fitting.require_room_for_picture(spec)
            made = [self._fitted(spec, row, unreadable) for row in range(len(self))[rows]]
            return {spec.name: spec.from_pictures(np.stack(made))}
        made = {}
        for spec in specs:
            picture_fitting.require_room_for_row(spec, self.arrays[spec.name].shape)
            block = np.asarray(self.arrays[spec.name][rows])
            pictures = spec.as_pictures(block)
            ready = spec.cast(block) if pictures is None else spec.from_pictures(pictures)
            made[spec.name] = np.ascontiguousarray(ready)
        return made

    def blocks(self, specs, rows, step, unreadable=None):
        """Yield what `feed` gives for some rows, at most `step` at a time and no more than memory is well spent on.

        Parameters
        ----------
        specs, unreadable
            As in `feed`.
        rows : slice
        step : int
        """
        rows, step = range(len(self))[rows], self.rows_at_once(specs, step)
        for start in range(rows.start, rows.stop, step):
            yield self.feed(specs, slice(start, min(start + step, rows.stop)), unreadable)

    def rows_at_once(self, specs, most):
        """At most `most` rows, and no more than memory is well spent on."""
        if self.arrays is None:
            taken = picture_fitting.picture_bytes(specs[0])
        else:
            taken = sum(picture_fitting.array_bytes(self.arrays[spec.name].shape[1:], spec.dtype) for spec in specs)
        return max(1, min(most, picture_fitting.BLOCK_BYTES // max(1, taken)))

    def _fitted(self, spec, row, unreadable):
        name = self.pictures.names[row]
        where = f"{self.pictures.path.name}/{name}"
        try:
            return spec.fitted(self.pictures.image(name), where)
        except FileError as error:
            if unreadable is None:
                raise
            unreadable[row] = str(error).removeprefix(f"{where}: ")
            return np.zeros((*spec.size, 3), dtype=np.uint8)

    def preview(self, specs, row=0):
        """What the model is fed for the picture of one sample, None when it is fed no pictures.

        Parameters
        ----------
        specs : sequence of InputSpec
        row : int

        Returns
        -------
        picture_fitting.Preview, or None
        """
        if self.arrays is None:
            return specs[0].preview(self.pictures.image(self.pictures.names[row]))
        for spec in specs:
            pictures = spec.as_pictures(np.asarray(self.arrays[spec.name][row : row + 1]))
            if pictures is not None:
                return spec.preview(pictures[0])
        return None

    def sha256(self):
        """Checksum of the inputs in hexadecimal digits; see `input_digest`. All files are read again."""
        return input_files.input_digest(self.files, self.pictures, self.arrays)


def load_inputs(
    path: Any,
    model: Any,
    *,
    media: str | os.PathLike[str] | None = None,
    text_column: str | None = None,
    columns: Sequence[str] | Mapping[str, str | Sequence[str]] | None = None,
) -> ModelInputs:
    """Read samples for a model.

    Parameters
    ----------
    path : str, Path or pandas.DataFrame
        A folder, a zip or one file of pictures; a CSV, TSV or Parquet table whose columns feed the inputs of their names, or
        whose `image` or `file` column names pictures in `media` or, without it, in the table's own folder; for a model of
        text also a table with a column `text`, or a `.txt` with one text a line; an `.npy` array with one row per sample;
        an `.npz` with one array per input, by input name, and ids in `sample_id`, `ids` or `id`.
    model : Model, InputSpec or sequence of InputSpec
        Whom it is for.
    media : str or Path, optional
        Folder or zip of the pictures that a table names. Where the model takes no pictures they are only shown.
    text_column : str, optional
        Column of a table that holds the texts.
    columns : sequence of str, or mapping of input name to column or columns, optional
        Columns of a table that make up the only input, in order, or the columns of each input.

    Returns
    -------
    ModelInputs
        Pictures have their file names without suffix as sample ids (whole names where two are alike), `.npy` rows and lines
        of text none; the other columns of a table are attributes, but for one that holds the truth, which is read elsewhere.

    Raises
    ------
    FileError
        If the file is missing, damaged, of another kind or too large, or a cell is missing or of another kind.
    ModelError
        If it does not fit the model's inputs.
    PredictionsError
        If a sample id of a table is missing or there twice.
    """
    specs = getattr(model, "inputs", model)
    specs = (specs,) if isinstance(specs, InputSpec) else tuple(specs)
    if FrameTable.fits(path):
        fields = read_table_inputs(FrameTable(path), specs, text_column=text_column, columns=columns)
        return ModelInputs(**fields).checked(specs, FrameTable.where)
    path = Path(path)
    if not os.path.exists(path):
        more = " Pass texts in memory as a list." if any(spec.is_text for spec in specs) else ""
        raise FileError(f"{path}: expected inputs for the model, got nothing there. Check the path.{more}")
    require_file(path)
    name, suffix = (part.lower() if path.is_file() else "" for part in (path.name, path.suffix))
    for ends, load in ((".npy", ".npy.gz"), input_files.load_npy), ((".npz", ".npz.gz"), input_files.load_npz):
        if name.endswith(ends):
            return ModelInputs(**load(path, specs), files=(path,)).checked(specs, path.name)
    if path.is_dir() or suffix in {".zip", *SUFFIXES}:
        _require_pictures(specs, path.name)
        return _of_pictures(Pictures.from_path(path), None, {}, specs)
    if not name.endswith(input_files.TABLE_SUFFIXES):
        kind = repr(suffix) if suffix else "a file without a suffix"
        raise FileError(f"{path.name}: expected inputs for the model, got {kind}. {ACCEPTED}.")
    if len(specs) == 1 and len(specs[0].shape) == 4:
        pictures, ids, attributes = input_files.load_picture_table(path, media)
        return _of_pictures(pictures, ids, attributes, specs, (path,))
    if (
        name.endswith(input_files.TEXT_SUFFIXES)
        and len(specs) == 1
        and specs[0].is_text
        and text_column is columns is None
    ):
        texts = input_files.load_texts(path)
        fields = {"arrays": {specs[0].name: texts}, "attributes": {"text": texts}}
    else:
        fields = read_table_inputs(path, specs, text_column=text_column, columns=columns)
    made = ModelInputs(**fields, files=(path,)).checked(specs, path.name)
    return made if media is None else _with_shown(made, media, path.name)


def _require_pictures(specs, where):
    if len(specs) != 1:
        instead = "a table with a column per input, or " if all(len(spec.shape) <= 2 for spec in specs) else ""
        raise ModelError(
            f"{where}: expected a model with one input for pictures, got {len(specs)} inputs "
            f"({listed([spec.name for spec in specs])}). Pass {instead}an .npz with one array per input."
        )
    if specs[0].why_no_pictures:
        why = specs[0].why_no_pictures
        more = "" if specs[0].questions else f" {_INSTEAD[specs[0].is_text]}."
        raise ModelError(f"{where}: expected a model that takes pictures, got {why}.{more}")


def _of_pictures(pictures, ids, attributes, specs, files=()):
    _require_pictures(specs, pictures.path.name)
    ids = text_array(pictures.stems) if ids is None else ids
    attributes = {**attributes, "image": text_array(pictures.names)}
    return ModelInputs(None, pictures, ids, attributes, pictures.notes, files)


def _with_shown(inputs, media, where):
    """The inputs with the pictures that an attribute names, to be shown with what the model is fed."""
    column = next((name for name in input_files.PICTURE_COLUMNS if name in inputs.attributes), None)
    if column is None:
        raise FileError(
            f"{where}: expected a column `image` or `file` that names the pictures in {Path(media).name}, got none. "
            "Add it or leave {media} out."
        )
    pictures = Pictures.from_path(media, inputs.attributes[column])
    attributes = {**inputs.attributes, column: text_array(pictures.names)}
    return replace(inputs, pictures=pictures, attributes=attributes, notes=inputs.notes + pictures.notes)


def _as_array(values):
    """An array of what a mapping or a list holds; text stays text, a missing one among it stays missing."""
    if isinstance(values, np.ndarray):
        return values
    if hasattr(values, "to_numpy"):
        return values.to_numpy()
    texts = input_files.texts_at_hand(values)
    return np.asarray(values) if texts is None else texts


MOST_NAMED = 10


def without_unreadable(inputs, unreadable):
    """Inputs without pictures that could not be read.

    Parameters
    ----------
    inputs : ModelInputs
        Of pictures.
    unreadable : dict of int to str
        Row and reason, as `ModelInputs.feed` fills it.

    Returns
    -------
    inputs : ModelInputs
        With a note that names the pictures.
    kept : ndarray of int, shape (n_left,)
        Rows that are left.

    Raises
    ------
    FileError
        If none is left.
    """
    kept = np.array([row for row in range(len(inputs)) if row not in unreadable], dtype=np.intp)
    if not unreadable:
        return inputs, kept
    names, first = inputs.pictures.names, min(unreadable)
    if not len(kept):
        raise FileError(
            f"{inputs.pictures.path.name}: expected at least one picture that can be read, got none of {len(inputs):,}; "
            f"the first is {names[first]!r}: {unreadable[first]}"
        )
    were, of = ("was", "") if len(unreadable) == 1 else ("were", "the first: ")
    named = listed([names[row] for row in sorted(unreadable)], MOST_NAMED)
    note = (
        f"{len(unreadable):,} of {len(inputs):,} pictures could not be read and {were} left out: {named} "
        f"({of}{unreadable[first].partition('. ')[0]})"
    )
    left = replace(
        inputs,
        pictures=replace(inputs.pictures, names=tuple(names[row] for row in kept.tolist())),
        sample_ids=None if inputs.sample_ids is None else np.asarray(inputs.sample_ids)[kept],
        attributes={name: np.asarray(values)[kept] for name, values in inputs.attributes.items()},
        notes=(*inputs.notes, note),
    )
    return left, kept
