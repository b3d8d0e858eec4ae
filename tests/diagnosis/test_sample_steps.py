"""Tables of steps against `infer` on both sides of every bound, `sample_confusion` and the plain definitions of sets."""

import math
from itertools import pairwise

import naive
import naive_diagnosis
import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import hierviz as hv
from hierviz.diagnosis._sample_steps import sample_steps, steps_by_rule
from hierviz.diagnosis.sample_answers import answers_by_rule, sample_confusion
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.second_opinion import plain_sets

PARAMETERS = {"threshold": "threshold", "threshold_set": "threshold", "darts": "lam", "information_threshold": "bits"}
# 50 taxonomies of 4 samples each.
two_hundred = settings(strategies.many, max_examples=50)


@st.composite
def samples(draw, source):
    """(graph, scores, their kind, truth) of 4 samples: probabilities with ties, that need not be coherent, or without any."""
    graph = draw(source)
    kind, truth = draw(st.sampled_from(["any", "leaves", "smooth"])), draw(strategies.truths(graph, 4))
    if kind == "any":
        scores = draw(strategies.rows(graph.n, least=4, most=4))
        if draw(st.booleans()):
            scores[:, 0] = 1
    elif kind == "leaves":
        scores = draw(strategies.leaf_rows(graph, least=4, most=4))
    else:
        rng = np.random.default_rng(draw(st.integers(0, 10**6)))
        scores = rng.dirichlet(np.full(len(graph.leaves), 0.5), 4)
    form = "node_probabilities" if kind == "any" else "leaf_probabilities"
    return graph, scores, form, truth


def evaluated(case, truth=None):
    graph, scores, form, own = case
    truth = own if truth is None else truth
    taxonomy = strategies.from_graph(graph)
    return graph, Evaluation.from_predictions(hv.Predictions.from_scores(taxonomy, scores, form, truth=truth))


def answer(taxonomy, p, rule, parameter, value):
    found = hv.infer(taxonomy, p, rule, **{parameter: value})
    return found[0].tolist() if isinstance(found, hv.NodeLists) else [int(found[0])]


def more_than_two_lines_meet(taxonomy, p, values):
    nodes = taxonomy.candidates
    heights = [p[nodes] * (taxonomy.information[nodes] + value) for value in values]
    return any((height >= height.max() * (1 - 1e-11)).sum() > 2 for height in heights)


@two_hundred
@given(st.one_of(samples(strategies.trees()), samples(strategies.graphs())))
def test_every_step_is_the_answer_of_the_rule_and_so_is_one_float_beside_each_bound(case):
    _, evaluation = evaluated(case)
    taxonomy = evaluation.taxonomy
    for sample in range(4):
        p = evaluation.predictions.node_probabilities([sample])
        found = steps_by_rule(evaluation, sample, PARAMETERS)
        for rule, parameter in PARAMETERS.items():
            steps = found[rule]
            assert steps.parameter == parameter
            assert (steps.low[0], steps.high[-1]) == steps.axis
            assert bool(steps.unlisted) == (rule == "darts" and steps.axis[1] == 1e6)
            assert steps.low[1:].tolist() == steps.high[:-1].tolist()
            # Only a threshold of 1 may be a step of its own.
            assert (steps.low[:-1] < steps.high[:-1]).all()
            assert steps.low[-1] <= steps.high[-1]
            answers = [steps.answers[step].tolist() for step in range(len(steps))]
            assert all(one != other for one, other in pairwise(answers))
            bounds = [*steps.low.tolist(), steps.axis[1]]
            middles = ((steps.low + steps.high) / 2).tolist()
            beside = [math.nextafter(bound, side) for bound in bounds for side in (-math.inf, math.inf)]
            if rule == "darts" and more_than_two_lines_meet(taxonomy, p[0], bounds[1:-1]):
                # Which of them is the answer at that point is not said, but next to it.
                bounds = [0, steps.axis[1]]
                beside = [bound * (1 + side) for bound in steps.low for side in (-1e-8, 1e-8)]
            for value in (*bounds, *middles, *beside):
                if steps.axis[0] <= value <= steps.axis[1]:
                    assert answers[steps.place(value)] == answer(taxonomy, p, rule, parameter, value), (rule, value)


@strategies.many
@given(samples(strategies.trees()))
def test_thresholds_are_the_flip_intervals(case):
    _, evaluation = evaluated(case)
    for sample in range(4):
        flips, found = hv.diagnosis.flip_intervals(evaluation, sample), sample_steps(evaluation, sample)
        assert found.low.tolist() == flips.low.tolist()
        assert found.high.tolist() == flips.high.tolist()
        assert found.answers.nodes.tolist() == flips.node.tolist()
        assert found.outcome.tolist() == flips.outcome.tolist()
        assert found.p.tolist() == flips.score.tolist()
        majority = sample_steps(evaluation, sample, "majority")
        place = flips.place(0.5)
        assert (majority.parameter, majority.answers.nodes.tolist()) == ("", [flips.node[place]])
        for steps, at in ((found, place), (majority, 0)):
            following = -1 if place == 0 else int(flips.node[place - 1])
            assert steps.next_node[at] == following
            assert steps.next_p[at] == flips.score[place - 1] if place else math.isnan(steps.next_p[at])


@strategies.many
@given(st.one_of(samples(strategies.trees()), samples(strategies.graphs())), st.data())
def test_counts_outcomes_precision_and_recall(case, data):
    graph, evaluation = evaluated(case)
    taxonomy, predictions = evaluation.taxonomy, evaluation.predictions
    if data.draw(st.booleans(), "several truths"):
        lists = [[int(node)] + [graph.n - 1] * (place % 2) for place, node in enumerate(predictions.truth)]
        _, evaluation = evaluated(case, hv.NodeLists.from_lists(lists))
    else:
        lists = [[int(node)] for node in predictions.truth]
    rules = [rule for rule, entry in INFERENCE_RULES.items() if taxonomy.is_tree or not entry.tree_only]
    for sample in range(4):
        found = steps_by_rule(evaluation, sample, rules, threshold=0.3)
        assert list(found) == rules
        at_once = answers_by_rule(evaluation, sample, rules, 0.3, bits=0.0)
        for rule, steps in found.items():
            parameter = PARAMETERS.get(rule)
            if parameter is None:
                assert (len(steps), steps.parameter, steps.axis) == (1, "", (0, 1))
            else:
                assert len(steps) >= 1
            default = {"threshold": 0.3, "lam": 1.0, "bits": 0.0}.get(parameter, 0.5)
            if steps.axis[0] <= default <= steps.axis[1]:
                # The step that holds at the settings says what `answers_by_rule` says.
                place, one = steps.place(default), at_once[rule]
                assert steps.answers[place].tolist() == list(one.nodes)
                assert steps.outcome[place] == one.outcome
                for key in ("information", "p"):
                    value = getattr(steps, key)[place]
                    assert (None if math.isnan(value) else value) == getattr(one, key)
            for step in range(len(steps)):
                low, high = steps.low[step], steps.high[step]
                value = {"lam": (low + high) / 2, "bits": high}.get(parameter, low)
                given_value = {"threshold": 0.3} if parameter is None else {parameter: value}
                counts = sample_confusion(evaluation, sample, rule, **given_value)
                assert {cell: int(getattr(steps, cell)[step]) for cell in ("tp", "fp", "fn")} == {
                    cell: counts.counts[cell] for cell in ("tp", "fp", "fn")
                }, (rule, step, steps.low, steps.high)
                chosen = steps.answers[step].tolist()
                plain = plain_sets.labels(graph, [chosen], [lists[sample]])
                hp, hr = plain["hp_samples"], plain["hr_samples"]
                assert steps.hp[step] == pytest.approx(hp)
                assert steps.hr[step] == pytest.approx(hr)
                assert steps.hf[step] == pytest.approx(2 * hp * hr / (hp + hr) if hp + hr else 0)
                if INFERENCE_RULES[rule].returns_sets:
                    assert steps.outcome[step] == naive_diagnosis.set_outcome(graph, lists[sample], chosen)
                else:
                    outcomes = {naive.outcome(graph, true, chosen[0]) for true in lists[sample]}
                    assert steps.outcome[step] == next(key for key in OUTCOMES if key in outcomes)
                ends = [path[-1] for path in counts.predicted[0]] if hasattr(counts.predicted, "paths") else chosen
                assert sorted(path[-1] for path in steps.paths[step]) == sorted(ends)


def test_by_hand(taxonomy):
    # cat 8/16, dog 3/16, duck 3/16, newt 2/16: mammal 11/16, bird 3/16; the truth is dog.
    scores = hv.Predictions.from_scores(
        taxonomy, [[0.5, 0.1875, 0.1875, 0.125]], "leaf_probabilities", truth=taxonomy.nodes("dog")
    )
    evaluation = Evaluation.from_predictions(scores)
    animal, mammal, cat, dog, newt = taxonomy.nodes("animal", "mammal", "cat", "dog", "newt").tolist()
    bird, duck = taxonomy.nodes("bird", "duck").tolist()
    found = sample_steps(evaluation, 0)
    assert (found.parameter, found.axis, found.closed) == ("threshold", (0, 1), "low")
    assert found.low.tolist() == [0, 0.5, 0.6875]
    assert found.answers.nodes.tolist() == [cat, mammal, animal]
    assert [[path.tolist() for path in found.paths[step]] for step in range(3)] == [
        [[animal, mammal, cat]],
        [[animal, mammal]],
        [[animal]],
    ]
    assert found.outcome.tolist() == ["wrong", "coarse", "no_answer"]
    # The truth's path is mammal, dog: cat shares mammal.
    assert [found.tp.tolist(), found.fp.tolist(), found.fn.tolist()] == [[1, 1, 0], [1, 0, 0], [1, 1, 2]]
    assert [found.hp.tolist(), found.hr.tolist()] == [[0.5, 1, 1], [0.5, 0.5, 0]]
    assert found.hf.tolist() == [0.5, pytest.approx(2 / 3), 0]
    assert found.information.tolist() == [2, 1, 0]
    assert found.p.tolist() == [0.5, 0.6875, 1]
    assert found.next_node.tolist() == [-1, cat, mammal]
    assert found.next_p[1:].tolist() == [0.5, 0.6875]
    assert found.next_is_below.tolist() == [False, True, True]
    assert found.sentence.tolist() == [
        "Stops at cat (p = 0.500): it is a leaf. Wrong: the truth is dog.",
        "Stops at mammal (p = 0.688): the next class, cat, has 0.500, not above τ. Coarse: the truth is below it.",
        "Stops at animal (p = 1): the next class, mammal, has 0.688, not above τ. No answer.",
    ]
    assert [found.place(value) for value in (0, 0.49, 0.5, 0.68, 0.6875, 1)] == [0, 0, 1, 1, 2, 2]

    # Values (I + λ) p in sixteenths: cat (2 + λ) 8, mammal (1 + λ) 11, animal 16 λ. cat and mammal meet where
    # 16 + 8 λ = 11 + 11 λ, at 5/3; mammal and animal where 11 = 5 λ, at 2.2.
    darts = sample_steps(evaluation, 0, "darts")
    assert darts.low == pytest.approx([0, 5 / 3, 2.2])
    assert darts.axis == (0, pytest.approx(1.25 * 2.2))
    assert darts.answers.nodes.tolist() == [cat, mammal, animal]
    assert darts.next_node.tolist() == [-1, cat, mammal]
    assert darts.sentence[1] == (
        "DARTS, λ from 1.667 to 2.200 bits: mammal (p = 0.688). Coarse: the truth is below it."
    )
    # At exactly 0 bits the root is admitted, above it only what has more.
    bits = sample_steps(evaluation, 0, "information_threshold")
    assert (bits.parameter, bits.axis, bits.closed) == ("bits", (0, 2), "high")
    assert bits.high == pytest.approx([0, 1, 2], abs=2e-9)
    assert bits.answers.nodes.tolist() == [animal, mammal, cat]
    assert [bits.place(value) for value in (0, 0.5, 1, 1.01, 2)] == [0, 1, 1, 2, 2]
    assert bits.sentence.tolist() == [
        "Information threshold, ζ = 0 bits: animal (p = 1). No answer.",
        "Information threshold, ζ from 0 to 1.000 bits: mammal (p = 0.688). Coarse: the truth is below it.",
        "Information threshold, ζ from 1.000 to 2.000 bits: cat (p = 0.500). Wrong: the truth is dog.",
    ]
    assert (bits.next_node == -1).all()

    # Distinct probabilities below the root: 2/16 newt, 3/16 dog, bird and duck, 8/16 cat, 11/16 mammal.
    sets = sample_steps(evaluation, 0, "threshold_set")
    assert sets.low.tolist() == [0, 0.125, 0.1875, 0.5, 0.6875]
    assert [sets.answers[step].tolist() for step in range(5)] == [
        [mammal, cat, dog, bird, duck, newt],
        [mammal, cat, dog, bird, duck],
        [mammal, cat],
        [mammal],
        [],
    ]
    assert [[path[-1] for path in sets.paths[step]] for step in range(5)] == [
        [cat, dog, duck, newt],
        [cat, dog, duck],
        [cat],
        [mammal],
        [0],
    ]
    assert sets.next_node.tolist() == [-1, newt, dog, cat, mammal]
    # dog is no class below cat.
    assert sets.next_is_below.tolist() == [False, False, False, True, True]
    assert sets.outcome.tolist() == [*["wrong"] * 4, "no_answer"]
    assert np.isnan(sets.p).all()
    assert np.isnan(sets.information).all()
    assert sets.sentence.tolist() == [
        "6 classes on 4 paths above τ. Wrong: not exactly the truth, dog.",
        "5 classes on 3 paths above τ; next: newt (p = 0.125). Wrong: not exactly the truth, dog.",
        "2 classes above τ, down to cat; next: dog (p = 0.188). Wrong: not exactly the truth, dog.",
        "1 class above τ, down to mammal; next: cat (p = 0.500). Wrong: not exactly the truth, dog.",
        "No class above τ; next: mammal (p = 0.688). No answer.",
    ]
    assert sample_steps(evaluation, 0, "majority").sentence.tolist() == [
        "Stops at mammal (p = 0.688): the next class, cat, has 0.500, not above 0.5. Coarse: the truth is below it."
    ]
    table = found.to_frame()
    assert table["answer"].tolist() == ["cat", "mammal", "animal"]
    assert table["next"].tolist() == ["", "cat", "mammal"]
    assert sets.to_frame()["answer"].tolist()[2:] == ["mammal;cat", "mammal", ""]


def evaluation_of(taxonomy, scores, truth=None, form="node_probabilities"):
    return Evaluation.from_predictions(hv.Predictions.from_scores(taxonomy, scores, form, truth=truth))


def test_unknown_truth(taxonomy):
    found = steps_by_rule(evaluation_of(taxonomy, [[1, 0.75, 0.5, 0.25, 0.25, 0.25, 0]]), 0, INFERENCE_RULES)
    for steps in found.values():
        assert set(steps.outcome.tolist()) == {""}
        for cell in ("tp", "fp", "fn"):
            assert (getattr(steps, cell) == -1).all()
        for key in ("hp", "hr", "hf"):
            assert np.isnan(getattr(steps, key)).all()
    assert found["threshold"].sentence.tolist() == [
        "Stops at cat (p = 0.500): it is a leaf.",
        "Stops at mammal (p = 0.750): the next class, cat, has 0.500, not above τ.",
        "Stops at animal (p = 1): the next class, mammal, has 0.750, not above τ.",
    ]


def test_another_branch_inner_truth_and_below_the_truth(taxonomy):
    # mammal .5 with cat and dog .25 each, duck .375: below .375 the answer is duck, not below mammal.
    row = [1, 0.5, 0.25, 0.25, 0.375, 0.375, 0.125]
    steps = sample_steps(evaluation_of(taxonomy, [row], taxonomy.nodes("bird")), 0)
    assert steps.low.tolist() == [0, 0.375, 0.5]
    assert [taxonomy.names[node] for node in steps.answers.nodes] == ["duck", "mammal", "animal"]
    # duck is below the truth: exact, with one node more than the truth's path has.
    assert steps.outcome.tolist() == ["exact", "wrong", "no_answer"]
    assert [steps.tp.tolist(), steps.fp.tolist(), steps.fn.tolist()] == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    assert steps.next_is_below.tolist() == [False, False, True]
    assert steps.sentence.tolist() == [
        "Stops at duck (p = 0.375): it is a leaf. Exact: it is below the truth, bird.",
        "Stops at mammal (p = 0.500): the next class, duck in another branch, has 0.375, not above τ. "
        "Wrong: the truth is bird.",
        "Stops at animal (p = 1): the next class, mammal, has 0.500, not above τ. No answer.",
    ]


def test_chain_of_only_children():
    taxonomy = hv.Taxonomy.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    found = steps_by_rule(evaluation_of(taxonomy, [[1, 0.9, 0.8, 0.7]], taxonomy.nodes("b")), 0, INFERENCE_RULES)
    for rule, steps in found.items():
        if rule == "threshold_set":
            assert [steps.answers[step].tolist() for step in range(4)] == [[1, 2, 3], [1, 2], [1], []]
            assert [len(paths) for paths in (steps.paths[step] for step in range(4))] == [1, 1, 1, 1]
            assert steps.outcome.tolist() == ["wrong", "wrong", "exact", "no_answer"]
        elif rule == "hf_optimal":
            # Own mass 0.1 at b and c, 0.7 at d: b, c and d reach 0.1 · 2/4 + 0.1 · 4/5 + 0.7 = 0.83, without d 0.727.
            assert [nodes.tolist() for nodes in steps.answers] == [[1, 2, 3]]
            assert (steps.tp.tolist(), steps.fp.tolist(), steps.fn.tolist()) == ([1], [2], [0])
            assert steps.sentence.tolist() == [
                "Best expected hFβ: 3 classes, down to d. Wrong: not exactly the truth, b."
            ]
        elif rule == "at_level":
            assert steps.answers.nodes.tolist() == [1]
        elif rule != "exclusive":
            # Only the leaf is ever answered.
            assert steps.answers.nodes.tolist() == [3]
            assert (steps.tp[0], steps.fp[0], steps.fn[0]) == (1, 2, 0)
    assert found["information_threshold"].axis == (0, 0)
    assert found["information_threshold"].place(0) == 0


def test_incoherent_probabilities(taxonomy):
    # cat is more probable than mammal and than animal.
    row = [0.5, 0.25, 0.75, 0.5, 0, 0, 0]
    found = steps_by_rule(evaluation_of(taxonomy, [row], taxonomy.nodes("cat")), 0, ["threshold", "threshold_set"])
    assert found["threshold"].answers.nodes.tolist() == [taxonomy.node("cat")]
    assert found["threshold"].sentence.tolist() == ["Stops at cat (p = 0.750): it is a leaf. Exact."]
    sets = found["threshold_set"]
    assert sets.low.tolist() == [0, 0.25, 0.5, 0.75]
    assert [[path.tolist() for path in sets.paths[step]] for step in range(4)] == [
        [[0, 1, 2], [0, 1, 3]],
        [[0, 1, 2], [0, 1, 3]],
        [[0, 1, 2]],
        [[0]],
    ]
    # The ancestors of a set are added: {cat} is the path to cat.
    assert sets.outcome.tolist() == ["wrong", "wrong", "exact", "no_answer"]


def test_thresholds_of_one_and_sets_that_are_not_listed(taxonomy):
    evaluation = evaluation_of(taxonomy, [[1, 1, 1, 0, 0, 0, 0], [1, 0.5, 0.375, 0.125, 0.25, 0.25, 0.25]])
    for rule, last in (("threshold", [2]), ("threshold_set", [])):
        steps = sample_steps(evaluation, 0, rule)
        assert (steps.low[-1], steps.high[-1]) == (1, 1) if rule == "threshold_set" else (0, 1)
        assert steps.answers[steps.place(1)].tolist() == last
    few = sample_steps(evaluation, 1, "threshold_set", most_nodes=2)
    assert few.axis == (0.25, 1)
    assert [few.answers[step].tolist() for step in range(len(few))] == [[1, 2], [1], []]
    assert few.unlisted == "τ below 0.250 is not listed: more than 2 classes are above it."
    with pytest.raises(hv.PredictionsError, match=r"^threshold: expected a number from 0\.25 to 1, got 0\.2\. τ below"):
        few.place(0.2)


def test_many_bits_of_lambda(taxonomy):
    row = [1, 1 - 2**-30, 0.4, 0.4, 0, 0, 2**-30]
    steps = sample_steps(evaluation_of(taxonomy, [row]), 0, "darts")
    assert steps.axis == (0, 1e6)
    assert steps.unlisted.startswith("λ above 1,000,000 bits is not listed")
    assert [taxonomy.names[node] for node in steps.answers.nodes] == ["mammal"]


def test_labels(taxonomy):
    cat, dog, newt = taxonomy.nodes("cat", "dog", "newt").tolist()
    lists = hv.NodeLists.from_lists([[cat, newt], [dog], [], [cat, -1]])
    predictions = hv.Predictions.from_labels(taxonomy, lists, truth=[cat, dog, dog, -1])
    evaluation = Evaluation.from_predictions(predictions)
    two, one, none, outside = (sample_steps(evaluation, sample, "darts", threshold=0.2) for sample in range(4))
    for sample, steps in enumerate((two, one, none, outside)):
        assert (len(steps), steps.rule, steps.parameter, steps.axis) == (1, "", "", (0, 1))
        assert steps.answers[0].tolist() == lists[sample].tolist()
        assert math.isnan(steps.p[0])
        if sample < 3:
            counts = sample_confusion(evaluation, sample).counts
            assert (steps.tp[0], steps.fp[0], steps.fn[0]) == (counts["tp"], counts["fp"], counts["fn"])
    assert [[path.tolist() for path in steps.paths[0]] for steps in (two, none, outside)] == [
        [[0, 1, cat], [0, newt]],
        [[0]],
        [[0, 1, cat], [0, -1]],
    ]
    assert [steps.sentence[0] for steps in (two, one, none, outside)] == [
        "Labels: cat and newt. Wrong: not exactly the truth, cat.",
        "Label: dog. Exact.",
        "No label. No answer.",
        "Labels: cat and a class outside the taxonomy.",
    ]
    assert two.hp[0] == 2 / 3
    single = hv.Predictions.from_labels(taxonomy, [newt, cat], truth=[cat, cat])
    steps = sample_steps(Evaluation.from_predictions(single), 0)
    assert (steps.information[0], steps.outcome[0], steps.sentence[0]) == (
        2,
        "wrong",
        "Label: newt. Wrong: the truth is cat.",
    )


def test_names_that_are_given_are_checked(taxonomy):
    evaluation = evaluation_of(taxonomy, [[1, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25]])
    with pytest.raises(hv.PredictionsError, match=r"^sample: expected a row from 0 to 0, got 1"):
        sample_steps(evaluation, 1)
    with pytest.raises(hv.PredictionsError, match=r"^rule: expected one of"):
        sample_steps(evaluation, 0, "thresholds")
    with pytest.raises(hv.PredictionsError, match="got 'tau'"):
        sample_steps(evaluation, 0, tau=0.5)
    with pytest.raises(hv.PredictionsError, match=r"^answers: expected an Evaluation"):
        sample_steps(evaluation.predictions, 0)
    steps = sample_steps(evaluation, 0, "leaf")
    for value in (-0.1, 1.1, None, True):
        with pytest.raises(hv.PredictionsError, match=r"^value: expected a number from 0 to 1, got"):
            steps.place(value)


def test_settings_of_rules_without_steps(taxonomy):
    evaluation = evaluation_of(taxonomy, [[1, 0.6, 0.35, 0.25, 0.25, 0.25, 0.15]])
    for thresholds, node in (("0.7", "animal"), ("0.5", "mammal"), ("0.5,0.3", "cat")):
        steps = sample_steps(evaluation, 0, "depth_thresholds", thresholds_by_depth=thresholds)
        assert steps.answers.nodes.tolist() == [taxonomy.node(node)]


@strategies.many
@given(st.one_of(samples(strategies.trees()), samples(strategies.graphs())), st.data())
def test_bars_of_a_lane(case, data):
    graph, evaluation = evaluated(case)
    p = evaluation.predictions.node_probabilities([0])[0]
    path = [0]
    while graph.children[path[-1]] and data.draw(st.booleans()):
        path.append(data.draw(st.sampled_from(graph.children[path[-1]])))
    besides = data.draw(st.lists(st.integers(0, graph.n - 1), max_size=3))
    bars = hv.diagnosis.lane_bars(evaluation.taxonomy, p, path, besides)
    assert bars.node.tolist() == path[1:]
    for place, (above, node) in enumerate(pairwise(path)):
        others = [other for other in sorted(graph.children[above]) if other != node and other not in besides]
        best = max(others, key=lambda other: (p[other], -other), default=-1)
        own = {node, *(other for other in graph.children[above] if other in besides)} | ({best} - {-1})
        rest = p[above] - math.fsum(p[other] for other in own)
        assert bars.p[place] == p[node]
        assert bars.sibling[place] == best
        assert math.isnan(bars.p_sibling[place]) if best < 0 else bars.p_sibling[place] == p[best]
        assert bars.is_incoherent[place] == (rest < -1e-6)
        assert (
            math.isnan(bars.rest[place]) if rest < -1e-6 else bars.rest[place] == pytest.approx(max(rest, 0), abs=1e-12)
        )


def test_bars_by_hand_and_paths_that_are_none(taxonomy):
    p = np.array([1, 0.75, 0.5, 0.125, 0.125, 0.125, 0.0625])
    bars = hv.diagnosis.lane_bars(taxonomy, p, taxonomy.path(taxonomy.node("duck")), taxonomy.nodes("mammal"))
    # Of animal's 1 mammal has its own bar; bird .125 and newt .0625 leave .0625. duck is an only child.
    assert bars.rest.tolist() == [0.0625, 0]
    assert bars.to_frame()["sibling"].tolist() == ["newt", ""]
    root_only = hv.diagnosis.lane_bars(taxonomy, p, [0])
    assert len(root_only) == 0
    for path in ([], [1, 2], [0, 2], [0, 1, 5]):
        with pytest.raises(
            hv.PredictionsError, match=r"^path: expected nodes from the root \(node 0\) down along edges"
        ):
            hv.diagnosis.lane_bars(taxonomy, p, path)
