"""Samples in pictures or texts, each with its truth, its answer and a link to the page Examples."""

import streamlit as st

from hierviz.app.state.escape import escape
from hierviz.app.widgets.figure import picture_url
from hierviz.app.widgets.links import link_to_sample
from hierviz.messages.errors import first_words

WIDTH, PICTURE = 160, 144


def gallery(model, key, rows, pairs, outcome="wrong", notes=None):
    """Draw a card for each of some samples.

    Parameters
    ----------
    model : Evaluation
    key : str
        Of the model.
    rows : sequence of int
        Rows of the Predictions.
    pairs : sequence of (str, str)
        Truth and answer of each in words.
    outcome : str
        Of all of them, which Examples shows too.
    notes : sequence of str, optional
        A line below each; cards have a border then.
    """
    predictions, width = model.predictions, WIDTH + 12 * (notes is not None)
    with st.container(horizontal=True, gap="medium"):
        for place, (row, (truth, answer)) in enumerate(zip(rows, pairs, strict=True)):
            sample = predictions.sample_id(int(row))
            with st.container(width=width, border=notes is not None):
                picture, text = predictions.picture(int(row)), predictions.text(int(row))
                if picture:
                    st.image(picture_url(picture), width=PICTURE - 8 * (notes is not None), alt=f"Sample {sample}")
                else:
                    st.caption(escape(first_words(text, 140) if text else sample))
                st.markdown(f"{escape(truth)}  \n→ :orange[{escape(answer)}]")
                if notes is not None:
                    st.caption(notes[place])
                link_to_sample("Details", sample=sample, outcome=outcome, model=key)
