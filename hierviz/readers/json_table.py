"""JSON of flat objects as a table: one object a row, one key a column, as ``DataFrame.to_json(orient="records")`` writes it.

Conventions
-----------
A list of objects, or JSON lines. The first object names the columns; a value that is missing or null is an empty cell. Numbers
keep the text of the file, and the cells of a list are separated by ; as in other tables. Samples count from 0.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice

from hierviz.messages.errors import FileError, HiervizError, PredictionsError, listed
from hierviz.readers import file_limits
from hierviz.readers.json_text import require_single_keys
from hierviz.readers.sources import Source, open_source, translated
from hierviz.readers.tables import TextTable, open_table
from hierviz.readers.taxonomy_json import PARENT_KEYS

_SAMPLE_OBJECTS = 50
_ID_KEYS = ("sample_id", "id", "sample")
_BLANK = " \t\r\n\ufeff"


@dataclass(frozen=True)
class JsonTable(TextTable):
    """A table of JSON objects, with the methods of `TextTable`.

    `form_words` says how the objects are written; `objects` are the first of them.
    """

    form_words: str = "JSON"
    objects: list = field(default_factory=list)
    can_lack_header = False
    unit, cell = "sample", "key"

    @property
    def detected(self):
        """What was found out, in words."""
        return {"separator": f"none ({self.form_words})", **self.source.detected}

    def records(self, with_ragged=False):
        """Yield (sample, cells) of every object, those of the names before them."""
        yield -1, self.first
        known = set(self.first)
        for number, value in enumerate(_objects(self.source)):
            where = self.place(number)
            if not isinstance(value, Mapping):
                raise PredictionsError(
                    f"{where}: expected an object of keys and values, got {_kind(value)}. Remove it."
                )
            if len(value) > len(known) or not known.issuperset(value):
                strange = [key for key in value if key not in known]
                raise PredictionsError(
                    f"{where}: expected the keys of the first sample, got {listed(strange)} too. Give all samples the same keys."
                )
            yield number, [_cell(value.get(key), where, key) for key in self.first]


def open_records(path, wanted, kinds=("text", "parquet"), most_rows=None):
    """A table of JSON objects, or any other table; as `tables.open_table`."""
    source = path if isinstance(path, Source) else open_source(path, wanted, kinds)
    return json_table(source, most_rows) or open_table(source, wanted, most_rows=most_rows)


def json_table(source, most_rows=None):
    """The JsonTable of a source, or None where it does not hold flat objects, or one answer of label and score each."""
    if source.kind != "text" or source.begins not in ("[", "{"):
        return None
    try:
        with closing(_objects(source)) as values:
            objects = list(islice(values, _SAMPLE_OBJECTS))
    except HiervizError:
        return None
    if not objects or not all(map(_is_flat, objects)):
        return None
    names = list(objects[0])
    is_one_answer = {"label", "score"} <= set(names) and not _is_long(objects)
    if is_one_answer or set(names) <= set(_ID_KEYS) or any(key in names for key in PARENT_KEYS):
        return None
    sample = [(-1, names)]
    sample += [(k, [_cell(value.get(key), source.where, key) for key in names]) for k, value in enumerate(objects)]
    words = "JSON lines" if source.begins == "{" else "JSON"
    return JsonTable(source, ",", sample, most_rows=most_rows, form_words=words, objects=objects)


def _is_flat(value):
    return isinstance(value, Mapping) and bool(value) and all(map(_is_flat_value, value.values()))


def _is_flat_value(value):
    return not isinstance(value, Mapping) and not (
        isinstance(value, list) and any(isinstance(item, (list, Mapping)) for item in value)
    )


def _is_long(objects):
    """Whether samples come more than once: a row for each of their classes."""
    key = next((key for key in objects[0] if key.casefold() in _ID_KEYS), None)
    ids = [value.get(key) for value in objects] if key is not None else []
    return len(set(map(str, ids))) < len(ids)


def _cell(value, where, key):
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value)
    if not _is_flat_value(value):
        raise PredictionsError(f"{where}, key {key!r}: expected text or a number, got {_kind(value)}. Remove it.")
    items = [_cell(item, where, key) for item in value]
    if any(";" in item for item in items):
        raise PredictionsError(f"{where}, key {key!r}: expected names without ; in a list, got one. Rename it.")
    return ";".join(items)


def _kind(value):
    words = {list: "a list", type(None): "null", bool: "true or false"}
    return "an object" if isinstance(value, Mapping) else words.get(type(value), repr(value)[:40])


def _objects(source):
    """Yield the values of a list or of lines, one after the other; numbers are text."""
    decoder = json.JSONDecoder(
        object_pairs_hook=require_single_keys(source.where, PredictionsError),
        parse_int=str,
        parse_float=str,
        parse_constant=str,
    )
    with translated(source.where, source):
        if source.begins == "{":
            with source.open() as file:
                lines = io.TextIOWrapper(file, source.encoding)  # closes the file where nothing holds it
                for number, line in enumerate(lines, 1):
                    if text := line.strip(_BLANK):
                        yield _decoded(decoder, text, 0, source.where, number)[0]
            return
        text = source.read_text(most=file_limits.UNPACKED_BYTES)
        file_limits.require_json(source.where, text)
        place = _after_blanks(text, _after_blanks(text, 0) + 1)
        while text[place : place + 1] != "]":
            value, place = _decoded(decoder, text, place, source.where, None)
            yield value
            place = _after_blanks(text, place)
            if text[place : place + 1] not in (",", "]"):
                number = text.count("\n", 0, place) + 1
                raise FileError(f"{source.where}:{number}: expected , or ] after a sample, got neither. Is it cut off?")
            place = _after_blanks(text, place + (text[place] == ","))


def _after_blanks(text, place):
    while text[place : place + 1] and text[place] in _BLANK:
        place += 1
    return place


def _decoded(decoder, text, place, where, line):
    try:
        value, end = decoder.raw_decode(text, place)
        if line is not None and end < len(text):
            raise json.JSONDecodeError("more after the object", text, end)
    except (ValueError, RecursionError) as error:
        number = getattr(error, "lineno", 1) if line is None else line
        said = getattr(error, "msg", None) or error
        raise FileError(f"{where}:{number}: expected JSON, got an error ({said}). Correct the file.") from None
    return value, end
