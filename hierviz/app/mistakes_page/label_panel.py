"""Candidates for wrong truths, and what the visitor thinks of them."""

from __future__ import annotations

import streamlit as st

from hierviz.app.mistakes_page import marks, sample_table
from hierviz.app.state.escape import escape
from hierviz.app.widgets.progress import worked_out
from hierviz.diagnosis._label_errors import label_errors


def draw(asked):
    """The candidates with marks and notes, and the export of these."""
    reason = asked.model.why_no_curve() or asked.answers.why_not_single()
    if reason:
        st.info(
            f"No candidates for wrong truths: {escape(reason)}. Samples of the ranked list can still be marked.",
            icon=":material/info:",
        )
    else:
        what = "Candidates for wrong truths"
        found = worked_out(
            "label errors", asked.where, what, lambda stages: label_errors(asked.answers, progress=stages(what))
        )
        if found is None:
            return
        st.warning(escape(found.caution), icon=":material/warning:") if len(found) else None
        st.markdown(
            "Wrong answers that are far more probable than the truth come first. The score is the probability of the branch of "
            "the answer minus that of the branch of the truth, at the class where both paths part. Check the sample, then mark "
            "the truth as doubtful or the model as wrong."
        )
        extra = {"score": found.score, "p (answer)": found.p_answer}
        helps = {"p (answer)": "Probability of the answer itself, as on Examples"}
        for side, p in (("answer", found.p_predicted), ("truth", found.p_true)):
            extra[f"p (branch of {side})"] = p
            helps[f"p (branch of {side})"] = f"Probability of the class on the path to the {side} where both paths part"
        sample_table.draw(asked, found.row, asked.severities[0], "labels", extra, helps)
    marks.export(asked)
