"""Operating points as files: JSON that `hierviz.thresholds.operating_point` understands."""

from __future__ import annotations

import json
import os
from typing import Any

from hierviz.messages.errors import FileError
from hierviz.messages.new_files import new_text
from hierviz.readers.json_text import parsed
from hierviz.readers.sources import open_source
from hierviz.taxonomy.checks import check_kind
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.thresholds.operating_point import OperatingPoint

# A point is a few kilobytes; anything far beyond is another file.
MOST_BYTES = 1 << 20


def load_operating_point(
    source: str | os.PathLike[str] | dict[str, Any], taxonomy: Taxonomy | None = None
) -> OperatingPoint:
    """Read an operating point.

    Parameters
    ----------
    source : str, path or dict
        A JSON file, or its content.
    taxonomy : Taxonomy, optional
        The point must be of this one.

    Returns
    -------
    OperatingPoint

    Raises
    ------
    FileError
        If the file cannot be read, is not JSON (names line and column), or does not hold an operating point.
    TaxonomyError
        If the point belongs to another taxonomy; names both.
    """
    if isinstance(source, dict):
        return OperatingPoint.from_json(source, taxonomy=taxonomy)
    file = open_source(source, "an operating point as JSON")
    text = file.read_text(MOST_BYTES)
    try:
        value = parsed(text, file.where, FileError, "expected every key once, got {} twice. Remove one.")
    except RecursionError as error:
        raise FileError(f"{file.where}: expected JSON, got {error}. Correct the file.") from None
    return OperatingPoint.from_json(value, taxonomy=taxonomy, where=file.where)


def write_operating_point(point: OperatingPoint, path: str | os.PathLike[str]) -> None:
    """Write an operating point as JSON (UTF-8); FileError when the file cannot be written."""
    check_kind("write_operating_point", point, OperatingPoint, "It comes first, then the path.")
    with new_text(path) as file:
        file.write(json.dumps(point.to_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n")
