"""The flags that say on which part of the taxonomy predictions are judged; one place for all commands and the app."""

from __future__ import annotations

from hierviz.messages.errors import FileError
from hierviz.projection.projected import UNSEEN, cut, only_known, with_other_leaves
from hierviz.taxonomy.checks import check_key

INNER_TRUTH = ("own", "other")
NAMES = ("max_depth", "cut_level", "only_known", "unseen", "inner_truth")


def add_projection_flags(command, level="--level"):
    """Add the flags to a command; `level` is what the flag of the rank is called there.

    Returns
    -------
    list of argparse.Action
    """
    check_key("flag", level.strip("-").replace("-", "_"))
    return [
        command.add_argument(
            "--max-depth",
            type=int,
            metavar="D",
            help="cut the taxonomy at this depth; truths below go to their ancestor",
        ),
        command.add_argument(
            level,
            dest="cut_level",
            metavar="RANK",
            help="cut it at a rank: header of a level column, node attribute `rank`, or a depth; leaves above it stay",
        ),
        command.add_argument(
            "--only-known",
            action="store_true",
            help="keep to the classes that have a column (of labels: those of --classes) and their ancestors",
        ),
        command.add_argument(
            "--unseen",
            metavar="project|error",
            help="of a truth outside the known classes: judge it at its nearest known ancestor, or stop (default: left out, "
            "counted); implies --only-known",
        ),
        command.add_argument(
            "--inner-truth",
            metavar="own|other",
            help="an inner class as truth: the end of its own path (default), or a leaf `other` below it",
        ),
    ]


def asks_for_projection(options):
    """Whether any of the flags is given."""
    return any(getattr(options, name, None) not in (None, False) for name in NAMES)


def is_partial(options):
    """Whether columns may be missing."""
    return bool(getattr(options, "only_known", False) or getattr(options, "unseen", None) is not None)


def check_projection(options):
    """Raise a FileError unless the flags make sense together, before anything is read."""
    for name, words in (("unseen", UNSEEN), ("inner_truth", INNER_TRUTH)):
        value = getattr(options, name, None)
        if value is not None and value not in words:
            raise FileError(f"--{name.replace('_', '-')}: expected {' or '.join(words)}, got {value!r}. Choose one.")
    if getattr(options, "max_depth", None) is not None and getattr(options, "cut_level", None) is not None:
        raise FileError("--max-depth: expected no level beside it, got both. Leave one of them out.")


def projected(options, models):
    """The Predictions on the taxonomy that the flags ask for.

    Parameters
    ----------
    options : object
        With the flags as attributes.
    models : list of Predictions
        On one taxonomy.

    Returns
    -------
    list of Predictions

    Raises
    ------
    FileError, PredictionsError, TaxonomyError
        If flags contradict each other, nothing says what the models know, or the taxonomy has no such level.
    """
    check_projection(options)
    if is_partial(options):
        for model in models:
            if not model.has_scores and model.known is None and getattr(options, "classes", None) is None:
                raise FileError(
                    f"{model.name}: expected the classes that the model knows beside its labels, got none. Name them with "
                    "--classes."
                )
        models = only_known(models, getattr(options, "unseen", None))
    if getattr(options, "max_depth", None) is not None:
        models = [cut(model, max_depth=options.max_depth) for model in models]
    if getattr(options, "cut_level", None) is not None:
        models = [cut(model, level=options.cut_level) for model in models]
    if getattr(options, "inner_truth", None) == "other":
        models = with_other_leaves(models)
    return models
