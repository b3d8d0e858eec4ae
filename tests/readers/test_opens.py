"""One `evaluate` opens each of its files once, however often a file is looked at: opens are counted, not timed."""

import os
import sys
from collections import Counter

import numpy as np
import pytest

from hierviz.cli import main
from hierviz.findings.doctor import doctor

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

LEAVES = ("a1", "a2", "b1", "b2")
TRUTH = ("a1", "b1", "b2")
SCORES = np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.7, 0.1], [0.1, 0.2, 0.3, 0.4]])
EDGES = "parent,child\nr,a\nr,b\na,a1\na,a2\nb,b1\nb,b2\n"
NESTED = '{"name": "r", "children": [{"name": "a", "children": ["a1", "a2"]}, {"name": "b", "children": ["b1", "b2"]}]}'


class Opens:
    """Opens of the files of a folder while it is counting; hooks of Python cannot be taken away again."""

    def __init__(self):
        self.folder, self.counts = None, Counter()
        sys.addaudithook(self._hook)

    def _hook(self, event, arguments):
        if event == "open" and self.folder is not None:
            self.add(arguments[0])

    def add(self, path):
        if isinstance(path, (str, os.PathLike)) and os.path.dirname(os.fspath(path)) == self.folder:
            self.counts[os.path.basename(os.fspath(path))] += 1

    def of(self, folder, call):
        self.folder, self.counts = str(folder), Counter()
        try:
            call()
        finally:
            self.folder = None
        return dict(self.counts)


@pytest.fixture(scope="module")
def hook():
    return Opens()


@pytest.fixture
def opens(hook, monkeypatch):
    # pyarrow opens paths, and maps them into memory, without a word to Python.
    for place, name in ((pq, "ParquetFile"), (pa, "memory_map"), (pa, "OSFile")):
        real = getattr(place, name)

        def counted(file, *rest, _real=real, **more):
            hook.add(file)
            return _real(file, *rest, **more)

        monkeypatch.setattr(place, name, counted)
    return hook


def write(folder, kind):
    path = folder / f"scores.{kind}"
    if kind == "csv":
        rows = (",".join(map(str, (k, TRUTH[k], *row))) for k, row in enumerate(SCORES))
        path.write_text("\n".join([",".join(("sample_id", "truth", *LEAVES)), *rows, ""]))
    elif kind == "parquet":
        columns = {leaf: SCORES[:, k] for k, leaf in enumerate(LEAVES)}
        pq.write_table(pa.table({"sample_id": ["0", "1", "2"], "truth": list(TRUTH), **columns}), path)
    elif kind == "npz":
        np.savez(path, scores=SCORES, leaf=np.array(LEAVES), truth=np.array(TRUTH))
    else:
        records = (dict(zip(LEAVES, row.tolist(), strict=True)) | {"truth": TRUTH[k]} for k, row in enumerate(SCORES))
        path.write_text("[" + ", ".join(str(record).replace("'", '"') for record in records) + "]")
    return path


@pytest.mark.parametrize("taxonomy", ["taxonomy.csv", "taxonomy.json"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "npz", "json"])
def test_evaluate_opens_each_file_once(kind, taxonomy, opens, tmp_path, capsys):
    inside = tmp_path / "inside"
    inside.mkdir()
    tree = inside / taxonomy
    tree.write_text(EDGES if taxonomy.endswith("csv") else NESTED)
    scores, out = write(inside, kind), tmp_path / "out.json"
    arguments = ["evaluate", "--taxonomy", str(tree), "--predictions", str(scores), "--json", str(out)]
    found = opens.of(inside, lambda: main(arguments))
    assert found == {taxonomy: 1, scores.name: 1}, capsys.readouterr().err
    assert out.is_file()


def test_what_was_opened_is_closed(tmp_path):
    tree = tmp_path / "taxonomy.csv"
    tree.write_text(EDGES)
    scores = write(tmp_path, "csv")
    doctor(tree, scores)
    n_open = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for _ in range(20):
        doctor(tree, scores)
    if n_open:
        assert len(os.listdir("/proc/self/fd")) <= n_open + 2
