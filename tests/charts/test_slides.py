"""Slides: 1920 x 1080, all of the title in three lines, the drawing in its proportions, and nothing on top of each other."""

import datetime
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from chart_cases import many_curves, three_points
from PIL import Image

from hierviz import FileError, Predictions, Taxonomy
from hierviz.charts import Figure, example, operating_curves, plain_curves, slide
from hierviz.charts._slide import EDGE, HIGH, LINES, SAMPLE, TITLE, WIDE, title_lines
from hierviz.charts._text import text_width

SVG = "{http://www.w3.org/2000/svg}"


def words_of(svg):
    """Title lines and last line: (text, x, y, size) of the texts outside the drawing."""
    root = ET.fromstring(svg)
    return [
        (text.text, *(float(text.get(key).removesuffix("px")) for key in ("x", "y", "font-size")))
        for text in root.findall(f"{SVG}text")
    ]


def drawing_of(svg):
    """Place of the drawing on the slide, and its own size."""
    (inner,) = ET.fromstring(svg).findall(f"{SVG}svg")
    place = [float(inner.get(key)) for key in ("x", "y", "width", "height")]
    return place, [float(part) for part in inner.get("viewBox").split()[2:]]


SENTENCES = {
    "short": "All answers are right.",
    "two lines": "Flat softmax at τ = 0.500: 90 % of the answers are correct, 66 % exact; 2.2 % get no answer.",
    "long": "The answer is road vehicle, the truth is motor vessel. " * 7,
    "very long": "The answer is road vehicle, the truth is motor vessel. " * 30,
    "one word": "W" * 500,
    "no break": f"a {'x' * 300} b " * 3,
}


@pytest.mark.parametrize("text", SENTENCES.values(), ids=list(SENTENCES))
def test_a_title_has_three_lines_that_fit_and_shrinks_before_it_is_cut(text):
    width = WIDE - 2 * EDGE
    lines, size = title_lines(text, width)
    assert 1 <= len(lines) <= LINES
    assert all(text_width(line, size, bold=True) <= width for line in lines)
    joined = " ".join(lines)
    if joined != " ".join(text.split()):
        assert size == TITLE[-1] or joined.endswith(".")
        assert joined.endswith((".", "…"))


def test_a_title_is_cut_after_a_sentence_where_enough_is_left():
    lines, _ = title_lines(SENTENCES["very long"], WIDE - 2 * EDGE)
    assert " ".join(lines).endswith("motor vessel.")
    lines, size = title_lines("word, " * 300, WIDE - 2 * EDGE)
    assert size == TITLE[-1]
    assert " ".join(lines).endswith("word …")


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.long)], ids=["light", "dark"])
@pytest.mark.parametrize("sentence", ["short", "very long"])
def test_title_drawing_and_last_line_are_apart_and_inside(sentence, dark):
    figure = plain_curves({"A": three_points(), "B": three_points()})
    made = slide(figure, title=SENTENCES[sentence], data="Vehicles", model="A", rule="majority", date="", dark=dark)
    *title, (foot, _, y, size) = words_of(made.svg)
    assert foot == "Vehicles · A · Majority"
    (left, top, width, height), (wide, high) = drawing_of(made.svg)
    assert max(row[2] for row in title) < top
    assert top + height < y - size
    assert y < HIGH
    assert left >= EDGE
    assert left + width <= WIDE - EDGE + 1
    # In its own proportions, as large as it fits: it touches the sides, or what is above and below.
    assert width / wide == pytest.approx(height / high, rel=1e-3)
    touches = (
        pytest.approx(WIDE - 2 * EDGE, abs=1) == width or height > 0.9 * (y - size - max(row[2] for row in title)) - 60
    )
    assert touches
    with Image.open(io.BytesIO(made.png)) as picture:
        assert picture.size == (WIDE, HIGH)
        background = picture.convert("RGB").getpixel((2, 2))
        # Nothing is drawn at the edges.
        pixels = np.asarray(picture.convert("RGB"))
        for strip in (pixels[:20], pixels[-20:], pixels[:, :20], pixels[:, -20:]):
            assert (strip == background).all()


def test_the_last_line_has_what_is_given_and_a_date(monkeypatch):
    figure = plain_curves({"A": three_points()})

    def foot(**said):
        return words_of(slide(figure, **said).svg)[-1][0]

    assert (
        foot(threshold=0.25, rule="threshold", date=datetime.date(2026, 1, 2)) == "Threshold · τ = 0.250 · 2026-01-02"
    )
    assert foot() == datetime.date.today().isoformat()
    assert foot(data="<b>&", date="2026") == "<b>& · 2026"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert foot() == "1970-01-01"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    with pytest.raises(FileError, match="SOURCE_DATE_EPOCH: expected a number of seconds"):
        foot()


def test_a_sample_is_next_to_the_drawing():
    figure = plain_curves({"A": three_points()})
    file = io.BytesIO()
    Image.new("RGB", (40, 20), "red").save(file, "PNG")
    made = slide(figure, sample=file.getvalue(), date="")
    (left, *_), _ = drawing_of(made.svg)
    assert left > EDGE + SAMPLE
    with Image.open(io.BytesIO(made.png)) as picture:
        red = (np.asarray(picture.convert("RGB")) == (255, 0, 0)).all(axis=2)
    down, across = np.nonzero(red)
    # 40 x 20 pixels, enlarged to the width of its place.
    assert across.min() == pytest.approx(EDGE, abs=1)
    assert across.max() == pytest.approx(EDGE + SAMPLE, abs=2)
    assert down.max() - down.min() == pytest.approx(SAMPLE / 2, abs=3)
    text = slide(figure, sample="words of a text " * 400, date="")
    lines = [row for row in words_of(text.svg) if row[0].startswith(("words", "of", "a ", "text"))]
    assert all(text_width(row[0], row[3]) <= SAMPLE for row in lines)
    assert lines[-1][2] < HIGH - EDGE
    assert lines[-1][0].endswith("…")
    with pytest.raises(FileError, match="sample: expected a PNG or JPEG"):
        slide(figure, sample=b"GIF89a")


def test_an_example_brings_its_sample():
    tree = Taxonomy.from_edges([("root", "a"), ("root", "b"), ("a", "a1"), ("a", "a2")])
    scores, text = np.full((1, tree.n_leaves), 1 / tree.n_leaves), np.array(["A cat sat down."])
    truth = tree.nodes("a2")
    predictions = Predictions.from_scores(tree, scores, "leaf_probabilities", truth=truth, attributes={"text": text})
    figure = example(predictions, "0")
    made = slide(figure, rule="threshold", threshold=0.5).svg
    inner = made[made.index("<svg", 10) :]
    assert "A cat sat down." in "".join(re.findall(r">([^<]*)<", inner))
    # The sentence is the title, and not in the drawing again; nor are model and rule, which the last line names.
    texts = re.findall(r">([^<]+)<", inner)
    assert not any(figure.sentence.startswith(text) for text in texts if len(text) > 12)
    assert figure.sentence in " ".join(row[0] for row in words_of(made))
    assert "Threshold" not in texts


def test_operating_curves_on_a_slide_are_the_curves_alone():
    made = slide(operating_curves(many_curves(3), threshold=0.7))
    inner = made.svg[made.svg.index("<svg", 10) :]
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", inner)
    assert "Information recall" in texts
    assert "Threshold τ" not in texts
    # The sentence is the title, and not in the drawing again.
    assert not any(" at τ = 0.700" in text for text in texts)
    (_, _, width, height), _ = drawing_of(made.svg)
    assert width * height > 0.85 * (WIDE - 2 * EDGE) * (HIGH - 300)


def test_any_chart_can_be_a_slide():
    import altair as alt

    chart = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point().encode(x="x:Q")
    assert drawing_of(slide(chart, title="A point").svg)
    plain = Figure(lambda dark, width: chart, None, "A sentence.")
    assert words_of(slide(plain, date="").svg)[0][0] == "A sentence."


def test_a_slide_is_written_as_its_name_says(tmp_path):
    made = slide(plain_curves({"A": three_points()}), date="")
    made.write(tmp_path / "a.svg")
    made.write(str(tmp_path / "a.PNG"))
    assert (tmp_path / "a.svg").read_text() == made.svg
    assert (tmp_path / "a.PNG").read_bytes() == made.png
    with pytest.raises(FileError, match=r"expected a file that ends in .svg or .png, got .pdf"):
        made.write(tmp_path / "a.pdf")
