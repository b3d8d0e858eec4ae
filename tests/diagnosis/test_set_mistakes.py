"""Ranking by lost hF1 against sets."""

import naive_diagnosis
import numpy as np
from hypothesis import given
from naive_diagnosis import closure, same
from strategies import many

import hierviz as hv
from hierviz.diagnosis.mistakes import set_mistakes


@many
@given(naive_diagnosis.labelled())
def test_against_sets(case):
    graph, taxonomy, truths, answers = case
    predictions = hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(answers), truth=truths)
    found = set_mistakes(predictions, only_wrong=False)
    expected = []
    for i, (true, said) in enumerate(zip(truths, answers)):
        t, a = closure(graph, true) - {0}, closure(graph, [node for node in said if node >= 0]) - {0}
        size = len(a) + sum(node < 0 for node in said)
        hp, hr = len(t & a) / size if size else 1.0, len(t & a) / len(t) if t else 1.0
        lost = 1 - 2 * len(t & a) / (len(t) + size) if t or size else 0.0
        expected.append((-round(lost, 12), i, hp, hr, lost))
    expected.sort()
    assert found.row.tolist() == [one[1] for one in expected]
    for key, place in (("hp", 2), ("hr", 3), ("lost_hf1", 4)):
        same(getattr(found, key), [one[place] for one in expected])
    for place, row in enumerate(found.row.tolist()):
        assert found.truth[place].tolist() == truths[row]
        # Where no sample has two labels, no label is the root.
        assert found.predicted[place].tolist() in (answers[row], answers[row] or [0])
    wrong = set_mistakes(predictions)
    assert wrong.row.tolist() == [one[1] for one in expected if one[4] > 0]


def test_by_scores(taxonomy):
    p = np.array([[0.5, 0.25, 0.25, 0.0], [0.6, 0.4, 0.0, 0.0]])
    predictions = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=[[2, 6], [2]])
    found = set_mistakes(predictions, threshold=0.45)
    # mammal and cat of mammal, cat and newt: 1 - 2 * 2 / (3 + 2).
    frame = found.to_frame()
    assert frame[["row", "truth", "predicted"]].values.tolist() == [[0, "cat;newt", "mammal;cat"]]
    same(found.lost_hf1, [0.2])
