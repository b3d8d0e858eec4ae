"""Large type for a projector, each step on one screen, and paper."""

import streamlit as st

from hierviz.app.example_page.sample_keys import PRESENTER
from hierviz.app.state.components import component, style_sheet

# Times that pictures grow on a screen that the large type is made for: what they hold grows with them.
ENLARGED = 1.35


def style(is_large):
    """Style of the page, on paper too."""
    html = style_sheet(__file__, "lessons")
    if is_large:
        html += style_sheet(__file__, "large_type").replace("ENLARGED", str(ENLARGED))
        html += f'<i class="{PRESENTER}" hidden></i>'
    st.html(html)


def fit_to_screen():
    """Draw the step as large as the screen allows, whatever is shown of it."""
    with st.container(key="presenter-fit"):
        component(__file__, "presenter_fit")(key="presenter-fit-part")
