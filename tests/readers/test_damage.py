"""Damaged files: each one gives a HiervizError or can still be read."""

import gzip
import io
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierviz import Taxonomy
from hierviz.messages.errors import HiervizError
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.taxonomy_file import load_taxonomy
from tests.readers.bad_files import EDGES, LEAVES, SCORES, TRUTH

TAXONOMY = Taxonomy.from_edges([line.split(",") for line in EDGES.split()])
P = np.array([[0.5, 0.25, 0.125, 0.125], [0.25, 0.25, 0.25, 0.25]])


def _saved(save, *arrays, **named):
    file = io.BytesIO()
    save(file, *arrays, **named)
    return file.getvalue()


TAXONOMIES = {
    "t.csv": EDGES.encode(),
    "t.csv.gz": gzip.compress(EDGES.encode()),
    "levels.csv": b"kingdom,class,species\nanimal,mammal,cat\nanimal,bird,duck\nanimal,newt,\n",
    "t.json": json.dumps({"name": "animal", "children": [{"name": "cat"}, {"label": "dog", "nodes": []}]}).encode(),
    "t.taxonomy": b"animal\tmammal\tnewt\nmammal\tcat\tdog\n",
    "t.txt": b"animal > mammal > cat\nanimal > newt\n",
    "utf16.csv": EDGES.encode("utf-16"),
}
PREDICTIONS = {
    "p.csv": SCORES.encode(),
    "p.csv.gz": gzip.compress(SCORES.encode()),
    "labels.csv": b'sample_id,labels,text\na,cat;dog,"so, it is"\nb,duck,\n',
    "long.csv": b"sample_id,class,score\na,cat,0.5\na,dog,0.5\nb,cat,0\nb,dog,1\n",
    "p.npy": _saved(np.save, P),
    "p.npz": _saved(np.savez, prob=P, leaf=LEAVES, sample_id=["a", "b"]),
    "small.npz": _saved(np.savez_compressed, prob=P, leaf=LEAVES, sample_id=["a", "b"]),
}


def damaged(data, name, many):
    """`data` cut off, with bytes changed, or with a piece of it repeated or put in."""
    content = bytearray(many[name])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        kind = data.draw(st.sampled_from(["change", "cut", "insert", "repeat", "remove"]))
        if kind == "change" and at < len(content):
            content[at] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del content[at:]
        elif kind == "insert":
            content[at:at] = data.draw(
                st.sampled_from(
                    [b"\n", b",", b'"', b"\0", b"\xff", b"{", b";", b"nan", b"1e999", b"\xef\xbb\xbf", b" > "]
                )
            )
        elif kind == "repeat":
            content[at:at] = content[: data.draw(st.integers(0, len(content)))]
        else:
            del content[at : at + data.draw(st.integers(1, 20))]
    return bytes(content)


def one_line(error):
    assert "\n" not in str(error)
    assert str(error)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", TAXONOMIES)
def test_damaged_taxonomies(name, data, tmp_path_factory):
    path = tmp_path_factory.mktemp("d") / name
    path.write_bytes(damaged(data, name, TAXONOMIES))
    try:
        assert load_taxonomy(path).n_nodes >= 2
    except HiervizError as error:
        one_line(error)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", PREDICTIONS)
def test_damaged_predictions(name, data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("d")
    (folder / name).write_bytes(damaged(data, name, PREDICTIONS))
    (folder / "truth.csv").write_text(TRUTH)
    try:
        found = load_predictions(folder / name, TAXONOMY, folder / "truth.csv")
        assert len(found.truth) == found.n_samples >= 1
    except HiervizError as error:
        one_line(error)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_truth(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("d")
    (folder / "p.csv").write_text(SCORES)
    (folder / "truth.csv").write_bytes(damaged(data, "truth.csv", {"truth.csv": TRUTH.encode()}))
    try:
        assert load_predictions(folder / "p.csv", TAXONOMY, folder / "truth.csv").n_samples == 2
    except HiervizError as error:
        one_line(error)


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9, 0.99])
def test_parquet_cut_off(keep, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table({"sample_id": ["a", "b"], **dict(zip(LEAVES, P.T, strict=True))}), file)
    content = file.getvalue()
    (tmp_path / "p.parquet").write_bytes(content[: int(keep * len(content))])
    with pytest.raises(HiervizError, match=r"^p\.parquet: expected an intact Parquet table"):
        load_predictions(tmp_path / "p.parquet", TAXONOMY)
