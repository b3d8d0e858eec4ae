"""The confusion of all samples as two by two numbers, and as a matrix whose classes open and close; a cell opens its samples."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.mistakes_page import flow_panel, sample_table
from hierviz.app.mistakes_page.confusion_panel import ONE_BY_ONE
from hierviz.app.state import current
from hierviz.app.state.escape import escape
from hierviz.app.widgets import frame, numbers, table
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import below, main_place, title, written_out
from hierviz.app.widgets.figure import draw as draw_chart
from hierviz.charts._matrix import CELL, NODE
from hierviz.charts._matrix_lines import FILLED, line_key, line_title, lines_at_first, matrix_lines, words_of_lines
from hierviz.diagnosis.confusion_matrix import matrix
from hierviz.diagnosis.constant_answers import against_constants, best_constants
from hierviz.diagnosis.folded_matrix import folded_matrix, opened_to_fill
from hierviz.evaluation._judged_answers import LABEL_OUTSIDE
from hierviz.metrics.registry import METRICS
from hierviz.reports.view_file import SeenFigure

SHOWN = {"count": "Count", "row": "Share of the row", "column": "Share of the column", "total": "Share of the total"}
# Measures and counts of the two by two numbers.
KEYS = ("acc", "ppv", "tpr", "f1", "fnr", "fpr", "tnr", "pt", "mcc")
COUNTS = ("tp", "fp", "fn", "tn")
# Why Examples cannot show the samples of a cell.
FOLDED = "This line holds several small classes: open the samples one by one."
IN_SEVERAL = (
    "Samples below several of the closed classes are counted once here and are listed below each of them on Examples: open the "
    "samples one by one, or the classes."
)
MEANING = "What the colours of the cells mean"
# Cells that the list of cells holds.
MOST_CELLS = 300


# Drawings of the same classes, and the classes of a flow at first.
DRAWINGS, MOST_OF_FLOW = {"matrix": "Matrix", "flow": "Flow"}, 24


def draw(asked):
    """The matrix or the flow of the same classes, its controls, the samples of a cell and the two by two numbers."""
    found = _counted(asked)
    # Among the samples of one class a constant answer is always right.
    for alarm in found.alarms if asked.answers is asked.whole else ():
        st.warning(escape(alarm), icon=":material/warning:")
    opened, width = _opened(asked), _width()
    if _is_flow(asked):
        _flow(asked, opened, width)
        _two_by_two(asked, found)
        return
    lines = matrix_lines(width)
    # The requested nodes and all above them.
    kept = asked.taxonomy.ancestors(np.array(opened, dtype=np.intp)).nodes.tolist() if opened else ()
    folded = asked.computed(
        "matrix", lambda: folded_matrix(matrix(asked.answers, open_nodes=opened), lines, kept), opened, lines
    )
    place = st.container()
    shown, is_log = _controls(asked, folded)
    with place:
        _matrix(asked, folded, shown, is_log, width, opened)
    _samples(asked, folded, _cell(asked, folded))
    _two_by_two(asked, found)


def drawing_control(asked):
    """Matrix or flow, where both are defined."""
    if asked.answers.is_single:
        pick("Drawing", DRAWINGS, ("matrix", "drawing"), segmented=True, label_visibility="collapsed")


def _is_flow(asked):
    """Whether the flow is drawn, which needs one truth and one answer a sample."""
    return asked.answers.is_single and state.view().choice("matrix", "drawing", "matrix") == "flow"


def _flow(asked, opened, width):
    """The flow, its controls, and the samples of a ribbon."""
    found = flow_panel.counted(asked, opened, MOST_OF_FLOW)
    if found is None:
        st.info("No answer is wrong or coarse.", icon=":material/check:")
        return
    flow_panel.draw_flow(asked, found, width, opened, toggle)
    _controls(asked, found.folded)
    row, column, kind = flow_panel.ribbon(asked, found)
    rows = found.samples(row, column, kind)
    truth, answer = line_title(found.folded, row), line_title(found.folded, column, False)
    st.subheader(f"{escape(truth)} → {escape(answer)}, {kind}: {len(rows):,}", anchor=False)
    _link(asked, found.folded, row, column, outcome=kind)
    flow_panel.samples(asked, found, row, column, kind)


def _width():
    """Pixels of the matrix."""
    return {1600: 1580, 1200: 1240, 900: 860}.get(state.session.px, state.session.px)


def _opened(asked):
    """Nodes that are open: those of the view, and as long as it names none those with most mistakes that fill the place."""
    if state.view().opened:
        return tuple(sorted({int(node) for node in state.view().opened} - {0}))
    most = min(lines_at_first(_width()), MOST_OF_FLOW if _is_flow(asked) else FILLED)
    return tuple(asked.computed("opened at first", lambda: opened_to_fill(matrix(asked.answers), most), most))


def _set(nodes):
    # The root alone, which is always open, stands for nothing else: no node at all would open the first ones again.
    state.change(opened=tuple(str(int(node)) for node in sorted(set(nodes))) or ("0",))


def toggle(asked, key):
    """Open a closed class or close an open one; `key` is a `line_key`."""
    if not key.isdigit() or key == "0":
        return
    node, opened = int(key), set(_opened(asked))
    if node in opened:
        below_it = set(asked.taxonomy.subtree(node).tolist())
        _set(opened - below_it)
    elif not asked.taxonomy.is_leaf[node]:
        _set(opened | {node})


def reveal(asked, name):
    """Open all that is above a class, and the class itself."""
    opened = set(_opened(asked))
    if name:
        _set(opened | set(asked.taxonomy.ancestors(np.array([asked.taxonomy.node(name)])).nodes.tolist()) - {0})


def _controls(asked, folded):
    """What cells show, and controls that open and close classes without a pointer."""
    taxonomy, shown, is_log = asked.taxonomy, "count", True
    closed = folded.nodes[folded.can_open].tolist()
    inside = [int(node) for node in folded.nodes[folded.is_open].tolist() if node > 0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if not _is_flow(asked):
            shown = pick("Cells", SHOWN, ("matrix", "shown"), width=220)
            is_log = st.toggle("Logarithmic colour", **state.kept("matrix", "log", True))
        worst = folded.worst_closed()
        st.button(
            "Open where most is hidden",
            icon=":material/unfold_more:",
            help="Opens the closed class that holds most answers of another class than the truth.",
            disabled=worst is None,
            on_click=lambda: toggle(asked, str(worst)),
        )
        n_lines = int(taxonomy.children.lengths[closed].sum()) + len(folded.nodes)
        too_many = n_lines > 4 * matrix_lines(1400)
        st.button(
            "Open one level",
            help="Too many classes for one drawing: open single ones." if too_many else "Opens all closed classes.",
            disabled=not closed or too_many,
            on_click=lambda: _set({*_opened(asked), *closed}),
        )
        st.button("Close all", disabled=not inside, on_click=lambda: _set(()))
        options = [f"open {node}" for node in closed] + [f"close {node}" for node in inside]
        _choice(
            "Open or close a class",
            options,
            lambda option: f"{option.split()[0]} {taxonomy.title(int(option.split()[1]))}",
            lambda option: toggle(asked, option.split()[1]),
        )
        _choice(
            "Find a class",
            list(taxonomy.names[1:]),
            lambda name: taxonomy.title(taxonomy.node(name)),
            lambda name: reveal(asked, name),
        )
    return shown, is_log


def _choice(label, options, words, act):
    """A menu that acts on what is chosen and is then empty again."""
    tied = current.tied(f"matrix-{label}", None, lambda value: None if value is None else act(value), width=270)
    st.selectbox(label, options, index=None, format_func=words, placeholder="choose", **tied)


def _matrix(asked, folded, shown, is_log, width, opened):
    """Draw it, with what its colours mean."""
    key = f"matrix-{asked.mark('')}-{opened}-{shown}-{is_log}-{width}"
    memory = state.memory(asked.mark("matrix cell"))

    def clicked():
        # A click reaches both selections; the one it is not for has no values.
        selections = state.session[key].selection
        node, cell = (next(iter(selections.get(name, [])), {}) for name in (NODE, CELL))
        if node.get("node") is not None:
            toggle(asked, str(node["node"]))
        if cell.get("row") is not None:
            memory["cell"] = str(cell["row"]), str(cell["column"])

    dark = state.is_dark()

    def drawn():
        figure = charts.matrix(folded, normalisation=shown, log=is_log, width=width)
        legend = charts.Figure(
            lambda dark, width: charts.matrix_legend(folded, width, dark=dark), {}, MEANING, dark, width
        )
        return figure, legend, written_out(figure), written_out(legend)

    figure, legend, matrix, colours = asked.computed("matrix chart", drawn, opened, shown, is_log, width, dark)
    rest = title(figure.sentence, width, is_first=True)
    with main_place("content"):
        draw_chart(colours, alt=MEANING, key="matrix-legend")
        draw_chart(matrix, key=key, alt=figure.sentence, on_select=clicked, selection_mode=[CELL, NODE])
    note = (
        "A class with + can be opened, one with − is open: its own line counts what stops there. Outlined cells are right or "
        "hide what is inside a closed class. Click a class to open or close it and a cell to see its samples."
    )
    state.see("matrix-legend", lambda: SeenFigure("matrix-legend", legend))
    below(figure, name="matrix", sentence=rest)
    st.caption(note if state.view().opened else f"{note} At first those classes are open that hold most mistakes.")


def _cell(asked, folded):
    """Choose a cell from the list of cells; the one that was clicked is chosen there too."""
    order = np.argsort(-folded.count, kind="stable").tolist()
    line_keys, titles, answers = words_of_lines(folded)
    cells, words = {}, {}
    for row, column, count in zip(*(part[order].tolist() for part in (folded.row, folded.column, folded.count))):
        key = line_keys[row], line_keys[column]
        cells[key] = row, column
        words[key] = f"{titles[row]} → {answers[column]}: {count:,}"
    keys = list(cells)
    first = next((key for key, place in zip(keys, order) if folded.relation[place] == "wrong"), keys[0])
    clicked = state.memory(asked.mark("matrix cell")).get("cell", first)
    options = {key: words[key] for key in (*keys[:MOST_CELLS], first, clicked) if key in cells}
    label = "Samples of the cell (truth → answer: count)"
    return cells[pick(label, options, (asked.mark("matrix cell"), "cell"), first, width="stretch")]


def _samples(asked, folded, cell):
    row, column = cell
    rows = folded.samples(row, column)
    truth, answer = line_title(folded, row), line_title(folded, column, False)
    n_pairs = int(folded.count[(folded.row == row) & (folded.column == column)][0])
    # A sample may have several pairs of paths in one cell.
    how_many = f"{n_pairs:,}" if n_pairs == len(rows) else f"{n_pairs:,} paths of {len(rows):,} samples"
    st.subheader(f"{escape(truth)} → {escape(answer)}: {how_many}", anchor=False)
    _link(asked, folded, row, column)
    severity = asked.severities[0]
    sample_table.draw(
        asked, asked.ranked(rows, severity), severity, f"cell-{line_key(folded, row)}-{line_key(folded, column)}"
    )


def _link(asked, folded, row, column, outcome=""):
    """A link to the samples of two lines on Examples, of one outcome; or why there is none."""
    fields = {"outcome": outcome}
    for line, subtree, itself in ((row, "under", "truth"), (column, "answered", "answer")):
        node = int(folded.nodes[line])
        if node == LABEL_OUTSIDE:
            fields["outside"] = "yes"
        elif node > 0 or folded.is_open[line]:
            fields[itself if folded.is_open[line] else subtree] = asked.taxonomy.names[node]
    is_folded = folded.n_folded[[row, column]].any()
    # In a graph a sample may be below several closed classes, but the matrix counts it once.
    several = [fields[name] for name in ("under", "answered") if name in fields and not asked.taxonomy.is_tree]
    is_exact = all(asked.taxonomy.is_leaf[asked.taxonomy.node(name)] for name in several)
    why = FOLDED if is_folded else "" if is_exact else IN_SEVERAL
    if why or not asked.answers.is_single:
        st.caption(why if asked.answers.is_single else ONE_BY_ONE)
    else:
        asked.link_to_samples(**fields)


def _counted(asked):
    """The counts of the whole data set, against constant answers."""
    # Constant answers are the same for every rule and threshold.
    constants = state.computed(
        "constants", (asked.data.digest, asked.key, asked.wanted), lambda: best_constants(asked.answers)
    )
    return asked.computed("against constants", lambda: against_constants(asked.answers, constants=constants))


def _two_by_two(asked, found):
    """The main numbers in a line; below it, on demand, counts and measures with those of constant answers."""
    measures = {key: numbers.shown(key, found.confusion.measures[key]) for key in ("ppv", "tpr", "mcc")}
    label = (
        f"Hierarchical confusion of all samples: precision {measures['ppv']}, recall {measures['tpr']}, Matthews correlation "
        f"{measures['mcc']}"
    )
    if "mcc" in found.constants:
        _, best = found.constants["mcc"]
        label += f" (best constant answer {numbers.shown('mcc', best.measures['mcc'])})"
    frame.unfolded(label, "dataset-confusion", lambda: _all_measures(asked, found))


def _all_measures(asked, found):
    """The two by two counts, and all measures with those of constant answers."""
    left, right = frame.side_by_side(1, 1)
    with left:
        width = min(520, state.main_width() if state.is_narrow() else state.main_width() // 2)
        dark = state.is_dark()

        def drawn():
            figure = charts.confusion(asked.taxonomy, found.confusion, width=width)
            return figure, written_out(figure)

        figure, chart = asked.computed("two by two", drawn, width, dark)
        draw_chart(chart, key="two-by-two", alt=figure.sentence)
        below(figure, name="two-by-two")
    with right:
        rows = {"model": found.confusion.measures}
        rows |= {
            f"always {asked.taxonomy.title(node)}": constant.measures for node, constant in found.constants.values()
        }
        values = {name: [numbers.shown(key, measures[key]) for key in KEYS] for name, measures in rows.items()}
        labels = [METRICS[key].label for key in KEYS]
        table.draw(pd.DataFrame({"measure": labels, **values}), key="measures", most=400)
        said = " and by ".join(
            f"{METRICS[key].label} that is always *{escape(asked.taxonomy.title(node))}*"
            for key, (node, _) in found.constants.items()
        )
        st.markdown(
            "Counts are nodes of true and predicted paths, summed over all samples. A model without skill is not above the best "
            f"constant answer: by {said}."
        )
        with st.popover("Definitions", type="tertiary"):
            for key in (*COUNTS, *KEYS):
                numbers.definition(key)
