"""Packages that only an extra of hierviz installs: a missing one is reported in one line, with the command that installs it."""

import importlib.util
import sys

from hierviz.messages.errors import HiervizError

# What is called otherwise where it is installed from.
_INSTALLED_AS = {"PIL": "pillow", "vl_convert": "vl-convert-python"}


class MissingExtraError(HiervizError, ImportError):
    """A package that one of hierviz's extras brings is not installed."""

    def _render_traceback_(self):
        # What IPython and notebooks show.
        return [f"hierviz: {self}"]


def require(where, extra, *packages):
    """Raise a MissingExtraError unless some packages are installed; unhandled it is shown as one line.

    Parameters
    ----------
    where : str
        What needs them.
    extra : str
        The extra that brings them.
    *packages : str
        As they are imported.
    """
    for name in packages:
        if not _is_there(name):
            _show_as_one_line()
            raise MissingExtraError(
                f"{where}: expected {_INSTALLED_AS.get(name, name)} to be installed, got no such package. "
                f'Run pip install "hierviz[{extra}]".'
            )


def frame(columns, **options):
    """A pandas DataFrame of columns by name, with options of pandas; a MissingExtraError without pandas."""
    require("to_frame", "files", "pandas")
    import pandas as pd

    return pd.DataFrame(columns, **options)


def _is_there(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ValueError:  # a module made at run time
        return True


def _show_as_one_line():
    """Leave out the traceback of a MissingExtraError that nobody handles; all others are shown as before."""
    shown_before = sys.excepthook
    if getattr(shown_before, "is_of_hierviz", False):
        return

    def show(kind, error, traceback):
        if isinstance(error, MissingExtraError):
            print(f"hierviz: {error}", file=sys.stderr)
        else:
            shown_before(kind, error, traceback)

    show.is_of_hierviz = True
    sys.excepthook = show
