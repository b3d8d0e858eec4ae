"""The `hierviz` command: open the app, evaluate files, export curves, run models.

Exit codes: 0 done, 2 bad input (one line on standard error), 1 a bug in hierviz (with its traceback). Of `gate`: 0 holds, 1
fails, 3 not enough samples to tell, 2 bad input, 4 a bug.
"""

import argparse
import functools
import importlib
import io
import os
import sys
import traceback

from hierviz._version import version
from hierviz.messages import stopping
from hierviz.messages.errors import FileError, HiervizError

# Help of each command.
COMMANDS = {
    "app": "open the app in the browser, with the bundled demo or the given files",
    "evaluate": "write all metrics of one or several models as JSON",
    "table": "compare methods in a table: numbers, intervals, ranks, the best constant answer",
    "gate": "check in CI that a model is at most so much worse than another: exits with 0, 1, or 3 where samples are too few",
    "curve": "write the operating curve of a model as CSV, one row per threshold",
    "chart": "draw one chart of a paper: rules, rejection, groups, ranks, ...",
    "diagnose": "find where a model goes wrong: nodes, confusions, slices, calibration",
    "doctor": "find all faults of taxonomy, class list, predictions and truth, and fix those that are certain",
    "report": "write one HTML file with numbers, curves, examples and mistakes that opens without a network",
    "predict": "run an ONNX model and write its probabilities",
    "taxonomy": "print the tree, with values of its classes, or write another form of it",
}
# Files that are not called as their command; each has its `add_COMMAND`, which gives its options, and its `run_COMMAND`.
FILES = {"curve": "evaluate", "doctor": "files", "taxonomy": "files"}
# Exit code of a bug where 1 is another result.
BUGS = {"gate": 4}
# Of this package, which Jupyter brings, jsonschema builds a grammar of addresses for two seconds when Altair imports it; no
# schema of a chart asks for it.
UNWANTED = "rfc3987_syntax"
# The others take the parameters of inference rules too.
WITHOUT_RULES = ("app", "curve", "doctor", "predict")


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


@with_standard_streams
def main(arguments=None):
    """Run the command line; returns the exit code."""
    arguments, options = sys.argv[1:] if arguments is None else list(arguments), None
    sys.modules.setdefault(UNWANTED, None)
    try:
        given = arguments or ["app"]
        command = parser(given[0])
        stopping.raise_from_here()  # not while modules are imported
        options = command.parse_args(given)
        from hierviz.readers.sources import forget_opened

        forget_opened()
        options.arguments = arguments  # a report says how it was made
        return options.run(options) or 0
    except HiervizError as error:
        from hierviz.cli.output import error_line, fixing_hint

        print(f"hierviz: {error_line(error, options)}{fixing_hint(options)}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output went away, for example `hierviz evaluate ... | head`.
        return 0
    except KeyboardInterrupt as stopped:
        stopping.finish()
        print(stopping.LINE, file=sys.stderr)
        return getattr(stopped, "code", 130)
    except Exception:
        if arguments[:1] and arguments[0] in BUGS:
            traceback.print_exc()
            return BUGS[arguments[0]]
        raise
    finally:
        stopping.finish()


class _Parser(argparse.ArgumentParser):
    """Wrong arguments are bad input: one line on standard error, without the usage."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {HiervizError(message)}. Run: {self.prog} --help\n")


def parser(only=None):
    """The argument parser of all commands; with `only`, of the others nothing but name and help is there."""
    from hierviz.opening.flags import add_flags

    top = _Parser(prog="hierviz", description="Evaluate hierarchical classifiers and inspect their mistakes.")
    top.add_argument("--version", action="version", version=f"hierviz {version()}")
    commands = top.add_subparsers(metavar="command", title="commands")
    for name, words in COMMANDS.items():
        command = commands.add_parser(name, help=words)
        if only in (None, name):
            module = importlib.import_module(f"hierviz.cli.{FILES.get(name, name)}")
            add_flags(command, getattr(module, f"add_{name}")(command))
            if name not in WITHOUT_RULES:
                from hierviz.cli.judging import add_rule_flags

                add_rule_flags(command, getattr(module, "OWN_PARAMETERS", ()))
            command.set_defaults(run=getattr(module, f"run_{name}"))
    return top
