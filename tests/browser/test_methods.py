"""Many files of few methods, uploaded at once, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import quiet, upload
from tests.browser.test_open import SCORES, TAXONOMY, TRUTH, press_open, write

pytestmark = pytest.mark.browser


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
    assert "Opened. The files were read as follows" in press_open(page)
    expect(page.get_by_test_id("stMain")).to_contain_text("method0 · seed0")
    page.get_by_role("link", name="Go to Overview").click()
    expect(page.get_by_test_id("stMain")).to_contain_text("(8 methods with their runs)")
    expect(page.get_by_test_id("stMain")).to_contain_text("method0 (5 runs)")
    page.get_by_role("link", name="Operating curves", exact=True).first.click()
    expect(page.get_by_test_id("stMain")).to_contain_text("the line is the mean over the runs at each threshold")
    page.locator(".stVegaLiteChart svg.marks").first.wait_for()
    quiet(page)
    # Each method at its own threshold, by one button.
    page.get_by_role("button", name="Use all, each model with its own").click()
    page.wait_for_function("() => new URL(location).searchParams.has('thresholds')")
