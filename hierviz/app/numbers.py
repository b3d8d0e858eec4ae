"""Numbers that open to their definition, formula, source and, for a sample, their arithmetic."""

import math
import re

import streamlit as st

from hierviz.metrics import METRICS
from hierviz.number_text import value_text

BLOCK_TITLES = {
    "distribution": "Of the probabilities",
    "top_down": "Of the best leaf, found from the top down",
    "predicted": "Of the answer",
    "curve": "Of all thresholds",
    "confusion": "Of the nodes on both paths",
    "per_sample": "Of one sample",
}


def shown(key, value):
    """A value as text: yes or no, a count, or decimals; – where undefined."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if value in ("Infinity", math.inf):
        return "∞"
    if key in ("exact", "correct") and value in (0, 1):
        return "yes" if value else "no"
    if METRICS[key].unit in ("nodes", "samples", "points", "edges") and float(value).is_integer():
        return f"{int(value):,}"
    return value_text(float(value))


def number(key, value, arithmetic=None, *, label=None, where=""):
    """A button with label and value that opens to where the number comes from."""
    entry = METRICS[key]
    with st.popover(f"{label or entry.label}  **{shown(key, value)}**", key=f"number-{where}-{key}"):
        definition(key)
        if arithmetic:
            st.markdown(f"**This sample:** {escape(arithmetic)}")


def definition(key):
    """Sentence, formula, range and source of a number."""
    entry = METRICS[key]
    st.markdown(f"**{entry.label}.** {escape(entry.sentence)}")
    st.latex(entry.formula)
    low, high = ("∞" if math.isinf(one) else f"{one:g}" for one in entry.range)
    unit = f" {entry.unit}" if entry.unit else ""
    better = {"higher": "higher is better", "lower": "lower is better", "neither": ""}[entry.better]
    st.caption(f"From {low} to {high}{unit}{'; ' + better if better else ''}. Source: {entry.source}.")


def definitions(keys, where):
    """A row of buttons, one per number, each opening to its definition."""
    with st.container(horizontal=True, gap="small"):
        for key in keys:
            with st.popover(METRICS[key].label, type="tertiary", key=f"definition-{where}-{key}"):
                definition(key)


def escape(text):
    """Text that Markdown shows as it is, on one line: names of classes, samples and files may hold anything.

    Backslashes keep signs from being read as Markdown. They are gone when Streamlit looks for bare addresses, emoji, icons
    and arrows, which an invisible word joiner keeps apart; at the start of a text it stands before what opens a list, a
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
    | (?<!\S)[-<>~](?=(?:->|[-=>])(?!\S))  # arrows and other signs that stand alone: ->, <->, --, >=, ~=
    """,
    re.VERBOSE | re.IGNORECASE,
)
