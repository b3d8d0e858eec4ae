"""The two classes between which the answer to one sample was decided.

Functions
---------
deciding_pair, pairs_to_compare, DecidingPair
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hierviz.diagnosis._lane_bars import lane_bars
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.notebook_html import Short
from hierviz.taxonomy.checks import check_taxonomy, checked_probabilities
from hierviz.taxonomy.positions import check_position
from hierviz.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class DecidingPair(Short):
    """Two classes of which neither contains the other.

    Attributes
    ----------
    taxonomy : Taxonomy
    first, second : int
        Node numbers.
    why : str
        How they were chosen, such as "the answer against its best sibling".
    """

    taxonomy: Taxonomy
    first: int
    second: int
    why: str


def deciding_pair(taxonomy: Taxonomy, p: ArrayLike, answer: int, truth: int | None = None) -> DecidingPair:
    """The two classes between which an answer was decided.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    p : array_like of float, shape (n_nodes,)
        Node probabilities of one sample.
    answer : int
        Node number.
    truth : int, optional
        Node number; without it the answer is compared with its best sibling.

    Returns
    -------
    DecidingPair
        Of a wrong answer the children of the lowest common ancestor, that of the answer first. Of an exact one, and one below
        the truth, the answer (there: the truth) against its best sibling. Of an answer above the truth its child on the true
        path against the best other one. A best sibling is the most probable one, the lowest of equal ones; where a class has
        none, the nearest class above it that has one is taken, of a coarse answer first the next below it on the true path. Of
        the root the two most probable children.

    Raises
    ------
    PredictionsError
        If `p` has another shape, a node is none, or no class on the path has a sibling.
    TaxonomyError
        If the taxonomy is no tree.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> pair = deciding_pair(taxonomy, [1, 0.75, 0.5, 0.25, 0.25], answer=2, truth=4)
    >>> taxonomy.names[pair.first], taxonomy.names[pair.second], pair.why
    ('mammal', 'newt', 'the branch of the answer against that of the truth')
    """
    check_taxonomy(taxonomy)
    taxonomy.require_tree("the classes to compare")
    (row,) = checked_probabilities(taxonomy, np.asarray(p)[None])
    check_position("answer", answer, taxonomy.n_nodes, "node number")
    if truth is None:
        return _with_sibling(taxonomy, row, answer, "the answer against its best sibling")
    check_position("truth", truth, taxonomy.n_nodes, "node number")
    common = int(taxonomy.lca(np.array([answer]), np.array([truth]))[0])
    if common not in (answer, truth):
        depth = int(taxonomy.depth[common]) + 1
        first, second = (int(taxonomy.path(node)[depth]) for node in (answer, truth))
        return DecidingPair(taxonomy, first, second, "the branch of the answer against that of the truth")
    if common == truth:
        what = "the answer" if answer == truth else "the truth (the answer is below it)"
        return _with_sibling(taxonomy, row, truth, f"{what} against its best sibling")
    after = int(taxonomy.depth[answer])
    return _with_sibling(taxonomy, row, truth, "the branch of the truth against the best other one", after)


def pairs_to_compare(taxonomy: Taxonomy, p: ArrayLike, answer: int, truth: int | None = None) -> list[DecidingPair]:
    """That of `deciding_pair`, then each class on the path of the answer and of the truth against its best sibling.

    Parameters and errors as `deciding_pair`; no two classes are there twice.
    """
    found = [deciding_pair(taxonomy, p, answer, truth)]
    for what, node in (("answer", answer), ("truth", truth)):
        if node is None:
            continue
        bars = lane_bars(taxonomy, p, taxonomy.path(node))
        for place in np.flatnonzero(bars.sibling >= 0).tolist():
            pair = int(bars.node[place]), int(bars.sibling[place])
            if not any({*pair} == {one.first, one.second} for one in found):
                why = f"a class on the path of the {what} against its best sibling"
                found.append(DecidingPair(taxonomy, *pair, why))
    return found


def checked_pair(taxonomy: Taxonomy, first: int | str, second: int | str) -> tuple[int, int]:
    """Node numbers of two classes by name or number; a PredictionsError where one is the other or contains it."""
    pair = [taxonomy.node(one) if isinstance(one, str) else one for one in (first, second)]
    for node in pair:
        check_position("between", node, taxonomy.n_nodes, "node number")
    names = [taxonomy.names[node] for node in pair]
    above = [taxonomy.ancestors(np.array([node])).nodes.tolist() for node in pair]
    if pair[0] in above[1] or pair[1] in above[0]:
        raise PredictionsError(
            f"between: expected two classes of which neither contains the other, got {shown(names[0])} and {shown(names[1])}. "
            "Choose two that exclude each other, such as siblings."
        )
    return int(pair[0]), int(pair[1])


def _with_sibling(taxonomy, p, node, why, after=None):
    """The last class of the path to a node against its best sibling; with `after` the first one that is so deep or deeper.

    Of the root, the most probable class that has siblings where all above it are only children.
    """
    while not node or not (lane_bars(taxonomy, p, taxonomy.path(node)).sibling >= 0).any():
        below = taxonomy.children[node]
        if not len(below):
            break
        node, why = int(below[p[below].argmax()]), "the two most probable branches"
    bars = lane_bars(taxonomy, p, taxonomy.path(node))
    having = np.flatnonzero(bars.sibling >= 0)
    if not len(having):
        raise PredictionsError(
            f"between: expected a class with a sibling on the path to {taxonomy.names[node]!r}, got none. Name two classes."
        )
    later = having if after is None else having[having >= after]
    place = int(having[-1] if after is None or not len(later) else later[0])
    return DecidingPair(taxonomy, int(bars.node[place]), int(bars.sibling[place]), why)
