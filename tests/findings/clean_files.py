"""Random files without a fault: taxonomy, predictions and truth as lists of rows, and the program that writes them."""

import csv

import numpy as np


class CleanFiles:
    """A tree whose leaves have one depth and at least one sibling, right scores of most samples, and their truth."""

    def __init__(self, seed, depth=2, n_samples=60):
        rng, self.seed = np.random.default_rng(seed), seed
        self.rng = rng
        level, self.edges, self.parent = ["top"], [["parent", "child"]], {}
        for below in range(depth):
            named = []
            for parent in level:
                for _ in range(rng.integers(2, 4)):
                    # Codes with leading zeros, as many as a fault may take away.
                    name = (
                        f"{len(self.edges):03d}" if below == depth - 1 else f"class {'abcdefghijklm'[len(self.edges)]}"
                    )
                    self.edges.append([parent, name])
                    self.parent[name] = parent
                    named.append(name)
            level = named
        self.leaves = level
        n = len(level)
        # Every class has samples enough to be judged.
        truth = rng.permutation(np.resize(np.arange(n), max(n_samples, 8 * n)))
        p = rng.random((len(truth), n)) / n
        p[np.arange(len(truth)), truth] += 1 + rng.random(len(truth))
        p /= p.sum(axis=1, keepdims=True)
        ids = [f"{k:04d}" for k in range(len(truth))]
        self.predictions = [
            ["sample_id", *level],
            *([i, *map(repr, row)] for i, row in zip(ids, p.tolist(), strict=True)),
        ]
        self.truth = [
            ["sample_id", "truth", "text"],
            *([i, level[t], f"text {i}"] for i, t in zip(ids, truth, strict=True)),
        ]

    def levels(self):
        """The taxonomy as level columns."""
        rows = []
        for leaf in self.leaves:
            path = [leaf]
            while path[0] in self.parent:
                path.insert(0, self.parent[path[0]])
            rows.append(path)
        return [[f"level_{k}" for k in range(len(rows[0]))], *rows]

    def labels(self):
        """Predictions as labels: the leaf with the largest score."""
        rows = [[row[0], self.leaves[int(np.argmax(list(map(float, row[1:]))))]] for row in self.predictions[1:]]
        return [["sample_id", "predicted"], *rows]


def write(path, rows):
    """Write rows as CSV."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    return path
