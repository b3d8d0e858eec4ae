"""The labelling interface of Label Studio: ``<Taxonomy>`` with ``<Choice value="...">`` inside ``<Choice>``, or ``<Choices>``."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hierviz.messages.errors import TaxonomyError
from hierviz.readers.class_paths import Places, taxonomy_of_places

_START = re.compile(r"<(View|Taxonomy|Choices)[\s>]")


def looks_like(name, lines):
    """Whether a text is an interface with choices."""
    text = "\n".join(lines)
    return _START.search(text) is not None and "<Choice" in text


def read(source, options):
    """Taxonomy of the choices of the first ``<Taxonomy>``, else of the first ``<Choices>``.

    Raises
    ------
    TaxonomyError
        If it is no XML, holds no choices, or a choice has no value or stands twice at one place.
    """
    where, text = source.where, source.read_text()
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise TaxonomyError(f"{where}: expected an interface without DOCTYPE, got one. Remove it.")
    try:
        root = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        line, column = error.position
        raise TaxonomyError(
            f"{where}:{line}: expected XML, got an error in column {column + 1}. Correct the file."
        ) from None
    tops = [*root.iter("Taxonomy"), *root.iter("Choices")]
    if not tops:
        raise TaxonomyError(f"{where}: expected <Taxonomy> or <Choices>, got neither. Is it a labelling interface?")
    places, aliases = Places(), {}
    waiting = [(choice, Places.TOP) for choice in reversed(tops[0].findall("Choice"))]
    while waiting:
        choice, above = waiting.pop()
        value = (choice.get("value") or "").strip()
        if not value or places.has(above, value):
            got = f"{value!r} again" if value else "none"
            raise TaxonomyError(f"{where}: expected a value of its own for every <Choice>, got {got}. Correct it.")
        number = places.add(above, value)
        if choice.get("alias"):
            aliases[number] = choice.get("alias")
        waiting.extend((child, number) for child in reversed(choice.findall("Choice")))
    if not len(places):
        raise TaxonomyError(f"{where}: expected <Choice> inside <{tops[0].tag}>, got none. Is the file complete?")
    notes = [f"{where}: the first of {len(tops)} lists of choices was read"] if len(tops) > 1 else []
    detected = {"form": "Label Studio interface", **source.detected, "name": tops[0].get("name", "")}
    attributes = {"alias": aliases} if aliases else None
    return taxonomy_of_places(places, where, notes=notes, detected=detected, attributes=attributes)
