"""The options of the commands that read predictions, and the predictions they stand for."""

from __future__ import annotations

from hierviz.cli.output import progress
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.opening.files import OF_FILES, files_of
from hierviz.opening.flags import Option
from hierviz.opening.loading import load_files
from hierviz.opening.start_options import READING, TAXONOMY, options_of, projection_options
from hierviz.predictions.predictions import with_distinct_names

JSON = Option("--json FILE|-", "file for the JSON (- is standard output, the default)", default="-")
OUT = Option("--out FILE|-", "file to write (- is standard output, the default)", default="-")
THREADS = Option("--threads N", "threads that work on large files, with numba installed (all processors)", type=int)
GROUP = Option("--group C", "column of samples that belong together: they are drawn or permuted as a whole")
RESAMPLES = Option("--resamples N", "bootstrap resamples; 0 for no intervals (default: 1000)", type=int, default=1000)
SEED = Option("--seed N", "seed of what is drawn (default: 0)", type=int, default=0)
(NODES,) = options_of(["nodes"])
(MEDIA,) = options_of(["media"])
# Of commands that judge one model.
ONE_RULE = (
    Option("--rule KEY", f"one of {', '.join(INFERENCE_RULES)} (default: majority)"),
    Option("--threshold X", "of the rules `threshold` and `threshold_set` (default: 0.5)", type=float),
)


def input_options(*, taxonomy=True, level="--level", required=True):
    """Options of the commands that read predictions; `level` is what the flag of the rank to cut at is called.

    A command with a `taxonomy` of its own need not have any, and one with other sources asks for them itself: `required`.
    """
    names = ("predictions", "predictions_form", "truth", "truth_column", "classes", "parametrisation", *READING)
    names = ("taxonomy", *TAXONOMY, *names) if taxonomy else names
    needed = ("taxonomy", "predictions") if taxonomy and required else ()
    return [*options_of(names, of_files=OF_FILES, required=needed), *projection_options(level)]


def load_models(options, *, keep_empty_labels=False, read_scores=True):
    """Taxonomy and Predictions that the options of a command name; see `load_predictions` for `read_scores`."""
    taxonomy, models, _ = load_files(
        files_of(options), progress, keep_empty_labels=keep_empty_labels, read_scores=read_scores
    )
    return taxonomy, with_distinct_names(models)
