r"""Why calibrated leaves do not make calibrated parents: an example of four leaves.

Functions
---------
calibration_example
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.taxonomy import Taxonomy

# Samples of each of the six pairs of leaves, a multiple of 10: the shares of the law then hold exactly.
SAMPLES_A_PAIR = 200


def calibration_example() -> Predictions:
    """Scores of a model whose leaves are calibrated and whose parents are not.

    Leaves a and b stand under u, c and d under w. Each of the six pairs of leaves has p = 0.4 in `SAMPLES_A_PAIR` samples,
    and the other two leaves have 0.1. The truth of a pair under one parent is each of the two with a share of 0.2 and each of
    the others with 0.3; that of a pair under both parents is each of the two with 0.5.

    Returns
    -------
    Predictions

    Notes
    -----
    A leaf with p = 0.4 is true in 0.2 of the samples of one pair and 0.5 of those of two: 0.4 on average; with p = 0.1 in
    0.3, 0 and 0: 0.1. The parents' p of 0.8, 0.5 and 0.2 occur with shares of 0.4, 0.5 and 0.6, so that their expected
    calibration error is (0.4 + 0.4) / 6.
    """
    taxonomy = Taxonomy.from_edges([("root", "u"), ("root", "w"), ("u", "a"), ("u", "b"), ("w", "c"), ("w", "d")])
    tenth, p, truth = SAMPLES_A_PAIR // 10, [], []
    for pair in combinations("abcd", 2):
        is_together = set(pair) in ({"a", "b"}, {"c", "d"})
        for leaf in "abcd":
            share = (2 if is_together else 5) if leaf in pair else (3 if is_together else 0)
            truth += [leaf] * (share * tenth)
        p += [[0.4 if leaf in pair else 0.1 for leaf in "abcd"]] * (10 * tenth)
    return Predictions.from_scores(taxonomy, np.array(p), "leaf_probabilities", truth=taxonomy.nodes(*truth))
