"""What `hierviz doctor` finds: a list with the fixed files on Open files, and one line on the Overview."""

import os
import tempfile
from functools import partial
from pathlib import Path

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape, in_form_words, quoting_little
from hierviz.app.widgets.table import download
from hierviz.evaluation.summary import exchanged_note
from hierviz.findings.doctor import doctor
from hierviz.messages.errors import HiervizError
from hierviz.opening.loading import examined

# More scores, or larger files, are checked on request.
MOST_SCORES, MOST_BYTES = 2 * 10**7, 30 * 10**6
# Files up to this size are read again when they are open, so that fixed ones can be offered.
MOST_AT_ONCE = 2 * 10**6
# Of each severity, whose symbol has its name.
WORDS = {"error": "Error", "warning": "Warning", "info": "Note"}
_SHOWN = 12


def exchanged_columns(data):
    """A warning for each model whose columns of scores look exchanged: its numbers are those of other classes."""
    for key, model in data.models.items():
        words = state.computed("exchanged columns", (data.digest, key), lambda model=model: exchanged_note(model))
        if words:
            st.warning(f"**{escape(model.predictions.name)}**: {escape(words)}", icon=":material/swap_horiz:")


def findings_line(data):
    """One line about the open data, with the list behind it."""
    found = _of_open_data(data)
    if found is None:
        return
    if not len(found):
        st.caption(":material/check: No problems found in the files")
        return
    worst = next(severity for severity, n in found.counts.items() if n)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/{worst}: Problems found in the files: {found.sentence}.")
        with st.popover("Show them", icon=":material/stethoscope:", type="tertiary", key="what-was-found"):
            findings_list(found, (data.digest, "line"), is_of_path=not data.held)


def findings_of_open_data(data):
    """The findings about the open data as a list."""
    found = _of_open_data(data)
    if found is not None:
        st.subheader("Problems found")
        findings_list(found, (data.digest, "open"), is_of_path=not data.held)


def _of_open_data(data):
    """The findings, made once for the content of the files; None where there are too many scores to check unasked."""
    models, files = [model.predictions for model in data.models.values()], data.files
    if files is not None and _is_plain(files) and _size(files) <= MOST_AT_ONCE:
        return state.computed("findings of files", data.digest, lambda: examined(files))
    n_scores = sum(one.n_samples * (one.scores.shape[1] if one.has_scores else 1) for one in models)
    if n_scores > MOST_SCORES:
        return None
    return state.computed("findings", data.digest, lambda: doctor(data.taxonomy, models))


def found_in_refused(files):
    """The Examination of files that could not be opened, at once where they are small; None where there is none."""
    if not files.taxonomy or not files.predictions:
        return None
    if _size(files) > MOST_BYTES and not state.memory("offers").pop("all faults", False):
        st.button(
            "Find all problems",
            icon=":material/stethoscope:",
            help="Not only the first; takes a while for large files.",
            on_click=_ask_for_all,
        )
        return None
    try:
        with st.spinner("Checking the files …"):
            return examined(files)
    except HiervizError:
        return None  # the page shows it already


def _ask_for_all():
    # The error above the problems is there after an opening only.
    state.memory("offers")["all faults"] = True
    state.request_open()


def findings_of_refused(found, files, key):
    """The findings about files that could not be opened, with the fixed ones."""
    if found is not None and len(found):
        st.markdown(f"**Problems found:** {found.sentence}.")
        findings_list(found, key, is_of_path=not files.held)


def _is_plain(files):
    """Whether the files contain all that was read: no models, parts of the taxonomy, or options of one file."""
    return not (files.model or files.projection or any(files.parametrisations) or any(files.classes_of))


def _size(files):
    """Bytes of the files that are checked."""
    paths = [path for path in (files.taxonomy, files.truth, files.classes, *files.predictions) if path]
    members = [member for path in paths for member in (Path(path).rglob("*") if os.path.isdir(path) else (path,))]
    return sum(os.path.getsize(path) for path in members if os.path.isfile(path))


def findings_list(found, key, is_of_path=False):
    """The findings, and a button for each fixed file."""
    for number, one in enumerate(found):
        if number == _SHOWN:
            box = st.expander(f"{len(found) - _SHOWN} more")
        with box if number >= _SHOWN else st.container():
            text = in_form_words(one.message)
            text = escape(quoting_little(text) if is_of_path else text)
            fix = "" if one.fix is None else f" *Can be fixed: {escape(one.fix)}.*"
            st.markdown(f":material/{one.severity}: **{WORDS[one.severity]}** in {escape(one.where)}: {text}{fix}")
    for number, name in enumerate(found.mended_names):
        help = "The file with everything fixed that can be, and nothing else changed. Check it, then open it."
        content, place = partial(_fixed, found, name), f"fixed-{number}-{abs(hash(key))}"
        download(f"Fixed {escape(name)}", content, name, place, "healing", help=help)


def _fixed(found, name):
    """Content of a fixed file."""
    with tempfile.TemporaryDirectory(prefix="hierviz-fixed-") as folder:
        return next(path.read_bytes() for path in found.write_mended(Path(folder)) if path.name == name)
