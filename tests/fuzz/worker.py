"""Reads damaged files one by one and prints the outcome of each: a process that may be killed.

Each file has a line before it is read and one after; who listens kills what stays silent. Fates: `fine`; `one line` (a
HiervizError of one printable line of at most 500 characters); `memory` (more than `MOST_BYTES` were asked for or used);
`other` (anything else: a bug).
"""

import faulthandler
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from pathlib import Path

# A pool that reserves address space in gigabytes would hide what was asked for.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

MOST_BYTES = 1 << 30
LONGEST_LINE = 500


def _resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _peak(again=False):
    """Most bytes in memory since it was last asked `again`: damaging a file may have taken more than reading it."""
    if again:
        Path("/proc/self/clear_refs").write_text("5")
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024


def fate_of(read, path):
    """(fate, words) of one file.

    Parameters
    ----------
    read : callable
        Takes the path; returns, or raises a HiervizError.
    path : Path
    """
    from hierviz.messages.errors import HiervizError

    before = _resident()
    _peak(again=True)
    try:
        read(path)
        fate, words = "fine", ""
    except HiervizError as error:
        words = str(error)
        is_line = words.isprintable() and 0 < len(words) <= LONGEST_LINE
        # Not by chance does it fit elsewhere: a small file must be refused before memory is asked for.
        is_memory = "fits into memory" in words
        fate = "memory" if is_memory else "one line" if is_line else "other"
    except MemoryError:
        fate, words = "memory", traceback.format_exc()
    except Exception:
        fate, words = "other", traceback.format_exc()
    if _peak() - before > MOST_BYTES:
        fate, words = "memory", f"{words} (peak {_peak() >> 20} MB)"
    return fate, words


def main(seed, start, stop, step, what):
    """Read files `start`, `start + step`, ... below `stop`; `what` is a key of `_JOBS`."""
    import warnings

    warnings.simplefilter("error")
    # Who watches asks where a file that does not end is; what commands say of themselves goes elsewhere by then.
    faulthandler.register(signal.SIGUSR1, file=os.fdopen(os.dup(2), "w"))
    folder = Path(tempfile.mkdtemp(prefix="hierviz-fuzz-"))
    try:
        for number, read, write in _JOBS[what](seed, range(start, stop, step)):
            place = folder / str(number)
            place.mkdir()
            path = write(place)
            _say({"number": number, "file": ascii(path.name)})
            if what != "models" and not path.is_dir():  # commands start processes, which would inherit the limit
                resource.setrlimit(resource.RLIMIT_AS, (_address_space() + MOST_BYTES, resource.RLIM_INFINITY))
            fate, words = fate_of(read, path)
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            _say({"number": number, "fate": fate, "words": ascii(words)[1:-1]})
            shutil.rmtree(place)
            if fate == "memory":
                return  # the peak of this process says nothing about the next file
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _address_space():
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _say(message):
    print(json.dumps(message), flush=True)


def _files(seed, numbers):
    from .doors import DOORS
    from .forms import originals
    from .mutations import mutant

    for number in numbers:
        role, name, content = mutant(seed, number, originals())
        yield number, DOORS[role], lambda place, name=name, content=content: _put(place / name, content)


def _repeats(_, numbers):
    from .doors import DOORS
    from .forms import originals
    from .mutations import repeated

    for number in numbers:
        role, name, content = repeated(number, originals())
        yield number, DOORS[role], lambda place, name=name, content=content: _put(place / name, content)


def _models(seed, numbers):
    from tests.onnx_models.mutants import mutant, originals

    from .doors import model

    models = originals()
    for number in numbers:
        content = mutant(seed, number, models)
        yield number, model, lambda place, content=content: _put(place / "m.onnx", content)


def _corpus(_, numbers):
    from .corpus import corpus
    from .doors import DOORS

    cases = corpus()
    for number in numbers:
        _, role, name, content = cases[number]
        yield number, DOORS[role], lambda place, name=name, content=content: _put(place / name, content)


def _commands(seed, numbers):
    from hierviz.charts.export import browser_library

    from .commands import command

    browser_library()  # takes longer than any command, once in a process
    for number in numbers:
        case = command(seed, number)
        yield number, case.run, case.write


def _exhaustive(_, numbers):
    from .commands import exhaustive_case

    for number in numbers:
        case = exhaustive_case(number)
        yield number, case.run, case.write


def _command_corpus(_, numbers):
    from .corpus import command_corpus

    for number in numbers:
        _, case = command_corpus()[number]
        yield number, case.run, case.write


_JOBS = {
    "command corpus": _command_corpus,
    "files": _files,
    "repeats": _repeats,
    "exhaustive": _exhaustive,
    "models": _models,
    "corpus": _corpus,
    "commands": _commands,
}


def _put(path, content):
    try:
        path.write_bytes(content)
    except OSError:  # a name that this file system cannot hold
        path = path.with_name("x" + path.suffix[-8:])
        path.write_bytes(content)
    return path


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:5]), sys.argv[5])
