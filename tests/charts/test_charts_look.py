"""Looks and exports: contrast, distinguishable colours, words, plain columns, files, notebooks."""

import json

import numpy as np
import pytest
from chart_cases import EYES, linear, three_points

from hierviz import INFERENCE_RULES, charts
from hierviz.charts import theme
from hierviz.charts._compose import frame
from hierviz.charts._text import shorten, text_width, wrap_items, wrap_words
from hierviz.messages.number_text import count_text, percent_text, probability_text


def contrast(a, b):
    light = sorted((linear(one) @ [0.2126, 0.7152, 0.0722] + 0.05 for one in (a, b)), reverse=True)
    return light[0] / light[1]


def oklab(colour, eye):
    lms = np.array([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]])
    lab = np.array([[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]])
    return lab @ np.cbrt(lms @ np.clip(np.array(EYES[eye]) @ linear(colour), 0, 1))


@pytest.mark.parametrize("dark", [False, True])
def test_contrast_of_texts_and_models(dark):
    look = charts.palette(dark)
    assert contrast(look.ink, look.background) >= 7
    assert contrast(look.muted, look.background) >= 4.5
    for outcome in ("tp", "fp", "fn", "tn", "path", "root", "others"):
        assert contrast(look.text_on(outcome), look.outcome(outcome)) >= 4.4, outcome
    for colour in look.models:
        assert contrast(colour, look.background) >= 3, colour


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("dark", [False, True])
def test_model_colours_can_be_told_apart(dark, eye):
    seen = np.array([oklab(colour, eye) for colour in charts.palette(dark).models])
    distance = np.linalg.norm(seen[:, None] - seen[None], axis=-1)[np.triu_indices(len(seen), 1)]
    assert distance.min() > 0.045
    first = np.linalg.norm(seen[:4, None] - seen[None, :4], axis=-1)[np.triu_indices(4, 1)]
    assert first.min() > 0.07


def test_every_rule_of_the_registry_has_a_shape_and_a_name():
    assert set(INFERENCE_RULES) <= {*theme.RULE_SHAPES, "threshold_set"}
    assert theme.rule_label("majority") == "Majority"
    assert theme.rule_label("something_new") == "Something new"
    assert theme.rule_shape("something_new") == "cross"


@pytest.mark.parametrize(
    ("p", "text"),
    [(1, "1"), (0.99999, ">0.999"), (0.996, "0.996"), (0.63, "0.630"), (0.0421, "0.042"), (3e-4, "3e-4"), (0, "0")]
    + [(1 - 1e-9, "1"), (float("nan"), "–"), (None, "–"), (1.3, "1.300")],
)
def test_probability_text(p, text):
    assert probability_text(p) == text


def test_other_texts():
    assert [count_text(n) for n in (7, 999, 1600, 9949, 16344)] == ["7", "999", "1.6k", "9.9k", "16k"]
    assert [percent_text(x) for x in (0, 0.004, 0.414, 0.996, 1)] == ["0 %", "under 1 %", "41 %", "over 99 %", "100 %"]
    assert shorten("short", 200) == "short"
    long = shorten("a very long name of a class", 80)
    assert long.endswith("…")
    assert text_width(long) <= 80
    assert (
        wrap_words("Biological and health sciences", 100) == ["Biological", "and health…"]
        or len(wrap_words("Biological and health sciences", 100)) <= 2
    )


def test_wrapped_items_count_what_is_left_out():
    assert wrap_items(["cat", "dog"], 200) == ["cat, dog"]
    assert wrap_items([], 200) == []
    lines = wrap_items([f"class {i}" for i in range(5000)], 200, most_lines=3)
    assert len(lines) == 3
    shown = ", ".join(lines).count("class")
    assert lines[-1].endswith(f"and {5000 - shown:,} more")


def test_frames_keep_nan_as_null():
    made = frame([{"a": 1.0, "b": "x"}, {"a": float("inf"), "b": None}])
    assert made["a"].isna().tolist() == [False, True]
    assert made["b"].tolist() == ["x", None]


@pytest.mark.long
def test_files(tmp_path):
    chart = charts.operating_curves({"m": three_points()}, width=330)
    assert charts.to_png(chart)[:8] == b"\x89PNG\r\n\x1a\n"
    assert charts.to_svg(chart).startswith("<svg")
    json.dumps(charts.to_vega_lite(chart, dark=True))
    assert charts.to_vega_lite(chart, dark=True)["background"] == "#171614"
    table = charts.operating_curves(
        {"mödel": three_points()}, layers=charts.CurveLayers(rules={"mödel": {"leaf": {"correct": 0.5}}})
    ).table
    first, *rest = charts.to_csv(table).decode().splitlines()
    assert first.startswith("model,rule,threshold,exact,correct,")
    assert rest[0].startswith("mödel,threshold,0.5,")
    assert rest[1].startswith("mödel,leaf,,,0.5,")


@pytest.mark.long
def test_show_is_an_iframe_that_needs_no_network():
    shown = charts.show(charts.operating_curves({"</script><b>": three_points()}, width=330))
    text = shown._repr_html_()
    assert text.startswith("<iframe srcdoc=")
    assert shown.width <= 345
    assert shown.height > 500
    assert "vegaEmbed" in shown.html
    assert "</script><b>" not in shown.html
    assert "cdn" not in shown.html.split("<script>")[0]
    assert '<script src="http' not in shown.html


def test_public_names_exist():
    assert all(hasattr(charts, name) for name in charts.__all__)


def test_a_long_name_is_measured_once_not_once_for_every_letter(monkeypatch, taxonomy):
    import unicodedata

    from hierviz.charts import _text

    measured = []

    class Counting:
        east_asian_width = staticmethod(unicodedata.east_asian_width)

        @staticmethod
        def combining(letter):
            measured.append(letter)
            return unicodedata.combining(letter)

    monkeypatch.setattr(_text, "unicodedata", Counting)
    name = "a long name of a class " * 700
    long = taxonomy.with_nodes(titles={"cat": name, "dog": name.replace(" ", "_")})
    p = np.array([1, 0.6, 0.37, 0.23, 0.3, 0.3, 0.1])
    for style in ("icicle", "node-link", "list"):
        measured.clear()
        charts.probability_tree(long, p, truth=3, predicted=2, style=style).chart.to_dict()
        assert len(measured) < 20 * len(name)
    for cut in (shorten(name, 100), wrap_words(name, 100)[-1], wrap_items([name, name], 100)[0]):
        assert len(cut) < 40


def test_a_model_keeps_its_colour_whichever_others_are_chosen():
    names = [f"model {i}" for i in range(11)]
    whole = charts.model_colours(names)
    for chosen in (names[3:5], names[:1] + names[7:8], names[6:8]):
        assert charts.model_colours(chosen, among=names) == {name: whole[name] for name in chosen}
    # The first and the ninth would share a colour: the one that comes second gets another.
    shared = charts.model_colours([names[0], names[8], names[5]], among=names)
    assert len(set(shared.values())) == 3
    assert shared[names[0]] == whole[names[0]]
