"""Taxonomies from files: which form a file has, and the form of HiTIN.

The other forms are read in `taxonomy_tables` (edge lists, level columns, paths), `taxonomy_json` and `taxonomy_forms`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hierviz.messages.errors import FileError, HiervizError, TaxonomyError
from hierviz.projection.taxonomy_part import part_of_known
from hierviz.readers import file_limits
from hierviz.readers.classes_file import load_classes, read_class_list
from hierviz.readers.shared_file import is_url
from hierviz.readers.sources import open_source, translated
from hierviz.readers.tables import find_separator, open_table
from hierviz.readers.taxonomy_forms.darwin_core import looks_like_table
from hierviz.readers.taxonomy_forms.known_taxonomy_forms import TAXONOMY_FORMS
from hierviz.readers.taxonomy_forms.large_tables import TableFiles
from hierviz.readers.taxonomy_json import read_json
from hierviz.readers.taxonomy_tables import (
    PARENT_WORDS,
    path_column,
    path_separator,
    read_edges,
    read_levels,
    read_path_cells,
    table_form,
)
from hierviz.taxonomy.from_memory import constructor_for
from hierviz.taxonomy.taxonomy import Taxonomy

FORMS = {
    "edges": "two columns: parent and child",
    "levels": "one column per level, from the top down",
    "paths": "one path per line, such as animal > mammal > cat",
    "json": "nested names in JSON",
    "taxonomy": "a parent and its children per line, separated by tabs (HiTIN)",
    **{key: form.words for key, form in TAXONOMY_FORMS.items()},
}
# Forms of ontologies, in which other relations than is_a may lead to parents.
RELATIONS_IN = ("obo", "owl", "obographs")
_JSON_FORMS = ("json", *(key for key, form in TAXONOMY_FORMS.items() if form.kind == "json"))
_PATH_HEADERS = ("path", "paths", "class", "taxonomy", "taxon", "lineage", "hierarchy", "label", "category")
_RANK_PREFIX = re.compile(r"^[a-zA-Z]{1,2}__[^,\t]*[;|]")


def load_taxonomy(
    path: Any,
    *,
    form: str | None = None,
    separator: str | None = None,
    has_header: bool | None = None,
    direction: str | None = None,
    classes: Any = None,
    relations: Sequence[str] | None = None,
) -> Taxonomy:
    """Read a class taxonomy.

    Parameters
    ----------
    path : str, path or anytree.Node
        A file, gzipped or not, in one of the forms of `FORMS` (a folder or archive for those of several tables); or the
        top of a tree in memory, whose nodes are called by their ``name``.
    form : str, optional
        A key of `FORMS`; detected when absent, as are the others.
    separator : str, optional
        Between the cells of a table, or the steps of a path.
    has_header : bool, optional
        Whether the first row holds names of columns.
    direction : {"parent,child", "child,parent"}, optional
        Of an edge list of two columns.
    classes : str, path, sequence of str or mapping, optional
        A class list as `load_predictions` takes it: only these classes and what is above them are kept. Of a taxonomy of
        millions only these are read.
    relations : sequence of str, optional
        What leads from a term of an ontology (OBO, OWL, obographs) to its parents: ``("is_a",)`` when absent, or with
        ``"part_of"``.

    Returns
    -------
    Taxonomy
        What was detected is in ``taxonomy.detected``, what was assumed in ``taxonomy.notes``.

    Raises
    ------
    FileError
        If the file cannot be read.
    TaxonomyError
        If it holds no rooted tree or directed acyclic graph; names line or nodes.

    Notes
    -----
    In level columns, paths and nested JSON the same name at two places means two classes. Both are then called by their
    parent too ("Beta > vulgaris", "Sturnus > vulgaris"), with the plain name as title. In an edge list a name is one
    class, and two parents make the taxonomy a graph.
    """
    if form is not None and form not in FORMS:
        raise FileError(f"form: expected one of {', '.join(FORMS)}, got {form!r}. Choose one of them.")
    # What anytree's nodes have; a path has no children.
    if all(hasattr(path, name) for name in ("name", "parent", "children")):
        return _moderate(Taxonomy.from_anytree(path), "anytree")
    if (way := constructor_for(path)) and not isinstance(path, os.PathLike):
        raise FileError(
            f"file: expected the path of a class taxonomy, got {type(path).__name__}. Use Taxonomy.{way} for what is in memory."
        )
    large = _large_form(path, form)
    if large is not None:
        return _of_tables(large, path, classes)
    source = open_source(path, "a class taxonomy (edge list, level columns, paths, JSON or .taxonomy)", ("text", "xml"))
    # What only tables have was said: then it is one.
    is_table = form is None and any(said is not None for said in (separator, has_header, direction))
    special = None if is_table else special_form(source, form)
    if relations is not None and (special is None or special.key not in RELATIONS_IN):
        raise FileError(
            f"{source.where}: expected an ontology in OBO, OWL or obographs with relations, got another form. Leave them out."
        )
    if special is not None and special.kind == "large":
        return _of_tables(special, source.path, classes)
    if special is not None and special.kind == "text":
        taxonomy = special.read(source, {"relations": None if relations is None else tuple(relations)})
    else:
        taxonomy = _read(source, form, separator, has_header, direction)
    return _part_for(classes, _moderate(taxonomy, source.where), source.where)


# Lines of a class list are distinguished from tables by the names of a taxonomy, which is not there yet.
_NO_TAXONOMY = Taxonomy.from_edges([("no taxonomy", "yet")])


def _of_tables(form, path, classes):
    """Taxonomy of several tables, of all their classes or of those of a class list."""
    files = TableFiles(path)
    wanted = None if classes is None else read_class_list(classes, _NO_TAXONOMY).names
    return _moderate(form.read(files, wanted, files.where), files.where)


def _large_form(path, form):
    """The form of several tables that a path has by the names of its files, None when it has none."""
    if not isinstance(path, (str, os.PathLike)) or is_url(path) or (form is not None and form not in TAXONOMY_FORMS):
        return None
    path = Path(path)
    name = path.name.lower()
    is_archive = path.suffix.lower() in (".zip", ".tgz", ".tar") or path.name.endswith(".tar.gz")
    with translated(path.name, path=path):
        if form is not None:
            return TAXONOMY_FORMS[form] if TAXONOMY_FORMS[form].kind == "large" and path.exists() else None
        if not (path.is_dir() or (is_archive and path.is_file()) or name.endswith(".dmp")):
            return None
        files = TableFiles(path)
    names = () if name.endswith(".dmp") else tuple(files.inside)
    large = [other for other in TAXONOMY_FORMS.values() if other.kind == "large"]
    return next((other for other in large if other.looks_like(name, names)), None)


def has_taxonomy_tables(path):
    """Whether a folder, an archive or a file is a taxonomy of several tables."""
    try:
        return _large_form(path, None) is not None
    except FileError:
        return False


def form_of(path, form=None):
    """The TaxonomyForm of another tool that a file is in, as it is said or detected; None for the forms that are read here."""
    if (large := _large_form(path, form)) is not None:
        return large
    source = open_source(path, "a class taxonomy", ("text", "xml"))
    found = special_form(source, form)
    if found is None and form is None and source.begins in ("[", "{"):
        with contextlib.suppress(ValueError, RecursionError, HiervizError):
            value = json.loads(source.read_text())
            json_forms = (one for one in TAXONOMY_FORMS.values() if one.kind == "json")
            return next((one for one in json_forms if one.looks_like(value)), None)
    return found


def special_form(source, form):
    """The TaxonomyForm of a text, None for the forms that are read here, JSON among them."""
    if form is not None:
        return TAXONOMY_FORMS.get(form)
    lines = source.filled_lines
    if not lines:
        return None
    name = source.where.lower().removesuffix(".gz")
    found = next((f for f in TAXONOMY_FORMS.values() if f.kind == "text" and f.looks_like(name, lines)), None)
    if found is None and looks_like_table(name, lines):
        return TAXONOMY_FORMS["darwin_core"]
    if found is None and source.is_xml:
        raise FileError(
            f"{source.where}: expected RDF or an interface of Label Studio, got other XML. Write an edge list."
        )
    return found


def _part_for(classes, taxonomy, where):
    """The taxonomy of some classes and what is above them."""
    if classes is None:
        return taxonomy
    notes: list[str] = []
    nodes = load_classes(classes, taxonomy, notes)
    part = part_of_known(taxonomy, nodes)
    counts = f"{len(part.nodes)} of {taxonomy.n_nodes} nodes were kept: {len(nodes)} classes and what is above them"
    return replace(part.taxonomy, notes=(*taxonomy.notes, *notes, f"{where}: {counts}"))


def _moderate(taxonomy, where):
    """A taxonomy; TaxonomyError when it has too many classes, or names too long to read."""
    if taxonomy.n_nodes > file_limits.CLASSES:
        raise TaxonomyError(
            f"{where}: expected at most {file_limits.CLASSES:,} classes, got {taxonomy.n_nodes:,}. Keep those that are needed."
        )
    longest = max(taxonomy.names, key=len)
    if len(longest) > file_limits.NAME_CHARACTERS:
        raise TaxonomyError(
            f"{where}: expected names of at most {file_limits.NAME_CHARACTERS:,} characters, got one of {len(longest):,} "
            f"({longest[:30] + '…'!r}). Shorten it, or show long names with node attributes."
        )
    return taxonomy


def plain_table(source, form=None, separator=None):
    """("edges" or "levels", the table) of a text that is such a table; (None, None) of one in another form."""
    if special_form(source, form) is not None:
        return None, None
    form = form or _early_form(source, separator)
    if form not in (None, "edges", "levels"):
        return None, None
    table = open_table(source, "a class taxonomy", separator=separator, most_rows=file_limits.CLASS_ROWS)
    if len(table.first) == 1 or (form is None and path_column(table) is not None):
        return None, None
    return form or table_form(table.first), table


def _read(source, form, separator, has_header, direction):
    form = form or _early_form(source, separator)
    if form in _JSON_FORMS:
        return read_json(source, None if form == "json" else form)
    if form == "taxonomy":
        return _read_hitin(source)
    if form == "paths":
        return _read_paths(source, separator, has_header)
    table = open_table(source, "a class taxonomy", separator=separator, most_rows=file_limits.CLASS_ROWS)
    if len(table.first) == 1:
        return _read_paths(source, None, has_header)
    form = form or ("paths" if path_column(table) is not None else table_form(table.first))
    if form == "paths":
        return _read_paths(source, None, True)
    return read_levels(table, has_header) if form == "levels" else read_edges(table, has_header, direction)


def _early_form(source, separator):
    """The form that can be detected before a table is made of the text; None when it is a table."""
    name = source.where.lower().removesuffix(".gz")
    if name.endswith((".taxonomy", ".json")):
        return "json" if name.endswith(".json") else "taxonomy"
    lines = source.filled_lines
    if not lines:
        raise FileError(f"{source.where}: expected a class taxonomy, got blank lines. Was it saved?")
    if lines[0].lstrip("\ufeff \t")[:1] in ("{", "["):
        return "json"
    if separator is not None:
        return "paths" if separator.strip() in (">", "/", "|", "::", "\\") else None
    words = [word.strip().casefold() for word in re.split("[,;\t]", lines[0])]
    if "path" in words and path_column(open_table(source, "a class taxonomy")) is not None:
        return None
    if 2 * sum(" > " in line for line in lines) > len(lines) or all(
        _RANK_PREFIX.match(line) for line in lines[1:] or lines
    ):
        return "paths"
    if _is_uneven(lines, "\t") and _is_hitin(lines):
        return "taxonomy"
    if _is_uneven(lines, ";") and not any(word in PARENT_WORDS for word in words):
        return "paths"
    with translated(source.where):
        table_separator = find_separator(lines)
    if table_separator is None:
        return "paths" if path_separator(lines) else None
    if table_separator == " " and path_separator(lines) and not _is_edge_list(lines):
        return "paths"
    return None


def _is_uneven(lines, separator):
    """True when every line holds the separator, mostly more than once, and not all equally often."""
    counts = [line.count(separator) for line in lines]
    return min(counts) > 0 and len(set(counts)) > 1 and '"' not in "".join(lines) and 2 * counts.count(1) < len(counts)


def _is_hitin(lines):
    """True when every line but the first begins with a name that an earlier line has as a child."""
    seen = set(lines[0].split("\t")[1:])
    for line in lines[1:]:
        parent, *children = line.split("\t")
        if parent not in seen:
            return False
        seen.update(children)
    return True


def _is_edge_list(lines):
    pairs = [line.split() for line in lines]
    return all(len(pair) == 2 for pair in pairs) and bool({pair[0] for pair in pairs} & {pair[1] for pair in pairs})


def _read_hitin(source):
    edges = []
    for number, line in enumerate(source.read_text().split("\n"), 1):
        parent, *children = (cell.strip() for cell in line.rstrip("\r").split("\t"))
        if not parent and not any(children):
            continue
        children = [child for child in children if child]
        if not parent or not children:
            raise TaxonomyError(
                f"{source.where}:{number}: expected a parent and its children separated by tabs, got {line.strip()!r:.80}. "
                "Is it a .taxonomy file?"
            )
        if parent in children:
            raise TaxonomyError(
                f"{source.where}:{number}: expected other nodes as children, got {parent!r} below itself. Remove it."
            )
        edges += [(parent, child) for child in children]
    detected = {
        "form": "parent and children per line (HiTIN)",
        "separator": "tab",
        **source.detected,
        "direction": "parent, children",
    }
    return Taxonomy.from_edges(edges, where=source.where, detected=detected)


def _read_paths(source, separator, has_header):
    lines = [line.rstrip("\r") for line in source.read_text().split("\n")]
    lines = [line for line in lines if line.strip()]
    words = [word.strip().strip('"').casefold() for word in re.split("[,;\t]", lines[0])]
    detected = dict(source.detected)
    table = open_table(source, "a class taxonomy", most_rows=file_limits.CLASS_ROWS) if "path" in words else None
    place = None if table is None else path_column(table, separator)
    if place is not None:
        columns = table.read(has_header=True)
        detected |= {"column": "path", "header": "yes"}
        return read_path_cells(columns.text[place], source.where, separator, detected=detected)
    cells = [line[1:-1].replace('""', '"') if line[0] == line[-1] == '"' and len(line) > 1 else line for line in lines]
    if has_header is None:
        has_header = words[0] in _PATH_HEADERS
    detected["header"] = "yes" if has_header else "no"
    return read_path_cells(cells[has_header:], source.where, separator, detected=detected)
