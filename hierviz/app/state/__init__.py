"""The view of a visitor, where it is kept, and what is cached: session, URL and server memory.

This package alone touches st.session_state, st.query_params and st.cache_*. The view lives in the session and is written
to the URL on every run; a URL from elsewhere (a link, a reload, the back button) takes precedence over the session.
"""

# ruff: noqa: F401 - what pages call as `state.NAME`
from hierviz.app.state.current import (
    bound,
    bound_member,
    bound_own_thresholds,
    bound_threshold,
    change,
    curve_start,
    dragged,
    key_in_popover,
    link,
    move_threshold,
    move_thresholds,
    publish,
    session,
    show_data,
    shown_model_of,
    view,
)
from hierviz.app.state.entry import (
    GREETED,
    begin,
    dismiss_hint,
    first_visit,
    is_dark,
    is_hint_read,
    is_narrow,
    main_width,
    must_ask,
    told_not_here,
    width,
)
from hierviz.app.state.opened import (
    asked_files,
    cancel_open,
    close,
    data,
    is_startup,
    may_close,
    may_reopen,
    open_cancelled,
    open_elsewhere,
    open_requested,
    put,
    reopen,
    request_open,
    request_reopen,
    restart_startup,
    shown_model,
    shown_models,
    startup_cancelled,
    startup_files,
    startup_limits,
)
from hierviz.app.state.paths import allowed_folder, allowed_path, is_local_visit, may_open_paths
from hierviz.app.state.rule_parameters import (
    bound_parameter,
    change_parameter,
    cost_files,
    missing_costs,
    rule_settings,
)
from hierviz.app.state.server_memory import (
    answered,
    cancel,
    computed,
    forget,
    is_told_first,
    kept,
    known,
    memories,
    memory,
    of_data,
    opened_model,
    resume,
    was_cancelled,
    whole_run,
)
from hierviz.app.state.stages import Stages
from hierviz.app.state.upload_fields import dealt_upload, kept_upload, limits_words
from hierviz.app.state.visits import callbacks_of_this_run
