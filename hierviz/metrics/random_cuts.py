r"""Random cuts through a taxonomy, and whether a model finds the right class of each: mean treecut accuracy.

Conventions
-----------
A cut is a set of nodes of which every path from the root to a leaf holds exactly one. It is drawn by dropping each inner node
but the root with a rate; a node is expanded into its children if neither it nor a node above it is dropped. The answer of a cut
is its most probable node, the first in node order of several; it is right where it and the truth are equal or one lies above
the other. Trees only.

There are 5 different cuts for each rate, the highest rate first, and all cuts differ from each other. Where a taxonomy has no
more cuts than that in all, all of them are taken and no rate plays a part.

Functions
---------
random_cuts, cut_accuracies, RandomCuts

References
----------
.. [1] T.-Y. Wu, C.-H. Ho, N. Vasconcelos, ProTeCt: prompt tuning for taxonomic open set classification, CVPR 2024, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from hierviz.messages.notebook_html import Short
from hierviz.taxonomy.taxonomy import Taxonomy

RATES, CUTS_A_RATE, SEED = (0.9, 0.7, 0.5, 0.3, 0.1), 5, 0
# Cuts that are drawn at a time, and most draws of a rate: where they find too few different ones, there are fewer.
AT_ONCE, MOST_DRAWS = 16, 1024
# Taxonomy -> seed -> its cuts: every number of them asks for the same ones.
_KEPT: WeakKeyDictionary[Taxonomy, dict[int, RandomCuts]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class RandomCuts(Short):
    """Some cuts of a tree.

    Attributes
    ----------
    cuts : tuple of ndarray of int
        Nodes of each cut, ascending.
    rate : tuple of (float or None)
        Share of inner nodes that was dropped for each; None where all cuts of the taxonomy are here.
    seed : int
        Of the draw.
    """

    cuts: tuple[np.ndarray, ...]
    rate: tuple[float | None, ...]
    seed: int

    def to_dict(self) -> dict:
        """As the JSON of `hierviz.evaluate` has it."""
        return {
            "n": len(self.cuts),
            "seed": self.seed,
            "rates": list(self.rate),
            "sizes": [len(cut) for cut in self.cuts],
        }


def random_cuts(taxonomy: Taxonomy, seed: int = SEED) -> RandomCuts:
    """Different cuts of a tree, 5 for each of the rates .9, .7, .5, .3 and .1; all cuts where there are no more.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    seed : int
        Of the draw.

    Returns
    -------
    RandomCuts

    Raises
    ------
    TaxonomyError
        If the taxonomy is no tree.

    Examples
    --------
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> [taxonomy.names[node] for node in random_cuts(taxonomy).cuts[0]], len(random_cuts(taxonomy).cuts)
    (['mammal', 'newt'], 2)
    """
    taxonomy.require_tree("random cuts")
    kept = _KEPT.setdefault(taxonomy, {})
    if seed not in kept:
        kept[seed] = _drawn(taxonomy, seed)
    return kept[seed]


def _drawn(taxonomy, seed):
    most = len(RATES) * CUTS_A_RATE
    if _number_of_cuts(taxonomy, most) <= most:
        every = _every_cut(taxonomy)
        return RandomCuts(tuple(_nodes_of(taxonomy, expanded) for expanded in every), (None,) * len(every), seed)
    rng, seen, cuts, rates = np.random.default_rng(seed), set(), [], []
    for rate in RATES:
        found = 0
        for _ in range(MOST_DRAWS // AT_ONCE):
            for expanded in _expanded(taxonomy, rng.random((AT_ONCE, taxonomy.n_nodes)) >= rate):
                key = expanded.tobytes()
                if found < CUTS_A_RATE and key not in seen:
                    seen.add(key)
                    cuts.append(_nodes_of(taxonomy, expanded))
                    found += 1
            if found == CUTS_A_RATE:
                break
        rates += [rate] * found
    return RandomCuts(tuple(cuts), tuple(rates), seed)


def cut_accuracies(taxonomy, truth, p, cuts):
    """Share of the cuts of which each sample gets the right class.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
    p : ndarray of float, shape (n_samples, n_nodes)
    cuts : RandomCuts

    Returns
    -------
    ndarray of float, shape (n_samples,)
        In [0, 1], higher is better.
    """
    right = np.zeros(len(truth))
    for cut in cuts.cuts:
        answer = cut[p[:, cut].argmax(axis=1)]
        right += taxonomy.is_ancestor(answer, truth) | taxonomy.is_ancestor(truth, answer)
    return right / len(cuts.cuts)


def _expanded(taxonomy, is_kept):
    """Whether each node is expanded, shape (n_draws, n_nodes): it and all above it are kept, and it has children."""
    expanded = is_kept & ~taxonomy.is_leaf
    expanded[:, 0] = not taxonomy.is_leaf[0]
    for level in taxonomy.levels[1:]:
        expanded[:, level] &= expanded[:, taxonomy.parent[level]]
    return expanded


def _nodes_of(taxonomy, expanded):
    """The nodes that are not expanded themselves and whose parent is; the root where it is a leaf."""
    is_reached = np.append(True, expanded[taxonomy.parent[1:]])
    return np.flatnonzero(is_reached & ~expanded)


def _number_of_cuts(taxonomy, most):
    """How many cuts there are, or a number above `most`."""
    below = np.ones(taxonomy.n_nodes)
    # A product may be infinite before it is cut.
    with np.errstate(over="ignore"):
        for level in reversed(taxonomy.levels[1:]):
            np.multiply.at(below, taxonomy.parent[level], below[level] + ~taxonomy.is_leaf[level])
            below = np.minimum(below, most + 1)
    return int(below[0])


def _every_cut(taxonomy):
    """All cuts: whether each node is expanded, ndarray of bool, shape (n_cuts, n_nodes)."""
    found = np.zeros((1, taxonomy.n_nodes), dtype=bool)
    found[:, 0] = not taxonomy.is_leaf[0]
    for level in taxonomy.levels[1:]:
        # Each inner node adds a cut, so that these are few.
        for node in level[~taxonomy.is_leaf[level]]:
            more = found[found[:, taxonomy.parent[node]]]
            more[:, node] = True
            found = np.concatenate([found, more])
    return found
