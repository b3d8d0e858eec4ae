"""The file of what a page shows, as it was drawn, with its caption and the command of a report that begins with it."""

import streamlit as st

from hierviz.app import state
from hierviz.app.state import story
from hierviz.app.state.kept_review import review_of
from hierviz.app.widgets import filters
from hierviz.app.widgets.save_report import (
    MEMORY,
    file_start,
    report_choice,
    report_confidence,
    report_settings,
    shown_sample,
    story_flag,
)
from hierviz.app.widgets.table import download
from hierviz.diagnosis._sensitivity import Sensitivity
from hierviz.inference.leaf_costs import LeafCosts
from hierviz.reports.captions import caption_text
from hierviz.reports.report_samples import ReportSamples
from hierviz.reports.story_step import StoryStep, link_of_step, step_from_link, texts
from hierviz.reports.view_file import view_file as view_html
from hierviz.reports.view_pages import ASPECTS, COMPARISONS, IN_REPORTS, PARTS
from hierviz.reports.view_pages import PAGES as RECORDS

# Pages whose view can be saved; where no report begins with it, the file quotes no command.
VIEWED = (*IN_REPORTS, "model")
# Those that show a confidence of answers.
WITH_CONFIDENCE = ("example", "mistakes", "taxonomy")
# Fields that name the part of a page, and its parts.
PARTS_OF = {"mistakes": ("part", PARTS), "taxonomy": ("aspect", ASPECTS), "compare": ("comparison", COMPARISONS)}


def view_file(data, page, name):
    """Make the file of what the page shows, and offer it.

    Parameters
    ----------
    data : Dataset
    page : str
        One of `VIEWED`.
    name : str
        Key of the button.
    """
    memory, asked = state.memory(MEMORY), view_key(data, page)
    if memory.get("view made", (None,))[0] != asked:
        with st.spinner("Making the file"):
            credits, caption, command = [data.credit] if data.credit else [], [RECORDS[page].title], ""
            if page in IN_REPORTS:
                step, command = _command_of_view(data, page)
                caption = _caption(data, page, step)
            memory["view made"] = asked, view_html(data.title, caption, state.seen(), command, credits)
    content, file = memory["view made"][1].encode("utf-8"), f"{file_start(data.title)}-{page}.html"
    download(f"Save {file} ({len(content) / 1e6:.1f} MB)", content, file, name, type="primary")


def view_key(data, page):
    """What tells what a page shows from what it showed before; the last part is the number of its drawing."""
    return data.digest, data.key, page, state.link(), state.seen_number()


def _command_of_view(data, page):
    """The view as a StoryStep, and the command of a report that begins with it."""
    # The page chooses models where the address names none.
    shown = tuple(state.shown_models(data)) if page == "curves" else state.view().models
    sample = state.memory("shown sample").get("id", "") if page == "example" else state.view().sample
    link = state.link(models=shown, sample=sample)
    step = step_from_link(link_of_step(StoryStep(page, texts(link))), bool(data.first.n_judged))
    samples = ReportSamples(named=shown_sample(data), sensitivities=_looks(data))
    own = story.own_steps(data)
    of_story = ["--view", link_of_step(step), *story_flag(data, own)]
    of_story += ["--review", "review.csv"] if state.view().review else []
    return step, report_settings(data, (step, *own), of_story, samples)["run"].command


def _caption(data, page, step):
    """What the page shows, in paragraphs: page and part, the caption of its view, and the filters."""
    record, view = RECORDS[page], state.view()
    field, names = PARTS_OF.get(page, ("", {}))
    heading = (
        f"{record.title}: {names[getattr(view, field)]}" if field and getattr(view, field) in names else record.title
    )
    costs = [
        value
        for value in report_choice(data, state.shown_model_of(data.models)).values()
        if isinstance(value, LeafCosts)
    ]
    said = [caption_text(step, data.models, costs, review_of(data))]
    chosen = filters.said(data.taxonomy)
    confidence = report_confidence(data, state.shown_model_of(data.models)) if page in WITH_CONFIDENCE else None
    said += [] if confidence is None else [f"Confidence of the answers {confidence.said}."]
    return [heading, *said, *([f"Samples: {'; '.join(chosen)}."] if chosen else [])]


def _looks(data):
    """The Sensitivity that the page shows, in a tuple; empty where it shows none of this sample and model."""
    of, found = state.memory("looks shown").get("found", (None, None))
    is_shown = state.view().tree == "looks" and of == (
        data.digest,
        state.shown_model_of(data.models),
        state.view().sample,
    )
    return (found,) if is_shown and isinstance(found, Sensitivity) else ()
