"""Large files say how far they are read, in rows, to the end; what answers with an exception ends the reading."""

import gzip
import shutil

import numpy as np
import pandas as pd
import pytest
from small_tree import EDGES

import hierviz as hv
from hierviz.messages import progress
from hierviz.readers import file_limits, numpy_files

TAXONOMY = hv.Taxonomy.from_edges(EDGES)
NAMES = [TAXONOMY.names[leaf] for leaf in TAXONOMY.leaves]
N = 400


class StopError(Exception):
    """Ends a piece of work."""


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """Reports after every tenth row, and files that are large soon."""
    monkeypatch.setattr(progress, "CELLS_BETWEEN", 60)
    monkeypatch.setattr(file_limits, "MEMORY_BYTES", 1000)
    monkeypatch.setattr(numpy_files, "_BYTES_AT_ONCE", 1000)


def written(folder, kind):
    """A file of leaf probabilities."""
    scores = np.random.default_rng(0).dirichlet(np.ones(len(NAMES)), N)
    frame = pd.DataFrame(scores, columns=NAMES)
    frame.insert(0, "sample_id", [f"s{row}" for row in range(N)])
    path = folder / f"scores.{kind}"
    if kind in ("csv", "csv.gz"):
        frame.to_csv(path, index=False)
    elif kind == "long.csv":
        frame.melt("sample_id", var_name="class", value_name="score").sort_values("sample_id", kind="stable").to_csv(
            path, index=False
        )
    elif kind == "parquet":
        frame.to_parquet(path, index=False, row_group_size=50)
    elif kind == "parts":
        path.mkdir()
        for part in range(4):
            frame.iloc[part * 100 : part * 100 + 100].to_parquet(path / f"part-{part}.parquet", index=False)
    elif kind == "npz":
        np.savez_compressed(path, prob=scores, names=np.array(NAMES))
    else:
        with open(folder / "plain.npy", "wb") as file:
            np.save(file, scores)
        with open(folder / "plain.npy", "rb") as plain, gzip.open(path, "wb") as packed:
            shutil.copyfileobj(plain, packed)
    return path


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "long.csv", "parquet", "parts", "npz", "npy.gz"])
def test_progress_goes_to_the_end_and_may_end_the_reading(kind, tmp_path, monkeypatch):
    if kind == "parquet":  # larger ones stay where they are and are read later
        monkeypatch.setattr(file_limits, "MEMORY_BYTES", 10**6)
    path, told, stages = written(tmp_path, kind), [], []

    def stage(name, unit):
        stages.append((name, unit))
        return lambda done, total: told.append((done, total))

    hv.load_predictions(path, TAXONOMY, stage=stage)
    assert stages == [(f"Reading scores.{kind}", "rows")]
    done = [done for done, _ in told]
    n_rows = N * len(NAMES) if kind == "long.csv" else N
    # The header of a text is a row too.
    assert told[-1] in ((n_rows, n_rows), (n_rows + 1, n_rows + 1))
    assert len(told) > 3
    assert done == sorted(done)
    assert all(done <= total for done, total in told)

    def stop(name, unit):
        def progress(done, total):
            raise StopError

        return progress

    with pytest.raises(StopError):
        hv.load_predictions(path, TAXONOMY, stage=stop)


def test_the_estimate_is_near_the_number_of_rows(tmp_path):
    path, told = tmp_path / "scores.csv", []
    lines = [f"s{row}," + ",".join(["0.25"] * len(NAMES)) for row in range(20_000)]
    path.write_text("\n".join([",".join(["sample_id", *NAMES]), *lines]) + "\n")
    hv.load_predictions(path, TAXONOMY, stage=lambda name, unit: lambda done, total: told.append((done, total)))
    later = [total for done, total in told if done > 10_000]
    assert all(abs(total - 20_000) < 2_000 for total in later)


def test_the_truth_is_a_stage_of_its_own(tmp_path):
    path, stages, told = written(tmp_path, "npz"), [], []
    truth = tmp_path / "truth.csv"
    truth.write_text("truth\n" + "".join(f"{NAMES[row % 4]}\n" for row in range(N)))

    def stage(name, unit):
        stages.append(name)
        return lambda done, total: told.append((name, done, total))

    hv.load_predictions(path, TAXONOMY, truth=truth, stage=stage)
    assert stages == ["Reading scores.npz", "Reading truth.csv"]
    assert told[-1] == ("Reading truth.csv", N + 1, N + 1)


def test_nothing_is_told_of_small_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "CELLS_BETWEEN", 200_000)
    told = []
    hv.load_predictions(written(tmp_path, "csv"), TAXONOMY, stage=lambda name, unit: lambda *now: told.append(now))
    assert not told
