"""Texts of language models: the class that each names is its answer.

Conventions
-----------
A column of a table, or a key of JSON lines, with an answer in words for each sample: one of `TEXT_ANSWERS`, or the column of
predicted classes where many of its cells are sentences. `named_in_text` says which class a text names. A text that names none, or
that is empty, is an answer outside the taxonomy or no answer; which and why says attribute `READ_AS` of the sample. The text is
kept as attribute `TEXT`, how sure it says it is as attribute `CONFIDENCE`, the class that it names as `READ_CLASS`, and where it
names classes as `MARKS`: the taxonomy that it is judged on later may have other ones.
"""

from __future__ import annotations

from collections import Counter

from hierviz.messages.errors import PredictionsError, listed, shown
from hierviz.predictions.outside import CONFIDENCE, MARKS, OUTSIDE, READ_AS, READ_CLASS, TEXT
from hierviz.readers.columns import named_place
from hierviz.readers.labels import read_cell
from hierviz.readers.named_in_text import REASONS, marks_text, named_in_text
from hierviz.readers.outside import ANSWERS, OutsideNames
from hierviz.readers.raw_predictions import RawPredictions
from hierviz.readers.sample_records import per_sample
from hierviz.taxonomy.taxonomy import NodeLists

TEXT_ANSWERS = (
    "response",
    "answer_text",
    "model_response",
    "model_output",
    "raw_output",
    "llm_output",
    "llm_response",
) + ("generated_text", "completion", "generation", "reply", "output_text", "response_text", "answer", "output")
NAMED, EMPTY = "it names one class", "it is empty"
# Columns that hold the answer themselves, unless their cells are sentences.
_LABELS = frozenset(("predicted", "prediction", "pred", "y_pred", "label", "labels"))
# Words of a cell, and share of the cells, that make a column one of sentences.
_FEW_WORDS, _SHARE = 4, 0.25


def looks_like(names):
    """Whether there is a column of texts of answers, and none of labels."""
    folded = [name.casefold() for name in names]
    return named_place(names, TEXT_ANSWERS) is not None and _LABELS.isdisjoint(folded)


def are_sentences(cells, taxonomy):
    """Whether many cells are texts of four words or more that are no class and no list of classes."""
    distinct = list(dict.fromkeys(cell for cell in cells if isinstance(cell, str) and cell.strip()))
    strange = [cell for cell in distinct if len(cell.split()) >= _FEW_WORDS and read_cell(cell, taxonomy)[3]]
    return len(strange) >= max(1, _SHARE * len(distinct)) and any(
        named_in_text(cell, taxonomy).mentions for cell in strange
    )


def read(samples, where, reading, notes):
    """RawPredictions of the rows of a SampleTable."""
    columns = samples.read()
    place = named_place(columns.names, (*TEXT_ANSWERS, *_LABELS))
    if place not in columns.text:
        raise PredictionsError(
            f"{where}: expected a column of texts called {TEXT_ANSWERS[0]}, {TEXT_ANSWERS[-2]} or predicted, got "
            f"{listed(columns.names)}. Name it so."
        )
    others = [k for k in columns.text if k != place]
    texts = [cell if isinstance(cell, str) else "; ".join(cell) for cell in columns.text[place]]
    rows = [{columns.names[k]: columns.text[k][row] for k in others} for row in range(len(columns))]
    notes.append(f"{where}: the answers are the classes that the texts of column {columns.names[place]!r} name")
    return named_by_texts(texts, rows, where, reading, notes, columns.place)


def named_by_texts(texts, rows, where, reading, notes, place):
    """RawPredictions of samples with the class that a text of each names.

    Parameters
    ----------
    texts : sequence of str
    rows : sequence of dict
        What else is known of each sample.
    where : str
    reading : Reading
    notes : list of str
        Grows by how many texts name a class, and why others do not.
    place : callable
        Row to what errors call it.

    Raises
    ------
    PredictionsError
        If texts name no single class and answers outside the taxonomy are an error.
    """
    taxonomy = reading.taxonomy
    known = {text: named_in_text(text, taxonomy) for text in dict.fromkeys(texts)}
    outside = reading.answers or OutsideNames(taxonomy, ANSWERS)
    unnamed = [row for row, text in enumerate(texts) if known[text].node < 0 and text.strip()]
    refused = [row for row in unnamed if outside.code(texts[row]) is None]
    if refused:
        row = refused[0]
        raise PredictionsError(
            f"{place(row)}: expected a text that names one class of the taxonomy, got {shown(texts[row])}: "
            f"{REASONS[known[texts[row]].why]} ({len(refused):,} of {len(texts):,} texts: {_reasons(known, texts, refused)})."
            f"{outside.advice}",
            about=[texts[row]],
        )
    if unnamed:
        notes.append(
            f"{where}: {len(unnamed):,} of {len(texts):,} texts name no single class: {_reasons(known, texts, unnamed)}"
        )
    lists, more = [], []
    has_confidence = any(found.confidence for found in known.values())
    for text, row in zip(texts, rows, strict=True):
        found = known[text]
        node = found.node if found.node >= 0 or not text.strip() else outside.code(text)
        lists.append([] if node == OUTSIDE and not reading.keep_empty else [node])
        read_as = NAMED if found.node >= 0 else REASONS[found.why] if text.strip() else EMPTY
        said = {CONFIDENCE: found.confidence} if has_confidence else {}
        said |= {READ_CLASS: "" if found.node < 0 else taxonomy.title(found.node), MARKS: marks_text(found.mentions)}
        more.append({**row, TEXT: text, READ_AS: read_as, **said})
    labels = outside.settle(NodeLists.from_lists(lists))
    detected = {"rows": f"{len(texts):,}"}
    return RawPredictions(
        where, "hard", labels=labels, is_hard=True, detected=detected, **per_sample(where, more, reading)
    )


def _reasons(known, texts, rows):
    counts = Counter(REASONS[known[texts[row]].why] for row in rows)
    return "; ".join(f"{n:,}: {words}" for words, n in counts.most_common())
