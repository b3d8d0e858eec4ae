"""How the command `hierviz` ends at Ctrl-C, SIGTERM and a closed terminal: in one line, whatever it is doing.

Most of a short run is imports. There the exception that Python makes of Ctrl-C can end inside a compiled module, which
prints it or takes it for a failed import; so the process ends at once, with nothing to clean up. Later the exception goes
through the program, whose `with` and `finally` remove what they made.

`hierviz/__init__.py` imports this first, and it imports next to nothing. It does nothing in a program that only uses hierviz.
"""

import os
import signal
import sys

LINE = "hierviz: stopped"
_is_caught = False


class Stopped(KeyboardInterrupt):
    """A signal asked this process to end; `code` is its exit code."""

    def __init__(self, number):
        super().__init__()
        self.code = 128 + number


def is_command():
    """True while the command's own process starts: `hierviz`, or `python -m hierviz`, which Python calls -m until then."""
    if _is_worker():
        return False
    name = os.path.basename((getattr(sys, "argv", None) or [""])[0])
    if name == "-m":  # any module that Python was asked to run, which may import hierviz
        asked = sys.orig_argv
        return "-m" in asked and asked[asked.index("-m") + 1 :][:1] == ["hierviz"]
    return name in ("hierviz", "hierviz.exe")


def _is_worker():
    """True in a process that multiprocessing started, which is given the arguments of the program that did."""
    return "--multiprocessing-fork" in sys.orig_argv


def is_worker_of_command():
    """True in a worker process of the command: Ctrl-C in the terminal reaches it too, and is for the command alone."""
    path = (getattr(sys, "argv", None) or [""])[0]
    is_module = path.endswith(os.path.join("hierviz", "__main__.py"))
    return _is_worker() and (is_module or os.path.basename(path) in ("hierviz", "hierviz.exe"))


def begin():
    """End in one line from here on; signals that were set otherwise, as by nohup, stay as they are."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)
    sys.unraisablehook = _unraisable


def raise_from_here():
    """Who calls this catches the KeyboardInterrupt that a signal raises; until then it ends the process."""
    global _is_caught
    _is_caught = True


def finish():
    """The work is done and the exit code is known: Ctrl-C has nothing to stop any more."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _stop(number, frame):
    is_importing = False
    while frame is not None:
        is_importing |= frame.f_code.co_filename.startswith("<frozen importlib")
        frame = frame.f_back
    if is_importing or not _is_caught:
        _end(128 + number)
    raise Stopped(number)


def _unraisable(raised):
    # Python would print what is raised inside a finaliser, and go on.
    if isinstance(raised.exc_value, KeyboardInterrupt):
        _end(getattr(raised.exc_value, "code", 130))
    sys.__unraisablehook__(raised)


def _end(code):
    try:
        os.write(2, f"{LINE}\n".encode())
    finally:
        os._exit(code)


if is_command():
    begin()
elif is_worker_of_command():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
