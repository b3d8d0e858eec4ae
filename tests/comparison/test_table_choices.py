"""A rule for each file, F-max and S-min with their resamples, why an interval is missing: against each alone, by loops."""

import json

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz import cli
from hierviz.comparison import table as table_module
from hierviz.comparison.columns import columns_of
from hierviz.comparison.resampled import ProteinNumbers
from hierviz.metrics.sets.protein_function import PROTEIN_KEYS


def simulated(taxonomy, n, seed, name, skill=1.5):
    rng = np.random.default_rng(seed)
    truth = taxonomy.leaves[np.arange(n) % taxonomy.n_leaves]
    logits = rng.normal(size=(n, taxonomy.n_leaves)) + skill * (taxonomy.leaves == truth[:, None])
    return hv.Predictions.from_scores(taxonomy, logits, "flat_softmax", truth=truth, name=name)


def test_each_file_its_own_rule(taxonomy):
    models = [simulated(taxonomy, 40, seed, name) for seed, name in enumerate(("a", "b", "c"))]
    rules = ["darts", "threshold", "leaf"]
    found = hv.compare(
        models, metrics="predicted.correct,confusion.f1", rule=rules, threshold=[0.5, 0.8, 0.5], lam=0.3, resamples=40
    )
    for model, rule, threshold, row in zip(models, rules, [0.5, 0.8, 0.5], found.to_dict()["rows"]):
        alone = hv.compare(
            model, metrics="predicted.correct,confusion.f1", rule=rule, threshold=threshold, lam=0.3, resamples=40
        )
        (expected,) = alone.to_dict()["rows"]
        assert (row["values"], row["interval"]) == (expected["values"], expected["interval"])
    assert "rules 'darts' (a); 'threshold' (b); 'leaf' (c), at threshold 0.5 or 0.8" in found.methods_paragraph
    with pytest.raises(
        hv.PredictionsError, match=r"^rule: expected one, or one for each of the 3 predictions, got 2\."
    ):
        hv.compare(models, rule=["leaf", "darts"])
    with pytest.raises(hv.PredictionsError, match="leav"):
        hv.compare(models, rule=["leaf", "leav", "darts"])


@many
@given(st.one_of(strategies.trees(8), strategies.graphs(8)), st.data())
def test_terms_of_resamples_equal_repeated_proteins(graph, data):
    taxonomy, n = strategies.from_graph(graph), 4
    lists = [data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=3)) for _ in range(n)]
    truth = hv.NodeLists.from_lists(lists)
    p = data.draw(strategies.rows(graph.n, (0.0, 0.1, 0.29, 0.9, 1.0), least=n, most=n))
    bits = np.nan_to_num(hv.metrics.information_accretion(taxonomy, truth))
    model = hv.Predictions(taxonomy, scores=p, parametrisation="node_probabilities", truth=truth)
    columns = columns_of(taxonomy, metrics=[f"labels.{key}" for key in PROTEIN_KEYS])
    numbers = ProteinNumbers(hv.Evaluation.from_predictions(model), bits, columns)
    assert numbers.keys == [column.key for column in columns]
    counts = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n).filter(any)))
    order = np.array(data.draw(st.permutations(range(n))))
    drawn = numbers.of(np.vstack([np.ones(n), counts[order]]), order)
    rows = np.repeat(np.arange(n), counts)
    again = hv.evaluation.protein_function(model.replace(scores=p[rows], truth=truth.take(rows)), bits)
    whole = hv.evaluation.protein_function(model, bits)
    for key in PROTEIN_KEYS:
        assert drawn[f"labels.{key}"] == pytest.approx([whole[key], again[key]], abs=1e-12), key


@pytest.mark.long
def test_protein_columns_of_a_table(taxonomy):
    models = [simulated(taxonomy, 60, seed, name, skill) for seed, name, skill in ((0, "good", 3), (1, "poor", 0.5))]
    bits = hv.metrics.information_accretion(taxonomy, models[0].truth)
    found = hv.compare(models, metrics=[f"labels.{key}" for key in PROTEIN_KEYS], accretion=bits, resamples=100)
    for model, row in zip(models, found.to_dict()["rows"]):
        expected = hv.evaluation.protein_function(model, bits)
        for key in PROTEIN_KEYS:
            low, high = row["interval"][f"labels.{key}"]
            assert row["values"][f"labels.{key}"] == expected[key]
            assert low < expected[key] < high
    assert found.marks["labels.s_min"] == ["best", "second"]
    # The naive method of CAFA: every term with its frequency.
    frequencies = np.array(
        [np.isin(models[0].truth, taxonomy.subtree(node)).mean() for node in range(taxonomy.n_nodes)]
    )
    naive = models[0].replace(scores=np.tile(frequencies, (60, 1)), parametrisation="node_probabilities")
    naive = naive.replace(scored_nodes=np.arange(taxonomy.n_nodes))
    expected = hv.evaluation.protein_function(naive, bits)
    assert [found.constants.values[f"labels.{key}"] for key in PROTEIN_KEYS] == pytest.approx(list(expected.values()))
    # Asked for by bits alone, and without them.
    assert [column.metric for column in hv.compare(models, "wu", accretion=bits, resamples=0).columns][-3:] == [
        *("f_max", "wf_max", "s_min")
    ]
    (row, _) = hv.compare(models, metrics="labels.f_max,labels.s_min", resamples=0).to_dict()["rows"]
    assert row["values"]["labels.f_max"] is not None
    assert row["reason"] == {"labels.s_min": "it needs the information accretion of the terms"}


def test_why_an_interval_is_missing(taxonomy):
    models = [simulated(taxonomy, 60, seed, name) for seed, name in enumerate("ab")]
    metrics = "curve.n_points,curve.recall_at_95_correct,curve.ac"
    row = hv.compare(models, metrics=metrics, resamples=50).to_dict()["rows"][0]
    assert row["reason"] == {
        "curve.n_points": "no interval: it is not resampled",
        "curve.recall_at_95_correct": "no interval: 60 samples are too few for 95 % correct: fewer than 10 may be wrong",
    }
    assert all((row["interval"][key] is None) == (key in row["reason"]) for key in row["interval"])
    assert hv.compare(models, metrics=metrics, resamples=0).to_dict()["rows"][0]["reason"] == {}


# The command ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    (tmp_path / "t.csv").write_text("parent,child\nroot,a\nroot,b\na,c\na,d\n")
    for name, rows in (("p", "1,0.1,0.7,0.2\n2,0.8,0.1,0.1\n"), ("q", "1,0.4,0.3,0.3\n2,0.3,0.4,0.3\n")):
        (tmp_path / f"{name}.csv").write_text("sample_id,b,c,d\n" + rows)
    (tmp_path / "truth.csv").write_text("sample_id,truth\n1,c\n2,b\n")
    return [
        *("--taxonomy", str(tmp_path / "t.csv"), "--truth", str(tmp_path / "truth.csv")),
        *("--predictions", str(tmp_path / "p.csv"), "--predictions", str(tmp_path / "q.csv")),
    ]


def call(capsys, *flags):
    assert cli.main(["table", *flags, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_flags(files, tmp_path, capsys):
    metrics = ("--metrics", "predicted.correct,predicted.exact", "--resamples", "0")
    found = call(capsys, *files, *metrics, "--rule", "leaf", "--rule", "q=threshold", "--threshold", "q=0.5")
    assert [row["values"]["predicted.exact"] for row in found["rows"]] == [1, 0]
    assert [row["values"]["predicted.correct"] for row in found["rows"]] == [1, 0.5]
    assert "notes" not in found
    # q at .5 answers a, which holds c; at an operating point of .8 with the root.
    taxonomy = hv.load_taxonomy(files[1])
    model = hv.load_predictions(files[5], taxonomy, truth=files[3])
    point = hv.thresholds.OperatingPoint.from_curve(taxonomy, hv.Evaluation.from_predictions(model).curve, 0.8, "p")
    hv.thresholds.write_operating_point(point, tmp_path / "op.json")
    found = call(capsys, *files, *metrics, "--operating-point", str(tmp_path / "op.json"))
    assert [row["values"]["predicted.correct"] for row in found["rows"]] == [1, 1]
    assert found["notes"][0] == "p: operating point: τ = 0.8 was chosen for p on 2 samples"
    assert "rule 'threshold', at threshold 0.8" in found["methods"]


@pytest.mark.parametrize(
    ("flags", "match"),
    [
        (["--media", "pictures.zip"], "--media: expected none for a table, got one. No number depends on pictures"),
        (["--rule", "leaf", "--rule", "darts"], "--rule: expected one value for all methods, got 'darts' as well"),
        (["--rule", "r=leaf"], "--rule: expected a value, or NAME=value with one of 'p', 'q'"),
        (["--rule", "p=leaf", "--lam", "2"], "--lam: expected --rule darts with it, got rule leaf and majority"),
        (["--rule", "leaf", "--operating-point", "op.json"], "expected neither --rule nor --threshold with it"),
        (["--ia", "x.tsv", "--annotations", "y.csv"], "--ia: expected no --annotations with it"),
        (["--cluster", "remote"], "cluster: expected local, local:N"),
    ],
)
def test_what_is_refused(files, capsys, flags, match):
    assert cli.main(["table", *files, *flags]) == 2
    said = capsys.readouterr().err
    assert match in said, said
    assert said.count("\n") == 1


def test_a_former_table_changes_no_number(taxonomy, monkeypatch):
    """What depends on no threshold is not resampled again; the table is the same as one made afresh."""
    models = [hv.Evaluation.from_predictions(simulated(taxonomy, 40, seed, f"m{seed}")) for seed in range(3)]
    keys = "curve.ac,distribution.softmax_win,labels.hf1_auc,labels.macro_f1,confusion.f1"
    former = hv.compare(models, metrics=keys, rule="threshold", threshold=0.3, resamples=50)
    asked, resampled = [], table_module.ResampledNumbers
    monkeypatch.setattr(
        table_module,
        "ResampledNumbers",
        lambda model, columns, *more: asked.append([c.key for c in columns]) or resampled(model, columns, *more),
    )
    choice = {"metrics": f"{keys},curve.ap", "rule": "threshold", "threshold": 0.6, "resamples": 50}
    found = hv.compare(models, former=former, **choice)
    assert asked == 3 * [["labels.macro_f1", "confusion.f1", "curve.ap"]]
    assert found.to_dict() == hv.compare(models, **choice).to_dict()
    # Nothing is taken over from other resamples, or from other models.
    for some, other in ((models, {"seed": 1}), (models, {"resamples": 60}), (models[:2], {})):
        afresh = hv.compare(some, **choice | other)
        assert hv.compare(some, former=former, **choice | other).to_dict() == afresh.to_dict()
