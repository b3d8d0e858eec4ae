"""What all arrays have in common whose rows are read when they are asked for."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np


class ArrayRows:
    """Length, size and conversion of an array-like with `shape`, `dtype` and ``[rows]``."""

    shape: tuple[int, ...]
    dtype: np.dtype

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of values."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all values."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        values = self[:]
        return values if dtype is None else values.astype(dtype, copy=False)
