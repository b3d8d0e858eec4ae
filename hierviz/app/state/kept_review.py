"""What the visitor said of samples: kept on this machine, one file per taxonomy, samples and truths; of others in the session.

The file is the one that is exported, in the folder of the system for such data. It is read again before each change, so that
two windows do not undo each other's.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
from dataclasses import replace

import numpy as np

from hierviz.app.state.paths import is_local_visit
from hierviz.app.state.remembered import place
from hierviz.app.state.server_memory import computed, memory, of_data
from hierviz.evaluation._review import Review
from hierviz.messages.errors import HiervizError
from hierviz.readers.review_file import load_review, write_review
from hierviz.taxonomy.node_lists import NodeLists

_one_at_a_time = threading.Lock()
NONE: dict = {"review": None, "stamp": None, "problem": ""}


def review_path(data):
    """Path of the file of a data set."""
    return place().parent / "reviews" / f"{computed('review key', data.digest, lambda: _digest(data))}.csv"


def review_of(data):
    """The Review of a data set, as it is now."""
    kept = _kept(data)
    return Review(data.taxonomy) if kept["review"] is None else kept["review"]


def review_problem(data):
    """Why the file of a data set cannot be read, or not be written, in words; empty where it can."""
    return _kept(data)["problem"]


def say(data, row):
    """Take down a ReviewRow; `take_back` undoes it."""
    _change(data, lambda review: review.saying(row), (row.sample_id,))


def take_back(data):
    """Undo the last `say` of this session; the id of its sample, None where there is none."""
    said = memory("review").get(_stack(data))
    if not said:
        return None
    sample_id, before = said.pop()

    def undone(review):
        now = review.rows
        at = next((place for place, row in enumerate(now) if row.sample_id == sample_id), len(now))
        first, last = now[:at], tuple(row for row in now[at:] if row.sample_id != sample_id)
        return replace(review, rows=(*first, *before, *last))

    _change(data, undone)
    return sample_id


def can_take_back(data):
    """Whether this session said something that `take_back` undoes."""
    return bool(memory("review").get(_stack(data)))


def add(data, review):
    """Take over the rows of another Review; where both say something of an answer, the other one counts."""

    def both(now):
        for row in review.rows:
            now = now.saying(row)
        return now

    _change(data, both)


def forget_review(data):
    """Remove everything that was said of a data set."""
    memory("review").pop(_stack(data), None)
    kept = _kept(data)
    kept |= NONE
    if is_local_visit():
        with contextlib.suppress(OSError):
            review_path(data).unlink()


def _stack(data):
    return f"said of {data.key}"


def _change(data, change, undoable=()):
    with _one_at_a_time:
        before = review_of(data)
        for sample_id in undoable:
            rows = tuple(row for row in before.rows if row.sample_id == sample_id)
            memory("review").setdefault(_stack(data), []).append((sample_id, rows))
        kept = _kept(data)
        kept["review"] = change(before)
        if not is_local_visit() or kept["problem"]:
            return
        try:
            review_path(data).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_review(kept["review"], review_path(data))
            kept["stamp"] = _stamp(data)
        except (OSError, HiervizError) as error:
            kept["problem"] = f"{error} What you say is kept until these data are closed: export it."


def _kept(data):
    """What is kept of a data set in this process, after the file where that is another one by now."""
    kept = of_data("review", data)
    if not kept:
        kept |= NONE
    if not is_local_visit() or kept["problem"]:
        return kept
    now = _stamp(data)
    if now != kept["stamp"]:
        try:
            kept["review"] = None if now is None else load_review(review_path(data), data.taxonomy)
            kept["stamp"] = now
        except HiervizError as error:
            kept["problem"] = (
                f"{error} Move the file away, and reload this page. Until then what you say is not kept in it."
            )
    return kept


def _stamp(data):
    """What another content of the file changes; None where there is none."""
    try:
        found = review_path(data).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _digest(data):
    """Of what a review is about: taxonomy, samples and truths; models and rules may differ."""
    predictions = data.first.predictions
    digest = hashlib.sha256(data.taxonomy.sha256.encode())
    truth = NodeLists.of(np.empty(0, dtype=int) if predictions.truth is None else predictions.truth)
    for part in (predictions.ids.astype(str), truth.offsets, truth.nodes):
        digest.update(str(part.dtype).encode() + np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:32]
