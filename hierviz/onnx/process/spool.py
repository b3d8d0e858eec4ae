"""Rows for a model on their way into its process, and its outputs on their way back, through files."""

import contextlib
import json
import os

import numpy as np

from hierviz.messages.errors import ModelError

# A chunk is on disk twice at most: one is run while the next one is written.
CHUNK_BYTES = 64 << 20
MOST_WAITING = 2


class Spool:
    """Writes blocks of rows as chunks whose length is a multiple of the batch; a context manager that closes its files.

    Parameters
    ----------
    folder : Path
    n_rows : int
    step : int
        Rows of one batch.

    Attributes
    ----------
    ready : int
        Rows in finished chunks.
    """

    def __init__(self, folder, n_rows, step):
        self.folder, self.n_rows, self.step = folder, n_rows, step
        self.ready = self.taken = self.number = 0
        self.files, self.chunk_rows, self.filled, self.ends = None, 0, 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for file in (self.files or {}).values():
            with contextlib.suppress(OSError):  # a full disk, once more
                file.file.close()

    def add(self, block):
        """Append rows: dict of input name to array; all of the same length."""
        block = {name: np.asarray(array) for name, array in block.items()}
        lengths = {len(array) for array in block.values()}
        if len(lengths) != 1:
            raise ValueError(f"a block needs equally many rows for every input, got {sorted(lengths)}")
        total, start = lengths.pop(), 0
        if self.taken + total > self.n_rows:
            raise ValueError(f"{self.n_rows} rows were announced, got more")
        while start < total:
            if self.files is None:
                self._open(block)
            rows = min(total - start, self.chunk_rows - self.filled)
            for name, array in block.items():
                self.files[name].add(array[start : start + rows])
            start, self.filled, self.taken = start + rows, self.filled + rows, self.taken + rows
            if self.filled == self.chunk_rows:
                self._close()

    def waiting(self, done):
        """Finished chunks that the model has not begun, when it has done `done` rows."""
        return sum(end > done for end in self.ends)

    def _open(self, block):
        kinds = {name: _Texts if array.dtype.kind in "OU" else _Numbers for name, array in block.items()}
        row_bytes = sum(kinds[name].row_bytes(array) for name, array in block.items())
        batches = max(1, int(CHUNK_BYTES / max(row_bytes, 1)) // self.step)
        self.chunk_rows, self.filled = min(batches * self.step, self.n_rows - self.taken), 0
        self.files = {
            name: kinds[name](self.folder, f"in-{self.number}-{at}", self.chunk_rows, array)
            for at, (name, array) in enumerate(block.items())
        }

    def _close(self):
        said = {
            "rows": self.chunk_rows,
            "last": self.taken == self.n_rows,
            "inputs": {name: file.close() for name, file in self.files.items()},
        }
        path = self.folder / f"chunk-{self.number}.json"
        path.with_suffix(".new").write_text(json.dumps(said), encoding="utf-8")
        os.replace(path.with_suffix(".new"), path)
        self.ready += self.chunk_rows
        self.ends.append(self.ready)
        self.number, self.files = self.number + 1, None


class _Numbers:
    """An .npy file that grows."""

    def __init__(self, folder, name, n_rows, first):
        self.name, self.dtype, self.tail = f"{name}.npy", first.dtype, first.shape[1:]
        self.file = open(folder / self.name, "wb")  # noqa: SIM115
        header = {"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False}
        np.lib.format.write_array_header_2_0(self.file, header | {"shape": (n_rows, *self.tail)})

    def add(self, block):
        if block.dtype != self.dtype or block.shape[1:] != self.tail:
            raise ModelError(
                f"inputs: expected rows like the first ones ({self.dtype} {self.tail}), "
                f"got {block.dtype} {block.shape[1:]}. Bring them into one shape."
            )
        if block.size:
            self.file.write(memoryview(np.ascontiguousarray(block)).cast("B"))

    def close(self):
        self.file.close()
        return {"file": self.name, "ends": None, "tail": list(self.tail)}

    @staticmethod
    def row_bytes(block):
        return block.nbytes / max(len(block), 1)


class _Texts:
    """UTF-8 one behind the other: memory and disk grow with the text, not with the longest one times the rows."""

    def __init__(self, folder, name, n_rows, first):
        self.folder, self.name, self.tail, self.at, self.ends = folder, name, first.shape[1:], 0, []
        self.file = open(folder / f"{name}.bin", "wb")  # noqa: SIM115

    def add(self, block):
        texts = block.ravel().tolist()
        if block.shape[1:] != self.tail or not all(isinstance(text, str) for text in texts):
            raise ModelError(
                "inputs: expected texts of one shape, got other values among them. Check the text columns."
            )
        raw = [text.encode("utf-8", "surrogatepass") for text in texts]
        self.ends.append(self.at + np.cumsum([len(encoded) for encoded in raw], dtype=np.int64))
        self.at += sum(len(encoded) for encoded in raw)
        self.file.write(b"".join(raw))

    def close(self):
        self.file.close()
        np.save(self.folder / f"{self.name}.npy", np.concatenate(self.ends))
        return {"file": f"{self.name}.bin", "ends": f"{self.name}.npy", "tail": list(self.tail)}

    @staticmethod
    def row_bytes(block):
        return sum(len(str(array)) for array in block.ravel().tolist()) / max(len(block), 1)


def read_output(folder, said, n_rows, most_bytes):
    """An output that the model's process wrote: never a pickle, and only after its size is checked.

    Parameters
    ----------
    folder : Path
    said : dict
        What the verdict says about it: `file`.
    n_rows : int
    most_bytes : int

    Raises
    ------
    ValueError
        If the file is not what it should be.
    """
    path = folder / os.path.basename(said["file"])
    if path.is_symlink() or path.stat().st_size > most_bytes:
        raise ValueError("an output file that is too large")
    mapped = np.load(path, mmap_mode="r", allow_pickle=False)  # checks that the file is as long as its header says
    if len(mapped) != n_rows:
        raise ValueError(f"{len(mapped)} rows for {n_rows}")
    return np.array(mapped)
