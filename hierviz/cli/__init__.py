"""The `hierviz` command: open the app, evaluate files, export curves, run models.

Exit codes: 0 done, 2 bad input (one line on standard error), 1 a bug of ours (with its traceback).
"""

from __future__ import annotations

import argparse
import sys

from hierviz._version import version
from hierviz.cli.app import add_app
from hierviz.cli.chart import add_chart
from hierviz.cli.diagnose import add_diagnose
from hierviz.cli.doctor import add_doctor
from hierviz.cli.evaluate import add_curve, add_evaluate
from hierviz.cli.mending import mending_hint
from hierviz.cli.parameter_flags import error_line
from hierviz.cli.predict import add_predict
from hierviz.cli.report import add_report
from hierviz.cli.standard_streams import with_standard_streams
from hierviz.cli.table import add_table
from hierviz.cli.taxonomy import add_taxonomy
from hierviz.messages import stopping
from hierviz.messages.errors import HiervizError
from hierviz.readers.sources import forget_opened


@with_standard_streams
def main(arguments=None):
    """Run the command line; returns the exit code."""
    arguments, options = sys.argv[1:] if arguments is None else list(arguments), None
    try:
        stopping.raise_from_here()
        forget_opened()
        options = parser().parse_args(arguments or ["app"])
        options.arguments = arguments  # a report says how it was made
        return options.run(options) or 0
    except HiervizError as error:
        print(f"hierviz: {error_line(error, options)}{mending_hint(options)}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output went away, for example `hierviz evaluate ... | head`.
        return 0
    except KeyboardInterrupt as stopped:
        stopping.finish()
        print(stopping.LINE, file=sys.stderr)
        return getattr(stopped, "code", 130)
    finally:
        stopping.finish()


class _Parser(argparse.ArgumentParser):
    """Wrong arguments are bad input: one line on standard error, without the usage."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {HiervizError(message)}. Run: {self.prog} --help\n")


def parser():
    """The argument parser of all commands."""
    top = _Parser(prog="hierviz", description="Evaluate hierarchical classifiers and inspect their mistakes.")
    top.add_argument("--version", action="version", version=f"hierviz {version()}")
    commands = top.add_subparsers(metavar="command", title="commands")
    for add in (
        add_app,
        add_evaluate,
        add_table,
        add_curve,
        add_chart,
        add_diagnose,
        add_doctor,
        add_report,
        add_predict,
        add_taxonomy,
    ):
        add(commands)
    return top
