"""Missing information of foreign models, given on the page Model: each case ends with the numbers of the command line."""

import json
import subprocess
import sys

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, Server, heading, quiet, upload

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

pytestmark = [pytest.mark.browser, pytest.mark.long]

TAXONOMY = "parent,child\nsky,day\nsky,night\nday,blue\nday,grey\nday,white\nnight,black\nnight,starry\n"
LEAVES = ("black", "blue", "grey", "starry", "white")
TRAINED = ("blue", "grey", "white", "black", "starry")  # in the order of the taxonomy


def files(folder, columns, *, labels, sigmoid=False):
    """A model of tables with these columns of scores, `labels` beside it, a table of 60 samples, and their truth."""
    rng = np.random.default_rng(14)
    truth = rng.integers(len(LEAVES), size=60)
    rows = np.eye(len(LEAVES), dtype=np.float32)[truth] + rng.normal(scale=0.35, size=(60, 5)).astype(np.float32)
    weights = np.float32([[4.0 * (leaf == column) for column in columns] for leaf in LEAVES])
    nodes = [helper.make_node("Gemm", ["features", "w", "b"], ["logits"])]
    nodes.append(helper.make_node("Sigmoid" if sigmoid else "Identity", ["logits"], ["output"]))
    graph = helper.make_graph(
        nodes,
        "foreign",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["batch", 5])],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["batch", len(columns)])],
        [
            numpy_helper.from_array(weights, "w"),
            numpy_helper.from_array(np.full(len(columns), -2, np.float32), "b"),
        ],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "sky.onnx")
    (folder / "sky.csv").write_text(TAXONOMY)
    (folder / "sky.labels.txt").write_text("".join(f"{name}\n" for name in labels))
    lines = [",".join((f"s{k}", *(f"{value:.6f}" for value in row))) for k, row in enumerate(rows)]
    (folder / "rows.csv").write_text("\n".join(["sample_id,a,b,c,d,e", *lines]) + "\n")
    lines = [f"s{k},{LEAVES[leaf]}" for k, leaf in enumerate(truth)]
    (folder / "truth.csv").write_text("\n".join(["sample_id,truth", *lines]) + "\n")
    return folder


def hierviz(*arguments):
    """Output of the command."""
    command = [sys.executable, "-m", "hierviz", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def numbers(predictions, taxonomy, truth, *flags):
    """What `hierviz evaluate` says of predictions."""
    said = ("--taxonomy", taxonomy, "--predictions", predictions, "--truth", truth, "--json", "-")
    (model,) = json.loads(hierviz("evaluate", *said, *flags))["models"]
    return {key: block for key, block in model.items() if key not in ("name", "notes")}


def choose(page, folder):
    """A model with its list of classes, and a taxonomy of its own, by upload."""
    page.get_by_text("My own ONNX model").click()
    page.get_by_text("Another taxonomy", exact=True).click()
    upload(page, own_taxonomy=folder / "sky.csv", own_model=[folder / "sky.onnx", folder / "sky.labels.txt"])


def section(page, name):
    page.get_by_role("radio", name=name, exact=True).click()
    quiet(page)


def run(page, folder=None):
    """Run on all samples."""
    section(page, "Batch")
    if folder is not None:
        upload(page, run_inputs=folder / "rows.csv")
        upload(page, run_truth=folder / "truth.csv")
    page.locator(".st-key-run button").click()


def kept(page, folder):
    """The file of predictions that the page writes after a run."""
    with page.expect_download() as found:
        page.get_by_role("button", name="Predictions as Parquet").click()
    found.value.save_as(folder / "page.parquet")
    return folder / "page.parquet"


def titles(page):
    """Titles of the open questions."""
    box = page.locator(".st-key-questions")
    expect(box).to_contain_text("Missing information about the model")
    return [one.inner_text() for one in box.locator("p > strong").all()]


def compare(page, folder, taxonomy, truth, *flags):
    """The page's predictions have the numbers of `hierviz predict` and `evaluate` told the same; returns these numbers."""
    judged = [flag for flag in flags if flag == "--only-known"]
    written = folder / "command.parquet"
    hierviz("predict", "--taxonomy", taxonomy, *flags, "--out", written)
    found = numbers(kept(page, folder), taxonomy, truth, *judged)
    assert found == numbers(written, taxonomy, truth, *judged)
    return found


CASE = ROOT / "tests" / "onnx_models" / "files" / "torch_logits_nodes"
STARTED = ("--model", CASE / "model.onnx", "--classes", CASE / "classes.txt", "--inputs", CASE / "inputs.npz")


@pytest.fixture
def dead_end(tmp_path):
    """The app, started with all but the kind of scores."""
    flags = (*STARTED, "--taxonomy", CASE.parent / "taxonomy.csv", "--truth", CASE / "truth.csv")
    found = Server(tmp_path / "log.txt", *map(str, flags))
    yield found
    found.stop()


def started_asks(page):
    heading(page, "Model")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("inputs inputs.npz, truth truth.csv, as given on the command line")
    assert titles(page) == ["What the scores are"]


def started_is_answered(page):
    page.get_by_text("Multi-label sigmoid", exact=True).click()
    page.get_by_text("Your answers about the model").wait_for()
    expect(page.locator(".st-key-questions")).to_have_count(0)
    run(page)
    page.get_by_text("Ran on 10 samples, truth known").wait_for()


def test_a_start_with_one_thing_unsaid_asks_this_one_thing(open_page, dead_end, tmp_path):
    page = open_page(base=dead_end.url)
    started_asks(page)
    started_is_answered(page)
    flags = (*STARTED, "--parametrisation", "multilabel_sigmoid")
    compare(page, tmp_path, CASE.parent / "taxonomy.csv", CASE / "truth.csv", *flags)


def wrong_order_warns(page, folder):
    heading(page, "Model")
    choose(page, folder)
    page.get_by_text("5 of 5 columns are classes of the taxonomy").wait_for()
    run(page, folder)
    page.get_by_text("Ran on 60 samples, truth known").wait_for()
    warning = page.get_by_test_id("stAlert").filter(has_text="the columns are probably in another order")
    expect(warning).to_contain_text("in the taxonomy's order")
    expect(page.get_by_test_id("stMain")).to_contain_text(
        "Correct class names and preprocessing in the section Details"
    )


def wrong_order_is_mended(page):
    section(page, "Details")
    page.get_by_role("button", name="Class names of the columns").click()
    page.get_by_role("button", name="All 5 leaf classes in the order of the taxonomy").click()
    page.get_by_text("Your answers about the model").wait_for()
    run(page)
    page.get_by_text("Ran on 60 samples, truth known").wait_for()
    expect(page.get_by_text("probably in another order")).to_have_count(0)


def test_columns_in_another_order_are_put_right(open_page, tmp_path):
    folder = files(tmp_path, TRAINED, labels=LEAVES)
    page = open_page("model", new=True)
    wrong_order_warns(page, folder)
    wrong_order_is_mended(page)
    (folder / "right.txt").write_text("".join(f"{name}\n" for name in TRAINED))
    flags = ("--model", folder / "sky.onnx", "--classes", folder / "right.txt", "--inputs", folder / "rows.csv")
    found = compare(page, folder, folder / "sky.csv", folder / "truth.csv", *flags)
    assert found["top_down"]["argmax_leaf_accuracy"] > 0.9


def sigmoids_ask(page, folder):
    heading(page, "Model")
    choose(page, folder)
    page.get_by_text("5 of 5 columns are classes of the taxonomy").wait_for()
    run(page, folder)
    assert titles(page) == ["What the scores are"]
    expect(page.get_by_text("Answer the question above, then press Run again")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(0)


def sigmoids_are_answered(page):
    page.get_by_text("Leaf sigmoids, maximum", exact=True).click()
    page.get_by_text("Your answers about the model").wait_for()
    page.locator(".st-key-run button").click()
    page.get_by_text("Ran on 60 samples, truth known").wait_for()


def test_independent_sigmoids_are_read_as_said(open_page, tmp_path):
    folder = files(tmp_path, LEAVES, labels=LEAVES, sigmoid=True)
    page = open_page("model", new=True)
    sigmoids_ask(page, folder)
    sigmoids_are_answered(page)
    flags = ("--model", folder / "sky.onnx", "--inputs", folder / "rows.csv", "--parametrisation", "leaf_sigmoid_max")
    found = compare(page, folder, folder / "sky.csv", folder / "truth.csv", *flags)
    assert found["top_down"]["argmax_leaf_accuracy"] > 0.9


KNOWN = ("grey", "black", "blue")


def part_asks(page, folder):
    heading(page, "Model")
    choose(page, folder)
    assert titles(page) == ["Classes without a score"]
    expect(page.locator(".st-key-questions")).to_contain_text("the model has no column for 2 of the 5 leaf classes")


def part_is_answered(page, folder):
    page.get_by_text("Only the classes that it knows", exact=True).click()
    page.get_by_text("Your answers about the model").wait_for()
    run(page, folder)
    page.get_by_text("Ran on 60 samples, truth known for 33").wait_for()
    page.get_by_text("Top-1 accuracy on 33 samples with known truth").wait_for()


def test_a_model_of_some_classes_is_judged_on_these(open_page, tmp_path):
    folder = files(tmp_path, KNOWN, labels=KNOWN)
    page = open_page("model", new=True)
    part_asks(page, folder)
    part_is_answered(page, folder)
    flags = ("--model", folder / "sky.onnx", "--inputs", folder / "rows.csv", "--only-known")
    found = compare(page, folder, folder / "sky.csv", folder / "truth.csv", *flags)
    assert found["top_down"]["argmax_leaf_accuracy"] > 0.9
