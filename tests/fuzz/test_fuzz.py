"""Damaged files in processes that are watched: each one reads or is refused in one line, in little memory.

`python -m tests.fuzz` does the same with thousands.
"""

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("PIL")
pytest.importorskip("onnxruntime")

from .corpus import corpus
from .watchdog import watched

# Far above what a file takes on a slow machine: what hangs, hangs for good.
SECONDS = 120


def findings(tally):
    """Text that names what went wrong, and what to do to see it."""
    return "\n".join(f"number {number}: {fate}: {words}" for number, fate, words in tally.findings)


@pytest.mark.long
def test_three_hundred_damaged_files():
    tally = watched(0, 300, "files", seconds=SECONDS)
    assert not tally.findings, findings(tally)
    assert tally.counts.total() == 300
    assert min(tally.counts["fine"], tally.counts["one line"]) > 30  # neither is a matter of course


@pytest.mark.long
def test_thirty_damaged_models():
    tally = watched(0, 30, "models", seconds=SECONDS)
    assert not tally.findings, findings(tally)
    assert tally.counts.total() == 30


def test_every_file_of_the_corpus():
    cases = corpus()
    tally = watched(0, len(cases), "corpus", seconds=SECONDS)
    names = "\n".join(f"{cases[number][0]}: {fate}: {words}" for number, fate, words in tally.findings)
    assert not tally.findings, names
    assert tally.counts.total() == len(cases)
