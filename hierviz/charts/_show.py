"""A chart in a notebook, with the network off: an iframe that carries everything it needs."""

from __future__ import annotations

import html
import json
import re
from typing import Any

from hierviz.charts.export import browser_library, to_svg, to_vega_lite
from hierviz.charts.theme import palette

PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>hierviz</title><style>
body{{margin:0;background:{background};color:{ink};font:14px sans-serif}}
#chart svg{{max-width:100%;height:auto}}
.vega-bindings{{padding:4px 2px}} .vega-bindings input{{width:min(420px,60vw);vertical-align:middle}}
</style></head><body><div id="chart"></div><script>{library}</script>
<script>(function(spec){{vegaEmbed("#chart",spec,{{actions:false,renderer:"svg"}})}})({spec});</script></body></html>"""


class Shown:
    """What `show` returns: notebooks draw it, and `html` is a page of its own."""

    def __init__(self, page, width, height):
        self.html = page
        self.width, self.height = width, height

    def _repr_html_(self):
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" width="{self.width}" height="{self.height}" '
            'style="border:0;max-width:100%" title="hierviz chart"></iframe>'
        )

    def __repr__(self):
        return f"<hierviz chart, {self.width} x {self.height} pixels>"


def show(chart: Any, dark: bool = False) -> Shown:
    """Show a chart in a notebook; works offline, and the keyboard reaches its slider.

    Parameters
    ----------
    chart : altair chart
        As a builder returned it.
    dark : bool
        As passed to the builder.

    Returns
    -------
    Shown
        ``_repr_html_`` is an iframe sized to the chart (about 2 MB), ``html`` the page inside it.
    """
    spec = to_vega_lite(chart, dark)
    size = re.findall(r'<svg[^>]*? width="([\d.]+)" height="([\d.]+)"', to_svg(chart, dark))[0]
    width, height = map(float, size)
    # Bound inputs stand below the picture, one a line.
    n_inputs = sum(bool(param.get("bind")) for param in spec.get("params", ()))
    look = palette(dark)
    page = PAGE.format(
        background=look.background,
        ink=look.ink,
        library=browser_library(),
        spec=json.dumps(spec, ensure_ascii=False).replace("</", "<\\/"),
    )
    return Shown(page, round(width) + 8, round(height) + 8 + (14 + 28 * n_inputs if n_inputs else 0))
