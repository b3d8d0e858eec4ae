"""Samples to ask a model about: those of the open data or of a file, and one of them as the model takes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pandas as pd

from hierviz.messages.errors import HiervizError, ModelError
from hierviz.onnx.inputs.model_inputs import ModelInputs, load_inputs
from hierviz.onnx.perturbation import PERTURBATIONS
from hierviz.onnx.sensitivity import settled_scores
from hierviz.opening.loading import mapping_of, truth_of
from hierviz.predictions.column_text import as_text
from hierviz.readers.outside import TRUTHS, OutsideNames
from hierviz.readers.pictures import Pictures
from hierviz.readers.truth_file import load_truth
from hierviz.taxonomy.taxonomy import NodeLists

# A picture is made smaller than this before it is perturbed.
MOST_PIXELS = 1024


@dataclass(frozen=True, eq=False)
class Samples:
    """Inputs and what is known about them.

    Parameters
    ----------
    inputs : ModelInputs
    truth : ndarray of int, shape (n_samples,), NodeLists or None
        Nodes of the model's taxonomy.
    key : str
        Identifies the samples.
    ids : ndarray of str, shape (n_samples,)
    is_meant : bool
        False for samples of data with another taxonomy than the model's, which the model may not be meant for.
    is_open_data : bool
        False for the inputs that the start of the app names.
    """

    inputs: ModelInputs
    truth: object
    key: str
    ids: np.ndarray
    is_meant: bool = True
    is_open_data: bool = True

    def __len__(self):
        return len(self.inputs)

    def truth_of(self, row):
        """The one true node of a sample, None when there is none."""
        return int(self.truth[row]) if isinstance(self.truth, np.ndarray) and self.truth[row] >= 0 else None

    def truths_of(self, row):
        """All true nodes of a sample, as a list; empty where none is known."""
        if isinstance(self.truth, NodeLists):
            return self.truth[row].tolist()
        node = self.truth_of(row)
        return [] if node is None else [node]


def kind_of(model):
    """What a sample of the model is: "picture", "text", "row" of a table, or "array" of another shape."""
    specs = model.inputs
    if len(specs) == 1 and not specs[0].why_never_pictures:
        return "picture"
    if len(specs) == 1 and specs[0].is_text:
        return "text"
    return "row" if all(len(spec.shape) <= 2 for spec in specs) else "array"


def samples_of_data(data, model, source):
    """The open data's samples as inputs of a model, None when they are of another kind.

    Parameters
    ----------
    data : Dataset
    model : Model
    source : ModelSource
    """
    predictions = data.first.predictions
    try:
        inputs = _inputs_of_data(data, predictions, model, source)
    except HiervizError:
        return None
    if inputs is None or len(inputs) != predictions.n_samples:
        return None
    is_meant = model.taxonomy.has_nodes_of(data.taxonomy)
    return Samples(inputs, predictions.truth if is_meant else None, data.digest, predictions.ids, is_meant)


def _inputs_of_data(data, predictions, model, source):
    for model_source in [source, *data.sources.values()]:
        if model_source.inputs is not None and (model_source.inputs.arrays is None) == (kind_of(model) == "picture"):
            return model_source.inputs.checked(model.inputs)
    names = next((predictions.attributes[key] for key in ("image", "file") if key in predictions.attributes), None)
    if kind_of(model) == "picture":
        if not isinstance(predictions.media, Pictures) or names is None:
            return None
        pictures = replace(predictions.media, names=tuple(map(str, names)))
        return ModelInputs(None, pictures, predictions.ids, predictions.attributes)
    if not predictions.attributes:
        return None
    frame = pd.DataFrame({"sample_id": predictions.ids, **predictions.attributes})
    return load_inputs(frame, model)


def samples_of_start(model, files):
    """The inputs, with their truth, that the start of the app names; None where there are none.

    Raises
    ------
    HiervizError
        If they cannot be read, or something about pictures must be said first.
    """
    if not files.inputs:
        return None
    samples = samples_of_file(files.inputs, model, **files.reading)
    truth = None
    if files.truth:
        unknown = OutsideNames(model.taxonomy, TRUTHS, files.outside_truth, mapping_of(files, model.taxonomy))
        numbers = files.classes or model.class_numbers
        known = load_truth(files.truth, model.taxonomy, files.truth_column, numbers, unknown)
        truth = truth_of(samples.inputs, Path(files.inputs).name, known)
    return replace(samples, truth=truth, is_open_data=False)


def samples_of_file(path, model, **reading):
    """Samples of a file that the visitor names; errors as `load_inputs`."""
    inputs = load_inputs(path, model, **reading)
    ids = np.arange(len(inputs)).astype(str) if inputs.sample_ids is None else as_text(inputs.sample_ids)
    return Samples(inputs, None, str(path), ids)


def picture_of(samples, specs, row):
    """Picture of a sample, uint8 (height, width, 3), None when the model is not fed pictures."""
    inputs = samples.inputs
    if inputs.arrays is None:
        return inputs.pictures.array(inputs.pictures.names[row])
    for spec in specs:
        pictures = spec.as_pictures(np.asarray(inputs.arrays[spec.name][row : row + 1]))
        if pictures is not None:
            return np.ascontiguousarray(pictures[0])
    return None


def perturbed(picture, strengths):
    """A picture after all perturbations of `hierviz.onnx.perturbation` by strength; itself when all are 0."""
    if not any(strengths.values()):
        return picture
    if max(picture.shape[:2]) > MOST_PIXELS:
        from PIL import Image

        small = Image.fromarray(picture)
        small.thumbnail((MOST_PIXELS, MOST_PIXELS))
        picture = np.asarray(small)
    for name, strength in strengths.items():
        picture = PERTURBATIONS[name][0](picture, strength) if strength else picture
    return picture


def picture_feed(model, picture):
    """One picture as the model takes it: input name to an array of one row."""
    spec = model.inputs[0]
    if spec.why_no_pictures:
        raise ModelError(
            f"{model.name}: expected the preparation of pictures to be known, got open questions. Answer them first."
        )
    return {spec.name: spec.from_pictures(spec.fitted(picture)[None])}


def row_feed(model, samples, row):
    """One sample as the model takes it."""
    return samples.inputs.feed(model.inputs, slice(row, row + 1))


def digest(feed):
    """Content of a feed as 32 hexadecimal digits."""
    content_hash = blake2b(digest_size=16)
    for name, array in sorted(feed.items()):
        content = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
        content_hash.update(f"{name}{array.dtype}{array.shape}".encode() + content)
    return content_hash.hexdigest()


def settled(model, samples):
    """The model with the kind of its scores detected from many rows, as in a whole run."""
    return settled_scores(model, samples.inputs, samples.ids)[0] if len(samples) > 1 else model


def answer(model, feed, truth=None):
    """Predictions of one row that was not part of a file.

    Parameters
    ----------
    model : Model
    feed : dict of input name to array of one row
    truth : int, optional

    Returns
    -------
    Predictions
        Of one sample.
    """
    # One row alone would be computed differently: it is padded, as in every run.
    notes = []
    read = model.read_scores(model.run_blocks([feed], 1, batch_size=2, notes=notes))
    made = model.predictions_of(
        read,
        model.account["file"],
        truth=None if truth is None else np.array([truth]),
        notes=(*notes, *read.notes),
        detected={"scores": f"{read.kind.kind}: {read.kind.why}", "why": read.why},
    )
    return model.known.judged(made)
