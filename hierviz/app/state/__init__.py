"""What the visitor looks at, where it is kept, and what is cached: session, URL and server memory.

This package alone touches st.session_state, st.query_params and st.cache_*. The view lives in the session and is written
to the URL on every run; a URL that we did not write (a link, a reload, the back button) wins over the session.
"""

from hierviz.app.state.current import (
    bound,
    bound_member,
    bound_threshold,
    change,
    link,
    lost_sample,
    publish,
    session,
    shown_model_of,
    view,
)
from hierviz.app.state.curve import bound_own_thresholds, curve_start, dragged, move_threshold
from hierviz.app.state.entry import begin, dismiss_hint, first_visit, is_dark, is_narrow, main_width, must_ask, width
from hierviz.app.state.memory import answered, cached, computed, kept, kept_upload, memory, opened_model
from hierviz.app.state.opened import (
    asked_files,
    data,
    may_reopen,
    open_requested,
    put,
    reopen,
    request_open,
    request_reopen,
    shown_model,
    shown_models,
    startup,
    startup_files,
    startup_limits,
)
from hierviz.app.state.paths import allowed_folder, allowed_path, is_local_visit, may_open_paths

__all__ = [
    "allowed_folder",
    "allowed_path",
    "answered",
    "asked_files",
    "begin",
    "bound",
    "bound_member",
    "bound_own_thresholds",
    "bound_threshold",
    "cached",
    "change",
    "computed",
    "curve_start",
    "data",
    "dismiss_hint",
    "dragged",
    "first_visit",
    "is_dark",
    "is_local_visit",
    "is_narrow",
    "kept",
    "kept_upload",
    "link",
    "lost_sample",
    "main_width",
    "may_open_paths",
    "may_reopen",
    "memory",
    "move_threshold",
    "must_ask",
    "open_requested",
    "opened_model",
    "publish",
    "put",
    "reopen",
    "request_open",
    "request_reopen",
    "session",
    "shown_model",
    "shown_model_of",
    "shown_models",
    "startup",
    "startup_files",
    "startup_limits",
    "view",
    "width",
]
