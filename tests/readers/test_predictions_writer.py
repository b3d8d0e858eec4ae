"""Written files are read back without options."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples

from hierviz import PARAMETRISATIONS, FileError, Predictions, PredictionsError, Taxonomy
from hierviz.predictions.parametrisation import default_columns
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.predictions_writer import write_predictions

SUFFIXES = (".parquet", ".csv", ".csv.gz")


@st.composite
def predictions(draw):
    n = draw(st.integers(3, 9))
    taxonomy = Taxonomy.from_edges([(f"n{draw(st.integers(0, i - 1))}", f"n{i}") for i in range(1, n)])
    key = draw(st.sampled_from(sorted(PARAMETRISATIONS)))
    width = len(default_columns(taxonomy, key))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    scores = rng.normal(scale=draw(st.sampled_from([0.1, 3.0, 300.0])), size=(draw(st.integers(1, 4)), width))
    if key == "leaf_probabilities":
        scores = np.exp(scores / 100) / np.exp(scores / 100).sum(axis=1, keepdims=True)
    if key == "node_probabilities":
        scores = 1 / (1 + np.exp(-scores / 100))
    if key == "votes":
        scores = np.floor(np.abs(scores)) + 1
    ids = np.array([f"00{k}" for k in range(len(scores))]) if draw(st.booleans()) else None
    return Predictions.from_scores(taxonomy, scores, key, sample_ids=ids)


@settings(max_examples=examples(75), deadline=None)
@given(made=predictions(), suffix=st.sampled_from(SUFFIXES))
def test_round_trip(tmp_path_factory, made, suffix):
    path = tmp_path_factory.mktemp("w") / f"p{suffix}"
    write_predictions(made, path)
    found = load_predictions(path, made.taxonomy)
    assert found.scores.dtype == np.float64
    assert np.allclose(found.node_probabilities(), made.node_probabilities(), rtol=0, atol=1e-12)
    assert (found.sample_ids is None) == (made.sample_ids is None)
    assert made.sample_ids is None or found.sample_ids.tolist() == made.sample_ids.tolist()
    expected = "leaf_probabilities" if PARAMETRISATIONS[made.parametrisation].is_distribution else "node_probabilities"
    assert found.parametrisation == expected


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_leaf_probabilities_come_back_exactly(suffix, tmp_path, taxonomy):
    scores = np.random.default_rng(1).dirichlet(np.ones(4), size=50)
    made = Predictions.from_scores(taxonomy, scores, "leaf_probabilities")
    write_predictions(made, tmp_path / f"p{suffix}")
    assert np.array_equal(load_predictions(tmp_path / f"p{suffix}", taxonomy).scores, scores)


def test_names_that_need_quotes(tmp_path):
    taxonomy = Taxonomy.from_edges([("all", 'a, "b"'), ("all", "two\nlines"), ("all", "Malus ×domestica")])
    made = Predictions.from_scores(taxonomy, np.array([[0.5, 0.25, 0.25]]), "leaf_probabilities")
    for suffix in SUFFIXES:
        write_predictions(made, tmp_path / f"p{suffix}")
        assert load_predictions(tmp_path / f"p{suffix}", taxonomy).scores.tolist() == [[0.5, 0.25, 0.25]]


def test_truth_is_not_written(tmp_path, taxonomy):
    made = Predictions.from_scores(taxonomy, np.full((1, 4), 0.25), "leaf_probabilities", truth=[2])
    write_predictions(made, tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_text() == "cat,dog,duck,newt\n0.25,0.25,0.25,0.25\n"


def test_root_that_is_not_certain_is_written(tmp_path, taxonomy):
    made = Predictions.from_scores(taxonomy, np.full((1, 7), 0.25), "node_probabilities")
    write_predictions(made, tmp_path / "p.csv")
    assert load_predictions(tmp_path / "p.csv", taxonomy).node_probabilities()[0, 0] == 0.25


def test_what_cannot_be_written(tmp_path, taxonomy):
    made = Predictions.from_scores(taxonomy, np.full((1, 4), 0.25), "leaf_probabilities")
    with pytest.raises(FileError, match=r"p\.xlsx: expected a name that ends in \.parquet, \.csv, \.csv\.gz"):
        write_predictions(made, tmp_path / "p.xlsx")
    with pytest.raises(FileError, match=r"nowhere.*expected an existing folder to write to"):
        write_predictions(made, tmp_path / "nowhere" / "p.csv")
    with pytest.raises(FileError, match="nowhere"):
        write_predictions(made, tmp_path / "nowhere" / "p.parquet")
    with pytest.raises(PredictionsError, match="expected scores to write, got labels"):
        write_predictions(Predictions.from_labels(taxonomy, [2]), tmp_path / "p.csv")
