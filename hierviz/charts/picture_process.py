"""Charts as SVG and PNG, drawn by vl-convert in a process of its own: it ends the process on some charts, which no `except` sees.

The process is started with the first picture and lives as long as this one; after its end the next picture starts another.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import struct
import subprocess
import sys
import threading

from hierviz.messages.errors import FileError, shown

# Far above what a chart takes: what takes longer does not end.
MOST_SECONDS = 300
_ANSWER = struct.Struct("<?Q")
_PROGRAM = """
import json, os, struct, sys
sys.path[:] = json.loads(sys.argv[1])
answers = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
import vl_convert
for line in sys.stdin.buffer:
    function, spec, options = json.loads(line)
    try:
        made, is_picture = getattr(vl_convert, function)(spec, **options), True
    except Exception as error:
        made, is_picture = str(error), False
    made = made.encode() if isinstance(made, str) else made
    answers.write(struct.pack("<?Q", is_picture, len(made)) + made)
    answers.flush()
"""
_lock = threading.Lock()
_processes: dict[int, subprocess.Popen] = {}


def picture(function, spec, **options):
    """What a function of vl-convert makes of a specification, as bytes.

    Parameters
    ----------
    function : str
        Such as ``"vegalite_to_svg"`` or ``"vega_to_svg"``.
    spec : dict
    **options
        Of that function.

    Raises
    ------
    FileError
        If it cannot draw the chart, ends with it, or takes more than `MOST_SECONDS`.
    """
    wanted = json.dumps([function, spec, options]).encode() + b"\n"
    with _lock:
        process = _process()
        watch = threading.Timer(MOST_SECONDS, process.kill)
        watch.start()
        try:
            is_picture, made = _answer(process, wanted)
        except (OSError, EOFError):
            _processes.pop(os.getpid())
            _end(process)
            is_picture, made = False, f"the converter ended with code {process.returncode}".encode()
        finally:
            watch.cancel()
    if not is_picture:
        reason = " ".join(made.decode(errors="replace").split())
        raise FileError(
            f"chart: expected one that vl-convert can draw, got an error ({shown(reason)[1:-1]}). Save its table (CSV) or its "
            "specification (JSON)."
        )
    return made


def _answer(process, wanted):
    process.stdin.write(wanted)
    process.stdin.flush()
    is_picture, length = _ANSWER.unpack(_read(process.stdout, _ANSWER.size))
    return is_picture, _read(process.stdout, length)


def _read(file, n_bytes):
    content = file.read(n_bytes)
    if len(content) < n_bytes:
        raise EOFError
    return content


def _process():
    """The process of this one, which may be a fork of another."""
    process = _processes.get(os.getpid())
    if process is None or process.poll() is not None:
        # -I, so that no file next to the user's own is imported; installed packages are still found.
        places = json.dumps([os.path.abspath(place) for place in sys.path if place])
        process = _processes[os.getpid()] = subprocess.Popen(
            [sys.executable, "-I", "-c", _PROGRAM, places],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=os.name == "posix",  # Ctrl-C is for this process
        )
        atexit.register(_end, process)
    return process


def _end(process):
    atexit.unregister(_end)
    with contextlib.suppress(OSError):
        process.stdin.close()
    process.stdout.close()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
