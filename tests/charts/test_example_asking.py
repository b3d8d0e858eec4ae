"""The figure of Python that asks before it shows."""

import pytest
import small_tree

import hierviz as hv
from hierviz import charts


@pytest.fixture(scope="module")
def figure():
    taxonomy = hv.Taxonomy.from_edges(small_tree.EDGES)
    scores = [[0.4, 0.1, 0.3, 0.2]]
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=taxonomy.nodes("dog"))
    return charts.example(predictions, "0", threshold=0.45, width=1100)


def test_it_asks_and_says_what_a_page_without_the_app_cannot_do(figure):
    assert "ask" not in figure.record
    asking = figure.asking()
    asked = asking.record["ask"]
    first = next(one for one in asked["answers"] if one["r"] == "threshold")
    # Thresholds give cat up to .4, mammal up to .5, animal.
    assert sorted(one["text"] for one in first["choices"]) == ["animal", "cat", "mammal"]
    assert first["choices"][first["at"][asking.step["k"]]]["text"] == "mammal"
    assert "this page cannot" in asked["words"]["no_server"]
    # mammal 1/2 × .5, dog 1/2 × .9.
    assert [one["is_right"] for one in asked["wins"][0]["choices"]] == [False, True]
    assert asking.sentence == figure.sentence


def test_its_page_holds_the_program_that_asks(figure):
    page = hv.show(figure.asking()).html
    assert "ladder-question" in page
    assert "hierviz.asking" in page
