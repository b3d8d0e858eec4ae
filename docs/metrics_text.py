"""The reference of every metric, parametrisation, rule and loss, written from the registries.

python docs/metrics_text.py > docs/metrics.md
"""

from hierviz.inference.registry import INFERENCE_RULES
from hierviz.losses.registry import LOSSES
from hierviz.metrics.registry import METRICS
from hierviz.predictions.parametrisation import PARAMETRISATIONS

BLOCKS = {
    "distribution": "Probabilities (block `distribution`)",
    "top_down": "Top-down best leaf (block `top_down`)",
    "best_leaves": "The k most probable leaves (block `best_leaves`, with `--more`)",
    "probabilities": "Brier score, log loss and calibration (block `probabilities`, with `--more`)",
    "levels": "Answers level by level (block `levels`, with `--more`)",
    "random_cuts": "Random cuts (block `random_cuts`, with `--more`)",
    "predicted": "Answers of an inference rule (block `predicted`)",
    "labels": "Sets of labels (block `labels`)",
    "lca": "Sets of labels by lowest common ancestors (block `lca`, with `--more`)",
    "curve": "All thresholds (block `curve`)",
    "selective": "Coverage and risk of climbing (block `selective`)",
    "confusion": "Nodes of the predicted and the true path (block `confusion`)",
    "conformal": "Conformal nodes (block `conformal`, with `--conformal`)",
    "per_sample": "Single samples",
    "goal": "Targets of a threshold",
}


COLUMNS = {"leaves": "one score per leaf", "nodes": "one score per node except the root", "all": "one score per node"}


def reference():
    """Markdown that lists every registry entry."""
    lines = [
        "# Reference",
        "",
        "Written by `python docs/metrics_text.py` from the registries; the app shows the same texts.",
        "",
        "## Metrics",
    ]
    for block, title in BLOCKS.items():
        entries = [entry for entry in METRICS.values() if entry.block == block]
        if entries:
            lines += ["", f"### {title}"]
        for entry in entries:
            lines += _entry(entry, [_facts(entry)])
    lines += ["", "## Parametrisations"]
    for entry in PARAMETRISATIONS.values():
        facts = [COLUMNS[entry.columns], _taxonomies(entry)]
        facts.append("leaves sum to 1" if entry.is_distribution else "leaves need not sum to 1")
        facts.append(f"a child {'is never' if entry.is_coherent else 'may be'} more probable than its parent")
        lines += _entry(entry, facts)
    lines += ["", "## Inference rules"]
    for entry in INFERENCE_RULES.values():
        facts = [_keyword(parameter) for parameter in entry.parameters.values()]
        facts.append(_taxonomies(entry))
        lines += _entry(entry, facts)
        if entry.decisions:
            lines += ["", f"Decided here: {entry.decisions}"]
    lines += ["", "## Losses"]
    for entry in LOSSES.values():
        facts = [f"parametrisation `{entry.parametrisation}`"] if entry.parametrisation else []
        if entry.parameters:
            facts.append("keywords " + ", ".join(f"`{name}={value!r}`" for name, value in entry.parameters.items()))
        facts.append(_taxonomies(entry))
        if entry.leaf_truth_only:
            facts.append("every truth must be a leaf")
        lines += _entry(entry, facts)
    return "\n".join(lines) + "\n"


def _keyword(parameter):
    """The values that a parameter of a rule may have, with its default."""
    if parameter.kind == "number":
        high = "∞" if parameter.range[1] == float("inf") else f"{parameter.range[1]:g}"
        high += f" {parameter.unit}" if parameter.unit else ""
        allowed = f"from {parameter.range[0]:g} to {parameter.limit_words or high}, default {parameter.default:g}"
    elif parameter.kind == "numbers":
        low, high = parameter.range
        allowed = f"numbers from {low:g} to {high:g} for the depths 1, 2, ..., default `{parameter.default}`"
    else:
        choices = " or ".join(f"`{key}`" for key in parameter.choices)
        table = " or a table of the costs of all pairs of leaves" if parameter.kind == "costs" else ""
        allowed = f"{choices}{table}, default `{parameter.default}`"
    return f"keyword `{parameter.name}` ({allowed})"


def _taxonomies(entry):
    return "trees only" if entry.tree_only else "trees and DAGs"


def _entry(entry, facts):
    words = "; ".join(facts)
    return [
        "",
        f"**`{entry.key}`: {entry.label}.** {entry.sentence}",
        "",
        f"$${entry.formula}$$",
        "",
        f"{words[0].upper()}{words[1:]}. Source: {entry.source}.",
    ]


def _facts(entry):
    low, high = (f"{bound:g}" if abs(bound) != float("inf") else "∞" for bound in entry.range)
    better = "" if entry.better == "neither" else f"; {entry.better} is better"
    unit = f" {entry.unit}" if entry.unit else ""
    needs = "".join((", trees only" if entry.tree_only else "", ", leaf truths only" if entry.leaf_truth_only else ""))
    return f"from {low} to {high}{unit}{better}{needs}"


if __name__ == "__main__":
    print(reference(), end="")
