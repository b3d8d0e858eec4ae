"""Text from files as Markdown that shows it unchanged."""

import re


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
