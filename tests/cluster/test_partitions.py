"""Which rows a worker gets: all of them, once, in order; and only theirs are sent."""

import pickle

import numpy as np
import pytest
from cluster_cases import any_predictions, world, write_parts
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.cluster import work as module
from hierviz.cluster.work import RowRange, fields_of, partitions
from tests.small_tree import EDGES

TAXONOMY = hv.Taxonomy.from_edges(EDGES)


class Shape:
    """Scores of which only the shape is asked for."""

    def __init__(self, *shape):
        self.shape, self.dtype = shape, np.dtype(np.float32)


@many
@given(any_predictions(), st.integers(1, 20), st.integers(1, 8))
def test_partitions_are_all_rows_in_order(predictions, n_partitions, n_threads):
    for parts in (partitions(predictions, n_threads), partitions(predictions, n_threads, n_partitions)):
        ends = [0, *(part.stop for part in parts)]
        assert ends == sorted(set(ends))
        assert [part.start for part in parts] == ends[:-1]
        assert ends[-1] == predictions.n_samples
    assert len(parts) == min(n_partitions, predictions.n_samples)


def sizes(n_samples, n_scores, n_threads, is_in_files, monkeypatch):
    monkeypatch.setattr(module, "is_in_files", lambda predictions: is_in_files)
    predictions = hv.Predictions(TAXONOMY, scores=Shape(n_samples, 4), parametrisation="leaf_probabilities")
    object.__setattr__(predictions, "scores", Shape(n_samples, n_scores))
    return [(part.stop - part.start) * n_scores for part in partitions(predictions, n_threads)]


def test_sizes_of_partitions(monkeypatch):
    # 10^10 scores on 2 threads: the largest. On 200: four a thread. 4 * 10^7 on 8: one a thread.
    assert max(sizes(1_000_000, 10_000, 2, True, monkeypatch)) <= 1.01 * module.MOST
    assert len(sizes(1_000_000, 10_000, 200, True, monkeypatch)) == 800
    assert len(sizes(40_000, 1000, 8, True, monkeypatch)) == 8
    assert len(sizes(1000, 1000, 2, True, monkeypatch)) == 1
    # What is sent is small.
    assert max(sizes(100_000, 1000, 2, False, monkeypatch)) <= module.SMALL


def test_row_groups_are_not_divided(tmp_path):
    pytest.importorskip("pyarrow")
    scores, ids, truth = world(TAXONOMY)
    folder = write_parts(tmp_path / "parts", TAXONOMY, scores, 4, group=5, sample_id=ids, truth=truth)
    predictions = hv.load_predictions(folder, TAXONOMY, read_scores=False)
    for n in (1, 2, 3, 5, 100):
        parts = partitions(predictions, 2, n)
        assert {part.start for part in parts} <= set(predictions.scores.starts.tolist())
        assert sum(part.stop - part.start for part in parts) == 47
        for part in parts:
            piece = hv.Predictions(predictions.taxonomy, **fields_of(predictions, part))
            assert isinstance(piece.scores, RowRange)
            np.testing.assert_array_equal(piece.scores[:], scores[part])
            np.testing.assert_array_equal(piece.scores[np.array([0])], scores[part][:1])
            assert piece.ids.tolist() == ids[part]
    # A partition names the parts that hold its rows, and no others.
    assert [file.path for file in fields_of(predictions, partitions(predictions, 2, 4)[1])["scores"].array.files] == [
        "part-1.parquet"
    ]


def test_a_stored_array_is_named_and_not_sent(tmp_path, monkeypatch):
    scores = np.full((1000, 4), 0.25)
    np.save(tmp_path / "scores.npy", scores)
    monkeypatch.chdir(tmp_path)
    for read_scores in (True, False):
        predictions = hv.load_predictions("scores.npy", TAXONOMY, read_scores=read_scores)
        sent = pickle.dumps(fields_of(predictions, slice(10, 20)))
        assert len(sent) < 3000
        with monkeypatch.context() as patch:
            patch.chdir("/")
            np.testing.assert_array_equal(pickle.loads(sent)["scores"][2:4], scores[12:14])


def test_only_the_rows_of_a_partition_are_sent():
    predictions = hv.Predictions(
        TAXONOMY,
        scores=np.full((1000, 4), 0.25),
        parametrisation="leaf_probabilities",
        truth=np.zeros(1000, int),
        attributes={"text": np.array(["x" * 1000] * 1000)},
        notes=("y" * 10_000,),
    )
    assert len(pickle.dumps(fields_of(predictions, slice(0, 10)))) < 3000


def test_a_worker_reads_every_row_group_once(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    from hierviz.cluster import work
    from hierviz.predictions.predictions import Predictions
    from hierviz.readers.parquet_parts import ParquetRows

    scores, ids, truth = world(TAXONOMY)
    folder = write_parts(tmp_path / "parts", TAXONOMY, scores, 4, group=5, sample_id=ids, truth=truth)
    predictions = hv.load_predictions(folder, TAXONOMY, read_scores=False)
    read, of_group = [], ParquetRows._decoded
    monkeypatch.setattr(ParquetRows, "_decoded", lambda *place: read.append(place[1:]) or of_group(*place))
    # Blocks of three rows end inside row groups of five.
    monkeypatch.setattr(
        Predictions, "blocks", lambda self: [slice(k, min(k + 3, self.n_samples)) for k in range(0, self.n_samples, 3)]
    )
    for part in partitions(predictions, 1, 3):
        what, piece = work.evaluated((TAXONOMY, {}), fields_of(predictions, part), "parts")
        assert what == hv.__version__
        assert piece.n_samples == part.stop - part.start
        assert len(read) == len(set(read))
        read.clear()
