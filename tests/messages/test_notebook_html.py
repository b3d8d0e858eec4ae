"""What notebooks show of the objects of the package: HTML without scripts, in which names stay text."""

import numpy as np

import hierviz as hv
from hierviz.messages.notebook_html import MOST_CHILDREN, MOST_NODES
from tests.reports.report_cases import HOSTILE, Seen, hostile_predictions


def test_every_object_shows_itself():
    predictions = hostile_predictions()
    evaluation = hv.Evaluation.from_predictions(predictions)
    shown = {
        "taxonomy": predictions.taxonomy,
        "predictions": predictions,
        "labels": hv.Predictions.from_labels(predictions.taxonomy, [[1, -1], []]),
        "curve": evaluation.curve,
        "confusion": evaluation.confusion(),
    }
    for name, value in shown.items():
        seen = Seen(value._repr_html_())
        assert set(seen.tags) <= {
            *("div", "strong", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "ul", "li")
        }
        assert seen.handlers == []
        text = "".join(seen.texts)
        if name == "taxonomy":
            assert text.startswith("Tree of 7 nodes, 4 leaves, depth 2")
            assert all(title in text for title in HOSTILE)
        if name == "predictions":
            assert str(predictions.ids[0]) in text
        if name == "curve":
            assert f"{evaluation.curve.at(0.5)['correct']:.3f}" in text
        if name == "confusion":
            counts = evaluation.confusion().counts
            assert all(str(count) in text for count in counts.values())


def test_a_large_taxonomy_is_short():
    edges = [("root", f"{i}") for i in range(40)] + [(f"{i}", f"{i}/{j}") for i in range(40) for j in range(50)]
    html = hv.Taxonomy.from_edges(edges)._repr_html_()
    assert html.count("<li>") < 2 * (MOST_NODES + MOST_CHILDREN**2)
    assert "25 more" in html
    assert "35 more" in html


def test_numbers_are_written_as_on_the_pages(taxonomy):
    confusion = hv.confusion(taxonomy, np.array([2]), np.array([0]))
    text = "".join(Seen(confusion._repr_html_()).texts)
    assert "–" in text  # ppv of nothing answered
