"""Ontologies: OBO, and SKOS concept schemes in Turtle, RDF/XML or N-Triples, read by rdflib.

Conventions
-----------
- OBO: terms with ``is_a`` and, if asked for, other relations such as ``part_of``. Nodes are called by their ids, with the name
  as title; alternative ids and synonyms find them too. Obsolete terms are left out.
- SKOS: ``rdfs:subClassOf`` counts as ``skos:broader``. A node is called by its preferred label: English, else without a
  language, else the first by language. Where several concepts have one label, the last part of their address is added.
  Alternative labels, notations and addresses find a node too.

References
----------
.. [1] The OBO Flat File Format Specification, version 1.4, http://owlcollab.github.io/oboformat/doc/obo-syntax.html.
.. [2] SKOS Simple Knowledge Organization System Reference, W3C Recommendation 18 August 2009.
"""

import contextlib
import logging
import re

from hierviz.messages.errors import FileError, TaxonomyError, listed
from hierviz.messages.extras import require
from hierviz.readers.class_paths import by_name
from hierviz.readers.sources import translated
from hierviz.readers.taxonomy_forms import taxonomy_form
from hierviz.readers.taxonomy_forms.ontology_terms import IS_A, Term, taxonomy_of_terms

_ONLY = re.compile(r'\{[^{}]*\ball_only="true"')
_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"')


@taxonomy_form(
    "an ontology in OBO",
    (".obo",),
    "`format-version:` or `[Term]`",
    lambda name, lines: any(line.startswith(("format-version:", "[Term]")) for line in lines),
)
def read_obo(source, options):
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
    where = source.where
    terms: dict[str, Term] = {}
    called: dict[str, list[str]] = {}
    for number, kind, frame in _frames(source.read_text()):
        key = _first(frame, "id")
        if kind == "Typedef":
            called[key] = [*map(_value, frame.get("name", ())), *map(_value, frame.get("xref", ()))]
            continue
        if not key:
            raise TaxonomyError(f"{where}:{number}: expected an id in [Term], got none. Correct the file.")
        if key in terms:
            raise TaxonomyError(f"{where}:{number}: expected every term once, got {key!r} again. Remove one.")
        terms[key] = _term(frame)
    detected = {"form": "OBO", **source.detected}
    return taxonomy_of_terms(terms, called, where, options.get("relations"), detected)


def _frames(text):
    """Yield (line, kind, tags with their values) of every [Term] and [Typedef]."""
    frame, start, kind = None, 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line.startswith("["):
            if frame is not None:
                yield start, kind, frame
            kind = line[1:].partition("]")[0]
            frame, start = ({} if kind in ("Term", "Typedef") else None), number
        elif frame is not None and ":" in line and not line.startswith("!"):
            tag, _, value = line.partition(":")
            frame.setdefault(tag.strip(), []).append(value.strip())
    if frame is not None:
        yield start, kind, frame


def _term(frame):
    return Term(
        _first(frame, "name"),
        list(_parents(frame)),
        list(map(_value, frame.get("alt_id", ()))),
        _synonyms(frame),
        _first(frame, "namespace"),
        _first(frame, "is_obsolete") == "true",
    )


def _value(text):
    """A value without its trailing modifiers and comment."""
    return re.sub(r"\s*(\{[^{}]*\})?\s*(!.*)?$", "", text)


def _first(frame, tag):
    return _value(frame[tag][0]) if tag in frame else ""


def _parents(frame):
    """Yield (relation, id of the parent)."""
    for text in frame.get("is_a", ()):
        yield IS_A, _value(text)
    for text in frame.get("relationship", ()):
        if _ONLY.search(text):
            continue  # all parents of this kind are so, which says of none that it is there
        relation, _, parent = _value(text).partition(" ")
        if parent.strip():
            yield relation, parent.strip()


def _synonyms(frame):
    return [match[1].replace('\\"', '"') for text in frame.get("synonym", ()) if (match := _SYNONYM.match(text))]


def looks_like_skos(name, lines):
    """Whether a text is RDF: prefixes, RDF/XML, or triples of addresses."""
    starts = r"^\s*@prefix\s+\S*:\s*<|^\s*PREFIX\s+\S*:\s*<|<rdf:RDF[\s>]"
    is_triples = bool(lines) and all(re.match(r"\s*(<[^<>]*>\s+<[^<>]*>\s.*\.\s*$|#|$)", line) for line in lines)
    return is_triples or re.search(starts, "\n".join(lines), re.MULTILINE) is not None


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


@taxonomy_form(
    "a SKOS concept scheme in Turtle, RDF/XML or N-Triples (needs rdflib)",
    (".ttl", ".rdf", ".nt"),
    "prefixes, `<rdf:RDF>`, or triples of addresses",
    looks_like_skos,
)
@_silent()
def read_skos(source, options):
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
        attributes[key] = {concept: value for concept, value in values.items() if value}
    unnamed, notes = [concept for concept in order if names[concept] is None], []
    if unnamed:
        notes = [f"{where}: {len(unnamed)} concepts without a label are called by their address: {listed(unnamed)}"]
    edges = [(None if parent is None else ids[parent], ids[child]) for parent, child in edges]
    called = {ids[concept]: names[concept] or ids[concept] for concept in order}
    detected = {"form": "SKOS", **source.detected, "syntax": "RDF/XML" if form == "xml" else "Turtle"}
    return by_name(edges, called, where, attributes=attributes, notes=notes, detected=detected)


def _label(graph, concept, predicates):
    """The preferred label of a concept, None when it has none."""

    def rank(label):
        language = getattr(label, "language", None) or ""
        return language.split("-")[0] != "en", language, str(label)

    labels = (min(graph.objects(concept, predicate), key=rank, default=None) for predicate in predicates)
    return next((str(label).strip() for label in labels if label is not None), None)
