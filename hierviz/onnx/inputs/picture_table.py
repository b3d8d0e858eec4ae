"""Pictures that a table names, one a row."""

from __future__ import annotations

import os

from hierviz.messages.errors import FileError, listed
from hierviz.readers.picture_names import is_picture, leads_outside, plain_name
from hierviz.readers.pictures import Pictures
from hierviz.readers.tables import open_table
from hierviz.readers.truth_file import ID_COLUMNS, TRUTH_COLUMNS, id_column, sample_ids, text_attributes

PICTURE_COLUMNS = ("image", "file")
SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".parquet")


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
