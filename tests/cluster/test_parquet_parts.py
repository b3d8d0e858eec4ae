"""Folders of Parquet parts and files by URL: the same table as one file, read by row groups."""

import os
import pickle
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from cluster_cases import world, write_parts
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.readers import parquet_parts
from hierviz.readers.parquet_parts import ParquetRows
from hierviz.readers.shared_file import SharedFile, parts_of_folder
from tests.small_tree import EDGES

pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
TAXONOMY = hv.Taxonomy.from_edges(EDGES)


@pytest.fixture
def parts(tmp_path):
    scores, ids, truth = world(TAXONOMY)
    return write_parts(tmp_path / "parts", TAXONOMY, scores, 12, sample_id=ids, truth=truth)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    scores, _, _ = world(TAXONOMY)
    folder = write_parts(tmp_path_factory.mktemp("rows") / "parts", TAXONOMY, scores, 5)
    return hv.load_predictions(folder, TAXONOMY).scores, scores


def test_a_folder_is_the_table_of_its_parts(parts, tmp_path):
    scores, ids, truth = world(TAXONOMY)
    read = hv.load_predictions(parts, TAXONOMY)
    assert isinstance(read.scores, ParquetRows)
    assert read.name == "parts"
    assert read.detected["parts"] == "12"
    assert read.ids.tolist() == ids
    np.testing.assert_array_equal(np.asarray(read.scores), scores)
    assert [read.taxonomy.names[node] if node >= 0 else "" for node in read.truth] == truth
    one = write_parts(tmp_path / "one", TAXONOMY, scores, 1, sample_id=ids, truth=truth) / "part-0.parquet"
    assert (
        hv.evaluate(read)["models"][0]["curve"] == hv.evaluate(hv.load_predictions(one, TAXONOMY))["models"][0]["curve"]
    )


def test_several_threads_read_one_after_the_other(rows, monkeypatch):
    """As visitors of the app do: what one of them reads is not taken away before it is handed out."""
    stored, expected = rows
    reading, most, decoded = [], [], ParquetRows._decoded

    def slow(self, table, group):
        reading.append(group)
        time.sleep(0.01)
        most.append(len(reading))
        reading.remove(group)
        return decoded(self, table, group)

    monkeypatch.setattr(ParquetRows, "_decoded", slow)
    starts = [0, 12, 24, 36] * 3
    with ThreadPoolExecutor(4) as pool:
        for start, found in zip(starts, pool.map(lambda start: stored[start : start + 3], starts), strict=True):
            np.testing.assert_array_equal(found, expected[start : start + 3])
    assert len(most) > 1
    assert max(most) == 1


def test_parts_come_in_the_order_of_their_numbers(parts):
    found, others = parts_of_folder(parts, (".parquet",))
    assert [part.path for part in found] == [f"part-{k}.parquet" for k in range(12)]
    assert others == []


def test_other_files_of_the_folder_are_named(parts):
    for name in ("a.csv", "notes.txt", "b2.csv", "b10.csv", "_SUCCESS"):
        (parts / name).write_text("x")
    read = hv.load_predictions(parts, TAXONOMY)
    assert read.detected["parts"] == "12"
    assert read.detected["other files, not read"] == "a.csv, b2.csv, b10.csv and 1 more"


@many
@given(st.data())
def test_rows_are_those_of_the_array(rows, data):
    stored, scores = rows
    n = len(scores)
    ends = st.one_of(st.none(), st.integers(-n - 2, n + 2))
    key = data.draw(
        st.one_of(
            st.builds(slice, ends, ends, st.sampled_from([None, 1, 2, -1])),
            st.lists(st.integers(-n, n - 1), max_size=8).map(lambda rows: np.array(rows, dtype=int)),
            st.lists(st.booleans(), min_size=n, max_size=n).map(np.array),
            st.integers(-n, n - 1),
        )
    )
    np.testing.assert_array_equal(stored[key], scores[key])
    start = data.draw(st.integers(0, n - 1))
    stop = data.draw(st.integers(start + 1, n))
    part, first = pickle.loads(pickle.dumps(stored)).part(start, stop)
    np.testing.assert_array_equal(part[start - first : stop - first], scores[start:stop])


def test_blocks_in_order_read_every_row_group_once(rows, monkeypatch):
    stored, scores = rows
    stored, read = pickle.loads(pickle.dumps(stored)), []
    of_group = ParquetRows._decoded
    monkeypatch.setattr(ParquetRows, "_decoded", lambda *place: read.append(place[1:]) or of_group(*place))
    for start in range(0, len(scores), 2):
        stored[start : start + 2]
    assert len(read) == len(set(read)) == len(stored.starts) - 1


def test_scores_are_left_where_they_are(parts, tmp_path, monkeypatch):
    monkeypatch.setattr(ParquetRows, "_decoded", lambda *place: pytest.fail("scores were read"))
    for path in (parts, parts / "part-3.parquet"):
        assert isinstance(hv.load_predictions(path, TAXONOMY, read_scores=False).scores, ParquetRows)


def test_float64_in_one_part_is_float64_in_all(tmp_path):
    scores, _, _ = world(TAXONOMY)
    folder = write_parts(tmp_path / "parts", TAXONOMY, scores, 2)
    names = [TAXONOMY.names[node] for node in TAXONOMY.leaves]
    pd.DataFrame(scores[:5].astype(float), columns=names).to_parquet(folder / "part-2.parquet", index=False)
    read = hv.load_predictions(folder, TAXONOMY).scores
    assert read.dtype == np.float64
    np.testing.assert_array_equal(read[:], np.concatenate([scores, scores[:5]]))


def test_errors_name_the_part(parts):
    frame = pd.read_parquet(parts / "part-1.parquet")
    frame.assign(truth=["no such"] + [""] * (len(frame) - 1)).to_parquet(parts / "part-1.parquet", index=False)
    with pytest.raises(hv.PredictionsError, match=r"^part-1\.parquet, row 1, column 'truth': .*'no such'"):
        hv.load_predictions(parts, TAXONOMY)
    frame.rename(columns={"duck": "duk"}).to_parquet(parts / "part-1.parquet", index=False)
    with pytest.raises(
        hv.FileError, match=r"^part-1\.parquet: expected the 6 columns of part-0\.parquet, got 'duck' missing"
    ):
        hv.load_predictions(parts, TAXONOMY)
    frame.assign(duck="x").to_parquet(parts / "part-1.parquet", index=False)
    with pytest.raises(hv.FileError, match=r"^part-1\.parquet, column 'duck': expected numbers"):
        hv.load_predictions(parts, TAXONOMY)
    frame.assign(duck=2.0).to_parquet(parts / "part-1.parquet", index=False)
    with pytest.raises(hv.PredictionsError, match=r"^parts, sample 's4', column 'duck': expected a probability"):
        hv.load_predictions(parts, TAXONOMY)
    (parts / "part-1.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(hv.FileError, match=r"^part-1\.parquet: expected an intact Parquet table"):
        hv.load_predictions(parts, TAXONOMY)


def test_a_folder_without_parts(tmp_path):
    with pytest.raises(hv.FileError, match=r"expected a file, got a folder without Parquet parts"):
        hv.load_predictions(tmp_path, TAXONOMY)


def test_parts_that_change_are_noticed(parts):
    read = hv.load_predictions(parts, TAXONOMY, read_scores=False)
    (parts / "part-2.parquet").write_bytes((parts / "part-3.parquet").read_bytes() + b" ")
    with pytest.raises(hv.FileError, match=r"^part-2\.parquet: expected the file of \d+ bytes that was opened"):
        read.scores[:]
    os.remove(parts / "part-5.parquet")
    with pytest.raises(hv.FileError, match=r"part-5\.parquet: expected a file that .* can read, got: No such file"):
        read.scores[20:25]


# URLs --------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def bucket(parts):
    """A folder in fsspec's memory with all kinds of files."""
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    scores, ids, truth = world(TAXONOMY)
    for path in parts.iterdir():
        files.pipe(f"/bucket/parts/{path.name}", path.read_bytes())
    np.save(parts / "scores.npy", scores)
    files.pipe("/bucket/scores.npy", (parts / "scores.npy").read_bytes())
    text = "sample_id,truth\n" + "".join(f"{one},{name}\n" for one, name in zip(ids, truth))
    files.pipe("/bucket/truth.csv", text.encode())
    files.pipe("/bucket/taxonomy.csv", ("parent,child\n" + "".join(f"{a},{b}\n" for a, b in EDGES)).encode())
    yield "memory://bucket"
    files.rm("/bucket", recursive=True)


def test_files_by_url(bucket, parts):
    taxonomy = hv.load_taxonomy(f"{bucket}/taxonomy.csv")
    assert taxonomy.names == TAXONOMY.names
    here = hv.load_predictions(parts, taxonomy)
    for read_scores in (True, False):
        there = hv.load_predictions(f"{bucket}/parts", taxonomy, read_scores=read_scores)
        assert hv.evaluate(there) == hv.evaluate(here)
        one = hv.load_predictions(f"{bucket}/parts/part-3.parquet", taxonomy, read_scores=read_scores)
        np.testing.assert_array_equal(one.scores[:], here.scores[12:16])
        array = hv.load_predictions(f"{bucket}/scores.npy", taxonomy, read_scores=read_scores)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(array.scores))[5:9], here.scores[5:9])
    joined = hv.load_predictions(f"{bucket}/parts", taxonomy, truth=f"{bucket}/truth.csv")
    assert joined.truth.tolist() == here.truth.tolist()
    assert "truth.csv" in joined.detected["truth file"]


def test_urls_that_lead_nowhere(bucket):
    with pytest.raises(hv.FileError, match=r"^memory://bucket/none\.npy: expected a file, got nothing with that name"):
        hv.load_predictions(f"{bucket}/none.npy", TAXONOMY)
    with pytest.raises(hv.FileError, match=r"^nowhere://x: expected a URL such as s3://bucket/file"):
        hv.load_predictions("nowhere://x", TAXONOMY)


@pytest.mark.parametrize(("url", "package"), [("s3://bucket/p", "s3fs"), ("gs://bucket/p", "gcsfs")])
def test_a_missing_package_is_one_line(url, package, monkeypatch):
    pytest.importorskip("fsspec")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(hv.FileError, match=rf"^{url}: expected {package} for .* Run pip install {package}\.$"):
        hv.load_predictions(url, TAXONOMY)


def test_urls_without_fsspec(monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ImportError, match=r'got no such package\. Run pip install "hierviz\[cluster\]"\.$'):
        hv.load_taxonomy("s3://bucket/taxonomy.csv")


def test_whatever_a_file_system_raises_is_one_line(monkeypatch):
    fsspec = pytest.importorskip("fsspec")

    def broken(url):
        raise RuntimeError("no\ncredentials.")

    monkeypatch.setattr(fsspec.core, "url_to_fs", broken)
    with pytest.raises(hv.FileError, match=r"can read, got RuntimeError \(no credentials\)\. Check the URL"):
        hv.load_truth("s3://bucket/truth.csv", TAXONOMY)


def test_a_file_by_its_path_is_found_from_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(b"abc")
    file = SharedFile.from_path("file")
    monkeypatch.chdir("/")
    with pickle.loads(pickle.dumps(file)).open() as opened:
        assert opened.read() == b"abc"


def test_row_groups_that_ask_for_too_much_are_refused(parts, monkeypatch):
    monkeypatch.setattr(parquet_parts.file_limits, "FREE_BYTES", 100)
    monkeypatch.setattr(parquet_parts.file_limits, "MOST_RATIO", 0)
    with pytest.raises(hv.FileError, match="Write smaller row groups"):
        hv.load_predictions(parts, TAXONOMY)


def test_labels_and_long_scores_in_parts(tmp_path):
    """Every form of a table, as from one file."""
    labels = pd.DataFrame(
        {"sample_id": ["a", "b", "c"], "predicted": ["cat", "dog", "newt"], "truth": ["cat", "", "bird"]}
    )
    names = [TAXONOMY.names[node] for node in TAXONOMY.leaves]
    long = pd.DataFrame(
        [(sample, name, 0.25, "cat") for sample in "ab" for name in names],
        columns=["sample_id", "class", "score", "truth"],
    )
    for name, frame in (("labels", labels), ("long", long)):
        (tmp_path / name).mkdir()
        frame[:2].to_parquet(tmp_path / name / "part-0.parquet", index=False)
        frame[2:].to_parquet(tmp_path / name / "part-1.parquet", index=False)
        frame.to_parquet(tmp_path / f"{name}.parquet", index=False)
        for read_scores in (True, False):
            parts = hv.load_predictions(tmp_path / name, TAXONOMY, read_scores=read_scores)
            one = hv.load_predictions(tmp_path / f"{name}.parquet", TAXONOMY)
            notes = [{**model, "notes": None} for model in hv.evaluate([parts, one])["models"]]
            assert notes[0] == notes[1]
