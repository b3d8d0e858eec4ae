"""A queue of fifty samples gone through by keys, kept over a reload, exported and evaluated."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

import hierviz as hv
from hierviz.cli import main
from hierviz.demo import load_demo
from hierviz.diagnosis import review_queue
from hierviz.evaluation import judged_answers
from tests.browser.conftest import quiet, ready

pytestmark = pytest.mark.browser
N = 50
# Of every four samples: what is pressed, and what that says.
KEYS = {"w": "wrong_label", "a": "acceptable", "m": "model_wrong"}
PRESSED = "wamm"


def reviewed(page, n):
    expect(page.get_by_text(f"{n} of {N} reviewed")).to_be_visible()


def test_each_press_leads_to_the_next_sample(open_page):
    page = open_page("mistakes?part=review")
    place = 1
    for press, by in (("ArrowRight", 1), ("j", 1), ("k", -1), ("Next", 1), ("ArrowLeft", -1), ("Previous", -1)):
        quiet(page)
        place += by
        if press in ("Next", "Previous"):
            page.locator(f".st-key-{press.lower()}-sample button").filter(visible=True).click()
        else:
            page.keyboard.press(press)
        expect(page.get_by_text(f"{place} of {N}", exact=True)).to_be_visible()


COUNTED = """() => { window.counted = 0; addEventListener("keydown", () => window.counted++); }"""
COVERS_NONE = """() => { const sign = [...document.querySelectorAll(".st-key-sample-keys *")]
    .map((one) => one.shadowRoot?.querySelector("[role=status]")).find(Boolean).getBoundingClientRect();
    const buttons = [...document.querySelectorAll("button")].map((one) => one.getBoundingClientRect());
    return sign.width > 0 && !buttons.some((one) => one.width && one.top < sign.bottom && one.bottom > sign.top
        && one.left < sign.right && one.right > sign.left); }"""


@pytest.mark.parametrize("size", [(1440, 900), pytest.param((390, 844), marks=pytest.mark.long)])
def test_a_key_that_comes_too_early_is_said(open_page, size):
    page = open_page("mistakes?part=review", size=size, new=True)
    quiet(page)
    page.evaluate(COUNTED)
    n = 0
    for keys in ("wwwwww", "wu", "uw", "uu"):
        page.evaluate("window.counted = 0")
        page.locator("[class*=st-key-say-]").filter(visible=True).last.scroll_into_view_if_needed()
        for key in keys:
            page.keyboard.press(key)
        expect(page.get_by_text("That key was not counted: the next sample was not there yet.")).to_be_visible()
        page.wait_for_function(COVERS_NONE)
        # All that was not said to be lost is there.
        counted = page.evaluate("window.counted")
        assert 0 < counted < len(keys)
        quiet(page)
        n += counted if keys[0] == "w" else -counted
        reviewed(page, n)
        expect(page.get_by_text("That key was not counted")).to_be_hidden()
    # Verdicts are kept on this machine: the next test begins without.
    for left in reversed(range(n)):
        page.keyboard.press("u")
        quiet(page)
        reviewed(page, left)


@pytest.mark.long
def test_a_queue_by_keys(open_page, tmp_path, capsys, monkeypatch):
    taxonomy, predictions = load_demo()
    model = predictions[0]
    answers = judged_answers(model)
    queue = [model.sample_id(int(row)) for row in review_queue(answers, "labels", most=N)]
    page = open_page("mistakes?part=review&rule=majority", new=True)
    quiet(page)
    reviewed(page, 0)
    for key, label in (("W", "Wrong label"), ("A", "Acceptable"), ("M", "Model wrong"), ("U", "Undo")):
        expect(page.get_by_role("button", name=label)).to_contain_text(key)
    for place, sample in enumerate(queue):
        expect(page.get_by_text(f"Sample {sample}", exact=True)).to_be_visible()
        if place == 3:
            # A note: letters that are keys are letters there, and Enter keeps it.
            page.keyboard.press("n")
            # Those of former samples may still be there, hidden.
            note = page.get_by_placeholder("Note (key N").filter(visible=True)
            expect(note).to_be_focused()
            page.keyboard.type("wamu: a sail, maybe")
            expect(note).to_have_value("wamu: a sail, maybe")
            page.keyboard.press("Enter")
            quiet(page)
            reviewed(page, place)
        if place == 1:
            # Two at once: the second is a verdict on no sample, and a sign says so.
            page.keyboard.type(2 * PRESSED[1])
            expect(page.get_by_text("That key was not counted")).to_be_visible()
        else:
            page.keyboard.press(PRESSED[place % 4])
        if place < N - 1:
            page.wait_for_url(f"**sample={queue[place + 1]}*")
        reviewed(page, place + 1)
    # The last one once more.
    quiet(page)
    page.keyboard.press("u")
    reviewed(page, N - 1)
    expect(page.get_by_text(f"Sample {queue[-1]}", exact=True)).to_be_visible()
    quiet(page)
    page.keyboard.press("m")
    reviewed(page, N)
    page.reload()
    ready(page)
    quiet(page)
    reviewed(page, N)
    with page.expect_download() as download:
        page.get_by_role("button", name="Export", exact=True).click()
    path = tmp_path / "review.csv"
    path.write_bytes(Path(download.value.path()).read_bytes())
    review = hv.load_review(path, taxonomy)
    verdicts = [KEYS[PRESSED[place % 4]] for place in range(N - 1)] + ["model_wrong"]
    assert [(row.sample_id, row.verdict) for row in review.rows] == list(zip(queue, verdicts, strict=True))
    assert [row.note for row in review.rows if row.note] == ["wamu: a sail, maybe"]
    # The command says what follows: every accepted answer is wrong without the review and exact with it.
    found = hv.evaluation.reviewed_numbers(model, review)
    before = hv.evaluate(model)["models"][0]["predicted"]
    n = {verdict: verdicts.count(verdict) for verdict in KEYS.values()}
    assert (found["n_wrong_label"], found["n_accepted"]) == (n["wrong_label"], n["acceptable"])
    assert found["n_samples"] == answers.n_judged - n["wrong_label"]
    assert found["predicted"]["n_exact"] == before["n_exact"] + n["acceptable"]
    assert found["predicted"]["n_wrong"] == before["n_wrong"] - n["acceptable"] - n["wrong_label"]
    monkeypatch.chdir(tmp_path)
    hv.write_taxonomy(taxonomy, "tree.csv")
    hv.write_predictions(model, "model.parquet")
    truth = "\n".join(f"{sample},{taxonomy.names[node]}" for sample, node in zip(model.ids, model.truth.tolist()))
    (tmp_path / "truth.csv").write_text(f"sample_id,truth\n{truth}\n")
    files = ["--taxonomy", "tree.csv", "--predictions", "model.parquet", "--truth", "truth.csv"]
    assert main(["evaluate", *files, "--review", "review.csv"]) == 0
    entry = json.loads(capsys.readouterr().out)["models"][0]
    assert entry["review"]["predicted"] == pytest.approx(found["predicted"])
    # Read again as a filter of all pages.
    page = open_page("example?review=acceptable&rule=majority")
    quiet(page)
    expect(page.get_by_text(f"1 of {n['acceptable']}", exact=True)).to_be_visible()
