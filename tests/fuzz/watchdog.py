"""Runs workers, ends those that stay silent, and counts what became of the files."""

import json
import queue
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass
class Tally:
    """What became of the files.

    Attributes
    ----------
    counts : Counter
        Files by fate: "fine", "one line", "memory", "other", "slow", "died".
    findings : list of (number, fate, words)
        All that are neither fine nor one line.
    """

    counts: Counter = field(default_factory=Counter)
    findings: list = field(default_factory=list)

    def add(self, number, fate, words):
        """Count one file."""
        self.counts[fate] += 1
        if fate not in ("fine", "one line"):
            self.findings.append((number, fate, words))


def watched(seed, n, what, *, workers=1, seconds=20.0, progress=None):
    """Read `n` damaged files, or models, in processes of their own.

    Parameters
    ----------
    seed, n : int
    what : {"files", "models", "corpus"}
    workers : int
        Processes at a time.
    seconds : float
        A file that takes longer is counted as slow, and its process ended.
    progress : callable, optional
        Called with the tally after each file.

    Returns
    -------
    Tally
    """
    tally, lock = Tally(), threading.Lock()

    def add(number, fate, words):
        with lock:
            tally.add(number, fate, words)
            if progress is not None:
                progress(tally)

    lanes = [
        threading.Thread(target=_lane, args=(seed, lane, n, workers, what, seconds, add)) for lane in range(workers)
    ]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    return tally


def _lane(seed, start, n, step, what, seconds, add):
    while start < n:
        command = [sys.executable, "-m", "tests.fuzz.worker", *map(str, (seed, start, n, step)), what]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said, errors = queue.Queue(), []
        threading.Thread(target=_listen, args=(process.stdout, said), daemon=True).start()
        reader = threading.Thread(target=lambda: errors.append(process.stderr.read()), daemon=True)  # noqa: B023
        reader.start()
        at, is_open = start, False
        while True:
            try:
                line = said.get(timeout=seconds if is_open else None)
            except queue.Empty:
                process.kill()
                add(at, "slow", f"more than {seconds:g} s")
                break
            if line is None:
                process.wait()
                reader.join()
                if is_open or process.returncode:
                    add(at, "died", f"exit code {process.returncode}: {''.join(errors)[-2000:]}")
                    break
                at -= step  # it ended after a file, as it does when that took too much memory, or after the last one
                break
            message = json.loads(line)
            at, is_open = message["number"], "fate" not in message
            if not is_open:
                add(at, message["fate"], message["words"])
                at += step
        process.stdout.close()
        start = at + step


def _listen(stream, said):
    for line in stream:
        said.put(line)
    said.put(None)
