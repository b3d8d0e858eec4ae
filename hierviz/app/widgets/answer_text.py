"""The text in which a language model answers, with the names of classes in it marked."""

import streamlit as st

from hierviz.app.state.escape import escape
from hierviz.predictions.outside import TEXT
from hierviz.readers.named_in_text import REASONS, named_in_text

# Background of the names, by their role and what it is called.
LOOKS = {"named": "green", "denied": "orange", "part": "gray"}
WORDS = {"named": "a class", "denied": "denied, compared or asked", "part": "a part of a longer name"}


def answer_text(predictions, row):
    """The text of a sample, and which class it names, or why none; nothing for other predictions."""
    if TEXT not in predictions.attributes:
        return
    text, taxonomy = str(predictions.attributes[TEXT][row]), predictions.taxonomy
    found = named_in_text(text, taxonomy)
    if not text.strip():
        st.caption("The model's text is empty.")
        return
    st.markdown(f"> {marked(text, found.mentions)}")
    roles = list(dict.fromkeys(mention.role for mention in found.mentions))
    legend = " · ".join(f":{LOOKS[role]}-background[{WORDS[role]}]" for role in roles)
    named = (
        f"It names {taxonomy.title(found.node)}." if found.node >= 0 else f"No answer of a class: {REASONS[found.why]}."
    )
    st.caption(" ".join(filter(None, (f"The model's text. {escape(named)}", legend))))


def marked(text, mentions):
    """A text as Markdown with the names of classes marked."""
    parts, end = [], 0
    for mention in sorted(mentions):
        parts += [
            escape(text[end : mention.start]),
            f":{LOOKS[mention.role]}-background[{escape(text[mention.start : mention.end])}]",
        ]
        end = mention.end
    return "".join([*parts, escape(text[end:])])
