"""Terms of an ontology as a taxonomy: whatever the file, one way from terms with relations to nodes with parents.

Conventions
-----------
Nodes are called by the ids of terms, with the name as title; other ids and synonyms find them too. Obsolete terms are left out,
and so are parents that are no terms, and terms that would be above themselves. A relation is called by its id, its name or what
it is the same as: ``part_of`` is also ``BFO:0000050``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hierviz.messages.errors import TaxonomyError, listed
from hierviz.readers.class_paths import taxonomy_of_ids
from hierviz.taxonomy.taxonomy import Taxonomy

IS_A = "is_a"
# Relations that a note names.
MOST_NAMED = 5


@dataclass
class Term:
    """A class of an ontology.

    Parameters
    ----------
    name : str
    parents : list of (str, str)
        Relation and id of each parent.
    other_ids, synonyms : list of str
    namespace : str
    is_obsolete : bool
    """

    name: str = ""
    parents: list[tuple[str, str]] = field(default_factory=list)
    other_ids: list[str] = field(default_factory=list)
    synonyms: list[str] = field(default_factory=list)
    namespace: str = ""
    is_obsolete: bool = False


def taxonomy_of_terms(
    terms: Mapping[str, Term],
    called: Mapping[str, Sequence[str]],
    where: str,
    relations: Sequence[str] | None,
    detected: Mapping[str, str],
) -> Taxonomy:
    """Taxonomy of terms: a graph where terms have several parents.

    Parameters
    ----------
    terms : dict of id to Term
    called : dict of id to list of str
        Names and other ids of relations.
    where : str
    relations : sequence of str, optional
        Which lead to parents, ``is_a`` when absent.
    detected : dict of str to str

    Raises
    ------
    TaxonomyError
        If a relation is not there, or there are no terms.
    """
    asked = tuple(relations or (IS_A,))
    kept = {key: term for key, term in terms.items() if not term.is_obsolete}
    found = sorted({relation for term in kept.values() for relation, _ in term.parents})
    names = {relation: {_folded(name) for name in (relation, *called.get(relation, ()))} for relation in found}
    unknown = [one for one in asked if one != IS_A and not any(_folded(one) in names[relation] for relation in found)]
    if unknown:
        shown = [_shown(relation, called) for relation in found]
        raise TaxonomyError(
            f"{where}: expected relations among {listed(shown, 9)}, got {listed(unknown)}. Name some of them."
        )
    used = {relation for relation in found if any(_folded(one) in names[relation] for one in asked)}
    edges: list[tuple[str | None, str]] = []
    lost: dict[str, str] = {}
    for key, term in kept.items():
        above = dict.fromkeys(parent for relation, parent in term.parents if relation in used and parent != key)
        lost |= {parent: key for parent in above if parent not in kept}
        inside = [parent for parent in above if parent in kept]
        edges += [(parent, key) for parent in inside] or [(None, key)]
    notes, n_obsolete = [], len(terms) - len(kept)
    if n_obsolete:
        notes.append(f"{where}: {n_obsolete} obsolete terms were left out")
    if lost:
        notes.append(f"{where}: {len(lost)} parents that are no terms of the file were left out: {listed(lost)}")
    if others := [_shown(relation, called) for relation in found if relation not in used]:
        more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
        notes.append(f"{where}: relations that were not used: {', '.join(others[:MOST_NAMED])}{more}")
    attributes = {
        "alt_id": {key: "; ".join(term.other_ids) for key, term in kept.items() if term.other_ids},
        "synonyms": {key: "; ".join(term.synonyms) for key, term in kept.items() if term.synonyms},
        "namespace": {key: term.namespace for key, term in kept.items() if term.namespace},
    }
    attributes = {key: values for key, values in attributes.items() if values}
    titles = {key: term.name or key for key, term in kept.items()}
    detected = {**detected, "relations": ", ".join(asked)}
    return taxonomy_of_ids(edges, titles, where, attributes=attributes, notes=notes, detected=detected)


def _folded(name):
    return name.strip().casefold().replace(" ", "_")


def _shown(relation, called):
    """A relation by its id, with its name where that says something else."""
    other = next((name for name in called.get(relation, ()) if _folded(name) != _folded(relation)), None)
    return relation if other is None else f"{relation} ({other})"
