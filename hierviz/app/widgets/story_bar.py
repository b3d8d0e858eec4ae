"""The bar at the foot of the window while a story is played: caption, arrow keys, full screen."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.app.state import story
from hierviz.app.state.components import component, style_sheet
from hierviz.reports.view_pages import PAGES


def story_bar():
    """Draw the bar while a story is played."""
    dataset = state.data() if state.memory(story.PLAYED) else None
    playing = story.played(dataset)
    if playing is None:
        return
    place, step, n = playing
    st.html(style_sheet(__file__, "story_playing"))

    def moved():
        # Between two pages there is no bar: the browser asks again.
        word = (st.session_state.get("story-bar") or {}).get("go")
        if word == "end":
            story.go(None)
        elif word and word.isdecimal():
            story.go(int(word) - 1)

    shown = {"caption": story.caption(dataset, step), "place": place + 1, "n": n, "figure": PAGES[step.page].is_figure}
    with st.container(key="story-played"):
        component(__file__, "story_bar")(key="story-bar", data=shown, on_go_change=moved)
