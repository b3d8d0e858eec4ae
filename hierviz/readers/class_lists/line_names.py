"""Class names in lines: one a line, with a number or a wnid in front of it, a number behind it, or comments.

Forms
-----
``tench``; ``0: tench``, ``0 great white shark``, ``0=tench``; ``tench: 0``; ``n01440764 tench, Tinca tinca`` (Caffe's
``synset_words.txt``); lines that begin with ``#`` or ``//`` are comments; one line ``tench, goldfish, hammerhead``.
"""

from __future__ import annotations

import re

from hierviz.messages.errors import PredictionsError
from hierviz.predictions.name_matching import LooseMatches
from hierviz.readers.class_index import NAME_COLUMNS, ClassList, in_order
from hierviz.readers.labels import find_node

_NUMBER_FIRST = re.compile(r"(\d{1,7})\s*(?:[:=.)]\s*|\s)\s*(\S.*)")
_WNID_FIRST = re.compile(r"[nvars]\d{8}[\s,:]+\D.*")
_MARKS = ("#", "//")


def plain_lines(text, taxonomy):
    """(number, line without quotes and comments) of the lines that are not blank."""
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        line = unquoted(line)
        if line and find_node(line, taxonomy) is None:
            if line.startswith(_MARKS):
                continue
            line = unquoted(re.split(r"\s#\s", line)[0])
        if line:
            lines.append((number, line))
    return lines


def unquoted(line):
    """A line without blanks and quotes around it."""
    line = line.strip().removeprefix("\ufeff")
    return line[1:-1].replace('""', '"') if len(line) > 1 and line[0] == line[-1] == '"' else line


def read_numbered_lines(lines, where, taxonomy):
    """ClassList of lines that all say a number or begin with a wnid, or of a single line of names; None for other lines."""
    texts = [line for _, line in lines]
    places = [f"{where}:{number}" for number, _ in lines]
    for split, column in ((_number_first, 1), (_number_last, 2)):
        found = [split(text) for text in texts]
        if all(found) and _are_names([name for _, name in found], taxonomy):
            entries = [(place, unquoted(name)) for place, (_, name) in zip(places, found, strict=True)]
            return in_order(where, entries, [number for number, _ in found], f"column {column}", is_always_told=True)
    if all(map(_WNID_FIRST.fullmatch, texts)) and not any(re.search(r"[\s,;]\d+([\s,;]|$)", text) for text in texts):
        return ClassList(where, tuple(zip(places, texts, strict=True)))
    if len(texts) == 1 and texts[0].count(",") > 1:
        parts = [unquoted(part) for part in texts[0].split(",")]
        loose = LooseMatches(taxonomy)
        nodes = {find_node(part, taxonomy, loose=loose) for part in parts} - {None}
        if len(nodes) > 1:
            return ClassList(where, tuple((f"{places[0]}, entry {k}", part) for k, part in enumerate(parts, 1) if part))
    return None


def _number_first(text):
    match = _NUMBER_FIRST.fullmatch(text)
    return match and (match[1], match[2])


def _number_last(text):
    """From the end of the line: a pattern would try every blank of a long row of them."""
    before = text.rstrip("0123456789")
    number, name = text[len(before) :], before.rstrip()
    if not 1 <= len(number) <= 7 or not (name.endswith((":", "=")) or "\t" in before[len(name) :]):
        return None
    name = name.removesuffix(name[-1]).rstrip() if name.endswith((":", "=")) else name
    return (number, name) if name else None


def _are_names(names, taxonomy):
    """Names rather than the cells of a table: more of them are nodes than the first or last of their words are."""
    loose = LooseMatches(taxonomy)
    known = sum(find_node(unquoted(name), taxonomy, loose=loose) is not None for name in names)
    return known > 0 or not any("," in name or "\t" in name for name in names)


def read_lines(lines, where, taxonomy):
    """ClassList of one name a line, after a first line such as ``class``."""
    if lines and lines[0][1].casefold() in NAME_COLUMNS and lines[0][1] not in taxonomy.index:
        lines = lines[1:]
    numbered = [(number, line) for number, line in lines if re.match(r"\d+\s*[,;\t]\s*\D", line)]
    if len(numbered) > 1 and 2 * len(numbered) > len(lines):
        raise PredictionsError(
            f"{where}:{numbered[0][0]}: expected one name a line, or a table that can be read, got a number next to a name. "
            "Put names that hold commas in quotes, or write the table with tabs."
        )
    return ClassList(where, tuple((f"{where}:{number}", line) for number, line in lines))
