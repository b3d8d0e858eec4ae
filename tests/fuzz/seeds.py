"""Whole files that the fuzzer damages, by what they are read as.

`SEEDS` holds (role, file name, content); the roles are those of `doors.DOORS`. All of them use the small tree.
"""

import gzip
import io
import json
import zipfile
from decimal import Decimal
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from tests.small_tree import EDGES_CSV, LEAVES

EDGES = "parent,child\n" + EDGES_CSV
P = np.array([[0.5, 0.25, 0.125, 0.125], [0.25, 0.25, 0.25, 0.25], [0.0, 1.0, 0.0, 0.0]])
IDS = ["a", "b", "c"]
SCORES = "sample_id,cat,dog,duck,newt,text\na,0.5,0.25,0.125,0.125,one\nb,0.25,0.25,0.25,0.25,\nc,0,1,0,0,three\n"
TRUTH = "sample_id,truth,place\na,cat,north\nb,bird,\nc,newt;cat,south\n"


def saved(save, *arrays, **named):
    """Bytes of a file that a function writes."""
    file = io.BytesIO()
    save(file, *arrays, **named)
    return file.getvalue()


def parquet(columns):
    """Bytes of a Parquet table; `columns` is a list of (name, pyarrow array), names may stand twice."""
    file = io.BytesIO()
    pq.write_table(pa.Table.from_arrays([array for _, array in columns], names=[name for name, _ in columns]), file)
    return file.getvalue()


def png(size=(4, 3), mode="RGB", kind="PNG"):
    """Bytes of a picture."""
    file = io.BytesIO()
    Image.new(mode, size).save(file, kind)
    return file.getvalue()


def archive(**members):
    """Bytes of a zip."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name.replace("__", "."), content)
    return file.getvalue()


def odd_columns():
    """Columns of Arrow types that a table of scores seldom holds, one for each kind."""
    return {
        "dictionary": pa.array(["a", "b", "c"]).dictionary_encode(),
        "decimal": pa.array([Decimal("0.5"), Decimal("0.25"), None]),
        "date": pa.array([0, 2**31 - 1, -(2**31)], pa.int32()).cast(pa.date32()),
        "timestamp": pa.array([0, 2**62, -(2**62)], pa.timestamp("us")),
        "duration": pa.array([0, 2**62, 1], pa.duration("us")),
        "list": pa.array([["a"], [], None]),
        "struct": pa.array([{"x": 1}, {"x": None}, None]),
        "binary": pa.array([b"\xff\xfe", b"", None]),
        "null": pa.nulls(3),
        "bool": pa.array([True, None, False]),
        "half": pa.array(np.float16([0.5, 0, 1])),
        "large": pa.array(["a", "b", "c"], pa.large_string()),
        "unsigned": pa.array([2**64 - 1, 0, 1], pa.uint64()),
        "infinite": pa.array([float("inf"), float("nan"), None]),
    }


def score_columns():
    """The columns of a good table of scores."""
    return [("sample_id", pa.array(IDS)), *((name, pa.array(P[:, i])) for i, name in enumerate(LEAVES))]


@cache
def seeds():
    """List of (role, file name, content)."""
    tree = {
        "name": "animal",
        "children": [{"name": "mammal", "children": [{"name": "cat"}, {"name": "dog"}]}, {"id": "newt"}],
    }
    point = {"hierviz": "0.1.0", "rule": "threshold", "threshold": 0.5, "taxonomy": {"n_nodes": 7}, "reached": {}}
    made = {
        "taxonomy": {
            "t.csv": EDGES,
            "spaces.txt": EDGES.replace(",", " "),
            "t.csv.gz": gzip.compress(EDGES.encode()),
            "levels.csv": "kingdom,class,species\nanimal,mammal,cat\nanimal,mammal,dog\nanimal,bird,duck\nanimal,newt,\n",
            "t.json": json.dumps(tree),
            "t.taxonomy": "animal\tmammal\tbird\tnewt\nmammal\tcat\tdog\nbird\tduck\n",
            "paths.txt": "animal > mammal > cat\nanimal > bird > duck\nanimal > newt\n",
            "slashes.txt": "animal/mammal/cat\nanimal/bird/duck\n",
            "ranks.txt": "k__Animal;p__Mammal;s__Cat\nk__Animal;p__Bird;s__\n",
            "utf16.csv": EDGES.encode("utf-16"),
            "t.parquet": parquet([("parent", pa.array(["animal", "mammal"])), ("child", pa.array(["mammal", "cat"]))]),
        },
        "predictions": {
            "p.csv": SCORES,
            "p.tsv": SCORES.replace(",", "\t"),
            "p.csv.gz": gzip.compress(SCORES.encode()),
            "labels.csv": 'sample_id,labels,text\na,cat;dog,"so, it is"\nb,duck,\nc,,none\n',
            "hard.csv": "sample_id,predicted,truth\na,cat,dog\nb,bird,duck\nc,animal,newt\n",
            "long.csv": "sample_id,class,score\na,cat,0.5\na,dog,0.5\na,duck,0\na,newt,0\nb,cat,0\nb,dog,1\nb,duck,0\nb,newt,0\n",
            "best.csv": "sample_id,class_1,score_1,class_2,score_2\na,cat,0.5,dog,0.25\nb,duck,0.75,,\n",
            "lists.json": json.dumps([[{"label": "cat", "score": 0.5}, {"label": "dog", "score": 0.5}]]),
            "lists.jsonl": "".join(
                json.dumps({"id": name, "truth": "cat", "scores": [{"label": "cat", "score": 0.75}]}) + "\n"
                for name in IDS
            ),
            "p.npy": saved(np.save, P),
            "p.npy.gz": gzip.compress(saved(np.save, P.astype(np.float32))),
            "p.npz": saved(np.savez, prob=P, leaf=LEAVES, sample_id=IDS, truth=["cat", "dog", "newt"]),
            "small.npz": saved(np.savez_compressed, prob=P.astype(np.float16), leaf=LEAVES, sample_id=IDS),
            "p.parquet": parquet(score_columns()),
            "labels.parquet": parquet([("id", pa.array(IDS)), ("labels", pa.array(["cat", "dog;cat", None]))]),
        },
        "truth": {
            "truth.csv": TRUTH,
            "truth.parquet": parquet([("sample_id", pa.array(IDS)), ("truth", pa.array(["cat", "bird", "newt"]))]),
            "truth.txt": "truth\ncat\nbird\nnewt\n",
        },
        "classes": {
            "classes.txt": "cat\ndog\nduck\nnewt\n",
            "classes.csv": "index,class\n2,duck\n0,cat\n3,newt\n1,dog\n",
            "classes.json": json.dumps(LEAVES),
            "names.json": json.dumps({str(place): name for place, name in enumerate(LEAVES)}),
        },
        "nodes": {
            "nodes.csv": "node,name,train_count\ncat,the cat,10\ndog,,20\nnewt,a newt,\n",
            "nodes.parquet": parquet([("node", pa.array(LEAVES)), ("train_count", pa.array([1, 2, 3, None]))]),
        },
        "point": {"point.json": json.dumps(point)},
        "pictures": {
            "pictures.zip": archive(a__png=png(), b__jpg=png(kind="JPEG"), c__webp=png(mode="RGBA", kind="WEBP")),
            "one.png": png(),
            "one.bmp": png(mode="L", kind="BMP"),
            "one.gif": png(mode="P", kind="GIF"),
            "named.csv": "sample_id,image\na,pictures/a.png\nb,b.png\n",
        },
        "table": {
            "inputs.csv": "sample_id,length,colour\na,1.5,red\nb,2,blue\nc,,red\n",
            "inputs.parquet": parquet(
                [("length", pa.array([1.0, 2.0, 3.0])), ("colour", pa.array(["red", "blue", "red"]))]
            ),
            "inputs.npz": saved(
                np.savez, length=P[:, :1].astype(np.float32), colour=np.array([["red"], ["blue"], ["red"]])
            ),
        },
        "texts": {"texts.txt": "a first text\na second one\n", "texts.csv": "sample_id,text\na,one\nb,two\n"},
        "array": {
            "x.npy": saved(np.save, P[:, :3].astype(np.float32)),
            "x.npz": saved(np.savez, x=P[:, :3].astype(np.float32)),
        },
        "preprocessing": {
            "preprocessor_config.json": json.dumps(
                {
                    "size": {"shortest_edge": 8},
                    "image_mean": [0.5, 0.5, 0.5],
                    "image_std": [0.5, 0.5, 0.5],
                    "do_resize": True,
                }
            ),
            "m.hierviz.json": json.dumps({"input": {"size": [8, 8], "range": [0, 1]}, "nodes": LEAVES}),
            "config.json": json.dumps({"id2label": dict(enumerate(LEAVES))}),
        },
    }
    return [
        (role, name, content.encode() if isinstance(content, str) else content)
        for role, files in made.items()
        for name, content in files.items()
    ]
