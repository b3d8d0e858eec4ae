"""Which samples a report shows (the worst, those that are named, some at random), and their pictures in the room there is."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import numpy as np

from hierviz.diagnosis.mistakes import worst_rows
from hierviz.messages.errors import PredictionsError, listed

# Pixels of the longer side, tried in this order.
SIDES = (480, 240, 120)


@dataclass(frozen=True)
class SampleGroup:
    """Samples that are shown for one reason.

    Attributes
    ----------
    title : str
    rows : tuple of int
        Rows of the Predictions.
    """

    title: str
    rows: tuple[int, ...]


def chosen_samples(evaluation, worst, samples, random, seed, rule, threshold, **parameters):
    """The samples of a report in groups.

    Parameters
    ----------
    evaluation : Evaluation
    worst, random : int
        How many of the worst answers, and of samples drawn without replacement from all.
    samples : sequence of str
        Ids.
    seed : int
        Of the draw.
    rule, threshold, **parameters
        How the answer is chosen.

    Returns
    -------
    list of SampleGroup
        Without empty groups. A sample may stand in several of them.

    Raises
    ------
    PredictionsError
        If a number is negative or an id is that of no sample.
    """
    predictions = evaluation.predictions
    for what, number in (("worst", worst), ("random", random), ("seed", seed)):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
            raise PredictionsError(f"{what}: expected a whole number from 0, got {number!r}. Give one.")
    samples = [samples] if isinstance(samples, str) else list(samples)
    named = {sample: predictions.row(sample) for sample in samples}
    missing = [sample for sample, row in named.items() if row is None]
    if missing:
        raise PredictionsError(
            f"samples: expected ids of samples of {predictions.name}, such as {predictions.sample_id(0)!r}, got "
            f"{listed(missing)}. Correct them."
        )
    worst_found = (
        worst_rows(evaluation, worst, rule, threshold, **parameters).tolist() if worst and evaluation.n_judged else []
    )
    most = min(int(random), predictions.n_samples)
    drawn = np.random.default_rng(seed).choice(predictions.n_samples, most, replace=False).tolist()
    groups = [
        SampleGroup("Chosen samples", tuple(named.values())),
        SampleGroup("Worst answers", tuple(worst_found)),
        SampleGroup(f"Random samples (seed {seed})", tuple(drawn)),
    ]
    return [group for group in groups if group.rows]


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
        urls = {row: _url(png) for row in rows if (png := predictions.picture(row, side))}
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


def _url(png):
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"
