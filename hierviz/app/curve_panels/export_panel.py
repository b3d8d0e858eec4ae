"""Panel "Export": the operating point as JSON, which the command line reads, and the curve as a table."""

import json

import numpy as np
import streamlit as st

from hierviz.app.curve_panels import choosing, guarantee_panel, uncertainty
from hierviz.app.state.escape import escape
from hierviz.app.widgets.table import download
from hierviz.charts import threshold_text
from hierviz.messages.errors import HiervizError
from hierviz.thresholds.operating_point import OperatingPoint


def panel(choice, now):
    """The operating point in words, and the downloads."""
    key = now.model
    point = operating_point(choice, key, now.threshold_of(key))
    name, threshold = choice.name(key), threshold_text(point.threshold)
    guarantee_words = ", with its guarantee" if point.guarantee else ""
    st.markdown(
        f"The operating point is **{escape(name)}** at **τ = {threshold}**{guarantee_words}, measured on "
        f"{point.n_samples:,} samples. "
        "The file contains a hash of the taxonomy, so that the threshold is not applied to another taxonomy."
    )
    samples = choice.samples()[key]
    choosing.value_table(
        {name: {"τ": threshold} | samples.curve.at(point.threshold)},
        "export-values",
        first="model",
        intervals={name: uncertainty.at(choice, key, point.threshold)},
    )
    with st.container(horizontal=True):
        json_of_point = operating_point_json(point)
        download("Operating point (JSON)", json_of_point, "operating-point.json", "get-point", type="primary")
        download("Whole curve (CSV)", samples.curve.to_frame, f"curve-{key}.csv", "get-curve")
    st.markdown(
        "The chart can be downloaded under *Table and downloads*, as PNG, SVG and Vega-Lite specification. This command "
        "evaluates other predictions at the same operating point and compares them with its values and its guarantee:"
    )
    st.code(
        "hierviz evaluate --taxonomy TAXONOMY --predictions PREDICTIONS --operating-point operating-point.json",
        language="bash",
        wrap_lines=True,
    )


def operating_point(choice, key, threshold):
    """The OperatingPoint of a model on the page at a threshold, with its intervals and guarantee, if any."""
    samples = choice.samples()[key]
    spans = uncertainty.at(choice, key, threshold)
    detected = samples.model.predictions.detected
    source = {"data": choice.data_key} | {name: detected[name] for name in ("file", "truth file") if name in detected}
    if spans:
        source["intervals"] = uncertainty.settings(choice).to_json()
    return OperatingPoint.from_curve(
        choice.taxonomy,
        samples.curve,
        threshold,
        samples.name,
        intervals={name: (span.lower, span.upper) for name, span in spans.items() if not np.isnan(span.lower)},
        guarantee=_guarantee(choice, key, threshold),
        created_from=source,
        model_sha256=detected.get("sha256"),
    )


def operating_point_json(point):
    """The JSON of an operating point."""
    return json.dumps(point.to_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _guarantee(choice, key, threshold):
    """The Guarantee of the settings, where it holds for this threshold."""
    try:
        certified = guarantee_panel.guarantee(choice, key)
    except HiervizError:
        return None
    return certified if certified.is_feasible and certified.threshold == threshold else None
