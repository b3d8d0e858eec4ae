"""Errors of the core as the app's forms say them: with their own words for flags, and with little of a file."""

import re

# The longer ones first: one flag may be the start of another.
FLAGS = {
    "with --truth-column": "under 'Column of the truth'",
    "--truth-column": "'Column of the truth'",
    "--parametrisation": "'What the scores mean'",
    "--classes": "'Class names of the columns'",
    "--scores": "'What the scores mean'",
    "--output": "'Output with the scores'",
    "--layout": "'Where the colours stand'",
    "--size": "'Size of the pictures'",
    "--colour": "'Order of the colours'",
    "--range": "'Scale of the pictures'",
    "--mean": "'mean'",
    "--std": "'std'",
    "with --memory-mb": "by starting the app with --memory-mb",
    "with --cpu-seconds": "by starting the app with --cpu-seconds",
    "or leave --strict out": "or switch off 'Stop at a picture that cannot be read'",
    "--media": "'Pictures to show'",
}

MOST_QUOTED = 60
# A value as `repr` writes it.
QUOTED = re.compile(r"""(?<![\w\\])(?:'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")(?!\w)""", re.DOTALL)


def in_form_words(message):
    """A message with the names of the forms' fields in place of flags and keywords."""
    message = re.sub(r" ?[(;] ?in Python: [^()]*\)", lambda one: ")" if one[0].startswith(";") else "", message)
    for flag, words in FLAGS.items():
        message = re.sub(rf"{flag}(?![\w-])", words, message)
    return message.replace("the caller", "you")


def quoting_little(message):
    """A message whose quoted values have at most `MOST_QUOTED` characters in all; what is over is left out.

    For files that are named by their path: a slip of the pen may name one whose content is nobody's business.
    """
    left = MOST_QUOTED

    def cut(found):
        nonlocal left
        mark, inside = found[0][0], found[0][1:-1]
        kept, left = inside[: max(left, 0)], left - len(inside)
        return found[0] if kept == inside else f"{mark}{kept}…{mark}"

    return QUOTED.sub(cut, message)


def sentence(note):
    """As `in_form_words`, for a note that starts with a small letter; names of files keep theirs."""
    words = in_form_words(note)
    return words[:1].upper() + words[1:] if words.split(" ", 1)[0].isalpha() else words
