"""How wide the bounds of the demo's numbers are when only the k best classes of each picture are listed.

Run with `python benchmarks/top_k_widths.py`. One table for each model of the demo whose leaf probabilities sum to 1: the number
that all scores give, and for each k the bounds and their width. Every number is checked to lie within its bounds.
"""

from __future__ import annotations

import sys

import numpy as np

import hierviz as hv
from hierviz.demo import load_demo
from hierviz.predictions.listed_scores import ListedScores
from hierviz.predictions.parametrisation import PARAMETRISATIONS

KS = (1, 3, 5)
SHOWN = (
    ("distribution", "softmax_win"),
    ("top_down", "argmax_leaf_accuracy"),
    ("top_down", "finest_accuracy"),
    ("predicted", "correct"),
    ("predicted", "info_recall"),
    ("labels", "hf1_samples"),
    ("labels", "micro_f1"),
    ("curve", "ap"),
    ("curve", "ac"),
    ("curve", "recall_at_95_correct"),
    ("confusion", "f1"),
)


def best(leaves, k):
    """The k best leaf probabilities of each row, the first ones on ties."""
    order = np.argsort(-leaves, axis=1, kind="stable")[:, :k]
    rows = np.repeat(np.arange(len(leaves)), k)
    return ListedScores.from_entries(rows, order.ravel(), np.take_along_axis(leaves, order, 1).ravel(), leaves.shape)


def widths(predictions, ks=KS):
    """{(block, key): (number of all scores, {k: (low, high)})} of `SHOWN`, from the leaf probabilities of a model."""
    taxonomy = predictions.taxonomy
    leaves = predictions.node_probabilities()[:, taxonomy.leaves]

    def evaluated(scores):
        made = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=predictions.truth)
        return hv.evaluate(made)["models"][0]

    whole = evaluated(leaves)
    listed = {k: evaluated(best(leaves, k))["bounds"] for k in ks}
    return {
        (block, key): (whole[block][key], {k: tuple(bounds[block][key]) for k, bounds in listed.items()})
        for block, key in SHOWN
    }


def main():
    taxonomy, models = load_demo()
    print(f"{taxonomy.n_leaves} leaves, {models[0].n_samples} pictures")
    for predictions in models:
        if not PARAMETRISATIONS[predictions.parametrisation].is_distribution:
            continue
        print(f"\n{predictions.name}\n{'number':34}{'all':>8}" + "".join(f"{f'k = {k}':>18}{'width':>8}" for k in KS))
        for (block, key), (value, pairs) in widths(predictions).items():
            cells = "".join(f"{f'{low:.3f} to {high:.3f}':>18}{high - low:8.3f}" for low, high in pairs.values())
            print(f"{f'{block}.{key}':34}{value:8.3f}{cells}")
            if not all(low - 1e-9 <= value <= high + 1e-9 for low, high in pairs.values()):
                sys.exit(f"{block}.{key}: {value} is outside its bounds {pairs}")


if __name__ == "__main__":
    main()
