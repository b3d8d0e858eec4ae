"""The text in which a language model answers, with the names of classes in it marked."""

import streamlit as st

from hierviz.app.state.escape import escape
from hierviz.predictions.outside import MARKS, READ_AS, READ_CLASS, TEXT
from hierviz.readers.named_in_text import marks_of
from hierviz.readers.prediction_forms.language_models import NAMED

# Background of the names, by their role and what it is called.
LOOKS = {"named": "green", "denied": "orange", "part": "gray"}
WORDS = {"named": "a class", "denied": "denied, compared or asked", "part": "a part of a longer name"}


def answer_text(predictions, row):
    """The text of a sample, and which class was read of it, or why none; nothing for other predictions."""
    if MARKS not in predictions.attributes:
        return
    text, read_as = str(predictions.attributes[TEXT][row]), str(predictions.attributes[READ_AS][row])
    if not text.strip():
        st.caption("The model's text is empty.")
        return
    mentions = marks_of(str(predictions.attributes[MARKS][row]))
    st.markdown(f"> {marked(text, mentions)}")
    roles = list(dict.fromkeys(mention.role for mention in mentions))
    legend = " · ".join(f":{LOOKS[role]}-background[{WORDS[role]}]" for role in roles)
    name = str(predictions.attributes[READ_CLASS][row])
    named = f"It names {name}." if read_as == NAMED else f"No answer of a class: {read_as}."
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
