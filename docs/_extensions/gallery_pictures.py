"""Runs the code of the page `gallery` and puts what it shows below it, in light and dark.

The blocks run from top to bottom, in the folder of the repository. One that ends with `hv.show(...)` gets its picture, so a
picture is always that of the code above it; an error ends the build.
"""

import ast
import contextlib
import html
import re
from pathlib import Path

import hierviz as hv

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^### (.+)$", re.MULTILINE)


def run(text, names, page="gallery"):
    """Run a block; the call inside its last `hv.show(...)`, or None."""
    tree = ast.parse(text, page)
    last = tree.body[-1]
    shown = None
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and ast.unparse(last.value.func) == "hv.show":
        shown = tree.body.pop().value.args[0]
    exec(compile(tree, page, "exec"), names)
    return shown


def draw(call, names, is_dark):
    """SVG of the chart that a call of a builder makes."""
    keywords = [one for one in call.keywords if one.arg != "dark"] + [ast.keyword("dark", ast.Constant(is_dark))]
    look = ast.fix_missing_locations(ast.Expression(ast.Call(call.func, call.args, keywords)))
    return hv.charts.to_svg(eval(compile(look, "gallery", "eval"), names), is_dark)


def with_pictures(source, folder):
    """The page with a picture below each block that shows one; the SVG files go into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {"__name__": "__main__"}
    titles = [(match.start(), match[1]) for match in HEADING.finditer(source)]

    def below(match):
        call = run(match[1], names)
        if call is None:
            return match[0]
        title = [words for place, words in titles if place < match.start()][-1]
        builder = ast.unparse(call.func).rpartition(".")[2]
        tags = []
        for look in ("light", "dark"):
            (folder / f"{builder}-{look}.svg").write_text(draw(call, names, look == "dark"), encoding="utf-8")
            place = f"_static/{folder.name}/{builder}-{look}.svg"
            tags.append(f'<img class="only-{look}" src="{place}" alt="{html.escape(title)}" loading="lazy">')
        return f'{match[0]}\n\n<div class="gallery-picture">{"".join(tags)}</div>'

    with contextlib.chdir(ROOT):
        return BLOCK.sub(below, source)


def setup(app):
    """Pictures are drawn as the page is read."""

    def read(app, docname, source):
        if docname == "gallery":
            source[0] = with_pictures(source[0], Path(app.outdir) / "_static" / "gallery")

    app.connect("source-read", read)
    return {"parallel_read_safe": True}
