"""Probabilities along the paths to the truth and to the answer of single samples, for export.

What a model believed along the paths of truth and answer, for some samples.

Conventions
-----------
A node represents its path from the root; in a graph for its first path in depth-first order. Samples with several truths or
answers have several paths.

Functions
---------
sample_paths, path_probabilities, listed_probabilities
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.evaluation._judged_answers import JudgedAnswers
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.messages.progress import Progress
from hierviz.metrics.confusion.path_lists import PathLists
from hierviz.metrics.path import check_nodes
from hierviz.predictions.predictions import BLOCK_VALUES, Predictions
from hierviz.taxonomy.checks import check_kind, one_each
from hierviz.taxonomy.positions import places_of
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


@dataclass(frozen=True, eq=False)
class PathProbabilities(Short):
    """The nodes from the root to one node of each sample, with their probabilities.

    Attributes
    ----------
    predictions : Predictions
    rows : ndarray of int, shape (n,)
        Rows of the Predictions.
    paths : NodeLists
        Of each row the nodes from the root down, in a graph all ancestors in ascending order; length n.
    p : ndarray of float, shape of ``paths.nodes``
    """

    predictions: Predictions
    rows: np.ndarray
    paths: NodeLists
    p: np.ndarray

    @property
    def texts(self) -> list[str]:
        """One text a row, such as ``animal 1 > mammal 0.75 > cat 0.5``."""
        names, bounds = self.predictions.taxonomy.names, self.paths.offsets.tolist()
        parts = [f"{names[node]} {p:.6g}" for node, p in zip(self.paths.nodes.tolist(), self.p.tolist())]
        return [" > ".join(parts[first:last]) for first, last in pairwise(bounds)]

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a node of a path: ``sample_id``, ``node``, ``depth``, ``p``."""
        taxonomy, nodes = self.predictions.taxonomy, self.paths.nodes
        ids = np.repeat(self.predictions.ids[self.rows].astype(object), self.paths.lengths)
        names = [taxonomy.names[node] for node in nodes.tolist()]
        return frame({"sample_id": ids, "node": names, "depth": taxonomy.depth[nodes], "p": self.p})


def path_probabilities(predictions: Predictions, rows: ArrayLike, nodes: ArrayLike) -> PathProbabilities:
    """Probabilities from the root down to a node of each sample, for example its truth or its answer.

    Parameters
    ----------
    predictions : Predictions
        Of scores, of a tree or a graph.
    rows : array_like of int, shape (n,)
        Samples.
    nodes : array_like of int, shape (n,)
        One node of each.

    Returns
    -------
    PathProbabilities

    Raises
    ------
    PredictionsError
        If these are labels, lengths differ, or a number is not that of a sample or node.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> scores = Predictions.from_scores(taxonomy, [[0.5, 0.25, 0.25]], "leaf_probabilities")
    >>> path_probabilities(scores, [0], taxonomy.nodes("cat")).texts
    ['animal 1 > mammal 0.75 > cat 0.5']
    """
    check_kind("predictions", predictions, Predictions, "Pass those of one model.")
    taxonomy = predictions.taxonomy
    rows = places_of("rows", rows, predictions.n_samples, "row")
    nodes = one_each("nodes", nodes)
    if rows.shape != nodes.shape:
        raise PredictionsError(
            f"nodes: expected one for each of {len(rows)} rows, got shape {nodes.shape}. Align them."
        )
    check_nodes(taxonomy, "nodes", nodes)
    nodes = nodes.astype(np.intp)
    paths = taxonomy.ancestors(nodes)
    (p,) = listed_probabilities(predictions, rows, paths)
    return PathProbabilities(predictions, rows, paths, p)


def listed_probabilities(
    predictions: Predictions, rows: np.ndarray, *lists: NodeLists, progress: Progress = None
) -> list[np.ndarray]:
    """Probability of every node of some lists, one list a row, in one pass over the scores.

    Parameters
    ----------
    predictions : Predictions
        Of scores.
    rows : ndarray of int, shape (n,)
    *lists : NodeLists, length n
        A negative node is a label outside the taxonomy.
    progress : callable, optional
        Called with (rows done, n).

    Returns
    -------
    list of ndarray of float
        Of each NodeLists one value a node; nan outside the taxonomy.
    """
    found = [np.empty(len(of_rows.nodes)) for of_rows in lists]
    step = max(1, BLOCK_VALUES // predictions.taxonomy.n_nodes)
    for start in range(0, len(rows), step):
        stop = min(start + step, len(rows))
        block = predictions.node_probabilities(rows[start:stop])
        for of_rows, p in zip(lists, found, strict=True):
            first, last = of_rows.offsets[[start, stop]]
            sample = np.repeat(np.arange(stop - start), np.diff(of_rows.offsets[start : stop + 1]))
            p[first:last] = block[sample, of_rows.nodes[first:last]]
        if progress:
            progress(stop, len(rows))
    for of_rows, p in zip(lists, found, strict=True):
        p[of_rows.nodes < 0] = np.nan
    return found


@dataclass(frozen=True, eq=False)
class SamplePaths(Short):
    """Paths of some samples with the probability of each node on them.

    Attributes
    ----------
    taxonomy : Taxonomy
    row : ndarray of int, shape (n,)
        Rows of the Predictions.
    sample_id : ndarray of str, shape (n,)
    true_paths, answer_paths : PathLists, length n
        -1 is a label outside the taxonomy.
    p_true, p_answer : NodeLists or None
        Lists of float, one a sample: probabilities of the nodes of its paths, one path after another; nan outside the
        taxonomy. None for labels.
    """

    taxonomy: Taxonomy
    row: np.ndarray
    sample_id: np.ndarray
    true_paths: PathLists
    answer_paths: PathLists
    p_true: NodeLists | None
    p_answer: NodeLists | None

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a sample.

        ``truth`` and ``answer`` by name, ``true_path`` and ``answer_path`` as "a > b", ``p_true_path`` and ``p_answer_path``
        as "1 > 0.8"; several paths are joined by " ; ".
        """
        names = (*self.taxonomy.names, "")
        columns: dict[str, Any] = {"sample_id": self.sample_id}
        sides = (("truth", self.true_paths, self.p_true), ("answer", self.answer_paths, self.p_answer))
        for key, paths, _ in sides:
            columns[key] = [";".join(names[node] for node in ends.tolist()) for ends in _each(paths.ends)]
        for key, paths, p in sides:
            prefix = "true_path" if key == "truth" else "answer_path"
            routes = [[path.tolist() for path in paths[i]] for i in range(len(paths))]
            columns[prefix] = [" ; ".join(" > ".join(names[node] for node in path) for path in some) for some in routes]
            if p is not None:
                columns[f"p_{prefix}"] = [_numbers(some, values) for some, values in zip(routes, _each(p), strict=True)]
        return frame(columns)


def _each(lists):
    return (lists[i] for i in range(len(lists)))


def _numbers(paths, values):
    texts = iter("" if np.isnan(value) else f"{value:.6g}" for value in values.tolist())
    return " ; ".join(" > ".join(next(texts) for _ in path) for path in paths)


def sample_paths(answers: JudgedAnswers, rows: Sequence[int] | np.ndarray) -> SamplePaths:
    """The true and the predicted paths of some judged samples.

    Parameters
    ----------
    answers : JudgedAnswers
        Of scores or labels, of trees or graphs, with one truth a sample or several.
    rows : sequence of int
        Rows of the Predictions, each of a judged sample, in any order.

    Returns
    -------
    SamplePaths
    """
    rows = np.asarray(rows, dtype=np.intp)
    predictions, taxonomy = answers.evaluation.predictions, answers.taxonomy
    places = np.searchsorted(answers.rows, rows)
    sides = [PathLists.from_nodes(taxonomy, nodes).take(places) for nodes in (answers.truth, answers.predicted)]
    p: list[NodeLists | None] = [None, None]
    if predictions.has_scores:
        nodes = [_nodes_of(side) for side in sides]
        values = listed_probabilities(predictions, rows, *nodes)
        p = [NodeLists(lists.offsets, filled) for lists, filled in zip(nodes, values, strict=True)]
    return SamplePaths(taxonomy, rows, predictions.ids[rows], *sides, *p)


def _nodes_of(paths):
    """The nodes of all paths of each sample, one path after another."""
    listed = paths.paths.take(paths.which)
    ends = np.append(0, np.cumsum(listed.lengths))
    return NodeLists(ends[paths.offsets], listed.nodes)
