"""What is run for each visitor: page list, title and look."""

from pathlib import Path

import streamlit as st

from hierviz.app.widgets import shell
from hierviz.demo import bundle_folder

PAGES = Path(__file__).parents[1] / "pages"

st.set_page_config(page_title="hierviz", page_icon=str(bundle_folder() / "assets" / "icon.png"), layout="wide")
shell.run(
    [
        st.Page(PAGES / "overview.py", title="Overview", icon=":material/dashboard:", default=True),
        st.Page(PAGES / "curves.py", title="Operating curves", icon=":material/show_chart:", url_path="curves"),
        st.Page(PAGES / "compare.py", title="Compare", icon=":material/compare_arrows:", url_path="compare"),
        st.Page(PAGES / "example.py", title="Examples", icon=":material/account_tree:", url_path="example"),
        st.Page(PAGES / "mistakes.py", title="Mistakes", icon=":material/rule:", url_path="mistakes"),
        st.Page(PAGES / "taxonomy.py", title="Taxonomy", icon=":material/lan:", url_path="taxonomy"),
        st.Page(PAGES / "model.py", title="Model", icon=":material/psychology:", url_path="model"),
        st.Page(PAGES / "learn.py", title="Learn", icon=":material/school:", url_path="learn"),
        st.Page(PAGES / "story.py", title="Story", icon=":material/slideshow:", url_path="story", visibility="hidden"),
        st.Page(PAGES / "open.py", title="Open files", icon=":material/folder_open:", url_path="open"),
    ]
)
