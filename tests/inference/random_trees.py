"""Small random trees with rows of probabilities, and taxonomies as the plain definitions take them."""

import numpy as np

import hierviz as hv
from hierviz.predictions.parametrisation import sum_up
from hierviz.second_opinion.plain_graph import PlainGraph


def plain(taxonomy):
    return PlainGraph([list(map(int, taxonomy.parents[node])) for node in range(taxonomy.n_nodes)])


def random_tree(rng, most=8):
    """A tree of 1 to `most` nodes besides the root: any, a chain, a star, or bushy."""
    n = int(rng.integers(1, most + 1))
    bend = int(rng.choice([1, 2, 3, n]))
    return hv.Taxonomy.from_edges([(f"n{rng.integers(max(0, i - bend), i)}", f"n{i}") for i in range(1, n + 1)])


def random_row(rng, taxonomy, kind):
    """Probabilities: of leaves, with truths at inner nodes, at some nodes alone, or no distribution at all."""
    own = rng.dirichlet(np.full(taxonomy.n_nodes, rng.choice([0.1, 1.0])))
    if kind == "leaves":
        own *= taxonomy.is_leaf
    if kind == "some":
        own *= rng.random(taxonomy.n_nodes) < 0.4
    if kind == "any":
        return rng.random(taxonomy.n_nodes)[None]
    return sum_up(taxonomy, own[None].copy())
