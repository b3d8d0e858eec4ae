"""What the browser does without the server: the menu of pages on narrow windows closes, a dismissed greeting is remembered."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state

_component = None

# Streamlit closes its menu after a choice by touch only, and opens it again on every later visit of who opened it once.
JS = """
const forget = () => {
  for (const key of Object.keys(localStorage)) if (key.startsWith("stSidebarCollapsed-")) localStorage.removeItem(key);
};
const narrow = () => innerWidth <= 768;
const pressed = (event) => {
  const found = (id) => event.target instanceof Element && event.target.closest(`[data-testid=${id}]`);
  if (found("stSidebarNavLink") && narrow())
    setTimeout(() => document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click(), 50);
  if (found("stSidebar") || found("stExpandSidebarButton")) setTimeout(forget, 200);
};
export default function ({data}) {
  if (!window.hiervizMenu) {
    window.hiervizMenu = true;
    forget();
    document.addEventListener("click", pressed);
  }
  if (data.greeted) document.cookie = `${data.greeted}=1; path=/; max-age=31536000; SameSite=Strict`;
}
"""


def browser_part():
    """Draw the part, which is not seen; the first thing of a page that stays when pages change."""
    global _component
    if _component is None:
        _component = st.components.v2.component("hierviz_browser_part", js=JS)
    _component(key="browser-part", data={"greeted": state.GREETED if state.is_hint_read() else ""})
