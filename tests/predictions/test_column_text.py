"""What a column says is missing: the same in slices, groups, facets, filters and means."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.diagnosis._means_by import means_by
from hierviz.diagnosis.sample_filter import SampleFilter, facets, filtered
from hierviz.diagnosis.slice_members import codes_of
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.common_samples import facets as parts
from hierviz.evaluation.common_samples import judged_samples
from hierviz.evaluation.evaluation import Evaluation
from hierviz.predictions.column_text import as_text, is_missing
from hierviz.uncertainty.resamples import group_numbers

NAN = float("nan")


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (np.array(["a", "", "nan", "None", "NaT", "<NA>"]), [0, 1, 0, 0, 0, 0]),
        (["a", "", "nan", None, NAN], [0, 1, 0, 1, 1]),
        (np.array([1.5, NAN]), [0, 1]),
        (np.array([1, 0]), [0, 0]),
        (np.array([True, False]), [0, 0]),
        (np.array(["2026-01-01", "NaT"], dtype="M8[D]"), [0, 1]),
        (np.array([], dtype=object), []),
    ],
)
def test_missing_values(column, expected):
    assert is_missing(column).tolist() == [bool(value) for value in expected]


def test_missing_values_of_pandas():
    pd = pytest.importorskip("pandas")
    column = pd.array(["a", pd.NA, "nan"], dtype="string").to_numpy()
    assert is_missing(column).tolist() == [False, True, False]
    assert codes_of(column)[1] == ["a", "nan"]
    assert is_missing(pd.Series(["a", pd.NaT]).to_numpy()).tolist() == [False, True]


@pytest.fixture(scope="module")
def predictions():
    """Twelve samples of each of nan the text, a value, and nothing."""
    taxonomy = hv.Taxonomy.from_edges([("r", "x"), ("r", "y")])
    column = np.array(["nan", "day", None] * 12, dtype=object)
    scores = np.tile([[0.75, 0.25]], (36, 1))
    return hv.Predictions.from_scores(
        taxonomy, scores, "leaf_probabilities", truth=np.arange(36) % 2 + 1, attributes={"light": column}
    )


def test_the_text_nan_is_a_value_everywhere(predictions):
    answers = judged_answers(predictions)
    assert facets(predictions, np.arange(36)) == {"light": {"day": 12, "nan": 12}}
    found = hv.diagnosis.slices(predictions)
    assert {row.value for row in found.rows if row.kind == "light"} == {"nan", "day"}
    for value, place in (("nan", 0), ("day", 1), ("", 2)):
        kept = filtered(answers, SampleFilter(where=(("light", value),)))
        assert np.flatnonzero(kept).tolist() == list(range(place, 36, 3))
    (samples,) = judged_samples([Evaluation.from_predictions(predictions)])
    assert {value: len(places) for value, places in parts(samples, "light").items()} == {
        "day": 12,
        "nan": 12,
        "no value": 12,
    }
    assert means_by(answers, "light").label == ["day", "nan"]


def test_groups_without_a_label():
    assert group_numbers(np.array(["nan", "day", "nan"]), 3).tolist() == [1, 0, 1]
    for missing in (None, NAN, ""):
        with pytest.raises(
            hv.PredictionsError, match=r"^groups: expected a label for every sample, got none in rows 1\."
        ):
            group_numbers(["nan", missing, "day"], 3)


def test_text():
    assert as_text(["a" * 50_000, None, 1.5]).tolist() == ["a" * 50_000, "None", "1.5"]
    assert as_text(np.array([1, 2])).tolist() == ["1", "2"]
