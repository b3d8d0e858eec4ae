"""Panel "Guarantee": a threshold with a guarantee for new samples, calibrated on one part and checked on the held-out part."""

import streamlit as st

from hierviz.app.curve_panels import choosing
from hierviz.app.curve_panels.choosing import Setting, group_of, group_setting, percent
from hierviz.app.state.escape import escape
from hierviz.charts import threshold_text
from hierviz.messages.number_text import percent_text
from hierviz.metrics.outcomes import answered_text
from hierviz.metrics.registry import METRICS
from hierviz.thresholds.risk_control import Calibration, guaranteed_keys

ALPHA = percent("alpha", "Mean loss, at most (%)", 10.0, 190, 0.1, 99.9)
LOSS = Setting("loss", "Loss", "correct", 270, lambda _: {key: METRICS[key].loss_label for key in guaranteed_keys()})
CONFIDENCE = percent(
    *("confidence", "Confidence (%)", 90.0, 170, 1.0, 99.9),
    help="Probability that the guarantee holds, over repeated draws of the calibration samples.",
)
FRACTION = percent("fraction", "Calibration part (%)", 50.0, 170, 1.0, 99.0, 5.0, "%.0f")
SEED = Setting("split_seed", "Seed of the split", 0, 150, numbers=(0, 2**31, 1, None))
GROUP = group_setting("split_group", "a group is not divided between the two parts, and counts once.")


def panel(choice, now):
    """Controls, the guarantee, its assumption."""
    key = now.model
    st.markdown(
        "A threshold that reaches a target on these samples may miss it on new ones. Here the threshold is certified on a "
        "calibration part of the samples (Learn then Test, Angelopoulos et al. 2021): with the stated confidence the mean loss "
        "on new samples is at most the chosen value. The held-out part is used only to check the guarantee."
    )
    choosing.ask(choice, ALPHA, LOSS, CONFIDENCE)
    choosing.ask(choice, FRACTION, SEED, GROUP)
    _show(choice, key, guarantee(choice, key))


def guarantee(choice, key):
    """The Guarantee of a model for the settings; raises a HiervizError where the samples cannot be split."""
    samples = choice.samples()[key]
    group = group_of(GROUP, choice)
    split = LOSS.value(), FRACTION.value() / 100, SEED.value()

    def made():
        groups = None if group is None else samples.groups(group)
        return Calibration.of(choice.taxonomy, samples.truth, samples.table, *split, groups)

    # Whole percentages stay what they are: 1 - 0.9 is not 0.1.
    level = ALPHA.value() / 100, round(1 - CONFIDENCE.value() / 100, 12)
    calibration = choice.computed("calibration", made, key, group, *split)
    return choice.computed("guarantee", lambda: calibration.certified(*level), key, group, *split, *level)


def _show(choice, key, certified):
    units, name = f"{certified.unit}s", escape(choice.name(key))
    with st.container(border=True):
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
        here = choice.samples()[key].curve.at(certified.threshold)
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
