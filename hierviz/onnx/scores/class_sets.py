"""Models whose classes are neither the leaves nor all nodes: some of the leaves, inner nodes, several columns of one node.

Conventions
-----------
Such a model is read on the tree of its classes and their ancestors (`TaxonomyPart`). Where a class lies above another one, or
has several columns, the columns share a row's probability: a node has that of its own columns and of all below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.messages.errors import ModelError, listed
from hierviz.messages.notebook_html import Short
from hierviz.onnx.description.open_question import OpenQuestion, Question
from hierviz.onnx.scores.score_kind import ROUNDING, find_kind
from hierviz.onnx.scores.score_reading import fitting
from hierviz.predictions.parametrisation import softmax
from hierviz.projection.projected import only_known
from hierviz.projection.taxonomy_part import TaxonomyPart, part_of_known
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy
from hierviz.taxonomy.tree_sums import sum_up

MISSING = "zero"
_IF_UNKNOWN = (
    ("missing", MISSING, "their probability is 0, and truths among them count as mistakes"),
    ("only_known", "yes", "judge it on its own classes, without samples of others"),
)
_SHARED = ("logits", "log_probabilities", "probabilities", "percentages")


@dataclass(frozen=True, eq=False)
class ClassSet(Short):
    """What the columns of a model score.

    Parameters
    ----------
    taxonomy : Taxonomy
        That of the classes: the whole one, or that of `part`.
    nodes : ndarray of int, shape (n_scores,)
        Node of `taxonomy` of each column, -1 for none.
    part : TaxonomyPart, optional
        Where classes are missing.
    is_shared : bool
        True where a class lies above another one or has several columns.
    only_known : bool
        Judged on `taxonomy`, where that is a part.
    """

    taxonomy: Taxonomy
    nodes: np.ndarray
    part: TaxonomyPart | None = None
    is_shared: bool = False
    only_known: bool = False

    @property
    def scored_nodes(self):
        """Node of each column that has one."""
        return self.nodes[self.nodes >= 0]

    def judged(self, predictions):
        """Predictions of the whole taxonomy, or with `only_known` those of the part."""
        return only_known(predictions) if self.only_known else predictions

    def truth(self, truth):
        """Nodes of the whole taxonomy as those of `taxonomy`, -1 (or left out of a list) where the model does not know them.

        Parameters
        ----------
        truth : ndarray of int, shape (n_samples,), or NodeLists
        """
        if self.part is None:
            return truth
        number = np.append(self.part.number, -1)
        if not isinstance(truth, NodeLists):
            return number[truth]
        nodes = number[truth.nodes]
        return NodeLists(truth.offsets, nodes).only(nodes >= 0)


def class_set(where, taxonomy, nodes, key, partial, notes):
    """The ClassSet of columns.

    Parameters
    ----------
    where : str
        Name of the model's file.
    taxonomy : Taxonomy
    nodes : ndarray of int, shape (n_scores,)
        -1 for none.
    key : str or None
        The parametrisation, where it is declared.
    partial : bool
        Classes may be missing.
    notes : list of str
        Grows by what is special.

    Raises
    ------
    OpenQuestion
        If classes are missing and nothing says that they may.
    ModelError
        If a class lies above another one or has several columns, and a parametrisation is declared that has no place for that.
    """
    scored = nodes[nodes >= 0]
    missing = np.setdiff1d(taxonomy.leaves, scored)
    part = None
    if fitting(taxonomy, scored):
        return ClassSet(taxonomy, nodes)
    if len(missing):
        if not partial:
            if key is not None:
                return ClassSet(taxonomy, nodes)  # the declared one says what it wants
            raise OpenQuestion(_about_missing(where, taxonomy, scored, missing))
        part = part_of_known(taxonomy, scored)
        taxonomy, nodes = part.taxonomy, np.where(nodes >= 0, part.number[nodes], -1)
        scored = nodes[nodes >= 0]
        if fitting(taxonomy, scored):
            return ClassSet(taxonomy, nodes, part)
    if key is not None:
        return ClassSet(taxonomy, nodes, part)
    distinct, count = np.unique(scored, return_counts=True)
    inner = distinct[~taxonomy.is_leaf[distinct]]
    if len(inner):
        named = listed([taxonomy.names[node] for node in inner.tolist()], 3)
        notes.append(
            f"{_classes_that(len(inner), 'lie')} above others ({named}): such a column is the probability of this class and no "
            "finer one"
        )
    if (count > 1).any():
        named = listed([taxonomy.names[node] for node in distinct[count > 1].tolist()], 3)
        notes.append(f"{_classes_that(int((count > 1).sum()), 'have')} several columns, which were summed: {named}")
    return ClassSet(taxonomy, nodes, part, True)


def shared_probabilities(where, scores, classes, kind, ids=None):
    """Node probabilities of columns that share a row's probability.

    Parameters
    ----------
    where : str
        What errors call the scores.
    scores : ndarray, shape (n_samples, n_scores)
    classes : ClassSet
    kind : str or None
        Key of `score_kind.KINDS`, where it is declared.
    ids : sequence of str, optional
        What errors call the rows.

    Returns
    -------
    p : ndarray of float32, shape (n_samples, n_nodes - 1)
        Of all nodes of `classes.taxonomy` but the root.
    detected : ScoreKind
    why : str

    Raises
    ------
    ModelError
        If the scores are of another kind, such as independent probabilities.
    """
    taxonomy = classes.taxonomy
    detected = find_kind(scores, taxonomy, np.full(scores.shape[1], -1), where=where, ids=ids)
    of = kind or detected.kind
    if of not in _SHARED or (kind is None and not detected.is_certain):
        raise ModelError(
            f"{where}: expected scores that share a row's probability, because some classes lie above others or have several "
            f"columns, got {of}: {detected.why}. Pass {{scores=logits | probabilities | percentages}} if that is what they "
            "are, or class names of leaves ({classes})."
        )
    if of in ("probabilities", "percentages") and detected.low < -ROUNDING:
        raise ModelError(f"{where}: expected no score below 0, got {detected.low:.4g}. Pass another {{scores}}.")
    kept = classes.nodes >= 0
    values = np.ascontiguousarray(scores[:, kept], dtype=np.float64)
    if of in ("logits", "log_probabilities"):
        mass = softmax(values)
    else:
        total = values.sum(axis=1, keepdims=True)
        mass = np.where(total > 0, values / np.where(total > 0, total, 1), 1 / values.shape[1])
    p = np.zeros((len(mass), taxonomy.n_nodes))
    np.add.at(p, (slice(None), classes.nodes[kept]), mass)
    sum_up(taxonomy, p)
    return np.minimum(p[:, 1:], 1).astype(np.float32), detected, f"{of}, as given" if kind else detected.why


def _classes_that(n, verb):
    return f"{n} class {'has' if verb == 'have' else verb + 's'}" if n == 1 else f"{n} classes {verb}"


def _about_missing(where, taxonomy, nodes, missing):
    """The question to ask when there is no column for some leaves."""
    words = listed([taxonomy.names[node] for node in missing.tolist()], 3)
    n = len(missing)
    error = (
        f"{where}: expected a column for every leaf of the taxonomy, or for every node, got {len(nodes)} columns, none for "
        f"{words}. If the model does not know {'it' if n == 1 else 'them'}, pass {{missing=zero}} or {{only_known}}; else "
        "correct the class names ({classes})."
    )
    return Question(
        "known",
        f"No column is called {words}: the model has no column for {n:,} of the {taxonomy.n_leaves:,} leaf classes. "
        "Does it not know them?",
        ("missing", "only_known"),
        tuple((keyword, value, f"it does not know them: {means}") for keyword, value, means in _IF_UNKNOWN),
        error=error,
    )
