"""WordNet's ``is_a`` as ImageNet writes it: the wnids of parent and child in each line; ``words.txt`` beside it names them."""

from __future__ import annotations

import re

from hierviz.readers import limits
from hierviz.readers.sources import open_source
from hierviz.readers.tables import open_table
from hierviz.readers.taxonomy_tables import read_edges

_PAIR = re.compile(r"([nvars]\d{8})[\s,]+([nvars]\d{8})\s*")
_WORDS = re.compile(r"([nvars]\d{8})\s+(\S.*)")
BESIDE = ("words.txt", "synset_words.txt", "wordnet.words.txt")


def looks_like(name, lines):
    """Whether all lines are two wnids."""
    return all(map(_PAIR.fullmatch, lines))


def read(source, options):
    """Taxonomy of pairs of wnids, a graph where a synset has several hypernyms; which is the parent is told as in edge lists."""
    where = source.where
    taxonomy = read_edges(open_table(source, "pairs of wnids", most_rows=limits.CLASS_ROWS), has_header=False)
    for name in BESIDE if source.pipe is None else ():
        beside = source.path.with_name(name)
        if beside.is_file():
            found = map(_WORDS.fullmatch, open_source(beside, "words of wnids").read_text().split("\n"))
            titles = {match[1]: match[2].strip() for match in found if match and match[1] in taxonomy.index}
            note = f"the words of {len(titles)} of {taxonomy.n_nodes} wnids come from {name} beside {where}"
            return taxonomy.with_nodes(titles, notes=[note])
    return taxonomy
