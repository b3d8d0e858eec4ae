"""What visitors wait for, counted in work: opening, a step of the threshold, and what is computed before it is asked for."""

import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError

import numpy as np
import pytest
from small_worlds import EDGES, LEAVES, spread, write
from visit import Visit, shelve

from hierviz.app.curve_panels import curve_chart, uncertainty
from hierviz.app.state import dataset, file_content, server_memory, stages
from hierviz.app.state.ahead import Ahead
from hierviz.app.widgets import overview_table, progress, recommended
from hierviz.charts import export
from hierviz.compiled import tree_pass
from hierviz.curves import operating_curve
from hierviz.evaluation import evaluation
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.predictions.score_rows import CheckedScores

LONGEST = 30


def shelved(folder, *names, several=False):
    """Forty samples with their truth, or several truths each, and as many models; ids are of this folder alone."""
    ids, rows, files = [f"s{i}-{abs(hash(str(folder)))}" for i in range(40)], spread(40), []
    for place, name in enumerate(names or ("one",)):
        scores = np.roll(rows, place, axis=0).tolist()
        table = [["sample_id", *LEAVES], *([one, *row] for one, row in zip(ids, scores, strict=True))]
        files.append(write(folder / f"{name}.csv", table))
    truths = [LEAVES[i % 6] + (f";{LEAVES[(i + 1) % 6]}" if several else "") for i in range(40)]
    truth = [["sample_id", "truth"], *zip(ids, truths, strict=True)]
    return shelve(
        taxonomy=write(folder / "taxonomy.csv", [("parent", "child"), *EDGES]),
        predictions=tuple(files),
        truth=write(folder / "truth.csv", truth),
    )


@pytest.fixture
def counted(monkeypatch):
    """``counted(owner, name)`` is the list of the arguments of the calls from now on."""

    def of(owner, name):
        calls, real = [], getattr(owner, name)

        def call(*given, **named):
            calls.append((given, named))
            return real(*given, **named)

        monkeypatch.setattr(owner, name, call)
        return calls

    return of


# What Overview shows ---------------------------------------------------------------------------------------------------


def test_opening_computes_only_what_the_overview_shows(tmp_path, counted):
    sets = [counted(LabelSetCounts, name) for name in ("add", "add_block", "add_lists")]
    summaries = counted(overview_table, "model_summary")
    data = shelved(tmp_path, "one", "other")
    visit = Visit("overview", data=data.key)
    assert "| Model |" in visit.text
    assert not any(sets)
    assert [set(named["only"]) for _, named in summaries] == 2 * [{"curve", "top_down"}]
    # All numbers come when they are asked for.
    assert overview_table.model_summary(data.first)["labels"]["micro_f1"] > 0
    assert sum(map(len, sets)) == 1


def test_where_sets_are_what_the_overview_shows_opening_counts_them(tmp_path, counted):
    sets, passes = counted(LabelSetCounts, "add"), counted(evaluation, "one_pass")
    data = shelved(tmp_path, several=True)
    n_blocks = len(sets)
    assert n_blocks >= 1
    visit = Visit("overview", data=data.key)
    assert "Micro F1" in visit.text
    assert len(sets) == n_blocks
    assert len(passes) == 1


def test_all_metrics_are_those_of_one_pass(tmp_path):
    """Counted afterwards, sets are those that are counted with all else."""
    data = shelved(tmp_path)
    whole = evaluation.Evaluation.from_predictions(data.first.predictions, threshold=0.5)
    assert overview_table.model_summary(data.first) == overview_table.model_summary(whole)


def test_a_step_of_the_threshold_computes_no_curve(tmp_path, counted):
    data = shelved(tmp_path, "one", "other")
    for page in ("overview", "example", "taxonomy", "curves"):
        Visit(page, data=data.key, threshold="0.4")
        curves = counted(operating_curve.CurveSteps, "from_table")
        passes = counted(evaluation, "one_pass")
        visit = Visit(page, data=data.key, threshold="0.41")
        assert visit.threshold == 0.41
        assert (curves, passes) == ([], []), page


def test_scores_on_disk_are_read_once_and_checked_then(tmp_path):
    names = {name: str(tmp_path / name) for name in ("scores.npy", "classes.txt", "truth.csv")}
    scores = spread(40)
    np.save(names["scores.npy"], scores)
    (tmp_path / "classes.txt").write_text("\n".join(LEAVES))
    files = {
        "taxonomy": write(tmp_path / "taxonomy.csv", [("parent", "child"), *EDGES]),
        "predictions": (names["scores.npy"],),
        "classes": names["classes.txt"],
        "truth": write(tmp_path / "truth.csv", [["truth"], *([LEAVES[i % 6]] for i in range(40))]),
    }
    data = shelve(**files)
    assert isinstance(data.first.predictions.scores, CheckedScores)
    assert data.first.predictions.scores.is_checked(slice(None))
    scores[31, 2] = 7
    np.save(names["scores.npy"], scores)
    with pytest.raises(Exception, match=r"sample '31', column .*: expected a probability from 0 to 1, got 7"):
        shelve(**files)


@pytest.mark.parametrize(
    ("is_new", "words"), [(True, "Compiling for this processor, once, and evaluating"), (False, "Evaluating")]
)
def test_compiling_is_said(tmp_path, monkeypatch, is_new, words):
    data, said = shelved(tmp_path), []
    monkeypatch.setattr(dataset, "compiles", lambda predictions, with_labels: is_new)
    dataset._evaluated([data.first.predictions], stage=lambda name, unit="rows": said.append(name))
    assert said == [f"{words} one"]


def test_what_is_to_be_compiled(tmp_path, monkeypatch):
    """Known from the marks that earlier runs left, for passes with and without label sets apart."""
    predictions = shelved(tmp_path).first.predictions
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HIERVIZ_COMPILED", "1")
    assert tree_pass.compiles(predictions)
    list(tree_pass.tree_pass(predictions, threads=1))
    assert not tree_pass.compiles(predictions)
    assert tree_pass.compiles(predictions, with_labels=True)
    monkeypatch.setenv("HIERVIZ_COMPILED", "0")
    assert not tree_pass.compiles(predictions, with_labels=True)


# Before it is asked for ------------------------------------------------------------------------------------------------


def until(condition):
    """Wait for a condition of another thread."""
    end = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


@pytest.mark.long
def test_the_pair_of_the_overview_is_computed_once(tmp_path, monkeypatch, counted):
    calls = counted(uncertainty, "model_intervals")
    monkeypatch.setattr(server_memory._ahead, "is_on", True)
    data = shelved(tmp_path, "one", "other")
    Visit("overview", data=data.key)
    until(lambda: server_memory._ahead._now is None)
    assert sorted(given[0].name for given, _ in calls) == ["one", "other"]
    assert len({id(given[1]) for given, _ in calls}) == 1  # the same resamples: their difference is paired
    Visit("overview", data=data.key)
    until(lambda: server_memory._ahead._now is None)
    link = {"data": data.key, "panel": "uncertainty", "drawn": "bands", "model": "one"}
    for models in ("one~other", "other~one"):
        Visit("curves", **link, models=models)
    text = Visit("curves", **link, models="one~other").text
    assert "paired resamples" in text
    # One of the two orders is that of the Overview's link; the other is another page.
    assert len(calls) == 4


def test_without_a_server_nothing_is_computed_ahead(tmp_path, counted):
    calls = counted(uncertainty, "model_intervals")
    Visit("overview", data=shelved(tmp_path, "one", "other").key)
    until(lambda: server_memory._ahead._now is None)
    assert not calls


def test_who_asks_for_what_is_under_way_waits_with_its_progress():
    go, shown, order = threading.Event(), [], []

    def make(stage):
        stage("Bootstrap of a", "resamples")(250, 1000)
        go.wait(LONGEST)
        order.append("made")

    def show(share, text):
        shown.append((share, text))
        if share:
            go.set()

    ahead = Ahead()
    ahead.want("a", make)
    ahead.want("a", make)  # which is no second one
    until(lambda: ahead._now.now[0])
    ahead.wait("a", show)
    order.append("waited")
    assert order == ["made", "waited"]
    assert (0.25, "Bootstrap of a: 250 of 1,000 resamples") in shown


def test_what_has_not_begun_is_left_to_who_asks_for_it():
    go, made = threading.Event(), []
    ahead = Ahead()
    ahead.want("first", lambda stage: go.wait(LONGEST))
    ahead.want("second", lambda stage: made.append("second"))
    ahead.wait("second", lambda *now: pytest.fail("waited"))
    go.set()
    until(lambda: ahead._now is None)
    assert not made


def test_work_ahead_pauses_for_pages_and_can_be_cancelled():
    busy, reports = [True], []

    def make(stage):
        told = stage("Bootstrap of a", "resamples")
        for done in range(10**9):
            told(done, 10**9)
            reports.append(done)

    ahead = Ahead(lambda: busy[0])
    ahead.want("a", make)
    until(lambda: ahead._now is not None)
    time.sleep(4 * 0.05)
    assert not reports  # it waits at its first report
    busy[0] = False
    until(lambda: reports)
    ahead.cancel(lambda key: key == "b")
    n = len(reports)
    until(lambda: len(reports) > n)
    ahead.cancel(lambda key: key == "a")
    until(lambda: ahead._now is None)


def test_an_error_ahead_is_for_who_asks_for_it():
    ahead = Ahead()
    ahead.want("a", lambda stage: 1 / 0)
    until(lambda: ahead._now is None)
    ahead.wait("a", lambda *now: pytest.fail("waited"))


# The first picture -----------------------------------------------------------------------------------------------------


def test_lines_come_before_bands(tmp_path, monkeypatch, counted):
    """The chart without bands is drawn once, when the progress of the bands is shown, and is gone at the end."""
    monkeypatch.setattr(stages, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(stages.Stages.__init__, "__defaults__", ((), 0.0, None))
    first = counted(curve_chart, "first_picture")
    from hierviz.app.curve_panels import curve_panels

    monkeypatch.setattr(curve_panels, "first_picture", curve_chart.first_picture)
    data = shelved(tmp_path, "one", "other")
    visit = Visit("curves", data=data.key, panel="uncertainty", drawn="bands")
    assert len(first) == 1
    assert len(visit.charts()) == len(Visit("curves", data=data.key, panel="uncertainty", drawn="bands").charts())
    assert len(first) == 1  # nothing takes long any more


def test_numbers_come_before_their_intervals(tmp_path, monkeypatch, counted):
    from hierviz.app.compare_page import table_panel

    monkeypatch.setattr(stages.Stages.__init__, "__defaults__", ((), 0.0, None))
    made, drawn = counted(table_panel, "compare"), counted(table_panel, "draw_table")
    data = shelved(tmp_path, "one", "other")
    visit = Visit("compare", data=data.key)
    assert sorted(named.get("resamples", 1000) for _, named in made) == [0, 1000]
    assert [given[2] if len(given) > 2 else named.get("key") for given, named in drawn] == ["compare-table-first", None]
    assert "are being computed" not in visit.text


def test_what_is_drawn_meanwhile_is_drawn_once(monkeypatch):
    drawn, places = [], []

    class Place:
        def container(self):
            return self

        def __enter__(self):
            places.append("open")

        def __exit__(self, *_):
            pass

        def empty(self):
            places.append("empty")

    monkeypatch.setattr(progress.st, "empty", Place)
    with progress.meanwhile(lambda: drawn.append("picture")):
        once = progress._meanwhile.get()
        once()
        once()
    assert drawn == ["picture"]
    assert places == ["open", "empty"]
    assert progress._meanwhile.get() is None


# The start --------------------------------------------------------------------------------------------------------------


def test_the_server_answers_before_charts_are_loaded():
    """What takes a second to import is imported in a thread, while the browser loads the page."""
    code = (
        "import sys; from hierviz.app import lifetime, middleware; "
        "print([name for name in ('altair', 'pandas', 'pyarrow', 'numba') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_names_of_reports_are_there():
    import hierviz.reports

    assert all(
        getattr(hierviz.reports, name).__module__.startswith("hierviz.reports.") for name in hierviz.reports.__all__
    )
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = hierviz.reports.nothing


def test_the_table_of_compare_without_intervals_is_made_ahead(tmp_path, monkeypatch, counted):
    from hierviz.app.compare_page import table_panel

    monkeypatch.setattr(table_panel, "AT_ONCE", 0)
    monkeypatch.setattr(server_memory._ahead, "is_on", True)
    monkeypatch.setattr(recommended, "FEWEST", 1)
    calls = counted(table_panel, "compare")
    data = shelved(tmp_path, "one", "other")
    Visit("overview", data=data.key)
    until(lambda: server_memory._ahead._now is None)
    assert [named["resamples"] for _, named in calls] == [0]
    (threshold,) = set(calls[0][1]["threshold"])
    assert not Visit("compare", data=data.key, threshold=str(threshold)).at.error
    assert len(calls) == 1
    # Another choice than the recommended one is not worth it.
    Visit("overview", data=data.key, threshold="0.123")
    until(lambda: server_memory._ahead._now is None)
    assert len(calls) == 1


def test_columns_that_need_no_scores_come_first(tmp_path, monkeypatch, counted):
    from hierviz.app.compare_page import table_panel

    monkeypatch.setattr(table_panel, "AT_ONCE", 0)
    monkeypatch.setattr(stages.Stages.__init__, "__defaults__", ((), 0.0, None))
    made, drawn = counted(table_panel, "compare"), counted(table_panel, "draw_table")
    Visit("compare", data=shelved(tmp_path, "one", "other").key)
    first = next(given[0] for given, _ in drawn)
    whole = [given[0] for given, _ in drawn][-1]
    of_blocks = {"distribution", "curve", "top_down"}
    assert {column.block for column in first.columns} <= of_blocks
    assert [column.key for column in first.columns] == [
        column.key for column in whole.columns if column.block in of_blocks
    ]
    numbers = [row["values"] for row in whole.to_dict()["rows"]]
    for row, of_whole in zip(first.to_dict()["rows"], numbers, strict=True):
        assert row["values"] == {key: of_whole[key] for key in row["values"]}
    assert len(made) == 2


def test_a_step_of_the_threshold_builds_no_chart(tmp_path, counted):
    """Pictures of the Overview have one specification for every threshold: what changes is their data."""
    data = shelved(tmp_path, "one", "other")
    for threshold in ("0.4", "0.41", "0.42", "0.43"):
        visit = Visit("overview", data=data.key, threshold=threshold)
    n = len(visit.charts())
    written = counted(export, "_written")
    for threshold in ("0.44", "0.41", "0.4"):
        assert len(Visit("overview", data=data.key, threshold=threshold).charts()) == n
    assert len(written) <= 1  # an axis may begin elsewhere
    assert n >= 2


def test_files_are_hashed_while_they_are_read_and_where_that_fails_no_longer(tmp_path, monkeypatch):
    data = shelved(tmp_path)
    assert data.digest == file_content.digest(data.files)
    with pytest.raises(ValueError), file_content.Hashing(data.files) as hashing:
        raise ValueError
    with pytest.raises(CancelledError):
        hashing._told()


def test_a_table_computes_the_blocks_of_its_columns_only(tmp_path, counted):
    from hierviz.comparison.table import compare

    data = shelved(tmp_path, "one", "other")
    sets = counted(evaluation.Evaluation, "label_counts")
    whole = compare(list(data.models.values()), resamples=0).to_dict()["rows"]
    assert sets
    sets.clear()
    some = compare(list(data.models.values()), metrics="curve.ac,distribution.softmax_win", resamples=0).to_dict()[
        "rows"
    ]
    # The distribution of constant scores is evaluated once a different truth, on few samples.
    assert not [one for (one, *_), _ in sets if one in data.models.values()]
    for row, of_whole in zip(some, whole, strict=True):
        assert row["values"] == {key: of_whole["values"][key] for key in row["values"]}
