"""Save, This view: the file has what the page shows, for every page and every part of one: marks, texts, rows and sentences."""

import base64
import gzip
import html
import json
import re

import pyarrow as pa
import pytest
from visit import Visit

from hierviz.reports.view_file import view_file
from hierviz.reports.view_pages import ASPECTS, COMPARISONS, CONTRASTS, PARTS
from tests.reports.report_cases import numbers_of

# Names of data are their hashes, and Altair counts views, which the page tells apart by the chart they are in.
NAMES = re.compile(r'"([0-9a-f]{32}|view_[0-9a-f_]+)"')
VIEWS = [
    ("overview", {}),
    ("overview", {"threshold": "0.7", "under": "aircraft"}),
    ("curves", {"threshold": "0.7", "drawn": "levels,whole"}),
    ("curves", {"panel": "models", "axes": "threshold-correct"}),
    *(("compare", {"comparison": part}) for part in COMPARISONS if part not in ("pair", "second")),
    *(("compare", {"comparison": "pair", "contrast": contrast, "under": "watercraft"}) for contrast in CONTRASTS),
    ("example", {"sample": "v0428", "rule": "majority"}),
    *(("example", {"tree": tree, "sample": "v0428"}) for tree in ("icicle", "node-link", "list")),
    *(("mistakes", {"part": part, "rule": "majority", "under": "aircraft"}) for part in PARTS),
    *(("taxonomy", {"aspect": aspect, "under": "aircraft"}) for aspect in ASPECTS),
]


def specs_of_page(visit):
    """Vega-Lite of every chart of a page, data by name left out, and the rows of its data: list of (text, numbers of rows)."""
    found = []
    for chart in visit.at.get("vega_lite_chart") + visit.at.get("arrow_vega_lite_chart"):
        rows = sorted(pa.ipc.open_stream(one.data.data).read_all().num_rows for one in chart.proto.datasets)
        spec = json.loads(chart.proto.spec)
        for layout in ("autosize", "datasets"):
            spec.pop(layout, None)
        found.append((without_names(spec), rows))
    return found


def drawings_of(made):
    """What the browser unpacks of a file, one dict a drawing."""
    texts = re.findall(r'<script type="text/plain" id="packed-[^"]*">(.*?)</script>', made)
    return [json.loads(gzip.decompress(base64.b64decode(text))) for text in texts]


def specs_of_file(made):
    """The same of the drawings of a file, in the light theme and as wide as on the page."""
    found = []
    for packed in drawings_of(made):
        if "specs" not in packed:
            continue
        spec = dict(packed["specs"]["light-wide"])
        # Tables of one look; rows that a chart holds itself have a name, too.
        written = json.dumps(spec)
        rows = sorted(len(table) for name, table in packed["data"].items() if f'"name": "{name}"' in written)
        spec.pop("autosize", None)
        found.append((without_names(spec), rows))
    return found


def without_names(spec):
    return NAMES.sub('""', json.dumps(spec, sort_keys=True))


def difference(chart, others):
    """Where a chart begins to differ from the one that is most like it, and the numbers of rows of both."""
    spec, rows = chart

    def same(other):
        return next((place for place, (a, b) in enumerate(zip(spec, other[0], strict=False)) if a != b), len(spec))

    nearest = max(others, key=same, default=("", []))
    at = same(nearest)
    return f"{spec[max(at - 80, 0) : at + 120]} - {nearest[0][max(at - 80, 0) : at + 120]} - {rows} - {nearest[1]}"


def file_of(visit):
    """The file that the button of the menu makes."""
    visit.press("Make the file")
    return visit.memory("save")["view made"][1]


@pytest.mark.long
@pytest.mark.parametrize(
    ("page", "query"), VIEWS, ids=lambda one: "-".join(one.values()) if isinstance(one, dict) else one
)
def test_the_file_has_what_the_page_shows(demo, page, query):
    visit = Visit(page, **query)
    charts, tables = specs_of_page(visit), [one.value for one in visit.at.dataframe]
    alts = [html.escape(one) for one in sentences(visit)]
    made = file_of(visit)
    in_file = specs_of_file(made)
    # Every chart, with the same marks, texts, scales and as many rows.
    for chart in charts:
        assert chart in in_file, difference(chart, in_file)
    # What is zoomed into, at the same class.
    zooms = [(one["zoom"], one["start"]) for one in drawings_of(made) if "zoom" in one]
    assert zooms == ([(visit.zoom["record"], visit.zoom["name"])] if visit.zoom else [])
    assert made.count('<div data-zoom="') == len(zooms)
    for words in alts:
        assert words in made
    # Cells of the tables that the page declares; those of the popovers are the tables of the figures.
    for table in tables:
        if " " in table:
            continue  # the list in the drawer of samples
        for value in [one for one in table.iloc[0].tolist() if isinstance(one, str) and one][:3]:
            assert html.escape(value) in made, (list(table), value)
    assert made.count('class="ladder"') == (page == "example" and "tree" not in query) + (query.get("part") == "review")
    assert numbers_of(made)["command"].startswith("hierviz report --demo vehicles")


@pytest.mark.long
def test_the_command_keeps_the_map_of_the_confidence(demo):
    made = file_of(Visit("mistakes", model="flat-softmax", confidence="isotonic"))
    assert "calibrated by isotonic regression on held-out folds; node probabilities unchanged." in made
    command = numbers_of(made)["command"]
    assert "--confidence-map isotonic" in command
    assert "&confidence=isotonic" in command
    assert "--confidence-map" not in numbers_of(file_of(Visit("mistakes", model="flat-softmax")))["command"]


def sentences(visit):
    return [one.proto.alt for one in visit.at.get("vega_lite_chart") if getattr(one.proto, "alt", "")]


def test_a_file_of_nothing():
    made = view_file("<b>", ["Heading & more", "one"], [])
    assert "<h2>Heading &amp; more</h2>" in made
    assert "<title>&lt;b&gt;</title>" in made


def test_the_heading_names_the_sample_that_is_shown(demo):
    """Also where the address names none."""
    visit = Visit("example")
    made = file_of(visit)
    # The sample with the largest mistake is the first.
    assert "Sample v0428, Flat softmax: truth motor vessel, " in made
    assert "Sample –" not in made


def test_tables_of_a_model_and_the_sample_before_it_looks_are_in_the_file():
    visit = Visit("model")
    visit.control("Section").set_value("about")
    visit.run()
    columns = next(one.value for one in visit.at.dataframe if "name in the model" in one.value.columns)
    made = file_of(visit)
    assert ">name in the model</th>" in made
    for name in columns["name in the model"].tolist()[:3]:
        assert f">{html.escape(name)}</td>" in made
    made = file_of(Visit("example", tree="looks", sample="v0428"))
    assert 'class="story-mistakes"' in made
    assert "Sample v0428</span>" in made
