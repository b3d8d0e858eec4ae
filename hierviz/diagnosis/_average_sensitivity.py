"""Mean effects of hiding parts over samples, with pointwise intervals; conventions: `_sensitivity`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.diagnosis._sensitivity import NONE, Sensitivity, effect_words, signed_text
from hierviz.diagnosis.hidden_parts import HiddenParts, on_grid
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.taxonomy.checks import check_share, listed_values
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.student import t_quantiles

# Samples that a mean takes, and of a word those that have it.
FEWEST, FEWEST_WITH = 20, 5


@dataclass(frozen=True, eq=False)
class AverageSensitivity(Short):
    """Mean effects of hiding parts, over samples, with pointwise intervals of the mean.

    Attributes
    ----------
    taxonomy : Taxonomy
    model : str
    first, second : int or None
        Node numbers of the two classes; None where each sample has two of its own: then effects are towards the truth, or
        the answer where a truth is not known.
    towards : str
        The first class in words, and what the second is: `against`.
    against : str
    is_first_true : bool or None
        As of `Sensitivity`.
    n_samples : int
    parts : HiddenParts
        Of a picture the patches, on the mean picture; of texts the words that at least `FEWEST_WITH` samples have, those whose
        interval is farthest from 0 first; of rows the columns.
    mean, lower, upper : ndarray of float, shape (n_parts,)
        Log-odds; the ends of a Student interval over the samples that have the part.
    n_with : ndarray of int, shape (n_parts,)
        Samples that have it.
    cells : ndarray of float, shape (3, n_rows, n_columns), or None
        Of pictures mean, lower and upper end of the heat map on the grid of `hidden_parts.grid_of`.
    n_runs : int
    level : float
        Of each interval by itself; they are not corrected for their number.
    notes : tuple of str
    """

    taxonomy: Taxonomy
    model: str
    first: int | None
    second: int | None
    towards: str
    against: str
    is_first_true: bool | None
    n_samples: int
    parts: HiddenParts
    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    n_with: np.ndarray
    cells: np.ndarray | None
    n_runs: int
    level: float
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Which part matters most, in words."""
        pair = f"{self.towards} against {self.against}"
        of = f"Mean of {self.n_samples:,} samples: "
        if not len(self.parts):
            return f"{of}no word is in {FEWEST_WITH} of the samples or more."
        if np.abs(self.mean).max() < NONE:
            return f"{of}hiding any single part changes {pair} by less than 0.01 log-odds."
        place = 0 if self.parts.kind == "text" else int(np.abs(self.mean).argmax())
        ends = f"{signed_text(self.lower[place])} to {signed_text(self.upper[place])}"
        words = effect_words(self.parts, place, float(self.mean[place]), pair)
        return f"{of}{words[0].lower()}{words[1:-1]}; interval of the mean effect {ends}."

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a part."""
        found = self.parts.columns()
        if self.parts.kind != "picture":
            found = {name: found[name] for name in ("part", "what")}
        return frame(found | {"mean": self.mean, "lower": self.lower, "upper": self.upper, "n_with": self.n_with})


def averaged(samples: Sequence[Sensitivity], level: float = 0.95) -> AverageSensitivity:
    """Mean effects over samples.

    Parameters
    ----------
    samples : sequence of Sensitivity
        Of one model, at least `FEWEST`; of pictures of one size, or of rows with the same columns.
    level : float
        In (0, 1), of the pointwise intervals.

    Returns
    -------
    AverageSensitivity

    Raises
    ------
    PredictionsError
        If there are fewer samples, or their parts differ.
    """
    check_share("level", level)
    found = listed_values("samples", samples, "Sensitivity")
    if len(found) < FEWEST:
        raise PredictionsError(
            f"samples: expected at least {FEWEST} for a mean, got {len(found)}. Take more, or look at them one by one."
        )
    first, taxonomy = found[0], found[0].taxonomy
    pairs = {(one.first, one.second) for one in found}
    sign = np.ones(len(found))
    ends: dict[str, Any] = {"first": first.first, "second": first.second}
    if len(pairs) == 1:
        words = {"towards": taxonomy.title(first.first), "against": taxonomy.title(first.second)}
        sides = {one.is_first_true for one in found}
        ends["is_first_true"] = sides.pop() if len(sides) == 1 else None
    else:
        sign = np.array([-1.0 if one.is_first_true is False else 1.0 for one in found])
        has_truth = all(one.is_first_true is not None for one in found)
        what = "the true class" if has_truth else "the answer"
        words = {"towards": what, "against": "the competing class"}
        ends = {"first": None, "second": None, "is_first_true": True if has_truth else None}
    parts, effects = (_words if first.parts.kind == "text" else _alike)(found, sign)
    n_with = np.isfinite(effects).sum(axis=0)
    mean, lower, upper = _interval(effects, level)
    cells = None
    if parts.kind == "picture":
        cells = np.stack(_interval(on_grid(parts, effects), level))
    if parts.kind == "text":
        order = np.argsort(-np.maximum(np.maximum(lower, -upper), 0) - 1e-9 * np.abs(mean), kind="stable")
        parts = HiddenParts("text", parts.what[order], tuple(parts.names[k] for k in order), parts.places[order], "")
        mean, lower, upper, n_with = (values[order] for values in (mean, lower, upper, n_with))
    said = tuple(dict.fromkeys(note for one in found for note in one.notes))
    numbers = {"mean": mean, "lower": lower, "upper": upper, "n_with": n_with, "cells": cells}
    of_all = {"n_samples": len(found), "n_runs": sum(one.n_runs for one in found), "level": level}
    return AverageSensitivity(taxonomy, first.model, parts=parts, notes=said, **ends, **words, **numbers, **of_all)


def _alike(found, sign):
    """The parts that all have, and their effects, shape (n, n_parts)."""
    first = found[0].parts
    for one in found:
        same = one.parts.names == first.names and np.array_equal(one.parts.places, first.places)
        if not same or (first.kind == "picture" and one.parts.content.shape != first.content.shape):
            what = "pictures of one size" if first.kind == "picture" else "rows with the same columns"
            raise PredictionsError(f"samples: expected {what}, got others. Take those that are alike.")
    effects = np.stack([one.effect for one in found]) * sign[:, None]
    content = first.content
    if first.kind == "picture":
        content = np.mean([one.parts.content for one in found], axis=0).round().astype(np.uint8)
    return HiddenParts(first.kind, first.what, first.names, first.places, content, first.instead), effects


def _words(found, sign):
    """The words of enough texts, and the mean effect of each in each text, nan where it has none: shape (n, n_words)."""
    samples, words, values = [], [], []
    for number, one in enumerate(found):
        is_word = one.parts.what == "word"
        bare = [re.sub(r"^\W+|\W+$", "", name).casefold() for name in one.parts.names]
        for place in np.flatnonzero(is_word).tolist():
            if bare[place]:
                samples.append(number)
                words.append(bare[place])
                values.append(one.effect[place] * sign[number])
    names, code = np.unique(np.array(words, dtype=str), return_inverse=True)
    sums, counts = np.zeros((2, len(found), len(names)))
    np.add.at(sums, (samples, code), values)
    np.add.at(counts, (samples, code), 1)
    kept = (counts > 0).sum(axis=0) >= FEWEST_WITH
    with np.errstate(invalid="ignore", divide="ignore"):
        effects = (sums / counts)[:, kept]
    n = int(kept.sum())
    parts = HiddenParts("text", np.full(n, "word"), tuple(names[kept].tolist()), np.zeros((n, 2), int), "")
    return parts, effects


def _interval(values, level):
    """(mean, lower, upper) over the first axis, without what is nan."""
    n = np.isfinite(values).sum(axis=0)
    mean = np.nansum(values, axis=0) / n
    spread = np.nansum((values - mean) ** 2, axis=0) / np.maximum(n - 1, 1)
    half = t_quantiles(level, np.maximum(n - 1, 1)) * np.sqrt(spread / n)
    return mean, mean - half, mean + half
