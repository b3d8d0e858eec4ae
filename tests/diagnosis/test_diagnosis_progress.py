"""Long computations report their progress to the end, and stop if the callback raises an exception."""

import numpy as np
import pytest
from small_tree import EDGES

import hierviz as hv

TAXONOMY = hv.Taxonomy.from_edges(EDGES)


def predictions():
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.ones(TAXONOMY.n_leaves), 200)
    return hv.Predictions.from_scores(TAXONOMY, scores, "leaf_probabilities", truth=rng.choice(TAXONOMY.leaves, 200))


@pytest.mark.parametrize(
    "work",
    [
        lambda progress: hv.diagnosis.label_errors(predictions(), "leaf", progress=progress),
        lambda progress: hv.diagnosis.reliability(predictions(), progress=progress),
        lambda progress: hv.diagnosis.reliability(predictions(), nodes=[1, 2], max_samples=50, progress=progress),
        lambda progress: hv.diagnosis.slices(
            predictions(), loss="win_lost", tests=hv.diagnosis.ManyTests(n_draws=20), progress=progress
        ),
    ],
)
def test_progress_goes_to_the_end_and_may_stop_it(work):
    told = []
    work(lambda done, total: told.append((done, total)))
    assert len({total for _, total in told}) == 1
    done = [done for done, _ in told]
    assert done == sorted(done)
    assert done[-1] == told[0][1]

    class Cancelled(Exception):
        pass

    def cancel(done, total):
        raise Cancelled

    with pytest.raises(Cancelled):
        work(cancel)
