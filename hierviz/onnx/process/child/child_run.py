"""Run a loaded model on rows that the parent writes, chunk by chunk, and write its outputs.

Chunk k is announced by `chunk-<k>.json`: {"rows":, "last":, "inputs": {name: {"file":, "ends":, "tail":}}}. A numeric input
is an .npy file; text is its UTF-8 bytes, in one file, with the end of each in another.
"""

import json
import os
import time

import numpy as np
from child_refused import Refused

PROGRESS_SECONDS = 0.1
WAIT_SECONDS = 0.002
LONGEST_WAIT = 3600


def run(job, session):
    """Outputs of all rows; -> what the verdict says about them."""
    wanted = job.wanted
    names, step = wanted["outputs"], wanted["step"]
    written = {name: _Output(job, at, name) for at, name in enumerate(names)}
    job.stage = "run"
    with open(job.path("progress"), "w") as progress:
        _tell(progress, 0)
        done, told, number, last, running = 0, time.monotonic(), 0, False, 0.0
        job.allow_more_time()
        while not last:
            chunk = _wait_for(job, f"chunk-{number}.json")
            since = time.monotonic()
            feeds = {name: _Input(job, entry, chunk["rows"]) for name, entry in chunk["inputs"].items()}
            for start in range(0, chunk["rows"], step):
                rows = min(step, chunk["rows"] - start)
                made = session.run(names, {name: feed.rows(start, rows, step) for name, feed in feeds.items()})
                for name, value in zip(names, made):
                    written[name].add(value, step, rows)
                done += rows
                if time.monotonic() - told > PROGRESS_SECONDS:
                    told = time.monotonic()
                    _tell(progress, done)
                    job.allow_more_time()
            for feed in feeds.values():
                feed.close()
            _tell(progress, done)
            number, last, running = number + 1, chunk["last"], running + time.monotonic() - since
    job.stage = "write"
    return {"values": {name: output.close() for name, output in written.items()}, "run_seconds": running}


def _tell(file, done):
    file.seek(0)
    file.write(f"{done:020d}")
    file.flush()


def _wait_for(job, name):
    path, parent, since = job.path(name), os.getppid(), time.monotonic()
    while not os.path.exists(path):
        if os.getppid() != parent or time.monotonic() - since > LONGEST_WAIT:  # nobody is there to write it
            os._exit(1)
        time.sleep(WAIT_SECONDS)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class _Input:
    """Rows of one input in one chunk."""

    def __init__(self, job, said, n_rows):
        self.files = [job.path(said["file"])]
        self.ends = None
        if said["ends"] is None:
            self.values = np.load(self.files[0], mmap_mode="r", allow_pickle=False)
            return
        self.files.append(job.path(said["ends"]))
        self.ends = np.load(self.files[1], allow_pickle=False).reshape(n_rows, -1)
        self.tail = said["tail"]
        with open(self.files[0], "rb") as file:
            self.values = file.read()

    def rows(self, start, rows, step):
        """`step` rows from `start`: copies of the first fill up."""
        if self.ends is None:
            block = np.asarray(self.values[start : start + rows])
        else:
            ends = self.ends[start : start + rows].ravel().tolist()
            begin = int(self.ends[start - 1, -1]) if start and self.ends.size else 0
            texts = [self.values[a:b].decode("utf-8", "surrogatepass") for a, b in zip([begin, *ends], ends)]
            block = np.empty(len(texts), dtype=object)
            block[:] = texts
            block = block.reshape(rows, *self.tail)
        return block if rows == step else np.concatenate([block, np.repeat(block[:1], step - rows, axis=0)])

    def close(self):
        """Forget the rows and delete their files."""
        self.values = self.ends = None
        for path in self.files:
            try:
                os.remove(path)
            except OSError:  # the parent removes the folder
                continue


class _Output:
    """One output over all rows: numbers are appended to a file, texts are kept and written at the end."""

    def __init__(self, job, at, name):
        self.path, self.file_name = job.path(f"out-{at}.npy"), f"out-{at}.npy"
        self.name, self.n_rows, self.widest = name, job.wanted["n_rows"], job.wanted["widest"]
        self.file = self.kind = self.keys = None
        self.texts = []

    def add(self, value, step, rows):
        """The first `rows` of a batch of `step`."""
        if isinstance(value, list):
            value = self._of_dicts(value)
        value = np.asarray(value)
        if value.dtype == object:
            value = value.astype(str)
        if value.ndim == 0 or len(value) != step:
            raise ValueError(
                f"output {self.name!r} of shape {value.shape} for a batch of {step}: its first axis is not the batch"
            )
        if self.widest is not None and value[0].size > self.widest:
            raise Refused(
                f"expected at most {self.widest} scores a row in output {self.name!r}, got shape {value.shape}. Is there a "
                "name for every column?"
            )
        kind = (value.shape[1:], None if value.dtype.kind == "U" else value.dtype)
        if self.kind is None:
            self.kind = kind
            if kind[1] is not None:
                self.file = open(self.path, "wb")  # noqa: SIM115
                header = {"descr": np.lib.format.dtype_to_descr(value.dtype), "fortran_order": False}
                np.lib.format.write_array_header_2_0(self.file, header | {"shape": (self.n_rows, *value.shape[1:])})
        elif kind != self.kind:
            raise ValueError(f"output {self.name!r}: rows of another shape or type {value.shape[1:]} in a later batch")
        if self.file is None:
            self.texts.append(value[:rows])
        elif value.size:
            self.file.write(memoryview(np.ascontiguousarray(value[:rows])).cast("B"))

    def close(self):
        """Finish the file; -> what the parent needs to read it."""
        if self.file is not None:
            self.file.close()
        else:
            np.save(self.path, np.concatenate(self.texts), allow_pickle=False)
        return {"file": self.file_name, "labels": None if self.keys is None else [str(key) for key in self.keys]}

    def _of_dicts(self, rows):
        if not rows or not all(isinstance(row, dict) for row in rows):
            raise ValueError(f"output {self.name!r}: neither a tensor nor a list of dicts")
        if self.keys is None:
            self.keys = sorted(rows[0])
        if any(len(row) != len(self.keys) for row in rows):
            raise ValueError(f"output {self.name!r}: rows with different labels")
        return np.array([[row[key] for key in self.keys] for row in rows], dtype=np.float32)
