"""The open data of the app: a taxonomy and evaluated models on it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace

from hierviz.app.state.file_content import PATHS, digest, same_content
from hierviz.app.state.model_source import ModelSource
from hierviz.cli.named_files import RunFile, with_runs
from hierviz.cli.projection_flags import check_projection, is_partial, projected
from hierviz.cli.taxonomy_flags import taxonomy_options
from hierviz.demo import CREDIT, DEMOS, MODELS, bundle_folder, load_demo, load_wikipedia
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.summary import require_same_samples
from hierviz.messages.errors import FileError, HiervizError, ModelError
from hierviz.messages.parameters import template_of
from hierviz.onnx.inputs.model_inputs import load_inputs, without_unreadable
from hierviz.onnx.model import load_model
from hierviz.predictions.predictions import with_distinct_names
from hierviz.readers.attach import attach_media, attach_truth
from hierviz.readers.node_attributes import load_node_attributes
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.streams import require_file
from hierviz.readers.taxonomy_file import load_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

DEMO = "demo"
# Keys of the demos, which are open to everybody, and what the command line calls them.
NAME_OF_DEMO = {DEMO: "vehicles", "wikipedia": "wikipedia"}
WIKIPEDIA = "wikipedia"

# Letters of a title that lists all files.
LONGEST_TITLE = 70


@dataclass(frozen=True, eq=False)
class Dataset:
    """A taxonomy and models evaluated on the same samples.

    Attributes
    ----------
    key : str
        Stands in the URL: who knows it sees the data. Random for what visitors open, the digest for files named at the start.
    title : str
    taxonomy : Taxonomy
    models : dict of str to Evaluation
        By a short name that can stand in a URL.
    sources : mapping of str to ModelSource
        Of those models that were run here.
    held : tuple
        What keeps uploaded files in place.
    files : Files, optional
        What it was read from, when that is all of it.
    digest : str
        Of the content; results made of data sets of the same content are shared under it. Not to be shown in links.
    notes : tuple of str
        What is odd about the files, as sentences.
    runs : mapping of str to tuple of str
        Name of a method that has several runs -> keys of its models.
    thresholds : mapping of str to float
        Of the models that were given one of their own, by key.
    calibration : str
        What was done to the scores after they were read, as a sentence; empty where nothing was.
    before : str
        Key of the data set that it was done to.
    credit : str
        Whose the data are, as sentences; shown on every page.
    """

    key: str
    title: str
    taxonomy: Taxonomy
    models: dict[str, Evaluation]
    sources: Mapping[str, ModelSource] = field(default_factory=dict)
    held: tuple = ()
    files: Files | None = None
    digest: str = ""
    notes: tuple[str, ...] = ()
    runs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)
    calibration: str = ""
    before: str = ""
    credit: str = ""

    @cached_property
    def methods(self):
        """Runs of every method: key of its first model -> list of Evaluation, which are called as the method is."""
        method_of = {key: method for method, keys in self.runs.items() for key in keys}
        found = {}
        for key, model in self.models.items():
            method = method_of.get(key)
            if method is None:
                found[key] = [model]
                continue
            named = replace(model, predictions=model.predictions.replace(name=method))
            found.setdefault(self.runs[method][0], []).append(named)
        return found

    def method_of(self, key):
        """Key of the first run of a model's method."""
        return next((keys[0] for keys in self.runs.values() if key in keys), key)

    def runs_of(self, key):
        """Keys of the models that are runs of the method of a model."""
        return next((keys for keys in self.runs.values() if key in keys), (key,))

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
    """Paths and readings the user chose; uploads lie in a private folder under their own names, which `held` keeps.

    `names`, `parametrisations`, `classes_of` and `thresholds` are of the single prediction files, in their order, or empty: what
    the method is called (files of one name are its runs) and what holds for one file only, each None where nothing does.
    `given`, `reading` and `run` are further keywords of `load_model`, `load_inputs` and `Model.predict`; `projection` holds the
    flags of `hierviz.cli.projection_flags`.
    """

    taxonomy: str | None = None
    predictions: tuple[str, ...] = ()
    truth: str | None = None
    truth_column: str | None = None
    missing: str | None = None
    percent: bool = False
    ids: str | None = None
    classes: str | None = None
    parametrisation: str | None = None
    model: tuple[str, ...] = ()
    inputs: str | None = None
    nodes: str | None = None
    media: str | None = None
    taxonomy_form: str | None = None
    taxonomy_separator: str | None = None
    taxonomy_direction: str | None = None
    taxonomy_classes: str | None = None
    taxonomy_relations: str | None = None
    predictions_form: str | None = None
    given: Mapping = field(default_factory=dict)
    reading: Mapping = field(default_factory=dict)
    run: Mapping = field(default_factory=dict)
    projection: Mapping = field(default_factory=dict)
    held: tuple = ()
    names: tuple[str | None, ...] = ()
    parametrisations: tuple[str | None, ...] = ()
    classes_of: tuple[str | None, ...] = ()
    thresholds: tuple[float | None, ...] = ()

    @property
    def source_keywords(self):
        """Keywords of `load_model`: all that is said about the models."""
        said = {"classes": self.classes, "parametrisation": self.parametrisation, **self.given}
        said["missing"] = self.missing if self.missing == "zero" else None
        return {key: value for key, value in said.items() if value}

    @property
    def taxonomy_keywords(self):
        """Keywords of `load_taxonomy`."""
        said = {"separator": self.taxonomy_separator, "direction": self.taxonomy_direction}
        return taxonomy_options(self) | said

    @property
    def paths(self):
        """All paths named, in a fixed order."""
        single = (self.taxonomy, self.truth, self.classes, self.inputs, self.nodes, self.media, self.taxonomy_classes)
        return [path for path in (*single, *self.predictions, *self.model, *self.classes_of) if path]

    @property
    def readings(self):
        """(RunFile, parametrisation, path of the classes) of every prediction file."""
        n = len(self.predictions)
        names, keys, classes = (given or (None,) * n for given in (self.names, self.parametrisations, self.classes_of))
        runs = with_runs([RunFile(path, name) for path, name in zip(self.predictions, names, strict=True)])
        return [
            (run, key or self.parametrisation, of_file or self.classes)
            for run, key, of_file in zip(runs, keys, classes, strict=True)
        ]

    def with_paths(self, change):
        """The same with `change(path)` in place of every path."""
        named_paths = {name: getattr(self, name) for name in PATHS}
        changed = {
            name: tuple(path and change(path) for path in value) if isinstance(value, tuple) else change(value)
            for name, value in named_paths.items()
            if value
        }
        return replace(self, **changed)


def open_demo(progress=None):
    """The bundled demo: its models are run on its pictures here and now."""
    taxonomy, predictions = load_demo(progress=progress)
    models = _evaluated(predictions)
    paths = [bundle_folder() / "models" / f"{name}.onnx" for name in MODELS]
    sources = {key: ModelSource(path) for key, path in zip(models, paths, strict=True)}
    return Dataset(DEMO, DEMOS["vehicles"], taxonomy, models, sources, digest=DEMO)


def open_wikipedia(stage=lambda name, unit="rows": None):
    """The bundled demo of texts."""
    taxonomy, predictions = load_wikipedia(stage)
    models = _evaluated(predictions, stage=stage)
    return Dataset(WIKIPEDIA, DEMOS["wikipedia"], taxonomy, models, digest=WIKIPEDIA, credit=CREDIT)


def new_key():
    """A random key of 16 hexadecimal digits."""
    return secrets.token_hex(8)


def open_files(files, stage=lambda name, unit="rows": None, find=lambda digest: None):
    """Read and evaluate the user's files.

    Parameters
    ----------
    files : Files
    stage : callable
        Called with the name of each stage and what it counts, rows if not given; gives its `progress`, called with (done, in
        all), or None.
    find : callable
        Gives a Dataset of a digest that is open already, or None: it is not read again.

    Returns
    -------
    Dataset
        With a key of its own.

    Raises
    ------
    HiervizError
        With the file and what is wrong with it.
    """
    if not files.taxonomy:
        raise FileError("taxonomy: expected a file, got none. Name the file of the tree of classes.")
    if not files.predictions and not files.model:
        raise FileError(
            "predictions: expected a prediction file or an ONNX model with its inputs, got none. Add one of them."
        )
    options = SimpleNamespace(classes=files.classes or next(filter(None, files.classes_of), None), **files.projection)
    check_projection(options)
    # The page Model runs models on the whole taxonomy: what is judged on a part of it is run here alone.
    is_cut = not set(files.projection) <= {"only_known", "unseen"}
    for path in files.paths:
        require_file(path)
    content, notes = digest(files, stage("Looking at the files", "MB")), same_content(files.predictions)
    # A model may read files that are not named here: what it says is nobody else's.
    content = new_key() if files.model else content
    known = find(content)
    if known is not None:
        return replace(known, key=new_key(), files=files, held=(*known.held, *files.held))
    stage(f"Reading {Path(files.taxonomy).name}")
    taxonomy = load_taxonomy(files.taxonomy, **files.taxonomy_keywords)
    if files.nodes:
        taxonomy = load_node_attributes(files.nodes, taxonomy)
    predictions_of_models = []
    for file, parametrisation, classes in files.readings:
        predictions_of_models.append(
            load_predictions(
                file.path,
                taxonomy,
                name=file.name,
                truth=files.truth,
                truth_column=files.truth_column,
                missing=files.missing,
                percent=files.percent,
                ids=files.ids,
                form=files.predictions_form,
                partial=is_partial(options),
                classes=classes,
                parametrisation=parametrisation,
                stage=stage,
            ).replace(run=file.run)
        )
    if files.projection and not files.model:
        predictions_of_models = projected(options, predictions_of_models)
        taxonomy = predictions_of_models[0].taxonomy
    sources = [None] * len(predictions_of_models)
    for path in files.model:
        if not files.inputs:
            raise FileError(
                f"{Path(path).name}: expected inputs to run the model on, got none. Add pictures, a table, texts or an array."
            )
        source, unreadable = ModelSource(Path(path), files.source_keywords, held=files.held), {}
        try:
            model = load_model(path, taxonomy, **source.given)
            inputs = load_inputs(files.inputs, model, **files.reading)
            progress = stage(f"Running {Path(path).name}")
            predictions = model.predict(inputs, progress=progress, unreadable=unreadable, **files.run)
        except ModelError as error:
            if not is_cut:
                raise
            raise FileError(
                f"{template_of(error)} Or open it on the whole taxonomy: what is still open is asked on the page Model then."
            ) from None
        predictions_of_models.append(
            attach_truth(
                predictions, files.truth, files.truth_column, files.classes or model.class_numbers, ids=files.ids
            )
            if files.truth
            else predictions
        )
        sources.append(None if is_cut else replace(source, inputs=without_unreadable(inputs, unreadable)[0]))
    if files.projection and files.model:
        predictions_of_models = projected(options, predictions_of_models)
        taxonomy = predictions_of_models[0].taxonomy
    if files.media:
        # A table of inputs names its own pictures there.
        has_own = [
            predictions_of_model.media is not None and "media" in files.reading
            for predictions_of_model in predictions_of_models
        ]
        predictions_of_models = [
            predictions_of_model if own else attach_media(predictions_of_model, files.media)
            for predictions_of_model, own in zip(predictions_of_models, has_own, strict=True)
        ]
    require_same_samples(predictions_of_models)
    title = _title([Path(path).name for path in (*files.predictions, *files.model)])
    models = _evaluated(predictions_of_models, stage=stage)
    sources = {key: source for key, source in zip(models, sources, strict=True) if source is not None}
    thresholds = {key: value for key, value in zip(models, files.thresholds, strict=False) if value is not None}
    return Dataset(
        new_key(),
        title,
        taxonomy,
        models,
        sources,
        files.held,
        files=files,
        digest=content,
        notes=notes,
        runs=_runs(predictions_of_models, models),
        thresholds=thresholds,
    )


def _runs(predictions, keys):
    """Keys of the models by the name of their method, of those with several runs."""
    found = {}
    for model, key in zip(predictions, keys, strict=True):
        if model.run is not None:
            found.setdefault(model.name, []).append(key)
    return {name: tuple(of_method) for name, of_method in found.items()}


def _title(names):
    """File names as the title of a page and in its header."""
    whole = ", ".join(names)
    return whole if len(names) < 2 or len(whole) <= LONGEST_TITLE else f"{names[0]} and {len(names) - 1} more"


def with_model(data, predictions, source):
    """A data set with one more model: the open one's where the samples are the same, else of its own.

    Parameters
    ----------
    data : Dataset or None
        The open one.
    predictions : Predictions
    source : ModelSource

    Returns
    -------
    data : Dataset
    key : str
        Of the new model.
    """
    if data is None or not has_same_samples(data, predictions):
        models = _evaluated([predictions])
        key = next(iter(models))
        return Dataset(new_key(), predictions.name, predictions.taxonomy, models, {key: source}, digest=new_key()), key
    models = _evaluated([*(model.predictions for model in data.models.values()), predictions], dict(data.models))
    key = list(models)[-1]
    title = f"{data.title} and {models[key].predictions.name}"
    sources = {**data.sources, key: source}
    made = Dataset(
        new_key(),
        title,
        data.taxonomy,
        models,
        sources,
        data.held,
        digest=new_key(),
        notes=data.notes,
        runs=data.runs,
        credit=data.credit,
    )
    return made, key


def has_same_samples(data, predictions):
    """True when predictions are about the samples of a data set, told by their ids."""
    first = data.first.predictions
    if first.sample_ids is None or predictions.sample_ids is None:
        return False
    # The nodes of both are shown by the names of one taxonomy.
    if not first.taxonomy.has_nodes_of(predictions.taxonomy):
        return False
    try:
        require_same_samples([first, predictions])
    except HiervizError:
        return False
    return True


def _run(model):
    """Which run of its method, without the method's name before it."""
    rest = model.run.removeprefix(model.name).lstrip(" _-.")
    return rest or model.run


def _evaluated(predictions, done=(), stage=lambda name, unit="rows": None):
    """Evaluations by key; those of `done`, which are the first ones, are there already."""
    models = dict(done)
    # Pages tell models apart by their names: those of runs say which.
    predictions = [
        model if model.run is None else model.replace(name=f"{model.name} · {_run(model)}") for model in predictions
    ]
    for predictions_of_model in with_distinct_names(predictions)[len(models) :]:
        slug = re.sub(r"[^a-z0-9]+", "-", predictions_of_model.name.lower()).strip("-") or "model"
        key, number = slug, 2
        while key in models:
            key, number = f"{slug}-{number}", number + 1
        progress = stage(f"Evaluating {predictions_of_model.name}")
        models[key] = Evaluation.from_predictions(predictions_of_model, progress, threshold=0.5)
    return models
