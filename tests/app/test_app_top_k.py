"""A top-k file: every page works, and Overview shows bounds with its numbers and the reason."""

import re

import numpy as np
import pytest
from small_worlds import EDGES, LEAVES, spread, write
from visit import Visit, look_around, shelve

import hierviz as hv


def shelved(folder, k=2, **more):
    """A data set of the k best classes of each sample and, as a second model, of all."""
    full = spread(40)
    order = np.argsort(-full, axis=1, kind="stable")[:, :k]
    header = ["sample_id", *(f"{name}_{rank}" for rank in range(1, k + 1) for name in ("class", "score"))]
    rows = [
        [f"s{i}", *(cell for leaf in of_row for cell in (LEAVES[leaf], full[i, leaf]))]
        for i, of_row in enumerate(order)
    ]
    whole = [["sample_id", *LEAVES], *([f"s{i}", *row] for i, row in enumerate(full.tolist()))]
    truth = [["sample_id", "truth"], *([f"s{i}", LEAVES[i % 6]] for i in range(len(full)))]
    return shelve(
        taxonomy=write(folder / "taxonomy.csv", [("parent", "child"), *EDGES]),
        predictions=(write(folder / "best.csv", [header, *rows]), write(folder / "all.csv", whole)),
        truth=write(folder / "truth.csv", truth),
        **more,
    )


@pytest.mark.long
def test_the_overview_shows_bounds_and_says_why(tmp_path):
    data = shelved(tmp_path)
    pages = look_around(data)
    assert "is between these bounds (they allow for rows whose sum misses 1 by up to 0.002" in pages["overview"].text
    words = pages["overview"].all_metrics().text
    assert "In brackets: the file lists some classes of each sample only" in words
    assert "the 2 best classes of each sample; the other scores are unknown" in words
    assert "left out of the curve" in pages["curves"].text
    assert "count as 0 here" in Visit("example", data=data.key, model="best").text
    # The tables behind the pictures come before it.
    element = [one for one in pages["overview"].at.dataframe if "model" in one.value][-1]
    shown = element.proto.arrow_data.styler.display_values
    low, high = hv.evaluate(data.first)["models"][0]["bounds"]["curve"]["ac"]
    assert f"({low:.3f} to {high:.3f})".encode() in shown
    # Beside a model with bounds no model is the best.
    assert "No best is marked in such a column" in words
    assert not re.search(r"best of a column and|best number of a column", words)


@pytest.mark.long
def test_absent_scores_taken_for_zeros_have_none(tmp_path):
    pages = look_around(shelved(tmp_path, missing="zero"))
    assert "In brackets" not in pages["overview"].text
    assert "taken for 0" in pages["overview"].text
