"""How files are read, and on which part of the taxonomy they are judged: fields for the reading options of `Files`."""

from __future__ import annotations

import streamlit as st

from hierviz.app.widgets.ways_out import reading
from hierviz.opening.files import OPTIONS
from hierviz.opening.options import LABELS
from hierviz.readers.raw_predictions import IDS

# In the order of the form; buttons below an error fill in the last ones.
ORDER = (
    "taxonomy_form",
    "taxonomy_direction",
    "taxonomy_separator",
    "predictions_form",
    "parametrisation",
    "percent",
) + ("truth_column", "ids", "missing")
KEPT = ("parametrisation", "percent", "truth_column", "ids", "missing")
_START = {"percent": False, "ids": IDS[0]}
CUTS = {"": "the whole taxonomy", "max_depth": "cut at a depth", "cut_level": "cut at a rank"}
CLASSES = {False: "all classes", True: "only those that the models know"}
UNSEEN = {"": "left out, counted", "project": "judged at their nearest known ancestor", "error": "an error"}
INNER = {"": "the end of their own path", "other": "a leaf “other” below them"}


def reading_fields():
    """Ask how the files are read; returns keywords of `Files`."""
    said = {}
    for name in ORDER:
        option, start = OPTIONS[name], _START.get(name, "")
        kept = reading(name, start) if name in KEPT else {}
        if name == "percent":
            said[name] = st.checkbox(option.label, **kept)
        elif option.offered is None:
            text = st.text_input(f"{option.label} (empty: detect)", **kept)
            said[name] = text.replace("\\t", "\t") if name == "taxonomy_separator" else text
        else:
            words = option.offered
            said[name] = st.selectbox(
                option.label, list(words), format_func=words.get, help=option.hint or None, **kept
            )
    return {name: value or None for name, value in said.items() if name != "percent" and value != _START.get(name)} | {
        "percent": said["percent"]
    }


def projection_fields():
    """Ask for the part of the taxonomy; returns `Files.projection`, empty for the whole."""
    asked = {}
    with st.expander("Judge on a part of the taxonomy"):
        cut = st.selectbox("Judged on", list(CUTS), format_func=CUTS.get, key="projection_cut")
        if cut == "max_depth":
            asked["max_depth"] = int(
                st.number_input("Depth in edges from the root", 1, 1000, 2, key="projection_depth")
            )
        elif cut == "cut_level":
            rank = st.text_input(
                "Rank",
                key="projection_rank",
                help="Header of a level column of the taxonomy, a value of the node attribute `rank`, or a depth. Leaves above "
                "it stay.",
            )
            asked |= {"cut_level": rank.strip()} if rank.strip() else {}
        known = st.selectbox(
            LABELS["only_known"],
            list(CLASSES),
            format_func=CLASSES.get,
            key="projection_known",
            help="Those with a column of scores, and their ancestors; of labels those that the class names list.",
        )
        if known:
            asked["only_known"] = True
            unseen = st.selectbox(LABELS["unseen"], list(UNSEEN), format_func=UNSEEN.get, key="projection_unseen")
            asked |= {"unseen": unseen} if unseen else {}
        inner = st.selectbox("Inner classes as truth are", list(INNER), format_func=INNER.get, key="projection_inner")
        asked |= {"inner_truth": inner} if inner else {}
        st.caption("The account of each file after opening gives how many truths were moved or left out.")
    return asked
