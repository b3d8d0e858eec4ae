"""What an expert says of samples.

Conventions
-----------
A verdict is about one answer to one sample with one truth. The verdicts are

- ``wrong_label``: the truth is wrong. What is right is not known, so the sample is left out of every number and counted.
- ``acceptable``: the answer is right, too. Where a model gives this answer it is the truth of the sample, so it is exact; any
  other answer is judged against the truth that was there before.
- ``model_wrong``: truth and judgement stay. It says that somebody looked.

Without a verdict a row holds a note alone. A verdict on another truth than the one that the data have is outdated: labels were
changed since. It is not used, and counted.

Classes
-------
Review, ReviewRow, VERDICTS
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Rows
from hierviz.taxonomy.checks import check_one_of, check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

VERDICTS = {"wrong_label": "Wrong label", "acceptable": "Acceptable", "model_wrong": "Model wrong"}
# Of a file of a review, in this order.
COLUMNS = ("sample_id", "verdict", "note", "order", "model", "answer", "truth")


class ReviewRow(NamedTuple):
    """What was said of one answer to one sample; nodes are numbers, ascending, () where they are not known."""

    sample_id: str
    verdict: str = ""
    note: str = ""
    model: str = ""
    answer: tuple[int, ...] = ()
    truth: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Review(Rows):
    """Verdicts in the reviewer's order.

    Attributes
    ----------
    taxonomy : Taxonomy
    rows : tuple of ReviewRow
        One for each pair of a sample and an answer.

    Raises
    ------
    PredictionsError
        If a verdict is unknown, a pair occurs twice, an acceptable answer is not named, or a sample has a wrong label and another
        verdict.
    """

    taxonomy: Taxonomy
    rows: tuple[ReviewRow, ...] = ()

    def __post_init__(self):
        check_taxonomy(self.taxonomy)
        rows = tuple(
            row._replace(**{of: tuple(sorted(getattr(row, of))) for of in ("answer", "truth")}) for row in self.rows
        )
        object.__setattr__(self, "rows", rows)
        seen: dict[Any, str] = {}
        for row in rows:
            for problem in _problems(row, seen):
                raise PredictionsError(f"review, sample {row.sample_id!r}: {problem}")

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def counts(self) -> dict[str, int]:
        """Number of rows with each verdict, by its key."""
        return {key: sum(row.verdict == key for row in self.rows) for key in VERDICTS}

    def of(self, sample_id: str, answer: Iterable[int]) -> ReviewRow | None:
        """What was said of an answer to a sample; a wrong label is said of all answers. None where nothing was."""
        key = sample_id, tuple(sorted(answer))
        same = [row for row in self.rows if row.sample_id == sample_id]
        return next((row for row in same if (row.sample_id, row.answer) == key or row.verdict == "wrong_label"), None)

    def saying(self, row: ReviewRow) -> Review:
        """The review with what is said last of a sample and an answer; a row without verdict and note takes it back.

        A verdict replaces those that contradict it: that of the same answer, and a wrong label every other one.
        """
        before = self.of(row.sample_id, row.answer)
        is_wrong = row.verdict == "wrong_label"
        others = [
            one
            for one in self.rows
            if one is not before and not (is_wrong and one.sample_id == row.sample_id and one.verdict)
        ]
        place = next((place for place, one in enumerate(self.rows) if one is before), len(others))
        if row.verdict or row.note:
            others.insert(min(place, len(others)), row)
        return replace(self, rows=tuple(others))

    @cached_property
    def sample_ids(self) -> np.ndarray:
        """Sample id of each row, shape (n_rows,) of str."""
        return np.array([row.sample_id for row in self.rows], dtype=str)

    def with_ids_of(self, ids: np.ndarray) -> Review:
        """The review with ids of some samples (ndarray of str): one that is none of them loses the blanks around it."""
        is_unknown = ~np.isin(self.sample_ids, ids)
        is_spaced = is_unknown & np.isin(np.char.strip(self.sample_ids), np.char.strip(ids))
        if not is_spaced.any():
            return self
        spelt = dict(zip(np.char.strip(ids).tolist(), ids.tolist(), strict=True))
        rows = [
            row._replace(sample_id=spelt[row.sample_id.strip()]) if is_new else row
            for row, is_new in zip(self.rows, is_spaced, strict=True)
        ]
        return replace(self, rows=tuple(rows))

    def ids(self, *verdicts: str) -> np.ndarray:
        """Sample ids with one of some verdicts, in the reviewer's order, each once: ndarray of str."""
        for verdict in verdicts:
            check_one_of("verdict", verdict, VERDICTS)
        return np.array(list(dict.fromkeys(row.sample_id for row in self.rows if row.verdict in verdicts)), dtype=str)

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame with the columns of a file: nodes by name, several joined by ``;``; `order` counts from 1."""
        return frame({name: [row[place] for row in self.records()] for place, name in enumerate(COLUMNS)})

    def records(self) -> list[tuple[str | int, ...]]:
        """The rows of a file, with the columns `COLUMNS`."""
        names = self.taxonomy.names
        return [
            (
                *(row.sample_id, row.verdict, row.note, order, row.model),
                *(";".join(names[node] for node in nodes) for nodes in (row.answer, row.truth)),
            )
            for order, row in enumerate(self.rows, 1)
        ]


def _problems(row, seen):
    """What is wrong with a row after those that were seen, as the second half of an error; `seen` grows."""
    if row.verdict and row.verdict not in VERDICTS:
        yield f"expected a verdict, one of {', '.join(VERDICTS)}, got {shown(row.verdict)}. Correct it."
    if row.verdict == "acceptable" and not row.answer:
        yield "expected the answer that is acceptable, got none. Name its class in the column answer."
    if (row.sample_id, row.answer) in seen:
        yield "expected one row for each answer to a sample, got a second one. Remove one."
    before = seen.get(row.sample_id)
    if row.verdict and before and "wrong_label" in (before, row.verdict):
        yield f"expected no other verdict on a sample with a wrong label, got {before} and {row.verdict}. Remove one."
    seen[row.sample_id, row.answer] = row.verdict
    if row.verdict:
        seen[row.sample_id] = row.verdict
