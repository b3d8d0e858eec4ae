"""References of docstrings as text below each of them, including those in the docstring of the module.

`[1]_` is a link to the footnote 1 of a page; on a page with many docstrings that would be another one's.
"""

import inspect
import re
import sys

import hierviz

CITED = re.compile(r"\[(\d+)\]_")
ENTRY = re.compile(r"^\.\. (\[\d+\]) (.*)$")


def entries(lines):
    """{"[1]": text} of the References of a docstring."""
    found, number = {}, None
    for line in lines:
        start = ENTRY.match(line.strip())
        if start:
            number = start[1]
            found[number] = start[2]
        elif number and line.startswith((" ", "\t")) and line.strip():
            found[number] += f" {line.strip()}"
        else:
            number = None
    return found


def around(name, obj):
    """References of the module and the class of an object."""
    function = getattr(obj, "fget", None) or getattr(obj, "func", None) or obj
    known = entries(inspect.cleandoc(sys.modules[function.__module__].__doc__ or "").splitlines())
    owner = getattr(hierviz, name.split(".")[1], None)
    return known | entries((inspect.getdoc(owner) or "").splitlines())


def as_text(app, what, name, obj, options, lines):
    """Replace links by text, and end the docstring with the references that it cites."""
    if not any(CITED.search(line) or ENTRY.match(line.strip()) for line in lines):
        return
    own = entries(lines)
    known = around(name, obj) | own
    cited = sorted({f"[{number}]" for line in lines for number in CITED.findall(line)} | set(own))
    kept, is_entry = [], False
    for line in lines:
        is_entry = bool(ENTRY.match(line.strip())) or (is_entry and line.startswith((" ", "\t")))
        if not is_entry:
            kept.append(CITED.sub(r"[\1]", line))
    while kept and (not kept[-1].strip() or kept[-1].strip() in ("References", "-" * 10)):
        kept.pop()
    missing = [number for number in cited if number not in known]
    if missing:
        raise ValueError(f"{name}: expected a reference for {missing[0]}, got none. Add it to the docstring.")
    lines[:] = [*kept, "", "References", "-" * 10]
    for number in cited:
        lines += ["", f"{number} {known[number]}"]
    lines.append("")


def setup(app):
    """Before napoleon reads the sections."""
    app.connect("autodoc-process-docstring", as_text, priority=400)
    return {"parallel_read_safe": True}
