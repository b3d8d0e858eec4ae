"""Buttons below an error in the files: each adds one reading option and opens the files again."""

import tempfile
from dataclasses import replace
from pathlib import Path

import streamlit as st

from hierviz.app import state
from hierviz.app.state import opened
from hierviz.app.state.escape import escape
from hierviz.app.state.upload_fields import CLASSES, move_upload, names_replaced, read_as_chosen, read_instead
from hierviz.app.widgets.controls import menu
from hierviz.app.widgets.mapping_panel import NO_CLASS, chosen_file, edited, submitted, with_mapping
from hierviz.messages.errors import HiervizError, shown
from hierviz.opening.loading import names_outside, proposed_mapping
from hierviz.opening.options import LABELS
from hierviz.predictions.parametrisation import PARAMETRISATIONS
from hierviz.readers.file_role import may_be_truth
from hierviz.readers.mapping_file import load_mapping
from hierviz.readers.outside import ANSWERS, TRUTHS

NEAREST = "nearest"
# By field what it is about, and the choices as buttons call them.
OUTSIDE = {
    "outside": (
        ANSWERS,
        {
            "wrong": "Wrong answers",
            "drop": "Leave their samples out",
            "nearest": "Map names to the nearest class; the others are wrong",
        },
    ),
    "outside_truth": (
        TRUTHS,
        {"drop": "Leave their samples out", "nearest": "Map names to the nearest class; leave the others out"},
    ),
}
# Memory of the fields under "Reading options".
READING = "reading"


def reading(field, default=None):
    """Keywords of the field for how files are read, which a button below an error can fill in."""
    return state.kept(READING, field, default)


def forget_readings():
    """Reading options of files that are open now do not apply to others."""
    state.memory(READING).clear()


def ways_out(error, files, chosen, found=None):
    """The buttons below an error.

    Parameters
    ----------
    error : HiervizError
    files, chosen : Files
        As they were read, and as they were chosen.
    found : Examination, optional
        What the doctor found in them.
    """
    wanted, text = error.parameters, error.template
    for field in OUTSIDE:
        if field in wanted:
            _outside(field, files, chosen)
    with st.container(horizontal=True, key="ways-out"):
        for field, value, is_offered, label in (
            ("missing", "zero", "zero" in text, _zero_words(error.about)),
            ("missing", "unknown", "unknown" in text, "Treat unlisted scores as unknown"),
            ("ids", "number", True, "1.0 is 1: compare ids as numbers"),
            ("percent", True, True, "The scores are percent"),
        ):
            if field in wanted and is_offered:
                look = {"icon": ":material/arrow_forward:", "key": f"way-{field}-{value}"}
                st.button(label, on_click=_say, args=(field, value), **look)
        if found is not None and any(one.severity == "error" and one.fix is not None for one in found):
            st.button(
                "Open the fixed files",
                icon=":material/healing:",
                key="way-fixed",
                on_click=_open_fixed,
                args=(found, files, chosen),
                help="With everything fixed that can be, as listed below, and nothing else changed.",
            )
    if "parametrisation" in wanted:
        words = {kind: found.label for kind, found in PARAMETRISATIONS.items()}
        _form("parametrisation", lambda key: menu(LABELS["parametrisation"], words, key=key))
    if "truth_column" in wanted:
        _form("truth_column", lambda key: st.text_input(LABELS["truth_column"], key=key))
    if "classes" in wanted or CLASSES in names_replaced():
        with st.form("way-classes"):
            st.text_area(
                "Names of the classes, one per line, in the order of the numbers or columns",
                key="way-typed-classes",
                height=140,
            )
            st.form_submit_button("Open with these names", on_click=_name_classes, args=(chosen.predictions,))


def ways_out_of_startup(error, files):
    """The same for the files of the command line, where names outside the taxonomy are in question; `files` are those."""
    for field in OUTSIDE:
        if field in error.parameters:
            _outside(field, files, None)


def _outside(field, files, chosen):
    """What names outside the taxonomy count as: the most frequent ones, a button for each choice, and what they are mapped to.

    `chosen` are the files as they were chosen on the page Open files; None for those of the command line.
    """
    what, choices = OUTSIDE[field]
    say, arguments = (_say, ()) if chosen is not None else (_open_startup, (files,))
    with st.spinner("Counting the names …"):
        records = names_outside(files, what)
    for record in records:
        n = len(record.rows)
        have = "1 sample has" if n == 1 else f"{n:,} samples have"
        st.markdown(f"{have} {what} that the taxonomy does not hold: {escape(record.words())}.")
    st.markdown(f"What do {what} outside the taxonomy count as?")
    mapping = proposed_mapping(records)
    with st.container(horizontal=True, key=f"ways-{field}"):
        for value, label in choices.items():
            if value != NEAREST or mapping is None:
                st.button(label, on_click=say, args=(field, value, *arguments), key=f"way-{field}-{value}")
    if mapping is None:
        return
    key = f"mapping-of-{field}"
    with st.form(f"way-{field}-mapping"):
        st.markdown(f"{mapping.sentence} Change what a name is mapped to, or choose *{NO_CLASS}*.")
        edited(mapping, key)
        # In a form: a change alone would end the error.
        given = (field, files, chosen, mapping, key)
        st.form_submit_button(choices[NEAREST], on_click=_map, args=given, key=f"way-{field}-{NEAREST}")


def _map(field, files, chosen, mapping, key):
    """Open the files with the mapping of the table: what was changed in it becomes a file."""
    try:
        mapping = submitted(mapping, key)
        if any(row.is_chosen for row in mapping):
            before = () if files.mapping is None else load_mapping(files.mapping, mapping.taxonomy).rows
            others = tuple(row for row in before if row.given not in mapping.given)
            mapping = replace(mapping, rows=(*others, *mapping.rows))
            if chosen is None:
                files = with_mapping(files, mapping)
            else:
                read_instead({("mapping", chosen.predictions): chosen_file(mapping)})
    except HiervizError as error:
        st.error(escape(str(error)), icon=":material/error:")
    if chosen is None:
        _open_startup(field, NEAREST, files)
    else:
        _say(field, NEAREST)


def replaced_line():
    """Which files are read instead of others, and a button that ends it."""
    names = names_replaced()
    if names:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"Read instead of the chosen files: {escape(', '.join(names))}", width="content")
            st.button("Read the files as chosen", on_click=read_as_chosen, type="tertiary", key="read-as-chosen")


def truth_offers(paths, way):
    """A button for each prediction file that may be the truth of the others.

    Parameters
    ----------
    paths : sequence of str
        Prediction files, while no truth is chosen.
    way : str
        "Upload", or by path.
    """
    for number, path in enumerate(paths if len(paths) > 1 else ()):
        if may_be_truth(Path(path)):
            st.button(
                f"{escape(Path(path).name)} is the truth",
                icon=":material/fact_check:",
                key=f"way-truth-{number}",
                on_click=_is_truth,
                args=(path, paths, way),
                help="It is now read as the answers of another model.",
            )


def _zero_words(names):
    shown_names = ", ".join(shown(name, 24) for name in names[:2]) or "the missing classes"
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return f"Treat {escape(shown_names)}{more} as probability 0"


def _say(field, value):
    state.memory(READING)[field] = value
    state.request_open()


def _open_startup(field, value, files):
    """Open the files of the command line with a choice."""
    opened.restart_startup_with(**{field: value}, mapping=files.mapping, held=files.held)


def _form(field, widget):
    """A field of the reading options again, with its own button: typing alone would end the error."""
    key = f"way-typed-{field}"
    with st.form(f"way-{field}"):
        widget(key)
        st.form_submit_button("Open with this", on_click=lambda: _say(field, state.session[key]))


def _name_classes(predictions):
    text = state.session["way-typed-classes"].strip()
    if text:
        try:
            read_instead({("classes", predictions): (CLASSES, f"{text}\n".encode("utf-8", "replace"))})
        except HiervizError as error:
            st.error(escape(str(error)), icon=":material/error:")
    state.request_open()


def _open_fixed(found, files, chosen):
    """Read the fixed files, under the names of the files they are made of."""
    made = dict(zip(files.paths, chosen.paths, strict=False)) if len(files.paths) == len(chosen.paths) else {}
    places = {Path(path).name: made.get(path, path) for path in files.paths}
    with tempfile.TemporaryDirectory(prefix="hierviz-fixed-") as folder:
        try:
            written = found.write_mended(Path(folder))
            read_instead({places[path.name]: (path.name, path.read_bytes()) for path in written})
        except HiervizError as error:
            st.error(escape(str(error)), icon=":material/error:")
    state.request_open()


def _is_truth(path, paths, way):
    if way == "Upload":
        move_upload("predictions", "truth", path)
    else:
        state.session["path_predictions"] = "; ".join(one for one in paths if one != path)
        state.session["path_truth"] = path
    state.request_open()
