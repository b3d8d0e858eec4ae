"""AC of the model card and its noise: all thresholds at once, and the same for resamples of the samples.

Conventions: `p` is float64 (n, n_nodes); `truth` int (n,) holds node numbers below the root; no node is an only child.
Written apart from `hierviz`, from the same definitions, so that each can check the other.
"""

from dataclasses import dataclass

import numpy as np

RESAMPLES = 1000


@dataclass(frozen=True, eq=False)
class Steps:
    """How the sums behind a curve change while the threshold falls.

    Attributes
    ----------
    n : int
        Samples.
    sample : ndarray of int, shape (n_steps,)
        Whose answer changes, in falling order of the threshold; first the first answer of every sample.
    last : ndarray of int, shape (n_points,)
        Last step at each threshold.
    correct, recall : ndarray of float, shape (n_steps,)
        By how much the value of that sample changes.
    """

    n: int
    sample: np.ndarray
    last: np.ndarray
    correct: np.ndarray
    recall: np.ndarray

    @classmethod
    def from_probabilities(cls, tree, p, truth):
        """Answers are the most informative nodes with p above the threshold, the more probable of equals."""
        above, found = np.full(len(p), -1.0), []
        # Most informative first: a node is an answer where it is more probable than all that say more.
        for bits in np.unique(tree.information)[::-1]:
            nodes = np.flatnonzero(tree.information == bits)
            best, node = p[:, nodes].max(1), nodes[p[:, nodes].argmax(1)]
            sample = np.flatnonzero(best > above)
            above[sample] = best[sample]
            found.append((sample, node[sample], best[sample]))
        sample, node, threshold = (np.concatenate(parts[::-1]) for parts in zip(*found))
        order = np.argsort(sample, kind="stable")
        sample, node, threshold = sample[order], node[order], threshold[order]
        first = np.flatnonzero(np.diff(sample, prepend=-1))
        threshold[first] = np.inf
        shared = tree.lowest_common_ancestor(truth[sample], node)
        correct = ((shared == node) | (shared == truth[sample])).astype(float)
        recall = tree.information[shared] / tree.information[truth[sample]]
        order = np.argsort(-threshold, kind="stable")
        threshold = threshold[order]
        changes = []
        for value in (correct, recall):
            change = np.diff(value, prepend=0.0)
            change[first] = value[first]
            changes.append(change[order])
        return cls(len(p), sample[order], np.flatnonzero(np.append(threshold[1:] != threshold[:-1], True)), *changes)

    def area(self, counts=None):
        """AC: area under the non-increasing envelope of correct over information recall, 0..1, higher is better.

        `counts`, int (n,): how often each sample is taken; once when None.
        """
        weight = 1.0 if counts is None else counts[self.sample]
        correct, recall = (np.cumsum(change * weight)[self.last] / self.n for change in (self.correct, self.recall))
        order = np.argsort(recall, kind="stable")
        height = np.maximum.accumulate(correct[order][::-1])[::-1]
        return float(np.sum(np.diff(recall[order], prepend=0.0) * height))


def resampled_areas(models, n_resamples=RESAMPLES):
    """AC of several models, a list of Steps, over the same resamples of the samples: float (n_models, n_resamples)."""
    n, areas = models[0].n, np.empty((len(models), n_resamples))
    for k in range(n_resamples):
        rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(k,)))
        counts = np.bincount(rng.integers(0, n, n), minlength=n)
        areas[:, k] = [steps.area(counts) for steps in models]
    return areas


def middle(values):
    """Ends of the middle 95 % of some values, without interpolation."""
    last = len(values) - 1
    return np.sort(values)[[int(0.025 * last), int(np.ceil(0.975 * last))]]
