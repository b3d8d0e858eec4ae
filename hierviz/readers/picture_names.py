"""Which pictures a folder or zip holds, what they are called, and which of them a list of names means.

A name is the path inside the folder or zip with forward slashes.
"""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path, PurePosixPath

from hierviz.errors import FileError, listed, near_miss, printable
from hierviz.readers import limits
from hierviz.readers.unpacking import require_deflate

SUFFIXES = {".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff"}


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
    parts = PurePosixPath(name).parts
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in parts)
    return not hidden and PurePosixPath(name).suffix.lower() in SUFFIXES


def is_unicode(text):
    """False for text with halves of characters."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def leads_outside(name):
    """True for an absolute name and one that climbs up."""
    return name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name) or re.match(r"[A-Za-z]:", name) is not None


def plain_name(text):
    """A name as somebody wrote it, with forward slashes and without ``./``."""
    return re.sub(r"^(\./)+", "", str(text).strip().replace("\\", "/"))


def picture_stem(name):
    """The name of a picture without folder and suffix; any other text as it is."""
    path = PurePosixPath(plain_name(name))
    return path.stem if path.suffix.lower() in SUFFIXES else name


def names_in_folder(path, notes):
    """Pictures in a folder and below; `notes` grows by what was left out."""
    found, others, strange = [], 0, []
    for folder, folders, files in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__MACOSX"]
        inside = Path(folder).relative_to(path)
        names = [(inside / name).as_posix() for name in files if not name.startswith(".")]
        pictures = [name for name in names if is_picture(name)]
        others += len(names) - len(pictures)
        # Half a character, as a name that is not UTF-8 has it, can be neither shown nor written.
        strange += [name for name in pictures if not is_unicode(name)]
        found += [name for name in pictures if is_unicode(name)]
    if strange:
        where = printable(path.name)
        notes.append(
            f"{len(strange)} pictures in {where} have names that are not UTF-8 and were left out: {listed(strange)}"
        )
    if others:
        notes.append(f"{others} files in {path.name} are no pictures and were left out")
    return found


def names_in_zip(path, notes):
    """Pictures in a zip; FileError when it is damaged, encrypted, far too large or leads outside itself."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
    except Exception as error:  # zipfile raises anything from struct.error to UnicodeDecodeError on damaged ones
        raise FileError(
            f"{path.name}: expected a zip of pictures, got a damaged one ({error}). Pack or download it again."
        ) from None
    if len(entries) > limits.PICTURES:
        raise FileError(f"{path.name}: expected at most {limits.PICTURES:,} files, got {len(entries):,}. Split it.")
    for entry in entries:
        if leads_outside(entry.filename):
            raise FileError(
                f"{path.name}: expected names inside the zip, got {entry.filename!r}, which leads outside. Pack the folder again."
            )
    pictures = [entry for entry in entries if is_picture(entry.filename)]
    unpacked, packed = sum(entry.file_size for entry in pictures), path.stat().st_size
    limits.require_unpacked(path.name, unpacked, packed, "Unpack it into a folder.", limits.PICTURES_BYTES)
    for entry in pictures:
        where = f"{path.name}/{entry.filename}"
        if entry.flag_bits & 1:
            raise FileError(
                f"{where}: expected a picture, got an encrypted file. Pack the folder again without a password."
            )
        require_deflate(where, [entry])
        if entry.file_size > limits.PICTURE_BYTES:
            raise FileError(too_large(where, entry.file_size, entry.compress_size))
    hidden = sum(any(p.startswith(".") or p == "__MACOSX" for p in PurePosixPath(e.filename).parts) for e in entries)
    others = len(entries) - len(pictures) - hidden
    if others > 0:
        notes.append(f"{others} files in {path.name} are no pictures and were left out")
    return list(dict.fromkeys(entry.filename for entry in pictures))


def chosen_names(path, found, names):
    """Those of `found` that `names` call, with the folder or the suffix left out where only one fits."""
    exact, by_file, by_stem = set(found), {}, {}
    for name in found:
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
            f"{listed(missing)}.{near_miss(missing[0], found)} Check the column of picture names."
        )
    return chosen


def too_large(where, size, packed=None):
    """The error about a picture file of more than `limits.PICTURE_BYTES`."""
    packed = "" if packed is None else f" (packed into {packed / 2**20:.3g} MB)"
    most = limits.size_words(limits.PICTURE_BYTES)
    return f"{where}: expected a picture file of at most {most}, got {size / 2**20:.0f} MB{packed}. Save it smaller."
