"""Opening one's own files in a real browser: by upload and by path, good and bad, tables and ONNX models."""

import csv
import io
import re
import subprocess
import sys
import time
import urllib.request
import zipfile
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from hierviz.demo import bundle_folder
from tests.browser.conftest import ROOT, heading, quiet, ready, unfold, upload
from tests.readers.bad_files import BAD_FILES

pytestmark = pytest.mark.browser

# A small world of plants; the names are chosen to be none of the demo's.
TAXONOMY = """parent,child
plant,tree
tree,conifer
conifer,spruce
conifer,larch
tree,broadleaf
broadleaf,beech
broadleaf,hornbeam
broadleaf,lime
plant,herb
herb,sage
herb,basil
plant,moss
"""
LEAVES = ["spruce", "larch", "beech", "hornbeam", "lime", "sage", "basil", "moss"]
SCORES = """sample_id,spruce,larch,beech,hornbeam,lime,sage,basil,moss
leaf-01,0.625,0.25,0.0625,0.0625,0,0,0,0
leaf-02,0.25,0.5,0.125,0.125,0,0,0,0
leaf-03,0,0,0.5,0.375,0.125,0,0,0
leaf-04,0,0,0.375,0.5,0.125,0,0,0
leaf-05,0,0.125,0.25,0.25,0.375,0,0,0
leaf-06,0,0,0,0,0.25,0.5,0.25,0
leaf-07,0,0,0,0,0,0.375,0.5,0.125
leaf-08,0.25,0,0,0,0,0.25,0.25,0.25
"""
SECOND = SCORES.replace("0.625,0.25,", "0.25,0.625,").replace("0.5,0.375,0.125,0,0,0", "0.125,0.375,0.5,0,0,0")
TRUTH = """sample_id,truth
leaf-01,spruce
leaf-02,larch
leaf-03,beech
leaf-04,beech
leaf-05,conifer
leaf-06,basil
leaf-07,basil
leaf-08,spruce
"""


def write(folder, **contents):
    """Files of a world by name; returns their paths."""
    paths = {}
    for name, content in contents.items():
        paths[name] = folder / f"{name}.csv"
        paths[name].write_text(content, encoding="utf-8")
    return paths


@pytest.fixture
def plants(tmp_path):
    return write(tmp_path, plants=TAXONOMY, careful=SCORES, hasty=SECOND, truth=TRUTH)


def press_open(page, told=""):
    """Press Open; waits for the line that tells how files were read, or returns the text of the alert that answers."""
    quiet(page)
    page.locator("[data-testid=stBaseButton-primary]").filter(has_text=re.compile(r"Open$")).click()
    if told:
        expect(page.locator(".st-key-just-opened")).to_contain_text(told)
        return ""
    alert = page.get_by_test_id("stAlert")
    alert.first.wait_for()
    return alert.first.inner_text()


def opened(page):
    """Digest of the open files, from the URL."""
    page.wait_for_function("() => new URL(location).searchParams.has('data')")
    return re.search(r"data=([0-9a-f]{16})", page.url)[1]


def check_leaf(page):
    """A ladder of a sample of the plants: it says which, and its truth."""
    ladder = page.locator("[data-hierviz=example]")
    expect(ladder).to_have_attribute("data-ready", re.compile("^leaf-0[1-8]$"))
    sample = ladder.get_attribute("data-ready")
    truth = dict(line.split(",") for line in TRUTH.splitlines())[sample]
    texts = ladder.locator("svg text").all_text_contents()
    assert f"sample: {sample}" in texts
    assert f"Truth: {truth}" in texts


def check_plants(page):
    """Every page of the opened plants, from the Overview on."""
    page.get_by_text("on 8 samples (").wait_for()
    expect(page.get_by_test_id("stMain")).to_contain_text("8 leaf classes in 13 nodes, up to 3 levels below plant")
    page.get_by_role("link", name="Operating curves", exact=True).first.click()
    heading(page, "Operating curves")
    page.locator(".stVegaLiteChart svg.marks").first.wait_for()
    page.get_by_role("link", name="Examples", exact=True).first.click()
    heading(page, "Examples")
    check_leaf(page)
    expect(page.locator(".stVegaLiteChart svg.marks")).to_have_count(0)
    unfold(page)
    expect(page.locator(".stVegaLiteChart svg.marks")).to_have_count(3)


@pytest.mark.long
def test_files_chosen_all_at_once_go_where_they_belong(open_page, plants):
    page = open_page("open")
    page.locator(".st-key-upload_all input[type=file]").wait_for(state="attached")
    quiet(page)
    page.locator(".st-key-upload_all input[type=file]").set_input_files([str(path) for path in plants.values()])
    for text in ("Uploaded: plants.csv", "Uploaded: careful.csv, hasty.csv", "Uploaded: truth.csv"):
        expect(page.get_by_text(text)).to_be_visible()
    press_open(
        page,
        "Opened: the taxonomy as edge list; careful, hasty as wide scores (one column per class); "
        "truth of 8 of 8 samples from truth.csv. More under",
    )
    heading(page, "Overview")
    expect(page.get_by_test_id("stMain")).to_contain_text("careful.csv, hasty.csv")
    expect(page.get_by_test_id("stMain")).to_contain_text("8 samples (8 with known truth, 1 of them")
    page.get_by_role("button", name="How the files were read").click()
    expect(page.get_by_test_id("stPopoverBody")).to_contain_text("truth file: truth.csv")


@pytest.mark.long
def test_upload_of_another_world(open_page, plants):
    page = open_page("open")
    upload(page, taxonomy=plants["plants"], predictions=[plants["careful"], plants["hasty"]], truth=plants["truth"])
    press_open(page, "Opened: ")
    data = opened(page)
    for name in ("careful", "hasty"):
        expect(page.get_by_test_id("stMain").get_by_text(name, exact=True).first).to_be_visible()
    check_plants(page)
    assert f"data={data}" in page.url

    page.reload()
    ready(page)
    check_leaf(page)
    assert f"data={data}" in page.url
    # A second visitor of the same server may follow the link.
    other = open_page(f"?data={data}")
    other.get_by_text("on 8 samples (").wait_for()


@pytest.mark.long
def test_path_on_this_machine(open_page, plants):
    page = open_page("open")
    page.get_by_role("radio", name="Path on this machine").or_(page.get_by_text("Path on this machine")).first.click()
    for label, path in (
        ("Taxonomy", plants["plants"]),
        ("Predictions, one file per model or run", f"{plants['careful']}; {plants['hasty']}"),
        ("Truth (optional if it is in the predictions)", plants["truth"]),
    ):
        field = page.get_by_role("textbox", name=label, exact=True)
        field.wait_for()
        field.fill(str(path))
        field.press("Tab")
    quiet(page)
    typed = page.get_by_role("textbox").evaluate_all("fields => fields.map(field => field.value)")
    assert {str(plants["plants"]), str(plants["truth"])} <= set(typed)
    press_open(page, "Opened: ")
    opened(page)
    check_plants(page)


@pytest.mark.long  # tests/app and tests/readers have both errors each day
def test_nothing_chosen_and_a_path_that_is_not_there(open_page, tmp_path):
    page = open_page("open")
    assert "taxonomy: expected a file, got none" in press_open(page)
    expect(page.get_by_text("Path on this machine")).to_have_count(1)
    assert page.get_by_text("Files can be opened by path only").count() == 0
    page.get_by_role("radio", name="Path on this machine").or_(page.get_by_text("Path on this machine")).first.click()
    for label in ("Taxonomy", "Predictions, one file per model or run"):
        field = page.get_by_role("textbox", name=label, exact=True)
        field.wait_for()
        field.fill(str(tmp_path / "nowhere.csv"))
        field.press("Tab")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)  # it was about the other way to open files
    assert re.search(r"nowhere\.csv: expected a file, got nothing", press_open(page))


BAD = ("web page", "pickled predictions", "cycle", "unknown class", "ids with nothing in common", "npz cut off")


@pytest.mark.long
@pytest.mark.parametrize("names", [BAD[:1], BAD[1:]], ids=["one", "the others"])
def test_bad_files_give_one_line(open_page, tmp_path, names):
    page = open_page("open")
    for place, name in enumerate(names):
        if place:
            page.goto(page.url.split("?")[0])
            ready(page)
        folder = tmp_path / str(place)
        folder.mkdir()
        files = BAD_FILES[name].write(folder)
        assert set(files) <= {"taxonomy", "predictions", "truth"}
        upload(page, **files)
        text = press_open(page)
        assert re.search(BAD_FILES[name].match, text), (name, text)
        assert "\n" not in text.strip().removeprefix("error").strip(), (name, text)
        body = page.locator("body").inner_text()
        assert "Traceback" not in body
        assert "data=" not in page.url


@pytest.fixture
def a_few_pictures(tmp_path):
    """A zip of the demo's first twelve pictures, and their truth."""
    assets = bundle_folder() / "assets" / "demo"
    found = tmp_path / "few.zip"
    with zipfile.ZipFile(assets / "pictures.zip") as source, zipfile.ZipFile(found, "w") as target:
        names = sorted(name for name in source.namelist() if name.endswith(".webp"))[:12]
        for name in names:
            target.writestr(name, source.read(name))
    stems = {name.rsplit("/", 1)[-1].removesuffix(".webp") for name in names}
    with open(assets / "examples.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    out = io.StringIO()
    csv.writer(out).writerows([header, *(row for row in rows if row[0] in stems)])
    truth = tmp_path / "few-truth.csv"
    truth.write_text(out.getvalue(), encoding="utf-8")
    return found, truth, sorted(stems)


@pytest.mark.long
def test_onnx_model_on_pictures(open_page, a_few_pictures):
    pictures, truth, stems = a_few_pictures
    folder = bundle_folder()
    page = open_page("open")
    page.get_by_role("radio", name="ONNX model").or_(page.get_by_text("ONNX model", exact=True)).first.click()
    page.locator(".st-key-upload_model input[type=file]").wait_for(state="attached")
    taxonomy, model = folder / "assets" / "demo" / "taxonomy.csv", folder / "models" / "softmax_margin.onnx"
    upload(page, taxonomy=taxonomy, model=model, inputs=pictures, truth=truth)
    press_open(page, "Opened: ")
    data = opened(page)
    expect(page.get_by_test_id("stMain")).to_contain_text("12 samples (12 with known truth)")
    page.goto(urljoin(page.url, f"/example?data={data}&sample={stems[3]}"))
    ready(page)
    page.locator(f"[data-hierviz=example][data-ready='{stems[3]}']").wait_for()


@pytest.fixture
def open_server(tmp_path, unused_port):
    """The app as `streamlit run app.py` starts it when told to listen on all addresses; asked on this machine only."""
    log = open(tmp_path / "log.txt", "w")  # noqa: SIM115 - lives as long as the process
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.address", "0.0.0.0"]
    command += ["--server.port", str(unused_port), "--server.headless", "true"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
    url, end = f"http://127.0.0.1:{unused_port}", time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=1)
            break
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                process.kill()
                pytest.fail((tmp_path / "log.txt").read_text()[-1000:])
            time.sleep(0.1)
    yield url
    process.kill()
    process.wait()
    log.close()


@pytest.fixture
def unused_port():
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.long
def test_no_paths_when_others_can_reach_the_server(open_page, open_server):
    page = open_page("open", base=open_server)
    heading(page, "Open your own files")
    page.get_by_text("Files can be opened by path only").wait_for()
    expect(page.locator(".st-key-upload_taxonomy input[type=file]")).to_have_count(1)
    quiet(page)
    assert page.locator("[class*=st-key-path_]").count() == 0
    assert page.get_by_text("Path on this machine").count() == 0


@pytest.mark.long
def test_forty_files_are_eight_methods(open_page, tmp_path):
    rows = SCORES.splitlines()
    files = {}
    for method in range(8):
        for seed in range(5):
            # Another order of the rows' scores in each file.
            place = 1 + (5 * method + seed) % 8
            cells = rows[place].split(",")
            changed = ",".join([cells[0], *cells[:0:-1]])
            files[f"method{method}_seed{seed}"] = "\n".join([*rows[:place], changed, *rows[place + 1 :]]) + "\n"
    paths = write(tmp_path, plants=TAXONOMY, truth=TRUTH, **files)
    page = open_page("open")
    upload(page, taxonomy=paths["plants"], predictions=[paths[name] for name in files], truth=paths["truth"])
    expect(page.get_by_text("Single files: method, kind of scores, threshold (40)")).to_be_visible()
    press_open(page, "Opened: ")
    expect(page.get_by_test_id("stMain")).to_contain_text("(8 methods with their runs)")
    expect(page.get_by_test_id("stMain")).to_contain_text("method0 (5 runs)")
    page.get_by_role("link", name="Operating curves", exact=True).first.click()
    expect(page.get_by_test_id("stMain")).to_contain_text(
        "Lines with several runs are means at each threshold, with a pale band of correct ± one standard deviation between "
        "the 5 runs, drawn at the mean information recall."
    )
    page.locator(".stVegaLiteChart svg.marks").first.wait_for()
    quiet(page)
    # Each method at its own threshold, by one button.
    page.get_by_role("button", name="Use all, each model with its own").click()
    page.wait_for_function("() => new URL(location).searchParams.has('thresholds')")
