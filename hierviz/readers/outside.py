"""Names of answers and truths that the taxonomy does not hold: collected while a file is read, then settled in one place.

Conventions
-----------
While a file is read, the k-th name that is not in the taxonomy has the code ``FIRST - k``, so that lists of labels and of classes
keep their order. `OutsideNames.settle` and `settle_entries` put in place of the codes the nodes that names are mapped to, and
`OUTSIDE` for all others, and keep which rows these are: everything after the reader knows nodes and `OUTSIDE` only.

- ``error``: the first name stops the reader, unless a mapping has it.
- ``wrong``: the answer is one claimed leaf below the root that is never true.
- ``drop``: the sample leaves answers and truth.
- ``nearest``: names are mapped to the nodes that they nearly are; for what is not mapped, answers are ``wrong``, truths ``drop``.

Functions
---------
OutsideNames, check_outside
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hierviz.messages.errors import shown
from hierviz.predictions.listed_entries import ListedEntries
from hierviz.predictions.name_mapping import MappedName, NameMapping
from hierviz.predictions.outside import OUTSIDE, Outside
from hierviz.readers.nearest_names import nearest
from hierviz.taxonomy.checks import check_one_of
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

ANSWERS, TRUTHS = "answers", "truths"
# What may be done with them; the first is the default.
OUTSIDE_ANSWERS = ("error", "wrong", "drop", "nearest")
OUTSIDE_TRUTHS = ("error", "drop", "nearest")
# Code of the first name.
FIRST = -2
_CHOICES = {ANSWERS: ("outside", OUTSIDE_ANSWERS), TRUTHS: ("outside_truth", OUTSIDE_TRUTHS)}


def check_outside(outside: str | None, outside_truth: str | None = None) -> None:
    """Raise a PredictionsError unless both are None or one of `OUTSIDE_ANSWERS` and `OUTSIDE_TRUTHS`."""
    for (parameter, choices), value in zip(_CHOICES.values(), (outside, outside_truth), strict=True):
        if value is not None:
            check_one_of(parameter, value, choices)


class OutsideNames:
    """The names of answers, or of truths, of one file that the taxonomy does not hold.

    Parameters
    ----------
    taxonomy : Taxonomy
    what : {"answers", "truths"}
    how : str, optional
        One of `OUTSIDE_ANSWERS`, or of `OUTSIDE_TRUTHS`; the first when absent.
    mapping : NameMapping or mapping of str to int, optional
        Node of each name that was mapped before, -1 for a name that is to stay outside; holds whatever `how` says.
    """

    def __init__(
        self,
        taxonomy: Taxonomy,
        what: str = ANSWERS,
        how: str | None = None,
        mapping: NameMapping | Mapping[str, int] | None = None,
    ):
        self.taxonomy, self.what, self.how = taxonomy, what, how or "error"
        self.chosen = NameMapping.of(mapping, taxonomy)
        self.mapping = self.chosen.node_of
        self._proposed: dict[str, MappedName] = {}
        self.codes: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._rows: list[np.ndarray] = []
        self._given: list[np.ndarray] = []
        self._mapped: dict[str, int] = {}
        self._rows_mapped: list[np.ndarray] = []
        self.are_votes = False
        self.n_rows = 0

    def code(self, name: str) -> int | None:
        """The code of a name that is no node's; None where it is an error."""
        name = name.strip()
        if self.how == "error" and name not in self.mapping:
            return None
        return self.codes.setdefault(name, FIRST - len(self.codes))

    def name(self, code: int) -> str:
        """The name that has a code."""
        return list(self.codes)[FIRST - code]

    @property
    def advice(self) -> str:
        """The sentence after the error about a name: the other choices."""
        parameter, choices = _CHOICES[self.what]
        return f" Or say {{{parameter}={' | '.join(choices[1:])}}}."

    def settle(self, labels: np.ndarray | NodeLists) -> np.ndarray | NodeLists:
        """Labels of every row with nodes and `OUTSIDE` in place of the codes.

        Parameters
        ----------
        labels : ndarray of int, shape (n_rows,), or NodeLists
            Nodes, and codes of `code`.
        """
        self.n_rows = len(labels)
        if not self.codes:
            return labels
        lists = NodeLists.of(labels)
        nodes = self._settled(lists.rows, lists.nodes)
        return NodeLists(lists.offsets, nodes) if isinstance(labels, NodeLists) else nodes

    def settle_entries(self, entries: ListedEntries, only: np.ndarray | None = None) -> ListedEntries:
        """Scores of listed classes without those outside the taxonomy, whose mass belongs to no class.

        Parameters
        ----------
        entries : ListedEntries
            `node` with codes of `code`.
        only : ndarray of bool, shape (n_entries,), optional
            Which entries may be the best of their row, besides those outside; all when absent.

        Returns
        -------
        ListedEntries
            The others in their order; of names of one row that are mapped to one node, the one of the larger score. `outside` are
            the rows whose largest score is of a class outside, the first of equal ones being the best.
        """
        self.n_rows = entries.n_rows
        if not self.codes:
            return entries
        row, node, value = entries.row, entries.node, entries.value
        order = np.lexsort((np.arange(len(row)), -value, row))
        runs = order if only is None else order[only[order] | (node[order] <= FIRST)]
        is_best = np.zeros(len(row), dtype=bool)
        is_best[runs[np.flatnonzero(np.diff(row[runs], prepend=-1))]] = True
        node = self._settled(row, node, counts=is_best)
        kept = np.zeros(len(row), dtype=bool)
        pairs = row[order] * (self.taxonomy.n_nodes + 1) + node[order]
        kept[order[np.unique(pairs, return_index=True)[1]]] = True
        is_outside = node == OUTSIDE
        kept &= ~is_outside
        outside, mass = np.sort(row[is_best & is_outside]), None
        if is_outside.any():
            mass = np.bincount(row[is_outside], value[is_outside], minlength=entries.n_rows)
        row, node, value = row[kept], node[kept], value[kept]
        return replace(entries, row=row, node=node, value=value, outside=outside, outside_mass=mass)

    def _settled(self, rows, nodes, counts=None):
        """Nodes in place of codes; names and rows are counted, of all entries or of those of `counts`."""
        is_outside = nodes <= FIRST
        names = list(self.codes)
        places = FIRST - nodes[is_outside]
        told = dict.fromkeys((names[place] for place in np.unique(places).tolist()), 0)
        is_counted = FIRST - nodes[is_outside if counts is None else is_outside & counts]
        for place, n in enumerate(np.bincount(is_counted, minlength=len(names)).tolist()):
            told |= {names[place]: n} if n else {}
        for name, n in told.items():
            self._counts[name] = self._counts.get(name, 0) + n
        mapped = {name: self.mapping[name] for name in told if name in self.mapping}
        if self.how == "nearest":
            new = {name: n for name, n in told.items() if name not in self.chosen.given}
            proposed = nearest(list(new), list(new.values()), self.taxonomy)
            self._proposed |= {row.given: row for row in proposed}
            mapped |= proposed.node_of
        self._mapped |= mapped
        node_of = np.array([mapped.get(name, OUTSIDE) for name in names], dtype=np.intp)
        settled = np.array(nodes, dtype=np.intp)
        settled[is_outside] = node_of[places]
        stays = is_outside & (settled == OUTSIDE)
        kept = stays if counts is None else stays & counts
        self._rows.append(rows[kept])
        self._given.append(FIRST - nodes[kept])
        self._rows_mapped.append(rows[is_outside & ~stays])
        return settled

    def count_as_votes(self, sample: np.ndarray) -> None:
        """Answers are several of each sample, which `sample` gives of every row: those outside leave no sample out."""
        self.are_votes = True
        self._rows, self._rows_mapped = ([sample[one] for one in rows] for rows in (self._rows, self._rows_mapped))

    @property
    def rows(self) -> np.ndarray:
        """Rows of the file with a name that stayed outside, ascending; of lists of scores, those where it is the best one."""
        return np.unique(np.concatenate([np.empty(0, dtype=np.intp), *self._rows])).astype(np.intp)

    def given(self, n_rows: int) -> np.ndarray:
        """What the file says in place of a class, shape (n_rows,) of str.

        Several names of a row are joined by ``;``, the most frequent first, with how often each is there if more than once.
        """
        names, texts = list(self.codes), [""] * n_rows
        of_row: dict[int, Counter[str]] = {}
        for rows, places in zip(self._rows, self._given, strict=True):
            for row, place in zip(rows.tolist(), places.tolist(), strict=True):
                of_row.setdefault(row, Counter())[names[place]] += 1
        for row, count in of_row.items():
            texts[row] = "; ".join(name if n == 1 else f"{name} ×{n:,}" for name, n in count.most_common())
        # Of Python objects, as some texts of language models are long.
        return np.array(texts, dtype=str if max(map(len, texts), default=0) <= 64 else object)

    @property
    def drops(self) -> bool:
        """Whether these rows leave answers and truth."""
        if self.are_votes:
            return False
        return self.how == "drop" or (self.what == TRUTHS and self.how == "nearest")

    @property
    def record(self) -> Outside | None:
        """What was found; None where names outside are an error and no name was mapped."""
        if self.how == "error" and not self._mapped:
            return None
        names = sorted(self._counts, key=lambda name: -self._counts[name])
        counts = np.array([self._counts[name] for name in names], dtype=np.intp)
        n_mapped = len(np.unique(np.concatenate([np.empty(0, dtype=np.intp), *self._rows_mapped])))
        known = {row.given: row for row in self.chosen} | self._proposed
        rows = [(known.get(name) or MappedName(name))._replace(count=self._counts[name]) for name in names]
        review = NameMapping(self.taxonomy, tuple(rows))
        return Outside(
            self.what, self.how, tuple(names), counts, self.rows, dict(self._mapped), n_mapped, review, self.n_rows
        )

    def notes(self, where: str) -> list[str]:
        """What was done, in words; nothing where no name lies outside."""
        record = self.record
        if record is None:
            return []
        said = []
        if record.left:
            done = "left out, with their answer and truth" if self.drops else "count as wrong"
            if self.are_votes:
                done = "keep their other answers" if self.how == "drop" else "have a share that is unassigned"
            if self.how == "nearest" and not record.mapped:
                done += ", as none of their names is near one class"
            one = "sample" if len(record.rows) == 1 else "samples"
            said.append(
                f"{where}: {len(record.rows):,} {one} with {self.what} outside the taxonomy {done}: {record.words()}"
            )
        if record.mapped:
            pairs = [f"{shown(name)} is {shown(self.taxonomy.names[node])}" for name, node in record.mapped.items()]
            more = f" and {len(pairs) - 3:,} more" if len(pairs) > 3 else ""
            names = "1 name was" if len(record.mapped) == 1 else f"{len(record.mapped):,} names were"
            said.append(f"{where}: {record.mapped_words}; {names} mapped: {', '.join(pairs[:3])}{more}")
        return said
