"""The app: page list, title and look. Start it with `hierviz` or `streamlit run app.py`."""

import streamlit as st

from hierviz.app import shell

st.set_page_config(page_title="hierviz", page_icon=":material/account_tree:", layout="wide")
shell.run()
