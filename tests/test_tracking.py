"""Runs of trackers, scorers, displays and the metric of torchmetrics; with the real packages in the long run."""

import importlib.util
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz.messages.extras import MissingExtraError
from hierviz.tracking.logged import MOST_POINTS, Logged

ROOT = Path(__file__).parents[1]
P = np.array([[0.5, 0.25, 0.125, 0.125], [0.125, 0.125, 0.25, 0.5], [0.25, 0.5, 0.125, 0.125], [0.1, 0.2, 0.3, 0.4]])
TRUTH = ("cat", "newt", "duck", "dog")


def needs(*packages):
    """Mark of a test with the real package: skipped by its name where that is missing."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    reason = f"{', '.join(missing)} not installed"
    return lambda test: pytest.mark.long(pytest.mark.skipif(bool(missing), reason=reason)(test))


@pytest.fixture
def predictions(taxonomy):
    return hv.Predictions.from_scores(taxonomy, P, "leaf_probabilities", truth=taxonomy.nodes(*TRUTH), name="m")


@pytest.fixture
def evaluation(predictions):
    return hv.Evaluation.from_predictions(predictions)


# What is logged ------------------------------------------------------------------------------------------------------------


def test_numbers_have_stable_names_and_are_those_of_evaluate(evaluation):
    logged = Logged.from_results(evaluation, False, {"rule": "leaf"})
    expected = hv.evaluate(evaluation, "leaf", more=True)["models"][0]
    assert logged.numbers["curve/ac"] == expected["curve"]["ac"]
    assert logged.numbers["predicted/exact"] == expected["predicted"]["exact"]
    assert logged.numbers["probabilities/brier_by_depth/2"] == expected["probabilities"]["brier_by_depth"]["2"]
    assert logged.numbers["confusion/baseline/acc"] == expected["confusion"]["baseline"]["acc"]
    assert logged.numbers["n_samples"] == 4
    # Undefined, text and settings are no numbers.
    undefined = {f"confusion/{key}" for key, value in expected["confusion"].items() if value is None}
    undefined |= {f"best_leaves/{key}" for key, value in expected["best_leaves"].items() if value is None}
    assert not {*undefined, "confusion/baseline/path_to", "threshold"} & set(logged.numbers)
    assert all(type(value) is float for value in logged.numbers.values())
    assert logged.tags["hierviz.rule"] == "leaf"
    assert logged.tags["hierviz.version"] == hv.__version__
    assert logged.report is None


def test_infinite_numbers_stay_infinite(taxonomy):
    certain = np.array([[0.0, 1.0, 0.0, 0.0]])
    wrong = hv.Predictions.from_scores(taxonomy, certain, "leaf_probabilities", truth=taxonomy.nodes("newt"))
    assert Logged.from_results(wrong, False, {}).numbers["distribution/cross_entropy"] == float("inf")


def test_several_models_have_their_names_in_front(predictions):
    other = predictions.replace(name="b: c/d?")
    logged = Logged.from_results([predictions, other], False, {})
    assert logged.numbers["m/curve/ac"] == logged.numbers["b_ c_d_/curve/ac"]
    assert set(logged.curves) == {"m-curve", "b_ c_d_-curve"}
    with pytest.raises(hv.PredictionsError, match=r"^models: expected names that differ, got 'a_' more than once\."):
        Logged.from_results({"a?": predictions, "a!": predictions}, False, {})
    named = Logged.from_results({"first": predictions, "second": predictions}, False, {})
    assert "second/curve/ac" in named.numbers


def test_a_curve_is_a_table_of_its_own_points(taxonomy, evaluation):
    (columns,) = Logged.from_results(evaluation, False, {}).curves.values()
    assert {key: values.tolist() for key, values in columns.items()} == {
        key: values.tolist() for key, values in evaluation.curve.columns().items()
    }
    rng = np.random.default_rng(0)
    many = rng.dirichlet(np.ones(4), 3000)
    truth = rng.choice(taxonomy.leaves, 3000)
    large = hv.Evaluation.from_predictions(
        hv.Predictions.from_scores(taxonomy, many, "leaf_probabilities", truth=truth)
    )
    (columns,) = Logged.from_results(large, False, {}).curves.values()
    whole = large.curve.columns()
    assert len(columns["threshold"]) == MOST_POINTS < large.curve.n_points
    place = np.searchsorted(-whole["threshold"], -columns["threshold"])
    np.testing.assert_array_equal(whole["threshold"][place], columns["threshold"])
    np.testing.assert_array_equal(whole["correct"][place], columns["correct"])
    assert (place[0], place[-1]) == (0, large.curve.n_points - 1)


def test_labels_have_no_curve(taxonomy):
    labels = hv.Predictions.from_labels(taxonomy, taxonomy.nodes("cat", "dog"), truth=taxonomy.nodes("cat", "cat"))
    logged = Logged.from_results(labels, False, {})
    assert logged.curves == {}
    assert logged.numbers["labels/micro_f1"] > 0


def test_a_report_is_logged_as_it_is(evaluation):
    report = hv.report(evaluation, "leaf")
    logged = Logged.from_results(report, True, {})
    assert logged.report is report
    assert logged.numbers == Logged.from_results(evaluation, False, {"rule": "leaf"}).numbers
    assert set(logged.curves) == {"curve"}
    with pytest.raises(hv.PredictionsError, match=r"^report: expected no 'rule', as the report is made, got one\."):
        Logged.from_results(report, True, {"rule": "leaf"})
    assert Logged.from_results(evaluation, True, {"rule": "leaf"}).report.html == report.html


@pytest.mark.parametrize("given", ["curve.csv", 3, [], {}, [None]])
def test_other_things_are_refused(given):
    with pytest.raises(
        hv.PredictionsError, match=r"^results: expected a Report, an Evaluation or Predictions, or several"
    ):
        Logged.from_results(given, True, {})


@pytest.mark.parametrize(
    ("call", "package", "extra"),
    [
        (lambda taxonomy, found: hv.log_to_mlflow(found), "mlflow", "mlflow"),
        (lambda taxonomy, found: hv.log_to_wandb(found), "wandb", "wandb"),
        (lambda taxonomy, found: hv.metrics.torch_metric(taxonomy), "torchmetrics", "torchmetrics"),
        (lambda taxonomy, found: hv.metrics.OperatingCurveDisplay(found.curve).plot(), "matplotlib", "sklearn"),
    ],
)
def test_a_missing_package_is_one_line(call, package, extra, taxonomy, evaluation, monkeypatch):
    found = importlib.util.find_spec
    # torchmetrics needs torch, which is looked for first.
    asked = (package, "torch") if package == "torchmetrics" else (package,)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in asked else found(name))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    with pytest.raises(MissingExtraError, match=rf'expected {asked[-1]} .*Run pip install "hierviz\[{extra}\]"\.$'):
        call(taxonomy, evaluation)


# Scorers -------------------------------------------------------------------------------------------------------------------


class Fixed:
    """An estimator whose answers are fixed: class by class, in alphabetical order as in scikit-learn."""

    classes_ = np.array(["cat", "dog", "duck", "newt"])

    def __init__(self, rows=P):
        self.rows = rows

    def predict_proba(self, X):
        return self.rows


def test_a_scorer_gives_the_number_of_evaluate(taxonomy):
    columns = hv.Predictions.from_predict_proba(taxonomy, P, Fixed.classes_, truth=list(TRUTH))
    numbers = hv.evaluate(columns, more=True)["models"][0]
    for key, block, name, sign in (
        ("info_f1", "predicted", "info_f1", 1),
        ("curve.ac", "curve", "ac", 1),
        ("brier", "probabilities", "brier", -1),
        ("labels.macro_f1", "labels", "macro_f1", 1),
    ):
        assert hv.metrics.scorer(key, taxonomy)(Fixed(), None, np.array(TRUTH)) == sign * numbers[block][name]
    at_leaf = hv.metrics.scorer("exact", taxonomy, "leaf")(Fixed(), None, np.array(TRUTH))
    assert at_leaf == hv.evaluate(columns, "leaf")["models"][0]["predicted"]["exact"]
    by_depth = hv.metrics.scorer("accuracy_by_depth.1", taxonomy)(Fixed(), None, TRUTH)
    assert by_depth == numbers["levels"]["accuracy_by_depth"]["1"]


def test_a_scorer_of_numbered_classes_and_of_a_class_that_was_not_seen(taxonomy):
    class Numbered(Fixed):
        classes_ = np.array([0, 1, 3])

        def predict_proba(self, X):
            return np.array([[0.5, 0.25, 0.25]])

    scorer = hv.metrics.scorer("exact", taxonomy, "leaf", classes=["cat", "dog", "duck", "newt"])
    assert scorer(Numbered(), None, np.array([0])) == 1.0
    assert scorer(Numbered(), None, np.array([2])) == 0.0
    with pytest.raises(hv.PredictionsError, match=r"^y: expected numbers from 0 to 3"):
        scorer(Numbered(), None, np.array([4]))


def test_a_scorer_of_an_estimator_without_probabilities(taxonomy):
    class Answers:
        def predict(self, X):
            return np.array(["mammal", "newt"])

    # mammal is right of cat, but coarse: 1 of 2 answers is exact.
    found = hv.metrics.scorer("labels.hp_samples", taxonomy)(Answers(), None, ["cat", "newt"])
    assert found == 1.0
    with pytest.raises(
        hv.PredictionsError, match=r"^scorer: expected a number for curve\.ac, got none: they need scores"
    ):
        hv.metrics.scorer("ac", taxonomy)(Answers(), None, ["cat", "newt"])


@pytest.mark.parametrize(
    ("metric", "match"),
    [
        ("info_f2", r"^metrics: expected numbers of `evaluate`"),
        ("brier_by_depth", r"^metric: expected one number, got \d of 'brier_by_depth'\. Add a depth"),
        ("n_coarse", r"^metric: expected a number that is better when higher or lower"),
        (3, r"^metric: expected a key, got int"),
    ],
)
def test_a_scorer_of_no_metric(metric, match, taxonomy):
    with pytest.raises(hv.PredictionsError, match=match):
        hv.metrics.scorer(metric, taxonomy)


def test_a_scorer_takes_no_weights_and_can_be_pickled(taxonomy):
    scorer = hv.metrics.scorer("info_f1", taxonomy)
    copy = pickle.loads(pickle.dumps(scorer))
    assert copy(Fixed(), None, TRUTH) == scorer(Fixed(), None, TRUTH)
    with pytest.raises(hv.PredictionsError, match=r"^sample_weight: expected None"):
        scorer(Fixed(), None, TRUTH, np.ones(4))


@pytest.mark.parametrize("none", [None, float("nan"), ""])
def test_a_scorer_leaves_no_sample_out(none, taxonomy):
    y = np.array([none, *TRUTH[1:]], dtype=object)
    with pytest.raises(hv.PredictionsError, match=r"^y: expected a class of every sample, got none in rows 0 "):
        hv.metrics.scorer("info_f1", taxonomy)(Fixed(), None, y)


def test_columns_that_do_not_fit_are_counted_as_they_came(taxonomy):
    """Not with those of the leaves that have none."""
    display = hv.metrics.OperatingCurveDisplay
    with pytest.raises(hv.PredictionsError, match=r"expected shape \(n_samples, 3\) for 3 classes, got \(4, 4\)"):
        display.from_predictions(TRUTH, P, taxonomy=taxonomy, classes=["cat", "dog", "duck"])
    with pytest.raises(
        hv.PredictionsError, match=r"^classes: expected a list of names for each of the 2 arrays of prob"
    ):
        hv.metrics.scorer("info_f1", taxonomy)(Fixed([P, P]), None, TRUTH)


@pytest.mark.parametrize("step", [1.5, "x", float("nan"), -1, True])
@pytest.mark.parametrize("log", [hv.log_to_mlflow, hv.log_to_wandb])
def test_a_step_is_a_whole_number(log, step, evaluation, monkeypatch):
    monkeypatch.setattr(f"{log.__module__}.require", lambda *_: None)
    with pytest.raises(hv.PredictionsError, match=r"^step: expected a whole number >= 0, got "):
        log(evaluation, step=step)


# With the packages ---------------------------------------------------------------------------------------------------------

# Runs in a process of its own: no address may be looked up, and nothing reached that is not on this machine.
WATCHED = """
import json, os, pathlib, socket, sys
import numpy as np
for name in [key for key in os.environ if key.startswith(("CI", "PYTEST", "GITHUB"))]:
    del os.environ[name]
asked = []
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        address = arguments[1] if event == "socket.connect" else arguments[0]
        if not isinstance(address, (str, bytes)) or event != "socket.connect":  # else a socket of this machine, a file
            host = address[0] if isinstance(address, tuple) else address
            if host not in ("127.0.0.1", "localhost", "::1", None):
                asked.append([event, str(host)])
                raise OSError(f"no network: {event} {host}")
sys.addaudithook(watch)
import hierviz as hv
taxonomy = hv.Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
rows = np.array([[0.5, 0.25, 0.25], [0.125, 0.25, 0.625], [0.2, 0.7, 0.1]])
predictions = hv.Predictions.from_scores(taxonomy, rows, "leaf_probabilities", truth=taxonomy.nodes("cat", "newt", "cat"))
evaluation = hv.Evaluation.from_predictions(predictions)
expected = hv.evaluate(evaluation)["models"][0]["curve"]["ac"]
"""


def watched(code, folder):
    """What a script prints last, as JSON; it runs in `folder`, at home there, without a network."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MLFLOW", "WANDB"))}
    environment |= {"PYTHONPATH": str(ROOT), "HOME": str(folder)}
    script = folder / "script.py"
    script.write_text(WATCHED + code)
    done = subprocess.run(
        [sys.executable, script], cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@needs("mlflow")
def test_mlflow(tmp_path):
    found = watched(
        """
own = hv.log_to_mlflow(evaluation)
import mlflow, threading
from mlflow.telemetry.client import get_telemetry_client
client = mlflow.MlflowClient()
run = client.get_run(own)
with mlflow.start_run() as active:
    assert hv.log_to_mlflow(evaluation, step=1) == active.info.run_id
    hv.log_to_mlflow(evaluation, step=2, with_report=False)
    hv.log_to_mlflow(evaluation, step=2, with_report=False, rule="leaf")
hv.log_to_mlflow(hv.report(evaluation), own)
history = [metric.step for metric in client.get_metric_history(active.info.run_id, "curve/ac")]
table = mlflow.load_table("hierviz/curve.json", run_ids=[active.info.run_id])
page = mlflow.artifacts.load_text(f"runs:/{own}/hierviz/report.html")
kept = sorted(one.path for one in client.list_artifacts(own, "hierviz"))
mlflow.set_tracking_uri("http://tracker.example")
try:
    hv.log_to_mlflow(evaluation)
    refused = ""
except hv.HiervizError as error:
    refused = str(error)
print(json.dumps({
    "ac": [expected, run.data.metrics["curve/ac"]], "status": run.info.status, "history": history, "kept": kept,
    "tags": run.data.tags["hierviz.rule"], "table": len(table) == evaluation.curve.n_points,
    "page": page == hv.report(evaluation).html,
    "columns": list(table), "asked": asked, "telemetry": get_telemetry_client() is None, "refused": refused,
    "switch": os.environ.get("MLFLOW_DISABLE_TELEMETRY"),
}))
""",
        tmp_path,
    )
    assert found["ac"][0] == found["ac"][1]
    assert found["status"] == "FINISHED"
    assert found["history"] == [1, 2, 2]
    assert found["kept"] == ["hierviz/curve.json", "hierviz/report.html"]
    assert found["tags"] == "majority"
    assert found["table"]
    assert found["page"]
    assert {"threshold", "correct", "info_recall"} <= set(found["columns"])
    assert found["asked"] == []
    assert found["telemetry"]
    assert found["switch"] is None
    assert found["refused"].startswith(
        "run: expected an active run, as the tracking URI 'http://tracker.example' names a server"
    )


@needs("wandb")
def test_wandb(tmp_path):
    found = watched(
        """
own = hv.log_to_wandb(evaluation)
import wandb
assert wandb.run is None
(folder,) = pathlib.Path("wandb").glob("offline-run-*")
with wandb.init(mode="offline") as run:
    assert hv.log_to_wandb(evaluation, with_report=False) == run.id
    ac, exact, tag = run.summary["curve/ac"], run.summary["predicted/exact"], run.config["hierviz.rule"]
    hv.log_to_wandb(hv.report(evaluation), run)
    try:
        hv.log_to_wandb(evaluation, 3)
        refused = ""
    except hv.HiervizError as error:
        refused = str(error)
files = [path for path in pathlib.Path("wandb").rglob("*") if path.is_file()]
pages = [path for path in files if b"hierviz-report" in path.read_bytes()]
print(json.dumps({
    "ac": [expected, ac], "own": own in folder.name, "tag": tag, "refused": refused, "asked": asked, "pages": len(pages)
}))
""",
        tmp_path,
    )
    assert found["ac"][0] == found["ac"][1]
    assert found["own"]
    assert found["tag"] == "majority"
    assert found["refused"].startswith("run: expected a run of Weights & Biases, got int.")
    assert found["asked"] == []
    assert found["pages"]


@needs("sklearn")
def test_scorers_of_real_searches():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score
    from sklearn.tree import DecisionTreeClassifier

    edges = [("flower", "low"), ("flower", "high"), ("low", "a"), ("low", "b"), ("high", "c"), ("high", "d")]
    taxonomy = hv.Taxonomy.from_edges(edges)
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c", "d"], 30)
    X = rng.normal(size=(120, 2)) + 1.2 * np.array([[k // 2, k % 2] for k in range(4)])[np.repeat(range(4), 30)]
    folds = StratifiedKFold(4)
    scorer = hv.metrics.scorer("info_f1", taxonomy)
    found = cross_val_score(LogisticRegression(), X, y, cv=folds, scoring=scorer)
    p = cross_val_predict(LogisticRegression(), X, y, cv=folds, method="predict_proba")
    expected = [
        hv.evaluate(hv.Predictions.from_predict_proba(taxonomy, p[rows], sorted(set(y)), truth=y[rows].tolist()))
        for _, rows in folds.split(X, y)
    ]
    np.testing.assert_allclose(found, [one["models"][0]["predicted"]["info_f1"] for one in expected], rtol=1e-12)
    several = {"info_f1": scorer, "brier": hv.metrics.scorer("brier", taxonomy)}
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, scoring=several, refit="brier", cv=folds, n_jobs=2)
    search.fit(X, y)
    assert (search.cv_results_["mean_test_brier"] < 0).all()
    assert search.best_params_ == {"C": 1.0}
    # Numbers in place of names, and a class that one fold has not seen.
    numbers = np.unique(y, return_inverse=True)[1]
    of_numbers = hv.metrics.scorer("info_f1", taxonomy, classes=["a", "b", "c", "d"])
    again = cross_val_score(LogisticRegression(), X, numbers, cv=folds, scoring=of_numbers)
    np.testing.assert_allclose(again, found, rtol=1e-12)
    rows = [(np.flatnonzero(y != "d"), np.flatnonzero(y == "d"))]
    unseen = cross_val_score(
        DecisionTreeClassifier(), X, y, cv=rows, scoring=hv.metrics.scorer("exact", taxonomy, "leaf")
    )
    assert unseen.tolist() == [0.0]


@needs("matplotlib", "sklearn")
def test_display_of_a_curve(taxonomy, predictions):
    import matplotlib

    matplotlib.use("Agg")
    curve = hv.Evaluation.from_predictions(predictions).curve
    names = [taxonomy.names[leaf] for leaf in taxonomy.leaves]
    shown = hv.metrics.OperatingCurveDisplay.from_predictions(
        list(TRUTH), P, taxonomy=taxonomy, classes=names, name="m", color="black"
    )
    assert shown.line_.get_xdata().tolist() == curve.values["info_recall"].tolist()
    assert shown.line_.get_ydata().tolist() == curve.values["correct"].tolist()
    assert shown.line_.get_color() == "black"
    assert shown.line_.get_label() == f"m (AC = {curve.summary()['ac']:.2f})"
    assert shown.ax_.figure is shown.figure_
    other = hv.metrics.OperatingCurveDisplay.from_estimator(Fixed(), None, list(TRUTH), taxonomy=taxonomy, ax=shown.ax_)
    assert other.ax_ is shown.ax_
    assert other.line_.get_label().startswith("Fixed (AC")
    direct = hv.metrics.OperatingCurveDisplay.from_predictions(None, predictions, taxonomy=taxonomy)
    assert direct.ac == shown.ac
    assert direct.plot(x="exact").line_.get_xdata().tolist() == curve.values["exact"].tolist()
    with pytest.raises(hv.PredictionsError, match=r"^x: expected one of"):
        direct.plot(x="area")
    matplotlib.pyplot.close("all")


KEYS = [
    "curve.ac",
    "predicted.info_f1",
    "labels.hf1_auc",
    "labels.icm",
    "confusion.mcc",
    "probabilities.brier_by_depth",
]


def batches(taxonomy, n=200):
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(n, taxonomy.n_leaves)).astype(np.float32)
    return logits, rng.integers(0, taxonomy.n_leaves, n)


def expected_numbers(taxonomy, logits, targets):
    found = hv.Predictions.from_scores(taxonomy, logits, "flat_softmax", truth=taxonomy.leaves[targets])
    numbers = hv.evaluate(found, more=True)["models"][0]
    made = {}
    for key in KEYS:
        value = numbers[key.split(".")[0]][key.split(".")[1]]
        made |= {f"{key}.{depth}": one for depth, one in value.items()} if isinstance(value, dict) else {key: value}
    return made


@needs("torch", "torchmetrics")
def test_torch_metric_is_evaluate_of_all_batches(taxonomy):
    import torch

    logits, targets = batches(taxonomy)
    metric = hv.metrics.torch_metric(taxonomy, KEYS)
    unready = pytest.raises(hv.PredictionsError, match=r"^torch_metric: expected update before compute")
    with pytest.warns(UserWarning, match="before the ``update``"), unready:
        metric.compute()
    for rows in np.array_split(np.arange(len(logits)), 7):
        metric.update(torch.from_numpy(logits[rows]).requires_grad_(), torch.from_numpy(targets[rows]))
    expected = expected_numbers(taxonomy, logits, targets)
    assert {key: value.item() for key, value in metric.compute().items()} == expected
    copy = pickle.loads(pickle.dumps(metric))
    assert {key: value.item() for key, value in copy.compute().items()} == expected
    # The value of a batch, then of all.
    metric.reset()
    half = metric(torch.from_numpy(logits[:100]), torch.from_numpy(targets[:100]))
    assert {key: value.item() for key, value in half.items()} == expected_numbers(taxonomy, logits[:100], targets[:100])
    metric(torch.from_numpy(logits[100:]), torch.from_numpy(targets[100:]))
    assert {key: value.item() for key, value in metric.compute().items()} == expected
    with pytest.raises(hv.PredictionsError, match=r"^torch_metric: expected whole targets from -1 to 3, got"):
        metric.update(torch.zeros(1, 4), torch.tensor([4]))
    with pytest.raises(hv.PredictionsError, match=r"^torch_metric: expected scores of shape \(n_samples, 4\)"):
        metric.update(torch.zeros(1, 5), torch.tensor([0]))


@needs("torch", "torchmetrics")
def test_torch_metric_of_named_columns_nodes_and_unknown_truths(taxonomy):
    import torch

    names = [taxonomy.names[leaf] for leaf in taxonomy.leaves][::-1]
    metric = hv.metrics.torch_metric(taxonomy, "exact", "leaf_probabilities", "leaf", classes=names, targets="nodes")
    truth = np.append(taxonomy.nodes(*TRUTH[:3]), -1)
    metric.update(torch.from_numpy(P[:, ::-1].copy()).bfloat16(), torch.from_numpy(truth))
    exact = hv.evaluate(hv.Predictions.from_scores(taxonomy, P, "leaf_probabilities", truth=truth), "leaf")["models"][
        0
    ]["predicted"]["exact"]
    assert metric.compute()["predicted.exact"].item() == exact


GROUP = """
import sys, pickle, numpy as np, torch, torch.distributed as group
import hierviz as hv
rank, file, given = int(sys.argv[1]), sys.argv[2], pickle.loads(open(sys.argv[3], "rb").read())
group.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
taxonomy, logits, targets, keys = given
rows = slice(0, 120) if rank == 0 else slice(120, None)
metric = hv.metrics.torch_metric(taxonomy, keys)
for part in np.array_split(np.arange(len(logits))[rows], 3):
    metric.update(torch.from_numpy(logits[part]), torch.from_numpy(targets[part]))
found = {key: value.item() for key, value in metric.compute().items()}
open(f"{file}.{rank}", "wb").write(pickle.dumps((found, len(metric.scores))))
group.destroy_process_group()
"""


@needs("torch", "torchmetrics")
def test_torch_metric_of_two_processes_is_that_of_one(taxonomy, tmp_path):
    logits, targets = batches(taxonomy)
    (tmp_path / "given").write_bytes(pickle.dumps((taxonomy, logits, targets, KEYS)))
    script = tmp_path / "group.py"
    script.write_text(GROUP)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, script]
    running = [
        subprocess.Popen([*command, str(rank), tmp_path / "meeting", tmp_path / "given"], env=environment)
        for rank in range(2)
    ]
    assert [one.wait(timeout=600) for one in running] == [0, 0]
    expected = expected_numbers(taxonomy, logits, targets)
    for rank in range(2):
        found, n_batches = pickle.loads((tmp_path / f"meeting.{rank}").read_bytes())
        assert found == expected
        # What was put together for the numbers is not kept.
        assert n_batches == 3
