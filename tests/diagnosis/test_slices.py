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
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.messages.number_text import percent_text, probability_text
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
    found = hv.diagnosis.slices(predictions, min_samples=3, tests=hv.diagnosis.ManyTests(q=0.3))
    losses = [float(naive.outcome(graph, y, a) == "wrong") for y, a in zip(truth.tolist(), said.tolist())]
    expected = naive_slices(graph, [[y] for y in truth.tolist()], losses, {"light": light}, 3)
    keys = [(row.kind, row.value) for row in found.rows]
    assert sorted(keys) == sorted(expected)
    covered, overall = set(), sum(losses) / 30
    for place, key in enumerate(keys):
        inside = expected[key]
        assert found.samples(place).tolist() == sorted(inside)
        rate = sum(losses[i] for i in inside) / len(inside)
        assert found.rows[place].n == len(inside)
        assert found.rows[place].rate == pytest.approx(rate)
        assert found.rows[place].rest_rate == pytest.approx((sum(losses) - rate * len(inside)) / (30 - len(inside)))
        assert found.rows[place].excess == pytest.approx(len(inside) * (rate - overall), abs=1e-9)
        assert found.rows[place].p_value == pytest.approx(fisher(inside, losses), rel=1e-9)
        assert found.rows[place].is_flagged == (found.rows[place].p_adjusted <= 0.3)
        outside = inside - covered if found.rows[place].is_flagged else inside
        assert found.rows[place].n_outside == len(outside)
        lost = sum(losses[i] for i in outside)
        assert found.rows[place].excess_outside == pytest.approx(lost - len(outside) * overall, abs=1e-9)
        if found.rows[place].is_flagged:
            # No later flagged slice has more beyond what stands before it.
            for other in range(place, found.n_flagged):
                rest = expected[keys[other]] - covered
                assert sum(losses[i] - overall for i in rest) <= found.rows[place].excess_outside + 1e-9
            covered |= inside
    assert [row.is_flagged for row in found.rows] == sorted([row.is_flagged for row in found.rows], reverse=True)
    assert found.test == "Fisher"
    assert len(found.to_frame()) == len(found)


def test_several_truths_lose_hf1(taxonomy):
    rng = np.random.default_rng(0)
    truths = [[2, 6] if k % 2 else [5] for k in range(80)]
    answers = [[2] if k % 2 else [5] for k in range(80)]
    predictions = hv.Predictions.from_labels(
        taxonomy, hv.NodeLists.from_lists(answers), truth=truths, attributes={"coin": rng.choice(["a", "b"], 80)}
    )
    found = hv.diagnosis.slices(predictions)
    assert (found.loss_key, found.test) == ("lost_hf1", "permutation")
    # mammal, cat and newt have the same samples; the last is the most specific.
    assert found.rows[0].value == "newt"
    assert [row.n_outside for row in found.rows[: found.n_flagged]] == [40, 0, 0]
    assert found.rows[0].p_value == 1 / (1 + 999)
    with pytest.raises(
        hv.PredictionsError, match="expected one true class and one answer per sample, got several true"
    ):
        hv.diagnosis.slices(predictions, loss="wrong")


def alarms(taxonomy, n_sets, **keywords):
    rng = np.random.default_rng(1)
    truth = rng.choice(taxonomy.leaves, 600)
    light = rng.choice(["day", "night", "rain"], 600)
    is_wrong = rng.random(600) < 0.1
    flagged = 0
    for _ in range(n_sets):
        predictions = labelled(taxonomy, truth, rng.permutation(is_wrong), {"light": light})
        flagged += hv.diagnosis.slices(predictions, **keywords).n_flagged > 0
    return flagged


@pytest.mark.parametrize("n_sets", [150, pytest.param(500, marks=pytest.mark.long)])
def test_no_more_false_alarms_than_promised(grid, n_sets):
    assert alarms(grid, n_sets) / n_sets <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / n_sets)


@pytest.mark.parametrize("n_sets", [10, pytest.param(100, marks=pytest.mark.long)])
def test_no_more_false_alarms_by_permutation(grid, n_sets):
    share = alarms(grid, n_sets, loss="depth_dist") / n_sets
    assert share <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / n_sets)


@pytest.mark.parametrize(("n_sets", "n"), [(60, 1000), pytest.param(200, 600, marks=pytest.mark.long)])
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
        found = hv.diagnosis.slices(labelled(grid, truth, is_wrong))
        first += found.n_flagged > 0 and found.rows[0].node == planted
    assert first >= 0.95 * n_sets


def test_groups_are_permuted_as_a_whole(grid):
    """Thirty observers with 20 samples each, of whom three get everything wrong: samples are alarmed, observers are not."""
    rng = np.random.default_rng(3)
    observer = np.repeat(np.arange(30), 20)
    truth = rng.choice(grid.leaves, 600)
    light = np.where(observer < 10, "night", "day")
    is_wrong = np.isin(observer, [0, 1, 25])
    predictions = labelled(grid, truth, is_wrong, {"light": light, "observer": observer.astype(str)})
    alone = hv.diagnosis.slices(predictions, attributes=["light"])
    night = [row.value for row in alone.rows].index("night")
    assert alone.rows[night].is_flagged
    together = hv.diagnosis.slices(
        predictions, attributes=["light"], group="observer", tests=hv.diagnosis.ManyTests(n_draws=1999)
    )
    assert (together.test, together.n_groups) == ("permutation", 30)
    assert not any(row.is_flagged for row in together.rows)
    night = [row.value for row in together.rows].index("night")
    # At least 2 of the 3 among 10 of 30: hypergeometric.
    exact = (math.comb(3, 2) * math.comb(27, 8) + math.comb(27, 7)) / math.comb(30, 10)
    assert together.rows[night].p_value == pytest.approx(exact, abs=0.04)
    again = hv.diagnosis.slices(
        predictions, attributes=["light"], group=observer, tests=hv.diagnosis.ManyTests(n_draws=1999)
    )
    assert [row.p_value for row in again.rows] == [row.p_value for row in together.rows]


def test_whole_groups_against_all_permutations(taxonomy):
    """Ten cameras with 1 to 5 pictures, three of them at night: any three are as likely, each with all its pictures."""
    sizes, lost = np.array([1, 2, 3, 4, 5, 1, 2, 3, 4, 5]), np.array([1, 2, 1, 3, 0, 0, 0, 1, 2, 1])
    camera = np.repeat(np.arange(10), sizes)
    wrong = np.concatenate([np.arange(n) < k for n, k in zip(sizes, lost)])
    night = np.array([0, 1, 3])

    def above_rest(some):
        inside, n_inside = lost[list(some)].sum(), sizes[list(some)].sum()
        return inside / n_inside - (lost.sum() - inside) / (sizes.sum() - n_inside)

    exact = np.mean([above_rest(some) >= above_rest(night) - 1e-9 for some in itertools.combinations(range(10), 3)])
    light = np.where(np.isin(camera, night), "night", "day")
    rng = np.random.default_rng(0)
    for order in (np.arange(30), np.arange(30)[::-1], rng.permutation(30)):
        predictions = hv.Predictions.from_labels(
            taxonomy,
            np.where(wrong, 6, 2)[order],
            truth=np.full(30, 2),
            attributes={"light": light[order], "camera": camera[order].astype(str)},
        )
        found = hv.diagnosis.slices(
            predictions, attributes=["light"], group="camera", min_samples=1, tests=hv.diagnosis.ManyTests(n_draws=9999)
        )
        assert (found.test, found.n_groups) == ("permutation", 10)
        p = {row.value: row.p_value for row in found.rows}
        assert p["night"] == pytest.approx(exact, abs=0.01)


def test_inside_groups_against_all_permutations(taxonomy):
    """Ten observers, some of whom are always wrong: the wrong answers at night are sums of hypergeometric numbers."""
    sizes, lost = [4, 4, 3, 6, 2, 5, 4, 3, 1, 1], [4, 1, 2, 2, 0, 2, 1, 1, 1, 0]
    at_night = [2, 1, 1, 3, 1, 2, 2, 1, 1, 0]
    observer = np.repeat(np.arange(10), sizes)
    wrong = np.concatenate([np.arange(n) < k for n, k in zip(sizes, lost)])
    # As many of the wrong ones at night as there can be.
    light = np.concatenate([np.where(np.arange(n) < k, "night", "day") for n, k in zip(sizes, at_night)])
    ways = np.ones(1)
    for n, k, m in zip(sizes, lost, at_night):
        ways = np.convolve(ways, [math.comb(k, x) * math.comb(n - k, m - x) / math.comb(n, m) for x in range(m + 1)])
    # The eighth observer has one at night, which is wrong, and the last none.
    observed = sum(min(k, m) for k, m in zip(lost, at_night)) - 1
    light[np.flatnonzero(observer == 7)[:2]] = ["day", "night"]
    exact = ways[observed:].sum()
    assert 0.001 < exact < 0.2
    rng = np.random.default_rng(0)
    for order in (np.arange(33), np.arange(33)[::-1], rng.permutation(33)):
        predictions = hv.Predictions.from_labels(
            taxonomy,
            np.where(wrong, 6, 2)[order],
            truth=np.full(33, 2),
            attributes={"light": light[order], "observer": observer[order].astype(str)},
        )
        found = hv.diagnosis.slices(
            predictions,
            attributes=["light"],
            group="observer",
            min_samples=1,
            tests=hv.diagnosis.ManyTests(n_draws=9999),
        )
        assert {row.value: row.p_value for row in found.rows}["night"] == pytest.approx(exact, abs=0.01)


def flagged_at_night(grid, seed, order):
    """Forty observers with three pictures by day, then three at night, wrong for 1 and 4 of 10; the rows as `order` has them."""
    rng = np.random.default_rng(seed)
    observer, light = np.repeat(np.arange(40), 6), np.tile(np.repeat(["day", "night"], 3), 40)
    is_wrong = rng.random(240) < np.where(light == "night", 0.4, 0.1)
    rows = {
        "of the observers": np.arange(240),
        "reversed": np.arange(240)[::-1],
        "shuffled inside observers": np.lexsort((rng.random(240), observer)),
        "by light": np.argsort(light, kind="stable"),
        "shuffled": rng.permutation(240),
    }[order]
    truth = rng.choice(grid.leaves, 240)
    predictions = labelled(
        grid, truth[rows], is_wrong[rows], {"light": light[rows], "observer": observer[rows].astype(str)}
    )
    found = hv.diagnosis.slices(
        predictions, attributes=["light"], group="observer", tests=hv.diagnosis.ManyTests(n_draws=999)
    )
    return "night" in [row.value for row in found.rows[: found.n_flagged]]


@pytest.mark.parametrize("n_sets", [25, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "order",
    [
        *("of the observers", "shuffled"),
        *(
            pytest.param(order, marks=pytest.mark.long)
            for order in ("reversed", "shuffled inside observers", "by light")
        ),
    ],
)
def test_an_effect_inside_groups_is_found_in_any_order_of_rows(grid, order, n_sets):
    assert np.mean([flagged_at_night(grid, seed, order) for seed in range(n_sets)]) >= 0.95


def flagged_camera(grid, seed):
    """Forty observers with 1 to 16 pictures and one camera each; camera x is wrong for 4 of 10, the other for 1 of 10."""
    rng = np.random.default_rng(seed)
    sizes, has_x = rng.integers(1, 17, 40), rng.permutation(40) < 20
    observer = np.repeat(np.arange(40), sizes)
    camera, n = np.where(has_x, "x", "y")[observer], sizes.sum()
    is_wrong = rng.random(n) < np.where(camera == "x", 0.4, 0.1)
    columns = {"camera": camera, "observer": observer.astype(str)}
    predictions = labelled(grid, rng.choice(grid.leaves, n), is_wrong, columns)
    found = hv.diagnosis.slices(
        predictions, attributes=["camera"], group="observer", tests=hv.diagnosis.ManyTests(n_draws=999)
    )
    return "x" in [row.value for row in found.rows[: found.n_flagged]]


@pytest.mark.parametrize("n_sets", [25, pytest.param(200, marks=pytest.mark.long)])
def test_an_effect_between_unequal_groups_is_found(grid, n_sets):
    assert np.mean([flagged_camera(grid, seed) for seed in range(n_sets)]) >= 0.95


def flagged_without_effect(grid, seed):
    """Forty observers with 2 to 16 pictures, wrong for 0 to 60 %, of whom each likes the night and has one camera."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 17, 40)
    observer = np.repeat(np.arange(40), sizes)
    level, likes, camera = rng.choice([0, 0.05, 0.1, 0.6], 40), rng.random(40), rng.choice(["x", "y", "z"], 40)
    n = sizes.sum()
    light = np.where(rng.random(n) < likes[observer], "night", "day")
    truth = grid.leaves[(rng.integers(0, 9, 40)[observer] + rng.integers(0, 9, n)) % 27]
    columns = {"light": light, "camera": camera[observer], "observer": observer.astype(str)}
    predictions = labelled(grid, truth, rng.random(n) < level[observer], columns)
    found = hv.diagnosis.slices(
        predictions, attributes=["light", "camera"], group="observer", tests=hv.diagnosis.ManyTests(n_draws=999)
    )
    return found.n_flagged > 0


@pytest.mark.parametrize("n_sets", [40, pytest.param(300, marks=pytest.mark.long)])
def test_unequal_groups_alone_raise_no_alarm(grid, n_sets):
    share = np.mean([flagged_without_effect(grid, seed) for seed in range(n_sets)])
    assert share <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / n_sets)


def test_groups_of_one_sample_each_are_no_groups(grid):
    """The same test, p-values and intervals as without groups; samples without a label are alone too."""
    rng = np.random.default_rng(0)
    is_wrong = rng.random(90) < 0.3
    predictions = labelled(grid, rng.choice(grid.leaves, 90), is_wrong, {"dark": np.where(is_wrong, "yes", "no")})
    alone = np.where(np.arange(90) < 80, rng.permutation(90).astype(str), "")
    plain, grouped = (hv.diagnosis.slices(predictions, group=group) for group in (None, alone))
    assert plain.test == grouped.test == "Fisher"
    assert [row.p_value for row in plain.rows] == [row.p_value for row in grouped.rows]
    assert plain.sentence() == grouped.sentence()
    means = [hv.diagnosis.means_by(predictions, "dark", metric="exact", group=group) for group in (None, alone)]
    np.testing.assert_array_equal(means[0].lower, means[1].lower)


def test_fewer_than_ten_groups_are_not_tested(grid):
    rng = np.random.default_rng(5)
    truth = rng.choice(grid.leaves, 90)
    is_wrong = grid.is_ancestor(grid.node("a"), truth)
    predictions = labelled(grid, truth, is_wrong, {"site": np.repeat(np.arange(9), 10).astype(str)})
    assert hv.diagnosis.slices(predictions).n_flagged
    found = hv.diagnosis.slices(predictions, group="site")
    assert (found.test, found.n_groups, found.n_flagged) == ("none", 9, 0)
    assert all(np.isnan(row.p_value) for row in found.rows)
    assert all(np.isnan(row.p_adjusted) for row in found.rows)
    assert found.sentence() == "Slices are not tested: 9 groups, and a test needs at least 10."
    assert hv.diagnosis.slices(predictions, group=np.arange(90) // 9).test == "permutation"
    alone = hv.diagnosis.slices(
        hv.Predictions.from_labels(grid, grid.leaves[:9], truth=grid.leaves[1:10]), min_samples=1
    )
    assert alone.sentence() == "Slices are not tested: 9 samples, and a test needs at least 10."


def test_permutations_agree_with_fisher(grid):
    rng = np.random.default_rng(4)
    truth = rng.choice(grid.leaves, 300)
    is_wrong = rng.random(300) < np.where(grid.is_ancestor(grid.node("a"), truth), 0.2, 0.1)
    predictions = labelled(grid, truth, is_wrong)
    exact = hv.diagnosis.slices(predictions)
    by_group = hv.diagnosis.slices(predictions, group=np.arange(300), tests=hv.diagnosis.ManyTests(n_draws=3999))
    places = [[row.node for row in by_group.rows].index(node) for node in [row.node for row in exact.rows]]
    np.testing.assert_allclose(
        [by_group.rows[place].p_value for place in places], [row.p_value for row in exact.rows], atol=0.03
    )


@pytest.mark.long
def test_demo():
    from hierviz.demo import load_demo

    _, (flat,) = load_demo(["flat_softmax"])
    found = hv.diagnosis.slices(flat)
    assert (found.rows[0].kind, found.rows[0].value) == ("unusual_setting", "yes")
    assert found.sentence().startswith(
        "Clearly worse than the rest: unusual_setting = yes (28.6 % wrong, the rest 5.3 %)"
    )
    assert (
        hv.diagnosis.slices(flat, attributes=[], tests=hv.diagnosis.ManyTests(correction="by")).sentence()
        == "No slice is clearly worse than the rest."
    )
    # Counted by hand: each subtree with ten samples inside and outside, its wrong answers and samples.
    answers = judged_answers(flat)
    wrong = answers.outcome == list(OUTCOMES).index("wrong")
    taxonomy, truth, excess = flat.taxonomy, flat.truth, {}
    for node in range(1, taxonomy.n_nodes):
        inside = np.array([node in taxonomy.path(one) for one in truth])
        if inside.sum() >= 10 and (~inside).sum() >= 10:
            excess[node] = (wrong[inside].sum() - inside.sum() * wrong.mean(), wrong[inside].sum(), inside.sum())
    worst = max(excess, key=lambda node: excess[node][0])
    more, lost, n = excess[worst]
    place = found.worst_subtree
    assert found.rows[place].node == worst
    assert not found.rows[place].is_flagged
    assert found.worst_sentence() == (
        f"Worst subtree: {taxonomy.title(worst)}, {lost} of {n} wrong ({percent_text(lost / n, 1)}), {more:.1f} more than "
        f"expected: not clearly worse than the rest (corrected p = {probability_text(found.rows[place].p_adjusted)})."
    )


def test_the_worst_subtree_has_the_largest_excess_of_those_that_are_clearly_worse(grid):
    """Half of aa is wrong, and one in twenty of the others."""
    rng = np.random.default_rng(8)
    truth = np.repeat(grid.leaves, 40)
    is_wrong = rng.random(len(truth)) < 0.05
    aa = grid.is_ancestor(grid.node("aa"), truth)
    is_wrong[np.flatnonzero(aa)[:60]] = True
    found = hv.diagnosis.slices(labelled(grid, truth, is_wrong))
    place = found.worst_subtree
    assert found.rows[place].value == "aa"
    assert found.rows[place].is_flagged
    assert found.worst_sentence().endswith(
        f"than expected: clearly worse than the rest (corrected p = {probability_text(found.rows[place].p_adjusted)})."
    )
    # A leaf is called so; equally good subtrees have no worst one.
    leaf = grid.is_ancestor(grid.node("ccc"), truth)
    named = hv.diagnosis.slices(labelled(grid, truth, leaf)).worst_sentence()
    assert named.startswith(
        "Worst subtree: ccc (a leaf class), 40 of 40 wrong (100.0 %), 38.5 more than expected: clearly"
    )
    for nothing in (np.zeros(len(truth), bool), np.ones(len(truth), bool)):
        assert hv.diagnosis.slices(labelled(grid, truth, nothing)).worst_subtree is None
        assert hv.diagnosis.slices(labelled(grid, truth, nothing)).worst_sentence() == ""
    grouped = hv.diagnosis.slices(labelled(grid, truth, is_wrong), group=np.arange(len(truth)) % 5)
    assert grouped.worst_sentence().endswith("than expected: not tested.")
    by_loss = hv.diagnosis.slices(
        labelled(grid, truth, is_wrong), loss="depth_dist", tests=hv.diagnosis.ManyTests(n_draws=999)
    )
    assert "Worst subtree: aa, mean depth distance" in by_loss.worst_sentence()


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"tests": 0.1}, r"^tests: expected a ManyTests, got float"),
        ({"min_samples": 0}, r"^min_samples: expected a whole number >= 1, got 0\."),
        ({"loss": "losses"}, r"^loss: expected one of"),
        ({"attributes": ["lihgt"]}, r"^attributes: expected a column .*: light; got 'lihgt'\. Did you mean 'light'\?"),
        (
            {"attributes": "light"},
            r"^attributes: expected a list of columns, got 'light'\. Pass a list",
        ),
        ({"group": "observer"}, r"^group: expected a column .*: light; got 'observer'\."),
        ({"group": [1]}, r"^group: expected one label for each of the 2 samples, got shape \(1,\)\."),
    ],
)
def test_errors(taxonomy, keywords, says):
    made = hv.Predictions.from_labels(taxonomy, [2, 3], truth=[2, 2], attributes={"light": np.array(["day", "night"])})
    with pytest.raises(hv.PredictionsError, match=says):
        hv.diagnosis.slices(made, **keywords)


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
    found = hv.diagnosis.slices(hv.Predictions.from_labels(taxonomy, [2, 3], truth=[2, 2]))
    assert (len(found), found.n_flagged) == (0, 0)
    assert found.worst_sentence() == ""
    assert found.sentence() == "Slices are not tested: 2 samples, and a test needs at least 10."


def test_a_slice_that_fails_through_another_is_no_cause_of_its_own():
    """All wrong samples are in a; b shares most of its samples with a and has no excess beside it."""
    taxonomy = hv.Taxonomy.from_edges([("root", "x"), ("root", "y")])
    a, b = np.arange(200) < 40, np.arange(200) < 50
    truth = np.full(200, taxonomy.node("x"))
    answers = np.where(a, taxonomy.node("y"), truth)
    predictions = hv.Predictions.from_labels(
        taxonomy, answers, truth=truth, attributes={"a": a.astype(str), "b": b.astype(str)}
    )
    found = hv.diagnosis.slices(predictions)
    named = {(row.kind, row.value): row.is_explained for row in found.rows}
    assert found.n_flagged == 2
    assert (named["a", "True"], named["b", "True"]) == (False, True)
    # A table of the slices says what the sentence says.
    said = {(row.kind, row.value): row.verdict for row in found.rows}
    assert (said["a", "True"], said["b", "True"], said["a", "False"]) == ("clearly worse", "shares samples", "")
    assert found.sentence() == (
        "Clearly worse than the rest: a = True (100.0 % wrong, the rest 0.0 %). "
        "1 more slice is worse, but mostly because of samples shared with these."
    )


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"q": 1}, r"^q: expected a number between 0 and 1, got 1\."),
        ({"n_draws": 0.5}, r"^n_draws: expected a whole number >= 1, got 0\.5\."),
        ({"correction": "holm"}, r"^correction: expected one of bh, by, got 'holm'\."),
    ],
)
def test_errors_of_many_tests(keywords, says):
    with pytest.raises(hv.PredictionsError, match=says):
        hv.diagnosis.ManyTests(**keywords)
