"""Ambiguous files: the error names the option that resolves it, and with it the file is read."""

import numpy as np
import pytest

from hierviz import PredictionsError, Taxonomy
from hierviz.cli import main
from hierviz.readers import file_limits
from hierviz.readers.attach import attach_truth
from hierviz.readers.predictions_file import load_predictions

SMALL = Taxonomy.from_edges([("r", "a"), ("r", "b"), ("r", "c")])
PERCENT = {
    "wide.csv": "id,a,b,c\n1,70,20,10\n2,10,80,10\n",
    "long.csv": "sample,class,score\n1,a,70\n1,b,20\n1,c,10\n2,a,10\n2,b,80\n2,c,10\n",
    "top.csv": "id,class_1,score_1,class_2,score_2\n1,a,70,b,20\n2,b,80,a,10\n",
    "lists.json": '[[{"label": "a", "score": 70}, {"label": "b", "score": 20}], [{"label": "b", "score": 80}]]',
    "p.npy": np.array([[70, 20, 10], [10, 80, 10]]),
}


@pytest.mark.parametrize("name", PERCENT)
def test_scores_in_percent_are_called_so_and_read(name, tmp_path, monkeypatch):
    path = tmp_path / name
    if name.endswith("npy"):
        np.save(path, PERCENT[name])
    else:
        path.write_text(PERCENT[name])
    with pytest.raises(PredictionsError, match="percent=True"):
        load_predictions(path, SMALL)
    for limit in (file_limits.MEMORY_BYTES, 1):  # in memory, and left where they are
        monkeypatch.setattr(file_limits, "MEMORY_BYTES", limit)
        found = load_predictions(path, SMALL, percent=True)
        scores = np.asarray(found.scores[0:2])[:, :2]
        np.testing.assert_allclose(scores[:, 0], [0.7, 0 if name == "lists.json" else 0.1])
        np.testing.assert_allclose(scores[:, 1], [0.2, 0.8])
    assert found.detected["scores"] == "percent, divided by 100"
    # Raw scores below 0, or probabilities with one wrong value, are no percent.
    (tmp_path / "raw.csv").write_text("a,b,c\n3,-2,1\n1,2,3\n")
    with pytest.raises(PredictionsError) as raised:
        load_predictions(tmp_path / "raw.csv", SMALL)
    assert "percent" not in str(raised.value)


def test_ids_as_numbers(tmp_path):
    (tmp_path / "p.csv").write_text("id,predicted\n1,a\n2,b\n-3,c\n")
    (tmp_path / "y.csv").write_text("id,truth\n2.0,b\n1.0,a\n-3.0,a\n")
    with pytest.raises(PredictionsError, match=r"If a number such as 1\.0 is the same as 1, say ids='number'\."):
        load_predictions(tmp_path / "p.csv", SMALL, tmp_path / "y.csv")
    found = load_predictions(tmp_path / "p.csv", SMALL, tmp_path / "y.csv", ids="number")
    assert found.truth.tolist() == [1, 2, 1]
    assert found.ids.tolist() == ["1", "2", "-3"]
    assert attach_truth(found, tmp_path / "y.csv", ids="number").truth.tolist() == [1, 2, 1]
    (tmp_path / "y.csv").write_text("id,truth\n1,b\n1.0,a\n4.0,a\n")
    with pytest.raises(PredictionsError, match=r"y\.csv: expected every sample id once, got '1' more than once when"):
        load_predictions(tmp_path / "p.csv", SMALL, tmp_path / "y.csv", ids="number")
    with pytest.raises(PredictionsError, match="ids: expected one of text, number"):
        load_predictions(tmp_path / "p.csv", SMALL, ids="numbers")


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("0,1,2", "0.5,0.25,0.25"),
        ("1,2,3", "0.5,0.25,0.25"),
        ("id,2,0,1", "x,0.25,0.5,0.25"),
        ("id,7,3,5", "x,0.25,0.5,0.25"),
    ],
)
def test_headings_that_are_numbers_ask_for_the_class_list(header, row, tmp_path):
    (tmp_path / "p.csv").write_text(f"{header}\n{row}\n")
    with pytest.raises(PredictionsError, match=r"name the columns with classes=|give their names: classes="):
        load_predictions(tmp_path / "p.csv", SMALL)
    names = ["a", "b", "c"]
    if "7" in header:  # ids of categories
        (tmp_path / "c.json").write_text(
            '{"categories": [{"id": 3, "name": "a"}, {"id": 5, "name": "b"}, {"id": 7, "name": "c"}]}'
        )
        names = tmp_path / "c.json"
    elif header == "1,2,3":
        # A first row 1, 2, 3 may be scores: a column of ids tells.
        (tmp_path / "p.csv").write_text(f"id,{header}\nx,{row}\n")
    found = load_predictions(tmp_path / "p.csv", SMALL, classes=names)
    assert {SMALL.names[node]: score for node, score in zip(found.scored_nodes, found.scores[0], strict=True)} == {
        "a": 0.5,
        "b": 0.25,
        "c": 0.25,
    }


def test_integer_truths_taken_for_answers_say_where_they_belong(tmp_path, capsys):
    (tmp_path / "y.csv").write_text("id,label\n1,0\n2,1\n")
    with pytest.raises(
        PredictionsError, match=r"as prediction, got '0', '1'\..* If this file is the truth, give it as truth=\."
    ):
        load_predictions(tmp_path / "y.csv", SMALL)
    (tmp_path / "t.csv").write_text("parent,child\nr,a\nr,b\nr,c\n")
    (tmp_path / "p.csv").write_text("id,a,b,c\n1,1,0,0\n2,0,1,0\n")
    flags = ["evaluate", "--taxonomy", str(tmp_path / "t.csv"), "--predictions", str(tmp_path / "p.csv")]
    assert main([*flags, "--predictions", str(tmp_path / "y.csv")]) == 2
    assert "If this file is the truth, give it as --truth." in capsys.readouterr().err
    (tmp_path / "p.csv").write_text("id,a,b,c,truth\n1,70,20,10,a\n2,10,80,10,b\n")
    assert main(flags) == 2
    err = capsys.readouterr().err
    assert "read the file with --percent" in err
    assert err.endswith("Or fix the files: run hierviz doctor with the same files and --fix FOLDER.\n")
    assert main([*flags, "--percent"]) == 0
