"""Learn: lessons on hierarchical metrics with something to change and something to predict, and a glossary."""

import streamlit as st

from hierviz.app import state
from hierviz.app.learn_page import contents, look, steps
from hierviz.app.widgets import frame
from hierviz.lessons.catalogue import lesson

view = state.view()
look.style(is_large=view.presenter == "yes")
with frame.title_row("Learn"):
    contents.chooser()
if view.lesson == "glossary":
    contents.glossary()
elif not view.lesson:
    contents.overview()
elif view.step == "all":
    steps.whole(lesson(view.lesson))
else:
    with st.container(key="lesson"):
        steps.one(lesson(view.lesson), view.step)
