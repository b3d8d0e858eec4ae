"""What is run for each visitor: page list, title and look."""

from pathlib import Path

import streamlit as st

from hierviz.app.widgets import shell
from hierviz.demo import bundle_folder
from hierviz.reports.view_pages import PAGES

FOLDER = Path(__file__).parents[1] / "pages"

st.set_page_config(page_title="hierviz", page_icon=str(bundle_folder() / "assets" / "icon.png"), layout="wide")
shell.run(
    [
        st.Page(
            FOLDER / f"{key}.py",
            title=page.title,
            icon=f":material/{page.icon}:",
            url_path=key,
            default=key == "overview",
            visibility="visible" if page.is_in_menu else "hidden",
        )
        for key, page in PAGES.items()
    ]
)
