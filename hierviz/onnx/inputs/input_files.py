"""Files of samples by their form: ready arrays, texts, tables that name pictures; and their checksum.

An ``.npy`` file stays on disk; texts are one a line; a table names one picture a row.
"""

from __future__ import annotations

import hashlib
import io
import os

import numpy as np

from hierviz.messages.errors import FileError, ModelError, listed
from hierviz.onnx.description.file import sha256
from hierviz.readers import file_limits
from hierviz.readers.arrays import ID_ARRAYS
from hierviz.readers.labels import text_array
from hierviz.readers.numpy_files import open_npy, open_npz
from hierviz.readers.picture_names import is_picture, leads_outside, plain_name
from hierviz.readers.pictures import Pictures
from hierviz.readers.sources import open_source
from hierviz.readers.tables import open_table
from hierviz.readers.truth_file import ID_COLUMNS, TRUTH_COLUMNS, id_column, sample_ids, text_attributes

WANTED = "arrays for a model (.npy or .npz)"


def by_position(array, specs, where):
    """The array of the only input by its name; ModelError when there are several."""
    if len(specs) != 1:
        raise ModelError(
            f"{where}: expected one array for each of the {len(specs)} inputs ({listed([spec.name for spec in specs])}), "
            "got a single one. Pass an .npz, or a dict, with arrays by input name."
        )
    return {specs[0].name: array}


def load_npy(path, specs):
    """The array of an ``.npy`` file, which stays on disk, by the name of the only input."""
    return by_position(open_npy(open_source(path, WANTED, ("npy",))), specs, path.name)


def load_npz(path, specs):
    """Arrays of an ``.npz`` file by input name.

    Returns
    -------
    arrays : dict of str to ndarray
    ids : ndarray, or None
        Those in `ID_ARRAYS`.
    notes : tuple of str

    Raises
    ------
    FileError
        If the file cannot be read or an input has no array.
    """
    with open_npz(open_source(path, WANTED, ("zip",))) as npz:
        names, array_names = [spec.name for spec in specs], list(npz.headers)
        ids_name = next((name for name in ID_ARRAYS if name in array_names and name not in names), None)
        others = [name for name in array_names if name != ids_name]
        if all(name in others for name in names):
            arrays = {name: npz[name] for name in names}
            others = [name for name in others if name not in names]
        elif len(names) == 1 and len(others) == 1:
            arrays, others = {names[0]: npz[others[0]]}, []
        else:
            raise FileError(
                f"{path.name}: expected arrays named {listed(names)} (the inputs of the model), got {listed(others)}. "
                "Name the arrays in np.savez as the inputs are named."
            )
        ids = None if ids_name is None else npz[ids_name]
    if ids is not None:
        n_rows = min((len(array) for array in arrays.values() if array.ndim), default=0)
        if ids.shape != (n_rows,):
            raise FileError(
                f"{path.name}: expected {n_rows} ids in {ids_name!r}, got shape {ids.shape}. Align the rows."
            )
        ids = ids.astype(str)
    notes = (f"{path.name}: arrays without an input of their name were left out: {listed(others)}",) if others else ()
    return arrays, ids, notes


TEXT_SUFFIXES = (".txt", ".txt.gz")


def load_texts(path):
    """The lines of a text file, shape (n_texts,) of str.

    Raises
    ------
    FileError
        If the file cannot be read or a line is blank.
    """
    source = open_source(path, "texts, one a line")
    text = source.read_text(file_limits.TEXTS_BYTES, file_limits.TEXT_LINES)
    # Only the ends of lines as editors count them: str.splitlines() also cuts at rarer characters inside texts.
    lines = [line.rstrip("\r\n") for line in io.StringIO(text, newline=None)]
    blank = next((number for number, line in enumerate(lines, 1) if not line.strip()), None)
    if blank is not None:
        raise FileError(
            f"{source.where}:{blank}: expected a text, got a blank line. Fill or remove it; texts with line "
            "breaks need a table with a column `text`."
        )
    return text_array(lines)


def texts_at_hand(values):
    """A list or tuple of texts as an array of objects, shape (n_texts,); None when it holds none, or lists.

    An entry of another kind among texts stays what it is: the check of the input names it.
    """
    if not isinstance(values, (list, tuple)) or not any(isinstance(value, str) for value in values):
        return None
    if any(isinstance(value, (list, tuple, np.ndarray)) for value in values):
        return None
    return np.array(values, dtype=object)


PICTURE_COLUMNS = ("image", "file")
TABLE_SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".parquet")


def load_picture_table(path, media=None):
    """Read a table whose column `image` or `file` names pictures.

    Parameters
    ----------
    path : Path
    media : str or Path, optional
        Their folder or zip. Sample ids then do as names too. Without it, names count from the folder of the table.

    Returns
    -------
    pictures : Pictures
    ids : ndarray of str, shape (n_samples,), or None
    attributes : dict of str to ndarray
        The other columns, but for one that holds the truth, which is read elsewhere.

    Raises
    ------
    FileError
        If the table cannot be read, names no pictures or has no rows; or a picture is not there.
    PredictionsError
        If a sample id is missing or there twice.
    """
    columns = open_table(path, "a table that names pictures").read()
    names = [name.strip() for name in columns.names]
    folded = [name.casefold() for name in names]
    column = next((names.index(name) for name in PICTURE_COLUMNS if name in names), None)
    id_place = id_column(names)
    named = column if column is not None or media is None else id_place
    if named is None:
        raise FileError(
            f"{path.name}: expected a column `image` or `file` that names pictures, got the columns {listed(names)}. "
            "Add one, or pass pictures (a folder or zip), .npy or .npz."
        )
    if not len(columns):
        raise FileError(f"{path.name}: expected at least one row, got none. Check the table.")
    pictures = (
        _beside(path, columns.single_text(named))
        if media is None
        else Pictures.from_path(media, columns.single_text(named))
    )
    truth = next((folded.index(name) for name in TRUTH_COLUMNS if name in folded), None)
    others = [
        k
        for k, name in enumerate(names)
        if k not in (column, truth) and folded[k] not in ID_COLUMNS and names.index(name) == k
    ]
    ids = None if id_place is None else sample_ids(columns, id_place)
    return pictures, ids, text_attributes(columns, others)


def _beside(path, names):
    # Pictures.from_path would look through everything below the folder, whatever else lies there.
    folder, names = path.absolute().parent, [plain_name(name) for name in names]
    missing = [
        name
        for name in dict.fromkeys(names)
        if leads_outside(name) or not is_picture(name) or not os.path.isfile(folder / name)
    ]
    if missing:
        raise FileError(
            f"{path.name}: expected the pictures that it names in its own folder, got no {listed(missing)} there. "
            "Put them beside the table, or pass their folder or zip with {media}."
        )
    return Pictures(folder, tuple(names))


_BYTES_AT_ONCE = 1 << 24


def input_digest(files, pictures, arrays):
    """SHA-256 in hexadecimal digits.

    Parameters
    ----------
    files : sequence of Path
        Read for the arrays, or naming the pictures.
    pictures : Pictures, or None
    arrays : mapping of input name to ndarray, or None
        What the model is fed; pictures count only without them, and they only without files.

    Returns
    -------
    str
        Of a single file or picture that of its bytes; of several, that of the sorted lines ``name<TAB>checksum<LF>``, the
        same for a folder of pictures and a zip of it. Of arrays, likewise by input name, that of type, shape and values.
    """
    parts = {path.name: sha256(path) for path in files}
    if arrays is None:
        unique = dict.fromkeys(pictures.names)
        parts |= {name: hashlib.sha256(pictures.bytes(name)).hexdigest() for name in unique}
    elif not files:
        parts = {name: _array_digest(array) for name, array in arrays.items()}
    if len(parts) == 1:
        return next(iter(parts.values()))
    lines = "".join(f"{name}\t{digest}\n" for name, digest in sorted(parts.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def _array_digest(array):
    digest = hashlib.sha256(f"{'text' if array.dtype.kind in 'UTO' else array.dtype.str} {array.shape}\n".encode())
    if array.dtype.kind in "UTO":
        for value in array.ravel().tolist():
            data = str(value).encode("utf-8", "surrogatepass")
            digest.update(b"%d " % len(data) + data)
        return digest.hexdigest()
    step = max(1, _BYTES_AT_ONCE // max(1, array.nbytes // max(1, len(array))))
    for start in range(0, len(array), step):
        digest.update(np.ascontiguousarray(array[start : start + step]).data)
    return digest.hexdigest()
