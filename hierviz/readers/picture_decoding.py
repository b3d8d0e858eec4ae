"""One picture file into an image: RGB, upright (EXIF orientation applied), transparency laid on white, the first frame."""

from __future__ import annotations

import contextlib
import io
import re
from functools import cache
from pathlib import PurePosixPath

import numpy as np

from hierviz.messages.errors import FileError
from hierviz.messages.extras import require
from hierviz.readers import file_limits
from hierviz.readers.sources import known_kind

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")
# Read where this Pillow has a decoder; HEIF where the package pillow-heif is installed.
MORE_FORMATS = ("AVIF", "JPEG2000", "HEIF")
_HEIF_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1")

# EXIF orientation -> number of Pillow's Image.Transpose
_EIGHT_BITS = np.rint(np.arange(65536) / 257).astype(np.uint8)
_TURNS = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}


def decode(data, where):
    """A picture file as an image.

    Parameters
    ----------
    data : bytes
    where : str
        What errors call the file.

    Returns
    -------
    PIL.Image.Image
        RGB, 8 bits a channel, upright.

    Raises
    ------
    FileError
        If it is no picture of the accepted kinds, is damaged, or has more than `file_limits.PICTURE_PIXELS`.
    """
    require(where, "onnx", "PIL")
    from PIL import Image

    most = f"at most {file_limits.PICTURE_PIXELS // 10**6} million pixels"
    try:
        with Image.open(io.BytesIO(data), formats=_formats()) as image:
            width, height = image.size
            if width * height > file_limits.PICTURE_PIXELS:
                raise FileError(f"{where}: expected {most}, got {width} x {height}. Make it smaller.")
            return _as_rgb(image)
    except FileError:
        raise
    except Exception as error:  # Pillow's decoders raise anything from SyntaxError to struct.error
        if "DecompressionBomb" in type(error).__name__:
            raise FileError(f"{where}: expected {most}, got far more. Make it smaller.") from None
        if data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS and "HEIF" not in _formats():
            raise FileError(
                f"{where}: expected a picture ({', '.join(_formats())}), got one in HEIF, which needs the package pillow-heif. "
                "Run: pip install pillow-heif; or save it as JPEG."
            ) from None
        kind = known_kind(data, PurePosixPath(where))
        if kind is None or "picture" in kind:
            kind = "something else or a damaged one"
        raise FileError(
            f"{where}: expected a picture ({', '.join(_formats())}), got {kind} ({foreign_words(error)}). "
            "Save it again or leave it out."
        ) from None


@cache
def _formats():
    """The formats that can be read here."""
    from PIL import Image

    with contextlib.suppress(ImportError):
        from pillow_heif import register_heif_opener

        register_heif_opener()
    Image.init()
    return (*FORMATS, *(kind for kind in MORE_FORMATS if kind in Image.OPEN))


def _as_rgb(image):
    """The first frame, upright, on white, as an RGB image with 8 bits a channel."""
    from PIL import Image

    try:
        turn = _TURNS.get(image.getexif().get(0x0112))
    except Exception:  # a damaged EXIF block does not make the picture unreadable
        turn = None
    image.load()
    if turn is not None:
        image = image.transpose(turn)
    if image.mode.startswith("I"):  # 16 bits of grey, which convert() would cut off at 255
        # By a table: fractions would take many times the memory of the picture.
        image = Image.fromarray(_EIGHT_BITS[np.clip(np.asarray(image), 0, 65535)])
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        image = image if image.mode == "RGBA" else image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    if image.mode == "F":
        raise ValueError("floating-point grey without a known range")
    return image.convert("RGB")


def foreign_words(error):
    """The message of a foreign exception on one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    text = re.sub(r"<_io\.BytesIO object at 0x[0-9a-f]+>", "it", text)
    return text[:160].rstrip(".")
