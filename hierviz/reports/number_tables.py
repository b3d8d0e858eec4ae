"""The numbers of `evaluate` as tables of a report."""

from __future__ import annotations

from html import escape

from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS

BLOCKS = {
    "distribution": "Probabilities",
    "top_down": "Best leaf",
    "predicted": "Answer by the rule",
    "labels": "Label sets",
    "curve": "All thresholds",
    "confusion": "Hierarchical confusion",
}
# Numbers that do not depend on a threshold, or are taken where models are as often correct: fair to compare.
OF_CURVES = ("argmax_leaf_accuracy", "recall_at_95_correct", "ac", "ap", "softmax_win")
OF_SETS = ("micro_f1", "hf1_samples", "ihf1_samples", "mcc")


def overview_table(entries):
    """The few numbers that come first, models as rows: HTML.

    Parameters
    ----------
    entries : list of dict
        ``models`` of the JSON of `evaluate`.
    """
    keys = OF_CURVES if any(entry["curve"] for entry in entries) else OF_SETS
    values = [{key: _found(entry, key) for key in keys} for entry in entries]
    keys = [key for key in keys if any(found[key] is not None for found in values)]
    if not keys:
        return "<p>No sample has a known truth, so there are no numbers.</p>"
    head = "".join(f'<th scope="col">{_label(key)}</th>' for key in keys)
    rows = "".join(
        f'<tr><th scope="row">{escape(model_name(entry))}</th>'
        + "".join(f"<td>{_value(found[key])}{_bounds(entry, key)}</td>" for key in keys)
        + "</tr>"
        for entry, found in zip(entries, values, strict=True)
    )
    said = "".join(f"<dt>{escape(METRICS[key].label)}</dt><dd>{escape(METRICS[key].sentence)}</dd>" for key in keys)
    return (
        f'<div class="wide"><table class="numbers"><thead><tr><th scope="col">Model</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div><details><summary>What these numbers mean</summary><dl>{said}</dl></details>"
    )


def all_numbers(entries):
    """Every number of the JSON, one table a block, models as columns: HTML."""
    parts = []
    for block, title in BLOCKS.items():
        keys = list(dict.fromkeys(key for entry in entries for key in entry[block] or () if key != "macro_f1_by_depth"))
        keys = [key for key in keys if not isinstance(next(_in(entries, block, key)), dict)]
        if keys:
            head = "".join(f'<th scope="col">{escape(model_name(entry))}</th>' for entry in entries)
            rows = "".join(
                f'<tr><th scope="row">{_label(key)}</th>'
                + "".join(f"<td>{_value((entry[block] or {}).get(key))}{_bounds(entry, key)}</td>" for entry in entries)
                + "</tr>"
                for key in keys
            )
            parts.append(
                f'<h3>{title}</h3><div class="wide"><table class="numbers"><thead><tr><th scope="col">{block}</th>{head}</tr>'
                f"</thead><tbody>{rows}</tbody></table></div>"
            )
    return "".join(parts)


def model_name(entry):
    """Name of a model with its run, where it has one."""
    return f"{entry['name']} ({entry['run']})" if entry.get("run") else entry["name"]


def _in(entries, block, key):
    return (entry[block][key] for entry in entries if entry[block] and key in entry[block])


def _found(entry, key):
    return next((entry[block][key] for block in BLOCKS if entry[block] and key in entry[block]), None)


def _bounds(entry, key):
    """What unknown scores could make of a number."""
    pair = next((found[key] for found in entry.get("bounds", {}).values() if found and found.get(key)), None)
    return f' <span class="muted">({_value(pair[0])} to {_value(pair[1])})</span>' if pair else ""


def _label(key):
    if key not in METRICS:
        return escape(key)
    return f'<span title="{escape(METRICS[key].sentence)}">{escape(METRICS[key].label)}</span>'


def _value(value):
    if value is None:
        return "–"
    if isinstance(value, str):
        return {"Infinity": "∞", "-Infinity": "−∞"}.get(value, escape(value))
    return f"{value:,}" if isinstance(value, int) else value_text(value)
