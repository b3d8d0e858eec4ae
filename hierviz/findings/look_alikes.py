"""Names that look alike: Unicode, blanks, case, leading zeros.

Functions
---------
plain_name : a name without what cannot be seen in it.
look_alike_key : equal for names that a reader takes for one.
with_zeros_of : texts whose leading zeros were lost, with them.
"""

from __future__ import annotations

import re
import unicodedata

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
