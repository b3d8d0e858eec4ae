"""F-max and S-min against sets and loops, and against the public evaluator run as a separate process."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz import NodeLists
from hierviz.cli import main
from hierviz.metrics.sets.protein_function import PROTEIN_KEYS

RUN = Path(__file__).with_name("run_cafaeval.py")


def plain_accretion(graph, annotations):
    closed = [set().union(*(naive.ancestors(graph, node) for node in nodes)) | {0} for nodes in annotations]
    bits = []
    for node in range(graph.n):
        n = sum(node in terms for terms in closed)
        of_all = sum(set(graph.parents[node]) <= terms for terms in closed)
        bits.append(-math.log2(n / of_all) if n else math.nan)
    return bits


def plain_numbers(graph, truth, rows, bits):
    """Every number by its definition, a threshold and a protein at a time."""
    nodes = range(1, graph.n)
    due = [set().union(*(naive.ancestors(graph, node) for node in terms)) - {0} for terms in truth]
    found = dict.fromkeys(PROTEIN_KEYS)
    for name, weights in (("f_max", [1.0] * graph.n), ("wf_max", bits)):
        weigh = lambda terms, weights=weights: sum(weights[node] for node in terms)  # noqa: E731
        best, best_micro, least = 0.0, 0.0, math.inf
        for k in range(1, 100):
            tau = k / 100
            precision, recall, hit, wrong, missed = [], 0.0, 0.0, 0.0, 0.0
            for row, terms in zip(rows, due):
                score = [max(row[below] for below in naive.descendants(graph, node)) for node in range(graph.n)]
                claimed = {node for node in nodes if score[node] >= tau}
                shared = weigh(claimed & terms)
                if weigh(claimed) > 0:
                    precision.append(shared / weigh(claimed))
                recall += shared / weigh(terms) if weigh(terms) > 0 else 0
                hit, wrong, missed = hit + shared, wrong + weigh(claimed - terms), missed + weigh(terms - claimed)
            p, r = (sum(precision) / len(precision) if precision else 0), recall / len(rows)
            best = max(best, 2 * p * r / (p + r) if p + r else 0)
            best_micro = max(best_micro, 2 * hit / (2 * hit + wrong + missed) if hit else 0)
            least = min(least, math.hypot(missed / len(rows), wrong / len(rows)))
        found |= {name: best, f"{name}_micro": best_micro}
    # Both means of S-min run over all proteins: summed first, they are the same.
    return found | {"s_min": least, "s_min_micro": least}


@many
@given(st.one_of(strategies.trees(8), strategies.graphs(8)), st.data())
def test_against_sets_and_loops(graph, data):
    taxonomy = strategies.from_graph(graph)
    lists = lambda least: [  # noqa: E731
        data.draw(st.lists(st.integers(0, graph.n - 1), min_size=least, max_size=3)) for _ in range(3)
    ]
    annotations, truth = lists(1), lists(1)
    bits = hv.metrics.information_accretion(taxonomy, NodeLists.from_lists(annotations))
    expected = plain_accretion(graph, annotations)
    assert bits == pytest.approx(expected, abs=1e-12, nan_ok=True)
    p = data.draw(strategies.rows(graph.n, (0.0, 0.1, 0.25, 0.29, 0.57, 0.9, 1.0), least=3, most=3))
    model = hv.Predictions(taxonomy, scores=p, parametrisation="node_probabilities", truth=NodeLists.from_lists(truth))
    weights = [0 if math.isnan(one) else one for one in expected]
    found = hv.evaluation.protein_function(model, bits)
    assert found == pytest.approx(plain_numbers(graph, truth, p.tolist(), weights), abs=1e-9)
    assert list(found) == list(PROTEIN_KEYS)
    plain = hv.evaluation.protein_function(model)
    assert plain["f_max"] == found["f_max"]
    assert plain["s_min"] is plain["wf_max"] is None


def test_worked_by_hand():
    """a and b under the root, c under both. Annotated: c, a, a, b: c is one of the one protein with both parents.

    IA: a -log2(3/4), b -log2(2/4) = 1, c -log2(1/1) = 0. Predicted of a protein with truth c: a .8 alone.
    ru is what b lacks, 1 bit; mi 0. Precision 1, recall of 3 terms 1/3.
    """
    taxonomy = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    a, b, c = taxonomy.nodes("a", "b", "c")
    bits = hv.metrics.information_accretion(taxonomy, np.array([c, a, a, b]))
    assert bits.tolist() == pytest.approx([0, -math.log2(3 / 4), 1, 0])
    p = np.zeros((1, 4))
    p[0, a] = 0.8
    model = hv.Predictions(taxonomy, scores=p, parametrisation="node_probabilities", truth=np.array([c]))
    found = hv.evaluation.protein_function(model, bits)
    assert found["f_max"] == pytest.approx(0.5)
    assert found["s_min"] == 1
    share = bits[a] / (bits[a] + 1)
    assert found["wf_max"] == pytest.approx(2 * share / (1 + share))
    labels = hv.Predictions.from_labels(taxonomy, NodeLists.from_lists([[a]]), truth=NodeLists.from_lists([[c]]))
    assert hv.evaluation.protein_function(labels, bits) == pytest.approx(found)
    with pytest.raises(hv.PredictionsError, match="accretion: expected bits"):
        hv.evaluation.protein_function(model, bits[:2])
    with pytest.raises(hv.PredictionsError, match="annotations: expected at least one protein"):
        hv.metrics.information_accretion(taxonomy, np.empty(0, int))


def test_the_command(tmp_path, capsys):
    (tmp_path / "tree.csv").write_text("parent,child\nr,a\nr,b\na,c\nb,c\n")
    (tmp_path / "p.csv").write_text("sample_id,a,b,c\np1,0.8,0,0\n")
    (tmp_path / "truth.csv").write_text("sample_id,labels\np1,c\n")
    (tmp_path / "known.csv").write_text("sample_id,labels\nq1,c\nq2,a\nq3,a\nq4,b\n")
    (tmp_path / "ia.tsv").write_text("a\t0.4150374992788438\nb\t1\nc\t0\nz\t3\n")
    ask = ["evaluate", "--taxonomy", "tree.csv", "--predictions", "p.csv", "--truth", "truth.csv"]
    ask = [f"{tmp_path}/{part}" if part.endswith(".csv") else part for part in ask]
    labels = []
    for more in (["--annotations", f"{tmp_path}/known.csv"], ["--ia", f"{tmp_path}/ia.tsv"]):
        assert main([*ask, *more]) == 0
        (model,) = json.loads(capsys.readouterr().out)["models"]
        labels.append([model["labels"][key] for key in PROTEIN_KEYS])
    assert labels[0] == pytest.approx(labels[1])
    assert labels[0][-1] == 1
    assert any("1 rows are about no node" in note for note in model["notes"])
    asked = ["table", *ask[1:], "--metrics", "labels.f_max", "--resamples", "0"]
    assert main(asked) == 0
    assert "| p | 0.5000 |" in capsys.readouterr().out
    asked[asked.index("labels.f_max")] = "labels.s_min"
    assert main(asked) == 0
    assert "it needs the information accretion of the terms" in capsys.readouterr().out
    # Asked for by its flag alone, F-max and S-min become columns.
    assert main([*asked[:-4], "--resamples", "0", *more, "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert [row["values"][f"labels.{key}"] for key in ("f_max", "wf_max", "s_min")] == pytest.approx(
        [model["labels"][key] for key in ("f_max", "wf_max", "s_min")]
    )
    assert main([*ask, *more, "--annotations", f"{tmp_path}/known.csv"]) == 2
    assert "--ia: expected no --annotations" in capsys.readouterr().err
    (tmp_path / "ia.tsv").write_text("a\tmuch\nb\t1\n")
    assert main([*ask, *more]) == 2
    assert "expected bits of at least 0, got 'much'" in capsys.readouterr().err


# The public evaluator ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cafaeval():
    """A Python with the package: $HIERVIZ_CAFAEVAL, or this one."""
    python = os.environ.get("HIERVIZ_CAFAEVAL", sys.executable)
    try:
        subprocess.run([python, "-c", "import cafaeval"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("cafaeval is not installed in $HIERVIZ_CAFAEVAL or in this Python")
    return python


def compare(python, folder, taxonomy, n, seed):
    """Both on simulated scores; proteins whose truth is the root alone included."""
    rng = np.random.default_rng(seed)
    n_nodes = taxonomy.n_nodes
    truth = NodeLists.from_lists([rng.integers(0, n_nodes, rng.integers(1, 4)) for _ in range(n)])
    known = NodeLists.from_lists([rng.integers(0, n_nodes, rng.integers(1, 4)) for _ in range(4 * n)])
    bits = np.nan_to_num(hv.metrics.information_accretion(taxonomy, known))
    p = rng.random((n, n_nodes)) ** 6 * (rng.random((n, n_nodes)) < 0.2)
    row = np.repeat(np.arange(n), truth.lengths)
    p[row, truth.nodes] = np.maximum(p[row, truth.nodes], rng.random(len(row)))
    p[:3] = 0
    names = [f"T:{node:07d}" for node in range(n_nodes)]
    terms = "".join(
        f"\n[Term]\nid: {names[node]}\nname: {names[node]}\nnamespace: one\n"
        + "".join(f"is_a: {names[parent]}\n" for parent in taxonomy.parents[node])
        for node in range(n_nodes)
    )
    (folder / "o.obo").write_text("format-version: 1.2\n" + terms)
    (folder / "pred").mkdir()
    (folder / "pred" / "m.tsv").write_text(
        "".join(f"p{i}\t{names[v]}\t{float(p[i, v])!r}\n" for i, v in zip(*np.nonzero(p)))
    )
    (folder / "gt.tsv").write_text("".join(f"p{i}\t{names[v]}\n" for i, v in zip(row, truth.nodes)))
    (folder / "ia.tsv").write_text("".join(f"{names[v]}\t{float(bits[v])!r}\n" for v in range(n_nodes)))
    files = [str(folder / name) for name in ("o.obo", "pred", "gt.tsv", "ia.tsv")]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    made = subprocess.run([python, str(RUN), *files], check=True, capture_output=True, text=True, env=environment)
    expected = json.loads(made.stdout.strip().splitlines()[-1])
    model = hv.Predictions(taxonomy, scores=p, parametrisation="node_probabilities", truth=truth)
    found = hv.evaluation.protein_function(model, bits)
    # It has no micro form of S-min, which is the same number.
    assert found == pytest.approx(expected | {"s_min_micro": expected["s_min"]}, abs=1e-9, rel=0)
    worst = max(abs(found[key] - expected[key]) for key in expected)
    print(f"{taxonomy.n_nodes} terms, {n} proteins: largest difference from the public evaluator {worst:.1e}; {found}")
    return found


def test_a_random_graph_equals_the_public_evaluator(cafaeval, tmp_path):
    rng = np.random.default_rng(3)
    edges = [(f"n{parent}", f"n{node}") for node in range(1, 60) for parent in {*rng.integers(0, node, 2).tolist()}]
    found = compare(cafaeval, tmp_path, hv.Taxonomy.from_edges(edges), 80, 1)
    assert 0 < found["wf_max"] < 1


def test_audioset_equals_the_public_evaluator(cafaeval, tmp_path, hierarchy):
    found = compare(cafaeval, tmp_path, hierarchy("audioset_dag"), 150, 2)
    assert found["s_min"] > 0
