"""Ready arrays as inputs of a model: ``.npy``, which stays on disk, and ``.npz`` files."""

from __future__ import annotations

from hierviz.messages.errors import FileError, ModelError, listed
from hierviz.readers.arrays import ID_ARRAYS
from hierviz.readers.numpy_files import open_npy, open_npz
from hierviz.readers.sources import open_source

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
