"""Numbers of rows and nodes that callers give, checked before anything is looked up by them.

Negative numbers do not count from the end here: -1 stands for what is not known in truths and labels, and would count as
the last one.

Functions
---------
check_position, check_positions, places_of
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hierviz.messages.errors import HiervizError, PredictionsError, listed, shown

# What positions are, and what to do about a wrong one.
ADVICE = {
    "place": "Choose among them.",
    "row": "Choose among them.",
    "node number": "Use Taxonomy.nodes to look names up.",
}


def check_position(
    what: str, value: Any, n: int, kind: str = "place", *, error: type[HiervizError] = PredictionsError
) -> None:
    """Raise an error that calls the argument `what` unless it is a whole number from 0 to n - 1; `kind` is a key of `ADVICE`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not 0 <= value < n:
        raise error(f"{what}: expected a {kind} from 0 to {n - 1}, got {shown(value)}. {ADVICE[kind]}")


def check_positions(
    what: str,
    values: Any,
    n: int,
    kind: str = "place",
    *,
    error: type[HiervizError] = PredictionsError,
    is_list: bool = False,
) -> None:
    """Raise an error unless `values` are whole numbers from 0 to n - 1: one, or an array of any shape.

    With `is_list` one number alone is none; the others as in `check_position`.
    """
    if isinstance(values, (int, np.integer)) and not is_list:  # the quick way of what is asked for node by node
        return check_position(what, values, n, kind, error=error)
    array = _array(what, values, n, kind, error)
    if array.ndim == 0:
        if is_list:
            raise error(f"{what}: expected a list of {kind}s from 0 to {n - 1}, got {shown(values)}. {ADVICE[kind]}")
        return check_position(what, values, n, kind, error=error)
    if array.size and (array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= n):
        is_wrong = (array < 0) | (array >= n) if array.dtype.kind in "iuf" else np.ones(array.shape, dtype=bool)
        got = array[is_wrong] if is_wrong.any() else array
        raise error(
            f"{what}: expected {kind}s from 0 to {n - 1}, got {listed(got.ravel().tolist(), 2)}. {ADVICE[kind]}"
        )


def places_of(what: str, values: Any, n: int, kind: str = "place") -> np.ndarray:
    """Places that are given as numbers or as a mask.

    Parameters
    ----------
    what : str
        The parameter, for the error.
    values : array_like of int, shape (n_places,), or of bool, shape (n,)
    n : int
    kind : str
        Key of `ADVICE`.

    Returns
    -------
    ndarray of int, shape (n_places,)

    Raises
    ------
    PredictionsError
        If these are no numbers from 0 to n - 1, or a mask of another length.
    """
    array = _array(what, values, n, kind, PredictionsError)
    if array.ndim != 1 or (array.dtype.kind == "b" and len(array) != n):
        got = shown(values) if array.ndim == 0 else f"shape {array.shape}"
        raise PredictionsError(
            f"{what}: expected a list of {kind}s from 0 to {n - 1}, or True or False for each of {n}, got {got}. {ADVICE[kind]}"
        )
    if array.dtype.kind == "b":
        return np.flatnonzero(array)
    check_positions(what, array, n, kind)
    return array.astype(np.intp)


def _array(what, values, n, kind, error):
    try:
        return np.asarray(values)
    except ValueError:
        raise error(
            f"{what}: expected {kind}s from 0 to {n - 1}, got lists of different lengths. {ADVICE[kind]}"
        ) from None
