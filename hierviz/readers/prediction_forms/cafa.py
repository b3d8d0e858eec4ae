"""CAFA's prediction files: protein, term and score in each line, between lines such as ``AUTHOR`` and ``END``.

Conventions
-----------
A term that is not listed has the score 0, and one counts at least as much as the terms below it, as CAFA evaluates them.

References
----------
.. [1] N. Zhou et al., The CAFA challenge, Genome Biology 20, 2019, 244.
"""

from __future__ import annotations

import io
import re
from array import array

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.predictions.listed_entries import ListedEntries, first_repeat
from hierviz.predictions.name_matching import LooseMatches, advice
from hierviz.predictions.node_names import find_node
from hierviz.readers.labels import text_array
from hierviz.readers.raw_predictions import RawPredictions
from hierviz.readers.sources import translated

_HEAD = ("AUTHOR", "MODEL", "KEYWORDS", "ACCURACY", "END")
_ROW = re.compile(r"\S+\s+(GO|HP|DO|MP|CL|UBERON|[A-Z]{2,10}):\d+\s+(0?\.\d+|[01](\.\d*)?)\s*")


def looks_like(lines):
    """Whether lines are a head of CAFA, or all protein, term and score."""
    rows = [line for line in lines if line.split(maxsplit=1)[:1] and line.split(maxsplit=1)[0] not in _HEAD]
    return bool(rows) and all(_ROW.fullmatch(line) for line in rows[:50])


def read(source, where, reading, said):
    """RawPredictions of a file of CAFA.

    Raises
    ------
    PredictionsError
        If a line is no row, a term is not in the taxonomy or is repeated for a protein, or a score is not between 0 and 1.
    """
    taxonomy, samples, node_of = reading.taxonomy, {}, {}
    loose = LooseMatches(taxonomy)
    rows, nodes, values, model = array("q"), array("q"), array("d"), {}
    with translated(where, source), source.open() as file:
        # Thrown away too early, it would close the file, which is checked once more.
        text = io.TextIOWrapper(file, source.encoding)
        for number, line in enumerate(text, 1):
            cells = line.split()
            if not cells:
                continue
            if cells[0] in _HEAD:
                if cells[0] == "END":
                    break
                model[cells[0].lower()] = " ".join(cells[1:])
                continue
            value = _score(cells)
            if value is None:
                raise PredictionsError(
                    f"{where}:{number}: expected protein, term and a score from 0 to 1, got {line.strip()!r:.60}. Correct it."
                )
            term = cells[1]
            if term not in node_of:
                node_of[term] = find_node(term, taxonomy, loose=loose)
                if node_of[term] is None and reading.answers is not None:
                    node_of[term] = reading.answers.code(term)
                if node_of[term] is None:
                    raise PredictionsError(
                        f"{where}:{number}: expected a term of the taxonomy ({taxonomy.n_nodes} nodes), got {term!r}."
                        f"{advice(term, taxonomy, ' Is it the release of the ontology that was predicted?')}"
                        f"{reading.answers.advice if reading.answers else ''}"
                    )
            rows.append(samples.setdefault(cells[0], len(samples)))
            nodes.append(node_of[term])
            values.append(value)
    if not len(rows):
        raise PredictionsError(f"{where}: expected rows of protein, term and score, got none. Is the file complete?")
    row, node, value = np.array(rows), np.array(nodes), np.array(values)
    twice = first_repeat(row, node)
    if twice is not None:
        raise PredictionsError(
            f"{where}, protein {list(samples)[row[twice]]!r}: expected every term once, got {_term(node_of, node[twice])!r} "
            "again. Remove one of them."
        )
    listed = ListedEntries(row, node, value, len(samples), False)
    listed = listed if reading.answers is None else reading.answers.settle_entries(listed)
    entries, n_raised = listed.with_ancestors(taxonomy, "max")
    notes = [f"{where}: terms that a protein does not list have the score 0, as CAFA takes them", *loose.notes(where)]
    if n_raised:
        notes.append(f"{where}: {n_raised:,} scores are those of terms below, which are higher or the only ones listed")
    detected = {**source.detected, **model, "rows": f"{len(samples):,}"}
    return RawPredictions(
        where,
        "cafa",
        listed=entries,
        ids=text_array(list(samples)),
        detected=detected,
        notes=tuple(notes),
        missing="zero",
        parametrisation="node_probabilities",
    )


def _term(node_of, node):
    return next(term for term, one in node_of.items() if one == node)


def _score(cells):
    """The score of a row, None when it has none."""
    try:
        value = float(cells[2]) if len(cells) == 3 and "_" not in cells[2] else -1.0
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None
