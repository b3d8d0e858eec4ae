"""What is written below every drawing of a sensitivity: how parts were hidden, how many runs, what it is and what it is not."""

from __future__ import annotations

from hierviz.charts._text import wrap_words
from hierviz.charts.theme import SMALL, palette
from hierviz.diagnosis._sensitivity import WHAT_IT_IS

LINE = 17


def note_lines(found, width, more="", dark=False):
    """Rows of `texts` from y = 0 on, `LINE` pixels each.

    Parameters
    ----------
    found : Sensitivity or AverageSensitivity
    width : float
        Pixels.
    more : str
        Sentences that come first.
    dark : bool
    """
    notes = [note[:1].upper() + note[1:] for note in found.notes]
    runs = f"{found.n_runs:,} runs of {found.model}."
    if hasattr(found, "level"):
        more = f"{more} Intervals at {100 * found.level:g} %, each by itself, over {found.n_samples:,} samples.".strip()
    if found.parts.kind == "picture":
        dot = "A dot marks a place whose interval excludes 0." if hasattr(found, "level") else ""
        more = f"Each place shows the mean effect of the patches that cover it. {dot} {more}".strip()
    said = " ".join(filter(None, (*more.split(), WHAT_IT_IS, *(f"{note}." for note in notes), runs)))
    colour = palette(dark).muted
    lines = wrap_words(said, width, SMALL, 40)
    return [{"x": 0, "y": LINE * k + 8, "text": line, "colour": colour, "size": SMALL} for k, line in enumerate(lines)]
