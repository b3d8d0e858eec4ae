"""Which classes are confused: groups of mistakes with count and cost, and the samples of a group."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.mistakes_page import group_table, sample_table
from hierviz.app.mistakes_page.asked import capital
from hierviz.diagnosis.confusions import GROUPINGS, WITHOUT_A_NODE, confused_pairs
from hierviz.evaluation.severity import SEVERITIES

# What stands in place of the way to all samples of a group.
ONE_BY_ONE = (
    "Paths are matched within each sample, which no filter of Examples can ask for: open the samples one by one."
)
# Letters of a class that have room in a line, by the width of the window.
LETTERS = {1600: 64, 1200: 54}
# Rows of the table that are sent to the browser.
MOST = 5000


def draw(asked):
    """Grouping, the table of groups, and the samples of the one that is chosen."""
    taxonomy = asked.taxonomy
    options = {"classes": "true class → predicted class"}
    if taxonomy.is_tree:
        options |= {str(level): f"classes of level {level}" for level in range(1, taxonomy.max_depth)}
        options |= {key: GROUPINGS[key] for key in ("branches", "common")}
    severities = asked.severities
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = st.selectbox(
            "Group by", list(options), format_func=options.get, width=290, **state.kept("confusions", "by", "classes")
        )
        cost = st.selectbox(
            "Cost",
            severities,
            format_func=lambda key: capital(SEVERITIES[key].label),
            width=210,
            help="Summed over the samples of a group.",
            **state.kept("confusions", "cost", severities[0] if "info_dist" not in severities else "info_dist"),
        )
        order = st.segmented_control(
            "Order",
            ["count", "cost"],
            format_func=str.capitalize,
            required=True,
            **state.kept("confusions", "order", "count"),
        )
    by, cost = by if by in options else "classes", cost if cost in severities else severities[0]
    keywords = {"by": "classes", "level": int(by)} if by.isdigit() else {"by": by}
    found = asked.computed(
        "confusions", lambda: confused_pairs(asked.answers, cost=cost, order=order, **keywords), by, cost, order
    )
    if not len(found):
        st.info("No classes are confused at this setting.", icon=":material/check:")
        return
    unit = "samples" if asked.answers.is_single else "paths"
    place = _table(asked, found, by, SEVERITIES[cost], unit)
    _samples(asked, found, place, cost, by)


def _table(asked, found, by, cost, unit):
    """The groups, and the place of the one that is chosen."""
    table = _frame(asked.taxonomy, found, slice(0, MOST), by)
    number, of_mistakes = "%.1f" if cost.unit else "%.3f", charts.palette(state.is_dark()).fp
    more = f" The first {MOST:,} of {len(found):,} groups are shown; the export has all." if len(found) > MOST else ""
    of_groups = "group" if len(found) == 1 else "groups"
    return group_table.draw(
        table,
        {
            "truth": st.column_config.TextColumn("Truth", width="medium"),
            "answer": st.column_config.TextColumn("Answer", width="medium"),
            "lowest common ancestor": st.column_config.TextColumn("Lowest common ancestor", width="medium"),
            "count": st.column_config.ProgressColumn(
                unit.capitalize(), format="%d", max_value=int(found.count.max()), min_value=0, color=of_mistakes
            ),
            "cost": st.column_config.ProgressColumn(
                f"Cost ({cost.unit or cost.label})",
                format=number,
                max_value=float(found.cost.max()) or 1.0,
                min_value=0.0,
                color=of_mistakes,
            ),
        },
        found,
        f"{found.n_total:,} confused {unit} in {len(found):,} {of_groups}; cost: {cost.sentence[:1].lower()}{cost.sentence[1:]} "
        f"Click a row to see its samples.{more}",
        name="confusions",
        height=520 if state.session.px >= 1600 else 380,
        letters=LETTERS.get(state.session.px, group_table.LONG_NAME),
        key=f"confusions-{by}-{found.cost_key}-{state.memory('confusions').get('order')}-{asked.mark('')}",
    )


def _frame(taxonomy, found, part, by):
    def titles(nodes):
        return [WITHOUT_A_NODE[node] if node < 0 else taxonomy.title(node) for node in nodes[part].tolist()]

    columns = {}
    if by != "common":
        columns |= {"truth": titles(found.truth), "answer": titles(found.predicted)}
    if taxonomy.is_tree and by != "classes":
        columns["lowest common ancestor"] = ["–" if name.startswith("(") else name for name in titles(found.common)]
    return pd.DataFrame(columns | {"count": found.count[part], "cost": found.cost[part].round(4)})


def _samples(asked, found, place, cost, by):
    rows = found.rows(place)
    frame = _frame(asked.taxonomy, found, slice(place, place + 1), by).iloc[0]
    name = frame["lowest common ancestor"] if by == "common" else f"{frame['truth']} → {frame['answer']}"
    st.subheader(f"{name}: {int(found.count[place]):,}", anchor=False)
    truth, answer = int(found.truth[place]), int(found.predicted[place])
    if asked.answers.is_single:
        asked.link_to_samples(outcome="wrong", **_filters(asked.taxonomy, by, truth, answer, int(found.common[place])))
    else:
        st.caption(ONE_BY_ONE)
    sample_table.draw(asked, asked.ranked(_once(rows), cost), cost, f"confusion-{by}-{truth}-{answer}")


def _filters(taxonomy, by, truth, answer, common):
    """Fields of a view that find the samples of a group: a class itself, or all at or below it."""
    if by == "common":
        name = taxonomy.names[common]
        return {"under": name, "answered": name, "common": str(int(taxonomy.depth[common]))}
    fields = {}
    for node, subtree, itself in ((truth, "under", "truth"), (answer, "answered", "answer")):
        is_below = node != common if by == "branches" else by.isdigit() and taxonomy.depth[node] == int(by)
        fields[subtree if is_below else itself] = taxonomy.names[node]
    return fields


def _once(rows):
    """Each sample once: one with several paths may be counted several times."""
    return pd.unique(rows)
