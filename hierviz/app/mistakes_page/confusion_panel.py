"""Which classes are confused: groups of mistakes with count and cost, and the samples of a group."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.mistakes_page import sample_table
from hierviz.app.mistakes_page.asked import capital
from hierviz.app.widgets import table
from hierviz.app.widgets.controls import behind_a_press, pick
from hierviz.app.widgets.figure import main_place
from hierviz.app.widgets.frame import chart_and_controls
from hierviz.diagnosis.confusions import GROUPINGS, WITHOUT_A_NODE, confused_pairs
from hierviz.evaluation._judged_answers import LABEL_OUTSIDE
from hierviz.evaluation.severity import SEVERITIES

# Shown instead of the link to all samples of a group.
ONE_BY_ONE = "Paths are matched within each sample, which no filter on Examples can express: open samples one by one."
# Letters of a class that fit in a line, by the width of the window.
LETTERS = {1600: 50, 1200: 42}
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
    main, side, _ = chart_and_controls()
    with (
        asked.row if state.is_narrow() else side,
        behind_a_press("Groups", "tune"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        by = pick("Group by", options, ("confusions", "by"), width=276)
        labels = {key: capital(SEVERITIES[key].label) for key in severities}
        help = "Summed over the samples of a group."
        cost = pick("Cost", labels, ("confusions", "cost"), "info_dist", width=210, help=help)
        order = pick("Order", {"count": "Count", "cost": "Cost"}, ("confusions", "order"), segmented=True)
    keywords = {"by": "classes", "level": int(by)} if by.isdigit() else {"by": by}
    found = asked.computed(
        "confusions", lambda: confused_pairs(asked.answers, cost=cost, order=order, **keywords), by, cost, order
    )
    if not len(found):
        st.info("No classes are confused at this setting.", icon=":material/check:")
        return
    unit = "samples" if asked.answers.is_single else "paths"
    with main:
        place = _table(asked, found, by, SEVERITIES[cost], unit)
    _samples(asked, found, place, cost, by)


def _table(asked, found, by, cost, unit):
    """The groups, and the place of the one that is chosen."""
    frame = _frame(asked.taxonomy, found, slice(0, MOST), by)
    look = {"color": charts.palette(state.is_dark()).fp}
    columns = {
        "truth": table.words("Truth", width="medium"),
        "answer": table.words("Answer", width="medium"),
        "lowest common ancestor": table.words("Lowest common ancestor", width="medium"),
        "count": table.bar(unit.capitalize(), int(found.count.max()), "%d", **look),
        "cost": table.bar(
            f"Cost ({cost.unit or cost.label})", float(found.cost.max()) or 1.0, "%.1f" if cost.unit else "%.3f", **look
        ),
    }
    of_groups = "group" if len(found) == 1 else "groups"
    st.markdown(f"**{found.n_total:,} confused {unit} in {len(found):,} {of_groups}**")
    with main_place():
        chosen = _drawn(asked, found, by, frame, columns)
    more = f" The first {MOST:,} of {len(found):,} groups are shown; the export has all." if len(found) > MOST else ""
    st.markdown(f"Cost: {cost.sentence[:1].lower()}{cost.sentence[1:]} Click a row to see its samples.{more}")
    table.download("Confusions (CSV)", found.to_frame, "confusions.csv", "get-confusions")
    return min(chosen.place or 0, len(found) - 1)


def _drawn(asked, found, by, frame, columns):
    return table.draw(
        frame,
        {name: column for name, column in columns.items() if name in frame},
        key=f"confusions-{by}-{found.cost_key}-{state.memory('confusions').get('order')}-{asked.mark('')}",
        select="one",
        most=700 if state.session.px >= 1600 else 560,
        letters=LETTERS.get(state.session.px, table.LETTERS),
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
    # A sample with several paths may be counted several times.
    rows = pd.unique(found.rows(place))
    frame = _frame(asked.taxonomy, found, slice(place, place + 1), by).iloc[0]
    name = frame["lowest common ancestor"] if by == "common" else f"{frame['truth']} → {frame['answer']}"
    st.subheader(f"{name}: {int(found.count[place]):,}", anchor=False)
    truth, answer = int(found.truth[place]), int(found.predicted[place])
    if asked.answers.is_single:
        asked.link_to_samples(outcome="wrong", **_filters(asked.taxonomy, by, truth, answer, int(found.common[place])))
    else:
        st.caption(ONE_BY_ONE)
    sample_table.draw(asked, asked.ranked(rows, cost), cost, f"confusion-{by}-{truth}-{answer}")


def _filters(taxonomy, by, truth, answer, common):
    """Fields of a view that find the samples of a group: a class itself, or all at or below it."""
    if by == "common":
        name = taxonomy.names[common]
        return {"under": name, "answered": name, "common": str(int(taxonomy.depth[common]))}
    fields = {}
    for node, subtree, itself in ((truth, "under", "truth"), (answer, "answered", "answer")):
        if node == LABEL_OUTSIDE:
            fields["outside"] = "yes"
            continue
        is_below = node != common if by == "branches" else by.isdigit() and taxonomy.depth[node] == int(by)
        fields[subtree if is_below else itself] = taxonomy.names[node]
    return fields
