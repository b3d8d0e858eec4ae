"""Options: how the command line and a form ask for a value."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

# argparse takes "-1,1" for an option, unless it looks like a negative number.
_NEGATIVE = re.compile(r"^-\d[\d.,eE+-]*$|^-\.\d[\d.,eE+-]*$")


@dataclass(frozen=True)
class Option:
    """How something is asked for.

    Parameters
    ----------
    usage : str
        Flag and placeholder of its value, such as ``--json FILE|-``; without the latter it is a switch. Several names of one
        flag are separated by ``/``.
    help : str
        For the command line.
    type : callable
        str -> value.
    default : object
    choices : iterable or mapping of str to str
        The values that the command line takes; a form shows the words of a mapping.
    several : bool
        It may be given several times: the value is a list.
    bare : object
        The value of the flag alone, where it may be given without one.
    required : bool
    dest : str
        Name of the value; that of the flag with underscores, if not given.
    label : str
        Of the field in a form, and in errors that a page shows.
    offered : mapping of str to str
        The values that a form offers, with their words, where the command line checks them in another way.
    hint : str
        Help of the field.
    role : str
        Name of the file in lists of files.
    """

    usage: str = ""
    help: str = ""
    type: Callable[[str], Any] | None = None
    default: Any = None
    choices: Iterable[str] | None = None
    several: bool = False
    bare: Any = None
    required: bool = False
    dest: str = ""
    label: str = ""
    offered: Mapping[str, str] | None = None
    hint: str = ""
    role: str = ""

    def add_to(self, command):
        """Add it to a parser or a group of one."""
        names, _, metavar = self.usage.partition(" ")
        how: dict[str, Any] = {"help": self.help if self.help is argparse.SUPPRESS else self.help.replace("%", "%%")}
        how |= {"dest": self.dest} if self.dest else {}
        if not metavar:
            how |= {"action": "store_true"}
        else:
            how |= {"metavar": metavar, "type": self.type, "required": self.required, "default": self.default}
            if self.several:
                how |= {"action": "append", "default": None if self.default is None else list(self.default)}
            elif self.choices is not None:
                how |= {"choices": tuple(self.choices)}
            how |= {"nargs": "?", "const": self.bare} if self.bare is not None else {}
        command.add_argument(*names.split("/"), **how)

    @property
    def of_files(self):
        """The same where a command reads several prediction files: each can have a value of its own."""
        flag, _, metavar = self.usage.partition(" ")
        words = f"{self.help}; NAME= for one model"
        return replace(self, usage=f"{flag} [NAME=]{metavar}", help=words, several=True, choices=None)


def repeated(usage, words):
    """An Option that may be given several times; none if it is not."""
    return Option(usage, f"{words}; may be given several times", several=True, default=())


def add_flags(command, options):
    """Add options to a parser, or to a group of one."""
    command._negative_number_matcher = _NEGATIVE
    for option in options:
        option.add_to(command)
