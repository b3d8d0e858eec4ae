"""Files opened by path: who may open which ones, and errors that reveal little about others."""

import os
import re
import tempfile
from types import SimpleNamespace

import pytest
from visit import Visit, plain

from hierviz.app import middleware
from hierviz.app.state import paths
from hierviz.app.state.dataset import Files, open_files
from hierviz.app.state.escape import MOST_QUOTED, quoting_little
from hierviz.app.state.paths import is_local
from hierviz.app.state.uploads import UploadFolder
from hierviz.messages.errors import FileError, HiervizError

SECRETS = """DB_PASSWORD=hunter2-abcdefghijklmnop
API_KEY=sk-live-0123456789abcdefghijklmnopqrstuvwxyz
SMTP="smtp://user:it's@mail.example.com:587"
AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY0123456789012345678901234567890123456789
TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB
"""
FIELDS = ("taxonomy", "predictions", "truth", "classes", "nodes", "media", "model", "inputs")


@pytest.fixture
def files(tmp_path):
    """A folder that may be opened, beside one that may not."""
    for name in ("inside", "inside/pictures", "outside"):
        (tmp_path / name).mkdir()
    (tmp_path / "outside" / ".env").write_text(SECRETS)
    (tmp_path / "inside" / ".env").write_text(SECRETS)
    (tmp_path / "inside" / "tree.csv").write_text("parent,child\nanimal,cat\nanimal,dog\n")
    (tmp_path / "inside" / "scores.csv").write_text("sample_id,cat,dog\na,0.5,0.5\n")
    return tmp_path


@pytest.fixture
def elsewhere(monkeypatch):
    """Visitors are not on this machine."""
    monkeypatch.setattr(paths, "is_local", lambda headers: False)


@pytest.fixture
def confined(files, elsewhere, monkeypatch):
    """As a visitor from elsewhere, of a server with --allow-paths."""
    monkeypatch.setattr(paths.sys, "argv", ["app.py", "--allow-paths", str(files / "inside")])
    return files / "inside"


LOCAL = {"Host": "localhost:8501", "Origin": "http://localhost:8501"}


@pytest.mark.parametrize(
    ("address", "headers", "local"),
    [
        ("127.0.0.1", LOCAL, True),
        ("localhost", {"host": "127.0.0.1"}, True),
        ("::1", {"Host": "[::1]:8501"}, True),
        ("0.0.0.0", LOCAL, False),
        ("192.0.2.7", LOCAL, False),
        (None, LOCAL, False),
        ("127.0.0.1", {"Host": "named.example:8501"}, False),
        ("127.0.0.1", {"Host": "localhost.named.example"}, False),
        ("127.0.0.1", {}, False),
        *(
            ("127.0.0.1", LOCAL | {name: "192.0.2.7"}, False)
            for name in ("X-Forwarded-For", "x-forwarded-host", "X-Forwarded-Proto", "Forwarded", "Via", "X-Real-Ip")
        ),
    ],
)
def test_paths_need_a_local_server_and_a_local_browser(monkeypatch, address, headers, local):
    given = {"server.address": address, "server.allowedHosts": []}
    monkeypatch.setattr(paths, "st", SimpleNamespace(get_option=given.get, context=SimpleNamespace(headers=headers)))
    monkeypatch.setattr(paths, "is_local", is_local)
    monkeypatch.setattr(paths.sys, "argv", ["app.py"])
    assert paths.may_open_paths() is local
    if local:
        assert paths.allowed_path("any/where.csv") == "any/where.csv"
    else:
        with pytest.raises(FileError, match=r"got a path, which this visitor may not open\. Upload the file"):
            paths.allowed_path("any/where.csv")


@pytest.mark.parametrize("name", ["named.example", "*", "*.example", "192.0.2.7"])
def test_a_server_with_a_foreign_name_takes_nobody_to_be_local(monkeypatch, tmp_path, name):
    """Behind a reverse proxy that passes Host on and adds nothing, a visitor from elsewhere may say `Host: localhost`."""
    given = {"server.address": "127.0.0.1", "server.allowedHosts": [*paths.LOCAL_NAMES, "LOCALHOST."]}
    monkeypatch.setattr(paths, "st", SimpleNamespace(get_option=given.get, context=SimpleNamespace(headers=LOCAL)))
    monkeypatch.setattr(paths, "is_local", is_local)
    monkeypatch.setattr(paths.sys, "argv", ["app.py"])
    assert paths.may_open_paths()
    given["server.allowedHosts"].append(name)
    assert not paths.may_open_paths()
    monkeypatch.setattr(paths.sys, "argv", ["app.py", "--allow-paths", str(tmp_path)])
    assert paths.may_open_paths()


def test_patterns_of_hosts(monkeypatch):
    allowed = []
    monkeypatch.setattr(paths.st, "get_option", {"server.allowedHosts": allowed}.get)

    def is_let_in(host):
        return middleware.why_refused([(b"host", host.encode())]) is None

    # Nothing said: the names of this machine.
    assert [is_let_in(one) for one in ("localhost:1", "a.example")] == [True, False]
    allowed += ["A.example.", "*.b.example"]
    names = ("localhost", "a.example", "A.EXAMPLE.:80", "x.a.example", "b.example", "x.b.example", "xb.example")
    assert [is_let_in(one) for one in names] == [False, True, True, False, False, True, False]
    allowed.append("*")
    assert [is_let_in(one) for one in ("anything.example", "two words", "a@b", "[::1", "")] == [True] + [False] * 4


def test_a_path_inside_the_folder(confined):
    for text in ("tree.csv", confined / "tree.csv", confined / "pictures" / ".." / "tree.csv", "pictures/../tree.csv"):
        assert paths.allowed_path(str(text)) == str(confined.resolve() / "tree.csv")
    (confined / "link.csv").symlink_to("tree.csv")
    assert paths.allowed_path("link.csv") == str(confined.resolve() / "tree.csv")
    assert paths.allowed_path("pictures") == str(confined.resolve() / "pictures")
    # What is not there is left to the reader, which says so.
    assert paths.allowed_path("nowhere.csv") == str(confined.resolve() / "nowhere.csv")


def test_no_url_is_opened(monkeypatch):
    """The server asks no address that a visitor typed, not even for one on this machine."""
    monkeypatch.setattr(paths, "may_open_paths", lambda: True)
    with pytest.raises(FileError, match="expected a path on this machine, got a URL"):
        paths.allowed_path("http://127.0.0.1:1/scores.csv")


def test_no_path_leads_out_of_the_folder(confined, files):
    (confined / "env.csv").symlink_to(files / "outside" / ".env")
    (confined / "out").symlink_to(files / "outside")
    (confined / "circle").symlink_to("circle")
    # Read along with a model, and with a folder of pictures.
    (confined / "net.onnx").write_bytes(b"")
    (confined / "net.labels.txt").symlink_to(files / "outside" / ".env")
    (confined / "pictures" / "a.png").symlink_to(files / "outside" / ".env")
    (confined / "models").mkdir()
    (confined / "models" / "plain.onnx").write_bytes(b"")
    (confined / "models" / "config.json").symlink_to(files / "outside" / ".env")
    (files / "insideout").mkdir()
    wrong = [
        "../outside/.env",
        "/etc/passwd",
        str(files / "outside" / ".env"),
        str(files / "outside" / "nowhere"),
        "env.csv",
    ]
    wrong += [
        "out/.env",
        "out",
        "net.onnx",
        "pictures",
        "models/plain.onnx",
        "a\0b",
        str(files / "insideout"),
        "..",
        "/",
    ]
    wrong += [str(files), "~root/x/../../../../outside/.env"]
    for text in wrong:
        with pytest.raises(FileError) as found:
            paths.allowed_path(text)
        # The same words whether anything is there or not, and nothing of what is.
        quoted, _, words = str(found.value).partition(": ")
        assert words == f"expected a path inside {confined}, got one outside it. Choose another."
        assert quoted == repr(text) or (len(text) > 60 and "…" in quoted)
    assert paths.allowed_path("tree.csv")


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_no_path_leads_to_files_that_visitors_uploaded(confined, monkeypatch):
    """The folder for temporary files may lie inside the one that may be opened."""
    temporary = confined / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    uploads = UploadFolder()
    (uploads.path / "theirs.csv").write_text(SECRETS)
    (confined / "link").symlink_to(uploads.path / "theirs.csv")
    (confined / "pictures" / "a.png").symlink_to(uploads.path / "theirs.csv")
    (temporary / "tree.csv").touch()
    inside = f"tmp/{uploads.path.name}"
    for text in (inside, f"{inside}/theirs.csv", f"{inside}/nowhere", "link", "pictures", "tmp", ".", str(confined)):
        with pytest.raises(FileError, match="expected a path outside the uploads of visitors, got one among them"):
            paths.allowed_path(text)
    assert paths.allowed_path("tree.csv")
    assert paths.allowed_path("tmp/tree.csv")


@pytest.mark.parametrize("field", FIELDS)
def test_an_error_quotes_little_of_a_file(files, field):
    """A slip of the pen in any field of the form: at most sixty characters of what is none of anybody's business."""
    given = {"taxonomy": files / "inside" / "tree.csv", "predictions": (files / "inside" / "scores.csv",)}
    wrong = files / "inside" / ".env"
    given[field] = (wrong,) if field in ("predictions", "model") else wrong
    for more in ({}, {"truth_column": "x"}, {"taxonomy_separator": "="}, {"taxonomy_form": "paths"}):
        try:
            open_files(Files(**given, **more))
        except HiervizError as error:
            said = quoting_little(str(error))
        else:
            continue
        assert n_quoted(said) <= MOST_QUOTED, said


def n_quoted(message):
    """Characters of the longest pieces of `SECRETS`, of four and more, that a message has from left to right."""
    at = n = 0
    message = message.replace(".env", "")
    while at < len(message):
        long = next((k for k in range(len(message) - at, 3, -1) if message[at : at + k] in SECRETS), 0)
        at, n = at + max(long, 1), n + long
    return n


def test_quotes_are_cut_in_the_order_they_stand():
    assert quoting_little("a.csv:1: got 'x', no file's. It's 'y'.") == "a.csv:1: got 'x', no file's. It's 'y'."
    said = quoting_little(f"a.csv, column {'b' * 50!r}: got {'c' * 50!r}, {'d' * 9!r}.")
    assert said == f"a.csv, column '{'b' * 50}': got '{'c' * 10}…', …."


def test_the_form_opens_what_is_inside_and_nothing_else(confined, files):
    """Through the page, by a visitor who is not on this machine."""
    visit = Visit("open")
    visit.control("Location").set_value("Path on this machine")
    assert f"Files inside {confined} can be opened" in visit.run().text
    visit.control("Predictions, one file per model or run").set_value("scores.csv")
    visit.control("Taxonomy").set_value(str(files / "outside" / ".env"))
    visit.press("Open")
    said = plain(visit.at.error[0].value)
    assert re.search(r"outside/\.env'?: expected a path inside .*inside, got one outside it", said) or "…" in said
    assert n_quoted(said) == 0
    visit.control("Taxonomy").set_value("tree.csv")
    visit.press("Open")
    assert not visit.at.error
    assert visit.query["data"]


@pytest.mark.parametrize("page", ["open", "model"])
def test_no_path_is_offered_to_a_visitor_from_elsewhere(elsewhere, page):
    visit = Visit(page)
    if page == "open":
        assert visit.control("Location").options == ["Upload"]
        assert "Files can be opened by path only if server and browser are on the same machine" in visit.text
    else:
        visit.control("Which model?").set_value("own")
        visit.run()
    assert not [one.label for one in visit.at.text_input if "path" in one.label]
    assert not [one for one in visit.at.text_input if str(one.key).startswith("path_")]


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_model_outside_is_refused_on_the_model_page(confined, files):
    (files / "outside" / "secret.onnx").write_text(SECRETS)
    visit = Visit("model")
    visit.control("Which model?").set_value("own")
    visit.run()
    visit.control("ONNX model: or a path on this machine").set_value(str(files / "outside" / "secret.onnx"))
    visit.run()
    said = [plain(one.value) for one in visit.at.error]
    assert len(said) == 1
    assert "got one outside it" in said[0]
    assert n_quoted(said[0]) == 0
