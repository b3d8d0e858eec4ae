"""Nothing leaves this machine and nobody comes in: the app listens on 127.0.0.1 only, answers to its own names and pages,
asks no outside address, and sends no telemetry.

The server runs with an audit hook that writes down every address Python binds to, connects to or looks up, from the first
line of start-up to the end of a visit; psutil looks at the sockets of all its processes, and Chromium at what the page asks.
"""

import asyncio
import contextlib
import http.client
import os
import socket
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.browser.conftest import Server
from tests.chromium_visit import look

ROOT = Path(__file__).parents[1]
CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
HOOK = """
import os, sys

def note(event, arguments):
    if event in ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        # A name of a local socket is text; an address of the network is a tuple.
        host = address[0] if isinstance(address, tuple) else "local"
    elif event == "socket.getaddrinfo":
        host = arguments[0] or "local"
    elif event == "socket.gethostbyname":
        host = arguments[0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    with open(os.environ["HIERVIZ_TEST_ADDRESSES"], "a") as file:
        file.write(f"{event} {host}\\n")

sys.addaudithook(note)
"""


def is_loopback(host):
    return host in ("local", "localhost", "::1") or host.startswith("127.")


class Watched:
    """A server and what it did on the network since its first line."""

    def __init__(self, start, log):
        import psutil

        self.log, self.seen, self._over = log, set(), threading.Event()
        # A browser of other tests may be open.
        self.before = {one.pid for one in psutil.Process().children()}
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.server = None
        self._thread.start()
        self.server = start()

    def processes(self):
        """The server and its children; it is known only once it is up, until then all that was started since."""
        import psutil

        if self.server:
            tops = [psutil.Process(self.server.process.pid)]
        else:
            tops = [one for one in psutil.Process().children() if one.pid not in self.before]
        return [process for top in tops for process in (top, *top.children(recursive=True))]

    def connections(self):
        """(status, local address, remote address) of the sockets of all its processes."""
        import psutil

        found = []
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                found += [(one.status, one.laddr, one.raddr) for one in process.net_connections(kind="inet")]
        return found

    def _watch(self):
        import psutil

        while not self._over.wait(0.05):
            with contextlib.suppress(psutil.Error):
                self.seen |= {(status, local[:1], remote[:1]) for status, local, remote in self.connections()}

    def listening(self):
        """(address, port) of everything that listens."""
        return {(local.ip, local.port) for status, local, _ in self.connections() if status == "LISTEN"}

    def addresses(self):
        """(event, host) that Python wrote down."""
        return [tuple(line.split(" ", 1)) for line in self.log.read_text().splitlines()]

    def stop(self):
        self._over.set()
        self._thread.join()
        self.server.stop()


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """The app started from another folder by a user who never ran Streamlit, watched from the start."""
    pytest.importorskip("psutil")
    pytest.importorskip("streamlit")
    folder = tmp_path_factory.mktemp("offline")
    (folder / "hook").mkdir()
    (folder / "hook" / "sitecustomize.py").write_text(HOOK)
    (folder / "home").mkdir()
    addresses = folder / "addresses.txt"
    addresses.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder / "hook"), prepend=os.pathsep)
        patch.setenv("HIERVIZ_TEST_ADDRESSES", str(addresses))
        patch.setenv("HOME", str(folder / "home"))
        found = Watched(lambda: Server(folder / "log.txt"), addresses)
    yield found
    found.stop()


@pytest.fixture(scope="module")
def visit(watched):
    """What a browser asked for on a page, on two in the long run."""
    return look(watched.server.url, "", *["curves"] * bool(os.environ.get("HIERVIZ_LONG")))


def test_listens_on_this_machine_only(watched):
    assert watched.listening() == {("127.0.0.1", watched.server.port)}


def test_other_addresses_of_this_machine_are_refused(watched):
    import psutil

    mine = {
        one.address
        for addresses in psutil.net_if_addrs().values()
        for one in addresses
        if one.family == socket.AF_INET and not one.address.startswith("127.")
    }
    if not mine:
        pytest.skip("this machine has no address but 127.0.0.1")
    with socket.create_connection(("127.0.0.1", watched.server.port), timeout=5):
        pass
    for address in mine:
        with pytest.raises(OSError), socket.create_connection((address, watched.server.port), timeout=2):
            pass


UPGRADE = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
UPGRADE |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
PATHS = (
    "/",
    "/open",
    "/_stcore/health",
    "/_stcore/host-config",
    "/_stcore/upload_file/a/b",
    "/media/a.png",
    "/app/static/a",
)


def ask(server, path, *, method="GET", **headers):
    """(status, text) of a request with exactly these headers; of WebSockets, without the text."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, values in headers.items():
        for value in values if isinstance(values, tuple) else (values,):
            connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, "" if "Upgrade" in headers else answer.read().decode()
    connection.close()
    return found


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1.evil.example:{port}",
        "localhost.evil.example",
        "evil.example@127.0.0.1:{port}",
        "127.0.0.1:{port}/../evil.example",
        "0.0.0.0:{port}",
        "192.0.2.7:{port}",
        "",
        ("127.0.0.1:{port}", "evil.example"),
    ],
)
def test_a_foreign_name_is_refused(watched, host):
    """Pages, uploads, pictures, downloads and WebSockets alike: a name of another site may be made to point here."""
    server = watched.server
    hosts = tuple(one.format(port=server.port) for one in (host if isinstance(host, tuple) else (host,)))
    for path in PATHS:
        for method in ("GET", "PUT", "OPTIONS"):
            status, text = ask(server, path, method=method, Host=hosts)
            assert status in (400, 403), (path, method)
            assert "streamlit" not in text.lower()
    assert ask(server, "/_stcore/stream", Host=hosts, **UPGRADE)[0] in (400, 403)


def test_names_of_this_machine_are_answered(watched):
    server = watched.server
    for name in ("localhost", "127.0.0.1", "[::1]", "LOCALHOST."):
        host = f"{name}:{server.port}"
        assert ask(server, "/_stcore/health", Host=host) == (200, "ok")
        assert ask(server, "/_stcore/stream", Host=host, Origin=f"http://{host}", **UPGRADE)[0] == 101
    status, text = ask(server, "/", Host="evil.example")
    assert status == 403
    assert text == (
        "Host: expected a name of this server, got 'evil.example'. Open http://localhost with its port on the same machine, "
        "or start hierviz with --allow-host NAME.\n"
    )


def test_a_foreign_page_is_refused_without_asking_anybody(watched):
    """Streamlit itself would look up this machine's address on the internet to compare it with the page's."""
    server = watched.server
    host = f"127.0.0.1:{server.port}"
    for origin in (
        "http://evil.example",
        f"http://evil.example:{server.port}",
        "http://127.0.0.1:1",
        "http://192.0.2.7",
        "null",
        f"ftp://{host}",
        f"http://{host}.evil.example",
        (f"http://{host}", "http://evil.example"),
    ):
        for path in ("/", "/_stcore/host-config", "/_stcore/upload_file/a/b"):
            assert ask(server, path, Host=host, Origin=origin)[0] == 403
        assert ask(server, "/_stcore/stream", Host=host, Origin=origin, **UPGRADE)[0] in (400, 403)
    # The port that goes without saying: not the same text, and yet the same page.
    assert ask(server, "/_stcore/stream", Host="localhost:80", Origin="http://localhost", **UPGRADE)[0] == 101
    assert ask(server, "/_stcore/stream", Host="localhost", Origin="https://localhost:443", **UPGRADE)[0] == 101
    events = watched.addresses()
    assert ("socket.bind", "127.0.0.1") in events
    assert [one for one in events if not is_loopback(one[1])] == []


def test_an_upload_beyond_all_room_is_refused_before_it_is_sent(watched):
    host = f"127.0.0.1:{watched.server.port}"
    headers = {"Host": host, "Content-Length": str(5 * 10**9)}
    assert ask(watched.server, "/_stcore/upload_file/a/b", method="PUT", **headers) == (
        413,
        "upload: expected at most 4 GB of one visitor at once, got 5 GB. Upload less, or start the app with a larger "
        "--max-data-gb.\n",
    )
    for method, path in (("GET", "/_stcore/upload_file/a/b"), ("PUT", "/_stcore/health")):
        assert ask(watched.server, path, method=method, **headers | {"Content-Length": "0"})[0] != 413


def test_uploads_that_no_page_takes_are_limited_as_they_arrive(monkeypatch):
    """On the routes of Streamlit itself: with a length that is told, without, and by several requests at a time."""
    pytest.importorskip("streamlit")
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
    from streamlit.web.server.starlette import starlette_routes

    from hierviz.app import middleware
    from hierviz.app.state.limits import ServerLimits

    manager = MemoryUploadedFileManager("/_stcore/upload_file")
    running = SimpleNamespace(uploaded_file_mgr=manager, is_active_session=lambda session: True)
    monkeypatch.setattr(starlette_routes, "is_xsrf_enabled", lambda: False)
    monkeypatch.setattr(middleware, "runtime", SimpleNamespace(exists=lambda: True, get_instance=lambda: running))
    monkeypatch.setattr(middleware, "_limits", lambda: ServerLimits(upload=10**6, data=20_000, files=3))
    routes = starlette_routes.create_upload_routes(running, manager, None)
    app = Starlette(routes=routes, middleware=[Middleware(middleware.UploadCheck)])

    async def put(session, name, n_bytes, *, told=True, meanwhile=None):
        """(status, text) of an upload in pieces of 1,000 bytes, and how many bytes the server asked for."""
        frame = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n\r\n', b"\r\n--x--\r\n"
        body = frame[0] + bytes(n_bytes) + frame[1]
        pieces = [body[at : at + 1000] for at in range(0, len(body), 1000)]
        headers = [(b"content-type", b"multipart/form-data; boundary=x")]
        headers += [(b"content-length", str(len(body)).encode())] if told else []
        path, said, given = f"/_stcore/upload_file/{session}/{name}", [], []

        async def receive():
            if meanwhile and len(given) == 2:
                await meanwhile()
            given.append(pieces[len(given)])
            return {"type": "http.request", "body": given[-1], "more_body": len(given) < len(pieces)}

        async def send(message):
            said.append(message)

        scope = {
            "type": "http",
            "method": "PUT",
            "path": path,
            "headers": headers,
            "query_string": b"",
            "root_path": "",
        }
        await app(scope, receive, send)
        text = b"".join(one.get("body", b"") for one in said).decode()
        return said[0]["status"], text, sum(map(len, given))

    async def visits():
        assert (await put("one", "a", 6000))[0] == 204
        status, text, n_given = await put("one", "b", 6000)
        assert (status, n_given) == (413, 0)
        assert text.startswith("upload: expected at most 10 kB of one visitor at once, got 12.1 kB. Upload less, or ")
        status, text, n_given = await put("one", "b", 6000, told=False)
        assert (status, n_given) == (413, 5000)
        assert text.startswith("upload: expected at most 10 kB of one visitor at once, got 11 kB. ")
        # Two at a time, each of which there would be room for.
        found = []

        async def other():
            found.append(await put("two", "b", 7500, told=False))

        assert (await put("two", "a", 6000, told=False, meanwhile=other))[0] == 413
        assert found[0][0] == 204
        # All together.
        assert (await put("three", "a", 6000))[0] == 204
        status, text, _ = await put("four", "a", 2000)
        assert status == 413
        assert text.startswith("upload: expected at most 20 kB of all visitors at once, got 21.6 kB. ")
        # However small they are.
        assert [(await put("five", name, 0))[0] for name in "abcd"] == [204, 204, 204, 413]
        # What a page has taken over, or whose session has ended, makes room.
        manager.remove_file("one", "a")
        manager.remove_session_files("five")
        assert (await put("one", "b", 6000))[0] == 204

    asyncio.run(visits())


@pytest.mark.browser
@pytest.mark.long
def test_the_server_asks_nobody(watched, visit):
    events = watched.addresses()
    # The hook was there: it saw the server bind.
    assert ("socket.bind", "127.0.0.1") in events
    assert [one for one in events if not is_loopback(one[1])] == []
    assert visit["texts"]
    assert watched.seen, "nobody watched"
    strangers = [
        (status, local, remote)
        for status, local, remote in watched.seen
        if (remote and not is_loopback(remote[0])) or not is_loopback(local[0])
    ]
    assert strangers == []


@pytest.mark.browser
def test_the_page_asks_nobody(watched, visit):
    ours = (f"http://127.0.0.1:{watched.server.port}/", f"ws://127.0.0.1:{watched.server.port}/", "data:", "blob:")
    assert len(visit["requests"]) > 5
    assert any(url.startswith("ws://") for url in visit["requests"])
    assert [url for url in visit["requests"] if not url.startswith(ours)] == []
    assert visit["errors"] == []
    assert visit["exceptions"] == 0
    for text in visit["texts"].values():
        assert "nothing is sent anywhere" in text


@pytest.mark.browser
def test_the_settings_take_effect_from_another_folder(watched, visit):
    """Streamlit reads .streamlit/config.toml in the current folder only, so the command passes all of it on."""
    assert Path(watched.server.streamlit().cwd()) != ROOT
    assert CONFIG["client"]["toolbarMode"] == "minimal"
    assert visit["deploy"] == 0


def test_no_question_on_the_first_run(watched):
    """A user without ~/.streamlit is asked for no e-mail, and the log names no outside address."""
    log = Path(watched.server.log.name).read_text()
    assert "email" not in log.lower()
    assert "External URL" not in log
    assert "Network URL" not in log


@pytest.mark.parametrize(
    "way",
    [
        "streamlit run for all",
        *(pytest.param(way, marks=pytest.mark.long) for way in ("streamlit run", "hierviz for all")),
    ],
)
@pytest.mark.long
def test_every_other_start_is_the_same(way, tmp_path, monkeypatch):
    """`streamlit run app.py` in the clone takes its settings from .streamlit/config.toml; listening on all addresses, too,
    nobody is asked for the address of this machine, and foreign names are refused."""
    psutil = pytest.importorskip("psutil")
    pytest.importorskip("streamlit")
    for name in ("hook", "home"):
        (tmp_path / name).mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(HOOK)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "hook"), prepend=os.pathsep)
    monkeypatch.setenv("HIERVIZ_TEST_ADDRESSES", str(tmp_path / "addresses.txt"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = {
        "streamlit run": ["streamlit", "run", "app.py"],
        "streamlit run for all": ["streamlit", "run", "app.py", "--server.address", "0.0.0.0"],
        "hierviz for all": ["hierviz", "app", "--host", "0.0.0.0", "--no-browser"],
    }[way]
    flags = (
        ["--port", str(port)] if command[0] == "hierviz" else ["--server.port", str(port), "--server.headless", "true"]
    )
    with open(tmp_path / "log.txt", "w") as log:
        process = subprocess.Popen([sys.executable, "-m", *command, *flags], cwd=ROOT, stdout=log, stderr=log)
        try:
            for _ in range(600):
                sockets = psutil.Process(process.pid).net_connections(kind="inet")
                listening = {(one.laddr.ip, one.laddr.port) for one in sockets if one.status == "LISTEN"}
                if listening and "open at" in (tmp_path / "log.txt").read_text():
                    break
                assert process.poll() is None, (tmp_path / "log.txt").read_text()
                time.sleep(0.1)
            place = SimpleNamespace(port=port)
            assert ask(place, "/_stcore/health", Host=f"localhost:{port}") == (200, "ok")
            assert ask(place, "/_stcore/health", Host=f"evil.example:{port}")[0] == 403
            assert ask(place, "/_stcore/stream", Host="localhost", Origin="http://evil.example", **UPGRADE)[0] == 403
        finally:
            process.kill()
            process.wait()
    assert listening == {("127.0.0.1" if way == "streamlit run" else "0.0.0.0", port)}
    events = [line.split(" ", 1) for line in (tmp_path / "addresses.txt").read_text().splitlines()]
    assert {host for _, host in events} <= {"local", "localhost", "127.0.0.1", "0.0.0.0", "::1"}
