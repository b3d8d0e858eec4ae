"""Slices against plain counting, and what the tests promise: no more than 5 % false alarms, and the planted slice first."""

import itertools
import math

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from naive_diagnosis import closure
from strategies import many

import hierviz as hv
from hierviz.diagnosis.slice_members import codes_of
from hierviz.evaluation.judged_answers import judged_answers
from hierviz.metrics.outcomes import OUTCOMES

# A tree of depth 3 with three children each: 27 leaves.
GRID = [("root", f"{a}") for a in "abc"]
GRID += [(f"{a}", f"{a}{b}") for a in "abc" for b in "abc"]
GRID += [(f"{a}{b}", f"{a}{b}{c}") for a in "abc" for b in "abc" for c in "abc"]


@pytest.fixture(scope="module")
def grid():
    return hv.Taxonomy.from_edges(GRID)


def labelled(taxonomy, truth, is_wrong, attributes=None):
    """Predictions of labels: the truth, or a leaf under another child of the root."""
    leaves = taxonomy.leaves
    place = np.searchsorted(leaves, truth)
    said = np.where(is_wrong, leaves[(place + len(leaves) // 3) % len(leaves)], truth)
    return hv.Predictions.from_labels(taxonomy, said, truth=truth, attributes=attributes or {})


def naive_slices(graph, truths, losses, attributes, least):
    """{(kind, value): set of samples} of all slices that are large enough."""
    n = len(losses)
    found = {}
    for node in range(graph.n):
        found["subtree", f"n{node}"] = {i for i in range(n) if node in closure(graph, truths[i])}
    for name, column in attributes.items():
        for value in set(column):
            found[name, value] = {i for i in range(n) if column[i] == value}
    return {key: some for key, some in found.items() if len(some) >= least and n - len(some) >= least and key[1]}


def fisher(inside, losses):
    """P(at least as many wrong answers in as many samples)."""
    n, wrong, drawn = len(losses), int(sum(losses)), len(inside)
    hits = int(sum(losses[i] for i in inside))
    ways = sum(math.comb(wrong, x) * math.comb(n - wrong, drawn - x) for x in range(hits, drawn + 1))
    return ways / math.comb(n, drawn)


@many
@given(strategies.pairs(n=30), st.data())
def test_against_counting(case, data):
    graph, taxonomy, truth, said = case
    light = data.draw(st.lists(st.sampled_from(["day", "night", ""]), min_size=30, max_size=30))
    predictions = hv.Predictions.from_labels(
        taxonomy, said, truth=truth, attributes={"light": np.array(light), "text": np.array(light)}
    )
    found = hv.slices(predictions, min_samples=3, q=0.3)
    losses = [float(naive.outcome(graph, y, a) == "wrong") for y, a in zip(truth.tolist(), said.tolist())]
    expected = naive_slices(graph, [[y] for y in truth.tolist()], losses, {"light": light}, 3)
    keys = list(zip(found.kind.tolist(), found.value.tolist()))
    assert sorted(keys) == sorted(expected)
    covered, overall = set(), sum(losses) / 30
    for place, key in enumerate(keys):
        inside = expected[key]
        assert found.rows(place).tolist() == sorted(inside)
        rate = sum(losses[i] for i in inside) / len(inside)
        assert found.n[place] == len(inside)
        assert found.rate[place] == pytest.approx(rate)
        assert found.rest_rate[place] == pytest.approx((sum(losses) - rate * len(inside)) / (30 - len(inside)))
        assert found.excess[place] == pytest.approx(len(inside) * (rate - overall), abs=1e-9)
        assert found.p_value[place] == pytest.approx(fisher(inside, losses), rel=1e-9)
        assert found.is_flagged[place] == (found.p_adjusted[place] <= 0.3)
        outside = inside - covered if found.is_flagged[place] else inside
        assert found.n_outside[place] == len(outside)
        lost = sum(losses[i] for i in outside)
        assert found.excess_outside[place] == pytest.approx(lost - len(outside) * overall, abs=1e-9)
        if found.is_flagged[place]:
            # No later flagged slice has more beyond what stands before it.
            for other in range(place, found.n_flagged):
                rest = expected[keys[other]] - covered
                assert sum(losses[i] - overall for i in rest) <= found.excess_outside[place] + 1e-9
            covered |= inside
    assert found.is_flagged.tolist() == sorted(found.is_flagged.tolist(), reverse=True)
    assert found.test == "Fisher"
    assert len(found.to_frame()) == len(found)


def test_several_truths_lose_hf1(taxonomy):
    rng = np.random.default_rng(0)
    truths = [[2, 6] if k % 2 else [5] for k in range(80)]
    answers = [[2] if k % 2 else [5] for k in range(80)]
    predictions = hv.Predictions.from_labels(
        taxonomy, hv.NodeLists.from_lists(answers), truth=truths, attributes={"coin": rng.choice(["a", "b"], 80)}
    )
    found = hv.slices(predictions)
    assert (found.loss_key, found.test) == ("lost_hf1", "permutation")
    # mammal, cat and newt have the same samples; the last is the most specific.
    assert found.value[: found.n_flagged].tolist()[0] == "newt"
    assert found.n_outside[: found.n_flagged].tolist() == [40, 0, 0]
    assert found.p_value[0] == 1 / (1 + 999)
    with pytest.raises(
        hv.PredictionsError, match="expected one true class and one answer per sample, got several true"
    ):
        hv.slices(predictions, loss="wrong")


def alarms(taxonomy, n_sets, **keywords):
    rng = np.random.default_rng(1)
    truth = rng.choice(taxonomy.leaves, 600)
    light = rng.choice(["day", "night", "rain"], 600)
    is_wrong = rng.random(600) < 0.1
    flagged = 0
    for _ in range(n_sets):
        predictions = labelled(taxonomy, truth, rng.permutation(is_wrong), {"light": light})
        flagged += hv.slices(predictions, **keywords).n_flagged > 0
    return flagged


@pytest.mark.parametrize("n_sets", [150, pytest.param(1000, marks=pytest.mark.long)])
def test_no_more_false_alarms_than_promised(grid, n_sets):
    assert alarms(grid, n_sets) / n_sets <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / n_sets)


@pytest.mark.parametrize("n_sets", [10, pytest.param(200, marks=pytest.mark.long)])
def test_no_more_false_alarms_by_permutation(grid, n_sets):
    share = alarms(grid, n_sets, loss="depth_dist") / n_sets
    assert share <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / n_sets)


@pytest.mark.parametrize(("n_sets", "n"), [(60, 1000), pytest.param(400, 600, marks=pytest.mark.long)])
def test_a_planted_subtree_is_first(grid, n_sets, n):
    """A third of the samples of its parent on average; at least 60 of them, and less than half."""
    rng = np.random.default_rng(2)
    planted, first, sets = grid.node("bb"), 0, 0
    while sets < n_sets:
        truth = rng.choice(grid.leaves, n)
        inside = grid.is_ancestor(planted, truth)
        if inside.sum() < 60 or 2 * inside.sum() >= grid.is_ancestor(grid.node("b"), truth).sum():
            continue
        sets += 1
        is_wrong = rng.random(n) < np.where(inside, 0.5, 0.1)
        found = hv.slices(labelled(grid, truth, is_wrong))
        first += found.n_flagged > 0 and found.node[0] == planted
    assert first >= 0.95 * n_sets


def test_groups_are_permuted_as_a_whole(grid):
    """Thirty observers with 20 samples each, of whom three get everything wrong: samples are alarmed, observers are not."""
    rng = np.random.default_rng(3)
    observer = np.repeat(np.arange(30), 20)
    truth = rng.choice(grid.leaves, 600)
    light = np.where(observer < 10, "night", "day")
    is_wrong = np.isin(observer, [0, 1, 25])
    predictions = labelled(grid, truth, is_wrong, {"light": light, "observer": observer.astype(str)})
    alone = hv.slices(predictions, attributes=["light"])
    night = alone.value.tolist().index("night")
    assert alone.is_flagged[night]
    together = hv.slices(predictions, attributes=["light"], group="observer", n_permutations=1999)
    assert (together.test, together.n_groups) == ("permutation", 30)
    assert not together.is_flagged.any()
    night = together.value.tolist().index("night")
    # At least 2 of the 3 among 10 of 30: hypergeometric.
    exact = (math.comb(3, 2) * math.comb(27, 8) + math.comb(27, 7)) / math.comb(30, 10)
    assert together.p_value[night] == pytest.approx(exact, abs=0.04)
    again = hv.slices(predictions, attributes=["light"], group=observer, n_permutations=1999)
    assert again.p_value.tolist() == together.p_value.tolist()


def test_groups_of_one_size_against_all_permutations(taxonomy):
    """Five groups of three, whose losses keep their order: 120 permutations."""
    wrong = np.array([0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0])
    light = np.array(["day", "night", "day"] * 2 + ["night", "day", "day"] * 3)
    predictions = hv.Predictions.from_labels(
        taxonomy, np.where(wrong, 6, 2), truth=np.full(15, 2), attributes={"light": light}
    )
    group = np.repeat(np.arange(5), 3)
    found = hv.slices(predictions, attributes=["light"], group=group, min_samples=1, n_permutations=9999)
    for place, value in enumerate(found.value.tolist()):
        inside = light == value
        sums = [wrong.reshape(5, 3)[list(order)].ravel()[inside].sum() for order in itertools.permutations(range(5))]
        exact = np.mean(np.array(sums) >= wrong[inside].sum())
        assert found.p_value[place] == pytest.approx(exact, abs=0.02)
        # Three of the four have one in the middle, where two groups are at night.
        assert exact == pytest.approx(0.3 if value == "night" else 1)


def test_permutations_agree_with_fisher(grid):
    rng = np.random.default_rng(4)
    truth = rng.choice(grid.leaves, 300)
    is_wrong = rng.random(300) < np.where(grid.is_ancestor(grid.node("a"), truth), 0.2, 0.1)
    predictions = labelled(grid, truth, is_wrong)
    exact = hv.slices(predictions)
    by_group = hv.slices(predictions, group=np.arange(300), n_permutations=3999)
    places = [by_group.node.tolist().index(node) for node in exact.node.tolist()]
    np.testing.assert_allclose(by_group.p_value[places], exact.p_value, atol=0.03)


def test_demo():
    from hierviz.demo import load_demo

    _, (flat,) = load_demo(["flat_softmax"])
    found = hv.slices(flat)
    assert (found.kind[0], found.value[0]) == ("unusual_setting", "yes")
    assert found.sentence().startswith(
        "Clearly worse than the rest: unusual_setting = yes (28.6 % wrong, the rest 5.3 %)"
    )
    assert hv.slices(flat, attributes=[], correction="by").sentence() == "No slice is clearly worse than the rest."
    # Counted by hand: each subtree with ten samples inside and outside, its wrong answers and samples.
    answers = judged_answers(flat)
    wrong = answers.outcome == list(OUTCOMES).index("wrong")
    taxonomy, truth, shares = flat.taxonomy, flat.truth, {}
    for node in range(1, taxonomy.n_nodes):
        inside = np.array([node in taxonomy.path(one) for one in truth])
        if inside.sum() >= 10 and (~inside).sum() >= 10:
            shares[node] = (wrong[inside].mean(), inside.sum(), wrong[inside].sum())
    worst = max(shares, key=lambda node: shares[node][:2])
    rate, n, lost = shares[worst]
    assert found.highest_sentence() == (
        f"Worst subtree by its share of wrong answers: {taxonomy.title(worst)} ({lost} of {n} wrong, {100 * rate:.1f}%)."
    )


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"q": 1}, r"^q: expected a number between 0 and 1, got 1\."),
        ({"min_samples": 0}, r"^min_samples: expected a whole number from 1 up, got 0\."),
        ({"n_permutations": 0.5}, r"^n_permutations: expected a whole number from 1 up, got 0\.5\."),
        ({"loss": "losses"}, r"^loss: expected one of"),
        ({"attributes": ["lihgt"]}, r"^attributes: expected a column .*: light; got 'lihgt'\. Did you mean 'light'\?"),
        (
            {"attributes": "light"},
            r"^attributes: expected a list of columns, got 'light'\. Pass a list",
        ),
        ({"group": "observer"}, r"^group: expected a column .*: light; got 'observer'\."),
        ({"group": [1]}, r"^group: expected one label for each of the 2 samples, got shape \(1,\)\."),
        ({"correction": "holm"}, r"^correction: expected one of bh, by, got 'holm'\."),
    ],
)
def test_errors(taxonomy, keywords, says):
    made = hv.Predictions.from_labels(taxonomy, [2, 3], truth=[2, 2], attributes={"light": np.array(["day", "night"])})
    with pytest.raises(hv.PredictionsError, match=says):
        hv.slices(made, **keywords)


@pytest.mark.parametrize(
    ("column", "codes", "texts"),
    [
        (np.array(["b", "", "a", "None"]), [2, -1, 1, 0], ["None", "a", "b"]),
        (np.array(["b", None, float("nan"), "", 3], dtype=object), [1, -1, -1, -1, 0], ["3", "b"]),
        (np.array([1.5, np.nan, 1.5]), [0, -1, 0], ["1.5"]),
        (np.array([True, False]), [1, 0], ["False", "True"]),
        (np.array([], dtype=object), [], []),
    ],
)
def test_values_of_a_column(column, codes, texts):
    found, names = codes_of(column)
    assert found.tolist() == codes
    assert names == texts


def test_no_slice_is_large_enough(taxonomy):
    found = hv.slices(hv.Predictions.from_labels(taxonomy, [2, 3], truth=[2, 2]))
    assert (len(found), found.n_flagged) == (0, 0)
    assert found.highest_sentence() == ""
    assert found.sentence() == "No slice is clearly worse than the rest."


def test_a_slice_that_fails_through_another_is_no_cause_of_its_own():
    """All wrong samples are in a; b shares most of its samples with a and has no excess beside it."""
    taxonomy = hv.Taxonomy.from_edges([("root", "x"), ("root", "y")])
    a, b = np.arange(200) < 40, np.arange(200) < 50
    truth = np.full(200, taxonomy.node("x"))
    answers = np.where(a, taxonomy.node("y"), truth)
    predictions = hv.Predictions.from_labels(
        taxonomy, answers, truth=truth, attributes={"a": a.astype(str), "b": b.astype(str)}
    )
    found = hv.slices(predictions)
    named = dict(zip(zip(found.kind.tolist(), found.value.tolist()), found.is_explained.tolist()))
    assert found.is_flagged.sum() == 2
    assert (named["a", "True"], named["b", "True"]) == (False, True)
    assert found.sentence() == (
        "Clearly worse than the rest: a = True (100.0 % wrong, the rest 0.0 %). "
        "1 more slice is worse, but mostly because of samples shared with these."
    )
