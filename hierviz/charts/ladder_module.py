"""The module that draws samples and taxonomies in the browser, with Vega, as the app serves it."""

from __future__ import annotations

import contextlib
import functools
import hashlib

from hierviz.charts.scripts import LADDER, ZOOM, script_of, text_of
from hierviz.messages.errors import FileError
from hierviz.messages.new_files import kept_folder, new_text


@functools.cache
def module_name():
    """File name of `browser_module`: another one for another content."""
    import vl_convert

    content = script_of(*LADDER, *ZOOM) + text_of("ladder.css") + text_of("zoom.css") + vl_convert.__version__
    return f"ladder-{hashlib.sha256(content.encode()).hexdigest()[:16]}.js"


@functools.cache
def browser_module():
    """An ES module that exports `hierviz` and `vegaEmbed`, about 0.9 MB of text.

    Kept on disk where a folder for it can be written: it takes two seconds to make.
    """
    import vl_convert

    place = kept_folder() / module_name()
    with contextlib.suppress(OSError):
        return place.read_text("utf-8")
    made = vl_convert.javascript_bundle(script_of(*LADDER, *ZOOM) + "export { hierviz, vegaEmbed };\n")
    with contextlib.suppress(OSError, FileError):
        place.parent.mkdir(parents=True, exist_ok=True)
        with new_text(place) as file:
            file.write(made)
    return made
