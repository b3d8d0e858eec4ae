"""Text as pages show it: escaped for Markdown, and messages with the labels of fields, quoting little of a file."""

import re

from hierviz.messages.errors import HiervizError
from hierviz.messages.parameters import named, template_of
from hierviz.opening.options import field

MOST_QUOTED = 60
# A value as `repr` writes it.
QUOTED = re.compile(r"""(?<![\w\\])(?:'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")(?!\w)""", re.DOTALL)
# Values of a list that are left out entirely.
LEFT_OUT = re.compile(r"""(?:, (['"])…\1)+""")


def escape(text):
    """Text that Markdown shows as it is, on one line: names of classes, samples and files may hold anything.

    Backslashes keep signs from being read as Markdown. They are gone when Streamlit looks for bare addresses, emoji, icons
    and arrows, which an invisible word joiner keeps apart; at the start of a text it precedes what opens a list, a
    rule, a heading or a block of code.
    """
    text = re.sub(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+", " ", str(text))
    text = _TAKEN_APART.sub(rf"\g<0>{JOINER}", text)
    # A colon matters only before a word, as in :red[...].
    text = re.sub(r"[\\`*_{}\[\]()#+!|<>~$&]|:(?=\w)", r"\\\g<0>", text)
    return JOINER + text if re.match(r"[-=:\s]|\d+\.", text) else text


JOINER = "\N{WORD JOINER}"
_TAKEN_APART = re.compile(
    r""":(?=//)|(?<!\w)www(?=\.)|@(?=[-\w])  # http://a.example, www.a.example, me@a.example
    | :(?=material/|[-+\w]+(?::|$))  # :material/home:, :smile:, also where the text is followed by a colon
    | (?<!\S)[-<>~](?=(?:->|[-=>])(?!\S))  # arrows and other signs on their own: ->, <->, --, >=, ~=
    """,
    re.VERBOSE | re.IGNORECASE,
)


def in_form_words(message, *, is_of_path=False, words=field):
    """An error or a note with the labels of fields for parameters.

    Parameters
    ----------
    message : HiervizError, Sentence or str
    is_of_path : bool
        The message is about a file that was named by its path: its content is quoted as by `quoting_little`.
    words : callable
        Of a parameter; `hierviz.opening.options.flag` where files were named on the command line.
    """
    text = quoting_little(template_of(message)) if is_of_path else template_of(message)
    # An error is one short line.
    return HiervizError(text).said(words) if isinstance(message, HiervizError) else named(text, words)


def quoting_little(message):
    """A message whose quoted values have at most `MOST_QUOTED` characters in all; what is over is left out.

    For files that are named by their path: a mistyped path may name a private file.
    """
    left = MOST_QUOTED

    def cut(match):
        nonlocal left
        mark, inside = match[0][0], match[0][1:-1]
        kept, left = inside[: max(left, 0)], left - len(inside)
        return match[0] if kept == inside else f"{mark}{kept}…{mark}"

    return LEFT_OUT.sub(", …", QUOTED.sub(cut, message))


def sentence(note):
    """As `in_form_words`, for a note that starts with a small letter; names of files keep theirs."""
    words = in_form_words(note)
    return words[:1].upper() + words[1:] if words.split(" ", 1)[0].isalpha() else words
