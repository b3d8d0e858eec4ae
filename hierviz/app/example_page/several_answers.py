"""How many answers a sample has, and how sure the share of its class is."""

import numpy as np
import streamlit as st

from hierviz.app.state.escape import escape
from hierviz.messages.number_text import probability_text
from hierviz.uncertainty._vote_shares import counted_answers, has_votes, vote_shares


def several_answers(predictions, row, predicted):
    """Say how many answers a sample has, and how many of them are at or below the class of the rule; nothing for scores.

    Parameters
    ----------
    predictions : Predictions
    row : int
    predicted : int, list of int or None
        Of the rule.
    """
    if not has_votes(predictions):
        return
    shares, taxonomy = vote_shares(predictions, np.array([row])), predictions.taxonomy
    n = shares.n_answers[0]
    text = f"This sample has {counted_answers(n)}."
    if n:
        text += " The probability of a class is the share of them at or below it"
        nodes = [node for node in np.atleast_1d(-1 if predicted is None else predicted).tolist() if node > 0]
        said = [
            f"{taxonomy.title(node)} has {shares.at_or_below[0, node]:,.0f} "
            f"({probability_text(shares.share(0, node))}, 95 % interval {probability_text(shares.low[0, node])} to "
            f"{probability_text(shares.high[0, node])})"
            for node in nodes[:3]
        ]
        text += f": {'; '.join(said)}." if said else "."
        unassigned = shares.at_or_below[0, -1]
        if unassigned:
            answer = "1 answer names" if unassigned == 1 else f"{unassigned:,.0f} answers name"
            text += f" {answer} no class below {taxonomy.title(0)}."
        text += " The interval is Wilson's, for one class, as if the answers were independent."
    st.caption(escape(text))
