"""Names that the taxonomy does not hold, in every form of file: totals are samples, whatever they count as."""

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli
from hierviz.messages.errors import PredictionsError
from hierviz.predictions.outside_lines import outside_lines
from tests.small_tree import EDGES

LABELS = "sample_id,truth,predicted\n1,cat,cat\n2,dog,unicorn\n3,newt,dragon\n4,cat,unicorn\n5,griffin,cat\n"
TOP = (
    "sample_id,truth,class_1,score_1,class_2,score_2\n1,cat,cat,0.6,unicorn,0.3\n2,dog,unicorn,0.5,cat,0.4\n"
    "3,newt,dragon,0.7,unicorn,0.1\n4,cat,dog,0.9,cat,0.1\n"
)
WIDE = "sample_id,truth,cat,dog,duck,newt,unicorn\n1,cat,.5,.2,.1,0,.2\n2,dog,.2,.2,.1,0,.5\n3,newt,0,.1,.1,.7,.1\n"
LONG = "sample_id,class,score\n1,cat,.7\n1,unicorn,.3\n2,cat,.4\n2,unicorn,.6\n"
RECORDS = '[{"sample_id": "1", "truth": "cat", "scores": [{"label": "unicorn", "score": 0.6}, {"label": "cat", "score": 0.4}]}]'
LEVELS = "sample_id,truth,level_1,level_2\n1,cat,mammal,cat\n2,dog,mammal,unicorn\n3,newt,newt,\n"


@pytest.fixture
def read(tmp_path):
    taxonomy = hv.Taxonomy.from_edges(EDGES)

    def reader(text, name="file.csv", **how):
        path = tmp_path / name
        path.write_text(text)
        return hv.load_predictions(path, taxonomy, **how)

    return reader


@pytest.mark.parametrize(
    ("text", "more", "outside"),
    [
        (LABELS, {"outside_truth": "drop"}, [False, True, True, True]),
        (TOP, {}, [False, True, True, False]),
        (WIDE, {}, [False, True, False]),
        (LONG, {"missing": "zero"}, [False, True]),
        (RECORDS, {}, [True]),
        (LEVELS, {}, [False, True, False]),
    ],
    ids=["labels", "top_k", "wide", "long", "records", "levels"],
)
def test_every_form_has_all_modes(read, text, more, outside):
    name = "file.json" if text.startswith("[") else "file.csv"
    with pytest.raises(PredictionsError, match=r"unicorn.*outside='wrong' \| 'drop' \| 'nearest'"):
        read(text, name, **more)
    wrong = read(text, name, outside="wrong", **more)
    assert wrong.is_outside.tolist() == outside
    assert len(wrong.outside["answers"].rows) == sum(outside)
    if all(outside):
        with pytest.raises(PredictionsError, match=r"got none\. Is it the right taxonomy"):
            read(text, name, outside="drop", **more)
        return
    dropped = read(text, name, outside="drop", **more)
    assert dropped.n_samples == outside.count(False)
    assert not dropped.is_outside.any()
    assert dropped.n_samples + len(dropped.dropped) == wrong.n_samples + len(wrong.dropped)
    assert dropped.ids.tolist() == [name for name, is_out in zip(wrong.ids.tolist(), outside) if not is_out]


def test_truths_outside_leave_with_their_answer(read):
    with pytest.raises(PredictionsError, match=r"griffin.*outside_truth='drop' \| 'nearest'"):
        read(LABELS, outside="wrong")
    found = read(LABELS, outside="wrong", outside_truth="drop")
    assert found.ids.tolist() == ["1", "2", "3", "4"]
    assert list(found.dropped) == ["5"]
    assert found.outside["truths"].to_dict()["names"] == {"griffin": 1}
    (entry,) = hv.evaluate(found)["models"]
    assert (entry["n_samples"], entry["n_dropped"], entry["outside"]["answers"]["n_samples"]) == (4, 1, 3)
    assert entry["outside"]["answers"]["names"] == {"unicorn": 2, "dragon": 1}
    assert any(
        "3 samples with answers outside the taxonomy count as wrong: 'unicorn' (2)" in one for one in entry["notes"]
    )


def test_one_line_says_what_was_done(read):
    """By hand: of five samples the answers to three and the truth of another one are no classes."""
    wrong = read(LABELS, outside="wrong", outside_truth="drop")
    left_out = "1 (20.0 %) of 5 samples left out: truths outside the taxonomy"
    assert outside_lines([wrong]) == [left_out, "3 (75.0 %) of 4 samples answered outside the taxonomy"]
    assert hv.evaluate(wrong)["models"][0]["labels"]["outside_share"] == 0.75
    dropped = read(LABELS, outside="drop", outside_truth="drop")
    said = "4 (80.0 %) of 5 samples left out: answers or truths outside the taxonomy"
    assert outside_lines([dropped]) == [said]
    near = read(LABELS.replace("unicorn", "mammall"), outside="nearest", outside_truth="drop")
    said = ["40.0 % of answers mapped to the nearest name", "1 (25.0 %) of 4 samples answered outside the taxonomy"]
    assert outside_lines([near]) == [left_out, *said]
    # What is true of several models is said once, what differs with their names.
    both = [wrong.replace(name="a"), wrong.replace(name="b")]
    assert outside_lines(both) == outside_lines([wrong])
    assert outside_lines([wrong.replace(name="a"), near.replace(name="b")]) == [
        left_out,
        "a 3 (75.0 %), b 1 (25.0 %) of 4 samples answered outside the taxonomy",
        "b 40.0 % of answers mapped to the nearest name",
    ]
    # On a phone, and of many models, the smallest and the largest number.
    assert outside_lines([wrong.replace(name="a"), near.replace(name="b")], by_name=False) == [
        left_out,
        "1 (25.0 %) to 3 (75.0 %) of 4 samples answered outside the taxonomy",
        "none to 40.0 % of answers mapped to the nearest name",
    ]
    taken = read(
        LABELS.replace("unicorn", "mammall").replace("griffin", "mammall"), outside="nearest", outside_truth="nearest"
    )
    assert outside_lines([taken])[0] == "20.0 % of truths and 40.0 % of answers mapped to the nearest name"
    assert outside_lines([read("sample_id,truth,predicted\n1,cat,cat\n")]) == []


@pytest.mark.long
def test_the_command_and_the_report_say_the_line(tmp_path, capsys):
    (tmp_path / "file.csv").write_text(LABELS)
    (tmp_path / "t.csv").write_text("parent,child\n" + "".join(f"{a},{b}\n" for a, b in EDGES))
    files = ["--taxonomy", str(tmp_path / "t.csv"), "--predictions", str(tmp_path / "file.csv")]
    how = ["--outside", "wrong", "--outside-truth", "drop"]
    assert cli.main(["evaluate", *files, *how]) == 0
    err = capsys.readouterr().err
    assert "1 (20.0 %) of 5 samples left out: truths outside the taxonomy" in err
    assert "3 (75.0 %) of 4 samples answered outside the taxonomy" in err
    assert cli.main(["report", *files, *how, "--out", str(tmp_path / "r.html")]) == 0
    report = (tmp_path / "r.html").read_text(encoding="utf-8").replace("\xa0", " ")
    assert "1 (20.0 %) of 5 samples left out: truths outside the taxonomy." in report
    assert "3 (75.0 %) of 4 samples answered outside the taxonomy." in report


def test_truths_of_a_model_that_was_run_take_a_mapping(read, tmp_path):
    """Answers are there already; a truth that a person mapped counts, the other one leaves no trace but a line."""
    taxonomy = hv.Taxonomy.from_edges(EDGES)
    ran = hv.Predictions.from_labels(
        taxonomy, taxonomy.nodes("cat", "dog", "dog"), sample_ids=np.array(["1", "2", "3"])
    )
    (tmp_path / "truth.csv").write_text("sample_id,truth\n1,kitty\n2,griffin\n3,dog\n")
    chosen = {"kitty": taxonomy.node("cat")}
    with pytest.raises(PredictionsError, match="kitty"):
        hv.attach_truth(ran, tmp_path / "truth.csv", outside_truth=None)
    found = hv.attach_truth(ran, tmp_path / "truth.csv", outside_truth="drop", mapping=chosen)
    assert found.truth.tolist() == [taxonomy.node("cat"), -1, taxonomy.node("dog")]
    assert found.outside["truths"].mapped == chosen
    assert outside_lines([found]) == [
        "33.3 % of truths mapped to another name",
        "1 (33.3 %) of 3 truths outside the taxonomy: their samples are not evaluated",
    ]


def test_what_was_given_stands_beside_the_sample(read):
    found = read(LABELS, outside="wrong", outside_truth="drop")
    assert found.attributes["answer outside the taxonomy"].tolist() == ["", "unicorn", "dragon", "unicorn"]


def test_mass_outside_is_nobodys(read):
    found = read(WIDE, outside="wrong")
    taxonomy = found.taxonomy
    p = found.node_probabilities()
    assert p[0, taxonomy.node("cat")] == pytest.approx(0.5)
    assert p[0, taxonomy.leaves].sum() == pytest.approx(0.8)
    with pytest.raises(PredictionsError, match=r"column 'unicorn'.*class outside the taxonomy \(0 to 1\), got 7.0"):
        read(WIDE.replace(",.5\n", ",7\n"), outside="wrong")


def test_a_mapping_comes_first(read):
    found = read(LABELS, outside="wrong", outside_truth="drop", mapping={"unicorn": 2})
    assert found.is_outside.tolist() == [False, False, True, False]
    assert found.outside["answers"].mapped == {"unicorn": 2}
    assert found.outside["answers"].left == {"dragon": 1}


def test_lists_keep_their_other_labels(read):
    found = read("sample_id,truth,labels\n1,cat,cat;unicorn\n2,dog,dog\n", outside="wrong")
    assert found.labels[0].tolist() == [found.taxonomy.node("cat"), -1]
    assert hv.evaluate(found)["models"][0]["labels"]["outside_share"] == 0.5


def test_words_that_are_no_choice(read):
    with pytest.raises(PredictionsError, match="outside: expected one of error, wrong, drop, nearest, got 'skip'"):
        read(LABELS, outside="skip")
    with pytest.raises(PredictionsError, match="outside_truth: expected one of error, drop, nearest, got 'wrong'"):
        read(LABELS, outside_truth="wrong")


def test_it_is_said_that_no_name_is_near(read):
    found = read(LABELS.replace("unicorn", "zebrafinch"), outside="nearest", outside_truth="drop")
    assert not found.outside["answers"].mapped
    said = "answers outside the taxonomy count as wrong, as none of their names is near one class: 'zebrafinch' (2)"
    assert any(said in note for note in found.notes)
