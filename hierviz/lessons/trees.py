"""The small trees of the lessons, made up for them."""

from __future__ import annotations

import numpy as np

import hierviz as hv

# Ten articles in three departments.
SHOP = hv.Taxonomy.from_edges(
    [
        ("shop", "clothing"),
        ("shop", "kitchen"),
        ("shop", "garden"),
        ("clothing", "tops"),
        ("clothing", "shoes"),
        ("tops", "T-shirt"),
        ("tops", "jumper"),
        ("shoes", "sandals"),
        ("shoes", "boots"),
        ("kitchen", "pans"),
        ("kitchen", "kettle"),
        ("pans", "frying pan"),
        ("pans", "saucepan"),
        ("garden", "tools"),
        ("garden", "hose"),
        ("tools", "spade"),
        ("tools", "rake"),
    ]
)
# Seven leaves, whose probabilities are dragged.
ANIMALS = hv.Taxonomy.from_edges(
    [
        ("animal", "mammal"),
        ("animal", "bird"),
        ("animal", "fish"),
        ("mammal", "pet"),
        ("mammal", "whale"),
        ("pet", "cat"),
        ("pet", "dog"),
        ("bird", "duck"),
        ("bird", "owl"),
        ("fish", "trout"),
        ("fish", "eel"),
    ]
)
# Of the figures 7 and 8 of Plaud et al.
PLAUD = hv.Taxonomy.from_edges([("root", "1"), ("root", "2"), ("1", "3"), ("1", "4"), ("1", "5")])


def spread(taxonomy, weights):
    """Node probabilities of non-negative weights of the leaves, in the order of `taxonomy.leaves`: each is divided by their sum.

    All leaves have the same probability where the weights sum to 0.
    """
    weights = np.asarray(weights, float)
    total = weights.sum()
    shares = weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
    return hv.node_probabilities(taxonomy, shares[None], parametrisation="leaf_probabilities")[0]


def leaf_names(taxonomy):
    """Names of the leaves."""
    return tuple(taxonomy.title(int(leaf)) for leaf in taxonomy.leaves)


# Topics of questions, one of them with a single child.
TOPICS = hv.Taxonomy.from_edges(
    [
        ("topic", "leisure"),
        ("topic", "relations"),
        ("topic", "science"),
        ("leisure", "entertainment"),
        ("leisure", "society"),
        ("leisure", "sports"),
        ("relations", "family"),
        ("science", "health"),
        ("science", "computers"),
    ]
)
# The fish of Wu, Tygert and LeCun, with one more branch.
FISH = hv.Taxonomy.from_edges(
    [
        ("acipenseriformes", "sturgeon"),
        ("acipenseriformes", "paddlefish"),
        ("sturgeon", "huso"),
        ("sturgeon", "acipenser"),
        ("acipenser", "oxyrinchus"),
        ("acipenser", "other"),
    ]
)
# A leaf with two parents.
SPORTS_SHOP = hv.Taxonomy.from_edges(
    [
        ("shop", "clothing"),
        ("shop", "sports"),
        ("clothing", "shoes"),
        ("clothing", "tops"),
        ("shoes", "boots"),
        ("shoes", "trainers"),
        ("sports", "running"),
        ("sports", "football"),
        ("running", "trainers"),
        ("running", "stopwatch"),
    ]
)
# A tree for raw scores.
TRIO = hv.Taxonomy.from_edges(
    [
        ("thing", "fruit"),
        ("thing", "bread"),
        ("fruit", "apple"),
        ("fruit", "pear"),
        ("bread", "roll"),
        ("bread", "loaf"),
    ]
)
