"""Atomic writing: however the process ends, a file is either the old or the new one, and no partial file remains."""

import gzip
import json
import os
import random
import select
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from benchmarks.killed_writes import OLD, killed_runs, make_input
from hierviz import FileError, Predictions, cli
from hierviz.messages import new_files
from hierviz.messages.new_files import new_file, new_text
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.predictions_writer import write_predictions

posix = pytest.mark.skipif(os.name != "posix", reason="needs fork and signals")


@pytest.fixture(params=["unnamed", "named"])
def way(request, monkeypatch):
    """The two ways to write: without a name (Linux), and as a part beside the file."""
    if request.param == "named":
        monkeypatch.setattr(new_files, "_unnamed", lambda folder: None)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("this system knows no file without a name")
    return request.param


def names(folder):
    return sorted(one.name for one in folder.iterdir())


def test_the_new_file_comes_at_once(tmp_path, way):
    path = tmp_path / "a.txt"
    for text in ("first\r\n", "second"):
        before = path.read_bytes() if path.exists() else None
        with new_text(path) as file:
            file.write(text)
            file.flush()
            assert (path.read_bytes() if path.exists() else None) == before
        assert path.read_bytes() == text.encode()
        assert names(tmp_path) == ["a.txt"]


def test_what_raises_changes_nothing(tmp_path, way):
    path = tmp_path / "a.txt"
    for old in (None, b"old"):
        if old is not None:
            path.write_bytes(old)
        for error in (ValueError, KeyboardInterrupt, SystemExit):
            with pytest.raises(error), new_file(path) as file:  # noqa: PT012
                file.write(b"half")
                raise error
            assert names(tmp_path) == ([] if old is None else ["a.txt"])
    assert path.read_bytes() == b"old"


@posix
def test_permissions_stay_and_new_files_follow_the_umask(tmp_path, way):
    before = os.umask(0o027)
    try:
        with new_text(tmp_path / "new"):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    for mode in (0o600, 0o664):
        (tmp_path / "new").chmod(mode)
        with new_text(tmp_path / "new"):
            pass
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == mode


@posix
def test_a_link_is_followed(tmp_path, way):
    (tmp_path / "there").mkdir()
    link, target = tmp_path / "link", tmp_path / "there" / "file"
    link.symlink_to(Path("there") / "file")
    for text in ("made", "replaced"):
        with new_text(link) as file:
            file.write(text)
        assert link.is_symlink()
        assert target.read_text() == text
        assert names(tmp_path / "there") == ["file"]


@posix
def test_what_is_no_plain_file_is_written_to(tmp_path):
    fifo, found = tmp_path / "fifo", []
    os.mkfifo(fifo)
    reader = threading.Thread(target=lambda: found.append(fifo.read_bytes()))
    reader.start()
    with new_text(fifo) as file:
        file.write("through a pipe")
    reader.join(60)
    assert found == [b"through a pipe"]
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    with new_text(os.devnull) as file:
        file.write("nothing")
    assert not Path(os.devnull).is_file()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
def test_an_open_file_of_this_process_is_added_to(tmp_path):
    """`(echo before; hierviz curve --csv /dev/stdout; echo after) > all.txt` keeps all three."""
    with open(tmp_path / "all.txt", "wb", buffering=0) as file:
        file.write(b"before\n")
        with new_text(f"/dev/fd/{file.fileno()}") as text:
            text.write("between\n")
        file.write(b"after\n")
    assert (tmp_path / "all.txt").read_text() == "before\nbetween\nafter\n"
    with (
        pytest.raises(FileError, match="expected a file that can be written, got: Bad file descriptor"),
        new_file("/dev/fd/9876"),
    ):
        pass


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda folder: folder, "Is a directory"),
        (lambda folder: folder / "none" / "a", "No such file or directory"),
        (lambda folder: "", "No such file or directory"),
        (lambda folder: folder / ("n" * 300), "File name too long"),
        (lambda folder: f"{folder}/a\0b", "a NUL character in its name"),
    ],
)
def test_where_nothing_can_be_written(tmp_path, make, words):
    with (
        pytest.raises(FileError, match=f": expected a file that can be written, got: {words}. Choose"),
        new_file(make(tmp_path)),
    ):
        raise AssertionError("nothing to write to")
    assert names(tmp_path) == []


@posix
def test_a_full_disk(tmp_path, taxonomy, way):
    """Tried with a limit on the size of files, which the system reports like a full disk, while writing or at its end."""
    resource = pytest.importorskip("resource")
    rows = np.full((4000, 4), 0.25)
    made = Predictions.from_scores(
        taxonomy, rows + np.random.default_rng(1).normal(size=rows.shape) * 0, "leaf_probabilities"
    )
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for name, room in (("p.csv", 5000), ("p.csv", 0), ("p.csv.gz", 200), ("p.parquet", 100)):
        (tmp_path / name).write_bytes(b"old")
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
        try:
            with pytest.raises(FileError) as caught:
                write_predictions(made, tmp_path / name)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        text = str(caught.value)
        assert text.startswith(f"{tmp_path / name}: expected a file that can be written, got: File too large. ")
        assert text.endswith("; the file that is there was not changed.")
        assert (tmp_path / name).read_bytes() == b"old"
    assert names(tmp_path) == ["p.csv", "p.csv.gz", "p.parquet"]


@posix
@pytest.mark.parametrize("moment", ["written", "os.fsync", "os.link", "os.replace", "after os.replace"])
def test_killed_at_each_step(tmp_path, way, moment, monkeypatch):
    """A fork of this process kills itself there; what it leaves goes with the next file."""
    path = tmp_path / "a.txt"
    path.write_text("old")
    if moment == "os.link" and way == "named":
        pytest.skip("nothing is linked")

    def die(*_, **__):
        os.kill(os.getpid(), signal.SIGKILL)

    if (child := os.fork()) == 0:
        name = moment.removeprefix("after ").removeprefix("os.")
        real = getattr(os, name, None)
        if moment == "after os.replace":
            monkeypatch.setattr(os, name, lambda *given: die(real(*given)))
        elif real is not None:
            monkeypatch.setattr(os, name, die)
        with new_text(path) as file:
            file.write("new")
            file.flush()
            if moment == "written":
                die()
        os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert path.read_text() == ("new" if moment.startswith("after") else "old")
    left = set(names(tmp_path)) - {"a.txt"}
    # Without a name there is only the moment between the link and the move.
    assert bool(left) == (moment == "os.replace" or (way == "named" and not moment.startswith("after")))
    with new_text(tmp_path / "other"):
        pass
    assert names(tmp_path) == ["a.txt", "other"]


@posix
def test_the_part_of_a_living_writer_is_left_alone(tmp_path, way):
    with new_text(tmp_path / "a") as first:
        first.write("a")
        with new_text(tmp_path / "b") as second:
            second.write("b")
    assert names(tmp_path) == ["a", "b"]
    assert (tmp_path / "a").read_text() == "a"


def test_a_gzipped_file_is_the_same_at_any_time(tmp_path, taxonomy):
    made = Predictions.from_scores(taxonomy, np.full((1, 4), 0.25), "leaf_probabilities")
    for name in ("one.csv.gz", "two.csv.gz"):
        write_predictions(made, tmp_path / name)
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.csv.gz").read_bytes()).startswith(b"cat,dog")
    assert load_predictions(tmp_path / "one.csv.gz", taxonomy).n_samples == 1


@posix
@pytest.mark.long
def test_the_command_killed_at_random_moments(tmp_path):
    """More of them: python benchmarks/killed_writes.py --kills 50."""
    found = killed_runs(6, tmp_path, random.Random(4), n_samples=500)
    assert found["old"] + found["new"] == 6


@posix
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_the_command_ends_in_one_line(tmp_path, name, code):
    """While it writes into a pipe that nobody reads, with an old file that it would replace next."""
    given = [str(one) for one in make_input(tmp_path, 3000)]
    (tmp_path / "out.json").write_text(OLD)
    os.mkfifo(tmp_path / "pipe")
    before = names(tmp_path)
    command = [sys.executable, "-m", "hierviz", "evaluate", *given, "--per-sample", "pipe", "--json", "out.json"]
    pipe = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
            assert select.select([pipe], [], [], 60)[0]
            process.send_signal(getattr(signal, name))
            try:
                err = process.communicate(timeout=60)[1]
            finally:
                process.kill()
    finally:
        os.close(pipe)
    assert (process.returncode, err) == (code, "hierviz: stopped\n")
    assert (tmp_path / "out.json").read_text() == OLD
    assert names(tmp_path) == before


@posix
@pytest.mark.parametrize("module", ["hierviz.messages.errors", "numpy", "hierviz.cli.predict"])
def test_ctrl_c_during_imports(tmp_path, module):
    """A module that is loaded early, in the middle, late: the signal comes as it begins."""
    code = f"""
import os, runpy, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
sys.argv = ["-m", "predict", "--help"]
sys.orig_argv = [sys.executable, "-m", "hierviz", *sys.argv[1:]]
runpy.run_module("hierviz", run_name="__main__", alter_sys=True)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "hierviz: stopped\n")


def test_a_program_that_uses_hierviz_keeps_its_signals():
    code = "import signal, hierviz; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_another_module_that_python_runs_keeps_its_signals(tmp_path):
    """`python -m other`: while its package is imported, Python calls it -m, as it calls hierviz."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "__init__.py").write_text("import hierviz\n")
    (tmp_path / "other" / "__main__.py").write_text(
        "import signal\nprint(signal.getsignal(signal.SIGINT) is signal.default_int_handler)\n"
    )
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-m", "other"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_a_place_that_is_not_there_is_said_before_the_work(tmp_path, capsys, monkeypatch):
    for place in ("evaluate", "judging"):
        monkeypatch.setattr(f"hierviz.cli.{place}.load_models", lambda *_, **__: pytest.fail("the work has begun"))
    for flags in (["evaluate", "--json"], ["evaluate", "--per-sample"], ["curve", "--csv"]):
        target = str(tmp_path / "none" / "file")
        assert cli.main([*flags, target, "--taxonomy", "t", "--predictions", "p"]) == 2
        assert "none/file: expected a file that can be written, got: No such file" in capsys.readouterr().err


def test_an_account_of_a_model_is_whole_too(tmp_path, capsys):
    """`predict --inspect --json`."""
    pytest.importorskip("onnxruntime")
    root = Path(__file__).parents[1]
    target = tmp_path / "account.json"
    target.write_text(OLD)
    flags = ["--model", root / "models" / "flat_softmax.onnx", "--taxonomy", root / "assets" / "demo" / "taxonomy.csv"]
    assert cli.main(["predict", *map(str, flags), "--inspect", "--json", str(target)]) == 0
    assert json.loads(target.read_text())["columns"]
    assert names(tmp_path) == ["account.json"]
