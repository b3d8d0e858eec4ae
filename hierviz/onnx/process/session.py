"""A foreign ONNX model in processes of its own: what it is, and its outputs for rows.

The app's process opens neither the model nor onnxruntime. A private copy of the model and its weights is inspected and
loaded once when the session is made; every run is another process. See `isolation` and the program in `child/`.

Conventions
-----------
A signature is (name, type, shape) of an input or output: the type as onnxruntime writes it, None for an axis of any length.
"""

from __future__ import annotations

import contextlib
import shutil
import time
import weakref
from dataclasses import dataclass
from pathlib import Path

from hierviz.messages.errors import ModelError
from hierviz.onnx.process import isolation
from hierviz.onnx.process.spool import MOST_WAITING, Spool, read_output
from hierviz.onnx.process.verdicts import ended_words, failure_words, is_out_of_memory, slow_words

_VERDICT_MB = (isolation.MOST_VERDICT_BYTES >> 20) + 1
_POLL_SECONDS = 0.005
PROGRESS_SECONDS = 0.1


class OutOfMemory(ModelError):
    """A run that needs more memory than the model may use; with fewer rows at a time it may do."""


@dataclass(frozen=True, eq=False)
class Run:
    """Outputs of a model for some rows.

    Parameters
    ----------
    values : dict of output name to ndarray, shape (n_rows, ...)
        Lists of dicts, one a row (what skl2onnx's ZipMap gives), become float32 of shape (n_rows, n_labels).
    labels : dict of output name to list of str
        What the columns of such an output are called, as text.
    seconds : float
        Waiting time while rows were run, without starting, loading and waiting for rows.
    """

    values: dict
    labels: dict
    seconds: float = 0.0


class Session:
    """One loaded model: its inputs, outputs and metadata, and how to run it.

    Parameters
    ----------
    path : str or Path
    limits : Limits, optional

    Attributes
    ----------
    inputs, outputs : list of signatures
        Inputs that the model has a value for are left out.
    metadata : dict of str to str
    class_labels : list of str, or None
        What the ZipMap or classifier node of the graph calls its classes.
    facts : dict
        What is known without running it, in JSON types: bytes, sha256, ir_version, opset (domain: version), producer,
        n_nodes (subgraphs and functions included), n_functions, domains, weight_files (file, bytes, sha256), made_by and
        by_number (see `child/child_inspect.py`).

    most_rows : int or None
        Rows of one batch that were found to be enough for its memory, by whoever runs it.

    Raises
    ------
    ModelError
        If onnxruntime or onnx is missing or too old, or the model is damaged, refused, too slow or too large to load.
    """

    def __init__(self, path, *, limits=None):
        path = Path(path)
        self.where, self.limits, self.most_rows = path.name, limits or isolation.Limits(), None
        folder = isolation.private_folder()
        self._end = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        try:
            self._open(path, folder)
        except BaseException:
            self.close()
            raise

    def close(self):
        """Remove the private copy; also happens when the session is forgotten or Python ends."""
        self._end()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _open(self, path, folder):
        self._model, digest = isolation.copy_model(path, folder)
        size = self._model.stat().st_size
        self.memory_mb = self.limits.memory(size)
        said = self._look("look")
        weights = [isolation.copy_weights(path, name, folder) for name in said["weight_files"]]
        if weights:
            self.memory_mb = self.limits.memory(size + sum(weights_file["bytes"] for weights_file in weights))
            said |= self._look("load")
        self.inputs, self.outputs = (
            [(name, kind, tuple(shape)) for name, kind, shape in said[key]] for key in ("inputs", "outputs")
        )
        self.metadata, self.class_labels = said["metadata"], said["class_labels"]
        keys = ("ir_version", "opset", "producer", "n_nodes", "n_functions", "domains", "made_by", "by_number")
        self.facts = {"bytes": size, "sha256": digest, **{key: said[key] for key in keys}, "weight_files": weights}

    def run(self, blocks, outputs, *, n_rows, step, widest=None, progress=None):
        """Run the model on rows, in batches of one fixed size.

        Parameters
        ----------
        blocks : iterable of dict of input name to ndarray
            Exactly typed arrays of the same number of rows, any number of them; taken while the model runs.
        outputs : sequence of str
        n_rows : int
            Rows of all blocks together, at least 1.
        step : int
            Rows of one batch; the last one is padded with copies of its first row, which are cut off again.
        widest : int, optional
            Most values a row of an output: one that gives more is refused after its first batch, not written and read.
        progress : callable, optional
            Called as progress(rows done, n_rows) ten times a second, also when nothing is new, and at the end; what it
            raises ends the run.

        Returns
        -------
        Run

        Raises
        ------
        OutOfMemory
            If a batch needs more memory than the model may use.
        ModelError
            If onnxruntime refuses the inputs, or the model is too slow or crashes.
        """
        if n_rows < 1 or step < 1:
            raise ValueError(f"expected at least one row and batches of at least one, got {n_rows} and {step}")
        wanted = {"outputs": list(outputs), "n_rows": n_rows, "step": step, "widest": widest}
        with self._job("run", self.limits.output_mb, wanted) as job, Spool(job.folder, n_rows, step) as spool:
            watch = _Watch(self, job, n_rows, step, progress)
            for block in blocks:
                fed = (f"{name} {array.dtype} {(step, *array.shape[1:])}" for name, array in block.items())
                watch.feeds = watch.feeds or ", ".join(fed)
                watch.look(spool.ready)  # a model that had nothing to do meanwhile was not slow
                try:
                    spool.add(block)
                except OSError as error:
                    raise ModelError(
                        f"{self.where}: expected room for its inputs in {job.folder.parent}, got {error.strerror or error}. "
                        "Make room, or set TMPDIR to another folder."
                    ) from None
                watch.look(spool.ready)
                while spool.waiting(watch.done) >= MOST_WAITING:
                    time.sleep(_POLL_SECONDS)
                    watch.look(spool.ready)
            if spool.taken != n_rows:
                raise ValueError(f"{n_rows} rows were announced, got {spool.taken}")
            while job.ended() is None:
                job.wait(_POLL_SECONDS)
                watch.look(spool.ready)
            said = self._verdict(job, "run", watch.feeds, step)
            most = (self.limits.output_mb + 1) << 20
            try:
                values = {name: read_output(job.folder, value, n_rows, most) for name, value in said["values"].items()}
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise ModelError(
                    f"{self.where}: expected readable outputs from its process, got {error}. Run it again."
                ) from None
            watch.tell(n_rows)
        labels = {name: value["labels"] for name, value in said["values"].items() if value["labels"] is not None}
        return Run(values, labels, float(said["run_seconds"]))

    def _job(self, task, file_mb, wanted):
        limits = {"cpu_seconds": self.limits.cpu_seconds, "memory_mb": self.memory_mb, "file_mb": file_mb}
        return isolation.IsolatedJob({"task": task, "model": str(self._model), **limits, **wanted})

    def _look(self, task):
        with self._job(task, _VERDICT_MB, {}) as job:
            if not job.wait(self.limits.wall):
                raise ModelError(f"{self.where}: {slow_words('load', f'{self.limits.wall:g} s')}")
            return self._verdict(job, "load", "")

    def _verdict(self, job, doing, feeds, step=None):
        said = job.verdict()
        if said is None:
            raise ModelError(f"{self.where}: {ended_words(job.ended(), self.limits, self.memory_mb, doing)}")
        if not said["ok"]:
            if said.get("refused", "").startswith("expected onnxruntime "):
                raise ModelError(f"onnxruntime: {said['refused'].replace('expected onnxruntime ', 'expected ')}")
            words = failure_words(said, self.memory_mb, self.limits.output_mb, feeds, step)
            raise (OutOfMemory if is_out_of_memory(said) else ModelError)(f"{self.where}: {words}")
        return said


class _Watch:
    """How far a run has got, and whether it still gets on."""

    def __init__(self, session, job, n_rows, step, progress):
        self.session, self.job, self.n_rows, self.step, self.progress = session, job, n_rows, step, progress
        self.done, self.feeds, self.loaded = 0, "", False
        self.since = self.told = time.monotonic()

    def look(self, ready):
        """Read the progress, pass it on, and stop a run that has ended early or hangs; `ready` rows can be run."""
        done = self.done
        with contextlib.suppress(OSError, ValueError):
            done = min(int((self.job.folder / "progress").read_text()), ready)
            if not self.loaded:
                self.loaded, self.since = True, time.monotonic()
        if done > self.done or (self.loaded and done == ready < self.n_rows):  # got on, or waits for us
            self.done, self.since = max(done, self.done), time.monotonic()
        if self.done < self.n_rows:
            if time.monotonic() - self.told > PROGRESS_SECONDS:  # also without news: the caller may want to stop
                self.tell(self.done)
            if self.job.ended() is not None:
                self.session._verdict(self.job, "run" if self.loaded else "load", self.feeds, self.step)
        limit = self.session.limits.wall
        if time.monotonic() - self.since > limit:
            words = slow_words("run" if self.loaded else "load", f"{limit:g} s")
            raise ModelError(f"{self.session.where}: {words}")

    def tell(self, done):
        """Call progress."""
        self.told = time.monotonic()
        if self.progress is not None:
            self.progress(done, self.n_rows)


def shape_words(shape):
    """A shape as errors and notes write it, such as ``[any, 4]``."""
    return "[" + ", ".join("any" if axis is None else str(axis) for axis in shape) + "]"
