"""Which pictures a folder or zip holds, what they are called, and which of them a list of names means.

A name is the path inside the folder or zip with forward slashes.
"""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path, PurePosixPath

from hierviz.messages.errors import FileError, listed, near_miss, printable
from hierviz.readers import file_limits

SUFFIXES = {".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff"} | {
    *(".avif", ".jp2", ".j2k", ".jpx", ".jfif", ".jpe"),
    *(".heic", ".heif"),
}
# Pictures that are not read.
FOREIGN_SUFFIXES = frozenset(
    (".jxl", ".svg", ".psd", ".ico", ".ppm", ".pgm")
    + (".pbm", ".pnm", ".tga", ".dds", ".exr", ".hdr", ".dng", ".cr2", ".cr3", ".nef", ".arw", ".raw", ".eps", ".pcx")
)

MOST_NAMED = 10


def natural_key(name):
    """Sort key that puts 2 before 10 and does not mind case."""
    parts = re.split(r"(\d+)", name.casefold())
    # Of two numbers the one with more digits is larger, however many they are.
    numbers = [part.lstrip("0") for part in parts[1::2]]
    parts[1::2] = [(len(number), number) for number in numbers]
    parts[::2] = [(-1, part) for part in parts[::2]]
    return parts, name


def is_picture(name):
    """True when the suffix is one of `SUFFIXES` and nothing on the way is hidden."""
    return not _is_hidden(name) and PurePosixPath(name).suffix.lower() in SUFFIXES


def _is_hidden(name):
    return any(part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(name).parts)


def is_unicode(text):
    """False for text with halves of characters."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def leads_outside(name):
    """True for an absolute name and one that climbs up."""
    return name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name) or re.match(r"[A-Za-z]:", name) is not None


def plain_name(text):
    """A name as written, with forward slashes and without ``./``."""
    return re.sub(r"^(\./)+", "", str(text).strip().replace("\\", "/"))


def picture_stem(name):
    """The name of a picture without folder and suffix; any other text as it is."""
    path = PurePosixPath(plain_name(name))
    return path.stem if path.suffix.lower() in SUFFIXES else name


def note_others(path, others, notes):
    """Names of the pictures of other kinds among files that are not read; `notes` grows by all of them."""
    others = sorted(others, key=natural_key)
    foreign = [name for name in others if PurePosixPath(name).suffix.lower() in FOREIGN_SUFFIXES]
    rest = [name for name in others if name not in set(foreign)]
    if foreign:
        is_one = len(foreign) == 1
        notes.append(
            f"{len(foreign):,} picture{' is' if is_one else 's are'} of another kind than {', '.join(sorted(SUFFIXES))} and "
            f"{'was' if is_one else 'were'} left out of {path.name}: {listed(foreign, MOST_NAMED)}"
        )
    if rest:
        are = "file is no picture and was" if len(rest) == 1 else "files are no pictures and were"
        notes.append(f"{len(rest):,} {are} left out of {path.name}: {listed(rest, MOST_NAMED)}")
    return foreign


def without_strange(path, picture_names, notes):
    """Those pictures whose names are UTF-8: other names can be neither shown nor written.

    `notes` grows by the others.
    """
    strange = [name for name in picture_names if not is_unicode(name)]
    if strange:
        has = (
            "picture has a name that is not UTF-8 and was"
            if len(strange) == 1
            else "pictures have names that are not UTF-8 and were"
        )
        notes.append(f"{len(strange):,} {has} left out of {printable(path.name)}: {listed(strange, MOST_NAMED)}")
    return [name for name in picture_names if is_unicode(name)], strange


def names_in_folder(path):
    """(pictures in a folder and below, other files that are not hidden)."""
    picture_names, others = [], []
    for folder, folders, files in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__MACOSX"]
        inside = Path(folder).relative_to(path)
        names = [(inside / name).as_posix() for name in files if not name.startswith(".")]
        pictures = [name for name in names if is_picture(name)]
        picture_names += pictures
        others += [name for name in names if not is_picture(name)]
    return picture_names, others


def names_in_zip(path):
    """(pictures in a zip, other files that are not hidden); FileError when it is damaged, far too large or leads outside
    itself."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
    except Exception as error:  # zipfile raises anything from struct.error to UnicodeDecodeError on damaged ones
        raise FileError(
            f"{path.name}: expected a zip of pictures, got a damaged one ({error}). Pack or download it again."
        ) from None
    if len(entries) > file_limits.PICTURES:
        raise FileError(
            f"{path.name}: expected at most {file_limits.PICTURES:,} files, got {len(entries):,}. Split it."
        )
    for entry in entries:
        if leads_outside(entry.filename):
            raise FileError(
                f"{path.name}: expected names inside the zip, got {entry.filename!r}, which leads outside. Pack the folder again."
            )
    pictures = [entry for entry in entries if is_picture(entry.filename)]
    unpacked, packed = sum(entry.file_size for entry in pictures), path.stat().st_size
    file_limits.require_unpacked(path.name, unpacked, packed, "Unpack it into a folder.", file_limits.PICTURES_BYTES)
    names = dict.fromkeys(entry.filename for entry in entries)
    pictures = [name for name in names if is_picture(name)]
    return pictures, [name for name in names if not is_picture(name) and not _is_hidden(name)]


def chosen_names(path, picture_names, names):
    """Those of `picture_names` that `names` call, with the folder or the suffix left out where only one fits."""
    exact, by_file, by_stem = set(picture_names), {}, {}
    for name in picture_names:
        by_file.setdefault(PurePosixPath(name).name, []).append(name)
        by_stem.setdefault(PurePosixPath(name).stem, []).append(name)
    chosen, missing = [], []
    for name in names:
        name, plain = str(name), plain_name(name)
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
            f"{listed(missing)}.{near_miss(missing[0], picture_names)} Check the column of picture names."
        )
    return chosen


def too_large(where, size, packed=None):
    """The error about a picture file of more than `file_limits.PICTURE_BYTES`."""
    packed = "" if packed is None else f" (packed into {packed / 2**20:.3g} MB)"
    most = file_limits.size_words(file_limits.PICTURE_BYTES)
    return f"{where}: expected a picture file of at most {most}, got {size / 2**20:.0f} MB{packed}. Save it smaller."
