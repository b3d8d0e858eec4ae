"""Samples that are parts of recordings: their ids are made of the file, the start and the end in seconds.

Conventions
-----------
The id of a segment is ``FILE START-END``, such as ``dawn.wav 0-3``; whole seconds are written without a point.
"""

from __future__ import annotations

import re

from hierviz.messages.errors import PredictionsError
from hierviz.readers.columns import as_number, named_place
from hierviz.readers.picture_names import picture_stem, plain_name

FILE_COLUMNS = ("file", "filename", "file_name", "begin file", "begin path", "recording")
START_COLUMNS = ("start (s)", "start", "start_time", "begin time (s)")
END_COLUMNS = ("end (s)", "end", "end_time", "end time (s)")
_ID = re.compile(r"(.+) (\d+(?:\.\d+)?-\d+(?:\.\d+)?)", re.DOTALL)


def segment_places(names):
    """Places of the columns of file, start and end; None where one of them is missing."""
    places = tuple(named_place(names, accepted) for accepted in (FILE_COLUMNS, START_COLUMNS, END_COLUMNS))
    return None if None in places else places


def segment_ids(columns, places):
    """The id of the segment of each row, a list of str.

    Parameters
    ----------
    columns : Columns
    places : (int, int, int)
        From `segment_places`.

    Raises
    ------
    PredictionsError
        If a start or an end is no number; names line and column.
    """
    file, start, end = (columns.single_text(place) for place in places)
    return [
        f"{name.strip()} {_seconds(first, columns, row, places[1])}-{_seconds(last, columns, row, places[2])}"
        for row, (name, first, last) in enumerate(zip(file, start, end, strict=True))
    ]


def _seconds(cell, columns, row, place):
    value = as_number(cell)
    if value is None or not 0 <= value < float("inf"):
        raise PredictionsError(
            f"{columns.place(row)}, column {columns.names[place]!r}: expected a number of seconds, got {cell!r}. Correct it."
        )
    return repr(int(value)) if value.is_integer() else repr(value)


def short_id(sample_id):
    """An id without the folder and suffix of its picture or recording; any other as it is."""
    segment = _ID.fullmatch(sample_id)
    if segment is None:
        return picture_stem(sample_id)
    file = plain_name(segment[1]).rpartition("/")[2]
    return f"{file.rpartition('.')[0] or file} {segment[2]}"
