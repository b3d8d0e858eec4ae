"""What the app has open: a taxonomy and some evaluated models on it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from hierviz.demo import load_demo
from hierviz.errors import FileError
from hierviz.evaluation import Evaluation
from hierviz.onnx import load_inputs, load_model
from hierviz.predictions import with_distinct_names
from hierviz.readers import (
    attach_media,
    attach_truth,
    load_predictions,
    load_taxonomy,
    read_node_attributes,
)
from hierviz.summary import require_same_samples
from hierviz.taxonomy import Taxonomy

DEMO = "demo"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A taxonomy and models evaluated on the same samples.

    Attributes
    ----------
    key : str
        Digest of the files; stands in the URL.
    title : str
    taxonomy : Taxonomy
    models : dict of str to Evaluation
        By a short name that can stand in a URL.
    """

    key: str
    title: str
    taxonomy: Taxonomy
    models: dict[str, Evaluation]

    @property
    def first(self):
        """The first model."""
        return next(iter(self.models.values()))

    @property
    def sample_ids(self):
        """Ids of the samples in the order of the first model."""
        return self.first.predictions.ids


@dataclass(frozen=True)
class Files:
    """Paths and readings the user chose; uploads lie in a private folder under their own names."""

    taxonomy: str | None = None
    predictions: tuple[str, ...] = ()
    truth: str | None = None
    truth_column: str | None = None
    classes: str | None = None
    parametrisation: str | None = None
    model: tuple[str, ...] = ()
    inputs: str | None = None
    nodes: str | None = None
    media: str | None = None
    taxonomy_form: str | None = None
    taxonomy_separator: str | None = None
    taxonomy_direction: str | None = None

    @property
    def paths(self):
        """All paths named, in a fixed order."""
        single = (self.taxonomy, self.truth, self.classes, self.inputs, self.nodes, self.media)
        return [path for path in (*single, *self.predictions, *self.model) if path]


def open_demo(progress=None):
    """The bundled demo: its models are run on its pictures here and now."""
    taxonomy, predictions = load_demo(progress=progress)
    return Dataset(DEMO, "Demo: drawn vehicles", taxonomy, _evaluated(predictions))


def open_files(files, progress=None):
    """Read and evaluate the user's files.

    Raises
    ------
    HiervizError
        With the file and what is wrong with it.
    """
    if not files.taxonomy:
        raise FileError("taxonomy: expected a file, got none. Name the file that says which class belongs under which.")
    if not files.predictions and not files.model:
        raise FileError(
            "predictions: expected a prediction file or an ONNX model with its inputs, got none. Add one of them."
        )
    taxonomy = load_taxonomy(
        files.taxonomy, form=files.taxonomy_form, separator=files.taxonomy_separator, direction=files.taxonomy_direction
    )
    if files.nodes:
        taxonomy = read_node_attributes(files.nodes, taxonomy)
    found = [
        load_predictions(
            path,
            taxonomy,
            truth=files.truth,
            truth_column=files.truth_column,
            classes=files.classes,
            parametrisation=files.parametrisation,
        )
        for path in files.predictions
    ]
    for path in files.model:
        if not files.inputs:
            raise FileError(
                f"{Path(path).name}: expected inputs to run the model on, got none. Add pictures or an array."
            )
        model = load_model(path, taxonomy, classes=files.classes, parametrisation=files.parametrisation)
        predictions = model.predict(load_inputs(files.inputs, model), progress=progress)
        found.append(attach_truth(predictions, files.truth, files.truth_column) if files.truth else predictions)
    if files.media:
        found = [attach_media(one, files.media) for one in found]
    require_same_samples(found)
    title = ", ".join(Path(path).name for path in (*files.predictions, *files.model))
    return Dataset(digest(files), title, taxonomy, _evaluated(found))


def digest(files):
    """Content hash of everything the user chose, 16 hexadecimal digits."""
    state = hashlib.blake2b(repr([(k, v) for k, v in vars(files).items() if k not in _PATHS]).encode(), digest_size=8)
    for path in files.paths:
        found = sorted(Path(path).rglob("*")) if Path(path).is_dir() else [Path(path)]
        for one in found:
            if one.is_file():
                with open(one, "rb") as file:
                    state.update(one.name.encode() + hashlib.file_digest(file, "blake2b").digest())
    return state.hexdigest()


_PATHS = ("taxonomy", "truth", "classes", "inputs", "nodes", "media", "predictions", "model")


def _evaluated(predictions):
    models = {}
    for one in with_distinct_names(predictions):
        slug = re.sub(r"[^a-z0-9]+", "-", one.name.lower()).strip("-") or "model"
        key, number = slug, 2
        while key in models:
            key, number = f"{slug}-{number}", number + 1
        models[key] = Evaluation.of(one)
    return models
