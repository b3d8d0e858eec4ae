"""What every answer costs under every truth, leaf by leaf: a table that people bring, for rule `crm_leaf`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError, TaxonomyError
from hierviz.taxonomy.checks import array_of_rows, check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

# The table has the square of it: 2,000 leaves take 32 MB.
MOST_LEAVES = 2000


@dataclass(frozen=True, eq=False)
class LeafCosts:
    """Cost of every pair of leaves of one taxonomy. Made by `from_array`; equal when all numbers and the name are.

    Attributes
    ----------
    name : str
        What reports call it, for example a file name.
    values : ndarray of float64, shape (n_leaves, n_leaves)
        Row: the leaf answered; column: the true leaf; both in the order of `Taxonomy.leaves`. Finite, not negative.
    leaves : tuple of str
        Their names in that order.
    """

    name: str
    values: np.ndarray
    leaves: tuple[str, ...]
    _digest: str = field(default="", repr=False)

    @classmethod
    def from_array(cls, taxonomy: Taxonomy, values: ArrayLike, name: str = "costs") -> Self:
        """Costs held in memory.

        Parameters
        ----------
        taxonomy : Taxonomy
            At most `MOST_LEAVES` leaves.
        values : array_like of float, shape (n_leaves, n_leaves)
            Row: the leaf answered; column: the true leaf.
        name : str

        Returns
        -------
        LeafCosts

        Raises
        ------
        TaxonomyError
            If the taxonomy has too many leaves.
        PredictionsError
            If the shape is another one, or a cost is negative or no finite number.
        """
        check_taxonomy(taxonomy)
        require_few_leaves(taxonomy, name)
        numbers, n = array_of_rows(values, name), taxonomy.n_leaves
        if numbers.dtype.kind not in "fiub":
            raise PredictionsError(
                f"{name}: expected an array of numbers, got values of type {numbers.dtype}. Give a row for each answer and a "
                "column for each truth."
            )
        numbers = numbers.astype(np.float64)
        if numbers.shape != (n, n):
            raise PredictionsError(
                f"{name}: expected a cost for every pair of the {n} leaves, shape ({n}, {n}), got {numbers.shape}. "
                "Give a row for each answer and a column for each truth."
            )
        bad = ~(np.isfinite(numbers) & (numbers >= 0))
        if bad.any():
            i, j = np.argwhere(bad)[0]
            answer, truth = (taxonomy.names[leaf] for leaf in taxonomy.leaves[[i, j]])
            raise PredictionsError(
                f"{name}: expected costs of 0 or more, got {numbers[i, j]} for answer {answer!r} and truth {truth!r}. "
                "Correct it."
            )
        numbers.flags.writeable = False
        leaves = leaf_names(taxonomy)
        start = "\n".join((name, *leaves)).encode("utf-8", "surrogatepass")
        return cls(name, numbers, leaves, hashlib.sha256(start + numbers.tobytes()).hexdigest())

    def require_taxonomy(self, taxonomy: Taxonomy) -> None:
        """Raise a TaxonomyError unless these are the costs of this taxonomy."""
        if leaf_names(taxonomy) != self.leaves:
            raise TaxonomyError(
                f"{self.name}: expected the costs of this taxonomy ({taxonomy.n_leaves} leaves), got those of another "
                f"({len(self.leaves)} leaves). Read them with this taxonomy."
            )

    def __eq__(self, other):
        return isinstance(other, LeafCosts) and self._digest == other._digest

    def __hash__(self):
        return hash(self._digest)

    def __repr__(self):
        return f"LeafCosts({self.name!r}, {len(self.leaves)} leaves, {self._digest[:12]})"


def leaf_names(taxonomy):
    """Names of the leaves in the order of `Taxonomy.leaves`, as a tuple."""
    return tuple(taxonomy.names[leaf] for leaf in taxonomy.leaves.tolist())


def require_few_leaves(taxonomy, where):
    """Raise a TaxonomyError unless the costs of all pairs of leaves are few enough to be held."""
    if taxonomy.n_leaves > MOST_LEAVES:
        raise TaxonomyError(
            f"{where}: expected a taxonomy of at most {MOST_LEAVES:,} leaves for the costs of all pairs, got "
            f"{taxonomy.n_leaves:,}. Use a cost that has a name, such as depth_dist."
        )
