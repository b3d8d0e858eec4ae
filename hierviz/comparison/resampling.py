"""Draws of all numbers of all files from the same resamples, so that methods can be compared in pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from hierviz.comparison.resampled import ResampledNumbers
from hierviz.uncertainty.resamples import Resamples

# Counts of resamples that are held at a time: 16 MB.
BLOCK_COUNTS = 2_000_000


def resampled_draws(
    files: Sequence[ResampledNumbers],
    resamples: Resamples,
    progress: Callable[[int, int], object] | None = None,
) -> list[dict[str, np.ndarray]]:
    """Every number of every file in every resample.

    Parameters
    ----------
    files : sequence of ResampledNumbers
        Of the same samples in one order.
    resamples : Resamples
    progress : callable, optional
        Called with (resamples done, n_resamples) after every draw of a file.

    Returns
    -------
    list of dict of str to ndarray of float, shape (n_resamples,)
        One a file, by key.
    """
    draws = [{key: np.empty(resamples.n_resamples) for key in file.keys} for file in files]
    step = max(1, BLOCK_COUNTS // resamples.n_samples)
    for start in range(0, resamples.n_resamples, step):
        block = range(start, min(start + step, resamples.n_resamples))
        counts = np.stack([resamples.counts(index) for index in block]).astype(np.float64)
        for place, (file, of_file) in enumerate(zip(files, draws, strict=True)):
            found = file.of(counts, partial(_tell, progress, block, (place, len(files)), resamples.n_resamples))
            for key, values in of_file.items():
                values[block.start : block.stop] = found[key]
        if progress:
            progress(block.stop, resamples.n_resamples)
    return draws


def _tell(progress, block, file, n_resamples, share):
    """Report a share of a block of one of the files, (place, number of files)."""
    if progress:
        progress(block.start + int(len(block) * (file[0] + share) / file[1]), n_resamples)
