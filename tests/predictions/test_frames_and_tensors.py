"""Frames of other packages and tensors: the same as from pandas and numpy, without a copy where they allow it."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import hierviz as hv

P = np.array([[0.5, 0.25, 0.125, 0.125], [0.125, 0.125, 0.25, 0.5]])
TABLE = pd.DataFrame(P, columns=["cat", "dog", "duck", "newt"]).assign(
    id=["a", "b"], truth=["cat", None], text=["x", "y"]
)


def polars():
    return pytest.importorskip("polars").from_pandas(TABLE)


FRAMES = {"pandas": lambda: TABLE, "arrow": lambda: pa.Table.from_pandas(TABLE), "polars": polars}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_come_in(kind, taxonomy):
    found = hv.Predictions.from_frame(FRAMES[kind](), taxonomy)
    np.testing.assert_array_equal(found.scores, P)
    assert found.ids.tolist() == ["a", "b"]
    assert found.truth.tolist() == [taxonomy.node("cat"), -1]
    assert found.text(1) == "y"
    again = hv.Predictions.from_frame(FRAMES[kind](), taxonomy, truth=pa.chunked_array([["newt", "dog"]]))
    assert again.truth.tolist() == taxonomy.nodes("newt", "dog").tolist()


@pytest.mark.parametrize("kind", ["pyarrow", "polars"])
def test_frames_go_out(kind, taxonomy):
    pytest.importorskip(kind)
    predictions = hv.Predictions.from_frame(TABLE.assign(truth=["cat", "dog"]), taxonomy)
    for table in (
        hv.Evaluation.from_predictions(predictions),
        hv.mistakes(predictions),
        hv.diagnosis.node_table(predictions, "majority"),
        hv.Evaluation.from_predictions(predictions).curve,
    ):
        made, wanted = table.to_frame(backend=kind), table.to_frame()
        assert type(made).__module__.startswith(kind)
        columns = made.column_names if kind == "pyarrow" else made.columns
        assert list(columns) == list(wanted.columns)
        assert len(made) == len(wanted)


def test_what_is_no_backend(taxonomy):
    table = hv.mistakes(hv.Predictions.from_frame(TABLE, taxonomy))
    with pytest.raises(hv.PredictionsError, match="backend: expected one of pandas, polars, pyarrow, got 'excel'"):
        table.to_frame(backend="excel")
    assert "backend" in str(__import__("inspect").signature(type(table).to_frame))


class Later:
    """A frame that is not computed yet."""

    columns = ("cat",)

    def collect(self):
        raise AssertionError


def test_a_lazy_frame_is_to_be_collected(taxonomy):
    with pytest.raises(hv.PredictionsError, match=r"computes them later\. Pass frame\.collect\(\)"):
        hv.Predictions.from_frame(Later(), taxonomy)


# Tensors -----------------------------------------------------------------------------------------------------------------


class Exchanged:
    """Shares its memory by DLPack alone, as jax and others do."""

    def __init__(self, values):
        self.values, self.shape = values, values.shape

    def __dlpack__(self, **how):
        return self.values.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()

    def __getitem__(self, key):
        raise AssertionError("read as an array")


class Tensor(Exchanged):
    """As torch's: with a gradient it has no array, and elsewhere none before it is copied here."""

    def __init__(self, values, requires_grad=True, device="cpu", is_odd=False):
        super().__init__(values)
        self.requires_grad, self.device, self.is_odd = requires_grad, device, is_odd

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")

    def detach(self):
        return Tensor(self.values, False, self.device, self.is_odd)

    def cpu(self):
        values = self.values if self.device == "cpu" else self.values.copy()
        return Tensor(values, self.requires_grad, "cpu", self.is_odd)

    def float(self):
        return Tensor(self.values.astype(np.float32), self.requires_grad)

    def numpy(self):
        if self.requires_grad or self.device != "cpu":
            raise RuntimeError
        if self.is_odd and self.values.dtype.kind == "f":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.values


@pytest.mark.parametrize(
    ("make", "is_shared"),
    [
        (Exchanged, True),
        (Tensor, True),
        (lambda values: Tensor(values, device="cuda"), False),
        (lambda values: Tensor(values, is_odd=True), False),
    ],
)
def test_tensors_of_scores(make, is_shared, taxonomy):
    scores = P.copy()
    found = hv.Predictions.from_scores(taxonomy, make(scores), "leaf_probabilities", truth=make(np.array([2, 6])))
    np.testing.assert_array_equal(found.scores, scores)
    assert np.shares_memory(found.scores, scores) == is_shared
    assert found.truth.tolist() == [2, 6]
    p = hv.node_probabilities(taxonomy, make(scores), "leaf_probabilities")
    assert hv.infer(taxonomy, make(p), "leaf").tolist() == [2, 6]
    labels = hv.Predictions.from_labels(taxonomy, make(np.array([2, 3])))
    assert labels.labels.nodes.tolist() == [2, 3]


def test_torch(taxonomy):
    torch = pytest.importorskip("torch")
    scores = torch.tensor(P, requires_grad=True)
    found = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities")
    assert np.shares_memory(found.scores, scores.detach().numpy())
