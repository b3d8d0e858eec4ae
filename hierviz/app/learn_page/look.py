"""Large type for a projector, and paper."""

import streamlit as st

LARGE = """<style>
.stMain [data-testid=stMarkdownContainer] :is(p, li, td, th) {font-size: 1.4rem; line-height: 1.5}
.stMain label [data-testid=stMarkdownContainer] p, .stMain button p {font-size: 1.25rem}
.stMain h2 {font-size: 2.2rem !important}
.stMainBlockContainer {max-width: 1720px !important}
</style>"""
PRINT = """<style>
@media print {
    header, .stAppHeader, [data-testid=stSidebar], [data-testid=stExpandSidebarButton], .st-key-copy-link, .hierviz-open,
    .st-key-title-row, .st-key-step-bar, .st-key-greeting, .stButton, .stPopover {display: none !important}
    .stMainBlockContainer {padding: 0 !important; max-width: none !important}
    .stApp, .stMain, [data-testid=stAppViewContainer] {
        position: static !important; overflow: visible !important; height: auto !important}
    .stVegaLiteChart, [class*=st-key-printed-] {break-inside: avoid}
}
</style>"""


def style(is_large):
    """Style of the page."""
    st.html(PRINT + (LARGE if is_large else ""))
