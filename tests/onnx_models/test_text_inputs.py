"""Texts for models that take one: lines, a column, a list."""

import numpy as np
import pytest

from hierviz.messages.errors import FileError, ModelError
from hierviz.onnx.inputs.input_spec import InputSpec
from hierviz.onnx.inputs.model_inputs import ModelInputs, load_inputs

from .one_line import one_line

TEXT = InputSpec("input", "str", (None, 1))
WORDS = ["a cat", "1", "„Hund“, sagt er"]


def fed(inputs, spec=TEXT):
    return inputs.feed([spec], slice(0, len(inputs)))[spec.name]


def test_one_text_a_line(tmp_path):
    for end in ("\n", "\r\n"):
        (tmp_path / "t.txt").write_bytes(end.join([*WORDS, ""]).encode())
        inputs = load_inputs(tmp_path / "t.txt", TEXT)
        assert fed(inputs).tolist() == [[one] for one in WORDS]
        assert inputs.attributes["text"].tolist() == WORDS
        assert inputs.sample_ids is None
    (tmp_path / "t.txt").write_text("a\n \nb\n")
    with pytest.raises(FileError, match=r"t\.txt:2: expected a text, got a blank line") as raised:
        load_inputs(tmp_path / "t.txt", TEXT)
    one_line(raised)


def test_rare_line_ends_stay_in_the_text(tmp_path):
    (tmp_path / "t.txt").write_text("one\u2028still one\x0b\ntwo", encoding="utf-8")
    assert fed(load_inputs(tmp_path / "t.txt", TEXT)).ravel().tolist() == ["one\u2028still one\x0b", "two"]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_a_column_of_texts(tmp_path, suffix):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"id": ["x", "y", "z"], "Text": [*WORDS[:2], "two\nlines"], "by": ["a", "b", "c"]})
    path = tmp_path / f"t.{suffix}"
    frame.to_parquet(path) if suffix == "parquet" else frame.to_csv(
        path, index=False, sep="\t" if suffix == "tsv" else ","
    )
    inputs = load_inputs(path, TEXT)
    assert fed(inputs).ravel().tolist() == [*WORDS[:2], "two\nlines"]
    assert inputs.attributes["text"].tolist() == [*WORDS[:2], "two\nlines"]
    assert inputs.attributes["by"].tolist() == ["a", "b", "c"]
    assert inputs.sample_ids.tolist() == ["x", "y", "z"]
    other = load_inputs(path, TEXT, text_column="by")
    assert fed(other).ravel().tolist() == other.attributes["text"].tolist() == ["a", "b", "c"]


def test_which_column_is_the_text(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("id,review,label\n1,good,cat\n")
    inputs = load_inputs(table, TEXT)
    assert fed(inputs).tolist() == [["good"]]
    assert "column 'review' was used as the text" in inputs.notes[0]
    table.write_text("id,review,title,label\n1,good,Film,cat\n")
    for given, words in (({}, "expected a column `text`"), ({"text_column": "revue"}, "Did you mean 'review'")):
        with pytest.raises(ModelError, match=words) as raised:
            load_inputs(table, TEXT, **given)
        one_line(raised)
    table.write_text("text,input\na,b\n")
    inputs = load_inputs(table, TEXT)
    assert fed(inputs).tolist() == [["b"]]
    assert "column 'text' was left out" in inputs.notes[0]


def test_texts_at_hand():
    flat = InputSpec("input", "str", (None,))
    for values in (WORDS, tuple(WORDS), np.array(WORDS), np.array(WORDS, dtype=object)[:, None]):
        for spec in (TEXT, flat):
            inputs = ModelInputs.from_values(values, [spec])
            assert fed(inputs, spec).ravel().tolist() == WORDS
            assert fed(inputs, spec).dtype == object
            assert fed(inputs, spec).ndim == len(spec.shape)
            assert inputs.attributes["text"].tolist() == WORDS
    with pytest.raises(ModelError, match="row 1: expected text for input 'input', got nan") as raised:
        ModelInputs.from_values(["a", float("nan")], [TEXT])
    one_line(raised)
    with pytest.raises(ModelError, match="expected float32"):
        ModelInputs.from_values(WORDS, [InputSpec("x", "float32", (None, 1))])


def test_text_beside_other_inputs(tmp_path):
    (tmp_path / "t.csv").write_text("body,age\nhello,3\n")
    specs = (TEXT, InputSpec("age", "float32", (None, 1)))
    inputs = load_inputs(tmp_path / "t.csv", specs, text_column="body")
    made = inputs.feed(specs, slice(0, 1))
    assert (made["input"].tolist(), made["age"].tolist()) == ([["hello"]], [[3]])


def test_pictures_for_a_model_of_text(folder):
    with pytest.raises(ModelError, match=r"takes no pictures\. Pass texts") as raised:
        load_inputs(folder, TEXT)
    one_line(raised)
