"""Samples to look through: a table of them, the one that is chosen next to it, and their export.

Visitors can say of a sample that its label is wrong, the answer acceptable, or the model wrong, with a note: see `verdicts`.
"""

from __future__ import annotations

import contextlib
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.mistakes_page.asked import capital
from hierviz.app.mistakes_page.verdicts import verdict_controls
from hierviz.app.state.escape import escape
from hierviz.app.state.kept_review import review_of
from hierviz.app.widgets import frame, sample, table
from hierviz.app.widgets.figure import main_place
from hierviz.app.widgets.links import link_to_sample
from hierviz.app.widgets.selection import class_title, named
from hierviz.diagnosis.sample_paths import sample_paths
from hierviz.evaluation._review import VERDICTS
from hierviz.evaluation.severity import SEVERITIES
from hierviz.messages.errors import first_words
from hierviz.messages.number_text import value_text
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.metrics.sets.node_sets import most_specific
from hierviz.predictions.outside import GIVEN
from hierviz.taxonomy.taxonomy import NodeLists

# Letters of an answer outside the taxonomy.
ROOM = 90
# Bytes that a table may send to the browser, and those of a row besides its id: two classes, a number and offsets.
MOST_BYTES, ROW_BYTES = 1_600_000, 16
MOST_ROWS, HEIGHT, LONG_NAME = 100_000, 640, 24
# In large windows.
HEIGHT_OF_LARGE, LONG_NAME_OF_LARGE = 820, 36
# Pixels of a column of classes next to three of numbers.
NARROW = 150


class SamplePlaces(NamedTuple):
    """Where the controls of a table of samples are, the table, and the chosen sample."""

    controls: object
    table: object
    card: object


def places():
    """The SamplePlaces of a table that is the main picture: controls are above the sample, in a narrow window above the table."""
    controls = st.container() if state.is_narrow() else None
    table_place, side = frame.side_by_side(0.62, 0.38)
    return SamplePlaces(side.container() if controls is None else controls, table_place, side)


def draw(asked, rows, severity, key, extra=None, helps=None, outcome="", places=None):
    """The table, the chosen sample and the export.

    Parameters
    ----------
    asked : Asked
    rows : ndarray of int
        Rows of the Predictions, in order.
    severity : str
        Key of `SEVERITIES` to show; in the table only where there is nothing else.
    key : str
        Of the widgets; another one for other samples.
    extra : dict of str to ndarray, optional
        Further columns, one value a row.
    helps : dict of str to str, optional
        What these columns are, shown on hover.
    outcome : str
        Key of `OUTCOMES` of all rows, which Examples shows, too; "" where they have several.
    places : SamplePlaces, optional
        Of the main picture of the page; below the others if not given.
    """
    if not len(rows):
        st.info("No sample fits.", icon=":material/filter_alt_off:")
        return
    is_main = places is not None
    main, side = (places.table, places.card) if is_main else frame.side_by_side(0.6, 0.4)
    with main:
        chosen, ticked = _table(asked, rows, severity, key, extra or {}, helps or {}, is_main)
        _export(asked, rows[ticked] if len(ticked) else rows, key, len(ticked))
    with side, st.container(border=True):
        card(asked, int(rows[chosen]), severity, outcome)


def _table(asked, rows, severity, key, extra, helps, is_main):
    """One part of the rows as a table; returns the place chosen, and the places that are ticked."""
    ids = asked.predictions.ids
    length = float(np.mean([len(str(name)) for name in ids[rows[:1000]].tolist()]))
    most = int(min(MOST_ROWS, MOST_BYTES // (length + ROW_BYTES + 4 * len(extra))))
    part, buttons = table.pages_of(len(rows), most, state.memory(asked.mark(f"part-{key}")), key)
    start = part.start
    st.markdown(
        f"**{len(rows):,} sample{'s' * (len(rows) > 1)}**"
        + (f", {start + 1:,} to {part.stop:,} shown" if most < len(rows) else "")
        + (f", the largest {SEVERITIES[severity].label} first" if is_main and not extra else "")
        + ("" if asked.confidence is None else f" · confidence {escape(asked.confidence.said)}")
    )
    cells, columns = _columns(
        asked, rows[part], severity, {name: values[part] for name, values in extra.items()}, helps
    )
    is_large = state.session.px >= 1600
    with main_place() if is_main else contextlib.nullcontext():
        chosen = table.draw(
            pd.DataFrame(cells),
            columns,
            key=f"table-{key}-{start}-{asked.mark(severity)}",
            select="many",
            most=HEIGHT_OF_LARGE if is_large else HEIGHT,
            letters=LONG_NAME_OF_LARGE if is_large and not extra else LONG_NAME,
            placeholder="",
        )
    if most < len(rows):
        buttons()
    ticked, place = np.array([start + row for row in chosen.ticked], dtype=np.intp), chosen.place
    if place is not None:
        # The link of the page opens the sample that is shown.
        state.change(sample=asked.predictions.sample_id(int(rows[min(start + place, len(rows) - 1)])))
        state.publish()
    else:
        asked_row = asked.predictions.row(state.view().sample) if state.view().sample else None
        hit = np.flatnonzero(rows[part] == asked_row) if asked_row is not None else ()
        place = int(hit[0]) if len(hit) else 0
    st.caption("Click a row to see the sample; tick rows to export only these.")
    return min(start + place, len(rows) - 1), ticked


def _columns(asked, rows, severity, extra, helps):
    """Columns of a part: classes as numbers into their names, so that 100,000 rows stay small."""
    answers, places = asked.whole, asked.places(rows)
    entry, said = SEVERITIES[severity], review_of(asked.data).rows
    label = entry.label + (f" ({entry.unit})" if entry.unit else "")
    numbers = extra or {label: asked.severity(severity)[places]}
    if asked.confidence is not None:
        numbers = numbers | {"confidence": asked.confidence.confidence[rows]}
        helps = helps | {"confidence": f"Confidence of the answer, {asked.confidence.said}"}
    cells = {
        "truth": named(asked.taxonomy, answers.truth, places),
        "answer": _answers(asked, rows, places),
        **{name: np.asarray(values, dtype=np.float32) for name, values in numbers.items()},
        "sample": asked.predictions.ids[rows],
    }
    # With several numbers there is less room for the classes, which are shown whole on hover.
    width = "medium" if len(numbers) == 1 else NARROW
    columns = {
        "truth": table.words("Truth", width=width),
        "answer": table.words("Answer", width=width),
        **{name: table.number(help=helps.get(name)) for name in numbers},
        "sample": table.words("Sample"),
    }
    if said:
        verdict = {row.sample_id: VERDICTS.get(row.verdict, "note") for row in said}
        cells["verdict"] = pd.Categorical([verdict.get(str(name), "") for name in cells["sample"].tolist()])
        columns["verdict"] = table.words("Verdict")
    return cells, columns


def _answers(asked, rows, places):
    """Answers by title; one outside the taxonomy with what the file says."""
    predicted, attributes = asked.whole.predicted, asked.predictions.attributes
    titles = named(asked.taxonomy, predicted, places)
    is_outside = asked.whole.is_outside[places]
    if isinstance(predicted, NodeLists) or GIVEN not in attributes or not is_outside.any():
        return titles
    given = attributes[GIVEN][rows]
    said = [
        f"outside: {first_words(str(given[k]), ROOM)}" if is_outside[k] and given[k] else title
        for k, title in enumerate(titles)
    ]
    return pd.Categorical(said)


def card(asked, row, severity, outcome):
    """One sample: picture or text, both paths, severity, the link to its page, and the visitor's verdict and note."""
    predictions, answers = asked.predictions, asked.whole
    sample_id, place = predictions.sample_id(row), int(asked.places(np.array([row]))[0])
    if answers.is_single:
        outcome = list(OUTCOMES)[answers.outcome[place]]
        sample.head(predictions, row, int(answers.truth[place]), int(answers.predicted[place]), outcome)
    else:
        _head_of_lists(asked, row, place)
    entry = SEVERITIES[severity]
    unit = f" {entry.unit}" if entry.unit else ""
    value = float(asked.severity(severity)[place])
    st.markdown(f"{capital(entry.label)}: **{value_text(value)}{unit}**")
    link_to_sample("Open in Examples", sample=sample_id, model=asked.key, outcome=outcome)
    verdict_controls(asked, row)


def _head_of_lists(asked, row, place):
    predictions, answers = asked.predictions, asked.whole
    sample.heading(predictions, row)
    for word, nodes in (("Truth", answers.truth), ("Answer", answers.predicted)):
        one = nodes.take(np.array([place])) if isinstance(nodes, NodeLists) else NodeLists.of(nodes[[place]])
        listed = most_specific(asked.taxonomy, one).nodes.tolist()
        titles = "; ".join(f"**{escape(class_title(asked.taxonomy, node))}**" for node in listed)
        st.markdown(f"{word}: {titles or 'none'}")
    if text := predictions.text(row):
        st.markdown(f"> {escape(text)}")


def _export(asked, rows, key, n_ticked):
    said, confidence = review_of(asked.data), asked.confidence

    def paths():
        frame, places = sample_paths(asked.whole, rows).to_frame(), asked.places(rows)
        if asked.whole.is_single:
            frame["outcome"] = np.array(list(OUTCOMES))[asked.whole.outcome[places]]
        for name in asked.rankings:
            frame[name] = asked.counted_severity(name)[places]
        if confidence is not None:
            frame["confidence"] = confidence.confidence[rows]
        if len(said):
            for field in ("verdict", "note"):
                of = {row.sample_id: getattr(row, field) for row in said.rows}
                frame[field] = [of.get(sample_id, "") for sample_id in frame["sample_id"]]
        return frame

    help = "Ids, truth, answer, severity, and the probabilities along the true path and the answer's path."
    label = f"Export {'ticked' if n_ticked else 'all'} {len(rows):,} (CSV)"
    table.download(label, paths, "mistakes.csv", f"get-{key}", help=help)
