"""One sentence for each step of a rule: what is answered, why not more, and whether it is right.

Functions
---------
step_sentences
"""

from __future__ import annotations

import numpy as np

from hierviz.diagnosis._flip_intervals import RULES
from hierviz.diagnosis._step_bounds import RuleSteps
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.number_text import probability_text, value_text
from hierviz.metrics.confusion.path_lists import PathLists
from hierviz.taxonomy.taxonomy import Taxonomy

# More classes are counted.
MOST_NAMED = 2


def step_sentences(
    taxonomy: Taxonomy,
    p: np.ndarray | None,
    rule: str,
    steps: RuleSteps,
    paths: PathLists,
    outcome: np.ndarray,
    is_below: np.ndarray,
    truth: np.ndarray,
) -> np.ndarray:
    """A text for each step that is true for all of it.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float, shape (n_nodes,), or None
    rule : str
    steps : RuleSteps
    paths : PathLists, length n_steps
        Of the answers.
    outcome, is_below : ndarray of str and of bool, shape (n_steps,)
        Outcome of each answer, and whether what follows lies below it.
    truth : ndarray of int, shape (n_truths,)

    Returns
    -------
    ndarray of str, shape (n_steps,)
    """
    texts = []
    for step, key in enumerate(outcome.tolist()):
        nodes, ends = steps.answers[step].tolist(), paths.ends[step].tolist()
        following = int(steps.following[step])
        if p is None:
            said = _labels(taxonomy, nodes)
        elif not steps.is_set and nodes[0] < 0:
            said = "The best class lies outside the taxonomy, whatever the threshold."
        elif steps.is_set:
            said = _set(taxonomy, p, rule, nodes, ends, following)
        elif rule in RULES:
            bound = "τ" if steps.parameter else "0.5"
            said = _stop(taxonomy, p, nodes[0], following, bool(is_below[step]), bound)
        else:
            said = f"{_head(rule, steps, step)}: {_named(taxonomy, p, nodes[0])}."
        texts.append(f"{said} {_verdict(taxonomy, key, nodes, truth, steps.is_set)}".rstrip())
    return np.array(texts)


def _named(taxonomy, p, node):
    text = probability_text(float(p[node]))
    return f"{taxonomy.title(node)} (p {text.replace('>', '> ') if text.startswith('>') else f'= {text}'})"


def _stop(taxonomy, p, node, following, is_below, bound):
    stops = f"Stops at {_named(taxonomy, p, node)}"
    if following < 0:
        return f"{stops}: {'it is a leaf' if taxonomy.is_leaf[node] else 'no more specific class has a p above 0'}."
    branch = "" if is_below else " in another branch"
    value = probability_text(float(p[following]))
    return f"{stops}: the next class, {taxonomy.title(following)}{branch}, has {value}, not above {bound}."


def _set(taxonomy, p, rule, nodes, ends, following):
    entry, after = INFERENCE_RULES[rule], "" if following < 0 else f"; next: {_named(taxonomy, p, following)}"
    # A set that no threshold makes is that of its rule.
    head, above, none = ("", " above τ", "No class") if entry.needs_threshold else (f"{entry.label}: ", "", "no class")
    if not nodes:
        return f"{head}{none}{above}{after}."
    if len(ends) > MOST_NAMED:
        return f"{head}{len(nodes):,} classes on {len(ends):,} paths{above}{after}."
    count = f"{len(nodes):,} {'class' if len(nodes) == 1 else 'classes'}"
    return f"{head}{count}{above}, down to {_names(taxonomy, ends)}{after}."


def _labels(taxonomy, nodes):
    if not nodes:
        return "No label."
    return f"Label{'s' * (len(nodes) > 1)}: {_names(taxonomy, nodes)}."


def _names(taxonomy, nodes):
    *others, last = [taxonomy.title(node) if node >= 0 else "a class outside the taxonomy" for node in nodes]
    return f"{', '.join(others)} and {last}" if others else last


def _head(rule, steps, step):
    """The rule, and for which numbers it answers so."""
    entry = INFERENCE_RULES[rule]
    if not steps.parameter:
        return entry.label
    parameter = entry.parameters[steps.parameter]
    # A bound of bits is a billionth above those of a class.
    low, high = (
        value_text(round(float(bound), 6)) if bound > 1e-6 else "0" for bound in (steps.low[step], steps.high[step])
    )
    numbers = f"from {low} to {high}" if low != high else f"= {low}"
    return f"{entry.label}, {parameter.sign or 'λ'} {numbers} {parameter.unit}"


def _verdict(taxonomy, key, nodes, truth, is_set):
    if not key:
        return ""
    truth = truth.tolist()
    named = _names(taxonomy, truth) if len(truth) <= MOST_NAMED else f"{len(truth):,} classes"
    if key == "exact":
        return "Exact." if is_set or nodes[0] in truth else f"Exact: it is below the truth, {named}."
    if key == "coarse":
        return "Coarse: the truth is below it." if len(truth) == 1 else "Coarse: a true class is below it."
    if key == "no_answer":
        return "No answer."
    what = "not exactly the truth," if is_set else "the truth is"
    return f"Wrong: {what} {named}."
