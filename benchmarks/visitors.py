"""Many visitors at once, each with data of their own: views lost, cross-talk, latency and memory of the server.

    python benchmarks/visitors.py [--visitors 20] [--seconds 300] [--after 300] [--samples 2000] [--report report.json]

Starts the app and lets every visitor talk to it as a browser does, over Streamlit's WebSocket and upload addresses: upload
a taxonomy, predictions and a truth whose names nobody else has, press Open, then go from page to page and from sample to
sample until the time is over. A view is lost when it does not show the visitor's own data or ends in an error; there is
cross-talk when it holds a word of another visitor's data. Claims: no view is lost, there is no cross-talk, and a minute
after the last visitor has gone the uploads are removed and the server has its memory back, but for what Python keeps.
"""

import argparse
import asyncio
import contextlib
import http.cookiejar
import json
import random
import re
import statistics
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
import uuid
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import psutil  # noqa: E402
import websockets  # noqa: E402
from streamlit.proto.BackMsg_pb2 import BackMsg  # noqa: E402
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg  # noqa: E402

from tests.browser.conftest import Server  # noqa: E402

BRANCHES, LEAVES_OF_BRANCH = 4, 5
# Words of every visitor's data begin like this, with the visitor's own number behind.
WORD = re.compile(r"v(\d{3})x")
LONGEST_VIEW = 300  # seconds until a view counts as lost


def files_of(number, n_samples):
    """Uploads of one visitor by the name of their uploader: every name holds the visitor's number."""
    own, rng = f"v{number:03d}x", random.Random(number)
    branches = [f"{own}branch{i}" for i in range(BRANCHES)]
    leaves = [f"{own}leaf{i}" for i in range(BRANCHES * LEAVES_OF_BRANCH)]
    edges = [(f"{own}root", one) for one in branches]
    edges += [(branches[i // LEAVES_OF_BRANCH], one) for i, one in enumerate(leaves)]
    rows, truth = [["sample_id", *leaves]], [["sample_id", "truth"]]
    for i in range(n_samples):
        weights = [rng.random() ** 6 for _ in leaves]
        total = sum(weights)
        rows.append([f"{own}sample{i}", *(f"{one / total:.6f}" for one in weights)])
        truth.append([f"{own}sample{i}", rng.choices(leaves, weights)[0]])
    # The model takes its name of its file; the others have the same name for all.
    return {
        "taxonomy": ("taxonomy.csv", _csv([("parent", "child"), *edges])),
        "predictions": (f"{own}model.csv", _csv(rows)),
        "truth": ("truth.csv", _csv(truth)),
    }


def _csv(rows):
    return "\n".join(",".join(row) for row in rows).encode()


class Lost(Exception):
    """A view that does not show what it should."""


class Visitor:
    """One browser with one page, and what it has seen."""

    def __init__(self, number, base, n_samples):
        self.number, self.base, self.n_samples = number, base, n_samples
        self.cookies = http.cookiejar.CookieJar()
        self.http = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self.page, self.query, self.session = "", "", ""
        self.widgets, self.elements = {}, {}
        self.latencies, self.lost, self.crossed = [], [], []

    async def live(self, until):
        """Open the files, then look around until the time is over."""
        address = self.base.replace("http://", "ws://") + "/_stcore/stream"
        await asyncio.to_thread(self._get, "/_stcore/health")
        await asyncio.to_thread(self._get, "/_stcore/host-config")
        headers = {"Cookie": "; ".join(f"{one.name}={one.value}" for one in self.cookies), "Origin": self.base}
        protocols = ["streamlit", self._token()]
        async with websockets.connect(
            address, subprotocols=protocols, additional_headers=headers, max_size=None, ping_interval=None
        ) as self.socket:
            await self.view("", "")
            await self.view("open", "")
            for uploader, (name, content) in files_of(self.number, self.n_samples).items():
                await self.upload(uploader, name, content)
            await self.press("Open")
            data = urllib.parse.parse_qs(self.query).get("data", [""])[0]
            if not re.fullmatch(r"[0-9a-f]{16}", data):
                raise Lost(f"visitor {self.number}: no data opened: {self.text()[-600:]}")
            rng = random.Random(self.number)
            while time.monotonic() < until:
                page = rng.choice(["", "curves", "example", "open"])
                query = {"data": data, "threshold": f"{rng.random():.3f}"}
                if page == "example":
                    query["sample"] = f"v{self.number:03d}xsample{rng.randrange(self.n_samples)}"
                await self.looked_at(page, urllib.parse.urlencode(query))

    async def looked_at(self, page, query):
        """One view, with what is wrong about it noted."""
        start = time.monotonic()
        try:
            await self.view(page, query)
            self.latencies.append(time.monotonic() - start)
            text = self.text()
            own = set(map(int, WORD.findall(text)))
            if own - {self.number}:
                self.crossed.append(f"{page}?{query}")
            if not own or "not open on this" in text or self.errors():
                raise Lost(f"{self.errors()} {text[:300]}")
        except (Lost, TimeoutError) as error:
            self.lost.append(f"{page}?{query}: {error}")

    async def view(self, page, query):
        """Load a page and wait until it is drawn."""
        self.page, self.query, self.widgets = page, query, {}
        await self._run()

    async def press(self, label):
        """Press the button of this label."""
        found = (one.button for one in self.elements.values() if one.WhichOneof("type") == "button")
        button = next(one for one in found if one.label == label)
        await self._run(button.id)

    async def upload(self, uploader, name, content):
        """Put a file into the uploader of a field."""
        found = next(
            one.file_uploader
            for one in self.elements.values()
            if one.WhichOneof("type") == "file_uploader" and f"upload_{uploader}" in one.file_uploader.id
        )
        message = BackMsg()
        message.file_urls_request.request_id = str(uuid.uuid4())
        message.file_urls_request.file_names.append(name)
        message.file_urls_request.session_id = self.session
        await self.socket.send(message.SerializeToString())
        while True:
            received = await self._received()
            if received.WhichOneof("type") == "file_urls_response":
                break
        urls = received.file_urls_response.file_urls[0]
        await asyncio.to_thread(self._put, urls.upload_url, name, content)
        self.widgets[found.id] = (urls, name, len(content))
        await self._run()

    def text(self):
        """All words of the page, of tables and charts as well."""
        return "\n".join(str(one) for one in self.elements.values())

    def errors(self):
        """Alerts in red and tracebacks."""
        found = []
        for one in self.elements.values():
            if one.WhichOneof("type") == "exception":
                found.append(one.exception.message)
            if one.WhichOneof("type") == "alert" and one.alert.format == one.alert.ERROR:
                found.append(one.alert.body)
        return found

    async def _run(self, trigger=None):
        message = BackMsg()
        state = message.rerun_script
        state.query_string = self.query
        state.page_name = self.page
        for widget, value in self.widgets.items():
            one = state.widget_states.widgets.add(id=widget)
            urls, name, size = value
            info = one.file_uploader_state_value.uploaded_file_info.add(file_id=urls.file_id, name=name, size=size)
            info.file_urls.CopyFrom(urls)
        if trigger:
            state.widget_states.widgets.add(id=trigger, trigger_value=True)
        await self.socket.send(message.SerializeToString())
        self.elements = {}
        async with asyncio.timeout(LONGEST_VIEW):
            while True:
                received = await self._received()
                kind = received.WhichOneof("type")
                if kind == "new_session":
                    self.elements = {}
                    self.session = received.new_session.initialize.session_id or self.session
                elif kind == "delta" and received.delta.WhichOneof("type") == "new_element":
                    self.elements[tuple(received.metadata.delta_path)] = received.delta.new_element
                elif kind == "page_info_changed":
                    self.query = received.page_info_changed.query_string
                elif kind == "script_finished" and received.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    return

    async def _received(self):
        message = ForwardMsg()
        message.ParseFromString(await self.socket.recv())
        return message

    def _get(self, path):
        self.http.open(self.base + path, timeout=60).read()

    def _put(self, path, name, content):
        border = uuid.uuid4().hex
        head = f'--{border}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'
        request = urllib.request.Request(
            self.base + path, head.encode() + content + f"\r\n--{border}--\r\n".encode(), method="PUT"
        )
        request.add_header("Content-Type", f"multipart/form-data; boundary={border}")
        request.add_header("X-Xsrftoken", self._token())
        self.http.open(request, timeout=60).read()

    def _token(self):
        return next(one.value for one in self.cookies if one.name == "_streamlit_xsrf")


class Memory:
    """Memory of a process and its children now and then, in megabytes."""

    def __init__(self, process):
        self.process, self.values, self._stopped = process, [], threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def now(self):
        found = 0
        for one in (self.process, *self.process.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                found += one.memory_info().rss
        return found / 1e6

    def _watch(self):
        while not self._stopped.wait(1):
            self.values.append(self.now())

    def stop(self):
        self._stopped.set()


async def visit(base, n_visitors, seconds, n_samples):
    """All visitors at once; returns them."""
    until = time.monotonic() + seconds
    visitors = [Visitor(number, base, n_samples) for number in range(n_visitors)]
    results = await asyncio.gather(*(one.live(until) for one in visitors), return_exceptions=True)
    for one, result in zip(visitors, results, strict=True):
        if result is not None:
            one.lost.append(f"ended: {result!r}")
    return visitors


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--after", type=float, default=300, help="seconds to wait after the last visitor has gone")
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="hierviz-visitors-") as folder:
        server = Server(Path(folder) / "log.txt")
        try:
            report = measure(server, options)
            report["log"] = (Path(folder) / "log.txt").read_text()[-2000:]
        finally:
            server.stop()
    print(json.dumps(report, indent=2))
    if options.report:
        options.report.write_text(json.dumps(report, indent=2) + "\n")
    return int(bool(report["views_lost"] or report["cross_talk"]))


def measure(server, options):
    """The numbers of one run."""
    # One view of the demo first: its models are run once, and that is not what is measured.
    asyncio.run(visit_demo(server.url))
    time.sleep(1)
    process = server.streamlit()
    memory = Memory(process)
    before = memory.now()
    visitors = asyncio.run(visit(server.url, options.visitors, options.seconds, options.samples))
    during, memory.values = list(memory.values), []
    uploads = upload_folders(process.pid)
    time.sleep(options.after)
    memory.stop()
    latencies = sorted(one for visitor in visitors for one in visitor.latencies)
    after_a_minute = memory.values[55:65]
    return {
        "visitors": options.visitors,
        "seconds": options.seconds,
        "views": len(latencies),
        "views_lost": sum(len(one.lost) for one in visitors),
        "cross_talk": sum(len(one.crossed) for one in visitors),
        "latency_median_s": round(statistics.median(latencies), 3) if latencies else None,
        "latency_p95_s": round(latencies[int(0.95 * (len(latencies) - 1))], 3) if latencies else None,
        "memory_before_mb": round(before),
        "memory_during_mb": {"median": round(statistics.median(during)), "most": round(max(during))},
        "memory_a_minute_after_mb": round(statistics.median(after_a_minute)) if after_a_minute else None,
        "memory_after_mb": round(memory.now()),
        "seconds_after": options.after,
        "uploaded_files": {"at the end": uploads, "after": upload_folders(process.pid)},
        "lost": [line for one in visitors for line in one.lost][:10],
        "crossed": [line for one in visitors for line in one.crossed][:10],
    }


async def visit_demo(base):
    """Look once at every page of the demo."""
    visitor = Visitor(999, base, 1)
    await asyncio.to_thread(visitor._get, "/_stcore/health")
    await asyncio.to_thread(visitor._get, "/_stcore/host-config")
    async with websockets.connect(
        base.replace("http://", "ws://") + "/_stcore/stream", subprotocols=["streamlit"], max_size=None
    ) as visitor.socket:
        for page in ("", "curves", "example", "open"):
            await visitor.view(page, "")


def upload_folders(process):
    """Number of files in the upload folder of a server."""
    folders = Path(tempfile.gettempdir()).glob(f"hierviz-uploads-{process}-*")
    return sum(one.is_file() for folder in folders for one in folder.rglob("*"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
