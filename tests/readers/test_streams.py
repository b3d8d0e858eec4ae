"""Data from a pipe are read once and completely, by every reader and command; data that cannot be stored are refused."""

import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager

import numpy as np
import pytest

from hierviz.app.state.dataset import Files, open_files
from hierviz.cli import main
from hierviz.messages.errors import FileError
from hierviz.onnx.inputs.model_inputs import InputSpec, load_inputs
from hierviz.readers.classes_file import load_classes
from hierviz.readers.node_attributes import load_node_attributes
from hierviz.readers.pictures import Pictures
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.taxonomy_file import load_taxonomy
from hierviz.readers.temporary_files import require_file, rewindable
from hierviz.readers.truth_file import load_truth

EDGES = "animal,mammal\nmammal,cat\nmammal,dog\nanimal,bird\nbird,duck\nanimal,newt\n"
# Longer than what a pipe or a buffer holds: a reader that opens it twice loses the beginning.
N = 6_000
LABELS = "sample_id,label\n" + "".join(f"s{k},{('cat', 'dog', 'duck')[k % 3]}\n" for k in range(N))
TRUTH = "sample_id,truth\n" + "".join(f"s{k},cat\n" for k in range(N))


@contextmanager
def piped(content):
    """Path of a pipe that gives `content` once, as ``<(cat file)`` does in a shell."""
    content = content.encode() if isinstance(content, str) else content
    out, into = os.pipe()

    def write():
        with open(into, "wb") as file:
            file.write(content)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield f"/dev/fd/{out}"
    finally:
        os.close(out)
        writer.join()


@pytest.fixture
def tree(tmp_path):
    """The taxonomy and the path of its file."""
    (tmp_path / "taxonomy.csv").write_text(EDGES)
    return load_taxonomy(tmp_path / "taxonomy.csv")


def saved(save, *arrays, **named):
    file = io.BytesIO()
    save(file, *arrays, **named)
    return file.getvalue()


def parquet(**columns):
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


P = np.tile(np.array([[0.5, 0.25, 0.125, 0.125]]), (N, 1))
SCORES = {
    "csv": "cat,dog,duck,newt\n" + "0.5,0.25,0.125,0.125\n" * N,
    "csv.gz": gzip.compress(("cat,dog,duck,newt\n" + "0.5,0.25,0.125,0.125\n" * N).encode()),
    "npy": saved(np.save, P),
    "npz": saved(np.savez, prob=P),
    "parquet": parquet(**dict(zip(["cat", "dog", "duck", "newt"], P.T, strict=True))),
}


@pytest.mark.parametrize("form", SCORES)
def test_scores_through_a_pipe_are_whole(form, tree):
    with piped(SCORES[form]) as path:
        found = load_predictions(path, tree, truth=np.zeros(N, int))
    assert found.n_samples == N
    assert np.array_equal(np.asarray(found.scores[N - 2 :]), P[:2])
    assert np.array_equal(found.node_probabilities(np.array([0, N - 1]))[:, 2], [0.5, 0.5])


def test_labels_truth_classes_and_nodes_through_pipes_are_whole(tree):
    with piped(LABELS) as labels, piped(TRUTH) as truth:
        found = load_predictions(labels, tree, truth)
    assert (found.n_samples, found.n_without_truth, found.n_without_prediction) == (N, 0, 0)
    assert found.notes == ()
    with piped(EDGES) as path:
        assert load_taxonomy(path).names == tree.names
    with piped("cat\ndog\nduck\nnewt\n") as path:
        assert load_classes(path, tree).tolist() == [2, 3, 5, 6]
    with piped("node,name\ncat,Cat\n") as path:
        assert load_node_attributes(path, tree).title(2) == "Cat"
    with piped(TRUTH) as path:
        assert len(load_truth(path, tree)) == N


def test_errors_call_a_pipe_by_its_path(tree):
    with piped("sample_id,label\na,cat\nb,duk\n") as path, pytest.raises(Exception, match=f"^{path}:3, column 'label'"):
        load_predictions(path, tree)


def test_the_command_joins_one_truth_from_a_pipe_with_several_models(tree, tmp_path, capsys):
    for name in ("a.npy", "b.npy"):
        (tmp_path / name).write_bytes(SCORES["npy"])
    with piped(TRUTH) as truth, piped(EDGES) as taxonomy, piped("cat\ndog\nduck\nnewt\n") as classes:
        arguments = ["--taxonomy", taxonomy, "--truth", truth, "--classes", classes]
        arguments += ["--predictions", str(tmp_path / "a.npy"), "--predictions", str(tmp_path / "b.npy")]
        assert main(["evaluate", *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["n_samples"] for one in found["models"]] == [N, N]


def test_a_copy_of_a_pipe_has_no_name_and_each_reader_of_it_a_place_of_its_own():
    with piped(b"abcdef") as path:
        kept = rewindable(path)
    assert rewindable(kept) is kept
    with kept.open() as first, kept.open() as second:
        assert (first.read(3), second.read(), first.read()) == (b"abc", b"abcdef", b"def")
    if os.path.isdir("/proc/self/fd"):
        assert os.readlink(f"/proc/self/fd/{kept._copy.fileno()}").endswith("(deleted)")


def test_more_than_a_pipe_may_give_is_refused(tree, monkeypatch):
    monkeypatch.setattr("hierviz.readers.file_limits.PIPE_BYTES", 1 << 20)
    with (
        piped(LABELS * 20) as path,
        pytest.raises(FileError, match=r"expected at most 1 MB from a pipe, got more\."),
    ):
        load_predictions(path, tree)


def test_where_a_file_must_stay_a_pipe_is_refused_unread(tree, tmp_path):
    """Nobody writes into these pipes: opening one would wait for ever."""
    os.mkfifo(tmp_path / "scores.npy")
    path, words = str(tmp_path / "scores.npy"), "scores.npy: expected a file, got a pipe. Save what it gives to a file"
    with pytest.raises(FileError, match=words):
        load_inputs(path, InputSpec("x", "float32", (None, 4)))
    with pytest.raises(FileError, match=words):
        Pictures.from_path(path)
    with pytest.raises(FileError, match=words):
        open_files(Files(taxonomy=str(tmp_path / "taxonomy.csv"), predictions=(path,)))
    assert main(["app", "--taxonomy", path, "--predictions", path]) == 2
    with pytest.raises(FileError, match=r"^/dev/zero: expected a file, got a device"):
        load_predictions("/dev/zero", tree)


def test_a_shell_may_pass_pipes(tmp_path):
    (tmp_path / "labels.csv").write_text(LABELS)
    (tmp_path / "truth.csv").write_text(TRUTH)
    (tmp_path / "taxonomy.csv").write_text(EDGES)
    command = f"{sys.executable} -m hierviz evaluate --taxonomy taxonomy.csv --predictions <(cat labels.csv) --truth /dev/stdin"
    made = subprocess.run(
        ["bash", "-c", f"cat truth.csv | {command}"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["models"][0]["n_samples"] == N


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="this system keeps no files in memory below /dev/shm")
def test_a_file_below_dev_shm_is_a_file(tree):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = os.path.join(folder, "scores.npy")
        np.save(path, np.full((2, tree.n_leaves), 1 / tree.n_leaves))
        require_file(path)
        assert rewindable(path) is path
