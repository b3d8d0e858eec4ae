"""What all sessions of this server share, and what outlives a run: limits, uploads, opened data, slow results, memories."""

from __future__ import annotations

import sys
import weakref

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from hierviz.app.state.ahead import Ahead
from hierviz.app.state.current import publish, session, tied, view
from hierviz.app.state.limits import GIGA, MEGA, ServerLimits
from hierviz.app.state.shelf import Shelf
from hierviz.app.state.uploads import UploadFolder
from hierviz.app.state.visits import is_busy, keep_sweeping, running_server, shown_keys, visit
from hierviz.opening.options import start_options
from hierviz.reports.view import CHOICES

# Browsers whose marks of a data set are kept.
MOST_VISITORS = 500
_ahead = Ahead(is_busy)
_of_data: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


@st.cache_resource(show_spinner=False)
def server():
    """The Shelf of this process."""
    shelf = Shelf(limits_of(sys.argv[1:], st.get_option("server.maxUploadSize")), UploadFolder(), shown_keys)
    if running_server() is not None:
        keep_sweeping(shelf)
    return shelf


def limits_of(arguments, upload_mb):
    """Limits of the arguments that started the app."""
    options = start_options(tuple(arguments))
    return ServerLimits(upload_mb * MEGA, int(options.max_data_gb * GIGA), options.max_files)


def memory(name):
    """A dict of this session that outlives page changes; what only one page needs and no link carries."""
    return visit().memories.setdefault(name, {})


def of_data(name, data):
    """A dict of this browser that stays as long as a data set is open, even if its page is loaded again.

    Parameters
    ----------
    name : str
    data : Dataset
    """
    visitors = _of_data.setdefault(data, {})
    key = (name, visit().visitor)
    kept = visitors.pop(key, {})
    visitors[key] = kept  # the one used last is the last
    for oldest in [one for one, of in visitors.items() if not of and one != key] or list(visitors)[:-MOST_VISITORS]:
        del visitors[oldest]
    return kept


def memories():
    """All memories of this session by name."""
    return visit().memories


def kept(name, field, default=None, **widget):
    """Keywords that tie a widget to an entry of a memory: its key, value and callback; those of `CHOICES` go into the address."""
    key, store = f"kept_{name}_{field}", memory(name)
    is_in_address = name in CHOICES
    named = view().choice(name, field, default) if is_in_address else None
    of_address = memory("choices of the address")
    if named is not None and of_address.get((name, field)) != named:
        store[field] = of_address[name, field] = named
    elif named is None and of_address.pop((name, field), None) is not None:
        store.pop(field, None)  # the address that named it was left

    def take(value):
        store[field] = value
        if is_in_address:
            session.view = view().with_choice(name, field, value, default)
            publish()  # in a fragment nothing else does

    return tied(key, store.get(field, default), take, **widget)


def computed(name, key, make):
    """`make()` once per name and key, for all sessions; the key holds the digest of the data set it is made of."""
    return server().results.get((name, key), make, visit())


def known(name, key):
    """What `computed` has made already, else None."""
    return server().results.known((name, key), visit())


def ahead(name, key, make):
    """Let the server make what `computed` will be asked for, in its spare time; `make` takes a `Stages`."""
    if not _ahead.is_on or known(name, key) is not None:
        return
    results, user = server().results, visit()
    _ahead.want((name, key), lambda stage: results.get((name, key), lambda: make(stage), user))


def work_ahead():
    """From now on do what `ahead` asks for: this process serves visitors, who look at one page while the next is prepared."""
    _ahead.is_on = True


def wait_for_ahead(name, key, show):
    """Wait for what `ahead` is making just now, showing its progress."""
    _ahead.wait((name, key), show)


def cancel(place):
    """Do not make what is made at a place of a page until this session wants it again."""
    memory("cancelled")[place] = True
    _ahead.cancel(lambda asked: place_of(*asked) == place)


def place_of(name, key):
    """The place of a page where something is made."""
    return f"{name}-{key}"


def was_cancelled(place):
    """Whether `cancel` was called for a place."""
    return place in memory("cancelled")


def forget(name, key):
    """Forget what `computed` has made."""
    server().results.drop((name, key))


def is_told_first(place):
    """True when it is asked for the first time in this run of the page."""
    told = memory("told")
    if told.get("run") != session.get("n_runs"):
        told.clear()
        told["run"] = session.get("n_runs")
    is_first, told[place] = place not in told, True
    return is_first


def resume(place):
    """Make it after all."""
    memory("cancelled").pop(place, None)


def whole_run():
    """End a run of a fragment alone in favour of one of the whole page: what runs in a fragment cannot be cancelled."""
    context = get_script_run_ctx()
    if context is not None and context.fragment_ids_this_run:
        st.rerun()


def answered(key, make):
    """`make()` once per model and sample."""
    return computed("answer", key, make)


def opened_model(key, make):
    """`make()` once per model and answers about it."""

    def opened():
        with st.spinner("Reading the model …"):
            return make()

    return server().models.get(key, opened, visit())
