"""The bar at the foot of the window while a story is played: caption, arrow keys, full screen."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from hierviz.app import state
from hierviz.app.state import story

_component = None
_HERE = Path(__file__).parent
# Nothing but the page and the caption.
PLAYING = """<style>
[data-testid=stHeader], [data-testid=stSidebar], .hierviz-open, .st-key-save-menu, .st-key-copy-link, .st-key-greeting
    {display: none !important}
.stMainBlockContainer {padding-top: 1.2rem !important; padding-bottom: 17rem !important}
</style>"""


def story_bar():
    """Draw the bar while a story is played."""
    global _component
    dataset = state.data() if state.memory(story.PLAYED) else None
    playing = story.played(dataset)
    if playing is None:
        return
    place, step, n = playing
    if _component is None:
        _component = st.components.v2.component(
            "hierviz_story_bar",
            html=(_HERE / "story_bar.html").read_text("utf-8"),
            css=(_HERE / "story_bar.css").read_text("utf-8"),
            js=(_HERE / "story_bar.js").read_text("utf-8"),
        )
    st.html(PLAYING)

    def moved():
        word = st.session_state["story-bar"].get("go")
        by = {"next": 1, "previous": -1}
        if word in by or word == "end":
            story.go(by.get(word))

    caption = story.caption(dataset, step)
    with st.container(key="story-played"):
        _component(key="story-bar", data={"caption": caption, "place": place + 1, "n": n}, on_go_change=moved)
