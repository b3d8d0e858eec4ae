"""A release: one version everywhere, the workflow, the recipe, the containers, and archives of the same bytes."""

import hashlib
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MOST_BYTES = 8 * 2**20
PICTURES = (".png", ".webp", ".jpg", ".jpeg", ".gif", ".svg", ".zip")


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version():
    version = PROJECT["version"]
    assert yaml.safe_load(read("CITATION.cff"))["version"] == version
    assert f'version: "{version}"' in read("conda/recipe.yaml")
    assert f"version = {{{version}}}" in read("docs/citing.md")
    assert re.search(r"^## (\d+\.\d+\.\d+)", read("CHANGELOG.md"), re.MULTILINE)[1] == version


def test_pythons_are_said_in_one_way():
    said = {one.rsplit(" ", 1)[1] for one in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", one)}
    assert said == {"3.11", "3.12", "3.13", "3.14"}
    assert PROJECT["requires-python"] == f">={min(said, key=lambda one: int(one.split('.')[1]))}"
    for page in ("SUPPORT.md", "docs/releasing.md"):
        assert "3.14 is declared" in read(page)


def test_citation_has_what_the_format_needs():
    found = yaml.safe_load(read("CITATION.cff"))
    assert found["cff-version"] == "1.2.0"
    assert {"message", "title", "authors", "license", "type"} <= set(found)
    assert found["license"] == PROJECT["license"]


def test_the_release_waits_for_its_owner():
    workflow = yaml.safe_load(read(".github/workflows/release.yml"))
    # YAML reads "on" as true.
    assert workflow[True] == {"push": {"tags": ["v[0-9]+.[0-9]+.[0-9]+"]}}
    assert workflow["permissions"] == {}
    publish = workflow["jobs"]["publish"]
    assert publish["environment"] == "pypi"
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["needs"] == "build"
    assert [step["uses"].split("@")[0] for step in publish["steps"]][-1] == "pypa/gh-action-pypi-publish"
    assert "id-token" not in workflow["jobs"]["build"]["permissions"]
    assert not re.search(r"secrets\.|password|(?<!id-)token:", read(".github/workflows/release.yml"))
    steps = "\n".join(step.get("run", "") for step in workflow["jobs"]["build"]["steps"])
    for file in re.findall(r"tests/\S+\.(?:py|sh)", steps):
        assert (ROOT / file).is_file(), file


def test_issue_forms():
    forms = [yaml.safe_load(path.read_text("utf-8")) for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")]
    forms = [form for form in forms if "body" in form]
    assert len(forms) == 3
    for form in forms:
        assert form["name"]
        assert form["description"]
        ids = [field["id"] for field in form["body"]]
        assert len(ids) == len(set(ids))
        assert any(field.get("validations", {}).get("required") for field in form["body"])


def names_of(requirements):
    return {re.match(r"[A-Za-z0-9_.-]+", one)[0].lower().replace("_", "-") for one in requirements}


def test_the_recipe_needs_what_the_app_needs():
    recipe = yaml.safe_load(read("conda/recipe.yaml"))
    extras = PROJECT["optional-dependencies"]
    expected = set(PROJECT["dependencies"])
    for extra in ("files", "charts", "onnx", "ontologies", "app"):
        expected |= {one for one in extras[extra] if not one.startswith("hierviz[")}
    found = {one.replace(" ", "") for one in recipe["requirements"]["run"] if not one.startswith("python ")}
    assert found == expected
    (entry,) = recipe["build"]["python"]["entry_points"]
    assert dict([entry.split(" = ")]) == PROJECT["scripts"]
    assert recipe["about"]["summary"] == PROJECT["description"]


@pytest.mark.long
def test_the_recipe_can_be_rendered():
    rattler = pytest.importorskip("rattler_build", reason="py-rattler-build not installed")
    stages = rattler.Stage0Recipe.from_file(str(ROOT / "conda" / "recipe.yaml")).render()
    (variant,) = stages
    package = variant.recipe.package
    assert (str(package.name), str(package.version)) == ("hierviz", PROJECT["version"])


@pytest.mark.parametrize("name", ["Dockerfile", "deploy/space/Dockerfile"])
def test_containers_run_as_nobody_and_say_how_they_are(name):
    text = read(name)
    *_, last_user = re.findall(r"^USER (\S+)$", text, re.MULTILINE)
    assert int(last_user) > 0
    assert "HEALTHCHECK" in text
    assert "/_stcore/health" in text
    assert "-slim" in text
    assert "latest" not in text
    command = re.search(
        r"^CMD (\[.*\])$", text.rpartition("HEALTHCHECK")[2].partition("\nENTRYPOINT")[2] or text, re.MULTILINE
    )
    assert command


def flags_of(text):
    return dict(re.findall(r"(--[a-z-]+)(?: (?!--)(\S+?))?(?=[ \"\\])", text))


def test_the_hosted_demo_has_the_limits_of_a_public_server():
    """Each is a flag of the app, and the page of the demo says the same numbers."""
    from hierviz.cli import parser

    command = json.loads(re.findall(r"^CMD (\[.*\])$", read("deploy/space/Dockerfile"), re.MULTILINE)[-1])[-1]
    words = command.removeprefix("exec hierviz ").replace('"${SPACE_HOST:-localhost}"', "demo.example").split()
    options = parser().parse_args(words)
    assert options.no_model_uploads
    assert options.allow_paths is None
    assert (options.max_upload_mb, options.max_files, options.max_data_gb) == (20, 10, 2)
    assert options.cpu_seconds
    assert options.memory_mb
    page = read("deploy/space/README.md")
    for said in ("20 MB per file", "10 files per visitor", "2 GB for all", "no uploaded models"):
        assert said in " ".join(page.split())
    front = yaml.safe_load(page.split("---")[1])
    assert front["app_port"] == int(words[words.index("--port") + 1])


def test_what_the_image_is_built_from_is_there():
    ignored = [line for line in read(".dockerignore").splitlines() if line.startswith("!")]
    copied = {
        name
        for line in re.findall(r"^COPY (?!--)(.+)$", read("Dockerfile"), re.MULTILINE)
        for name in line.split()[:-1]
    }
    for name in copied:
        assert (ROOT / name).exists(), name
        assert any(line[1:] == name or line[1:].startswith(f"{name}/") for line in ignored), name


# Archives ------------------------------------------------------------------------------------------------------------------


def built(folder, source):
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1767225600"}
    environment.pop("PYTHONPATH", None)
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, source],
        check=True,
        capture_output=True,
        cwd=folder,
        env=environment,
    )
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """Those of this clone, and those of a copy of it in another place at another time."""
    for package in ("build", "hatchling"):
        pytest.importorskip(package)
    first = built(tmp_path_factory.mktemp("first"), ROOT)
    copy = tmp_path_factory.mktemp("elsewhere") / "copy of it"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    return first, built(tmp_path_factory.mktemp("second"), copy)


@pytest.mark.long
def test_two_builds_are_the_same_bytes(archives):
    sums = [{name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in found.items()} for found in archives]
    version = PROJECT["version"]
    assert set(sums[0]) == {f"hierviz-{version}-py3-none-any.whl", f"hierviz-{version}.tar.gz"}
    assert sums[0] == sums[1]


def contents(path):
    """(name, bytes) of each file of an archive."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            return [(name, archive.read(name)) for name in archive.namelist()]
    with tarfile.open(path) as archive:
        files = [member for member in archive if member.isfile()]
        return [(member.name.partition("/")[2], archive.extractfile(member).read()) for member in files]


@pytest.mark.long
def test_archives_hold_no_test_data_and_no_picture_twice(archives):
    for path in archives[0].values():
        assert path.stat().st_size <= MOST_BYTES, path.name
        found = contents(path)
        names = [name for name, _ in found]
        assert "hierviz/bundle/assets/demo/pictures.zip" in names or "assets/demo/pictures.zip" in names
        for name in names:
            strangers = {
                "tests",
                "shared",
                "benchmarks",
                "notebooks",
                "screenshots",
                "golden",
                "__pycache__",
                ".git",
                ".ci",
                ".github",
            }
            assert not strangers & set(name.split("/")), name
        pictures = Counter(hashlib.sha256(data).hexdigest() for name, data in found if name.lower().endswith(PICTURES))
        (zipped,) = [data for name, data in found if name.endswith("pictures.zip")]
        with zipfile.ZipFile(__import__("io").BytesIO(zipped)) as archive:
            inside = Counter(hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist())
        assert sum(inside.values()) == 600
        assert max((pictures + inside).values()) == 1


@pytest.mark.long
def test_archives_pass_the_check_of_their_description(archives):
    pytest.importorskip("twine", reason="twine not installed")
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *archives[0].values()], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.long
def test_the_numbers_of_the_paper():
    """Rewrite it with `python docs/paper_text.py > docs/paper.md`."""
    assert read("docs/paper.md") == runpy.run_path(str(ROOT / "docs" / "paper_text.py"))["paper"]()
