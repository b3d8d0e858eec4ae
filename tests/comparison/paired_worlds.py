"""Two models on the leaves of a grid: 3 x 3 x 3 leaves, 0/1 values that are planted, and scores that give them."""

import numpy as np

import hierviz as hv

GRID = [("root", f"{a}") for a in "abc"]
GRID += [(f"{a}", f"{a}{b}") for a in "abc" for b in "abc"]
GRID += [(f"{a}{b}", f"{a}{b}{c}") for a in "abc" for b in "abc" for c in "abc"]


def grid():
    return hv.Taxonomy.from_edges(GRID)


def scored(taxonomy, truth, is_right, name, rng=None, **more):
    """Predictions whose most probable leaf is the truth where `is_right`, else a leaf under another child of the root."""
    leaves = taxonomy.leaves
    place = np.searchsorted(leaves, truth)
    said = np.where(is_right, place, (place + len(leaves) // 3) % len(leaves))
    p = np.full((len(truth), len(leaves)), 0.1 / len(leaves)) if rng is None else rng.random((len(truth), len(leaves)))
    p *= 0.3 / p.sum(axis=1, keepdims=True)
    p[np.arange(len(truth)), said] += 0.7
    return hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth, name=name, **more)


def labelled(taxonomy, truth, is_right, name, **more):
    """The same as labels."""
    leaves = taxonomy.leaves
    place = np.searchsorted(leaves, truth)
    said = np.where(is_right, truth, leaves[(place + len(leaves) // 3) % len(leaves)])
    return hv.Predictions.from_labels(taxonomy, said, truth=truth, name=name, **more)
