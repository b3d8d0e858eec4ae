"""How much of the first screen the main picture of each page and tab takes: of a window, of a large one, and of a phone.

The main picture is the element with `data-hierviz="main"`; `pytest tests/browser/test_first_screen.py -s` prints the table.
"""

import pytest

from tests.browser.conftest import quiet, ready

pytestmark = [pytest.mark.browser, pytest.mark.long]

WINDOW, LARGE, PHONE = (1440, 900), (1920, 1080), (390, 844)
SIZES = (WINDOW, LARGE, PHONE)
COMPARISONS = ("table", "ranks", "agreement", "groups", "classes")
PARTS = ("list", "confusions", "matrix", "slices", "labels", "review")
ASPECTS = ("table", "icicle", "treemap", "calibration", "levels")
PAGES = {
    "overview": "",
    "curves": "curves",
    **{f"compare {part}": f"compare?comparison={part}" for part in COMPARISONS},
    **{f"compare pair {kind}": f"compare?comparison=pair&contrast={kind}" for kind in ("cells", "tree", "together")},
    "compare pair sample": "compare?comparison=pair&both=v0075&cell=wrong-right",
    "example": "example",
    **{f"mistakes {part}": f"mistakes?part={part}" for part in PARTS},
    **{f"taxonomy {part}": f"taxonomy?aspect={part}" for part in ASPECTS},
    "model": "model",
}
# Exempt: Open files, the text of Learn, Second opinion of Compare. Not asserted yet: pages that are being rebuilt.
NOT_YET: set[str] = set()
# Shares of the window that a main picture takes which is not whole there, and that the three of the Overview take together.
LEAST, LEAST_OF_THREE = 0.55, 0.45
# Screens of a phone in which a main picture is whole.
SCREENS = 1.5
# Pixels above which it begins there on the pages whose controls are behind a press.
FIRST, BEGIN_FIRST = 350, ("mistakes", "taxonomy")

PICTURES = ".stVegaLiteChart svg.marks, .stDataFrame, .stImage img, [data-testid^=stBidiComponent]"
# The main pictures, else the largest of all: their places, and how much of the first screen they take.
MEASURE = """() => {
    const inside = (r) => Math.max(0, Math.min(r.right, innerWidth) - Math.max(r.left, 0))
        * Math.max(0, Math.min(r.bottom, innerHeight) - Math.max(r.top, 0));
    const parts = [...document.querySelectorAll('[data-hierviz="main"] [class*=st-key-main-part]')];
    const marked = [...document.querySelectorAll('[data-hierviz="main"]')];
    let found = parts.length ? parts : marked;
    if (!found.length) {
        const all = [...document.querySelectorAll("PICTURES")];
        const area = (one) => { const r = one.getBoundingClientRect(); return r.width * r.height; };
        found = all.filter((one) => one.checkVisibility()).sort((a, b) => area(b) - area(a)).slice(0, 1);
    }
    const places = found.map((one) => one.getBoundingClientRect());
    return {
        marked: marked.length,
        share: places.reduce((sum, r) => sum + inside(r), 0) / (innerWidth * innerHeight),
        top: Math.min(...places.map((r) => r.top)),
        bottom: Math.max(...places.map((r) => r.bottom)),
    };
}""".replace("PICTURES", PICTURES)


def measured(page, is_marked):
    """Number of marked elements, share of the first screen, top and bottom in pixels."""
    page.wait_for_selector("[data-hierviz=main]" if is_marked else PICTURES, state="attached")
    quiet(page)
    # A picture is there before it is drawn.
    page.wait_for_function(f"() => {{ const found = ({MEASURE})(); return found.bottom - found.top > 10; }}")
    return page.evaluate(MEASURE)


def printed(name, found, height):
    """A line of the table."""
    seen = f"{height - found['top']:.0f} of {found['bottom'] - found['top']:.0f} px"
    whole = "whole" if found["bottom"] <= height + 0.5 else seen
    mark = "" if found["marked"] else "  (not marked: the largest picture)"
    print(f"{name:22s} {100 * found['share']:5.1f} %  from {found['top']:5.0f} px  {whole}{mark}", flush=True)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_main_pictures_take_the_first_screen(open_page, size):
    height, failures = size[1], []
    print(f"\n{size[0]} x {size[1]}")
    page = open_page("", size=size, touch=size == PHONE)
    base = page.url.split("?")[0]
    for name, address in PAGES.items():
        page.goto(base + address)
        ready(page)
        found = measured(page, name not in NOT_YET)
        printed(name, found, height)
        if name in NOT_YET:
            continue
        if found["marked"] != 1:
            failures.append(f"{name}: {found['marked']} elements are marked")
        elif not fits(name, found, size):
            failures.append(f"{name}: {found}")
    assert not failures, "\n".join(failures)


def fits(name, found, size):
    """Whether a main picture has its place on the first screen."""
    height = size[1]
    if size == PHONE:
        # It is whole within the first screen and a half, or takes as much of that.
        if name.startswith(BEGIN_FIRST) and found["top"] >= FIRST:
            return False
        whole = found["bottom"] <= SCREENS * height
        return found["top"] < height and (whole or SCREENS * height - found["top"] >= LEAST * height)
    least = LEAST_OF_THREE if name == "overview" else LEAST
    return (name != "overview" and found["bottom"] <= height + 0.5) or found["share"] >= least
