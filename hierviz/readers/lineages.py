"""Lineages such as ``d__Bacteria; p__Firmicutes; c__``, as QIIME 2, Greengenes, SILVA and GTDB write them.

Conventions
-----------
Ranks without a name (``g__``) are left out, in the middle too. A step is compared as it is, then without its prefix.
"""

from __future__ import annotations

import re

from hierviz.predictions.node_names import chain_node, find_node

_PREFIX = re.compile(r"(?:[A-Za-z]{1,2}|D_\d{1,2})__")
_RANKS = {"d": "domain", "k": "kingdom", "p": "phylum", "c": "class", "o": "order", "f": "family", "g": "genus"}
_RANKS |= {"s": "species", "t": "strain"}
# What a classifier writes that found nothing.
NOTHING = ("", "unassigned", "unclassified")


def lineage(text):
    """The named steps of a lineage, from the top down, a list of str."""
    steps = [step.strip() for step in text.split(";")]
    return [step for step in steps if step and not _PREFIX.fullmatch(step)]


def is_lineage(text):
    """Whether a text begins with the prefix of a rank."""
    return _PREFIX.match(text.strip()) is not None


def rank_and_name(step):
    """(rank, name) of a step such as ``g__Bacillus``; the rank is None where no prefix says it."""
    prefix = _PREFIX.match(step)
    return (None, step) if prefix is None else (_RANKS.get(prefix[0][:-2].casefold()), step[prefix.end() :])


def is_nothing(text):
    """Whether a lineage names no class."""
    return text.strip().casefold() in NOTHING or not lineage(text)


def lineage_node(text, taxonomy):
    """The node of a lineage of two steps or more, with or without the prefixes in the taxonomy; None where there is none."""
    steps = lineage(text) if ";" in text else []
    node = chain_node(steps, taxonomy)
    return chain_node([rank_and_name(step)[1] for step in steps], taxonomy) if node is None else node


class Lineages:
    """The nodes of lineages: they are followed from the root, so that a name at another place is not taken for it.

    Parameters
    ----------
    taxonomy : Taxonomy
    """

    def __init__(self, taxonomy):
        self.taxonomy, self._known = taxonomy, {}
        parents, names = taxonomy.parents, taxonomy.names
        self._below = {}
        for node in range(taxonomy.n_nodes):
            for parent in parents[node].tolist():
                for name in (names[node], taxonomy.title(node)):
                    self._below.setdefault((parent, name), node)

    def name(self, text):
        """Name of the node of a lineage, the root's where it names nothing; the lineage where there is no such node."""
        if text not in self._known:
            self._known[text] = self._name(text)
        return self._known[text]

    def _name(self, text):
        names = self.taxonomy.names
        if is_nothing(text):
            return names[0]
        steps = lineage(text)
        node = self._followed(steps)
        node = self._followed([_PREFIX.sub("", step, count=1) for step in steps]) if node is None else node
        if node is None and len(steps) == 1:
            node = find_node(steps[0], self.taxonomy)
        return " > ".join(steps) if node is None else names[node]

    def _followed(self, steps):
        """The node at the end of some steps from the root, whose own name may be the first of them; None where there is none."""
        node, rest = 0, steps
        if steps[0] in (self.taxonomy.names[0], self.taxonomy.title(0)) and (0, steps[0]) not in self._below:
            rest = steps[1:]
        for step in rest:
            node = self._below.get((node, step))
            if node is None:
                return None
        return node
