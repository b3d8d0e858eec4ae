"""Pictures and arrays for models: ids, tables, casts, and refused arrays."""

import gzip
import hashlib
import tracemalloc

import numpy as np
import pytest

from hierviz.messages.errors import FileError, ModelError, PredictionsError
from hierviz.onnx.inputs.model_inputs import InputSpec, ModelInputs, load_inputs
from hierviz.readers.stored_array import StoredArray

from .one_line import one_line
from .picture_files import png, zipped

SPEC = InputSpec("image", "uint8", (None, 5, 6, 3), "NHWC", size=(5, 6), range=(0, 255))
ROWS = InputSpec("x", "float32", (None, 3))


def test_folder_in_natural_order(folder, pictures):
    (folder / "notes.txt").write_text("x")
    (folder / ".hidden.png").write_bytes(b"x")
    inputs = load_inputs(folder, SPEC)
    assert inputs.sample_ids.tolist() == ["1", "2", "3", "4", "5", "7", "10"]
    assert inputs.attributes["image"][-1] == "10.png"
    assert inputs.notes == ("1 file is no picture and was left out of pictures: 'notes.txt'",)
    np.testing.assert_array_equal(inputs.feed([SPEC], slice(0, 7))["image"], pictures)
    assert len(inputs) == 7


def test_same_stems_keep_whole_names(tmp_path, image, pictures):
    content = png(image, pictures[0])
    path = zipped(tmp_path / "p.zip", {"a/1.png": content, "b/1.png": content})
    assert load_inputs(path, SPEC).sample_ids.tolist() == ["a/1.png", "b/1.png"]


def test_table_with_media(tmp_path, folder, pictures):
    table = tmp_path / "t.csv"
    table.write_text("sample_id,truth,image,light\n007,cat,10.png,day\n008,dog,2.png,NA\n")
    inputs = load_inputs(table, SPEC, media=folder)
    assert inputs.sample_ids.tolist() == ["007", "008"]
    assert {key: one.tolist() for key, one in inputs.attributes.items()} == {
        "light": ["day", "NA"],
        "image": ["10.png", "2.png"],
    }
    np.testing.assert_array_equal(inputs.feed([SPEC], slice(0, 2))["image"], pictures[[6, 1]])
    with pytest.raises(FileError, match="media"):
        load_inputs(table, SPEC)
    table.write_text("a,b\n1,2\n")
    with pytest.raises(FileError, match="a column `image` or `file`") as raised:
        load_inputs(table, SPEC, media=folder)
    one_line(raised)
    table.write_text("id,b\n3,2\n")
    assert load_inputs(table, SPEC, media=folder).attributes["image"].tolist() == ["3.png"]


def test_grey_input(image, pictures):
    spec = InputSpec("g", "uint8", (None, 1, 5, 6), "NCHW", size=(5, 6))
    made = spec.from_pictures(pictures)
    assert made.shape == (7, 1, 5, 6)
    np.testing.assert_array_equal(made[2, 0], np.asarray(image.fromarray(pictures[2]).convert("L")))


def test_table_beside_its_pictures(folder, pictures):
    table = folder / "t.csv"
    (folder / "deep").mkdir()
    (folder / "2.png").rename(folder / "deep" / "2.png")
    (folder / "notes.txt").write_text("not looked at")
    table.write_text("sample_id,Truth,file,light\na,cat,10.png,day\nb,dog,./deep/2.png,\n")
    inputs = load_inputs(table, SPEC)
    assert inputs.sample_ids.tolist() == ["a", "b"]
    assert {key: one.tolist() for key, one in inputs.attributes.items()} == {
        "light": ["day", ""],
        "image": ["10.png", "deep/2.png"],
    }
    assert inputs.notes == ()
    np.testing.assert_array_equal(inputs.feed([SPEC], slice(0, 2))["image"], pictures[[6, 1]])


def test_table_whose_pictures_are_not_beside_it(folder):
    place = folder / "tables"
    place.mkdir()
    for name in ("../1.png", str(folder / "1.png"), "1.png", "t.csv", "", "x" * 300 + ".png"):
        (place / "t.csv").write_text(f"id,image\n1,{name}\n")
        with pytest.raises(FileError, match=r"t\.csv: expected the pictures .* media") as raised:
            load_inputs(place / "t.csv", SPEC)
        one_line(raised)
    (place / "t.csv").write_text("id,light\n1,day\n")
    with pytest.raises(FileError, match="expected a column `image`"):
        load_inputs(place / "t.csv", SPEC)


def test_table_with_an_id_twice(folder):
    (folder / "t.csv").write_text("id,image\n1,1.png\n1,2.png\n")
    with pytest.raises(PredictionsError, match=r"t\.csv:3: expected every sample id once"):
        load_inputs(folder / "t.csv", SPEC)


def test_npy_and_npz(tmp_path):
    x = np.random.default_rng(0).normal(size=(5, 3))
    np.save(tmp_path / "x.npy", x)
    inputs = load_inputs(tmp_path / "x.npy", ROWS)
    assert inputs.sample_ids is None
    fed = inputs.feed([ROWS], slice(1, 3))["x"]
    assert fed.dtype == np.float32
    np.testing.assert_allclose(fed, x[1:3], rtol=1e-6)
    np.savez(tmp_path / "x.npz", whatever=x, ids=np.arange(5))
    assert load_inputs(tmp_path / "x.npz", ROWS).sample_ids.tolist() == ["0", "1", "2", "3", "4"]
    np.savez(tmp_path / "x.npz", x=x, other=x)
    assert "'other'" in load_inputs(tmp_path / "x.npz", ROWS).notes[0]


def test_refused_arrays(tmp_path, monkeypatch):
    def save(**arrays):
        np.savez(tmp_path / "x.npz", **arrays)
        return tmp_path / "x.npz"

    x = np.zeros((5, 3))
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    (tmp_path / "b.npy").write_bytes(b"\x93NUMPY\x01\x00nonsense")
    (tmp_path / "b.npz").write_bytes(b"PK\x03\x04 nonsense")
    (tmp_path / "x.parq").write_bytes(b"PAR1")
    for path, words in (
        (tmp_path / "o.npy", "Python objects"),
        (save(x=np.array([None, 1], dtype=object)), "Python objects"),
        (tmp_path / "b.npy", "cannot be read"),
        (tmp_path / "b.npz", "intact archive"),
        (tmp_path / "x.parq", "got '.parq'"),
        (tmp_path / "none.npy", "nothing there"),
    ):
        with pytest.raises(FileError, match=words) as raised:
            load_inputs(path, ROWS)
        one_line(raised)
    for arrays, words in (
        ({"a": x, "b": x}, "expected arrays named 'x'"),
        ({"x": x, "id": np.arange(4)}, "expected 5 ids"),
        ({"x": np.zeros((5, 4))}, "expected rows x 3 for input 'x', got 5 x 4"),
        ({"x": np.zeros((5, 3), np.int64)}, "expected float32 for input 'x', got int64"),
        ({"x": np.zeros((0, 3))}, "at least one"),
    ):
        with pytest.raises((FileError, ModelError), match=words) as raised:
            load_inputs(save(**arrays), ROWS)
        one_line(raised)
    monkeypatch.setattr("hierviz.readers.file_limits.UNPACKED_BYTES", 100)
    with pytest.raises(FileError, match="expected at most 100 bytes when unpacked"):
        load_inputs(save(x=x), ROWS)


def test_npy_stays_on_disk(tmp_path):
    spec = InputSpec("x", "float32", (None, 200))
    np.save(tmp_path / "x.npy", np.zeros((20_000, 200), np.float32))  # 16 MB
    tracemalloc.start()
    inputs = load_inputs(tmp_path / "x.npy", spec)
    for start in range(0, 20_000, 5_000):
        assert inputs.feed([spec], slice(start, start + 64))["x"].shape == (64, 200)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e6
    assert isinstance(inputs.arrays["x"], StoredArray)
    (tmp_path / "x.npy.gz").write_bytes(gzip.compress((tmp_path / "x.npy").read_bytes(), 1))
    assert len(load_inputs(tmp_path / "x.npy.gz", spec)) == 20_000


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_fractions_in_the_type_of_the_model(tmp_path, dtype):
    spec = InputSpec("x", dtype, (None, 2))
    for given in (np.float16, np.float32, np.float64):
        x = np.array([[0.5, -2.25], [8, 1024]], dtype=given)
        np.save(tmp_path / "x.npy", x)
        fed = load_inputs(tmp_path / "x.npy", spec).feed([spec], slice(0, 2))["x"]
        assert fed.dtype == dtype
        np.testing.assert_array_equal(fed, x)
    np.testing.assert_array_equal(spec.cast(np.array([[np.inf, np.nan]])), [[np.inf, np.nan]])
    if dtype == "float16":
        with pytest.raises(ModelError, match=r"float16 values for input 'x' \(up to 65504\), got 1000000\.0") as raised:
            spec.cast(np.array([[1e6, 1]]))
        one_line(raised)


def test_several_inputs_of_equal_length():
    specs = (InputSpec("a", "int64", (4, None)), InputSpec("b", "float64", (4, 2)), InputSpec("c", "str", (4,)))
    values = {
        "c": ["u", "v", "w"],
        "a": np.arange(6, dtype=np.uint8).reshape(3, 2),
        "b": np.ones((3, 2), np.float32).T.copy().T,
    }
    fed = ModelInputs.from_values(values, specs).feed(specs, slice(1, 3))
    assert list(fed) == ["a", "b", "c"]  # fixed batches are padded where the model is run
    assert [one.dtype for one in fed.values()] == [np.int64, np.float64, object]
    assert fed["a"].tolist() == [[2, 3], [4, 5]]
    assert all(one.flags.c_contiguous for one in fed.values())
    with pytest.raises(ModelError, match="got 3 of 'a', 3 of 'b', 2 of 'c'") as raised:
        ModelInputs.from_values({**values, "c": ["u", "v"]}, specs)
    one_line(raised)


def test_checksums(tmp_path, folder, pictures):
    def sha(data):
        return hashlib.sha256(data).hexdigest()

    np.save(tmp_path / "x.npy", np.zeros((2, 3)))
    assert load_inputs(tmp_path / "x.npy", ROWS).sha256() == sha((tmp_path / "x.npy").read_bytes())
    one = load_inputs(folder / "2.png", SPEC)
    assert one.sha256() == sha((folder / "2.png").read_bytes())
    lines = "".join(f"{path.name}\t{sha(path.read_bytes())}\n" for path in sorted(folder.iterdir()))
    assert load_inputs(folder, SPEC).sha256() == sha(lines.encode())
    archive = zipped(tmp_path / "p.zip", {path.name: path.read_bytes() for path in folder.iterdir()})
    assert load_inputs(archive, SPEC).sha256() == sha(lines.encode())
    (folder / "t.csv").write_text("image\n2.png\n")
    lines = "".join(f"{name}\t{sha((folder / name).read_bytes())}\n" for name in ("2.png", "t.csv"))
    assert load_inputs(folder / "t.csv", SPEC).sha256() == sha(lines.encode())
    # At hand: the same values give the same, other values, shapes or types another.
    x = np.arange(6.0).reshape(2, 3)
    text, flat = InputSpec("t", "str", (None, 1)), InputSpec("x", "float64", (None, None))
    seen = [
        ModelInputs.from_values(one, [flat]).sha256()
        for one in (x, x.T.copy().T, x + 1, x.reshape(3, 2), x.astype(np.float32))
    ]
    assert seen[0] == seen[1]
    assert len(set(seen)) == 4
    assert (
        ModelInputs.from_values(["ab", "c"], [text]).sha256() != ModelInputs.from_values(["a", "bc"], [text]).sha256()
    )
    assert (
        ModelInputs.from_values(["a"], [text]).sha256()
        == ModelInputs.from_values(np.array([["a"]], dtype="U9"), [text]).sha256()
    )


def test_casts_stay_within_their_kind():
    whole = InputSpec("i", "int8", (None,))
    assert whole.cast(np.array([1, -128])).dtype == np.int8
    with pytest.raises(ModelError, match=r"-128 to 127\), got 200"):
        whole.cast(np.array([1, 200]))
    text = InputSpec("t", "str", (None, 1))
    assert ModelInputs.from_values(np.array(["a", "b"]), [text]).feed([text], slice(0, 2))["t"].tolist() == [
        ["a"],
        ["b"],
    ]
    with pytest.raises(ModelError, match="expected text for input 't', got None"):
        ModelInputs.from_values(np.array([[None], ["b"]], dtype=object), [text])
    with pytest.raises(ModelError, match="expected float32"):
        ROWS.cast(np.array([True]))


def test_pictures_of_another_model(folder):
    with pytest.raises(ModelError, match="input of 2 axes, which takes no pictures"):
        load_inputs(folder, ROWS)
    with pytest.raises(ModelError, match="write `size`"):
        load_inputs(folder, InputSpec("i", "uint8", (None, None, None, 3), "NHWC"))


def test_pictures_are_decoded_a_batch_at_a_time(tmp_path, image):
    content = png(image, np.zeros((64, 64, 3), np.uint8))
    path = zipped(tmp_path / "p.zip", {f"{i}.png": content for i in range(300)})
    spec = InputSpec("image", "float32", (None, 3, 256, 256), "NCHW", size=(256, 256), range=(0, 1))
    inputs = load_inputs(path, spec)
    inputs.feed([spec], slice(0, 1))
    tracemalloc.start()
    for start in range(0, 300, 8):
        inputs.feed([spec], slice(start, start + 8))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 256 * 256 * 3 * 4 * 5  # some copies of one batch, not 236 MB
