"""What every answer costs under every true leaf: a table that people bring, for rules `crm_leaf` and `optimal_node`.

Conventions
-----------
The truth is a leaf. Answers are all leaves, and such inner nodes as the table has.

Functions
---------
LeafCosts, number_type, leaf_names, require_few_cells
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from hierviz.inference.node_costs import NODE_COSTS, expected_costs
from hierviz.messages.errors import PredictionsError, TaxonomyError
from hierviz.taxonomy.checks import array_of_rows, check_one_of, check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

# Cells of a table; above the second they are kept as float32.
MOST_CELLS, MOST_DOUBLES = 20_000_000, 4_000_000
# Cells that are taken at a time.
BLOCK_CELLS = 1 << 20


@dataclass(frozen=True)
class LeafCosts:
    """What answers cost under every true leaf of one taxonomy. Made by `from_array`; equal when all numbers and the name are.

    Attributes
    ----------
    name : str
        What reports call it, for example a file name.
    values : ndarray of float, shape (n_answers, n_leaves)
        Row: the answer, first every leaf, then inner nodes; column: the true leaf, in the order of `Taxonomy.leaves`. Finite, not
        negative. float32 where there are more than `MOST_DOUBLES`.
    leaves : tuple of str
        Names of the leaves in that order.
    inner : tuple of str
        Names of the other answers in the order of the rows, ascending by node.
    """

    name: str = field(compare=False)
    values: np.ndarray = field(compare=False)
    leaves: tuple[str, ...] = field(compare=False)
    inner: tuple[str, ...] = field(default=(), compare=False)
    # Of all of them: what is compared.
    _digest: str = field(default="", repr=False)

    @classmethod
    def from_array(
        cls, taxonomy: Taxonomy, values: ArrayLike, name: str = "costs", *, inner: Sequence[str] = ()
    ) -> Self:
        """Costs held in memory.

        Parameters
        ----------
        taxonomy : Taxonomy
        values : array_like of float, shape (n_leaves + n_inner, n_leaves)
            Row: the answer, first the leaves, then `inner`; column: the true leaf. At most `MOST_CELLS`.
        name : str
        inner : sequence of str
            Names of inner nodes that are answers too.

        Returns
        -------
        LeafCosts

        Raises
        ------
        TaxonomyError
            If the table would have too many cells.
        PredictionsError
            If the shape is another one, an inner answer is none or there twice, or a cost is negative or no finite number.
        """
        check_taxonomy(taxonomy)
        nodes = _inner_nodes(taxonomy, inner, name)
        n = taxonomy.n_leaves
        require_few_cells(taxonomy, name, len(nodes))
        numbers = array_of_rows(values, name)
        if numbers.dtype.kind not in "fiub":
            raise PredictionsError(
                f"{name}: expected an array of numbers, got values of type {numbers.dtype}. Give a row for each answer and a "
                "column for each truth."
            )
        if numbers.shape != (n + len(nodes), n):
            more = f" and {len(nodes)} inner answers" if len(nodes) else ""
            raise PredictionsError(
                f"{name}: expected a cost for every pair of the {n} leaves{more}, shape ({n + len(nodes)}, {n}), got "
                f"{numbers.shape}. Give a row for each answer and a column for each truth."
            )
        numbers = numbers.astype(number_type(numbers.size))
        order = np.argsort(nodes, kind="stable")
        nodes = nodes[order]
        if (np.diff(order) < 0).any():
            numbers[n:] = numbers[n:][order]
        bad = ~(np.isfinite(numbers) & (numbers >= 0))
        if bad.any():
            i, j = np.argwhere(bad)[0]
            answer, truth = np.append(taxonomy.leaves, nodes)[i], taxonomy.leaves[j]
            raise PredictionsError(
                f"{name}: expected costs of 0 or more, got {numbers[i, j]} for answer {taxonomy.names[answer]!r} and truth "
                f"{taxonomy.names[truth]!r}. Correct it."
            )
        numbers.flags.writeable = False
        leaves, others = leaf_names(taxonomy), tuple(taxonomy.names[node] for node in nodes.tolist())
        start = "\n".join((name, *leaves, *others)).encode("utf-8", "surrogatepass")
        return cls(name, numbers, leaves, others, hashlib.sha256(start + numbers.tobytes()).hexdigest())

    @classmethod
    def of_cost(cls, taxonomy: Taxonomy, cost: str, *, inner: Sequence[str] = (), name: str | None = None) -> Self:
        """The table of a cost with a name.

        Parameters
        ----------
        taxonomy : Taxonomy
            A tree.
        cost : str
            A key of `hierviz.inference.node_costs.NODE_COSTS`.
        inner : sequence of str
            Names of inner nodes that are answers too.
        name : str, optional
            That of the cost if not given.
        """
        check_one_of("cost", cost, NODE_COSTS)
        rows = np.concatenate([taxonomy.leaves, _inner_nodes(taxonomy, inner, cost)]).astype(np.intp)
        require_few_cells(taxonomy, cost, len(inner))
        values = np.empty((len(rows), taxonomy.n_leaves), dtype=number_type(len(rows) * taxonomy.n_leaves))
        step = max(1, BLOCK_CELLS // taxonomy.n_nodes)
        for start in range(0, taxonomy.n_leaves, step):
            some = taxonomy.leaves[start : start + step]
            mass = np.zeros((len(some), taxonomy.n_nodes))
            mass[np.arange(len(some)), some] = 1.0
            # Rounding may leave a little less than nothing.
            values[:, start : start + step] = np.maximum(expected_costs(taxonomy, mass, cost)[0][:, rows].T, 0.0)
        return cls.from_array(taxonomy, values, name or cost, inner=inner)

    def part(self, taxonomy: Taxonomy, answers: Sequence[str], truths: Sequence[str]) -> np.ndarray:
        """Costs of some answers under some true leaves by their names, shape (n_answers, n_truths)."""
        self.require_taxonomy(taxonomy)
        return self.values[np.ix_(*self._places(answers, truths))]

    def changed(
        self, taxonomy: Taxonomy, answers: Sequence[str], truths: Sequence[str], values: ArrayLike, name: str = "costs"
    ) -> Self:
        """These costs with others for some answers under some true leaves, as of `part`."""
        self.require_taxonomy(taxonomy)
        numbers = self.values.copy()
        numbers[np.ix_(*self._places(answers, truths))] = values
        return type(self).from_array(taxonomy, numbers, name, inner=self.inner)

    def _places(self, answers, truths):
        rows = {name: place for place, name in enumerate((*self.leaves, *self.inner))}
        for what, names, known in (("answers", answers, rows), ("truths", truths, self.leaves)):
            for one in names:
                check_one_of(what, one, known)
        return [rows[one] for one in answers], [rows[one] for one in truths]

    def is_of(self, taxonomy: Taxonomy) -> bool:
        """Whether these are the costs of this taxonomy."""
        return leaf_names(taxonomy) == self.leaves and all(name in taxonomy.index for name in self.inner)

    def answer_nodes(self, taxonomy: Taxonomy) -> np.ndarray:
        """Node of each row, ascending, shape (n_answers,): the leaves and the inner nodes that have costs."""
        self.require_taxonomy(taxonomy)
        return np.sort(self._row_nodes(taxonomy))

    def _row_nodes(self, taxonomy):
        return np.concatenate([taxonomy.leaves, taxonomy.nodes(*self.inner)]).astype(np.intp)

    def expected(self, taxonomy: Taxonomy, of_leaves: np.ndarray) -> np.ndarray:
        """Expected cost of every node, shape (n_samples, n_nodes), inf of those that the table does not have.

        Parameters
        ----------
        taxonomy : Taxonomy
        of_leaves : ndarray of float, shape (n_samples, n_leaves)
            Probability of each leaf.
        """
        self.require_taxonomy(taxonomy)
        found = np.full((len(of_leaves), taxonomy.n_nodes), np.inf)
        # In C order, or the order of sums would depend on the number of rows.
        of_leaves, nodes = np.ascontiguousarray(of_leaves), self._row_nodes(taxonomy)
        step = max(1, BLOCK_CELLS // len(self.leaves))
        for start in range(0, len(nodes), step):
            some = self.values[start : start + step].astype(np.float64, copy=False)
            found[:, nodes[start : start + step]] = of_leaves @ some.T
        return found

    def of_nodes(self, taxonomy: Taxonomy, predicted: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """Cost of answers; of inner classes without a row, and of inner truths, the mean over the leaves below.

        Parameters
        ----------
        taxonomy : Taxonomy
            A tree.
        predicted, truth : ndarray of int, shape (n_samples,)

        Returns
        -------
        ndarray of float, shape (n_samples,)
        """
        self.require_taxonomy(taxonomy)
        taxonomy.require_tree("costs of inner classes")
        # In preorder the leaves below a node are neighbours: block sums of the table are differences of its double sums.
        n = taxonomy.n_leaves
        order = np.argsort(taxonomy.preorder[taxonomy.leaves], kind="stable")
        places = taxonomy.preorder[taxonomy.leaves[order]]
        first = np.searchsorted(places, taxonomy.preorder)
        last = np.searchsorted(places, taxonomy.preorder + taxonomy.subtree_size)
        of_rows = np.zeros((len(self.values), n + 1))
        np.cumsum(self.values[:, order], axis=1, dtype=np.float64, out=of_rows[:, 1:])
        sums = np.zeros((n + 1, n + 1))
        np.cumsum(of_rows[order], axis=0, out=sums[1:])
        a, b, c, d = first[predicted], last[predicted], first[truth], last[truth]
        total, width = sums[b, d] - sums[a, d] - sums[b, c] + sums[a, c], b - a
        row = np.full(taxonomy.n_nodes, -1)
        row[self._row_nodes(taxonomy)[n:]] = np.arange(n, len(self.values))
        own = row[predicted]
        total = np.where(own >= 0, of_rows[own, d] - of_rows[own, c], total)
        return np.maximum(total, 0.0) / (np.where(own >= 0, 1, width) * (d - c))

    def most_of(self, taxonomy: Taxonomy, truth: np.ndarray) -> np.ndarray:
        """Largest cost of a leaf as the answer to each truth, shape (n_samples,): what an answer outside the taxonomy costs."""
        truths, place = np.unique(truth, return_inverse=True)
        leaves = np.tile(taxonomy.leaves, len(truths))
        costs = self.of_nodes(taxonomy, leaves, np.repeat(truths, taxonomy.n_leaves))
        return costs.reshape(len(truths), -1).max(axis=1)[place]

    def require_taxonomy(self, taxonomy: Taxonomy) -> None:
        """Raise a TaxonomyError unless these are the costs of this taxonomy."""
        if not self.is_of(taxonomy):
            raise TaxonomyError(
                f"{self.name}: expected the costs of this taxonomy ({taxonomy.n_leaves} leaves), got those of another "
                f"({len(self.leaves)} leaves). Read them with this taxonomy."
            )

    def __repr__(self):
        inner = f" and {len(self.inner)} inner classes" if self.inner else ""
        return f"LeafCosts({self.name!r}, {len(self.leaves)} leaves{inner}, {self._digest[:12]})"


def number_type(n_cells):
    """Type of the numbers of a table of so many cells."""
    return np.float64 if n_cells <= MOST_DOUBLES else np.float32


def leaf_names(taxonomy):
    """Names of the leaves in the order of `Taxonomy.leaves`, as a tuple."""
    return tuple(taxonomy.names[leaf] for leaf in taxonomy.leaves.tolist())


def require_few_cells(taxonomy, where, n_inner=0):
    """Raise a TaxonomyError unless the costs of all answers under all leaves are few enough to be held."""
    n_cells = (taxonomy.n_leaves + n_inner) * taxonomy.n_leaves
    if n_cells > MOST_CELLS:
        inner = f" and {n_inner:,} inner classes" if n_inner else ""
        raise TaxonomyError(
            f"{where}: expected a table of at most {MOST_CELLS:,} costs, got {n_cells:,} of {taxonomy.n_leaves:,} leaves{inner}. "
            "Use a cost that has a name, such as depth_dist."
        )


def _inner_nodes(taxonomy, names, where):
    """Node of each name, shape (n,) of int."""
    names = list(names)
    bad = [name for name in names if name not in taxonomy.index or taxonomy.is_leaf[taxonomy.index[name]]]
    if bad or len(set(names)) < len(names):
        got = repr(bad[0]) if bad else f"{next(name for name in names if names.count(name) > 1)!r} twice"
        raise PredictionsError(f"{where}: expected different inner classes of the taxonomy, got {got}. Correct it.")
    return np.array([taxonomy.index[name] for name in names], dtype=np.intp)
