"""What a visitor has changed in the probabilities of a sample, where the living example asks before it shows."""

from __future__ import annotations

import numpy as np

from hierviz.app import state
from hierviz.charts.ladder_record import ladder_record
from hierviz.diagnosis._what_if import changed_sample
from hierviz.messages.number_text import probability_text

# Key of the model's own answer next to the changed one.
OWN = "the-model-itself"


def changes(digest, key, sample):
    """(node, p) of the classes that were changed, in order; of a data set, model and sample."""
    return tuple(state.memory("what if").get((digest, key, sample), {}).items())


def take(told, digest, key, sample):
    """Take over a bar that was dragged in the browser, None for none of them any more."""
    memory, where = state.memory("what if"), (digest, key, sample)
    if told is None:
        memory.pop(where, None)
        return
    node, p = int(told["node"]), float(told["p"])
    before = {other: value for other, value in memory.get(where, {}).items() if other != node}
    memory[where] = before | {node: p}


def changed_record(evaluation, sample, settings, changed, picture):
    """The record of a sample as it was changed, with that of the model itself next to it."""
    row, taxonomy = evaluation.predictions.row(sample), evaluation.taxonomy
    p = evaluation.predictions.node_probabilities(np.array([row]))[0]
    classes = (
        f"{taxonomy.title(node)} {probability_text(value)} (model: {probability_text(float(p[node]))})"
        for node, value in changed
    )
    words = f"Changed by you, not the model’s: {', '.join(classes)}."
    models = {"changed": changed_sample(evaluation, row, changed), OWN: evaluation}
    record = ladder_record(models, sample, settings, shown="changed", picture=picture, curve=False, changed=words)
    name = evaluation.predictions.name
    for model, title in zip(record["models"], ("Changed by you", f"{name}, unchanged"), strict=True):
        model["name"] = title
    return record
