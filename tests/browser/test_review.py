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


# Keys between which no time passes; what the sign says then, and whether it covers a button.
AT_ONCE = """(keys) => {
  for (const key of keys) for (const type of ["keydown", "keyup"]) document.body.dispatchEvent(new KeyboardEvent(type,
    {key, code: `Key${key.toUpperCase()}`, keyCode: key.toUpperCase().charCodeAt(0), bubbles: true, cancelable: true}));
  const sign = [...document.querySelectorAll(".st-key-sample-keys *")]
    .map((one) => one.shadowRoot?.querySelector("[role=status]")).find(Boolean);
  const {top, bottom, left, right, width} = sign.getBoundingClientRect();
  const buttons = [...document.querySelectorAll("button")].map((one) => one.getBoundingClientRect());
  const covers = buttons.some((one) => one.width && one.top < bottom && one.bottom > top && one.left < right && one.right > left);
  return [sign.textContent, width > 0, covers];
}"""


@pytest.mark.parametrize("size", [(1440, 900), pytest.param((390, 844), marks=pytest.mark.long)])
def test_a_key_that_comes_too_early_is_said(open_page, size):
    """Of several keys the first counts, whatever they are: verdicts, which are kept, and Undo; none is kept at the end."""
    page = open_page("mistakes?part=review", size=size, new=True)
    for keys, n in (("wwwwww", 1), ("wu", 2), ("uw", 1), ("uu", 0)):
        quiet(page)
        page.locator("[class*=st-key-say-]").filter(visible=True).last.scroll_into_view_if_needed()
        said = ["That key was not counted: the next sample was not there yet.", True, False]
        assert page.evaluate(AT_ONCE, keys) == said
        reviewed(page, n)
        expect(page.get_by_text("That key was not counted")).to_be_hidden()


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
