"""How a metric is put together from parts: numbers of single samples, which are added up, or of nodes, or of a curve.

Conventions
-----------
A part is one number of every sample, such as its win, or how many nodes its two paths share. The total of all samples, each
resample, and always answering each node have sums of the same parts: floats, or arrays of one shape. Where the answers of samples
are not known for sure, sums are arrays of those in the worst and in the best case, see `hierviz.evaluation.listed_bounds`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.metrics.node_pairs import harmonic_mean, ratio


def ratio_of_sums(shared: Any, claimed: Any, due: Any) -> tuple[float, float, float]:
    """Precision, recall and F1 of the summed numerators and denominators; 0 where undefined."""
    shared, claimed, due = (float(np.sum(values)) for values in (shared, claimed, due))
    precision, recall = ratio(shared, claimed, 0.0), ratio(shared, due, 0.0)
    return float(precision), float(recall), float(harmonic_mean(precision, recall))


class OnDemand(Mapping[str, Any]):
    """Values by name that are made each time that they are asked for, and not kept; `makers` has a function of each."""

    def __init__(self, makers: Mapping[str, Callable[[], Any]]):
        self._makers = makers

    def __getitem__(self, name: str) -> Any:
        return self._makers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def __contains__(self, name: object) -> bool:
        return name in self._makers


@dataclass(frozen=True)
class OfPart:
    """A number that is made of one part."""

    part: str

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts."""
        return (self.part,)


@dataclass(frozen=True)
class Mean(OfPart):
    """Mean of a part over the samples that have it: those where it is not nan."""

    def total(self, parts: Mapping[str, np.ndarray]) -> float | None:
        """Of all samples; None where none has it."""
        values = np.asarray(parts[self.part])
        if values.dtype.kind == "f" and np.isnan(values).any():
            values = values[~np.isnan(values)]
        return float(values.mean()) if len(values) else None

    def of(self, sums: Mapping[str, Any]) -> Any:
        """The number, or numbers, of some sums by the names of the parts and ``n_samples``, all of which have the part."""
        return sums[self.part] / sums["n_samples"]


@dataclass(frozen=True)
class WeightedMean(OfPart):
    """Mean of a part over the samples that have it, each with a weight.

    Attributes
    ----------
    part, weight : str
    """

    weight: str = ""

    def total(self, parts: Mapping[str, np.ndarray]) -> float | None:
        """Of all samples; None where none has it."""
        values, weights = np.asarray(parts[self.part]), np.asarray(parts[self.weight])
        known = ~np.isnan(values)
        return float((weights[known] * values[known]).sum() / weights[known].sum()) if known.any() else None


@dataclass(frozen=True)
class MeanByDepth:
    """Means of one part for each depth, which are named ``part.depth``.

    Attributes
    ----------
    part : str
    """

    part: str

    def total(self, parts: Mapping[str, np.ndarray]) -> dict[str, float | None]:
        """Of all samples, by depth as text; None where no sample has the part."""
        names = [name for name in parts if name.startswith(f"{self.part}.")]
        return {name.partition(".")[2]: Mean(name).total(parts) for name in names}


@dataclass(frozen=True)
class WeightedByDepth(MeanByDepth):
    """Mean over depths of the means of one part, each with a weight, over the depths of which a sample has the part.

    Attributes
    ----------
    part : str
    weight : str
        Part that is the weight of its depth for every sample: named ``weight.depth``.
    """

    weight: str = ""

    def total(self, parts: Mapping[str, np.ndarray]) -> float | None:  # type: ignore[override]
        """Of all samples; None where no sample has the part at any depth."""
        means: Any
        weights: Any
        means, weights = (MeanByDepth(name).total(parts) for name in (self.part, self.weight))
        known = [depth for depth, mean in means.items() if mean is not None]
        whole = sum(weights[depth] for depth in known)
        return sum(weights[depth] * means[depth] for depth in known) / whole if whole else None


@dataclass(frozen=True)
class OfAll:
    """A number of all samples together that no sum gives: resamples have none.

    Attributes
    ----------
    parts : tuple of str
    function : callable
        Of the arrays of the parts, without the samples that lack one; gives a float, nan where it is undefined.
    """

    parts: tuple[str, ...]
    function: Callable

    def total(self, parts: Mapping[str, np.ndarray]) -> float | None:
        """Of all samples; None where undefined."""
        values = [np.asarray(parts[name]) for name in self.parts]
        known = ~np.isnan(values).any(axis=0)
        found = float(self.function(*(of[known] for of in values)))
        return None if np.isnan(found) else found


@dataclass(frozen=True)
class OfAllByDepth(OfAll):
    """`OfAll` for each depth, of parts that are named ``part.depth``."""

    def total(self, parts: Mapping[str, np.ndarray]) -> dict[str, float | None]:  # type: ignore[override]
        """Of all samples, by depth as text; None where undefined."""
        first = f"{self.parts[0]}."
        depths = [name.removeprefix(first) for name in parts if name.startswith(first)]
        return {
            depth: OfAll(tuple(f"{name}.{depth}" for name in self.parts), self.function).total(parts)
            for depth in depths
        }


@dataclass(frozen=True)
class Total(OfPart):
    """Sum of a part that is a count: of samples, where it is 0 or 1."""

    def of(self, sums: Mapping[str, Any]) -> Any:
        """The number, or numbers, of some sums by the names of the parts."""
        return sums[self.part]

    def total(self, parts: Mapping[str, np.ndarray]) -> int:
        """Of all samples."""
        return int(np.sum(parts[self.part]))


@dataclass(frozen=True)
class OfSums:
    """A formula of sums of parts: a callable of the sums in the order of `parts`, which gives nan where it is undefined."""

    parts: tuple[str, ...]
    formula: Callable

    def of(self, sums: Mapping[str, Any]) -> Any:
        """The number, or numbers, of some sums by the names of the parts."""
        return self.formula(*(sums[name] for name in self.parts))

    def total(self, parts: Mapping[str, np.ndarray]) -> float | None:
        """Of all samples; None where undefined."""
        found = float(self.of({name: np.sum(parts[name]) for name in self.parts}))
        return None if np.isnan(found) else found


@dataclass(frozen=True)
class Ratio(OfSums):
    """Sums of some parts over sums of others, which no more of what is right makes worse."""


@dataclass(frozen=True)
class F1(Ratio):
    """Twice what is shared over what is claimed and due; the total is the harmonic mean of precision and recall."""

    def total(self, parts: Mapping[str, np.ndarray]) -> float:
        """Of all samples; 0 where undefined."""
        return ratio_of_sums(*(parts[name] for name in self.parts))[2]


def f1_of(shared: str, claimed: str, due: str) -> F1:
    """The F1 of sums of three parts by their names; 0 where nothing is claimed or due."""
    return F1((shared, claimed, due), lambda a, b, c: ratio(2 * a, b + c, 0.0))


def ratio_of(part: str, whole: str, empty: float = np.nan) -> Ratio:
    """The Ratio of parts named in two texts: ``ratio_of("tp tp", "tp tp fp fn")`` is 2 TP / (2 TP + FP + FN).

    Parameters
    ----------
    part, whole : str
        Names of parts, with a space between them.
    empty : float
        The value of 0/0.
    """
    above, below = tuple(part.split()), tuple(whole.split())
    names = tuple(dict.fromkeys((*above, *below)))

    def formula(*sums):
        of = dict(zip(names, sums, strict=True))
        return ratio(sum(of[name] for name in above), sum(of[name] for name in below), empty)

    return Ratio(names, formula)


@dataclass(frozen=True)
class ByNode:
    """Mean of the F1 of each node but the root.

    Attributes
    ----------
    reading : str
        Of predicted nodes without all their ancestors: 'plain', 'prune' or 'strict'; see `LabelSetCounts.node_f1`.
    over : str
        'nodes', 'supported' for nodes with a true sample, 'depth' for those of each depth.
    """

    reading: str = "plain"
    over: str = "nodes"


@dataclass(frozen=True)
class OverCurve:
    """A number of the curve of a rule over its threshold.

    Attributes
    ----------
    rule : str
        'threshold', or 'climbing' (`hierviz.curves.selective_curve`).
    """

    rule: str = "threshold"


def prevalence_threshold(tp, tn, fp, fn):
    """Prevalence threshold of counts: floats or arrays; nan where undefined."""
    tpr, tnr = ratio(tp, tp + fn, np.nan), ratio(tn, tn + fp, np.nan)
    with np.errstate(invalid="ignore"):
        return ratio(np.sqrt(tpr * (1 - tnr)) + tnr - 1, tpr + tnr - 1, np.nan)


def normalised_icm(shared, claimed, due):
    """ICM-Norm of sums of bits that sets share, claim and are due: floats or arrays; nan where nothing is due."""
    return np.maximum(ratio(3 * shared - claimed, 2 * due, np.nan), 0.0)


def matthews(tp, tn, fp, fn):
    """Matthews correlation of counts: whole numbers, floats or arrays; nan where undefined."""
    if isinstance(tp, int):
        # Of whole numbers the product of the four sums is exact.
        product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        return (tp * tn - fp * fn) / math.sqrt(product) if product else math.nan
    # Factors apart: the product of four sums may be too large.
    root = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return ratio(tp * tn - fp * fn, root, np.nan)
