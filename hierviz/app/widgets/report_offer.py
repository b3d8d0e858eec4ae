"""Reports of the open data, and the file of one view: rule and parameters of the page, the command, the buttons."""

from __future__ import annotations

import shlex
from dataclasses import replace

import streamlit as st

from hierviz.app import state
from hierviz.app.state import story
from hierviz.app.state.components import component
from hierviz.app.state.rule_parameters import rule_settings
from hierviz.app.widgets.controls import has_several_truths, offered_rules
from hierviz.app.widgets.progress import worked_out
from hierviz.app.widgets.table import download
from hierviz.charts import threshold_text
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.errors import slug
from hierviz.opening.files import flags_of
from hierviz.opening.named_files import stem
from hierviz.opening.options import with_flags, without_folder
from hierviz.reports.report_file import ReportRun, report
from hierviz.reports.report_samples import ReportSamples
from hierviz.reports.story_step import StoryStep, link_of_step, step_from_link, texts
from hierviz.reports.view import NAME_OF_DEMO, foreign_fields
from hierviz.reports.view_pages import IN_REPORTS

SAVE_VIEW = "Save this view as a file"


def offer_report(made, name, key):
    """The button that saves a Report under a name without its ending."""
    content, file = made.html.encode("utf-8"), f"{name}.html"
    download(f"Save {file} ({len(content) / 1e6:.1f} MB)", content, file, key, type="primary")


def report_choice(data, key):
    """Rule and parameters of the page, as far as they apply to the model."""
    if not data.models[key].predictions.has_scores:
        return {"rule": "majority"}
    several = has_several_truths(data)
    rules = offered_rules(data.taxonomy, several or not data.taxonomy.is_tree, several)
    rule = state.view().rule if state.view().rule in rules else rules[0]
    values = rule_settings(data.taxonomy)
    return {"rule": rule} | {name: values[name] for name in INFERENCE_RULES[rule].parameters if name != THRESHOLD.name}


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
    words = ["hierviz", "report"]
    if data.key in NAME_OF_DEMO:
        words += ["--demo", NAME_OF_DEMO[data.key]]
    else:
        if files.taxonomy_direction or files.taxonomy_separator:
            return ""  # the command has no such flags
        is_plain = all(name == stem(path) for name, path in zip(files.names, files.predictions))
        for flag, value in flags_of(replace(files, names=()) if is_plain else files):
            words += [flag] if value is None else [flag, without_folder(value)]
    for name, value in choice.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    names = [model.predictions.name for model in data.models.values()]
    if len(set(thresholds)) == 1:
        words += ["--threshold", threshold_text(thresholds[0])]
    else:
        for name, threshold in zip(names, thresholds, strict=True):
            words += ["--threshold", f"{name}={threshold_text(threshold)}"]
    words += ["--look-at", data.models[key].predictions.name, "--title", title]
    words += [word for note in notes.split("\n\n") if note.strip() for word in ("--note", note.strip())]
    for name in ("worst", "random", "seed"):
        words += [f"--{name}", str(getattr(samples, name))]
    words += ["--max-mb", f"{samples.max_mb:g}"]
    words += [word for sample in samples.named for word in ("--sample", sample)]
    return shlex.join([*words, *of_story, "--out", "report.html"])


def report_settings(data, steps, of_story, samples, *, notes="", title=""):
    """Keywords of `report` for the open data with rule, thresholds and model of the page; `of_story` as of the command.

    `run` holds the command alone.
    """
    key, title = state.shown_model_of(data.models), title or data.title
    choice, thresholds = report_choice(data, key), [state.view().threshold_of(name) for name in data.models]
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


def made_report(data, settings):
    """The Report, once it is made; its progress meanwhile."""
    models = list(data.models.values())

    def make(stages):
        return report(models, **{**settings, "run": replace(settings["run"], stage=stages)})

    return worked_out("report", asked_report(data, settings), "Report", make)


def shown_sample(data):
    """Id of the sample of the view as a tuple; empty where the data do not have it."""
    sample = state.view().sample
    return (sample,) if sample and data.first.predictions.row(sample) is not None else ()


def file_start(title):
    """A title as part of a file name."""
    return slug(title, "report")[:60]


def can_save(page):
    """Whether the copied link needs a file in its place, and a report can show this page."""
    return state.is_local_visit() and page in IN_REPORTS


def save_view(data, page):
    """The dialog with the file, where it was requested and the page still shows the same."""
    if state.memory("save view").get("asked") == (page, state.link()):
        _dialog(data, page)


@st.dialog(SAVE_VIEW, on_dismiss=lambda: state.memory("save view").clear())
def _dialog(data, page):
    st.caption("One HTML file that begins with this page and opens anywhere, without hierviz and without a network.")
    view_file(data, page, "get-view")


def view_file(data, page, name):
    """Make the file with its progress, and offer it.

    Parameters
    ----------
    data : Dataset
    page : str
        One of `IN_REPORTS`.
    name : str
        Key of the button.
    """
    # The page chooses models where the address names none.
    shown = tuple(state.shown_models(data)) if page == "curves" else state.view().models
    step = step_from_link(link_of_step(StoryStep(page, texts(state.link(models=shown)))), bool(data.first.n_judged))
    own = story.own_steps(data)
    of_story = ["--view", link_of_step(step), *story_flag(data, own)]
    made = made_report(data, report_settings(data, (step, *own), of_story, ReportSamples(named=shown_sample(data))))
    if made is not None:
        offer_report(made, f"{file_start(data.title)}-{page}", name)


def copy_link(page):
    """Draw the button; the link holds data, model, rule, threshold, filters, sample and the open part of the page.

    Fields that other pages use and this one does not are left out.

    Parameters
    ----------
    page : str
        Of the address, such as "curves".
    """
    where = "on this machine" if state.is_local_visit() else "for everybody who can open this server"
    until = "" if state.view().data in NAME_OF_DEMO or state.is_startup() else ", while these files are open"
    help = f"The link shows this page as it is now, {where}{until}: same data, model, threshold, filters and sample."
    with st.container(key="copy-link"):
        component(__file__, "copy_link")(
            key="copy-link-button",
            data={
                "help": help,
                "reach": reach(until, can_save(page)),
                "file": SAVE_VIEW if can_save(page) else "",
                "drop": foreign_fields(page),
            },
            on_file_change=lambda: state.memory("save view").update(asked=(page, state.link())),
        )


def reach(until, has_file):
    """Where the copied link opens, in one sentence; empty where it opens everywhere and stays.

    Parameters
    ----------
    until : str
        How long the data are here: empty, or ", while ...".
    has_file : bool
        Whether the note offers the view as a file.
    """
    if state.is_local_visit():
        while_open = " and these files are open" if until else ""
        others = "To send this view to somebody else:" if has_file else "For others, save a report under Save."
        return f"This link opens on this machine only, while hierviz runs{while_open}. {others}"
    return f"This link opens for everybody who can reach this server{until}." if until else ""
