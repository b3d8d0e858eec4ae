"""CellTypist: ``predicted_labels.csv`` and ``probability_matrix.csv``, whose first column, the cell, has no name.

Conventions
-----------
- Labels: ``predicted_labels``, after majority voting with ``over_clustering, majority_voting``; ``conf_score`` where it was
  added. The answer is ``majority_voting`` where it is there, as in CellTypist's own plots. ``Unassigned`` and
  ``Heterogeneous`` are answers with nothing, and ``A|B`` is both types.
- Probabilities: one column for each cell type, each a sigmoid of its own. A class is as probable as its most probable type.

References
----------
.. [1] C. Domínguez Conde et al., Science 376, 2022; https://github.com/Teichlab/celltypist, ``AnnotationResult.to_table``.
"""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.predictions.parametrisation import SUM_TOLERANCE
from hierviz.readers.columns import as_number, named_place
from hierviz.taxonomy.tree_sums import max_up

_ANSWERS = ("majority_voting", "predicted_labels")
# What is called so where no type is.
_NOTHING = ("Unassigned", "Heterogeneous")


def looks_like(names):
    """Whether there is a column of predicted labels."""
    return "predicted_labels" in [name.casefold() for name in names]


def records(samples, where, reading, notes):
    """Yield a record for every cell of a SampleTable."""
    columns, taxonomy = samples.read(), reading.taxonomy
    place = named_place(columns.names, _ANSWERS)
    name, root = columns.names[place], taxonomy.names[0]
    others = [k for k in columns.text if k not in (samples.id_place, place)]
    n_nothing = 0
    for row, cell in enumerate(columns.single_text(place)):
        is_nothing = cell in _NOTHING and cell not in taxonomy.index
        n_nothing += is_nothing
        labels = [cell] if cell in taxonomy.index or "|" not in cell else cell.split("|")
        ids = {} if samples.id_place is None else {"sample_id": columns.text[samples.id_place][row]}
        more = {columns.names[k]: columns.text[k][row] for k in others}
        yield {**ids, "predicted": [root] if is_nothing else labels, **more}
    said = [f"the answers are those of column {name!r}"]
    if name == _ANSWERS[0] and named_place(columns.names, _ANSWERS[1:]) is not None:
        said.append(f"remove it to take those of {_ANSWERS[1]!r}")
    notes.append(f"{where}: {'; '.join(said)}")
    if n_nothing:
        are = "cell is" if n_nothing == 1 else "cells are"
        notes.append(f"{where}: {n_nothing:,} {are} {' or '.join(_NOTHING)}: answered with nothing")


def holds_sigmoids(samples):
    """Whether a table with a first column without a name holds scores from 0 to 1 that sum to 1 in none of its first rows."""
    if not samples.has_unnamed_ids:
        return False
    rows = [
        [as_number(cells[place]) for place in samples.scores]
        for _, cells in samples.table.sample[1:]
        if len(cells) == len(samples.names)
    ]
    if not rows or any(None in row for row in rows):
        return False
    scores = np.array(rows) / (100 if samples.reading.percent else 1)
    is_share = ((scores >= 0) & (scores <= 1)).all()
    return bool(is_share and (np.abs(scores.sum(axis=1) - 1) > SUM_TOLERANCE).all())


def read_matrix(samples, where, reading, notes):
    """RawPredictions of probabilities that are independent of each other.

    Raises
    ------
    PredictionsError
        If there is no column of a class, or a score is not from 0 to 1.
    """
    places, taxonomy = list(samples.scores), reading.taxonomy
    if not places:
        raise PredictionsError(f"{where}: expected a column for each cell type, got none. Name them like the nodes.")
    columns = samples.read(numbers=places)
    most = 100 if reading.percent else 1
    wrong = np.argwhere(~((columns.numbers >= 0) & (columns.numbers <= most)))
    if len(wrong):
        row, column = wrong[0]
        raise PredictionsError(
            f"{columns.place(row)}, column {columns.names[places[column]]!r}: expected a probability from 0 to {most}, got "
            f"{float(columns.numbers[row, column])!r}. Is it decision_matrix.csv? Take probability_matrix.csv."
        )
    nodes = np.array([samples.scores[place] for place in places], dtype=np.intp)
    p = np.zeros((len(columns), taxonomy.n_nodes))
    p[:, nodes] = columns.numbers
    max_up(taxonomy, p)
    notes.append(
        f"{where}: a class is as probable as the most probable cell type below it, because the scores are independent"
    )
    found = {
        "scores": p[:, 1:],
        "scored_nodes": np.arange(1, taxonomy.n_nodes),
        "parametrisation": "node_probabilities",
    }
    notes += samples.loose.notes(where, [samples.names[place] for place in places])
    return samples.predictions(columns, "celltypist_matrix", {"columns of scores": f"{len(places):,}"}, **found)
