"""On which part of the taxonomy the files are judged: a cut, the classes that the models know, inner truths."""

from __future__ import annotations

import streamlit as st

from hierviz.app.widgets.parameter_labels import LABELS

CUTS = {"": "the whole taxonomy", "max_depth": "cut at a depth", "cut_level": "cut at a rank"}
CLASSES = {False: "all classes", True: "only those that the models know"}
UNSEEN = {"": "left out, counted", "project": "judged at their nearest known ancestor", "error": "an error"}
INNER = {"": "the end of their own path", "other": "a leaf “other” below them"}


def projection_fields():
    """Ask for it; returns `Files.projection`, empty where the whole taxonomy is meant."""
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
        st.caption("How many truths were moved or left out stands in the account of each file after opening.")
    return asked
