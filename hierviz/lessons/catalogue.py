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

from hierviz.inference.registry import INFERENCE_RULES
from hierviz.lessons.lesson import Lesson, Line, OnData, Step, Text, constants
from hierviz.taxonomy.checks import check_one_of

FOLDER = Path(__file__).parent
LESSON_FILES = MappingProxyType({path.stem[3:]: path for path in sorted(FOLDER.glob("[0-9][0-9]-*.md"))})
# Keys of the head of a file, and of the blocks of its steps; "?" for those that may be left out.
HEAD = ("title", "summary", "terms", "sources", "functions", "models?", "practice?")
STEP = ("compute", "change?", "shown?", "revealed?", "numbers?", "table?", "quoted?", "sentence?")
SENTENCE = "sentence of "
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
    check_one_of("lesson", key, LESSON_FILES)
    return read_lesson(LESSON_FILES[key])


def lessons():
    """All lessons in order."""
    return tuple(lesson(key) for key in LESSON_FILES)


@cache
def glossary():
    """The terms of hierarchical classification as hierviz uses them, each with its text in one line."""
    _, terms = _parts(list(map(Line, (FOLDER / "glossary.md").read_text(encoding="utf-8").splitlines())), "## ")
    return MappingProxyType({str(term): " ".join(lines).strip() for term, lines in terms})


def read_lesson(path):
    """The lesson of a Markdown file.

    Raises
    ------
    FileError
        If the file is not written as a lesson, naming the line, what is expected there and what to do.
    """
    texts = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    lines = [Line(text, path.name, number) for number, text in texts] or [Line("nothing", path.name)]
    above, parts = _parts(lines, "## ")
    head, _ = _settings(above or lines[:1], "---", HEAD)
    for term in head["terms"]:
        term.expect(term in glossary(), "a term of glossary.md", "Add it there, or choose another one.", glossary())
    name, files = head["functions"][0], [path.stem for path in FOLDER.glob("*.py")]
    name.expect(name in files, "a Python file of this folder", "Name the one that has its functions.", files)
    module = importlib.import_module(f"hierviz.lessons.{name}")
    for name in head["models"]:
        name.expect(hasattr(module, name), f"a list in {module.__name__}", "Correct the name.")
    for rule in head["practice"]:
        rule.expect(rule in INFERENCE_RULES, "an inference rule", "Correct it.", INFERENCE_RULES)
    found, steps = {EXERCISE: None, ON_DATA: None}, []
    for heading, body in parts:
        if heading == ON_DATA:
            block, text = _settings(body or [heading.part("nothing")], "```", ("metrics",))
            found[ON_DATA] = OnData(Text(text).filled({}), block["metrics"])
        elif heading == EXERCISE:
            found[EXERCISE] = _step(heading, body, module)
        else:
            steps.append(_step(heading, body, module))
    last = lines[-1].part("none")
    last.expect(steps, "a heading such as ## A near mistake", "Write one for each step.")
    last.expect(found[EXERCISE], f"## {EXERCISE}", "Write a task, and its answer below ### Solution.")
    return Lesson(
        path.stem[3:],
        "; ".join(head["title"]),
        "; ".join(head["summary"]),
        tuple(steps),
        found[EXERCISE],
        head["terms"],
        found[ON_DATA],
        tuple(model for name in head["models"] for model in getattr(module, name)),
        head["sources"],
        head["practice"],
    )


def _step(heading, body, module):
    """A step, or the exercise."""
    above, below = _parts(body, "### ")
    found = heading.part(len(below))
    found.expect(len(below) == 1, "one heading ### with the question", "Write one below the text.")
    block, text = _settings(above or [heading.part("nothing")], "```", STEP)
    name, *_ = block["compute"]
    work = getattr(module, name, None)
    name.expect(inspect.isfunction(work), f"a function of {module.__name__}", "Correct the name.", vars(module))
    controls = tuple(control for named in block["change"] for control in _controls(named, module))
    try:
        inspect.signature(work).bind(**{control.name: control.value for control in controls})
    except TypeError as error:
        named = ", ".join(control.name for control in controls) or "nothing"
        taken = (*block["change"], name)[0].part(f"{named} ({error})")
        taken.expect(False, f"what {name} takes", "Change what it takes.")
    ((question, answer),) = below
    read = [(line, OPTION.fullmatch(line)) for line in answer]
    options = [line.part(option[2]) for line, option in read if option]
    marked = [place for place, mark in enumerate(option[1] for _, option in read if option) if mark == "x"]
    if heading != EXERCISE:
        several, right = question.part(len(options)), "- [x] for the right one"
        several.expect(len(options) > 1, f"two or more options, {right}", "Write them below.")
        found = question.part(len(marked))
        found.expect(len(marked) == 1, f"one of the options marked, {right}", "Mark the right one.")
    values = constants(work)
    return Step(
        str(heading),
        Text(text).filled(values),
        work,
        Text((question,)).filled(values),
        tuple(Text((option,)).filled(values) for option in options),
        *marked[:1] or (0,),
        Text(tuple(line for line, option in read if not option)),
        controls,
        block["shown"],
        block["revealed"] or block["shown"],
        *(block[key] for key in ("numbers", "table", "quoted")),
        {key.removeprefix(SENTENCE): Text(said) for key, said in block.items() if key.startswith(SENTENCE)},
    )


def _controls(named, module):
    """The controls that one name of `change` means: a slider or selector, or several; `name = value` starts it elsewhere."""
    key, start = (named.part(part.strip()) for part in f"{named}=".split("=")[:2])
    known = module.CONTROLS
    key.expect(key in known, f"a key of CONTROLS in {module.__name__}", "Correct it, or add it there.", known)
    if not start:
        return known[key] if isinstance(known[key], tuple) else (known[key],)
    options = getattr(known[key], "options", ())
    start.expect(start in options, f"one of {', '.join(options)}", "Choose one to start with.", options)
    return (replace(known[key], value=str(start)),)


def _parts(lines, mark):
    """The lines above the first heading with a mark; and the headings, each with the lines below it."""
    places = [place for place, line in enumerate(lines) if line.startswith(mark)]
    ends = [*places[1:], len(lines)]
    parts = [(lines[i].part(lines[i].removeprefix(mark).strip()), lines[i + 1 : end]) for i, end in zip(places, ends)]
    return lines[: places[0] if places else len(lines)], parts


def _settings(lines, fence, keys):
    """Lines `key: one; another` between two fences as a dict of key to values, and the lines below.

    Keys that may be left out have no values then.
    """
    body = [line for line in lines if line.strip()] or [lines[0].part("nothing")]
    first = body[0]
    first.expect(first.startswith(fence), f"a block that starts with {fence}", "Write it first.")
    inside = list(takewhile(lambda line: line.strip() != fence, body[1:]))
    none = first.part("none")
    none.expect(len(inside) + 1 < len(body), f"a line {fence} that ends the block", "Write it below the keys.")
    names = [key.removesuffix("?") for key in keys]
    found = {name: () for key, name in zip(keys, names) if key != name}
    for line in inside:
        name, colon, values = line.partition(":")
        is_known = name in names or (name.startswith(SENTENCE) and "sentence" in names)
        line.expect(colon and is_known, f"one of {', '.join(names)} and a colon", "Correct it.", names)
        listed = [values] if name.startswith(SENTENCE) else values.split(";")
        found[name] = tuple(line.part(value.strip()) for value in listed)
    missing = [name for name in names if name not in found]
    none.expect(not missing, ", ".join(missing), "Add a line for each to the block.")
    end = body[len(inside) + 1].number
    return found, tuple(line for line in lines if line.number > end)
