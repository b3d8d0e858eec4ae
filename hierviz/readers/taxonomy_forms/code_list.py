"""Lists of codes whose parents are their beginnings: ICD-10 (A00.1 below A00), NAICS (1111 below 11), UNSPSC (10101500 below
10100000).

Conventions
-----------
The parent of a code is the longest other code that it begins with, hyphens, dots and blanks left out. A range (``31-33`` of
NAICS, ``A00-A09`` of ICD) is the parent of what begins with a code inside it. Where all codes are equally long, zeros at the
end are no part of them, in groups of as many digits as give every code a parent. Codes that have none are below the root.
"""

import re

from hierviz.messages.errors import TaxonomyError, listed
from hierviz.readers import file_limits
from hierviz.readers.class_paths import taxonomy_of_ids
from hierviz.readers.tables import find_separator, open_table
from hierviz.readers.taxonomy_forms import taxonomy_form
from hierviz.readers.taxonomy_tables import PARENT_WORDS

CODE_COLUMNS = (
    "code",
    "codes",
    "naics_code",
    "icd_code",
    "icd10_code",
    "unspsc_code",
    "icd",
    "naics",
    "unspsc",
    "isic",
    "nace",
)
TITLE_COLUMNS = ("title", "name", "description", "label", "text", "desc", "meaning")
_CODE = re.compile(r"(?=.*\d)[A-Za-z0-9][A-Za-z0-9.\- ]*")
_LEAST = 0.5


def looks_like(name, lines):
    """Whether a table has a column called code, and none of parents or scores."""
    words = _words(lines)
    return (
        len(words) in (2, 3)
        and not any(word in PARENT_WORDS for word in words)
        and any(word in CODE_COLUMNS for word in words)
        and any(word in TITLE_COLUMNS for word in words)
    )


def _words(lines):
    separator = find_separator(lines) if len(lines) > 1 else None
    return [] if separator is None else list(map(_word, lines[0].split(separator)))


def _word(cell):
    return re.sub(r"[\s-]+", "_", cell.strip(' "\ufeff\r\n').casefold())


@taxonomy_form(
    "codes whose parents are their beginnings (ICD-10, NAICS, UNSPSC)",
    (".csv", ".tsv"),
    "a table of two or three columns, one called `code`, one `title`, `name` or `description`",
    looks_like,
)
def read_codes(source, options):
    """Taxonomy of a table with a column of codes and perhaps one of titles.

    Raises
    ------
    TaxonomyError
        If most codes begin with no other one, so that their parents must be given, or a code is repeated.
    """
    table = open_table(source, "a table of codes", most_rows=file_limits.CLASS_ROWS)
    words = list(map(_word, table.first))
    has_header = not any(re.search(r"\d", cell) for cell in table.first)
    columns = table.read(has_header=has_header)
    place = next((k for k, word in enumerate(words) if word in CODE_COLUMNS), 0)
    title = next(
        (k for k, word in enumerate(words) if word in TITLE_COLUMNS and k != place),
        1 if len(words) == 2 and not place else None,
    )
    codes, where = [cell.strip() for cell in columns.single_text(place)], table.where
    seen: dict = {}
    for row, code in enumerate(codes):
        if not _CODE.fullmatch(code) or code in seen:
            got = f"{code!r} again" if code in seen else repr(code)
            raise TaxonomyError(
                f"{columns.place(row)}: expected a code of its own such as A00.1, got {got}. Correct it."
            )
        seen[code] = row
    above, how = _parents(codes)
    lonely = [code for code in codes if code not in above]
    most = max(1, len(codes) * _LEAST)
    if len(lonely) > most:
        raise TaxonomyError(
            f"{where}: expected codes that begin with the code of their parent, got {len(lonely)} of {len(codes)} that do not "
            f"({listed(lonely)}). Add the codes above them, or a column 'parent'."
        )
    edges = [(above.get(code), code) for code in codes]
    titles = dict(zip(codes, columns.single_text(title), strict=True)) if title is not None else None
    titles = {code: text.strip() for code, text in titles.items() if text.strip()} if titles else None
    detected = {"form": "list of codes", **table.detected, "parents": how}
    return taxonomy_of_ids(edges, titles, where, notes=[f"{where}: {how}"], detected=detected)


def _parents(codes):
    """(parent of each code that has one, how that was detected)"""
    bare = {code: re.sub(r"[.\s]", "", code) for code in codes}
    is_range = {code: _ends(text) for code, text in bare.items() if "-" in text}
    plain = {code: text for code, text in bare.items() if code not in is_range}
    lengths = {len(text) for text in plain.values()}
    if len(lengths) == 1 and not is_range and all(text.isdigit() for text in plain.values()):
        return _by_zeros(plain)
    by_text = {text: code for code, text in plain.items()}
    above = {}
    for code in codes:
        # A plain code lies in a range as one that begins and ends with it does.
        own, text = is_range.get(code), bare[code]
        starts = [text[:n] for n in range(len(text) - 1, 0, -1) if text[:n] in by_text] if own is None else []
        if starts:
            above[code] = by_text[starts[0]]
            continue
        first, last = own or (text, text)
        around = [k for k, ends in is_range.items() if ends != own and _inside(first, ends) and _inside(last, ends)]
        if around:
            above[code] = min(around, key=lambda other: _width(*is_range[other]))
    return above, "the parent of a code is the longest other code that it begins with, or the range it lies in"


def _ends(text):
    first, _, last = text.partition("-")
    return first, last.strip("-") or first


def _inside(text, ends):
    first, last = ends
    return first <= text[: len(first)] and text[: len(last)] <= last and text[:1].isdigit() == first[:1].isdigit()


def _width(first, last):
    digits = [int("".join(filter(str.isdigit, end)) or 0) for end in (first, last)]
    return ord(last[0]) - ord(first[0]), digits[1] - digits[0]


def _by_zeros(plain):
    """Parents of codes of one length, by the zeros at their end, in the groups of digits that leave fewest without a parent."""
    by_text = {text: code for code, text in plain.items()}
    best: tuple = (len(plain) + 1, {}, 1)
    for size in (2, 1, 3):
        above = {}
        for code, text in plain.items():
            n = len(text)
            ends = [end for end in range(size, n, size) if text[end:].strip("0")]
            shorter = [text[:end].ljust(n, "0") for end in reversed(ends)]
            found = next((other for other in shorter if other in by_text and other != text), None)
            if found is not None:
                above[code] = by_text[found]
        if len(plain) - len(above) < best[0]:
            best = (len(plain) - len(above), above, size)
    _, above, size = best
    return above, f"the parent of a code has zeros in place of its last group of {size} digit{'s' * (size > 1)}"
