"""Names outside the taxonomy mapped in a browser: where the question is asked, on the page afterwards, and in the saved file."""

import pytest
from playwright.sync_api import expect

import hierviz as hv
from tests.browser.conftest import heading, quiet, upload

pytestmark = pytest.mark.browser

TAXONOMY = "parent,child\nanimal,mammal\nmammal,cat\nmammal,dog\nanimal,bird\nbird,goldfinch\nbird,swan\n"
# Of ten answers one is misspelt and one is of no taxonomy.
GIVEN = ["cat", "dog", "goldfinch", "swan", "unicorn", "cat", "dog", "goldfnch", "goldfinch", "mammal"]
TRUTH = ["cat", "dog", "goldfinch", "swan", "swan", "dog", "dog", "goldfinch", "swan", "cat"]
NEAREST = "Map names to the nearest class; the others are wrong"
# The cell that the keyboard is on, "column-row".
AT = """() => [...document.querySelectorAll("[role=gridcell][aria-selected=true]")]
    .map(cell => cell.id.replace("glide-cell-", ""))[0]"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "animals.csv").write_text(TAXONOMY)
    rows = [f"s{k},{TRUTH[k % 10]},{GIVEN[k % 10]}" for k in range(40)]
    (tmp_path / "labels.csv").write_text("\n".join(["sample_id,truth,predicted", *rows]) + "\n")
    return tmp_path


def cell(place, column, row):
    """A cell of the table in a place of the page."""
    return place.get_by_test_id("stDataFrame").locator(f"[id='glide-cell-{column}-{row}']")


def class_of(place, given):
    """The cell with the class that a name is mapped to."""
    cell(place, 0, 1).wait_for(state="attached")
    return cell(place, 1, [cell(place, 0, row).text_content() for row in range(2)].index(given))


def choose(page, place, given, name):
    """Go to the class of a name by keys, open its list and choose another one."""
    grid, target = place.get_by_test_id("stDataFrame"), class_of(place, given)
    row = int(target.get_attribute("id").rpartition("-")[2])
    grid.scroll_into_view_if_needed()
    quiet(page)
    box = grid.bounding_box()
    page.mouse.click(box["x"] + 40, box["y"] + 52)
    page.wait_for_function(AT)
    for _ in range(10):
        at = [int(part) for part in page.evaluate(AT).split("-")]
        if at == [1, row]:
            break
        page.keyboard.press("ArrowRight" if at[0] < 1 else "ArrowDown" if at[1] < row else "ArrowUp")
        page.wait_for_function(f"before => ({AT})() !== before", arg="-".join(map(str, at)))
    page.keyboard.press("Enter")
    page.locator("#portal input").first.wait_for()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(target).to_have_text(name)
    quiet(page)


def test_a_mapping_is_changed_used_saved_and_read_again(open_page, files, tmp_path):
    page = open_page("open")
    upload(page, taxonomy=files / "animals.csv", predictions=files / "labels.csv")
    page.get_by_role("button", name="Open", exact=True).click()
    # The table is where the question is.
    page.get_by_text("What do answers outside the taxonomy count as?").wait_for()
    expect(page.get_by_text("1 of 2 names outside the taxonomy is mapped to a class")).to_be_visible()
    question = page.get_by_test_id("stForm")
    expect(class_of(question, "goldfnch")).to_have_text("goldfinch")
    expect(class_of(question, "unicorn")).to_have_text("(no class)")
    choose(page, question, "unicorn", "swan")
    page.get_by_role("button", name=NEAREST).click()
    heading(page, "Overview")
    line = page.locator(".st-key-outside-line")
    expect(line).to_contain_text("20.0 % of answers mapped")

    page.get_by_role("button", name="Review the mapping").click()
    heading(page, "Open your own files")
    page.get_by_text("Change what a name is mapped to").wait_for()
    review = page.get_by_test_id("stExpander").filter(has_text="outside the taxonomy are mapped")
    expect(class_of(review, "unicorn")).to_have_text("swan")
    expect(page.get_by_role("button", name="Open again with these changes")).to_be_disabled()
    choose(page, review, "goldfnch", "(no class)")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save the mapping").click()
    waiting.value.save_as(tmp_path / "mapping.csv")
    before = page.url
    page.get_by_role("button", name="Open again with these changes").click()
    page.wait_for_function("before => location.href !== before", arg=before)
    expect(line).to_contain_text("4 (10.0 %) of 40 samples answered outside the taxonomy")
    expect(line).to_contain_text("10.0 % of answers mapped to another name")
    # The saved file does the same elsewhere.
    taxonomy = hv.load_taxonomy(files / "animals.csv")
    found = hv.load_predictions(
        files / "labels.csv", taxonomy, outside="nearest", mapping=hv.load_mapping(tmp_path / "mapping.csv", taxonomy)
    )
    assert found.outside["answers"].mapped == {"unicorn": taxonomy.node("swan")}
    assert dict(found.outside["answers"].left) == {"goldfnch": 4}
