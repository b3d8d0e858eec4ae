"""Next to a sample on demand: clear cases of the true and of the answered class, to compare it with."""

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.links import link_to_sample
from hierviz.charts.export import picture_url
from hierviz.diagnosis import typical_samples
from hierviz.messages.errors import first_words
from hierviz.messages.number_text import probability_text

# Pixels of a card, letters of a text.
WIDTH, LETTERS = 260, 300


def typical_panel(data, key, row, choice, truth, predicted):
    """A switch, and below it a picture or text of both classes.

    Parameters
    ----------
    data : Dataset
    key : str
        Of the model.
    row : int
        The sample, which is none of the cases.
    choice : dict
        Rule, threshold and parameters of the page.
    truth, predicted : int
        Node numbers.
    """
    model = data.models[key]
    has_pictures = model.predictions.picture(row) is not None
    label = f"Typical {'pictures' if has_pictures else 'samples'} of the true and the answered class"
    if st.toggle(label, **state.kept("typical", "shown", False)):
        typical_cases(data, key, row, choice, truth, predicted)


def typical_cases(data, key, row, choice, truth, predicted, width=WIDTH):
    """A picture or text of both classes, each `width` pixels wide; other parameters as of `typical_panel`."""
    model = data.models[key]
    named = [("Truth", truth)] + [("Answer", predicted)] * (predicted not in (0, truth))
    with st.container(horizontal=True, gap="medium", key="typical"):
        for what, node in named:
            asked = (data.digest, key, row, node, tuple(sorted(map(str, choice.items()))))
            found = state.computed(
                "typical", asked, lambda node=node: typical_samples(model, node, **choice, but=(row,)).tolist()
            )
            with st.container(width=width):
                st.markdown(f"{what}: **{escape(data.taxonomy.title(node))}**")
                if found:
                    _card(model.predictions, key, found[0], node, width)
                else:
                    st.caption("No other sample of this class is answered exactly right.")
    st.caption(
        "Of the samples of the class that are answered exactly right, the one with the highest probability of the class."
        if model.predictions.has_scores
        else "The first sample of the class that is answered exactly right."
    )


def _card(predictions, key, row, node, width):
    sample, picture, text = predictions.sample_id(row), predictions.picture(row), predictions.text(row)
    if picture:
        st.image(picture_url(picture), width=width - 60, alt=f"Sample {sample}")
    else:
        st.caption(escape(first_words(text, LETTERS) if text else sample))
    if predictions.has_scores:
        p = float(predictions.node_probabilities([row])[0, node])
        st.caption(f"{escape(predictions.called(row))}: p = {probability_text(p)}")
    link_to_sample("Details", sample=sample, model=key)
