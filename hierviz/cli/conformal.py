"""Options and work of `evaluate --conformal` and `table --conformal`: nodes that hold the true class with a probability."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace

import numpy as np

from hierviz.cli.judging import files_read, load_models
from hierviz.cli.output import progress
from hierviz.evaluation._conformal import BY_CLASS, conformal_of_model, why_no_conformal
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.summary import PATHS
from hierviz.messages.errors import FileError
from hierviz.messages.number_text import percent_text
from hierviz.opening.flags import Option
from hierviz.opening.named_files import values_by_method

CONFORMAL = (
    Option(
        "--conformal ALPHA",
        "answer each sample with one node that holds its true class with a probability of at least 1 - ALPHA; adds block "
        "`conformal`, in a table columns of it, with evaluate --per-sample the class of each sample",
        type=float,
    ),
    Option(
        "--calibration [NAME=]F|SHARE",
        "of --conformal: predictions of the same model for other samples with a known truth, or a share of the samples, drawn "
        "at random (default: 0.5), NAME= for one model",
        several=True,
    ),
    Option(
        f"--conformal-by {BY_CLASS}|C",
        "of --conformal: one calibration for each top class of the most probable leaf, or a column of dependent groups",
    ),
)


def check_conformal(options):
    """Report what is wrong with the options before the work."""
    alpha = options.conformal
    if alpha is None:
        for name in ("calibration", "conformal_by"):
            if getattr(options, name):
                flag = f"--{name.replace('_', '-')}"
                raise FileError(f"{flag}: expected --conformal with it, got none. Add it, such as --conformal 0.1.")
    elif not 0 < alpha < 1:
        raise FileError(
            f"--conformal: expected a number between 0 and 1, got {alpha:g}. 0.1 asks for a probability of 90 %."
        )
    elif getattr(options, "cluster", None) is not None and any(_share(one) is None for one in _calibrations(options)):
        raise FileError(
            "--calibration: expected a share with --cluster, got a file. Give a share, or leave --cluster out."
        )


def conformal_of_models(options, chosen, models):
    """(ConformalNodes or None, why there are none) of each Evaluation; says on standard error what they are."""
    found = []
    calibrations = _calibrations(options, [model.predictions.name for model in models])
    for place, (model, calibration) in enumerate(zip(models, calibrations, strict=True)):
        reason, name = why_no_conformal(model), model.predictions.name
        if reason:
            found.append((None, reason))
            continue
        part = _share(calibration)
        if part is None:
            part = _evaluated(options, place, calibration)
        told = progress(f"{PATHS} of {name}")
        nodes = conformal_of_model(model, options.conformal, calibration=part, by=options.conformal_by, progress=told)
        found.append((nodes, None))
        print(f"{name}: {_said(nodes)}", file=sys.stderr)
    return found


def named_nodes(model, found):
    """The conformal node of each judged sample by name, ndarray of str; empty for those that are calibrated on."""
    names = np.array(["", *model.taxonomy.names], dtype=object)
    nodes = np.full(model.predictions.n_samples, -1)
    is_own = found.rows < len(nodes)
    nodes[found.rows[is_own]] = found.nodes[is_own]
    return names[nodes[model.rows] + 1]


def _calibrations(options, names=()):
    """What each file of predictions is calibrated on, or each of some models that are run here: list of str."""
    methods = [file.method for file, *_ in files_read(options).readings] or list(names)
    given = values_by_method("--calibration", options.calibration, methods)
    return ["0.5" if one is None else one for one in given]


def _share(text):
    """The share that a text says, or None where it names a file; a FileError where it is neither."""
    if os.path.exists(text):
        return None
    try:
        share = float(text)
    except ValueError:
        if "://" in text:
            return None
        raise FileError(
            f"--calibration: expected a share between 0 and 1 or a file, got {text!r}, which is no file. Check the path."
        ) from None
    if not 0 < share < 1:
        raise FileError(f"--calibration: expected a share between 0 and 1, got {text}. 0.5 takes half of the samples.")
    return share


def _evaluated(options, place, path):
    """Evaluation of the calibration file of one of the models, read as its own file is."""
    if not options.predictions:
        raise FileError("--calibration: expected a share with models that are run here, got a file. Give a share.")
    files = [file for file, *_ in files_read(options).readings]
    file = files[place]
    changes = {"predictions": [f"{file.method}={path}"]}
    # A value for all files of several serves one; of values by NAME only those of this method are there.
    for name in ("parametrisation", "classes", "predictions_form"):
        given = getattr(options, name, None)
        if isinstance(given, list):
            methods = {other.method for other in files} - {file.method}
            changes[name] = [one for one in given if one.partition("=")[0] not in methods] or None
    _, (predictions,) = load_models(argparse.Namespace(**(vars(options) | changes)))
    predictions = replace(predictions, name=os.path.basename(path))
    return Evaluation.from_predictions(predictions, progress(predictions.name), threads=options.threads)


def _said(nodes):
    """The promise, and how the samples that are not calibrated on bear it out."""
    if nodes.held is None:
        return nodes.sentence
    held = (
        nodes.shortfall
        or f"The true class is held in {percent_text(nodes.held, 1)} of the {nodes.n_check:,} {nodes.checked}."
    )
    return f"{nodes.sentence} {held} {percent_text(nodes.root_share, 1)} of the answers are the root."
