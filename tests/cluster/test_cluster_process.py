"""The app on a cluster: what a process of its own found there is what the app finds without one, and lies in a mapped file."""

import mmap
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from cluster_cases import world, write_parts

import hierviz as hv
from hierviz import cli
from hierviz.app.state.dataset import open_files
from hierviz.cluster.connection import connected
from hierviz.evaluation.evaluation import Evaluation
from hierviz.opening import cluster_process
from hierviz.opening.files import Files
from hierviz.readers.parquet_parts import ParquetRows
from tests.small_tree import EDGES

pytest.importorskip("distributed", reason="dask is not installed: there is no cluster")
TAXONOMY = hv.Taxonomy.from_edges(EDGES)
N = 120


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Files of two models: a folder of parts and an array."""
    folder = tmp_path_factory.mktemp("files")
    scores, ids, truth = world(TAXONOMY, N)
    write_parts(folder / "parts", TAXONOMY, scores, 6, sample_id=ids, truth=truth)
    write_parts(folder / "other", TAXONOMY, scores[::-1], 2, sample_id=ids, truth=truth)
    (folder / "taxonomy.csv").write_text("parent,child\n" + "".join(f"{a},{b}\n" for a, b in EDGES))
    return {"taxonomy": str(folder / "taxonomy.csv"), "predictions": (str(folder / "parts"), str(folder / "other"))}


@pytest.fixture(scope="module")
def temporary(tmp_path_factory):
    """The folder for temporary files of this module: other processes have files in the usual one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("temporary")))
        yield Path(tempfile.tempdir)


@pytest.fixture(scope="module")
def both(given, temporary):
    """(the data set of the app without a cluster, that with one, what was told meanwhile)."""
    told = []

    def stage(name, unit="rows"):
        told.append((name, []))
        return lambda *done: told[-1][1].append(done)

    return open_files(Files(**given)), open_files(Files(**given), stage, cluster="local:1"), told


def is_mapped(array):
    while isinstance(array, np.ndarray):
        array = array.base
    return isinstance(array, memoryview) and isinstance(array.obj, mmap.mmap)


def test_what_is_found_is_the_same(both):
    here, there, _ = both
    assert list(here.models) == list(there.models) == ["parts", "other"]
    assert (here.title, here.digest, here.notes) == (there.title, there.digest, there.notes)
    for key, expected in here.models.items():
        found = there.models[key]
        assert hv.evaluate(found) == hv.evaluate(expected)
        assert hv.evaluate(found, "plurality", more=True) == hv.evaluate(expected, "plurality", more=True)
        columns = found.per_sample("threshold", 0.25)
        for name, values in expected.per_sample("threshold", 0.25).items():
            np.testing.assert_array_equal(columns[name], values, err_msg=name)
        assert found.predictions.ids.tolist() == expected.predictions.ids.tolist()


def test_models_share_their_taxonomy(both):
    first, second = both[1].models.values()
    assert first.taxonomy is second.taxonomy is both[1].taxonomy


def test_arrays_are_mapped_and_scores_stay_in_the_parts(both):
    for model in both[1].models.values():
        kept = [model.best_leaf, model.win, model.table.nodes, model.table.scores, model.predictions.truth]
        kept += [model.predictions.sample_ids, model.curve.threshold, *model.curve.values.values()]
        kept.append(model.label_counts(0.5).of_samples("hf1_auc"))
        assert all(map(is_mapped, kept))
        assert isinstance(model.predictions.scores, ParquetRows)


def test_single_samples_are_read_from_the_parts(both):
    here, there, _ = both
    for key, expected in here.models.items():
        for rows in (slice(50, 51), np.array([119, 0, 61])):
            found = there.models[key].predictions.node_probabilities(rows)
            np.testing.assert_array_equal(found, expected.predictions.node_probabilities(rows))


def test_what_is_told(both):
    names = [name for name, _ in both[2]]
    assert names.index("Evaluating parts") < names.index("Evaluating other") < names.index("Operating curve of parts")
    rows = dict(both[2])["Evaluating parts"]
    assert rows[0] == (0, N)
    assert rows[-1] == (N, N)


def test_no_file_is_left(both, temporary):
    assert not list(temporary.glob(f"{cluster_process.PREFIX}*"))


def test_errors_are_those_of_the_reader(given, tmp_path):
    scores, ids, truth = world(TAXONOMY, N)
    scores[77] *= 2
    wrong = Files(
        given["taxonomy"], (str(write_parts(tmp_path / "parts", TAXONOMY, scores, 6, sample_id=ids, truth=truth)),)
    )
    with pytest.raises(hv.PredictionsError, match=r"sample 's77'.* sum to 1") as error:
        open_files(wrong, cluster="local:1")
    assert error.value.parameters == ("parametrisation",)
    with pytest.raises(hv.FileError, match="no-such"):
        open_files(Files(given["taxonomy"], (str(tmp_path / "no-such"),)), cluster="local:1")


class Stopped(Exception):
    """The visitor cancels."""


def test_what_is_cancelled_ends(given, temporary, monkeypatch):
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *given, **how: started.append(popen(*given, **how)) or started[-1])

    def stage(name, unit="rows"):
        raise Stopped

    with pytest.raises(Stopped):
        open_files(Files(**given), stage, cluster="local:1")
    assert [process.returncode is None for process in started] == [False]
    assert not list(temporary.glob(f"{cluster_process.PREFIX}*"))


def test_a_process_that_ends_early_is_one_line(given, monkeypatch):
    monkeypatch.setattr(cluster_process, "_PROGRAM", "import os; os._exit(3)")
    with pytest.raises(hv.ClusterError, match="expected a process that evaluates the files on it, got one that ended"):
        open_files(Files(**given), cluster="local:1")


def test_it_ends_with_the_app():
    """Its standard input closes when the app is gone, however that ended."""
    program = "import threading, time; from hierviz.opening.cluster_process import _end_with_input; "
    program += "threading.Thread(target=_end_with_input).start(); time.sleep(120)"
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, cwd=Path(__file__).parents[2])
    process.stdin.close()
    assert process.wait(timeout=60) == 1


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--cluster", "local:two"], "expected local, local:N"),
        (["--cluster", "local", "--model", "m.onnx"], "expected --predictions with it and no --model"),
    ],
)
def test_flags_that_do_not_fit(given, capsys, more, words):
    files = ["--taxonomy", given["taxonomy"], "--predictions", given["predictions"][0]]
    assert cli.main(["app", "--no-browser", *files, *more]) == 2
    assert words in capsys.readouterr().err


def test_scores_that_the_app_could_not_read(both):
    class Elsewhere:
        source = None
        shape, dtype = (N, TAXONOMY.n_leaves), np.dtype(float)

    model = next(iter(both[0].models.values()))
    assert isinstance(model, Evaluation)
    with pytest.raises(hv.FileError, match=r"^parts: expected scores that the app can read where they are"):
        cluster_process.require_readable([model.predictions.replace(scores=Elsewhere())])


@pytest.mark.long
def test_local_workers_do_little_beside_their_work(monkeypatch):
    """No look at themselves a hundred times a second, and memory stays for the next block of rows."""
    # What other tests start leaves it in the environment of this process.
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    get, environment = "__import__('dask').config.get", "__import__('os').environ.get('MALLOC_TRIM_THRESHOLD_')"
    asked = ("distributed.worker.profile.enabled", "distributed.admin.system-monitor.interval")
    with connected("local:1") as client:
        (found,) = client.run(eval, f"[*map({get}, {asked}), {environment}]").values()
    assert found == [False, "5s", None]
