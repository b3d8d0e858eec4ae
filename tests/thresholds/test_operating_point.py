"""Operating points as files: written files are read back, others are refused."""

import copy
import json

import numpy as np
import pytest

import hierviz as hv
from benchmarks.guarantee import population
from hierviz.readers.operating_point_file import load_operating_point, write_operating_point
from hierviz.thresholds.operating_point import KEYS, OperatingPoint, operating_point_notes
from hierviz.thresholds.risk_control import guaranteed_threshold


@pytest.fixture(scope="module")
def world():
    return population(n_groups=150, largest=5)


@pytest.fixture(scope="module")
def point(world):
    curve = hv.operating_curve(world.taxonomy, world.truth, world.table)
    promise = guaranteed_threshold(world.taxonomy, world.truth, world.table, 0.15, 0.1, seed=3)
    return OperatingPoint.from_curve(
        world.taxonomy,
        curve,
        promise.threshold,
        "flügel.onnx",
        intervals={"correct": (0.8, 1.0)},
        guarantee=promise,
        created_from={"predictions": "flat.csv", "goal": "at most 15 % wrong", "seed": 3},
        model_sha256="ab" * 32,
    )


def test_there_and_back(world, point, tmp_path):
    path = tmp_path / "point.json"
    write_operating_point(point, path)
    again = load_operating_point(path, world.taxonomy)
    assert again == point
    assert load_operating_point(str(path)) == point
    assert load_operating_point(point.to_json(), world.taxonomy) == point
    written = json.loads(path.read_text(encoding="utf-8"))
    assert tuple(written) == KEYS
    assert written == point.to_json()
    assert "flügel.onnx" in path.read_text(encoding="utf-8")


def test_what_it_says(world, point):
    written = point.to_json()
    assert written["hierviz"] == hv.__version__
    assert written["model"] == {"name": "flügel.onnx", "sha256": "ab" * 32}
    assert written["taxonomy_sha256"] == world.taxonomy.sha256
    assert (written["rule"], written["threshold"]) == ("threshold", point.threshold)
    assert written["n_samples"] == len(world.truth)
    right = world.taxonomy.is_ancestor(world.table.nodes_at(point.threshold), world.truth).mean()
    assert written["values"]["correct"]["value"] == pytest.approx(right, abs=1e-12)
    assert (written["values"]["correct"]["low"], written["values"]["correct"]["high"]) == (0.8, 1.0)
    assert set(written["values"]["info_f1"]) == {"value"}
    assert written["guarantee"]["threshold"] == point.threshold
    assert written["guarantee"]["assumption"].startswith("Assumption: new")


def test_the_least(world):
    curve = hv.operating_curve(world.taxonomy, world.truth, world.table)
    bare = OperatingPoint.from_curve(world.taxonomy, curve, 0.5, "model")
    assert bare.to_json()["guarantee"] is None
    assert bare.to_json()["model"] == {"name": "model", "sha256": None}
    assert OperatingPoint.from_json(json.loads(json.dumps(bare.to_json()))) == bare
    whole = copy.deepcopy(bare.to_json()) | {"threshold": 1}
    assert OperatingPoint.from_json(whole).threshold == 1.0
    with pytest.raises(hv.PredictionsError, match=r"^threshold: expected a number from 0 to 1, got 1\.5"):
        OperatingPoint.from_curve(world.taxonomy, curve, 1.5, "model")


def changed(value, path, new):
    value = copy.deepcopy(value)
    *way, last = path
    here = value
    for key in way:
        here = here[key]
    if new is KeyError:
        del here[last]
    else:
        here[last] = new
    return value


WRONG = [
    (["threshold"], 1.5, r": threshold: expected a number from 0 to 1, got 1\.5\. "),
    (["threshold"], -0.1, r": threshold: expected a number from 0 to 1, got -0\.1"),
    (["threshold"], float("nan"), r": threshold: expected a number from 0 to 1, got nan"),
    (["threshold"], "0.5", r": threshold: expected a number from 0 to 1, got '0\.5'"),
    (["threshold"], True, r": threshold: expected a number from 0 to 1, got True"),
    (["threshold"], KeyError, r": expected the keys hierviz, .*, got none for 'threshold'\. "),
    (["threshhold"], 0.5, r": expected only the keys .*, got 'threshhold'\. Did you mean 'threshold'\?"),
    (["rule"], "majority", r": rule: expected 'threshold', got 'majority'"),
    (["n_samples"], 0, r": n_samples: expected a whole number above 0, got 0"),
    (["n_samples"], 2.5, r": n_samples: expected a whole number above 0, got 2\.5"),
    (["hierviz"], 1, r": hierviz: expected a version as text, got 1"),
    (["model"], "flat", r": model: expected an object, got 'flat'"),
    (["model", "name"], KeyError, r": model: expected the keys name, sha256, got none for 'name'"),
    (["model", "name"], None, r": model name: expected text, got None"),
    (["model", "sha256"], "abc", r": model sha256: expected a SHA-256 of 64 hexadecimal digits, got 'abc'"),
    (["taxonomy_sha256"], None, r": taxonomy_sha256: expected a SHA-256 of 64 hexadecimal digits, got None"),
    (["created_from"], {"seed": np.int64(3)}, r": created_from: expected what JSON can hold, got "),
    (["created_from"], {"seed": float("inf")}, r": created_from: expected what JSON can hold, got "),
    (["created_from"], [], r": created_from: expected an object, got \[\]"),
    (["values"], [1], r": values: expected an object, got \[1\]"),
    (["values", "correct"], 0.9, r": values, correct: expected an object such as .*, got 0\.9"),
    (["values", "correct", "value"], "high", r": values, correct: expected numbers, got "),
    (
        ["values", "correct", "low"],
        KeyError,
        r": values, correct: expected the keys value, low, high, got none for 'low'",
    ),
    (["values", "correct", "low"], 1.1, r": values, correct: expected low <= high, got \[1\.1, 1\.0\]"),
    (["guarantee"], "yes", r": guarantee: expected an object or null, got 'yes'"),
    (["guarantee", "alpha"], KeyError, r": guarantee: expected the key 'alpha', got none"),
    (
        ["guarantee", "threshold"],
        0.25,
        r": guarantee: threshold: expected 0\.\d+, the threshold of .*, got 0\.25\. The guarantee",
    ),
]


@pytest.mark.parametrize(("path", "new", "message"), WRONG)
def test_wrong_values(point, path, new, message):
    with pytest.raises(hv.FileError, match="^p.json" + message) as caught:
        OperatingPoint.from_json(changed(point.to_json(), path, new), where="p.json")
    assert "\n" not in str(caught.value)


def test_another_taxonomy(point, taxonomy):
    with pytest.raises(hv.TaxonomyError) as caught:
        load_operating_point(point.to_json(), taxonomy)
    assert taxonomy.sha256 in str(caught.value)
    assert point.taxonomy_sha256 in str(caught.value)
    # The same edges in another order are the same taxonomy.
    edges = [("animal", "newt"), ("animal", "bird"), ("bird", "duck"), ("animal", "mammal")]
    same = hv.Taxonomy.from_edges([*edges, ("mammal", "dog"), ("mammal", "cat")])
    curve = hv.operating_curve(taxonomy, np.array([0]), hv.pareto_table(taxonomy, np.ones((1, 7))))
    OperatingPoint.from_curve(taxonomy, curve, 0.5, "model").require_taxonomy(same)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"rule": "threshold",}', r"^point\.json:1: expected JSON, got an error in column \d+ \("),
        ('{"threshold": 0.5,\n "threshold": 0.6}', r"^point\.json: expected every key once, got 'threshold' twice"),
        ("[0.5]", r"^point\.json: expected an object, got \[0\.5\]"),
        ("{}", r"^point\.json: expected the keys hierviz, model, .*, got none for 'hierviz', .* and 4 more"),
        ("[" * 100_000, r"^point\.json: expected JSON, got .*"),
    ],
)
def test_wrong_files(tmp_path, text, message):
    (tmp_path / "point.json").write_text(text)
    with pytest.raises(hv.FileError, match=message) as caught:
        load_operating_point(tmp_path / "point.json")
    assert "\n" not in str(caught.value)


def test_no_file(tmp_path, point):
    with pytest.raises(hv.FileError, match="expected a file, got nothing with that name"):
        load_operating_point(tmp_path / "none.json")
    with pytest.raises(hv.FileError, match="expected a file that can be written, got: Is a directory"):
        write_operating_point(point, tmp_path)
    with pytest.raises(hv.FileError, match="expected a file that can be written, got: No such file"):
        write_operating_point(point, tmp_path / "none" / "point.json")


@pytest.mark.parametrize(("above", "verdict"), [(0, "met"), (2e-16, "met"), (5e-10, "not met")])
def test_a_guarantee_is_met_up_to_rounding_alone(world, point, above, verdict):
    loss = point.guarantee["alpha"] + above
    entry = {
        "name": point.model_name,
        "threshold": point.threshold,
        "n_samples": 40,
        "predicted": {"correct": 1 - loss},
    }
    assert operating_point_notes(point, entry)[-1].split("; in the")[0].endswith(f" %: {verdict}")
