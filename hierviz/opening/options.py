"""The options of the commands that open files and of the app, and how errors and notes name them: as flags or as fields."""

import argparse
import functools
import os
from dataclasses import replace

from hierviz.demo import DEMOS
from hierviz.messages.parameters import PARAMETERS, said
from hierviz.opening.files import OPTIONS, PROJECTION, files_of
from hierviz.opening.flags import Option, add_flags
from hierviz.opening.model_settings import LIMITS, MODEL_OPTIONS, PREPROCESSING, model_options, reading_options
from hierviz.predictions.parametrisation import PARAMETRISATIONS

DEMO = Option(
    "--demo NAME",
    "a bundled demo: vehicles (drawings; if no name is given) or wikipedia (texts)",
    choices=DEMOS,
    bare=next(iter(DEMOS)),
)
CLUSTER = Option(
    "--cluster local[:N]|tcp://HOST:PORT",
    "evaluate on Dask: N worker processes on this machine, or a cluster (docs/cluster.md)",
)
TAXONOMY = ("taxonomy_form", "taxonomy_classes", "taxonomy_relations")
READING = ("missing", "percent", "ids", "samples", "disagreeing", "outside", "outside_truth", "mapping")
DATA_GB, FILES = 8.0, 100
# What visitors may bring, and which files of this machine they may name.
VISITORS = {
    "max_data_gb": Option(
        "--max-data-gb X",
        f"maximum size in GB of uploaded files and opened data of all visitors; one visitor has half (default: {DATA_GB:g})",
        type=float,
        default=DATA_GB,
    ),
    "max_files": Option(
        "--max-files N", f"maximum number of uploaded files of one visitor (default: {FILES})", type=int, default=FILES
    ),
    "allow_paths": Option(
        "--allow-paths FOLDER",
        "let every visitor open files of this machine by their path, but only inside this folder",
    ),
    "no_model_uploads": Option(
        "--no-model-uploads", "run no models that visitors upload, as on a public server; predictions are still taken"
    ),
}


def options_of(names, of_files=(), required=(), several=("predictions",)):
    """The options of some fields of `Files`, in order.

    Parameters
    ----------
    names : sequence of str
    of_files : sequence of str
        Those that may be given for a single prediction file too.
    required : sequence of str
    several : sequence of str
        Those that may be given several times.
    """
    found = []
    for name in names:
        option = OPTIONS[name].of_files if name in of_files else replace(OPTIONS[name], required=name in required)
        found.append(replace(option, several=True, default=()) if name in several else option)
    return found


def projection_options(level="--level"):
    """The options that say on which part of the taxonomy the files are judged; `level` is the flag of the rank to cut at."""
    return [replace(one, usage=one.usage.replace("--level", level)) for one in PROJECTION.values()]


def add_model_options(command):
    """Add the settings of a model to a parser, the preprocessing and the limits of its process as groups."""
    add_flags(command, MODEL_OPTIONS.values())
    shape = command.add_argument_group("preprocessing of pictures (overrides what the model declares)")
    add_flags(shape, PREPROCESSING.values())
    add_flags(command.add_argument_group("limits of the process that runs the model"), LIMITS.values())


def add_app_options(command):
    """Add the options that say which files the app opens."""
    names = ("model", "taxonomy", "inputs", "classes", "parametrisation", "truth", "truth_column", "media")
    files = options_of(("predictions", "nodes", "predictions_form", *TAXONOMY, *READING))
    named = options_of(names, of_files=("classes", "parametrisation"), several=("model",))
    add_flags(command, [DEMO, *files, *projection_options(), *named])
    add_model_options(command)


@functools.lru_cache(maxsize=8)
def start_options(arguments):
    """What the arguments of the app say, as a tuple of str, as an argparse.Namespace; others are left alone."""
    parser = argparse.ArgumentParser(add_help=False)
    add_app_options(parser)
    add_flags(parser, [CLUSTER, *VISITORS.values()])
    return parser.parse_known_args(arguments)[0]


def start_files(options):
    """The Files that `start_options` name; None where they name no taxonomy."""
    given = model_options(options)  # says what is no number
    if not options.taxonomy:
        return None
    reading = reading_options(options) if options.model else {}
    return replace(files_of(options), given=given, reading=reading, run=run_options(options))


def run_options(options):
    """Keywords of `Model.predict` of the options."""
    return {"batch_size": options.batch, "strict": options.strict}


def without_folder(word):
    """A word of a command, such as ``A=/home/me/a.csv``, without its folders, which are private."""
    start, equals, path = word.rpartition("=")
    is_of_here = os.path.isabs(path) or os.path.exists(path) or os.path.isdir(os.path.dirname(path))
    return f"{start}{equals}{os.path.basename(path.rstrip(os.sep)) or path}" if is_of_here else word


_ALL = {**OPTIONS, **PROJECTION, **MODEL_OPTIONS, **PREPROCESSING, **LIMITS}
_OF = {name: _ALL.get(name.rpartition(".")[2]) for name in PARAMETERS}
FLAGS = {name: option.usage.split()[0].split("/")[0] for name, option in _OF.items() if option is not None}
FLAGS["columns_by_input"] = f"{FLAGS['columns']} INPUT=COLUMN,..."
LABELS = {name: option.label for name, option in _OF.items() if option is not None and option.label}
# Parameters without a field: options of `hierviz app`.
AT_START = tuple(name for name in PARAMETERS if name not in LABELS)


def flag(name, value=None):
    """Words for `parameters.named`: the flag, with the value where one is meant."""
    return FLAGS[name] if value is None else f"{FLAGS[name]} {value}"


def with_flags(value):
    """A note, or notes in lists and dicts, with flags for parameters."""
    return said(value, flag)


def field(name, value=None):
    """Words for `parameters.named`: the field, with the value where one is meant."""
    if name in AT_START:
        return f"{FLAGS[name]} (when the app is started)"
    label = f"'{LABELS[name]}'"
    return label if value is None else f"{label}: {' | '.join(choice(name, part) for part in value.split(' | '))}"


def choice(name, value):
    """A value of a parameter as the field offers it."""
    if name == "parametrisation":
        return PARAMETRISATIONS[value].label
    return value.replace("_", " ").capitalize() if name == "scores" else value
