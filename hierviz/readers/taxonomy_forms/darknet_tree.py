"""Darknet's WordTree: ``name parent`` in each line, the parent as the number of its line from 0, -1 for none.

References
----------
.. [1] J. Redmon and A. Farhadi, YOLO9000: better, faster, stronger, CVPR 2017.
"""

from __future__ import annotations

import re

from hierviz.messages.errors import TaxonomyError
from hierviz.readers.sources import open_source
from hierviz.readers.taxonomy_forms.named_nodes import taxonomy_of_ids


def looks_like(name, lines):
    """Whether the lines are names with -1 or the number of an earlier line, the first with -1."""
    found = [re.fullmatch(r"(\S+)\s+(-1|\d+)\s*", line) for line in lines]
    return (
        all(found)
        and found[0][2] == "-1"
        and all(int(match[2]) < k for k, match in enumerate(found))
        and len(found) > 1
    )


def read(source, options):
    """Taxonomy of a ``.tree``; names of the classes come from ``<name>.names`` beside it, one a line, where that is there.

    Raises
    ------
    TaxonomyError
        If a line is no name and number, the number is that of no other line, or a name stands there twice.
    """
    where, names, parents, seen = source.where, [], [], {}
    lines = [(k, line.strip()) for k, line in enumerate(source.read_text().split("\n"), 1) if line.strip()]
    for number, line in lines:
        match = re.fullmatch(r"(\S+)\s+(-?\d+)", line)
        if match is None or not -1 <= int(match[2]) < len(lines) or int(match[2]) == len(names):
            raise TaxonomyError(
                f"{where}:{number}: expected a name and the number of its parent's line (0 to {len(lines) - 1}, or -1), got "
                f"{line!r:.60}. Correct it."
            )
        if match[1] in seen:
            raise TaxonomyError(f"{where}:{number}: expected every name once, got {match[1]!r} again. Rename one.")
        seen[match[1]] = number
        names.append(match[1])
        parents.append(int(match[2]))
    edges = [(None if parent < 0 else names[parent], name) for parent, name in zip(parents, names, strict=True)]
    titles, notes = _titles(source, names)
    detected = {"form": "darknet tree", **source.detected, "direction": "name, number of the parent"}
    return taxonomy_of_ids(edges, titles, where, notes=notes, detected=detected)


def _titles(source, names):
    """Titles of the classes from the names beside the tree, and a note about them."""
    beside = source.path.with_suffix(".names") if source.pipe is None else None
    if beside is None or not beside.is_file():
        return None, []
    lines = [line.strip() for line in open_source(beside, "names of classes").read_text().split("\n") if line.strip()]
    if len(lines) != len(names):
        return None, [f"{beside.name} beside {source.where} was not used: {len(lines)} names for {len(names)} classes"]
    return dict(zip(names, lines, strict=True)), [
        f"the names of the classes come from {beside.name} beside {source.where}"
    ]
