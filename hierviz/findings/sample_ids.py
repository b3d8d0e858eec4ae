"""Sample ids: missing ones, doubles, and those that do not meet in two files."""

from __future__ import annotations

from hierviz.findings.finding import counted, lines_words, some
from hierviz.findings.name_looks import with_zeros_of
from hierviz.readers.join import ids_advice, whole_id


def look_at_ids(rows, place, where, found, changes, of="sample"):
    """Note ids that are empty or stand there twice; rows that are left keep the first.

    Parameters
    ----------
    rows : dict of record to (line, list of str)
        Cells of each row. Those that are dropped are removed from it.
    place : int
        Of the column of ids.
    where : str
    found : Findings
    changes : Changes
    of : str
        What an id is the id of.
    """
    seen: dict = {}
    empty, same, other = [], [], []
    for record, (_, cells) in rows.items():
        sample = cells[place]
        if not sample.strip():
            empty.append(record)
        elif sample in seen:
            (same if cells == rows[seen[sample]][1] else other).append(record)
        else:
            seen[sample] = record
    blank = [record for record in empty if not any(map(str.strip, rows[record][1]))]
    empty = [record for record in empty if record not in set(blank)]
    for code, records, is_fix, text in (
        ("empty_ids", blank, True, "without any cell filled"),
        ("empty_ids", empty, False, "without a sample id (give every sample one)"),
        ("duplicated_samples", same, True, f"of a {of} that has the same row already"),
        ("duplicated_samples", other, False, f"of a {of} that has another row already (keep one of them)"),
    ):
        if records:
            lines = lines_words(rows[record][0] for record in records)
            ids = some(dict.fromkeys(rows[record][1][place] for record in records)) if code != "empty_ids" else ""
            words = f"{counted(len(records), 'row')} {text}: {ids + ', ' if ids else ''}{lines}."
            found.note(code, f"{where}:{rows[records[0]][0]}", words, f"without {lines}" if is_fix else None)
            (changes.fixes if is_fix else changes.to_read_on).dropped.update(records)
    for record in (*blank, *empty, *same, *other):
        del rows[record]


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
        unmatched = [sample for sample in one.ids if sample not in known]
        zeros = with_zeros_of(unmatched, [sample for sample in other.ids if sample not in dict.fromkeys(one.ids)])
        if zeros:
            zeros = _all_with_zeros(unmatched, other.ids) or zeros
        if zeros and len(set(zeros.values())) == len(zeros):
            text = f"{counted(len(zeros), 'id')} lost the leading zeros that {other.where} has: " + ", ".join(
                f"{a!r} for {b!r}" for a, b in list(zeros.items())[:3]
            )
            found.note(
                "leading_zeros", one.where, f"{text}.", None if one.changes is None else f"the ids as in {other.where}"
            )
            one.rename(zeros)
    here, there = dict.fromkeys(mine.ids), dict.fromkeys(theirs.ids)
    without_truth = [sample for sample in here if sample not in there]
    without_prediction = [sample for sample in there if sample not in here]
    if here and there and len(without_truth) == len(here):
        from hierviz.readers.picture_names import picture_stem

        if {picture_stem(sample) for sample in here}.isdisjoint(picture_stem(sample) for sample in there):
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

    So ids are mended too whose rows in the other file could not be read.
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
    ids : list of str
    changes : Changes or None
    records : list of int
    place : int
    """

    def __init__(self, where, ids, changes=None, records=(), place=0):
        self.where, self.ids, self.changes, self.records, self.place = where, list(ids), changes, list(records), place

    def as_numbers(self):
        """The same, ids such as 1.0 being 1."""
        return IdColumn(self.where, map(whole_id, self.ids), self.changes, self.records, self.place)

    def rename(self, renamed):
        """Write ids otherwise: {old: new}."""
        if self.changes is not None:
            for record, sample in zip(self.records, self.ids, strict=True):
                if sample in renamed:
                    self.changes.fixes.cells[record, self.place] = renamed[sample]
        self.ids = [renamed.get(sample, sample) for sample in self.ids]
