"""The most specific of several models at a level of correctness, in sentences."""

import numpy as np

import hierviz as hv
from hierviz.messages.number_text import percent_text
from hierviz.thresholds.most_specific import most_specific, most_specific_text


def curve(p_wrong):
    """Of two leaves below one root, twelve samples: one in four is wrong, with this probability."""
    taxonomy = hv.Taxonomy.from_edges([("root", "a"), ("root", "b")])
    right = np.tile([0.9, 0.1], (3, 1))
    scores = np.tile(np.vstack([right, [[p_wrong, 1 - p_wrong]]]), (3, 1))
    return hv.Evaluation.from_predictions(
        hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=taxonomy.nodes(*"aaab" * 3))
    ).curve


def test_a_threshold_that_costs_no_specificity():
    # The wrong answer has p = 0.6: a threshold from there on makes it the root and leaves the others.
    found = most_specific({"one": curve(0.6)}, 0.95)
    assert found.choice.values["correct"] == 1
    assert found.choice.values["info_recall"] == 0.75
    assert found.leaf["correct"] == found.leaf["info_recall"] == 0.75
    said = most_specific_text(found, "one", "0.600", 1)
    level = f"With at least {percent_text(0.95)} of the answers correct"
    assert found.choice.values["no_answer"] == 0.25
    # Nine of twelve samples, and three that count as correct: together all that are.
    answered = "there, 75.0 % get a correct answer, 25.0 % none (counted as correct)"
    assert said.startswith(f"{level}, one needs τ = 0.600; {answered}. No cost in specificity: the answers contain")


def test_no_threshold_is_needed():
    found = most_specific({"one": curve(0.1), "two": curve(0.6)}, 0.95)
    assert (found.key, found.choice.threshold) == ("one", 0)
    said = most_specific_text(found, "one", "0.000", 2, bold="*{}*")
    best = f"*At least {percent_text(0.95)} of the answers are correct* without any threshold: the most specific model is *one*"
    assert said.startswith(best)
    assert f"contain {percent_text(1, 1)} of the information" in said
    assert said.endswith(f"and {percent_text(1, 1)} are correct.")


def test_a_method_is_recommended_over_its_lucky_run():
    """The lucky run is specific three times in four, the other never: the mean is 3/8."""
    lucky, unlucky, steady = curve(0.6), curve(0.6), curve(0.8)
    unlucky = hv.curves.OperatingCurve(
        unlucky.threshold, unlucky.values | {"info_recall": np.zeros(unlucky.n_points)}, unlucky.n_samples
    )
    found = most_specific({"method": [lucky, unlucky], "other": steady})
    assert (found.key, found.n_runs) == ("other", 1)
    found = most_specific({"method": [lucky, unlucky]})
    assert (found.key, found.n_runs, found.choice.values["info_recall"]) == ("method", 2, 0.375)
    said = most_specific_text(found, "method", "0.600", 1)
    assert "method (mean of its 2 runs) needs τ = 0.600;" in said
    one = most_specific({"method": [lucky], "other": steady})
    assert (one.key, one.n_runs) == ("method", 1)


def test_equal_models_are_told_apart_by_their_order():
    """The mean of three equal runs may miss their value by rounding."""
    steady = curve(0.6)
    assert most_specific({"runs": [steady] * 3, "one": steady}).key == "runs"
    assert most_specific({"one": steady, "runs": [steady] * 3}).key == "one"


def test_no_model_is_correct_enough():
    assert most_specific_text(None, "", "", 1) == f"No model has {percent_text(0.95)} correct answers at any threshold."


def test_levels_are_written_as_they_are():
    found = most_specific({"a": curve(0.6), "b": curve(0.8)}, 0.975)
    assert "With at least 97.5 % of the answers correct" in most_specific_text(found, "a", "0.600", 2, 0.975)
    assert most_specific_text(None, "", "", 2, 0.999) == "No model has 99.9 % correct answers at any threshold."


def test_few_samples_recommend_nothing():
    whole = curve(0.6)
    few = hv.curves.OperatingCurve(whole.threshold, whole.values, 9)
    said = most_specific_text(most_specific({"a": few, "b": few}), "a", "0.600", 2)
    assert said == "9 samples are too few to recommend a model and a threshold: it takes 10."
