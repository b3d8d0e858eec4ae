"""The arrays that `hierviz.compiled.kernels.run` works in and writes to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# As `hierviz.compiled.kernels`, which is not imported without numba.
TILE = 8
# For which there is room at first.
ELEMENTS_A_ROW = 16


def tile_arrays(n_nodes: int, *, is_coherent: bool, has_areas: bool) -> tuple:
    """What a tile of rows needs, for one block after the other: the first part of `scratch`."""
    return (
        _ones(n_nodes),
        _ones(n_nodes if has_areas and not is_coherent else 1),
        np.empty((1 if is_coherent else TILE, n_nodes), np.int32),
        np.zeros(TILE, np.int64),
        np.empty(n_nodes, np.int32),
        np.empty(n_nodes, np.int32),
        tuple(np.zeros(TILE) for _ in range(4)),
    )


@dataclass(eq=False)
class KernelArrays:
    """Scratch and results of `n` rows.

    Attributes
    ----------
    scratch : tuple of arrays
        `tile_arrays`, and what the true nodes of the rows of a tile need.
    per_row : tuple of sizes, set_sizes, leaf, leaf_mass, win, p_root, p_truth, leaf_rank : ndarray, shape (n,)
        As in a `hierviz.compiled.tree_pass.PassBlock`; set sizes are empty without sets.
    listed : tuple of nodes, scores, set_nodes, ends
        The Pareto sets and the sets one after the other, with room for more; and, in an ndarray of int64, how many elements
        the Pareto sets and the sets have so far.
    areas : ndarray of float64, shape (3, n)
        Without areas of no row.
    """

    scratch: tuple
    per_row: tuple
    listed: tuple
    areas: np.ndarray

    @classmethod
    def of(cls, n: int, tile: tuple, *, has_sets: bool, true_offsets: np.ndarray) -> KernelArrays:
        """Arrays for `n` rows; `tile` of `tile_arrays`, `true_offsets` as of the kernel."""
        n_true = np.diff(true_offsets)
        most = max(1, int(n_true.max())) if len(n_true) else 1
        shape = most, TILE
        rows = (np.zeros(shape), np.ones(shape), *(np.zeros(shape) for _ in range(5)))
        room = ELEMENTS_A_ROW * n + TILE * len(tile[0])
        sizes, set_sizes = np.zeros(n, np.int64), np.zeros(n if has_sets else 0, np.int64)
        per_leaf = np.empty(n, np.int32), *(np.empty(n) for _ in range(4)), np.full(n, -1, np.int32)
        set_nodes = np.empty(room if has_sets else 0, np.int32)
        return cls(
            (*tile, rows),
            (sizes, set_sizes, *per_leaf),
            (np.empty(room, np.int32), np.empty(room), set_nodes, np.zeros(2, np.int64)),
            np.empty((3, n if len(true_offsets) else 0)),
        )

    def grow(self) -> None:
        """Room for twice as many elements."""
        *elements, ends = self.listed
        self.listed = (*(np.concatenate([values, np.empty_like(values)]) for values in elements), ends)


def _ones(n_nodes):
    """Ones of shape (n_nodes, TILE), each row in one line of the processor's cache."""
    values = np.ones((n_nodes + 1) * TILE)
    start = -values.ctypes.data % (8 * TILE) // 8
    return values[start : start + n_nodes * TILE].reshape(n_nodes, TILE)
