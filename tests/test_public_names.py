"""What `import hierviz as hv` hands out, and the frames that its results become."""

import functools
import inspect
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from anytree import Node

import hierviz as hv
from hierviz._public import NAMESPACES
from hierviz.curves.operating_curve import StepCurve

P = np.array([[0.5, 0.25, 0.125, 0.125], [0.125, 0.125, 0.25, 0.5], [0.25, 0.5, 0.125, 0.125]])


@pytest.fixture
def predictions(taxonomy):
    truth = taxonomy.nodes("cat", "newt", "duck")
    return hv.Predictions.from_scores(taxonomy, P, "leaf_probabilities", truth=truth)


PUBLIC_NAMES = [
    f"{space}.{name}".lstrip(".")
    for space in ("", *NAMESPACES)
    for name in (hv if not space else getattr(hv, space)).__all__
    if (space or name not in NAMESPACES) and space != "charts"
]


def found(name):
    return functools.reduce(getattr, name.split("."), hv)


def test_every_name_is_there():
    assert len(PUBLIC_NAMES) == len(set(PUBLIC_NAMES)) > 100
    for name in PUBLIC_NAMES:
        assert found(name) is not None
        assert name.isupper() or found(name).__doc__
    assert len(dir(hv)) <= 62
    assert set(NAMESPACES) < set(dir(hv))


@pytest.mark.long
def test_no_file_hides_a_name():
    """A name that equals a file of its folder would be hidden by it once the file is imported."""
    code = """
import importlib, pkgutil, random, types
import hierviz as hv
from hierviz._public import PUBLIC
files = [one.name for one in pkgutil.walk_packages(hv.__path__, "hierviz.")]
random.Random(0).shuffle(files)
for name in files:
    if not any(part in name for part in (".app.", ".child", "__main__")):
        importlib.import_module(name)
for space, names in PUBLIC.items():
    for name in names:
        assert not isinstance(getattr(importlib.import_module(space), name), types.ModuleType), (space, name)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_choosing_and_keeping_a_threshold(taxonomy, predictions, tmp_path):
    curve = hv.operating_curve(taxonomy, predictions.truth, predictions)
    choice = hv.thresholds.choose(curve, subject_to={"correct": 2 / 3})
    assert choice.values["correct"] >= 2 / 3
    priced = hv.thresholds.with_costs(curve, taxonomy, predictions.truth, predictions, wrong=10)
    assert hv.thresholds.choose(priced, "cost").is_feasible
    assert hv.thresholds.choose(priced, subject_to={"cost": 10}).is_feasible
    shallow = hv.thresholds.with_shallow_answers(curve, taxonomy, predictions, 1)
    assert hv.thresholds.choose(shallow, "correct", {"above_depth": 0}).is_feasible
    point = hv.thresholds.OperatingPoint.from_curve(taxonomy, curve, choice.threshold, "m")
    hv.thresholds.write_operating_point(point, tmp_path / "point.json")
    assert hv.thresholds.load_operating_point(tmp_path / "point.json", taxonomy) == point
    assert hv.thresholds.OperatingPoint.from_json(point.to_json()) == point


def test_truth_from_memory(taxonomy):
    assert hv.load_truth(["cat", "newt", None], taxonomy).nodes.tolist() == [2, 6, -1]


def test_taxonomy_from_anytree(taxonomy):
    made = hv.load_taxonomy(taxonomy.to_anytree())
    assert made.names == taxonomy.names
    assert made.parent.tolist() == taxonomy.parent.tolist()


def test_anytree_without_a_name():
    with pytest.raises(hv.TaxonomyError, match=r"^anytree: expected a name of every node, got None\."):
        hv.load_taxonomy(Node("animal", children=[Node("cat"), Node(None)]))


def test_frame_of_a_curve(taxonomy, predictions):
    curve = hv.operating_curve(taxonomy, predictions.truth, predictions)
    frame = curve.to_frame()
    assert list(frame) == ["threshold", *curve.values]
    assert len(frame) == curve.n_points
    assert frame["threshold"].tolist() == [1.0, *curve.threshold]
    # A row holds just below its threshold.
    for row in frame.iloc[1:].itertuples():
        assert row.correct == curve.at(np.nextafter(row.threshold, 0))["correct"]
    above = hv.curves.OperatingCurve(np.array([1.5]), {"correct": np.array([1.0, 0.5])}, 2).to_frame()
    assert above["threshold"].tolist() == [1.5, 1.5]


def test_frame_of_an_information_curve(taxonomy, predictions):
    curve = hv.curves.information_curve(taxonomy, predictions.truth, predictions)
    frame = curve.to_frame()
    assert list(frame) == ["threshold", *curve.values]
    assert frame["threshold"].tolist() == [np.inf, *curve.threshold]
    # A row holds at its threshold.
    for row in frame.itertuples():
        assert row.correct == curve.at(row.threshold)["correct"]


def test_a_step_curve_says_which_point_holds_where():
    with pytest.raises(TypeError, match="abstract"):
        StepCurve(np.array([0.5]), {}, 1)


def test_mistakes_of_predictions(predictions):
    evaluation = hv.Evaluation.from_predictions(predictions)
    pd.testing.assert_frame_equal(hv.mistakes(predictions).to_frame(), hv.mistakes(evaluation).to_frame())


def test_frames_without_pandas(taxonomy, predictions, monkeypatch):
    evaluation = hv.Evaluation.from_predictions(predictions)
    confusion = hv.confusion(taxonomy, predictions.truth, predictions.truth)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setitem(sys.modules, "pandas", None)
    for thing in (evaluation, evaluation.curve, hv.mistakes(evaluation), confusion):
        with pytest.raises(ImportError, match=r'^to_frame: expected pandas .* Run pip install "hierviz\[files\]"\.$'):
            thing.to_frame()


def test_frame_of_a_confusion(taxonomy):
    frame = hv.confusion(taxonomy, taxonomy.nodes("cat", "newt"), taxonomy.nodes("dog", "animal")).to_frame()
    expected = {"truth": ["cat", "newt"], "predicted": ["dog", "animal"], "tp": [1, 0], "tn": [2, 2], "fp": [1, 0]}
    expected |= {"fn": [1, 1], "hp": [0.5, 1.0], "hr": [0.5, 0.0], "hf1": [0.5, 0.0]}
    pd.testing.assert_frame_equal(frame, pd.DataFrame(expected))
    lists = hv.NodeLists.from_lists([[2, 5], [-1]])
    frame = hv.confusion(taxonomy, hv.NodeLists.from_lists([[2], [6, 1]]), lists).to_frame()
    assert frame["truth"].tolist() == ["cat", "newt;mammal"]
    assert frame["predicted"].tolist() == ["cat;duck", ""]


def test_frames_of_samples(taxonomy, predictions):
    evaluation = hv.Evaluation.from_predictions(predictions)
    frame, columns = evaluation.to_frame("leaf"), evaluation.per_sample("leaf")
    assert set(frame) == set(columns) - {"row"}
    assert frame["truth"].tolist() == ["cat", "newt", "duck"]
    assert frame["predicted"].tolist() == ["cat", "newt", "dog"]
    np.testing.assert_array_equal(frame["softmax_win"], columns["softmax_win"])
    worst = hv.mistakes(evaluation, "leaf").to_frame(taxonomy)
    assert worst.loc[0, ["row", "truth", "predicted", "outcome"]].tolist() == [2, "duck", "dog", "wrong"]
    assert hv.mistakes(evaluation, "leaf").to_frame()["truth"].tolist()[0] == taxonomy.node("duck")
    # Sets and lists of several truths have no single node to name.
    several = predictions.replace(truth=hv.NodeLists.from_lists([[2], [6], [5, 3]]))
    assert "truth" not in hv.Evaluation.from_predictions(several).to_frame("leaf")


def functions_of(name):
    """(name, function) of a public function, or of each public method and property that hierviz gives a public class."""
    thing = found(name)
    if inspect.isfunction(thing):
        yield name, thing
    for owner in thing.__mro__ if inspect.isclass(thing) else ():
        for key, member in vars(owner).items() if owner.__module__.startswith("hierviz.") else ():
            function = getattr(member, "fget", getattr(member, "func", getattr(member, "__func__", member)))
            if inspect.isfunction(function) and not key.startswith("_"):
                yield f"{owner.__name__}.{key}", function


@pytest.mark.parametrize("name", PUBLIC_NAMES)
def test_every_parameter_and_result_is_annotated(name):
    for where, function in functions_of(name):
        signature = inspect.signature(function)
        parameters = [parameter for key, parameter in signature.parameters.items() if key not in ("self", "cls")]
        bare = [parameter.name for parameter in parameters if parameter.annotation is inspect.Parameter.empty]
        assert bare == [], where
        assert signature.return_annotation is not inspect.Signature.empty, where


def test_methods_of_every_kind_are_looked_at():
    names = {where for name in PUBLIC_NAMES for where, _ in functions_of(name)}
    assert {"evaluate", "show", "Evaluation.curve", "Evaluation.from_predictions", "Predictions.n_samples"} <= names
    assert {"StepCurve.at", "FromMemory.from_frame", "HiervizError.said", "NodeLists.take"} <= names
