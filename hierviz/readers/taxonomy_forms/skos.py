"""SKOS concept schemes in Turtle, RDF/XML or N-Triples, read by rdflib; ``rdfs:subClassOf`` counts as ``skos:broader``.

Conventions
-----------
A node is called by its preferred label: English, else without a language, else the first by language. Where several concepts
have one label, the last part of their address is added. Alternative labels, notations and addresses find a node too.

References
----------
.. [1] SKOS Simple Knowledge Organization System Reference, W3C Recommendation 18 August 2009.
"""

from __future__ import annotations

import contextlib
import logging
import re

from hierviz.messages.errors import FileError, TaxonomyError, listed
from hierviz.messages.extras import require
from hierviz.readers.class_paths import by_name
from hierviz.readers.sources import translated


def looks_like(name, lines):
    """Whether a text is RDF: prefixes, RDF/XML, or triples of addresses."""
    text = "\n".join(lines)
    is_triples = bool(lines) and all(re.match(r"\s*(<[^<>]*>\s+<[^<>]*>\s.*\.\s*$|#|$)", line) for line in lines)
    return (
        re.search(r"^\s*@prefix\s+\S*:\s*<|^\s*PREFIX\s+\S*:\s*<|<rdf:RDF[\s>]", text, re.MULTILINE) is not None
        or is_triples
    )


@contextlib.contextmanager
def _silent():
    """Keep from standard error what rdflib logs about addresses and values that it takes all the same."""
    log, silent = logging.getLogger("rdflib"), logging.NullHandler()
    propagates, log.propagate = log.propagate, False
    log.addHandler(silent)
    try:
        yield
    finally:
        log.propagate = propagates
        log.removeHandler(silent)


@_silent()
def read(source, options):
    """Taxonomy of a concept scheme: a graph where a concept has several broader ones.

    Raises
    ------
    FileError
        If it cannot be parsed.
    TaxonomyError
        If it holds no concepts that are below others.
    """
    where = source.where
    require(where, "ontologies", "rdflib")
    import rdflib
    from rdflib.namespace import RDF, RDFS, SKOS

    text, graph = source.read_text(), rdflib.Graph()
    form = "xml" if "<rdf:RDF" in text[:20_000] else "turtle"
    with translated(where):
        try:
            graph.parse(data=text, format=form)
        except Exception as error:  # every parser of rdflib raises its own kinds
            line = getattr(error, "lines", None)
            place = where if line is None else f"{where}:{line + 1}"
            said = re.sub(r"\s+", " ", str(getattr(error, "message", error)))[:80]
            raise FileError(f"{place}: expected RDF in {form}, got an error ({said}). Correct the file.") from None
    above: dict = {}
    pairs = [(s, o) for p in (SKOS.broader, RDFS.subClassOf) for s, o in graph.subject_objects(p)]
    pairs += [(o, s) for s, o in graph.subject_objects(SKOS.narrower)]
    for child, parent in pairs:
        if isinstance(child, rdflib.URIRef) and isinstance(parent, rdflib.URIRef) and child != parent:
            above.setdefault(str(child), {})[str(parent)] = None
    concepts = {str(s) for s in graph.subjects(RDF.type, SKOS.Concept)} | set(above)
    concepts |= {parent for parents in above.values() for parent in parents}
    if not above:
        raise TaxonomyError(
            f"{where}: expected concepts with skos:broader, skos:narrower or rdfs:subClassOf, got none. Is it a concept scheme?"
        )
    order = sorted(concepts)
    edges = [(parent, child) for child in order for parent in sorted(above.get(child, ()))]
    edges += [(None, child) for child in order if child not in above]
    names = {concept: _label(graph, rdflib.URIRef(concept), (SKOS.prefLabel, RDFS.label)) for concept in order}
    short = {concept: re.split(r"[/#]", concept.rstrip("/#"))[-1] for concept in order}
    ids = short if len(set(short.values())) == len(short) else dict(zip(order, order, strict=True))
    attributes = {"uri": {ids[concept]: concept for concept in order}}
    for key, predicate in (("notation", SKOS.notation), ("alt_labels", SKOS.altLabel)):
        values = {ids[c]: "; ".join(sorted(map(str, graph.objects(rdflib.URIRef(c), predicate)))) for c in order}
        if any(values.values()):
            attributes[key] = {concept: value for concept, value in values.items() if value}
    unnamed = [concept for concept in order if names[concept] is None]
    notes = (
        [f"{where}: {len(unnamed)} concepts without a label are called by their address: {listed(unnamed)}"]
        if unnamed
        else []
    )
    return by_name(
        [(None if parent is None else ids[parent], ids[child]) for parent, child in edges],
        {ids[concept]: names[concept] or ids[concept] for concept in order},
        where,
        attributes=attributes,
        notes=notes,
        detected={"form": "SKOS", **source.detected, "syntax": "RDF/XML" if form == "xml" else "Turtle"},
    )


def _label(graph, concept, predicates):
    """The preferred label of a concept, None when it has none."""
    for predicate in predicates:
        labels = sorted(
            graph.objects(concept, predicate),
            key=lambda label: (
                (getattr(label, "language", None) or "").split("-")[0] != "en",
                getattr(label, "language", None) or "",
                str(label),
            ),
        )
        if labels:
            return str(labels[0]).strip()
    return None
