"""Over- and underconfident subtrees: numbers by loops, what is planted is named, and a calibrated model is not."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.uncertainty.risk_bounds import wilson

EDGES = [("root", "bird"), ("root", "fish"), ("bird", "owl"), ("bird", "duck"), ("fish", "eel"), ("fish", "cod")]
TAXONOMY = hv.Taxonomy.from_edges(EDGES)


def world(n, keeps, seed=0):
    """Predictions that say 0.8 of a leaf; it is right with the share `keeps` of its parent, else its sibling is true."""
    rng = np.random.default_rng(seed)
    leaf = rng.integers(0, 4, n)
    p = np.full((n, 4), 0.05)
    p[np.arange(n), leaf] = 0.8
    p[np.arange(n), leaf ^ 1] = 0.1
    right = rng.random(n) < np.array(keeps)[leaf // 2]
    truth = TAXONOMY.leaves[np.where(right, leaf, leaf ^ 1)]
    return hv.Predictions.from_scores(TAXONOMY, p, "leaf_probabilities", truth=truth), leaf, right


def test_numbers_by_loops():
    predictions, leaf, right = world(300, (0.5, 0.8))
    found = hv.diagnosis.overconfidence(predictions)
    assert sorted(found.node.tolist()) == list(range(7))
    below = {node: set(TAXONOMY.subtree(node).tolist()) for node in range(7)}
    for place, node in enumerate(found.node.tolist()):
        own = [i for i in range(300) if TAXONOMY.leaves[leaf[i]] in below[node]]
        assert found.n[place] == len(own)
        assert found.mean_p[place] == pytest.approx(0.8)
        assert found.rate[place] == pytest.approx(sum(right[own]) / len(own))
        low, high = wilson(sum(right[own]), len(own))
        assert (found.lower[place], found.upper[place]) == (pytest.approx(low), pytest.approx(high))
    # n = 149 or so of birds, of which half is right: z = (119 - 75 - .5) / sqrt(149 * .16) is about 9.
    place = found.node.tolist().index(TAXONOMY.node("bird"))
    assert found.direction[place] == 1
    fish = found.node.tolist().index(TAXONOMY.node("fish"))
    assert found.direction[fish] == 0
    n, rate = found.n[place], found.rate[place]
    span = f"[{found.lower[place]:.2f}, {found.upper[place]:.2f}]"
    words = f"Overconfident below bird: says 0.80, right {rate:.2f} {span}, {n} samples"
    assert found.sentence("{}").startswith(words)
    frame = found.to_frame().set_index("subject")
    assert frame.loc["bird", "direction"] == "overconfident"
    inside = hv.diagnosis.overconfidence(predictions, under=TAXONOMY.node("fish"))
    assert sorted(inside.node.tolist()) == sorted(below[TAXONOMY.node("fish")])
    assert inside.n.max() == found.n[fish]


def test_underconfident_and_depths():
    predictions, _, _ = world(400, (0.97, 0.97))
    found = hv.diagnosis.overconfidence(predictions)
    assert found.direction[found.node.tolist().index(0)] == -1
    assert found.sentence("{}").startswith("Underconfident below root: says 0.80, right 0.9")
    depths = hv.diagnosis.reliability(predictions)
    # Depth 1 says 0.9 (the leaf and its sibling) and is always right; depth 2 as above.
    assert depths.direction.tolist() == [-1, -1]
    assert depths.mean_p.tolist() == pytest.approx([0.9, 0.8])


def test_a_calibrated_model_is_rarely_called_anything():
    # 200 data sets, false discovery rate 5 %: at most 5 % + 3 standard errors have any flag.
    flags = sum(hv.diagnosis.overconfidence(world(200, (0.8, 0.8), seed)[0]).direction.any() for seed in range(200))
    assert flags <= 200 * (0.05 + 3 * np.sqrt(0.05 * 0.95 / 200))


def test_bad_input():
    labels = hv.Predictions.from_labels(TAXONOMY, TAXONOMY.nodes("owl"), truth=TAXONOMY.nodes("owl"))
    with pytest.raises(hv.PredictionsError, match="expected scores, got labels"):
        hv.diagnosis.overconfidence(labels)
    predictions = world(30, (0.8, 0.8))[0]
    with pytest.raises(hv.PredictionsError, match=r"^under"):
        hv.diagnosis.overconfidence(predictions, under=99)
    assert hv.diagnosis.overconfidence(predictions, min_samples=1000).sentence().startswith("No subtree is clearly")
