"""`hv.widget` and `hv.show` in a real JupyterLab and classic notebook, with the network off."""

import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from tests.browser.conftest import ROOT, WATCHDOG

pytestmark = [pytest.mark.browser, pytest.mark.long]

SOURCES = [
    "import hierviz as hv\nfrom hierviz.demo import load_demo\n_, models = load_demo(['flat_softmax', 'log_win'])",
    "w = hv.widget(models, threshold=0.5)\nseen = []\nw.observe(lambda change: seen.append(change['new']), 'threshold')\nw",
    "print('python reads', repr(w.threshold), len(seen))",
    "w.threshold = 0.8",
    "hv.show(hv.charts.operating_curves({one.name: hv.Evaluation.from_predictions(one).curve for one in models}))",
    "hv.show(hv.charts.metric_bars({'a': {'correct': 0.9}, 'b': {'correct': 0.7}}))",
    "x = hv.widget(hv.charts.example(models, hv.diagnosis.worst(models[0])[0]))\nx",
    "print('python reads', x.rule, repr(x.threshold), x.model, '|', x.sentence)",
    "x.threshold = 0.25",
    "x.model = models[1].name; x.rule = 'darts'",
]

# The handle stands where Python put it.
SET = """() => [...document.querySelectorAll("svg.marks text")].some(text => /^τ = 0.80*$/.test(text.textContent))"""

# Its prefix is there only beside another notebook of that address.
CLASSIC = f"{'nbclassic/' if importlib.util.find_spec('notebook') else ''}notebooks/classic.ipynb"


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory):
    """Address of a server of notebooks that has no token, and its folder."""
    pytest.importorskip("jupyterlab")
    folder = tmp_path_factory.mktemp("jupyter")
    cells = [
        {"cell_type": "code", "id": f"cell-{k}", "source": text, "metadata": {}, "outputs": [], "execution_count": None}
        for k, text in enumerate(SOURCES)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    for name in ("lab", "classic"):
        (folder / f"{name}.ipynb").write_text(json.dumps(notebook))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    places = {name: str(folder / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    flags = [
        "--no-browser",
        "--allow-root",
        f"--port={port}",
        "--expose-app-in-browser",
        f"--ServerApp.root_dir={folder}",
    ]
    flags += ["--IdentityProvider.token=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    flags += ["--ServerApp.jpserver_extensions={'nbclassic': True}", "--LabApp.news_url=None"]
    log = (folder / "log.txt").open("w")
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyter", "lab", *flags],
        cwd=folder,
        env=os.environ | places | {"PYTHONPATH": str(ROOT)},
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    url = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{url}/api", timeout=1)
            break
        except OSError:
            assert server.poll() is None, (folder / "log.txt").read_text()[-2000:]
            time.sleep(0.1)
    yield url, folder
    # The kernels end with the server.
    os.killpg(server.pid, signal.SIGTERM)
    server.wait(30)
    log.close()


@pytest.fixture
def opened(chromium, jupyter):
    """Open an address in a window that reaches this machine only."""
    url, _ = jupyter
    context = chromium.new_context(viewport={"width": 1440, "height": 1000}, reduced_motion="reduce")
    context.set_default_timeout(WATCHDOG)
    strangers, errors = [], []

    def only_here(route):
        if re.match(r"(http|ws)://127\.0\.0\.1|data:|blob:|about:", route.request.url):
            return route.continue_()
        strangers.append(route.request.url)
        return route.abort()

    context.route("**", only_here)
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))

    def go(path):
        page.goto(f"{url}/{path}")
        return page

    yield go
    context.close()
    assert strangers == []
    assert [error for error in errors if "hierviz" in error or "vega" in error] == []


def lab_run(page, place):
    """Run one cell of the notebook and wait for its end."""
    page.evaluate(
        """async place => {
            const panel = jupyterapp.shell.currentWidget;
            panel.content.activeCellIndex = place;
            await jupyterapp.commands.execute("notebook:run-cell");
        }""",
        place,
    )
    return page.locator(".jp-Cell").nth(place)


def drag(page, place, share):
    """Drag the handle of the curves to a share of the width of the strip."""
    svg = place.locator("svg.marks").first
    svg.scroll_into_view_if_needed()
    strip = place.locator("g.strip_group path.background, .strip_marks").first
    box = strip.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * share, middle, steps=8)
    page.mouse.up()


def handle(place):
    """Threshold that the handle shows."""
    texts = place.locator("svg.marks text").all_text_contents()
    return float(next(text for text in texts if re.fullmatch(r"τ = [\d.]+", text))[4:])


def test_lab(opened, jupyter):
    from playwright.sync_api import expect

    page = opened("lab/tree/lab.ipynb?reset")
    page.wait_for_function("window.jupyterapp && jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel")
    page.evaluate("jupyterapp.shell.currentWidget.sessionContext.ready")
    lab_run(page, 0)
    cell = lab_run(page, 1)
    expect(cell.locator("svg.marks")).to_be_visible()
    assert handle(cell) == 0.5

    # Dragging changes the number that Python reads.
    drag(page, cell, 0.7)
    at = handle(cell)
    assert 0.6 < at < 0.8
    reads = lambda: lab_run(page, 2).locator(".jp-OutputArea-output").inner_text()  # noqa: E731
    # What the widget says last may come after a cell that was run at once.
    said = next(
        text for text in (reads() for _ in range(30)) if float(text.split()[2]) == pytest.approx(at, abs=0.0006)
    )
    assert int(said.split()[3]) >= 1

    # Setting it moves the handle.
    lab_run(page, 3)
    page.wait_for_function(SET)
    # No second slider is in sight.
    sliders = cell.locator(".vega-bind:has(input[type=range])")
    assert [one.bounding_box()["width"] <= 1 for one in sliders.all()] == [True]

    # The theme of the notebook is the theme of the chart.
    before = cell.locator(".hierviz").get_attribute("data-ready")
    page.evaluate("jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
    expect(cell.locator(".hierviz")).to_have_attribute("data-ready", "dark-wide")
    assert before == "light-wide"
    assert handle(cell) == 0.8

    # One copy of the library serves both pictures, and no frame is taller than its chart.
    for place in (4, 5):
        frame = lab_run(page, place).frame_locator("iframe")
        expect(frame.locator("svg.marks").first).to_be_visible()
        expect(frame.locator(".hierviz")).to_have_attribute("data-ready", re.compile("dark-"))
    page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("!jupyterapp.shell.currentWidget.context.model.dirty")
    saved = json.loads((jupyter[1] / "lab.ipynb").read_text())
    sizes = [len("".join(cell["outputs"][0]["data"]["text/html"])) for cell in saved["cells"][4:6]]
    assert sizes[0] > 900_000
    assert sizes[1] < 60_000
    gap = "el => el.ownerDocument.defaultView.innerHeight - el.getBoundingClientRect().height"
    for width in (1440, 800):
        page.set_viewport_size({"width": width, "height": 1000})
        for place in (4, 5):
            chart = page.locator(".jp-Cell").nth(place).frame_locator("iframe").locator("#chart")
            page.wait_for_timeout(400)  # the frame follows its chart
            assert 0 <= chart.evaluate(gap) <= 8

    # Opened anew, the pictures are drawn without a kernel that runs cells.
    page = opened("lab/tree/lab.ipynb?reset")
    page.wait_for_function("window.jupyterapp && jupyterapp.shell.currentWidget?.content?.widgets?.length > 5")
    for place in (4, 5):
        cell = page.locator(".jp-Cell").nth(place)
        cell.scroll_into_view_if_needed()
        expect(cell.frame_locator("iframe").locator("svg.marks").first).to_be_visible()


def test_an_example_in_lab(opened):
    from playwright.sync_api import expect

    page = opened("lab/tree/lab.ipynb?reset")
    page.wait_for_function("window.jupyterapp && jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel")
    page.evaluate("jupyterapp.shell.currentWidget.sessionContext.ready")
    lab_run(page, 0)
    cell = lab_run(page, 6)
    line, sentence = cell.locator("[data-hierviz=tau]"), cell.locator("[data-hierviz=answer]")
    expect(cell.locator("[data-hierviz=example][data-ready]")).to_be_visible()
    assert float(line.get_attribute("aria-valuenow")) == 0.5

    def python_reads(*words):
        """What the widget says last may come after a cell that was run at once."""
        for _ in range(30):
            said = lab_run(page, 7).locator(".jp-OutputArea-output").inner_text()
            if said.startswith(" ".join(["python reads", *words])):
                return said.partition(" | ")[2].strip()
        raise AssertionError(said)

    # Keys and menus change what Python reads; the sentence is the same in both.
    line.press("Shift+ArrowLeft")
    at = float(line.get_attribute("aria-valuenow"))
    assert at < 0.5
    assert python_reads("threshold", repr(at)) == sentence.inner_text()
    cell.get_by_label("Inference rule").select_option("leaf")
    assert python_reads("leaf", repr(at)) == sentence.inner_text()
    cell.get_by_label("Inference rule").select_option("threshold")

    # Python moves the line, and chooses the model and the rule.
    lab_run(page, 8)
    expect(line).to_have_attribute("aria-valuenow", "0.25")
    assert python_reads("threshold", "0.25") == sentence.inner_text()
    lab_run(page, 9)
    expect(cell.get_by_label("Inference rule")).to_have_value("darts")
    expect(cell.get_by_label("Model")).to_have_value("1")
    assert python_reads("darts", "0.25") == sentence.inner_text()

    # It follows the theme of the notebook and the width of its cell.
    page.evaluate("jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
    place = cell.locator(".hierviz")
    expect(place).to_have_css("background-color", "rgb(23, 22, 20)")
    for width in (1440, 900):
        page.set_viewport_size({"width": width, "height": 1000})
        wanted = "place => Math.abs(place.querySelector('svg.marks').clientWidth - place.clientWidth) <= 1"
        page.wait_for_function(wanted, arg=place.element_handle())


def test_classic(opened):
    from playwright.sync_api import expect

    page = opened(CLASSIC)
    page.wait_for_function(
        "window.Jupyter && Jupyter.notebook && Jupyter.notebook.kernel && Jupyter.notebook.kernel.is_connected()"
    )
    page.evaluate("Jupyter.notebook.execute_cells([0, 1])")
    cell = page.locator(".cell").nth(1)
    expect(cell.locator("svg.marks")).to_be_visible()
    drag(page, cell, 0.7)
    at = handle(cell)
    assert 0.6 < at < 0.8
    page.wait_for_timeout(500)  # what the widget says last may come after a cell that was run at once
    page.evaluate("Jupyter.notebook.execute_cells([2])")
    said = page.locator(".cell").nth(2).locator(".output_stdout")
    expect(said).to_contain_text("python reads")
    assert float(said.inner_text().split()[2]) == pytest.approx(at, abs=0.0006)
    page.evaluate("Jupyter.notebook.execute_cells([3, 5])")
    page.wait_for_function(SET)
    expect(page.locator(".cell").nth(5).frame_locator("iframe").locator("svg.marks").first).to_be_visible()
