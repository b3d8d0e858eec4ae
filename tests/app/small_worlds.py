"""A small world of instruments, and how a data set of a test is written and put on the shelf."""

import csv

import numpy as np
from visit import shelve

EDGES = [
    ("instrument", "strings"),
    ("strings", "violin"),
    ("strings", "cello"),
    ("instrument", "winds"),
    ("winds", "flute"),
    ("winds", "reeds"),
    ("reeds", "oboe"),
    ("reeds", "bassoon"),
    ("instrument", "drum"),
]
LEAVES = ["violin", "cello", "flute", "oboe", "bassoon", "drum"]


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return str(path)


def world(folder, *, edges=EDGES, leaves=LEAVES, scores=None, truth=None, extra=(), name="scores.csv", ids=None):
    """Put a data set of leaf probabilities on the shelf; `truth` is a list of cells, `extra` columns of the truth file."""
    scores = np.asarray(scores, dtype=float)
    ids = ids or [f"s{i}" for i in range(len(scores))]
    files = {
        "taxonomy": write(folder / "taxonomy.csv", [("parent", "child"), *edges]),
        "predictions": (
            write(folder / name, [("sample_id", *leaves), *([one, *row] for one, row in zip(ids, scores.tolist()))]),
        ),
    }
    if truth is not None:
        columns = dict(extra)
        table = zip(ids, truth, *columns.values(), strict=True)
        files["truth"] = write(folder / "truth.csv", [("sample_id", "truth", *columns), *table])
    return shelve(**files)


def spread(n, n_leaves=6, seed=7):
    """Random probabilities in multiples of 1/64: rows sum to exactly 1."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(64, rng.dirichlet(np.full(n_leaves, 0.6), n)) / 64


def one_hot(*places):
    return np.eye(len(LEAVES))[list(places)]
