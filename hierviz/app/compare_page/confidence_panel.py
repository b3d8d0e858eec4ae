"""How the confidence of the answers is calibrated: the choice that all pages keep, and the ways compared on held-out folds."""

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import table
from hierviz.app.widgets.confidence import GROUP, group_of
from hierviz.app.widgets.controls import model_control, pick
from hierviz.app.widgets.progress import choice_key, is_wanted, worked_out
from hierviz.evaluation._answer_confidence import N_FOLDS, answer_confidence, why_no_confidence
from hierviz.evaluation.common_samples import JudgedSamples, group_columns
from hierviz.messages.errors import HiervizError
from hierviz.uncertainty.confidence_folds import MAPS, MAPS_OF_ANSWERS

WORDS = (
    "A map changes the confidence that is shown with an answer, on all pages; each sample's is fitted on the four other folds. "
    "Node probabilities, and with them answers and curves, stay as they are."
)
GROUPED = "Samples of one user, document or place are dependent: a group is in one fold."


def draw(data, choice):
    """The choice, and the table of one model on request."""
    st.markdown("**Confidence of the answers**")
    key = state.shown_model_of(data.models)
    reason = why_no_confidence(data.models[key], choice["rule"])
    if reason is not None:
        st.caption(f"There is none to calibrate: {escape(reason)}.")
        return
    st.markdown(WORDS)
    ways = {"": MAPS["none"]} | {how: MAPS[how] for how in MAPS_OF_ANSWERS}
    pick("Confidence", ways, "confidence", segmented=not state.is_narrow(), in_popover=True)
    columns = _columns(data, key)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = model_control(data, in_popover=True)
        if columns:
            names = {"": "no groups"} | {name: name for name in columns}
            pick("Samples belong together by", names, GROUP, help=GROUPED)
    _comparison(data, key, choice)


def _columns(data, key):
    """Columns with enough groups for the folds."""
    samples = JudgedSamples(data.models[key], data.models[key].rows)

    def enough():
        return [name for name in group_columns(samples) if len(set(samples.groups(name).tolist())) >= N_FOLDS]

    return state.computed("columns of folds", (data.digest, key), enough)


def _comparison(data, key, choice):
    """The ways on held-out folds, once they are asked for."""
    model = data.models[key]
    group = group_of(model)
    asked = (data.digest, key, choice_key(choice), group)
    if not is_wanted("confidence maps", asked, False, "Compare on held-out folds", icon=":material/compare_arrows:"):
        return

    def made(told):
        try:
            return answer_confidence(model, "none", group=group, **choice).compared(told)
        except HiervizError as error:
            return str(error)

    found = worked_out("confidence maps", asked, "Comparing the ways to calibrate", made, "folds")
    if found is None:
        return
    if isinstance(found, str):
        st.error(escape(found), icon=":material/error:")
        return
    st.markdown(escape(found.sentence))
    numbers = found.to_frame()
    cells = pd.DataFrame({"Confidence": found.name})
    for head, name in (("Log loss", "log_loss"), ("Brier", "brier")):
        ends = zip(*(numbers[f"{name}{end}"].tolist() for end in ("", "_lower", "_upper")), strict=True)
        cells[head] = [table.cell_text(value, (lower, upper)) for value, lower, upper in ends]
    cells["ECE"], cells["if calibrated"] = found.ece, found.ece_calibrated
    columns = dict.fromkeys(cells) | {
        "ECE": table.number(),
        "if calibrated": table.number(help="Mean ECE of calibrated confidences."),
    }
    table.draw(cells, columns, key=f"confidence-maps-{key}", width="content")
    st.caption(
        "Answers below the root, the same for all ways; lower is better. In brackets 95 % bootstrap intervals; an ECE has none: "
        "compare it with *if calibrated*. A temperature changes all node probabilities, and with them the answers."
    )
