"""The values and the guarantee of an operating point beside those of other samples: sentences for the notes of an evaluation.

Functions
---------
operating_point_notes
"""

from __future__ import annotations

from hierviz.metrics.registry import METRICS, share_keys
from hierviz.metrics.ties import at_least, at_most


def operating_point_notes(point, entry):
    """Sentences on an operating point and what was measured with it.

    Parameters
    ----------
    point : OperatingPoint
    entry : dict
        Of one model, as `hierviz.evaluation.summary.model_summary` makes it with the rule and threshold of the point.

    Returns
    -------
    list of str
        Whose threshold it is; each metric when it was chosen and here; the guarantee, where there is one, and whether
        these samples meet it.
    """
    start = f"operating point: τ = {point.threshold:.12g}"
    whose = f"{start} was chosen for {point.model_name} on {point.n_samples} samples"
    if point.model_name != entry["name"]:
        whose += f"; this is {entry['name']}"
    if entry["threshold"] is None:
        return [f"{whose}; this file holds labels, so the operating point does not apply"]
    here = entry["predicted"]
    if here is None:
        return [f"{whose}; these samples have no metrics to compare with"]
    told = [whose]
    for key in (*share_keys(), "no_answer"):
        if key not in point.values or here.get(key) is None:
            continue
        then = point.values[key]
        interval = f" ({then['low']:.3f} to {then['high']:.3f})" if "low" in then else ""
        outside = "low" in then and not (at_least(here[key], then["low"]) and at_most(here[key], then["high"]))
        told.append(
            f"operating point: {METRICS[key].name} was {then['value']:.3f}{interval}, is {here[key]:.3f} here"
            f"{', outside the interval' if outside else ''}"
        )
    if point.guarantee is not None:
        told.append(_guarantee_note(point.guarantee, here, entry["n_samples"]))
    return told


def _guarantee_note(guarantee, here, n_samples):
    key, alpha, delta = (guarantee[name] for name in ("key", "alpha", "delta"))
    guaranteed = (
        f"operating point: guarantee of a mean loss (1 - {METRICS[key].name if key in METRICS else key}) of at most "
        f"{100 * alpha:.4g} % with a confidence of {100 * (1 - delta):.4g} %"
    )
    if here.get(key) is None:
        return f"{guaranteed}; it is not measured here"
    loss = 1 - here[key]
    counted = (
        "; in the guarantee every group has the same weight, in this mean every sample"
        if guarantee.get("unit") == "group"
        else ""
    )
    verdict = "met" if at_most(loss, alpha) else "not met"
    return f"{guaranteed}; on these {n_samples} samples the mean loss is {100 * loss:.4g} %: {verdict}{counted}"
