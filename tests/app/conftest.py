"""The demo, evaluated once for all tests of the pages."""

import functools
import os
import sys
from pathlib import Path

import altair as alt
import pandas as pd
import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import app_test, local_script_runner

sys.path.insert(0, str(Path(__file__).parent))

from hierviz import charts
from hierviz.app.example_page import why_panel
from hierviz.app.state import opened, paths, visits
from hierviz.app.widgets import sample

SMALL = ("test_app_choosing", "test_app_numbers", "test_app_view", "test_app_worlds")


@pytest.fixture(scope="session")
def demo():
    """The demo's Dataset, the same object that the pages show."""
    return opened.demo("demo")


@pytest.fixture(scope="session", autouse=True)
def one_scan():
    """Each AppTest looks through all installed packages for components, a fifth of the time of all tests: once is enough."""
    manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)


@pytest.fixture(scope="session", autouse=True)
def one_compilation():
    """Each run of an AppTest compiles its script and its page again, which a server does once."""
    compiled = ScriptCache()
    app_test.ScriptCache = local_script_runner.ScriptCache = lambda: compiled


@pytest.fixture(scope="session", autouse=True)
def no_sweeps():
    """Data that a test has put on the shelf stay there until it shows them, however slow the machine is."""
    visits.SECONDS_BETWEEN_SWEEPS = 1e6


@pytest.fixture(autouse=True)
def visitor_here(monkeypatch):
    """Visitors without a browser send no headers that say where they are: here."""
    monkeypatch.setattr(paths, "is_local", lambda headers: True)


class NoCharts:
    """Stands for `hierviz.charts`: every builder gives None, and every style of the tree has room."""

    def probability_tree(self, *_, **__):
        return small_chart()

    def __getattr__(self, name):
        return lambda *_, **__: None


@pytest.fixture
def no_charts(monkeypatch):
    """The panels of a sample leave out their charts, which other tests draw: several times as fast."""
    for panel in (sample, why_panel):
        monkeypatch.setattr(panel, "charts", NoCharts())
        monkeypatch.setattr(panel, "figure", lambda *_, **__: None)


class SmallFigure(charts.Figure):
    """A figure with one point for its chart, and the room of the figure `of`, or for every style."""

    of = None

    def refused(self, width=None):
        return self.of.refused(width) if self.of else {}

    def styled(self, style):
        return self

    def at(self, threshold):
        return self


def small_chart(*parameters, of=None):
    """One point, with selections of these names: what a page needs of a chart that a test does not look at.

    Its table and its sentence are those of the figure `of`.
    """
    points = pd.DataFrame({name: [0.0] for name in parameters or ("x",)})
    chart = alt.Chart(points).mark_point()
    chart = chart.add_params(*(alt.selection_point(name=name, fields=[name]) for name in parameters))
    made = SmallFigure(lambda *_: chart, lambda: of.table if of else points, lambda: of.sentence if of else "")
    made.of = of
    return made


def pytest_collection_modifyitems(items):
    """Before a release the charts of these files are drawn in full."""
    for item in items:
        if item.path.stem in SMALL:
            item.add_marker("longer")


@pytest.fixture
def small_charts(monkeypatch):
    """Charts of one point for those that cost most, where a test looks at what stands around them: many times as fast.

    Before a release (`tests/run.sh --long`) all charts are drawn.
    """
    if os.environ.get("HIERVIZ_LONG"):
        return
    for name in (
        "win_breakdown",
        "confusion_breakdown",
        "flip_ribbon",
        "path_graph",
        "probability_tree",
        "operating_curves",
    ):
        monkeypatch.setattr(charts, name, small(name, getattr(charts, name)))


def small(name, builder):
    """A builder of the same figures with small charts."""

    def build(*given, **named):
        selected = ["opened"] * bool(named.get("select"))
        if name == "operating_curves":
            selected = charts.selections(given[0])
        return small_chart(*selected, of=builder(*given, **named))

    return build


@pytest.fixture(autouse=True)
def charts_of_the_day(request):
    """Small charts in all tests of these files, which look at what stands around the charts."""
    if request.module.__name__.rpartition(".")[2] in SMALL:
        request.getfixturevalue("small_charts")
