"""What Open files offers in addition to the fields: demos, examples of files, text to paste, files opened before."""

import tempfile
from dataclasses import replace
from pathlib import Path

import streamlit as st

from hierviz.app import state
from hierviz.app.state import opened, remembered, upload_fields
from hierviz.app.state.escape import escape, in_form_words
from hierviz.app.widgets.links import go_to
from hierviz.app.widgets.table import download
from hierviz.demo import DEMOS, bundle_folder
from hierviz.messages.errors import HiervizError
from hierviz.readers.predictions_writer import write_predictions
from hierviz.reports.view import DEMO, NAME_OF_DEMO

TAXONOMY = "parent,child\nanimal,mammal\nmammal,cat\nmammal,dog\nanimal,newt\n"
PREDICTIONS = "sample_id,cat,dog,newt\na,0.7,0.2,0.1\nb,0.3,0.4,0.3\n"
INPUTS = "weight,legs,length\n4.1,4,46\n0.02,4,11\n"
TRUTH = "sample_id,truth,camera\na,cat,north\nb,mammal,south\n"
# By where the predictions come from: title, file or sentence, and a note on the file.
OF_FILES = (
    ("Taxonomy", TAXONOMY, "Parents and children; one level per column, paths, JSON and other forms work too."),
    ("Predictions", PREDICTIONS, "A score for each class; lists of the best classes and labels work too."),
    ("Truth", TRUTH, "Leaves or inner classes. Further columns are attributes to filter and compare by."),
)
OF_MODELS = (
    OF_FILES[0],
    ("Inputs", INPUTS, "One row per sample; or a zip of pictures, texts, .npy, .npz."),
    OF_FILES[2],
)
TABLE = "sample_id,cat,dog,newt,truth\na,0.7,0.2,0.1,cat\nb,0.3,0.4,0.3,mammal\nc,0.2,0.3,0.5,dog\n"
# Text to paste by the slot of the uploader: its name in the memory, label and example.
PASTED = {
    "taxonomy": ("taxonomy", "Taxonomy as CSV", TAXONOMY),
    "predictions": ("table", "Predictions as CSV, with a column truth if it is known", TABLE),
}
LONGEST = 1_000_000  # letters of a text


def file_samples(kind):
    """Small files side by side, or folded and one below the other where the page is narrow.

    Parameters
    ----------
    kind : {'Predictions', 'Model'}
    """
    samples, is_wide = OF_FILES if kind == "Predictions" else OF_MODELS, state.session.px > 600
    with st.expander("How the files look", icon=":material/table:", expanded=is_wide):
        columns = st.columns(len(samples)) if is_wide else [st.container() for _ in samples]
        for column, (title, text, note) in zip(columns, samples, strict=True):
            with column:
                st.markdown(f"**{title}**")
                st.code(text.rstrip("\n"), language=None)
                st.caption(note)


def demos():
    """Buttons that open a demo, and its files to download."""
    with st.container(horizontal=True, vertical_alignment="center"):
        for key, name in NAME_OF_DEMO.items():
            icon = ":material/directions_car:" if key == DEMO else ":material/article:"
            st.button(DEMOS[name], icon=icon, key=f"open-{key}", on_click=_ask, args=("demo", key))
        with st.popover("Files of a demo", icon=":material/download:", type="tertiary"):
            st.caption("Examples of all forms, which can be opened below.")
            _downloads()
    asked = state.memory("offers").pop("demo", None)
    if asked is not None:
        opened.show_data(asked)
        go_to("overview")


def _ask(what, value):
    state.memory("offers")[what] = value


def _downloads():
    assets, models = bundle_folder() / "assets", bundle_folder() / "models"
    files = (
        ("Taxonomy", assets / "demo" / "taxonomy.csv", "vehicles-taxonomy.csv"),
        ("Predictions of Flat softmax", None, "vehicles-predictions.csv"),
        ("Truth", assets / "demo" / "examples.csv", "vehicles-truth.csv"),
        ("Model (ONNX)", models / "flat_softmax.onnx", "flat_softmax.onnx"),
        ("Pictures (inputs of the model)", assets / "demo" / "pictures.zip", "vehicles-pictures.zip"),
        ("Taxonomy of the articles", assets / "wikipedia" / "taxonomy.csv", "articles-taxonomy.csv"),
        ("Predictions for the articles", assets / "wikipedia" / "flat.parquet", "articles-flat.parquet"),
        ("Truth and texts of the articles", assets / "wikipedia" / "examples.csv", "articles-truth.csv"),
        ("Credit and licences of the articles", assets / "wikipedia" / "README.md", "articles-README.md"),
    )
    for label, path, name in files:
        download(label, _predictions if path is None else path.read_bytes, name, f"get-{name}", type="tertiary")


def _predictions():
    """Predictions of the first model of the demo as CSV."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.csv"
        write_predictions(opened.demo(DEMO).first.predictions, path)
        return path.read_bytes()


def paste():
    """Two fields whose texts become files in the uploaders."""
    with st.expander("Paste a small table", icon=":material/content_paste:"):
        for column, (name, label, example) in zip(st.columns(2, gap="large"), PASTED.values(), strict=True):
            column.text_area(label, height=190, max_chars=LONGEST, **state.kept("pasted", name, example))
        st.button("Use these tables", key="use-pasted", on_click=lambda: _put(_texts()))
        if upload_fields.paste_refused():
            st.error(escape(upload_fields.paste_refused()), icon=":material/error:")
        st.caption("They are read as files in the fields below. **Open** also reads what was typed here.")


def _put(texts):
    upload_fields.paste_uploads({slot: (name, text) for slot, (name, text, _) in texts.items()})


def _texts():
    """Slot of an uploader -> (file name, text, the example)."""
    texts = state.memory("pasted")
    return {
        slot: (f"pasted-{slot}.csv", texts.get(name, example), example) for slot, (name, _, example) in PASTED.items()
    }


def use_what_was_typed(chosen):
    """Put changed texts, and the example of the other field, into the uploaders that hold no other file.

    Parameters
    ----------
    chosen : dict of str to str, tuple of str or None
        Paths that the uploaders hold.
    """
    free = {}
    for slot, pasted in _texts().items():
        held = chosen.get(slot) or ()
        if {Path(path).name for path in ((held,) if isinstance(held, str) else held)} <= {pasted[0]}:
            free[slot] = pasted
    if any(text != example for _, text, example in free.values()):
        _put(free)


def opened_before():
    """Files that were opened by path on this machine: a button for each, and one that forgets them all."""
    found = remembered.remembered()
    if not found:
        return
    with st.expander("Opened before on this machine", icon=":material/history:", expanded=True):
        for number, files in enumerate(found):
            names = ", ".join(Path(path).name for path in (*files.predictions, *files.model))
            st.button(
                escape(names),
                key=f"remembered-{number}",
                icon=":material/folder_open:",
                help=escape("\n".join(files.paths)),
                on_click=_ask,
                args=("files", files),
            )
        st.button("Forget this list", key="forget-remembered", type="tertiary", on_click=remembered.forget_remembered)
        st.caption(escape(f"Only paths are kept, in {remembered.place()}; uploads are not."))
        asked = state.memory("offers").pop("files", None)
        if asked is not None:
            _open(asked)


def _open(files):
    given, run = state.startup_limits()
    try:
        files = replace(files.with_paths(state.allowed_path), given=given, run=run)
        opened.open_and_put(files)
    except HiervizError as error:
        st.error(escape(in_form_words(error, is_of_path=True)), icon=":material/error:")
        return
    remembered.remember(files)
    go_to("overview")
