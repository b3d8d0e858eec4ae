"""WordNet's own database: ``data.noun`` and ``data.verb``, a synset in each line.

A synset is called by its wnid (``n02084071``), with its words as title; its parents are its hypernyms (``@``) and, of an
instance, what it is one of (``@i``). Some synsets have several: the taxonomy is a graph.

References
----------
.. [1] Princeton University, WordNet 3.0 reference manual, wndb(5WN).
"""

from __future__ import annotations

import re

from hierviz.messages.errors import TaxonomyError, shown
from hierviz.readers.taxonomy_forms.named_nodes import taxonomy_of_ids

_SYNSET = re.compile(r"(\d{8}) \d\d ([nvasr]) ([0-9a-f]{2}) (.*)")
_LICENCE = re.compile(r"  \d+ ")
HYPERNYMS = ("@", "@i")


def looks_like(name, lines):
    """Whether all lines but those of the licence are synsets."""
    synsets = [line for line in lines if not _LICENCE.match(line)]
    return bool(synsets) and all(map(_SYNSET.match, synsets))


def read(source, options):
    """Taxonomy of a file of synsets.

    Raises
    ------
    TaxonomyError
        If a line is cut, or names a hypernym that is not in the file.
    """
    where, edges, titles, first = source.where, [], {}, {}
    for number, line in enumerate(source.read_text().split("\n"), 1):
        if not line.strip() or _LICENCE.match(line):
            continue
        match = _SYNSET.match(line)
        read_one = (
            None if match is None else _words_and_parents(match[4].partition(" | ")[0].split(), int(match[3], 16))
        )
        if read_one is None:
            raise TaxonomyError(
                f"{where}:{number}: expected a synset as wndb(5WN) describes it, got {shown(line, 60)}. Is the file complete?"
            )
        words, parents = read_one
        wnid = match[2] + match[1]
        titles[wnid] = ", ".join(word.replace("_", " ") for word in words)
        edges += [(parent, wnid) for parent in parents] or [(None, wnid)]
        for parent in parents:
            first.setdefault(parent, number)
    for parent, number in first.items():
        if parent not in titles:
            raise TaxonomyError(
                f"{where}:{number}: expected a hypernym in the same file, got {parent!r}. Is the file complete?"
            )
    detected = {"form": "WordNet's synsets with their hypernyms", **source.detected}
    return taxonomy_of_ids(edges, titles, where, detected=detected)


def _words_and_parents(cells, n_words):
    """Words and hypernyms of a synset from the cells after the number of words; None where some are missing."""
    end = 2 * n_words
    if len(cells) <= end or not cells[end].isdigit() or len(cells) < end + 1 + 4 * int(cells[end]):
        return None
    pointers = [cells[k : k + 3] for k in range(end + 1, end + 1 + 4 * int(cells[end]), 4)]
    parents = [pos + offset for symbol, offset, pos in pointers if symbol in HYPERNYMS]
    return cells[0:end:2], parents
