"""Reviews as files: a table of what an expert said of samples, read and written."""

from __future__ import annotations

import os

from hierviz.evaluation._review import COLUMNS, VERDICTS, Review, ReviewRow
from hierviz.messages.csv_cells import SafeWriter
from hierviz.messages.errors import FileError, PredictionsError, listed, shown
from hierviz.messages.new_files import new_text
from hierviz.predictions.predictions import Predictions
from hierviz.projection.moves import ReadableNodes
from hierviz.readers.labels import read_labels
from hierviz.readers.tables import open_table
from hierviz.taxonomy.checks import check_kind, check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

NEEDED = ("sample_id", "verdict")
_OTHER = " A review of data that were opened with {inner_truth=other} needs the same here."


def load_review(source: str | os.PathLike[str], taxonomy: Taxonomy | Predictions) -> Review:
    """Read what an expert said of samples, as the page Mistakes exports it.

    Parameters
    ----------
    source : str or path
        A CSV, TSV or Parquet table (gzipped too) with the columns ``sample_id`` and ``verdict`` (``wrong_label``, ``acceptable``
        or ``model_wrong``, or empty for a note alone); ``answer`` where an answer is acceptable; and, if they are there,
        ``note``, ``model``, ``truth`` and ``order``, a number that the rows are sorted by. Nodes are names, several
        joined by ``;``. Other columns are not read.
    taxonomy : Taxonomy or Predictions
        Whose classes the file names; of predictions that were projected (`hierviz.projection`) those before, too.

    Returns
    -------
    Review

    Raises
    ------
    FileError
        If the table cannot be read, a column is missing, or a row is not valid; names the line.
    PredictionsError
        If a class is no node of the taxonomy; names the line.
    """
    if isinstance(taxonomy, Predictions):
        taxonomy = ReadableNodes(taxonomy).taxonomy
    check_taxonomy(taxonomy, "It comes after the file.")
    table = open_table(source, "a review (CSV, TSV or Parquet)")
    words = [name.strip().casefold() for name in table.first]
    missing = [name for name in NEEDED if words.count(name) != 1]
    if missing:
        raise FileError(
            f"{table.where}: expected the columns {' and '.join(NEEDED)}, each once, got {listed(table.first, 6)}. Use a file "
            "that the part Review of the page Mistakes exported."
        )
    columns = table.read(has_header=True)
    text = {name: columns.single_text(words.index(name)) if name in words else [""] * len(columns) for name in COLUMNS}
    nodes = {}
    for name in ("answer", "truth"):
        otherwise = _OTHER if any("(other)" in cell for cell in text[name]) else ""
        nodes[name], *_ = read_labels(text[name], taxonomy, columns.place, what=name, otherwise=otherwise)
    rows = []
    for row, sample in enumerate(text["sample_id"]):
        verdict = text["verdict"][row].strip().casefold()
        if not sample.strip():
            raise FileError(f"{columns.place(row)}: expected the id of a sample, got nothing. Fill it in.")
        if verdict and verdict not in VERDICTS:
            raise FileError(
                f"{columns.place(row)}, column verdict: expected {', '.join(VERDICTS)} or nothing, got {shown(verdict)}. "
                "Correct it."
            )
        made = ReviewRow(
            *(sample, verdict, text["note"][row], text["model"][row]),
            *(tuple(nodes[name][row].tolist()) for name in ("answer", "truth")),
        )
        rows.append((_order(columns, row, text["order"][row]), made))
    try:
        return Review(taxonomy, tuple(made for _, made in sorted(rows, key=lambda pair: pair[0])))
    except PredictionsError as error:
        raise FileError(f"{columns.where}: {error}") from None


def _order(columns, row, cell):
    """What the rows are sorted by: the number of the column order, else their place in the file."""
    try:
        return float(cell) if cell.strip() else float(row + 1)
    except ValueError:
        raise FileError(
            f"{columns.place(row)}, column order: expected a number, got {shown(cell)}. Correct it."
        ) from None


def write_review(review: Review, path: str | os.PathLike[str]) -> None:
    """Write a review as CSV (UTF-8), whole or not at all; FileError when the file cannot be written."""
    check_kind("write_review", review, Review, "It comes first, then the path.")
    with new_text(path) as file:
        writer = SafeWriter(file)
        writer.writerow(COLUMNS)
        writer.writerows(review.records())
