"""Panel "Guarantee": a threshold with a guarantee for new samples, calibrated on one part and checked on the held-out part."""

import streamlit as st

from hierviz.app import state
from hierviz.app.curve_panels import choosing
from hierviz.app.state.escape import escape
from hierviz.charts import threshold_text
from hierviz.evaluation.common_samples import group_columns
from hierviz.messages.errors import HiervizError
from hierviz.messages.number_text import percent_text
from hierviz.metrics.outcomes import answered_text
from hierviz.metrics.registry import METRICS
from hierviz.thresholds.risk_control import guaranteed_keys, guaranteed_threshold

ALONE = "no groups"
# What is asked for at first, in percent.
ALPHA, CONFIDENCE, SHARE = 10.0, 90.0, 50.0


def panel(choice, now):
    """Controls, the guarantee, its assumption."""
    key = now.model
    st.markdown(
        "A threshold that reaches a target on these samples may miss it on new ones. Here the threshold is certified on a "
        "calibration part of the samples (Learn then Test, Angelopoulos et al. 2021): with the stated confidence the mean loss "
        "on new samples is at most the chosen value. The held-out part is used only to check the guarantee."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "Mean loss, at most (%)", 0.1, 99.9, step=1.0, format="%.1f", **choosing.kept("alpha", ALPHA, width=190)
        )
        st.selectbox(
            "Loss",
            format_func=lambda key: METRICS[key].loss_label,
            **choosing.kept("loss", "correct", guaranteed_keys(), width=270),
        )
        st.number_input(
            "Confidence (%)",
            1.0,
            99.9,
            step=1.0,
            format="%.1f",
            help="Probability that the guarantee holds, over repeated draws of the calibration samples.",
            **choosing.kept("confidence", CONFIDENCE, width=170),
        )
    columns = (ALONE, *choosing.columns_of(choice, group_columns))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "Calibration part (%)", 1.0, 99.0, step=5.0, format="%.0f", **choosing.kept("fraction", SHARE, width=170)
        )
        st.number_input("Seed of the split", 0, 2**31, step=1, **choosing.kept("split_seed", 0, width=150))
        if len(columns) > 1:
            st.selectbox(
                "Group by",
                help="Samples of one user, document or place are dependent: a group is not divided between the two parts, and "
                "counts once.",
                **choosing.kept("split_group", ALONE, columns, width=230),
            )
    try:
        certified = guarantee(choice, key)
    except HiervizError as error:
        st.info(escape(str(error)), icon=":material/info:")
        return
    _show(choice, key, certified)


def guarantee(choice, key):
    """The Guarantee of a model for what is asked; raises a HiervizError where the samples cannot be split."""
    samples = choosing.samples_of(choice)[key]
    columns = (ALONE, *choosing.columns_of(choice, group_columns))
    group = choosing.value("split_group", ALONE, columns)
    asked = {
        "alpha": choosing.value("alpha", ALPHA) / 100,
        # Whole percentages stay what they are: 1 - 0.9 is not 0.1.
        "delta": round(1 - choosing.value("confidence", CONFIDENCE) / 100, 12),
        "key": choosing.value("loss", "correct", guaranteed_keys()),
        "fraction": choosing.value("fraction", SHARE) / 100,
        "seed": choosing.value("split_seed", 0),
    }
    return state.computed(
        "guarantee",
        (choice.data_key, tuple(choice.keys), key, group, tuple(asked.values())),
        lambda: guaranteed_threshold(
            choice.taxonomy,
            samples.truth,
            samples.table,
            groups=None if group == ALONE else samples.groups(group),
            **asked,
        ),
    )


def _show(choice, key, certified):
    units = f"{certified.unit}s"
    with st.container(border=True):
        name = escape(choice.name(key))
        if not certified.is_feasible:
            st.markdown(f"**{name}: no guarantee possible.** {escape(certified.sentence)}")
            st.markdown("Allow a larger loss, lower the confidence, or add samples.")
            return
        st.markdown(f"#### {name}: τ = {threshold_text(certified.threshold)}")
        st.markdown(f"**{escape(certified.sentence)}**")
        loss = METRICS[certified.key].loss_label
        loss = loss[0].upper() + loss[1:]
        chosen, checked, bound = st.columns(3)
        chosen.metric(
            f"{loss}, {certified.n_calibration:,} calibration {units}", percent_text(certified.risk_calibration, 1)
        )
        checked.metric(f"{loss}, {certified.n_check:,} held-out {units}", percent_text(certified.risk_check, 1))
        bound.metric(f"Upper bound for new {units}", percent_text(certified.bound, 1))
        here = choosing.samples_of(choice)[key].curve.at(certified.threshold)
        st.markdown(f"At this threshold, of all samples, {answered_text(here['no_answer'], here['correct'])}.")
        if certified.risk_check > certified.alpha:
            st.markdown(
                f"The mean loss of the held-out {units} is above the guaranteed one. It varies from sample to sample, and with a "
                f"probability of up to {100 * certified.delta:.4g} % the guarantee does not hold. Choose a smaller loss or a "
                "higher confidence if this is too much."
            )
        st.markdown(escape(certified.assumption))
        st.markdown(
            "Choose loss and confidence before looking at the results: trying several values on the same samples invalidates "
            "the guarantee."
        )
    choosing.use_threshold(certified.threshold, key, "guarantee")
