"""The wheel: it carries the app, its settings, the models and the demo, and works where there is no clone.

It is installed into a new environment that borrows the packages of this one, so nothing is downloaded; a path file puts
them behind the environment's own, so that the `hierviz` of the wheel is the one that is found.
"""

import csv
import importlib.util
import io
import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import hierviz as hv
from hierviz.demo import MODELS, load_demo
from hierviz.lessons.quantities import LESSON_MODELS
from tests.browser.conftest import Server
from tests.chromium_visit import look

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[1]
BUNDLE = "hierviz/bundle"
# Files of the package beside its programs, such as lessons.
INSIDE = (".py", ".md", ".html", ".css", ".js", ".json")


def run(*command, cwd, **options):
    """Standard output of a command that must succeed."""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(one) for one in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from this clone."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("dist")
    # With hatchling at hand nothing has to be fetched.
    isolation = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    run(sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", folder, ROOT, cwd=folder)
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        return archive.namelist()


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """Python of a new environment that holds the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    found = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", found]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
    own = Path(run(found, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    borrowed = dict.fromkeys([sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    (own / "borrowed.pth").write_text("\n".join(borrowed) + "\n")
    return found


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """A folder that has nothing to do with the clone."""
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="module")
def installed(python, elsewhere):
    """Folder of the package that the new environment imports."""
    code = "import hierviz, sys; print(hierviz.__file__)"
    found = Path(run(python, "-W", "error", "-c", code, cwd=elsewhere).strip()).parent
    # The wheel's, not the clone's: all that follows would prove nothing otherwise.
    assert found.is_relative_to(python.parents[1])
    assert not found.is_relative_to(ROOT)
    return found


# What is inside ------------------------------------------------------------------------------------------------------------


def test_the_wheel_carries_what_the_app_needs(names, wheel):
    assert wheel.name == f"hierviz-{hv.__version__}-py3-none-any.whl"
    assert wheel.stat().st_size <= 8 * 2**20
    committed = [ROOT / "app.py", ROOT / ".streamlit" / "config.toml", ROOT / "assets" / "icon.png"]
    committed += [
        *(ROOT / "models").glob("*.onnx"),
        ROOT / "models" / "README.md",
        *(ROOT / "assets" / "demo").iterdir(),
        *(ROOT / "assets" / "wikipedia").iterdir(),
    ]
    assert len(committed) >= 3 + 7 + 1 + 3
    with zipfile.ZipFile(wheel) as archive:
        for path in committed:
            assert archive.read(f"{BUNDLE}/{path.relative_to(ROOT).as_posix()}") == path.read_bytes(), path
    # The models and their card, not the programs that made them.
    bundled = {name.removeprefix(f"{BUNDLE}/models/") for name in names if name.startswith(f"{BUNDLE}/models/")}
    assert bundled == {f"{name}.onnx" for name in (*MODELS, *LESSON_MODELS)} | {"README.md"}
    parts = {path.relative_to(ROOT).as_posix() for path in (ROOT / "hierviz").rglob("*.*") if path.suffix in INSIDE}
    assert parts <= set(names)
    assert sum(name.startswith("hierviz/lessons/") and name.endswith(".md") for name in parts) > 11


def test_the_wheel_carries_nothing_else(names):
    strangers = (
        "tests",
        "shared",
        "benchmarks",
        "notebooks",
        "__pycache__",
        ".git",
        ".ci",
        "screenshots",
        ".hypothesis",
    )
    for name in names:
        assert name.startswith(("hierviz/", f"hierviz-{hv.__version__}.dist-info/")), name
        assert not set(strangers) & set(name.split("/")), name
        assert not name.endswith((".pyc", ".gz", ".npz", ".npy", ".pt", ".pkl", ".ipynb")), name


def test_no_name_of_the_test_data_is_inside(wheel, names):
    """The data under shared/data are for tests only, but for the texts of the second demo, which are named and credited."""
    usual = {"taxonomy.csv", "examples.csv", "nodes.csv", "pictures.zip", "icon.png"}
    for name in names:
        if name.startswith(f"{BUNDLE}/assets/wikipedia/"):
            assert Path(name).name in usual | {"README.md", "flat.parquet", "per_node.parquet"}
        elif name.startswith(f"{BUNDLE}/assets/"):
            assert Path(name).name in usual
    with zipfile.ZipFile(wheel) as archive:
        rows = csv.DictReader(io.StringIO(archive.read(f"{BUNDLE}/assets/demo/taxonomy.csv").decode("utf-8")))
        assert {row["parent"] for row in rows} >= {"vehicle", "land vehicle", "watercraft", "aircraft"}


def test_metadata(wheel):
    from email.parser import Parser

    with zipfile.ZipFile(wheel) as archive:
        folder = f"hierviz-{hv.__version__}.dist-info"
        said = Parser().parsestr(archive.read(f"{folder}/METADATA").decode("utf-8"))
        assert "hierviz = hierviz.cli:main" in archive.read(f"{folder}/entry_points.txt").decode()
        assert archive.read(f"{folder}/licenses/LICENSE").startswith(b"MIT License")
    assert (said["Name"], said["Version"], said["Requires-Python"]) == ("hierviz", hv.__version__, ">=3.11")
    assert said["License-Expression"] == "MIT"
    needed = [one for one in said.get_all("Requires-Dist") if "extra ==" not in one]
    assert needed == ["numpy>=2.0"]
    assert {"files", "charts", "onnx", "app"} <= set(said.get_all("Provides-Extra"))
    assert said.get_payload().startswith("# hierviz")


# Installed, far from the clone -----------------------------------------------------------------------------------------


def test_version(python, installed, elsewhere):
    expected = f"hierviz {hv.__version__}\n"
    assert run(python, "-m", "hierviz", "--version", cwd=elsewhere) == expected
    script = python.with_name("hierviz")
    assert script.exists()
    assert run(script, "--version", cwd=elsewhere) == expected


def test_predict_and_evaluate(python, installed, elsewhere):
    """The bundled demo through the command, from files of the wheel to numbers."""
    demo = installed / "bundle" / "assets" / "demo"
    taxonomy = ["--taxonomy", demo / "taxonomy.csv"]
    model = ["--model", installed / "bundle" / "models" / "log_win.onnx"]
    command = [python.with_name("hierviz")]
    run(*command, "predict", *model, *taxonomy, "--inputs", demo / "pictures.zip", "--out", "p.parquet", cwd=elsewhere)
    flags = [*taxonomy, "--predictions", "p.parquet", "--truth", demo / "examples.csv"]
    found = json.loads(run(*command, "evaluate", *flags, cwd=elsewhere))["models"][0]
    assert found["n_samples"] == 600
    assert found["parametrisation"] == "leaf_probabilities"
    _, models = load_demo(["log_win"])
    expected = hv.evaluate(models)["models"][0]
    for block in ("distribution", "top_down", "predicted"):
        assert found[block] == pytest.approx(expected[block], abs=1e-9), block


def test_the_demo_is_found(python, installed, elsewhere):
    code = """
from hierviz.demo import bundle_folder, load_demo, load_wikipedia
taxonomy, models = load_demo(["flat_softmax"])
print(bundle_folder()); print(taxonomy.n_nodes, models[0].n_samples)
taxonomy, models = load_wikipedia()
print(taxonomy.n_nodes, [model.n_samples for model in models])
"""
    folder, counts, texts = run(python, "-W", "error", "-c", code, cwd=elsewhere).splitlines()
    assert Path(folder) == installed / "bundle"
    assert counts == "61 600"
    assert texts == "1187 [2003, 2003]"


@pytest.fixture(scope="module")
def server(python, installed, elsewhere, tmp_path_factory):
    """The app of the wheel."""
    pytest.importorskip("streamlit")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONPATH", raising=False)
        found = Server(tmp_path_factory.mktemp("log") / "log.txt", python=str(python), cwd=elsewhere)
    yield found
    found.stop()


def test_the_app_answers(server, installed):
    # Server waits for /_stcore/health; this is the app of the wheel and not that of the clone.
    given = server.streamlit().cmdline()
    assert given[1:4] == ["-m", "hierviz", "app"]
    assert not any(str(ROOT) in one for one in (*given[1:], server.streamlit().cwd()))
    assert (installed / "bundle" / "app.py").is_file()
    assert (installed / "app" / "widgets" / "script.py").is_file()


@pytest.mark.browser
def test_the_app_opens_in_a_browser(server):
    found = look(server.url, "", "curves", "example", "open")
    assert found["errors"] == []
    assert found["exceptions"] == 0
    assert [
        url
        for url in found["requests"]
        if not url.startswith((server.url, server.url.replace("http", "ws"), "data:", "blob:"))
    ] == []
    assert "600" in found["texts"][""]
    assert len(set(found["texts"].values())) == 4
    for path, text in found["texts"].items():
        assert "Traceback" not in text, path
        assert "nothing is sent anywhere" in text, path
