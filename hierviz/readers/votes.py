"""Several answers to one sample in a file, as rows with one id or as lists: how they become numbers of answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.answer_counts import answer_counts
from hierviz.predictions.listed_scores import ListedScores
from hierviz.predictions.outside import OF_TEXTS, OUTSIDE
from hierviz.taxonomy.node_lists import group
from hierviz.taxonomy.taxonomy import NodeLists

# Which of several answers a row is; of a whole sample it says nothing.
RUN_COLUMNS = ("run", "answer", "repeat", "seed")


def as_votes(raw, taxonomy, outside=None):
    """Numbers of answers of each sample of a RawPredictions.

    Parameters
    ----------
    raw : RawPredictions
        Of labels, whose rows with one id are answers to one sample; or of scores, which are numbers of answers already.
    taxonomy : Taxonomy
    outside : OutsideNames, optional
        Took the answers that are not in the taxonomy: they are no class's, or left out where they are dropped.

    Returns
    -------
    RawPredictions
        With a row for each sample, in the order in which these first come.

    Raises
    ------
    PredictionsError
        If rows with one id differ in their truth.
    """
    if raw.labels is None:
        return _counted(raw, taxonomy)
    n_rows = len(raw)
    first, sample = np.arange(n_rows), np.arange(n_rows)
    if raw.ids is not None:
        _, place, group_of = np.unique(raw.ids, return_index=True, return_inverse=True)
        order = np.argsort(place)
        rank = np.empty(len(order), dtype=np.intp)
        rank[order] = np.arange(len(order))
        first, sample = place[order], rank[group_of]
    labels = raw.labels
    if outside is not None:
        if outside.how == "drop":
            labels = labels.only((labels.nodes != OUTSIDE) | ~np.isin(labels.rows, outside.rows))
        outside.count_as_votes(sample)
    answers = group(sample[labels.rows], labels.nodes, len(first))
    truth = None
    if raw.truth is not None:
        lost = None if raw.truth.outside is None else np.unique(sample[raw.truth.outside])
        truth = replace(raw.truth, nodes=_one_truth(raw, first, sample, taxonomy), outside=lost)
    counts = answer_counts(answers, taxonomy)
    attributes, left_out = {}, []
    for name, values in raw.attributes.items():
        if (values == values[first][sample]).all():
            attributes[name] = values[first]
        elif name.casefold() not in RUN_COLUMNS and name not in OF_TEXTS:
            left_out.append(name)
    notes = [*raw.notes, _words(raw.where, answers)]
    if left_out:
        notes.append(
            f"{raw.where}: columns that differ between the answers to a sample were left out: {listed(left_out)}"
        )
    n_outside = int((answers.nodes == OUTSIDE).sum())
    if n_outside:
        answered = "1 answer names" if n_outside == 1 else f"{n_outside:,} answers name"
        notes.append(f"{raw.where}: {answered} no class; their share is unassigned")
    return replace(
        raw,
        labels=None,
        is_hard=False,
        is_by_level=False,
        scores=counts,
        outside=None if outside is None or not outside.codes else _most_often_outside(answers, counts),
        scored_nodes=np.arange(taxonomy.n_nodes),
        ids=None if raw.ids is None else raw.ids[first],
        truth_ids=None if raw.truth_ids is None else raw.truth_ids[first],
        truth=truth,
        attributes=attributes,
        notes=tuple(notes),
        counts_absent=True,
        detected={**raw.detected, "rows": f"{n_rows:,}", "samples": f"{len(first):,}"},
    )


def _most_often_outside(answers, counts):
    """Samples that have more answers outside the taxonomy than of any class."""
    n_outside = np.bincount(answers.rows[answers.nodes == OUTSIDE], minlength=len(answers))
    most = np.zeros(len(answers))
    inside = counts.columns > 0
    rows = np.repeat(np.arange(len(answers)), counts.lengths)
    np.maximum.at(most, rows[inside], counts.values[inside])
    return np.flatnonzero(n_outside > most)


def _words(where, answers):
    """How many answers there are."""
    least, most = (int(answers.lengths.min()), int(answers.lengths.max())) if len(answers) else (0, 0)
    each = f"{most:,} each" if least == most else f"{least:,} to {most:,} each"
    return (
        f"{where}: {len(answers.nodes):,} answers to {len(answers):,} samples ({each}); the probability of a class is the share "
        "of the answers at or below it"
    )


def _one_truth(raw, first, sample, taxonomy):
    """The truth of each sample, which all of its rows have that have one."""
    nodes = raw.truth.nodes
    lists = nodes if isinstance(nodes, NodeLists) else NodeLists.of(nodes).only(nodes >= 0)
    keys = [tuple(lists[row].tolist()) for row in range(len(lists))]
    found: dict = {}
    for row, key in enumerate(keys):
        if key and found.setdefault(int(sample[row]), (row, key))[1] != key:
            before = found[int(sample[row])][1]
            names = (";".join(taxonomy.names[node] for node in one) for one in (before, key))
            raise PredictionsError(
                f"{raw.where}, sample {str(raw.ids[row])!r}: expected one truth for all answers to it, got "
                f"{' and '.join(map(repr, names))}. Correct one of the rows."
            )
    chosen = np.array([found.get(k, (row,))[0] for k, row in enumerate(first.tolist())], dtype=np.intp)
    return nodes.take(chosen) if isinstance(nodes, NodeLists) else nodes[chosen]


def _counted(raw, taxonomy):
    """Scores in memory of some classes as numbers of answers: those without a column have none."""
    if not isinstance(raw.scores, np.ndarray) or raw.scored_nodes is None:
        return raw
    row, column = np.nonzero(raw.scores)
    entries = row, raw.scored_nodes[column], raw.scores[row, column].astype(np.float64)
    shape = len(raw.scores), taxonomy.n_nodes
    scores = ListedScores.from_entries(*entries, shape, missing="zero", is_top_k=False)
    return replace(raw, scores=scores, scored_nodes=np.arange(taxonomy.n_nodes), counts_absent=True)
