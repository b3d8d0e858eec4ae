"""A model of the open data that was run here, and its inputs: what it can be run on again."""

from __future__ import annotations

from dataclasses import dataclass

from hierviz.app import state
from hierviz.app.widgets.model_samples import samples_of_data, settled
from hierviz.messages.errors import FileError, HiervizError
from hierviz.onnx.inputs.model_inputs import ModelInputs


@dataclass(frozen=True, eq=False)
class Looked:
    """A model and what it is run on.

    Parameters
    ----------
    model : Model
    inputs : ModelInputs
    key : tuple
        Changes with the model and the inputs.
    """

    model: object
    inputs: ModelInputs
    key: tuple


def is_offered(data, key):
    """Whether a model of the open data was run here: nothing is read to know that."""
    return key in data.sources and data.taxonomy.is_tree


def looked_at(data, key):
    """(Looked, the ids of its inputs) of a model that was run here; None where its inputs are not known.

    Raises
    ------
    HiervizError
        If the model cannot be read any more, or something about it must be said first.
    """
    source, taxonomy = data.sources[key], data.taxonomy
    try:
        model = state.opened_model((source.key, taxonomy.sha256, taxonomy.names), lambda: source.draft(taxonomy))
    except OSError as error:
        raise FileError(
            f"{source.path.name}: expected the model, got {error.strerror or error}. Open it again."
        ) from None
    if isinstance(model, HiervizError):
        raise model
    model.require_answers()
    asked = (data.digest, data.key, source.key)
    samples = state.computed("inputs of the data", asked, lambda: _Found(data, model, source)).samples
    if samples is None:
        return None
    ready = state.answered((source.key, "settled", samples.key), lambda: settled(model, samples))
    return Looked(ready, samples.inputs, (source.key, samples.key)), samples.ids


class _Found:
    """What was found; `state.computed` takes no None."""

    def __init__(self, data, model, source):
        self.samples = samples_of_data(data, model, source)
