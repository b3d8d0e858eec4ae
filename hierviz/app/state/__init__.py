"""The view of a visitor, where it is kept, and what is cached: session, URL and server memory.

This package alone touches st.session_state, st.query_params and st.cache_*. The view lives in the session and is written
to the URL on every run; a URL from elsewhere (a link, a reload, the back button) takes precedence over the session.
"""

# ruff: noqa: F401 - what several pages call as `state.NAME`
from hierviz.app.state.current import (
    bound,
    change,
    enter_with,
    link,
    move_threshold,
    open_with,
    publish,
    session,
    shown_model_of,
    view,
)
from hierviz.app.state.entry import is_dark, is_narrow, main_width
from hierviz.app.state.opened import data, is_startup, put, request_open, shown_models, startup_limits
from hierviz.app.state.paths import allowed_folder, allowed_path, is_local_visit, may_open_paths
from hierviz.app.state.seen_parts import begin_seen, see, seen, seen_number
from hierviz.app.state.server_memory import answered, computed, kept, known, memories, memory, of_data, opened_model
from hierviz.app.state.stages import Stages
from hierviz.app.state.upload_fields import kept_upload
