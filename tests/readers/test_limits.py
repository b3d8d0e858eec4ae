"""Small files that need much memory: each is refused in one line before allocation; ordinary files are not."""

import gzip
import io
import json
import re
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from hierviz.messages.errors import FileError
from hierviz.readers import file_limits, numpy_files
from hierviz.readers.predictions_file import load_predictions
from tests.readers.bad_files import EDGES, _npy_stating

MB = 1 << 20


def repeated(head, unit, n_bytes):
    """gzip of `head` and then `unit` again and again, `n_bytes` when unpacked: one block, written many times."""
    block = unit * (MB // len(unit))
    return gzip.compress(head) + gzip.compress(block) * (n_bytes // len(block))


def zipped(method=zipfile.ZIP_DEFLATED, **members):
    """A zip of (beginning, number of zero bytes after it) by name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method, compresslevel=1) as archive:
        for name, (head, zeros) in members.items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(head)
                for _ in range(zeros // MB):
                    member.write(bytes(MB))
    return file.getvalue()


def parquet(**columns):
    """Each value as often as said, in a few bytes: (value, number of rows)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = {}
    for name, (value, n) in columns.items():
        at = pa.array(np.zeros(n, np.int8))
        made[name] = (
            pa.array([value]).take(at) if isinstance(value, list) else pa.DictionaryArray.from_arrays(at, [value])
        )
    table = pa.table(made)
    plain = [
        pa.field(one.name, one.type.value_type if pa.types.is_dictionary(one.type) else one.type)
        for one in table.schema
    ]
    file = io.BytesIO()
    pq.write_table(table.cast(pa.schema(plain)) if len(table) < MB else table, file, compression="zstd")
    return file.getvalue()


WIDE = b"sample_id,cat,dog,duck,newt\n"
UNPACKED = r"expected at most 128 MB when unpacked, got \d+ MB or more\. "
GUNZIP = r"Unpack it first \(gunzip\) and open that\."
# name: (content, what reads it, words)
SMALL = {
    "scores.csv.gz": (
        lambda: repeated(WIDE, b"a,0.5,0.25,0.125,0.125," + b"0" * 5000 + b"\n", 1024 * MB),
        r"expected at most \d+ MB when unpacked \(100 times its size on disk\), got \d+ MB or more\. " + GUNZIP,
    ),
    "rows.csv.gz": (
        lambda: repeated(WIDE, b"a,0.5,0.25,0.125,0.125\n", 64 * MB),
        "expected at most 1,000,000 lines when unpacked",
    ),
    "newlines.csv.gz": (
        lambda: repeated(b"label\ncat\n", b"\n", 900 * MB),
        r"expected at most [\d,]+ lines when unpacked",
    ),
    "truth newlines.csv.gz": (
        lambda: repeated(b"truth\ncat\n", b"\n", 64 * MB),
        "expected at most 1,000,000 lines when unpacked",
    ),
    "classes newlines.txt.gz": (
        lambda: repeated(b"cat\n", b"\n", 64 * MB),
        "expected at most 1,000,000 lines when unpacked",
    ),
    "taxonomy newlines.csv.gz": (
        lambda: repeated(b"a,b\n", b"\n", 64 * MB),
        "expected at most 1,000,000 lines when unpacked",
    ),
    "taxonomy blank.csv": (lambda: b"\n" * 5000, "expected a class taxonomy, got blank lines"),
    "taxonomy long.txt.gz": (
        lambda: repeated(b"a > b\n", b"a > " * 1000 + b"\n", 100 * MB),
        "expected at most 64 MB, got more",
    ),
    "taxonomy.json.gz": (
        lambda: repeated(b"[", b"[],\n" * 9 + b"[]," * 9999, 20 * MB),
        "expected JSON of at most 4,000,000 values",
    ),
    "taxonomy names.csv": (
        lambda: b"animal," + b"x" * 2000,
        "expected names of at most 1,000 characters, got one of 2,000",
    ),
    "columns.csv": (lambda: b"a," * 300_000 + b"\n" + b"1," * 300_000, "expected at most 250,000 columns, got 300,001"),
    "quotes.csv": (lambda: b'sample_id,label\na,"' + b'x"",\n' * 2_000_000, "a row of more than 8,000,000 characters"),
    "scores.npy.gz": (lambda: repeated(_npy_stating((32 * MB, 4)), bytes(4096), 64 * MB), UNPACKED + GUNZIP),
    "header.npy": (lambda: b"\x93NUMPY\x02\0" + b"\xff" * 4, "a header of 4294967295 bytes"),
    "scores.npz": (
        lambda: zipped(**{"prob.npy": (_npy_stating((5 * MB, 4)), 160 * MB)}),
        UNPACKED + "Save it as .npy",
    ),
    "bzip2.npz": (
        lambda: zipped(zipfile.ZIP_BZIP2, **{"prob.npy": (_npy_stating((MB // 32, 4)), MB)}),
        "deflate, .* got bzip2",
    ),
    "lzma.npz": (
        lambda: zipped(zipfile.ZIP_LZMA, **{"prob.npy": (_npy_stating((MB // 32, 4)), MB)}),
        "deflate, .* got lzma",
    ),
    "scores.parquet": (lambda: parquet(cat=(0.5, 17_000_000)), UNPACKED + "Save scores as .npy"),
    "scores.parquet.gz": (lambda: gzip.compress(parquet(cat=(0.5, 17_000_000))), UNPACKED + "Save scores as .npy"),
    "rows.parquet": (
        lambda: parquet(label=("cat", 21_000_000)),
        "expected at most 20,000,000 rows of 1 columns, got 21,000,000",
    ),
    "lists.parquet": (
        lambda: parquet(labels=(["cat"] * 100_000, 40)),
        UNPACKED + "Save scores as .npy, or the table as CSV",
    ),
    "records.parquet": (
        lambda: parquet(label=("cat", 9), x=([{"a": "b"}], 9)),
        r"column 'x': .*got values of type list<.*struct",
    ),
    "pictures.zip": (
        lambda: zipped(**{f"{k}.bmp": (b"BM", 20 * MB) for k in range(7)}),
        UNPACKED + "Unpack it into a folder",
    ),
    "bzip2.zip": (lambda: zipped(zipfile.ZIP_BZIP2, **{"a.bmp": (b"BM", MB)}), "deflate, .* got bzip2"),
}
READ_ALL = """
import json, resource, sys
from pathlib import Path
import pyarrow.parquet
from hierviz.messages.errors import HiervizError
from hierviz.readers import load_predictions, load_taxonomy, load_truth, load_classes
from hierviz.readers.pictures import Pictures

folder, room = Path(sys.argv[1]), int(sys.argv[2])
taxonomy = load_taxonomy(folder / "animals.csv")
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
said = {}
for path in sorted(folder.iterdir()):
    try:
        if path.suffix == ".zip":
            pictures = Pictures.from_path(path)
            said[path.name] = repr(pictures.image(pictures.names[0]))
        else:
            first = path.name.split()[0]
            read = {"taxonomy": load_taxonomy, "classes": load_classes, "truth": load_truth}.get(first, load_predictions)
            said[path.name] = repr(load_taxonomy(path) if read is load_taxonomy or "taxonomy" in first else read(path, taxonomy))
    except HiervizError as error:
        said[path.name] = str(error)
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What a process with room for 400 MB beyond its libraries says about each file."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "animals.csv").write_text(EDGES)
    for name, (content, _) in SMALL.items():
        (folder / name).write_bytes(content())
    assert max(path.stat().st_size for path in folder.iterdir()) < 11 * MB
    made = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(folder), str(400 * MB)], capture_output=True, text=True, timeout=300
    )
    assert made.returncode == 0, made.stderr[-2000:]
    return json.loads(made.stdout)


@pytest.mark.parametrize("name", SMALL)
def test_a_small_file_that_asks_for_a_lot(name, said):
    message = said[name]
    assert re.search(SMALL[name][1], message), message
    assert "\n" not in message
    assert message.startswith(name)


def test_arrays_that_nobody_uses_stay_unread(tmp_path, taxonomy, monkeypatch):
    """Eight gigabytes of them, and one that holds objects: neither is asked for."""
    table, objects = io.BytesIO(), io.BytesIO()
    np.save(table, np.full((2, 4), 0.25))
    np.save(objects, np.array([None, {}]), allow_pickle=True)
    big = {f"big{k}.npy": (_npy_stating((1 << 27,)), 0) for k in range(8)}
    made = zipped(**{"prob.npy": (table.getvalue(), 0), "notes.npy": (objects.getvalue(), 0)}, **big)
    (tmp_path / "p.npz").write_bytes(made)
    asked = []
    values = numpy_files.Header.values
    monkeypatch.setattr(
        numpy_files.Header, "values", lambda self, file: (asked.append(self.where), values(self, file))[1]
    )
    found = load_predictions(tmp_path / "p.npz", taxonomy)
    assert asked == ["p.npz, array 'prob'"]
    assert found.n_samples == 2
    assert "p.npz: arrays 'notes', 'big0', 'big1', 'big2', 'big3' and 4 more were not used" in found.notes


def test_ordinary_files_are_far_within():
    """16,344 classes and a million samples; a CSV of 2 GB in a gzip file of 800 MB; what a half as large one may unpack to."""
    assert min(file_limits.CLASSES, file_limits.TABLE_COLUMNS) > 10 * 16_344
    assert min(file_limits.TABLE_ROWS, file_limits.PICTURES + 1, file_limits.TEXT_LINES) > 1_000_000
    file_limits.require_unpacked("scores.csv.gz", 2 << 30, 800 * MB, "")
    file_limits.require_unpacked("scores.npz", 127 * MB, 1000, "")
    assert file_limits.most_unpacked(10 * MB) == 1000 * MB
    assert file_limits.most_unpacked(1 << 40) == 4 << 30


def test_a_budget_is_raised_by_setting_it(tmp_path, taxonomy, monkeypatch):
    (tmp_path / "p.csv").write_text("label\n" + "cat\n" * 6)
    monkeypatch.setattr(file_limits, "TABLE_ROWS", 5)
    with pytest.raises(FileError, match=r"^p\.csv: expected at most 5 rows of 1 columns, got more\."):
        load_predictions(tmp_path / "p.csv", taxonomy)
    monkeypatch.setattr(file_limits, "TABLE_ROWS", 6)
    assert load_predictions(tmp_path / "p.csv", taxonomy).n_samples == 6


def test_every_budget_is_in_the_words_about_them():
    names = [name for name in vars(file_limits) if name.isupper() and name not in ("MB", "GUNZIP", "_BUFFER_BYTES")]
    assert len(names) > 15
    for name in names:
        assert f"`{name}`" in file_limits.__doc__, name
