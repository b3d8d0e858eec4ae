"""A model runs in a process of its own: its limits, how it is stopped, and what is left behind (nothing)."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("psutil")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

import psutil

from hierviz.messages.errors import ModelError
from hierviz.onnx.process import isolation
from hierviz.onnx.process import session as session_module
from hierviz.onnx.process.isolation import Limits
from hierviz.onnx.process.session import Session

from . import hostile_models as hostile

pytestmark = pytest.mark.usefixtures("temporary")


def scores(x):
    return x @ hostile.WEIGHTS + hostile.BIAS


def test_what_progress_raises_ends_the_run(write):
    class Stopped(Exception):
        pass

    def stop(done, n_rows):
        raise Stopped

    # Nothing else would end it for an hour.
    session = Session(write(hostile.endless_loop()), limits=Limits(cpu_seconds=3600, wall_seconds=3600))
    with pytest.raises(Stopped):
        session.run([{"x": hostile.X}], ["logits"], n_rows=3, step=4, progress=stop)
    session.close()


def test_a_source_of_rows_that_fails(write):
    def blocks():
        yield {"x": hostile.X}
        raise ModelError("a picture that cannot be read")

    with Session(write(hostile.honest())) as session:
        with pytest.raises(ModelError, match="a picture"):
            session.run(blocks(), ["logits"], n_rows=6, step=2)
        with pytest.raises(ValueError, match="at least one row"):
            session.run([], ["logits"], n_rows=0, step=2)
        for n_rows in (2, 4):
            with pytest.raises(ValueError, match="were announced"):
                session.run([{"x": hostile.X}], ["logits"], n_rows=n_rows, step=2)
        with pytest.raises(ModelError, match=r"expected rows like the first ones"):
            session.run([{"x": hostile.X}, {"x": hostile.X[:, :2]}], ["logits"], n_rows=6, step=6)


def test_no_room_for_the_inputs(write):
    """A file that takes no more, as on a full disk: what waits to be written fails once more when it is closed."""
    resource = pytest.importorskip("resource")
    x = np.zeros((200_000, 3), np.float32)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Session(write(hostile.honest())) as session:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
        try:
            with pytest.raises(ModelError, match=r"expected room for its inputs in .*File too large") as raised:
                session.run([{"x": part} for part in np.array_split(x, 4000)], ["logits"], n_rows=len(x), step=64)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert str(raised.value).startswith("m.onnx")


def test_a_slow_source_is_not_a_slow_model(write, temporary, monkeypatch):
    """Each row takes an hour by the clock of the session; the model waits for them, loaded."""
    now = [0.0]
    monkeypatch.setattr(session_module, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=time.sleep))

    def blocks():
        while not any(one.read_text() for one in temporary.glob("*/progress")):
            time.sleep(0.01)
        for row in hostile.X:
            now[0] += 3600
            yield {"x": row[None]}

    with Session(write(hostile.honest()), limits=Limits(wall_seconds=900)) as session:
        run = session.run(blocks(), ["logits"], n_rows=3, step=2)
    np.testing.assert_allclose(run.values["logits"], scores(hostile.X), rtol=1e-5, atol=1e-6)


@pytest.mark.skipif(not isolation.CAN_FORK, reason="looks at the fork")
@pytest.mark.long
def test_a_long_run_outlives_the_limit_of_a_batch(write):
    """Batches, each far below the limit, go on until all together are four times above it."""

    class Outlived(Exception):
        pass

    session, first = Session(write(hostile.honest()), limits=Limits(cpu_seconds=0.5)), []

    def look(done, n_rows):
        server = next(one for one in isolation._servers.values() if one.process.poll() is None)
        for model in psutil.Process(server.process.pid).children():
            used = model.cpu_times().user + model.cpu_times().system
            first.append(used)
            if used > first[0] + 2:
                raise Outlived

    x = np.repeat(hostile.X, 4000, axis=0)
    with pytest.raises(Outlived):
        session.run(({"x": x} for _ in itertools.count()), ["logits"], n_rows=10**12, step=8, progress=look)
    session.close()


@pytest.mark.long
def test_many_at_a_time(write):
    path, found = write(hostile.honest()), []

    def work():
        with Session(path) as session:
            found.append(session.run([{"x": hostile.X}], ["logits"], n_rows=3, step=4).values["logits"])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(found) == 8
    for one in found:
        np.testing.assert_allclose(one, scores(hostile.X), rtol=1e-5, atol=1e-6)


@pytest.mark.skipif(not isolation.CAN_FORK, reason="needs fork")
@pytest.mark.parametrize("name", ["SIGSEGV", "SIGKILL", "SIGXCPU"])
def test_signals_are_named(write, monkeypatch, name):
    """A process that ends in the middle, as a crash, the system or the limit would end it."""
    started = []

    class Dying(isolation._Forked):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            started.append(self)

    monkeypatch.setattr(isolation, "_Forked", Dying)

    def kill(done, n_rows):
        for child in psutil.Process(started[-1].server.process.pid).children():
            child.send_signal(getattr(signal, name))

    words = {
        "SIGSEGV": r"a crash \(SIGSEGV\)",
        "SIGKILL": "ended by the system",
        "SIGXCPU": "within 60 s of processor time",
    }
    with Session(write(hostile.endless_loop())) as session, pytest.raises(ModelError, match=words[name]):
        session.run([{"x": hostile.X}], ["logits"], n_rows=3, step=4, progress=kill)


@pytest.mark.long
@pytest.mark.skipif(not isolation.CAN_FORK, reason="needs fork")
def test_the_process_that_forks_may_die(write):
    path = write(hostile.honest())
    Session(path).close()
    for one in isolation._servers.values():
        one.process.kill()
        one.process.wait()
    with Session(path) as session:
        assert session.inputs


def test_the_program_alone():
    """It imports nothing of hierviz, and hides nothing of the standard library."""
    for path in isolation.PROGRAM.glob("*.py"):
        assert "import hierviz" not in path.read_text()
        assert "from hierviz" not in path.read_text()
        assert path.stem not in sys.stdlib_module_names


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_the_environment_is_bare(write, monkeypatch):
    monkeypatch.setenv("A_SECRET", "canary")
    monkeypatch.setattr(isolation, "_servers", {})
    seen = {}

    def look(done, n_rows):
        server = next(iter(isolation._servers.values())).process.pid
        place = Path(f"/proc/{psutil.Process(server).children()[0].pid}")
        seen["environment"] = (place / "environ").read_text()
        seen["files"] = [os.readlink(place / "fd" / str(one)) for one in (0, 1, 2)]
        seen["threads"] = len(list((place / "task").iterdir()))
        seen["limits"] = (place / "limits").read_text()
        raise KeyboardInterrupt

    with (
        Session(write(hostile.endless_loop()), limits=Limits(memory_mb=1500)) as session,
        pytest.raises(KeyboardInterrupt),
    ):
        session.run([{"x": hostile.X}], ["logits"], n_rows=3, step=4, progress=look)
    names = {one.split("=")[0] for one in seen["environment"].split("\0") if one}
    words = "PATH LANG LANGUAGE LC_ALL LC_CTYPE OMP_NUM_THREADS OPENBLAS_NUM_THREADS"
    assert names <= {*words.split(), "ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED"}
    assert "ORT_DISABLE_TELEMETRY" in names
    assert seen["threads"] == 1  # none that uploads anything, and none that makes forking unsafe
    assert seen["files"] == [os.devnull] * 3
    rows = {line[:25].strip(): line[25:].split()[0] for line in seen["limits"].splitlines()}
    assert rows["Max address space"] == str(1500 << 20)
    assert rows["Max core file size"] == "0"
    assert 60 <= int(rows["Max cpu time"]) <= 65
    for one in isolation._servers.values():
        one.close()


@pytest.mark.long
def test_nothing_is_left_when_python_ends(write, temporary):
    code = f"""
import tempfile, numpy as np
tempfile.tempdir = {str(temporary)!r}
from pathlib import Path
from hierviz.onnx.process.session import Session
session = Session(Path({str(write(hostile.honest()))!r}))
print(len(list(Path(tempfile.tempdir).iterdir())))
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("1\n", "")


@pytest.mark.long
@pytest.mark.skipif(not isolation.CAN_FORK, reason="needs fork")
def test_nothing_is_left_when_python_is_killed(write, temporary):
    code = f"""
import os, signal, tempfile, numpy as np, psutil
tempfile.tempdir = {str(temporary)!r}
from hierviz.onnx.process.session import Session
def end(*_):
    print(*[one.pid for one in psutil.Process().children(recursive=True)], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
session = Session({str(write(hostile.endless_loop()))!r})
x = np.zeros((3, 3), np.float32)
session.run([dict(x=x)], ["logits"], n_rows=3, step=4, progress=end)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, "")
    pids = [int(one) for one in done.stdout.split()]
    assert len(pids) == 2  # the one that forks and the model's
    until = time.monotonic() + 120
    while (list(temporary.iterdir()) or any(map(psutil.pid_exists, pids))) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(psutil.pid_exists, pids))


def test_limits_say_what_they_are():
    for wrong in (
        {"cpu_seconds": 0},
        {"memory_mb": -1},
        {"wall_seconds": float("nan")},
        {"cpu_seconds": 1e300},
        {"memory_mb": 2**63},
    ):
        with pytest.raises(ModelError, match="expected a limit above 0 and up to 1e"):
            Limits(**wrong)
    assert Limits().memory(300 << 20) == 2048 + 1200
    assert Limits(memory_mb=700).memory(300 << 20) == 700
    assert (Limits().wall, Limits(cpu_seconds=2).wall, Limits(wall_seconds=1).wall) == (300, 30, 1)


@pytest.mark.long
@pytest.mark.skipif(not isolation.CAN_FORK, reason="needs fork")
def test_a_process_with_threads_is_not_forked(write, monkeypatch):
    """An onnxruntime that starts a thread when imported is imported in the fork instead."""
    monkeypatch.setattr(isolation, "_servers", {})
    with monkeypatch.context() as changed:
        popen = subprocess.Popen

        def with_threads(command, env, **more):
            return popen(command, env={**env, "OMP_NUM_THREADS": "3", "OPENBLAS_NUM_THREADS": "3"}, **more)

        changed.setattr(subprocess, "Popen", with_threads)
        path = write(hostile.honest())
        with Session(path) as session:
            run = session.run([{"x": hostile.X}], ["logits"], n_rows=3, step=4)
    np.testing.assert_allclose(run.values["logits"], scores(hostile.X), rtol=1e-5, atol=1e-6)
    server = psutil.Process(next(iter(isolation._servers.values())).process.pid)
    assert server.cmdline()[-1] == "--without-onnxruntime"
    for one in isolation._servers.values():
        one.close()
