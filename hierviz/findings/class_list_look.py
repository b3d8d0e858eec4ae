"""All that is wrong with a class list."""

from __future__ import annotations

import os
from pathlib import Path

from hierviz.findings.finding import counted
from hierviz.messages.errors import HiervizError, listed
from hierviz.predictions.name_matching import LooseMatches, advice
from hierviz.readers.class_lists.registry import read_class_list
from hierviz.readers.labels import find_node


def look_at_classes(classes, taxonomy, found):
    """Note the faults of a class list.

    Parameters
    ----------
    classes : str, path, or names
        As `load_predictions` takes them.
    taxonomy : Taxonomy
    found : Findings

    Returns
    -------
    classes : as given, or None
        None where predictions cannot be read by it.
    numbers : dict of int to int or None
        Node of each number of the list.
    """
    where = Path(classes).name if isinstance(classes, (str, os.PathLike)) else "classes"
    try:
        read = read_class_list(classes, taxonomy)
    except HiervizError as error:
        found.failed(error, where)
        return None, None
    loose = LooseMatches(taxonomy)
    nodes = loose.settle(read.names, [find_node(name, taxonomy, loose=loose) for name in read.names])
    unknown = [(place, name) for (place, name), node in zip(read.entries, nodes, strict=True) if node is None]
    if unknown:
        text = f"{counted(len(unknown), 'class is', 'classes are')} not in the taxonomy: {listed(name for _, name in unknown)}."
        found.note("unknown_names", unknown[0][0], text + advice(unknown[0][1], taxonomy))
    first: dict = {}
    twice = [
        (place, name)
        for (place, name), node in zip(read.entries, nodes, strict=True)
        if first.setdefault(node, place) != place
    ]
    twice = [(place, name) for place, name in twice if (place, name) not in unknown]
    if twice:
        text = (
            f"{counted(len(twice), 'class stands', 'classes stand')} there twice: {listed(name for _, name in twice)}."
        )
        found.note("repeated_classes", twice[0][0], text)
    for note in loose.notes(where):
        found.note("other_spellings", where, note.partition(": ")[2] + ".")
    if unknown or twice:
        return None, None
    return classes, dict(zip(read.numbers, nodes, strict=True))
