"""Damaged files in processes that are watched: each one reads or is refused in one line, in little memory.

`python -m tests.fuzz` does the same with thousands.
"""

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("PIL")
pytest.importorskip("onnxruntime")

from hierviz.readers import predictions_file, taxonomy_file
from hierviz.readers.classes_file import CLASS_LIST_FORMS
from hierviz.readers.prediction_forms.known_prediction_forms import PREDICTION_FORMS

from .commands import n_exhaustive
from .corpus import command_corpus, corpus
from .forms import PARENTS, classes, predictions, taxonomies
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


def test_every_command_of_the_corpus():
    cases = command_corpus()
    tally = watched(0, len(cases), "command corpus", seconds=SECONDS)
    names = "\n".join(f"{cases[number][0]}: {fate}: {words}" for number, fate, words in tally.findings)
    assert not tally.findings, names
    assert tally.counts.total() == len(cases)


@pytest.mark.long
def test_three_hundred_commands():
    tally = watched(0, 300, "commands", seconds=SECONDS)
    assert not tally.findings, findings(tally)
    assert tally.counts.total() == 300
    assert min(tally.counts["fine"], tally.counts["one line"]) > 60


@pytest.mark.long
@pytest.mark.parametrize("lane", range(0, 30, 7))
def test_every_flag_of_numbers_and_every_form_said_of_every_file(lane):
    """One case of six, in five parts that processors share; `python -m tests.fuzz --exhaustive` runs all."""
    tally = watched(0, n_exhaustive(), "exhaustive", workers=30, lanes=[lane], seconds=SECONDS)
    assert not tally.findings, findings(tally)
    assert tally.counts.total() == len(range(lane, n_exhaustive(), 30))


def test_forms_of_the_fuzzer_are_all_forms():
    assert {form.split(" ")[0] for form in taxonomies()} == set(taxonomy_file.FORMS)
    own = {"wide", "top_k", "long", "lists", "labels", "hard", "npy", "npz"}  # of `seeds`, by the names of their files
    assert own | set(PREDICTION_FORMS) == set(predictions_file.FORMS)
    assert set(PREDICTION_FORMS) <= {form.split(" ")[0] for form in predictions()}
    assert len(classes()) > len(CLASS_LIST_FORMS)
    for form, (name, files) in taxonomies().items():
        assert files, form
        assert not name or name in files
    assert len(PARENTS) == 6
