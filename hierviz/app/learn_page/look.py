"""Large type for a projector, and paper."""

import streamlit as st

LARGE = """<style>
.stMain [data-testid=stMarkdownContainer] :is(p, li, td, th) {font-size: 1.4rem; line-height: 1.5}
.stMain label [data-testid=stMarkdownContainer] p, .stMain button p {font-size: 1.25rem}
.stMain h2 {font-size: 2.2rem !important}
.stMainBlockContainer {max-width: 1720px !important}
</style>"""
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
