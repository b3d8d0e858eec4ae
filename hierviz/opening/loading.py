"""Reading the chosen files: taxonomy, predictions, models run on inputs, on the whole taxonomy or a part of it."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from hierviz.messages.errors import FileError, HiervizError, ModelError
from hierviz.messages.parameters import template_of
from hierviz.predictions.name_mapping import NameMapping
from hierviz.predictions.training_lines import of_training
from hierviz.projection.projected import UNSEEN, cut, only_known, with_other_leaves
from hierviz.readers.attach import attach_media, attach_truth
from hierviz.readers.mapping_file import load_mapping
from hierviz.readers.nearest_names import nearest
from hierviz.readers.node_attributes import load_node_attributes
from hierviz.readers.predictions_file import load_predictions, without_samples
from hierviz.readers.raw_predictions import RawPredictions, join
from hierviz.readers.taxonomy_file import load_taxonomy
from hierviz.readers.temporary_files import rewindable

INNER_TRUTH = ("own", "other")


def load_files(files, stage, *, keep_empty_labels=False, read_scores=True, is_checked=True, taxonomy=None):
    """Read and run what Files name.

    Parameters
    ----------
    files : Files
    stage : callable
        Called with the name of each stage and what it counts, rows if not given; gives its `progress`, called with (done, in
        all), or None.
    keep_empty_labels, read_scores, is_checked : bool
        As `load_predictions` takes them; scores are read in any case where they are judged on a part of the taxonomy.
    taxonomy : Taxonomy, optional
        What was read of these files before.

    Returns
    -------
    taxonomy : Taxonomy
    predictions : list of Predictions
        Of the prediction files, then of the models.
    inputs : list of ModelInputs or None
        What the models were run on, without what could not be read; None for a prediction file.

    Raises
    ------
    HiervizError
        With the file and what is wrong with it.
    """
    check_projection(files.projection)
    truth = rewindable(files.truth)  # every prediction file is joined with it again
    rewound = {path: rewindable(path) for path in dict.fromkeys(classes for _, _, classes, _ in files.readings)}
    if taxonomy is None:
        stage(f"Reading {Path(files.taxonomy).name}")
        taxonomy = taxonomy_of(files)
    mapping = mapping_of(files, taxonomy)
    predictions = [
        load_predictions(
            file.path,
            taxonomy,
            name=file.name,
            truth=truth,
            parametrisation=parametrisation,
            classes=rewound[classes],
            keep_empty_labels=keep_empty_labels,
            form=form,
            partial=files.is_partial,
            read_scores=read_scores or bool(files.projection),
            stage=stage,
            is_checked=is_checked,
            disagreeing=files.disagreeing,
            outside=files.outside,
            outside_truth=files.outside_truth,
            mapping=mapping,
            **files.truth_keywords,
        ).replace(run=file.run)
        for file, parametrisation, classes, form in files.readings
    ]
    predictions = without_dropped(predictions)
    inputs = [None] * len(predictions)
    for path in files.model:
        of_model, on = _run(path, files, taxonomy, stage)
        predictions.append(of_model)
        inputs.append(on)
    predictions = [with_media(one, files) for one in projected(files, predictions)]
    return predictions[0].taxonomy, predictions, inputs


def with_trainings(files, models):
    """What was read of `files.of_last_steps`, each last step of a training with what its other steps are.

    Parameters
    ----------
    files : Files
        With all steps.
    models : list of Predictions
        As `load_files` gives them of the last steps.
    """
    named = {
        files.readings[[*steps.values()][-1]][0].name: [
            (step, Path(files.predictions[place]).name) for step, place in steps.items()
        ]
        for steps in files.trainings.values()
    }
    runs = [run for run, *_ in files.of_last_steps.readings]
    found = [
        of_training(model, named[run.name]) if run.name in named else model
        for model, run in zip(models, runs, strict=False)
    ]
    return [*found, *models[len(found) :]]


def step_readers(files, training, stage, last=None):
    """What reads the steps of a training, each when it is called, so that one of them is in memory at a time.

    Parameters
    ----------
    files : Files
    training : str
        A key of `Files.trainings`.
    stage : callable
        As of `load_files`.
    last : Predictions or Evaluation, optional
        The last step, where it was read.

    Returns
    -------
    dict of float to (callable, or `last`)
        In ascending order. A function gives the Predictions of its step.
    """
    whole = getattr(last, "taxonomy", None) if not files.projection else None

    def reader(place):
        alone = replace(files.only([place]), model=(), inputs=None)
        return lambda: load_files(alone, stage, is_checked=None, taxonomy=whole)[1][0]

    readers = {step: reader(place) for step, place in files.trainings[training].items()}
    return readers if last is None else readers | {[*readers][-1]: last}


def names_outside(files, what):
    """Names of files that the taxonomy does not hold, for the question what they count as.

    Parameters
    ----------
    files : Files
    what : {"answers", "truths"}

    Returns
    -------
    list of Outside
        Of every prediction file that has some; empty where a file cannot be read for another reason.
    """
    asked = replace(files, outside=files.outside or "wrong", outside_truth=files.outside_truth or "drop", projection={})
    try:
        models = load_files(replace(asked, model=()), lambda name, unit="rows": None, is_checked=False)[1]
    except HiervizError:
        return []
    found = [model.outside.get(what) for model in models]
    return [record for record in found if record is not None and record.left]


def proposed_mapping(records):
    """What `nearest` maps the names of `names_outside` to.

    Parameters
    ----------
    records : sequence of Outside

    Returns
    -------
    NameMapping or None
        A row for each name, those that a mapping file chose as they are; None without names.
    """
    joined = NameMapping.joined([record.review for record in records if record.review is not None])
    if joined is None or not len(joined):
        return None
    open_names = [row for row in joined if not row.is_chosen]
    found = nearest([row.given for row in open_names], [row.count for row in open_names], joined.taxonomy)
    row_of = {row.given: row for row in found}
    return replace(joined, rows=tuple(row_of.get(row.given, row) for row in joined))


def without_dropped(models):
    """Predictions without the samples that any of them left out, so that all are judged on the same ones."""
    left_out = set().union(*(map(str, model.dropped) for model in models))
    if not left_out:
        return models
    made = []
    for model in models:
        ids = model.ids
        if model.sample_ids is None and len(model.dropped):
            # Ids are rows of the file, of which some are gone.
            n = model.n_samples + len(model.dropped)
            ids = np.setdiff1d(np.arange(n), np.asarray(model.dropped).astype(np.intp)).astype(str)
        leaves = np.isin(ids, list(left_out - set(map(str, model.dropped))))
        made.append(without_samples(model, leaves) if leaves.any() else model)
    return made


def taxonomy_of(files):
    """The taxonomy that Files name, with its attributes of nodes."""
    taxonomy = load_taxonomy(files.taxonomy, **files.taxonomy_keywords)
    return load_node_attributes(files.nodes, taxonomy) if files.nodes else taxonomy


def mapping_of(files, taxonomy):
    """What the file of a mapping says of names outside the taxonomy; None without one."""
    return None if files.mapping is None else load_mapping(files.mapping, taxonomy)


def _run(path, files, taxonomy, stage):
    """Predictions of a model on the inputs, with their truth, and the inputs that could be read."""
    from hierviz.onnx.inputs.model_inputs import without_unreadable
    from hierviz.onnx.model import load_model

    name, unreadable = Path(path).name, {}
    if not files.inputs:
        raise FileError(
            f"{name}: expected inputs to run the model on, got none. Add pictures, a table, texts or an array."
        )
    try:
        model = load_model(path, taxonomy, **files.source_keywords)
        how = {**files.run, "progress": stage(f"Running {name}"), "unreadable": unreadable}
        predictions, inputs = run_model(model, files, how)
    except ModelError as error:
        if not is_cut(files):
            raise
        raise FileError(
            f"{template_of(error)} Or open it on the whole taxonomy: the page Model then asks for what is missing."
        ) from None
    return predictions, without_unreadable(inputs, unreadable)[0]


def run_model(model, files, how):
    """Predictions of a Model on the inputs that Files name, with their truth, and the ModelInputs.

    `how` are keywords of `Model.predict`.
    """
    from hierviz.onnx.inputs.model_inputs import load_inputs

    inputs = load_inputs(files.inputs, model, **files.reading)
    predictions = model.predict(inputs, **how)
    if files.truth:
        numbers = files.classes or model.class_numbers
        how = {"ids": files.ids, "outside_truth": files.outside_truth, "mapping": mapping_of(files, model.taxonomy)}
        predictions = attach_truth(predictions, files.truth, files.truth_column, numbers, **how)
    return predictions, inputs


def with_media(predictions, files):
    """Predictions with the pictures that Files name for them; a table of inputs may name its own there."""
    has_own = predictions.media is not None and "media" in files.reading
    return predictions if has_own or not files.media else attach_media(predictions, files.media)


def truth_of(inputs, where, truth):
    """The truth of each input row, before any model has run.

    Parameters
    ----------
    inputs : ModelInputs
    where : str
        Name of the inputs in errors.
    truth : Truth

    Returns
    -------
    ndarray of int, shape (n_samples,), or NodeLists
        -1, or an empty list, where it is not known.
    """
    return join(RawPredictions(where, "wide", np.empty((len(inputs), 0)), ids=inputs.sample_ids), truth).truth


def is_cut(files):
    """Whether the taxonomy of the predictions is another one than that of the file: the page Model runs none of these."""
    return not set(files.projection) <= {"only_known", "unseen"}


def check_projection(projection):
    """Raise a FileError unless the values of `Files.projection` make sense together, before anything is read."""
    for name, words in (("unseen", UNSEEN), ("inner_truth", INNER_TRUTH)):
        value = projection.get(name)
        if value is not None and value not in words:
            raise FileError(f"--{name.replace('_', '-')}: expected {' or '.join(words)}, got {value!r}. Choose one.")
    if projection.get("max_depth") is not None and projection.get("cut_level") is not None:
        raise FileError("--max-depth: expected no --level with it, got both. Leave one out.")


def projected(files, models):
    """The Predictions, on one taxonomy, on the part of it that Files ask for.

    Raises
    ------
    FileError, PredictionsError, TaxonomyError
        If nothing says what the models know, or the taxonomy has no such level.
    """
    asked = files.projection
    if files.is_partial:
        for model in models:
            if not model.has_scores and model.known is None and files.any_classes is None:
                raise FileError(
                    f"{model.name}: expected the classes that the model knows with its labels, got none. Name them with "
                    "--classes."
                )
        models = only_known(models, asked.get("unseen"))
    at = {"max_depth": asked.get("max_depth"), "level": asked.get("cut_level")}
    if any(value is not None for value in at.values()):
        models = [cut(model, **at) for model in models]
    if asked.get("inner_truth") == "other":
        models = with_other_leaves(models)
    return models


def examined(files):
    """The Examination of the files, with all their faults."""
    from hierviz.findings.doctor import doctor

    return doctor(
        files.taxonomy,
        list(files.predictions),
        files.truth,
        classes=files.any_classes,
        parametrisation=files.parametrisation,
        predictions_form=files.predictions_form,
        disagreeing=files.disagreeing,
        outside=files.outside,
        outside_truth=files.outside_truth,
        nodes=files.nodes,
        **files.truth_keywords,
        taxonomy_reading=files.taxonomy_keywords,
    )
