"""The lessons in their order, and the glossary: Markdown files of this folder, read and checked.

A lesson is a file such as `02-sandbox.md`: its number is its place, the rest its key. docs/lessons.md describes its form.
"""

import importlib
import inspect
import re
from dataclasses import replace
from functools import cache
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType

from hierviz.lessons.lesson import Lesson, OnData, Step, Text, constants
from hierviz.messages.errors import FileError, PredictionsError, near_miss

FOLDER = Path(__file__).parent
LESSON_FILES = MappingProxyType({path.stem[3:]: path for path in sorted(FOLDER.glob("[0-9][0-9]-*.md"))})
# Keys of the head of a file, and of the blocks of its steps; "?" for those that may be left out.
HEAD = ("title", "summary", "terms", "sources", "functions", "models?")
STEP = ("compute", "change?", "shown?", "revealed?", "numbers?", "table?", "quoted?")
EXERCISE, ON_DATA = "Exercise", "On the opened data"
OPTION = re.compile(r"- \[([ x])\] (.+)")


@cache
def lesson(key):
    """A lesson by its key in `LESSON_FILES`.

    Raises
    ------
    PredictionsError
        If there is none.
    FileError
        If its file is not written as a lesson.
    """
    if key not in LESSON_FILES:
        raise PredictionsError(
            f"lesson: expected one of {', '.join(LESSON_FILES)}, got {key!r}.{near_miss(str(key), LESSON_FILES)} Choose one."
        )
    return read_lesson(LESSON_FILES[key])


def lessons():
    """All lessons in order."""
    return tuple(lesson(key) for key in LESSON_FILES)


@cache
def glossary():
    """The terms of hierarchical classification as hierviz uses them, each with its text in one line."""
    _, terms = _parts(_lines(FOLDER / "glossary.md"), "## ")
    return MappingProxyType({term: " ".join(text for _, text in lines).strip() for _, term, lines in terms})


def read_lesson(path):
    """The lesson of a Markdown file.

    Raises
    ------
    FileError
        If the file is not written as a lesson, naming the line, what is expected there and what to do.
    """
    file, lines = path.name, _lines(path)
    above, parts = _parts(lines, "## ")
    head, _ = _settings(file, above, "---", HEAD)
    title, summary, terms, sources, functions = (head[name] for name in HEAD[:5])
    for term in terms[1]:
        _check(
            term in glossary(),
            file,
            terms[0],
            "a term of glossary.md",
            term,
            "Add it there, or choose another one.",
            glossary(),
        )
    at, (name, *_) = functions
    files = [path.stem for path in FOLDER.glob("*.py")]
    _check(name in files, file, at, "a Python file of this folder", name, "Name the one that has its functions.", files)
    module = importlib.import_module(f"hierviz.lessons.{name}")
    for name in head["models"][1]:
        _check(
            hasattr(module, name), file, head["models"][0], f"a list in {module.__name__}", name, "Correct the name."
        )
    found = {EXERCISE: None, ON_DATA: None}
    steps = []
    for line, name, body in parts:
        if name == ON_DATA:
            block, text = _settings(file, body, "```", ("metrics",))
            found[name] = OnData(Text(file, text).filled({}), block["metrics"][1])
        elif name == EXERCISE:
            found[name] = _step(file, line, name, body, module)
        else:
            steps.append(_step(file, line, name, body, module))
    last = lines[-1][0]
    _check(steps, file, last, "a heading such as ## A near mistake", "none", "Write one for each step.")
    _check(found[EXERCISE], file, last, f"## {EXERCISE}", "none", "Write a task, and its answer below ### Solution.")
    return Lesson(
        path.stem[3:],
        "; ".join(title[1]),
        "; ".join(summary[1]),
        tuple(steps),
        found[EXERCISE],
        terms[1],
        found[ON_DATA],
        tuple(model for name in head["models"][1] for model in getattr(module, name)),
        sources[1],
    )


def _step(file, line, title, body, module):
    """A step, or the exercise."""
    above, below = _parts(body, "### ")
    _check(
        len(below) == 1, file, line, "one heading ### with the question", f"{len(below)}", "Write one below the text."
    )
    block, text = _settings(file, above, "```", STEP)
    at, (name, *_) = block["compute"]
    work = getattr(module, name, None)
    _check(
        inspect.isfunction(work), file, at, f"a function of {module.__name__}", name, "Correct the name.", vars(module)
    )
    controls = tuple(
        control for key in block["change"][1] for control in _controls(file, block["change"][0], key, module)
    )
    try:
        inspect.signature(work).bind(**{control.name: control.value for control in controls})
    except TypeError as error:
        named = ", ".join(control.name for control in controls) or "nothing"
        _check(False, file, block["change"][0], f"what {name} takes", f"{named} ({error})", "Change what it takes.")
    ((at, question, answer),) = below
    options = [(number, OPTION.fullmatch(line)) for number, line in answer if OPTION.fullmatch(line)]
    marked = [place for place, (_, option) in enumerate(options) if option[1] == "x"]
    if title != EXERCISE:
        right = "- [x] for the right one"
        _check(len(options) > 1, file, at, f"two or more options, {right}", f"{len(options)}", "Write them below.")
        _check(
            len(marked) == 1, file, at, f"one of the options marked, {right}", f"{len(marked)}", "Mark the right one."
        )
    values, rows = constants(work), {number for number, _ in options}
    return Step(
        title,
        Text(file, text).filled(values),
        work,
        Text(file, ((at, question),)).filled(values),
        tuple(Text(file, ((number, option[2]),)).filled(values) for number, option in options),
        *marked[:1] or (0,),
        Text(file, tuple(row for row in answer if row[0] not in rows)),
        controls,
        block["shown"][1],
        block["revealed"][1] or block["shown"][1],
        *(block[key][1] for key in ("numbers", "table", "quoted")),
    )


def _controls(file, line, named, module):
    """The controls that one name of `change` means: a slider or selector, or several; `name = value` starts it elsewhere."""
    key, start = (part.strip() for part in f"{named}=".split("=")[:2])
    known = module.CONTROLS
    _check(
        key in known, file, line, f"a key of CONTROLS in {module.__name__}", key, "Correct it, or add it there.", known
    )
    if not start:
        return known[key] if isinstance(known[key], tuple) else (known[key],)
    options = getattr(known[key], "options", ())
    _check(start in options, file, line, f"one of {', '.join(options)}", start, "Choose one to start with.", options)
    return (replace(known[key], value=start),)


def _lines(path):
    """The lines of a file, each with its number."""
    return tuple(enumerate(path.read_text(encoding="utf-8").splitlines(), 1))


def _parts(lines, mark):
    """The lines above the first heading with a mark; and the headings, each with its line, title and the lines below it."""
    places = [place for place, (_, line) in enumerate(lines) if line.startswith(mark)]
    ends = [*places[1:], len(lines)]
    parts = [(lines[i][0], lines[i][1].removeprefix(mark).strip(), lines[i + 1 : end]) for i, end in zip(places, ends)]
    return lines[: places[0] if places else len(lines)], parts


def _settings(file, lines, fence, keys):
    """Lines `key: one; another` between two fences as a dict of key to (line, values), and the lines below.

    Keys that may be left out have no values then.
    """
    body = [(number, line) for number, line in lines if line.strip()]
    first = body[0] if body else (lines[0][0] if lines else 1, "nothing")
    _check(first[1].startswith(fence), file, first[0], f"a block that starts with {fence}", first[1], "Write it first.")
    inside = list(takewhile(lambda row: row[1].strip() != fence, body[1:]))
    _check(
        len(inside) + 1 < len(body),
        file,
        first[0],
        f"a line {fence} that ends the block",
        "none",
        "Write it below the keys.",
    )
    names = [key.removesuffix("?") for key in keys]
    found = {name: (first[0], ()) for key, name in zip(keys, names) if key != name}
    for number, line in inside:
        name, colon, values = line.partition(":")
        _check(
            colon and name in names, file, number, f"one of {', '.join(names)} and a colon", line, "Correct it.", names
        )
        found[name] = (number, tuple(value.strip() for value in values.split(";")))
    missing = [name for name in names if name not in found]
    _check(not missing, file, first[0], ", ".join(missing), "none", "Add a line for each to the block.")
    end = body[len(inside) + 1][0]
    return found, tuple(row for row in lines if row[0] > end)


def _check(holds, file, line, expected, got, what_to_do, names=()):
    """Refuse a file that is not written as a lesson."""
    if not holds:
        raise FileError(f"{file}, line {line}: expected {expected}, got {got!r}.{near_miss(got, names)} {what_to_do}")
