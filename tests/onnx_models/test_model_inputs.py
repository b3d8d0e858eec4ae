"""Pictures and arrays for models: order, ids, colours, sizes, and broken files."""

import io
import tracemalloc
import zipfile

import numpy as np
import pytest

from hierviz.errors import FileError, ModelError
from hierviz.readers.model_inputs import InputSpec, ModelInputs, load_inputs
from hierviz.readers.pictures import Pictures, natural_key

SPEC = InputSpec("image", "uint8", (None, 5, 6, 3), "NHWC", size=(5, 6), range=(0, 255))
ROWS = InputSpec("x", "float32", (None, 3))


@pytest.fixture
def image():
    """Pillow's Image module."""
    return pytest.importorskip("PIL.Image")


def png(image, array, **more):
    made = io.BytesIO()
    image.fromarray(array).save(made, "PNG", **more)
    return made.getvalue()


def zipped(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def one_line(raised):
    assert "\n" not in str(raised.value)


def test_folder_in_natural_order(folder, pictures):
    (folder / "notes.txt").write_text("x")
    (folder / ".hidden.png").write_bytes(b"x")
    inputs = load_inputs(folder, SPEC)
    assert inputs.sample_ids.tolist() == ["1", "2", "3", "4", "5", "7", "10"]
    assert inputs.attributes["image"][-1] == "10.png"
    assert "1 files" in inputs.notes[0]
    np.testing.assert_array_equal(inputs.feed([SPEC], slice(0, 7))["image"], pictures)
    assert len(inputs) == 7


def test_zip_ignores_what_the_mac_adds(tmp_path, image, pictures):
    files = {f"top/{i}.png": png(image, picture) for i, picture in enumerate(pictures)}
    path = zipped(tmp_path / "p.zip", {**files, "__MACOSX/top/._0.png": b"x", "top/.DS_Store": b"x", "top/": b""})
    found = Pictures.open(path)
    assert found.names == tuple(f"top/{i}.png" for i in range(7))
    assert found.notes == ()
    np.testing.assert_array_equal(found.array("top/3.png"), pictures[3])
    np.testing.assert_array_equal(np.asarray(image.open(io.BytesIO(found.png("top/3.png")))), pictures[3])
    assert found.bytes("top/3.png") == files["top/3.png"]


def test_same_stems_keep_whole_names(tmp_path, image, pictures):
    content = png(image, pictures[0])
    path = zipped(tmp_path / "p.zip", {"a/1.png": content, "b/1.png": content})
    assert load_inputs(path, SPEC).sample_ids.tolist() == ["a/1.png", "b/1.png"]


def test_names_in_the_order_asked_for(tmp_path, image, pictures):
    files = {f"top/{i}.png": png(image, picture) for i, picture in enumerate(pictures)}
    path = zipped(tmp_path / "p.zip", files)
    asked = ["5.png", "top/2.png", "3", ".\\top\\1.png", "5.png"]
    assert Pictures.open(path, asked).names == ("top/5.png", "top/2.png", "top/3.png", "top/1.png", "top/5.png")
    with pytest.raises(FileError, match=r"1 are not there: 'top/9\.png'") as raised:
        Pictures.open(path, ["top/9.png"])
    one_line(raised)
    zipped(path, {**files, "other/1.png": files["top/1.png"]})
    with pytest.raises(FileError, match="expected one picture called"):
        Pictures.open(path, ["1.png"])


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
    with pytest.raises(FileError, match="not possible yet") as raised:
        load_inputs(table, SPEC, media=folder)
    one_line(raised)
    table.write_text("id,b\n3,2\n")
    assert load_inputs(table, SPEC, media=folder).attributes["image"].tolist() == ["3.png"]


def test_colours_and_orientation(tmp_path, image):
    place = tmp_path / "p"
    place.mkdir()
    half = np.zeros((2, 3, 4), np.uint8)
    half[0, :, 3] = 255  # a black row, and a row that is not there
    image.fromarray(half).save(place / "alpha.png")
    deep = (np.arange(6, dtype=np.uint32).reshape(2, 3) * 257 * 40).astype(np.uint16)
    image.fromarray(deep).save(place / "deep.png")
    image.fromarray(np.array([[0, 100], [200, 255]], np.uint8)).save(place / "grey.png")
    palette = image.fromarray(np.array([[0, 1], [1, 0]], np.uint8))
    palette = palette.convert("P")
    palette.putpalette([255, 0, 0, 0, 0, 255])
    palette.save(place / "palette.png", transparency=1)
    upright = np.zeros((4, 8, 3), np.uint8)
    upright[:, :2] = 255
    exif = image.Exif()
    exif[0x0112] = 6  # to be turned clockwise by a quarter
    image.fromarray(upright).save(place / "turned.jpg", exif=exif, quality=100, subsampling=0)
    found = Pictures.open(place)
    assert found.array("alpha.png").tolist() == [[[0] * 3] * 3, [[255] * 3] * 3]
    assert found.array("deep.png")[..., 0].tolist() == [[0, 40, 80], [120, 160, 200]]
    assert found.array("grey.png")[..., 1].tolist() == [[0, 100], [200, 255]]
    assert found.array("palette.png").tolist() == [[[255, 0, 0], [255] * 3], [[255] * 3, [255, 0, 0]]]
    turned = found.array("turned.jpg")
    assert turned.shape == (8, 4, 3)
    assert turned[:2].min() > 240
    assert turned[2:].max() < 15
    assert found.array("grey.png", size=(5, 7)).shape == (5, 7, 3)
    assert found.array("grey.png", size=(5, 7)).dtype == np.uint8


def test_broken_pictures_are_named(tmp_path, image, pictures, monkeypatch):
    whole = png(image, pictures[0])
    path = zipped(
        tmp_path / "p.zip",
        {
            "cut.png": whole[:60],
            "empty.png": b"",
            "page.png": b"<html>",
            "lfs.png": b"version https://git-lfs",
            "ok.png": whole,
        },
    )
    found = Pictures.open(path)
    for name in ("cut.png", "empty.png", "page.png", "lfs.png"):
        with pytest.raises(FileError, match=rf"p\.zip/{name}: expected a picture") as raised:
            found.array(name)
        one_line(raised)
    with pytest.raises(FileError, match=r"Did you mean 'ok\.png'"):
        found.array("okk.png")
    monkeypatch.setattr("hierviz.readers.pictures.MOST_PIXELS", 10)
    with pytest.raises(FileError, match="million pixels, got 6 x 5"):
        found.array("ok.png")


def test_decompression_bomb(tmp_path, image):
    import struct
    import zlib

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    for side in (10_000, 60_000):
        header = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
        (tmp_path / "bomb.png").write_bytes(
            b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
        )
        with pytest.raises(FileError, match=r"bomb\.png: expected at most 64 million pixels") as raised:
            Pictures.open(tmp_path / "bomb.png").array("bomb.png")
        one_line(raised)


def test_zips_that_are_refused(tmp_path):
    path = tmp_path / "p.zip"
    for files, words in (
        ({"a.png": bytes(65 << 20)}, "at most 64 MB, got 65 MB"),
        ({"../a.png": b"x"}, "leads outside"),
        ({"/etc/a.png": b"x"}, "leads outside"),
        ({"C:/a.png": b"x"}, "leads outside"),
        ({"a.txt": b"x"}, "at least one picture"),
    ):
        with pytest.raises(FileError, match=words) as raised:
            Pictures.open(zipped(path, files))
        one_line(raised)
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(FileError, match="a damaged one"):
        Pictures.open(path)
    path.write_bytes(b"PNG or so")
    with pytest.raises(FileError, match="another kind of file"):
        Pictures.open(path)
    with pytest.raises(FileError, match="nothing there"):
        Pictures.open(tmp_path / "none")


def test_damaged_entry_and_password(tmp_path, image, pictures):
    path = zipped(tmp_path / "p.zip", {"a.png": png(image, pictures[0])})
    content = bytearray(path.read_bytes())
    content[60] ^= 255
    path.write_bytes(bytes(content))
    with pytest.raises(FileError, match=r"p\.zip/a\.png"):
        Pictures.open(path).array("a.png")
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(content))
    with pytest.raises(FileError, match="encrypted"):
        Pictures.open(path)


def test_natural_order():
    names = ["b10.png", "B2.png", "10.png", "a.png", "9.png", "a/1.png"]
    assert sorted(names, key=natural_key) == ["9.png", "10.png", "a.png", "a/1.png", "B2.png", "b10.png"]


def test_grey_input(image, pictures):
    spec = InputSpec("g", "uint8", (None, 1, 5, 6), "NCHW", size=(5, 6))
    made = spec.from_pictures(pictures)
    assert made.shape == (7, 1, 5, 6)
    np.testing.assert_array_equal(made[2, 0], np.asarray(image.fromarray(pictures[2]).convert("L")))


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
        (tmp_path / "o.npy", "pickled Python objects"),
        (save(x=np.array([None, 1], dtype=object)), "pickled Python objects"),
        (tmp_path / "b.npy", "damaged or different"),
        (tmp_path / "b.npz", "damaged or different"),
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
    monkeypatch.setattr("hierviz.readers.model_inputs.MOST_ARRAY_BYTES", 100)
    with pytest.raises(FileError, match="when unpacked"):
        load_inputs(save(x=x), ROWS)


def test_casts_stay_within_their_kind():
    whole = InputSpec("i", "int8", (None,))
    assert whole.cast(np.array([1, -128])).dtype == np.int8
    with pytest.raises(ModelError, match=r"-128 to 127\), got 200"):
        whole.cast(np.array([1, 200]))
    text = InputSpec("t", "str", (None, 1))
    assert ModelInputs.of(np.array(["a", "b"]), [text]).feed([text], slice(0, 2))["t"].tolist() == [["a"], ["b"]]
    with pytest.raises(ModelError, match="expected text for input 't', got None"):
        ModelInputs.of(np.array([[None], ["b"]], dtype=object), [text])
    with pytest.raises(ModelError, match="expected float32"):
        ROWS.cast(np.array([True]))


def test_pictures_of_another_model(folder):
    with pytest.raises(ModelError, match="input of 2 axes, which takes no pictures"):
        load_inputs(folder, ROWS)
    with pytest.raises(ModelError, match="Write `size`"):
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
