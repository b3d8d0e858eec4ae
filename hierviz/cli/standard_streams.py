"""Standard output and standard error that may be closed, or whose reader may go away, without a traceback."""

from __future__ import annotations

import functools
import io
import os
import sys

from hierviz.messages.errors import FileError


class _ClosedOutput(io.TextIOBase):
    """Stands for a standard output that was closed before we came (``>&-``)."""

    def write(self, text):
        raise FileError("standard output: expected it open, got a closed one. Name a file for what is written.")


def with_standard_streams(main):
    """A command line's `main` that finds both streams open, and drops output without a reader."""

    @functools.wraps(main)
    def run(arguments=None):
        _fill()
        try:
            return main(arguments)
        except BrokenPipeError:  # of standard error: nobody reads what we would say
            return 2
        finally:
            _let_go()

    return run


def _fill():
    if sys.stdout is not None and sys.stderr is not None:
        return
    # Else the next file that is opened would be standard output.
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    sys.stdout = sys.stdout or _ClosedOutput()
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _let_go():
    """Leave nothing for Python to flush at its end into a pipe without a reader, which it would complain about."""
    try:
        sys.stdout.flush()
    except OSError:
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, sys.stdout.fileno())
        os.close(descriptor)
