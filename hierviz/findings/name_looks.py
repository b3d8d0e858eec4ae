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

from hierviz.findings.finding import counted, lines_words
from hierviz.messages.errors import listed
from hierviz.predictions.name_matching import LooseMatches, advice
from hierviz.predictions.node_names import find_node

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


def look_at_names(rows, place, taxonomy, where, what, found, changes, *, numbers=None, is_path=False):
    """Note cells that are not written as the taxonomy has them.

    Parameters
    ----------
    rows : dict of record to (line, list of str)
        Cells of each row.
    place : int
        Of the column that names classes.
    taxonomy : Taxonomy
    where, what : str
        The file, and what the cells are ("truth").
    found : Findings
    changes : Changes
    numbers : dict of int to int, optional
        Node of each number of a class list.
    is_path : bool
        Cells hold paths.
    """
    records: dict[str, list] = {}
    for record, (_, cells) in rows.items():
        records.setdefault(cells[place], []).append(record)
    loose, bad = LooseMatches(taxonomy), {}
    is_numbered = bool(numbers) and all(cell.strip().isdigit() for cell in records if cell.strip())
    for cell in records:
        if not cell.strip() or (is_numbered and int(cell) in numbers) or find_node(cell, taxonomy, is_path) is not None:
            continue
        fields = [cell] if is_path else cell.split(";")
        strange = [field for field in fields if field.strip() and find_node(field, taxonomy, is_path) is None]
        if strange:
            bad[cell] = strange
    names = dict.fromkeys(name.strip() for strange in bad.values() for name in strange)
    zeros = with_zeros_of(names, taxonomy.index)
    keys: dict[str, list] = {}
    for name in taxonomy.names if names else ():
        keys.setdefault(look_alike_key(name), []).append(name)
    alike = {name: keys[look_alike_key(name)][0] for name in names if len(keys.get(look_alike_key(name), ())) == 1}
    alike = {name: right for name, right in alike.items() if name not in zeros}
    odd = {name: right for name, right in alike.items() if plain_name(name) == right}
    spelt = {name: right for name, right in alike.items() if name not in odd}
    other = [name for name in names if name not in zeros and name not in alike and loose.find(name) is not None]
    unknown = [name for name in names if name not in zeros and name not in alike and name not in other]

    def records_with(some_names):
        wanted = set(some_names)
        return [
            record
            for cell, strange in bad.items()
            if not wanted.isdisjoint(map(str.strip, strange))
            for record in records[cell]
        ]

    def note(code, some_names, text, fix=None, severity=None, more=""):
        at = [rows[record][0] for record in records_with(some_names)]
        found.note(code, f"{where}:{min(at)}", f"{text} ({what}, {lines_words(at)}).{more}", fix, severity)

    for code, renamed, text in (
        ("leading_zeros", zeros, "lost the leading zeros that the taxonomy has"),
        ("odd_characters", odd, "held characters that cannot be seen"),
        ("other_spellings", spelt, "spelt otherwise than in the taxonomy"),
    ):
        if renamed:
            words = f"{counted(len(renamed), 'name')} {text}: " + ", ".join(
                f"{a!r} for {b!r}" for a, b in list(renamed.items())[:3]
            )
            note(code, renamed, words, "the names as the taxonomy has them")
    if other:
        words = f"{counted(len(other), 'name')} matched by meaning: " + ", ".join(
            f"{name!r} is {taxonomy.names[loose.find(name)]!r}" for name in other[:3]
        )
        note("other_spellings", other, words)
    if unknown:
        said = advice(unknown[0], taxonomy)
        note(
            "unknown_names",
            unknown,
            f"{counted(len(unknown), 'name is', 'names are')} not in the taxonomy: {listed(unknown)}",
            more=said,
        )
    renamed = zeros | odd | spelt
    for cell in bad:
        fields = [cell] if is_path else cell.split(";")
        right = [renamed.get(field.strip(), field) for field in fields]
        left = [field for field in right if field.strip() not in unknown]
        for record in records[cell]:
            if right != fields:
                changes.fixes.cells[record, place] = ";".join(right)
            if left != right:
                changes.to_read_on.cells[record, place] = ";".join(left)
