"""Sample ids: missing ones, doubles, and those that do not meet in two files."""

from __future__ import annotations

from hierviz.findings.finding import counted, some
from hierviz.findings.name_looks import with_zeros_of
from hierviz.readers.raw_predictions import ids_advice, picture_stems, whole_id
from hierviz.readers.truth_file import unfit_ids


def look_at_ids(look, id_of, of="sample"):
    """Note ids that are empty or there twice, and leave out their rows; of rows of one id the first is left.

    Parameters
    ----------
    look : TableLook
    id_of : callable
        Cells of a row to its id.
    of : str
        What an id is the id of.
    """
    ids = {record: id_of(cells) for record, (_, cells) in look.rows.items()}
    blank, empty, same, other = [], [], [], []
    for record, first in unfit_ids(ids.items()):
        cells = look.rows[record][1]
        if first is None:
            (empty if any(map(str.strip, cells)) else blank).append(record)
        else:
            (same if cells == look.rows[first][1] else other).append(record)
    several = "; several answers to a sample are read with {parametrisation=votes}" if of == "sample" else ""
    for code, records, is_fix, text in (
        ("empty_ids", blank, True, "without any cell filled"),
        ("empty_ids", empty, False, "without a sample id (give every sample one)"),
        ("duplicated_samples", same, True, f"of a {of} that has the same row already"),
        ("duplicated_samples", other, False, f"of a {of} that has another row already (keep one of them{several})"),
    ):
        if records:
            lines = look.lines(records)
            named = "" if code == "empty_ids" else some(dict.fromkeys(ids[record] for record in records)) + ", "
            words = f"{counted(len(records), 'row')} {text}: {named}{lines}."
            look.note(code, records, words, f"without {lines}" if is_fix else None)
    look.drop(blank + same, is_fix=True)
    look.drop(empty + other)


def look_at_join(mine, theirs, found, *, has_labels):
    """Note ids of two files that do not meet.

    Parameters
    ----------
    mine, theirs : IdColumn
        Of the predictions and of the truth.
    found : Findings
    has_labels : bool
        Predictions are labels: a truth without one is an empty prediction.
    """
    here, there = dict.fromkeys(mine.ids), dict.fromkeys(theirs.ids)
    for one, other, known in ((mine, theirs, there), (theirs, mine, here)):
        unmatched, own = [sample for sample in one.ids if sample not in known], set(one.ids)
        zeros = with_zeros_of(unmatched, [sample for sample in other.ids if sample not in own])
        zeros = zeros and (_all_with_zeros(unmatched, other.ids) or zeros)
        if zeros and len(set(zeros.values())) == len(zeros):
            shown = ", ".join(f"{a!r} for {b!r}" for a, b in list(zeros.items())[:3])
            text = f"{counted(len(zeros), 'id')} lost the leading zeros that {other.where} has: {shown}."
            found.note("leading_zeros", one.where, text, None if one.look is None else f"the ids as in {other.where}")
            one.rename(zeros)
    here, there = dict.fromkeys(mine.ids), dict.fromkeys(theirs.ids)
    without_truth = [sample for sample in here if sample not in there]
    without_prediction = [sample for sample in there if sample not in here]
    if here and there and len(without_truth) == len(here):
        if picture_stems(here, there) is None:
            text = (
                f"no sample id is also in {theirs.where}: {some(here, 2)} here, {some(there, 2)} there. "
                f"{ids_advice(here, there)}"
            )
            found.note("ids_differ", mine.where, text)
        return
    if without_truth:
        text = (
            f"{counted(len(without_truth), 'sample has', 'samples have')} no truth in {theirs.where} ({some(without_truth)}): "
            f"not evaluated."
        )
        found.note("samples_without_truth", mine.where, text)
    if without_prediction:
        done = "counted as empty predictions" if has_labels else "left out"
        text = (
            f"{counted(len(without_prediction), 'sample has', 'samples have')} a truth and no prediction "
            f"({some(without_prediction)}): {done}."
        )
        found.note("samples_without_prediction", mine.where, text)


def _all_with_zeros(unmatched, known):
    """All shorter numbers with zeros in front where known ids are numbers of one width; else nothing.

    So ids are fixed too whose rows in the other file could not be read.
    """
    width = len(known[0])
    if not all(len(sample) == width and sample.isascii() and sample.isdigit() for sample in known):
        return {}
    short = [sample for sample in unmatched if len(sample) < width and sample.isascii() and sample.isdigit()]
    return {sample: sample.zfill(width) for sample in short}


class IdColumn:
    """The ids of a file, and how they are changed.

    Parameters
    ----------
    where : str
    ids : iterable of str
    look : TableLook, optional
        Of the table that holds them in the rows `records`, at `place`.
    """

    def __init__(self, where, ids, look=None, records=(), place=0):
        self.where, self.ids, self.look, self.records, self.place = where, list(ids), look, list(records), place

    def as_numbers(self):
        """The same, ids such as 1.0 being 1."""
        return IdColumn(self.where, map(whole_id, self.ids), self.look, self.records, self.place)

    def rename(self, renamed):
        """Write ids otherwise: {old: new}."""
        for record, sample in zip(self.records, self.ids) if self.look is not None else ():
            if sample in renamed:
                self.look.fixes.cells[record, self.place] = renamed[sample]
        self.ids = [renamed.get(sample, sample) for sample in self.ids]
