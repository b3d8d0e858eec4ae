"""Tables of other tools with a row for each sample and class: BirdNET-Analyzer and pybioclip.

Conventions
-----------
- BirdNET-Analyzer's CSV: ``Start (s), End (s), Scientific name, Common name, Confidence, File`` and further columns. A sample is
  a segment, with the id of `segments`. Species are independent of each other, those that are not listed have the score 0, and
  segments of the truth that are not listed are answered with nothing.
- pybioclip's CSV: ``file_name``, the ranks down to the chosen one (``species_epithet, species, common_name`` for species) and
  ``score``, the best first; of own classes ``file_name, classification, score``. The classes exclude each other, and those that
  are not listed are unknown.

References
----------
.. [1] https://github.com/birdnet-team/BirdNET-Analyzer, ``analyze``.
.. [2] https://github.com/Imageomics/pybioclip, ``docs/command-line-tutorial.md``.
"""

from __future__ import annotations

from hierviz.messages.errors import PredictionsError
from hierviz.predictions.name_matching import LooseMatches
from hierviz.readers.columns import as_number, named_place
from hierviz.readers.prediction_forms.detections import by_score, first_known
from hierviz.readers.segments import segment_ids, segment_places
from hierviz.readers.taxonomy_tables import BIOLOGICAL_RANKS

_BIRDNET = ("start (s)", "end (s)", "scientific name", "confidence")


def records_of_rows(columns, ids, labels, place, left_out=()):
    """A record for each id, in the order in which they first come, with the classes of its rows, the best first.

    Parameters
    ----------
    columns : Columns
    ids, labels : sequence of str
        Of each row.
    place : int
        Of the column of scores.
    left_out : collection of int
        Places of columns that are no attributes.

    Raises
    ------
    PredictionsError
        If a score is no number; names line and column.
    """
    found: dict = {}
    others = [k for k in columns.text if k not in (place, *left_out)]
    for row, (sample, label, cell) in enumerate(zip(ids, labels, columns.single_text(place), strict=True)):
        score = as_number(cell)
        if score is None:
            raise PredictionsError(
                f"{columns.place(row)}, column {columns.names[place]!r}: expected a number, got {cell!r}. Correct it."
            )
        if sample not in found:
            found[sample] = {"sample_id": sample, "scores": []} | {
                columns.names[k]: columns.text[k][row] for k in others
            }
        found[sample]["scores"].append({"label": label, "score": score})
    return [{**record, "scores": by_score(record["scores"])} for record in found.values()]


def looks_like_birdnet(names):
    """Whether there are the columns of BirdNET-Analyzer."""
    folded = {name.casefold() for name in names}
    return folded.issuperset(_BIRDNET)


def birdnet_records(samples, where, reading, notes):
    """Records of the segments of a SampleTable."""
    columns = samples.read()
    names, loose, known = columns.names, LooseMatches(reading.taxonomy), {}
    species, common, score = (named_place(names, [word]) for word in ("scientific name", "common name", "confidence"))
    places = segment_places(names)
    if places is None:
        raise PredictionsError(
            f"{where}: expected a column 'File' next to 'Start (s)' and 'End (s)', got none. Add it: segments of several "
            "recordings have the same times."
        )
    pairs = zip(columns.text[species], [""] * len(columns) if common is None else columns.text[common], strict=True)
    labels = [
        known[pair] if pair in known else known.setdefault(pair, first_known(pair, reading.taxonomy, loose) or pair[0])
        for pair in pairs
    ]
    left_out = [place for place in (species, common) if place is not None]
    return records_of_rows(columns, segment_ids(columns, places), labels, score, left_out)


def looks_like_bioclip(names):
    """Whether there are a file name, a score, and a classification or ranks."""
    folded = [name.casefold() for name in names]
    return "file_name" in folded and "score" in folded and ("classification" in folded or len(_ranks(names)) > 1)


def _ranks(names):
    """Places of the columns of ranks, from the top down."""
    folded = [name.casefold() for name in names]
    return [folded.index(rank) for rank in BIOLOGICAL_RANKS if rank in folded]


def bioclip_records(samples, where, reading, notes):
    """Records of the pictures of a SampleTable."""
    columns = samples.read()
    names, taxonomy, loose, known = columns.names, reading.taxonomy, LooseMatches(reading.taxonomy), {}
    file, score, own = (named_place(names, [word]) for word in ("file_name", "score", "classification"))
    ranks = [] if own is not None else _ranks(names)
    more = [named_place(names, [word]) for word in ("genus", "species_epithet", "common_name")]
    labels = []
    for row in range(len(columns)):
        steps = tuple(columns.text[place][row].strip() for place in ranks if columns.text[place][row].strip())
        genus, epithet, common = ("" if place is None else columns.text[place][row].strip() for place in more)
        if own is not None:
            labels.append(columns.text[own][row])
            continue
        if steps not in known:
            path = " > ".join(steps)
            texts = (path, *steps[-1:], _below(genus, epithet, taxonomy), common)
            known[steps] = first_known(texts, taxonomy, loose) or path
        labels.append(known[steps])
    left_out = [place for place in (file, own, *ranks, *more) if place is not None]
    return records_of_rows(columns, columns.single_text(file), labels, score, left_out)


def _below(genus, epithet, taxonomy):
    """Name of the species that is called by its epithet alone below its genus; an empty text where there is none."""
    node = taxonomy.index.get(epithet) if epithet else None
    if node is not None and genus in [taxonomy.title(parent) for parent in taxonomy.parents[node].tolist()]:
        return epithet
    joined = f"{genus} > {epithet}"
    return joined if joined in taxonomy.index else ""
