"""Predictions judged on another taxonomy: cut at a level, pruned to what the model knows, inner truths as leaves.

Scores that are node probabilities on another taxonomy, computed in blocks of rows when they are read.

Nothing of size n_samples x n_nodes is held, whatever the predictions: arrays, memory-mapped files, lists of the best classes.

Conventions
-----------
Truth and predicted labels go to their nearest ancestor that is left. Probabilities of the nodes that are left stay what
they are; they are computed in blocks of rows when they are read. Bounds for scores that are not listed
(`hierviz.evaluation.top_k_bounds`) hold for the whole taxonomy and are not given on a part of it.

Functions
---------
cut, only_known, with_zeros, with_other_leaves, truth_is_known

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022, section 5 (unseen classes).
.. [2] C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically, 2019.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.parametrisation import PARAMETRISATIONS
from hierviz.predictions.predictions import BLOCK_VALUES, Predictions, listed_models
from hierviz.predictions.score_rows import ArrayRows
from hierviz.projection.moves import ToOthers, ToPart, is_end
from hierviz.projection.taxonomy_part import TaxonomyPart, part_of_known, part_to_depth, part_to_level, with_leaves
from hierviz.taxonomy.checks import check_kind, check_one_of
from hierviz.taxonomy.node_lists import group
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

# Own mass of a node is a difference of sums: what is smaller than this share of the node is rounding.
ROUNDING = 1e-12


class NodeColumns(ArrayRows):
    """Probabilities of some nodes of a Predictions, column by column.

    Parameters
    ----------
    source : Predictions
        With scores.
    nodes : ndarray of int, shape (n_columns,)
        Node of the source's taxonomy of each column; -1 for a column of zeros.
    own : ndarray of int, shape (n_own,)
        Nodes of the source whose own mass follows in further columns: their probability less that of the children in `below`,
        at least 0.
    below : NodeLists, length n_own
        Nodes of the source, at least one each.
    """

    def __init__(self, source: Predictions, nodes: np.ndarray, own: np.ndarray | None = None, below: Any = None):
        self.source, self.nodes = source, np.asarray(nodes, dtype=np.intp)
        self.own, self.below = np.asarray(() if own is None else own, dtype=np.intp), below
        self.shape = (source.n_samples, len(self.nodes) + len(self.own))
        self.dtype = np.dtype(np.float64)

    def __repr__(self):
        return f"<NodeColumns of {self.source.name!r}: {self.shape[0]} x {self.shape[1]}>"

    def __getitem__(self, key):
        rows = np.arange(len(self))[key]
        if rows.ndim == 0:
            return self[rows[None]][0]
        values = np.empty((len(rows), self.shape[1]))
        step = max(1, BLOCK_VALUES // self.source.taxonomy.n_nodes)
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            # A run of rows as a slice, which files are read by.
            is_run = len(some) == 1 or (np.diff(some) == 1).all()
            p = self.source.node_probabilities(slice(int(some[0]), int(some[-1]) + 1) if is_run else some)
            block = values[start : start + step]
            block[:, : len(self.nodes)] = np.where(self.nodes >= 0, p[:, self.nodes], 0)
            if len(self.own):
                total = p[:, self.own]
                own = total - np.add.reduceat(p[:, self.below.nodes], self.below.offsets[:-1], axis=1)
                block[:, len(self.nodes) :] = np.where(own > ROUNDING * total, own, 0)
        return values


UNSEEN = ("project", "error")
# Attribute of samples that `only_known` adds: facets of the curves.
SEEN = "truth known to the model"


def cut(source: Any, *, max_depth: int | None = None, level: Any = None) -> Any:
    """A taxonomy, or predictions, judged no deeper than a depth or a rank.

    Parameters
    ----------
    source : Taxonomy or Predictions
    max_depth : int, optional
        In edges, at least 1.
    level : str or int, optional
        A value of the node attribute ``rank``, the header of a level column, or a depth: what lies below a node of that rank
        is cut off. Exactly one of `max_depth` and `level` is given.

    Returns
    -------
    Taxonomy or Predictions
        Nodes keep names and order; leaves that lie above the cut stay. Information and leaves are counted again. A truth or
        a label below the cut becomes its ancestor there.

    Raises
    ------
    TaxonomyError
        If there is no such level, or a node of a graph would stay without one of its parents.
    PredictionsError
        If both or none of `max_depth` and `level` are given.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> cut(taxonomy, max_depth=1).names
    ('animal', 'mammal', 'newt')
    """
    if (max_depth is None) == (level is None):
        raise PredictionsError("cut: expected either max_depth or level, got both or none. Pass one of them.")
    taxonomy = source.taxonomy if isinstance(source, Predictions) else source
    part = part_to_level(taxonomy, level) if max_depth is None else part_to_depth(taxonomy, max_depth)
    if not isinstance(source, Predictions):
        return part.taxonomy
    if part.is_whole:
        return source
    words = f"depth {max_depth}" if level is None else f"level {str(level).strip()!r}"
    return _on_part(
        source,
        part,
        f"the taxonomy was cut at {words}: {part.taxonomy.n_nodes} of {taxonomy.n_nodes} nodes are kept, and "
        f"{_n_moved(source.truth, part)} truths below the cut became their ancestors",
    )


def only_known(
    models: Predictions | Sequence[Predictions], unseen: str | None = None
) -> Predictions | list[Predictions]:
    """Predictions judged on the tree of the classes that the models know, and their ancestors.

    Parameters
    ----------
    models : Predictions or sequence of Predictions
        With `Predictions.known`; one without it knows all classes. Of several models the classes that all of them know.
    unseen : {"project", "error"}, optional
        What becomes of a truth outside: its nearest known ancestor [1]_, or an error. Left out and counted when absent; of
        several truths of a sample the known ones stay.

    Returns
    -------
    Predictions, or list of them
        With the attribute `SEEN`, ``yes`` or ``no`` for each sample with a truth, where one of them lies outside.

    Raises
    ------
    PredictionsError
        If `unseen` is another word, or it is ``"error"`` and a truth lies outside.
    """
    if unseen is not None:
        check_one_of("unseen", unseen, UNSEEN)
    several = _several(models)
    known = [model.known for model in several if model.known is not None]
    if not known:
        return models if isinstance(models, Predictions) else several
    taxonomy = several[0].taxonomy
    part = part_of_known(taxonomy, reduce(np.intersect1d, known))
    projected = [_only(model, part, unseen) for model in several]
    return projected[0] if isinstance(models, Predictions) else projected


def truth_is_known(predictions: Predictions, known: np.ndarray | None = None) -> np.ndarray:
    """Which samples have a truth that the model knows, all of them where there are several.

    Parameters
    ----------
    predictions : Predictions
    known : ndarray of int, optional
        Nodes with all their ancestors; `Predictions.known` when absent.

    Returns
    -------
    ndarray of bool, shape (n_samples,)
        False where no truth is known at all.
    """
    known = predictions.known if known is None else known
    is_known = predictions.has_truth
    if known is not None and predictions.truth is not None:
        outside = np.ones(predictions.taxonomy.n_nodes, dtype=bool)
        outside[known] = False
        truth = NodeLists.of(predictions.truth)
        is_known[truth.rows[outside[truth.nodes]]] = False
    return is_known


def with_zeros(taxonomy: Taxonomy, known: TaxonomyPart, predictions: Predictions) -> Predictions:
    """Predictions of a model that knows a part of the classes, on the whole taxonomy: what it does not know has 0.

    Parameters
    ----------
    taxonomy : Taxonomy
        The whole.
    known : TaxonomyPart
        Of `taxonomy`.
    predictions : Predictions
        With scores, on ``known.taxonomy``.

    Returns
    -------
    Predictions
        Without truth; `known` says which nodes the model knows.
    """
    unknown = int(taxonomy.is_leaf.sum() - (known.number[taxonomy.leaves] >= 0).sum())
    note = (
        f"the model {predictions.name} knows {known.taxonomy.n_leaves} classes with their ancestors: the {unknown} other "
        f"leaves of {taxonomy.n_leaves} have probability 0"
    )
    return predictions.replace(
        taxonomy=taxonomy,
        scores=NodeColumns(predictions, known.number),
        parametrisation="node_probabilities",
        scored_nodes=None,
        truth=None,
        known=known.nodes,
        moves=(),
        notes=(*predictions.notes, note),
    )


def with_other_leaves(models: Predictions | Sequence[Predictions]) -> Predictions | list[Predictions]:
    """Predictions with a leaf "other" below each inner node that is a truth, which becomes the truth [2]_.

    Parameters
    ----------
    models : Predictions or sequence of Predictions
        On one tree.

    Returns
    -------
    Predictions, or list of them
        Of several truths or labels of a sample those that no other one lies below move to the new leaf. Its probability is
        what its parent has beyond its children: nothing where the leaves share all probability.

    Raises
    ------
    TaxonomyError
        If the taxonomy is not a tree.
    """
    several = _several(models)
    taxonomy = several[0].taxonomy
    taxonomy.require_tree("inner truths as leaves")
    ends = np.concatenate([_ends(model) for model in several])
    inner = np.unique(ends[~taxonomy.is_leaf[ends]])
    if not len(inner):
        return models if isinstance(models, Predictions) else several
    names = [_free_name(f"{taxonomy.names[node]} (other)", taxonomy) for node in inner.tolist()]
    grown = with_leaves(taxonomy, inner, names)
    moved = np.arange(taxonomy.n_nodes)
    moved[inner] = np.arange(taxonomy.n_nodes, grown.n_nodes)
    move = ToOthers(taxonomy, moved)
    made = [_with_others(model, grown, move) for model in several]
    return made[0] if isinstance(models, Predictions) else made


def _several(models):
    several = listed_models(models)
    for model in several:
        check_kind("models", model, Predictions, "Pass Predictions, or a list of them.")
    return several


def _on_part(predictions, part, note, is_left_out=False):
    """The Predictions on a TaxonomyPart, every truth at its nearest ancestor there, or without those outside."""
    notes, move = [*predictions.notes, note], ToPart(part, is_left_out)
    if is_left_out and predictions.truth is not None:
        predictions = predictions.replace(truth=_inside(predictions.truth, part))
    changes = {"taxonomy": part.taxonomy, "known": None, "moves": (*predictions.moves, move)}
    if predictions.known is not None:
        changes["known"] = np.unique(part.project(predictions.known)) if part.whole.is_tree else None
    if predictions.truth is not None:
        changes["truth"] = part.project(predictions.truth)
    if predictions.labels is not None:
        changes["labels"] = part.project(predictions.labels)
    else:
        changes |= _columns(predictions, part)
        if predictions.has_unknown:
            notes.append(
                "bounds: not available, because scores that are not listed are bounded on the whole taxonomy only"
            )
    return predictions.replace(notes=tuple(notes), **changes)


def _columns(predictions, part):
    """Scores on the part, as fields of Predictions; what was projected before is read directly from its source."""
    scores = predictions.scores
    is_projected = isinstance(scores, NodeColumns) and not len(scores.own)
    source, nodes = (scores.source, scores.nodes[part.nodes]) if is_projected else (predictions, part.nodes)
    return {"scores": NodeColumns(source, nodes), "parametrisation": "node_probabilities", "scored_nodes": None}


def _only(model, part, unseen):
    if part.is_whole:
        return model
    is_known, has_truth = truth_is_known(model, part.nodes), model.has_truth
    outside = np.flatnonzero(has_truth & ~is_known)
    if len(outside) and unseen == "error":
        names = listed([model.sample_id(row) for row in outside[:3].tolist()])
        raise PredictionsError(
            f"{model.name}: expected truths that the model knows, got {len(outside)} others (samples {names}). "
            "Project them to their known ancestors ({unseen=project}), or leave them out ({only_known})."
        )
    done = "became their nearest known ancestors" if unseen == "project" else "were left out"
    note = (
        f"the taxonomy is that of the known classes: {part.taxonomy.n_leaves} leaves, {part.taxonomy.n_nodes} of "
        f"{part.whole.n_nodes} nodes; the truths of {len(outside)} samples lie outside and {done}"
    )
    if len(outside):
        words = np.where(has_truth, np.where(is_known, "yes", "no"), "")
        model = model.replace(attributes={**model.attributes, SEEN: words})
    return _on_part(model, part, note, is_left_out=unseen is None).replace(known=None)


def _inside(truth, part):
    if not isinstance(truth, NodeLists):
        return np.where(part.number[truth] >= 0, truth, -1)
    return truth.only(part.number[truth.nodes] >= 0)


def _n_moved(truth, part):
    nodes = _listed(truth).nodes
    return int((part.number[nodes[nodes >= 0]] < 0).sum())


def _ends(model):
    """Known true nodes of each sample that no other of its true nodes lies below."""
    truth = _listed(model.truth)
    return truth.nodes[is_end(model.taxonomy, truth)]


def _listed(nodes):
    return NodeLists.of(np.empty(0, np.intp) if nodes is None else nodes)


def _with_others(model, grown, move):
    taxonomy, inner = model.taxonomy, np.flatnonzero(move.moved != np.arange(model.taxonomy.n_nodes))

    def at_leaves(nodes):
        moved = None if nodes is None else move.truths(NodeLists.of(nodes))
        return moved.nodes if isinstance(nodes, np.ndarray) else moved

    note = (
        f"{len(inner)} inner classes that are truths got their own leaf, (other), which is the truth of "
        f"{int((~taxonomy.is_leaf[_ends(model)]).sum())} samples or labels"
    )
    changes = {"taxonomy": grown, "truth": at_leaves(model.truth), "notes": (*model.notes, note), "known": None}
    changes["moves"] = (*model.moves, move)
    if model.labels is not None:
        return model.replace(labels=at_leaves(model.labels), **changes)
    columns = np.arange(taxonomy.n_nodes)
    source = model
    while isinstance(source.scores, NodeColumns):
        source = source.scores.source
    # Where the leaves share all probability, no inner node has any of its own.
    if PARAMETRISATIONS[source.parametrisation].is_distribution:
        scores = NodeColumns(model, np.append(columns, np.full(len(inner), -1)))
    else:
        parent, child = taxonomy.edges.T
        scores = NodeColumns(model, columns, inner, group(parent, child, taxonomy.n_nodes).take(inner))
    return model.replace(scores=scores, parametrisation="node_probabilities", scored_nodes=None, **changes)


def _free_name(name, taxonomy):
    while name in taxonomy.index:
        name += "'"
    return name
