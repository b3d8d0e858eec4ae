"""Arrays -> DataFrames of plain columns, the only data that charts get."""

from __future__ import annotations

import numpy as np
import pandas as pd


def frame(columns):
    """DataFrame of plain columns: numbers, text and truth values, with nan and infinities kept as null.

    Parameters
    ----------
    columns : dict of str to sequence, or list of dict
        Columns of equal length, or one dict a row.

    Returns
    -------
    pandas.DataFrame
        A column of integers with gaps becomes float; a column of text keeps None for what is missing.
    """
    if isinstance(columns, list):
        names = dict.fromkeys(name for row in columns for name in row)
        columns = {name: [row.get(name) for row in columns] for name in names}
    return pd.DataFrame({name: _column(values) for name, values in columns.items()})


def _column(values):
    """What a DataFrame holds of a column; what lists hold is found out here: pandas takes several times as long."""
    if isinstance(values, list):
        kinds = set(map(type, values))
        if kinds <= {str, type(None)}:
            return pd.Series(values, dtype=object)
        if kinds <= {int, float} or kinds == {bool}:
            values = np.array(values)
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiub":
        values = pd.Series(values)
        if pd.api.types.is_float_dtype(values.dtype):
            values = values.to_numpy(dtype=float, na_value=np.nan)
        elif not pd.api.types.is_numeric_dtype(values.dtype):
            return values.astype(object).where(values.notna(), None)
    if values.dtype.kind == "f" and not (is_known := np.isfinite(values)).all():
        return np.where(is_known, values, np.nan)
    return values
