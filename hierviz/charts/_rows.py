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
    made = pd.DataFrame({name: _text(values) for name, values in columns.items()})
    for name, dtype in made.dtypes.items():
        column = made[name]
        if pd.api.types.is_float_dtype(dtype):
            if not (known := np.isfinite(column)).all():
                made[name] = column.where(known)
        elif not (pd.api.types.is_numeric_dtype(dtype) or _is_text(columns[name])):
            made[name] = column.astype(object).where(column.notna(), None)
    return made


def _is_text(values):
    return isinstance(values, list) and all(value is None or isinstance(value, str) for value in values)


def _text(values):
    """Lists of text as they are: pandas takes long to find out what they are, and to make objects of them again."""
    return pd.Series(values, dtype=object) if _is_text(values) else values
