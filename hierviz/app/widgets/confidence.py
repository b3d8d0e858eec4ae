"""The confidence of the answers as the visitor wants it calibrated, on all pages: what is shown, and how it is said."""

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.progress import choice_key
from hierviz.evaluation._answer_confidence import answer_confidence, why_no_confidence
from hierviz.messages.errors import HiervizError

# Memory and field of the column whose values are groups; empty for none.
GROUP = ("confidence", "group")


def group_of(model):
    """The column of groups that was chosen; None where there is none, or the model's samples lack it."""
    group = state.view().choice(*GROUP, "")
    return group if group in model.predictions.attributes else None


def chosen_confidence(data, key, choice):
    """The AnswerConfidence of a model that the visitor wants; None where it is wanted as it is, or there is none.

    Parameters
    ----------
    data : Dataset
    key : str
        Of the model.
    choice : dict
        Keywords of `Evaluation.answers`.
    """
    how, model = state.view().confidence, data.models[key]
    if not how or why_no_confidence(model, choice["rule"]) is not None:
        return None
    group = group_of(model)

    def made():
        try:
            return answer_confidence(model, how, group=group, **choice)
        except HiervizError as error:
            return str(error)

    found = state.computed("confidence", (data.digest, key, choice_key(choice), how, group), made)
    if isinstance(found, str):
        st.caption(f":material/error: {escape(found)}")
        return None
    return found


def confidence_line(data, key, row, choice):
    """The confidence of the answer to one sample in a line; nothing where it is shown as it is."""
    found = chosen_confidence(data, key, choice)
    if found is None:
        return
    name = escape(data.taxonomy.title(int(found.predicted[row])))
    st.markdown(f":material/target: Confidence of **{name}**: {escape(found.text(row))}.")
