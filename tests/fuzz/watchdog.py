"""Runs workers, ends those that do not respond, and counts the outcomes of the files."""

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
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


def watched(seed, n, what, *, workers=1, lanes=None, seconds=20.0, progress=None, found=None):
    """Read `n` damaged files or models, or run commands, in processes of their own.

    Parameters
    ----------
    seed, n : int
    what : {"files", "commands", "models", "corpus"}
    workers : int
        Processes at a time; each takes every `workers`-th case, which is its lane.
    lanes : sequence of int, optional
        Those that are run; all if not given.
    seconds : float
        A file that takes longer is counted as slow, and its process ended.
    progress : callable, optional
        Called with the tally after each file.
    found : callable, optional
        Called with number, fate and words of each finding.

    Returns
    -------
    Tally
    """
    tally, lock = Tally(), threading.Lock()

    def add(number, fate, words):
        with lock:
            n_findings = len(tally.findings)
            tally.add(number, fate, words)
            if found is not None and len(tally.findings) > n_findings:
                found(number, fate, words)
            if progress is not None:
                progress(tally)

    threads = [
        threading.Thread(target=_lane, args=(seed, lane, n, workers, what, seconds, add))
        for lane in (range(workers) if lanes is None else lanes)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tally


def _lane(seed, start, n, step, what, seconds, add):
    while start < n:
        command = [sys.executable, "-m", "tests.fuzz.worker", *map(str, (seed, start, n, step)), what]
        with (
            tempfile.TemporaryFile() as errors,
            subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
        ):
            start = _followed(process, errors, start, step, seconds, add)


def _followed(process, errors, start, step, seconds, add):
    """Count what a worker says of its files; returns the number of the first one that the next worker is to read."""
    said = queue.Queue()
    listener = threading.Thread(target=_listen, args=(process.stdout, said))
    listener.start()
    at, is_open = start, False
    try:
        while True:
            try:
                line = said.get(timeout=seconds if is_open else None)
            except queue.Empty:
                add(at, "slow", f"more than {seconds:g} s: {_whereabouts(process, errors)}")
                return at + step
            if line is None:
                if not (process.wait() or is_open):
                    return at  # it ended after a file, as it does when that took too much memory, or after the last one
                errors.seek(0)
                add(at, "died", f"exit code {process.returncode}: {errors.read().decode(errors='replace')[-2000:]}")
                return at + step
            message = json.loads(line)
            at, is_open = message["number"], "fate" not in message
            if not is_open:
                add(at, message["fate"], message["words"])
                at += step
    finally:
        process.kill()
        listener.join()


def _whereabouts(process, errors):
    """The stack of a worker that does not end."""
    process.send_signal(signal.SIGUSR1)
    until = time.monotonic() + 2
    while time.monotonic() < until and not errors.seek(0, os.SEEK_END):
        time.sleep(0.05)
    errors.seek(0)
    return errors.read().decode(errors="replace")[:3000]


def _listen(stream, said):
    for line in stream:
        said.put(line)
    said.put(None)
