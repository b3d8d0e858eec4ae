"""Pictures of all modes that files have, against Pillow's own conversion."""

import io
import struct
import zlib

import numpy as np
import pytest

from hierviz.readers.pictures import decode

Image, ImageOps = pytest.importorskip("PIL.Image"), pytest.importorskip("PIL.ImageOps")
COLOURS = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)


def by_pillow(data):
    """Upright and in RGB as Pillow makes it, what is transparent on white."""
    image = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image)
    return np.asarray(image.convert("RGB"))


def saved(image, kind, **how):
    made = io.BytesIO()
    image.save(made, kind, **how)
    return made.getvalue()


def deep_png(values, colour_type):
    """A PNG of 16 bits a channel, which Pillow reads and does not write: (height, width, channels) of uint16."""

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    height, width, _ = values.shape
    lines = b"".join(b"\0" + line.astype(">u2").tobytes() for line in values)
    head = struct.pack(">IIBBBBB", width, height, 16, colour_type, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


RGB = Image.fromarray(COLOURS)
WITH_HOLES = Image.fromarray(np.dstack([COLOURS, COLOURS[..., 0]]))
DEEP = np.random.default_rng(1).integers(0, 65536, (5, 7, 4), dtype=np.uint16)
FILES = {
    "CMYK JPEG": lambda: saved(RGB.convert("CMYK"), "JPEG", quality=95),
    "CMYK TIFF": lambda: saved(RGB.convert("CMYK"), "TIFF"),
    "YCbCr TIFF": lambda: saved(RGB.convert("YCbCr"), "TIFF"),
    "grey JPEG": lambda: saved(RGB.convert("L"), "JPEG"),
    "black and white": lambda: saved(RGB.convert("1"), "PNG"),
    "grey with holes": lambda: saved(WITH_HOLES.convert("LA"), "PNG"),
    "with holes": lambda: saved(WITH_HOLES, "PNG"),
    "WebP with holes": lambda: saved(WITH_HOLES, "WEBP", lossless=True),
    "palette": lambda: saved(RGB.quantize(8), "PNG"),
    "palette with a hole": lambda: saved(RGB.quantize(8), "PNG", transparency=3),
    "palette with shades": lambda: saved(RGB.quantize(8), "PNG", transparency=bytes(range(0, 256, 32))),
    "GIF": lambda: saved(RGB.quantize(8), "GIF"),
    "a colour that is a hole": lambda: saved(RGB, "PNG", transparency=tuple(COLOURS[0, 0].tolist())),
    "16 bits": lambda: deep_png(DEEP[..., :3], 2),
    "16 bits with holes": lambda: deep_png(DEEP, 6),
}


@pytest.mark.parametrize("name", FILES)
def test_modes(name):
    data = FILES[name]()
    np.testing.assert_array_equal(np.asarray(decode(data, name)), by_pillow(data))


@pytest.mark.parametrize("kind", ["TIFF", "PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientations(kind, orientation):
    """Pillow turns TIFF while it loads: once is enough."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = saved(RGB, kind, exif=exif, **({"lossless": True} if kind == "WEBP" else {}))
    np.testing.assert_array_equal(np.asarray(decode(data, kind)), by_pillow(data))


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
@pytest.mark.parametrize("orientation", [1, 6])
def test_grey_of_16_bits(kind, orientation):
    """Pillow's conversion cuts off at 255; here 65535 is white, and each value is rounded."""
    deep = DEEP[..., 0].copy()
    deep[0, :3] = 0, 65535, 32896  # 128 * 257
    exif = Image.Exif()
    exif[0x0112] = orientation
    found = np.asarray(decode(saved(Image.fromarray(deep), kind, exif=exif), kind))
    wanted = np.rint(deep / 257).astype(np.uint8)
    wanted = wanted if orientation == 1 else np.rot90(wanted, -1)
    for channel in range(3):
        np.testing.assert_array_equal(found[..., channel], wanted)
