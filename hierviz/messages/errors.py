"""What hierviz says when its input is wrong.

Every message is one line, `where: expected X, got Y. What to do.`, of at most `LONGEST_MESSAGE` characters. Values are shown
with `repr`, at most five of them and at most `LONGEST_VALUE` characters of each: the errors see to that by themselves.
What to do often is to give a parameter: the message names it as `parameters.named` reads it, and who shows the error says how.
"""

import difflib
import re
import unicodedata
from functools import partial

from hierviz.messages.parameters import QUOTED, Words, in_python, named, parameters_in, template_of

LONGEST_MESSAGE = 500
LONGEST_VALUE = 60
# The search for a near miss takes no longer names than this, and so many letters in all: both cost time.
_LONGEST_COMPARED, _MOST_LETTERS = 60, 500_000

_QUOTED = re.compile(QUOTED, re.VERBOSE | re.DOTALL)
_ESCAPED_OR_PLAIN = re.compile(r"\\(?:x..|u....|U........|.)|.", re.DOTALL)
_NOT_ASCII = re.compile(r"[^ -~]")
# Numbers, wnids, GO:0008150, J45.0, uuids, /m/01yrx: one that looks nearly the same means something else.
_ID = re.compile(
    r"\d[\d.\-]*|[nvars]\d{8}|[A-Za-z]{1,10}[:_]\d{4,}|[A-TV-Z]\d{2}(\.\w{1,4})?|Q\d+|/m/\w+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    re.IGNORECASE,
)
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")


class HiervizError(Exception):
    """Base of all errors that the user's input can cause; anything else is a bug in hierviz.

    Parameters
    ----------
    message : str
        With parameters as `parameters.named` reads them; kept as `template`. As text the error names Python's keywords.
    about : list of str
        Names of the classes that it is about, where it is about some.
    """

    def __init__(self, message: str = "", about: list[str] | tuple[str, ...] = ()) -> None:
        self.template, self.about = template_of(message), tuple(about)
        super().__init__(self.said(in_python))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that the message asks for: keys of `hierviz.messages.parameters.PARAMETERS`."""
        return parameters_in(self.template)

    def said(self, words: Words) -> str:
        """The message in the words of who shows it; see `parameters.named`."""
        return _one_line(named(self.template, words))


class TaxonomyError(HiervizError):
    """The class taxonomy cannot be used as given."""


class PredictionsError(HiervizError):
    """Predictions, truth or their join cannot be used as given."""


class ModelError(HiervizError):
    """An ONNX model cannot be loaded, understood or run."""


class FileError(HiervizError):
    """A file cannot be read or written, or holds something else than expected."""


class ClusterError(HiervizError):
    """A cluster cannot be reached, or its workers cannot do what they are asked for."""


def printable(text):
    """`text` on one line that can be printed anywhere.

    Line breaks and tabs are blanks; control characters, marks of writing direction and halves of characters (as in file
    names that are not UTF-8) are escaped as `repr` does it.
    """
    if text.isprintable():
        return text
    return _NOT_ASCII.sub(_escaped, _BREAKS.sub(" ", text))


def shortened(text, most=LONGEST_VALUE):
    """`text`, its middle replaced by … when it is longer than `most` characters."""
    if len(text) <= most:
        return text
    tail = 2 * (most - 1) // 5
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def first_words(text, most):
    """The start of a text that ends with a word, and with … where more follows; at most about `most` characters."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    start = text[: most + 1].rpartition(" ")[0] or text[:most]
    return f"{start.rstrip(' ,;:.…')} …"


def shown(value, most=LONGEST_VALUE):
    """A value as errors and notes show it: text with `repr`, anything else with `str`; at most `most` characters of it."""
    if isinstance(value, str):
        return _shortened_quoted(repr(value), most)
    return shortened(printable(str(value)), most)


def listed(values, most=5):
    """Text that names the first `most` values as `shown` does and counts the rest."""
    values = list(values)
    text = ", ".join(map(shown, values[:most]))
    return text if len(values) <= most else f"{text} and {len(values) - most} more"


def slug(text, otherwise):
    """A text as part of the name of a file or of a link: a-z, 0-9 and hyphens; `otherwise` if none is left."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or otherwise


def near_miss(name, names):
    """A sentence that offers the name nearest to `name`, or an empty text when none is near."""
    near = nearest(name, names)
    return "" if near is None else f" Did you mean {near!r}?"


def nearest(name, names):
    """The name nearest to `name`, None when none is near.

    A long name is not compared, and of very many names only those of about the same length. For an id (a number, a wnid)
    nothing is offered: the nearest one is another class.
    """
    wanted = name.strip()
    if len(wanted) > _LONGEST_COMPARED or _ID.fullmatch(wanted):
        return None
    names = [other for other in map(str, names) if len(other) <= 2 * _LONGEST_COMPARED]
    same = next((other for other in names if other.strip().casefold() == wanted.casefold()), None)
    if same is not None:
        return same
    most = _MOST_LETTERS // max(len(wanted), 10)
    if len(names) > most:
        names = sorted(names, key=lambda other: abs(len(other) - len(wanted)))[:most]
    return next(iter(difflib.get_close_matches(wanted, names, n=1, cutoff=0.7)), None)


def _escaped(match):
    sign = match[0]
    is_plain = sign.isprintable() or unicodedata.category(sign) == "Zs"
    return sign if is_plain else sign.encode("unicode_escape").decode()


def _one_line(message):
    """A message on one line of at most `LONGEST_MESSAGE` characters: values are shortened first, then the file's name."""
    message = printable(message)
    for most in (LONGEST_VALUE, 40, 24, 12):
        message = _QUOTED.sub(partial(_shortened_value, most=most), message)
        if len(message) <= LONGEST_MESSAGE:
            return message
    where, colon, rest = message.partition(": ")
    return shortened(shortened(where, 120) + colon + rest, LONGEST_MESSAGE)


def _shortened_value(match, most):
    return match[0] if match[0].startswith("python") else _shortened_quoted(match[0], most)


def _shortened_quoted(token, most):
    """A text in quotes as `repr` writes it, its middle replaced by … when there are more than `most` characters inside."""
    start = 2 if token[0] == "b" else 1
    if len(token) - start - 1 <= most:
        return token
    inside = token[start:-1]
    if len(inside) > 10_000:
        inside = inside[:1000] + inside[-1000:]
    # An escape such as \u2028 stays whole.
    units = _ESCAPED_OR_PLAIN.findall(inside)
    tail = 2 * (most - 1) // 5
    first, last = _fitting(units, most - 1 - tail), _fitting(reversed(units), tail)
    return f"{token[:start]}{''.join(first)}…{''.join(reversed(last))}{token[-1]}"


def _fitting(units, most):
    """The first of `units` that together have at most `most` characters."""
    fitting, length = [], 0
    for unit in units:
        length += len(unit)
        if length > most:
            break
        fitting.append(unit)
    return fitting
