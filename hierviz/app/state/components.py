"""Parts of pages that run in the browser, and their style sheets."""

from __future__ import annotations

import functools
from pathlib import Path

import streamlit as st


@functools.cache
def component(folder, name):
    """What `name`.html, .css and .js in the folder of a file describe, as far as they are there; registered once.

    Parameters
    ----------
    folder : str
        `__file__` of the caller.
    name : str
    """
    files = (Path(folder).with_name(f"{name}.{kind}") for kind in ("html", "css", "js"))
    parts = {file.suffix[1:]: file.read_text("utf-8") for file in files if file.exists()}
    return st.components.v2.component(f"hierviz_{name}", **parts)


@functools.cache
def style_sheet(folder, name):
    """The style sheet `name`.css in the folder of a file, as HTML; parameters as of `component`."""
    return f"<style>\n{Path(folder).with_name(f'{name}.css').read_text('utf-8')}</style>"
