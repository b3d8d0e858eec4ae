"""An array that stays on disk: the same rows as numpy reads, and never those of another file."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hierviz as hv
from hierviz.readers.numpy_files import open_npy
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.sources import open_source
from hierviz.readers.stored_array import ChangedFileError, StoredArray

P = np.tile(np.array([[0.5, 0.25, 0.125, 0.125], [0.25, 0.25, 0.25, 0.25]], np.float32), (100, 1))


def stored(path, array):
    np.save(path, array)
    return open_npy(open_source(path, "an array", ("npy",)))


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_rows_are_those_of_numpy(data, tmp_path_factory):
    shape = tuple(data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    kind = data.draw(st.sampled_from(["<f4", ">f8", "u1", "<U3"]))
    array = np.arange(np.prod(shape)).reshape(shape).astype(kind)
    if data.draw(st.booleans()):
        array = np.asfortranarray(array)
    found = stored(tmp_path_factory.mktemp("a") / "a.npy", array)
    assert isinstance(found, StoredArray)
    assert (found.shape, found.dtype, found.ndim, found.size, len(found)) == (
        shape,
        array.dtype,
        array.ndim,
        array.size,
        len(array),
    )
    n = shape[0]
    rows = data.draw(st.lists(st.integers(-n, n - 1), max_size=6))
    step = slice(
        *data.draw(st.tuples(*[st.none() | st.integers(-6, 6)] * 2)), data.draw(st.sampled_from([None, 1, 2, -1]))
    )
    for key in (
        slice(None),
        step,
        np.array(rows, int),
        rows[:1],
        0,
        -1,
        np.arange(n) % 2 == 0,
        (slice(0, 2), ...),
        (0, ...),
    ):
        np.testing.assert_array_equal(found[key], array[key])
    np.testing.assert_array_equal(np.asarray(found), array)
    np.testing.assert_array_equal(found[..., None][:2], array[..., None][:2])
    if shape[-1] == 1 and array.ndim > 1:
        np.testing.assert_array_equal(found[..., 0][:2], array[..., 0][:2])
    for wrong in (n, [n], [-n - 1], np.zeros((1, 1), int), [0.5], ([0], [0])):
        with pytest.raises(IndexError):
            found[wrong]


CHANGES = {
    "cut short in place": (lambda path: os.truncate(path, 500), "got a shorter one of 500 bytes"),
    "emptied in place": (lambda path: os.truncate(path, 0), "got a shorter one of 0 bytes"),
    "saved again in place": (lambda path: np.save(path, P[::-1]), "got one that was saved again"),
    "replaced by a file of the same size": (
        lambda path: (np.save(path.with_name("b.npy"), P[::-1]), os.replace(path.with_name("b.npy"), path)),
        "got one that was saved again",
    ),
    "replaced by a longer file": (lambda path: np.save(path, np.vstack([P, P])), "got a longer one of 6528 bytes"),
    "deleted": (lambda path: path.unlink(), "got nothing there: it was moved or deleted"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_file_is_named_and_none_of_its_numbers_is_used(change, tmp_path, taxonomy):
    np.save(tmp_path / "p.npy", P)
    found = load_predictions(tmp_path / "p.npy", taxonomy)
    before = found.node_probabilities(slice(0, 2))
    CHANGES[change][0](tmp_path / "p.npy")
    for rows in (slice(0, 2), np.array([0])):
        with pytest.raises(ChangedFileError, match=rf"^p\.npy: expected the file .*{CHANGES[change][1]}") as caught:
            found.node_probabilities(rows)
    assert caught.value.path == tmp_path / "p.npy"
    np.save(tmp_path / "p.npy", P)
    again = load_predictions(tmp_path / "p.npy", taxonomy)
    np.testing.assert_array_equal(again.node_probabilities(slice(0, 2)), before)


def test_a_file_that_changes_while_a_block_is_read_is_named(tmp_path, taxonomy, monkeypatch):
    np.save(tmp_path / "p.npy", P)
    found = load_predictions(tmp_path / "p.npy", taxonomy)
    fill = hv.readers.stored_array._fill

    def overwritten(*arguments):
        fill(*arguments)
        np.save(tmp_path / "p.npy", P[::-1])

    monkeypatch.setattr("hierviz.readers.stored_array._fill", overwritten)
    with pytest.raises(ChangedFileError, match="saved again"):
        found.node_probabilities(slice(0, 2))


def test_a_file_that_shrinks_does_not_end_the_process(tmp_path):
    """A memory map of it would: SIGBUS, for everybody who looks at the same server."""
    code = """
import os, sys
import numpy as np
import hierviz as hv
path = sys.argv[1]
taxonomy = hv.Taxonomy.from_edges([("a", str(k)) for k in range(1024)])
np.save(path, np.full((2000, 1024), 1 / 1024, np.float32))
found = hv.load_predictions(path, taxonomy)
os.truncate(path, 100)
try:
    hv.Evaluation.from_predictions(found)
except hv.HiervizError as error:
    print(error)
"""
    made = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "p.npy")], capture_output=True, text=True, timeout=120
    )
    assert made.returncode == 0, (made.returncode, made.stderr)
    assert made.stdout.startswith(
        "p.npy: expected the file of 8192128 bytes that was opened, got a shorter one of 100 bytes"
    )


def test_a_table_that_is_saved_again_while_it_is_read_is_named(tmp_path, taxonomy, monkeypatch):
    (tmp_path / "p.csv").write_text("cat,dog,duck,newt\n1,0,0,0\n")
    source = open_source(tmp_path / "p.csv", "a table")
    (tmp_path / "p.csv").write_text("cat,dog,duck,newt\n0,1,0,0\n0,0,1,0\n")
    with pytest.raises(ChangedFileError, match="longer one"):
        hv.readers.tables.open_table(source, "a table")
