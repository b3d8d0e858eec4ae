"""Text that a visitor typed or pasted, as a file in the uploader of its role."""

from __future__ import annotations

import io

from hierviz.app.state.server import server
from hierviz.app.state.server_memory import memory
from hierviz.app.state.upload_fields import keep_upload
from hierviz.app.state.visits import visit
from hierviz.messages.errors import FileError


def paste_uploads(texts):
    """Put texts into uploaders in place of what they hold; what cannot be kept is said by `paste_refused`.

    Parameters
    ----------
    texts : dict of str to (str, str)
        Slot of an uploader -> (file name, text); empty texts are left out.
    """
    memory("pasted").pop("refused", None)
    for slot, (name, text) in texts.items():
        if not text.strip():
            continue
        file = io.BytesIO(text.strip().encode("utf-8", "replace") + b"\n")
        file.name, size = name, file.getbuffer().nbytes
        try:
            with server().shelf.bringing:
                server().shelf.make_room(visit().visitor, size)
                keep_upload(slot, server().uploads.keep([file], owner=visit().visitor))
        except FileError as error:
            memory("pasted")["refused"] = str(error)


def paste_refused():
    """Why the last text was not taken; empty when it was."""
    return memory("pasted").get("refused", "")
