"""File uploaders whose files outlive the page: copied into the server's folder within limits; what is refused is reported."""

from __future__ import annotations

import io
from dataclasses import dataclass, field, replace
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import DeletedFile

from hierviz.app.state.current import session
from hierviz.app.state.escape import escape
from hierviz.app.state.file_content import stamp
from hierviz.app.state.limits import size_text
from hierviz.app.state.server_memory import memory, server
from hierviz.app.state.uploads import Uploads
from hierviz.app.state.visits import visit
from hierviz.messages.errors import FileError

CLASSES = "class-names.txt"
# Fields of `Files` with a file that is made next to an error, and what holds no longer with it.
MADE_ON_THE_PAGE: dict[str, dict[str, tuple[str, ...]]] = {"classes": {"classes_of": ()}, "mapping": {}}


@dataclass(frozen=True)
class _Kept:
    """What became of the files of one uploader.

    Parameters
    ----------
    held : Uploads or None
        Where the files are; of an earlier choice when this one was refused.
    paths : dict
        Streamlit's id of a file -> where it is kept.
    refused : str
        Why the choice was not taken; empty when it was.
    given : list of str
        Ids of the files of this choice.
    """

    held: Uploads | None = None
    paths: dict = field(default_factory=dict)
    refused: str = ""
    given: list = field(default_factory=list)

    @property
    def uploads(self):
        """The files to use, None when there are none."""
        return None if self.refused else self.held


def kept_upload(slot, label, *, several=False, together=False, help=None, **widget):
    """A file uploader whose files stay when the page changes and go with the session or with the next upload.

    Parameters
    ----------
    slot : str
    label : str
    several : bool
    together : bool
        The files belong to one model and lie in one folder.
    help : str, optional

    Returns
    -------
    Uploads or None
    """
    store, key = memory("uploads"), _key(slot)

    def changed():
        given = session[key]
        store[slot] = _taken(given if several else [given] if given else [], store.get(slot, _Kept()), together)

    st.file_uploader(label, key=key, accept_multiple_files=several, on_change=changed, help=help, **widget)
    kept = store.get(slot, _Kept())
    if kept.refused:
        st.error(escape(kept.refused), icon=":material/error:")
    elif kept.uploads is None and session.get(key):
        st.error("These files have been removed from the server: choose them again.", icon=":material/error:")
    elif kept.uploads is not None and not session.get(key):
        # The browser's list is empty after a change of page.
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"Uploaded: {escape(', '.join(path.name for path in kept.uploads.paths))}")
            st.button("Remove", on_click=store.pop, args=(slot,), type="tertiary", key=f"forget_{slot}")
    return kept.uploads


def dealt_upload(slot, label, deal, *, help=None):
    """A file uploader whose files go to other uploaders.

    Parameters
    ----------
    slot : str
    label : str
    deal : callable
        Paths -> dict of slot to paths.
    help : str, optional

    Returns
    -------
    bool
        Whether files were given to it, and where they went they still are.
    """
    store, key = memory("uploads"), _key(slot)

    def changed():
        store[slot] = kept = _taken(session[key], _Kept(), False)
        if kept.uploads is None:
            return
        dealt = deal(kept.uploads.paths)
        for name, paths in dealt.items():
            _move(name, paths)
        _move(slot, ())
        memory("dealt uploads")[slot] = list(dealt)

    st.file_uploader(label, key=key, accept_multiple_files=True, on_change=changed, help=help)
    if (kept := store.get(slot, _Kept())).refused:
        st.error(escape(kept.refused), icon=":material/error:")
    names = memory("dealt uploads").get(slot, [])
    return bool(names) and all(store.get(name, _Kept()).uploads is not None for name in names)


def paste_uploads(texts):
    """Put texts into uploaders in place of what they hold; `paste_refused` reports what cannot be kept.

    Parameters
    ----------
    texts : dict of str to (str, str)
        Slot of an uploader -> (file name, text); empty texts are left out.
    """
    memory("pasted").pop("refused", None)
    for slot, (name, text) in texts.items():
        if not text.strip():
            continue
        try:
            memory("uploads")[slot] = _Kept(keep_content(name, text.strip().encode("utf-8", "replace") + b"\n"))
        except FileError as error:
            memory("pasted")["refused"] = str(error)


def paste_refused():
    """Why the last text was not taken; empty when it was."""
    return memory("pasted").get("refused", "")


def move_upload(source, target, path):
    """Move one file of an uploader to another one, in place of what that holds."""
    others = [one for one in memory("uploads")[source].uploads.paths if str(one) != str(path)]
    _move(target, [Path(path)])
    _move(source, others)


def empty_uploaders(held):
    """Forget these files in the uploaders of this session, on the page as well."""
    for slot in [slot for slot, kept in memory("uploads").items() if kept.held in held]:
        _move(slot, ())


def _key(slot):
    """Key of an uploader: only one of another name starts empty in the browser."""
    return "_".join(["upload", slot, *map(str, filter(None, [memory("emptied uploaders").get(slot)]))])


def _move(slot, paths):
    """Let an uploader hold files that are here already, and start empty in the browser."""
    store, emptied = memory("uploads"), memory("emptied uploaders")
    # The former ones hold the files until these do.
    store[slot] = _Kept(server().uploads.keep(paths, owner=visit().visitor) if paths else None)
    emptied[slot] = emptied.get(slot, 0) + 1


def keep_files(files):
    """Uploads of files that are not here yet, for this visitor, once there is room for them.

    Parameters
    ----------
    files : sequence of open files
        With `name` and `size`.

    Raises
    ------
    FileError
        Where there is no room, or a file cannot have its name.
    """
    with server().bringing:
        server().make_room(visit().visitor, sum(file.size for file in files))
        return server().uploads.keep(files, owner=visit().visitor)


def keep_content(name, content):
    """`keep_files` of one file of these bytes."""
    file = io.BytesIO(content)
    file.name, file.size = name, len(content)
    return keep_files([file])


def limits_words():
    """What may be uploaded, and how long it stays, as sentences."""
    return (
        f"{server().limits.words} Files are removed half a minute after the last page that uses them is closed, "
        "immediately when you close them on this page, or earlier if space is needed and no open page shows them."
    )


def _taken(given, before, together):
    """What becomes of the files that an uploader holds now."""
    ids = [file.file_id for file in given]
    if ids and ids == before.given:
        return before  # the same files: Streamlit's own copy was given back, and they come without content
    fresh = [file for file in given if not isinstance(file, DeletedFile) and file.file_id not in before.paths]
    files = [before.paths.get(file.file_id, file) for file in given]
    lost = [file for file in files if isinstance(file, DeletedFile)]
    if lost or not files:
        said = (
            f"upload: expected {len(files)} files on the server, got {len(files) - len(lost)}; the others have been removed. "
            "Choose the files again."
        )
        return _Kept(before.held, before.paths, said, ids) if lost else _Kept()
    owner, limits = visit().visitor, server().limits
    with server().bringing:
        try:
            _require_room(fresh, owner, limits)
        except FileError as error:
            _give_back(fresh)
            return _Kept(before.held, before.paths, str(error), ids)
        try:
            uploads = server().uploads.keep(files, together=together, owner=owner)
        except FileError as error:
            # Leaving a file out may fix it: Streamlit still has the new ones, and we the old ones.
            return _Kept(before.held, before.paths, str(error), ids)
    _give_back(fresh)
    return _Kept(uploads, dict(zip(ids, uploads.paths, strict=True)), given=ids)


def _require_room(fresh, owner, limits):
    count = server().uploads.count(owner) + len(fresh)
    if count > limits.files:
        raise FileError(
            f"upload: expected at most {limits.files} uploaded files of one visitor, got {count} with these. "
            "Remove files that are no longer needed, or start the app with a larger --max-files."
        )
    for file in fresh:
        if file.size > limits.upload:
            raise FileError(
                f"{file.name}: expected a file of at most {limits.upload_words}, got {size_text(file.size)}. "
                "Start the app with a larger --max-upload-mb, or open the file by its path."
            )
    server().make_room(owner, sum(file.size for file in fresh))


def _give_back(files):
    """Let Streamlit forget the content of uploaded files."""
    context = get_script_run_ctx()
    for file in files:
        if context is not None:
            context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
        file.truncate(0)  # closed it could not be copied, which Streamlit does with values of widgets


# Replacements of chosen files: fixed ones, and class names typed next to an error.


def replaced(files):
    """Files with their replacements, as long as they are the same as when these were made."""
    kept = memory("replaced files")
    for place, (before, _) in list(kept.items()):
        if before != _stamp(place):
            del kept[place]
    changed = files.with_paths(lambda path: str(kept[path][1].paths[0]) if path in kept else path)
    for name, more in MADE_ON_THE_PAGE.items():
        made = kept.get((name, files.predictions))
        if made is not None:
            changed = replace(changed, **{name: str(made[1].paths[0])}, **more)
    return replace(changed, held=(*files.held, *(uploads for _, uploads in kept.values())))


def names_replaced():
    """Names of the replacements."""
    return [uploads.paths[0].name for _, uploads in memory("replaced files").values()]


def read_instead(content):
    """Replace files by other content.

    Parameters
    ----------
    content : dict of str to (str, bytes)
        Path, or a key of `MADE_ON_THE_PAGE` and the paths of the predictions that the file is for -> its name and content.
    """
    kept = memory("replaced files")
    for place, (name, data) in content.items():
        kept[place] = (_stamp(place), keep_content(name, data))


def read_as_chosen():
    """Read the files that were chosen again."""
    memory("replaced files").clear()


def _stamp(place):
    """A value that changes with a file, or with one of several."""
    return tuple(map(stamp, place[1])) if isinstance(place, tuple) else stamp(place)
