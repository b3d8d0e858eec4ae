"""Popovers, menus and dialogs that are open while the page changes: the new page appears completely and stays."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import heading, quiet

pytestmark = [pytest.mark.browser, pytest.mark.long]

# Address and title by the label in the navigation.
PAGES = {
    "Overview": ("", "Overview"),
    "Operating curves": ("curves", "Operating curves"),
    "Compare": ("compare", "Compare"),
    "Examples": ("example", "Examples"),
    "Mistakes": ("mistakes", "Mistakes"),
    "Taxonomy": ("taxonomy", "Taxonomy"),
    "Model": ("model", "Model"),
    "Learn": ("learn", "Learn"),
    "Open files": ("open", "Open your own files"),
}
# Where more popovers stand, besides.
PARTS = {
    "curves?panel=models": "Operating curves",
    "compare?comparison=agreement": "Compare",
    "mistakes?part=matrix": "Mistakes",
    "learn?lesson=glossary": "Learn",
    "story": "Story",
}
STARTS = dict(PAGES.values()) | PARTS
# The kind of each popover of a page: of "number-exact" the first word, for numbers are defined alike; null of a hidden one.
KINDS = """all => all.map(one => {
    if (!one.checkVisibility()) return null;
    const key = [...one.closest('.stPopover, [data-testid=stPopover]')?.parentElement?.classList ?? []]
        .find(name => name.startsWith('st-key-'));
    return key?.slice(7).split('-')[0] ?? one.innerText.split('\\n')[0]; })"""


def whole(page, title):
    """The page is there, and nothing that comes later takes it away."""
    heading(page, title)
    quiet(page)
    heading(page, title)
    expect(page.get_by_text("nothing is sent anywhere")).to_be_visible()


def follow(page, label):
    """Press a link of the navigation: the page is whole, and nothing that was open is."""
    address, title = PAGES[label]
    # An open menu hides the links from the roles, but not from the mouse.
    page.get_by_test_id("stTopNavLink").filter(has_text=label).first.click()
    whole(page, title)
    assert page.url.split("?")[0].rpartition("/")[2] == address
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)


def open_popover(page, button):
    button.click()
    page.get_by_test_id("stPopoverBody").wait_for()
    quiet(page)


def open_save(page):
    open_popover(page, page.locator(".st-key-save-menu").get_by_role("button").first)
    page.get_by_test_id("stPopoverBody").get_by_text("What to save").wait_for()


def test_the_menu_save_is_open_while_a_page_is_opened(open_page):
    """And while the browser goes back, one step for each page: Save belongs to all pages, and stays open until it is closed."""
    page = open_page("learn", new=True)
    titles = ["Learn"]
    for label in PAGES:
        open_save(page)
        follow(page, label)
        titles.append(PAGES[label][1])
    for title in reversed(titles[:-1]):
        open_save(page)
        page.go_back()
        whole(page, title)
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
        whole(page, title)


@pytest.fixture(scope="module")
def met():
    """Titles of pages, and kinds of popovers that were open on them."""
    return set()


# A choice of one's own, which every page keeps; without one the Overview chooses what it recommends.
CHOSEN = "model=flat-softmax&threshold=0.6"


@pytest.mark.parametrize("start", STARTS)
def test_every_popover_is_open_while_every_page_is_opened(open_page, met, start):
    """Once for each kind on a page: links to every page for the first, to one in turn for others, and one step back.

    Save, which is on all, has its own test.
    """
    page = open_page(f"{start}{'&' if '?' in start else '?'}{CHOSEN}", new=True)
    whole(page, STARTS[start])
    buttons = page.get_by_test_id("stPopoverButton")
    kinds, home = buttons.evaluate_all(KINDS), page.url
    # The page itself comes first, for another one is to be ahead in the history at the end.
    (own, *others) = sorted(PAGES.items(), key=lambda one: one[1][1] != STARTS[start])
    for place, kind in enumerate(kinds):
        if kind in (None, "save") or (STARTS[start], kind) in met:
            continue
        is_first = not any(of == STARTS[start] for of, _ in met)
        met.add((STARTS[start], kind))
        for label, (_, title) in [own, *others] if is_first else [own, others[len(met) % len(others)]]:
            open_popover(page, buttons.nth(place))
            follow(page, label)
            if title != STARTS[start]:
                page.go_back()
            elif page.url != home:
                page.goto(home)
            whole(page, STARTS[start])
            assert page.url == home
            expect(buttons).to_have_count(len(kinds))
        open_popover(page, buttons.nth(place))
        page.go_forward()
        whole(page, title)
        expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
        page.go_back()
        whole(page, STARTS[start])


def test_a_dialog_is_open_while_the_browser_goes_back(open_page):
    page = open_page("mistakes", new=True)
    follow(page, "Operating curves")
    page.locator(".st-key-copy-link").get_by_role("button").first.click()
    page.get_by_role("button", name=re.compile("as a file")).click()
    page.get_by_test_id("stDialog").wait_for()
    quiet(page)
    page.go_back()
    heading(page, "Mistakes")
    quiet(page)
    heading(page, "Mistakes")
    expect(page.get_by_test_id("stDialog")).to_have_count(0)
    expect(page.get_by_text("nothing is sent anywhere")).to_be_visible()


@pytest.mark.parametrize("start", ["curves", "compare", "taxonomy"])
def test_the_menu_of_a_choice_is_open_while_the_page_changes(open_page, start):
    """By a link, and by the buttons of the browser, which close nothing."""
    page = open_page("mistakes", new=True)
    label = next(label for label, (address, _) in PAGES.items() if address == start)
    follow(page, label)
    menu = page.get_by_test_id("stSelectboxVirtualDropdown")
    for leave, title in (
        (page.go_back, "Mistakes"),
        (page.go_forward, STARTS[start]),
        (lambda: follow(page, "Learn"), "Learn"),
    ):
        page.get_by_test_id("stSelectbox").get_by_role("combobox").filter(visible=True).first.click()
        menu.wait_for()
        leave()
        whole(page, title)
        expect(menu).to_have_count(0)


def test_the_menu_of_pages_is_open_while_the_page_changes(open_page):
    """On a narrow window: a link in it closes it, the button Back of the browser changes the page below it."""
    page = open_page("learn", new=True, size=(390, 844))
    is_open = page.get_by_test_id("stSidebarCollapseButton")
    titles = ["Learn"]
    for label in PAGES:
        page.get_by_test_id("stExpandSidebarButton").click()
        page.get_by_test_id("stSidebarNavLink").filter(has_text=label).click()
        titles.append(PAGES[label][1])
        whole(page, titles[-1])
        expect(is_open).to_have_count(0)
    for title in reversed(titles[:-1]):
        page.get_by_test_id("stExpandSidebarButton").click()
        expect(is_open).to_have_count(1)
        page.go_back()
        whole(page, title)
        is_open.get_by_role("button").click()
        expect(is_open).to_have_count(0)
        whole(page, title)
