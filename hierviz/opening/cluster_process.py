"""Files that a process of its own reads and evaluates on a Dask cluster, for a server that stays small.

Conventions
-----------
The process ends with its work. Arrays come back in one file, which this process maps: the system reads the parts that are
asked for and may drop them again, so that they take none of its own memory. The file has no name by then, where the system
allows that. What the process has to say comes as pickled tuples on its standard output; it ends with its standard input.

Functions
---------
evaluated_on_cluster
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import hierviz.messages.errors
from hierviz.evaluation.summary import CURVE, STEPS, require_same_samples
from hierviz.messages.errors import ClusterError, FileError, HiervizError
from hierviz.opening.loading import load_files, with_media
from hierviz.readers.file_limits import MEMORY_BYTES, size_words

PREFIX = "hierviz-cluster-"
# Arrays begin at multiples of this, as numpy likes them.
ALIGNED = 64
# The package is found last: the server's own path may hold folders in which names of Python's library mean something else.
_PROGRAM = "import sys; sys.path.append({folder!r}); from hierviz.opening.cluster_process import main; main()"


def evaluated_on_cluster(files, cluster, stage):
    """Read and evaluate what Files name.

    Parameters
    ----------
    files : Files
        Without models to run.
    cluster : str
        As `hierviz.cluster.connection.connected` takes it.
    stage : callable
        As of `hierviz.opening.loading.load_files`; what it or its `progress` raises ends the work.

    Returns
    -------
    list of Evaluation
        Of each of the prediction files, with its operating curve where it has one. Scores in Parquet and ``.npy`` files are read
        from there when they are asked for.

    Raises
    ------
    HiervizError
        As `load_files` and `hierviz.cluster.running.evaluation_on`; also if the process ends early.
    """
    handle, path = tempfile.mkstemp(prefix=PREFIX)
    os.close(handle)
    try:
        content, ranges = _told(pickle.dumps((replace(files, media=None, held=()), cluster, path)), stage)
        evaluations = pickle.loads(content, buffers=_mapped(path, ranges))
    finally:
        # Where a mapped file cannot be removed, its name stays in the folder for temporary files.
        with contextlib.suppress(OSError):
            os.remove(path)
    return [replace(one, predictions=with_media(one.predictions, files)) for one in evaluations]


def _told(asked, stage):
    """What `_written` gives in the process; what it says before goes to `stage`."""
    folder = str(Path(__file__).parents[2])
    command = [sys.executable, "-P", "-c", _PROGRAM.format(folder=folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(asked)
                process.stdin.flush()
            progress = None
            while True:
                what, *said = pickle.load(process.stdout)
                if what == "stage":
                    progress = stage(*said)
                elif what == "done" and progress is not None:
                    progress(*said)
                elif what == "error":
                    kind, template, about = said
                    raise getattr(hierviz.messages.errors, kind)(template, about)
                elif what == "found":
                    return said
        except (EOFError, pickle.UnpicklingError):
            raise ClusterError(
                "cluster: expected a process that evaluates the files on it, got one that ended. See the log of the app; often "
                "its memory was too small."
            ) from None
        finally:
            process.kill()


def _mapped(path, ranges):
    """The bytes of arrays in a file; what is changed of them stays in memory."""
    if not ranges:
        return []
    with open(path, "rb") as file:
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    return [whole[start:stop] for start, stop in ranges]


def _written(path, found):
    """Pickle of what was found without the bytes of its arrays, which go to a file, and where these lie there."""
    buffers, ranges = [], []
    content = pickle.dumps(found, protocol=5, buffer_callback=buffers.append)
    with open(path, "wb") as file:
        for buffer in buffers:
            view = buffer.raw()
            start = file.seek(-(-file.tell() // ALIGNED) * ALIGNED)
            file.write(view)
            ranges.append((start, start + view.nbytes))
    return content, ranges


# In the process ----------------------------------------------------------------------------------------------------------


def main():
    """Do what standard input asks for; see `evaluated_on_cluster`."""
    # What others print is none of the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # The terminal sends it to all; the server decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    files, cluster, path = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_input, daemon=True).start()

    def say(*words):
        pickle.dump(words, answers)
        answers.flush()

    def stage(name, unit="rows"):
        say("stage", name, unit)
        return partial(say, "done")

    try:
        say("found", *_written(path, _evaluated(files, cluster, stage)))
    except HiervizError as error:
        kinds = (kind for kind in type(error).__mro__ if kind.__module__ == "hierviz.messages.errors")
        say("error", next(kinds).__name__, error.template, error.about)


def _end_with_input():
    sys.stdin.buffer.read()
    os._exit(1)


def require_readable(predictions):
    """Raise a FileError for scores on disk that another process cannot read."""
    from hierviz.cluster.work import is_in_files

    for model in predictions:
        if hasattr(model.scores, "source") and not is_in_files(model):
            raise FileError(
                f"{model.name}: expected scores that the app can read where they are, Parquet or .npy, got others of more than "
                f"{size_words(MEMORY_BYTES)}. Save them as .npy, or leave --cluster out."
            )


def _evaluated(files, cluster, stage):
    from hierviz.cluster.connection import connected
    from hierviz.cluster.running import evaluation_on

    _, predictions, _ = load_files(files, stage, read_scores=False)
    require_same_samples(predictions)
    require_readable(predictions)
    found = []
    with connected(cluster) as client:
        for model in predictions:
            found.append(evaluation_on(client, model, stage(f"Evaluating {model.name}", "rows")))
    for evaluation in found:
        if evaluation.why_no_curve() is None:
            evaluation.curve_with(stage(f"{CURVE} of {evaluation.predictions.name}", STEPS)).summary()
    return found
