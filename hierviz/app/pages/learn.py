"""Learn: lessons on hierarchical metrics with something to change and something to predict, and a glossary."""

import streamlit as st

from hierviz.app import state
from hierviz.app.learn_page import contents, look, steps
from hierviz.app.widgets import frame, shell
from hierviz.lessons.catalogue import lesson

view = state.view()
look.style(is_large=view.presenter == "yes")
with frame.title_row("Learn"):
    contents.chooser()
if view.lesson == "glossary":
    contents.glossary()
elif not view.lesson:
    contents.overview()
elif view.step in steps.SHEETS:
    steps.whole(lesson(view.lesson), has_answers=view.step == "answers")
else:
    with st.container(key="lesson"):
        steps.one(lesson(view.lesson), view.step)
    if view.presenter:
        look.fit_to_screen()
if state.data() is None:
    # Lessons need no data; a note below them says that those of the link are gone.
    shell.open_data()
