"""Names that look alike, and cells that name classes: unknown ones, other spellings, lost zeros.

Functions
---------
plain_name : a name without what cannot be seen in it.
look_alike_key : equal for names that a reader takes for one.
with_zeros_of : texts whose leading zeros were lost, with them.
look_at_names : cells of truths, predictions and class lists.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from hierviz.findings.finding import counted
from hierviz.messages.errors import shown
from hierviz.messages.number_text import percent_text
from hierviz.predictions.name_matching import LooseMatches, advice
from hierviz.predictions.outside import MOST_SHOWN
from hierviz.readers.labels import numbered_cells, read_cell
from hierviz.readers.nearest_names import nearest

AS_IN_TAXONOMY = "the names as the taxonomy has them"
# What the two kinds of names outside the taxonomy may count as: answers, truths.
QUESTION = (
    " If they are answers that the taxonomy does not hold, what do they count as? {outside=wrong | drop | nearest}.",
    " If they are truths that the taxonomy does not hold: {outside_truth=drop | nearest}.",
)
ALIKE = "{} look alike and are {} classes. If one is meant, write one of them everywhere."
_BLANKS = re.compile(r"\s+")
# Zero-width blank, word joiner, byte order mark, soft hyphen, marks of direction. Joiners belong to some scripts.
_INVISIBLE = dict.fromkeys(
    [0x200B, 0x2060, 0xFEFF, 0x00AD, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)
# Letters of other scripts that look like Latin ones.
_TWINS = str.maketrans(
    "аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅαορνικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijshdqwABEKMHOPCTYXIJSaopvikABEZHIKMNOPTYX"
)


def plain_name(name):
    """A name in composed Unicode with single plain blanks and nothing invisible."""
    if name.isascii() and "  " not in name and name.isprintable():
        return name.strip()
    return _BLANKS.sub(" ", unicodedata.normalize("NFC", name).translate(_INVISIBLE)).strip()


def look_alike_key(name):
    """Equal for names that differ in case, blanks, Unicode forms or letters of other scripts only."""
    key = plain_name(name)
    if not key.isascii():
        key = unicodedata.normalize("NFKC", key).translate(_TWINS)
    return _BLANKS.sub(" ", key.replace("_", " ")).casefold()


def look_alikes(names):
    """Groups of two and more names with one key: list of list of str, in the order of the names."""
    groups: dict[str, list] = {}
    for name in dict.fromkeys(names):
        groups.setdefault(look_alike_key(name), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def with_zeros_of(texts, known):
    """Texts that are numbers without the leading zeros that known ones have.

    Parameters
    ----------
    texts : iterable of str
        That are not known.
    known : iterable of str
        Names or ids.

    Returns
    -------
    dict of str to str
        Of all that become a known one when zeros are put in front of them; a number that could become two is left out.
    """
    texts = [text for text in dict.fromkeys(texts) if text.isascii() and text.isdigit()]
    padded: dict[str, set] = {}
    for name in known if texts else ():
        if name.isascii() and name.isdigit() and name[0] == "0":
            padded.setdefault(name.lstrip("0") or "0", set()).add(name)
    found = {text: padded.get(text, ()) for text in texts}
    return {text: next(iter(names)) for text, names in found.items() if len(names) == 1}


def nearest_table(mapping):
    """The names with a nearest class, the most frequent first: given, class, how sure, how often."""
    rows = sorted((row for row in mapping if row.node >= 0), key=lambda row: -row.count)
    pairs = [
        f"{row.given!r} → {mapping.taxonomy.names[row.node]!r} ({percent_text(row.sure)}, {row.count:,}×)"
        for row in rows[:MOST_SHOWN]
    ]
    more = f" and {len(rows) - MOST_SHOWN:,} more" if len(rows) > MOST_SHOWN else ""
    names = counted(len(rows), "name is", "names are")
    return f"{names} near the name of one class: {', '.join(pairs)}{more}"


def look_at_names(look, place, taxonomy, what, *, numbers=None, outside=None):
    """Note cells that are not written as the taxonomy has them.

    Parameters
    ----------
    look : TableLook
    place : int
        Of the column that names classes.
    taxonomy : Taxonomy
    what : str
        What the cells are ("truth").
    numbers : dict of int to int, optional
        Node of each number of a class list.
    outside : mapping of str to str, optional
        What names outside the taxonomy count as, where that was chosen: ``outside`` and ``outside_truth`` of
        `load_predictions`. They are then no error.
    """
    is_path = look.names[place].casefold() == "path"
    records: dict[str, list] = {}
    for record, (_, cells) in look.rows.items():
        records.setdefault(cells[place], []).append(record)
    by_number = numbered_cells(records, taxonomy, numbers)
    strange = {cell: read_cell(cell, taxonomy, is_path=is_path)[3] for cell in records if cell not in by_number}
    bad = {cell: unknown for cell, unknown in strange.items() if unknown}
    if not bad:
        return
    spellings = _Meanings(dict.fromkeys(name.strip() for strange in bad.values() for name in strange), taxonomy)

    def note(code, names, text, fix=None, more="", severity=None):
        named = set(names)
        at = [record for cell in bad if not named.isdisjoint(map(str.strip, bad[cell])) for record in records[cell]]
        look.note(code, at, f"{text} ({what}, {look.lines(at)}).{more}", fix, severity)

    for code, renamed, text in (
        ("leading_zeros", spellings.zeros, "lost the leading zeros that the taxonomy has"),
        ("odd_characters", spellings.odd, "contained invisible characters"),
        ("other_spellings", spellings.spelt, "spelt differently from the taxonomy"),
    ):
        if renamed:
            some = ", ".join(f"{a!r} for {b!r}" for a, b in list(renamed.items())[:3])
            note(code, renamed, f"{counted(len(renamed), 'name')} {text}: {some}", AS_IN_TAXONOMY)
    if spellings.by_meaning:
        some = ", ".join(f"{name!r} is {right!r}" for name, right in list(spellings.by_meaning.items())[:3])
        note(
            "other_spellings",
            spellings.by_meaning,
            f"{counted(len(spellings.by_meaning), 'name')} matched by meaning: {some}",
        )
    unknown = spellings.unknown
    if unknown:
        is_unknown = set(unknown)
        often = Counter(dict.fromkeys(unknown, 0))
        for cell in bad:
            for name in is_unknown.intersection(map(str.strip, bad[cell])):
                often[name] += len(records[cell])
        ten = ", ".join(f"{shown(name)} ({n:,})" for name, n in often.most_common(MOST_SHOWN))
        more = f" and {len(unknown) - MOST_SHOWN} more" if len(unknown) > MOST_SHOWN else ""
        text = f"{counted(len(unknown), 'name is', 'names are')} not in the taxonomy: {ten}{more}"
        choice = "outside_truth" if what == "truth" else "outside"
        said = (outside or {}).get(choice) or "error"
        if said != "error":
            note("unknown_names", unknown, text, more=f" As chosen: {{{choice}={said}}}.", severity="info")
        else:
            note("unknown_names", unknown, text, more=f"{advice(unknown[0], taxonomy)}{QUESTION[what == 'truth']}")
        mapping = nearest(unknown, [often[name] for name in unknown], taxonomy)
        if mapping.node_of and said != "nearest":
            note("nearest_names", mapping.node_of, nearest_table(mapping), more=f" To map them: {{{choice}=nearest}}.")
    renamed = spellings.zeros | spellings.odd | spellings.spelt
    unknown = set(unknown)
    for cell in bad:
        fields = [cell] if is_path else cell.split(";")
        right = [renamed.get(field.strip(), field) for field in fields]
        left = [field for field in right if field.strip() not in unknown]
        for record in records[cell]:
            if right != fields:
                look.fixes.cells[record, place] = ";".join(right)
            if left != right:
                look.to_read_on.cells[record, place] = ";".join(left)


class _Meanings:
    """What names that are no nodes mean: as the taxonomy writes them (`zeros`, `odd`, `spelt`, `by_meaning`), or `unknown`."""

    def __init__(self, names, taxonomy):
        loose, keys = LooseMatches(taxonomy), {}
        for name in taxonomy.names:
            keys.setdefault(look_alike_key(name), []).append(name)
        self.zeros = with_zeros_of(names, taxonomy.index)
        self.odd, self.spelt, self.by_meaning, self.unknown = {}, {}, {}, []
        for name in names:
            alike = keys.get(look_alike_key(name), ())
            if name in self.zeros:
                continue
            if len(alike) == 1:
                (self.odd if plain_name(name) == alike[0] else self.spelt)[name] = alike[0]
            elif (node := loose.find(name)) is not None:
                self.by_meaning[name] = taxonomy.names[node]
            else:
                self.unknown.append(name)
