r"""Probabilities along the paths to the truth and to the answer of single samples, for a table to take elsewhere.

Conventions
-----------
A node stands for its path from the root; in a graph for its first path in depth-first order. Samples with several truths or
answers have several paths.

Functions
---------
sample_paths
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.diagnosis._path_probabilities import listed_probabilities
from hierviz.evaluation._judged_answers import JudgedAnswers
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Short
from hierviz.metrics.confusion.path_lists import PathLists
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


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
