"""Ontologies in OBO: terms with ``is_a`` and, if asked for, other relations such as ``part_of``.

Conventions
-----------
Nodes are called by their ids, with the name as title; alternative ids and synonyms find them too. Obsolete terms are left out.

References
----------
.. [1] The OBO Flat File Format Specification, version 1.4, http://owlcollab.github.io/oboformat/doc/obo-syntax.html.
"""

from __future__ import annotations

import re

from hierviz.messages.errors import TaxonomyError, listed
from hierviz.readers.class_paths import taxonomy_of_ids

_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"')


def looks_like(name, lines):
    """Whether a text begins with format-version or has a frame [Term]."""
    return any(line.startswith(("format-version:", "[Term]")) for line in lines)


def read(source, options):
    """Taxonomy of an OBO file: a graph where terms have several parents.

    Parameters
    ----------
    source : Source
    options : dict
        ``relations``: which lead to parents, ``("is_a",)`` when absent.

    Raises
    ------
    TaxonomyError
        If a term has no id, an id is repeated, or a parent is no term.
    """
    where, relations = source.where, options.get("relations") or ("is_a",)
    terms = {}
    for number, frame in _frames(source.read_text()):
        term = _first(frame, "id")
        if not term:
            raise TaxonomyError(f"{where}:{number}: expected an id in [Term], got none. Correct the file.")
        if term in terms:
            raise TaxonomyError(f"{where}:{number}: expected every term once, got {term!r} again. Remove one.")
        terms[term] = frame
    obsolete = [term for term, frame in terms.items() if _first(frame, "is_obsolete") == "true"]
    for term in obsolete:
        del terms[term]
    found = {relation for frame in terms.values() for relation, _ in _parents(frame)}
    unknown = [relation for relation in relations if relation not in found and relation != "is_a"]
    if unknown:
        raise TaxonomyError(
            f"{where}: expected relations among {listed(sorted(found), 9)}, got {listed(unknown)}. Name some of them."
        )
    edges, lost = [], {}
    for term, frame in terms.items():
        above = [parent for relation, parent in _parents(frame) if relation in relations]
        lost |= {parent: term for parent in above if parent not in terms}
        kept = [parent for parent in dict.fromkeys(above) if parent in terms]
        edges += [(parent, term) for parent in kept] or [(None, term)]
    notes = []
    if obsolete:
        notes.append(f"{where}: {len(obsolete)} obsolete terms were left out")
    if lost:
        notes.append(f"{where}: {len(lost)} parents that are no terms of the file were left out: {listed(lost)}")
    others = sorted(found - set(relations))
    if others:
        notes.append(f"{where}: relations that were not used: {', '.join(others)}")
    attributes = {
        "alt_id": {term: "; ".join(_all(frame, "alt_id")) for term, frame in terms.items() if "alt_id" in frame},
        "synonyms": {term: "; ".join(_synonyms(frame)) for term, frame in terms.items() if "synonym" in frame},
        "namespace": {term: _first(frame, "namespace") for term, frame in terms.items() if "namespace" in frame},
    }
    return taxonomy_of_ids(
        edges,
        {term: _first(frame, "name") or term for term, frame in terms.items()},
        where,
        attributes={key: values for key, values in attributes.items() if values},
        notes=notes,
        detected={"form": "OBO", **source.detected, "relations": ", ".join(relations)},
    )


def _frames(text):
    """Yield (line, tags with their values) of every [Term]."""
    frame, start = None, 0
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line.startswith("["):
            if frame is not None:
                yield start, frame
            frame, start = ({}, number) if line.startswith("[Term]") else (None, number)
        elif frame is not None and ":" in line and not line.startswith("!"):
            tag, _, value = line.partition(":")
            frame.setdefault(tag.strip(), []).append(value.strip())
    if frame is not None:
        yield start, frame


def _value(text):
    """A value without its trailing modifiers and comment."""
    return re.sub(r"\s*(\{[^{}]*\})?\s*(!.*)?$", "", text)


def _first(frame, tag):
    return _value(frame[tag][0]) if tag in frame else ""


def _all(frame, tag):
    return [_value(text) for text in frame.get(tag, ())]


def _parents(frame):
    """Yield (relation, id of the parent)."""
    for text in frame.get("is_a", ()):
        yield "is_a", _value(text)
    for text in frame.get("relationship", ()):
        relation, _, parent = _value(text).partition(" ")
        if parent.strip():
            yield relation, parent.strip()


def _synonyms(frame):
    return [match[1].replace('\\"', '"') for text in frame["synonym"] if (match := _SYNONYM.match(text))]
