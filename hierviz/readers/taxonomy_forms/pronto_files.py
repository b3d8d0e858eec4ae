"""Ontologies in OWL (RDF/XML) and obographs (JSON), read by pronto: terms with ``is_a`` and, if asked for, other relations.

Imports of other ontologies are not followed: nothing is fetched. Without pronto, OWL is read by rdflib, by its subclasses alone,
and names of nodes are labels, not ids; a note says so.

References
----------
.. [1] https://pronto.readthedocs.io
.. [2] https://github.com/geneontology/obographs
"""

from __future__ import annotations

import io
import json
import re
import warnings
from dataclasses import replace
from importlib.util import find_spec
from xml.etree import ElementTree

from hierviz.messages.errors import FileError
from hierviz.messages.extras import require
from hierviz.readers.sources import translated
from hierviz.readers.taxonomy_forms import taxonomy_form
from hierviz.readers.taxonomy_forms.ontologies import read_skos
from hierviz.readers.taxonomy_forms.ontology_terms import IS_A, Term, taxonomy_of_terms

_NODE, _ABOUT, _RESOURCE = (
    f"{{http://www.w3.org/1999/02/22-rdf-syntax-ns#}}{key}" for key in ("nodeID", "about", "resource")
)
_SUBCLASS, _LABEL = (f"{{http://www.w3.org/2000/01/rdf-schema#}}{key}" for key in ("subClassOf", "label"))
_CLASS, _PROPERTY, _RESTRICTION, _ON, _TARGET = (
    f"{{http://www.w3.org/2002/07/owl#}}{key}"
    for key in ("Class", "ObjectProperty", "Restriction", "onProperty", "someValuesFrom")
)
# Relations of obographs that are not in the file.
_OF_OBOGRAPHS = ("is_a", "subPropertyOf", "inverseOf", "type")
_NOT_THERE = "(not in the file)"


def looks_like_owl(name, lines):
    """Whether a text is RDF/XML with classes of OWL."""
    text = "\n".join(lines)
    return (
        "<rdf:RDF" in text and re.search(r"<owl:(Ontology|Class|ObjectProperty|AnnotationProperty)\b", text) is not None
    )


def looks_like_obographs(name, lines):
    """Whether a text begins as the JSON of obographs."""
    return re.match(r'\s*\{\s*"graphs"\s*:\s*\[', "\n".join(lines)) is not None


@taxonomy_form(
    "an ontology in OWL (RDF/XML), such as the Cell Ontology (needs pronto)",
    (".owl", ".rdf"),
    "`<rdf:RDF>` with `<owl:Ontology>` or `<owl:Class>`",
    looks_like_owl,
)
def read_owl(source, options):
    """Taxonomy of the classes of an OWL file.

    Raises
    ------
    FileError
        If it cannot be parsed.
    TaxonomyError
        If it holds no classes, or lacks a relation that is asked for.
    """
    if find_spec("pronto") is None and not options.get("relations"):
        made = read_skos(source, options)
        note = (
            f"{source.where}: read without the package pronto: the nodes have their labels as names, and subclasses are the only "
            "relation. With pronto their names are ids such as CL:0000236, and relations such as part_of can be used"
        )
        return replace(made, notes=(*made.notes, note))
    return _read(source, options, "OWL")


@taxonomy_form(
    "an ontology in JSON as obographs (needs pronto)",
    (".json",),
    "`graphs` with nodes and edges",
    looks_like_obographs,
)
def read_obographs(source, options):
    """Taxonomy of the classes of obographs; errors as of `read_owl`."""
    return _read(source, options, "obographs")


def _read(source, options, form):
    where = source.where
    require(where, "owl", "pronto")
    import pronto

    text = source.read_text()
    with translated(where), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about what has no counterpart in OBO
        try:
            content = _owl_made_whole(text) if form == "OWL" else _obographs_made_whole(text)
            ontology = pronto.Ontology(io.BytesIO(content), import_depth=0)
            # Pronto gives them in another order each time.
            every = sorted(ontology.terms(), key=lambda term: term.id)
            terms = {term.id: _term(term) for term in every if term.name != _NOT_THERE}
            relations = {one.id: [one.name or "", *(xref.id for xref in one.xrefs)] for one in ontology.relationships()}
        except Exception as error:  # each parser of pronto raises its own kinds
            said = re.sub(r"\s+", " ", str(error))[:120] or type(error).__name__
            raise FileError(
                f"{where}: expected an ontology in {form} that pronto reads, got an error ({said}). Convert it to OBO (robot "
                "convert)."
            ) from None
    called = {key: [name for name in names if name and name != _NOT_THERE] for key, names in relations.items()}
    detected = {"form": form, **source.detected}
    return taxonomy_of_terms(terms, called, where, options.get("relations"), detected)


def _owl_made_whole(text):
    """OWL as pronto needs it.

    Each restriction is inside the class that it is of rather than named by a number of its node, and what is named but not in the
    file has an entry, called `_NOT_THERE`.
    """
    root = ElementTree.fromstring(text)
    elsewhere = {element.get(_NODE): element for element in root.iter(_RESTRICTION) if element.get(_NODE)}
    for element in root.iter(_SUBCLASS):
        restriction = elsewhere.get(element.get(_NODE))
        if restriction is not None and not len(element):
            inside = ElementTree.SubElement(element, _RESTRICTION)
            inside.extend(restriction)
            del element.attrib[_NODE]
    for kind, naming in ((_CLASS, (_SUBCLASS, _TARGET)), (_PROPERTY, (_ON,))):
        declared = {element.get(_ABOUT) for element in root.iter(kind)}
        named = dict.fromkeys(element.get(_RESOURCE) for name in naming for element in root.iter(name))
        for one in named:
            if one is not None and one not in declared:
                entry = ElementTree.SubElement(root, kind, {_ABOUT: one})
                ElementTree.SubElement(entry, _LABEL).text = _NOT_THERE
    return ElementTree.tostring(root)


def _obographs_made_whole(text):
    """Obographs with an entry, called `_NOT_THERE`, for what edges name and is not in the file."""
    said = json.loads(text)
    for graph in said["graphs"]:
        nodes, edges = graph.setdefault("nodes", []), graph.get("edges", [])
        declared = {node["id"] for node in nodes}
        terms = dict.fromkeys(edge[end] for edge in edges for end in ("sub", "obj"))
        relations = dict.fromkeys(edge["pred"] for edge in edges if edge["pred"] not in _OF_OBOGRAPHS)
        for kind, named in (("CLASS", terms), ("PROPERTY", relations)):
            nodes += [{"id": one, "lbl": _NOT_THERE, "type": kind} for one in named if one not in declared]
    return json.dumps(said).encode()


def _term(term):
    """What is kept of a term of pronto; parents in the order of their ids."""
    parents = [(IS_A, one.id) for one in term.superclasses(distance=1, with_self=False)]
    parents += [(relation.id, one.id) for relation, others in term.relationships.items() for one in others]
    synonyms = sorted({one.description for one in term.synonyms})
    return Term(
        term.name or "",
        sorted(parents, key=lambda pair: (pair[0] != IS_A, pair)),
        sorted(term.alternate_ids),
        synonyms,
        term.namespace or "",
        bool(term.obsolete),
    )
