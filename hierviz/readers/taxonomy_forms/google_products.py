"""Google's product taxonomy: ``Animals > Live Animals`` in each line, with or without ``3237 -`` in front of it."""

from __future__ import annotations

import re

from hierviz.messages.errors import TaxonomyError
from hierviz.readers.class_paths import Places, taxonomy_of_places

_LINE = re.compile(r"(?:(\d+)\s+-\s+)?(\S.*)")


def looks_like(name, lines):
    """Whether the first line says so, or all lines begin with an id and a hyphen."""
    if lines[0].lstrip("\ufeff").startswith("# Google_Product_Taxonomy"):
        return True
    return (
        len(lines) > 1 and all(re.match(r"\d+ - \S", line) for line in lines) and any(" > " in line for line in lines)
    )


def read(source, options):
    """Taxonomy of the lines; the ids become the attribute ``id``."""
    where, places, ids = source.where, Places(), {}
    for number, line in enumerate(source.read_text().split("\n"), 1):
        line = line.strip().lstrip("\ufeff")
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        path = [step.strip() for step in re.split(r"(?:^|\s)>(?=\s|$)", match[2])]
        if "" in path:
            raise TaxonomyError(f"{where}:{number}: expected a name between all '>', got {line!r:.80}. Correct it.")
        above = Places.TOP
        for step in path:
            above = places.add(above, step)
        if match[1]:
            ids[above] = int(match[1])
    if not len(places):
        raise TaxonomyError(
            f"{where}: expected classes such as 'Animals > Live Animals', got none. Is the file complete?"
        )
    detected = {"form": "Google product taxonomy", **source.detected, "separator": ">"}
    return taxonomy_of_places(places, where, detected=detected, attributes={"id": ids} if ids else None)
