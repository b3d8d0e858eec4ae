"""Values of a column of samples as text, and which of them are missing.

Missing are None, not-a-number of any kind, and the empty text. A text is what it says: "nan" or "None" in a file is a value.

Functions
---------
is_missing, is_missing_value, as_text
"""

from __future__ import annotations

from typing import Any

import numpy as np


def is_missing(values: Any) -> np.ndarray:
    """Which values are missing: ndarray of bool, of the shape of `values` (array_like).

    Examples
    --------
    >>> is_missing(["cat", "", None, float("nan"), "nan"]).tolist()
    [False, True, True, True, False]
    """
    values = _as_array(values)
    if values.dtype.kind in "US":
        return values == values.dtype.type()
    if values.dtype.kind == "O":
        return np.frompyfunc(is_missing_value, 1, 1)(values).astype(bool)
    return values != values


def as_text(values: Any) -> np.ndarray:
    """Values as an array of text, with Python's own texts where a fixed width would make room for the longest in every row."""
    values = _as_array(values)
    if values.dtype != object:
        return values.astype(str)
    texts: Any = np.empty(values.shape, dtype=object)
    texts.flat = [str(value) for value in values.flat]
    return texts


def _as_array(values):
    """Texts and other values as they are: an array of texts alone would make one of None."""
    is_mixed = not isinstance(values, np.ndarray) and any(isinstance(value, str) for value in values)
    return np.asarray(values, dtype=object if is_mixed else None)


def is_missing_value(value: Any) -> bool:
    """`is_missing` of one value."""
    # A value of pandas that is missing does not say whether it equals itself.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return value == "" if isinstance(value, str) else isinstance(value, (float, np.floating)) and bool(np.isnan(value))
