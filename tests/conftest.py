"""Fixtures shared by all tests: the taxonomy of the small tree, goldens, and the folder of real test data."""

import gc
import json
import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from hierviz import Taxonomy
from tests.small_tree import EDGES

# A shell starts what it runs in the background with Ctrl-C ignored, nohup ignores the end of a terminal, and commands that the
# tests start would inherit that.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (getattr(signal, "SIGHUP", None), signal.SIG_DFL)):
    if number is not None and signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, usual)

# What the app remembers of opened paths is not the tester's own.
os.environ["XDG_STATE_HOME"] = str(Path(tempfile.gettempdir()) / f"hierviz-tests-state-{os.getuid()}-{os.getpid()}")

# No test depends on how fast the machine is. Each day's examples are the same: a change fails for what it changed. The long
# run draws others.
settings.register_profile("hierviz", deadline=None, derandomize=not os.environ.get("HIERVIZ_LONG"))
settings.load_profile("hierviz")

# Thousands of collected tests stay: to look through them for garbage again and again took a quarter of their collection.
gc.disable()


def pytest_collection_finish():
    """What the tests leave behind is looked for among what came after them."""
    gc.collect()
    gc.freeze()
    gc.enable()


GOLDEN = Path(__file__).parent / "golden"


def pytest_ignore_collect(collection_path, config):
    """A run of the browser tests alone leaves out files without one: reading them all takes each worker as long as ten tests."""
    if config.option.markexpr.startswith("browser") and collection_path.match("test_*.py"):
        return "mark.browser" not in collection_path.read_text("utf-8") or None
    return None


@pytest.fixture
def taxonomy():
    """Nodes: 0 animal, 1 mammal, 2 cat, 3 dog, 4 bird, 5 duck, 6 newt."""
    return Taxonomy.from_edges(EDGES)


@pytest.fixture(scope="session")
def golden():
    """Load a golden file by its name."""
    return lambda name: json.loads((GOLDEN / name).read_text())


@pytest.fixture(scope="session")
def shared_data():
    """Folder of real files: $HIERVIZ_TEST_DATA or ../shared/data; tests that need it skip by name without it."""
    folder = Path(os.environ.get("HIERVIZ_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real test data is not at {folder}")
    return folder


def read_edges(path):
    """Taxonomy of a two-column file without a header, read with nothing but the csv module."""
    import csv

    with open(path, encoding="utf-8", newline="") as file:
        return Taxonomy.from_edges([tuple(row) for row in csv.reader(file) if row])


@pytest.fixture(scope="session")
def hierarchy(shared_data):
    """Taxonomy of `hierarchies/<name>.csv`."""
    return lambda name: read_edges(shared_data / "hierarchies" / f"{name}.csv")


@pytest.fixture(scope="session")
def curves_golden(golden):
    """Numbers of operating curves and rules, computed by others."""
    return golden("operating_curves.json")


@pytest.fixture(scope="session")
def recipe(curves_golden):
    """Names defined by the recipe that the numbers were made with."""
    names = {}
    exec("\n".join(curves_golden["recipe_python"]), names)
    return names


@pytest.fixture(scope="session")
def tiny(curves_golden):
    """The small tree of the golden curves."""
    tree = curves_golden["tiny"]["tree"]
    return Taxonomy.from_edges(
        [(tree["names"][parent], tree["names"][node]) for node, parent in enumerate(tree["parents"]) if node]
    )
