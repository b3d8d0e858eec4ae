"""Long computations on a page: a cancelled one is named, restarts on a click, and leaves the rest of the page."""

import sys
import threading

import numpy as np
import pytest
from small_worlds import EDGES, LEAVES, spread, write
from visit import Visit, shelve

from hierviz.app.state import opened
from hierviz.app.state.shelf import Results
from hierviz.app.state.stages import OpeningCancelledError, SharedOpening


class StopError(Exception):
    """Ends a piece of work."""


def shelved(folder, *names):
    """A data set of forty samples with their truth, and as many models; no other folder has the same content, which is kept."""
    rows = spread(40)
    files = []
    for place, name in enumerate(names or ("all",)):
        scores = np.roll(rows, place, axis=0).tolist()
        table = [["sample_id", *LEAVES], *([f"s{i}-{abs(hash(str(folder)))}", *row] for i, row in enumerate(scores))]
        files.append(write(folder / f"{name}.csv", table))
    truth = [["sample_id", "truth"], *([f"s{i}-{abs(hash(str(folder)))}", LEAVES[i % 6]] for i in range(40))]
    return shelve(
        taxonomy=write(folder / "taxonomy.csv", [("parent", "child"), *EDGES]),
        predictions=tuple(files),
        truth=write(folder / "truth.csv", truth),
    )


def cancelled(visit, monkeypatch, what, page=None, **query):
    """Run a page in which the work of this name is cancelled: the press comes at its first report."""
    from hierviz.app.widgets import progress

    real = progress.server_memory.was_cancelled
    monkeypatch.setattr(progress.server_memory, "was_cancelled", lambda place: place.startswith(what) or real(place))
    visit.go(page, **query)
    monkeypatch.setattr(progress.server_memory, "was_cancelled", real)
    return visit


def test_the_overview_without_its_table(tmp_path, monkeypatch):
    data = shelved(tmp_path)
    visit = Visit("open", data=data.key)
    cancelled(visit, monkeypatch, "summaries", "overview", data=data.key)
    assert "Model metrics: cancelled." in visit.text
    assert "answers **" in "".join(visit.markdown())  # the mistakes are there
    assert "| Model |" not in visit.text
    visit.press("Start again")
    assert "cancelled" not in visit.text
    assert "| Model |" in visit.text


def test_the_overview_without_its_slices(tmp_path, monkeypatch):
    data = shelved(tmp_path)
    visit = Visit("open", data=data.key)
    cancelled(visit, monkeypatch, "slices", "overview", data=data.key)
    assert "Slices: cancelled." in visit.text
    assert "| Model |" in visit.text  # the rest is there
    visit.press("Start again")
    assert "cancelled" not in visit.text
    cancelled(visit, monkeypatch, "tested slices", "mistakes", data=data.key, part="slices")
    assert "Slices: cancelled." in visit.text
    visit.press("Start again")
    assert "cancelled" not in visit.text


def test_slices_that_take_long_are_not_tested_on_the_overview(tmp_path, monkeypatch):
    from hierviz.app.widgets import worst_slices

    rows = [["sample_id", "labels", "truth"], *([f"s{i}", "violin;drum", LEAVES[i % 6]] for i in range(40))]
    data = shelve(
        taxonomy=write(tmp_path / "taxonomy.csv", [("parent", "child"), *EDGES]),
        predictions=(write(tmp_path / "labels.csv", rows),),
    )
    monkeypatch.setattr(worst_slices, "AT_ONCE", 1000)
    monkeypatch.setattr(worst_slices, "slices", lambda *given, **more: pytest.fail("tested"))
    visit = Visit("overview", data=data.key)
    assert "Which subtrees and attributes are worse than the rest?" in visit.text


def test_operating_curves_without_a_curve(tmp_path, monkeypatch):
    data = shelved(tmp_path)
    visit = Visit("open", data=data.key)
    cancelled(visit, monkeypatch, "curve-", "curves", data=data.key)
    assert "Operating curve of all: cancelled." in visit.text
    assert not visit.charts()
    visit.press("Start again")
    assert visit.charts()


@pytest.mark.long
def test_operating_curves_without_bands_and_marks(tmp_path, monkeypatch):
    data = shelved(tmp_path, "all", "other")
    visit = Visit("open", data=data.key)
    cancelled(visit, monkeypatch, "intervals", "curves", data=data.key, drawn="bands", panel="uncertainty")
    assert visit.text.count("Bands and intervals: cancelled.") == 1
    assert visit.charts()
    visit.press("Start again")
    assert "cancelled" not in visit.text
    visit = Visit("open", data=data.key)
    cancelled(visit, monkeypatch, "rules", "curves", data=data.key, marked="darts")
    assert visit.text.count("Marks of the rules: cancelled.") == 1
    assert visit.charts()


@pytest.mark.long
def test_thresholds_of_groups(tmp_path, monkeypatch):
    data = shelved(tmp_path)
    visit = Visit("curves", data=data.key)
    visit.memory("choosing")["target"] = "groups"
    cancelled(visit, monkeypatch, "group thresholds", panel="target", data=data.key)
    assert visit.text.count("Thresholds of groups: cancelled.") == 1
    visit.press("Start again")
    assert "one threshold for all groups" in visit.text


def test_answers_of_a_rule_that_reads_all_scores(tmp_path, monkeypatch):
    data = shelved(tmp_path)
    visit = Visit("open", data=data.key)
    cancelled(visit, monkeypatch, "answers", "example", data=data.key, rule="plurality")
    assert "Answers of all: cancelled." in visit.text
    visit.press("Start again")
    assert visit.sample == "s0" or visit.sample.startswith("s")
    assert not data.first.needs_pass("plurality")


def test_work_that_is_ended_leaves_no_result():
    class User:
        pass

    results, user = Results(4, 10**6), User()

    def stopped():
        raise StopError

    with pytest.raises(StopError):
        results.get("a", stopped, user)
    assert results.known("a", user) is None
    assert results.get("a", lambda: 1, user) == 1
    assert results.known("a", user) == 1
    results.drop("a")
    assert results.known("a", user) is None


def test_an_opening_is_shared_by_all_who_wait():
    go, runs, shown = threading.Event(), [], []

    def make(files, stage):
        runs.append(files)
        stage("Reading a")(3, 10)
        go.wait(30)
        return f"data of {files}"

    def show(share, text):
        shown.append((share, text))
        go.set()

    opening, found = SharedOpening(make), []
    others = [threading.Thread(target=lambda: found.append(opening("files", show))) for _ in range(3)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert found == ["data of files"] * 3
    assert runs == ["files"]
    assert (0.3, "Reading a: 3 of 10 rows") in shown
    assert opening("files") == "data of files"
    assert opening.is_done
    opening.clear()
    assert opening("others") == "data of others"


def test_an_opening_ends_when_nobody_waits():
    begun, pressed, n_steps = threading.Event(), threading.Event(), np.iinfo(np.int64).max

    def make(files, stage):
        progress = stage("Evaluating a")
        begun.set()
        for step in range(n_steps):
            progress(step, n_steps)
            pressed.wait(0.01)

    opening = SharedOpening(make)

    def leave(share, text):
        raise StopError

    with pytest.raises(StopError):  # the run of the page ends at the press
        opening("files", leave)
    assert begun.wait(30)
    assert not opening.was_cancelled
    opening.begin("files")  # which is not waiting
    opening.cancel()
    assert opening("files") is None
    assert opening.was_cancelled
    opening.clear()
    assert not opening.is_done


def test_what_is_wrong_with_files_is_told_to_each_and_tried_again():
    n_runs = []

    def make(files, stage):
        n_runs.append(files)
        raise StopError

    opening = SharedOpening(make)
    for _ in range(2):
        with pytest.raises(StopError):
            opening("files")
    assert n_runs == ["files", "files"]


def test_a_cancelled_start_shows_the_demo_and_can_be_taken_up(tmp_path, monkeypatch):
    data = shelved(tmp_path)
    files = data.files
    start = ["--taxonomy", files.taxonomy, "--predictions", *files.predictions, "--truth", files.truth]
    monkeypatch.setattr(sys, "argv", ["hierviz", *start])

    def stopped(files, stage):
        raise OpeningCancelledError

    real = opened._opening._make
    monkeypatch.setattr(opened._opening, "_make", stopped)
    opened._opening.clear()
    try:
        visit = Visit()
        assert "Opening the files of the command line was cancelled." in visit.text
        assert "Demo" in visit.text
        monkeypatch.setattr(opened._opening, "_make", real)
        visit.press("Open them")
        assert "cancelled" not in visit.text
        assert "*all" in visit.text
        assert visit.query["data"] == opened.startup().key
    finally:
        opened._opening.clear()
