"""The class that a sentence of a language model names.

Conventions
-----------
A class is named by its name, title, synonym, path or code, without regard to case, accents, hyphens and plurals; the longest name
wins ("grey wolf", not "wolf"), and codes are compared unchanged. Of classes on one path the deepest is the answer: "a canid,
probably a red fox". Nothing is guessed, so a text names no class (`NamedInText.why`) where

- it names several, or one next to an alternative ("a fox or a jackal");
- it denies a class, compares with it, or asks: "not a red fox", "similar to a lion", "Is it a tiger?";
- a name is only a part of a longer one ("sea lion", "fox squirrel");
- it claims something else: "The bird in this photo is a kagu."

Which part of the text is looked at says `answer_part`.

Functions
---------
named_in_text, TextNames, marks_text, marks_of
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from hierviz.predictions.name_matching import candidates, codes_of, names_of
from hierviz.predictions.node_names import chain_node
from hierviz.readers.answer_part import answer_parts, confidence_of
from hierviz.readers.answer_words import (
    AFTER,
    ALTERNATIVE,
    BEFORE,
    CLAIM,
    DENIAL,
    DENIED_AFTER,
    GENERIC,
    NEW_CLAUSE,
    NO_DENIAL,
    SAME,
    STOP,
)
from hierviz.readers.nearest_names import words_of
from hierviz.taxonomy.taxonomy import Taxonomy

# Why a text names no class.
REASONS = {
    "nothing": "it names no class",
    "several": "it names several classes",
    "denied": "it denies a class, compares with it, or asks",
    "part": "it names a class only as a part of a longer name",
    "other": "it claims something that is no class",
}
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_TRIM = re.compile(r"^(?:\s|[*_`\"'“”‘’(\[>#•-]|\d{1,2}[.)]\s)+|(?:\s|[*_`\"'“”‘’)\].!])+$")
_SEPARATOR = re.compile(r"\s*(?:>|→|»|\||::|/)\s*")
_CLOSE = re.compile(r"[ \t]*[-‐-―_'’]?[ \t]*")
_INSIDE = re.compile(r"[\s\-‐-―_'’*`]*")
_SENTENCE_END = re.compile(r"[.!?\n]|$")
_known: WeakKeyDictionary = WeakKeyDictionary()


class Mention(NamedTuple):
    """A name of a class in a text: where it is, which nodes it may mean, and whether it is "named", "denied" or a "part"."""

    start: int
    end: int
    nodes: tuple[int, ...]
    role: str = "named"


@dataclass(frozen=True)
class NamedInText:
    """What a text names.

    Attributes
    ----------
    node : int
        -1 where it names no single class.
    why : str
        Key of `REASONS`, empty where it names one.
    mentions : tuple of Mention
        In the order of the text.
    confidence : str
        A number in [0, 1], a word, or nothing.
    """

    node: int = -1
    why: str = ""
    mentions: tuple[Mention, ...] = ()
    confidence: str = ""


def marks_text(mentions: Sequence[Mention]) -> str:
    """Places and roles of mentions as text, as an attribute of a sample has them: ``17-24 named; 40-46 denied``."""
    return "; ".join(f"{one.start}-{one.end} {one.role}" for one in mentions)


def marks_of(text: str) -> list[Mention]:
    """The mentions of `marks_text`, without their nodes."""
    found = []
    for part in filter(None, text.split("; ")):
        place, role = part.split(" ")
        start, end = place.split("-")
        found.append(Mention(int(start), int(end), (), role))
    return found


def named_in_text(text: str, taxonomy: Taxonomy) -> NamedInText:
    """The class that a text names as its answer.

    Parameters
    ----------
    text : str
    taxonomy : Taxonomy

    Examples
    --------
    >>> taxonomy = Taxonomy.from_edges([("animal", "canid"), ("canid", "red fox"), ("canid", "coyote")])
    >>> taxonomy.names[named_in_text("The animal is a red fox.", taxonomy).node]
    'red fox'
    >>> named_in_text("It is not a red fox.", taxonomy).why
    'denied'
    """
    names = _known.get(taxonomy)
    if names is None:
        names = _known[taxonomy] = TextNames(taxonomy)
    return names.find(text)


@dataclass(frozen=True)
class _TextPart:
    """Words of a part of a text."""

    text: str
    start: int
    end: int
    tokens: list = field(default_factory=list)

    def __post_init__(self):
        for match in _TOKEN.finditer(self.text, self.start, self.end):
            words = words_of(match[0])
            if words:
                self.tokens.append((words[0], *match.span()))


class TextNames:
    """The names of a taxonomy as they occur in sentences."""

    def __init__(self, taxonomy):
        self.taxonomy = taxonomy
        # By words: node -> spellings; and codes, compared unchanged.
        self.names: dict = {}
        self.codes: dict = {}
        for node, name in names_of(taxonomy):
            for text in (name, *(name.split(",") if "," in name else ())):
                self._add(self.names, text, node)
        for node, code in codes_of(taxonomy):
            self._add(self.codes, code, node)
        self.longest = max(map(len, (*self.names, *self.codes)), default=0)

    @staticmethod
    def _add(table, text, node):
        words = words_of(text)
        is_short = len(words) == 1 and (len(words[0]) < 2 or words[0].isdigit() or words[0] in STOP)
        if words and not is_short:
            table.setdefault(words, {}).setdefault(node, set()).add(text.strip())

    def find(self, text):
        """The NamedInText of a text."""
        parts, mentions, whys = answer_parts(text), [], []
        for start, end in parts:
            whole = self._whole(text, start, end)
            part = _TextPart(text, start, end)
            of_part = [whole] if whole else self._mentions(part)
            whys += [] if whole else self._problems(part, of_part)
            mentions += of_part
        node, why = self._decide(mentions, whys)
        return NamedInText(node, why, tuple(mentions), confidence_of(text))

    def _whole(self, text, start, end):
        """The mention of a part that is a name, a code or a path and nothing else; None for other texts."""
        part = text[start:end]
        left, right = _TRIM.match(part), _TRIM.search(part, len(part) - len(part.rstrip("*_`\"'“”‘’)].! \t\n")))
        first, last = left.end() if left and left.start() == 0 else 0, right.start() if right else len(part)
        for begin, stop in ((0, len(part)), (first, last)):
            name = part[begin:stop].strip()
            nodes = [self.taxonomy.index[name]] if name in self.taxonomy.index else []
            if not nodes and name and len(name) <= 200:
                steps = [step for step in _SEPARATOR.split(name) if step]
                of_path = chain_node(steps, self.taxonomy) if len(steps) > 1 else None
                nodes = [of_path] if of_path is not None else []
                nodes = nodes or ([] if "," in name else candidates(name, self.taxonomy))
            if nodes:
                return Mention(start + begin, start + stop, tuple(nodes))
        return None

    def _mentions(self, part):
        tokens, found = part.tokens, []
        for i in range(len(tokens)):
            for n in range(min(self.longest, len(tokens) - i), 0, -1):
                nodes = self._named(part, i, n)
                if nodes:
                    found.append((n, i, nodes))
        chosen: list = []
        taken: set = set()
        for n, i, nodes in sorted(found, key=lambda one: (-one[0], one[1])):
            if taken.isdisjoint(range(i, i + n)):
                taken |= set(range(i, i + n))
                chosen.append((i, n, nodes))
        return [
            Mention(tokens[i][1], tokens[i + n - 1][2], nodes, self._role(part, i, n, taken))
            for i, n, nodes in sorted(chosen)
        ]

    def _named(self, part, i, n):
        """Nodes that n words from the i-th name."""
        tokens = part.tokens[i : i + n]
        words = tuple(word for word, *_ in tokens)
        raw = part.text[tokens[0][1] : tokens[-1][2]]
        nodes = {node for node, codes in self.codes.get(words, {}).items() if raw in codes}
        for singular in () if nodes else _singulars(words):
            fitting = self.names.get(singular)
            if fitting and (n == 1 or self._is_one_phrase(part, tokens, fitting)):
                exact = [node for node, spellings in fitting.items() if raw in spellings]
                # At the start of a sentence a capital says nothing.
                is_clear = len(exact) == 1 and (raw[0].islower() or i > 0)
                nodes = {exact[0]} if is_clear else set(fitting)
                break
        return tuple(sorted(nodes))

    @staticmethod
    def _is_one_phrase(part, tokens, fitting):
        gaps = [part.text[a[2] : b[1]] for a, b in pairwise(tokens)]
        if all(_INSIDE.fullmatch(gap) and "\n" not in gap for gap in gaps):
            return True
        return any(re.search(r"[^\w\s'’-]", name) for names in fitting.values() for name in names)

    def _role(self, part, i, n, taken):
        tokens, text = part.tokens, part.text
        start, end = tokens[i][1], tokens[i + n - 1][2]
        if i > 0 and i - 1 not in taken:
            word, _, before = tokens[i - 1]
            gap = text[before:start]
            if _is_close(gap) and not (gap.isspace() and (word in BEFORE or word.isdigit())):
                return "part"
        if i + n < len(tokens) and i + n not in taken:
            word, after, _ = tokens[i + n]
            gap = text[end:after]
            if _is_close(gap) and not (gap.isspace() and word in AFTER):
                return "part"
        clause = NEW_CLAUSE.split(NO_DENIAL.sub(" ", text[part.start : start]))[-1]
        sentence_end = _SENTENCE_END.search(text, end, part.end)
        asks = sentence_end is not None and text[sentence_end.start() : sentence_end.end()] == "?"
        if asks or DENIAL.search(clause) or DENIED_AFTER.match(text, end, part.end):
            return "denied"
        return "named"

    def _problems(self, part, mentions):
        """What else the part says that makes its mentions no answer: keys of `REASONS`."""
        found = []
        named = [one for one in mentions if one.role == "named"]
        if not named:
            return found
        starts = [start for _, start, _ in part.tokens]
        for one in named:
            first, last = bisect_right(starts, one.start) - 1, bisect_right(starts, one.end - 1) - 1
            before = [word for word, *_ in part.tokens[max(first - 2, 0) : first]]
            after = [word for word, *_ in part.tokens[last + 1 : last + 2]]
            gap = part.text[part.tokens[first - 1][2] : one.start] if first else ""
            is_next = (not first or not _SENTENCE_END.match(gap.strip() or " ")) and not ALTERNATIVE.isdisjoint(before)
            if (is_next or not ALTERNATIVE.isdisjoint(after)) and len(mentions) == 1:
                found.append("several")
        claims = CLAIM.finditer(part.text, part.start, part.end)
        is_broad = not self.taxonomy.is_leaf[[node for one in named for node in one.nodes]].any()
        if any(self._claims_other(part, match, mentions) for match in claims) or (
            is_broad and self._begins_with_other(part, named[0])
        ):
            found.append("other")
        return found

    def _claims_other(self, part, match, mentions):
        """Whether the noun phrase of a claim is neither a class nor a word such as "photo"."""
        phrase: list = []
        for word, start, end in part.tokens:
            if start < match.end():
                continue
            gap = part.text[(phrase[-1][2] if phrase else match.end()) : start]
            if re.search(r"[^\s*_`\"'“”‘’\-‐-―]|\n", gap) or (word in AFTER and word not in GENERIC):
                break
            phrase.append((word, start, end))
        words = {word for word, *_ in phrase}
        if not phrase or words & GENERIC or words <= BEFORE:
            return False
        if any(one.start < end and start < one.end for one in mentions for _, start, end in phrase):
            return False
        same = SAME.match(part.text, phrase[-1][2], part.end)
        is_leaf = self.taxonomy.is_leaf
        return not any(same and one.start == same.end() and is_leaf[list(one.nodes)].all() for one in mentions)

    @staticmethod
    def _begins_with_other(part, first):
        """Whether a text begins with a name that is no class and no phrase: "Kagu (bird)"."""
        words: list = []
        for word, start, end in part.tokens:
            if words and re.search(r"[^\s\-]", part.text[words[-1][2] : start]):
                break
            words.append((word, start, end))
        known = BEFORE | AFTER | GENERIC | STOP
        return bool(words) and words[-1][2] <= first.start and all(word not in known for word, *_ in words)

    def _decide(self, mentions, whys):
        """(node, why)"""
        asserted = [one for one in mentions if one.role == "named"]
        if any(one.role == "denied" for one in mentions):
            return -1, "denied"
        if not asserted:
            return -1, "part" if mentions else "nothing"
        nodes = sorted({node for one in asserted for node in one.nodes})
        above = self.taxonomy.ancestors(np.array(nodes))
        paths = {node: {node, *above[place].tolist()} for place, node in enumerate(nodes)}
        deepest = [node for node in nodes if all(not paths[node].isdisjoint(one.nodes) for one in asserted)]
        if len(deepest) != 1:
            return -1, "several"
        if whys:
            return -1, whys[0]
        if deepest[0] == 0:
            return -1, "part" if any(one.role == "part" for one in mentions) else "nothing"
        return deepest[0], ""


def _is_close(gap):
    """Whether two words belong to one phrase: blanks, a hyphen, or a point as in ``A01.1`` between them."""
    return _CLOSE.fullmatch(gap) is not None or gap in (".", ":")


def _singulars(words):
    """The words, and those with the last one in the singular."""
    *others, last = words
    yield words
    for end, instead in (("ies", "y"), ("es", ""), ("s", "")):
        if last.endswith(end) and len(last) - len(end) > 1:
            yield (*others, last.removesuffix(end) + instead)
