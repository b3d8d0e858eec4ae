"""Which node each score of an ONNX model belongs to, and what its scores mean.

Columns are matched to nodes by name, never by position. What the caller passes wins over what the model says.
"""

from __future__ import annotations

import os
from pathlib import Path

from hierviz.errors import HiervizError, ModelError, PredictionsError, near_miss
from hierviz.onnx.outputs import outputs_words
from hierviz.parametrisation import PARAMETRISATIONS, column_order
from hierviz.readers.classes_file import read_classes


def find_nodes(path, taxonomy, outputs, said, origin, classes, notes):
    """Node of each output column.

    Parameters
    ----------
    path : Path
    taxonomy : Taxonomy
    outputs : list of signatures
        For the error when nobody names the columns.
    said, origin : dict
        From `metadata.declared`.
    classes : sequence of str, or path, optional
    notes : list of str
        Grows by a contradiction.

    Returns
    -------
    nodes : ndarray of int, shape (n_scores,)
    source : str
        Where the names came from.

    Raises
    ------
    ModelError
        If there are no names, or one is unknown to the taxonomy or stands there twice.
    FileError
        If the file of names cannot be read.
    """
    where, declared = path.name, said.get("nodes")
    if classes is None and not declared:
        raise ModelError(
            f"{where}: expected the node name of each output column, got none in the model or beside it "
            f"(outputs: {outputs_words(outputs)}). "
            "Pass a file with one name a line as --classes (in Python: classes=)."
        )
    is_file = isinstance(classes, (str, os.PathLike))
    source = origin["nodes"] if classes is None else Path(classes).name if is_file else "the list given"
    try:
        nodes = read_classes(declared if classes is None else classes, taxonomy)
    except PredictionsError as error:
        text = str(error)
        if not is_file:
            text = f"{where}, class names in {source}" + text.removeprefix("classes").replace("(classes, ", "(")
        advice = "Check that model and taxonomy belong together, or pass --classes."
        if classes is not None:
            advice = f"Correct the class names of {where} (--classes)."
        raise ModelError(f"{text} {advice}") from None
    names = [taxonomy.names[node] for node in nodes]
    if declared is not None and classes is not None and declared != names:
        differ = sum(a != b for a, b in zip(names, declared)) + abs(len(names) - len(declared))
        notes.append(f"{source} names other nodes than {origin['nodes']} in {differ} columns: {source} was used")
    return nodes, source


def find_parametrisation(where, taxonomy, said, origin, given, nodes, notes):
    """(key of `PARAMETRISATIONS`, where it came from)."""
    declared = said.get("parametrisation")
    key, source = (declared, origin.get("parametrisation")) if given is None else (given, "the caller")
    if given is not None and declared is not None and given != declared:
        notes.append(f"{origin['parametrisation']} says {declared}; {given} was asked for and used")
    if key is None or key not in PARAMETRISATIONS:
        fits = [one for one in PARAMETRISATIONS if _fits(taxonomy, one, nodes)]
        got = "none" if key is None else repr(key)
        near = "" if key is None else near_miss(key, list(PARAMETRISATIONS))
        if fits:
            do = f"Pass --parametrisation; {len(nodes)} columns with these names fit {', '.join(fits)}."
        else:
            do = f"No --parametrisation fits {len(nodes)} columns with these names: check the class names (--classes) first."
        raise ModelError(f"{where}: expected to know what its scores mean (a parametrisation), got {got}.{near} {do}")
    if PARAMETRISATIONS[key].tree_only:
        taxonomy.require_tree(f"{where}, {key}")
    try:
        column_order(taxonomy, key, len(nodes), nodes)
    except PredictionsError as error:
        text = (
            str(error).removeprefix("scores: ").replace("Check the column names", "Check the class names (--classes)")
        )
        raise ModelError(
            f"{where}: {text.replace('choose another parametrisation', 'pass another --parametrisation')}"
        ) from None
    return key, source


def _fits(taxonomy, key, nodes):
    try:
        if PARAMETRISATIONS[key].tree_only:
            taxonomy.require_tree(key)
        column_order(taxonomy, key, len(nodes), nodes)
    except HiervizError:
        return False
    return True
