"""Darwin Core taxa, as in the backbone of GBIF: ``Taxon.tsv`` with ``taxonID``, ``parentNameUsageID`` and ``scientificName``.

Conventions
-----------
A node is called by its canonical name (else its scientific one), and by "name (id)" where several have it. Synonyms lead to
the accepted taxon. Rank and ``taxonID`` are attributes. Only what the classes need is read.

References
----------
.. [1] Darwin Core quick reference guide, class Taxon, https://dwc.tdwg.org/terms/#taxon.
"""

import csv
from array import array

import numpy as np

from hierviz.messages.errors import TaxonomyError, listed
from hierviz.readers.class_paths import by_name
from hierviz.readers.taxonomy_forms import taxonomy_form
from hierviz.readers.taxonomy_forms.large_tables import WantedNames, aliases, require_moderate, text_key, with_ancestors

FILES = ("taxon.tsv", "taxon.txt", "taxon.csv", "taxa.txt")
_ID, _PARENT, _ACCEPTED = "taxonid", "parentnameusageid", "acceptednameusageid"
_NAMES = ("canonicalname", "scientificname", "vernacularname")


def looks_like_table(name, lines):
    """Whether a header has the columns of taxa with parents."""
    cells = {_bare(cell) for cell in lines[0].replace(",", "\t").split("\t")}
    return _ID in cells and _PARENT in cells


def _bare(cell):
    return cell.strip(' "\ufeff\r\n').rsplit("/", 1)[-1].rsplit(":", 1)[-1].casefold()


@taxonomy_form(
    "Darwin Core taxa (GBIF's Taxon.tsv), alone, in a folder or in a zip",
    (".tsv", ".txt", ".zip"),
    "the file `Taxon.tsv`, or the columns `taxonID` and `parentNameUsageID`",
    lambda name, names: any(file in (name.removesuffix(".gz"), *names) for file in FILES),
    "large",
)
def read_darwin_core(files, wanted, where):
    """Taxonomy of a table of taxa.

    Parameters
    ----------
    files : TableFiles
    wanted : sequence of str, optional
        Names or taxon ids of the classes; all accepted taxa when absent.
    where : str

    Raises
    ------
    TaxonomyError
        If a column is missing, a class is not there or fits several, or all are wanted and are too many.
    """
    own = files.path.name.lower().removesuffix(".gz")
    name = own if own in files.inside and not files.path.is_dir() and files.kind == "folder" else None
    name = name or next((file for file in FILES if files.has(file)), FILES[0])
    ids, parents, is_synonym, wanted_names = array("q"), array("q"), array("b"), WantedNames(wanted or ())
    accepted = {}
    for row in _rows(files, name, where):
        number = text_key(row[0])
        ids.append(number)
        parents.append(text_key(row[1]) if row[1] else number)
        is_synonym.append(bool(row[2]) and row[2] != row[0])
        if wanted is not None:
            key = row[2] if is_synonym[-1] else row[0]
            wanted_names.offer(row[0], key, 0)
            for text in dict.fromkeys(filter(None, row[4:])):
                wanted_names.offer(text, key, 1 if is_synonym[-1] else 0)
    synonyms = np.frombuffer(is_synonym, bool) if len(is_synonym) else np.zeros(0, bool)
    numbers, above = (np.frombuffer(values, np.int64) for values in (ids, parents))
    if not len(numbers):
        raise TaxonomyError(f"{where}, {name}: expected taxa below the header, got none. Is the file complete?")
    if wanted is None:
        require_moderate(int((~synonyms).sum()), where)
        needed = set(numbers[~synonyms].tolist())
    else:
        accepted = wanted_names.chosen(where, "taxonID")
        needed = with_ancestors(numbers, above, np.array([text_key(key) for key in accepted], dtype=np.int64), where)
    return _taxonomy(files, name, where, needed, accepted, len(numbers))


def _taxonomy(files, name, where, needed, accepted, n_rows):
    """The taxa whose keys are needed; read a second time, so that two ids of one key are separated by their parents."""
    rows, twice = {}, []
    for row in _rows(files, name, where):
        if text_key(row[0]) in needed and not (row[2] and row[2] != row[0]):
            if row[0] in rows:
                twice.append(row[0])
            rows[row[0]] = row
    if twice:
        raise TaxonomyError(
            f"{where}, {name}: expected every taxonID once, got {listed(twice)} more than once. Remove one."
        )
    if accepted:
        kept, waiting = {}, list(accepted)
        while waiting:
            key = waiting.pop()
            if key in rows and key not in kept:
                kept[key] = rows[key]
                waiting.append(rows[key][1])
        rows = {key: row for key, row in rows.items() if key in kept}
    lost = [key for key in accepted if key not in rows]
    if lost:
        raise TaxonomyError(
            f"{where}, {name}: expected a row of the accepted taxon {lost[0]!r}, got none. Is the file whole?"
        )
    tops = [key for key, row in rows.items() if row[1] and row[1] != key and row[1] not in rows]
    notes = [f"{where}: {len(rows):,} of {n_rows:,} taxa were read: {len(accepted):,} classes and what is above them"]
    notes = notes if accepted else []
    if tops:
        notes.append(f"{where}: {len(tops)} taxa whose parent has no row are roots: {listed(tops, 3)}")
    edges = [(row[1] if row[1] in rows and row[1] != key else None, key) for key, row in rows.items()]
    names = {key: row[4] or row[5] or key for key, row in rows.items()}
    attributes = {
        "taxon_id": {key: key for key in rows},
        "rank": {key: row[3] for key, row in rows.items() if row[3]},
        "scientific_name": {key: row[5] for key, row in rows.items() if row[5] and row[5] != names[key]},
        "common_name": {key: row[6] for key, row in rows.items() if row[6]},
        "alias": aliases(accepted, names),
    }
    detected = {"form": "Darwin Core taxa", "rows": f"{n_rows:,}"}
    return by_name(edges, names, where, attributes=attributes, notes=notes, detected=detected)


def _rows(files, name, where):
    """Yield (id, parent, accepted, rank, canonical, scientific and vernacular name) of every row, as text."""
    with files.lines(name) as lines:
        head = next(lines, "")
        separator = "\t" if "\t" in head else ","
        columns = [_bare(cell) for cell in head.split(separator)]
        if _ID not in columns or _PARENT not in columns or not any(key in columns for key in _NAMES):
            raise TaxonomyError(
                f"{where}, {name}: expected the columns taxonID, parentNameUsageID and scientificName, got "
                f"{listed(columns)}. Is it a table of Darwin Core taxa?"
            )
        places = [
            columns.index(key) if key in columns else None for key in (_ID, _PARENT, _ACCEPTED, "taxonrank", *_NAMES)
        ]
        # A cell of an archive cannot contain tabs, quotes can.
        rows = csv.reader(lines) if separator == "," else (line.split("\t") for line in lines)
        for number, cells in enumerate(rows, 2):
            if not any(cells):
                continue
            if len(cells) != len(columns):
                raise TaxonomyError(
                    f"{where}, {name}:{number}: expected {len(columns)} cells, got {len(cells)}. Is the file complete?"
                )
            row = ["" if place is None else cells[place].strip() for place in places]
            if not row[0]:
                raise TaxonomyError(f"{where}, {name}:{number}: expected a taxonID, got an empty cell. Correct it.")
            yield row
