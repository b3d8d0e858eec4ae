"""How long a text is and where a line breaks: nothing here needs a browser.

Widths are estimates for the fonts of `theme.FONT`, a little on the long side.
"""

from __future__ import annotations

import unicodedata

NARROW, WIDE = set("iljtfIr.,:;'|!()[]/-` "), set("mwMW@%—…")


def text_width(text, size=13, bold=False):
    """Estimated width of `text` in pixels at a font size in pixels."""
    return sum(map(_letter_width, str(text))) * size * (1.06 if bold else 1.0)


def _letter_width(letter):
    """Of one letter, in font sizes."""
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if letter in NARROW:
        return 0.31
    if letter in WIDE:
        return 0.86
    return 0.68 if letter.isupper() else 0.545


def shorten(text, width, size=13, bold=False):
    """`text`, cut to fit `width` pixels, with … at its end when something is missing."""
    text = str(text)
    factor = size * (1.06 if bold else 1.0)
    total, kept = 0.0, 0
    for place, letter in enumerate(text):
        total += _letter_width(letter)
        if (total + _letter_width("…")) * factor <= width:
            kept = place + 1
        if total * factor > width:
            return text[:kept].rstrip() + "…"
    return text


def wrap_items(items, width, size=13, separator=", ", most_lines=6):
    """Lines of `items` joined by `separator`, as many as fit, the rest counted ("and 12 more").

    Parameters
    ----------
    items : list of str
    width : float
        Pixels.
    size : float
        Font size, pixels.
    separator : str
    most_lines : int

    Returns
    -------
    list of str
        At most `most_lines` lines; no item is split, one longer than a line is shortened.
    """

    def lines_of(shown):
        left = len(items) - shown
        pieces = [item + (separator.rstrip() if i < shown - 1 else "") for i, item in enumerate(items[:shown])]
        if left:
            pieces.append(f"and {left:,} more" if shown else f"{left:,} nodes")
        return [shorten(line, width, size) for line in _filled(pieces, width, size)]

    if len(items) <= 40 * most_lines and len(lines_of(len(items))) <= most_lines:
        return lines_of(len(items))
    low, high = 0, min(len(items) - 1, 40 * most_lines)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if len(lines_of(middle)) <= most_lines else (low, middle - 1)
    return lines_of(low)[:most_lines]


def _filled(pieces, width, size, bold=False):
    """Lines of as many pieces as fit."""
    lines = []
    for piece in pieces:
        joined = f"{lines[-1]} {piece}" if lines else piece
        if lines and text_width(joined, size, bold) <= width:
            lines[-1] = joined
        else:
            lines.append(piece)
    return lines


def fits(text, width, size=13, most_lines=2, bold=False):
    """Whether `wrap_words` writes all of a text."""
    lines = _filled(str(text).split(" "), width, size, bold)
    return len(lines) <= most_lines and all(text_width(line, size, bold) <= width for line in lines)


def wrap_words(text, width, size=13, most_lines=2, bold=False):
    """Lines of a text of at most `width` pixels, broken between words; the last one ends in … when something is missing."""
    lines = _filled(str(text).split(" "), width, size, bold)
    if len(lines) > most_lines:
        lines[most_lines - 1 :] = [" ".join(lines[most_lines - 1 :])]
    return [shorten(line, width, size, bold) for line in lines]
