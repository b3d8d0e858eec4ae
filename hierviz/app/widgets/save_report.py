"""The report that the menu Save makes: its settings, its command, where the model looks, and the file that is offered."""

import shlex
from dataclasses import replace

import numpy as np
import streamlit as st

from hierviz.app import state
from hierviz.app.state import rule_parameters, story
from hierviz.app.widgets.confidence import chosen_confidence
from hierviz.app.widgets.controls import offered_rules
from hierviz.app.widgets.looked import is_offered, looked_at
from hierviz.app.widgets.progress import worked_out
from hierviz.app.widgets.table import download
from hierviz.charts import threshold_text
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.errors import slug
from hierviz.opening.files import flags_of
from hierviz.opening.named_files import stem, training_step
from hierviz.opening.options import with_flags, without_folder
from hierviz.reports.report_file import ReportRun, report
from hierviz.reports.report_samples import chosen_samples
from hierviz.reports.view import NAME_OF_DEMO

MEMORY = "save"


def n_looks_asked(data):
    """For how many samples the report shows where the model looks: a switch and a number, of a model that was run here."""
    if not is_offered(data, state.shown_model_of(data.models)):
        return 0
    with st.container(horizontal=True, vertical_alignment="bottom"):
        help = "Hides parts of a sample one after the other and runs the model on each: seconds for each sample."
        if not st.toggle("Where it looks", help=help, **state.kept(MEMORY, "with_looks", False)):
            return 0
        return int(st.number_input("For the first samples", 1, 50, step=1, **state.kept(MEMORY, "looks", 3, width=170)))


def offer_report(data, settings, name, key, n_looks=0):
    """Make a Report with its progress, and draw the button that saves it as `name`; None where it was cancelled.

    `n_looks` is for how many of its samples it shows where the model looks.
    """
    looked = None
    if n_looks:
        looked = looked_at(data, state.shown_model_of(data.models))
        if looked is None:
            st.info("The inputs of this model are not known here: without *Where it looks*.", icon=":material/info:")

    def make(stages):
        run, samples = replace(settings["run"], stage=stages), settings["samples"]
        if looked is not None:
            samples = replace(samples, sensitivities=_sensitivities(data, settings, looked, n_looks, stages))
        return report(list(data.models.values()), **{**settings, "run": run, "samples": samples})

    made = worked_out("report", asked_report(data, settings), "Report", make)
    if made is not None:
        content, file = made.html.encode("utf-8"), f"{name}.html"
        download(f"Save {file} ({len(content) / 1e6:.1f} MB)", content, file, key, type="primary")
    return made


def _sensitivities(data, settings, looked, n, stages):
    """The Sensitivity of each of the first samples that a report shows, whose inputs are open."""
    key = next(key for key, one in data.models.items() if one.predictions.name == settings["model"])
    model, (found, ids) = data.models[key], looked
    predictions = model.predictions
    names = {"rule", *INFERENCE_RULES[settings["rule"]].parameters}
    choice = {name: value for name, value in settings.items() if name in names}
    choice["threshold"] = settings["threshold"][list(data.models).index(key)]
    rows = [row for _, group in chosen_samples(model, settings["samples"], **choice) for row in group]
    places = {sample: place for place, sample in enumerate(ids.tolist())}
    answers, made = model.answers(**choice), []
    for row in list(dict.fromkeys(rows))[:n]:
        sample = predictions.sample_id(row)
        if sample in places:
            is_known = model.judged[row] and predictions.has_single_truth
            ends = {"truth": int(predictions.truth[row]) if is_known else None}
            ends["answer"] = int(answers[row]) if isinstance(answers, np.ndarray) else None
            progress = stages(f"Where it looks on {sample}", "runs")
            made.append(
                replace(found.model.sensitivity(found.inputs, places[sample], progress=progress, **ends), sample=sample)
            )
    return tuple(made)


def report_choice(data, key):
    """Rule and parameters of the page, as far as they apply to the model."""
    if not data.models[key].predictions.has_scores:
        return {"rule": "majority"}
    rules = offered_rules(data)
    rule = state.view().rule if state.view().rule in rules else rules[0]
    values = rule_parameters.rule_settings(data.taxonomy)
    return {"rule": rule} | {name: values[name] for name in INFERENCE_RULES[rule].parameters if name != THRESHOLD.name}


def report_confidence(data, key):
    """The AnswerConfidence of a model that the visitor wants, by the rule of the page; None where it is shown as it is."""
    return chosen_confidence(data, key, report_choice(data, key) | {"threshold": state.view().threshold_of(key)})


def story_flag(data, steps):
    """Words of the command for a story."""
    if not steps:
        return []
    return ["--story", "demo" if steps == story.shipped(data) else f"{file_start(data.title)}.hierviz.json"]


def rebuild_command(data, key, choice, thresholds, title, notes, samples, of_story=()):
    """The command that makes the report again; empty where no files say all. Files stand by their names."""
    files = data.files
    if data.key not in NAME_OF_DEMO and (files is None or files.given or files.reading):
        return ""
    if any(not isinstance(value, str | int | float) for value in choice.values()):
        return ""
    if data.key in NAME_OF_DEMO:
        flags = [("--demo", NAME_OF_DEMO[data.key])]
    elif files.taxonomy_direction or files.taxonomy_separator:
        return ""  # the command has no such flags
    else:
        is_plain = all(name == stem(path) for name, path in zip(files.names, files.predictions))
        flags = flags_of(replace(files, names=()) if is_plain else files)
        flags = [(flag, None if value is None else without_folder(value)) for flag, value in flags]
    called = [model.predictions.name for model in data.models.values()]
    names = [f"{step[0] if (step := training_step(name)) else name}=" for name in called]
    names, thresholds = ([""], thresholds[:1]) if len(set(thresholds)) == 1 else (names, thresholds)
    flags += [(f"--{name.replace('_', '-')}", str(value)) for name, value in choice.items()]
    flags += [("--threshold", f"{name}{threshold_text(one)}") for name, one in zip(names, thresholds, strict=True)]
    flags += [("--look-at", data.models[key].predictions.name), ("--title", title)]
    flags += [("--note", note.strip()) for note in notes.split("\n\n") if note.strip()]
    flags += [(f"--{name}", str(getattr(samples, name))) for name in ("worst", "random", "seed")]
    flags += [("--sensitivity", str(len(samples.sensitivities)))] if samples.sensitivities else []
    flags += [("--confidence-map", samples.confidence_map)] if samples.confidence_map != "none" else []
    flags += [("--group", samples.group)] if samples.group is not None else []
    flags += [("--max-mb", f"{samples.max_mb:g}"), *(("--sample", sample) for sample in samples.named)]
    words = [word for pair in flags for word in pair if word is not None]
    return shlex.join(["hierviz", "report", *words, *of_story, "--out", "report.html"])


def report_settings(data, steps, of_story, samples, *, notes="", title=""):
    """Keywords of `report` for the open data with rule, thresholds and model of the page; `of_story` as of the command.

    `run` holds the command alone.
    """
    key, title = state.shown_model_of(data.models), title or data.title
    choice, thresholds = report_choice(data, key), [state.view().threshold_of(name) for name in data.models]
    confidence = report_confidence(data, key)
    if confidence is not None:
        samples = replace(samples, confidence_map=confidence.how, group=confidence.group)
    return {
        **choice,
        "threshold": thresholds,
        "title": title,
        "notes": notes,
        "model": data.models[key].predictions.name,
        "samples": samples,
        "run": ReportRun(rebuild_command(data, key, choice, thresholds, title, notes, samples, of_story), with_flags),
        "story": steps,
    }


def asked_report(data, settings):
    """What tells reports from each other."""
    return data.digest, data.key, repr(settings)


def shown_sample(data):
    """Id of the sample of the view as a tuple; empty where the data do not have it."""
    sample = state.view().sample
    return (sample,) if sample and data.first.predictions.row(sample) is not None else ()


def file_start(title):
    """A title as part of a file name."""
    return slug(title, "report")[:60]
