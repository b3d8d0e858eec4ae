"""The panels of one sample: what it is, its probability tree, its win, and its two paths; several samples as cards."""

import html

import numpy as np
import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import table
from hierviz.app.widgets.answer_text import answer_text
from hierviz.app.widgets.figure import figure
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.numbers import number
from hierviz.charts._sample_parts import compared_with
from hierviz.charts._value_colours import mixed
from hierviz.charts.export import picture_url
from hierviz.charts.theme import palette
from hierviz.diagnosis.runs import run_answers
from hierviz.messages.errors import first_words
from hierviz.metrics.confusion.multi_path import confusion
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.metrics.sets.node_sets import most_specific
from hierviz.predictions.outside import GIVEN, MARKS, READ_AS, READ_CLASS, TEXT
from hierviz.reports.view_file import SeenCards, SeenTable
from hierviz.taxonomy.taxonomy import OUTSIDE_TITLE, NodeLists

VERDICTS = {
    "exact": ":green[exact]",
    "coarse": ":blue[correct but coarse]",
    "no_answer": ":gray[no answer]",
    "wrong": ":orange[wrong]",
}
STYLES = {"icicle": "Blocks", "node-link": "Branches", "list": "List"}
SHOWN_ELSEWHERE = ("image", "file", "text", "path", TEXT, READ_AS, READ_CLASS, MARKS)
WIN = ("softmax_win", "softmax_win_raw", "neg_log_win", "cross_entropy", "one_hot_win")
CELLS = ("tp", "fp", "fn", "tn", "hp", "hr", "hf1")
# Letters of the heading of the card of a text, and of what follows.
HEAD, BODY = 30, 90
# Cards of a gallery by the width of the window, of pictures and of texts.
CARDS, FEWEST_CARDS = {1600: (16, 10), 1200: (12, 6), 900: (12, 8), 600: (8, 6)}, (6, 4)


def head(predictions, row, truth, predicted, outcome, why=""):
    """Picture or text, truth and answer with their paths, `why` the answer stops there, and what else is known."""
    taxonomy = predictions.taxonomy
    picture, text = predictions.picture(row), predictions.text(row)
    with st.container(horizontal=True, vertical_alignment="top", gap="medium"):
        if picture:
            st.image(
                picture_url(picture), width=96 if state.is_narrow() else 150, alt=f"Sample {predictions.sample_id(row)}"
            )
        with st.container(gap="small"):
            heading(predictions, row)
            if truth is None and predictions.truth is not None and not predictions.has_single_truth:
                truth = predictions.truth[row]
            verdict = f" — {VERDICTS[outcome]}" if outcome else ""
            answer = predictions.labels[row] if predicted is None else predicted
            with st.container(horizontal=True, gap="medium"):
                if truth is not None:
                    st.markdown(f"Truth: {_named(taxonomy, truth)}", width="content")
                given = given_outside(predictions, row)
                st.markdown(f"Answer: {_named(taxonomy, answer, verdict, given)}", width="content")
            if why:
                st.markdown(escape(why))
            is_said = TEXT in predictions.attributes or min(np.atleast_1d(answer), default=0) < 0
            hidden = (*SHOWN_ELSEWHERE, GIVEN) if is_said else SHOWN_ELSEWHERE
            known = {k: v[row] for k, v in predictions.attributes.items() if k not in hidden and v[row] != ""}
            if known:
                st.caption(" · ".join(f"{escape(str(key))}: {escape(str(value))}" for key, value in known.items()))
    if text:
        st.markdown(f"> {escape(text)}")
    answer_text(predictions, row)
    state.see("sample", lambda: _seen_head(predictions, row, truth, answer))


def _seen_head(predictions, row, truth, answer):
    """Sample, truth and answer by title, as a table of one row."""

    def titles(nodes):
        nodes = np.atleast_1d([] if nodes is None else nodes).tolist()
        return "; ".join(map(predictions.taxonomy.title, nodes)) or "–"

    given = given_outside(predictions, row)
    said = f"{titles(answer)}: {given}" if given else titles(answer)
    cells = (predictions.called(row), predictions.sample_id(row), titles(truth), said)
    return SeenTable(("Sample", "Id", "Truth", "Answer"), [cells], 1)


def heading(predictions, row):
    """What a sample is called, with its id where that is another thing."""
    called, sample = predictions.called(row), predictions.sample_id(row)
    st.markdown(f"#### {escape(called)}")
    if called != sample:
        st.caption(f"Sample {escape(sample)}")


def named_classes(taxonomy, word, nodes):
    """A class, or the most specific of several, with its path, after a word."""
    st.markdown(f"{word}: {_named(taxonomy, nodes if isinstance(nodes, int) else nodes.tolist())}")


def given_outside(predictions, row):
    """What the file says of a sample in place of a class; empty where it says a class, nothing, or a text in words."""
    attributes = predictions.attributes
    return str(attributes[GIVEN][row]) if GIVEN in attributes and TEXT not in attributes else ""


def _outside_title(given):
    """How an answer outside the taxonomy is called, with what the file says in its place."""
    return f"{given} (outside the taxonomy)" if given else OUTSIDE_TITLE


def _named(taxonomy, nodes, verdict="", given=""):
    """A node in bold with its path below it, or the most specific of a list of nodes; -1 is outside the taxonomy: `given`."""
    if not isinstance(nodes, int):
        nodes = dict.fromkeys(most_specific(taxonomy, NodeLists.from_lists([nodes])).nodes.tolist())
        names = (taxonomy.title(node) if node >= 0 else _outside_title(given) for node in nodes)
        return "; ".join(f"**{escape(name)}**" for name in names) or "nothing"
    if nodes < 0:
        return f"**{escape(_outside_title(given))}**{verdict}"
    steps = taxonomy.path(nodes)[1:] if taxonomy.is_tree and nodes >= 0 else []
    route = " › ".join(escape(taxonomy.title(step)) for step in steps)
    return f"**{escape(taxonomy.title(nodes))}**{verdict}  \n:gray[{route}]"


def tree(
    taxonomy, p, truth, predicted, *, shown=None, bounds=None, opened=None, title=True, style=None, threshold=None
):
    """The probability tree.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float, shape (n_nodes,)
    truth, predicted : int, sequence of int, or None
    shown : dict, optional
        ``top``, ``keep`` and ``unfold`` of `charts.Folding`.
    bounds : (ndarray, ndarray), optional
        Lowest and highest probability of each node.
    opened : callable, optional
        Called with what was clicked: the number of a node, or -1 minus that of the parent of folded siblings.
    title : bool
        Whether it has a heading of its own.
    style : str, optional
        Key of `STYLES`; buttons above it choose one if not given.
    threshold : float, optional
        See `threshold_in`.
    """
    if title:
        st.subheader("Probability tree" if taxonomy.is_tree else "Probabilities")
    if not taxonomy.is_tree:
        top = np.argsort(-p, kind="stable")[:30]
        most_probable = pd.DataFrame({"class": [taxonomy.title(node) for node in top.tolist()], "p": p[top]})
        table.draw(most_probable, key="most-probable-classes")
        st.markdown(
            "The thirty most probable classes. A tree is drawn only for taxonomies in which every class has one parent."
        )
        return
    given = {"truth": truth, "predicted": predicted, "folding": charts.Folding(**(shown or {})), "bounds": bounds}
    drawn = charts.probability_tree(taxonomy, p, **given, select=opened is not None, width=state.main_width())
    drawn = drawn.at(threshold)
    style = _style(drawn.refused(), style)
    select = {}
    if opened is not None:
        # A click is answered by another drawing, which must not have the click of this one.
        view = state.view()
        key = f"tree-{view.data}-{view.sample}-{view.focus}-{view.unfold}-{style}"

        def clicked():
            points = state.session[key].selection.get("opened") or [{}]
            if "opened" in points[0]:
                opened(int(points[0]["opened"]))

        select = {"select": "opened", "clicked": clicked, "key": key}
    figure(drawn.styled(style), name="probability-tree", **select)


def threshold_in(choice):
    """The threshold that p is compared with in keywords of `Evaluation.answers`; None where the rule has none."""
    return compared_with(choice["rule"], choice["threshold"])


def _style(refused, wanted=None):
    """The drawing that the visitor chose among those that serve, else the list; the page says why the others do not."""
    if state.is_narrow():
        refused = dict.fromkeys(("icicle", "node-link"), "the window is too narrow")
    offered = [style for style in STYLES if style not in refused]
    asked = wanted or state.view().tree
    style = asked if asked in offered else "icicle" if asked not in STYLES and "icicle" in offered else "list"
    if wanted is None:
        with st.container(horizontal=True, gap="small", key="draw-as"):
            for one, label in STYLES.items():
                why = refused.get(one)
                st.button(
                    label,
                    key=f"draw-as-{one}",
                    type="primary" if one == style else "secondary",
                    disabled=why is not None,
                    help=f"Not possible here: {escape(why)}." if why else None,
                    on_click=state.change,
                    kwargs={"tree": one},
                )
    for why in dict.fromkeys(refused.values()):
        names = [STYLES[one] for one in refused if refused[one] == why]
        verb = "is" if len(names) == 1 else "are"
        st.caption(f":material/block: {' and '.join(names)} {verb} not possible here: {escape(why)}.")
    return style


def head_win(terms, worked):
    """The win beside what it judges, one press from how it comes about; `terms` is its WinBreakdown."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        one, text = worked["softmax_win"], charts.win_text(terms.term, terms.win)
        label = f"How the {METRICS[one.key].label.lower()} is computed:"
        number(one.key, one.value, one.arithmetic, label=label, where="head", text=text)


def win(taxonomy, terms, worked):
    """The win, level by level."""
    st.subheader("Win by level")
    figure(charts.win_breakdown(taxonomy, terms, width=state.main_width()), name="win")
    # The digits of the picture.
    _numbers(worked, WIN, {"softmax_win": charts.win_text(terms.term, terms.win)})


def paths(taxonomy, truth, predicted, worked):
    """The answer's path against the true path."""
    st.subheader("Predicted and true path")
    cells = confusion(taxonomy, np.array([truth]), np.array([predicted]))
    figure(charts.confusion_breakdown(taxonomy, cells, 0, width=state.main_width()), name="confusion")
    _numbers(worked, CELLS)
    st.subheader("Metrics of the answer")
    _numbers(worked, path_keys())
    st.caption("Click a number for its definition and its calculation for this sample.")


def path_graph(taxonomy, counts, place, p, truth, predicted):
    """The paths of one sample in a graph, or of several answers and truths; `truth` and `predicted` list its nodes."""
    st.subheader("Predicted and true paths")
    drawn = charts.path_graph(taxonomy, counts, place, p=p, truth=truth, predicted=predicted, width=state.main_width())
    figure(drawn, name="path-graph")


def path_counts(taxonomy, counts, place, given=""):
    """Several paths: which predicted path is judged by which true one, and the nodes behind the counts.

    `given` is what the file says where an answer is outside the taxonomy.
    """
    st.subheader("Counts of the paths")
    figure(charts.confusion_breakdown(taxonomy, counts, place, width=state.main_width()), name="confusion")
    matched = counts.pairs(place)

    def route(path):
        names = (taxonomy.title(node) if node >= 0 else _outside_title(given) for node in path[1:].tolist())
        return " › ".join(names) or "nothing"

    rows = [
        (route(pair.predicted), route(pair.true), *map(len, (pair.tp, pair.fp, pair.fn, pair.tn)))
        for pair in matched.pairs
    ]
    rows += [(route(path), "(no match)", 0, len(path) - 1, 0, 0) for path in matched.surplus]
    rows += [("(no match)", route(path), 0, 0, len(path) - 1, 0) for path in matched.left_over]
    narrow = {cell: st.column_config.NumberColumn(width=48) for cell in ("TP", "FP", "FN", "TN")}
    columns = {"answer": None, "truth": None} | narrow
    table.draw(pd.DataFrame(rows, columns=list(columns)), columns, key="matched-paths")
    st.markdown("Each predicted path is matched with the true path that shares the longest prefix with it.")
    with st.container(horizontal=True, gap="small"):
        for key in CELLS:
            number(key, counts.per_sample[key][place].item(), where="sample")


def _numbers(worked, keys, texts=None):
    with st.container(horizontal=True, gap="small"):
        for key in keys:
            if key in worked:
                number(key, worked[key].value, worked[key].arithmetic, where="sample", text=(texts or {}).get(key))


def n_cards(predictions):
    """Cards of a gallery that fit next to or below a picture."""
    pictures, texts = CARDS.get(state.session.px, FEWEST_CARDS)
    return pictures if predictions.media is not None else texts


def gallery(model, key, rows, pairs, outcome="wrong", notes=None, link=None, shades=None):
    """Draw a card for each of some samples, which is pressed as a whole: Examples shows the sample.

    Parameters
    ----------
    model : Evaluation
    key : str
        Of the model.
    rows : sequence of int
        Rows of the Predictions.
    pairs : sequence of (str, str)
        Truth and answer of each in words.
    outcome : str
        Of all of them, which Examples shows too.
    notes : sequence of str, optional
        A line below each; cards have a border then.
    link : callable, optional
        Draws what is pressed where that is no link to Examples: takes the sample's id and the label.
    shades : sequence of list of (str, float, int), optional
        Of each the methods with several runs: what it is called there, the share of its runs that are right, and their number.
    """
    predictions, is_framed = model.predictions, notes is not None
    pairs = [(truth, _given_answer(predictions, int(row), answer)) for row, (truth, answer) in zip(rows, pairs)]
    state.see(f"gallery-{key}-{outcome}", lambda: SeenCards(_cards(predictions, rows, pairs, notes)))
    with st.container(key="cards-of-pictures" if predictions.media is not None else "cards-of-texts"):
        for place, (row, (truth, answer)) in enumerate(zip(rows, pairs, strict=True)):
            sample, picture = predictions.sample_id(int(row)), predictions.picture(int(row))
            with st.container(border=is_framed, gap="xxsmall", key=f"card-{place}"):
                if picture:
                    st.image(picture_url(picture), width="stretch", alt=f"Sample {sample}")
                else:
                    _words_of(predictions, int(row))
                label = f"{escape(truth)} → :orange[{escape(answer)}]"
                if link is None:
                    link_to("example", label, sample=sample, outcome=outcome, model=key)
                else:
                    link(sample, f"{escape(truth)} → {escape(answer)}")
                if shades is not None:
                    st.html("".join(_shade(*of) for of in shades[place]))
                if is_framed:
                    st.caption(notes[place])


def _given_answer(predictions, row, answer):
    """An answer in words; one outside the taxonomy with what the file says."""
    given = given_outside(predictions, row) if answer in (OUTSIDE_TITLE, OUTSIDE_TITLE.strip("()")) else ""
    return f"outside: {first_words(given, HEAD)}" if given else answer


def _cards(predictions, rows, pairs, notes):
    """What a SeenCards holds."""
    cards = []
    for place, (row, (truth, answer)) in enumerate(zip(rows, pairs, strict=True)):
        words = first_words(predictions.text(int(row)) or predictions.called(int(row)), BODY)
        note = "" if notes is None else notes[place]
        cards.append((picture_url(predictions.picture(int(row))) or "", words, f"{truth} → {answer}", note))
    return cards


def _shade(name, share, n_runs):
    """How many runs are right, as a square that is the fuller in colour the more are, and in words."""
    look = palette(state.is_dark())
    fill = mixed(look.background, look.tp, share)
    what = "right" if name else "runs right"
    square = f'<span class="hierviz-shade" style="background: {fill}"></span>'
    return f'<div class="hierviz-runs">{square}{html.escape(name)}{round(share * n_runs)} of {n_runs} {what}</div>'


def shades_of_runs(data, key, choice, rows):
    """`shades` of `gallery` for some rows of a model whose method has several runs; None without, and where they are not made.

    `choice` are the keywords of `Evaluation.answers`.
    """
    keys = (key, *(run for run in data.runs_of(key) if run != key))
    runs = [data.models[run] for run in keys]
    if len(runs) == 1 or any(run.predictions.has_scores and run.needs_pass(**choice) for run in runs):
        return None

    def made():
        found = run_answers(runs, **choice)
        return dict(zip(found.rows.tolist(), found.right.tolist(), strict=True)) if found.answers[0].is_single else {}

    right = state.computed("runs that are right", (data.digest, keys, *sorted(choice.items())), made)
    return [[("", right[row], len(runs))] if row in right else [] for row in np.asarray(rows).tolist()]


def _words_of(predictions, row):
    """The first words of a text as its heading, and some more; what a sample without a text is called."""
    text = " ".join((predictions.text(row) or "").split())
    if not text:
        st.markdown(f"**{escape(predictions.called(row))}**")
        return
    head = first_words(text, HEAD).removesuffix(" …")
    more = first_words(text[len(head) :], BODY)
    st.markdown(f"**{escape(head)}** {escape(more)}")
