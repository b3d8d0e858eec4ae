"""What every loss is called, means, comes from and needs, and the one call for all of them.

`LOSSES` maps the keys of docs/metrics.md, section Losses, to Loss entries; menus, reference and tests loop over it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.losses._rows import Loss
from hierviz.losses.conditional import conditional_softmax, conditional_softmax_la, hxe
from hierviz.losses.margin import hard_margin, soft_max_descendant, soft_max_margin
from hierviz.losses.path_sums import deep_rtc, ps_softmax
from hierviz.losses.sigmoid import champ, conditional_sigmoid, multilabel_bce, multilabel_focal
from hierviz.losses.softmax import coarse_ce, flat_ce, log_win, raw_win
from hierviz.messages.errors import PredictionsError, listed, near_miss
from hierviz.taxonomy.checks import check_one_of, check_taxonomy
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


def loss(
    name: str, taxonomy: Taxonomy, truth: ArrayLike | NodeLists, scores: ArrayLike, **keywords: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Value of a loss for each sample, and its gradient with respect to the scores.

    Parameters
    ----------
    name : str
        A key of `LOSSES`.
    taxonomy : Taxonomy
    truth : ndarray of int, shape (n_samples,), or NodeLists
        True nodes. Lists where `LOSSES[name].takes_lists`.
    scores : ndarray, shape (n_samples, n_scores)
        Raw model outputs; `LOSSES[name].columns(taxonomy)` is the node of each column.
    **keywords
        Those of the loss, `LOSSES[name].parameters`.

    Returns
    -------
    values : ndarray of float64, shape (n_samples,)
        Not averaged, lower is better. Finite for finite scores, as long as sums of scores do not overflow.
    gradient : ndarray of float64, shape (n_samples, n_scores)
        Row i is the gradient of ``values[i]``: divide by n_samples for that of the mean.

    Raises
    ------
    PredictionsError
        If the loss or a keyword is unknown, shapes do not fit, scores are not finite, or a truth has no such loss.
    TaxonomyError
        If the loss is defined on trees only and the taxonomy is not one.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> values, gradient = loss("hxe", taxonomy, taxonomy.nodes("cat"), [[0.0, 0.0, 0.0]], alpha=0.5)
    >>> values.round(3), gradient.round(3)
    (array([0.826]), array([[-0.47 ,  0.137,  0.333]]))
    """
    check_one_of("loss", name, LOSSES)
    entry = LOSSES[name]
    check_taxonomy(taxonomy, "It comes after the name of the loss.")
    known = entry.parameters
    unknown = [keyword for keyword in keywords if keyword not in known]
    if unknown:
        raise PredictionsError(
            f"loss {name!r}: expected only the keywords {list(known)}, got {listed(unknown)}.{near_miss(unknown[0], known)} "
            "Leave the others out."
        )
    return entry.function(taxonomy, truth, scores, **keywords)


LOSSES: dict[str, Loss] = {
    function.entry.key: function.entry
    for function in (
        *(flat_ce, raw_win, log_win, coarse_ce, hxe, multilabel_bce, multilabel_focal, conditional_softmax),
        *(conditional_softmax_la, conditional_sigmoid, deep_rtc, ps_softmax, soft_max_descendant, soft_max_margin),
        *(hard_margin, champ),
    )
}
