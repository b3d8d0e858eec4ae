"""The app as a server: the script of each visit, and the checks of each request. Start it with `hierviz`."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from hierviz.app import lifetime, middleware

# If this script were next to a folder called `pages`, Streamlit would run the files in it as pages, without the script.
SCRIPT = Path(middleware.__file__).parent / "widgets" / "script.py"

app = st.App(
    SCRIPT,
    lifespan=lifetime.lifetime,
    middleware=[
        Middleware(middleware.HostCheck),
        Middleware(middleware.UploadCheck),
        Middleware(middleware.DrawingModule),
        Middleware(middleware.UnknownPage),
    ],
)
