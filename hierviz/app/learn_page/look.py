"""Large type for a projector, each step on one screen, and paper."""

import streamlit as st

from hierviz.app.example_page.sample_keys import PRESENTER
from hierviz.app.state.components import component

# Times that pictures grow on a screen that the large type is made for: what they hold grows with them.
ENLARGED = 1.35
LARGE = f"""<style>
.stMain .st-key-lesson [data-testid=stMarkdownContainer] :is(p, li, td, th) {{font-size: 1.3rem; line-height: 1.4}}
.stMain .st-key-lesson label [data-testid=stMarkdownContainer] p, .stMain .st-key-lesson button p {{font-size: 1.2rem}}
.stMain .st-key-lesson [data-testid=stMarkdownContainer] :is(td, th) {{padding: 0.1rem 0.5rem; font-size: 1.1rem}}
.stMain .st-key-lesson h3 {{font-size: 2rem !important; padding-top: 0 !important}}
.stMain .st-key-lesson .stVegaLiteChart {{zoom: {ENLARGED}}}
.stMainBlockContainer {{max-width: none !important; padding: 2.9rem 3rem 0 !important}}
.stMainBlockContainer > .stVerticalBlock {{gap: 0.4rem}}
.stMain .st-key-lesson [data-testid=stSelectbox] div {{font-size: 1.15rem}}
.stMainBlockContainer > .stVerticalBlock > .stElementContainer:has([data-testid=stCaptionContainer]),
.st-key-greeting, .st-key-presenter-fit {{display: none}}
</style><i class="{PRESENTER}" hidden></i>"""
PRINT = """<style>
.stMain [data-testid=stMarkdownContainer] table {display: block; overflow-x: auto; max-width: 100%}
@media (max-width: 640px) {
    .stMain [data-testid=stMarkdownContainer] table :is(td, th) {padding: 0.2rem 0.3rem; font-size: 0.82rem; line-height: 1.3;
        overflow-wrap: break-word; hyphens: auto}
}
.stMain [data-testid=stMarkdownContainer] blockquote {color: inherit; opacity: 1}
[class*=st-key-card-] {position: relative}
[class*=st-key-card-]:hover {border-color: var(--st-primary-color, currentColor)}
[class*=st-key-card-] :is([data-testid=stElementContainer], [data-testid=stPageLink]) {position: static}
[class*=st-key-card-] [data-testid=stPageLink] a::after {content: ""; position: absolute; inset: 0; border-radius: inherit}
[class*=st-key-card-] [data-testid=stPageLink] a {position: static}
@media print {
    header, .stAppHeader, [data-testid=stSidebar], [data-testid=stExpandSidebarButton], .st-key-copy-link, .hierviz-open,
    .st-key-title-row, .st-key-step-bar, .st-key-sheet-bar, .st-key-greeting, .stButton, .stPopover {display: none !important}
    .stMainBlockContainer {padding: 0 !important; max-width: none !important}
    .stApp, .stMain, [data-testid=stAppViewContainer] {
        position: static !important; overflow: visible !important; height: auto !important}
    .stVegaLiteChart, [class*=st-key-printed-] {break-inside: avoid}
}
</style>"""


def style(is_large):
    """Style of the page."""
    st.html(PRINT + (LARGE if is_large else ""))


def fit_to_screen():
    """Draw the step as large as the screen allows, whatever is shown of it."""
    with st.container(key="presenter-fit"):
        component(__file__, "presenter_fit")(key="presenter-fit-part")
