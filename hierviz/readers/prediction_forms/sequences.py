"""Classes of sequences: QIIME 2's ``taxonomy.tsv``, and the output for each read of Kraken 2 and Kaiju.

Conventions
-----------
- QIIME 2: ``Feature ID, Taxon, Confidence`` (``Consensus`` of the other classifiers). The answer is the lineage, followed from
  the root; ``Unassigned`` is an answer with nothing. The confidence is an attribute.
- Kraken 2, without a header: ``C`` or ``U``, read, tax id (or ``name (taxid 9606)``), length, k-mers. Kaiju: ``C`` or ``U``,
  read, tax id, and with ``-v`` score, tax ids, accessions and fragments. ``U`` is an answer with nothing. Tax ids are looked
  up in the attribute ``tax_id`` of the taxonomy, which NCBI's dumps and Kraken 2's reports have.

References
----------
.. [1] https://docs.qiime2.org, ``FeatureData[Taxonomy]``.
.. [2] https://github.com/DerrickWood/kraken2/wiki/Manual, output formats.
.. [3] https://github.com/bioinformatics-centre/kaiju, output format.
"""

from __future__ import annotations

import re

from hierviz.messages.errors import PredictionsError
from hierviz.readers.columns import named_place
from hierviz.readers.lineages import Lineages, is_nothing
from hierviz.readers.sources import translated

_KRAKEN = re.compile(r"[CU]\t[^\t]+\t(?:\d+|[^\t]*\(taxid \d+\))\t\d+(?:\|\d+)?\t[^\t]*")
_KAIJU = re.compile(r"[CU]\t[^\t]+\t\d+(?:\t[^\t]*){0,5}")
_TAX_ID = re.compile(r"(?:.*\(taxid )?(\d+)\)?")
SCORES_OF_TAXA = ("confidence", "consensus")


def looks_like_qiime(names):
    """Whether there are the columns of a taxonomy of features with what is said of its answers."""
    folded = {name.casefold() for name in names}
    return {"feature id", "taxon"} <= folded and not folded.isdisjoint(SCORES_OF_TAXA)


def qiime_records(samples, where, reading, notes):
    """Yield a record for every feature of a SampleTable."""
    columns = samples.read()
    feature, taxon = (named_place(columns.names, [word]) for word in ("feature id", "taxon"))
    if feature is None or taxon is None:
        raise PredictionsError(
            f"{where}: expected the columns 'Feature ID' and 'Taxon', got others. Export taxonomy.tsv."
        )
    lineages, others = Lineages(reading.taxonomy), [k for k in columns.text if k not in (feature, taxon)]
    n_nothing = 0
    for row, text in enumerate(columns.single_text(taxon)):
        sample = columns.text[feature][row]
        if row == 0 and sample == "#q2:types":
            continue
        n_nothing += is_nothing(text)
        more = {columns.names[k]: columns.text[k][row] for k in others}
        yield {"sample_id": sample, "predicted": [lineages.name(text)], **more}
    if n_nothing:
        are = "feature is" if n_nothing == 1 else "features are"
        notes.append(f"{where}: {n_nothing:,} {are} unassigned: answered with nothing")


def lineages_of_features(columns, taxonomy):
    """(ids, names of nodes) of the features of a taxonomy that was exported; ``#q2:types`` is left out. None for other tables."""
    feature, taxon = (named_place(columns.names, [word]) for word in ("feature id", "taxon"))
    if feature is None or taxon is None:
        return None
    lineages = Lineages(taxonomy)
    pairs = list(zip(columns.single_text(feature), columns.single_text(taxon), strict=True))
    pairs = [pair for pair in pairs if pair[0] != "#q2:types"]
    return [name for name, _ in pairs], [lineages.name(text) for _, text in pairs]


def looks_like_kraken(lines):
    """Whether all lines are of Kraken 2's output."""
    return _are(_KRAKEN, lines)


def looks_like_kaiju(lines):
    """Whether all lines are of Kaiju's output."""
    return _are(_KAIJU, lines)


def _are(pattern, lines):
    rows = [line.rstrip("\r\n") for line in lines if line.strip()]
    return bool(rows) and all(map(pattern.fullmatch, rows))


def read_records(source, where, reading, notes):
    """Yield a record for every read of Kraken 2 or Kaiju.

    Raises
    ------
    PredictionsError
        If a line is none of theirs; names it.
    """
    taxonomy, n_nothing = reading.taxonomy, 0
    ids = taxonomy.attributes.get("tax_id", ())
    names = {str(value): name for value, name in zip(ids, taxonomy.names, strict=False) if value is not None}
    with translated(where, source), source.open_text() as text:
        for number, line in enumerate(source.lines_of(text), 1):
            if not line.strip():
                continue
            cells = line.rstrip("\r\n").split("\t")
            tax_id = _TAX_ID.fullmatch(cells[2]) if len(cells) > 2 else None
            if cells[0] not in ("C", "U") or tax_id is None:
                raise PredictionsError(
                    f"{where}:{number}: expected C or U, a read and a tax id between tabs, got {line.strip()!r:.60}. Is it the "
                    "output for each read?"
                )
            is_none = cells[0] == "U" or tax_id[1] == "0"
            n_nothing += is_none
            yield {
                "sample_id": cells[1],
                "predicted": [taxonomy.names[0] if is_none else names.get(tax_id[1], tax_id[1])],
            }
    if n_nothing:
        are = "read is" if n_nothing == 1 else "reads are"
        notes.append(f"{where}: {n_nothing:,} {are} unclassified: answered with nothing")
