"""What a file is for, detected from its content: taxonomy, predictions, truth, node attributes, a mapping of names or pictures.

Only the first lines are read. What no rule knows is taken for predictions, whose reader says what it expected.
"""

from __future__ import annotations

from hierviz.messages.errors import FileError
from hierviz.readers.json_table import json_table
from hierviz.readers.label_lists_json import is_prediction_json
from hierviz.readers.long_table import SAMPLE_COLUMNS, SCORE_COLUMNS
from hierviz.readers.mapping_file import NEEDED
from hierviz.readers.prediction_forms.camtrap_dp import is_media
from hierviz.readers.prediction_forms.known_prediction_forms import PREDICTION_FORMS
from hierviz.readers.prediction_tables import TABLE_FORMS
from hierviz.readers.sources import open_source
from hierviz.readers.tables import open_table
from hierviz.readers.taxonomy_file import has_taxonomy_tables, special_form
from hierviz.readers.taxonomy_tables import PARENT_WORDS
from hierviz.readers.truth_file import TRUTH_COLUMNS

ROLES = ("taxonomy", "predictions", "truth", "nodes", "mapping", "media")
# These columns may hold answers as well: the name of the file decides.
_OF_ANSWERS_TOO = ("label", "labels", "class")


def file_role(path):
    """Which of `ROLES` a file has.

    Parameters
    ----------
    path : path

    Returns
    -------
    str
    """
    try:
        return _role(path)
    except FileError:
        return "predictions"


def file_roles(paths):
    """Files by role, in the order of `ROLES`: dict of str to list of paths. Of roles for one file all are listed."""
    found: dict = {role: [] for role in ROLES}
    for path in paths:
        found[file_role(path)].append(path)
    return {role: files for role, files in found.items() if files}


def may_be_truth(path):
    """Whether a table taken for predictions holds one column of labels and no scores, as a truth may."""
    try:
        source = open_source(path, "a file", kinds=("text", "parquet"))
        table = json_table(source) or open_table(source, "a table")
    except FileError:
        return False
    names = [name.strip().casefold() for name in table.first]
    labels = [place for place, name in enumerate(names) if name in _OF_ANSWERS_TOO]
    others = [place for place, name in enumerate(names) if place not in labels and name not in SAMPLE_COLUMNS]
    return len(labels) == 1 and not any(map(table.is_number_column, others))


def _role(path):
    suffixes = {suffix.lower() for suffix in path.suffixes}
    if has_taxonomy_tables(path):
        return "taxonomy"
    if is_media(path):
        return "predictions"  # it is read with the observations
    source = open_source(path, "a file", kinds=("text", "parquet", "zip", "npy", "xml"))
    if source.kind == "text" and _is_of_a_tool(source):
        return "predictions"
    if source.kind == "text" and special_form(source, None) is not None:
        return "taxonomy"
    if source.kind in ("zip", "npy"):
        return "media" if source.kind == "zip" and ".npz" not in suffixes else "predictions"
    if ".json" in suffixes:
        if is_prediction_json(source):
            return "predictions"
        table = json_table(source)
        return "taxonomy" if table is None or not _has_samples(table) else _role_of_table(table, path)
    if ".taxonomy" in suffixes:
        return "taxonomy"
    if (table := json_table(source)) is not None:
        return _role_of_table(table, path)
    if source.begins in ("[", "{"):
        return "predictions"
    return _role_of_table(open_table(source, "a table"), path)


def _is_of_a_tool(source):
    """Whether a text has lines or columns of predictions of another tool."""
    if source.begins in ("[", "{") or not source.filled_lines:
        return False
    lines = source.first_lines[0]
    if any(form.kind == "lines" and form.looks_like(lines) for form in PREDICTION_FORMS.values()):
        return True
    try:
        names = [name.strip() for name in open_table(source, "a table").first]
    except FileError:
        return False
    return _are_of_a_tool(names)


def _are_of_a_tool(names):
    """Whether columns are those of predictions of another tool; columns of levels may be a taxonomy."""
    return any(form.looks_like(names) for key, form in TABLE_FORMS.items() if key != "levels")


def _has_samples(table):
    """Whether JSON objects are samples rather than classes."""
    names = [name.casefold() for name in table.first]
    if any(name in ("name", "parent", "children") for name in names) or len(table.sample) < 3:
        return False
    return any(name in (*SAMPLE_COLUMNS, *TRUTH_COLUMNS) for name in names) or all(
        map(table.is_number_column, range(len(names)))
    )


def _role_of_table(table, path):
    if _are_of_a_tool([name.strip() for name in table.first]):
        return "predictions"
    names = [name.strip().casefold() for name in table.first]
    if set(NEEDED) <= set(names):
        return "mapping"
    if any(name in PARENT_WORDS for name in names):
        # A table of attributes names the parent of a node and other things.
        return "nodes" if "node" in names and "child" not in names and len(names) > 2 else "taxonomy"
    if names[0] == "node" and len(names) > 1 and not any(name in SCORE_COLUMNS for name in names):
        return "nodes"
    ids = [place for place, name in enumerate(names) if name in SAMPLE_COLUMNS]
    numbers = [place for place in range(len(names)) if place not in ids and table.is_number_column(place)]
    truths = [name for name in names if name in TRUTH_COLUMNS and name not in _OF_ANSWERS_TOO]
    if numbers and not (truths and 2 * len(numbers) < len(names)):
        return "predictions"
    if truths:
        return "truth"
    if ids:
        words = path.name.casefold()
        return "truth" if any(word in words for word in ("truth", "true", "gold", "target")) else "predictions"
    return "taxonomy"
