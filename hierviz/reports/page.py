"""The sections of a report put together into one HTML page that needs nothing else.

Scripts are named by their hashes in a content security policy that allows no request: no name or note
could run or reach the network, even if it were not escaped.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape
from pathlib import Path

from hierviz._version import version
from hierviz.charts import palette
from hierviz.charts.export import browser_library
from hierviz.reports.markup import folded
from hierviz.reports.number_tables import all_numbers

_SPACE = re.compile(r"(?<=[0-9]) (?=%)")
_HERE = Path(__file__).parent
SCRIPTS = ("unpack.js", "charts.js", "tree.js", "matrix.js", "story.js")
COLOURS = ("background", "ink", "muted", "grid", "axis", "tp", "fp", "fn", "path", "others")


def page(parts, *, title, notes, command, examples, left_out, story=()):
    """The page as text.

    Parameters
    ----------
    parts : ReportParts
    title, notes, command : str
    examples : str
        HTML.
    left_out : str
    story : sequence of StoryStep
    """
    sections = [
        ("story", "Story" if len(story) > 1 else "The view", parts.story(story)),
        ("overview", "Overview", parts.overview()),
        ("curves", "Operating curves", parts.curves()),
        ("examples", "Examples", f"<p>{escape(parts.setting)}.</p>{examples}" if examples else ""),
        ("matrix", "Confusion matrix", parts.matrix()),
        ("taxonomy", "Taxonomy", parts.taxonomy_table()),
        ("numbers", "All numbers", folded("Show all numbers", all_numbers(parts.numbers["models"]))),
        ("files", "How the files were read", folded("Show", parts.account())),
        ("about", "About this file", _about(command, left_out, parts.credits)),
    ]
    sections = [section for section in sections if section[2]]
    # A number and its sign stay on one line; the command of the last section is copied as it is.
    sections = [
        (name, heading, _SPACE.sub("\u00a0", html) if name != "about" else html) for name, heading, html in sections
    ]
    links = "".join(f'<a href="#{name}">{heading}</a>' for name, heading, _ in sections)
    body = "".join(f'<section id="{name}"><h2>{heading}</h2>{content}</section>' for name, heading, content in sections)
    data = {"hierviz": version(), "command": command, "evaluate": parts.numbers}
    packed = "".join(
        f'<script type="text/plain" id="packed-{name}">{text}</script>' for name, text in parts.store.items()
    )
    scripts = [browser_library(), "\n".join((_HERE / name).read_text("utf-8") for name in SCRIPTS)]
    policy = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    made = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {policy} 'unsafe-eval'; "
        "style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{_style()}</style></head><body>"
        f'<header><h1>{escape(title)}</h1>{_paragraphs(notes)}<nav aria-label="Sections">{links}</nav></header>'
        f"<main>{body}</main>"
        '<noscript><p class="noscript">Charts, the matrix and the taxonomy need JavaScript.</p></noscript>'
        f'<script type="application/json" id="hierviz-report">{_json(data)}</script>{packed}'
        + "".join(f"<script>{script}</script>" for script in scripts)
        + "</body></html>\n"
    )
    # Names of files that are not UTF-8 have halves of characters.
    return made.encode("utf-8", "backslashreplace").decode("utf-8")


def _style():
    themes = []
    for dark in (False, True):
        look = palette(dark)
        themes.append("".join(f"--{name}:{getattr(look, name)};" for name in COLOURS))
    light, dark = themes
    css = (_HERE / "report.css").read_text("utf-8")
    return f":root{{{light}}}@media screen and (prefers-color-scheme: dark){{:root{{{dark}}}}}{css}"


def _json(value):
    """JSON that cannot end a script element."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def _digest(script):
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


def _paragraphs(text):
    parts = [part for part in text.replace("\r\n", "\n").split("\n\n") if part.strip()]
    if not parts:
        return ""
    made = "".join(f"<p>{escape(part.strip()).replace(chr(10), '<br>')}</p>" for part in parts)
    return f'<div class="notes" aria-label="Notes of the author">{made}</div>'


def _about(command, left_out, credits):
    made = f"<p>Made by hierviz {escape(version())}. This file needs no network and sends no data.</p>"
    made += "".join(f"<p>{escape(credit)}</p>" for credit in credits)
    if left_out:
        made += f"<p>{escape(left_out)}</p>"
    if command:
        made += f"<p>Command that makes this file:</p><pre><code>{escape(command)}</code></pre>"
    return (
        f"{made}<p>The element <code>hierviz-report</code> of this file holds the numbers as JSON, the same as those of "
        "<code>hierviz evaluate</code>.</p>"
    )
