"""Class names in lines, in TensorFlow label maps, in YAML, and in tables and arrays of text.

Forms
-----
- Lines: ``tench``; ``0: tench``, ``0 great white shark``, ``0=tench``; ``tench: 0``; ``n01440764 tench, Tinca tinca`` (Caffe's
  ``synset_words.txt``); lines that begin with ``#`` or ``//`` are comments; one line ``tench, goldfish, hammerhead``.
- Label maps: ``item { id: 1 name: 'person' }``.
- YAML: the ``names:`` of a YOLO data set, or the ``class_label`` of a Hugging Face data card.
- A table has a column of names and, where the rows are not in the order of the columns of scores, one that numbers them
  (`class_index`).
- An array of text, as scikit-learn's ``classes_`` saved with `numpy.save`.
"""

import io
import re
from dataclasses import dataclass

from hierviz.messages.errors import FileError, PredictionsError
from hierviz.messages.extras import require
from hierviz.predictions.name_matching import LooseMatches
from hierviz.readers import file_limits
from hierviz.readers.class_index import NAME_COLUMNS, ClassList, ClassTable, in_order, named_rows, whole
from hierviz.readers.class_lists.json_names import KEYS, class_list_of, entries_of
from hierviz.readers.labels import find_node
from hierviz.readers.numpy_files import Header
from hierviz.readers.sources import Source, translated
from hierviz.readers.tables import open_table

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


_ITEM = re.compile(r"\bitem\s*\{([^{}]*)\}")
# Blanks of one line, and whole words: a file of nothing else is read once.
_COMMENT = re.compile(r"^[^\S\n]*#.*$", re.MULTILINE)
_FIELD = re.compile(r"\b(\w+)\b\s*:\s*(?:\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|(-?\d+))")


def looks_like_pbtxt(text):
    """Whether a text begins with an item of a label map, comments left out."""
    return re.match(r"\s*item\s*\{", _COMMENT.sub("", text[:4096])) is not None


def read_pbtxt_names(text, where):
    """ClassList of a label map, in the order of its ids."""
    text = _COMMENT.sub("", text)
    entries, numbers = [], []
    for number, item in enumerate(_ITEM.findall(text), 1):
        fields = {key: double or single or digits for key, double, single, digits in _FIELD.findall(item)}
        name = fields.get("display_name") or fields.get("name")
        if name is None or "id" not in fields:
            raise PredictionsError(
                f"{where}, item {number}: expected an id and a name, got {', '.join(fields) or 'neither'}. Correct it."
            )
        both = [fields[key] for key in ("name", "display_name") if fields.get(key)]
        entries.append((f"{where}, item {number}", ", ".join(dict.fromkeys(both))))
        numbers.append(fields["id"])
    if not entries:
        raise PredictionsError(
            f"{where}: expected items in braces, each with an id and a name, got none. Is it complete?"
        )
    return in_order(where, entries, numbers, "'id'", may_have_gaps=True)


_KEY = re.compile(rf"^[^\S\n]*(?:-[^\S\n]*)?({'|'.join(KEYS)}):(\s|$)", re.MULTILINE)
# A few anchors can expand to billions of values.
_ALIAS = re.compile(r"(^|[\s\[{,])[*&][^\s,\]}]+", re.MULTILINE)


def looks_like_yaml(text):
    """Whether a line is one of the keys that hold class names."""
    return _KEY.search(text) is not None


def read_yaml_names(text, where):
    """ClassList of YAML; FileError when it is none."""
    require(where, "files", "yaml")
    import yaml

    # A data card is YAML between lines of ---, with text below.
    card = re.match(r"\s*---\s*\n(.*?)\n---\s*(\n|$)", text, re.DOTALL)
    text = card[1] if card else text
    if _ALIAS.search(text):
        raise FileError(f"{where}: expected YAML without anchors (& and *), got some. Write the names out.")
    try:
        value = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f":{mark.line + 1}"
        said = getattr(error, "problem", None) or type(error).__name__
        raise FileError(f"{where}{line}: expected YAML, got an error ({said}). Correct the file.") from None
    return class_list_of(_plain(value), where)


def _plain(value):
    """Lists become dicts where YAML nests settings in them: ``- name: label`` with ``dtype: ...``."""
    if isinstance(value, dict):
        return {key: _plain(inside) for key, inside in value.items()}
    if isinstance(value, list) and value and all(isinstance(part, dict) and "dtype" in part for part in value):
        return {str(part.get("name", k)): _plain(part["dtype"]) for k, part in enumerate(value)}
    return value


@dataclass(frozen=True)
class TextSource(Source):
    """A text to be read as a table."""

    text: str = ""

    @classmethod
    def from_text(cls, text, where):
        """A source of a text that was read already."""
        return cls(path=where, where=where, kind="text", encoding="utf-8", text=text)

    def open(self, most=None):
        """The text as a binary file."""
        return io.BytesIO(self.text.encode("utf-8", "surrogatepass"))


def read_table_names(source, taxonomy):
    """ClassList of a table, None when it has no two columns or none looks like names.

    Parameters
    ----------
    source : Source
        Text or Parquet.
    taxonomy : Taxonomy
    """
    table = open_table(source, "a list of classes", most_rows=file_limits.CLASSES)
    if len(table.first) < 2 and table.can_lack_header:
        return None
    header = ClassTable(source.where, [cell.strip() for cell in table.first], [], None)
    says = any(header.kind(k) for k in range(len(header.names)))
    # No header holds a number.
    has_header = not table.can_lack_header or (
        not any(whole(cell) is not None for cell in table.first)
        and (says or all(find_node(cell, taxonomy) is None for cell in table.first))
    )
    try:
        columns = table.read(has_header=has_header)
    except FileError:  # ragged: names with commas of which most are written otherwise than the nodes
        if says:
            raise
        return None
    cells = [columns.single_text(k) for k in range(len(columns.names))]
    names, notes = columns.names if has_header else [], []
    rows = named_rows(ClassTable(source.where, names, cells, columns.place), taxonomy, notes)
    if not rows:
        return None
    first = 1 if any(note.endswith("counted from 1") for note in notes) else 0
    return ClassList(source.where, tuple(rows), tuple(range(first, first + len(rows))), tuple(notes))


def read_npy_names(source):
    """ClassList of an ``.npy`` file of one axis: text, or whole numbers that are names of classes.

    Raises
    ------
    FileError
        If it holds Python objects, which are never unpickled.
    PredictionsError
        If it has more axes or other numbers.
    """
    with translated(source.where), source.open(file_limits.TEXT_BYTES) as file:
        header = Header.read(file, source.where, source.path.name)
        if header.dtype.hasobject:
            raise FileError(
                f"{source.where}: expected an array of text, got Python objects, which are not opened. "
                "Save it again with numpy.save(file, classes.astype(str))."
            )
        if header.n_bytes > file_limits.TEXT_BYTES:
            raise FileError(
                f"{source.where}: expected an array of at most {file_limits.size_words(file_limits.TEXT_BYTES)}, "
                "got a larger one. Is it a list of classes?"
            )
        array = header.values(file)
    if array.ndim != 1 or array.dtype.kind not in "USiu":
        raise PredictionsError(
            f"{source.where}: expected one axis of names, got {array.dtype} of shape {array.shape}. "
            "Save the names of the classes as text."
        )
    values = [value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in array.tolist()]
    return ClassList(source.where, entries_of(source.where, values))
