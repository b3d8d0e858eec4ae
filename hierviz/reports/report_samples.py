"""Which samples a report shows (the worst, those that are named, some at random), and their pictures in the room there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hierviz.charts.export import picture_url
from hierviz.diagnosis._sensitivity import Sensitivity
from hierviz.diagnosis.mistakes import worst_rows
from hierviz.evaluation._review import Review
from hierviz.messages.errors import PredictionsError, listed, shown
from hierviz.taxonomy.checks import check_kind, check_one_of, is_number
from hierviz.uncertainty.confidence_folds import MAPS

# Pixels of the longer side, tried in this order.
SIDES = (480, 240, 120)


@dataclass(frozen=True)
class ReportSamples:
    """Which samples a report shows.

    Attributes
    ----------
    worst, random : int
        How many of the worst answers, and of samples drawn without replacement from all.
    seed : int
        Of the draw.
    named : sequence of str
        Ids of further samples.
    max_mb : float
        Millions of bytes that pictures of samples may need together: they are reduced, then left out, and the report says so.
    sensitivities : sequence of Sensitivity
        Where the model looks, drawn with the samples that are shown anyway; those of other samples are left out.
    review : Review, optional
        What views that filter by a review mean.
    confidence_map, group : str, optional
        As ``how`` and ``group`` of `hierviz.evaluation.answer_confidence`: how the confidence of the answers is calibrated.

    Raises
    ------
    PredictionsError
        If a number is negative.
    """

    worst: int = 6
    random: int = 3
    seed: int = 0
    named: Sequence[str] = ()
    max_mb: float = 5.0
    sensitivities: Sequence[Sensitivity] = ()
    review: Review | None = None
    confidence_map: str = "none"
    group: str | None = None

    def __post_init__(self):
        for what in ("worst", "random", "seed"):
            number = getattr(self, what)
            if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
                raise PredictionsError(f"{what}: expected a whole number from 0, got {number!r}. Give one.")
        if not is_number(self.max_mb) or self.max_mb < 0:
            raise PredictionsError(
                f"max_mb: expected a number of megabytes from 0, got {shown(self.max_mb)}. Give one."
            )
        check_one_of("confidence_map", self.confidence_map, MAPS)
        if self.review is not None:
            check_kind("review", self.review, Review, "hierviz.load_review reads one.")
        for one in self.sensitivities:
            check_kind("sensitivities", one, Sensitivity, "Pass a list of what Model.sensitivity returns.")


def chosen_samples(evaluation, samples, **choice):
    """The samples of a report in groups.

    Parameters
    ----------
    evaluation : Evaluation
    samples : ReportSamples
    **choice
        How the answer is chosen: keywords of `Evaluation.answers`.

    Returns
    -------
    list of (title, rows)
        str and list of int, without empty groups. A sample may be in several of them.

    Raises
    ------
    PredictionsError
        If an id is that of no sample.
    """
    predictions = evaluation.predictions
    ids = [samples.named] if isinstance(samples.named, str) else list(samples.named)
    named = {sample: predictions.row(sample) for sample in ids}
    missing = [sample for sample, row in named.items() if row is None]
    if missing:
        raise PredictionsError(
            f"samples: expected ids of samples of {predictions.name}, such as {predictions.sample_id(0)!r}, got "
            f"{listed(missing)}. Correct them."
        )
    worst = worst_rows(evaluation, samples.worst, **choice).tolist() if samples.worst and evaluation.n_judged else []
    most = min(int(samples.random), predictions.n_samples)
    drawn = np.random.default_rng(samples.seed).choice(predictions.n_samples, most, replace=False).tolist()
    groups = {
        "Chosen samples": list(named.values()),
        "Worst answers": worst,
        f"Random samples (seed {samples.seed})": drawn,
    }
    return [(title, rows) for title, rows in groups.items() if rows]


def sample_pictures(predictions, rows, max_mb):
    """Pictures that need at most so many megabytes together.

    Parameters
    ----------
    predictions : Predictions
    rows : sequence of int
    max_mb : float
        Millions of bytes, as they are written into the page.

    Returns
    -------
    urls : dict of int to str
        Row to an address that holds the picture itself.
    note : str
        What was made smaller or left out, as a sentence; empty where nothing was.
    """
    if predictions.media is None:
        return {}, ""
    rows, urls, left_out = list(dict.fromkeys(rows)), {}, 0
    for side in SIDES:
        urls = {row: picture_url(png) for row in rows if (png := predictions.picture(row, side))}
        if sum(map(len, urls.values())) <= max_mb * 1e6:
            break
    while urls and sum(map(len, urls.values())) > max_mb * 1e6:
        urls.popitem()
        left_out += 1
    said = []
    if urls and side != SIDES[0]:
        said.append(f"Pictures were reduced to {side} pixels")
    if left_out:
        said.append(f"{left_out} of {len(urls) + left_out} pictures were left out")
    return urls, f"{' and '.join(said)} to keep to {max_mb:g} MB of pictures." if said else ""
