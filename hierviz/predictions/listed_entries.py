"""Class and score entries of samples, as files and pipelines list them, on their way to `listed_scores`.

Conventions
-----------
Entries are in the order of their source. A list is falling when no score is larger than the one before it in the same sample:
then the classes that it leaves out are taken for the least probable ones.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.notebook_html import Short
from hierviz.predictions.listed_scores import ListedScores, require_missing
from hierviz.predictions.parametrisation import SUM_TOLERANCE, default_columns, probabilities_of
from hierviz.taxonomy.taxonomy import Taxonomy

NOTHING_LISTED = "List its most probable class, or leave the sample out: it then counts as one without a prediction."


@dataclass(frozen=True, eq=False)
class ListedEntries(Short):
    """One entry for each class that is listed for a sample.

    Parameters
    ----------
    row, node : ndarray of int, shape (n_entries,)
        Sample and class.
    value : ndarray of float, shape (n_entries,)
    n_rows : int
    is_top_k : bool
        Each sample lists its best classes.
    outside : ndarray of int, optional
        Rows whose largest score was of a class outside the taxonomy, ascending.
    outside_mass : ndarray of float, shape (n_rows,), optional
        Sum of the scores of classes outside the taxonomy, which are not among the entries.
    """

    row: np.ndarray
    node: np.ndarray
    value: np.ndarray
    n_rows: int
    is_top_k: bool
    outside: np.ndarray | None = None
    outside_mass: np.ndarray | None = None

    def words(self) -> str:
        """How much is listed, in words."""
        lengths = np.bincount(self.row, minlength=self.n_rows)
        least, most = (int(lengths.min()), int(lengths.max())) if self.n_rows else (0, 0)
        count = f"{most}" if least == most else f"{least} to {most}"
        return f"the {count} best classes of each sample" if self.is_top_k else f"{count} classes of each sample"

    def with_ancestors(self, taxonomy: Taxonomy, combine: str) -> tuple[ListedEntries, int]:
        """The same with an entry for every class above a listed one, the root left out.

        Parameters
        ----------
        taxonomy : Taxonomy
        combine : {"max", "sum"}
            A class has the largest of the scores listed at it and below it, as independent scores do, or their sum, as scores
            of classes that exclude each other do. Sums that rounding puts above 1 are 1.

        Returns
        -------
        entries : ListedEntries
            In the order of rows and classes.
        n_changed : int
            Number of entries that were added or have another score.
        """
        above = taxonomy.ancestors(self.node)
        row, value, node = np.repeat(self.row, above.lengths), np.repeat(self.value, above.lengths), above.nodes
        is_own = (node == np.repeat(self.node, above.lengths)) & (node > 0)
        order = np.lexsort((node, row))
        order = order[node[order] > 0]
        row, node, value, is_own = row[order], node[order], value[order], is_own[order]
        is_first = np.ones(len(row), dtype=bool)
        is_first[1:] = (np.diff(row) != 0) | (np.diff(node) != 0)
        group = np.cumsum(is_first) - 1
        if combine == "max":
            combined = np.maximum.reduceat(value, np.flatnonzero(is_first)) if len(value) else value
        else:
            # `bincount` adds one by one, in the order in which classes are listed.
            combined = np.bincount(group, value)
            combined[(combined > 1) & (combined <= 1 + SUM_TOLERANCE)] = 1
        n_same = int((combined[group[is_own]] == value[is_own]).sum())
        made = replace(self, row=row[is_first], node=node[is_first], value=combined)
        return made, len(combined) - n_same

    def note(self, taxonomy: Taxonomy, where: str) -> str | None:
        """What is odd about the listed classes: a single inner class among leaves, possibly misnamed; None if nothing."""
        inner = self.node[~taxonomy.is_leaf[self.node] & (self.node > 0)]
        if not len(inner) or (inner != inner[0]).any() or len(inner) == len(self.node):
            return None
        times = "once" if len(inner) == 1 else f"{len(inner):,} times"
        return (
            f"{where} lists one class that is no leaf ({taxonomy.names[inner[0]]}, {times}): its scores are therefore read as "
            "probabilities of nodes, which need not sum to 1. Check that it is the name of a leaf."
        )

    def scores(
        self, taxonomy: Taxonomy, where: str, parametrisation: str | None = None, missing: str | None = None
    ) -> tuple[ListedScores, np.ndarray, str]:
        """The entries as ListedScores, with the node of each column and the key of the parametrisation.

        Parameters
        ----------
        taxonomy : Taxonomy
        where : str
            How errors call the source.
        parametrisation : str, optional
            Without it scores are probabilities: of the leaves where all listed classes are leaves, else of all nodes.
        missing : {"unknown", "zero"}, optional
            What a score that is not listed is: unknown when absent.

        Raises
        ------
        PredictionsError
            If a listed class has no score in the parametrisation, or `missing` is another word.
        """
        require_missing(missing)
        parametrisation = parametrisation or probabilities_of(taxonomy, self.node)
        columns = default_columns(taxonomy, parametrisation)
        # The root is 1 where nothing else is said, and adds nothing here.
        is_kept = self.node > 0 if parametrisation == "node_probabilities" else np.ones(len(self.node), dtype=bool)
        place = np.full(taxonomy.n_nodes, -1)
        place[columns] = np.arange(len(columns))
        strange = np.unique(self.node[is_kept & (place[self.node] < 0)])
        if len(strange):
            raise PredictionsError(
                f"{where}: expected classes that have a score with {parametrisation} ({len(columns)}), got "
                f"{listed([taxonomy.names[node] for node in strange])}. Choose another {{parametrisation}}."
            )
        made = ListedScores.from_entries(
            self.row[is_kept],
            place[self.node[is_kept]],
            self.value[is_kept],
            (self.n_rows, len(columns)),
            missing=missing or "unknown",
            is_top_k=self.is_top_k,
            outside=self.outside_mass,
        )
        return made, columns, parametrisation


def is_falling(row, value):
    """True when no value is larger than the one before it in the same row; entries of a row are in order."""
    order = np.argsort(row, kind="stable")
    row, value = row[order], value[order]
    return not ((row[1:] == row[:-1]) & (value[1:] > value[:-1])).any()


def first_repeat(row, node):
    """Place of the first entry whose row and node came before, None when there is none."""
    order = np.lexsort((node, row))
    twice = order[1:][(np.diff(row[order]) == 0) & (np.diff(node[order]) == 0)]
    return int(twice.min()) if len(twice) else None


def label_entries(
    lists: Iterable[Any],
    where: str,
    may_be_empty: bool = False,
    place: Callable[[int], str] | None = None,
) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Row, label and score of every ``{"label": ..., "score": ...}`` in lists, one list a sample.

    Lists without entries are an error, unless they `may_be_empty`. `place` gives how errors call a sample, by its number of the
    lists and `where` if not given.

    Returns
    -------
    row : ndarray of int, shape (n_entries,)
    labels : list of str
    value : ndarray of float, shape (n_entries,)

    Raises
    ------
    PredictionsError
        If a list is none or empty, an entry lacks a key, or a score is no number; names the sample.
    """
    rows, labels, values = array("q"), [], array("d")
    known: dict[str, str] = {}
    place = place or (lambda row: f"{where}, sample {row}")
    for row, entries in enumerate(lists):
        is_list = isinstance(entries, (list, tuple)) and (may_be_empty or bool(entries))
        if not is_list or not all(isinstance(e, Mapping) for e in entries):
            got = "an empty list" if isinstance(entries, (list, tuple)) and not entries else type(entries).__name__
            advice = "Write one list per sample; a pipeline gives them for a list of inputs with top_k=5, None for all."
            raise PredictionsError(
                f"{place(row)}: expected a list of its classes, each {{'label': ..., 'score': ...}}, got {got}. "
                f"{NOTHING_LISTED if got == 'an empty list' else advice}"
            )
        for entry in entries:
            if not {"label", "score"} <= set(entry):
                raise PredictionsError(
                    f"{place(row)}: expected the keys label and score, got {listed(entry)}. "
                    "Pass what the pipeline returns."
                )
            score, label, got = entry["score"], str(entry["label"]), ""
            try:
                if isinstance(score, bool) or not isinstance(score, (int, float, np.integer, np.floating)):
                    got = repr(score)
                else:
                    values.append(float(score))
            except OverflowError:
                got = f"an integer of {int(score).bit_length()} bits"
            if got:
                raise PredictionsError(
                    f"{place(row)}, label {label!r}: expected a number as score, got {got}. Correct it."
                )
            rows.append(row)
            labels.append(known.setdefault(label, label))
    return np.array(rows, dtype=np.intp), labels, np.array(values, dtype=np.float64)
