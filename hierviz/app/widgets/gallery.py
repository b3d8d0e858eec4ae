"""Mistakes in pictures: the first few samples of a selection, each with a link to the whole story."""

import streamlit as st

from hierviz.app import state
from hierviz.app.widgets import numbers, shell
from hierviz.app.widgets.figure import picture_url
from hierviz.messages.errors import first_words

MOST, WIDTH = 6, 160


def gallery(model, key, rows, pairs, most=MOST):
    """Picture or text, truth and answer of some samples.

    Parameters
    ----------
    model : Evaluation
    key : str
        Of the model.
    rows : sequence of int
        Rows of the Predictions.
    pairs : sequence of (str, str)
        Truth and answer of each in words.
    most : int
    """
    predictions = model.predictions
    with st.container(horizontal=True, gap="medium"):
        for row, (truth, answer) in list(zip(rows, pairs))[:most]:
            sample = predictions.sample_id(int(row))
            with st.container(width=WIDTH):
                picture, text = predictions.picture(int(row)), predictions.text(int(row))
                if picture:
                    st.image(picture_url(picture), width=144, alt=f"Sample {sample}")
                elif text:
                    st.caption(numbers.escape(first_words(text, 140)))
                else:
                    st.caption(numbers.escape(sample))
                st.markdown(f"{numbers.escape(truth)}  \n→ :orange[{numbers.escape(answer)}]")
                link = state.link(sample=sample, outcome="wrong", model=key)
                st.page_link(shell.page("example"), label="Details", icon=":material/account_tree:", query_params=link)
