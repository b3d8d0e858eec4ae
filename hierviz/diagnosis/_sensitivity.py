"""What hiding parts of a sample does to the log-odds between two classes: of one sample, and averaged over several.

Conventions
-----------
Effects are in log-odds (natural logarithm of the ratio of the probabilities of two classes), from minus to plus infinity.
An effect is the log-odds of the whole sample less those without the part: positive where the part speaks for the first class.
Probabilities below `LEAST` count as `LEAST`. An effect says what the model does without the part, not what caused its answer.

Functions and classes
---------------------
Sensitivity, AverageSensitivity, averaged, log_odds
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.diagnosis.hidden_parts import HiddenParts, grid_of, on_grid
from hierviz.messages.errors import PredictionsError, first_words
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import fixed_text
from hierviz.taxonomy.checks import check_share, listed_values
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.student import t_quantiles

LEAST = 1e-12
# Effects below this are none; samples that a mean takes, and of a word those that have it; letters of a part in a sentence.
NONE, FEWEST, FEWEST_WITH, LETTERS = 5e-3, 20, 5, 60
WHAT_IT_IS = (
    "Sensitivity to hiding, not a cause: it shows how the output changes when a part is missing. A sample with a hidden part is "
    "unusual, and of parts that carry the same information each shows little."
)


def log_odds(p: np.ndarray, first: Any, second: Any) -> tuple[np.ndarray, int]:
    """Log-odds between two classes, and of how many probabilities `LEAST` was taken.

    Parameters
    ----------
    p : ndarray of float, shape (n, n_nodes)
    first, second : int, or ndarray of int, shape (n,)
    """
    rows = np.arange(len(p))
    pair = np.stack([p[rows, first], p[rows, second]])
    odds = np.log(np.maximum(pair, LEAST))
    return odds[0] - odds[1], int((pair < LEAST).sum())


@dataclass(frozen=True, eq=False)
class Sensitivity(Short):
    """What hiding parts of one sample does to the log-odds between two classes.

    Attributes
    ----------
    taxonomy : Taxonomy
    model, sample : str
        Names.
    first, second : int
        Node numbers of the two classes.
    truth, answer : int or None
        Node numbers.
    why : str
        How the two classes were chosen.
    parts : HiddenParts
    log_odds : float
        Of the whole sample.
    effect : ndarray of float, shape (n_parts,)
        Log-odds; positive where the part speaks for `first`: hiding it lowers the log-odds of `first` against `second`.
    n_runs : int
        Rows that the model was run on: one for the whole sample, and one a part; where the kind of the scores is not declared
        also those that it was detected from.
    notes : tuple of str
        What was clipped, and how parts were hidden.
    """

    taxonomy: Taxonomy
    model: str
    sample: str
    first: int
    second: int
    truth: int | None
    answer: int | None
    why: str
    parts: HiddenParts
    log_odds: float
    effect: np.ndarray
    n_runs: int
    notes: tuple[str, ...] = ()

    @property
    def heat(self) -> np.ndarray:
        """Mean effect of the patches that cover each pixel of a picture, log-odds, shape (height, width)."""
        require_picture(self.parts)
        down, across = grid_of(self.parts)
        cells = on_grid(self.parts, self.effect[None])[0]
        return np.repeat(np.repeat(cells, np.diff(down), axis=0), np.diff(across), axis=1)

    @property
    def is_first_true(self) -> bool | None:
        """Whether the first class is on the path of the truth; None where neither is, or the truth is not known."""
        return side_of_truth(self.taxonomy, self.first, self.second, self.truth)

    @property
    def sentence(self) -> str:
        """Which part matters most, in words."""
        shown = np.flatnonzero(self.parts.what != "sentence")
        effect = self.effect[shown]
        pair = f"{self.taxonomy.title(self.first)} against {self.taxonomy.title(self.second)}"
        size = float(np.abs(effect).max(initial=0))
        if size < NONE:
            return f"Hiding any single part changes {pair} by less than 0.01 log-odds."
        most = int(np.abs(effect).argmax())
        value = float(effect[most])
        said = _said(self.parts, int(shown[most]), value, pair)
        # What speaks for the other class, where it is another part by name and no trifle.
        other = int(effect.argmin() if value > 0 else effect.argmax())
        is_other = float(effect[other]) * value < 0 and abs(float(effect[other])) >= max(0.1 * size, NONE)
        if is_other and self.parts.names[shown[other]] != self.parts.names[shown[most]]:
            said += f" {_said(self.parts, int(shown[other]), float(effect[other]), 'it')}"
        return said

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a part."""
        return frame(self.parts.columns() | {"effect": self.effect})


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
        ends = f"{_signed(self.lower[place])} to {_signed(self.upper[place])}"
        said = _said(self.parts, place, float(self.mean[place]), pair)
        return f"{of}{said[0].lower()}{said[1:-1]}; interval of the mean effect {ends}."

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


def require_picture(parts: HiddenParts) -> None:
    """Raise a PredictionsError unless the parts are patches of a picture."""
    if parts.kind != "picture":
        raise PredictionsError(
            f"heat: expected the sensitivity of a picture, got that of a {parts.kind}. Use its effects."
        )


def side_of_truth(taxonomy: Taxonomy, first: int, second: int, truth: int | None) -> bool | None:
    """Whether the first of two classes, and not the second, contains the truth; None where neither does."""
    if truth is None:
        return None
    above = set(taxonomy.ancestors(np.array([truth])).nodes.tolist())
    return None if (first in above) == (second in above) else first in above


def odds_text(value: float) -> str:
    """The size of an effect: 2.1, 0.35, 0.00."""
    return fixed_text(abs(value), 1 if abs(value) >= 0.995 else 2)


def _signed(value):
    return f"{'−' if value < 0 else '+'}{odds_text(float(value))}"


def _said(parts, place, value, pair):
    changes = "lowers" if value > 0 else "raises"
    hiding = parts.hiding(place)
    if parts.kind == "text" and len(parts.names[place]) > LETTERS:
        hiding = hiding.replace(parts.names[place], first_words(parts.names[place], LETTERS))
    return f"{hiding} {changes} {pair} most ({odds_text(value)} log-odds)."


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
