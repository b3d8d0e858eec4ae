"""Scores that stay on disk: the same predictions and numbers as those that are read whole, and the same errors."""

import contextlib
import gzip
import io
import os
import signal
import subprocess
import sys
import zipfile
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hierviz as hv
from hierviz.compiled import tree_pass
from hierviz.messages.errors import FileError, PredictionsError
from hierviz.predictions import predictions as predictions_module
from hierviz.predictions.score_rows import CheckedScores
from hierviz.readers import file_limits, long_table, parquet_table, temporary_files
from hierviz.readers.parquet_scores import ParquetScores
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.stored_array import ChangedFileError, StoredArray
from tests.strategies import from_graph, graphs, many, trees

FORMS = ("npy", "npy.gz", "npz", "npz packed", "npz.gz", "parquet", "wide", "long")


@st.composite
def cases(draw):
    """(form, taxonomy, node of each column, scores, truth, ids, parametrisation, sizes of blocks)"""
    taxonomy = from_graph(draw(st.one_of(trees(), graphs())))
    form, n = draw(st.sampled_from(FORMS)), draw(st.integers(1, 9))
    keys = ["leaf_probabilities", "flat_softmax", "conditional_softmax"]
    key = draw(st.sampled_from(keys if taxonomy.is_tree else keys[:2]))
    nodes = taxonomy.leaves if key != "conditional_softmax" else np.arange(1, taxonomy.n_nodes)
    nodes = np.array(draw(st.permutations(nodes.tolist())), dtype=np.intp)
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    scores = rng.random((n, len(nodes))) * 4
    if key == "leaf_probabilities":
        scores /= scores.sum(axis=1, keepdims=True)
    scores = scores.astype(draw(st.sampled_from([np.float16, np.float32, np.float64])))
    if draw(st.booleans()):
        scores = np.asfortranarray(scores)
    truth = draw(st.lists(st.integers(-1, taxonomy.n_nodes - 1), min_size=n, max_size=n))
    ids = [f"s{k}" for k in draw(st.permutations(range(n)))] if draw(st.booleans()) else None
    sizes = draw(st.tuples(*[st.integers(1, 30)] * 5))
    return form, taxonomy, nodes, scores, truth, ids, key, sizes


def save(folder, form, taxonomy, nodes, scores, truth, ids, group=3, order=None):
    """A file of the form; (path, keywords of load_predictions)."""
    names = [taxonomy.names[node] for node in nodes]
    true = ["" if node < 0 else taxonomy.names[node] for node in truth]
    keywords = {}
    path = folder / f"p.{form.split()[0]}"
    if form.startswith("npy"):
        keywords = {"classes": names, "truth": [name or None for name in true]}
        file = io.BytesIO()
        np.save(file, scores)
        path.write_bytes(gzip.compress(file.getvalue()) if form.endswith("gz") else file.getvalue())
    elif form.startswith("npz"):
        arrays = {"prob": scores, "leaf": np.array(names), "truth": np.array(true)}
        if ids is not None:
            arrays["sample_id"] = np.array(ids)
        (np.savez_compressed if form.endswith("packed") else np.savez)(folder / "p.npz", **arrays)
        if form.endswith("gz"):
            path.write_bytes(gzip.compress((folder / "p.npz").read_bytes()))
    elif form == "parquet":
        table = {name: scores[:, k] for k, name in enumerate(names)} | {"truth": true}
        table |= {} if ids is None else {"sample_id": ids}
        pq.write_table(pa.table(dict(sorted(table.items()))), path, row_group_size=group)
    elif form == "wide":
        header = [*([] if ids is None else ["sample_id"]), *names, "truth", "text"]
        rows = [
            [*([] if ids is None else [ids[k]]), *map(repr, scores[k].tolist()), true[k], f"t{k % 2}"]
            for k in range(len(scores))
        ]
        path = folder / "p.csv"
        path.write_text("".join(",".join(row) + "\n" for row in [header, *rows]))
    else:
        ids = [f"s{k}" for k in range(len(scores))] if ids is None else ids
        rows = [
            [names[j], ids[k], repr(scores[k, j].item()), true[k]]
            for k in range(len(scores))
            for j in range(len(names))
        ]
        rows = rows if order is None else [rows[k] for k in np.random.default_rng(order).permutation(len(rows))]
        path = folder / "p.csv"
        path.write_text("".join(",".join(row) + "\n" for row in [["class", "id", "score", "truth"], *rows]))
    return path, keywords


@contextlib.contextmanager
def nothing_in_memory(sizes=(7, 7, 7, 7, 7), most=0):
    """Everything stays on disk, and is worked on in blocks of these sizes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_limits, "MEMORY_BYTES", most)
        patch.setattr(temporary_files, "NUMBERS_AT_ONCE", sizes[0])
        patch.setattr(temporary_files, "FIRST_NUMBERS", 1)
        patch.setattr(long_table, "ROWS_AT_ONCE", sizes[1])
        patch.setattr(parquet_table, "VALUES_AT_ONCE", sizes[2])
        patch.setattr(predictions_module, "BLOCK_VALUES", sizes[3] * 5)
        patch.setattr(tree_pass, "BLOCK_SCORES", sizes[4])
        yield patch


# Compiled and plain loops: one of them an example, both before a release.
PATHS = ("01",) if os.environ.get("HIERVIZ_LONG") else ("0", "1")


@many
@given(
    case=cases(),
    paths=st.sampled_from(PATHS),
    group=st.integers(1, 5),
    order=st.none() | st.integers(0, 9),
    most=st.sampled_from([0, 100]),
)
def test_blocks_give_the_same_as_the_whole(case, paths, group, order, most, tmp_path_factory):
    form, taxonomy, nodes, scores, truth, ids, key, sizes = case
    folder = tmp_path_factory.mktemp("p")
    path, keywords = save(folder, form, taxonomy, nodes, scores, truth, ids, group, order)
    keywords["parametrisation"] = key
    whole = load_predictions(path, taxonomy, **keywords)
    for compiled in paths:
        with nothing_in_memory(sizes, most) as patch:
            patch.setenv("HIERVIZ_COMPILED", compiled)
            expected = hv.evaluate(whole)
            found = load_predictions(path, taxonomy, **keywords)
            if not most and (form != "wide" or len(scores) > 1):
                assert isinstance(found.scores, CheckedScores)
                assert isinstance(found.scores.stored, ParquetScores if form == "parquet" else StoredArray)
            assert hv.evaluate(found, threads=1 + sizes[0] % 2) == expected
        assert found.scores.dtype == whole.scores.dtype
        np.testing.assert_array_equal(np.asarray(found.scores), whole.scores)
        for rows in (slice(1, 3), np.array([-1, 0]), 0, np.arange(len(scores)) % 2 == 0, slice(None, None, -1)):
            np.testing.assert_array_equal(found.scores[rows], np.asarray(whole.scores)[rows])
        np.testing.assert_array_equal(found.scores[:2, 0], np.asarray(whole.scores)[:2, 0])
        assert found.ids.tolist() == whole.ids.tolist()
        np.testing.assert_array_equal(found.truth, whole.truth)
        assert {k: v.tolist() for k, v in found.attributes.items()} == {
            k: v.tolist() for k, v in whole.attributes.items()
        }
        assert (found.detected, found.notes) == (whole.detected, whole.notes)


WRONG = {"nan": (float("nan"), 0), "above": (1.5, 0), "below": (-0.25, 0), "sum": (0.5, 0), "one above": (1.001, 1.0)}


@pytest.mark.long
@many
@given(
    form=st.sampled_from(FORMS),
    wrong=st.sampled_from(sorted(WRONG)),
    row=st.integers(0, 39),
    second=st.integers(0, 39),
    sizes=st.tuples(*[st.integers(1, 60)] * 5),
    compiled=st.sampled_from("01"),
    order=st.integers(0, 9),
)
def test_errors_are_those_of_the_whole_wherever_they_are(
    form, wrong, row, second, sizes, compiled, order, tmp_path_factory
):
    """Two wrong rows, in any block: the message that names sample and column, and how many there are, is the same."""
    taxonomy = hv.Taxonomy.from_edges([("root", name) for name in "abcd"])
    scores = np.full((40, 4), 0.25)
    scores[row, 2], scores[second, 1] = WRONG[wrong][0], 7.5
    if wrong == "one above":
        scores[second], scores[row] = 0.25, [0, 0, 1.001, 0]
    ids = [f"s{k}" for k in range(40)]
    path, keywords = save(tmp_path_factory.mktemp("p"), form, taxonomy, taxonomy.leaves, scores, [1] * 40, ids)
    with nothing_in_memory(sizes, most=1 << 30), pytest.raises(PredictionsError) as whole:
        load_predictions(path, taxonomy, **keywords)
    with nothing_in_memory(sizes) as patch:
        patch.setenv("HIERVIZ_COMPILED", compiled)
        found = load_predictions(path, taxonomy, **keywords)
        with pytest.raises(PredictionsError) as caught:
            hv.evaluate(found, threads=1 + order % 2)
        assert str(caught.value) == str(whole.value)
        # Whoever asks for wrong rows first gets the error, and no number of them.
        found = load_predictions(path, taxonomy, **keywords)
        with pytest.raises(PredictionsError):
            found.node_probabilities(np.array([row]))


@pytest.mark.parametrize("compiled", "01")
@pytest.mark.parametrize("key", ["flat_softmax", "node_probabilities", "multilabel_sigmoid"])
@pytest.mark.parametrize("value", [float("nan"), float("-inf"), -0.5])
def test_other_parametrisations_are_checked_too(key, value, compiled, tmp_path):
    taxonomy = hv.Taxonomy.from_edges([("root", name) for name in "abcd"])
    scores = np.full((40, 4), 0.25)
    scores[37, 1] = value
    path, keywords = save(tmp_path, "npz", taxonomy, taxonomy.leaves, scores, [1] * 40, None)
    keywords["parametrisation"] = key
    with nothing_in_memory() as patch:
        patch.setenv("HIERVIZ_COMPILED", compiled)
        found = load_predictions(path, taxonomy, **keywords)
        if value == -0.5 and key != "node_probabilities":
            hv.evaluate(found)
            return
        expected = "a probability from 0 to 1" if key == "node_probabilities" else "a finite score"
        with pytest.raises(
            PredictionsError, match=rf"^p\.npz, sample '37', column 'b': expected {expected}, got {value}"
        ):
            hv.evaluate(found)


def test_scores_are_read_once(tmp_path, monkeypatch):
    """Checking is part of the pass."""
    taxonomy = hv.Taxonomy.from_edges([("root", name) for name in "abcd"])
    read = []
    fill = hv.readers.stored_array._fill
    monkeypatch.setattr("hierviz.readers.stored_array._fill", lambda *some: (read.append(len(some[2])), fill(*some)))
    for compiled in "01":
        for form in ("npy", "npz", "npz packed", "wide"):
            path, keywords = save(tmp_path, form, taxonomy, taxonomy.leaves, np.full((40, 4), 0.25), [1] * 40, None)
            with nothing_in_memory() as patch:
                patch.setenv("HIERVIZ_COMPILED", compiled)
                found = load_predictions(path, taxonomy, **keywords)
                read.clear()
                hv.evaluate(found)
                assert sum(read) == found.scores.nbytes


def test_each_row_group_is_decoded_once(tmp_path, monkeypatch):
    taxonomy = hv.Taxonomy.from_edges([("root", name) for name in "abcd"])
    decoded, panels = [], parquet_table.ParquetTable.panels
    monkeypatch.setattr(
        parquet_table.ParquetTable,
        "panels",
        lambda self, group, names: (decoded.append(group), panels(self, group, names))[1],
    )
    path, keywords = save(tmp_path, "parquet", taxonomy, taxonomy.leaves, np.full((40, 4), 0.25), [1] * 40, None, 11)
    with nothing_in_memory():
        hv.evaluate(load_predictions(path, taxonomy, **keywords))
    assert decoded == [0, 1, 2, 3]


@pytest.mark.parametrize("form", ["npy", "npz", "parquet"])
@pytest.mark.parametrize("compiled", "01")
def test_a_file_that_changes_during_the_pass_is_refused(form, compiled, tmp_path):
    taxonomy = hv.Taxonomy.from_edges([("root", name) for name in "abcd"])
    path, keywords = save(tmp_path, form, taxonomy, taxonomy.leaves, np.full((40, 4), 0.25), [1] * 40, None)
    with nothing_in_memory() as patch:
        patch.setenv("HIERVIZ_COMPILED", compiled)
        found = load_predictions(path, taxonomy, **keywords)

        def saved_again(done, of):
            path.write_bytes(path.read_bytes())

        with pytest.raises(ChangedFileError, match="saved again"):
            hv.Evaluation.from_predictions(found, saved_again, threads=1)


LONG = {
    "twice": ("s3,b,0.5\n", r"p\.csv:\d+: expected every pair of sample and class once, got 's3' and 'b' again"),
    "missing": (None, "expected a score of every sample for every class, got none of sample 's39' for class 'd'"),
    "number": ("s40,a,x\n", r"p\.csv:162, column 'score': expected a number, got 'x'"),
    "class": (
        "s40,q,1\n",
        r"p\.csv:162, column 'class': expected the name of a node in the taxonomy \(5 nodes\), got 'q'",
    ),
}


@pytest.mark.parametrize("what", LONG)
@pytest.mark.parametrize("most_rows", [20_000_000, 100])
def test_errors_of_long_files(what, most_rows, tmp_path):
    """Also where the table has more rows than are ever held in memory."""
    taxonomy = hv.Taxonomy.from_edges([("root", name) for name in "abcd"])
    rows = [f"s{k},{name},0.25\n" for k in range(40) for name in "abcd"]
    line, message = LONG[what]
    rows = rows[:-1] if line is None else [*rows, line]
    (tmp_path / "p.csv").write_text("id,class,score\n" + "".join(rows))
    with pytest.raises((PredictionsError, FileError)) as whole:
        load_predictions(tmp_path / "p.csv", taxonomy)
    with nothing_in_memory() as patch:
        patch.setattr(file_limits, "TABLE_ROWS", most_rows)
        with pytest.raises((PredictionsError, FileError)) as caught:
            load_predictions(tmp_path / "p.csv", taxonomy)
    whole.match(message)
    assert str(caught.value) == str(whole.value)


def test_an_archive_that_states_more_than_there_is(tmp_path):
    taxonomy = hv.Taxonomy.from_edges([("root", name) for name in "abcd"])
    file = io.BytesIO()
    np.save(file, np.full((40, 4), 0.25))
    for packed in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(tmp_path / "p.npz", "w", packed) as archive:
            archive.writestr("prob.npy", file.getvalue()[:-8])
        with nothing_in_memory(), pytest.raises(FileError, match="expected the 1280 bytes that the header states"):
            load_predictions(tmp_path / "p.npz", taxonomy)


def test_a_full_disk_is_one_line(tmp_path, monkeypatch):
    taxonomy = hv.Taxonomy.from_edges([("root", name) for name in "abcd"])
    path, keywords = save(tmp_path, "npz packed", taxonomy, taxonomy.leaves, np.full((40, 4), 0.25), [1] * 40, None)
    monkeypatch.setattr("hierviz.readers.temporary_files.shutil.disk_usage", lambda folder: SimpleNamespace(free=100))
    with nothing_in_memory(), pytest.raises(FileError, match=r"^p\.npz.*free space.*got 100 bytes.*TMPDIR\.$"):
        load_predictions(path, taxonomy, **keywords)


RUN = """
import os, signal, sys
import hierviz as hv
from hierviz.readers import file_limits, load_predictions, temporary_files
file_limits.MEMORY_BYTES, temporary_files.FIRST_NUMBERS = 0, 1
taxonomy = hv.Taxonomy.from_edges([("root", name) for name in "abcd"])
write, mine = temporary_files.Scratch.write, os.getpid()
def interrupted(self, values, place):
    write(self, values, place)
    opened = [os.path.realpath(f"/proc/self/fd/{k}") for k in os.listdir("/proc/self/fd")]
    print(any(path.endswith("(deleted)") for path in opened), os.listdir(os.environ["TMPDIR"]), flush=True)
    if sys.argv[2] == "error":
        raise hv.HiervizError("as it happens")
    os.kill(mine, int(sys.argv[2]))
temporary_files.Scratch.write = interrupted
load_predictions(sys.argv[1], taxonomy)
"""


@pytest.mark.parametrize(
    "how",
    ["error", *(pytest.param(str(int(number)), marks=pytest.mark.long) for number in (signal.SIGINT, signal.SIGKILL))],
)
@pytest.mark.parametrize("form", ["npz packed", "wide", "long"])
def test_nothing_is_left_on_disk(how, form, tmp_path):
    """The file has no name even while it is written: no signal can leave it behind."""
    taxonomy = hv.Taxonomy.from_edges([("root", name) for name in "abcd"])
    path, _ = save(tmp_path, form, taxonomy, taxonomy.leaves, np.full((40, 4), 0.25), [1] * 40, None)
    (tmp_path / "tmp").mkdir()
    made = subprocess.run(
        [sys.executable, "-c", RUN, str(path), how],
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert made.returncode != 0
    assert made.stdout.splitlines()[0] == "True []"
    assert not list((tmp_path / "tmp").iterdir())


BOUNDED = """
import resource, sys
import numpy as np
import hierviz as hv
from hierviz.readers import file_limits, load_predictions
file_limits.MEMORY_BYTES = 8 << 20
taxonomy = hv.Taxonomy.from_edges([("root", f"n{k}") for k in range(1000)])
import gzip, pyarrow.parquet, zipfile
# Libraries and compiled loops are no memory of the scores.
for kind in (np.float16, np.float32, np.float64):
    some = np.full((8, 1000), 0.001, kind)
    hv.Evaluation.from_predictions(hv.Predictions.from_scores(taxonomy, some, "leaf_probabilities", truth=[1] * 8))
def anonymous():
    return int(next(line for line in open("/proc/self/status") if line.startswith("RssAnon")).split()[1]) << 10
import hierviz.predictions.predictions, hierviz.compiled.tree_pass, hierviz.readers.parquet_table
hierviz.readers.parquet_table.VALUES_AT_ONCE = hierviz.predictions.predictions.BLOCK_VALUES = 200_000
hierviz.compiled.tree_pass.BLOCK_SCORES = 200_000
start, most = anonymous(), 0
def sample(done, of):
    global most
    most = max(most, anonymous())
found = load_predictions(sys.argv[1], taxonomy, truth=sys.argv[2])
sample(0, 0)
hv.Evaluation.from_predictions(found, sample, threads=2)
print((most - start) >> 20, found.scores.nbytes >> 20)
"""


@pytest.mark.parametrize(
    ("form", "compiled"),
    [
        pytest.param("parquet", "0", marks=pytest.mark.long),
        *(pytest.param(form, "1", marks=pytest.mark.long) for form in ("npy", "parquet", "wide", "npz", "npz packed")),
        # The same loops in numpy as of parquet, behind the readers of the compiled ones.
        *(pytest.param(form, "0", marks=pytest.mark.long) for form in ("npy", "npz", "npz packed", "wide")),
    ],
)
def test_own_memory_is_bounded(form, compiled, tmp_path):
    """Scores of 160 MB (80 MB as float16) are worked on in less than 64 MB, whatever the form."""
    taxonomy = hv.Taxonomy.from_edges([("root", f"n{k}") for k in range(1000)])
    n = 10_000 if form == "wide" else 40_000
    dtype = np.float64 if form == "wide" else np.float16 if form.startswith("npz") else np.float32
    scores = np.zeros((n, 1000), dtype)
    scores[np.arange(n), np.arange(n) % 1000] = 1
    if form == "wide":
        with open(tmp_path / "p.csv", "w") as file:
            file.write(",".join(taxonomy.names[1:]) + "\n")
            for k in range(n):
                file.write("0," * (k % 1000) + "1" + ",0" * (999 - k % 1000) + "\n")
        path = tmp_path / "p.csv"
    else:
        path, _ = save(tmp_path, form, taxonomy, taxonomy.leaves, scores, [1] * n, None, group=10_000)
    if form == "npy":
        assert path.stat().st_size > 150 << 20
    (tmp_path / "t.csv").write_text("truth\n" + "n1\n" * n)
    del scores
    for _ in range(1 + int(compiled)):  # the first run may compile, which takes memory of its own: it may need another
        made = subprocess.run(
            [sys.executable, "-c", BOUNDED, str(path), str(tmp_path / "t.csv")],
            env={**os.environ, "HIERVIZ_COMPILED": compiled, "TMPDIR": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert made.returncode == 0, made.stderr
        used, size = map(int, made.stdout.split())
        if used < 64:
            break
    assert used < 64 <= size, made.stdout
