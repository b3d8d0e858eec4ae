"""Pictures from folders and zips: order, names, colours, and broken files."""

import io
import re
import zipfile

import numpy as np
import pytest

from hierviz.messages.errors import FileError
from hierviz.readers import pictures
from hierviz.readers.picture_names import SUFFIXES
from hierviz.readers.pictures import Pictures, natural_key

from .one_line import one_line
from .picture_files import png, zipped


def test_zip_ignores_what_the_mac_adds(tmp_path, image, pictures):
    files = {f"top/{i}.png": png(image, picture) for i, picture in enumerate(pictures)}
    path = zipped(tmp_path / "p.zip", {**files, "__MACOSX/top/._0.png": b"x", "top/.DS_Store": b"x", "top/": b""})
    found = Pictures.from_path(path)
    assert found.names == tuple(f"top/{i}.png" for i in range(7))
    assert found.notes == ()
    np.testing.assert_array_equal(found.array("top/3.png"), pictures[3])
    np.testing.assert_array_equal(np.asarray(image.open(io.BytesIO(found.png("top/3.png")))), pictures[3])
    assert found.bytes("top/3.png") == files["top/3.png"]


def test_names_in_the_order_asked_for(tmp_path, image, pictures):
    files = {f"top/{i}.png": png(image, picture) for i, picture in enumerate(pictures)}
    path = zipped(tmp_path / "p.zip", files)
    asked = ["5.png", "top/2.png", "3", ".\\top\\1.png", "5.png"]
    assert Pictures.from_path(path, asked).names == ("top/5.png", "top/2.png", "top/3.png", "top/1.png", "top/5.png")
    with pytest.raises(FileError, match=r"1 are not there: 'top/9\.png'") as raised:
        Pictures.from_path(path, ["top/9.png"])
    one_line(raised)
    zipped(path, {**files, "other/1.png": files["top/1.png"]})
    with pytest.raises(FileError, match="expected one picture called"):
        Pictures.from_path(path, ["1.png"])


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
    found = Pictures.from_path(place)
    assert found.array("alpha.png").tolist() == [[[0] * 3] * 3, [[255] * 3] * 3]
    assert found.array("deep.png")[..., 0].tolist() == [[0, 40, 80], [120, 160, 200]]
    assert found.array("grey.png")[..., 1].tolist() == [[0, 100], [200, 255]]
    assert found.array("palette.png").tolist() == [[[255, 0, 0], [255] * 3], [[255] * 3, [255, 0, 0]]]
    turned = found.array("turned.jpg")
    assert turned.shape == (8, 4, 3)
    assert turned[:2].min() > 240
    assert turned[2:].max() < 15
    assert found.array("grey.png").dtype == np.uint8


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
    found = Pictures.from_path(path)
    for name in ("cut.png", "empty.png", "page.png", "lfs.png"):
        with pytest.raises(FileError, match=rf"p\.zip/{name}: expected a picture") as raised:
            found.array(name)
        one_line(raised)
    with pytest.raises(FileError, match=r"Did you mean 'ok\.png'"):
        found.array("okk.png")
    monkeypatch.setattr("hierviz.readers.file_limits.PICTURE_PIXELS", 10)
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
            Pictures.from_path(tmp_path / "bomb.png").array("bomb.png")
        one_line(raised)


def test_zips_that_are_refused(tmp_path):
    path = tmp_path / "p.zip"
    for files, words in (
        ({"../a.png": b"x"}, "leads outside"),
        ({"/etc/a.png": b"x"}, "leads outside"),
        ({"C:/a.png": b"x"}, "leads outside"),
        ({"a.txt": b"x"}, "at least one picture"),
    ):
        with pytest.raises(FileError, match=words) as raised:
            Pictures.from_path(zipped(path, files))
        one_line(raised)
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(FileError, match="a damaged one"):
        Pictures.from_path(path)
    path.write_bytes(b"PNG or so")
    with pytest.raises(FileError, match="another kind of file"):
        Pictures.from_path(path)
    with pytest.raises(FileError, match="nothing there"):
        Pictures.from_path(tmp_path / "none")


def test_damaged_entry_and_password(tmp_path, image, pictures):
    path = zipped(tmp_path / "p.zip", {"a.png": png(image, pictures[0])})
    content = bytearray(path.read_bytes())
    content[60] ^= 255
    path.write_bytes(bytes(content))
    with pytest.raises(FileError, match=r"p\.zip/a\.png"):
        Pictures.from_path(path).array("a.png")
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(content))
    with pytest.raises(FileError, match=r"p\.zip/a\.png: expected a picture, got an encrypted file"):
        Pictures.from_path(path).array("a.png")
    # One of them does not stop the others.
    found = Pictures.from_path(zipped(path, {"a.png": bytes(65 << 20), "b.png": png(image, pictures[1])}))
    with pytest.raises(FileError, match=r"p\.zip/a\.png: .*at most 64 MB, got 65 MB"):
        found.array("a.png")
    np.testing.assert_array_equal(found.array("b.png"), pictures[1])


@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_files_that_are_left_out_are_named(tmp_path, image, pictures, kind):
    content = {"2.png": png(image, pictures[0]), "10.psd": b"x", "9.JXL": b"x", "readme.txt": b"x", ".hidden": b"x"}
    if kind == "zip":
        path = zipped(tmp_path / "p.zip", content)
    else:
        path = tmp_path / "p.zip"
        path.mkdir()
        for name, data in content.items():
            (path / name).write_bytes(data)
    found = Pictures.from_path(path)
    assert found.names == ("2.png",)
    assert found.left_out == ("9.JXL", "10.psd")
    assert found.notes == (
        f"2 pictures are of another kind than {', '.join(sorted(SUFFIXES))} and were left out of p.zip: "
        "'9.JXL', '10.psd'",
        "1 file is no picture and was left out of p.zip: 'readme.txt'",
    )
    # A list of names says which pictures are meant.
    assert Pictures.from_path(path, ["2.png"]).left_out == ()
    if kind == "zip":
        with pytest.raises(FileError, match=r"got none but '9\.JXL', '10\.psd'"):
            Pictures.from_path(zipped(path, {"10.psd": b"x", "9.JXL": b"x"}))


def test_natural_order():
    names = ["b10.png", "B2.png", "10.png", "a.png", "9.png", "a/1.png"]
    assert sorted(names, key=natural_key) == ["9.png", "10.png", "a.png", "a/1.png", "B2.png", "b10.png"]


def test_strange_names(tmp_path, image, pictures):
    """Numbers of 5,000 digits, an empty name, one that is not UTF-8 and one that no file system takes."""
    digits = "1" * 5000
    assert sorted([f"{digits}2.png", "3.png", f"{digits}.png", "03.png", "20.png"], key=natural_key) == [
        *("03.png", "3.png", "20.png"),
        *(f"{digits}.png", f"{digits}2.png"),
    ]
    path = zipped(
        tmp_path / "p.zip", {f"{digits}.png": png(image, pictures[0]), "2.png": png(image, pictures[0]), "n.png": b""}
    )
    path.write_bytes(path.read_bytes().replace(b"n.png", b"\xff.png"))
    assert Pictures.from_path(path).names[:2] == ("2.png", f"{digits}.png")
    with zipfile.ZipFile(path, "a") as archive:
        entry = zipfile.ZipInfo("x")
        entry.filename = ""
        archive.writestr(entry, b"")
    assert len(Pictures.from_path(path)) == 3
    with pytest.raises(FileError, match="1 are not there: ''"):
        Pictures.from_path(path, ["2.png", ""])
    with pytest.raises(FileError, match="File name too long"):
        Pictures.from_path(tmp_path / ("x" * 300))
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("a.png", "caf\udce9.png"):
        (folder / name).write_bytes(png(image, pictures[0]))
    pictures = Pictures.from_path(folder)
    assert pictures.names == ("a.png",)
    assert pictures.notes == (r"1 picture has a name that is not UTF-8 and was left out of folder: 'caf\udce9.png'",)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_members_damaged_anywhere(tmp_path, image, pictures, method):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("a.png", png(image, pictures[0]))
    messages = []
    for at in range(0, len(file.getvalue()), 5):
        content = bytearray(file.getvalue())
        content[at : at + 4] = b"\xff" * 4
        (tmp_path / "p.zip").write_bytes(content)
        try:
            assert Pictures.from_path(tmp_path / "p.zip").array("a.png").shape == pictures[0].shape
        except FileError as error:
            messages.append(str(error))
    assert messages
    assert all(re.match(r"p\.zip.*(expected|no picture named)", one) for one in messages)


@pytest.mark.parametrize(("suffix", "kind", "near"), [("avif", "AVIF", 6), ("jp2", "JPEG2000", 0), ("heic", "HEIF", 8)])
def test_newer_formats(tmp_path, image, suffix, kind, near):
    """Read where they can be, upright; one that cannot says what it needs."""
    if kind == "HEIF":
        pytest.importorskip("pillow_heif").register_heif_opener()
    image.init()
    if kind not in image.SAVE:
        pytest.skip(f"this Pillow writes no {kind}")
    picture = np.zeros((24, 40, 3), np.uint8)
    picture[:12], picture[12:] = (200, 30, 60), (20, 120, 220)
    image.fromarray(picture).save(tmp_path / f"a.{suffix}")
    found = Pictures.from_path(tmp_path)
    assert found.left_out == ()
    assert np.abs(found.array(f"a.{suffix}").astype(int) - picture)[2:-2].mean() <= near


def test_a_picture_of_a_telephone_names_the_package(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "_formats", lambda: pictures.FORMATS)
    (tmp_path / "a.heic").write_bytes(b"\0\0\0\x18ftypheic" + bytes(50))
    with pytest.raises(
        FileError, match=r"got one in HEIF, which needs the package pillow-heif\. Run: pip install"
    ) as raised:
        Pictures.from_path(tmp_path).image("a.heic")
    one_line(raised)
