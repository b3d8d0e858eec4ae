"""The lessons as notebooks: the same text, questions and functions as on the page Learn.

python -m hierviz.lessons.notebook [FOLDER]     rewrite notebooks/lessons/*.ipynb
"""

from __future__ import annotations

import json
import sys
from html import escape
from pathlib import Path

import hierviz as hv
from hierviz.lessons.catalogue import LESSON_FILES, lessons
from hierviz.lessons.lesson import Number, Result, markdown_table

FIRST = "from hierviz.lessons import notebook\nfrom hierviz.lessons.catalogue import lesson\n\nthis = lesson({key})"
LONGEST = 120


def show(result: Result, width: int = 760) -> None:
    """Show the text and the pictures of a step, without its answer.

    Parameters
    ----------
    result : Result
    width : int
        Pixels.
    """
    from IPython.display import HTML, display

    if result.quoted:
        display(HTML(f"<blockquote>{escape(result.quoted)}</blockquote><p><small>{escape(result.credit)}</small></p>"))
    for figure in result.of_question:
        display(hv.show(figure.figure.draw(False, width)))


def reveal(result: Result, options: tuple[str, ...] = (), width: int = 760) -> None:
    """Show the answer of a step with its numbers, table and charts.

    Parameters
    ----------
    result : Result
    options : tuple of str
        Of the question.
    width : int
        Pixels.
    """
    from IPython.display import Markdown, display

    answer = f"Answer: **{options[result.right]}**\n\n" if options else ""
    display(Markdown(answer + result.reveal))
    if result.numbers:
        display(Markdown(" · ".join(f"{number.label} **{number.text}**" for number in result.numbers)))
    if result.rows:
        display(Markdown(_table(result.rows)))
    for figure in (*(result.before if result.asked else ()), *result.after):
        display(hv.show(figure.figure.draw(False, width)))


def _table(rows):
    lines = [[cell.text if isinstance(cell, Number) else str(cell) for cell in row.values()] for row in rows]
    return markdown_table(list(rows[0]), lines)


def notebook_of(lesson):
    """The notebook of a lesson as a dict of nbformat 4."""
    place = list(LESSON_FILES).index(lesson.key) + 1
    cells = [
        _words(
            f"# {place}. {lesson.title}\n\n{lesson.summary}\n\nEach step asks a question first. Predict, then run the cell "
            "below it. Change the settings and run again. `??this.step(1).work` shows how the numbers of a step are computed."
        ),
        _code(FIRST.format(key=json.dumps(lesson.key))),
    ]
    for number, step in enumerate(lesson.steps, 1):
        options = "\n".join(f"- {option}" for option in step.options)
        cells += [
            _words(f"## {number}. {step.title}\n\n{step.text}"),
            _code(
                f"{_settings(step.defaults)}\nresult = this.step({number}).result(**settings)\nnotebook.show(result)"
            ),
            _words(f"**{step.question}**\n\n{options}"),
            _code(f"notebook.reveal(result, this.step({number}).options)"),
        ]
    cells += [
        _words(f"## Exercise\n\n{lesson.exercise.text}"),
        _code("solution = this.exercise.result()\nnotebook.show(solution)\nnotebook.reveal(solution)"),
    ]
    for i, cell in enumerate(cells):
        cell["id"] = f"{lesson.key}-{i}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _settings(values):
    """A line that sets a dict, or several where it is long."""
    pairs = [
        f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in values.items()
    ]
    line = f"settings = {{{', '.join(pairs)}}}"
    return line if len(line) <= LONGEST else "settings = {\n" + "".join(f"    {pair},\n" for pair in pairs) + "}"


def _words(text):
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text):
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text.splitlines(keepends=True),
    }


def notebook_text(lesson):
    """The notebook of a lesson as it is written to a file."""
    return json.dumps(notebook_of(lesson), indent=1, ensure_ascii=False) + "\n"


def file_name(lesson):
    """Name of the file of a lesson, in the order of the lessons."""
    return f"{list(LESSON_FILES).index(lesson.key) + 1:02d}-{lesson.key}.ipynb"


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "notebooks/lessons")
    folder.mkdir(parents=True, exist_ok=True)
    for one in lessons():
        (folder / file_name(one)).write_text(notebook_text(one), encoding="utf-8")
