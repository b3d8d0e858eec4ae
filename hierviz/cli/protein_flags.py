"""The flags of `hierviz evaluate` that add F-max and S-min to the block `labels`."""

from __future__ import annotations

import numpy as np

from hierviz.cli.output import progress
from hierviz.evaluation._protein_function import protein_function
from hierviz.messages.errors import FileError
from hierviz.metrics.sets.protein_function import information_accretion


def add_protein_flags(command):
    """Add the flags to a command."""
    command.add_argument(
        "--annotations",
        metavar="F",
        help="terms of annotated proteins, as a truth file: adds F-max, weighted F-max and S-min (protein function)",
    )
    command.add_argument(
        "--ia", metavar="F", help="information accretion of each term, term and bits; for the same numbers"
    )


def check_protein_flags(options):
    """Raise a FileError where both flags are given."""
    if options.annotations is not None and options.ia is not None:
        raise FileError("--ia: expected no --annotations beside it, got both. Leave one of them out.")


def accretion_of(options, taxonomy):
    """(information accretion or None, notes) that the flags ask for."""
    if options.ia is not None:
        from hierviz.readers.class_numbers_file import load_accretion

        return load_accretion(options.ia, taxonomy)
    if options.annotations is None:
        return None, []
    from hierviz.readers.truth_file import load_truth

    truth = load_truth(options.annotations, taxonomy)
    nodes = truth.nodes if hasattr(truth.nodes, "lengths") else truth.nodes[truth.nodes >= 0]
    bits = information_accretion(taxonomy, nodes)
    n_unknown = int(np.isnan(bits).sum())
    notes = [f"{truth.where}: information accretion from the annotations of {len(nodes)} proteins"]
    if n_unknown:
        notes.append(f"{truth.where}: {n_unknown} of {taxonomy.n_nodes - 1} terms are no protein's; they weigh 0")
    return bits, notes


def add_protein_numbers(report, models, accretion, notes):
    """Put the numbers into the block `labels` of each model of a report that has one."""
    for entry, model in zip(report["models"], models, strict=True):
        if entry["labels"] is not None:
            predictions = model.predictions
            entry["labels"] |= protein_function(
                predictions, accretion, progress=progress(f"F-max and S-min of {predictions.name}")
            )
            entry["notes"] += notes
