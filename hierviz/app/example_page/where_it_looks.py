"""Where the model looks on a sample of the page Examples, or on the mean of those that its filters leave."""

import numpy as np
import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.model_page.where_it_looks import panel
from hierviz.app.state.escape import escape, in_form_words
from hierviz.app.widgets import table
from hierviz.app.widgets.looked import looked_at
from hierviz.charts.export import picture_url
from hierviz.charts.theme import answer_text
from hierviz.messages.errors import HiervizError
from hierviz.reports.view_file import SeenCards

# Pixels of the height of a picture before the model is run.
TALL, TALL_ON_PHONE = 520, 300


def _preview(predictions, row):
    """What draws the sample, large: its picture, its text, or the values of its row; None where nothing of it is known."""
    picture, text = predictions.picture(row, most=1024), predictions.text(row)
    if picture:
        alt = f"Sample {predictions.sample_id(row)}"
        wide = TALL_ON_PHONE if state.is_narrow() else TALL

        def drawn():
            state.see("looks-sample", lambda: SeenCards([(picture_url(picture), "", alt, "")]))
            st.image(picture_url(picture), width=wide, alt=alt)

        return drawn
    if text:

        def written():
            state.see("looks-sample", lambda: SeenCards([("", text, f"Sample {predictions.sample_id(row)}", "")]))
            st.markdown(escape(text))

        return written
    known = {key: str(values[row]) for key, values in predictions.attributes.items()}
    rows = pd.DataFrame({"column": list(known), "value": list(known.values())})
    return (lambda: table.draw(rows, key="looks-sample")) if known else None


def looks_panel(data, key, row, p, predicted, truth, outcome, chosen, choice):
    """One line about the sample, and below it what moves the model.

    Parameters
    ----------
    data : Dataset
    key : str
        Of the model.
    row : int
    p : ndarray of float, shape (n_nodes,)
    predicted : int or list of int
    truth : int or None
    outcome : str or None
    chosen : selection
        Samples that the filters leave.
    choice : dict
    """
    model, taxonomy = data.models[key], data.taxonomy
    predictions = model.predictions
    answer = predicted if isinstance(predicted, int) else None
    said = [f"**{escape(predictions.called(row))}**"]
    said += [] if truth is None else [f"Truth: **{escape(taxonomy.title(truth))}**"]
    said += [] if answer is None else [f"Answer: **{escape(taxonomy.title(answer))}**"]
    said += [answer_text(outcome)] if outcome else []
    st.markdown(" · ".join(said))
    try:
        looked = looked_at(data, key)
    except HiervizError as error:
        st.error(escape(in_form_words(error)), icon=":material/error:")
        return
    if looked is None:
        st.info("The inputs of this model are not known here. Open the model with its inputs.", icon=":material/info:")
        return
    found, ids = looked
    places = {sample: place for place, sample in enumerate(ids.tolist())}
    of_row = [places.get(predictions.sample_id(one)) for one in chosen.rows.tolist()]
    if places.get(predictions.sample_id(row)) is None:
        st.info("The inputs of this sample are not open.", icon=":material/info:")
        return
    several = None
    if predictions.has_single_truth and all(place is not None for place in of_row):
        truths, answers = np.full((2, len(ids)), -1)
        rows = np.array([places.get(sample, -1) for sample in predictions.ids.tolist()])
        truths[rows[rows >= 0]] = np.asarray(predictions.truth)[rows >= 0]
        given = model.answers(**choice)
        if isinstance(given, np.ndarray):
            answers[rows[rows >= 0]] = given[rows >= 0]
            several = of_row, truths, answers
    place = places[predictions.sample_id(row)]
    shown = panel(found, place, p, answer, truth, several, preview=_preview(predictions, row))
    # What is saved is what is seen.
    of = data.digest, key, state.view().sample
    state.memory("looks shown")["found"] = of, shown
