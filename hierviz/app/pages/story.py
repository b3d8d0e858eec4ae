"""The story: saved views in an order, with captions; arranged here and played in full screen."""

import streamlit as st

from hierviz.app import state
from hierviz.app.state import story
from hierviz.app.state.escape import escape
from hierviz.app.widgets import frame, shell
from hierviz.reports.captions import FIELDS
from hierviz.reports.story_step import LONGEST
from hierviz.reports.view_pages import PAGES

data = shell.open_data()
steps = story.steps(data)
with frame.title_row("Story"):
    st.button(
        "Play", icon=":material/slideshow:", type="primary", disabled=not steps, on_click=story.play, args=(data,)
    )
st.markdown(
    "Views of these data in order, each with a caption. **Play** shows them one after the other in the whole window: → and ← go "
    "forward and back, **End** returns here. **Save** in the header of every page adds a view; session files and reports contain "
    "the story. A report shows views of Model, Learn and Open files by their captions only."
)
if not steps:
    st.info(
        "No views yet. Go to a page, choose what it shows, and press Save, then “Add this view”.",
        icon=":material/slideshow:",
    )
with st.expander("What captions can hold", icon=":material/data_object:"):
    st.markdown(
        "Text, and fields in braces that are computed each time the caption is shown, so that it is true for other files too: "
        + "; ".join(f"`{{{name}}}` {words}" for name, words in FIELDS.items())
        + "; and the key of every metric, such as `{softmax_win}`."
    )


def keep(place, key):
    """Keep what was typed."""
    story.caption_step(data, place, st.session_state[key])


version = state.memory("story page").setdefault("version", 0)


def arrange(change, *args):
    """Change the order: the fields of captions are replaced by new ones, which show the current captions."""
    change(data, *args)
    state.memory("story page")["version"] += 1


for place, step in enumerate(steps):
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            model = data.models.get(step.view.get("model", ""))
            named = f" · {escape(model.predictions.name)}" if model is not None else ""
            st.markdown(f"**{place + 1} · {PAGES[step.page].title}**{named}")
            buttons = (
                ("Show", "slideshow", story.play, (place,), False),
                ("Up", "arrow_upward", story.move_step, (place, -1), place == 0),
                ("Down", "arrow_downward", story.move_step, (place, 1), place == len(steps) - 1),
                ("Remove", "delete", story.remove_step, (place,), False),
            )
            for label, icon, change, args, is_off in buttons:
                st.button(
                    label,
                    icon=f":material/{icon}:",
                    type="tertiary",
                    key=f"story-{label.lower()}-{place}",
                    disabled=is_off,
                    on_click=arrange,
                    args=(change, *args),
                )
        st.markdown(escape(story.caption(data, step)))
        with st.popover("Caption", icon=":material/edit:", type="tertiary", key=f"story-edit-{version}-{place}"):
            key = f"story-caption-{version}-{place}"
            st.text_area(
                "Caption", step.caption, key=key, height=160, max_chars=LONGEST, on_change=keep, args=(place, key)
            )
if steps != story.shipped(data):
    back = "Back to the story of the demo" if story.shipped(data) else "Remove all steps"
    st.button(back, icon=":material/restart_alt:", type="tertiary", on_click=arrange, args=(story.forget_steps,))
