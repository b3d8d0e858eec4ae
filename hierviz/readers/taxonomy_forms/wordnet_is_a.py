"""WordNet's ``is_a`` as ImageNet writes it: the wnids of parent and child in each line; ``words.txt`` beside it names them."""

from __future__ import annotations

import re

from hierviz.errors import TaxonomyError
from hierviz.readers.sources import open_source
from hierviz.readers.taxonomy_forms.named_nodes import taxonomy_of_ids

_PAIR = re.compile(r"([nvars]\d{8})[\s,]+([nvars]\d{8})\s*")
_WORDS = re.compile(r"([nvars]\d{8})\s+(\S.*)")
BESIDE = ("words.txt", "synset_words.txt", "wordnet.words.txt")


def looks_like(name, lines):
    """Whether all lines are two wnids."""
    return all(map(_PAIR.fullmatch, lines))


def read(source, options):
    """Taxonomy of pairs of parent and child, a graph where a synset has several hypernyms.

    Raises
    ------
    TaxonomyError
        If a line is not two different wnids.
    """
    where, edges = source.where, {}
    for number, line in enumerate(source.read_text().split("\n"), 1):
        if not line.strip():
            continue
        match = _PAIR.fullmatch(line.strip())
        if match is None or match[1] == match[2]:
            raise TaxonomyError(
                f"{where}:{number}: expected two different wnids, got {line.strip()!r:.60}. Correct it."
            )
        edges[match[1], match[2]] = None
    inside = {node for pair in edges for node in pair}
    titles, notes = {}, []
    for name in BESIDE if source.pipe is None else ():
        beside = source.path.with_name(name)
        if beside.is_file():
            found = map(_WORDS.fullmatch, open_source(beside, "words of wnids").read_text().split("\n"))
            titles = {match[1]: match[2].strip() for match in found if match and match[1] in inside}
            notes = [f"the words of {len(titles)} of {len(inside)} wnids come from {name} beside {where}"]
            break
    detected = {"form": "WordNet is_a", **source.detected, "direction": "parent, child"}
    return taxonomy_of_ids(list(edges), titles, where, notes=notes, detected=detected)
