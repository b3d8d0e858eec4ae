"""Text in CSV cells that a spreadsheet would otherwise run as a formula.

Conventions
-----------
A spreadsheet takes a cell that begins with ``= + - @``, a tab or a line break for a formula, whatever a person named a
class or a sample. Such text is written with an apostrophe in front, unless it is a number such as an id ``-1``, which is no
formula; numbers are written as they are. Text that already begins with apostrophes before one of these characters gets one
more, so that every text has one cell and comes back as it was.

Functions
---------
cell_of_text, text_of_cell : one text, there and back.
SafeWriter : rows of text and numbers to a file.
safe_frame_csv : a data frame as CSV.

References
----------
.. [1] OWASP Foundation, CSV Injection, https://owasp.org/www-community/attacks/CSV_Injection.
"""

import csv
import io
import re

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_RUNS = re.compile(r"'*[=+\-@\t\r\n]")
_GUARDED = re.compile(r"'+[=+\-@\t\r\n]")


def cell_of_text(text):
    """The cell that holds a text.

    Examples
    --------
    >>> [cell_of_text(text) for text in ("cat", "=1+1", "-dog", "'-dog", "'cat'", "-1")]
    ['cat', "'=1+1", "'-dog", "''-dog", "'cat'", '-1']
    """
    return f"'{text}" if _RUNS.match(text) and not _NUMBER.fullmatch(text) else text


def text_of_cell(cell):
    """The text that a cell holds; the inverse of `cell_of_text`.

    Examples
    --------
    >>> [text_of_cell(cell) for cell in ("cat", "'=1+1", "-0.5", "''-dog", "'cat'")]
    ['cat', '=1+1', '-0.5', "'-dog", "'cat'"]
    """
    return cell[1:] if _GUARDED.match(cell) else cell


class SafeWriter:
    """Writes rows as CSV: text made safe and quoted where it must be, anything else as it is.

    Parameters
    ----------
    file : text file
        Opened with ``newline=""``.
    """

    def __init__(self, file):
        self._writer = csv.writer(_Lines(file), lineterminator="\r\n")

    def writerow(self, row):
        """Write one row."""
        self._writer.writerow([cell_of_text(value) if isinstance(value, str) else value for value in row])

    def writerows(self, rows):
        """Write many rows."""
        for row in rows:
            self.writerow(row)


class _Lines:
    """Ends rows with LF; csv quotes only what its own line end holds, and a lone CR ends a row too."""

    def __init__(self, file):
        self.file = file

    def write(self, row):
        return self.file.write(row[:-2] + "\n" if row.endswith("\r\n") else row)


def safe_frame_csv(frame):
    """CSV text of a pandas DataFrame without its index: text and names of columns made safe, numbers as they are."""
    made = frame.rename(columns=lambda name: cell_of_text(name) if isinstance(name, str) else name)
    for place, dtype in enumerate(frame.dtypes):
        if dtype.kind == "O":
            made.isetitem(
                place, [cell_of_text(cell) if isinstance(cell, str) else cell for cell in frame.iloc[:, place]]
            )
    text = io.StringIO(newline="")
    made.to_csv(_Lines(text), index=False, lineterminator="\r\n")
    return text.getvalue()
