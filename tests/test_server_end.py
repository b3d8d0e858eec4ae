"""The server ends with the process that started it, after Python has cleaned up: no upload remains."""

import os
import select
import signal
import socket
import subprocess
import sys

import pytest

pytest.importorskip("streamlit")
if os.name != "posix":
    pytest.skip("needs signals", allow_module_level=True)

import fcntl
import termios

from hierviz.app import lifetime
from hierviz.app.state.uploads import PREFIX

# What is written when Python ends in order, as uploads are deleted then.
HOOK = """
import atexit, os, sys

def note():
    with open(os.environ["HIERVIZ_TEST_END"], "a") as file:
        file.write("in order\\n")

if "-m" in sys.orig_argv and "hierviz" in sys.orig_argv:
    atexit.register(note)
"""
UPGRADE = (
    "GET /_stcore/stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
WATCHDOG = 120


@pytest.fixture
def start(tmp_path, monkeypatch):
    """start(**options of Popen) -> the process of `hierviz app` and its port."""
    (tmp_path / "sitecustomize.py").write_text(HOOK)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("HIERVIZ_TEST_END", str(tmp_path / "end.txt"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    started = []

    def call(**options):
        command = [sys.executable, "-m", "hierviz", "app", "--no-browser", "--port", str(port)]
        started.append(subprocess.Popen(command, cwd=tmp_path, **options))
        return started[0], port

    yield call
    for process in started:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def greeting(output):
    """What the server says once it listens."""
    said = b""
    while not said.endswith(b"\n"):
        assert select.select([output], [], [], WATCHDOG)[0]
        said += os.read(output, 4096)
    return said.decode()


def connected(port):
    """A visitor's WebSocket that never closes by itself, and a request that never ends."""
    socket_, slow = (socket.create_connection(("127.0.0.1", port), timeout=WATCHDOG) for _ in range(2))
    socket_.sendall(UPGRADE.encode())
    assert socket_.recv(4096).startswith(b"HTTP/1.1 101")
    slow.sendall(b"GET / HTTP/1.1\r\nHost: localh")
    return socket_, slow


def ended(process, port, folder):
    process.wait(WATCHDOG)
    assert (folder / "end.txt").read_text() == "in order\n"
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
        pass


@pytest.mark.long
def test_sigterm_ends_it_when_nobody_reads_any_more(start, tmp_path):
    """As in `hierviz app | head -1`, with visitors who are still there."""
    import psutil

    # What a server left that was killed goes before any visitor comes.
    stale = tmp_path / f"{PREFIX}abc" / "file.csv"
    stale.parent.mkdir()
    stale.touch()
    with open(tmp_path / "errors.txt", "w") as errors:
        process, port = start(stdout=subprocess.PIPE, stderr=errors, env=os.environ | {"TMPDIR": str(tmp_path)})
        assert greeting(process.stdout.fileno()) == f"hierviz: open at http://127.0.0.1:{port} (Ctrl+C ends it)\n"
        assert not stale.parent.exists()
        process.stdout.close()
        # The command serves itself: whatever ends it ends the server, SIGKILL too.
        listening = [one for one in psutil.Process(process.pid).net_connections("inet") if one.status == "LISTEN"]
        assert [one.laddr.port for one in listening] == [port]
        visitors = connected(port)
        process.send_signal(signal.SIGTERM)
        ended(process, port, tmp_path)
    for visitor in visitors:
        visitor.close()
    assert process.returncode in (0, 130)
    assert (tmp_path / "errors.txt").read_text() in ("", "hierviz: stopped\n")


@pytest.mark.long
def test_a_closed_terminal_ends_it(start, tmp_path):
    terminal, inside = os.openpty()
    process, port = start(
        **dict.fromkeys(("stdin", "stdout", "stderr"), inside),
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(inside)
    assert "open at" in greeting(terminal)
    visitors = connected(port)
    os.close(terminal)
    ended(process, port, tmp_path)
    for visitor in visitors:
        visitor.close()


def test_signals_become_ctrl_c_and_those_that_hang_are_cut(monkeypatch):
    """`nohup` stays as it is; a second Ctrl-C follows the first, for connections that do not close."""
    names, seen = ("SIGINT", "SIGTERM", "SIGHUP"), []
    before = {name: signal.getsignal(getattr(signal, name)) for name in names}
    timers = []
    monkeypatch.setattr(lifetime.threading, "Timer", lambda *given: timers.append(given) or lifetime.threading.Thread())
    try:
        signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        lifetime._end_on_signals()
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        signal.raise_signal(signal.SIGTERM)
        assert seen == [signal.SIGINT]
        ((seconds, interrupt, given),) = timers
        assert seconds == lifetime.LONGEST_END
        interrupt(*given)
        assert seen == [signal.SIGINT] * 2
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)
