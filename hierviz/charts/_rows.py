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
    made = pd.DataFrame(columns)
    for name in made.columns:
        column = made[name]
        if pd.api.types.is_float_dtype(column):
            made[name] = column.where(np.isfinite(column))
        elif not pd.api.types.is_numeric_dtype(column):
            made[name] = column.astype(object).where(column.notna(), None)
    return made
