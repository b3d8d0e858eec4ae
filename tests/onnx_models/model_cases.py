"""What the cases of `make_models` share: taxonomies, the folder of a case, files that a second run repeats byte for byte."""

import csv
import io
import zipfile

import numpy as np

# All leaves three steps down; alphabetical order is not the order of the tree; `brass` has an only child.
INSTRUMENTS = {
    "strings": {"bowed": ["violin", "cello"], "plucked": ["guitar", "harp", "lute"]},
    "winds": {"brass": ["horn"], "reeds": ["clarinet", "oboe"]},
}
# Leaves that are called by numbers, two steps down.
NUMBERS = {"small": ["0", "1", "2"], "large": ["3", "4"], "huge": ["5"]}


def edges(tree, parent):
    """(parent, child) pairs of nested dicts and lists, parents first."""
    made = [(parent, name) for name in tree]
    for name in tree if isinstance(tree, dict) else ():
        made += edges(tree[name], name)
    return made


TAXONOMIES = {"taxonomy.csv": edges(INSTRUMENTS, "instrument"), "numbers.csv": edges(NUMBERS, "number")}


def names_at(taxonomy, depth):
    """Names of a taxonomy's nodes at one depth, in the order of the file."""
    pairs = TAXONOMIES[taxonomy]
    level = [pairs[0][0]]
    for _ in range(depth):
        level = [child for parent, child in pairs if parent in level]
    return level


LEAVES = names_at("taxonomy.csv", 3)
NODES = [child for _, child in TAXONOMIES["taxonomy.csv"]]
DIGITS = names_at("numbers.csv", 2)

# What a case is told when its file does not name the columns, and the flag that its error has to name.
CLASSES = {"classes": "classes.txt"}
ASKS_CLASSES = {"classes": "--classes|classes="}


class Case:
    """One folder and its entry of the manifest.

    Parameters
    ----------
    folder : Path
        Of all cases.
    name, about : str
    taxonomy : str
        File name of the taxonomy.
    **entry
        `load`, what `load_model` has to be told (file names count from the folder of the case); `asks`, keywords of `load`
        without which loading or predicting must raise an error, each with the flag that the error has to name;
        `tolerance`.
    """

    def __init__(self, folder, name, about, taxonomy="taxonomy.csv", **entry):
        self.path = folder / name
        self.path.mkdir()
        self.entry = {"name": name, "about": about, "taxonomy": taxonomy, "load": {}, "asks": {}, "tolerance": 1e-5}
        self.entry |= entry

    @property
    def model(self):
        """Path of the model."""
        return self.path / "model.onnx"

    def write_text(self, name, text):
        """A small text file, such as class names."""
        (self.path / name).write_text(text, encoding="utf-8", newline="")
        return name

    def write_lines(self, name, lines):
        """One line each."""
        return self.write_text(name, "".join(f"{line}\n" for line in lines))

    def inputs_npz(self, **arrays):
        """Arrays by name of the input, and `ids`."""
        write_npz(self.path / "inputs.npz", **arrays)
        self.entry["inputs"] = "inputs.npz"

    def inputs_npy(self, array):
        """One array; rows without ids."""
        np.save(self.path / "inputs.npy", array)
        self.entry["inputs"] = "inputs.npy"

    def inputs_pictures(self, pictures, ids):
        """A zip of PNG files named by ids. pictures: uint8 (n, h, w, 3)."""
        from PIL import Image

        members = {}
        for one, picture in zip(ids, pictures, strict=True):
            made = io.BytesIO()
            Image.fromarray(picture).save(made, "PNG")
            members[f"{one}.png"] = made.getvalue()
        write_zip(self.path / "inputs.zip", members)
        self.entry["inputs"] = "inputs.zip"

    def inputs_table(self, columns, ids):
        """A CSV with the columns `sample_id` and one per input."""
        rows = zip(ids, *columns.values(), strict=True)
        write_csv(self.path / "inputs.csv", ["sample_id", *columns], rows)
        self.entry["inputs"] = "inputs.csv"

    def inputs_lines(self, texts):
        """A text file with one sample a line; rows without ids."""
        self.entry["inputs"] = self.write_lines("inputs.txt", texts)

    def finish(self, probabilities, names, ids=None, over="leaves"):
        """What the original library says.

        Parameters
        ----------
        probabilities : ndarray, shape (n_samples, n_names)
        names : list of str
            Node of each column, in the library's own order.
        ids : list of str, optional
        over : {'leaves', 'nodes'}
            'leaves': a distribution, inner nodes being sums; 'nodes': each value stands for its node alone.
        """
        p = np.asarray(probabilities, dtype=np.float64)
        write_npz(self.path / "expected.npz", probabilities=p, names=np.array(names))
        leaves = [k for k, name in enumerate(names) if name in (*LEAVES, *DIGITS)]
        best = p[:, leaves].argmax(axis=1)
        best[::4] = (best[::4] + 1) % len(leaves)  # every fourth sample is a mistake
        truth = [names[leaves[k]] for k in best]
        if ids is None:
            write_csv(self.path / "truth.csv", ["truth"], [(one,) for one in truth])
        else:
            write_csv(self.path / "truth.csv", ["sample_id", "truth"], zip(ids, truth, strict=True))
        self.entry |= {"n_samples": len(p), "over": over}
        self.entry["files"] = sorted(one.name for one in self.path.iterdir())


def write_csv(path, header, rows):
    """A CSV with a header."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def write_zip(path, members):
    """A zip of names and contents that carries no time of writing."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def write_npz(path, **arrays):
    """`np.savez_compressed` without the time of writing."""
    members = {}
    for name, array in arrays.items():
        made = io.BytesIO()
        np.save(made, np.asarray(array), allow_pickle=False)
        members[f"{name}.npy"] = made.getvalue()
    write_zip(path, members)
