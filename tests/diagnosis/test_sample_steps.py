"""Tables of steps against `infer` on both sides of every bound, `sample_confusion` and the plain definitions of sets."""

import math

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
            assert all(one != other for one, other in zip(answers, answers[1:]))
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
        at_once = answers_by_rule(evaluation, sample, rules, 0.3)
        for rule, steps in found.items():
            parameter = PARAMETERS.get(rule)
            if parameter is None:
                assert (len(steps), steps.parameter, steps.axis) == (1, "", (0, 1))
            else:
                assert len(steps) >= 1
            default = {"threshold": 0.3, "lam": 1.0, "bits": 1.0}.get(parameter, 0.5)
            if steps.axis[0] <= default <= steps.axis[1]:
                # The step that holds at the settings says what `answers_by_rule` says.
                place, one = steps.place(default), at_once[rule]
                assert steps.answers[place].tolist() == list(one.nodes)
                assert steps.outcome[place] == one.outcome
                for key in ("information", "p"):
                    value = getattr(steps, key)[place]
                    assert (None if math.isnan(value) else value) == getattr(one, key)
            for step in range(len(steps)):
                value = (steps.low[step] + steps.high[step]) / 2
                given_value = {"threshold": 0.3} if parameter is None else {parameter: value}
                counts = sample_confusion(evaluation, sample, rule, **given_value)
                assert {cell: int(getattr(steps, cell)[step]) for cell in ("tp", "fp", "fn")} == {
                    cell: counts.counts[cell] for cell in ("tp", "fp", "fn")
                }
                chosen = steps.answers[step].tolist()
                plain = plain_sets.labels(graph, [chosen], [lists[sample]])
                hp, hr = plain["hp_samples"], plain["hr_samples"]
                assert steps.hp[step] == pytest.approx(hp)
                assert steps.hr[step] == pytest.approx(hr)
                assert steps.hf[step] == pytest.approx(2 * hp * hr / (hp + hr) if hp + hr else 0)
                if rule == "threshold_set":
                    assert steps.outcome[step] == naive_diagnosis.set_outcome(graph, lists[sample], chosen)
                else:
                    outcomes = {naive.outcome(graph, true, chosen[0]) for true in lists[sample]}
                    assert steps.outcome[step] == next(key for key in OUTCOMES if key in outcomes)
                ends = [path[-1] for path in counts.predicted[0]] if hasattr(counts.predicted, "paths") else chosen
                assert sorted(path[-1] for path in steps.paths[step]) == sorted(ends)


def test_by_hand(taxonomy):
    # cat .5, dog .2, duck .2, newt .1: mammal .7, bird .2; the truth is dog.
    scores = hv.Predictions.from_scores(
        taxonomy, [[0.5, 0.2, 0.2, 0.1]], "leaf_probabilities", truth=taxonomy.nodes("dog")
    )
    evaluation = Evaluation.from_predictions(scores)
    animal, mammal, cat, dog, newt = taxonomy.nodes("animal", "mammal", "cat", "dog", "newt").tolist()
    bird, duck = taxonomy.nodes("bird", "duck").tolist()
    found = sample_steps(evaluation, 0)
    assert (found.parameter, found.axis, found.closed) == ("threshold", (0, 1), "low")
    assert found.low.tolist() == [0, 0.5, 0.7]
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
    assert found.p.tolist() == [0.5, 0.7, 1]
    assert found.next_node.tolist() == [-1, cat, mammal]
    assert found.next_p[1:].tolist() == [0.5, 0.7]
    assert found.next_is_below.tolist() == [False, True, True]
    assert found.sentence.tolist() == [
        "Stops at cat (p = 0.500): it is a leaf. Wrong: the truth is dog.",
        "Stops at mammal (p = 0.700): the next class, cat, has 0.500, not above τ. Coarse: the truth is below it.",
        "Stops at animal (p = 1): the next class, mammal, has 0.700, not above τ. No answer.",
    ]
    assert [found.place(value) for value in (0, 0.49, 0.5, 0.69, 0.7, 1)] == [0, 0, 1, 1, 2, 2]

    # Values (I + λ) p: cat (2 + λ) .5, mammal (1 + λ) .7, animal λ. cat and mammal meet where 1 + .5 λ = .7 + .7 λ, at 1.5;
    # mammal and animal where .7 = .3 λ, at 7/3.
    darts = sample_steps(evaluation, 0, "darts")
    assert darts.low == pytest.approx([0, 1.5, 7 / 3])
    assert darts.axis == (0, pytest.approx(1.25 * 7 / 3))
    assert darts.answers.nodes.tolist() == [cat, mammal, animal]
    assert darts.next_node.tolist() == [-1, cat, mammal]
    assert darts.sentence[1] == (
        "DARTS, λ from 1.500 to 2.333 bits: mammal (p = 0.700). Coarse: the truth is below it."
    )
    # At exactly 0 bits the root is admitted, above it only what has more.
    bits = sample_steps(evaluation, 0, "information_threshold")
    assert (bits.parameter, bits.axis, bits.closed) == ("bits", (0, 2), "high")
    assert bits.high == pytest.approx([0, 1, 2], abs=2e-9)
    assert bits.answers.nodes.tolist() == [animal, mammal, cat]
    assert [bits.place(value) for value in (0, 0.5, 1, 1.01, 2)] == [0, 1, 1, 2, 2]
    assert bits.sentence.tolist() == [
        "Information threshold, ζ = 0 bits: animal (p = 1). No answer.",
        "Information threshold, ζ from 0 to 1.000 bits: mammal (p = 0.700). Coarse: the truth is below it.",
        "Information threshold, ζ from 1.000 to 2.000 bits: cat (p = 0.500). Wrong: the truth is dog.",
    ]
    assert (bits.next_node == -1).all()

    # Distinct probabilities below the root: .1 newt, .2 dog bird duck, .5 cat, .7 mammal.
    sets = sample_steps(evaluation, 0, "threshold_set")
    assert sets.low.tolist() == [0, 0.1, 0.2, 0.5, 0.7]
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
    assert sets.sentence.tolist()[2:] == [
        "2 classes are above τ, down to cat; the next, dog (p = 0.200), is not. Wrong: not exactly the truth, dog.",
        "1 class is above τ, down to mammal; the next, cat (p = 0.500), is not. Wrong: not exactly the truth, dog.",
        "No class is above τ; the next, mammal (p = 0.700), is not. No answer.",
    ]
    assert sample_steps(evaluation, 0, "majority").sentence.tolist() == [
        "Stops at mammal (p = 0.700): the next class, cat, has 0.500, not above 0.5. Coarse: the truth is below it."
    ]
    table = found.to_frame()
    assert table["answer"].tolist() == ["cat", "mammal", "animal"]
    assert table["next"].tolist() == ["", "cat", "mammal"]
    assert sets.to_frame()["answer"].tolist()[2:] == ["mammal;cat", "mammal", ""]
