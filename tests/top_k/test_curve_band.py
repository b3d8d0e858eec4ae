"""The band around the curve of a model whose file lists some scores of each sample only."""

import numpy as np
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.curves.operating_curve import THOUSANDTHS
from hierviz.evaluation.bounds import bounded_curve
from hierviz.top_k.curve_bounds import CURVE_METRICS


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
    some = hv.Evaluation.from_predictions(hv.Predictions.from_pipeline(taxonomy, listed, truth=truth))
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
