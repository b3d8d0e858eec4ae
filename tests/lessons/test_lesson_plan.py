"""The minutes of the lesson plan are those of the lessons' texts."""

import math
import re
from pathlib import Path

import pytest

from hierviz.lessons.catalogue import lessons

PAGE = Path(__file__).parents[2] / "docs" / "lessons.md"


def words(text):
    return len(re.findall(r"[\w'’.]+", re.sub(r"[*`_]", "", text)))


def clock(text):
    minutes, seconds = map(int, text.split(":"))
    return minutes + seconds / 60


@pytest.mark.long
def test_the_plan_is_that_of_the_texts():
    page = PAGE.read_text(encoding="utf-8")
    planned = {}
    for row in re.findall(r"^\| ([^|]*) \| ([\d.]+) \| ([^|]*) \| (\d+) \| (\d+) \|", page, re.MULTILINE):
        planned[row[2]] = row[1:2] + row[3:]
    for title, *row in re.findall(r"^\| ([A-Z][^|]*) \| ([\d.]+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE):
        planned[title] = tuple(row)
    for lesson in lessons():
        results = [(step, step.result()) for step in lesson.steps]
        count = sum(sum(map(words, (one.text, one.question, *one.options, found.reveal))) for one, found in results)
        minutes, steps, written = map(float, planned[lesson.title])
        # What numbers are written with may change by a word.
        assert (steps, written) == (len(lesson.steps), pytest.approx(count, abs=3)), lesson.title
        assert minutes == math.ceil((written / 150 * 60 + 45 * steps) / 30) / 2, lesson.title


def test_the_clock_adds_up_to_a_class():
    rows = re.findall(r"^\| (\d\d:\d\d) \| ([\d.]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    at = 0.0
    for start, minutes in rows:
        assert clock(start) == at
        at += float(minutes)
    assert at == 45
