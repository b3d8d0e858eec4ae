"""The bounds of the demo at k = 1, 3 and 5: the figures of docs/top-k.md, and how they shrink."""

import re
from pathlib import Path

import pytest

from benchmarks.top_k_widths import KS, widths
from hierviz.demo import load_demo

DOCS = Path(__file__).parents[2] / "docs" / "top-k.md"


@pytest.fixture(scope="module")
def found():
    pytest.importorskip("onnxruntime")
    _, (predictions,) = load_demo(models=("flat_softmax",))
    return widths(predictions)


def test_bounds_hold_the_numbers_and_shrink(found):
    for name, (value, pairs) in found.items():
        for k in KS:
            assert pairs[k][0] - 1e-9 <= value <= pairs[k][1] + 1e-9, name
        spans = [pairs[k][1] - pairs[k][0] for k in KS]
        assert spans == sorted(spans, reverse=True), name


def test_the_documented_figures(found):
    """Rows of the table of docs/top-k.md: number, value of all scores, and bounds for each k."""
    rows = dict(re.findall(r"^\| `([a-z_.0-9]+)` \| (.*) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE))
    assert rows
    for name, cells in rows.items():
        value, pairs = found[tuple(name.split("."))]
        shown = [f"{value:.3f}", *(f"{low:.3f} to {high:.3f}" for low, high in pairs.values())]
        # Models may differ in the last digit from processor to processor.
        numbers, mine = (re.findall(r"\d\.\d+", " ".join(texts)) for texts in (cells.split("|"), shown))
        assert [float(text) for text in numbers] == pytest.approx([float(text) for text in mine], abs=2e-3), name
