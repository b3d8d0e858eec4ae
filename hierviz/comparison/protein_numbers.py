"""F-max and S-min of one model in a table: values, and those of resamples."""

from __future__ import annotations

import numpy as np

from hierviz.evaluation._protein_function import term_counts
from hierviz.metrics.label_entries import PROTEIN_METRICS

# Samples above which what each adds is not kept: 10 kB a sample.
MOST_KEPT = 50_000


def has_protein(columns):
    """Whether columns ask for F-max or S-min."""
    return any(column.metric in PROTEIN_METRICS for column in columns)


class ProteinNumbers:
    """Terms of every sample at every threshold, counted once.

    Parameters
    ----------
    model : Evaluation
    accretion : ndarray of float, shape (n_nodes,), or None
        Bits of each term; without them F-max alone is there.
    columns : sequence of Column
        Those of F-max and S-min are `keys`, where they have a value and the samples are not too many to resample.
    progress : callable, optional
        Called with (rows done, n_samples).
    """

    def __init__(self, model, accretion, columns, progress=None):
        self.is_kept = model.n_judged <= MOST_KEPT
        self.counts = term_counts(
            model.predictions, accretion, progress, judged=model.judged, keep_samples=self.is_kept
        )
        values = self.summary()
        self.keys = [c.key for c in columns if self.is_kept and values.get(c.metric) is not None]
        self.places = np.arange(model.n_judged)

    def summary(self):
        """The numbers by metric, None where there is none."""
        return self.counts.summary()

    def of_places(self, places):
        """The same, with samples in the order of `places` among the judged ones, for resamples."""
        self.places = places
        return self

    def of(self, counts, told=lambda share: None):
        """Numbers of draws: dict of key to ndarray of float, shape (n_draws,); `counts` as of `ResampledNumbers.of`."""
        found = self.counts.weighed(counts, self.places)
        told(1.0)
        return {key: found[key.split(".")[1]] for key in self.keys}
