"""What a page still has of the part that was left is not seen under the next one."""

import pytest

from hierviz.app.widgets.shell import FORMER
from tests.browser.conftest import quiet, ready

pytestmark = pytest.mark.browser

# Watches each frame: whether former parts are hidden, and what is seen of them below the title.
WATCH = """() => {
    const below = ":has(> .st-key-title-row) ~ ";
    window.hides = () => [...document.querySelectorAll("style")].some(one => one.textContent.startsWith(below));
    window.former = [];
    const look = () => {
        const stale = [...document.querySelectorAll(`${below}[data-stale=true], ${below}* [data-stale=true]`)];
        if (hides()) former.push(stale.filter(one => one.checkVisibility()).length);
        requestAnimationFrame(look);
    };
    look();
}"""


@pytest.mark.long
def test_a_part_that_was_left_is_hidden_at_once(open_page):
    """Nothing of the difference tree is seen while the server makes the next part, and the rule ends with it."""
    page, sent = open_page("compare?comparison=pair&contrast=tree", new=True), []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda frame: FORMER.encode() in frame and sent.append(1)),
    )
    page.reload()
    ready(page)
    page.locator("[data-hierviz=zoom]").wait_for()
    quiet(page)
    page.evaluate(WATCH)
    assert not sent
    page.get_by_role("radio", name="Ranks", exact=True).click()
    page.wait_for_function("() => !document.querySelector('[data-hierviz=zoom]')")
    quiet(page)
    # Of a quick server the browser may hear of the end of the run together with its start, and never has the rule.
    assert len(sent) == 1
    assert set(page.evaluate("() => former")) <= {0}
    # With the next press in the same part all of it is stale, and stays.
    assert not page.evaluate("() => hides()")
