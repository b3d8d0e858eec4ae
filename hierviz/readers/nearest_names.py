"""Names that a taxonomy does not hold → the class whose name is nearest, for an expert to review.

Conventions
-----------
How sure a match is: 1 − (edits / letters) of the word that differs most, in [0, 1]. An edit is a letter that is added, left out
or replaced, or two neighbours that are exchanged. A single slip, such an exchange or a letter that is doubled or not, is half an
edit: it hardly ever makes another name. Case, accents, hyphens and punctuation make no difference, nor do

- a plural (``red foxes``), British ``grey``;
- the ending of a Latin epithet (``alba, albus``; ``smithi, smithii``), and its author: ``Vulpes vulpes (Linnaeus, 1758)``;
- ``sp.`` and ``spp.`` after a genus: the genus is meant.

Never mapped: what is below the limit; what two classes lie within the limit of; words that begin with another letter (``house,
mouse``), have fewer than five letters (of several words three, with a slip) or hold digits (``World War 1``); another number of
words; another rank (``Felidae, Felinae``). A scientific binomial needs an equal genus, so that only epithets are compared. Genera
and families differ by a letter from others (``Boidae, Bovidae``), so that scientific names of one word are mapped only for a slip
(``Lasioglosum``).

Functions
---------
nearest : the mapping of names that are in no taxonomy.
n_edits : how far two words are apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from hierviz.messages.errors import PredictionsError
from hierviz.predictions.name_mapping import MappedName, NameMapping
from hierviz.predictions.name_matching import names_of, normal
from hierviz.taxonomy.checks import check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

# One edit in seven letters, two in 14.
LIMIT = 0.85
# Letters of words that may differ; a slip may be in a shorter word of several ("red foxx").
SHORTEST, SHORTEST_OF_SEVERAL = 5, 3
_APOSTROPHES = re.compile(r"[.'’‘`´]")
_DOUBLED = re.compile(r"(.)\1+")
_WORD = re.compile(r"\w+")
_BINOMIAL = re.compile(r"[A-Z][a-zë]+(?: [×x])? ×?[a-zë][a-zë-]+(?: [a-zë-]+)?")
_LATIN = re.compile(r".*(?:us|a|um|is|e|i|o|ns|or|[aeioy]x|es|as|os|on|er|en)")
_AUTHOR = re.compile(r"([A-Z][a-zë]+ ×?[a-zë][a-zë-]+(?: [a-zë-]+)?),? (?:\(.*|[A-Z].*)")
_OF_GENUS = re.compile(r"([A-Z][a-zë]+) spp?\.?")
# Endings of one epithet with nouns of another gender, and of one name in two spellings.
_DECLENSIONS = (("us", "a", "um"), ("is", "e"), ("er", "ra", "rum"), ("i", "ii"), ("ae", "iae"))
_RANKS = (
    "oidea",
    "oideae",
    "idae",
    "inae",
    "aceae",
    "eae",
    "ales",
    "ineae",
    "ini",
    "formes",
    "oidei",
    "mycetes",
    "phyta",
)
_known: WeakKeyDictionary = WeakKeyDictionary()


def nearest(
    names: Sequence[str], counts: Sequence[int] | None, taxonomy: Taxonomy, *, limit: float = LIMIT
) -> NameMapping:
    """Map names to the classes whose names are nearest.

    Parameters
    ----------
    names : sequence of str
        That no class has, each once.
    counts : sequence of int, optional
        How often each name was given; 1 when absent.
    taxonomy : Taxonomy
        Names, titles and synonyms of its classes are compared.
    limit : float
        In (0, 1]. The least similarity that is mapped.

    Returns
    -------
    NameMapping
        A row for each name, in their order; without a class where none is near, or several are.

    Raises
    ------
    PredictionsError
        If there are not as many counts as names, or the limit is none.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "red fox"), ("animal", "coyote")])
    >>> mapping = nearest(["red foxx", "cyote", "coyoet", "wolf"], [3, 1, 1, 1], taxonomy)
    >>> for row in mapping:
    ...     print(row.given, row.sure, mapping.note(row))
    red foxx 0.875 nearest name
    cyote None no class is near
    coyoet 0.917 nearest name
    wolf None no class is near
    """
    check_taxonomy(taxonomy, "It comes after the names and their counts.")
    if not 0 < limit <= 1:
        raise PredictionsError(f"limit: expected a similarity above 0 and at most 1, got {limit!r}. Choose {LIMIT}.")
    counts = [1] * len(names) if counts is None else [int(count) for count in counts]
    if len(counts) != len(names):
        raise PredictionsError(f"counts: expected one for each of {len(names)} names, got {len(counts)}.")
    known = _index(taxonomy)
    rows = []
    for name, count in zip(names, counts, strict=True):
        within = known.within(str(name), limit)
        if len(within) == 1:
            ((node, sure),) = within.items()
            rows.append(MappedName(str(name), count, node, round(sure, 3)))
        else:
            best = tuple(sorted(within, key=lambda node: (-within[node], node)))
            rows.append(MappedName(str(name), count, near=best, why="" if best else known.why_none(str(name))))
    return NameMapping(taxonomy, tuple(rows))


def n_edits(a: str, b: str, most: int) -> int:
    """Letters added, left out or replaced, and neighbours exchanged, that lead from one word to another; at most `most` + 1.

    No letter is edited twice (the distance of optimal string alignment).
    """
    first = 0
    while first < len(a) and first < len(b) and a[first] == b[first]:
        first += 1
    last = 0
    while last < min(len(a), len(b)) - first and a[-1 - last] == b[-1 - last]:
        last += 1
    a, b = a[first : len(a) - last], b[first : len(b) - last]
    if min(len(a), len(b)) == 0 or abs(len(a) - len(b)) > most:
        return min(max(len(a), len(b)), most + 1)
    before: list = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        before, row, above = row, [i], before
        for j, other in enumerate(b, 1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                least = min(least, above[j - 2] + 1)
            row.append(least)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


class _Entry(NamedTuple):
    """A name of a node: its words, and whether it is a scientific binomial, or a scientific name of one word."""

    words: tuple[str, ...]
    node: int
    is_binomial: bool
    is_latin_word: bool


class _Index:
    """The names of a taxonomy, by what an equal or near name has in common with them."""

    def __init__(self, taxonomy):
        # By number of words and first letter; binomials by their genus.
        self.by_letter: dict = {}
        self.by_genus: dict = {}
        self.genera: dict = {}
        named = [(node, name, words) for node, name in set(names_of(taxonomy)) if (words := words_of(name))]
        above = [words_of(name) for name in taxonomy.names]
        has_genus = [
            name[:1].isupper()
            and len(words) > 1
            and words[:1] in [above[one] for one in taxonomy.parents[node].tolist()]
            for node, name, words in named
        ]
        are_binomials = [
            of_genus or _is_binomial(name) for of_genus, (_, name, _) in zip(has_genus, named, strict=True)
        ]
        is_of_genera = sum(has_genus) > max(2, sum(are_binomials) / 5)
        for is_binomial, (node, name, words) in zip(are_binomials, named, strict=True):
            entry = _Entry(words, node, is_binomial, is_of_genera and len(words) == 1 and name[:1].isupper())
            if is_binomial:
                self.by_genus.setdefault((len(words), words[0]), []).append(entry)
            self.by_letter.setdefault((len(words), words[0][0]), []).append(entry)
            if len(words) == 1:
                self.genera.setdefault(words[0], set()).add(node)

    def within(self, name, limit):
        """Similarity of each node within the limit, dict of int to float."""
        name = " ".join(name.split())
        if of_genus := _OF_GENUS.fullmatch(name):
            return dict.fromkeys(self.genera.get(words_of(of_genus[1])[0], ()), 1.0)
        author = _AUTHOR.fullmatch(name)
        if author is not None and (found := self._within(author[1], limit, True)):
            return found
        return self._within(name, limit, _is_binomial(name))

    def why_none(self, name):
        """Why a scientific name was compared with none, in words; empty for other names."""
        name = " ".join(name.split())
        author = _AUTHOR.fullmatch(name)
        name = name if author is None else author[1]
        if not _is_binomial(name) or not self.by_genus or words_of(name)[0] in {genus for _, genus in self.by_genus}:
            return ""
        return f"no class has the genus {name.split()[0]}, and only names of one genus are compared"

    def _within(self, name, limit, is_binomial):
        words = words_of(name)
        if not words:
            return {}
        found: dict[int, float] = {}
        for entry in self._entries(words, is_binomial):
            are_latin = is_binomial or entry.is_binomial
            if are_latin and entry.words[0] != words[0]:
                continue
            if entry.is_latin_word and not _is_slip(words[0], entry.words[0]):
                continue
            sure = _similarity(words, entry.words, limit, are_latin)
            if sure is not None:
                found[entry.node] = max(sure, found.get(entry.node, 0.0))
        return found

    def _entries(self, words, is_binomial):
        if is_binomial and (len(words), words[0]) in self.by_genus:
            return self.by_genus[len(words), words[0]]
        # The first letter may be exchanged with the second.
        return [
            entry for letter in dict.fromkeys(words[0][:2]) for entry in self.by_letter.get((len(words), letter), ())
        ]


def _index(taxonomy):
    known = _known.get(taxonomy)
    if known is None:
        known = _known[taxonomy] = _Index(taxonomy)
    return known


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in small letters, without accents and punctuation."""
    words = _WORD.findall(_APOSTROPHES.sub("", normal(name)))
    return tuple("grey" if word == "gray" else word for word in words)


def _is_binomial(name):
    return _BINOMIAL.fullmatch(name) is not None and _LATIN.fullmatch(name) is not None


def _similarity(words, others, limit, are_latin):
    """Of the words that differ most; None below the limit."""
    least = 1.0
    for a, b in zip(words, others, strict=True):
        if a != b:
            of_words = _word_similarity(a, b, limit, are_latin, is_alone=len(words) == 1)
            if of_words is None:
                return None
            least = min(least, of_words)
    return least


def _word_similarity(a, b, limit, are_latin, is_alone):
    if (_are_declined if are_latin else _are_plural)(a, b):
        return 1.0
    longest = max(len(a), len(b))
    most = int((1 - limit) * longest + 1e-9)
    shortest = min(len(a), len(b))
    if shortest < (SHORTEST if is_alone else SHORTEST_OF_SEVERAL) or abs(len(a) - len(b)) > max(most, 1):
        return None
    if not (a.isalpha() and b.isalpha()) or _are_of_ranks(a, b):
        return None
    if a[0] != b[0] and (a[:2] != b[1::-1]):
        return None
    if (1 - limit) * longest >= 0.5 and _is_slip(a, b):
        return 1 - 0.5 / longest
    edits = n_edits(a, b, most)
    return None if edits > most or shortest < SHORTEST else 1 - edits / longest


def _is_slip(a, b):
    """Whether words are equal but for two neighbours that are exchanged, or a letter that is doubled or not."""
    if a == b:
        return True
    if len(a) == len(b):
        return n_edits(a, b, 1) == 1 and sorted(a) == sorted(b)
    return n_edits(a, b, 1) == 1 and _DOUBLED.sub(r"\1", a) == _DOUBLED.sub(r"\1", b)


def _are_declined(a, b):
    return any(a.endswith(ends) and b.endswith(ends) and _stems(a, ends) & _stems(b, ends) for ends in _DECLENSIONS)


def _stems(word, ends):
    return {word[: -len(end)] for end in ends if word.endswith(end) and len(word) - len(end) > 2}


def _are_plural(a, b):
    shorter, longer = sorted((a, b), key=len)
    plurals = {f"{shorter}s", f"{shorter}es"} | ({f"{shorter[:-1]}ies"} if shorter.endswith("y") else set())
    return len(shorter) > 2 and longer in plurals


def _are_of_ranks(a, b):
    """Whether two words end as names of two ranks."""
    return None not in (_rank(a), _rank(b)) and _rank(a) != _rank(b)


def _rank(word):
    return next((end for end in _RANKS if word.endswith(end)), None)
