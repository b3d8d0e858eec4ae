"""Ten questions of a first visit: each is answered from the Overview of the demo in at most three clicks.

The ways are those that a visitor finds on the screen; a click on a file dialog's own buttons is not one of the page.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import quiet

pytestmark = [pytest.mark.browser, pytest.mark.long]

MOST = 3


class Visit:
    """A visit that counts its clicks."""

    def __init__(self, page):
        self.page, self.clicks = page, 0
        self.main = page.get_by_test_id("stMain")

    def click(self, where):
        quiet(self.page)
        where.click()
        self.clicks += 1
        quiet(self.page)

    def link(self, name):
        self.click(self.page.get_by_role("link", name=name).first)

    def reads(self, text):
        expect(self.main).to_contain_text(re.compile(text, re.DOTALL))


def which_model_at_95_percent_correct(visit, tmp_path):
    visit.reads("With at least 95 % of the answers correct, the most specific model is Soft-max margin, at τ = 0.709")
    expect(visit.page.get_by_text("the most specific model is")).to_be_in_viewport()


def what_it_costs_in_specificity(visit, tmp_path):
    visit.reads(
        r"Cost in specificity: 13\.3 points: the answers contain 71\.6 % of the information .* instead of 84\.9 % without a "
        r"threshold .* 17\.5 points more answers are correct: 95\.0 % instead of 77\.5 %"
    )
    expect(visit.page.get_by_text("Cost in specificity")).to_be_in_viewport()


def worst_mistake(visit, tmp_path):
    visit.reads(
        "Worst mistakes of Soft-max margin, threshold τ = 0.709.*rowing boat → airship.*motor vessel → road vehicle"
    )
    expect(visit.page.get_by_role("link", name="rowing boat → airship")).to_be_in_viewport()


def why_it_stopped_there(visit, tmp_path):
    # The picture is part of the card, which is pressed as a whole.
    visit.click(visit.page.locator(".st-key-card-1 img"))
    visit.reads(r"Stops at road vehicle \(p = 0\.956\): the next class, two-wheeler, has 0\.555, not above τ")


def worst_subtree(visit, tmp_path):
    visit.reads(
        r"Worst subtree: land vehicle, 19 of 330 wrong \(5\.8 %\), 2\.5 more than expected: not clearly worse than the rest"
    )
    expect(visit.page.get_by_text("Worst subtree")).to_be_in_viewport()
    visit.link("Its samples")
    visit.reads("1 of 19")


def unusual_settings(visit, tmp_path):
    visit.reads(
        r"unusual_setting = yes is clearly worse than the rest:.*19 of 126 wrong \(15\.1 %\), 12\.7 more than expected.*"
        r"The rest: 2\.3 %"
    )


def is_one_model_better(visit, tmp_path):
    visit.link("Is Flat softmax clearly better than Soft-max margin?")
    visit.reads("No clear difference between Flat softmax and Soft-max margin, over all thresholds: AC 0.836")
    assert visit.main.get_by_text("No clear difference").first.bounding_box()["y"] < 400


def how_a_win_is_computed(visit, tmp_path):
    visit.link("rowing boat → airship")
    expect(visit.page.get_by_text("1/2 × 0.0022 = 0.0011")).to_be_in_viewport()
    visit.click(visit.page.get_by_text("Win, paths and metrics of this answer"))
    visit.click(visit.page.get_by_role("button", name=re.compile("^Hierarchical win")).first)
    expect(visit.page.get_by_text("1/2 × 0.00216").first).to_be_visible()


def my_files(visit, tmp_path):
    (tmp_path / "plants.csv").write_text("parent,child\nplant,tree\ntree,beech\ntree,lime\nplant,moss\n")
    rows = "".join(
        f"leaf-{k},{truth},{p}\n" for k, (truth, p) in enumerate([("beech", "0.7,0.2,0.1"), ("moss", "0,1,0")])
    )
    (tmp_path / "model.csv").write_text(f"sample_id,truth,beech,lime,moss\n{rows}")
    visit.link("Open files")
    with visit.page.expect_file_chooser() as chooser:
        visit.click(visit.page.locator(".st-key-upload_all").get_by_test_id("stBaseButton-secondary"))
    chooser.value.set_files([str(tmp_path / name) for name in ("plants.csv", "model.csv")])
    expect(visit.page.get_by_text("Taxonomy: plants.csv; Predictions: model.csv")).to_be_in_viewport()
    visit.click(visit.page.locator("[data-testid=stBaseButton-primary]").filter(has_text=re.compile("Open$")))
    visit.reads(
        r"Opened: the taxonomy as edge list; model as wide scores .*; truth of 2 of 2 samples from model\.csv.*on 2 samples"
    )


def send_this_view(visit, tmp_path):
    visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.click(visit.page.get_by_role("button", name="Copy link"))
    expect(visit.page.get_by_role("button", name="Link copied")).to_be_visible()
    expect(visit.page.get_by_text("opens on this machine only")).to_be_visible()
    assert visit.page.evaluate("navigator.clipboard.readText()") == visit.page.url
    visit.click(visit.page.get_by_role("button", name="Save this view as a file"))
    with visit.page.expect_download() as file:
        visit.click(visit.page.get_by_role("button", name=re.compile(r"Save demo-drawn-vehicles-overview\.html")))
    file.value.save_as(tmp_path / "view.html")
    assert "<h2>Overview</h2>" in (tmp_path / "view.html").read_text("utf-8")


QUESTIONS = (
    which_model_at_95_percent_correct,
    what_it_costs_in_specificity,
    worst_mistake,
    why_it_stopped_there,
    worst_subtree,
    unusual_settings,
    is_one_model_better,
    how_a_win_is_computed,
    my_files,
    send_this_view,
)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.__name__)
def test_question(open_page, tmp_path, question):
    page = open_page("", new=True)
    quiet(page)
    visit = Visit(page)
    question(visit, tmp_path)
    assert visit.clicks <= MOST
