"""Files of several visitors: uploads with the same name, keys, limits, closing, and memory freed when pages close."""

import gc
import io
import os
import re
import subprocess
import sys
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit.runtime.state.common import TESTING_KEY
from streamlit.testing.v1 import AppTest

from hierviz.app import state
from hierviz.app.state import opened, upload_fields, uploads, visits
from hierviz.app.state.dataset import Files, digest
from hierviz.app.state.file_content import same_content
from hierviz.app.state.limits import ServerLimits, size_in_memory, size_text
from hierviz.app.state.server_memory import limits_of, server
from hierviz.app.state.shelf import Results, Shelf
from hierviz.app.state.uploads import PREFIX, UploadFolder, Uploads, file_name, remove_stale_folders
from hierviz.app.widgets import frame
from hierviz.cli.app import visitor_arguments
from hierviz.messages.errors import FileError
from tests.app.visit import PAGES, PRIVACY, Visit

TAXONOMY = b"parent,child\nroot,a\nroot,b\na,a1\na,a2\n"
SCORES = b"sample_id,a1,a2,b\ns1,0.5,0.25,0.25\ns2,0.25,0.5,0.25\n"
OTHER = b"sample_id,a1,a2,b\ns1,0.125,0.125,0.75\ns2,0.25,0.25,0.5\n"
TRUTH = b"sample_id,truth\ns1,a1\ns2,b\n"
MEGABYTE = 10**6


class Upload(io.BytesIO):
    """As Streamlit gives an uploaded file."""

    def __init__(self, name, content=b""):
        super().__init__(content)
        self.name, self.size = name, len(content)


# Uploads ---------------------------------------------------------------------------------------------------------------


def test_uploads_of_one_name_do_not_meet(tmp_path):
    held = Uploads([Upload("scores.csv", SCORES), Upload("scores.csv", OTHER)], tmp_path)
    assert [path.name for path in held.paths] == ["scores.csv", "scores.csv"]
    assert [path.read_bytes() for path in held.paths] == [SCORES, OTHER]


def test_files_of_one_model_lie_together_under_different_names(tmp_path):
    held = Uploads([Upload("m.onnx"), Upload("../m.onnx.data")], tmp_path, together=True)
    assert {path.parent for path in held.paths} == {held.folder}
    with pytest.raises(FileError, match=r"^w\.data: expected files with different names.*got two with this name.*\.$"):
        Uploads([Upload("m.onnx"), Upload("w.data"), Upload("w.data")], tmp_path, together=True)
    assert list(tmp_path.iterdir()) == [held.folder]


def test_files_that_are_kept_are_not_stored_twice(tmp_path):
    folder = UploadFolder(tmp_path)
    first = folder.keep([Upload("a.csv", SCORES)], owner="one")
    second = folder.keep([*first.paths, Upload("b.csv", b"12345")], owner="one")
    assert [path.read_bytes() for path in second.paths] == [SCORES, b"12345"]
    assert (folder.count("one"), folder.size("one"), folder.size()) == (2, len(SCORES) + 5, len(SCORES) + 5)
    assert folder.size("two") == 0
    del first
    assert second.paths[0].read_bytes() == SCORES
    del second
    assert folder.size() == 0
    assert list(folder.path.iterdir()) == []


@pytest.mark.parametrize("name", ["", ".", "..", "a/..", "a\\", "a\0b", "a\nb", "x" * 256, "é" * 128, "\udcff"])
def test_names_that_no_file_can_have_are_one_line(name):
    with pytest.raises(FileError) as caught:
        file_name(name)
    assert re.fullmatch(r"upload: expected .{1,300}, got .{1,300}\. .*\.", str(caught.value))


def test_the_same_files_in_other_roles_are_another_choice(tmp_path):
    tree, one, other = (tmp_path / name for name in ("tree.csv", "a.csv", "b.csv"))
    for path, content in ((tree, b"a,b\na,c\n"), (one, SCORES), (other, OTHER)):
        path.write_bytes(content)
    choices = [
        Files(taxonomy=tree, predictions=(one, other)),
        Files(taxonomy=tree, predictions=(other, one)),
        Files(taxonomy=tree, predictions=(one,), truth=other),
        Files(taxonomy=tree, predictions=(other,), truth=one),
        Files(taxonomy=tree, predictions=(one,), classes=other),
    ]
    assert len({digest(one) for one in choices}) == len(choices)


def test_same_content_is_said(tmp_path):
    paths = []
    for place, content in enumerate((SCORES, OTHER, SCORES)):
        (tmp_path / str(place)).mkdir()
        paths.append(tmp_path / str(place) / "scores.csv")
        paths[-1].write_bytes(content)
    assert same_content([*paths, tmp_path / "nowhere"]) == (
        "Prediction file 3 (scores.csv) has the same content as file 1 (scores.csv): the two models are the same.",
    )


@pytest.mark.skipif(os.name != "posix", reason="needs locks of files")
@pytest.mark.long
def test_folders_of_dead_servers_are_swept(tmp_path, monkeypatch):
    """By their locks alone: in another container, or on another host, numbers of processes say nothing."""
    code = "import sys; from hierviz.app.state.uploads import UploadFolder; one = UploadFolder(sys.argv[1]); print(one.path)\n"
    code += "import os; sys.stdout.flush(); sys.stdin.read(); os._exit(9)"
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        theirs = Path(other.stdout.readline().strip())
        ours = UploadFolder(tmp_path)
        # As if each process lived in a container of its own: no other one can be seen, or all have the same number.
        monkeypatch.setattr(os, "kill", lambda *_: (_ for _ in ()).throw(ProcessLookupError()))
        for name in ("abc", "1-abc"):
            (tmp_path / f"{PREFIX}{name}").mkdir()
            (tmp_path / f"{PREFIX}{name}" / "file").touch()
        (tmp_path / f"{PREFIX}link").symlink_to(tmp_path / f"{PREFIX}1-abc")
        assert remove_stale_folders(tmp_path) == [tmp_path / f"{PREFIX}abc"]
        assert theirs.is_dir()
        other.stdin.close()
        other.wait()
    assert remove_stale_folders(tmp_path) == [theirs]
    assert {path.name for path in tmp_path.iterdir()} == {ours.path.name, f"{PREFIX}1-abc", f"{PREFIX}link"}


@pytest.mark.skipif(os.name != "posix", reason="needs locks of files")
def test_a_new_folder_that_is_swept_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    made, make = [], uploads.tempfile.mkdtemp

    def swept_at_once(**given):
        made.append(Path(make(**given)))
        if len(made) == 1:
            remove_stale_folders(tmp_path)
        return str(made[-1])

    monkeypatch.setattr(uploads.tempfile, "mkdtemp", swept_at_once)
    folder = UploadFolder(tmp_path)
    assert folder.path == made[1]
    assert list(tmp_path.iterdir()) == [folder.path]
    assert remove_stale_folders(tmp_path) == []


# The shelf -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Data:
    """Stands for a Dataset."""

    key: str
    values: np.ndarray
    digest: str = ""
    held: tuple = ()


class World:
    """A shelf, what is shown, and what was forgotten."""

    def __init__(self, tmp_path, limit):
        self.shown, self.forgotten = set(), []
        self.uploads = UploadFolder(tmp_path)
        limits = ServerLimits(upload=MEGABYTE, data=limit, files=5)
        self.shelf = Shelf(limits, self.uploads, lambda: self.shown)
        drop = self.shelf.results.drop
        self.shelf.results.drop = lambda digest: (self.forgotten.append(digest), drop(digest))

    def put(self, key, owner, n_bytes=MEGABYTE, digest=None):
        self.shelf.put(Data(key, np.zeros(n_bytes, np.uint8), digest or key), owner)

    def keys(self, *keys):
        return [key for key in keys if self.shelf.get(key) is not None]


def test_twenty_visitors_lose_nothing(tmp_path):
    world = World(tmp_path, 100 * MEGABYTE)
    for number in range(20):
        world.put(f"d{number}", f"v{number}")
        world.shown.add(f"d{number}")
    assert len(world.keys(*(f"d{number}" for number in range(20)))) == 20


def test_room_is_made_by_last_use_and_never_of_what_is_shown(tmp_path):
    world = World(tmp_path, int(8.5 * MEGABYTE))
    for key in ("a", "b", "c", "d"):
        world.put(key, "one")
    world.shelf.get("a")
    world.shown.add("b")
    world.put("e", "one")  # more than half of 8.5 MB: one of this visitor's goes, c being the one used least recently
    assert world.keys("a", "b", "c", "d", "e") == ["a", "b", "d", "e"]
    assert world.forgotten == ["c"]
    for key in ("f", "g", "h", "i"):
        world.put(key, "two")
    world.put("j", "three")  # more than 8.5 MB in all: the oldest that is not shown goes, whosever it is
    assert world.keys(*"abdefghij") == ["b", "d", "e", "f", "g", "h", "i", "j"]


def test_what_does_not_fit_is_refused_in_words_and_not_kept(tmp_path):
    world = World(tmp_path, 8 * MEGABYTE)
    world.put("a", "one", 3 * MEGABYTE)
    world.shown.add("a")
    with pytest.raises(
        FileError, match=r"^open: expected at most 4 MB of .* of one visitor, got 5 MB with these\. .*\.$"
    ):
        world.put("b", "one", 2 * MEGABYTE)
    assert world.keys("a", "b") == ["a"]
    world.put("c", "two", 3 * MEGABYTE)
    world.shown.add("c")
    with pytest.raises(FileError, match=r"at most 8 MB of files and opened data of all visitors, got 9 MB"):
        world.put("d", "three", 3 * MEGABYTE)
    # Uploads count as well, before they are written.
    held = world.uploads.keep([Upload("x.csv", bytes(MEGABYTE // 2))], owner="one")
    with pytest.raises(FileError, match="of one visitor"):
        world.shelf.make_room("one", MEGABYTE)
    assert held.paths


def test_what_does_not_fit_costs_others_nothing(tmp_path):
    """It is known before anything is removed that removing would not do."""
    world = World(tmp_path, 8 * MEGABYTE)
    for key in "abc":
        world.put(key, f"visitor {key}", MEGABYTE // 2)
    world.put("d", "one", 3 * MEGABYTE)
    world.put("e", "five", 2 * MEGABYTE)
    world.shown |= {"d", "e"}
    with pytest.raises(FileError, match=r"of all visitors, got 8\.5 MB"):
        world.put("f", "four", int(3.5 * MEGABYTE))
    with pytest.raises(FileError, match="of one visitor, got 6 MB"):
        world.shelf.make_room("one", 3 * MEGABYTE)
    assert world.keys(*"abcdef") == ["a", "b", "c", "d", "e"]
    assert world.forgotten == ["f"]
    # Files go with the data that hold them, and make room then.
    held = world.uploads.keep([Upload("x.csv", bytes(MEGABYTE // 2))], owner="six")
    world.shelf.close("a", "visitor a")
    world.shelf.put(Data("g", np.zeros(MEGABYTE // 4, np.uint8), "g", (held,)), "six")
    del held
    world.shelf.make_room("seven", int(2.9 * MEGABYTE))
    assert world.keys(*"bcdeg") == ["d", "e"]


def test_two_visitors_do_not_get_the_same_room(tmp_path, monkeypatch):
    """The second asks while the first one's files, which there is room for, are being written."""
    world = World(tmp_path, 2 * MEGABYTE)
    keep, found, threads = world.uploads.keep, {}, []
    visitors = threading.local()

    def bring(name):
        visitors.name = name
        given = Upload(f"{name}.csv", bytes(MEGABYTE * 3 // 4))
        given.file_id = name
        found[name] = upload_fields._taken([given], upload_fields._Kept(), False)

    def slow_keep(*args, **given):
        if not threads:
            for name in ("two", "three"):
                threads.append(threading.Thread(target=bring, args=(name,)))
                threads[-1].start()
            for thread in threads:
                thread.join(0.1)
        return keep(*args, **given)

    monkeypatch.setattr(upload_fields, "server", lambda: world.shelf)
    monkeypatch.setattr(upload_fields, "visit", lambda: SimpleNamespace(visitor=visitors.name))
    monkeypatch.setattr(world.uploads, "keep", slow_keep)
    bring("one")
    for thread in threads:
        thread.join(60)
    assert [bool(found[name].refused) for name in ("one", "two", "three")].count(True) == 1
    assert world.shelf.used() <= world.shelf.limits.data


def test_only_who_opened_it_closes_it(tmp_path):
    world = World(tmp_path, 8 * MEGABYTE)
    world.put("a", "one", digest="same")
    world.put("b", "two", digest="same")
    assert world.shelf.close("a", "two") is None
    assert world.shelf.close("nothing", "one") is None
    assert world.shelf.close("a", "one").key == "a"
    assert world.keys("a", "b") == ["b"]
    assert world.forgotten == []
    world.shelf.close("b", "two")
    assert world.forgotten == ["same"]


def test_the_shelf_keeps_what_is_shown_or_whose_visitor_is_here(tmp_path):
    world = World(tmp_path, 8 * MEGABYTE)
    for key in "abc":
        world.put(key, f"visitor {key}")
    world.shown.add("b")
    here = SimpleNamespace(visitor="visitor a", seen=set())
    assert world.shelf.sweep([here]) == 1
    assert world.keys(*"abc") == ["a", "b"]
    # A link was followed, and another page is open now.
    world.shown.clear()
    here.seen.add("b")
    assert world.shelf.sweep([here]) == 0
    world.put("d", "visitor d", 3 * MEGABYTE)
    world.put("e", "visitor e", 3 * MEGABYTE)
    world.put("c", "visitor c", MEGABYTE)
    assert world.keys(*"abcde") == ["c", "d", "e"]


def test_what_was_made_of_the_data_counts_and_gives_way_first(tmp_path):
    world, user = World(tmp_path, 8 * MEGABYTE), User()
    made = world.shelf.results
    world.put("a", "one", 3 * MEGABYTE)
    for key in ("older", "newer"):
        made.get(key, lambda: np.zeros(2 * MEGABYTE, np.uint8), user)
    assert 7 * MEGABYTE <= world.shelf.used() < 8 * MEGABYTE
    assert world.shelf.used("one") < 4 * MEGABYTE
    world.put("b", "two", 2 * MEGABYTE)
    assert world.keys("a", "b") == ["a", "b"]
    assert made.known("older", user) is None
    assert made.known("newer", user) is not None
    made.get("large", lambda: np.zeros(2 * MEGABYTE, np.uint8), user)
    world.shelf.give_way()
    assert world.shelf.used() <= 8 * MEGABYTE
    assert world.keys("a", "b") == ["a", "b"]


# Results ---------------------------------------------------------------------------------------------------------------


class User:
    """Stands for a visit."""


def test_results_are_made_once_and_go_with_their_users():
    results, one, two, made = Results(8, MEGABYTE), User(), User(), []

    def ask(key, user):
        return results.get(key, lambda: made.append(key) or key, user)

    threads = [threading.Thread(target=ask, args=(("n", ("d1", 1)), one)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    ask(("n", ("d2", 1)), one)
    ask(("n", ("d2", 1)), two)
    assert made == [("n", ("d1", 1)), ("n", ("d2", 1))]
    ask(("n", ("of the demo", 2)), one)
    assert results.sweep([two], {"of the demo"}) == 1
    assert results.known(("n", ("of the demo", 2)), two)
    results.drop("of the demo")
    results.drop("d1")
    assert len(results) == 1
    results.drop("d2")
    assert len(results) == 0


def test_streamlit_keeps_no_result_whose_work_shows_how_far_it_is():
    """Why results have a store of their own, besides its bytes, its `known` and what goes with a data set."""

    def page():
        import streamlit as st

        bar = st.empty()

        @st.cache_resource(show_spinner=False)
        def made(key):
            bar.progress(0.5)
            return key

        made("a")
        made("a")

    (error,) = AppTest.from_function(page).run().exception
    assert "a streamlit element is called on some layout block" in " ".join(error.message.split())


def test_results_are_limited_by_number_and_by_bytes():
    results, user = Results(3, 10 * MEGABYTE), User()
    for key in "abcd":
        results.get(key, lambda: 0, user)
    assert len(results) == 3
    results.get("large", lambda: np.zeros(9 * MEGABYTE, np.uint8), user)
    results.get("larger", lambda: np.zeros(11 * MEGABYTE, np.uint8), user)
    assert len(results) == 1
    with pytest.raises(FileError):
        results.get("fails", lambda: (_ for _ in ()).throw(FileError("no")), user)
    assert results.get("fails", lambda: 1, user) == 1


def test_size_in_memory_counts_each_array_once():
    array = np.zeros((1000, 100))
    whole = size_in_memory(array)
    assert whole == array.nbytes
    assert size_in_memory(array, array[:10], {"a": array[5]}, [array]) < 1.01 * array.nbytes
    words = [f"sample number {i}" for i in range(100_000)]
    assert 0.9 < size_in_memory(words) / (sum(map(sys.getsizeof, words)) + sys.getsizeof(words)) < 1.1
    assert size_in_memory(np, User, size_in_memory) == 0


def test_size_in_memory_of_what_is_long():
    """Keys and values of a long dict, and a table once: its parts are not added to what it says of itself."""
    short = {f"key {i}": i for i in range(10_000)}
    long = {f"key {i}": f"{i:500}" for i in range(10_000)}
    for texts in (short, long):
        parts = sum(sys.getsizeof(part) for pair in texts.items() for part in pair)
        assert 0.9 < size_in_memory(texts) / (sys.getsizeof(texts) + parts) < 1.1
    for place in range(0, 400, 57):
        # A table of many columns, one of them larger than all others together.
        columns = {f"column {i}": np.zeros(1_000_000 if i == place else 10) for i in range(400)}
        assert 8_000_000 < size_in_memory(columns) < 8_300_000
    rows = [{"name": f"row {i}", "value": i / 7, "steps": list(range(100))} for i in range(1000)]
    assert 1000 * 100 * 8 < size_in_memory(rows) < 1000 * 100 * 16
    table = pd.DataFrame({"number": np.arange(50_000.0), "text": pd.Series(["same"] * 50_000, dtype=object)})
    assert 50_000 * 16 <= size_in_memory(table) < 50_000 * 16 * 1.25


# Limits ----------------------------------------------------------------------------------------------------------------


def test_limits_are_options_and_words():
    limits = limits_of(["--taxonomy", "t.csv", "--max-data-gb", "0.5", "--max-files", "7"], 20)
    assert limits == ServerLimits(20 * 2**20, 500_000_000, 7)
    assert limits.words == (
        "Limits: 20 MB per file; 7 files and 250 MB of files and opened data per visitor; "
        "500 MB for all visitors together."
    )
    assert [size_text(n) for n in (0, 999, 1500, 8 * 10**9)] == ["0 bytes", "999 bytes", "1.5 kB", "8 GB"]


def test_limits_without_room_are_one_line():
    options = type("Options", (), {"max_upload_mb": None, "max_data_gb": 0.0, "max_files": 3})
    with pytest.raises(FileError, match=r"^--max-data-gb: expected a number above 0 .*, got 0\. .*$"):
        visitor_arguments(options)


# Visits ----------------------------------------------------------------------------------------------------------------


def test_a_visit_ends_some_time_after_its_page(monkeypatch, tmp_path):
    connected = {"s1", "s2"}
    world = World(tmp_path, 8 * MEGABYTE)
    monkeypatch.setattr(visits, "_visits", type(visits._visits)())
    closed = []

    class Runtime:
        def is_active_session(self, session_id):
            return session_id in connected

        def get_app_session(self, session_id):
            return self

        stopped = type("Future", (), {"get_loop": staticmethod(lambda: Loop)})

    class Loop:
        @staticmethod
        def call_soon_threadsafe(call):
            closed.append(call.__self__.session_id)

    runtime = Runtime()
    monkeypatch.setattr(visits, "running_server", lambda: runtime)
    one, two = visits.Visit("s1", "browser 1"), visits.Visit("s2", "browser 2")
    world.shelf._shown = lambda: {"demo"}
    for visit, key in ((one, "a"), (two, "b")):
        world.put(key, visit.visitor)
    store = one.memories.setdefault("uploads", {})
    store["taxonomy"] = world.uploads.keep([Upload("t.csv", TAXONOMY)], owner="browser 1")
    results = world.shelf.results
    results.get(("curves", ("of no data", 1)), lambda: 1, one)

    def sweep(now):
        return visits.sweep(world.shelf, now)

    assert sweep(0) == 0
    connected.remove("s1")
    assert sweep(100) == 0
    assert sweep(129) == 0
    connected.add("s1")  # a page that was loaded anew, or came back
    assert sweep(130) == 0
    connected.remove("s1")
    assert sweep(200) == 0
    assert world.keys("a", "b") == ["a", "b"]
    assert sweep(231) == 3  # the visit, its data and its result
    assert world.keys("a", "b") == ["b"]
    assert (len(results), world.uploads.size(), closed) == (0, 0, ["s1"])
    assert sweep(232) == 0


def test_the_cookie_tells_the_browser_behind_any_mask(monkeypatch):
    from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

    found = []
    for token in (b"a" * 16, b"a" * 16, b"b" * 16):
        context = type("Context", (), {"cookies": {visits.COOKIE: generate_xsrf_token_string(token)}})
        monkeypatch.setattr(visits.st, "context", context)
        found.append(visits._browser())
    assert found[0] == found[1] != found[2]
    for cookie in ("", "2|zz|zz|0", "2||00|0", "x"):
        monkeypatch.setattr(context, "cookies", {visits.COOKIE: cookie})
        assert visits._browser() is None


# The page --------------------------------------------------------------------------------------------------------------


def choose(page, **files):
    """Upload files, each a (name, content) or a list of them, by the name of their uploader."""
    for slot, given in files.items():
        for name, content in given if isinstance(given, list) else [given]:
            page.at.file_uploader(key=f"upload_{slot}").upload(name, content)
    return page.run()


def open_page(**files):
    page = Visit("open")
    choose(page, taxonomy=("t.csv", TAXONOMY), truth=("truth.csv", TRUTH), **files)
    page.press("Open")
    # What was opened is on the Overview, and what is told about it on the page where it was opened.
    return page if page.at.error else page.go("open")


@pytest.mark.long
def test_two_visitors_with_files_of_one_name():
    names = [("scores.csv", SCORES), ("scores.csv", OTHER)]
    first, second = open_page(predictions=names), open_page(predictions=names)
    keys = [page.query["data"] for page in (first, second)]
    data = [server().get(key) for key in keys]
    assert all(re.fullmatch("[0-9a-f]{16}", key) for key in keys)
    assert keys[0] != keys[1]
    # Both files are judged, each by its own numbers, and the second visitor's are not computed again.
    assert [one.predictions.scores[0, 0] for one in data[0].models.values()] == [0.5, 0.125]
    assert data[0].models is data[1].models
    assert data[0].digest not in keys
    assert "Limits: " in first.text

    # The link shows them to others, who cannot close them.
    second.at.session_state["visit"].visitor = "another browser"
    second.go("open", data=keys[0])
    assert "Another visitor's browser opened them" in second.text
    assert [one.label for one in second.at.button if "Close" in one.label] == []
    first.press("Close these files")
    assert "data" not in first.query
    assert server().get(keys[0]) is None
    assert server().get(keys[1]) is not None
    second.go("overview", data=keys[0])
    assert second.at.session_state["visit"].seen == {keys[0], keys[1]}
    assert "files of this link are not open on this machine: they were closed" in second.at.info[0].value
    server().close(keys[1], data[1] and first.at.session_state["visit"].visitor)


@pytest.mark.long
def test_closed_files_are_freed():
    page = open_page(predictions=("scores.csv", OTHER))
    key = page.query["data"]
    # Widgets of all pages have seen the data.
    for name in PAGES:
        page.go(name, data=key)
    model = weakref.ref(server().get(key).first)
    folders = [one.folder for one in server().uploads._held if any(path.read_bytes() == OTHER for path in one.paths)]
    assert folders
    page.press("Close these files")
    page.at.session_state[TESTING_KEY].clear()  # AppTest keeps functions of widgets for itself
    gc.collect()
    assert model() is None
    assert not any(folder.exists() for folder in folders)


def test_the_page_says_what_it_refuses(monkeypatch):
    page = open_page(predictions=[("a.csv", SCORES), ("b.csv", SCORES)])
    assert "Prediction file 2 (b.csv) has the same content as file 1 (a.csv)" in page.text
    limits = ServerLimits(upload=2**10, data=server().limits.data, files=6)
    monkeypatch.setattr(server(), "limits", limits)
    page = Visit("open")
    page.at.session_state["visit"].visitor = "a browser of its own"
    choose(page, predictions=("large.csv", bytes(1025)))
    assert "large.csv: expected a file of at most 0.0009766 MB, got 1.02 kB" in page.text
    choose(page, truth=[(f"{k}.csv", b"x") for k in range(1)], taxonomy=("t.csv", TAXONOMY))
    choose(page, predictions=[(f"{k}.csv", b"x") for k in range(5)])
    assert "expected at most 6 uploaded files of one visitor, got 7 with these" in page.text


def test_remote_visitors_are_told_where_their_files_are(monkeypatch):
    assert frame.privacy() == PRIVACY
    monkeypatch.setattr(state, "is_local_visit", lambda: False)
    page = Visit("overview", data="0123456789abcdef")
    assert "not open on this server" in page.text
    assert "this machine" not in page.text
    assert "sent to the server that runs this page" in page.text


def test_files_named_at_the_start_have_the_same_key_after_a_restart(tmp_path):
    for name, content in {"t.csv": TAXONOMY, "p.csv": SCORES}.items():
        (tmp_path / name).write_bytes(content)
    files = Files(taxonomy=str(tmp_path / "t.csv"), predictions=(str(tmp_path / "p.csv"),))
    one, two = opened._named(files), opened._named(files)
    assert one.key == two.key == one.digest


def test_large_arrays_go_back_to_the_system_once_they_are_freed():
    """In a process of its own, whose C library would keep the memory of one array below another one."""
    program = """
import threading, psutil
import numpy as np
from hierviz.app.state.visits import keep_little_memory
keep_little_memory()
def work():
    global kept
    # The C library learns that arrays of this size come and go.
    del [np.ones(1 << 21)][:]
    arrays = [np.ones(1 << 20) for _ in range(40)]
    kept = arrays[7::8]
thread = threading.Thread(target=work)
before = psutil.Process().memory_info().rss
thread.start(); thread.join()
print((psutil.Process().memory_info().rss - before) / (8 << 20))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    # Five of the forty are kept.
    assert float(found.stdout) < 12
