"""Named pictures from a folder, a zip or a single file, decoded one at a time when asked for.

Conventions
-----------
A name is the path inside the folder or zip with forward slashes. An array is (height, width, 3) of uint8, RGB, upright
(EXIF orientation applied), transparency laid on white, the first frame of an animation. Nothing is ever unpacked to disk.
"""

from __future__ import annotations

import contextlib
import io
import re
import zipfile
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path, PurePosixPath

import numpy as np

from hierviz.messages.errors import FileError, listed, near_miss
from hierviz.messages.extras import require
from hierviz.readers import file_limits
from hierviz.readers.file_limits import require_deflate
from hierviz.readers.picture_names import (
    SUFFIXES,
    chosen_names,
    names_in_folder,
    names_in_zip,
    natural_key,
    note_others,
    too_large,
    without_strange,
)
from hierviz.readers.sources import known_kind, translated
from hierviz.readers.temporary_files import require_file


@dataclass(frozen=True, eq=False)
class Pictures:
    """An ordered collection of named pictures. Build it with `Pictures.from_path`.

    Parameters
    ----------
    path : Path
        The folder or zip; for a single picture, its folder.
    names : tuple of str
        Pictures in order; the same one may be there twice.
    notes : tuple of str
        What was left out, in words.
    left_out : tuple of str
        Names of pictures of kinds that are not read, and of those whose names are not UTF-8.
    """

    path: Path
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    _open: dict = field(default_factory=dict, repr=False)

    @classmethod
    def from_path(cls, path, names=None):
        """Look at what is there, without decoding anything.

        Parameters
        ----------
        path : str or Path
            A folder (with everything below it), a zip, or one picture.
        names : iterable of str, optional
            Which pictures, in which order, for example the `image` column of a table. A name may leave out the folder
            or the suffix as long as only one picture fits. All pictures in natural order when absent (2 before 10).

        Raises
        ------
        FileError
            If there is no such path or no picture in it, a name is not there or fits several, or a zip is damaged, far
            larger when unpacked, or names files outside itself.
        """
        path = Path(path)
        require_file(path)
        others, notes = [], []
        with translated(path.name, path=path):
            is_folder, is_there = path.is_dir(), path.exists()
        if is_folder:
            picture_names, others = names_in_folder(path)
        elif not is_there:
            raise FileError(f"{path}: expected a folder or zip of pictures, got nothing there. Check the path.")
        elif _is_zip(path):
            picture_names, others = names_in_zip(path)
        elif path.suffix.lower() in SUFFIXES:
            picture_names, path = [path.name], path.parent
        else:
            raise FileError(
                f"{path.name}: expected a folder, a zip or a picture ({', '.join(sorted(SUFFIXES))}), "
                f"got another kind of file. Pack the pictures into a zip."
            )
        if not picture_names:
            instead = f" but {listed(sorted(others, key=natural_key))}" if others else ""
            raise FileError(
                f"{path.name}: expected at least one picture ({', '.join(sorted(SUFFIXES))}), got none{instead}. "
                "Check that this is the right folder or zip."
            )
        picture_names, strange = without_strange(path, sorted(picture_names, key=natural_key), notes)
        if not picture_names:
            raise FileError(
                f"{path.name}: expected pictures whose names are UTF-8, got {listed(strange)}. Give them other names."
            )
        if names is not None:
            return cls(path, tuple(chosen_names(path, picture_names, names)))
        left_out = note_others(path, others, notes)
        return cls(path, tuple(picture_names), tuple(notes), (*left_out, *strange))

    def __len__(self):
        return len(self.names)

    def __repr__(self):
        return f"<Pictures: {len(self)} in {self.path.name}>"

    def __getstate__(self):
        return {**self.__dict__, "_open": {}}

    @cached_property
    def stems(self):
        """File names without folder and suffix; whole names when two pictures share a stem. Shape (n_pictures,)."""
        stems = [PurePosixPath(name).stem for name in self.names]
        return tuple(stems) if len(set(stems)) == len(set(self.names)) else self.names

    def bytes(self, name):
        """The file of a picture as it is.

        Raises
        ------
        FileError
            If there is no picture of that name, or it cannot be read, is encrypted or larger than `file_limits.PICTURE_BYTES`.
        """
        if name not in self._known:
            raise FileError(f"{self.path.name}: no picture named {name!r}.{near_miss(str(name), self._known)}")
        try:
            if self.path.is_dir():
                file = self.path / name
                if file.stat().st_size > file_limits.PICTURE_BYTES:
                    raise FileError(too_large(f"{self.path.name}/{name}", file.stat().st_size))
                return file.read_bytes()
            entry = self._zip.getinfo(name)
            if entry.file_size > file_limits.PICTURE_BYTES:
                raise FileError(too_large(f"{self.path.name}/{name}", entry.file_size, entry.compress_size))
            if entry.flag_bits & 1:
                raise FileError(
                    f"{self.path.name}/{name}: expected a picture, got an encrypted file. Pack the folder again without a "
                    "password."
                )
            require_deflate(f"{self.path.name}/{name}", [entry])
            return self._zip.read(name)
        except FileError:
            raise
        except Exception as error:  # zipfile raises anything from struct.error to lzma.LZMAError on damaged members
            raise FileError(
                f"{self.path.name}/{name}: expected a picture, got a file that cannot be read ({foreign_words(error)}). "
                "Pack or copy it again."
            ) from None

    def image(self, name):
        """A picture as a PIL.Image.Image, RGB.

        Raises
        ------
        FileError
            If the file is no picture of the accepted kinds, is damaged, or has more than 64 million pixels.
        """
        return decode(self.bytes(name), f"{self.path.name}/{name}")

    def array(self, name):
        """A picture as an array of uint8, shape (height, width, 3); FileError as `image`."""
        return np.array(self.image(name), dtype=np.uint8)

    def png(self, name, most=None):
        """A picture as PNG bytes for a screen, reduced to at most `most` pixels a side with its proportions kept."""
        image, made = self.image(name), io.BytesIO()
        if most is not None and max(image.size) > most:
            image.thumbnail((most, most))
        image.save(made, "PNG")
        return made.getvalue()

    @cached_property
    def _known(self):
        return frozenset(self.names)

    @property
    def _zip(self):
        if "zip" not in self._open:
            self._open["zip"] = zipfile.ZipFile(self.path)
        return self._open["zip"]


def _is_zip(path):
    with translated(path.name, path=path), open(path, "rb") as file:
        return file.read(2) == b"PK"


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

    # Before the orientation is asked for: Pillow turns TIFF itself, and PNG may have it behind the picture.
    image.load()
    try:
        turn = _TURNS.get(image.getexif().get(0x0112))
    except Exception:  # a damaged EXIF block does not make the picture unreadable
        turn = None
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
