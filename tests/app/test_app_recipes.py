"""A metric and a rule, added as in the recipes of CONTRIBUTING.md, appear wherever metrics and rules are shown."""

import csv
import dataclasses
import io
import json
import runpy
from pathlib import Path

import numpy as np
import pytest
from visit import Visit, shelve

import hierviz as hv
from hierviz import cli
from hierviz.inference import registry as rules
from hierviz.inference.parameters import Parameter, named
from hierviz.metrics import registry as metrics
from hierviz.metrics.entry import PathMetric
from hierviz.reports.view import View

WRITER = Path(__file__).parents[2] / "docs" / "metrics_text.py"
# Truth cello, oboe, drum; the most probable leaf is violin, flute, drum.
TAXONOMY = """parent,child
instrument,strings
strings,violin
strings,cello
instrument,winds
winds,flute
winds,reeds
reeds,oboe
reeds,bassoon
instrument,drum
"""
SCORES = """sample_id,truth,violin,cello,flute,oboe,bassoon,drum
s1,cello,0.59375,0.40625,0,0,0,0
s2,oboe,0,0,0.6875,0.25,0.0625,0
s3,drum,0.125,0,0,0.125,0,0.75
"""


# The first place: a function -------------------------------------------------------------------------------------------


def half_way(pairs):
    """1 where the answer shares at least half of the levels of the truth."""
    return (2 * pairs.depth.shared >= pairs.depth.due).astype(float)


def patient(taxonomy, p, patience, manner="plain"):
    """The root while the most probable leaf is below `patience` percent, then that leaf, or its parent."""
    leaf = hv.infer(taxonomy, p, "leaf")
    answer = leaf if manner == "plain" else taxonomy.parent[leaf]
    return np.where(100 * p[np.arange(len(p)), leaf] >= patience, answer, 0)


# The second place: an entry --------------------------------------------------------------------------------------------

METRIC = PathMetric(
    "half_way",
    "predicted",
    "Half of the way",
    "The answer shares at least half of the levels of the truth.",
    r"[2\,d(\mathrm{lca}) \ge d(y)]",
    "the recipe",
    function=half_way,
    loss="answers short of half of the way",
    is_binary=True,
)
RULE = rules.InferenceRule(
    "patient",
    "Patient",
    "Answer with the root until a leaf is probable enough.",
    r"\hat y = \text{leaf or root}",
    "the recipe",
    patient,
    parameters=named(
        Parameter(
            "patience", "Patience in percent", "How sure to be.", 60.0, range=(0.0, 100.0), unit="percent", sign="π"
        ),
        Parameter(
            "manner",
            "Manner of answering",
            "The leaf, or its parent.",
            "plain",
            kind="choice",
            choices={"plain": "the leaf", "kind": "its parent"},
            is_optional=True,
        ),
    ),
)


@pytest.fixture
def added(monkeypatch):
    """The two entries."""
    monkeypatch.setitem(metrics._ENTRIES, METRIC.key, METRIC)
    monkeypatch.setitem(rules._RULES, RULE.key, RULE)


@pytest.fixture
def files(tmp_path):
    """Taxonomy and predictions, as paths."""
    paths = {"taxonomy": tmp_path / "taxonomy.csv", "predictions": tmp_path / "patient.csv"}
    for path, text in zip(paths.values(), (TAXONOMY, SCORES), strict=True):
        path.write_text(text)
    return paths


@pytest.fixture
def run(files, capsys):
    """run(command, *flags) -> standard output of a command on the files."""

    def call(command, *flags):
        capsys.readouterr()
        assert cli.main([command, *(f"--{name}={path}" for name, path in files.items()), *flags]) == 0
        return capsys.readouterr().out

    return call


def reference():
    """The reference of all metrics and rules, as it is written now."""
    return runpy.run_path(str(WRITER))["reference"]()


def shelved(files):
    return shelve(taxonomy=str(files["taxonomy"]), predictions=(str(files["predictions"]),))


def test_the_registries_are_read_only():
    for registry in (hv.METRICS, hv.INFERENCE_RULES):
        with pytest.raises(TypeError, match="does not support item assignment"):
            registry["new"] = None


def test_a_metric_is_in_every_number(added, files, run, tmp_path):
    """Leaf answers: violin for cello 1 of 2 levels, flute for oboe 1 of 3, drum for drum all."""
    found = json.loads(run("evaluate", "--rule", "leaf", "--per-sample", str(tmp_path / "samples.csv")))["models"][0]
    assert found["predicted"]["half_way"] == pytest.approx(2 / 3)
    assert list(found["predicted"])[:2] == ["exact", "correct"]
    with open(tmp_path / "samples.csv", encoding="utf-8") as file:
        assert [float(row["half_way"]) for row in csv.DictReader(file)] == [1, 0, 1]
    curve = list(csv.DictReader(io.StringIO(run("curve"))))
    assert float(curve[-1]["half_way"]) == pytest.approx(2 / 3)
    assert "**`half_way`: Half of the way.** The answer shares" in reference()


def test_a_metric_in_the_tables_and_goals_of_the_core(added, files):
    taxonomy = hv.load_taxonomy(files["taxonomy"])
    predictions = hv.load_predictions(files["predictions"], taxonomy)
    model = hv.Evaluation.from_predictions(predictions)
    assert hv.thresholds.choose(model.curve, "half_way", {"correct": 0.5}).is_feasible
    assert model.curve.best_threshold("half_way") is not None
    table = hv.charts.operating_curves({"model": model.curve}, threshold=0.5).table
    assert table["half_way"][0] == model.curve.at(0.5)["half_way"]
    found = hv.thresholds.guaranteed_threshold(taxonomy, predictions.truth, model.table, 0.3, 0.3, key="half_way")
    assert found.method == "binomial"
    bands = hv.uncertainty.bootstrap_curve(
        taxonomy, predictions.truth, model.table, hv.uncertainty.Resamples.draw(3, 5, 0)
    )
    assert "half_way" in bands.curve


def test_a_metric_is_on_the_pages(added, files):
    data = shelved(files)
    visit = Visit("curves", data=data.key, axes="threshold-half-way")
    assert visit.control("Axes").value == "threshold-half-way"
    assert METRIC.label in visit.control("and the best mean of").options
    assert any(METRIC.label in one.value.columns for one in visit.at.dataframe)
    assert METRIC.label in visit.charts()[0][0].proto.spec
    visit.go(panel="guarantee", data=data.key)
    assert METRIC.loss in visit.control("Loss").options
    visit.go("example", data=data.key)
    assert METRIC.key in visit.numbers()


def test_a_rule_is_on_the_command_line(added, run):
    help_text = " ".join(run_help().split())
    assert "patient" in help_text
    assert "--patience X parameter of rule `patient`: a number in percent (default: 60)" in help_text
    assert "--manner KEY parameter of rule `patient`: plain or kind (default: plain)" in help_text
    found = json.loads(run("evaluate", "--rule", "patient"))["models"][0]
    # 59 % is below 60: the root for cello; flute for oboe; drum.
    assert (found["rule"], found["patience"], found["predicted"]["correct"]) == ("patient", 60, pytest.approx(2 / 3))
    assert "manner" not in found
    found = json.loads(run("evaluate", "--rule", "patient", "--patience", "50", "--manner", "kind"))["models"][0]
    # strings and winds are correct, and so is the parent of drum, the root.
    assert (found["patience"], found["manner"], found["predicted"]["correct"]) == (50, "kind", 1)
    assert "**`patient`: Patient.** Answer with the root" in reference()
    assert "keyword `manner` (`plain` or `kind`, default `plain`)" in reference()


def test_odd_names_of_entries():
    for key in ("50 % sure", "half.way", "half-way", "", "ünder", None):
        for entry in (METRIC, RULE):
            with pytest.raises(hv.PredictionsError, match="expected a key of letters, digits and _, got "):
                dataclasses.replace(entry, key=key)
        with pytest.raises(hv.PredictionsError, match=r"^parameter of a rule: expected a key of letters"):
            dataclasses.replace(RULE.parameters["patience"], name=key)
    with pytest.raises(
        hv.PredictionsError, match=r"^metric 'half_way': expected better to be one of higher, lower, neither"
    ):
        dataclasses.replace(METRIC, better="up")


def with_parameter(monkeypatch, name, **more):
    """Rule `patient` with one parameter of that name."""
    parameter = dataclasses.replace(RULE.parameters["patience"], name=name, **more)
    monkeypatch.setitem(rules._RULES, RULE.key, dataclasses.replace(RULE, parameters=named(parameter)))


def test_a_parameter_whose_name_is_taken(monkeypatch, capsys):
    with_parameter(monkeypatch, "json")
    assert cli.main(["evaluate"]) == 2
    expected = (
        "--json: expected a flag that `evaluate` has not yet, for a parameter of rule patient. Rename the parameter."
    )
    assert capsys.readouterr().err == f"hierviz: {expected}\n"
    with_parameter(monkeypatch, "sample")
    with pytest.raises(
        hv.PredictionsError, match=r"expected a name that no field of a link has, got 'sample'\. Rename"
    ):
        View.from_query({})


def test_units_in_the_help(monkeypatch):
    with_parameter(monkeypatch, "patience", unit="%")
    assert "--patience X parameter of rule `patient`: a number in % (default: 60)" in " ".join(run_help().split())


def run_help():
    return cli.parser()._subparsers._group_actions[0].choices["evaluate"].format_help()


def test_a_rule_is_on_the_pages(added, files):
    data = shelved(files)
    visit = Visit("overview", data=data.key)
    visit.control("Inference rule").select("patient")
    visit.run()
    assert (visit.control("Patience in percent").value, visit.control("Manner of answering").value) == (60, "plain")
    visit.control("Patience in percent").set_value(50.0)
    visit.control("Manner of answering").select("kind")
    visit.run()
    assert {key: visit.query[key] for key in ("rule", "patience", "manner")} == {
        "rule": "patient",
        "patience": "50.000",
        "manner": "kind",
    }
    assert "π = 50.000, manner of answering: its parent" in visit.text
    # A link shows the same, on another page too; every rule may be marked on the curves.
    other = Visit("example", **visit.query, tree="list")
    assert (other.control("Patience in percent").value, other.control("Manner of answering").value) == (50, "kind")
    curves = Visit("curves", **visit.query | {"marked": "patient"})
    assert curves.control("Rules to mark").value == ["patient"]


# Costs of one's own ----------------------------------------------------------------------------------------------------

LEAVES = ("violin", "cello", "flute", "oboe", "bassoon", "drum")


def costs(cheap):
    """Every mistake costs 1, but an answer `cheap` next to nothing."""
    rows = [f"{a},{b},{0 if a == b else 0.01 if a == cheap else 1}" for a in LEAVES for b in LEAVES]
    return "\n".join(["predicted,truth,cost", *rows]) + "\n"


def test_costs_on_the_command_line(run, tmp_path, files, capsys):
    table = tmp_path / "prices.csv"
    table.write_text(costs("drum"))
    found = json.loads(run("evaluate", "--rule", "crm_leaf", "--cost", str(table)))["models"][0]
    assert (found["cost"], found["predicted"]["exact"]) == ("prices.csv", pytest.approx(1 / 3))
    plain = json.loads(run("evaluate", "--rule", "crm_leaf"))["models"][0]
    assert "cost" not in plain
    assert json.loads(run("evaluate", "--rule", "crm_leaf", "--cost", "depth_dist"))["models"][0] == plain
    named_files = [f"--{name}={path}" for name, path in files.items()]
    for cost, message in (
        (
            "hops",
            "--cost: expected depth_dist, info_dist, info_f1, depth_f1, wu_palmer, win, exact, correct, ",
        ),
        ("hops", ", info_recall, depth_recall or a table of costs, got 'hops', which is no file. Name one of them."),
        (str(files["taxonomy"]), "taxonomy.csv: expected the columns predicted, truth, cost, each once"),
    ):
        assert cli.main(["evaluate", *named_files, "--rule", "crm_leaf", "--cost", cost]) == 2
        assert message in capsys.readouterr().err
    exclusive = json.loads(run("evaluate", "--rule", "crm_nodes", "--expectation", "exclusive"))["models"][0]
    assert exclusive["expectation"] == "exclusive"
    assert "expectation" not in json.loads(run("evaluate", "--rule", "crm_nodes"))["models"][0]


def test_a_flag_of_another_rule_is_an_error(run, files, tmp_path, capsys):
    """It would change nothing, and look as if it had."""
    named_files = [f"--{name}={path}" for name, path in files.items()]
    for flags, message in (
        (
            ["--cost", "prices.csv"],
            "--cost: expected --rule crm_leaf or --rule optimal_node with it, got rule majority. Choose that rule, or leave",
        ),
        (
            ["--rule", "crm_leaf", "--expectation", "leaves"],
            "--expectation: expected --rule crm_nodes with it, got rule",
        ),
        (["--rule", "leaf", "--lam", "0"], "--lam: expected --rule darts with it, got rule leaf."),
        (
            ["--operating-point", "op.json", "--bits", "1"],
            "--bits: expected --rule information_threshold with it, got rule th",
        ),
        (
            ["--rule", "crm_nodes", "--expectation", "all"],
            "--expectation: expected one of leaves, exclusive, got 'all'.",
        ),
    ):
        assert cli.main(["evaluate", *named_files, *flags]) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"hierviz: {message}")
        assert error.count("\n") == 1


@pytest.mark.long
def test_costs_on_the_pages(files):
    data = shelved(files)
    visit = Visit("example", data=data.key, rule="crm_leaf", sample="s1", tree="list")
    assert visit.control("Cost of a mistake").value == "depth_dist"
    visit.at.file_uploader(key="upload_cost").upload("prices.csv", costs("drum").encode())
    visit.run()
    assert visit.control("Cost of a mistake").value == "prices.csv"
    assert not visit.at.error
    assert "cost of a mistake: prices.csv" in visit.text
    assert visit.answer == "drum"
    visit.run()
    assert visit.query["cost"] == "prices.csv"
    # Another visitor has the link and not the file.
    other = Visit("example", **visit.query)
    assert "The costs of prices.csv are not available" in other.text
    assert other.answer == "violin"
    other.at.file_uploader(key="upload_cost").upload("prices.csv", costs("oboe").replace("drum,drum,0\n", "").encode())
    other.run()
    assert "got none for predicted 'drum', truth 'drum'" in other.text
    other.control("Cost of a mistake").select("depth_dist")
    other.run()
    assert not other.at.error
    assert "cost" not in other.query


def test_costs_of_a_taxonomy_in_another_order(files, tmp_path):
    """The same edges, the leaves in another order: the same file of costs is read again."""
    header, *edges = TAXONOMY.splitlines()
    turned = tmp_path / "turned.csv"
    turned.write_text("\n".join([header, *sorted(edges, reverse=True)]) + "\n")
    first, second = shelved(files), shelved(files | {"taxonomy": turned})
    assert first.taxonomy.sha256 == second.taxonomy.sha256
    visit = Visit("example", data=first.key, rule="crm_leaf", sample="s1", tree="list")
    visit.at.file_uploader(key="upload_cost").upload("prices.csv", costs("drum").encode())
    visit.run()
    for data in (first, second):
        visit.go(data=data.key, rule="crm_leaf", sample="s1", cost="prices.csv")
        assert not visit.at.error
        assert visit.answer == "drum"


@pytest.mark.long
def test_thresholds_by_depth_on_the_pages(files):
    """A field of text whose list is checked; a link holds it, and what is no list leaves the former one."""
    data = shelved(files)
    visit = Visit(
        "example", data=data.key, rule="depth_thresholds", sample="s1", thresholds_by_depth="0.7,0.5", tree="list"
    )
    field = visit.control("Thresholds τ by depth")
    assert field.value == "0.7,0.5"
    # strings is certain and violin .59375: above .5 at depth 2, and not above .6.
    assert visit.answer == "violin"
    visit.control("Thresholds τ by depth").set_value("0.7, .60")
    visit.run()
    assert visit.answer == "strings"
    assert Visit("example", **{**visit.query, "tree": "ladder"}).answer == "strings"
    assert visit.query["thresholds_by_depth"] == "0.7,0.6"
    visit.control("Thresholds τ by depth").set_value("0.7;2")
    visit.run()
    assert visit.query["thresholds_by_depth"] == "0.7,0.6"
    assert any("Expected numbers from 0 to 1" in error.value for error in visit.at.error)
