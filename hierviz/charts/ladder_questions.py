"""What the drawing of one sample asks before it shows: questions, choices and verdicts, and which bars can be dragged.

All texts are made here. A place is the number of a choice.

Functions
---------
questions
"""

from __future__ import annotations

import zlib

import numpy as np

from hierviz.charts._win_breakdown import fraction_text
from hierviz.diagnosis._what_if import why_no_what_if
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.number_text import probability_text, value_text
from hierviz.metrics.win import win_breakdown

MOST_CHOICES = 8
# What the answer depends on, in words, by the parameter of a rule.
DEPENDS = {"threshold": "at this τ", "lam": "at this λ", "bits": "at this ζ"}
WORDS = {
    "next": "Next row",
    "all": "All rows",
    "again": "Ask again",
    "what_if": "What if? Drag the end of a bar, or press an arrow key on it.",
    "no_server": "What if a class had another p? The app can compute that; this page cannot.",
    "reset": "Back to the model’s p",
    "changed": "",
}


def questions(models, steps, changed=""):
    """The questions on a sample.

    Parameters
    ----------
    models : list of ladder_model.LadderModel
    steps : list of dict
        Table of steps of the record.
    changed : str
        What the visitor has changed, in words.

    Returns
    -------
    dict
        ``answers``: for each model (m) and rule (r) the question, its choices (text, right, wrong) and, by step, the place of
        the right one (at) and those that are offered. ``wins``: for each model the question and its choices (text, said,
        is_right). ``free``: for each model the nodes whose bars can be dragged, with the highest p and the label of the handle;
        where there are none, why. ``words``.
    """
    made = {"answers": [], "wins": [], "free": [], "words": WORDS | {"changed": changed}}
    for model in models:
        own = [row for row in steps if row["m"] == model.number]
        rules = dict.fromkeys(row["r"] for row in own)
        made["answers"] += [asked for rule in rules if (asked := _answers(model, own, rule))]
        made["wins"] += _wins(model)
        made["free"].append({"m": model.number} | _free(model))
    return made


def _answers(model, steps, rule):
    """Which answer? None where there is only one."""
    of_rule = [row for row in steps if row["r"] == rule]
    choices = {row["name"]: None for row in of_rule}
    is_set = INFERENCE_RULES[rule].returns_sets
    if len(choices) == 1:
        # Of a rule without a number: what other rules answer.
        choices |= {row["name"]: None for row in steps if INFERENCE_RULES[row["r"]].returns_sets == is_set}
    if len(choices) == 1:
        return None
    seed = zlib.crc32(f"{model.evaluation.predictions.sample_id(model.row)} {rule}".encode())
    texts = list(choices)
    right = [texts.index(row["name"]) for row in of_rule]
    order = np.random.default_rng(seed).permutation(len(texts))
    parameter = of_rule[0]["parameter"]
    where = DEPENDS.get(parameter, f"by the rule {INFERENCE_RULES[rule].label}")
    asked = f"Which classes are answered {where}?" if is_set else f"Which answer {where}?"
    return {
        "m": model.number,
        "r": rule,
        "question": asked,
        "choices": [{"text": text, "right": f"Right: {text}.", "wrong": f"Not {text}."} for text in texts],
        "at": right,
        "offered": [_offered(place, order) for place in right],
    }


def _offered(right, order):
    """Places of the offered choices where one is right, in random order: of many those of the next thresholds."""
    first = int(np.clip(right - MOST_CHOICES // 2, 0, max(len(order) - MOST_CHOICES, 0)))
    return [place for place in order.tolist() if first <= place < first + MOST_CHOICES]


def _wins(model):
    """Which term of the win is lost most? Nothing where no term is lost."""
    if model.p is None or len(model.truth) != 1 or not model.taxonomy.is_tree:
        return []
    terms = win_breakdown(model.taxonomy, model.truth[0], model.p)
    most = terms.lost.max()
    if len(terms.lost) < 2 or most < 1e-9:
        return []
    is_most = terms.lost > most - 1e-9
    titles = [model.taxonomy.title(node) for node in terms.nodes.tolist()]
    best = " and ".join(title for title, right in zip(titles, is_most, strict=True) if right)
    choices = []
    for title, weight, p, lost, right in zip(titles, terms.weight, terms.p, terms.lost, is_most, strict=True):
        loses = (
            f"{title} loses {fraction_text(weight)} × (1 − {probability_text(float(p))}) = {value_text(float(lost))}"
        )
        said = (
            f"Right: {loses}." if right else f"Not {title}: {loses}; most is lost at {best}, {value_text(float(most))}."
        )
        choices.append({"text": f"{title} ({fraction_text(weight)})", "said": said, "is_right": bool(right)})
    return [
        {
            "m": model.number,
            "question": "Which term of the win is lost most?",
            "choices": choices,
            "sum": f"In all, {value_text(float(terms.lost.sum()))} of 1 is lost.",
        }
    ]


def _free(model):
    """Which classes of the drawing can have another p."""
    if model.p is None:
        return {"nodes": {}, "why": "Labels have no p that could be changed."}
    if model.high is not None:
        return {"nodes": {}, "why": "The file lists only some scores: p cannot be changed here."}
    nodes = sorted({row["node"] for row in model.tables["bars"] if row.get("node", -1) > 0})
    free, reasons = {}, []
    for node in nodes:
        if reason := why_no_what_if(model.taxonomy, model.p, node):
            reasons.append(reason)
            continue
        title = model.taxonomy.title(node)
        free[str(node)] = {"most": float(model.p[model.taxonomy.parent[node]]), "label": f"What if: p of {title}"}
    why = "" if free or not reasons else f"No p can be changed here: {reasons[0]}."
    return {"nodes": free, "why": why}
