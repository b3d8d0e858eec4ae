"""Models beside constant answers on the published data, and the alarms."""

import numpy as np
import pytest
import strategies
from hypothesis import given
from strategies import many

import hierviz as hv
from hierviz.diagnosis.constant_answers import against_constants, best_constants
from hierviz.metrics.confusion.constant_paths import _highest_f1


@pytest.mark.parametrize(
    ("model", "mcc", "n_alarms"),
    # Riehl et al., JRSS-C 2023, table III. TopDown is below both constants, and its columns are probably in another order.
    [("RFSB", 0.7406, 0), ("HC_GA", 0.4908, 0), ("TopDown", -0.8149, 3)],
)
def test_transposon(shared_data, model, mcc, n_alarms):
    folder = shared_data / "transposon"
    taxonomy = hv.load_taxonomy(str(folder / "taxonomy.csv"))
    predictions = hv.load_predictions(
        str(folder / f"pred_{model}.csv.gz"), taxonomy, truth=str(folder / "truth.csv.gz"), truth_column="label_paper"
    )
    found = against_constants(predictions)
    assert found.confusion.measures["mcc"] == pytest.approx(mcc, abs=5e-5)
    assert {key: taxonomy.names[node] for key, (node, _) in found.constants.items()} == {"f1": "1/1/1", "mcc": "1/1"}
    assert found.constants["f1"][1].measures["f1"] == pytest.approx(0.7009, abs=5e-5)
    assert found.constants["mcc"][1].measures["mcc"] == pytest.approx(0.4907, abs=5e-5)
    assert len(found.alarms) == n_alarms
    if n_alarms:
        assert "always answering 1/1/1" in found.alarms[0]
        assert "in the order of the classes" in found.alarms[-1]


def test_some_samples_and_several_paths(shared_data):
    folder = shared_data / "germeval2019"
    taxonomy = hv.load_taxonomy(str(folder / "taxonomy_1b.csv"))
    predictions = hv.load_predictions(
        str(folder / "pred_1b_DFKI-SLT__full.csv.gz"), taxonomy, truth=str(folder / "truth_1b.csv.gz")
    )
    evaluation = hv.Evaluation.from_predictions(predictions)
    answers = hv.evaluation.judged_answers(evaluation)
    whole = against_constants(answers).confusion
    assert whole.counts == evaluation.confusion().counts
    # Counts are sums over samples, so those of two parts add up to the whole.
    parts = [against_constants(answers.take(range(start, 4157, 2))).confusion.counts for start in (0, 1)]
    assert {cell: parts[0][cell] + parts[1][cell] for cell in whole.counts} == whole.counts


@many
@given(strategies.pairs())
def test_counts_find_what_trying_finds(case):
    """The nodes that counts alone give are those of the definitions, and so are the confusions."""
    _, taxonomy, truth, predicted = case
    answers = hv.evaluation.judged_answers(hv.Predictions.from_labels(taxonomy, predicted, truth=truth))
    found = best_constants(answers)
    node, constant = _highest_f1(taxonomy, hv.NodeLists.of(truth))
    assert found["f1"][0] == node
    assert found["f1"][1].counts == constant.counts
    assert found["mcc"][1].counts == hv.confusion(taxonomy, truth, np.full(len(truth), found["mcc"][0])).counts
