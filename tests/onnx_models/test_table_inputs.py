"""Tables as inputs: columns to inputs by name, numbers side by side, missing values, ids, attributes."""

import gzip

import numpy as np
import pytest

from hierviz import cli
from hierviz.messages.errors import FileError, ModelError, PredictionsError
from hierviz.onnx.description.metadata import declared
from hierviz.onnx.inputs.declared_inputs import find_inputs
from hierviz.onnx.inputs.input_spec import InputSpec
from hierviz.onnx.inputs.model_inputs import ModelInputs, load_inputs
from hierviz.onnx.model import load_model
from hierviz.readers.attach import attach_truth
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.taxonomy_file import load_taxonomy

from .one_line import one_line
from .picture_files import png

AGE, SEX, ROOMS = (
    InputSpec("age", "float32", (None, 1)),
    InputSpec("sex", "str", (None, 1)),
    InputSpec("rooms", "int64", (None, 1)),
)
PASSENGERS = "sample_id,rooms,sex,truth,Age,port\n007,2,m,cat,22.5,S\n008,3.0,f,dog,,C\n"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def fed(inputs, specs):
    return inputs.feed(specs, slice(0, len(inputs)))


def test_one_column_an_input(tmp_path):
    specs = (AGE, SEX, ROOMS)
    inputs = load_inputs(write(tmp_path / "t.csv", PASSENGERS), specs)
    made = fed(inputs, specs)
    assert [made[spec.name].dtype for spec in specs] == [np.float32, object, np.int64]
    assert all(one.shape == (2, 1) for one in made.values())
    np.testing.assert_array_equal(made["age"], [[22.5], [np.nan]])
    assert made["sex"].tolist() == [["m"], ["f"]]
    assert made["rooms"].tolist() == [[2], [3]]
    assert inputs.sample_ids.tolist() == ["007", "008"]
    assert {key: one.tolist() for key, one in inputs.attributes.items()} == {
        "port": ["S", "C"],
        "rooms": ["2", "3.0"],
        "sex": ["m", "f"],
        "Age": ["22.5", ""],
    }
    notes = "; ".join(inputs.notes)
    assert "column 'Age' was used for input 'age'" in notes
    assert "passed on as NaN: 'Age' (1)" in notes
    assert len(inputs.notes) == 2


def test_the_same_from_tab_parquet_gzip_and_pandas(tmp_path):
    pd = pytest.importorskip("pandas")
    specs = (AGE, SEX, ROOMS)
    frame = pd.DataFrame({"sample_id": ["007", "008"], "rooms": [2, 3], "sex": ["m", "f"], "age": [22.5, None]})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.tsv", sep="\t", index=False)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(PASSENGERS.encode()))
    expected = fed(load_inputs(write(tmp_path / "t.csv", PASSENGERS), specs), specs)
    for source in (tmp_path / "t.parquet", tmp_path / "t.tsv", tmp_path / "t.csv.gz", frame):
        inputs = ModelInputs.from_values(source, specs)
        for name, one in fed(inputs, specs).items():
            np.testing.assert_array_equal(one, expected[name])
        assert inputs.sample_ids.tolist() == ["007", "008"]


def test_text_that_looks_like_a_number_stays(tmp_path):
    pd = pytest.importorskip("pandas")
    table = write(tmp_path / "t.csv", "sex\n1\n1.0\n007\nNA\n")
    assert fed(load_inputs(table, SEX), [SEX])["sex"].ravel().tolist() == ["1", "1.0", "007", "NA"]
    pd.DataFrame({"sex": [1, 2]}).to_parquet(tmp_path / "t.parquet")
    assert fed(load_inputs(tmp_path / "t.parquet", SEX), [SEX])["sex"].ravel().tolist() == ["1", "2"]


def test_numbers_side_by_side(tmp_path):
    table = write(tmp_path / "t.csv", "id,b,name,a,label,c\n1,1,x,2,9,\n2,4,y,5,9,6.5\n")
    spec = InputSpec("X", "float32", (None, 3))
    inputs = load_inputs(table, spec)
    np.testing.assert_array_equal(fed(inputs, [spec])["X"], np.float32([[1, 2, np.nan], [4, 5, 6.5]]))
    assert "in the order of the file ('b', 'a', 'c')" in inputs.notes[0]
    assert {key: one.tolist() for key, one in inputs.attributes.items()} == {
        "name": ["x", "y"],
        "b": ["1", "4"],
        "a": ["2", "5"],
        "c": ["", "6.5"],
    }
    # Named by the caller; by the model; any width.
    for other, given in (
        (spec, ["c", "a", "b"]),
        (InputSpec("X", "float32", (None, 3), columns=("c", "a", "B")), None),
        (InputSpec("X", "float32", (None, None)), {"X": ["c", "a", "b"]}),
    ):
        inputs = load_inputs(table, other, columns=given)
        np.testing.assert_array_equal(fed(inputs, [other])["X"], np.float32([[np.nan, 2, 1], [6.5, 5, 4]]))
        assert not any("in the order of the file" in note for note in inputs.notes)
    narrow = InputSpec("X", "float64", (None, 2))
    inputs = load_inputs(table, narrow, columns=["a", "label"])
    np.testing.assert_array_equal(fed(inputs, [narrow])["X"], [[2, 9], [5, 9]])


def test_columns_in_the_order_that_the_model_says(tmp_path):
    said, _ = declared(tmp_path / "m.onnx", {"hierviz.input": '{"columns": ["b", "a"]}'}, [])
    specs = find_inputs("m.onnx", [("X", "tensor(float)", (None, 2))], said["input"], [])
    inputs = load_inputs(write(tmp_path / "t.csv", "a,c,b\n1,2,3\n"), specs)
    assert fed(inputs, specs)["X"].tolist() == [[3, 1]]
    assert inputs.notes == ()


def test_names_as_skl2onnx_changes_them(tmp_path):
    """It writes _ for all but letters and digits of ASCII."""
    names = {"sepal_length__cm_": "sepal length (cm)", "gr__e": "Größe", "_2nd": "2nd", "a_b": "a+b"}
    specs = [InputSpec(name, "float32", (None, 1)) for name in names]
    table = write(tmp_path / "t.csv", "年齢," + ",".join(reversed(names.values())) + "\n9,4,3,2,1\n")
    made = fed(load_inputs(table, specs), specs)
    assert [made[name].item() for name in names] == [1, 2, 3, 4]
    with pytest.raises(
        ModelError, match=r"got 'a\+b', 'a-b', which differ from 'a_b' in case and punctuation"
    ) as raised:
        load_inputs(write(table, "a+b,a-b\n1,2\n"), specs[3:])
    one_line(raised)
    with pytest.raises(ModelError, match="got none for '__'"):
        load_inputs(
            write(table, "年齢,c\n1,2\n"), [InputSpec("__", "float32", (None, 1)), InputSpec("c", "float32", (None, 1))]
        )


def test_many_numbers_are_not_shown(tmp_path):
    names = [f"c{k}" for k in range(25)]
    table = write(tmp_path / "t.csv", ",".join([*names, "by"]) + "\n" + ",".join(map(str, range(25))) + ",x\n")
    spec = InputSpec("X", "float32", (None, None))
    inputs = load_inputs(table, spec)
    assert fed(inputs, [spec])["X"].tolist() == [list(range(25))]
    assert inputs.attributes.keys() == {"by"}
    assert "'c9' and 15 more" in inputs.notes[0]


def test_true_and_false_are_numbers(tmp_path):
    """As pandas.get_dummies writes them."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"a": [0.5, 2], "is_b": [True, False], "c": ["x", "y"], "is_d": pd.array([True, None], "boolean")}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    wide, whole = InputSpec("X", "float32", (None, 3)), InputSpec("is_b", "int32", (None, 1))
    for source in (frame, tmp_path / "t.csv", tmp_path / "t.parquet"):
        made = fed(ModelInputs.from_values(source, [wide]), [wide])["X"]
        np.testing.assert_array_equal(made, np.float32([[0.5, 1, 1], [2, 0, np.nan]]))
        assert fed(ModelInputs.from_values(source, [whole]), [whole])["is_b"].ravel().tolist() == [1, 0]


def test_a_single_number_a_row(tmp_path):
    table = write(tmp_path / "t.csv", "id,weight\na,3\nb,4\n")
    for spec in (InputSpec("float_input", "float64", (None, 1)), InputSpec("x", "float64", (None,))):
        assert fed(load_inputs(table, spec), [spec])[spec.name].ravel().tolist() == [3, 4]
        assert fed(load_inputs(table, spec), [spec])[spec.name].ndim == len(spec.shape)


def test_whole_numbers_and_truth_values(tmp_path):
    big = 2**53 + 1  # not a float64
    table = write(tmp_path / "t.csv", f"n,yes\n{big},True\n-4,0\n")
    specs = (InputSpec("n", "int64", (None, 1)), InputSpec("yes", "bool", (None, 1)))
    made = fed(load_inputs(table, specs), specs)
    assert made["n"].ravel().tolist() == [big, -4]
    assert made["yes"].ravel().tolist() == [True, False]
    assert made["yes"].dtype == np.bool_
    with pytest.raises(ModelError, match=r"int8 values for input 'n' \(-128 to 127\), got 9007199254740993") as raised:
        load_inputs(table, (InputSpec("n", "int8", (None, 1)), specs[1]))
    one_line(raised)


@pytest.mark.parametrize(
    ("text", "specs", "given", "words"),
    [
        (
            "sex\nm\n\nf\n",
            [SEX],
            {},
            r"t\.csv:3, column 'sex': expected text for input 'sex', got an empty cell\. Fill missing",
        ),
        (
            "rooms\n2\nNA\n",
            [ROOMS],
            {},
            r"t\.csv:3, column 'rooms': expected a whole number .*got 'NA'\. Fill missing values",
        ),
        ("rooms\n2.5\n", [ROOMS], {}, "expected a whole number for input 'rooms', got '2.5'. Correct it"),
        ("age\n1\nold\n", [AGE], {}, r"t\.csv:3, column 'age': expected a number, got 'old'"),
        ("age\n1_000\n", [AGE], {}, "expected a number, got '1_000'"),
        ("age,sex\n1,m\n", [AGE, SEX, ROOMS], {}, r"got none for 'rooms' among 'age', 'sex'"),
        ("age,sexx\n1,m\n", [AGE, SEX], {}, "Did you mean 'sexx'"),
        ("AGE,Age\n1,2\n", [AGE], {}, r"got 'AGE', 'Age', which differ"),
        ("age,age\n1,2\n", [AGE], {}, "every column once"),
        ("1,2\n3,4\n", [InputSpec("x", "float32", (None, 2))], {}, "expected names of columns in the first row"),
        (
            "a,b\n1,2\n",
            [InputSpec("x", "float32", (None, 3))],
            {},
            r"expected 3 columns for input 'x', got 2 \('a', 'b'\)",
        ),
        ("a,b\nu,v\n", [InputSpec("x", "float32", (None, 3))], {}, "expected columns of numbers for input 'x'"),
        ("a,b\n1,2\n", [InputSpec("x", "float32", (None, 1))], {"columns": ["c"]}, "expected a column 'c'"),
        ("a,b\n1,2\n", [AGE, SEX], {"columns": ["a", "b"]}, "expected columns by input"),
        ("a,b\n1,2\n", [AGE, SEX], {"columns": {"agee": "a"}}, "Did you mean 'age'"),
        ("a,b\n1,2\n", [AGE], {"text_column": "a"}, "expected one input of text"),
        ("age\n", [AGE], {}, "at least one row"),
        ("a\n1\n", [InputSpec("x", "float32", (None, 2, 2))], {}, "inputs of one or two axes"),
        ("age\n1e300\n", [AGE], {}, r"expected float32 values for input 'age' \(up to 3.40282e\+38\), got 1e\+300"),
    ],
)
def test_refused_tables(tmp_path, text, specs, given, words):
    with pytest.raises((FileError, ModelError), match=words) as raised:
        load_inputs(write(tmp_path / "t.csv", text), specs, **given)
    one_line(raised)


def test_an_id_twice(tmp_path):
    with pytest.raises(PredictionsError, match=r"t\.csv:3: expected every sample id once"):
        load_inputs(write(tmp_path / "t.csv", "id,age\n1,1\n1,2\n"), AGE)


def test_an_input_called_like_an_id_or_the_truth(tmp_path):
    specs = (InputSpec("id", "int64", (None, 1)), InputSpec("class", "str", (None, 1)))
    inputs = load_inputs(write(tmp_path / "t.csv", "id,class,target\n5,first,cat\n6,second,dog\n"), specs)
    assert fed(inputs, specs)["id"].ravel().tolist() == [5, 6]
    assert inputs.sample_ids is None
    assert inputs.attributes.keys() == {"id", "class"}


def test_missing_values_in_pandas_and_lists():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": [1.0, 2.0], "sex": ["m", None]})
    with pytest.raises(FileError, match="the DataFrame, row 2, column 'sex': expected text") as raised:
        ModelInputs.from_values(frame, [AGE, SEX])
    one_line(raised)
    with pytest.raises(ModelError, match="inputs, row 1: expected text for input 'sex', got None") as raised:
        ModelInputs.from_values({"age": frame["age"], "sex": ["m", None]}, [AGE, SEX])
    one_line(raised)
    other = load_inputs(frame, InputSpec("X", "float32", (None, 1)), columns=["age"])
    assert other.arrays["X"].tolist() == [[1], [2]]
    assert other.attributes["sex"].tolist() == ["m", ""]
    made = ModelInputs.from_values({"age": frame["age"], "sex": ["m", "f"]}, [AGE, SEX])
    assert fed(made, [AGE, SEX])["sex"].tolist() == [["m"], ["f"]]


def test_pictures_only_shown(tmp_path, folder, image, pictures):
    table = write(tmp_path / "t.csv", "id,age,image\na,1,10\nb,2,2.png\n")
    inputs = load_inputs(table, AGE, media=folder)
    assert inputs.attributes["image"].tolist() == ["10.png", "2.png"]
    assert inputs.pictures.bytes("2.png") == png(image, pictures[1])
    assert fed(inputs, [AGE])["age"].ravel().tolist() == [1, 2]
    with pytest.raises(FileError, match="a column `image` or `file`"):
        load_inputs(write(tmp_path / "t.csv", "age\n1\n"), AGE, media=folder)


def test_a_model_of_three_columns(tmp_path, taxonomy):
    """Scores: age, rooms, 1 where sex is f, and their sum, by an encoder of text in the graph."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        [
            helper.make_node(
                "LabelEncoder", ["sex"], ["f"], domain="ai.onnx.ml", keys_strings=["m", "f"], values_floats=[0.0, 1.0]
            ),
            helper.make_node("Cast", ["rooms"], ["r"], to=TensorProto.FLOAT),
            helper.make_node("Sum", ["age", "r", "f"], ["all"]),
            helper.make_node("Concat", ["age", "r", "f", "all"], ["logits"], axis=1),
        ],
        "table",
        [
            helper.make_tensor_value_info(name, kind, [None, 1])
            for name, kind in (("age", TensorProto.FLOAT), ("sex", TensorProto.STRING), ("rooms", TensorProto.INT64))
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [None, 4])],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    (tmp_path / "m.onnx").write_bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())
    model = load_model(
        tmp_path / "m.onnx", taxonomy, classes=["newt", "cat", "duck", "dog"], parametrisation="flat_softmax"
    )
    rows = "sample_id,rooms,sex,age,truth\na,2,m,22.5,cat\nb,3,f,30,dog\nc,1,f,4,newt\n"
    table = write(tmp_path / "t.csv", rows)
    preds = model.predict(load_inputs(table, model))
    np.testing.assert_array_equal(preds.scores, [[22.5, 2, 0, 24.5], [30, 3, 1, 34], [4, 1, 1, 6]])
    assert preds.sample_ids.tolist() == ["a", "b", "c"]
    told = attach_truth(preds, table)
    assert [taxonomy.names[node] for node in told.truth] == ["cat", "dog", "newt"]
    assert told.attributes["sex"].tolist() == ["m", "f", "f"]
    # Other names of the columns, said on the command line.
    (tmp_path / "tree.csv").write_text("parent,child\nr,newt\nr,cat\nr,duck\nr,dog\n")
    (tmp_path / "classes.txt").write_text("newt\ncat\nduck\ndog\n")
    other = write(tmp_path / "u.csv", rows.replace("rooms,sex,age", "n,who,years"))
    flags = {"model": tmp_path / "m.onnx", "taxonomy": tmp_path / "tree.csv", "classes": tmp_path / "classes.txt"}
    flags |= {"inputs": other, "out": tmp_path / "p.csv", "columns": "age=years,sex = who,rooms=n"}
    assert cli.main(["predict", *(str(one) for key, value in flags.items() for one in (f"--{key}", value))]) == 0
    tree = load_taxonomy(tmp_path / "tree.csv")
    p = load_predictions(tmp_path / "p.csv", tree).node_probabilities()[:, tree.nodes("newt", "cat", "duck", "dog")]
    e = np.exp(preds.scores.astype(float))
    np.testing.assert_allclose(p, e / e.sum(axis=1, keepdims=True), rtol=1e-5, atol=1e-12)
