"""What the browser does without the server: the menu of pages on narrow windows closes, a dismissed greeting is remembered."""

from __future__ import annotations

from hierviz.app import state
from hierviz.app.state.components import component


def browser_part():
    """Draw the part, which is not seen; the first thing of a page that stays when pages change."""
    component(__file__, "browser_part")(
        key="browser-part", data={"greeted": state.GREETED if state.is_hint_read() else ""}
    )
