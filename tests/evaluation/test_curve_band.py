"""The band around the curve of a model whose file lists some scores of each sample only."""

import numpy as np
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.curves.operating_curve import THOUSANDTHS
from hierviz.evaluation.bounds import bounded_curve, curve_bounds_of
from hierviz.evaluation.listed_bounds import CURVE_METRICS


@many
@given(strategies.trees(), st.data())
def test_the_curve_of_all_scores_lies_inside(graph, data):
    taxonomy = strategies.from_graph(graph)
    scores = data.draw(strategies.leaf_rows(graph))
    truth = data.draw(strategies.truths(graph, len(scores)))
    k = data.draw(st.integers(1, scores.shape[1]))
    best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    names = [[taxonomy.names[taxonomy.leaves[leaf]] for leaf in row] for row in best.tolist()]
    listed = [
        [{"label": name, "score": float(scores[i, leaf])} for name, leaf in zip(row, best[i])]
        for i, row in enumerate(names)
    ]
    some = hv.Evaluation.from_predictions(hv.Predictions.from_pipeline(taxonomy, listed).replace(truth=np.array(truth)))
    whole = hv.Evaluation.from_predictions(
        hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    )
    band = bounded_curve(some)
    if not some.predictions.has_unknown:
        assert band is None
        return
    full, left_out = whole.curve.at(THOUSANDTHS), some.curve.at(THOUSANDTHS)
    for key in CURVE_METRICS:
        inside = band.curve[key]
        assert (inside.lower <= full[key] + 1e-9).all()
        assert (inside.upper >= full[key] - 1e-9).all()
        np.testing.assert_array_equal(inside.estimate, left_out[key])


def test_the_lowest_value_is_never_above_the_highest():
    """Some rows have next to no unknown mass: their lowest and highest values are sums of the same terms in other orders."""
    rng = np.random.default_rng(0)
    edges = [("root", f"n{i}") for i in range(4)] + [(f"n{i}", f"n{i}.{j}") for i in range(4) for j in range(3)]
    taxonomy = hv.Taxonomy.from_edges(edges)
    scores = rng.dirichlet(np.full(12, 0.4), 400)
    truth = taxonomy.leaves[rng.integers(12, size=400)]
    best = np.argsort(-scores, axis=1)
    names = [taxonomy.names[leaf] for leaf in taxonomy.leaves]
    # All scores of most samples, the best three of the rest.
    listed = [
        [{"label": names[leaf], "score": float(scores[i, leaf])} for leaf in best[i, : 3 if i % 40 == 0 else 12]]
        for i in range(400)
    ]
    some = hv.Evaluation.from_predictions(hv.Predictions.from_pipeline(taxonomy, listed).replace(truth=truth))
    columns = curve_bounds_of(some).columns(some.curve.columns()["threshold"])
    for key in CURVE_METRICS:
        assert (columns[f"{key}_low"] <= columns[f"{key}_high"]).all()
