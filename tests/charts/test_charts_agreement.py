"""The matrix of agreement and the scatter of single samples: what is drawn."""

import numpy as np
import pytest
from chart_cases import views

import hierviz as hv
from hierviz import charts
from hierviz.comparison.disagreement import SampleDisagreement


@pytest.fixture(scope="module")
def methods():
    """Six models of labels on 40 samples, the better the earlier."""
    rng = np.random.default_rng(11)
    taxonomy = hv.Taxonomy.from_edges([("all", "a"), ("all", "b"), ("a", "c"), ("a", "d")])
    truth = np.tile(taxonomy.nodes("c", "d", "b", "c"), 10)
    return [
        hv.Predictions.from_labels(
            taxonomy, np.where(rng.random(40) < share, truth, taxonomy.node("b")), truth=truth
        ).replace(name=f"m{share}")
        for share in (0.9, 0.8, 0.7, 0.5, 0.4, 0.2)
    ]


@pytest.mark.parametrize("n", [2, 6])
def test_cells_hold_the_numbers(methods, n):
    found = hv.compare(
        methods[:n], metrics="confusion.f1,labels.hamming_loss,labels.subset_accuracy", resamples=0
    ).agreement
    rows = [row for view in views(charts.to_vega_lite(charts.agreement_matrix(found))) for row in view["rows"]]
    tips = {(row["one"], row["other"]): row for row in rows if "one" in row}
    assert len(tips) == 9
    for i, one in enumerate(found.columns):
        for j, other in enumerate(found.columns):
            tip = tips[one.label, other.label]
            tau = found.kendall[i][j]
            assert tip["tau"] == ("–" if tau is None else f"{tau:.2f}".replace("-", "−"))
            assert tip["pairs"] == f"{found.reversed[i][j]} of {found.pairs[i][j]}"
    assert len(charts.agreement_matrix(found).table) == 3


def test_one_method_is_refused(methods):
    found = hv.compare(methods[:1], metrics="confusion.f1,labels.hamming_loss", resamples=0).agreement
    with pytest.raises(hv.PredictionsError, match=r"^agreement: expected at least two metrics and two methods"):
        charts.agreement_matrix(found)


@pytest.mark.parametrize("n", [300, 5000])
def test_scatter_has_all_samples(n):
    rng = np.random.default_rng(2)
    x, y = rng.random((2, n))
    found = SampleDisagreement(("A", "B"), np.arange(n), np.array([f"s{i}" for i in range(n)]), x, y, x - y)
    rows = [row for view in views(charts.to_vega_lite(charts.sample_scatter(found))) for row in view["rows"]]
    dots = {row["sample"]: (row["one"], row["other"]) for row in rows if "sample" in row}
    if n == 300:
        assert dots == {f"s{i}": (x[i], y[i]) for i in range(n)}
    else:
        assert not dots
        assert sum(row.get("n", 0) for row in rows) == n
