"""Named pictures from a folder, a zip or a single file, decoded one at a time when asked for.

Conventions
-----------
A name is the path inside the folder or zip with forward slashes. An array is (height, width, 3) of uint8, RGB, upright
(EXIF orientation applied), transparency laid on white, the first frame of an animation. Nothing is ever unpacked to disk.
"""

from __future__ import annotations

import os
import re
import zipfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from hierviz.errors import FileError, listed, near_miss

SUFFIXES = {".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff"}
FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")

# A picture file, and a picture, larger than this is refused before it is decoded.
MOST_BYTES = 64 << 20
MOST_PIXELS = 64_000_000
# A zip with more files, or more bytes when unpacked, than this is refused.
MOST_FILES = 1_000_000
MOST_UNPACKED = 32 << 30


@dataclass(frozen=True, eq=False)
class Pictures:
    """An ordered collection of named pictures. Build it with `Pictures.open`.

    Parameters
    ----------
    path : Path
        The folder or zip; for a single picture, its folder.
    names : tuple of str
        Pictures in order; the same one may stand there twice.
    notes : tuple of str
        What was left out, in words.
    """

    path: Path
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    _open: dict = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, path, names=None):
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
            If there is no such path or no picture in it, a name is not there or fits several, or a zip is damaged,
            encrypted, far larger when unpacked, or names files outside itself.
        """
        path = Path(path)
        notes = []
        if path.is_dir():
            found = _in_folder(path, notes)
        elif not path.exists():
            raise FileError(f"{path}: expected a folder or zip of pictures, got nothing there. Check the path.")
        elif _begins(path, b"PK"):
            found = _in_zip(path, notes)
        elif path.suffix.lower() in SUFFIXES:
            found, path = [path.name], path.parent
        else:
            raise FileError(
                f"{path.name}: expected a folder, a zip or a picture ({', '.join(sorted(SUFFIXES))}), "
                f"got another kind of file. Pack the pictures into a zip."
            )
        if not found:
            raise FileError(
                f"{path.name}: expected at least one picture ({', '.join(sorted(SUFFIXES))}), got none. "
                "Check that this is the right folder or zip."
            )
        found = sorted(found, key=natural_key)
        return cls(path, tuple(found if names is None else _chosen(path, found, names)), tuple(notes))

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
            If there is no picture of that name, or it cannot be read.
        """
        import zlib

        if name not in self._known:
            raise FileError(f"{self.path.name}: no picture named {name!r}.{near_miss(str(name), self._known)}")
        try:
            if self.path.is_dir():
                file = self.path / name
                if file.stat().st_size > MOST_BYTES:
                    raise FileError(_too_large(f"{self.path.name}/{name}", file.stat().st_size))
                return file.read_bytes()
            return self._zip.read(name)
        except (OSError, RuntimeError, NotImplementedError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise FileError(
                f"{self.path.name}/{name}: expected a picture, got a file that cannot be read ({_plain(error)}). "
                "Pack or copy it again."
            ) from None

    def array(self, name, size=None):
        """A picture as an array.

        Parameters
        ----------
        name : str
        size : (height, width), optional
            The picture is stretched to this size (bilinear, averaged when it shrinks) when its own differs.

        Returns
        -------
        ndarray of uint8, shape (height, width, 3)

        Raises
        ------
        FileError
            If the file is no picture of the accepted kinds, is damaged, or has more than 64 million pixels.
        """
        import numpy as np

        return np.array(self._image(name, size), dtype=np.uint8)

    def png(self, name, most=None):
        """A picture as PNG bytes for a screen, reduced to at most `most` pixels a side with its proportions kept."""
        import io

        image, made = self._image(name, None), io.BytesIO()
        if most is not None and max(image.size) > most:
            image.thumbnail((most, most))
        image.save(made, "PNG")
        return made.getvalue()

    def _image(self, name, size):
        import io

        from PIL import Image

        where = f"{self.path.name}/{name}"
        data = self.bytes(name)
        try:
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                width, height = image.size
                if width * height > MOST_PIXELS:
                    raise FileError(
                        f"{where}: expected at most {MOST_PIXELS // 10**6} million pixels, got {width} x {height}. "
                        "Make it smaller."
                    )
                image = _as_rgb(image)
        except FileError:
            raise
        except Exception as error:  # Pillow's decoders raise anything from SyntaxError to struct.error
            if "DecompressionBomb" in type(error).__name__:
                raise FileError(
                    f"{where}: expected at most {MOST_PIXELS // 10**6} million pixels, got far more. Make it smaller."
                ) from None
            raise FileError(
                f"{where}: expected a picture ({', '.join(FORMATS)}), got {_kind_of_bytes(data)} ({_plain(error)}). "
                "Save it again or leave it out."
            ) from None
        if size is not None and image.size != (size[1], size[0]):
            image = image.resize((int(size[1]), int(size[0])), Image.Resampling.BILINEAR)
        return image

    @cached_property
    def _known(self):
        return frozenset(self.names)

    @property
    def _zip(self):
        if "zip" not in self._open:
            self._open["zip"] = zipfile.ZipFile(self.path)
        return self._open["zip"]


def natural_key(name):
    """Sort key that puts 2 before 10 and does not mind case."""
    parts = re.split(r"(\d+)", name.casefold())
    return [(int(part), "") if i % 2 else (-1, part) for i, part in enumerate(parts)], name


def _is_picture(name):
    parts = PurePosixPath(name).parts
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in parts)
    return not hidden and PurePosixPath(name).suffix.lower() in SUFFIXES


def _in_folder(path, notes):
    found, others = [], 0
    for folder, folders, files in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__MACOSX"]
        inside = Path(folder).relative_to(path)
        names = [(inside / name).as_posix() for name in files if not name.startswith(".")]
        pictures = [name for name in names if _is_picture(name)]
        found += pictures
        others += len(names) - len(pictures)
    if others:
        notes.append(f"{others} files in {path.name} are no pictures and were left out")
    return found


def _in_zip(path, notes):
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise FileError(
            f"{path.name}: expected a zip of pictures, got a damaged one ({_plain(error)}). Pack or download it again."
        ) from None
    unpacked = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_FILES or unpacked > MOST_UNPACKED:
        raise FileError(
            f"{path.name}: expected at most {MOST_FILES} files and {MOST_UNPACKED >> 30} GB when unpacked, "
            f"got {len(entries)} files and {unpacked / 2**30:.1f} GB. Split it."
        )
    for entry in entries:
        if _leads_outside(entry.filename):
            raise FileError(
                f"{path.name}: expected names inside the zip, got {entry.filename!r}, which leads outside. Pack the folder again."
            )
    pictures = [entry for entry in entries if _is_picture(entry.filename)]
    for entry in pictures:
        where = f"{path.name}/{entry.filename}"
        if entry.flag_bits & 1:
            raise FileError(
                f"{where}: expected a picture, got an encrypted file. Pack the folder again without a password."
            )
        if entry.file_size > MOST_BYTES:
            raise FileError(_too_large(where, entry.file_size, entry.compress_size))
    hidden = sum(any(p.startswith(".") or p == "__MACOSX" for p in PurePosixPath(e.filename).parts) for e in entries)
    others = len(entries) - len(pictures) - hidden
    if others > 0:
        notes.append(f"{others} files in {path.name} are no pictures and were left out")
    return list(dict.fromkeys(entry.filename for entry in pictures))


def _leads_outside(name):
    return name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name) or re.match(r"[A-Za-z]:", name) is not None


def _chosen(path, found, names):
    """The pictures of `found` that `names` call, with the folder or the suffix left out where only one fits."""
    exact, by_file, by_stem = set(found), {}, {}
    for name in found:
        by_file.setdefault(PurePosixPath(name).name, []).append(name)
        by_stem.setdefault(PurePosixPath(name).stem, []).append(name)
    chosen, missing = [], []
    for name in names:
        name = str(name)
        plain = re.sub(r"^(\./)+", "", name.strip().replace("\\", "/"))
        fits = [plain] if plain in exact else by_file.get(PurePosixPath(plain).name) or by_stem.get(plain) or []
        if len(fits) > 1:
            raise FileError(
                f"{path.name}: expected one picture called {name!r}, got {len(fits)}: {listed(fits)}. Write the folder too."
            )
        chosen += fits
        if not fits:
            missing.append(name)
    if missing:
        raise FileError(
            f"{path.name}: expected {len(chosen) + len(missing)} named pictures, {len(missing)} are not there: "
            f"{listed(missing)}.{near_miss(missing[0], found)} Check the column of picture names."
        )
    return chosen


def _as_rgb(image):
    """The first frame, upright, on white, as an RGB image with 8 bits a channel."""
    import numpy as np
    from PIL import Image

    try:
        turn = _TURNS.get(image.getexif().get(0x0112))
    except Exception:  # a damaged EXIF block does not make the picture unreadable
        turn = None
    image.load()
    if turn is not None:
        image = image.transpose(turn)
    if image.mode.startswith("I"):  # 16 bits of grey, which convert() would cut off at 255
        grey = np.clip(np.asarray(image, dtype=np.float64) / 257, 0, 255)
        image = Image.fromarray(np.rint(grey).astype(np.uint8))
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    if image.mode == "F":
        raise ValueError("floating-point grey without a known range")
    return image.convert("RGB")


# EXIF orientation -> number of Pillow's Image.Transpose
_TURNS = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}


def _too_large(where, size, packed=None):
    packed = "" if packed is None else f" (packed into {packed / 2**20:.3g} MB)"
    most = f"{MOST_BYTES >> 20} MB"
    return f"{where}: expected a picture file of at most {most}, got {size / 2**20:.0f} MB{packed}. Save it smaller."


def _kind_of_bytes(data):
    if not data:
        return "an empty file"
    if data.startswith(b"version https://git-lfs"):
        return "a git-lfs pointer"
    if data.lstrip()[:1] == b"<":
        return "a web page or other markup"
    return "something else or a damaged one"


def _begins(path, start):
    try:
        with open(path, "rb") as file:
            return file.read(len(start)) == start
    except OSError as error:
        raise FileError(f"{path}: expected a readable file, got {_plain(error)}. Check its permissions.") from None


def _plain(error):
    """The message of a foreign exception on one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    text = re.sub(r"<_io\.BytesIO object at 0x[0-9a-f]+>", "it", text)
    return text[:160].rstrip(".")
