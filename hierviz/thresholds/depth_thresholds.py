r"""One threshold for each depth, chosen for a target, and the points that a family of targets gives.

Conventions
-----------
At depth d a sample offers its most probable candidate there, v. The offer is taken where p(v) exceeds the threshold of the
depth, and is correct where v contains the truth or lies below it. The threshold of a depth is the smallest for which the
share of correct offers among those taken is at least the target; 1, so that nothing is taken, where none does. Rule
`depth_thresholds` then answers with the most specific node above its threshold: the target holds for the offers of each
depth on the samples at hand, not for the answers as a whole, whose means are reported.

Functions
---------
thresholds_by_depth, depth_threshold_points
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.registry import infer
from hierviz.messages.errors import PredictionsError
from hierviz.messages.progress import Progress
from hierviz.metrics.path import check_nodes, path_metrics
from hierviz.metrics.registry import path_keys
from hierviz.metrics.ties import at_least
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_share, check_taxonomy, checked_probabilities, one_truth_each
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.thresholds.selection import typeable


def thresholds_by_depth(
    taxonomy: Taxonomy, truth: ArrayLike, p: ArrayLike | Predictions | Evaluation, level: float = 0.95
) -> tuple[float, ...]:
    """A threshold for each depth from 1 down, for rule `depth_thresholds`.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        One known true node a sample. Choose on other samples than those that are judged.
    p : ndarray of float, shape (n_samples, n_nodes), Predictions, or Evaluation, of its judged samples
    level : float
        Share of correct offers that each depth has to reach, in [0, 1].

    Returns
    -------
    tuple of float, length max_depth
        In [0, 1], with as few decimals as possible.

    Raises
    ------
    PredictionsError
        If the level is not in [0, 1], there is no sample, or lengths differ.
    TaxonomyError
        If the taxonomy is not a tree.
    """
    check_share("level", level, with_ends=True)
    return _chosen(*_offers(taxonomy, truth, p), level)


def depth_threshold_points(
    taxonomy: Taxonomy,
    truth: ArrayLike,
    p: ArrayLike | Predictions | Evaluation,
    levels: Iterable[float],
    *,
    chosen_on: tuple[ArrayLike, ArrayLike | Predictions | Evaluation] | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Results of rule `depth_thresholds` for several targets.

    Parameters
    ----------
    taxonomy, truth, p
        As in `thresholds_by_depth`: the samples that are judged.
    levels : iterable of float
        In [0, 1].
    chosen_on : (truth, p), optional
        Other samples that the thresholds are chosen on; the same ones when absent, which is optimistic.
    progress : callable, optional
        Called with (samples judged, samples).

    Returns
    -------
    dict
        ``level``, ``thresholds_by_depth`` (texts) and the keys of `path_keys`, each with one entry for each level.
    """
    levels = list(levels)
    for level in levels:
        check_share("level", level, with_ends=True)
    offers = _offers(taxonomy, *((truth, p) if chosen_on is None else chosen_on))
    texts = [",".join(f"{value:.12g}" for value in _chosen(*offers, level)) for level in levels]
    judged = _checked_truth(taxonomy, truth, p)
    parts: list[list[Any]] = [[] for _ in levels]
    for rows, block in _blocks(taxonomy, p):
        for place, text in enumerate(texts):
            parts[place].append(infer(taxonomy, block, "depth_thresholds", thresholds_by_depth=text))
        if progress:
            progress(rows.stop, len(judged))
    means = [path_metrics(taxonomy, judged, np.concatenate(part)) for part in parts]
    return {
        "level": [float(level) for level in levels],
        "thresholds_by_depth": texts,
        **{key: [float(values[key].mean()) for values in means] for key in path_keys()},
    }


def _offers(taxonomy: Taxonomy, truth: Any, p: Any) -> tuple[np.ndarray, np.ndarray]:
    """Probability of the offer of each depth from 1 down and whether it is correct, each shape (n_samples, max_depth)."""
    check_taxonomy(taxonomy)
    taxonomy.require_tree("thresholds by depth")
    truth = _checked_truth(taxonomy, truth, p)
    nodes = taxonomy.candidates
    score, is_right = (np.full((len(truth), taxonomy.max_depth), fill) for fill in (-np.inf, 0.0))
    for rows, block in _blocks(taxonomy, p):
        places, due = np.arange(len(block)), truth[rows]
        for depth in range(1, taxonomy.max_depth + 1):
            here = nodes[taxonomy.depth[nodes] == depth]
            if len(here):
                best = here[block[:, here].argmax(axis=1)]
                score[rows, depth - 1] = block[places, best]
                is_right[rows, depth - 1] = taxonomy.is_ancestor(best, due) | taxonomy.is_ancestor(due, best)
    return score, is_right


def _chosen(score: np.ndarray, is_right: np.ndarray, level: float) -> tuple[float, ...]:
    return tuple(_threshold(score[:, k], is_right[:, k], level) for k in range(score.shape[1]))


def _threshold(score, is_right, level):
    order = np.argsort(-score, kind="stable")
    values = score[order]
    share = np.cumsum(is_right[order]) / np.arange(1, len(order) + 1)
    # Equal scores are taken together, and only scores above 0 can be.
    ends = np.flatnonzero(np.append(values[1:] != values[:-1], True) & (values > 0) & at_least(share, level))
    if not len(ends):
        return 1.0
    last = ends[-1]
    low = max(values[last + 1], 0.0) if last + 1 < len(values) else 0.0
    return typeable(min(low, 1.0), values[last])


def _blocks(taxonomy, p):
    if isinstance(p, Evaluation):
        # Of the judged samples only.
        for rows in p.predictions.blocks():
            low, high = np.searchsorted(p.rows, (rows.start, rows.stop))
            if high > low:
                yield slice(low, high), p.predictions.node_probabilities(p.rows[low:high])
    elif isinstance(p, Predictions):
        for rows in p.blocks():
            yield rows, p.node_probabilities(rows)
    else:
        yield slice(0, len(np.asarray(p))), checked_probabilities(taxonomy, p)


def _checked_truth(taxonomy, truth, p):
    truth = one_truth_each(truth)
    n = p.n_judged if isinstance(p, Evaluation) else p.n_samples if isinstance(p, Predictions) else len(np.asarray(p))
    if not len(truth) or len(truth) != n:
        raise PredictionsError(
            f"truth: expected one node for each of the {n} samples (at least one), got {len(truth)}. Align them."
        )
    check_nodes(taxonomy, "truth", truth)
    return truth
