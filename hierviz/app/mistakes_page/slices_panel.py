"""Slices that fail more than the rest: subtrees and values of attributes, tested and corrected."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from hierviz.app import state
from hierviz.app.mistakes_page import sample_table
from hierviz.app.state.escape import escape
from hierviz.app.widgets import table
from hierviz.app.widgets.controls import behind_a_press, pick
from hierviz.app.widgets.figure import main_place
from hierviz.app.widgets.frame import chart_and_controls
from hierviz.app.widgets.progress import is_wanted, worked_out
from hierviz.app.widgets.worst_slices import AT_ONCE, FEWEST_PERMUTATIONS
from hierviz.diagnosis._slices import slices
from hierviz.diagnosis.many_tests import CORRECTIONS, ManyTests
from hierviz.diagnosis.slice_members import NO_FACETS
from hierviz.evaluation.severity import SEVERITIES
from hierviz.messages.number_text import fixed_text, probability_text
from hierviz.reports.view import condition

# Losses that a permutation test may draw.
MOST_DRAWN, MOST_PERMUTATIONS = 400_000_000, 9999
# Rows of the table at once: each number of them is written as in the sentence, which takes half of a press for a thousand.
MOST_ROWS = 500


def draw(asked):
    """Settings, the worst slices in a sentence, the table, and the samples of one slice."""
    main, side, _ = chart_and_controls()
    # In a narrow window they are behind a press, and words are below the table, which is on the first screen.
    with asked.row if state.is_narrow() else side, behind_a_press("Test", "balance"):
        loss, group, tests = _settings(asked)
    n = asked.answers.n_judged
    if loss != "wrong" or group is not None:
        tests = replace(tests, n_draws=max(FEWEST_PERMUTATIONS, min(MOST_PERMUTATIONS, MOST_DRAWN // n)))
    where, drawn = (*asked.where, loss, group, str(tests)), n * (tests.n_draws or 0)
    why = (
        f"This loss is tested by {tests.n_draws or 0:,} permutations of {n:,} samples, which takes up to "
        f"{max(drawn / 2_500_000, 1):,.0f} seconds."
    )
    if not is_wanted("tested slices", where, drawn <= AT_ONCE, "Run the test", why, type="primary"):
        return
    found = worked_out(
        "tested slices",
        where,
        "Slices",
        lambda stages: slices(
            asked.answers, loss=loss, group=group, tests=tests, progress=stages("Slices", "permutations")
        ),
    )
    if found is None:
        return
    with main:
        said = f"**{escape(found.sentence().replace('%', ' %'))}** {escape(found.worst_sentence())}"
        is_below = state.is_narrow() and len(found) > 0
        if not is_below:
            st.markdown(said)
        if not len(found):
            st.markdown("No subtree and no value of an attribute has 10 samples inside and outside.")
            return
        place = _table(asked, found)
        if is_below:
            st.markdown(said)
    rows, row = found.samples(place), found.rows[place]
    st.subheader(f"{escape(_name(asked.taxonomy, row))}, {len(rows):,} samples", anchor=False)
    is_subtree = row.kind == "subtree"
    fields = {"under": asked.taxonomy.names[row.node]} if is_subtree else {"where": (condition(row.kind, row.value),)}
    asked.link_to_samples(outcome="wrong" if asked.whole.is_single else "", **fields)
    severity = asked.severities[0]
    if asked.answers.is_single:
        wrong = rows[asked.whole.is_wrong[asked.places(rows)]]
        st.markdown(f"{len(wrong):,} of them have a wrong answer:")
        rows = wrong
    sample_table.draw(asked, asked.ranked(rows, severity), severity, f"slice-{row.kind}-{row.value}")


def _settings(asked):
    """Loss, groups and ManyTests."""
    columns = [name for name in asked.predictions.attributes if name not in NO_FACETS]
    losses = (["wrong"] if asked.answers.is_single else []) + asked.severities
    with st.container(horizontal=True, vertical_alignment="bottom"):
        labels = {key: "wrong answer" if key == "wrong" else SEVERITIES[key].label for key in losses}
        loss = pick("Loss", labels, ("slices", "loss"), width=210)
        correction = pick(
            "Correction for many tests",
            CORRECTIONS,
            ("slices", "correction"),
            width=220,
            help="The false discovery rate is 5 %. Benjamini-Hochberg holds where slices that share samples fail together, as "
            "nested subtrees do; Benjamini-Yekutieli always holds, and finds less.",
        )
        group = columns and pick(
            "Samples that belong together",
            {"": "each by itself"} | {name: name for name in columns},
            ("slices", "group"),
            width=220,
            help="A column such as observer, document or camera, whose samples are not independent.",
        )
    return loss, group or None, ManyTests(correction=correction)


def _name(taxonomy, row):
    return taxonomy.title(row.node) if row.kind == "subtree" else row.name


def tenths_text(value):
    """A number with one decimal, and a minus sign where it is negative."""
    return fixed_text(value, 1).replace("-", "−")


def share_text(value):
    """A share in per cent, which no line break parts."""
    return table.unbroken(f"{fixed_text(value, 1)} %")


def _table(asked, found):
    """All tested slices, and the place of the one that is chosen."""
    is_wrong = found.loss_key == "wrong"
    unit = 100 if is_wrong else 1
    what = "Wrong" if is_wrong else f"Mean {SEVERITIES[found.loss_key].label}"
    tested = found.to_frame()
    frame = tested.assign(
        worse=[row.verdict for row in found.rows],
        slice=[_name(asked.taxonomy, row) for row in found.rows],
        kind=tested["kind"].where(tested["kind"] == "subtree", "attribute"),
        rate=tested["rate"] * unit,
        rest_rate=tested["rest_rate"] * unit,
    )
    excess = "Wrong answers, or losses, beyond those of an average slice with as many samples."
    own_excess = "The same, of the samples outside the flagged slices above it."
    number = table.number if not is_wrong else lambda head: st.column_config.NumberColumn(head, format="%.1f %%")
    columns = {
        "worse": table.words("", width=110),
        "slice": table.words("Slice", width="medium"),
        "kind": table.words("Kind", width=90),
        "n": table.count("Samples"),
        "rate": number(what),
        "rest_rate": number("The rest"),
        "excess": st.column_config.NumberColumn("Excess", help=excess),
        "excess_outside": st.column_config.NumberColumn("Excess of its own", help=own_excess),
        "p_adjusted": st.column_config.NumberColumn("p, corrected"),
    }
    if not frame["worse"].any():
        del columns["worse"]
    # Shares are rounded as in the sentence above.
    texts = {"excess": tenths_text, "excess_outside": tenths_text, "p_adjusted": probability_text}
    texts |= {"rate": share_text, "rest_rate": share_text} if is_wrong else {}
    mark = asked.mark(found.loss_key)
    part, buttons = table.pages_of(len(frame), MOST_ROWS, state.memory(f"slices part {mark}"), "slices")
    options = {"key": f"slices-{part.start}-{mark}", "select": "one", "letters": table.LETTERS, "texts": texts}
    with main_place():
        most = 700 if state.session.px >= 1600 else 540
        chosen = table.draw(frame[part], columns, most=most, **options)
    if len(frame) > MOST_ROWS:
        buttons()
    test = "Fisher's exact test" if found.test == "Fisher" else "a permutation test"
    how = (
        f"each against the rest by {test}, one-sided; *clearly worse* is p ≤ 0.05 after the correction for {len(found):,} "
        f"{'test' if len(found) == 1 else 'tests'}, *shares samples* that too, but more than half of its excess comes "
        "from samples that also lie in a slice above it"
    )
    shown = f" ({part.start + 1:,} to {part.stop:,} shown)" if len(frame) > MOST_ROWS else ""
    st.markdown(
        f"{len(found):,} {'slice' if len(found) == 1 else 'slices'} with at least 10 samples inside and outside{shown}, "
        f"{'not tested' if found.test == 'none' else how}. Click a row to see its samples."
    )
    table.download("Slices (CSV)", found.to_frame, "slices.csv", "get-slices")
    return min(part.start + (chosen.place or 0), len(found) - 1)
