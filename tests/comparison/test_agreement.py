"""Kendall's tau-b against scipy, and what the sentence says."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import many

import hierviz as hv
from hierviz.comparison.agreement import agreement
from hierviz.comparison.columns import columns_of
from hierviz.comparison.methods import Method


@many
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12))
def test_kendall_against_scipy(pairs):
    x, y = zip(*pairs)
    found, expected = hv.comparison.kendall(x, y), stats.kendalltau(x, y).statistic
    assert found is None if math.isnan(expected) else found == pytest.approx(expected, abs=1e-12)


def test_missing_and_infinite_values():
    assert hv.comparison.kendall([1, 2, math.nan, 3], [1, 2, 9, math.inf]) == 1
    assert hv.comparison.kendall([1, math.nan], [1, 2]) is None
    with pytest.raises(hv.PredictionsError, match="one length"):
        hv.comparison.kendall([1, 2], [1])


KEYS = "curve.ac,distribution.cross_entropy,labels.micro_f1"


def methods(taxonomy, table, noise=0.001):
    """Methods of the rows of values by column."""
    columns, made = columns_of(taxonomy, metrics=KEYS), []
    for place, row in enumerate(table):
        values = dict(zip([column.key for column in columns], row))
        rng = np.random.default_rng(place)
        draws = {key: value + noise * rng.normal(size=400) for key, value in values.items()}
        made.append(Method("ABCDEFGH"[place], [values], draws, 300, 300))
    return columns, made


def test_matrix_turns_losses_round(taxonomy):
    table = [[0.1, 5, 0.3], [0.2, 4, 0.3], [0.3, 3, 0.3], [0.4, 2, 0.3], [0.5, 1, 0.3]]
    found = agreement(methods(taxonomy, table)[1], methods(taxonomy, table)[0])
    assert found.kendall == [[1, 1, None], [1, 1, None], [None, None, None]]
    assert found.sentence == "No two metrics put two methods in opposite orders."


def test_few_methods_have_counts_only(taxonomy):
    columns, made = methods(taxonomy, [[0.5, 1, 0.1], [0.4, 2, 0.2], [0.3, 3, 0.15]])
    found = agreement(made, columns)
    assert found.kendall == [[None] * 3] * 3
    assert (found.reversed[0][2], found.pairs[0][2]) == (2, 3)
    assert found.sentence == (
        "AC and Micro F1 disagree most (2 of 3 pairs of methods reversed). By paired 95 % intervals that exclude 0, "
        "A is better than B by AC, and worse by Micro F1; A is better than C by AC, and worse by Micro F1."
    )


def test_methods_with_both_values_are_counted(taxonomy):
    """Of six methods two have both numbers: no coefficient. Five do: one."""
    values = [[0.1 * k, 1, 0.6 - 0.1 * k] for k in range(1, 7)]
    columns, made = methods(taxonomy, values)

    def known(n):
        return [
            Method(one.name, [one.runs[0] | ({} if place < n else {columns[2].key: None})], one.draws, 100, 100)
            for place, one in enumerate(made)
        ]

    two = agreement(known(2), columns)
    assert (two.kendall[0][2], two.reversed[0][2], two.pairs[0][2]) == (None, 1, 1)
    assert "τ" not in two.sentence
    assert agreement(known(4), columns).kendall[0][2] is None
    assert agreement(known(5), columns).kendall[0][2] == -1


def test_what_differs_by_rounding_is_no_disagreement(taxonomy):
    """By the second number both are the same up to rounding: a tie, and no pair is reversed."""
    columns, made = methods(taxonomy, [[0.5, 1, 0.3], [0.4, 2, 0.1 + 0.2]])
    assert agreement(made, columns).reversed[0][2] == 0


def test_disagreement_needs_both_intervals(taxonomy):
    columns, made = methods(taxonomy, [[0.5, 1, 0.10], [0.4, 2, 0.101]], noise=0.01)
    sentence = agreement(made, columns).sentence
    assert sentence.startswith(
        "AC and Micro F1 agree least on the order of the methods (1 of 1 pairs of methods reversed)."
    )
    assert "No pair differs clearly by both" in sentence
    assert "disagree" not in sentence


def test_a_clear_disagreement_is_said_rather_than_a_larger_one_by_chance(taxonomy):
    """AC and micro F1 reverse three pairs of three, none clearly; AC and cross entropy A and B, clearly."""
    rng = np.random.default_rng(0)
    table = [[0.3, 2, 0.3], [0.2, 1, 0.301], [0.1, 3, 0.302]]
    columns, made = methods(taxonomy, table)
    for method in made:
        method.draws[columns[2].key] = method.runs[0][columns[2].key] + rng.normal(size=400)
    found = agreement(made, columns)
    assert (found.reversed[0][1], found.reversed[0][2]) == (1, 3)
    assert found.sentence.startswith("AC and Cross entropy disagree most (1 of 3 pairs of methods reversed).")
    assert found.sentence.endswith("A is better than B by AC, and worse by Cross entropy.")


def test_without_intervals_nothing_is_said_of_them(taxonomy):
    columns, made = methods(taxonomy, [[0.5, 1, 0.10], [0.4, 2, 0.101]])
    bare = [Method(one.name, one.runs, {}, one.n_samples, one.n_units) for one in made]
    assert agreement(bare, columns).sentence.endswith(
        "Without intervals it is unknown whether a pair differs clearly by both."
    )


def test_the_largest_disagreement_of_five(taxonomy):
    table = [[0.1, 5, 0.5], [0.2, 4, 0.4], [0.3, 3, 0.3], [0.4, 1, 0.2], [0.5, 2, 0.1]]
    found = agreement(*reversed(methods(taxonomy, table)))
    assert found.kendall[0] == [1, pytest.approx(0.8), -1]
    assert found.sentence.startswith("AC and Micro F1 disagree most (τ-b −1.00, 10 of 10 pairs of methods reversed).")
    assert found.sentence.endswith("and 7 more.")
    assert found.to_dict()["keys"] == KEYS.split(",")
    assert agreement(*reversed(methods(taxonomy, table[:1]))).sentence.startswith("Only one method")
