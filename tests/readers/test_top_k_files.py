"""Files that list some classes of each sample: what is read, and one sentence for each fault."""

import gzip
import json

import numpy as np
import pytest
from small_tree import EDGES_CSV

import hierviz as hv
from hierviz.predictions.listed_scores import ListedScores

TOP_2 = "sample_id,truth,class_1,score_1,class_2,score_2\na,cat,cat,0.625,dog,0.25\nb,newt,newt,0.5,cat,0.25\n"
LONG = "sample_id,truth,class,score\na,cat,cat,0.625\na,cat,dog,0.25\nb,newt,newt,0.5\nb,newt,cat,0.25\n"
# cat, dog, duck, newt
ROWS = [[0.625, 0.25, 0, 0], [0.25, 0, 0, 0.5]]
LISTS = {
    "a": [{"label": "cat", "score": 0.625}, {"label": "dog", "score": 0.25}],
    "b": [{"label": "newt", "score": 0.5}, {"label": "cat", "score": 0.25}],
}
RECORDS = [
    {"id": name, "truth": truth, "text": f"text {name}", "scores": LISTS[name]}
    for name, truth in (("a", "cat"), ("b", "newt"))
]


@pytest.fixture
def read(tmp_path):
    """read(content, name=..., **keywords) -> Predictions of a file on the small tree."""
    path = tmp_path / "taxonomy.csv"
    path.write_text(EDGES_CSV)
    taxonomy = hv.load_taxonomy(path)

    def call(content, name="scores.csv", **keywords):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return hv.load_predictions(path, taxonomy, **keywords)

    return call


def check(predictions, ids=("a", "b"), truth=("cat", "newt")):
    assert predictions.parametrisation == "leaf_probabilities"
    assert predictions.has_unknown
    assert predictions.scores[:].tolist() == ROWS
    assert predictions.scores.shape == (2, 4)
    if ids is not None:
        assert predictions.ids.tolist() == list(ids)
    if truth is not None:
        assert predictions.truth.tolist() == predictions.taxonomy.nodes(*truth).tolist()
    # The root is 1 although the listed mass is not.
    assert predictions.node_probabilities()[:, 0].tolist() == [1, 1]


def parquet(text):
    pa = pytest.importorskip("pyarrow")
    import io

    import pandas as pd

    file = io.BytesIO()
    pd.read_csv(io.StringIO(text), keep_default_na=False).to_parquet(file)
    assert pa
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (TOP_2, "scores.csv"),
        (TOP_2.replace(",", "\t"), "scores.tsv"),
        (gzip.compress(TOP_2.encode(), mtime=0), "scores.csv.gz"),
        (TOP_2.replace("class_", "label").replace("score_", "prob"), "scores.csv"),
        (TOP_2.replace("_2", "_1").replace("class_1,score_1", "class_0,score_0", 1), "scores.csv"),
        (json.dumps(RECORDS), "scores.json"),
        (json.dumps(RECORDS, indent=2), "scores.json"),
        ("\n".join(map(json.dumps, RECORDS)), "scores.jsonl"),
    ],
)
def test_the_best_classes_need_no_word(read, content, name):
    predictions = read(content, name)
    check(predictions)
    assert predictions.detected["listed"] == "the 2 best classes of each sample; the other scores are unknown"
    if "json" in name:
        assert predictions.text(1) == "text b"


def test_parquet(read):
    check(read(parquet(TOP_2), "scores.parquet"))
    check(read(parquet(LONG), "scores.parquet", missing="unknown"))


def test_lists_with_ids_or_in_order(read):
    check(read(json.dumps(LISTS), "scores.json"), truth=None)
    check(read(json.dumps(list(LISTS.values())), "scores.json", truth=["cat", "newt"]), ids=None)
    check(read("\n".join(json.dumps(one) for one in LISTS.values()), "scores.jsonl"), ids=None, truth=None)
    one = read(json.dumps(LISTS["a"]), "one.jsonl")
    assert one.scores[:].tolist() == ROWS[:1]


def test_complete_lists_are_scores_of_all_classes(read):
    full = [[{"label": name, "score": 0.25} for name in ("newt", "cat", "duck", "dog")]]
    predictions = read(json.dumps(full), "scores.json")
    assert isinstance(predictions.scores, np.ndarray)
    assert not predictions.has_unknown


def test_an_incomplete_long_file_needs_a_word(read):
    for text in (LONG, "sample_id,class,score\na,cat,0.5\na,dog,0.25\n"):
        with pytest.raises(hv.PredictionsError, match=r"missing='unknown' \| 'zero'"):
            read(text)
    check(read(LONG, missing="unknown"))
    assert read(LONG, missing="unknown").scores.is_top_k
    # In another order, or with different counts, nothing says that the best ones are listed.
    assert not read(LONG.replace("0.25", "0.5").replace("0.625", "0.3"), missing="unknown").scores.is_top_k
    assert not read(LONG.rsplit("b,newt,cat", 1)[0], missing="unknown").scores.is_top_k


def test_a_complete_long_file_needs_none(read):
    text = "sample_id,class,score\n" + "".join(f"a,{name},0.25\n" for name in ("cat", "dog", "duck", "newt"))
    for missing in (None, "unknown", "zero"):
        assert isinstance(read(text, missing=missing).scores, np.ndarray)


@pytest.mark.parametrize(
    ("content", "name"), [(LONG, "scores.csv"), (TOP_2, "scores.csv"), (json.dumps(LISTS), "s.json")]
)
def test_zero_takes_absent_scores_for_zeros(read, content, name):
    predictions = read(content, name, missing="zero")
    assert isinstance(predictions.scores, ListedScores)
    assert not predictions.has_unknown
    assert predictions.node_probabilities()[:, 0].tolist() == [0.875, 0.75]


def test_shorter_lists_end_with_empty_cells(read):
    predictions = read(TOP_2.replace("dog,0.25", ","), parametrisation="node_probabilities")
    assert predictions.scores.lengths.tolist() == [1, 2]


def test_inner_classes_are_node_probabilities(read):
    predictions = read("id,class_1,score_1,class_2,score_2\na,animal,1,mammal,0.75\n")
    assert predictions.parametrisation == "node_probabilities"
    assert predictions.node_probabilities()[0].tolist() == [1, 0.75, 0, 0, 0, 0, 0]


BAD = {
    "class twice": (
        TOP_2.replace("dog", "cat"),
        r"scores\.csv:2, column 'class_2': expected every class once .*got 'cat' again",
    ),
    "score missing": (
        TOP_2.replace("dog,0.25", "dog,"),
        r"scores\.csv:2, column 'score_2': expected a score .*got an empty",
    ),
    "class missing": (
        TOP_2.replace("dog,0.25", ",0.25"),
        r"scores\.csv:2, column 'class_2': expected the class .*got an empty",
    ),
    "no class": (
        TOP_2.replace("cat,0.625,dog,0.25", ",,,"),
        r"scores\.csv:2, column 'class_1': expected at least one class",
    ),
    "a gap": (TOP_2.replace("cat,0.625", ","), r"scores\.csv:2, column 'class_1': expected (a|at least one) class"),
    "mass above 1": (
        TOP_2.replace("0.25", "0.5"),
        r"sample .a.: .*sum to at most 1, got 1\.125",
    ),
    "mass too low": (
        TOP_2.replace("0.25", "0.01"),
        r"got 0\.635 listed and 2 other leaves of at most 0\.01",
    ),
    "unknown class": (TOP_2.replace("dog", "dok"), r"scores\.csv:2, column 'class_2': .*got 'dok'"),
    "wrong order": (
        TOP_2.replace("0.625", "0.125"),
        r"scores\.csv:2, column 'score_2': .*fall .*got 0\.25 after 0\.125",
    ),
    "a word": (TOP_2.replace("0.625", "high"), r"scores\.csv:2, column 'score_1': expected a number, got 'high'"),
    "above 1": (
        TOP_2.replace("0.625", "1.5"),
        r"sample 'a', class 'cat': expected a probability from 0 to 1, got 1\.5",
    ),
    "a rank is missing": (
        TOP_2.replace("class_2,score_2", "class_3,score_3"),
        r"expected the columns of the best classes without a gap, got none of number 2 before 'class_3'",
    ),
    "the first is missing": (
        TOP_2.replace("class_2,score_2", "class_3,score_3").replace("class_1,score_1", "class_2,score_2"),
        r"got none of number 1 before 'class_2'",
    ),
    "a column alone": (TOP_2.replace(",score_2", ",other"), r"expected a column of the score for 'class_2'"),
}
BAD_JSON = {
    "class twice": (
        json.dumps(LISTS).replace("dog", "cat"),
        r"sample number 1( \(.*\))?: expected every class once, got 'cat' again",
    ),
    "no score": (
        json.dumps(LISTS).replace('"score": 0.625', '"p": 1'),
        r"sample number 1( \(.*\))?: expected the keys label and score, got",
    ),
    "a word": (
        json.dumps(LISTS).replace("0.625", '"high"'),
        r"sample number 1( \(.*\))?, label 'cat': expected a number as score, got 'high'",
    ),
    "mass above 1": (json.dumps(LISTS).replace("0.25", "0.5"), r"sample 'a': .*sum to at most 1, got 1\.125"),
    "unknown class": (json.dumps(LISTS).replace("dog", "dok"), r"sample number 1( \(.*\))?: .*as label, got 'dok'"),
    "wrong order": (
        json.dumps(LISTS).replace("0.625", "0.125"),
        r"all classes .*, or the best of each in falling order",
    ),
    "one list": (json.dumps(LISTS["a"]), r"expected one list per sample, got a single list"),
    "no list": (
        json.dumps([{"id": "a"}]),
        r"sample number 1( \(.*\))?: expected one list of labels and scores, got 0 among the keys 'id'",
    ),
    "an empty object": ("{}", r"got an empty object\. Write it as"),
    "a sample twice": (
        json.dumps(LISTS).replace('"b"', '"a"'),
        r"expected every key of an object once, got 'a' again",
    ),
    "a huge integer": (
        json.dumps(LISTS).replace("0.625", "1" + 400 * "0"),
        r"sample number 1( \(.*\))?, label 'cat': expected a number as score, got an integer of 1329 bits",
    ),
    "no JSON": ("[1, 2", r"scores\.json:1: expected JSON, got an error"),
    "nothing": ("[]", r"expected a list for every sample, got none"),
    "an empty list": ("[[]]", r"sample number 1( \(.*\))?: expected a list of its classes.* got an empty list"),
    "a number": ("[3]", r"sample number 1( \(.*\))?: expected a list of its classes.* got int"),
    "a bad line": (json.dumps(RECORDS[0]) + "\n{\n", r"scores\.json:2: expected JSON, got an error"),
}


@pytest.mark.parametrize("fault", BAD)
def test_bad_tables(read, fault):
    content, words = BAD[fault]
    with pytest.raises(hv.HiervizError, match=words):
        read(content)


@pytest.mark.parametrize("fault", BAD_JSON)
def test_bad_lists(read, fault):
    content, words = BAD_JSON[fault]
    with pytest.raises(hv.HiervizError, match=words):
        read(content, "scores.json")


def test_other_words_and_raw_scores(read):
    with pytest.raises(hv.PredictionsError, match=r"expected missing='unknown' \| 'zero', got 'nought'"):
        read(TOP_2, missing="nought")
    with pytest.raises(hv.PredictionsError, match=r"expected probabilities, .*got flat_softmax"):
        read(TOP_2, parametrisation="flat_softmax")
    with pytest.raises(hv.PredictionsError, match=r"classes that have a score with leaf_probabilities .*got 'mammal'"):
        read(TOP_2.replace("dog", "mammal"), parametrisation="leaf_probabilities")


def test_one_inner_class_among_leaves_is_noted(read):
    text = TOP_2.replace("newt,0.5,cat", "newt,0.5,mammal")
    predictions = read(text)
    assert predictions.parametrisation == "node_probabilities"
    assert any("one class that is no leaf (mammal, once)" in note for note in predictions.notes)
    assert not any("no leaf" in note for note in read(text, parametrisation="node_probabilities").notes)
    assert not any("no leaf" in note for note in read(TOP_2).notes)


def test_a_sample_without_a_listed_class_can_be_left_out(read):
    advice = "List its most probable class, or leave the sample out"
    with pytest.raises(hv.PredictionsError, match=advice):
        read(TOP_2.replace("newt,0.5,cat,0.25", ",,,"))
    with pytest.raises(hv.PredictionsError, match=f"sample 1: .* got an empty list. {advice}"):
        hv.Predictions.from_pipeline(read(TOP_2).taxonomy, [LISTS["a"], []])
