"""The app as a server: what is run for each visitor, and who is let in. Start it with `hierviz` or `streamlit run app.py`."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from hierviz.app.server import host_check, lifetime, unknown_page, upload_check

# Beside a folder called `pages`, Streamlit would run its files as pages of its own, without this script.
SCRIPT = Path(host_check.__file__).parent / "script.py"

app = st.App(
    SCRIPT,
    lifespan=lifetime.lifetime,
    middleware=[
        Middleware(host_check.HostCheck),
        Middleware(upload_check.UploadCheck),
        Middleware(unknown_page.UnknownPage),
    ],
)
