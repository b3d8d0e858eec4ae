"""The app as a server: what is run for each visitor, and who is let in. Start it with `hierviz` or `streamlit run app.py`."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from hierviz.app.server import lifetime, middleware

# Beside a folder called `pages`, Streamlit would run its files as pages of its own, without this script.
SCRIPT = Path(middleware.__file__).parent / "script.py"

app = st.App(
    SCRIPT,
    lifespan=lifetime.lifetime,
    middleware=[
        Middleware(middleware.HostCheck),
        Middleware(middleware.UploadCheck),
        Middleware(middleware.UnknownPage),
    ],
)
