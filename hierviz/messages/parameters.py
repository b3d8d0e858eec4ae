"""The parameters that errors and notes name, and how a text names them.

A text writes a parameter as `{classes}`, or as `{scores=logits}` with the value to give. Whoever shows the text says how the
parameter is given there: Python by its keyword, the command line by its flag, the app by the label of a field.
Values in quotes are never changed.
"""

import re
from collections.abc import Callable

# Parameters are called the same in Python, on the command line and in the names of fields; those after a point are parts of one.
PARAMETERS = (
    *("classes", "scores", "parametrisation", "outputs", "missing", "ignore", "sum_repeated", "unseen", "only_known"),
    *(
        "inner_truth",
        "truth",
        "truth_column",
        "ids",
        "samples",
        "percent",
        "disagreeing",
        "outside",
        "outside_truth",
        "taxonomy_classes",
        "media",
        "text_column",
    ),
    "columns",
    *("columns_by_input", "strict", "model"),
    *(f"preprocessing.{part}" for part in ("layout", "size", "resize", "crop", "resample", "pad", "colour")),
    *(f"preprocessing.{part}" for part in ("range", "mean", "std")),
    *("limits.cpu_seconds", "limits.memory_mb"),
)
# Those that Python takes in another way than as a keyword of that name.
_IN_PYTHON = {
    "only_known": "hierviz.projection.only_known",
    "inner_truth": "hierviz.projection.with_other_leaves",
    "taxonomy_classes": "hierviz.load_taxonomy(..., classes=...)",
    "columns_by_input": "columns={input: column}",
    "model": "hierviz.load_model",
    **{name: f"{name}=True" for name in ("sum_repeated", "percent", "strict")},
}
# A value as `repr` writes it; a command that the reader should copy is none.
QUOTED = r"""python\ -c\ "[^"]*" | (?<![\w\\]) b? (?: '[^'\\]*(?:\\.[^'\\]*)*' | "[^"\\]*(?:\\.[^"\\]*)*" ) (?!\w)"""
_NAMED = re.compile(
    rf"(?P<quoted>{QUOTED}) | \{{(?P<name>[a-z_.]+)(?:=(?P<value>[^{{}}]*))?\}}", re.VERBOSE | re.DOTALL
)

# Called with a key of `PARAMETERS` and the value to give, None where any will do.
Words = Callable[[str, str | None], str]


def named(text, words):
    """`text` with its parameters in the words of who shows it.

    Parameters
    ----------
    text : str
    words : callable
        Called with a key of `PARAMETERS` and the value to give, None where any will do; several values are joined by " | ".
    """

    def said(match):
        return words(match["name"], match["value"]) if match["name"] in PARAMETERS else match[0]

    return _NAMED.sub(said, text)


def parameters_in(text):
    """The keys of `PARAMETERS` that a text names, each once."""
    names = [match["name"] for match in _NAMED.finditer(text)]
    return tuple(dict.fromkeys(name for name in names if name in PARAMETERS))


def in_python(name, value=None):
    """Words for `named`: the keyword, as ``classes=`` or ``scores='logits'``."""
    whole, _, part = name.partition(".")
    inside = {"preprocessing": f"{{'{part}': ...}}", "limits": f"Limits({part}=...)"}.get(whole, "...")
    taken = _IN_PYTHON.get(name, f"{whole}={inside}")
    if value is None:
        return taken.removesuffix("...")
    first, *others = (
        f"[{choice.replace(',', ', ')}]" if name.startswith("preprocessing.") else repr(choice)
        for choice in value.split(" | ")
    )
    return " | ".join([taken.replace("...", first), *others])


class Sentence(str):
    """A text that may name parameters. As a str it names Python's keywords, `said` names something else.

    Parameters
    ----------
    text : str
        With parameters as `named` reads them; kept as `template`.
    """

    def __new__(cls, text):
        template = template_of(text)
        made = super().__new__(cls, named(template, in_python))
        made.template = template
        return made

    def __getnewargs__(self):
        return (self.template,)

    def said(self, words):
        """The text in the words of who shows it; see `named`."""
        return named(self.template, words)


def template_of(text):
    """A text, Sentence or error as it was written; text that names no parameter as it is."""
    return getattr(text, "template", None) or str(text)


def said(value, words):
    """`value` with every Sentence in it, also in lists and dicts, in the words of who shows it."""
    if isinstance(value, Sentence):
        return value.said(words)
    if isinstance(value, dict):
        return {key: said(item, words) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(said(item, words) for item in value)
    return value
