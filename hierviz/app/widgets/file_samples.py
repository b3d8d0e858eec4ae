"""Small examples of files, which can be opened as they are."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state

TAXONOMY = "parent,child\nanimal,mammal\nmammal,cat\nmammal,dog\nanimal,newt\n"
PREDICTIONS = "sample_id,cat,dog,newt\na,0.7,0.2,0.1\nb,0.3,0.4,0.3\n"
TRUTH = "sample_id,truth,camera\na,cat,north\nb,mammal,south\n"
# By where the predictions come from: title, file or sentence, and a note on the file.
OF_FILES = (
    ("Taxonomy", TAXONOMY, "Parents and children; one level per column, paths, JSON and other forms work too."),
    ("Predictions", PREDICTIONS, "A score for each class; lists of the best classes and labels work too."),
    ("Truth", TRUTH, "Leaves or inner classes. Further columns are attributes to filter and compare by."),
)
OF_MODELS = (
    OF_FILES[0],
    (
        "Inputs",
        "weight,legs,length\n4.1,4,46\n0.02,4,11\n",
        "One row per sample; or a zip of pictures, texts, .npy, .npz.",
    ),
    OF_FILES[2],
)


def file_samples(kind):
    """Small files side by side, or folded and one below the other where the page is narrow.

    Parameters
    ----------
    kind : {'Predictions', 'Model'}
    """
    samples, is_wide = OF_FILES if kind == "Predictions" else OF_MODELS, state.session.px > 600
    with st.expander("How the files look", icon=":material/table:", expanded=is_wide):
        columns = st.columns(len(samples)) if is_wide else [st.container() for _ in samples]
        for column, (title, text, note) in zip(columns, samples, strict=True):
            with column:
                st.markdown(f"**{title}**")
                st.code(text.rstrip("\n"), language=None)
                st.caption(note)
