"""The three series of drawn pictures, and the files of `assets/demo`."""

import csv
import hashlib
import io
import tempfile
import zipfile
from dataclasses import astuple, fields
from pathlib import Path

import numpy as np
import PIL.Image
from drawing import KINDS, ROOT, Conditions, draw_picture, edges

# name: (seed, first picture number, pictures, difficulty)
ARCHIVE = ("archive", 2026, 1, 6000, 0.6)
EXAMPLES = ("examples", 22, 1, 600, 1.4)
FIELD = ("field", 7, 1, 2400, 1.4)


def draw_series(series, cache=None):
    """Pictures, uint8 (n, 64, 64, 3), and their Conditions, a list of n; kinds take turns.

    Parameters
    ----------
    series : tuple
        One of the series above.
    cache : Path, optional
        Folder that keeps drawn pictures; the system's temporary folder when None.
    """
    name, seed, first, n, difficulty = series
    folder = Path(cache or Path(tempfile.gettempdir()) / "hierviz-demo")
    path = folder / f"{name}-{seed}-{n}-{difficulty}-{_version()}.npz"
    if path.exists():
        with np.load(path, allow_pickle=False) as stored:
            rows = [
                Conditions(*row[:4], *(value == "yes" for value in row[4:])) for row in stored["conditions"].tolist()
            ]
            return stored["pictures"], rows
    kinds = list(KINDS)
    drawn = [
        draw_picture(kinds[(index - 1) % len(kinds)], seed, index, difficulty) for index in range(first, first + n)
    ]
    pictures, conditions = np.stack([np.asarray(image) for image, _ in drawn]), [row for _, row in drawn]
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, pictures=pictures, conditions=np.array([_as_text(row) for row in conditions]))
    return pictures, conditions


def _version():
    """Changes with the drawing program and with Pillow."""
    source = b"".join(file.read_bytes() for file in sorted((Path(__file__).parent / "drawing").glob("*.py")))
    return hashlib.sha256(source + PIL.__version__.encode()).hexdigest()[:12]


def _as_text(row):
    return [("yes" if value else "no") if isinstance(value, bool) else value for value in astuple(row)]


def train_counts():
    """How many training pictures show each class or one below it: dict of name to count; kinds take turns."""
    kinds, parent = list(KINDS), {child: above for above, child in edges()}
    _, _, first, n, _ = ARCHIVE
    counts = dict.fromkeys((ROOT, *parent), 0)
    for index in range(first, first + n):
        name = kinds[(index - 1) % len(kinds)]
        while name is not None:
            counts[name] += 1
            name = parent.get(name)
    return counts


def write_examples(folder, pictures, conditions):
    """Write taxonomy.csv, nodes.csv, examples.csv and pictures.zip; the same pictures give the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_csv(folder / "taxonomy.csv", [("parent", "child"), *edges()])
    _write_csv(folder / "nodes.csv", [("node", "train_count"), *train_counts().items()])
    header = [field.name for field in fields(Conditions)]
    rows, ids = [("sample_id", header[0], "image", *header[1:])], [f"v{k:04d}" for k in range(1, len(pictures) + 1)]
    with zipfile.ZipFile(folder / "pictures.zip", "w", zipfile.ZIP_STORED) as archive:
        for sample, picture, row in zip(ids, pictures, conditions):
            truth, *rest = _as_text(row)
            rows.append((sample, truth, f"{sample}.webp", *rest))
            # The same pixels as in a PNG, in a fifth less.
            stored = io.BytesIO()
            PIL.Image.fromarray(picture).save(stored, "WEBP", lossless=True, quality=100, method=6, exact=True)
            entry = zipfile.ZipInfo(f"{sample}.webp", date_time=(2026, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            archive.writestr(entry, stored.getvalue())
    _write_csv(folder / "examples.csv", rows)


def read_examples(folder):
    """Pictures of the committed examples, uint8 (n, 64, 64, 3), and their rows as dicts of text.

    Models are measured on the committed pictures: another version of Pillow draws some of them a little differently.
    """
    with open(folder / "examples.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with zipfile.ZipFile(folder / "pictures.zip") as archive:
        pictures = [np.asarray(PIL.Image.open(io.BytesIO(archive.read(row["image"])))) for row in rows]
    return np.stack(pictures), rows


def _write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
