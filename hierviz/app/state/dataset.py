"""The open data of the app: a taxonomy and evaluated models on it, and where those that are run here come from."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from hierviz.app.state.file_content import Hashing, digest, stamp
from hierviz.app.state.paths import companions, require_model_uploads
from hierviz.compiled.tree_pass import compiles
from hierviz.demo import CREDIT, DEMOS, MODELS, bundle_folder, load_demo, load_wikipedia
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.summary import require_same_samples
from hierviz.messages.errors import FileError, HiervizError
from hierviz.messages.number_text import step_text
from hierviz.onnx.model import draft_model
from hierviz.opening.cluster_process import evaluated_on_cluster
from hierviz.opening.files import Files
from hierviz.opening.loading import is_cut, load_files, with_trainings
from hierviz.opening.named_files import training_step
from hierviz.predictions.predictions import with_distinct_names
from hierviz.readers.temporary_files import require_file
from hierviz.reports.story_step import model_key
from hierviz.reports.view import DEMO, NAME_OF_DEMO, WIKIPEDIA
from hierviz.taxonomy.taxonomy import Taxonomy

# Letters of a title that lists all files.
LONGEST_TITLE = 70


@dataclass(frozen=True, eq=False)
class ModelSource:
    """An ONNX file and the answers to what it leaves open.

    Parameters
    ----------
    path : Path
    given : mapping
        Keywords of `load_model`.
    inputs : ModelInputs, optional
        Inputs it was run on.
    held : tuple
        Objects that keep uploaded files.
    files : Files, optional
        Of the start of the app, where they name this model: its inputs are not read yet.
    """

    path: Path
    given: Mapping = field(default_factory=dict)
    inputs: object = None
    held: tuple = ()
    files: object = None

    @property
    def key(self):
        """Changes whenever the files or the answers do."""
        files = [self.path]
        with contextlib.suppress(OSError):
            files += sorted(companions(self.path))
        stamps = [(file.name, stamp(file)) for file in files if file.is_file()]
        return f"{self.path}-{stamps}-{sorted(self.given.items())!r}"

    def saying(self, answers):
        """The same with more answers: key of `load_model`, or ``preprocessing.`` and one of its keys, to value."""
        given = dict(self.given)
        for key, value in answers.items():
            word, _, part = key.partition(".")
            given[word] = {**(given.get(word) or {}), part: value} if part else value
        return replace(self, given=given)

    def draft(self, taxonomy):
        """The model, for which questions may be open, or the error that says why there is none."""
        try:
            if self.held:
                require_model_uploads()
            return draft_model(self.path, taxonomy, **self.given)
        except HiervizError as error:
            return error.with_traceback(None)


def model_files(paths):
    """The ONNX files among several, as text."""
    return tuple(str(path) for path in paths if str(path).lower().endswith(".onnx"))


@dataclass(frozen=True, eq=False)
class Dataset:
    """A taxonomy and models evaluated on the same samples.

    Attributes
    ----------
    key : str
        Part of the URL: whoever knows it sees the data. Random for what visitors open, the digest for files named at the start.
    title : str
    taxonomy : Taxonomy
    models : dict of str to Evaluation
        By a short name that a URL can hold.
    sources : mapping of str to ModelSource
        Of those models that were run here.
    held : tuple
        Objects that keep uploaded files.
    files : Files, optional
        What it was read from, when that is all of it.
    digest : str
        Of the content; results made of data sets of the same content are shared under it. Not to be shown in links.
    notes : tuple of str
        Oddities of the files, as sentences.
    runs : mapping of str to tuple of str
        Name of a method that has several runs -> keys of its models.
    thresholds : mapping of str to float
        Of the models that were given one of their own, by key.
    calibration : str
        How the scores were calibrated after they were read, as a sentence; empty where they were not.
    before : str
        Key of the data set before that.
    credit : str
        Credit of the data, as sentences; shown on every page.
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
        found = {}
        for key, model in self.models.items():
            names = [method for method, keys in self.runs.items() if key in keys]
            named = [replace(model, predictions=model.predictions.replace(name=name)) for name in names]
            found.setdefault(self.method_of(key), []).extend(named or [model])
        return found

    @property
    def method_names(self):
        """Names of the methods, in order: a model has the colour of its place here on all pages."""
        return tuple(runs[0].predictions.name for runs in self.methods.values())

    @property
    def colour_places(self):
        """Place of the colour of each model, by its key: that of its method in `method_names`."""
        places = {method: place for place, method in enumerate(self.methods)}
        return {key: places[self.method_of(key)] for key in self.models}

    def method_of(self, key):
        """Key of the first run of a model's method."""
        return self.runs_of(key)[0]

    def runs_of(self, key):
        """Keys of the models that are runs of the method of a model."""
        return next((keys for keys in self.runs.values() if key in keys), (key,))

    @cached_property
    def trainings(self):
        """Names of the trainings of which there are several steps, by the key of the model that is the last one.

        None of calibrated scores, which the other steps do not have.
        """
        known = {} if self.files is None or self.calibration else self.files.trainings
        named = {key: training_step(model.predictions.name) for key, model in self.models.items()}
        return {key: step[0] for key, step in named.items() if step is not None and step[0] in known}

    @property
    def steps(self):
        """Steps of all these trainings as an address names them."""
        return {step_text(step) for name in self.trainings.values() for step in self.files.trainings[name]}

    @property
    def first(self):
        """The first model."""
        return next(iter(self.models.values()))

    @property
    def sample_ids(self):
        """Ids of the samples in the order of the first model."""
        return self.first.predictions.ids


def open_demo(key=DEMO):
    """A bundled demo by its key; the models of that of pictures are run here and now."""
    is_texts = key == WIKIPEDIA
    taxonomy, predictions = load_wikipedia() if is_texts else load_demo()
    models = _evaluated(predictions)
    paths = [] if is_texts else [bundle_folder() / "models" / f"{name}.onnx" for name in MODELS]
    sources = {model: ModelSource(path) for model, path in zip(models, paths, strict=not is_texts)}
    title, credit = DEMOS[NAME_OF_DEMO[key]], CREDIT if is_texts else ""
    return Dataset(key, title, taxonomy, models, sources, digest=key, credit=credit)


def new_key():
    """A random key of 16 hexadecimal digits."""
    return secrets.token_hex(8)


def open_files(files, stage=lambda name, unit="rows": None, find=None, cluster=None):
    """Read and evaluate the user's files.

    Parameters
    ----------
    files : Files
    stage : callable
        Called with the name of each stage and what it counts, rows if not given; gives its `progress`, called with (done, in
        all), or None.
    find : callable, optional
        Gives a Dataset of a digest that is open already, or None: it is not read again. Without it the files are hashed while
        they are read.
    cluster : str, optional
        Address of the Dask cluster that evaluates prediction files (`hierviz.cluster.connection.connected`).

    Returns
    -------
    Dataset
        With a key of its own.

    Raises
    ------
    HiervizError
        Naming the file and what is wrong with it.
    """
    if not files.taxonomy:
        raise FileError("taxonomy: expected a file, got none. Name the file with the tree of classes.")
    if not files.predictions and not files.model:
        raise FileError(
            "predictions: expected a prediction file or an ONNX model with its inputs, got none. Add one of them."
        )
    if files.model and files.held:
        require_model_uploads()
    for path in files.paths:
        require_file(path)
    if find is not None:
        content = digest(files, stage("Checking the files", "MB"))
        # A model may read files that are not named here: its results are not shared.
        known = None if files.model else find(content)
        if known is not None:
            return replace(known, key=new_key(), files=files, held=(*known.held, *files.held))
    with Hashing(files) as hashing:
        # Evaluating reads every score, and checks it then.
        shown = files.of_last_steps
        if cluster is None:
            taxonomy, predictions_of_models, inputs = load_files(shown, stage, is_checked=None)
            predictions_of_models = with_trainings(files, predictions_of_models)
            require_same_samples(predictions_of_models)
            models = _evaluated(predictions_of_models, stage=stage)
        else:
            evaluations = evaluated_on_cluster(shown, cluster, stage)
            taxonomy, inputs = evaluations[0].taxonomy, []
            predictions_of_models = with_trainings(files, [model.predictions for model in evaluations])
            named = zip(evaluations, _with_own_names(predictions_of_models), strict=True)
            models = _by_key(replace(model, predictions=predictions) for model, predictions in named)
        content, notes = hashing.result()
    content = new_key() if files.model else content
    steps = {name: f"{name} ({len(steps)} steps)" for name, steps in files.trainings.items()}
    names = [steps.get(run.method if run.step is not None else None, Path(run.path).name) for run, *_ in shown.readings]
    title = _title([*names, *(Path(path).name for path in files.model)])
    n_files = len(shown.predictions)
    ran = zip(list(models)[n_files:], files.model, inputs[n_files:], strict=True)
    # The page Model runs models on the whole taxonomy only.
    ran = () if is_cut(files) else ran
    sources = {key: ModelSource(Path(path), files.source_keywords, on, files.held) for key, path, on in ran}
    thresholds = {key: value for key, value in zip(models, shown.thresholds, strict=False) if value is not None}
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
    more = {"title": title, "models": models, "sources": {**data.sources, key: source}}
    fresh = {"files": None, "thresholds": {}, "calibration": "", "before": ""}
    return replace(data, key=new_key(), digest=new_key(), **more, **fresh), key


def has_same_samples(data, predictions):
    """True when predictions are about the samples of a data set, compared by their ids."""
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


def _evaluated(predictions, done=(), stage=lambda name, unit="rows": None):
    """Evaluations by key; those of `done` come first and are not computed again."""
    models = dict(done)
    return _by_key((_evaluated_here(model, stage) for model in _with_own_names(predictions)[len(models) :]), models)


def _by_key(evaluations, done=()):
    """Evaluations by key, after those of `done`."""
    models = dict(done)
    for model in evaluations:
        models[model_key(model.predictions.name, models)] = model
    return models


def _with_own_names(predictions):
    """Predictions, each with a name of its own: pages distinguish models by name."""
    named = []
    for model in predictions:
        run = model.run and (model.run.removeprefix(model.name).lstrip(" _-.") or model.run)
        named.append(model if run is None else model.replace(name=f"{model.name} · {run}"))
    return with_distinct_names(named)


def _evaluated_here(predictions, stage):
    # Sets of labels are counted here only where they are what the first page shows.
    has_one_truth = predictions.has_single_truth and predictions.taxonomy.is_tree
    threshold = None if has_one_truth else 0.5
    is_new = compiles(predictions, with_labels=threshold is not None)
    progress = stage(
        f"{'Compiling for this processor, once, and evaluating' if is_new else 'Evaluating'} {predictions.name}"
    )
    return Evaluation.from_predictions(predictions, progress, threshold=threshold)
