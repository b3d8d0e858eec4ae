"""What every loss is called, means, comes from and needs, and the one call for all of them.

`LOSSES` maps the keys of docs/metrics.md, section Losses, to Loss entries; menus, reference and tests loop over it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.losses.conditional import conditional_softmax, conditional_softmax_la, hxe
from hierviz.losses.margin import hard_margin, soft_max_descendant, soft_max_margin
from hierviz.losses.path_sums import deep_rtc, ps_softmax
from hierviz.losses.sigmoid import champ, conditional_sigmoid, multilabel_bce, multilabel_focal
from hierviz.losses.softmax import coarse_ce, coarse_columns, flat_ce, log_win, raw_win
from hierviz.messages.errors import PredictionsError, listed, near_miss
from hierviz.messages.notebook_html import Short
from hierviz.predictions.parametrisation import default_columns
from hierviz.taxonomy.checks import check_taxonomy
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

WU = "Wu, Tygert & LeCun, 2019"
VALMADRE = "Valmadre, NeurIPS 2022"
PLAUD = "Plaud et al., CoNLL 2024"


@dataclass(frozen=True)
class Loss(Short):
    """One training loss.

    Attributes
    ----------
    key, label, sentence, formula, source : str
        Registry key, name for people, one plain sentence, LaTeX, paper, with section or equation where it is known.
    parametrisation : str
        Key of `PARAMETRISATIONS` that the loss trains; gives the order of the columns. `coarse_ce` has only the first
        family of it.
    function : callable
        (taxonomy, truth, scores, **keywords) -> (values, gradient).
    tree_only : bool
        True when no directed acyclic graph is accepted.
    leaf_truth_only : bool
        True when a truth that is one inner node has no loss.
    root_truth : bool
        True when the truth may be the root.
    takes_lists : bool
        True when a sample may have several true nodes (NodeLists).
    """

    _printed = ("key", "label")

    key: str
    label: str
    sentence: str
    formula: str
    source: str
    parametrisation: str
    function: Callable
    tree_only: bool = True
    leaf_truth_only: bool = False
    root_truth: bool = True
    takes_lists: bool = False

    @property
    def parameters(self):
        """Keywords with their defaults: a dict in the order of the function."""
        parameters = inspect.signature(self.function).parameters.values()
        return {
            parameter.name: parameter.default for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY
        }

    def columns(self, taxonomy, **keywords):
        """Node of each column of the scores, shape (n_scores,)."""
        if self.key == "coarse_ce":
            return coarse_columns(taxonomy)
        return default_columns(taxonomy, keywords.get("parametrisation", self.parametrisation))


def loss(
    name: str, taxonomy: Taxonomy, truth: ArrayLike | NodeLists, scores: ArrayLike, **keywords: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Value of a loss for each sample, and its gradient by the scores.

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
    entry = loss_entry(name)
    check_taxonomy(taxonomy, "It comes after the name of the loss.")
    known = entry.parameters
    unknown = [keyword for keyword in keywords if keyword not in known]
    if unknown:
        raise PredictionsError(
            f"loss {name!r}: expected only the keywords {list(known)}, got {listed(unknown)}.{near_miss(unknown[0], known)} "
            "Leave the others out."
        )
    return entry.function(taxonomy, truth, scores, **keywords)


def loss_entry(key):
    """The entry of `LOSSES` called `key`, or a PredictionsError that lists them."""
    if not isinstance(key, str) or key not in LOSSES:
        raise PredictionsError(
            f"loss: expected one of {', '.join(LOSSES)}, got {key!r}.{near_miss(str(key), LOSSES)} Choose one of them."
        )
    return LOSSES[key]


LOSSES = {
    entry.key: entry
    for entry in (
        Loss(
            "flat_ce",
            "Flat cross entropy",
            "Minus the log of the probability of the true class; the taxonomy is used only where the truth is an inner node.",
            r"-\log \sum_{\text{leaf } u \text{ below or at } y} p_u",
            f"{VALMADRE}; {WU} (flat)",
            "flat_softmax",
            flat_ce,
            tree_only=False,
        ),
        Loss(
            "raw_win",
            "Raw win",
            "Minus the hierarchical win, in which each level of the true path counts half of the level above.",
            r"-W = -\sum_{d=1}^{D} 2^{-d} p(a_d) - 2^{-D} p(y)",
            f"{WU} (loss, raw)",
            "flat_softmax",
            raw_win,
        ),
        Loss(
            "log_win",
            "Log win",
            "Minus the log of the hierarchical win: unbounded, unlike the raw win.",
            r"-\log W, \quad W = \sum_{d=1}^{D} 2^{-d} p(a_d) + 2^{-D} p(y)",
            f"{WU} (loss, log)",
            "flat_softmax",
            log_win,
        ),
        Loss(
            "coarse_ce",
            "Coarse cross entropy",
            "Cross entropy of the true top-level class; finer classes are not trained.",
            r"-\log \frac{e^{\theta_{a_1}}}{\sum_{v \text{ child of the root}} e^{\theta_v}}",
            f"{WU} (coarse)",
            "conditional_softmax",
            coarse_ce,
            root_truth=False,
        ),
        Loss(
            "hxe",
            "Hierarchical cross entropy (HXE)",
            "Weighted sum of the cross entropies of the steps along the true path; deeper steps weigh less.",
            r"\sum_{u \in A(y)} -e^{-\alpha(\text{depth}(u) - 1)} \log \frac{p_u}{p_{\text{parent}(u)}}",
            f"Bertinetto et al., CVPR 2020; {VALMADRE}",
            "flat_softmax",
            hxe,
        ),
        Loss(
            "multilabel_bce",
            "Multi-label binary cross entropy",
            "Binary cross entropy of every node, all with the same weight.",
            r"\sum_{u \in Y} -\log p_u + \sum_{u \notin Y} -\log(1 - p_u)",
            f"{VALMADRE} (multilabel); {PLAUD} (BCE)",
            "multilabel_sigmoid",
            multilabel_bce,
            tree_only=False,
            takes_lists=True,
        ),
        Loss(
            "multilabel_focal",
            "Multi-label focal loss",
            "Binary cross entropy of every node, with less weight on nodes that are already predicted well.",
            r"\sum_{u \in Y} -\alpha (1 - p_u)^\gamma \log p_u + \sum_{u \notin Y} -(1 - \alpha) p_u^\gamma \log(1 - p_u)",
            f"{VALMADRE} (multilabel focal)",
            "multilabel_sigmoid",
            multilabel_focal,
            tree_only=False,
            takes_lists=True,
        ),
        Loss(
            "conditional_softmax",
            "Conditional softmax likelihood",
            "Minus the log of the probability of the truth, a product of softmaxes among siblings along its path.",
            r"-\log p_y = -\sum_{u \in A(y)} \log r_u",
            f"{VALMADRE} (conditional softmax); {PLAUD}",
            "conditional_softmax",
            conditional_softmax,
        ),
        Loss(
            "conditional_softmax_la",
            "Conditional softmax, logit adjusted",
            "As the conditional softmax, with logits shifted by the log frequency of the siblings, so that rare ones are learnt.",
            r"-\sum_{u \in A(y)} \log \frac{e^{\theta_u + \tau \log \nu_u}}{\sum_{v} e^{\theta_v + \tau \log \nu_v}}",
            f"{PLAUD} (logit adjustment)",
            "conditional_softmax",
            conditional_softmax_la,
        ),
        Loss(
            "conditional_sigmoid",
            "Conditional sigmoid",
            "Binary cross entropy of every child of a true node; other nodes are ignored.",
            r"\sum_{u:\, \text{parent}(u) \in Y \cup \{\text{root}\}} -[u \in Y] \log p_u - [u \notin Y] \log(1 - p_u)",
            f"{VALMADRE} (conditional sigmoid); {PLAUD}, section 4.3 and appendix C.4",
            "conditional_sigmoid",
            conditional_sigmoid,
            leaf_truth_only=True,
            root_truth=False,
            takes_lists=True,
        ),
        Loss(
            "deep_rtc",
            "Deep RTC",
            "Cross entropy over the classes of a random cut through the tree.",
            r"-\log \frac{e^{\beta_{c(y)}}}{\sum_{c \in \text{cut}} e^{\beta_c}}, \quad "
            r"\beta_c = \sum_{u \in \text{path}(c)} \theta_u",
            f"{VALMADRE} (Deep RTC)",
            "deep_rtc",
            deep_rtc,
            leaf_truth_only=True,
            root_truth=False,
        ),
        Loss(
            "ps_softmax",
            "Parameter-sharing softmax",
            "Flat cross entropy on scores added along the path, so that related classes share parameters.",
            r"-\log \sum_{\text{leaf } u \text{ below or at } y} \text{softmax}(\beta)_u, \quad "
            r"\beta_u = \sum_{v \in \text{path}(u)} \theta_v",
            f"{VALMADRE} (parameter sharing)",
            "ps_softmax",
            ps_softmax,
        ),
        Loss(
            "soft_max_descendant",
            "Soft-max-descendant",
            "Softmax of each node of the true path against all nodes that are neither its ancestors nor its descendants.",
            r"\sum_{u \in A(y)} \frac{1}{L(u)} \Big[ \log\Big(e^{\theta_u} + \sum_{v \text{ unrelated to } u} e^{\theta_v}\Big) "
            r"- \theta_u \Big]",
            f"{VALMADRE} (soft-max-descendant)",
            "softmax_all_nodes",
            soft_max_descendant,
        ),
        Loss(
            "soft_max_margin",
            "Soft-max-margin",
            "Softmax over all nodes with a margin added to the scores of the wrong ones.",
            r"\log \sum_v e^{\theta_v + \tau C_v} - \theta_y",
            f"{VALMADRE} (soft-max-margin)",
            "softmax_all_nodes",
            soft_max_margin,
            tree_only=False,
        ),
        Loss(
            "hard_margin",
            "Hard margin",
            "Hinge loss: the score of the truth must exceed that of the best other node by a margin.",
            r"\max\big(0, \max_v (\theta_v - \theta_y + \tau C_v)\big)",
            f"{VALMADRE} (hard margin)",
            "softmax_all_nodes",
            hard_margin,
            tree_only=False,
        ),
        Loss(
            "champ",
            "CHAMP",
            "Binary cross entropy of every node, where a false positive weighs more the farther it is from the truth.",
            r"\sum_{u \in Y} -\log p_u + \sum_{u \notin Y} -\big(1 + \beta((1 + d_u/d_{\max})^2 - 1)\big) \log(1 - p_u)",
            f"Vaswani et al., 2022 (CHAMP), as in {PLAUD}",
            "multilabel_sigmoid",
            champ,
            root_truth=False,
            takes_lists=True,
        ),
    )
}
