"""The taxonomy of NCBI: ``nodes.dmp`` and ``names.dmp``, in a folder, a zip or a ``.tar.gz``, only what the classes need.

Conventions
-----------
A node is called by its scientific name, and by its unique name ("Bacillus <bacteria>") where several have it. Rank and
``tax_id`` are attributes; classes are found by either, by synonyms and common names, and by ids that were merged.

References
----------
.. [1] taxdump_readme.txt, https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/.
"""

import re
from array import array
from collections import Counter

import numpy as np

from hierviz.messages.errors import TaxonomyError
from hierviz.readers.class_paths import by_name
from hierviz.readers.taxonomy_forms import taxonomy_form
from hierviz.readers.taxonomy_forms.large_tables import WantedNames, aliases, require_moderate, with_ancestors

_SCIENTIFIC = "scientific name"
_ID = re.compile(r"[0-9]{1,18}")
_LINES = {
    "nodes.dmp": "a tax id, that of its parent and a rank",
    "names.dmp": "a tax id, a name, a unique name or none, and the kind of name",
    "merged.dmp": "two tax ids",
}


@taxonomy_form(
    "the taxonomy of NCBI: nodes.dmp and names.dmp in a folder, zip or .tar.gz",
    (".dmp", ".zip", ".tar.gz"),
    "the files `nodes.dmp` and `names.dmp`",
    lambda name, names: name in ("nodes.dmp", "names.dmp") or {"nodes.dmp", "names.dmp"} <= set(names),
    "large",
)
def read_taxdump(files, wanted, where):
    """Taxonomy of a taxdump.

    Parameters
    ----------
    files : TableFiles
    wanted : sequence of str, optional
        Names or tax ids of the classes; all of the taxonomy when absent.
    where : str

    Raises
    ------
    TaxonomyError
        If a line is not of a dump, a class is not there or fits several, or all are wanted and are too many.
    """
    ids, parents = _pairs(files, where)
    chosen = {}
    if wanted is None:
        require_moderate(len(ids), where)
        needed = set(ids.tolist())
    else:
        chosen = _chosen(files, wanted, where)
        there = np.array(list(chosen), dtype=np.int64)
        lost = there[~np.isin(there, ids)]
        if len(lost):
            raise TaxonomyError(
                f"{where}: expected tax id {int(lost[0])} in nodes.dmp, got none. Are both files of one dump?"
            )
        needed = with_ancestors(ids, parents, there, where)
    is_needed = np.fromiter((number in needed for number in ids.tolist()), bool, len(ids))
    pairs = list(zip(ids[is_needed].tolist(), parents[is_needed].tolist(), strict=True))
    names = _names(files, needed, where)
    unnamed = [number for number, _ in pairs if number not in names]
    if unnamed:
        raise TaxonomyError(
            f"{where}: expected a scientific name of tax id {unnamed[0]} in names.dmp, got none. Is it whole?"
        )
    rows = _rows(files, "nodes.dmp", where, 2, 3)
    ranks = {number: rank for number, _, rank, *_ in rows if number in needed}
    edges = [(None if parent == number or parent not in names else parent, number) for number, parent in pairs]
    attributes = {"tax_id": {number: number for number, _ in pairs}, "rank": ranks, "alias": aliases(chosen, names)}
    attributes["alt_ids"] = _merged(files, where, names)
    notes = [f"{where}: {len(pairs):,} of {len(ids):,} nodes were read: {len(chosen):,} classes and what is above them"]
    called = {number: names[number] for number, _ in pairs}
    detected = {"form": "NCBI taxdump", "nodes in the file": f"{len(ids):,}"}
    return by_name(edges, called, where, attributes=attributes, notes=notes if chosen else (), detected=detected)


def _rows(files, name, where, n_ids, n_cells):
    """Yield the cells of every line of a dump, `n_cells` or more of them, the first `n_ids` as numbers."""
    with files.lines(name) as lines:
        for number, line in enumerate(lines, 1):
            cells = line.removesuffix("\t|").split("\t|\t")
            if len(cells) < n_cells or not all(map(_ID.fullmatch, cells[:n_ids])):
                raise TaxonomyError(
                    f"{where}, {name}:{number}: expected {_LINES[name]} between tabs and |, got {line!r:.60}. Is it a dump of "
                    "NCBI?"
                )
            yield *map(int, cells[:n_ids]), *cells[n_ids:]


def _pairs(files, where):
    """Id and parent of every node."""
    ids, parents = array("q"), array("q")
    for number, parent, *_ in _rows(files, "nodes.dmp", where, 2, 3):
        ids.append(number)
        parents.append(parent)
    return np.frombuffer(ids, np.int64), np.frombuffer(parents, np.int64)


def _chosen(files, wanted, where):
    """Tax id -> names as they were wanted."""
    search = WantedNames(wanted)
    if files.has("merged.dmp") and files.kind != "tar":
        for old, new, *_ in _rows(files, "merged.dmp", where, 2, 2):
            if str(old) in search.by_text:
                search.offer(str(old), new, 0)
    for number, name, unique, kind, *_ in _rows(files, "names.dmp", where, 1, 4):
        search.offer(name, number, 0 if kind == _SCIENTIFIC else 1)
        if kind == _SCIENTIFIC:
            search.offer(str(number), number, 0)
        if unique:
            search.offer(unique, number, 0)
    return search.chosen(where, "tax id")


def _merged(files, where, names):
    """Ids that were merged into nodes that were read, by node; none of an archive that is read from its beginning."""
    found: dict = {}
    if files.has("merged.dmp") and files.kind != "tar":
        for old, new, *_ in _rows(files, "merged.dmp", where, 2, 2):
            if new in names:
                found.setdefault(new, []).append(str(old))
    return {new: "; ".join(old) for new, old in found.items()}


def _names(files, needed, where):
    """Name of every needed id: the unique one where several have the scientific name."""
    names, unique = {}, {}
    for number, name, of_its_own, kind, *_ in _rows(files, "names.dmp", where, 1, 4):
        if kind == _SCIENTIFIC and number in needed:
            names[number], unique[number] = name, of_its_own
    count = Counter(names.values())
    return {number: (unique[number] or name) if count[name] > 1 else name for number, name in names.items()}
