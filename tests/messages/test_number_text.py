"""Numbers as text: rounded once and in one way, and sums that add up as they are written."""

import ast
import json
import re
from pathlib import Path

import altair as alt
import numpy as np
import pytest

import hierviz as hv
from hierviz.charts.export import to_svg
from hierviz.charts.theme import finish
from hierviz.messages.number_text import (
    adding_up,
    count_text,
    fixed_text,
    percent_text,
    percent_texts,
    probability_text,
    shares_text,
    value_text,
)


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [
        (0.785, 0, "79 %"),
        (0.145, 0, "15 %"),
        (0.7849, 0, "78 %"),
        (0.785, 1, "78.5 %"),
        (0.0004, 1, "under 0.1 %"),
        (0.9996, 1, "over 99.9 %"),
        (0.996, 0, "over 99 %"),
        (0.003, 0, "under 1 %"),
        (1.0, 1, "100.0 %"),
        (0.0, 0, "0 %"),
        (float("nan"), 0, "an unknown share"),
    ],
)
def test_percentages_are_rounded_as_the_digits_of_a_table_are(share, digits, text):
    assert percent_text(share, digits) == text


def test_percentages_of_many_shares_are_those_of_each():
    shares = np.concatenate([np.arange(2001) / 2000, np.random.default_rng(0).random(500), [1e-9, 1 - 1e-9, 0.145]])
    for digits in (0, 1, 2):
        assert percent_texts(shares, digits).tolist() == [percent_text(share, digits) for share in shares.tolist()]


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("0.125", lambda: probability_text(0.125)),
        ("0.146", lambda: probability_text(0.1455)),
        ("0.626", lambda: probability_text(0.6255)),
        ("0.063", lambda: probability_text(0.0625)),
        ("3e-4", lambda: probability_text(0.00025)),
        ("1e-4", lambda: probability_text(0.000095)),
        ("0.100", lambda: probability_text(0.0995)),
        ("0.995", lambda: probability_text(0.995 - 1e-13)),
        ("0.100", lambda: probability_text(0.0995 - 1e-14)),
        ("5e-324", lambda: probability_text(5e-324)),
        ("0.063", lambda: value_text(0.0625)),
        ("0.145", lambda: value_text(0.1445)),
        ("-0.063", lambda: value_text(-0.0625)),
        ("0.000", lambda: value_text(-0.0)),
        ("1000000000000.500", lambda: value_text(1e12 + 0.5)),
        (f"{1e300:.3f}", lambda: value_text(1e300)),
        ("6.3 %", lambda: percent_text(0.0625, 1)),
        ("1.3k", lambda: count_text(1250)),
        ("11k", lambda: count_text(10_500)),
        ("-0.5", lambda: fixed_text(-0.45, 1)),
    ],
)
def test_halves_are_rounded_up_in_all_texts(text, of):
    assert of() == text


def test_written_terms_give_the_written_total():
    rng = np.random.default_rng(5)
    for _ in range(2000):
        weights = 0.5 ** np.arange(1, rng.integers(2, 11))
        terms = (weights * np.sort(rng.random(len(weights)) ** rng.integers(1, 9))[::-1]).tolist()
        texts, total = adding_up(terms, sum(terms))
        decimals = len(total) - 2
        assert all(len(text) == len(total) for text in texts)
        assert 3 <= decimals <= 7
        # Whole numbers of the last decimal: no rounding of the test's own.
        whole = [int(text.replace(".", "")) for text in (*texts, total)]
        assert sum(whole[:-1]) == whole[-1], json.dumps([terms, texts, total])
        assert all(abs(float(text) - term) < 1.001 * 10**-decimals for text, term in zip(texts, terms, strict=True))
        assert abs(float(total) - sum(terms)) <= 0.501 * 10**-decimals


def test_a_small_total_is_not_written_as_nothing():
    # Rounded one by one to three decimals these read 0.006 + 0.001 = 0.008.
    assert adding_up([0.0063, 0.0014], 0.0077) == (["0.0063", "0.0014"], "0.0077")
    assert adding_up([0.0004, 0.0003], 0.0007) == (["0.00040", "0.00030"], "0.00070")
    assert adding_up([0.0, 0.0], 0.0) == (["0.000", "0.000"], "0.000")
    assert adding_up([1.0], 1.0) == (["1.000"], "1.000")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0004, "0.0004"), (0.8289, "0.829"), (0.99996, "0.99996"), (0.0, "0.000"), (1.0, "1.000"), (3e-9, "3e-09")]
    + [(6.000000001, "6.000"), (1 - 1e-9, "1.000"), (5.9999, "5.9999")],
)
def test_a_value_that_is_not_whole_does_not_read_as_whole(value, text):
    assert value_text(value) == text
    assert value_text(float("nan")) == "–"
    assert value_text(float("inf")) == "∞"


def test_shares_of_counts_add_up():
    """Rounded one by one, 1 of 3 three times is 99 %; 0.5, 0.5 and 99 % are 101 %."""
    assert shares_text([1, 1, 1]) == ["34 %", "33 %", "33 %"]
    assert shares_text([57, 146, 397]) == ["10 %", "24 %", "66 %"]
    assert shares_text([1, 599]) == ["under 1 %", "over 99 %"]
    assert shares_text([0, 7]) == ["0 %", "100 %"]
    rng = np.random.default_rng(0)
    for counts in rng.integers(20, 1000, (300, 4)).tolist():
        shares = [int(text.split()[0]) for text in shares_text(counts)]
        assert sum(shares) == 100
        assert all(abs(share - 100 * n / sum(counts)) < 1 for share, n in zip(shares, counts, strict=True))


def test_a_percentage_is_a_number_a_space_and_the_sign():
    """In every text of the package; formats of charts take the sign from the locale of `theme.finish`."""
    package = Path(hv.__file__).parent
    # Most of the time goes into parsing: once for both, and only what has the sign.
    nodes = [
        (path, node)
        for path in package.rglob("*.py")
        if "%" in (source := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.JoinedStr, ast.FormattedValue))
    ]
    texts = [
        (path.name, part.value)
        for path, node in nodes
        if path.parent.name != "charts" and isinstance(node, ast.JoinedStr)
        for part in node.values
        if isinstance(part, ast.Constant)
    ]
    assert len(texts) > 1000
    assert [text for text in texts if text[1] != "%." and re.match(r"%(?![a-z0-9])", text[1])] == []
    formats = [
        (path.name, node.format_spec.values[0].value)
        for path, node in nodes
        if path.parent.name != "lessons"
        and isinstance(node, ast.FormattedValue)
        and node.format_spec
        and isinstance(node.format_spec.values[0], ast.Constant)
    ]
    assert [one for one in formats if one[1].endswith("%")] == []
    chart = finish(alt.Chart(alt.InlineData([{"a": 0.5}])).mark_text().encode(text=alt.Text("a:Q", format=".0%")))
    assert "50\u00a0%" in to_svg(chart)
