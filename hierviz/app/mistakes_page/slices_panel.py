"""Slices that fail more than the rest: subtrees and values of attributes, tested and corrected."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.mistakes_page import group_table, sample_table
from hierviz.app.state.escape import escape
from hierviz.app.widgets.progress import worked_out
from hierviz.app.widgets.worst_slices import AT_ONCE, FEWEST_PERMUTATIONS
from hierviz.diagnosis._slices import slices
from hierviz.diagnosis.many_tests import CORRECTIONS, ManyTests
from hierviz.diagnosis.slice_members import NO_FACETS
from hierviz.evaluation.severity import SEVERITIES
from hierviz.messages.number_text import fixed_text, probability_text
from hierviz.reports.view import condition

# Losses that a permutation test may draw.
MOST_DRAWN, MOST_PERMUTATIONS = 400_000_000, 9999


def draw(asked):
    """Settings, the worst slices in a sentence, the table, and the samples of one slice."""
    loss, group, tests = _settings(asked)
    n = asked.answers.n_judged
    permuted = loss != "wrong" or group is not None
    if permuted:
        tests = replace(tests, n_draws=max(FEWEST_PERMUTATIONS, min(MOST_PERMUTATIONS, MOST_DRAWN // n)))
        drawn = n * tests.n_draws
        memory = state.memory(asked.mark("slices"))
        name = str((loss, group, tests))
        if drawn > AT_ONCE and not memory.get(name):
            st.markdown(
                f"This loss is tested by {tests.n_draws:,} permutations of {n:,} samples, which takes up to "
                f"{max(drawn / 2_500_000, 1):,.0f} seconds."
            )
            st.button("Run the test", type="primary", on_click=lambda: memory.update({name: True}))
            return
    found = worked_out(
        "tested slices",
        (*asked.where, loss, str(group), str(tests)),
        "Slices",
        lambda stages: slices(
            asked.answers, loss=loss, group=group, tests=tests, progress=stages("Slices", "permutations")
        ),
    )
    if found is None:
        return
    st.markdown(f"**{escape(found.sentence().replace('%', ' %'))}** {escape(found.worst_sentence())}")
    if not len(found):
        st.markdown("No subtree and no value of an attribute has 10 samples inside and outside.")
        return
    place = _table(asked, found)
    rows, row = found.samples(place), found.rows[place]
    st.subheader(f"{escape(_name(asked.taxonomy, row))}, {len(rows):,} samples", anchor=False)
    _link(asked, row)
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
        loss = st.selectbox(
            "Loss",
            losses,
            format_func=lambda key: "wrong answer" if key == "wrong" else SEVERITIES[key].label,
            width=210,
            **state.kept("slices", "loss", losses[0]),
        )
        correction = st.selectbox(
            "Correction for many tests",
            list(CORRECTIONS),
            format_func=CORRECTIONS.get,
            width=220,
            help="The false discovery rate is 5 %. Benjamini-Hochberg holds where slices that share samples fail together, as "
            "nested subtrees do; Benjamini-Yekutieli holds always, and finds less.",
            **state.kept("slices", "correction", "bh"),
        )
        group = ""
        if columns:
            group = st.selectbox(
                "Samples that belong together",
                ["", *columns],
                format_func=lambda name: name or "each by itself",
                width=220,
                help="A column such as observer, document or camera, whose samples are not independent.",
                **state.kept("slices", "group", ""),
            )
    loss = loss if loss in losses else losses[0]
    return loss, group if group in columns else None, ManyTests(correction=correction or "bh")


def _name(taxonomy, row):
    return taxonomy.title(row.node) if row.kind == "subtree" else row.name


def tenths_text(value):
    """A number with one decimal, and a minus sign where it is negative."""
    return fixed_text(value, 1).replace("-", "−")


def share_text(value):
    """A share in per cent."""
    return f"{fixed_text(value, 1)} %"


def _table(asked, found):
    """All tested slices, and the place of the one that is chosen."""
    is_wrong = found.loss_key == "wrong"
    number, unit = ({"format": "%.1f %%"}, 100) if is_wrong else ({"format": "%.3f"}, 1)
    what = "Wrong" if is_wrong else f"Mean {SEVERITIES[found.loss_key].label}"
    tested = found.to_frame()
    table = pd.DataFrame(
        {
            "worse": [row.verdict for row in found.rows],
            "slice": [_name(asked.taxonomy, row) for row in found.rows],
            "kind": ["subtree" if row.kind == "subtree" else "attribute" for row in found.rows],
            "n": tested["n"],
            "rate": tested["rate"] * unit,
            "rest_rate": tested["rest_rate"] * unit,
            **{key: tested[key] for key in ("excess", "excess_outside", "p_adjusted")},
        }
    )
    test = "Fisher's exact test" if found.test == "Fisher" else "a permutation test"
    how = (
        f"each against the rest by {test}, one-sided; *clearly worse* is p ≤ 0.05 after the correction for {len(found):,} "
        f"{'test' if len(found) == 1 else 'tests'}, *shares samples* that too, but more than half of its excess comes "
        "from samples that also lie in a slice above it"
    )
    return group_table.draw(
        table,
        {
            "worse": st.column_config.TextColumn("", width=110),
            "slice": st.column_config.TextColumn("Slice", width="medium"),
            "kind": st.column_config.TextColumn("Kind", width=90),
            "n": st.column_config.NumberColumn("Samples", format="localized"),
            "rate": st.column_config.NumberColumn(what, **number),
            "rest_rate": st.column_config.NumberColumn("The rest", **number),
            "excess": st.column_config.NumberColumn(
                "Excess",
                help="Wrong answers, or losses, beyond those of an average slice of so many samples.",
            ),
            "excess_outside": st.column_config.NumberColumn(
                "Excess of its own", help="The same of the samples outside the flagged slices above it."
            ),
            "p_adjusted": st.column_config.NumberColumn("p, corrected"),
        },
        found,
        f"{len(found):,} {'slice' if len(found) == 1 else 'slices'} with at least 10 samples inside and outside, "
        f"{'not tested' if found.test == 'none' else how}. Click a row to see its samples.",
        name="slices",
        height=420,
        key=f"slices-{asked.mark(found.loss_key)}",
        # Shares are rounded as in the sentence above.
        texts={
            "excess": tenths_text,
            "excess_outside": tenths_text,
            "p_adjusted": probability_text,
            **({"rate": share_text, "rest_rate": share_text} if is_wrong else {}),
        },
    )


def _link(asked, row):
    is_subtree = row.kind == "subtree"
    fields = {"under": asked.taxonomy.names[row.node]} if is_subtree else {"where": (condition(row.kind, row.value),)}
    asked.link_to_samples(outcome="wrong" if asked.whole.is_single else "", **fields)
