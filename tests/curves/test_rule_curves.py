"""The curves of rules over their own parameter, against the rule at, below and above every breakpoint; λ for a target."""

import csv

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from strategies import many

import hierviz as hv
from hierviz.cli import main
from hierviz.curves._rule_curve import rule_curve
from hierviz.metrics.registry import path_keys

# Apart by more than rounding: the rule takes what is closer for equal, the curve does not.
APART = (0.0, 0.1, 0.25, 1 / 3, 0.5, 0.75, 1.0)


@many
@given(strategies.judged(values=APART))
def test_the_curve_of_darts_is_the_rule_at_every_lambda(case):
    graph, taxonomy, p, truth = case
    curve = hv.curves.rule_curve(taxonomy, truth, p, "darts")
    assert (np.diff(curve.threshold) < 0).all()
    assert (curve.threshold > 0).all()
    edges = np.array([0, *curve.threshold[::-1], (curve.threshold[0] if len(curve.threshold) else 1) * 3 + 1])
    inside = (edges[1:] + edges[:-1]) / 2
    near = np.concatenate([curve.threshold * (1 - 1e-9), curve.threshold * (1 + 1e-9)])
    for lam in (*inside, *near):
        predicted = hv.infer(taxonomy, p, "darts", lam=lam)
        expected = [naive.path_metrics(graph, *pair) for pair in zip(truth.tolist(), predicted.tolist())]
        for key in path_keys():
            mean = naive.mean([one[key] for one in expected])
            # Ties of the rule: candidates of equal worth along a stretch are the same line, of which the lowest node wins.
            assert curve.at(lam)[key] == pytest.approx(mean, abs=1e-9), (key, lam)
    # At a breakpoint one of both sides holds for each sample.
    for place, lam in enumerate(curve.threshold):
        predicted = hv.infer(taxonomy, p, "darts", lam=lam)
        sides = [hv.infer(taxonomy, p, "darts", lam=float(inside[len(curve.threshold) - place - k])) for k in (0, 1)]
        assert ((predicted == sides[0]) | (predicted == sides[1])).all()


def test_darts_worked_by_hand():
    """mammal log2(3/2) bits, p .75; cat log2 3 bits, p .4375: (I + λ) p cross at λ = (.6934 - .4387) / .3125 = .8150.

    The root, 0 bits and p = 1, crosses mammal at .4387 / .25 = 1.7549. newt: .875 log2 3 / .125 = 11.0947.
    """
    taxonomy = hv.Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    p = np.array([[1, 0.75, 0.4375, 0.3125, 0.25], [1, 0.125, 0.125, 0, 0.875]])
    truth = taxonomy.nodes("dog", "newt")
    curve = rule_curve(taxonomy, truth, p, "darts")
    low, high = np.log2(1.5), np.log2(3)
    expected = [7 * high, 3 * low, (0.4375 * high - 0.75 * low) / 0.3125]
    assert curve.threshold == pytest.approx(expected)
    assert curve.values["correct"].tolist() == [1, 1, 1, 0.5]
    choice = hv.thresholds.smallest_lambda(curve, 0.9)
    assert choice.values["correct"] == 1
    assert expected[2] < choice.threshold <= 0.82
    assert hv.infer(taxonomy, p, "darts", lam=choice.threshold).tolist() == taxonomy.nodes("mammal", "newt").tolist()
    assert hv.thresholds.smallest_lambda(curve, 0.5).threshold == 0
    wrong = rule_curve(taxonomy, truth[::-1], np.array([[0, 0, 1, 0, 0.0]] * 2), "darts")
    assert not hv.thresholds.smallest_lambda(wrong, 0.5).is_feasible
    with pytest.raises(hv.PredictionsError, match=r"^curve: expected a DartsCurve"):
        hv.thresholds.smallest_lambda(hv.operating_curve(taxonomy, truth, p))


def test_correct_need_not_grow_with_lambda():
    """cat (right) gives way to bird (wrong) before the root: the smallest λ is looked for among all points."""
    taxonomy = hv.Taxonomy.from_edges(
        [("r", "a"), ("a", "cat"), ("a", "dog"), ("r", "b"), ("b", "x"), ("b", "y"), ("b", "z")]
    )
    # I(cat) = log2 5, I(b) = log2(5/3): λ up to .76 gives cat .3, from there b .6.
    p = np.array([[1, 0.4, 0.3, 0.1, 0.6, 0.2, 0.2, 0.2]])
    curve = rule_curve(taxonomy, taxonomy.nodes("cat"), p, "darts")
    assert curve.values["correct"].tolist() == [1, 0] or curve.values["correct"].tolist() == [1, 0, 1]
    choice = hv.thresholds.smallest_lambda(curve, 1.0)
    points = curve.at(np.array([choice.threshold]))["correct"]
    assert points == [1]


def test_other_rules_and_errors(taxonomy):
    p = np.full((1, 7), 0.5)
    assert hv.curves.rule_curve(taxonomy, [2], p).n_points == hv.operating_curve(taxonomy, [2], p).n_points
    assert (hv.curves.rule_curve(taxonomy, [2], p, "information_threshold").threshold >= 0).all()
    with pytest.raises(hv.PredictionsError, match=r"^rule: expected one with a curve of its own"):
        hv.curves.rule_curve(taxonomy, [2], p, "crm_leaf")


def test_the_command(tmp_path, capsys):
    (tmp_path / "tree.csv").write_text("parent,child\nanimal,mammal\nmammal,cat\nmammal,dog\nanimal,newt\n")
    (tmp_path / "p.csv").write_text("sample_id,cat,dog,newt,truth\na,0.4375,0.3125,0.25,dog\nb,0.125,0,0.875,newt\n")
    ask = ["curve", "--taxonomy", f"{tmp_path}/tree.csv", "--predictions", f"{tmp_path}/p.csv"]
    assert main([*ask, "--rule", "darts"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [row["correct"] for row in rows] == ["1.0", "1.0", "1.0", "0.5"]
    assert float(rows[0]["lam"]) == pytest.approx(7 * np.log2(3))
    assert rows[-1]["lam"] == "0.0"
    assert main([*ask, "--rule", "information_threshold"]) == 0
    assert capsys.readouterr().out.startswith("threshold,exact")
    assert main([*ask, "--rule", "plurality"]) == 2
    assert "--rule: expected one of" in capsys.readouterr().err
    ask = ["evaluate", *ask[1:], "--rule", "depth_thresholds"]
    assert main([*ask, "--thresholds-by-depth", "0.7,0.5"]) == 0
    out = capsys.readouterr().out
    assert '"thresholds_by_depth": "0.7,0.5"' in out
    assert main([*ask, "--thresholds-by-depth", "0.7,2"]) == 2
    assert "--thresholds-by-depth: expected numbers from 0 to 1" in capsys.readouterr().err
