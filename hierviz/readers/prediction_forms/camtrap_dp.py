"""Camtrap DP: ``observations.csv``, with ``media.csv`` where it lies next to it; predictions and truth in one file.

Conventions
-----------
Observations of ``classificationMethod`` "machine" are predictions, those of "human" are truths. A sample is a picture, called
by the ``filePath`` of its ``mediaID``, or by the mediaID where there is no ``media.csv``; where no observation is of a
picture, an event. The answer is the machine's observation of the highest ``classificationProbability``; with
``samples="detection"`` each of them is a sample, called by its observationID. The class is ``scientificName``, else
``observationType`` (human, vehicle, ...), where the taxonomy has a class of that name; a blank picture is an answer with
nothing. Several truths of a picture are all true.

References
----------
.. [1] https://camtrap-dp.tdwg.org/data, version 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hierviz.messages.errors import FileError, PredictionsError, listed
from hierviz.predictions.name_matching import LooseMatches
from hierviz.readers.columns import as_number, named_place
from hierviz.readers.prediction_forms.detections import SHARED, first_known
from hierviz.readers.tables import open_table

_NEEDED = ("observationid", "mediaid", "observationtype", "scientificname", "classificationmethod")
# The table of the pictures, which is looked for next to the observations.
MEDIA = "media.csv"
_OF_MEDIA = ("mediaid", "filepath")
_WITHOUT_CLASS = ("blank", "unknown", "unclassified", "")


def looks_like(names):
    """Whether there are the columns of observations."""
    return {name.casefold() for name in names}.issuperset(_NEEDED)


def is_media(path):
    """Whether a file is the table of the pictures, which is read with the observations next to it."""
    if Path(path).name.casefold() != MEDIA:
        return False
    try:
        names = {name.strip().casefold() for name in open_table(path, "a table").first}
    except FileError:
        return False
    return names.issuperset(_OF_MEDIA)


@dataclass(frozen=True)
class Observation:
    """What was observed in a picture or event.

    Parameters
    ----------
    name : str
        Its id.
    sample : str
    label : str
        Name of the class, the root's for a blank picture.
    probability : float or None
    is_machine : bool
    more : dict of str to str
        Attributes of the picture.
    """

    name: str
    sample: str
    label: str
    probability: float | None
    is_machine: bool
    more: dict


def observations(columns, source, taxonomy, notes):
    """All Observations of pictures, else of events.

    Parameters
    ----------
    columns : Columns
    source : Source
        Of the file: ``media.csv`` is looked for next to it.
    taxonomy : Taxonomy
    notes : list of str

    Raises
    ------
    PredictionsError
        If a probability is no number.
    """
    cells = {name.casefold(): columns.text[k] for k, name in enumerate(columns.names) if k in columns.text}
    media, loose, known = _media(source, notes), LooseMatches(taxonomy), {}
    empty = [""] * len(columns)
    is_of_pictures = any(cell.strip() for cell in cells["mediaid"])
    key = cells["mediaid"] if is_of_pictures else cells.get("eventid", empty)
    found, n_other, n_unknown = [], 0, 0
    for row in range(len(columns)):
        sample, kind = key[row].strip(), cells["observationtype"][row].strip()
        if not sample:
            n_other += 1
            continue
        species = cells["scientificname"][row].strip()
        if (species, kind) not in known:
            name = first_known((species,) if species else (kind,), taxonomy, loose)
            is_nothing = name is None and not species and kind.casefold() in _WITHOUT_CLASS
            known[species, kind] = taxonomy.names[0] if is_nothing else name or species or kind
        cell = cells.get("classificationprobability", empty)[row].strip()
        probability = as_number(cell) if cell else None
        if cell and probability is None:
            raise PredictionsError(
                f"{columns.place(row)}, column 'classificationProbability': expected a number, got {cell!r}. Correct it."
            )
        path, more = media.get(sample, (sample, {}))
        more = more | {"deploymentID": cells["deploymentid"][row]} if "deploymentid" in cells else more
        method = cells["classificationmethod"][row].strip().casefold()
        n_unknown += method not in ("machine", "human")
        if method in ("machine", "human"):
            name = cells["observationid"][row]
            found.append(Observation(name, path, known[species, kind], probability, method == "machine", more))
    if n_other:
        of = "events rather than pictures" if is_of_pictures else "neither pictures nor events"
        notes.append(f"{columns.where}: {n_other:,} observations are of {of} and were left out")
    if n_unknown:
        notes.append(f"{columns.where}: {n_unknown:,} observations without a classificationMethod were left out")
    return found


def _media(source, notes):
    """(path, attributes) of each mediaID; empty where there is no media.csv."""
    path = Path(source.path).with_name(MEDIA)
    if source.pipe is not None or not path.is_file():
        notes.append(f"{source.where}: there is no media.csv next to it, so samples are called by their mediaID")
        return {}
    columns = open_table(path, "Camtrap DP's media").read()
    places = [named_place(columns.names, [word]) for word in ("mediaid", "filepath", "filename", "timestamp")]
    if None in places[:2]:
        raise PredictionsError(f"{path.name}: expected the columns mediaID and filePath, got {listed(columns.names)}.")
    names = {"file": places[2], "timestamp": places[3]}
    return {
        columns.text[places[0]][row]: (
            columns.text[places[1]][row] or columns.text[places[0]][row],
            {name: columns.text[place][row] for name, place in names.items() if place is not None},
        )
        for row in range(len(columns))
    }


def records(samples, where, reading, notes):
    """Records of the pictures with a machine's observation, or of these observations, of a SampleTable.

    Raises
    ------
    PredictionsError
        If no observation is a machine's.
    """
    found = observations(samples.read(), samples.table.source, reading.taxonomy, notes)
    machine = [one for one in found if one.is_machine]
    if not machine:
        raise PredictionsError(
            f"{where}: expected observations with classificationMethod 'machine', got none. If this file is the truth, give it "
            "as {truth}."
        )
    truths: dict = {}
    for one in found:
        if not one.is_machine:
            truths.setdefault(one.sample, []).append(one.label)
    if truths:
        there = {one.sample for one in machine}
        lost = [sample for sample in truths if sample not in there]
        if lost:
            notes.append(
                f"{where}: {len(lost):,} samples have human observations only and were left out: {listed(lost)}"
            )
    groups: dict = {}
    for one in machine:
        groups.setdefault(one.name if reading.samples == "detection" else one.sample, []).append(one)
    has_scores = all(one.probability is not None for one in machine)
    if not has_scores:
        notes.append(
            f"{where}: not all observations have a classificationProbability, so that their classes are labels"
        )
    of_pictures = []
    for name, group in groups.items():
        first, rest = group[0], {} if not truths else {"truth": list(dict.fromkeys(truths.get(group[0].sample, ())))}
        shared = {SHARED: first.sample} if reading.samples == "detection" else {}
        best = max(group, key=lambda one: one.probability or 0)
        labels = list(dict.fromkeys(one.label for one in group))
        said = {"scores": [{"label": best.label, "score": best.probability}]} if has_scores else {"predicted": labels}
        of_pictures.append({"sample_id": name, **said, **rest, **shared, **first.more})
    return of_pictures


def truths_by_sample(columns, source, taxonomy, notes):
    """(samples, lists of labels) of the human observations.

    Raises
    ------
    PredictionsError
        If there is none.
    """
    found: dict = {}
    for one in observations(columns, source, taxonomy, notes):
        if not one.is_machine:
            found.setdefault(one.sample, {})[one.label] = None
    if not found:
        raise PredictionsError(
            f"{columns.where}: expected observations with classificationMethod 'human' as truth, got none. Is it the truth?"
        )
    return list(found), [list(labels) for labels in found.values()]
