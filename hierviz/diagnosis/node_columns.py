"""The columns of a `NodeTable` for people: label, sentence, kind of number, and which end is the worse one.

Functions
---------
usable_columns, cost_key, worst_first, number_text_of
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.diagnosis._node_table import NodeTable
from hierviz.messages.number_text import fixed_text, value_text


@dataclass(frozen=True)
class NodeColumn:
    """What a column of a `NodeTable` is.

    Attributes
    ----------
    label, sentence, formula : str
        For people; the formula in LaTeX.
    kind : str
        'count' (a number of samples), 'sum' (of values of samples), 'share' (0 to 1, higher is better) or 'error' (0 to 1,
        lower is better).
    worse : str
        'high' or 'low', which values are worse; '' where neither is.
    """

    label: str
    sentence: str
    formula: str
    kind: str
    worse: str


NODE_COLUMNS = {
    "support": NodeColumn("Support", "Samples whose truth is this class or below it.", r"|T(v)|", "count", ""),
    "n_wrong": NodeColumn(
        "Wrong",
        "Of these samples, those whose answer is wrong: neither the truth, nor above it, nor below it.",
        r"\sum_{i \in T(v)} [\text{answer}_i \text{ wrong}]",
        "count",
        "high",
    ),
    "correct": NodeColumn(
        "Correct",
        "Share of the support whose answer is not wrong: the truth, below it, or above it, the root included (no answer).",
        r"1 - \text{wrong} / |T(v)|",
        "share",
        "low",
    ),
    "n_no_answer": NodeColumn(
        "No answer",
        "Of the support, samples that get no answer: only the root, or no class at all.",
        r"|\{i \in T(v) : \text{answer}_i = \text{root}\}|",
        "count",
        "high",
    ),
    "missed": NodeColumn(
        "Missed",
        "Of the support, samples without an answer at or below this class: the answer is elsewhere or stops above.",
        r"|T(v)| - |T(v) \cap A(v)|",
        "count",
        "high",
    ),
    "stopped_here": NodeColumn(
        "Stopped here", "Samples whose answer is exactly this class.", r"|\{i : \text{answer}_i = v\}|", "count", ""
    ),
    "win_lost": NodeColumn(
        "Lost win", "Sum of 1 minus the win over the support.", r"\sum_{i \in T(v)} (1 - \text{win}_i)", "sum", "high"
    ),
    "mean_win": NodeColumn(
        "Mean win",
        "Mean hierarchical win of the support: 1 where all probability lies on the true path.",
        r"\frac{1}{|T(v)|} \sum_{i \in T(v)} \text{win}_i",
        "share",
        "low",
    ),
    "recall": NodeColumn(
        "Recall",
        "Of the samples with a truth at or below this class, the share with an answer at or below it.",
        r"|T(v) \cap A(v)| / |T(v)|",
        "share",
        "low",
    ),
    "precision": NodeColumn(
        "Precision",
        "Of the samples with an answer at or below this class, the share with a truth at or below it.",
        r"|T(v) \cap A(v)| / |A(v)|",
        "share",
        "low",
    ),
    "f1": NodeColumn(
        "F1", "Harmonic mean of recall and precision.", r"2 |T(v) \cap A(v)| / (|T(v)| + |A(v)|)", "share", "low"
    ),
    "ece": NodeColumn(
        "Calibration error",
        "Expected calibration error of the probability of this class: mean distance between probability and share of "
        "events in bins of equal size. Marked where it is larger than a calibrated model would show.",
        r"\sum_b \frac{n_b}{n} |\text{rate}_b - \bar p_b|",
        "error",
        "high",
    ),
}


def usable_columns(table: NodeTable) -> list[str]:
    """Keys of `NODE_COLUMNS` that have a number somewhere, in order; 'missed' only where answers cannot be wrong one by one."""
    usable = [key for key in NODE_COLUMNS if np.isfinite(getattr(table, key)).any()]
    return [key for key in usable if key != "missed" or cost_key(table) == "missed"]


def cost_key(table: NodeTable) -> str:
    """The column that says how much a subtree costs: wrong answers, and missed samples where no answer is wrong by itself."""
    return "n_wrong" if np.isfinite(table.n_wrong).any() else "missed"


def worst_first(table: NodeTable, nodes: np.ndarray, key: str, *, reverse: bool = False) -> np.ndarray:
    """Some nodes ordered by a column, what is worse first, larger support first on ties, nan last.

    Parameters
    ----------
    table : NodeTable
    nodes : ndarray of int, shape (n,)
    key : str
        Key of `NODE_COLUMNS`; where neither end is worse, large values come first.
    reverse : bool
        The better end first; nan is last all the same.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    values = np.asarray(getattr(table, key), dtype=float)[nodes]
    sign = 1 if (NODE_COLUMNS[key].worse == "low") != reverse else -1
    return nodes[np.lexsort((-table.support[nodes], np.where(np.isnan(values), np.inf, sign * values)))]


def number_text_of(key: str, value: float) -> str:
    """A number of a column as text: counts whole, sums with one decimal, thousands grouped; – for nan."""
    if not np.isfinite(value):
        return "–"
    kind = NODE_COLUMNS[key].kind
    if kind == "count":
        return f"{round(value):,}"
    if kind == "sum":
        whole, _, rest = fixed_text(float(value), 1).partition(".")
        return f"{int(whole):,}.{rest}"
    return value_text(float(value))
