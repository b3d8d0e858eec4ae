"""The page Model in a real browser: a foreign model is uploaded, completed by answers, perturbed, run and cancelled."""

import re
import time

import numpy as np
import psutil
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import heading, quiet, ready, upload

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

pytestmark = pytest.mark.browser

TAXONOMY = "parent,child\nsky,day\nsky,night\nday,blue\nday,grey\nday,white\nnight,black\nnight,starry\n"
NAMES = ["black", "white", "grey", "starry", "blue"]  # an order of its own, on purpose


def save(path, nodes, inputs, width, tensors):
    graph = helper.make_graph(
        nodes,
        "foreign",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, inputs)],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["batch", width])],
        [numpy_helper.from_array(np.asarray(one), name) for name, one in tensors.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.fixture
def foreign(tmp_path):
    """float NCHW without metadata: a bright picture is white (0..1 are expected), a dark one black."""
    weights = np.zeros((3, 5), np.float32)
    weights[:, 0], weights[:, 1] = -6, 6
    bias = np.float32([9, -9, 0, 0, 0])
    nodes = [
        helper.make_node("ReduceMean", ["input"], ["colour"], axes=[2, 3], keepdims=0),
        helper.make_node("Gemm", ["colour", "w", "b"], ["output"]),
    ]
    tax = tmp_path / "sky.csv"
    tax.write_text(TAXONOMY)
    model = save(tmp_path / "foreign.onnx", nodes, ["batch", 3, 8, 8], 5, {"w": weights, "b": bias})
    return tax, model


@pytest.fixture
def bright(tmp_path):
    """An almost white picture."""
    from PIL import Image

    path = tmp_path / "bright.png"
    Image.fromarray(np.full((20, 30, 3), 230, np.uint8)).save(path)
    return path


def own_model(page, taxonomy, *files):
    """Choose a model and a taxonomy of one's own."""
    page.get_by_text("My own ONNX model").click()
    page.get_by_text("Another taxonomy", exact=True).click()
    upload(page, own_taxonomy=taxonomy, own_model=list(files))


def answer_of(page):
    """What the page says that the model answers."""
    return page.get_by_text(re.compile("^Answer: ")).inner_text()


@pytest.mark.long
def test_a_foreign_model_is_asked_about_and_answers(open_page, foreign, bright):
    page = open_page("model?tree=icicle")
    heading(page, "Model")
    own_model(page, *foreign)
    asked = page.locator(".st-key-questions")
    asked.wait_for()
    expect(asked).to_contain_text("What are the class names of the 5 output columns, in order?")
    expect(asked).to_contain_text("Which range of pixel values does the model expect?")
    expect(page.locator(".stVegaLiteChart")).to_have_count(0)

    # A name that is not in the taxonomy is answered with what is wrong.
    names = page.get_by_role("textbox", name="One name per line")
    names.fill("\n".join(["blakc", *NAMES[1:]]))
    page.get_by_role("button", name="Use these names").click()
    expect(asked.get_by_test_id("stAlert")).to_contain_text("Did you mean 'black'?")
    names.fill("\n".join(NAMES))
    page.get_by_role("button", name="Use these names").click()
    page.get_by_text("5 of 5 columns are classes of the taxonomy").wait_for()
    quiet(page)
    page.get_by_text("0 to 1", exact=True).click()
    page.get_by_text("Your answers about the model").wait_for()

    upload(page, sample=bright)
    page.locator(".stVegaLiteChart svg.marks").first.wait_for()
    # 230 / 255 * 18 - 9 = 7.235 against -7.235 and three zeros, in softmax.
    p = np.exp(7.235) / (np.exp(7.235) + np.exp(-7.235) + 3)
    expect(page.get_by_test_id("stMain")).to_contain_text(f"The answer is white (p = {p:.3f}"[:-1])
    assert "white" in answer_of(page)
    expect(page.get_by_test_id("stMain")).to_contain_text("8 × 8 pixels with values from 0.902 to 0.902")

    # Darkened almost to black, and the answer changes; the original stays beside it.
    slider = page.get_by_role("slider", name="Darken")
    slider.focus()
    slider.press("End")
    page.get_by_text("original: white").wait_for()
    assert "Answer: black" in answer_of(page)
    expect(page.get_by_role("img", name="Model input")).to_be_visible()
    page.get_by_role("button", name="Reset").click()
    page.get_by_text(re.compile("^Answer: white$")).wait_for()

    # The account names the file, what goes in and what was matched.
    page.get_by_text("Details").click()
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("All 5 names are in the taxonomy.")
    expect(main).to_contain_text("(float32), any × 3 × 8 × 8")


@pytest.mark.long  # tests/onnx_models reads all of them
def test_hostile_files_give_one_line(open_page, server, foreign, tmp_path):
    page = open_page("model")
    heading(page, "Model")
    text, cut, outside = tmp_path / "text.onnx", tmp_path / "cut.onnx", tmp_path / "outside.onnx"
    text.write_text("<html>not a model</html>")
    cut.write_bytes(foreign[1].read_bytes()[:200])
    # Weights that are said to lie elsewhere on this machine.
    model = onnx.load(foreign[1])
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(60))
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=str(secret))
    outside.write_bytes(model.SerializeToString())
    own_model(page, foreign[0], text)
    for path, words in ((text, "web page"), (cut, "expected an ONNX model"), (outside, "outside.onnx: ")):
        if path != text:
            page.get_by_test_id("stFileUploaderDeleteBtn").last.or_(
                page.get_by_role("button", name="Remove")
            ).first.click()
            quiet(page)
            upload(page, own_model=[path])
        alert = page.get_by_test_id("stAlert").filter(has_text=path.name)
        alert.wait_for()
        said = alert.inner_text().strip().removeprefix("error").strip()
        assert words in said
        assert "\n" not in said
        assert "Traceback" not in page.locator("body").inner_text()
        if path == text:  # what the page itself imports at its first upload is in memory now
            memory = psutil.Process(server.streamlit().pid).memory_info().rss
    page.goto(page.url)
    ready(page)
    heading(page, "Model")
    assert psutil.Process(server.streamlit().pid).memory_info().rss - memory < 30 << 20


@pytest.fixture
def slow(tmp_path):
    """A model of rows of three numbers that takes a second a batch, and 20,000 rows for it."""
    rng = np.random.default_rng(0)
    many = [helper.make_node("MatMul", [f"x{k}", "big"], [f"x{k + 1}"]) for k in range(150)]
    nodes = [
        helper.make_node("MatMul", ["input", "first"], ["x0"]),
        *many,
        helper.make_node("MatMul", ["x150", "last"], ["output"]),
    ]
    tensors = {
        "first": rng.normal(size=(3, 600)),
        "big": rng.normal(size=(600, 600)) / 25,
        "last": rng.normal(size=(600, 5)),
    }
    tensors = {name: one.astype(np.float32) for name, one in tensors.items()}
    model = save(tmp_path / "slow.onnx", nodes, ["batch", 3], 5, tensors)
    (tmp_path / "slow.labels.txt").write_text("\n".join(NAMES))
    rows = tmp_path / "rows.npy"
    np.save(rows, rng.normal(size=(20_000, 3)).astype(np.float32))
    return model, tmp_path / "slow.labels.txt", rows


def children(server):
    """Processes of the server that run something, by id, and the folders of their jobs."""
    return {one.pid for one in psutil.Process(server.streamlit().pid).children(recursive=True)}


@pytest.mark.long  # a bootstrap is cancelled in test_progress.py
def test_a_run_is_cancelled_and_another_one_sent(open_page, server, foreign, slow, tmp_path):
    page = open_page("model")
    heading(page, "Model")
    own_model(page, foreign[0], *slow[:2])
    page.get_by_text("5 of 5 columns are classes of the taxonomy").wait_for()
    page.get_by_role("radio", name="Batch").click()
    page.locator(".st-key-upload_run_inputs").wait_for()
    upload(page, run_inputs=slow[2])
    quiet(page)
    before = children(server)
    page.locator(".st-key-run button").click()
    page.get_by_text(re.compile("of 20,000 rows")).wait_for()
    assert children(server) - before, "no process runs the model"
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Cancelled after").wait_for()
    end = time.monotonic() + 120
    while children(server) - before and time.monotonic() < end:
        time.sleep(0.1)
    assert not children(server) - before
    expect(page.get_by_text("Ran on")).to_have_count(0)

    few = tmp_path / "few.csv"
    few.write_text("sample_id,a,b,c\n" + "".join(f"s{k},{k},1,-{k}\n" for k in range(12)))
    truth = tmp_path / "truth.csv"
    truth.write_text("sample_id,truth\n" + "".join(f"s{k},{NAMES[k % 5]}\n" for k in range(12)))
    # Streamlit loses a second file that is chosen while the first one takes another's place.
    upload(page, run_inputs=few)
    quiet(page)
    upload(page, run_truth=truth)
    quiet(page)
    page.locator(".st-key-run button").click()
    page.get_by_text("Ran on 12 samples, truth known").wait_for()
    page.get_by_role("button", name="Add to the open data").click()
    page.get_by_text("is now a model of the open data").wait_for()
    page.get_by_test_id("stMain").get_by_role("link", name="Overview").click()
    page.get_by_text("12 samples").first.wait_for()
    expect(page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    expect(page.get_by_test_id("stMain").get_by_role("emphasis").filter(has_text="slow").first).to_be_visible()
