"""What scores that a file does not list could change of one sample: intervals of probabilities and of the win, and why."""

import numpy as np
import streamlit as st

from hierviz.app.state.escape import escape
from hierviz.evaluation.unknown_mass import node_bounds, win_bounds
from hierviz.messages.number_text import count_text, value_text


def node_intervals(predictions, row):
    """Lowest and highest probability of each node of a sample, two arrays of shape (n_nodes,); None where all is known."""
    if not predictions.has_unknown or not predictions.taxonomy.is_tree:
        return None
    low, high = node_bounds(predictions, np.array([row]))
    return low[0], high[0]


def unknown_scores(predictions, row, truth):
    """Say what is not known of a sample, and what could follow from it; nothing where all scores are listed.

    Parameters
    ----------
    predictions : Predictions
        With scores.
    row : int
    truth : int or None
        The one true class.
    """
    if not predictions.has_unknown:
        return
    scores = predictions.scores
    listed = int(scores.lengths[row])
    text = (
        f"The file lists the scores of {count_text(listed)} of {count_text(scores.n_columns)} classes for this sample. The other "
        "classes count as 0 here; their scores are unknown."
    )
    if truth is not None and predictions.taxonomy.is_tree:
        bounds = win_bounds(predictions, np.array([row]))
        said = [
            f"{what} between {value_text(float(bounds[name][0][0]))} and {value_text(float(bounds[name][1][0]))}"
            for what, name in (("the win would lie", "win"), ("the probability of the truth", "p_truth"))
        ]
        text += f" With all scores {said[0]}, {said[1]}."
    st.caption(escape(text))
