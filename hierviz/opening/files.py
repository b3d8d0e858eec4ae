"""The chosen files and how they are read: one record with an option for each field.

The flags of the commands, the fields of the page Open files, the files and readings of a session file, the paths that are
remembered and the command that makes a report again are read off this record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from hierviz.opening.flags import Option
from hierviz.opening.named_files import RunFile, run_files, shared_and_own, with_runs
from hierviz.predictions.listed_scores import MISSING
from hierviz.predictions.parametrisation import PARAMETRISATIONS
from hierviz.readers.outside import OUTSIDE_ANSWERS, OUTSIDE_TRUTHS
from hierviz.readers.predictions_file import FORMS as PREDICTION_FORMS
from hierviz.readers.raw_predictions import DISAGREEING, IDS, SAMPLES
from hierviz.readers.taxonomy_file import FORMS as TAXONOMY_FORMS

# What `Files.projection` may hold: on which part of the taxonomy the files are judged.
PROJECTION = {
    "max_depth": Option("--max-depth D", "cut the taxonomy at this depth; truths below go to their ancestor", type=int),
    "cut_level": Option(
        "--level RANK",
        "cut it at a rank: header of a level column, node attribute `rank`, or a depth; leaves above it stay",
        dest="cut_level",
    ),
    "only_known": Option(
        "--only-known",
        "keep only the classes that have a column (for labels: those of --classes) and their ancestors",
        label="Classes that count",
    ),
    "unseen": Option(
        "--unseen project|error",
        "a truth outside the known classes: judge it at its nearest known ancestor, or stop (default: left out, counted); "
        "implies --only-known",
        label="Truths outside the known classes",
    ),
    "inner_truth": Option(
        "--inner-truth own|other",
        "an inner class as truth: the end of its own path (default), or a leaf `other` below it",
    ),
}
# Options that hold for a single prediction file too, and the field with those of the single files.
OF_FILES = {"classes": "classes_of", "parametrisation": "parametrisations", "predictions_form": "predictions_forms"}


def _asked(usage="", help="", default=None, **how) -> Any:
    """A field of `Files` with its option."""
    return field(default=default, metadata={"option": Option(usage, help, **how)})


def _asked_form(what, forms, more=""):
    """The field for the form of a file, one of `forms` with their words."""
    return _asked(
        f"--{what}-form FORM",
        f"form of the {what} where it is not detected: {', '.join(forms)}{more}",
        choices=forms,
        label=f"Format of the {what}",
        offered={"": "detect", **{key: f"{key}: {words}" for key, words in forms.items()}},
    )


@dataclass(frozen=True)
class Files:
    """Paths and readings the user chose; uploads lie in a private folder under their own names, which `held` keeps.

    `names`, `parametrisations`, `predictions_forms`, `classes_of` and `thresholds` are of the single prediction files, in their
    order, or empty: what the method is called (files of one name are its runs) and what holds for one file only, each None where
    nothing does. `given`, `reading` and `run` are further keywords of `load_model`, `load_inputs` and `Model.predict`;
    `projection` holds values of `PROJECTION`.
    """

    taxonomy: str | None = _asked(
        "--taxonomy T",
        f"taxonomy in one of these forms: {', '.join(TAXONOMY_FORMS)}",
        role="taxonomy",
        label="Taxonomy",
        hint="Edge list (parent, child), one column per level, paths such as A > B > C, nested JSON, or a .taxonomy file. "
        "May be gzipped.",
    )
    predictions: tuple[str, ...] = _asked(
        "--predictions P",
        "scores or labels: CSV, TSV, Parquet, JSON, .npy, .npz, a folder of Parquet parts; repeat it for several models, "
        "where a command takes these: NAME=P names the model; files with the same name are its runs; NAME@STEP=P is a step of a "
        "training, NAME@=FOLDER one step a file",
        (),
        role="predictions",
        label="Predictions, one file per model or run",
        hint="One column per class (CSV, TSV, Parquet), rows of sample, class, score, the best classes of each sample "
        "(class_1, score_1, …, or JSON lists of label and score), .npy, .npz, or labels.",
    )
    truth: str | None = _asked(
        "--truth F",
        "file of the truth, when it is not in the predictions; for a model, it also checks the order of the classes and the "
        "preprocessing of pictures",
        role="truth",
        label="Truth",
        hint="Columns: sample_id and truth.",
    )
    truth_column: str | None = _asked("--truth-column C", "column of the truth", label="Column of the truth")
    missing: str | None = _asked(
        "--missing unknown|zero",
        "scores of the classes that a sample does not list: unknown (numbers get bounds), or zero, also for classes "
        "without a column",
        label="Classes without a score",
        offered={"": "detect (unknown in files of the best classes)", **{key: key for key in MISSING}},
        hint="For predictions that list only some classes of each sample. With unknown scores, numbers have bounds.",
    )
    percent: bool = _asked("--percent", "scores are percent: they are divided by 100", False, label="Scores in percent")
    ids: str | None = _asked(
        "--ids text|number",
        "how ids of predictions and truth are compared: as text (default), or as numbers so that 1.0 is 1",
        choices=IDS,
        label="Sample ids",
        offered={"text": "text, unchanged", "number": "numbers: 1.0 is 1"},
    )
    disagreeing: str | None = _asked(
        "--disagreeing error|levels|deepest",
        "labels in columns of levels that lie on no path: stop (default), keep the answer of each level, or the deepest one",
        choices=DISAGREEING,
        label="Labels of levels that disagree",
        offered={"error": "an error", "levels": "kept by level", "deepest": "only the deepest"},
    )
    outside: str | None = _asked(
        "--outside error|wrong|drop|nearest",
        "answers that the taxonomy does not hold: stop (default), count each as one claimed leaf that is never true, leave its "
        "sample out, or map names to the classes that they nearly are (what is not mapped is wrong)",
        choices=OUTSIDE_ANSWERS,
        label="Answers outside the taxonomy",
        offered={
            "error": "an error",
            "wrong": "wrong answers",
            "drop": "left out with their sample",
            "nearest": "mapped to the nearest class",
        },
    )
    outside_truth: str | None = _asked(
        "--outside-truth error|drop|nearest",
        "truths that the taxonomy does not hold: stop (default), leave their sample out, or map names to the classes that they "
        "nearly are (what is not mapped is left out)",
        choices=OUTSIDE_TRUTHS,
        label="Truths outside the taxonomy",
        offered={
            "error": "an error",
            "drop": "left out with their sample",
            "nearest": "mapped to the nearest class",
        },
    )
    mapping: str | None = _asked(
        "--mapping FILE",
        "what names that the taxonomy does not hold are taken for, as the page Open files saves it: given, mapped_to (empty: no "
        "class); comes before --outside and --outside-truth",
        role="mapping of names",
        label="Mapping of names",
        hint="Columns given and mapped_to: saved below the table of names outside the taxonomy.",
    )
    samples: str | None = _asked(
        "--samples picture|detection",
        "samples of files that list the detections of each picture: the picture with its best classified detection (default), "
        "or each classified detection with the truth of its picture",
        choices=SAMPLES,
        label="Samples of detections",
        offered={"picture": "pictures: their best detection", "detection": "each classified detection"},
    )
    classes: str | None = _asked(
        "--classes F",
        "class of each column of scores: one name per line in order, a table with an index or in order, or JSON",
        role="class names",
        label="Class names of the columns",
        hint="With several files, each prediction file can have its own in the table of single files.",
    )
    parametrisation: str | None = _asked(
        "--parametrisation KEY",
        f"how scores become probabilities: {', '.join(PARAMETRISATIONS)}",
        label="What the scores are",
        offered={"": "detect (probabilities)", **{key: one.label for key, one in PARAMETRISATIONS.items()}},
    )
    model: tuple[str, ...] = _asked(
        "--model M.onnx",
        "ONNX model; files of its weights are in the same folder",
        (),
        role="model",
        label="ONNX model",
    )
    inputs: str | None = _asked(
        "--inputs I",
        "pictures (folder, zip), a table (CSV, TSV, Parquet), texts (.txt), an array (.npy), or one per input (.npz)",
        role="inputs",
        label="Inputs: pictures (zip), a table, texts, .npy or .npz",
    )
    nodes: str | None = _asked(
        "--nodes F",
        "attributes of the nodes, and further names of classes: node, name, common_name, train_count, ...",
        role="node attributes",
        label="Node attributes: node, name, …",
    )
    media: str | None = _asked(
        "--media DIR|ZIP",
        "pictures that a table names in its column image or file",
        role="pictures",
        label="Pictures to show",
        hint="Named by a column `image` or `file`.",
    )
    taxonomy_form: str | None = _asked_form("taxonomy", TAXONOMY_FORMS)
    taxonomy_separator: str | None = _asked(label="Separator of the taxonomy")
    taxonomy_direction: str | None = _asked(
        label="Columns of an edge list",
        offered={"": "detect", "parent,child": "parent,child", "child,parent": "child,parent"},
    )
    taxonomy_classes: str | None = _asked(
        "--taxonomy-classes F",
        "class list: of a large taxonomy, only these classes and their ancestors are read",
        role="classes of the taxonomy",
    )
    taxonomy_relations: str | None = _asked(
        "--taxonomy-relations NAME,...",
        "relations to the parents in an ontology, OBO, OWL or obographs (default: is_a), for example is_a,part_of",
    )
    predictions_form: str | None = _asked_form("predictions", PREDICTION_FORMS, " (docs/formats.md)")
    given: Mapping[str, Any] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)
    run: Mapping[str, Any] = field(default_factory=dict)
    projection: Mapping[str, Any] = field(default_factory=dict)
    held: tuple = ()
    names: tuple[str | None, ...] = ()
    parametrisations: tuple[str | None, ...] = ()
    predictions_forms: tuple[str | None, ...] = ()
    classes_of: tuple[str | None, ...] = _asked(default=(), role="class names of one prediction file")
    thresholds: tuple[float | None, ...] = ()

    @property
    def source_keywords(self):
        """Keywords of `load_model`: all settings of the models."""
        said = {"classes": self.classes, "parametrisation": self.parametrisation, **self.given}
        said |= {"only_known": self.is_partial, "missing": "zero" if self.missing == "zero" else None}
        return {key: value for key, value in said.items() if value}

    @property
    def taxonomy_keywords(self):
        """Keywords of `load_taxonomy`."""
        relations = self.taxonomy_relations
        return {
            "form": self.taxonomy_form,
            "classes": self.taxonomy_classes,
            "relations": None if relations is None else [name.strip() for name in relations.split(",") if name.strip()],
            "separator": self.taxonomy_separator,
            "direction": self.taxonomy_direction,
        }

    @property
    def truth_keywords(self):
        """Keywords of `load_predictions` and `doctor` that are the same for all files."""
        return {name: getattr(self, name) for name in ("truth_column", "missing", "percent", "ids", "samples")}

    @property
    def is_partial(self):
        """Whether columns may be missing: only the classes that a model knows count."""
        return bool(self.projection.get("only_known") or self.projection.get("unseen") is not None)

    @property
    def any_classes(self):
        """The class names of all prediction files, else those of the first that has its own."""
        return self.classes or next(filter(None, self.classes_of), None)

    @property
    def named_paths(self):
        """(field, path) of all paths named, in a fixed order."""
        named = []
        for name in ROLES:
            value = getattr(self, name)
            named += [(name, path) for path in (value if isinstance(value, tuple) else (value,)) if path]
        return named

    @property
    def paths(self):
        """All paths named, in a fixed order."""
        return [path for _, path in self.named_paths]

    @property
    def readings(self):
        """(RunFile, parametrisation, path of the classes, form) of every prediction file."""
        none = (None,) * len(self.predictions)
        runs = with_runs([RunFile(*pair) for pair in zip(self.predictions, self.names or none, strict=True)])
        of_all = (self.parametrisation, self.classes, self.predictions_form)
        of_files = (self.parametrisations, self.classes_of, self.predictions_forms)
        own = [
            [shared if one is None else one for one in of_one or none]
            for shared, of_one in zip(of_all, of_files, strict=True)
        ]
        return list(zip(runs, *own, strict=True))

    @property
    def trainings(self):
        """Places of the prediction files that are steps of a training: dict of its name to dict of step to place, ascending.

        One with a single step is a model as others are.
        """
        found = {}
        for place, (run, *_) in enumerate(self.readings):
            if run.step is not None:
                found.setdefault(run.method, {})[run.step] = place
        return {name: dict(sorted(steps.items())) for name, steps in found.items() if len(steps) > 1}

    @property
    def of_last_steps(self):
        """The same with the last step of each training alone."""
        earlier = {place for steps in self.trainings.values() for place in list(steps.values())[:-1]}
        return self.only([place for place in range(len(self.predictions)) if place not in earlier])

    def only(self, places):
        """The same with some of the prediction files alone."""
        of_files = ("predictions", "classes_of", *SINGLE)
        return replace(
            self, **{name: tuple(value[i] for i in places) for name in of_files if (value := getattr(self, name))}
        )

    @property
    def said(self):
        """The readings that were chosen, as JSON holds them: dict of field to value, without paths."""
        said = {name: getattr(self, name) for name in READINGS if getattr(self, name)}
        for name in SINGLE:
            if any(value is not None for value in getattr(self, name)):
                said[name] = list(getattr(self, name))
        return said | ({"projection": dict(self.projection)} if self.projection else {})

    def to_json(self):
        """Paths and readings as JSON holds them; answers about a model are not in it."""
        paths = {name: value for name in ROLES if any(value := getattr(self, name) or ())}
        return {name: list(value) if name in SEVERAL else value for name, value in paths.items()} | self.said

    def with_paths(self, change):
        """The same with `change(path)` in place of every path."""
        changed = {
            name: tuple(path and change(path) for path in value) if isinstance(value, tuple) else change(value)
            for name in ROLES
            if (value := getattr(self, name))
        }
        return replace(self, **changed)


OPTIONS: dict[str, Option] = {one.name: one.metadata["option"] for one in fields(Files) if one.metadata}
# Fields that hold paths, by what screens call the files; and those of them with several.
ROLES = {name: option.role for name, option in OPTIONS.items() if option.role}
SEVERAL = ("predictions", "model", "classes_of")
# Fields that say how files are read; and those that do so for the single prediction files, with the kind of their values.
READINGS = tuple(name for name in OPTIONS if name not in ROLES)
SINGLE = {"names": str, "parametrisations": str, "predictions_forms": str, "thresholds": float}


def checked_reading(found):
    """What can be understood of `Files.said` that was read from a file; ready for `Files`.

    Parameters
    ----------
    found : dict of str to object

    Returns
    -------
    dict
    """
    kinds = {name: bool if name == "percent" else str for name in READINGS}
    reading = {name: value for name, kind in kinds.items() if isinstance(value := found.get(name), kind)}
    for name, kind in SINGLE.items():
        values = found.get(name)
        if isinstance(values, list) and all(value is None or type(value) in (kind, int) for value in values):
            reading[name] = [value if value is None else kind(value) for value in values]
    said = found.get("projection")
    said = said if isinstance(said, dict) else {}
    projection = {name: value for name in PROJECTION if isinstance(value := said.get(name), str | int | bool)}
    return reading | ({"projection": projection} if projection else {})


def files_from(found):
    """The Files of `Files.to_json`; None where anything in it is not understood."""
    if not isinstance(found, dict):
        return None

    def is_path(name, value):
        texts = value if name in SEVERAL else [value]
        return isinstance(texts, list) and all(one is None or isinstance(one, str) for one in texts)

    paths = {name: value for name, value in found.items() if name in ROLES and is_path(name, value)}
    if paths | checked_reading(found) != found:
        return None
    files = Files(**{name: tuple(value) if isinstance(value, list) else value for name, value in found.items()})
    needed = (*files.predictions, *files.model)
    return files if files.taxonomy and needed and None not in needed else None


def files_of(options):
    """The Files that the options of a command name.

    Parameters
    ----------
    options : argparse.Namespace
        What it does not hold is not said.

    Raises
    ------
    FileError
        If a value is given for a prediction file that there is not, or twice.
    """
    given = {name: value for name in OPTIONS if (value := getattr(options, name, None)) is not None}
    files = run_files(given.pop("predictions", ()))
    methods = [file.method for file in files]
    for name, of_files in OF_FILES.items():
        if isinstance(given.get(name), list):
            given[name], given[of_files] = shared_and_own(f"--{name.replace('_', '-')}", given[name], methods)
    if any(file.name for file in files):
        given["names"] = tuple(file.name for file in files)
    if "model" in given:
        given["model"] = (given["model"],) if isinstance(given["model"], str) else tuple(given["model"])
    # 0 is a value, which is refused where it makes no sense.
    asked = {name: getattr(options, name, None) for name in PROJECTION}
    projection = {name: value for name, value in asked.items() if value is not None and value is not False}
    return Files(**given, predictions=tuple(file.path for file in files), projection=projection)


def flags_of(files):
    """The options of Files, as (flag, value), None for a switch; settings of models have none."""
    flags = {name: option.usage.split()[0] for name, option in (OPTIONS | PROJECTION).items() if option.usage}
    runs = [run for run, *_ in files.readings]
    said = [(flags[name], path) for name, path in files.named_paths if name in flags and name != "predictions"]
    said += [(flags["predictions"], f"{run.name}={run.path}" if run.name else run.path) for run in runs]
    for name, of_files in OF_FILES.items():
        of_methods = zip(runs, getattr(files, of_files), strict=False)
        said += [(flags[name], f"{run.method}={value}") for run, value in of_methods if value]
    for name, value in ({name: getattr(files, name) for name in READINGS} | dict(files.projection)).items():
        if value and name in flags:
            said.append((flags[name], None if value is True else str(value)))
    return list(dict.fromkeys(said))
