"""The manual is built by one command, without a warning and without the network, and has every public name."""

import importlib
import inspect
import re
import subprocess
import sys
import types
from html.parser import HTMLParser
from pathlib import Path

import pytest

import hierviz as hv

ROOT = Path(__file__).parents[1]


def test_the_api_has_every_public_name():
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert {name for name in hv.__all__ if not re.search(rf"\bhierviz\.{name}\b", text)} == set()
    names = set(hv.charts.__all__) - {"show", "example", "widget"}
    assert {name for name in names if not re.search(rf"\bhierviz\.charts\.{name}$", text, re.MULTILINE)} == set()


def test_the_gallery_has_every_chart():
    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    functions = {name: one for name in hv.charts.__all__ if inspect.isfunction(one := getattr(hv.charts, name))}
    builders = {name for name, one in functions.items() if {"dark", "width"} <= set(inspect.signature(one).parameters)}
    assert len(builders) > 20
    assert {name for name in builders if f"hv.charts.{name}(" not in text} == {"matrix_legend", "widget"}


def public_docstrings():
    """(full name, object) of every public function, class and member of a class that has a docstring."""
    spaces = {"hierviz": hv} | {f"hierviz.{name}": x for name in hv.__all__ if inspect.ismodule(x := getattr(hv, name))}
    for space, module in spaces.items():
        for name in module.__all__:
            found = getattr(module, name)
            members = vars(found).items() if inspect.isclass(found) else ()
            for path, thing in [(name, found), *((f"{name}.{m}", x) for m, x in members if not m.startswith("_"))]:
                if isinstance(thing, type | property | types.FunctionType) and inspect.getdoc(thing):
                    yield f"{space}.{path}", thing


def test_what_docstrings_cite_is_listed(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_extensions"))
    as_text = importlib.import_module("docstring_references").as_text
    shown = 0
    for name, thing in public_docstrings():
        as_text(None, "", name, thing, None, inspect.getdoc(thing).splitlines())  # raises for one that is missing
        shown += 1
    assert shown > 200


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_links_lead_to_pages_of_the_manual(page):
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    for picture, link in links:
        file = link.partition("#")[0]
        if not file or re.match(r"[a-z]+:", file):
            continue
        assert (page.parent / file).is_file(), link
        assert picture or (page.parent / file).parent == page.parent, f"{link} is not a page of the manual"


class Loads(HTMLParser):
    """Addresses that a page loads by itself, and those of its links."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.add(given.get("id"))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.loads += [given[key] for key in ("src", "srcset", "data") if given.get(key)]
        if tag == "link" and given.get("rel") not in ("next", "prev", "index", "search"):
            self.loads.append(given["href"])


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    """Folder of the manual, built by its command with the network cut off from Python."""
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("manual")
    command = "python -m sphinx -W --keep-going docs build/manual"
    assert f"`{command}`" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    arguments = [sys.executable, *command.split()[1:-1], str(folder)]
    offline = (
        "import socket\ndef refuse(*a, **k): raise OSError('the network is off')\nsocket.create_connection = refuse\n"
    )
    (folder / "guard").mkdir()
    (folder / "guard" / "sitecustomize.py").write_text(offline + "socket.getaddrinfo = refuse\n")
    paths = f"{folder / 'guard'}:{ROOT}"
    done = subprocess.run(
        arguments,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stderr == ""
    return folder


@pytest.mark.long
def test_the_manual_is_whole(manual):
    pages = {path: Loads(path.read_text(encoding="utf-8")) for path in manual.glob("*.html")}
    assert len(pages) >= 25
    for path, page in pages.items():
        for address in page.loads:
            assert not re.match(r"(https?:)?//", address), (path.name, address)
            if not address.startswith("data:"):
                assert (path.parent / address.split("?")[0].split("#")[0]).exists(), (path.name, address)
        for address in page.links:
            name, _, anchor = address.partition("#")
            if re.match(r"[a-z]+:", address):
                continue
            target = (path.parent / name).resolve() if name else path
            assert target.exists(), (path.name, address)
            if anchor and target in pages:
                assert anchor in pages[target].ids, (path.name, address)
    styles = "".join(path.read_text(encoding="utf-8") for path in manual.rglob("*.css"))
    assert not re.search(r"url\(['\"]?https?:|@import", styles)
    pictures = {path.name for path in (manual / "_static" / "gallery").iterdir()}
    assert len(pictures) >= 2 * 29
    assert "<math" in (manual / "metrics.html").read_text(encoding="utf-8")
