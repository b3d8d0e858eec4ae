"""Charts of sensitivity: a heat map to scale over the picture, words with the colour of their effect, bars from zero."""

import base64
import re
import zlib

import numpy as np
import pytest
from chart_cases import shown_texts, size, views

import hierviz as hv
from hierviz import charts
from hierviz.charts._effects_scale import FULL, effect_scale, png
from hierviz.charts._value_colours import mixed
from hierviz.diagnosis.hidden_parts import HiddenParts, part_of_picture


def of_picture(taxonomy, effect=(2.0, -1.0), places=((0, 0, 8, 4), (0, 2, 8, 8)), **more):
    names = tuple(part_of_picture(*place, (8, 8)) for place in places)
    picture = np.random.default_rng(0).integers(0, 256, size=(8, 8, 3)).astype(np.uint8)
    parts = HiddenParts("picture", np.full(len(places), "1/4"), names, np.array(places), picture)
    return result(taxonomy, parts, effect, **more)


def of_text(taxonomy, text="A duck said quack. It left.", effect=None):
    spans = [found.span() for found in re.finditer(r"\S+", text)] + [(0, 18), (19, len(text))]
    what = np.array(["word"] * (len(spans) - 2) + ["sentence"] * 2)
    parts = HiddenParts("text", what, tuple(text[a:b] for a, b in spans), np.array(spans), text)
    return result(taxonomy, parts, np.r_[np.zeros(3), 2.0, 0, -1.0, 1.5, 0] if effect is None else effect)


def of_row(taxonomy, effect):
    n = len(effect)
    names = tuple(f"column {k}" for k in range(n))
    parts = HiddenParts("row", np.full(n, "column"), names, np.arange(n)[:, None], ("1",) * n, ("2",) * n)
    return result(taxonomy, parts, effect)


def result(taxonomy, parts, effect, **more):
    of = {"first": 2, "second": 3, "truth": 2, "answer": 2, "why": "", "log_odds": 1.0, "n_runs": 9}
    notes = ("how parts were hidden",)
    return hv.diagnosis.Sensitivity(
        taxonomy, "M", "s", parts=parts, effect=np.array(effect, float), notes=notes, **(of | more)
    )


def rows_of(figure, mark, *fields, **look):
    """Rows of the views of a mark that hold some fields."""
    found = views(charts.to_vega_lite(figure, **look))
    return [row for view in found if is_mark(view, mark) for row in view["rows"] if set(fields) <= set(row)]


def is_mark(view, mark):
    own = view.get("mark")
    return (own if isinstance(own, str) else (own or {}).get("type")) == mark


ALL = {
    "picture": lambda taxonomy: of_picture(taxonomy),
    "text": lambda taxonomy: of_text(taxonomy),
    "row": lambda taxonomy: of_row(taxonomy, [0.5, -2.0, 0.0]),
    "mean picture": lambda taxonomy: hv.diagnosis.averaged([of_picture(taxonomy, (k, -1.0)) for k in range(20)]),
    "mean text": lambda taxonomy: hv.diagnosis.averaged([of_text(taxonomy)] * 20),
    "mean row": lambda taxonomy: hv.diagnosis.averaged([of_row(taxonomy, [k / 9, -1.0]) for k in range(20)]),
}


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [330, 1200])
def test_every_kind_fits_its_width_and_says_what_it_is(taxonomy, kind, dark, width):
    figure = charts.sensitivity(ALL[kind](taxonomy), dark=dark, width=width)
    svg = charts.to_svg(figure)
    assert size(svg)[0] <= width + 8
    said = " ".join(shown_texts(svg))
    assert "Sensitivity to hiding, not a cause" in said
    assert "log-odds" in said
    assert "runs of M." in said
    assert "speaks for cat" in said
    assert "speaks for dog" in said
    assert figure.sentence
    assert len(figure.table)


def test_the_map_has_the_values_of_the_patches_in_their_places(taxonomy):
    figure = charts.sensitivity(of_picture(taxonomy), width=1000)
    cells = rows_of(figure, "rect", "opacity")
    # 2 alone, then the mean of 2 and -1, then -1 alone; columns are 2, 2 and 4 pixels of 8.
    assert [row["opacity"] for row in cells] == pytest.approx([FULL, FULL * 0.25, FULL * 0.5])
    look = charts.palette(False)
    assert [row["colour"] for row in cells] == [look.path, look.path, look.fp]
    wide = [row["x2"] - row["x"] for row in cells]
    assert wide[0] == pytest.approx(wide[1], abs=1)
    assert wide[2] == pytest.approx(2 * wide[0], abs=2)
    (high,) = {row["y2"] - row["y"] for row in cells}
    assert high == pytest.approx(sum(wide), abs=8)
    pictures = rows_of(figure, "image", "url")
    assert len(pictures) == 2
    assert all(base64.b64decode(row["url"].partition(",")[2])[:4] == b"\x89PNG" for row in pictures)


def test_one_scale_for_both_sides_and_blue_for_the_truth(taxonomy):
    found = of_picture(taxonomy, truth=3)
    scale = effect_scale(found, found.effect, False)
    look = charts.palette(False)
    # The truth is the second class: what speaks for it is negative and blue.
    assert (scale.colour(-1.0), scale.colour(1.0)) == (look.path, look.fp)
    assert scale.share(2.0) == FULL == 2 * scale.share(-1.0)
    assert scale.fill(-2.0) == mixed(look.background, look.path, FULL)
    unknown = effect_scale(of_picture(taxonomy, truth=None), found.effect, True)
    assert unknown.colour(1.0) == charts.palette(True).path


def test_words_have_the_colour_of_their_effect_and_the_line_of_their_sentence(taxonomy):
    figure = charts.sensitivity(of_text(taxonomy), width=1000)
    look = charts.palette(False)
    boxes = rows_of(figure, "rect", "colour", "x2")
    full, half = mixed(look.background, look.path, FULL), mixed(look.background, look.fp, FULL / 2)
    colours = [row["colour"] for row in boxes if row["y2"] - row["y"] == 20]
    assert colours == [look.background] * 3 + [full, look.background, half]
    lines = [row["colour"] for row in boxes if row["y2"] - row["y"] == 4]
    assert lines == [mixed(look.background, look.path, 0.75 * FULL)] * 4 + [look.background] * 2
    hovers = rows_of(figure, "rect", "tip_word")
    assert [row["tip_word"] for row in hovers] == ["A", "duck", "said", "quack.", "It", "left."]
    assert hovers[3]["tip_effect"] == "+2.000 log-odds"
    assert hovers[3]["tip_sentence"] == "+1.500 log-odds"


def test_a_long_text_shows_where_the_effects_are_and_says_so(taxonomy):
    words = [f"word{k}" for k in range(900)]
    starts = np.cumsum([0, *(len(word) + 1 for word in words)])[:-1]
    places = np.stack([starts, starts + [len(word) for word in words]], axis=1)
    parts = HiddenParts("text", np.full(900, "word"), tuple(words), places, " ".join(words))
    effect = np.zeros(900)
    effect[850] = 3.0
    figure = charts.sensitivity(result(taxonomy, parts, effect), width=400)
    hovers = rows_of(figure, "rect", "tip_word")
    assert "word850" in {row["tip_word"] for row in hovers}
    assert len(hovers) < 900
    assert re.search(
        r"Lines \d+ to \d+ of \d+, those with the largest effects", " ".join(shown_texts(charts.to_svg(figure)))
    )


def test_bars_are_as_long_as_effects_and_the_rest_is_counted(taxonomy):
    effect = np.r_[np.linspace(2, 0.1, 30), -1.0, 0.001]
    figure = charts.sensitivity(of_row(taxonomy, effect), width=1000)
    bars = [row for row in rows_of(figure, "rect", "colour", "x2") if row["y2"] - row["y"] == 14]
    assert len(bars) == 24
    lengths = np.array([row["x2"] - row["x"] for row in bars])
    shown = np.sort(np.abs(effect))[::-1][:24]
    assert lengths / lengths[0] == pytest.approx(shown / shown[0])
    assert "8 more columns are in the table, with effects of at most" in " ".join(shown_texts(charts.to_svg(figure)))
    few = charts.sensitivity(of_row(taxonomy, np.r_[1.0, np.zeros(9)]), width=1000)
    assert "7 more columns are in the table, with effects under 0.01." in " ".join(shown_texts(charts.to_svg(few)))


def test_dots_mark_intervals_without_zero(taxonomy):
    found = ALL["mean picture"](taxonomy)
    figure = charts.sensitivity(found, width=1000)
    dots = rows_of(figure, "circle", "colour")
    _, lower, upper = found.cells
    assert len(dots) == ((lower > 0) | (upper < 0)).sum() > 0


def test_png_of_an_array():
    pixels = np.random.default_rng(0).integers(0, 256, size=(3, 5, 3)).astype(np.uint8)
    made = png(pixels)
    start = made.index(b"IDAT") + 4
    lines = np.frombuffer(zlib.decompress(made[start : made.index(b"IEND") - 8]), np.uint8).reshape(3, 16)
    assert (lines[:, 0] == 0).all()
    assert np.array_equal(lines[:, 1:].reshape(3, 5, 3), pixels)


def test_errors():
    with pytest.raises(hv.PredictionsError, match="found: expected a Sensitivity or AverageSensitivity, got int"):
        charts.sensitivity(3)
