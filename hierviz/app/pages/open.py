"""Open one's own taxonomy, predictions and truth, or an ONNX model with inputs."""

from pathlib import Path

import streamlit as st

from hierviz.app import state
from hierviz.app.model_page import choice as model_choice
from hierviz.app.state import opened, remembered, upload_fields
from hierviz.app.state.dataset import model_files
from hierviz.app.state.escape import escape, in_form_words
from hierviz.app.widgets import offers, shell
from hierviz.app.widgets.account import account
from hierviz.app.widgets.findings_panel import findings_of_open_data, findings_of_refused, found_in_refused
from hierviz.app.widgets.links import go_to, link_to
from hierviz.app.widgets.mapping_panel import mapping_panel
from hierviz.app.widgets.reading_fields import file_readings, projection_fields, reading_fields
from hierviz.app.widgets.session_panel import session_panel
from hierviz.app.widgets.ways_out import forget_readings, replaced_line, truth_offers, ways_out
from hierviz.messages.errors import HiervizError, ModelError
from hierviz.opening.files import OPTIONS, Files
from hierviz.opening.options import LABELS
from hierviz.readers.file_role import file_roles
from hierviz.readers.prediction_forms.camtrap_dp import is_media

st.title("Open your own files")
st.markdown(
    "hierviz needs a **taxonomy** (the tree of classes) and the **predictions** of a model for some samples, as a file or by "
    "running an ONNX model. With the **truth** it also evaluates them."
)
names_outside, first = st.container(), st.container()
offers.demos()
offers.opened_before()
if state.data() is not None:  # else it is drawn below, with the request for the link's files
    with st.expander("Open a session file", icon=":material/bookmark:"):
        session_panel()
ways = ["Upload"] + (["Path on this machine"] if state.may_open_paths() else [])
kinds = {"Predictions": "Prediction files", "Model": LABELS["model"]}
with st.container(horizontal=True, gap="large"):
    kind = st.segmented_control(
        "Predictions from", list(kinds), default="Predictions", format_func=kinds.get, required=True
    )
    way = st.segmented_control("Location", ways, default=ways[0], required=True)
offers.file_samples(kind)
if not state.may_open_paths():
    st.caption(
        "Files can be opened by path only if server and browser are on the same machine, without a reverse proxy between them "
        "and without `--allow-host`, or inside the folder of the option `--allow-paths FOLDER`."
    )
elif way != ways[0] and (folder := state.allowed_folder()) is not None:
    st.caption(escape(f"Files inside {folder} can be opened."))


if way == "Upload":
    st.caption(upload_fields.limits_words())

CLOSING = "Removes the files from the server, for everybody who has a link to them."
chosen: dict = {}
held: list = []


def ask(name, more="", *, several=False, together=False, help=None):
    """One file of the user's as a path, or None; several as a tuple of paths."""
    label, help = f"{OPTIONS[name].label}{more}", help or OPTIONS[name].hint or None
    if way == "Upload":
        given = state.kept_upload(name, label, several=several, together=together, help=help)
        held.append(given)
        paths = () if given is None else tuple(map(str, given.paths))
        if len(paths) > 1 and not (several or together):
            st.caption(f"Of these files only {escape(given.paths[0].name)} is used.")
    else:
        text = st.text_input(label, key=f"path_{name}", help=help, placeholder="/folder/file")
        paths = tuple(part.strip().strip("'\"") for part in text.split(";") if part.strip())
    return paths if several else (paths[0] if paths else None)


opening = None
if way == "Upload" and kind == "Predictions":
    help = (
        "Taxonomy, predictions, truth and a zip of pictures: the role of each is detected from its content, and shown "
    )
    help += "below, where it can be changed."
    with first:
        # Nothing is left to do below where all files are dealt.
        opening = (
            st.container() if upload_fields.dealt_upload("all", "All files at once", file_roles, help=help) else None
        )
    offers.paste()
left, right = st.columns(2, gap="large")
with left:
    chosen["taxonomy"] = ask("taxonomy")
    if kind == "Predictions":
        given_files = ask("predictions", several=True)
        chosen["predictions"] = tuple(path for path in given_files if way != "Upload" or not is_media(path))
        if len(chosen["predictions"]) < len(given_files):
            st.caption("media.csv is read with the observations: it names their pictures.")
    else:
        # The companions of a model are in its folder.
        uploaded = ask("model", several=True, together=True, help=model_choice.COMPANIONS)
        chosen["model"] = model_files(uploaded)
        chosen["inputs"] = ask("inputs")
with right:
    chosen["truth"] = ask("truth", " (optional if it is in the predictions)")
    chosen["media"] = ask("media", ": a zip (optional)")
    with st.expander("Reading options"):
        said = reading_fields()
        classes = ask("classes", ", one per line", several=kind == "Predictions")
        chosen["classes"] = classes if isinstance(classes, str) else classes[0] if classes else None
        chosen["nodes"] = ask("nodes")
        chosen["mapping"] = ask("mapping")
    projection = projection_fields() if kind == "Predictions" else {}
of_single_files = {}
if chosen.get("predictions"):
    of_single_files = file_readings(chosen["predictions"], classes)

limits = dict(zip(("given", "run"), state.startup_limits(), strict=True))
uploads = tuple(upload for upload in held if upload is not None)
given = {name: value for name, value in chosen.items() if value}
files = Files(**given, **said, projection=projection, **of_single_files, **limits, held=uploads)


def press_open():
    """Open what was chosen, and what was typed in place of files."""
    if way == "Upload" and kind == "Predictions":
        offers.use_what_was_typed(chosen)
    state.request_open()


with opening or st.container():
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Open", type="primary", icon=":material/folder_open:", on_click=press_open)
        if opening is not None:
            lists = {role: (paths,) if isinstance(paths, str) else paths for role, paths in given.items()}
            names = (f"{role.capitalize()}: {', '.join(Path(path).name for path in lists[role])}" for role in lists)
            st.markdown(escape("; ".join(names)), width="content")
    if kind == "Predictions" and not chosen["truth"]:
        truth_offers(chosen["predictions"], way)
    replaced_line()
    answer = st.container()


def open_them(files):
    """Read the files and go to their numbers, or show what is wrong with them."""
    chosen_files = files
    try:
        chosen_files = files if way == "Upload" else files.with_paths(state.allowed_path)
        files = upload_fields.replaced(chosen_files)
        dataset = opened.open_and_put(files, opened.open_elsewhere if way == "Upload" else lambda digest: None)
        if way != "Upload":
            remembered.remember(files)
        state.publish()
    except HiervizError as error:
        st.error(escape(in_form_words(error, is_of_path=way != "Upload")), icon=":material/error:")
        opened.open_requested(done=True)
        found = found_in_refused(files)
        if not isinstance(error, ModelError):
            ways_out(error, files, chosen_files, found)
        findings_of_refused(found, files, "refused")
        if files.model and files.taxonomy and (isinstance(error, ModelError) or not files.inputs):
            model_choice.offer(files)
            st.markdown(
                "Give missing information about a model on the page **Model**, where it is selected with the files chosen here."
            )
            link_to("model", "Go to Model", "psychology")
        shell.stop()
    opened.open_requested(done=True)
    forget_readings()
    state.session.just_opened = dataset.key
    go_to("overview")


if opened.open_requested():
    with answer:
        open_them(files)
if opened.open_cancelled():
    st.info("Opening was cancelled. What was open before is unchanged.", icon=":material/cancel:")
if state.view().data != "demo":
    found = shell.open_data()
    st.header(f"Open now: {escape(found.title)}")
    for note in found.notes:
        st.warning(escape(note), icon=":material/content_copy:")
    account(found)
    with names_outside:
        mapping_panel(found)
    findings_of_open_data(found)
    with st.container(horizontal=True, vertical_alignment="center"):
        for page, label in (("overview", "Overview"), ("curves", "Operating curves"), ("example", "Examples")):
            link_to(page, f"Go to {label}")
        if opened.may_close():
            st.button("Close these files and show the demo", on_click=opened.close, help=CLOSING)
        else:
            st.button("Show the demo", on_click=opened.show_data, args=("demo",), key="show-demo")
    if not state.is_startup() and not found.credit:
        whose = "Your" if opened.may_close() else "Another visitor's"
        st.caption(
            "Everybody with the link of this page can see these files while they are open. "
            f"{whose} browser opened them, and only that browser can close them."
        )
