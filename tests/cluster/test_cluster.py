"""The same evaluation on Dask workers: same answers and counts, means within 1e-12, however rows and workers are divided."""

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from cluster_cases import RULES, TREE_ONLY, any_predictions, same_numbers, world, write_parts
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz import cli
from hierviz.cluster import connection, running
from hierviz.cluster.connection import connected
from hierviz.cluster.running import evaluation_on
from hierviz.cluster.work import RowRange, fields_of, is_in_files
from hierviz.inference.leaf_costs import LeafCosts
from hierviz.predictions.score_rows import CheckedScores
from hierviz.readers import file_limits
from tests.small_tree import EDGES

distributed = pytest.importorskip("distributed", reason="dask is not installed: there is no cluster")
ROOT = Path(__file__).parents[2]
TAXONOMY = hv.Taxonomy.from_edges(EDGES)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with 20 parts, an array, a truth and a taxonomy."""
    folder = tmp_path_factory.mktemp("files")
    scores, ids, truth = world(TAXONOMY, 150)
    write_parts(folder / "parts", TAXONOMY, scores, 20, sample_id=ids, truth=truth)
    np.save(folder / "scores.npy", scores)
    (folder / "truth.csv").write_text("truth\n" + "".join(f"{name}\n" for name in truth).replace("\n\n", '\n""\n'))
    (folder / "taxonomy.csv").write_text("parent,child\n" + "".join(f"{a},{b}\n" for a, b in EDGES))
    return folder


def report(predictions, choice, client=None, **more):
    """The report of one model, made with or without a cluster."""
    if client is None:
        return hv.evaluate(predictions, **choice)
    evaluation = evaluation_on(client, predictions, **choice, **more)
    return hv.evaluate(evaluation, **choice)


# Equal results -----------------------------------------------------------------------------------------------------------


@pytest.mark.long
@settings(many, max_examples=25)
@given(any_predictions(), st.sampled_from(RULES), st.sampled_from([0.25, 0.5]), st.integers(1, 3))
def test_any_input_in_any_partitions(client, predictions, rule, threshold, n_partitions):
    if rule[0] in TREE_ONLY and not predictions.taxonomy.is_tree:
        rule = ("majority", {})
    choice = {"rule": rule[0], "threshold": threshold, **rule[1]}
    assert report(predictions, choice, client, n_partitions=n_partitions) == report(predictions, choice)


@pytest.mark.parametrize(
    "n_workers", [pytest.param(1, marks=pytest.mark.long), 2, pytest.param(3, marks=pytest.mark.long)]
)
def test_a_folder_of_parts_on_any_number_of_workers(files, threads_cluster, n_workers):
    here = hv.load_predictions(files / "parts", TAXONOMY)
    there = hv.load_predictions(files / "parts", TAXONOMY, read_scores=False)
    with threads_cluster(n_workers) as client:
        for n_partitions in (1, 2, 3, 20, None):
            for rule in ("majority", "plurality"):
                expected = report(here, {"rule": rule})
                assert report(there, {"rule": rule}, client, n_partitions=n_partitions) == expected
                assert same_numbers(hv.evaluate(there, rule, client=client), expected)


def test_an_array_in_a_file_and_in_memory(files, client):
    in_file = hv.load_predictions(files / "scores.npy", TAXONOMY, truth=files / "truth.csv")
    unread = hv.load_predictions(files / "scores.npy", TAXONOMY, truth=files / "truth.csv", read_scores=False)
    in_memory = in_file.replace(scores=in_file.scores[:])
    expected = hv.evaluate([in_file, in_memory])
    assert hv.evaluate([in_file, in_memory], client=client) == expected
    assert hv.evaluate([unread, in_memory], client=client) == expected


@pytest.mark.parametrize("form", ["parts", "scores.npy"])
def test_what_is_too_large_for_memory_is_named_and_not_sent(files, client, monkeypatch, form):
    monkeypatch.setattr(file_limits, "MEMORY_BYTES", 0)
    truth = {} if form == "parts" else {"truth": files / "truth.csv"}
    predictions = hv.load_predictions(files / form, TAXONOMY, **truth)
    assert isinstance(predictions.scores, CheckedScores)
    assert is_in_files(predictions)
    assert isinstance(fields_of(predictions, slice(0, 10))["scores"], RowRange)
    assert hv.evaluate(predictions, client=client) == hv.evaluate(predictions)


@pytest.mark.parametrize("read_scores", [True, False])
def test_what_lies_in_a_temporary_file_is_sent(client, monkeypatch, tmp_path, read_scores):
    """No other process can open it; rows that were not checked here are checked there."""
    scores, ids, truth = world(TAXONOMY, 600)
    names = [TAXONOMY.names[leaf] for leaf in TAXONOMY.leaves]

    def read(name, scores, **how):
        lines = [",".join(map(str, (*row, *values.tolist()))) for *row, values in zip(ids, truth, scores)]
        (tmp_path / name).write_text("\n".join([",".join(["sample_id", "truth", *names]), *lines]))
        return hv.load_predictions(tmp_path / name, TAXONOMY, **how)

    expected = hv.evaluate(read("scores.csv", scores))
    monkeypatch.setattr(file_limits, "MEMORY_BYTES", 0)
    predictions = read("scores.csv", scores, read_scores=read_scores)
    assert not isinstance(predictions.scores, np.ndarray)
    assert not is_in_files(predictions)
    assert hv.evaluate(predictions, client=client) == expected
    scores[577] *= 2
    with pytest.raises(hv.PredictionsError, match=r"sample 's577'.* sum to 1"):
        evaluation_on(client, read("wrong.csv", scores, read_scores=read_scores), n_partitions=2)


def test_numbers_of_single_samples_and_other_rules(files, client):
    """What the pieces do not hold is read here."""
    predictions = hv.load_predictions(files / "parts", TAXONOMY, read_scores=False)
    here = hv.Evaluation.from_predictions(predictions)
    there = evaluation_on(client, predictions, n_partitions=5)
    for rule in ("majority", "darts", "threshold_set"):
        expected, columns = here.per_sample(rule, 0.25), there.per_sample(rule, 0.25)
        assert columns.keys() == expected.keys()
        for key in expected:
            np.testing.assert_array_equal(columns[key], expected[key], err_msg=key)


def test_costs_of_leaves_are_sent(client):
    values = np.random.default_rng(0).integers(1, 9, (4, 4)) * (1 - np.eye(4))
    choice = {"rule": "crm_leaf", "cost": LeafCosts.from_array(TAXONOMY, values)}
    scores, _, _ = world(TAXONOMY)
    predictions = hv.Predictions.from_scores(TAXONOMY, scores, "leaf_probabilities", truth=np.zeros(len(scores), int))
    assert report(predictions, choice, client, n_partitions=3) == report(predictions, choice)


def test_no_samples(client):
    predictions = hv.Predictions(TAXONOMY, scores=np.empty((0, 4)), parametrisation="leaf_probabilities")
    assert report(predictions, {}, client) == report(predictions, {})


def test_progress_counts_rows(files, client):
    predictions = hv.load_predictions(files / "parts", TAXONOMY, read_scores=False)
    said = []
    evaluation_on(client, predictions, lambda *done: said.append(done), n_partitions=6)
    assert len(said) == 1 + 6
    assert said == sorted(said)
    assert said[0] == (0, 150)
    assert said[-1] == (150, 150)


# What goes wrong ---------------------------------------------------------------------------------------------------------


def test_an_error_of_a_worker_is_that_of_the_reader(files, client, tmp_path):
    scores, ids, truth = world(TAXONOMY, 150)
    scores[77] *= 2
    folder = write_parts(tmp_path / "parts", TAXONOMY, scores, 20, sample_id=ids, truth=truth)
    with pytest.raises(hv.PredictionsError) as here:
        hv.load_predictions(folder, TAXONOMY)
    predictions = hv.load_predictions(folder, TAXONOMY, read_scores=False)
    with pytest.raises(hv.PredictionsError) as there:
        evaluation_on(client, predictions, n_partitions=3)
    assert str(there.value).partition(" Such rows")[0] == str(here.value).partition(" Such rows")[0]
    assert there.value.parameters == here.value.parameters == ("parametrisation",)
    os.remove(folder / "part-11.parquet")
    elsewhere = predictions.replace(scores=predictions.scores.part(90, 100)[0], truth=None, sample_ids=None)
    with pytest.raises(hv.FileError, match=r"part-11\.parquet: expected a file that .* can read"):
        evaluation_on(client, elsewhere, n_partitions=20)


def test_what_is_stopped_leaves_nothing_behind(files, client):
    predictions = hv.load_predictions(files / "parts", TAXONOMY, read_scores=False)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluation_on(client, predictions, stop, n_partitions=20)
    with pytest.raises(hv.PredictionsError, match="rule"):
        evaluation_on(client, predictions, rule="no such rule")
    # Cancelled futures are forgotten as soon as the scheduler hears of it.
    client.sync(_forgotten, client)


async def _forgotten(client):
    import asyncio

    for _ in range(1000):
        if not await client.scheduler.who_has() and not client.futures:
            return
        await asyncio.sleep(0.02)
    pytest.fail(f"still there: {client.futures}")


def test_a_cluster_without_workers(monkeypatch, threads_cluster):
    monkeypatch.setattr(running, "PATIENCE", 0.1)
    predictions = hv.Predictions(TAXONOMY, scores=np.full((3, 4), 0.25), parametrisation="leaf_probabilities")
    with threads_cluster(0) as client, pytest.raises(hv.ClusterError, match="expected at least one worker, got none"):
        evaluation_on(client, predictions)
    with pytest.raises(hv.HiervizError, match=r"expected a distributed\.Client, got str"):
        evaluation_on("tcp://127.0.0.1:1", predictions)


def test_workers_that_leave_and_do_not_come_back(monkeypatch, files, threads_cluster):
    monkeypatch.setattr(running, "PATIENCE", 0.4)
    monkeypatch.setattr(running, "LOOK", 0.1)
    predictions = hv.load_predictions(files / "parts", TAXONOMY, read_scores=False)

    def leave(done, total):
        if done:
            client.cluster.scale(0)

    with threads_cluster(1) as client, pytest.raises(hv.ClusterError, match="expected at least one worker, got none"):
        evaluation_on(client, predictions, leave, n_partitions=20)


def test_a_result_that_is_lost_with_its_worker(monkeypatch, files, threads_cluster):
    """It was done, and its worker left before it was fetched."""
    monkeypatch.setattr(running, "PATIENCE", 0.4)
    monkeypatch.setattr(running, "LOOK", 0.1)
    predictions = hv.load_predictions(files / "parts", TAXONOMY, read_scores=False)
    fetch = running._Run._result

    def after_it_left(run, future, rows):
        client.cluster.scale(0)
        deadline = time.monotonic() + 60
        while client.nthreads():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return fetch(run, future, rows)

    monkeypatch.setattr(running._Run, "_result", after_it_left)
    with threads_cluster(1) as client, pytest.raises(hv.ClusterError, match="expected at least one worker, got none"):
        evaluation_on(client, predictions, n_partitions=20)


def test_a_scheduler_that_leaves(files, threads_cluster):
    predictions = hv.load_predictions(files / "parts", TAXONOMY, read_scores=False)

    def leave(done, total):
        if done:
            client.cluster.close()

    with (
        threads_cluster(1) as client,
        pytest.raises(hv.ClusterError, match=r"^scheduler: expected a steady connection"),
    ):
        evaluation_on(client, predictions, leave, n_partitions=20)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("'0.0.1'", r"^worker: expected hierviz .* as here, got 0\.0\.1"),
        ("__import__('no_such_module')", r"^worker: expected hierviz .* ModuleNotFoundError .*no_such_module"),
    ],
)
def test_workers_with_another_hierviz_or_none(monkeypatch, client, asked, words):
    """They are asked before anything is sent: a worker ends at what it cannot import."""
    monkeypatch.setattr(running, "_ASKED", asked)
    predictions = hv.Predictions(TAXONOMY, scores=np.full((3, 4), 0.25), parametrisation="leaf_probabilities")
    with pytest.raises(hv.ClusterError, match=words):
        evaluation_on(client, predictions)


@pytest.mark.parametrize("address", ["local:0", "local:9999", "local:two", "remote", "tcp://", "http://a:1", "tcp://a"])
def test_addresses_that_are_none(address):
    with pytest.raises(hv.ClusterError, match="expected local, local:N"), connected(address):
        pass


def test_a_scheduler_that_does_not_answer(monkeypatch):
    monkeypatch.setattr(connection, "PATIENCE", 0.3)
    words = r"^cluster tcp://127\.0\.0\.1:9: expected a scheduler"
    with pytest.raises(hv.ClusterError, match=words), connected("tcp://127.0.0.1:9"):
        pass


def test_without_dask(monkeypatch, capsys, files):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setitem(sys.modules, "distributed", None)
    code = cli.main(["evaluate", *arguments(files), "--cluster", "local"])
    assert code == 2
    assert capsys.readouterr().err == (
        "hierviz: cluster: expected distributed to be installed, got no such package. "
        'Run pip install "hierviz[cluster]".\n'
    )


class _Future:
    def __init__(self, error):
        self.error = error

    def result(self, timeout=None):
        raise self.error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (distributed.KilledWorker("rows", None, 3), r"^rows 5 to 8: expected workers that keep running, got several"),
        (
            ModuleNotFoundError("No module named 'hierviz'"),
            r"^worker: expected hierviz .* pip install .hierviz\[cluster\]",
        ),
    ],
)
def test_errors_of_dask_are_one_line(error, words):
    with pytest.raises(hv.ClusterError, match=words):
        running._Run.__new__(running._Run)._result(_Future(error), slice(5, 9))


# Processes ---------------------------------------------------------------------------------------------------------------


def arguments(files):
    return ["--taxonomy", str(files / "taxonomy.csv"), "--predictions", str(files / "parts")]


@pytest.mark.long
@pytest.mark.parametrize("n_kills", [1, 2])
def test_a_lost_worker_changes_nothing(files, n_kills):
    """Workers are killed while most partitions are not done; with two kills no worker is left that has seen the taxonomy."""
    predictions = hv.load_predictions(files / "parts", TAXONOMY, read_scores=False)
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        killed = list(client.run(os.getpid).values())[:n_kills]
        reports = []

        def kill(done, total):
            reports.append(done)
            if len(reports) == 2:  # the first says that nothing is done yet
                for process in killed:
                    os.kill(process, signal.SIGKILL)

        evaluation = evaluation_on(client, predictions, kill, rule="plurality", n_partitions=20)
        client.wait_for_workers(2, timeout=120)
        assert not set(killed) & set(client.run(os.getpid).values())
    assert reports[-1] == 150
    assert len(reports) == 1 + 20
    assert hv.evaluate(evaluation, "plurality") == report(predictions, {"rule": "plurality"})


@pytest.mark.long
def test_the_command(files, tmp_path):
    made = {}
    for name, more in (("here", []), ("one", ["--cluster", "local:1"]), ("two", ["--cluster", "local:2"])):
        command = [sys.executable, "-m", "hierviz", "evaluate", *arguments(files), "--rule", "darts", *more]
        command += ["--json", str(tmp_path / f"{name}.json"), "--per-sample", str(tmp_path / f"{name}.csv")]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        made[name] = json.loads((tmp_path / f"{name}.json").read_text()), (tmp_path / f"{name}.csv").read_text()
    assert made["one"] == made["two"] == made["here"]


@pytest.mark.long
def test_a_table_of_methods(files, tmp_path):
    """Numbers, intervals and marks of `hierviz table` are those without a cluster."""
    made = {}
    for name, more in (("here", []), ("two", ["--cluster", "local:2"])):
        command = [sys.executable, "-m", "hierviz", "table", *arguments(files), "--rule", "darts", *more]
        command += ["--format", "json", "--resamples", "40", "--out", str(tmp_path / f"{name}.json")]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        made[name] = json.loads((tmp_path / f"{name}.json").read_text())
    assert made["two"] == made["here"]


SLOW_COMMAND = """
import sys
from hierviz import cli
if __name__ == "__main__":
    import time
    from hierviz.cluster import running
    def wait(*arguments):
        print("a partition", flush=True)
        time.sleep(120)
    running._Run._result = wait
    sys.exit(cli.main())
"""


@pytest.mark.long
def test_ctrl_c_ends_in_one_line(files):
    """The terminal sends the signal to the command and to its workers."""
    script = files / "hierviz"  # the name by which it knows that it is the command
    script.write_text(SLOW_COMMAND)
    command = [sys.executable, str(script), "evaluate", *arguments(files), "--cluster", "local:2", "--json", os.devnull]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, env=environment
    )
    assert process.stdout.readline() == "a partition\n"
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (130, "hierviz: stopped\n")
    # Nothing is left of its workers, once the system has noticed.
    deadline = time.monotonic() + 60
    while left := alive_in_group(process.pid):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def alive_in_group(group):
    psutil = pytest.importorskip("psutil")
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.cmdline())
    return found
