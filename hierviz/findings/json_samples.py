"""Samples of a JSON file or of JSON lines, to read on after one that cannot be read."""

from __future__ import annotations

import json
import re
from collections import Counter

from hierviz.messages.errors import HiervizError
from hierviz.messages.new_files import new_text
from hierviz.messages.parameters import template_of
from hierviz.readers import file_limits
from hierviz.readers.truth_file import ID_COLUMNS

# So many faults are reported one by one, and so many in the same words: the file may be of another form.
MOST_ERRORS, MOST_ALIKE = 20, 3
_SAMPLE = re.compile(r", sample (\d+)\b")


class JsonSamples:
    """The samples that are left: `values`, and `numbers`, their places in the file.

    Parameters
    ----------
    values : list
    where : str
        The file.
    is_lines : bool
        One a line.
    """

    def __init__(self, values, where, is_lines):
        self.values, self.where, self.is_lines, self.n_errors = values, where, is_lines, 0
        self.numbers, self.told = list(range(len(values))), Counter()

    @classmethod
    def of(cls, source):
        """The samples of a file; None where it is no list of them."""
        try:
            text = source.read_text()
            file_limits.require_json(source.where, text)
            value = json.loads(text)
            is_lines = False
        except json.JSONDecodeError:
            try:
                value, is_lines = [json.loads(line) for line in text.splitlines() if line.strip()], True
            except (ValueError, RecursionError):
                return None
        except (HiervizError, ValueError, RecursionError):
            return None
        return cls(list(value), source.where, is_lines) if isinstance(value, list) else None

    @property
    def has_ids(self):
        """Whether samples are called by an id of their own."""
        return all(
            isinstance(value, dict) and any(key.casefold() in ID_COLUMNS for key in value) for value in self.values
        )

    def place(self, error):
        """Place of the sample that an error is about; None where it names none, or enough are reported."""
        if error is None:
            return None
        place, _, words = template_of(error).partition(": ")
        match = _SAMPLE.search(place)
        self.told[words] += 1
        if self.told[words] > MOST_ALIKE:
            return None
        if match is None or self.n_errors >= MOST_ERRORS or int(match[1]) >= len(self.values):
            return None
        return int(match[1])

    def error(self, error):
        """The error with the number that the sample has in the file."""
        text = _SAMPLE.sub(lambda match: f", sample {self.numbers[int(match[1])]}", template_of(error), count=1)
        return type(error)(text)

    def leave_out(self, place):
        """Leave a sample out: whether any are left."""
        del self.values[place], self.numbers[place]
        self.n_errors += 1
        return bool(self.values)

    def write(self, path):
        """Write what is left in the form of the file."""
        with new_text(path) as file:
            if self.is_lines:
                file.writelines(json.dumps(value) + "\n" for value in self.values)
            else:
                json.dump(self.values, file)
