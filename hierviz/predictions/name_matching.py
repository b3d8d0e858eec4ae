"""The node that a name means where no node has exactly that name: another spelling, a synonym, a title or an id.

Conventions
-----------
An exact name always wins; what is here is asked only about the others. A title or synonym written exactly so by one node
alone comes next: "Cardigan" is the dog, "cardigan" the jacket. Else two spellings are equal when they differ in case,
accents, hyphens, underscores and blanks only (Unicode NFKD). A cell of synonyms ("tench, Tinca tinca") means the node that
its parts agree on, ``n01440764 tench`` the one of the id. Ids are compared unchanged, and none is ever guessed.

A name that fits several nodes is no match: `advice` names them.

Functions
---------
candidates, advice, names_of, codes_of, LooseMatches
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from weakref import WeakKeyDictionary

from hierviz.messages.errors import near_miss
from hierviz.taxonomy.taxonomy import Taxonomy

# Attributes of nodes, in small letters without blanks, - and _, that are ids ...
ID_ATTRIBUTES = frozenset(
    (
        "wnid",
        "synset",
        "synsetid",
        "id",
        "nodeid",
        "code",
        "uuid",
        "classid",
        "categoryid",
        "taxid",
        "taxonid",
        "ncbiid",
    )
    + ("gbifid", "mid", "labelid", "labelname", "notation", "uri", "altid", "altids", "alternativeids")
)
# ... and that are other names.
NAME_ATTRIBUTES = frozenset(
    ("name", "title", "label", "displayname", "words", "lemma", "lemmas", "synonym", "synonyms", "alias", "aliases")
    + ("commonname", "vernacularname", "scientificname", "canonicalname", "preflabel", "altlabel", "altlabels")
)
_ID_AND_NAME = re.compile(r"([nvars]\d{8})[\s,:_-]+(\S.*)", re.DOTALL)
_GAP = re.compile(r"[\s_\-\u2010-\u2015]+")
_TIGHT = re.compile(r"[ '\u2018\u2019`]+")
# "crane (bird)", and names of WordNet's synsets such as "crane.n.01".
_QUALIFIED = re.compile(r"(\S.*?)(?:\s*[(\[][^()\[\]]*[)\]]|\.[nvars]\.\d\d)")
_known: WeakKeyDictionary = WeakKeyDictionary()


def normal(text: str) -> str:
    """A name in small letters without accents, with one blank for hyphens, underscores and blanks."""
    if not text.isascii():
        text = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return _GAP.sub(" ", text).strip().casefold()


def names_of(taxonomy: Taxonomy) -> Iterator[tuple[int, str]]:
    """Yield (node, name) of all names, titles and other names of the nodes, as they are written."""
    yield from enumerate(taxonomy.names)
    yield from enumerate(taxonomy.titles or ())
    yield from _values_of(taxonomy, NAME_ATTRIBUTES)


def codes_of(taxonomy: Taxonomy) -> Iterator[tuple[int, str]]:
    """Yield (node, id) of all ids of the nodes."""
    yield from _values_of(taxonomy, ID_ATTRIBUTES)


def _values_of(taxonomy, known):
    for key, values in taxonomy.attributes.items():
        if re.sub(r"[\s_-]", "", str(key).casefold()) in known:
            yield from ((node, text) for node, value in enumerate(values) for text in _texts(value))


def candidates(text: str, taxonomy: Taxonomy) -> list[int]:
    """Nodes that a name could mean, in ascending order; one when it is clear, none when nothing fits.

    Parameters
    ----------
    text : str
        Not exactly the name of a node.
    taxonomy : Taxonomy
    """
    names = _spellings(taxonomy)
    if (whole := names.of(text)) or not text.strip():
        return sorted(whole)
    both = _ID_AND_NAME.fullmatch(text.strip())
    if both:
        return sorted(names.of(both[1]) or names.of(both[2]) or _agreed(names, both[2].split(",")))
    parts = [part for part in text.split(",") if part.strip()]
    # "7, cat" is a number and a name, no two names.
    return sorted(_agreed(names, parts)) if len(parts) > 1 and not any(map(_is_number, parts)) else []


def _agreed(names, parts):
    """Nodes of synonyms: those of an id, else those that only one node has, else all."""
    fitting = [(part, found) for part in parts if (found := names.of(part))]
    of_ids = [found for part, found in fitting if len(found) == 1 and found == names.ids.get(part.strip())]
    clear = [found for _, found in fitting if len(found) == 1]
    return set().union(*(of_ids[:1] or clear or [found for _, found in fitting]))


def _is_number(text):
    return re.fullmatch(r"[+-]?\d+([.,]\d+)?", text.strip()) is not None


def advice(text: str, taxonomy: Taxonomy, otherwise: str = "") -> str:
    """The sentence after an error about an unknown name: what fits, what is near, or `otherwise`."""
    fitting = candidates(text, taxonomy)
    if len(fitting) > 1:
        both = "Both" if len(fitting) == 2 else f"{len(fitting)} nodes"
        shown = [_with_title(node, taxonomy) for node in fitting[:5]]
        more = f" and {len(fitting) - 5} more" if len(fitting) > 5 else ""
        return f" {both} fit: {' and '.join(shown) if len(shown) == 2 else ', '.join(shown)}{more}. Write the one you mean."
    return near_miss(text, taxonomy.names) or otherwise


def _with_title(node, taxonomy):
    name, title = taxonomy.names[node], taxonomy.title(node)
    return repr(name) if title == name else f"{name!r} ({title!r})"


class LooseMatches:
    """Names that were found although they are written otherwise than the nodes, for a note."""

    def __init__(self, taxonomy: Taxonomy):
        self.taxonomy = taxonomy
        self.nodes: dict[str, int | None] = {}
        self.settled: dict[str, int] = {}

    def find(self, text: str) -> int | None:
        """The node that `text`, no exact name, clearly means; None when there is none or there are several."""
        if text not in self.nodes:
            fitting = candidates(text, self.taxonomy)
            self.nodes[text] = fitting[0] if len(fitting) == 1 else None
        return self.nodes[text]

    def settle(self, names: Sequence[str], nodes: list[int | None]) -> list[int | None]:
        """Nodes of the classes of a list, each a class of its own: a name that fits several means the one that no other has.

        That is certain only where all other nodes that it fits are clearly those of other names: what follows from another name
        that was settled so is not taken, nor one node for two names. `notes` says each of them.

        Parameters
        ----------
        names : sequence of str
        nodes : list of int or None
            Of each name, None where there is none or there are several.
        """
        nodes, clear = list(nodes), {node for node in nodes if node is not None}
        left: dict[int, list[int]] = {}
        for k, node in enumerate(nodes):
            fitting = candidates(names[k], self.taxonomy) if node is None else []
            rest = [one for one in fitting if one not in clear]
            if len(fitting) > 1 and len(rest) == 1:
                left.setdefault(rest[0], []).append(k)
        for node, places in left.items():
            if len(places) == 1:
                nodes[places[0]] = node
                self.settled[names[places[0]]] = node
        return nodes

    def notes(self, where: str, only: Iterable[str] | None = None) -> list[str]:
        """No note, or one with the number of names and three examples."""
        kept = None if only is None else set(only)
        found = [
            (text, node) for text, node in self.nodes.items() if node is not None and (kept is None or text in kept)
        ]
        settled = [
            f"{where}: {text!r} fits several nodes and was matched to {self.taxonomy.names[node]!r}, the only one that no other "
            "class of the list matches; if another is meant, write its name"
            for text, node in self.settled.items()
        ]
        if not found:
            return settled
        shown = ", ".join(f"{text!r} is {self.taxonomy.names[node]!r}" for text, node in found[:3])
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        names = "name was" if len(found) == 1 else "names were"
        return [
            f"{where}: {len(found)} {names} matched by meaning (spelling, synonym, title or id): {shown}{more}",
            *settled,
        ]


class _Spellings:
    """Other names of the nodes of a taxonomy: ids unchanged, and names by grade."""

    def __init__(self, taxonomy):
        self.ids: dict[str, set] = {}
        # Whole names and their synonyms, unchanged.
        self.exact: tuple[dict, ...] = ({}, {})
        # The plain names first, then synonyms, what comes before "(bird)" or ".n.01", and names without blanks.
        self.grades: tuple[dict, ...] = ({}, {}, {}, {})
        plain, other, before, tight = self.grades
        for node, name in chain(enumerate(taxonomy.names), codes_of(taxonomy)):
            self._add(self.ids, name, node)
        for node, name in names_of(taxonomy):
            self._add_name(name, node)
        for key, nodes in list(plain.items()):
            if qualified := _QUALIFIED.fullmatch(key):
                before.setdefault(qualified[1], set()).update(nodes)
        for grade in (plain, other):
            for key, nodes in grade.items():
                tight.setdefault(_TIGHT.sub("", key), set()).update(nodes)

    @staticmethod
    def _add(table, text, node):
        if text:
            table.setdefault(text, set()).add(node)

    def _add_name(self, text, node):
        parts = text.split(",")
        for place, names in enumerate(([text], parts if len(parts) > 1 else ())):
            for name in names:
                self._add(self.exact[place], name.strip(), node)
                self._add(self.grades[place], normal(name), node)

    def of(self, text):
        """Nodes that a text fits, by the first of: an id, an unchanged name, a name, a synonym, a name before brackets, one
        without blanks."""
        text = text.strip()
        if text in self.ids:
            return self.ids[text]
        exact = next((names[text] for names in self.exact if text in names), set())
        if len(exact) == 1:
            return exact
        key = normal(text)
        keys = (key, key, key, _TIGHT.sub("", key))
        return next((grade[k] for grade, k in zip(self.grades, keys, strict=True) if k and k in grade), set())


def _texts(value):
    """What an attribute says, as texts."""
    if value is None or isinstance(value, bool):
        return []
    if isinstance(value, (list, tuple)):
        return [str(part).strip() for part in value]
    if isinstance(value, float):
        return [str(int(value))] if value.is_integer() else []
    return [part.strip() for part in re.split(r"[;|]", str(value))]


def _spellings(taxonomy):
    known = _known.get(taxonomy)
    if known is None:
        known = _known[taxonomy] = _Spellings(taxonomy)
    return known
