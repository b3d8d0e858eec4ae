"""The quick-start notebook runs from top to bottom without the network, and its charts carry all they need.

Python is kept off the network by an audit hook in the kernel; libraries that bring their own network code (vl-convert)
by proxies that lead nowhere. The same charts are drawn in Chromium by `tests/browser/test_notebook_html.py`.
"""

import ast
import base64
import gzip
import html.parser
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hierviz as hv
from hierviz.demo import load_demo

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "notebooks" / "quickstart.ipynb"
GUARD = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else ""
    elif event == "socket.getaddrinfo":
        host = arguments[0] or ""
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host and host not in ("localhost", "::1") and not host.startswith("127."):
        raise RuntimeError(f"the network is off: {event} {host}")

sys.addaudithook(refuse)
"""


@pytest.fixture(scope="module")
def offline(tmp_path_factory):
    """Environment in which Python refuses every connection that would leave this machine."""
    folder = tmp_path_factory.mktemp("guard")
    (folder / "sitecustomize.py").write_text(GUARD)
    nowhere = "http://127.0.0.1:9"
    proxies = dict.fromkeys(
        ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), nowhere
    )
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, **proxies, "PYTHONPATH": os.pathsep.join(paths), "IPYTHONDIR": str(folder / "ipython")}


def test_the_network_is_really_off(offline):
    """The guard refuses a name and an address, and lets this machine talk to itself."""
    code = """
import socket
here = socket.create_server(("127.0.0.1", 0))
socket.create_connection(here.getsockname()).close()
for target in (("192.0.2.1", 80), ("example.org", 80)):
    try:
        socket.create_connection(target, timeout=1)
    except RuntimeError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], env=offline, capture_output=True, text=True, timeout=30)
    assert done.stdout.count("the network is off") == 2, done.stderr


@pytest.fixture(scope="module")
def executed(offline):
    """The notebook with its outputs, run by a kernel of this Python."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("onnxruntime")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(NOTEBOOK.parent)}}
    )
    client.execute(env=offline)
    return notebook


@pytest.fixture(scope="module")
def cells(executed):
    """(source, outputs) of the code cells."""
    return [(cell.source, cell.outputs) for cell in executed.cells if cell.cell_type == "code"]


def test_the_committed_notebook_is_clean():
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert NOTEBOOK.stat().st_size < 50_000


@pytest.mark.long
def test_every_cell_runs_without_a_word_on_standard_error(cells):
    assert len(cells) >= 8
    for source, outputs in cells:
        for output in outputs:
            assert output.output_type in ("execute_result", "stream", "display_data"), (source, output)
            assert output.get("name") != "stderr", (source, output.get("text"))


def result(cells, part):
    """Text of the last output of the only cell whose source contains `part`."""
    ((_, outputs),) = ((source, outputs) for source, outputs in cells if part in source)
    return outputs[-1].data["text/plain"] if "data" in outputs[-1] else outputs[-1].text


@pytest.mark.long
def test_the_numbers_are_those_of_hierviz(cells):
    _, models = load_demo(["flat_softmax", "conditional_sigmoid"])
    expected = hv.evaluate(models, rule="threshold", threshold=0.7)["models"]
    shown = ast.literal_eval(result(cells, "threshold=0.7)"))
    assert list(shown) == ["Flat softmax", "Conditional sigmoid"]
    for model in expected:
        assert shown[model["name"]] == pytest.approx(model["predicted"], abs=1e-6)
    summaries = ast.literal_eval(result(cells, "curve.summary()"))
    for model in expected:
        curve = dict(model["curve"])
        assert summaries[model["name"]].pop("n_points") == pytest.approx(curve.pop("n_points"), rel=0.01)
        assert summaries[model["name"]] == pytest.approx(curve, abs=1e-6)
    assert hv.METRICS["softmax_win"].label in result(cells, 'hv.METRICS["softmax_win"]')
    assert re.search(r"truth: .+ answer: .+", result(cells, "worst.row[0]"))


class Tags(html.parser.HTMLParser):
    """All tags with their attributes, and the texts of scripts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.scripts = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.tags and self.tags[-1][0] == "script":
            self.scripts[-1] += data


LOADING = ("src", "href", "data", "srcset", "poster", "action", "background", "xlink:href")


def charts(cells):
    """(source, attributes of the iframe, page inside it) of every cell that shows a chart."""
    found = []
    for source, outputs in cells:
        if "hv.show(" not in source:
            continue
        shown = outputs[-1].data["text/html"]
        (iframe,) = Tags(shown).tags
        assert iframe[0] == "iframe", source
        found.append((source, iframe[1], iframe[1]["srcdoc"]))
    return found


@pytest.mark.long
def test_every_chart_is_an_iframe_that_carries_its_libraries(cells):
    found = charts(cells)
    assert len(found) == 4
    for source, attributes, page in found:
        assert set(attributes) == {"srcdoc", "width", "height", "style", "title"}, source
        assert 200 < int(attributes["width"]) <= 2000
        assert 50 < int(attributes["height"]) <= 3000
        assert attributes["title"]
        inside = Tags(page)
        for tag, given in inside.tags:
            assert not set(given) & set(LOADING), (tag, given)
            assert tag not in ("link", "base", "iframe", "object", "embed", "img"), tag
        library, call = inside.scripts
        # vega, vega-lite and vega-embed, not a loader of them: cells have no names here.
        assert len(library) > 500_000
        assert "vegaEmbed" in library
        assert "hierviz.draw(" in call
        styles = page[page.index("<style>") : page.index("</style>")]
        assert "url(" not in styles
        assert "@import" not in styles


@pytest.mark.long
def test_no_chart_asks_for_data_from_elsewhere(cells):
    for source, _, page in charts(cells):
        call = Tags(page).scripts[-1]
        (text,) = re.findall(r'hierviz\.draw\(place, "([^"]+)"', call)
        figure = json.loads(gzip.decompress(base64.b64decode(text)))
        assert {"light-wide", "dark-wide"} <= set(figure["specs"])
        assert all("vega-lite" in spec["$schema"] for spec in figure["specs"].values())

        def walk(value, where):
            if isinstance(value, dict):
                for key, one in value.items():
                    assert key not in ("url", "href"), (where, one)
                    walk(one, f"{where}.{key}")
            elif isinstance(value, list):
                for place, one in enumerate(value):
                    walk(one, f"{where}[{place}]")
            elif isinstance(value, str) and not where.endswith(".$schema"):
                assert "//" not in value, (where, value)

        walk(figure, source)


@pytest.mark.long
def test_the_python_of_its_last_words_is_valid(executed):
    """The block on your own files uses only names that exist."""
    (text,) = re.findall(r"```python\n(.*?)```", executed.cells[-1].source, re.DOTALL)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "hv":
            assert hasattr(hv, node.attr), node.attr
