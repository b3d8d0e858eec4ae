"""The module that draws a sample in the browser, with Vega, as the app serves it."""

from __future__ import annotations

import functools
import hashlib

from hierviz.charts._figure import text_of


def ladder_script():
    """The program of the drawing: what draws, and what asks before it shows."""
    return "".join(map(text_of, ("unpack.js", "ladder.js", "ladder_asks.js")))


@functools.cache
def module_name():
    """File name of `browser_module`: another one for another content."""
    import vl_convert

    content = ladder_script() + text_of("ladder.css") + vl_convert.__version__
    return f"ladder-{hashlib.sha256(content.encode()).hexdigest()[:16]}.js"


@functools.cache
def browser_module():
    """An ES module that exports `hierviz` and `vegaEmbed`, about 0.9 MB of text."""
    import vl_convert

    return vl_convert.javascript_bundle(ladder_script() + "export { hierviz, vegaEmbed };\n")
