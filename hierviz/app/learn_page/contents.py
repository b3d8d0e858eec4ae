"""What surrounds the steps: the list of lessons, the glossary, and the same numbers of the opened data."""

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import overview_table, shell
from hierviz.app.widgets.controls import menu
from hierviz.app.widgets.numbers import shown
from hierviz.app.widgets.progress import is_wanted
from hierviz.lessons import catalogue
from hierviz.lessons.catalogue import LESSON_FILES, lesson, lessons
from hierviz.lessons.lesson import markdown_table
from hierviz.metrics.registry import METRICS

RUNS = "; runs the demo's models"


def chooser():
    """Which lesson, and large type."""
    titles = {"": "All lessons"} | {one.key: f"{number}. {one.title}" for number, one in enumerate(lessons(), 1)}
    titles["glossary"] = "Glossary"

    def chosen():
        state.change(lesson=state.session.widget_lesson, step="")

    options = state.bound("lesson", width=250 if state.is_narrow() else 380) | {"on_change": chosen}
    menu("Lesson", titles, **options)
    state.session.widget_presenter = state.view().presenter == "yes"
    st.toggle(
        "Presenter mode",
        key="widget_presenter",
        on_change=lambda: state.change(presenter="yes" if state.session.widget_presenter else ""),
        help="Large type, one step per screen. Keys: PageUp and PageDown, ← and →, or k and j.",
    )


def overview():
    """All lessons with their summaries."""
    st.markdown(
        "Short lessons on how hierarchical classifiers are judged. Each step has something to drag or to choose and asks for a "
        "prediction before it shows the answer. All numbers are computed on this page. No previous knowledge of hierarchical "
        "metrics is needed; start with the first one."
    )
    columns = st.columns(1 if state.is_narrow() else 2, gap="large")
    for place, one in enumerate(lessons()):
        with columns[place % len(columns)], st.container(border=True, key=f"card-{one.key}"):
            _link(f"**{place + 1}. {escape(one.title)}**", one.key)
            st.markdown(escape(one.summary))
            st.caption(f"{len(one.steps)} steps and an exercise{RUNS if one.models else ''}")
    _link("Glossary", "glossary", icon=":material/menu_book:")


def _link(label, lesson, **look):
    st.page_link(shell.page("learn"), label=label, query_params=state.link(lesson=lesson, step=""), **look)


def glossary():
    """All terms."""
    st.subheader("Glossary")
    wanted = st.text_input("Find", key="glossary-find", width=300, placeholder="a term, for example recall").casefold()
    found = {term: text for term, text in catalogue.glossary().items() if wanted in f"{term} {text}".casefold()}
    if not found:
        st.info("No term contains these letters.")
    about = {term: [one for one in lessons() if term in one.terms] for term in found}
    for term, text in found.items():
        with st.container(gap=None):
            st.markdown(f"**{escape(term)}.** {escape(text)}")
            for one in about[term][:1]:
                _link(f"Lesson: {escape(one.title)}", one.key)


def terms(key):
    """The terms of a lesson, each with its sentence."""
    names = lesson(key).terms
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption("Terms", width="content")
        for term in names:
            with st.popover(escape(term), type="tertiary", key=f"term-{term}"):
                st.markdown(f"**{escape(term)}.** {escape(catalogue.glossary()[term])}")
        _link("All terms", "glossary", icon=":material/menu_book:")


def on_data(lesson):
    """Numbers of all open models, once they are asked for."""
    data = state.data()
    if lesson.on_data is None or data is None:
        return
    st.subheader("On the opened data", anchor=False)
    st.markdown(f"*{escape(data.title)}*: {escape(lesson.on_data.text)}")
    look = {"icon": ":material/table_chart:", "key": f"on-data-{list(LESSON_FILES).index(lesson.key)}"}
    if not is_wanted("numbers of a lesson", lesson.key, False, "Show the numbers", **look):
        return
    found = overview_table.every_summary(data)
    if found is None:
        return
    keys = [key.split(".") for key in lesson.on_data.keys]
    heads = ["model", *(METRICS[key].label for _, key in keys)]
    rows = [[(summary.get(block) or {}).get(key) for block, key in keys] for summary in found.values()]
    texts = ([shown(key, value) for (_, key), value in zip(keys, values)] for values in rows)
    st.markdown(markdown_table(heads, [[escape(name), *text] for name, text in zip(found, texts)]))
    if any(None in values for values in rows):
        st.caption("–: not defined for these data.")
