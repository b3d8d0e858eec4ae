"""What hiding parts of a sample does to the log-odds between two classes; means over samples: `_average_sensitivity`.

Conventions
-----------
Effects are in log-odds (natural logarithm of the ratio of the probabilities of two classes), from minus to plus infinity.
An effect is the log-odds of the whole sample less those without the part: positive where the part speaks for the first class.
Probabilities below `LEAST` count as `LEAST`. An effect says what the model does without the part, not what caused its answer.

Functions and classes
---------------------
Sensitivity, log_odds
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.diagnosis.hidden_parts import HiddenParts, grid_of, on_grid
from hierviz.messages.errors import PredictionsError, first_words
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import fixed_text
from hierviz.taxonomy.taxonomy import Taxonomy

LEAST = 1e-12
# Effects below this are none; letters of a part in a sentence.
NONE, LETTERS = 5e-3, 60
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
        said = effect_words(self.parts, int(shown[most]), value, pair)
        # What speaks for the other class, where it is another part by name and no trifle.
        other = int(effect.argmin() if value > 0 else effect.argmax())
        is_other = float(effect[other]) * value < 0 and abs(float(effect[other])) >= max(0.1 * size, NONE)
        if is_other and self.parts.names[shown[other]] != self.parts.names[shown[most]]:
            said += f" {effect_words(self.parts, int(shown[other]), float(effect[other]), 'it')}"
        return said

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a part."""
        return frame(self.parts.columns() | {"effect": self.effect})


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


def signed_text(value):
    """An effect with its sign."""
    return f"{'−' if value < 0 else '+'}{odds_text(float(value))}"


def effect_words(parts, place, value, pair):
    """What hiding a part does to a pair of classes, as a sentence."""
    changes = "lowers" if value > 0 else "raises"
    hiding = parts.hiding(place)
    if parts.kind == "text" and len(parts.names[place]) > LETTERS:
        hiding = hiding.replace(parts.names[place], first_words(parts.names[place], LETTERS))
    return f"{hiding} {changes} {pair} most ({odds_text(value)} log-odds)."
