"""What hierviz says when its input is wrong.

Every message is one line, `where: expected X, got Y. What to do.` Values are shown with `repr`, at most five of them.
"""

import difflib


class HiervizError(Exception):
    """Base of all errors that the user's input can cause; anything else is a bug of ours."""


class TaxonomyError(HiervizError):
    """The class taxonomy cannot be used as given."""


class PredictionsError(HiervizError):
    """Predictions, truth or their join cannot be used as given."""


class ModelError(HiervizError):
    """An ONNX model cannot be loaded, understood or run."""


class FileError(HiervizError):
    """A file cannot be read or written, or holds something else than was said."""


def listed(values, most=5):
    """Text that names the first `most` values with `repr` and counts the rest."""
    values = list(values)
    text = ", ".join(repr(value) if isinstance(value, str) else str(value) for value in values[:most])
    return text if len(values) <= most else f"{text} and {len(values) - most} more"


def near_miss(name, names):
    """A sentence that offers the name nearest to `name`, or an empty text when none is near."""
    folded = {str(other).strip().casefold(): other for other in names}
    same = folded.get(name.strip().casefold())
    near = [same] if same is not None else difflib.get_close_matches(name, names, n=1, cutoff=0.7)
    return f" Did you mean {near[0]!r}?" if near else ""
