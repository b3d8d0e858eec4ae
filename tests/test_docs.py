"""The documents are run or checked: commands, code, tables, links, registry keys."""

import importlib.metadata
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli
from hierviz.readers.operating_point_file import write_operating_point

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "models/README.md"]
PAGES += sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REGISTRIES = {name: getattr(hv, name) for name in ("PARAMETRISATIONS", "INFERENCE_RULES", "METRICS")}
if hasattr(hv, "LOSSES"):
    REGISTRIES["LOSSES"] = hv.LOSSES


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page, language):
    """Texts of the fenced blocks of a page in a language; a fence such as ```python no-run is left out."""
    found = re.findall(r"^```([^\n]*)\n(.*?)^```$", read(page), re.MULTILINE | re.DOTALL)
    return [text for info, text in found if info.strip() == language]


def shell_lines(page="README.md"):
    text = "".join(blocks(page, "sh") + blocks(page, "bash")).replace("\\\n", " ")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


# The two commands of a stranger --------------------------------------------------------------------------------------


def test_one_command_opens_the_app():
    (line,) = (line for line in shell_lines() if "-m venv" in line)
    steps = [shlex.split(step) for step in line.split("&&")]
    make, install, start = steps
    assert make[:3] == ["python3", "-m", "venv"]
    folder = make[3]
    assert install[:2] == [f"{folder}/bin/pip", "install"]
    for flag, value in zip(install[2::2], install[3::2]):
        assert flag in ("-r", "-e")
        assert (ROOT / value.partition("[")[0]).exists()
    assert install[2:] == ["-r", "requirements.txt", "-e", "."]
    assert start == [f"{folder}/bin/hierviz"]
    scripts = {
        one.name: one.load()
        for one in importlib.metadata.entry_points(group="console_scripts")
        if one.name == "hierviz"
    }
    assert scripts == {"hierviz": cli.main}


def pins():
    """{name: version} of requirements.txt."""
    found = {}
    for line in read("requirements.txt").splitlines():
        line = line.partition("#")[0].strip()
        if line:
            name, _, version = line.partition("==")
            assert version, f"requirements.txt: {line!r} is not pinned"
            found[canonical(name.partition("[")[0])] = version.partition(";")[0].strip()
    return found


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_requirements_pin_all_that_the_app_needs():
    """Everything that `hierviz[app]` brings here, down to the last indirect one, and inside the ranges of pyproject.toml."""
    requirements = pytest.importorskip("packaging.requirements")
    pinned = pins()
    todo, seen = [("hierviz", frozenset({"app", "files", "charts", "onnx", "ontologies"}))], set()
    while todo:
        name, extras = todo.pop()
        for text in importlib.metadata.requires(name) or []:
            one = requirements.Requirement(text)
            marker = one.marker
            if marker is not None and not any(marker.evaluate({"extra": extra}) for extra in extras or {""}):
                continue
            key = canonical(one.name)
            if key == "hierviz":
                continue
            assert key in pinned, f"{name} needs {text}: not in requirements.txt"
            assert pinned[key] in one.specifier, f"{name} needs {text}: requirements.txt has {pinned[key]}"
            if key not in seen:
                seen.add(key)
                todo.append((one.name, frozenset(one.extras)))
    assert {"numpy", "streamlit", "altair", "onnxruntime", "pyarrow", "pillow", "anytree"} <= seen


def test_one_command_runs_the_tests():
    (line,) = (line for line in shell_lines() if "run.sh" in line or "pytest" in line)
    assert line == "bash tests/run.sh"
    assert f"`{line}`" in read("CONTRIBUTING.md")
    # What CI runs is that command and nothing else.
    steps = [one for one in read(".ci/run").splitlines() if one and not one.startswith("#")]
    assert steps == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', f"exec {line}"]
    for script in ("tests/run.sh", ".ci/run"):
        assert subprocess.run(["bash", "-n", script], cwd=ROOT, check=False).returncode == 0
    script = read("tests/run.sh")
    for step in ("-m ruff check .", "-m ruff format --check .", "-m pytest", "HIERVIZ_REQUIRE_BROWSER=1"):
        assert step in script
    (extras,) = re.findall(r'extras="([a-z,]+)"', script)
    (more,) = re.findall(r'extras="\$extras,([a-z,]+)"', script)
    assert {"app", "test"} <= set(extras.split(","))
    assert {*extras.split(","), *more.split(",")} <= set(PROJECT["optional-dependencies"])


# The commands on your own files ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def truth():
    return ROOT / "assets" / "demo" / "examples.csv"


# Models that others exported, for the commands that name them; what they were written with lies beside.
EXPORTED = {
    "cnn.onnx": "torch_two_files_fixed_batch",
    "pipeline.onnx": "sklearn_zipmap_mixed",
    "tfidf.onnx": "sklearn_text",
    "bert.onnx": "torch_tokens",
}


def put_exported(model, flags, place):
    """Put a fixture of tests/onnx_models where a command names a model and its files."""
    files = ROOT / "tests" / "onnx_models" / "files"
    folder = files / EXPORTED[model]
    shutil.copytree(folder, place, dirs_exist_ok=True)
    (place / "model.onnx").rename(place / model)
    shutil.copy(files / "taxonomy.csv", place / flags["--taxonomy"])
    if "--inputs" in flags:
        suffix = Path(flags["--inputs"]).suffix
        (place / f"inputs{suffix}").rename(place / flags["--inputs"])


@pytest.fixture
def own_files(tmp_path, truth, monkeypatch):
    """Puts a real file wherever a command of the README names one; returns the folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("onnxruntime")
    demo, model = ROOT / "assets" / "demo", ROOT / "models" / "flat_softmax.onnx"

    def put(flag, name):
        # NAME=FILE names a method; a pattern stands for its files, and a name without an ending for a folder of them.
        name = name.rpartition("=")[2]
        if "/*/" in name:
            for folder in ("a", "b"):
                put(flag, name.replace("/*/", f"/{folder}/"))
            return
        name = name.replace("*", "seed0")
        path = tmp_path / (name if Path(name).suffix or flag != "--predictions" else f"{name}/seed0.npz")
        path.parent.mkdir(parents=True, exist_ok=True)
        if flag == "--taxonomy":
            shutil.copy(demo / "taxonomy.csv", path)
        elif flag == "--truth":
            shutil.copy(truth, path)
        elif flag == "--model":
            shutil.copy(model, path)
        elif flag == "--nodes":
            shutil.copy(demo / "nodes.csv", path)
        elif flag == "--inputs":
            shutil.copy(demo / "pictures.zip", path)
        elif flag == "--operating-point":
            taxonomy = hv.load_taxonomy(demo / "taxonomy.csv")
            predictions = hv.load_predictions(tmp_path / "model_a.csv", taxonomy, truth=truth)
            curve = hv.operating_curve(taxonomy, predictions.truth, hv.pareto_table(taxonomy, predictions))
            write_operating_point(hv.thresholds.OperatingPoint.from_curve(taxonomy, curve, 0.6, "model_a"), path)
        elif flag in ("--predictions", "--against", "--baseline", "--candidate") and not path.exists():
            taxonomy = hv.load_taxonomy(demo / "taxonomy.csv")
            made = hv.load_model(model, taxonomy).predict(demo / "pictures.zip")
            if path.suffix == ".npz":
                # Scores of hierarchical cross entropy have a column for every node.
                nodes = np.arange(1, taxonomy.n_nodes) if "hxe" in name else taxonomy.leaves
                names = [taxonomy.names[node] for node in nodes]
                p = made.node_probabilities()[:, nodes]
                np.savez(path, prob=p, leaf=names, sample_id=made.sample_ids)
            else:
                hv.write_predictions(made, path)

    return put


def commands():
    return [line for line in shell_lines() if line.startswith("hierviz ")]


def test_the_readme_shows_every_command():
    assert {line.split()[1] for line in commands()} == {
        *("app", "evaluate", "table", "gate", "curve", "chart", "diagnose", "doctor", "report", "predict", "taxonomy")
    }


def commands_of_the_manual():
    lines = [line for page in PAGES if page.startswith("docs/") for line in shell_lines(page)]
    return [line for line in dict.fromkeys(lines) if line.startswith("hierviz ") and line not in commands()]


@pytest.mark.parametrize(
    "line", [*commands(), *(pytest.param(line, marks=pytest.mark.long) for line in commands_of_the_manual())]
)
def test_command(line, own_files, tmp_path, monkeypatch, capsys):
    arguments = shlex.split(line)[1:]
    pairs = zip(arguments, arguments[1:] + [""])
    pairs = [(flag, value) for flag, value in pairs if flag.startswith("--") and value and not value.startswith("-")]
    if arguments[0] == "taxonomy":
        own_files("--taxonomy", arguments[1])
    if dict(pairs).get("--model") in EXPORTED:
        put_exported(dict(pairs)["--model"], dict(pairs), tmp_path)
    else:
        for flag, value in pairs:
            own_files(flag, value)
    started = []

    class App:
        def run(self, config):
            started.append(config)

    if arguments[0] == "app":
        monkeypatch.setattr(sys, "argv", ["hierviz"])
        monkeypatch.setattr(runpy, "run_path", lambda path: {"app": App()})
    before = set(tmp_path.iterdir())
    assert cli.main(arguments) == 0
    captured = capsys.readouterr()
    if arguments[0] == "app":
        assert len(started) == 1
    else:
        # Something came out: on standard output, or in the file that was asked for.
        assert captured.out or set(tmp_path.iterdir()) - before


def test_the_example_files_are_real(tmp_path, capsys):
    """Files shown side by side: split them at the places of their headers and evaluate."""
    (text,) = (text for text in blocks("README.md", "") if text.startswith("parent,child"))
    header, *lines = text.rstrip("\n").splitlines()
    starts = [match.start() for match in re.finditer(r"\S+", header)]
    assert len(starts) == 3
    places = []
    for start, end in zip(starts, [*starts[1:], None]):
        cells = [line[start:end].strip() for line in (header, *lines)]
        path = tmp_path / f"{len(places)}.csv"
        path.write_text("".join(f"{cell}\n" for cell in cells if cell), encoding="utf-8")
        places.append(str(path))
    flags = ["--taxonomy", places[0], "--predictions", places[1], "--truth", places[2]]
    assert cli.main(["evaluate", *flags, "--json", str(tmp_path / "out.json")]) == 0
    assert capsys.readouterr().err == ""
    taxonomy = hv.load_taxonomy(places[0])
    predictions = hv.load_predictions(places[1], taxonomy, truth=places[2])
    assert predictions.n_samples == 2
    assert predictions.has_truth.all()


# Code --------------------------------------------------------------------------------------------------------------------


# The gallery runs where the manual is built, from top to bottom.
PYTHON = [(page, text) for page in PAGES if page != "docs/gallery.md" for text in blocks(page, "python")]
# Their functions are run elsewhere every day.
SLOW = [
    f"docs/{name}.md"
    for name in (
        "onnx-export",
        "choosing-a-threshold",
        "guide-engineers",
        "notebooks",
        "sources",
        "report",
        "charts",
        "comparison",
        "ci",
    )
]


def files_of_the_root():
    """Without caches, which other tests and the linter make meanwhile."""
    return sorted(path.name for path in ROOT.iterdir() if not path.name.startswith("."))


def test_there_is_code_to_run():
    assert any(page == "README.md" for page, _ in PYTHON)


@pytest.mark.parametrize(
    ("page", "text"),
    [pytest.param(*one, marks=[pytest.mark.long] if one[0] in SLOW else []) for one in PYTHON],
    ids=[f"{page}-{k}" for k, (page, _) in enumerate(PYTHON)],
)
def test_code(page, text, monkeypatch):
    """Runs as it stands, from the folder of the README; what exports models needs the packages of the extra `dev`."""
    monkeypatch.chdir(ROOT)
    for package in (
        "onnxruntime",
        *re.findall(r"^(?:import|from) (torch|skl2onnx|sklearn|lightgbm|onnxmltools|hiclass)", text, re.MULTILINE),
    ):
        pytest.importorskip(package)
    before = files_of_the_root()
    names = {"__name__": "__main__"}
    exec(compile(text, page, "exec"), names)
    assert files_of_the_root() == before
    public = {name for name in dir(hv) if not name.startswith("_")} | set(hv.__all__)
    assert set(re.findall(r"\bhv\.(\w+)", text)) <= public
    if "hv" in names:
        assert names["hv"] is hv


# Keys and tables ---------------------------------------------------------------------------------------------------------


def linked_docs():
    """README and the Markdown pages of this repository that it links to."""
    found = ["README.md"]
    for target in re.findall(r"\]\(([^)#\s]+\.md)", README):
        if "://" not in target and (ROOT / target).exists():
            found.append(target)
    return found


@pytest.mark.parametrize("name", REGISTRIES)
def test_every_registry_key_is_documented(name):
    text = "\n".join(read(page) for page in linked_docs())
    missing = [key for key in REGISTRIES[name] if not re.search(rf"`{re.escape(key)}[`:(]", text)]
    assert missing == []
    assert REGISTRIES[name]


def test_the_reference_is_up_to_date():
    assert read("docs/metrics.md") == runpy.run_path(str(ROOT / "docs" / "metrics_text.py"))["reference"]()


def test_contributing_names_every_part():
    places = re.findall(r"^\| (`[^|]*) \|", read("CONTRIBUTING.md"), re.MULTILINE)
    named = set()
    for place in places:
        first, *others = re.findall(r"`([^`]+)`", place)
        # The second of "`hierviz/reports/view.py`, `view_pages.py`" lies in the same folder; "`models/`, `assets/demo/`" do not.
        beside = f"{first.rstrip('/').rpartition('/')[0]}/"
        named |= {
            first,
            *(
                name if (ROOT / name).exists() and not (ROOT / beside / name).exists() else beside + name
                for name in others
            ),
        }
    for name in named:
        assert (ROOT / name).exists(), name
    package = ROOT / "hierviz"
    parts = {f"hierviz/{one.name}" for one in package.glob("*.py") if not one.name.startswith("__")}
    parts |= {f"{one.parent.relative_to(ROOT)}/" for one in package.rglob("__init__.py")}
    assert parts - named <= {"hierviz/", "hierviz/metrics/sets/", "hierviz/metrics/confusion/"}


def test_contributing_names_real_things():
    """Every file and every registry or constant in backticks is there."""
    text = read("CONTRIBUTING.md")
    for name in re.findall(r"`([\w./-]+\.(?:py|sh|toml|md))`", text):
        candidates = [
            ROOT / name,
            ROOT / "hierviz" / name,
            ROOT / "tests" / name,
            *ROOT.glob(f"hierviz/**/{Path(name).name}"),
        ]
        assert any(one.exists() for one in candidates), name
    files = [path for folder in ("hierviz", "tests", "assets") for path in (ROOT / folder).rglob("*.py")]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    for name in set(re.findall(r"`([A-Z_]{4,})`", text)):
        assert hasattr(hv, name) or re.search(rf"^{name}\b", code, re.MULTILINE), name


# Links -------------------------------------------------------------------------------------------------------------------


def links(page):
    text = re.sub(r"^```.*?^```$", "", read(page), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`\n]*`|\$\$.*?\$\$", "", text)
    return re.findall(r"\]\(\s*<?([^)\s>]+)", text) + re.findall(r"(?:src|href)=\"([^\"]+)\"", text)


def anchors(page):
    heads = re.findall(r"^#+ (.+)$", read(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES)
def test_links(page):
    for target in links(page):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        place = ((ROOT / page).parent / path).resolve() if path else ROOT / page
        assert place.exists(), f"{page}: {target}"
        assert place.is_relative_to(ROOT), f"{page}: {target} leads out of the repository"
        if anchor and place.suffix == ".md":
            assert anchor in anchors(place.relative_to(ROOT)), f"{page}: {target}"


def test_the_readme_has_pictures():
    images = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", README)
    assert images
    for words, target in images:
        assert len(words) > 20, target  # read out to those who do not see it
        content = (ROOT / target).read_bytes()
        assert content.startswith(b"\x89PNG")
        assert len(content) < 1_500_000


# Facts that stand in two places ------------------------------------------------------------------------------------------


def test_version_and_python():
    assert PROJECT["version"] == hv.__version__
    assert re.search(rf"^## {re.escape(hv.__version__)}\b", read("CHANGELOG.md"), re.MULTILINE)
    assert PROJECT["requires-python"] == ">=3.11"
    assert "Python 3.11 or newer" in README


def test_extras_that_texts_name_exist():
    extras = set(PROJECT["optional-dependencies"])
    sources = [read(page) for page in PAGES]
    sources += [path.read_text(encoding="utf-8") for path in (ROOT / "hierviz").rglob("*.py")]
    named = {
        one.strip()
        for text in sources
        for names in re.findall(r"hierviz\[([\w, ]+)\]", text)
        for one in names.split(",")
    }
    assert named
    assert named <= extras


def test_the_accepted_parametrisations_are_those_of_the_registry():
    """The README's list for `--parametrisation`: every key but the two kinds of probabilities."""
    listed = README.partition("`--parametrisation`")[2].split("\n\n")[0]
    keys = set(re.findall(r"`(\w+)`", listed))
    assert keys == {key for key in hv.PARAMETRISATIONS if not key.endswith("_probabilities")}
