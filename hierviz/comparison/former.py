"""What a table takes over from a former one of the same predictions: all that depends on no rule and no threshold.

Functions
---------
kept_of
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hierviz.comparison.columns import Column
from hierviz.comparison.comparison_table import ComparisonTable
from hierviz.comparison.constants import Constants
from hierviz.comparison.methods import Method
from hierviz.comparison.protein_numbers import has_protein
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.notebook_html import Short
from hierviz.uncertainty.resamples import Resamples


@dataclass(frozen=True)
class Kept(Short):
    """Parts of a former table.

    Attributes
    ----------
    methods : dict of str to Method
        By name, with the draws that are taken over alone.
    constants : Constants
    """

    methods: dict[str, Method] = field(default_factory=dict)
    constants: Constants = field(default_factory=lambda: Constants({}, {}, {}))

    def has_draws(self, column: Column) -> bool:
        """Whether the draws of a column are here, for all methods that have some."""
        return any(column.key in method.draws for method in self.methods.values())


def kept_of(
    former: ComparisonTable | None,
    models: Sequence[Evaluation],
    columns: Sequence[Column],
    resamples: Resamples | None,
    has_class_weights: bool = False,
) -> Kept:
    """What a table of these models needs not work out again.

    Parameters
    ----------
    former : ComparisonTable, optional
        Nothing is taken over from one of other models, and no draws from one of other resamples.
    models : sequence of Evaluation
        Of each file.
    columns : sequence of Column
        That are wanted.
    resamples : Resamples, optional
    has_class_weights : bool
        Whether balanced columns have weights of their own.

    Returns
    -------
    Kept
        Without balanced columns where either table has class weights, and without those of protein functions, which
        depend on an information accretion.
    """
    if former is None or len(former.models) != len(models):
        return Kept()
    if any(before is not now for before, now in zip(former.models, models, strict=True)):
        return Kept()
    has_weights = has_class_weights or former.has_class_weights
    known = {column.key for column in former.columns}
    same = [
        column
        for column in columns
        if column.key in known and not has_protein([column]) and not (column.is_balanced and has_weights)
    ]
    found = former.constants
    keys = {column.key for column in same}
    values = {key: value for key, value in found.values.items() if key in keys}
    answers = {key: answer for key, answer in found.answers.items() if key in keys}
    reasons = {key: reason for key, reason in found.reasons.items() if key in keys}
    methods = {}
    if former.resamples is not None and resamples is not None and former.resamples.is_same(resamples):
        free = {column.key for column in same if not column.is_of_answers}
        methods = {
            method.name: replace(
                method,
                draws={key: of for key, of in method.draws.items() if key in free},
                shares=method.shares & free,
            )
            for method in former.methods
        }
    return Kept(methods, Constants(values, answers, reasons))
