"""Taxonomies of classifiers of sequences: lineages of features (QIIME 2, Greengenes, SILVA), and Kraken 2's reports.

References
----------
.. [1] https://docs.qiime2.org, ``FeatureData[Taxonomy]``.
.. [2] https://github.com/DerrickWood/kraken2/wiki/Manual, sample report output format.
"""

import re

from hierviz.messages.errors import TaxonomyError
from hierviz.readers.class_paths import by_name, taxonomy_of_places
from hierviz.readers.lineages import is_lineage, is_nothing, lineage, rank_and_name
from hierviz.readers.taxonomy_forms import taxonomy_form
from hierviz.taxonomy.class_places import Places

_REPORT = re.compile(r"\s*\d+(?:\.\d+)?\t(?:\d+\t){2,4}([A-Z]\d*)\t(\d+)\t( *)(\S.*)")
_COMMENTS = "#"


def _cells(line):
    return [cell.strip() for cell in line.rstrip("\r\n").split("\t")]


def _has_header(lines):
    return [cell.casefold() for cell in _cells(lines[0])[:2]] == ["feature id", "taxon"]


def _looks_like_lineages(name, lines):
    """Whether lines are an id and a lineage, with or without QIIME 2's header."""
    rows = [_cells(line) for line in lines if not line.startswith(_COMMENTS)]
    if not rows or len(rows[0]) < 2:
        return False
    return _has_header(lines) or all(len(cells) == 2 and ";" in cells[1] and is_lineage(cells[1]) for cells in rows)


@taxonomy_form(
    "lineages of features (QIIME 2's taxonomy.tsv, Greengenes, SILVA); ranks without a name are left out",
    (".tsv", ".txt"),
    "the columns `Feature ID` and `Taxon`, or lines of an id, a tab and `k__Bacteria; p__...`",
    _looks_like_lineages,
)
def read_qiime2(source, options):
    """Taxonomy of all lineages and of what is above them; the rank of a prefix and the name behind it are attributes.

    Raises
    ------
    TaxonomyError
        If no line names a class.
    """
    lines = [line for line in source.read_text().split("\n") if line.strip() and not line.startswith(_COMMENTS)]
    rows = [_cells(line) for line in lines]
    if lines and _has_header(lines):
        rows = rows[1:]
    lacking = next((cells for cells in rows if len(cells) < 2), None)
    if lacking is not None:
        raise TaxonomyError(
            f"{source.where}: expected an id and a lineage between tabs, got {' '.join(lacking)!r:.60}. Correct the line."
        )
    named = [cells[1] for cells in rows if not is_nothing(cells[1])]
    if not named:
        raise TaxonomyError(
            f"{source.where}: expected lineages such as 'd__Bacteria; p__Firmicutes', got none. Is it whole?"
        )
    places, attributes = Places(), {"rank": {}, "scientific_name": {}}
    named = dict.fromkeys(named)
    for text in named:
        above = Places.TOP
        for step in lineage(text):
            above = places.add(above, step)
            rank, attributes["scientific_name"][above] = rank_and_name(step)
            if rank:
                attributes["rank"][above] = rank
    notes = [f"{source.where}: the taxonomy of the {len(named):,} lineages that are listed"]
    n_nothing = sum(is_nothing(cells[1]) for cells in rows)
    if n_nothing:
        were = "feature without a lineage was" if n_nothing == 1 else "features without a lineage were"
        notes.append(f"{source.where}: {n_nothing:,} {were} left out")
    detected = {"form": "lineages", **source.detected}
    return taxonomy_of_places(places, source.where, notes=notes, detected=detected, attributes=attributes)


@taxonomy_form(
    "a report of Kraken 2 (also of kraken2-inspect, Bracken): the taxa of its database or of a sample; tax ids find the classes",
    (".txt", ".report", ".kreport"),
    "every line has a percentage, counts, a rank code, a tax id and a name that is indented by its depth",
    lambda name, lines: all(map(_REPORT.fullmatch, [line for line in lines if not line.startswith(_COMMENTS)])),
)
def read_kraken2_report(source, options):
    """Taxonomy of the taxa of a report; tax id and rank are attributes.

    Raises
    ------
    TaxonomyError
        If a line is none of a report, or is indented by more than one step.
    """
    edges, names, ranks, above = [], {}, {}, []
    for number, line in enumerate(source.read_text().split("\n"), 1):
        line = line.rstrip("\r")
        if not line.strip() or line.startswith(_COMMENTS):
            continue
        match = _REPORT.fullmatch(line)
        depth = len(match[3]) // 2 if match is not None else 0
        if match is None or depth > len(above):
            got = f"{line.strip()!r:.60}" if match is None else f"{depth - len(above) + 1} steps at once"
            raise TaxonomyError(
                f"{source.where}:{number}: expected a percentage, counts, rank code, tax id and a name indented by two blanks "
                f"for each step, got {got}. Is it a whole report of Kraken 2?"
            )
        if match[1] == "U":
            continue
        key = int(match[2])
        if key in names:
            raise TaxonomyError(
                f"{source.where}:{number}: expected every tax id once, got {key} again. Remove one line."
            )
        del above[depth:]
        edges.append((above[-1] if above else None, key))
        names[key], ranks[key] = match[4].strip(), match[1]
        above.append(key)
    attributes = {"tax_id": {key: key for key in names}, "rank": ranks}
    detected = {"form": "Kraken 2 report", **source.detected}
    return by_name(edges, names, source.where, attributes=attributes, detected=detected)
