"""A figure as a slide, 1920 x 1080 pixels: its sentence as title, the sample, the drawing, and a line that says of what it is.

The drawing is the SVG of the figure, set into another SVG around it: whatever draws it, it keeps its proportions.
"""

from __future__ import annotations

import base64
import datetime
import os
import re
from functools import cached_property
from html import escape

from hierviz.charts._text import fits, shorten, text_width, wrap_words
from hierviz.charts.curve_knots import threshold_text
from hierviz.charts.export import to_svg
from hierviz.charts.picture_process import picture
from hierviz.charts.theme import FONT, drawn, palette
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.errors import FileError, shown
from hierviz.messages.new_files import new_file
from hierviz.taxonomy.checks import is_number

WIDE, HIGH = 1920, 1080
# Pixels: around everything, between parts, of the sample; sizes of the title, tried from large to small, in so many lines;
# sizes of the last line; of the text of a sample.
EDGE, GAP, SAMPLE = 60, 26, 420
TITLE, LINES, FOOT, TEXT = (46, 42, 38, 34, 30, 27, 24), 3, (21, 19, 17, 15), 22
# Widths at which a figure is drawn: what fills the place best is taken.
TRIED, NARROWEST, WIDEST = (760, 1040), 480, 1700
# How much larger a drawing made for a slide is there.
ENLARGED = 1.7
PICTURES = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg"}


class Slide:
    """A slide as SVG (``svg``, text) and PNG (``png``, bytes)."""

    def __init__(self, svg):
        self.svg = svg

    @cached_property
    def png(self) -> bytes:
        """1920 x 1080 pixels, drawn when it is first asked for."""
        return picture("svg_to_png", self.svg, scale=1.0, ppi=72.0)

    def write(self, path):
        """Write it to a file that ends in .svg or .png.

        Raises
        ------
        FileError
            If the name ends in something else, or the file cannot be written.
        """
        suffix = os.path.splitext(os.fspath(path))[1].lower()
        if suffix not in (".svg", ".png"):
            raise FileError(
                f"{path}: expected a file that ends in .svg or .png, got {suffix or 'no ending'}. Rename it."
            )
        content = self.svg.encode() if suffix == ".svg" else self.png
        with new_file(path) as file:
            file.write(content)

    def _repr_png_(self):
        return self.png

    def __repr__(self):
        return f"<hierviz slide, {WIDE} x {HIGH} pixels>"


def slide(
    figure,
    *,
    title=None,
    data="",
    model="",
    rule="",
    threshold=None,
    date=None,
    sample=None,
    dark=None,
):
    """A figure as a slide of 1920 x 1080 pixels.

    Parameters
    ----------
    figure : Figure, or altair chart
    title : str, optional
        The sentence of the figure by default. It has at most three lines: long ones are written smaller, and longer ones are
        cut after a sentence, else after a word.
    data, model : str
        Names for the last line.
    rule : str
        Key of an inference rule, or words, for the last line.
    threshold : float, optional
        For the last line, in [0, 1].
    date : datetime.date or str, optional
        For the last line. Today by default, or the day of ``SOURCE_DATE_EPOCH``; none where it is empty.
    sample : bytes or str, optional
        PNG or JPEG, or text, next to the drawing.
    dark : bool, optional
        None: as the figure, else light.

    Returns
    -------
    Slide
        With ``svg`` (text) and ``png`` (bytes). The drawing is as large as it fits, in its own proportions.

    Raises
    ------
    PredictionsError
        If `figure` is none.
    FileError
        If it cannot be drawn, or the sample is neither a PNG or JPEG picture nor text.
    """
    is_dark = drawn(figure, dark)[1]
    title = getattr(figure, "sentence", "") if title is None else title
    look = palette(is_dark)
    lines, size = title_lines(title, WIDE - 2 * EDGE)
    parts = [f'<rect width="{WIDE}" height="{HIGH}" fill="{look.background}"/>']
    top = EDGE - 14
    for line in lines:
        top += round(1.25 * size)
        parts.append(_text(line, EDGE, top - round(0.25 * size), size, look.ink, bold=True))
    top, bottom, left = top + (GAP if lines else 0), HIGH - EDGE - GAP, EDGE
    said = (
        data,
        model,
        INFERENCE_RULES[rule].label if rule in INFERENCE_RULES else rule,
        _threshold(threshold),
        day(date),
    )
    foot = " · ".join(filter(None, map(str, said)))
    if foot:
        size = next((size for size in FOOT if text_width(foot, size) <= WIDE - 2 * EDGE), FOOT[-1])
        parts.append(_text(shorten(foot, WIDE - 2 * EDGE, size), EDGE, HIGH - EDGE + 10, size, look.muted))
    if sample:
        parts.append(_sample(sample, top, bottom, look))
        left += SAMPLE + 2 * GAP
    parts.append(_placed(_drawing(figure, is_dark, WIDE - EDGE - left, bottom - top), left, top, WIDE - EDGE, bottom))
    return Slide(
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{WIDE}" height="{HIGH}" '
        f'viewBox="0 0 {WIDE} {HIGH}" font-family="{escape(FONT)}">{"".join(parts)}</svg>'
    )


def title_lines(text, width):
    """(lines of a title, font size): as large as `LINES` lines allow, and cut after a sentence or word at the smallest size."""
    text = " ".join(str(text).split())
    if not text:
        return [], TITLE[0]
    for size in TITLE:
        if fits(text, width, size, LINES, bold=True):
            return wrap_words(text, width, size, LINES, bold=True), size
    lines = wrap_words(text, width, TITLE[-1], LINES, bold=True)
    sentences, room = re.split(r"(?<=[.!?]) (?=\S)", text), len(" ".join(lines))
    for n in range(len(sentences) - 1, 0, -1):
        kept = " ".join(sentences[:n])
        if room / 2 <= len(kept) and fits(kept, width, TITLE[-1], LINES, bold=True):
            return title_lines(kept, width)
    # At a word, not inside it.
    lines[-1] = lines[-1].removesuffix("…").rpartition(" ")[0].rstrip(" ,;:") + " …"
    return lines, TITLE[-1]


def day(date=None):
    """A date as text: today's, or that of ``SOURCE_DATE_EPOCH``, where none is given.

    Raises
    ------
    FileError
        If ``SOURCE_DATE_EPOCH`` is not a number of seconds.
    """
    if date is not None:
        return date.isoformat() if isinstance(date, datetime.date) else str(date)
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if not seconds:
        return datetime.date.today().isoformat()
    try:
        return datetime.datetime.fromtimestamp(int(seconds), datetime.UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise FileError(
            f"SOURCE_DATE_EPOCH: expected a number of seconds since 1970, got {shown(seconds)}. Unset it."
        ) from None


def _threshold(threshold):
    return f"τ = {threshold_text(threshold)}" if is_number(threshold) else ""


def _text(words, x, y, size, colour, bold=False):
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x}" y="{y}" font-size="{size}px" fill="{colour}"{weight} xml:space="preserve">{escape(words)}</text>'


def _sample(sample, top, bottom, look):
    """The picture or the text of a sample, at the left."""
    if isinstance(sample, bytes):
        kind = next((kind for start, kind in PICTURES.items() if sample.startswith(start)), None)
        if kind is None:
            raise FileError("sample: expected a PNG or JPEG picture or text, got other bytes. Convert the picture.")
        url = f"data:image/{kind};base64,{base64.b64encode(sample).decode()}"
        return (
            f'<image x="{EDGE}" y="{top}" width="{SAMPLE}" height="{bottom - top}" preserveAspectRatio="xMidYMid meet" '
            f'href="{url}" xlink:href="{url}"/>'
        )
    step = round(1.4 * TEXT)
    lines = wrap_words(" ".join(str(sample).split()), SAMPLE, TEXT, int((bottom - top) // step))
    return "".join(_text(line, EDGE, top + step * (i + 1) - 8, TEXT, look.ink) for i, line in enumerate(lines))


_ROOT = re.compile(r"<svg\b[^>]*>")


def _drawing(figure, dark, width, height):
    """The SVG of a figure that fills a place best, of those at some widths."""
    if getattr(figure, "still", None) is not None:
        return to_svg(figure.still(dark, width / ENLARGED, height / ENLARGED), dark)
    if not hasattr(figure, "draw"):
        return to_svg(figure, dark)
    found = [to_svg(figure.draw(dark, tried), dark) for tried in TRIED]
    # At the height it has, the width with the proportions of the place.
    wanted = min(max(round(_size(found[-1])[1] * width / height), NARROWEST), WIDEST)
    if min(abs(wanted - tried) for tried in TRIED) > 40:
        found.append(to_svg(figure.draw(dark, wanted), dark))

    def share(svg):
        wide, high = _size(svg)
        return min(width / wide, height / high) ** 2 * wide * high

    return max(found, key=share)


def _size(svg):
    """Width and height of an SVG, pixels."""
    root = _ROOT.search(svg)[0]
    return tuple(float(re.search(rf'\b{name}="([\d.]+)', root)[1]) for name in ("width", "height"))


def _placed(svg, left, top, right, bottom):
    """An SVG inside another one, as large as it fits into a place, in its middle."""
    (wide, high), root = _size(svg), _ROOT.search(svg)
    scale = min((right - left) / wide, (bottom - top) / high)
    x, y = left + (right - left - scale * wide) / 2, top + (bottom - top - scale * high) / 2
    place = f'x="{x:.2f}" y="{y:.2f}" width="{scale * wide:.2f}" height="{scale * high:.2f}"'
    start = f'<svg {place} viewBox="0 0 {wide:g} {high:g}">'
    return start + _numbered(svg[root.end() :])


def _numbered(svg):
    """Ids from 0 on in each SVG: the converter counts on from one to the next."""
    ids = {name: f"part{number}" for number, name in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]+)"', svg)))}
    named = re.sub(r'\bid="([^"]+)"', lambda found: f'id="{ids[found[1]]}"', svg)
    return re.sub(r"url\(#([^)]+)\)", lambda found: f"url(#{ids.get(found[1], found[1])})", named)
