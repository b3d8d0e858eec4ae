"""An operating point exported from the page, on the command line: the same numbers, and its guarantee with measured values."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli
from hierviz.app import state
from hierviz.app.curve_panels import curve_chart, export_panel
from hierviz.metrics.registry import share_keys
from tests.app.visit import Visit, shelve

EDGES = [("all", "a"), ("all", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2")]
# The same final classes in other places.
OTHER = [("all", "a"), ("all", "b"), ("a", "a1"), ("a", "b1"), ("b", "a2"), ("b", "b2")]
LEAVES = ["a1", "a2", "b1", "b2"]
NOTED = ("correct", "exact", "info_precision", "info_recall", "info_f1")


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return str(path)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Taxonomy, predictions of 200 samples that are mostly right, truth; and predictions that are mostly wrong."""
    folder, rng = tmp_path_factory.mktemp("point"), np.random.default_rng(11)
    truth = rng.integers(0, 4, 200)
    scores = rng.dirichlet(np.full(4, 0.4), 200)
    # Whole 1/64ths, the best class in the place of the truth for nine of ten.
    scores = np.sort(np.floor(64 * scores) / 64, axis=1)
    scores[:, -1] += 1 - scores.sum(axis=1)
    good, bad = np.empty_like(scores), np.empty_like(scores)
    for i, place in enumerate(truth):
        order = np.roll(np.arange(4), place + 1 if i % 10 else place)
        good[i, order], bad[i, np.roll(order, 2)] = scores[i], scores[i]
    made = {
        "taxonomy": write(folder / "taxonomy.csv", [("parent", "child"), *EDGES]),
        "other": write(folder / "other.csv", [("parent", "child"), *OTHER]),
        "truth": write(folder / "truth.csv", [("sample_id", "truth"), *((i, LEAVES[t]) for i, t in enumerate(truth))]),
        "labels": write(
            folder / "labels.csv", [("sample_id", "label"), *((i, LEAVES[t]) for i, t in enumerate(truth))]
        ),
    }
    for name, values in {"good": good, "bad": bad}.items():
        rows = [("sample_id", *LEAVES), *([i, *row] for i, row in enumerate(values.tolist()))]
        made[name] = write(folder / f"{name}.csv", rows)
    return made | {"folder": folder}


@pytest.fixture(scope="module")
def written(files):
    """The JSON that the page hands out at a certified threshold with intervals, as a file; and its content."""
    taken, original = [], export_panel.operating_point_json
    data = shelve(taxonomy=files["taxonomy"], predictions=(files["good"],), truth=files["truth"])
    with pytest.MonkeyPatch.context() as patch:
        # The chart is drawn by other tests.
        patch.setattr(curve_chart, "curve_chart", lambda choice: replace(state.view(), model=choice.keys[0]))
        patch.setattr(export_panel, "operating_point_json", lambda point: taken.append(original(point)) or taken[-1])
        visit = Visit("curves", data=data.key, panel="guarantee", drawn="bands")
        visit.memory("choosing").update(n_resamples=50, alpha=25.0)
        visit.run().press("Use τ")
        visit.go(**(visit.query | {"panel": "export"}))
    path = files["folder"] / "op.json"
    path.write_text(taken[-1], encoding="utf-8")
    return str(path), json.loads(taken[-1])


@pytest.fixture
def run(capsys):
    def call(*arguments):
        code = cli.main(["evaluate", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def arguments(files, name, *more, taxonomy="taxonomy"):
    return "--taxonomy", files[taxonomy], "--predictions", files[name], "--truth", files["truth"], *more


def test_round_trip(run, files, written):
    path, point = written
    code, out, err = run(*arguments(files, "good", "--operating-point", path))
    assert (code, err) == (0, "")
    (entry,) = json.loads(out)["models"]
    assert (entry["rule"], entry["threshold"]) == ("threshold", point["threshold"])
    assert entry["n_samples"] == point["n_samples"] == 200
    assert set(point["values"]) == {key for key in entry["predicted"] if not key.startswith("n_")}
    for key, one in point["values"].items():
        assert one["value"] == pytest.approx(entry["predicted"][key], abs=1e-12)
        assert one["low"] <= one["value"] <= one["high"]
    taxonomy = hv.load_taxonomy(files["taxonomy"])
    assert point["taxonomy_sha256"] == taxonomy.sha256
    assert point["guarantee"]["threshold"] == point["threshold"]
    assert point["created_from"]["intervals"] == {"n_resamples": 50, "seed": 0, "group": None, "level": 0.95}
    notes = [note for note in entry["notes"] if note.startswith("operating point: ")]
    assert notes[0] == f"operating point: τ = {point['threshold']:.12g} was chosen for good on 200 samples"
    noted = share_keys()
    assert set(NOTED) <= set(noted)
    for key, note in zip(noted, notes[1 : len(noted) + 1], strict=True):
        one = point["values"][key]
        assert f"was {one['value']:.3f} ({one['low']:.3f} to {one['high']:.3f}), is {one['value']:.3f} here" in note
    wrong = 100 * (1 - entry["predicted"]["correct"])
    assert notes[len(noted) + 1].startswith("operating point: no answer was ")
    assert notes[len(noted) + 2].endswith(
        f"(1 - correct) of at most 25 % with a confidence of 90 %; on these 200 samples the mean loss is {wrong:.4g} %: met"
    )


def test_a_guarantee_that_is_not_met_is_told(run, files, written):
    code, out, _ = run(*arguments(files, "bad", "--operating-point", written[0]))
    (entry,) = json.loads(out)["models"]
    notes = "\n".join(entry["notes"])
    assert code == 0
    assert "was chosen for good on 200 samples; this is bad" in notes
    assert "outside the interval" in notes
    assert notes.endswith("not met")
    assert 1 - entry["predicted"]["correct"] > 0.25


def test_labels_have_no_threshold(run, files, written):
    _, out, _ = run(*arguments(files, "labels", "--operating-point", written[0]))
    assert "this file holds labels, so the operating point does not apply" in "\n".join(
        json.loads(out)["models"][0]["notes"]
    )


def test_another_taxonomy_is_refused(run, files, written):
    path, point = written
    code, out, err = run(*arguments(files, "good", "--operating-point", path, taxonomy="other"))
    other = hv.load_taxonomy(files["other"])
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert point["taxonomy_sha256"] in err
    assert other.sha256 in err


@pytest.mark.parametrize("more", [("--rule", "leaf"), ("--threshold", "0.5"), ("--rule", "majority")])
def test_rule_and_threshold_beside_it_are_refused(run, files, written, more):
    code, _, err = run(*arguments(files, "good", "--operating-point", written[0], *more))
    assert code == 2
    assert "expected neither --rule nor --threshold" in err


def test_what_is_no_operating_point(run, files):
    code, _, err = run(*arguments(files, "good", "--operating-point", files["truth"]))
    assert (code, err.count("\n")) == (2, 1)
    assert "truth.csv" in err
    code, _, err = run(*arguments(files, "good", "--operating-point", files["folder"] / "nothing.json"))
    assert code == 2
    assert "nothing.json" in err
