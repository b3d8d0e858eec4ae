"""The taxonomy of NCBI: ``nodes.dmp`` and ``names.dmp``, in a folder, a zip or a ``.tar.gz``, only what the classes need.

Conventions
-----------
A node is called by its scientific name, and by its unique name ("Bacillus <bacteria>") where several have it. Rank and
``tax_id`` are attributes; classes are found by either, by synonyms and common names, and by ids that were merged.

References
----------
.. [1] taxdump_readme.txt, https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/.
"""

from __future__ import annotations

from array import array

import numpy as np

from hierviz.errors import TaxonomyError
from hierviz.readers.taxonomy_forms.named_nodes import by_name
from hierviz.readers.taxonomy_forms.needed_part import WantedNames, aliases, require_moderate, with_ancestors

_SCIENTIFIC = "scientific name"


def looks_like(name, names):
    """Whether nodes.dmp is there, or is the file."""
    return name in ("nodes.dmp", "names.dmp") or {"nodes.dmp", "names.dmp"} <= set(names)


def read(files, wanted, where):
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
    ranks = _ranks(files, needed)
    edges = [(None if parent == number or parent not in names else parent, number) for number, parent in pairs]
    attributes = {"tax_id": {number: number for number, _ in pairs}, "rank": ranks}
    if chosen:
        attributes["alias"] = aliases(chosen, names)
    notes = [f"{where}: {len(pairs):,} of {len(ids):,} nodes were read: {len(chosen):,} classes and what is above them"]
    return by_name(
        edges,
        {number: names[number] for number, _ in pairs},
        where,
        attributes={key: values for key, values in attributes.items() if values},
        notes=notes if chosen else (),
        detected={"form": "NCBI taxdump", "nodes in the file": f"{len(ids):,}"},
    )


def _cells(line):
    return line.removesuffix("\t|").split("\t|\t")


def _pairs(files, where):
    """Id and parent of every node."""
    ids, parents = array("q"), array("q")
    with files.lines("nodes.dmp") as lines:
        for number, line in enumerate(lines, 1):
            cells = line.split("\t|\t", 2)
            try:
                ids.append(int(cells[0]))
                parents.append(int(cells[1]))
            except (ValueError, IndexError, OverflowError):
                raise TaxonomyError(
                    f"{where}, nodes.dmp:{number}: expected a tax id and that of its parent between tabs and |, got "
                    f"{line!r:.60}. Is it a dump of NCBI?"
                ) from None
    return np.frombuffer(ids, np.int64), np.frombuffer(parents, np.int64)


def _chosen(files, wanted, where):
    """Tax id -> names as they were wanted."""
    search = WantedNames(wanted)
    merged = {}
    if files.has("merged.dmp") and files.kind != "tar":
        with files.lines("merged.dmp") as lines:
            for line in lines:
                old, _, new = line.partition("\t|\t")
                if old in search.by_text:
                    merged[old] = int(new.rstrip("\t|"))
    for old, new in merged.items():
        search.offer(old, new, 0)
    with files.lines("names.dmp") as lines:
        for line in lines:
            cells = _cells(line)
            number, is_own = int(cells[0]), cells[-1] == _SCIENTIFIC
            search.offer(cells[1], number, 0 if is_own else 1)
            if is_own:
                search.offer(cells[0], number, 0)
            if len(cells) > 2 and cells[2]:
                search.offer(cells[2], number, 0)
    return search.chosen(where, "tax id")


def _names(files, needed, where):
    """Name of every needed id: the unique one where several have the scientific name."""
    names, unique = {}, {}
    with files.lines("names.dmp") as lines:
        for line in lines:
            number = int(line[: line.index("\t")])
            if number in needed and _SCIENTIFIC in line:
                cells = _cells(line)
                if cells[-1] == _SCIENTIFIC:
                    names[number], unique[number] = cells[1], cells[2]
    count: dict = {}
    for name in names.values():
        count[name] = count.get(name, 0) + 1
    return {number: (unique[number] or name) if count[name] > 1 else name for number, name in names.items()}


def _ranks(files, needed):
    ranks = {}
    with files.lines("nodes.dmp") as lines:
        for line in lines:
            number, _, rank = line.split("\t|\t", 3)[:3]
            if int(number) in needed:
                ranks[int(number)] = rank.removesuffix("\t|")
    return ranks
