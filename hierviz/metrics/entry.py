"""What the registry of metrics holds: the classes of its entries and the ranges they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.metrics.parts import ByNode, Mean, MeanByDepth, OfAll, OfSums, OverCurve, Total, WeightedMean
from hierviz.taxonomy.checks import check_key

SIGNS = {"higher": 1, "lower": -1, "neither": 0}
UNIT, POSITIVE, COUNT = (0.0, 1.0), (0.0, float("inf")), (0, float("inf"))
# Attributes of losses, by what they are measured in, and of numbers of samples.
NATS, BITS, EDGES = ({"range": POSITIVE, "better": "lower", "unit": unit} for unit in ("nats", "bits", "edges"))
SAMPLES = {"range": COUNT, "better": "lower", "unit": "samples", "made": Total}


@dataclass(frozen=True)
class Metric(Short):
    """One number hierviz reports.

    Attributes
    ----------
    key, block : str
        Its place in the JSON.
    label, sentence, formula, source : str
        Name for people, one plain sentence, LaTeX, paper with section or equation where there is one.
    range : (low, high)
    better : str
        'higher', 'lower' or 'neither'.
    unit : str
        '' for dimensionless.
    tree_only, leaf_truth_only : bool
        What it needs.
    brief : str
        Name where there is room for few letters; the label where empty.
    is_binary : bool
        Of one sample it is 0 or 1.
    made : Mean, WeightedMean, MeanByDepth, OfAll, Total, OfSums, ByNode, OverCurve or None
        How it is put together: see `hierviz.metrics.parts`. None where it is the same for all samples or takes a way of its own.
    """

    _printed = ("key", "label")

    key: str
    block: str
    label: str
    sentence: str
    formula: str
    source: str
    range: tuple[float, float] = UNIT
    better: str = "higher"
    unit: str = ""
    tree_only: bool = True
    leaf_truth_only: bool = False
    brief: str = ""
    is_binary: bool = False
    made: Mean | WeightedMean | MeanByDepth | OfAll | Total | OfSums | ByNode | OverCurve | None = None

    def __post_init__(self):
        check_key("metric", self.key)
        if self.better not in SIGNS:
            raise PredictionsError(
                f"metric {self.key!r}: expected better to be one of {', '.join(SIGNS)}, got {self.better!r}. Choose one."
            )

    @property
    def sign(self):
        """1 where more is better, -1 where less is, 0 where neither."""
        return SIGNS[self.better]

    @property
    def is_share(self):
        """True of a dimensionless number from 0 to 1."""
        return self.range == UNIT and not self.unit

    @property
    def name(self):
        """The label as it is written within a sentence: with a small first letter, unless it is an abbreviation such as F1."""
        return self.label[0].lower() + self.label[1:] if self.label[1:2].islower() else self.label


@dataclass(frozen=True)
class PathMetric(Metric):
    """A metric of one answer against one truth; its mean over samples is what is reported.

    Attributes
    ----------
    function : callable
        `hierviz.metrics.node_pairs.NodePairs` -> ndarray of float, shape (n_samples,).
    counts : str
        'information' or 'depth' where it counts bits or edges, 'answers' where it does not depend on the truth, else ''.
    loss : str
        What 1 - metric is called; "1 − label" where empty.
    is_best_at_root : bool
        The answer "root" has the best value, whatever the truth.
    """

    function: Callable | None = None
    counts: str = ""
    loss: str = ""
    is_best_at_root: bool = False

    def __post_init__(self):
        super().__post_init__()
        if self.made is None:
            object.__setattr__(self, "made", Mean(self.key))

    @property
    def loss_label(self):
        """What 1 - metric is called."""
        return self.loss or f"1 − {self.label}"


@cache
def _sections():
    """The text of each entry of ``metrics.md``: dict of section to dict of key to (label, sentence, formula, source)."""
    text = Path(__file__).with_name("metrics.md").read_text(encoding="utf-8")
    found: dict[str, dict[str, list[str]]] = {}
    for section in text.split("\n## ")[1:]:
        name, *entries = section.split("\n### ")
        for entry in entries:
            heading, sentence, formula, source = (" ".join(part.split("\n")) for part in entry.strip().split("\n\n"))
            key, _, label = heading.partition(": ")
            words = [label, sentence, formula.removeprefix("$$").removesuffix("$$"), source.removeprefix("Source: ")]
            found.setdefault(name.strip(), {})[key] = words
    return found


def entries_of(section: str, *, made=Mean, tree_only=True, **attributes: dict[str, Any]):
    """Entries of a section of ``metrics.md`` by their key; those with a function are PathMetric.

    Parameters
    ----------
    section : str
        Its first word is the block.
    made : optional
        How all are put together that do not say it themselves; a class is called with the key.
    tree_only : bool
        Likewise.
    **attributes : dict
        Other attributes of single entries, by key.
    """
    found = {}
    for key, words in _sections()[section].items():
        more = {"made": made, "tree_only": tree_only} | attributes.pop(key, {})
        if isinstance(more["made"], type):
            more["made"] = more["made"](key)
        found[key] = (PathMetric if "function" in more else Metric)(key, section.split()[0], *words, **more)
    assert not attributes, attributes
    return found
