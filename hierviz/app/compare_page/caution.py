"""A caution where models are compared at thresholds."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.charts.comparison_words import threshold_caution
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.metrics.registry import METRICS

# Blocks whose numbers depend on no threshold, but for F1 at the majority's.
WITHOUT_THRESHOLD = ("distribution", "curve", "top_down")


def caution(compared, *metrics):
    """Note that one threshold means different things for different models, where a number depends on it."""
    models = [compared.model(key) for key in compared.keys]
    depends = [key for key in metrics if _depends(key)]
    if not depends or not any(model.predictions.has_scores for model in models):
        return
    has_threshold = THRESHOLD.name in INFERENCE_RULES[compared.choice["rule"]].parameters
    of_sets = any(METRICS[key].block == "labels" for key in depends)
    if has_threshold or of_sets:
        words = threshold_caution(len(models), not state.view().own)
        if words:
            names = ", ".join(dict.fromkeys(METRICS[key].label for key in depends))
            st.caption(f":material/info: {escape(names)}: {words}")


def _depends(key):
    if key.endswith(("_auc", "_auc_raw")):
        return False
    return METRICS[key].block not in WITHOUT_THRESHOLD or key.endswith("majority_f1")
