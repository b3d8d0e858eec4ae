"""Tables, lists of facts, pictures and folded parts of a report as HTML, and the numbers of `evaluate` as tables.

What `table`, `terms` and `folded` are given is HTML already.
"""

from html import escape

from hierviz.charts import packed
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS

BLOCKS = {
    "distribution": "Probabilities",
    "top_down": "Best leaf",
    "best_leaves": "Most probable leaves",
    "probabilities": "Brier score, log loss and calibration",
    "levels": "Answers by level",
    "random_cuts": "Random cuts",
    "predicted": "Answer by the rule",
    "labels": "Label sets",
    "lca": "Label sets by lowest common ancestors",
    "curve": "All thresholds",
    "selective": "Selective classification",
    "confusion": "Hierarchical confusion",
}
# Numbers that do not depend on a threshold, or are taken where models are as often correct: fair to compare.
OF_CURVES = ("argmax_leaf_accuracy", "recall_at_95_correct", "ac", "ap", "softmax_win")
OF_SETS = ("micro_f1", "hf1_samples", "ihf1_samples", "mcc")


def table(heads, rows, look="numbers"):
    """A table whose first column names its rows; `look` is "numbers" or "texts"."""
    head = "".join(f'<th scope="col">{one}</th>' for one in heads)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>' for first, *rest in rows
    )
    return f'<div class="wide"><table class="{look}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def terms(pairs, look=' class="facts"'):
    """Terms with their values."""
    return f"<dl{look}>{''.join(f'<dt>{name}</dt><dd>{value}</dd>' for name, value in pairs)}</dl>"


def meaning(labelled):
    """What numbers mean, folded, of objects with a label and a sentence; empty where there are none."""
    pairs = [(escape(one.label), escape(one.sentence)) for one in labelled]
    return folded("What these numbers mean", terms(pairs, "")) if pairs else ""


def folded(label, content):
    """What opens under a label; empty where there is nothing."""
    return f"<details><summary>{label}</summary>{content}</details>" if content else ""


def chart(key, sentence, alt=""):
    """The place of a packed chart, with what it shows in words below; `alt` is its alternative text, the same words if empty."""
    said = escape(sentence)
    place = f'<div class="chart" data-chart="{key}" role="group" aria-label="{escape(alt) or said}"></div>'
    return f"<figure>{place}<figcaption>{said}</figcaption></figure>"


def figure_html(figure, key, store, said="", alt="", **look):
    """A figure as HTML, what the browser draws it from put into the store by `key`.

    `said` is written below it, its sentence if empty; `alt` is as of `chart`, `look` as of `Figure.looks`.
    """
    store[key], said = packed(figure.looks(**look)), said or figure.sentence
    if not figure.is_zoomed:
        return chart(key, said, alt)
    place = f'<div class="zoom-room"><div data-zoom="{key}"></div></div>'
    return f"<figure>{place}<figcaption>{escape(said)}</figcaption></figure>"


def ladder(key, sentence):
    """The place of the living drawing of an example, which says its sentence itself: `packed` of its record by `key`."""
    return f'<div class="ladder" data-ladder="{key}"><p>{escape(sentence)}</p></div>'


def overview_table(entries):
    """The few numbers that come first, models as rows: HTML.

    Parameters
    ----------
    entries : list of dict
        ``models`` of the JSON of `evaluate`, with or without the blocks that it adds on request.
    """
    keys = OF_CURVES if any(entry.get("curve") for entry in entries) else OF_SETS
    values = [
        {key: next((of[key] for block in BLOCKS if key in (of := entry.get(block) or {})), None) for key in keys}
        for entry in entries
    ]
    keys = [key for key in keys if any(of_model[key] is not None for of_model in values)]
    if not keys:
        return "<p>No numbers: no sample has a known truth.</p>"
    rows = [
        (escape(model_name(entry)), *(_cell(entry, key, of_model[key]) for key in keys))
        for entry, of_model in zip(entries, values, strict=True)
    ]
    return table(["Model", *map(_label, keys)], rows) + meaning(METRICS[key] for key in keys)


def all_numbers(entries):
    """Every number of the JSON, one table a block that is there, models as columns: HTML."""
    parts = []
    for block, title in BLOCKS.items():
        of_models = [entry.get(block) or {} for entry in entries]
        first = {key: value for values in reversed(of_models) for key, value in values.items()}
        keys = dict.fromkeys(key for values in of_models for key in values if key != "macro_f1_by_depth")
        rows = [
            (_label(key), *(_cell(entry, key, values.get(key)) for entry, values in zip(entries, of_models)))
            for key in keys
            if not isinstance(first[key], dict)
        ]
        if rows:
            heads = [block, *(escape(model_name(entry)) for entry in entries)]
            parts.append(f"<h3>{title}</h3>{table(heads, rows)}")
    return "".join(parts)


def model_name(entry):
    """Name of a model with its run, where it has one."""
    return f"{entry['name']} ({entry['run']})" if entry.get("run") else entry["name"]


def _cell(entry, key, value):
    """A number, and what unknown scores could make of it."""
    pair = next((found[key] for found in entry.get("bounds", {}).values() if found and found.get(key)), None)
    bounds = f' <span class="muted">({_value(pair[0])} to {_value(pair[1])})</span>' if pair else ""
    return _value(value) + bounds


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
