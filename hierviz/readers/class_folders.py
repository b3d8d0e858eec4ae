"""Classes given by folders: every file is in a folder that is named after its class (ImageFolder)."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import PurePosixPath

import numpy as np

from hierviz.messages.errors import PredictionsError, listed, printable
from hierviz.predictions.name_matching import LooseMatches, advice
from hierviz.readers import file_limits
from hierviz.readers.labels import find_node
from hierviz.readers.picture_names import natural_key


def class_folders(path, taxonomy, taken=None):
    """Files of a folder with the nodes that their own folders name.

    Parameters
    ----------
    path : Path
    taxonomy : Taxonomy
    taken : OutsideNames, optional
        Takes names of folders that are not in the taxonomy where these are no error.

    Returns
    -------
    ids : list of str
        Names of the files without suffix, as pictures are called; paths inside the folder where two are alike.
    nodes : ndarray of int, shape (n_files,)
    notes : list of str

    Raises
    ------
    PredictionsError
        If there is no file in a folder, or a folder of files is named after no node.
    """
    files = []
    for folder, below, names in os.walk(path):
        below[:] = sorted(name for name in below if not name.startswith("."))
        inside = os.path.relpath(folder, path).replace(os.sep, "/")
        files += [f"{inside}/{name}" for name in names if inside != "." and not name.startswith(".")]
        if len(files) > file_limits.PICTURES:
            raise PredictionsError(
                f"{path.name}: expected at most {file_limits.PICTURES:,} files, got more. Write a table."
            )
    if not files:
        raise PredictionsError(
            f"{path.name}: expected a folder with a folder of files for each class, got no file in a folder. "
            "Write a table with the columns sample_id and truth."
        )
    files.sort(key=natural_key)
    loose, node_of = LooseMatches(taxonomy), {}
    for file in files:
        folder = str(PurePosixPath(file).parent)
        if folder not in node_of:
            node_of[folder] = _node(folder, taxonomy, loose)
    for folder, node in node_of.items():
        if node is None and taken is not None:
            node_of[folder] = taken.code(PurePosixPath(folder).name)
    unknown = [folder for folder, node in node_of.items() if node is None]
    if unknown:
        name = PurePosixPath(unknown[0]).name
        raise PredictionsError(
            f"{path.name}: expected folders named after nodes of the taxonomy ({taxonomy.n_nodes} nodes), got "
            f"{listed([printable(folder) for folder in unknown])}."
            f"{advice(name, taxonomy, ' Rename them, or write a table with the columns sample_id and truth.')}"
            f"{'' if taken is None else taken.advice}"
        )
    stems = [PurePosixPath(file).stem for file in files]
    twice = Counter(stems)
    ids = [file if twice[stem] > 1 else stem for file, stem in zip(files, stems, strict=True)]
    nodes = np.array([node_of[str(PurePosixPath(file).parent)] for file in files], dtype=np.intp)
    nodes = nodes if taken is None else taken.settle(nodes)
    return ids, nodes, [f"the truth of {len(files)} files is the name of their folder", *loose.notes(path.name)]


def _node(folder, taxonomy, loose):
    """The node of the last folder, else the nearest one above it, that names one."""
    parts = PurePosixPath(folder).parts
    return next(
        (node for part in reversed(parts) if (node := find_node(part, taxonomy, loose=loose)) is not None), None
    )
