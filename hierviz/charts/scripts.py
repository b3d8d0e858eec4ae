"""The programs and styles of drawings in the browser, as text: of a sample, and of a taxonomy that one zooms into."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
# Of a sample: what draws, and what asks before it shows.
LADDER = ("ladder.js", "ladder_asks.js")
ZOOM = ("zoom_scene.js", "zoom_search.js", "zoom_file.js", "zoom.js")


def text_of(name):
    """A file of this folder."""
    return (HERE / name).read_text(encoding="utf-8")


def script_of(*names):
    """Programs of this folder as one text, after what they all begin with."""
    return "".join(map(text_of, ("unpack.js", *names)))
