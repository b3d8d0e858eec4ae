"""The menu Save in the header of every page, with reports, the file of one view, the story and session files; the copied link."""

import shlex
from dataclasses import replace

import streamlit as st

from hierviz.app import state
from hierviz.app.state import rule_parameters, story
from hierviz.app.state.components import component
from hierviz.app.state.escape import escape
from hierviz.app.state.kept_review import review_of
from hierviz.app.state.session_file import session_of, why_no_session
from hierviz.app.widgets import filters
from hierviz.app.widgets.controls import offered_rules
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.progress import worked_out
from hierviz.app.widgets.table import download
from hierviz.charts import threshold_text
from hierviz.diagnosis._sensitivity import Sensitivity
from hierviz.inference.crm import LeafCosts
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.errors import slug
from hierviz.opening.files import flags_of
from hierviz.opening.named_files import stem
from hierviz.opening.options import with_flags, without_folder
from hierviz.reports.captions import caption_text
from hierviz.reports.report_file import ReportRun, report
from hierviz.reports.report_samples import ReportSamples
from hierviz.reports.story_step import StoryStep, link_of_step, step_from_link, texts
from hierviz.reports.view import NAME_OF_DEMO, foreign_fields
from hierviz.reports.view_file import view_file as view_html
from hierviz.reports.view_pages import ASPECTS, COMPARISONS, IN_REPORTS, PARTS
from hierviz.reports.view_pages import PAGES as RECORDS

SAVE_VIEW = "Save this view as a file"
MEMORY = "save"
# Fields that name the part of a page, and its parts.
PARTS_OF = {"mistakes": ("part", PARTS), "taxonomy": ("aspect", ASPECTS), "compare": ("comparison", COMPARISONS)}
# Key -> what can be saved, and what for.
CHOICES = {
    "view": (
        "This view",
        "To send this page: one HTML file with exactly what it shows, which opens anywhere, without hierviz.",
    ),
    "report": (
        "Report",
        "To send or keep all results: one HTML file with numbers, curves, examples, matrix and taxonomy.",
    ),
    "story": ("Story", "To present: views in an order with captions, played in full screen."),
    "session": (
        "Session file",
        "To continue later or elsewhere: opens this page again with the same files; contains no data.",
    ),
}


@st.fragment
def save_menu(data, page):
    """Draw the menu.

    Parameters
    ----------
    data : Dataset
    page : str
        Of the address, such as "curves".
    """
    with st.container(key="save-menu"):
        # Drawn while it is shut: a popover that reports when it is closed does so to the page that was left, too late.
        menu = st.popover("Save", icon=":material/save:", type="tertiary", key="save")
    offered = [key for key in CHOICES if key != "view" or (page or "overview") in IN_REPORTS]
    with menu:
        chosen = st.radio(
            "What to save, and what it is for",
            offered,
            format_func=lambda key: CHOICES[key][0],
            captions=[CHOICES[key][1] for key in offered],
            **state.kept(MEMORY, "what of " + "-".join(offered), offered[0]),
        )
        st.divider()
        parts = {"view": _view, "report": _report, "story": _story, "session": _session}
        parts[chosen](data, page or "overview")


def _view(data, page):
    if _is_requested("view", (data.digest, data.key, page, state.link(), state.seen()[0]), "Make the file"):
        view_file(data, page, "get-view-of-menu")


def _is_requested(name, now, label):
    """A button, and whether it was pressed for what the page shows now; once that is something else, it must be pressed again."""
    memory = state.memory(MEMORY)
    st.button(label, icon=":material/description:", on_click=memory.update, args=({name: now},))
    if memory.get(name) != now:
        memory.pop(name, None)
    return name in memory


def _report(data, page):
    kept = state.kept
    title = st.text_input("Title", **kept(MEMORY, f"title of {data.key}", data.title))
    notes = st.text_area("Notes", placeholder="What the reader should know", height=90, **kept(MEMORY, "notes", ""))
    with st.container(horizontal=True):
        worst = st.number_input("Worst answers", 0, 50, step=1, **kept(MEMORY, "worst", 6, width=130))
        random = st.number_input("Random samples", 0, 50, step=1, **kept(MEMORY, "random", 3, width=130))
        seed = st.number_input("Seed", 0, 2**31, step=1, **kept(MEMORY, "seed", 0, width=100))
        most = st.number_input("Pictures, MB at most", 0.0, 100.0, step=1.0, **kept(MEMORY, "max_mb", 5.0, width=150))
    chosen = shown_sample(data)
    if chosen and not st.toggle(f"With sample {escape(chosen[0])}", **kept(MEMORY, "with_sample", True)):
        chosen = ()
    steps = story.steps(data)
    own = bool(story.own_steps(data))
    wanted = state.kept(MEMORY, "with_own_story" if own else "with_story", own)
    if steps and not st.toggle(f"With the story ({len(steps)} views)", **wanted):
        steps = ()
    samples = ReportSamples(int(worst), int(random), int(seed), chosen, most)
    settings = report_settings(data, steps, story_flag(data, steps), samples, title=title, notes=notes)
    if _is_requested("asked", asked_report(data, settings), "Make the report"):
        made = offer_report(data, settings, file_start(title or data.title), "get-report")
        if made is not None and made.left_out:
            st.caption(escape(made.left_out))


def _story(data, page):
    n = len(story.steps(data))
    st.caption(
        "Session files and reports contain the story. "
        + (f"It has {'1 view' if n == 1 else f'{n} views'}." if n else "It has no views yet.")
    )
    if page != "story":
        if not RECORDS[page].section:
            st.caption("Played in the app like any other page; in a report a view of this page is its caption only.")
        st.text_area("Caption", placeholder="What to see here", height=70, **state.kept(MEMORY, "caption", ""))
        st.button("Add this view", icon=":material/playlist_add:", key="add-view", on_click=_add, args=(data, page))
    link_to("story", "Arrange and play", "slideshow")


def _add(data, page):
    memory = state.memory(MEMORY)
    story.add_view(data, page, memory.get("caption", ""))
    memory["caption"] = ""


def _session(data, page):
    why = why_no_session(data)
    if why:
        st.caption(escape(why))
        return
    st.caption(
        "It contains the choices of this page, and names and SHA-256 of the files. Open it under **Open files**."
    )

    # The file is made outside the session: what it needs is read now.
    memories = {name: dict(values) for name, values in state.memories().items()}
    view, steps = state.view(), story.own_steps(data)

    def content():
        return session_of(data, page, view, memories, steps).to_json()

    download("Save the session file", content, f"{file_start(data.title)}.hierviz.json", "get-session", "bookmark")


def offer_report(data, settings, name, key):
    """Make a Report with its progress, and draw the button that saves it as `name`; None where it was cancelled."""

    def make(stages):
        run = replace(settings["run"], stage=stages)
        return report(list(data.models.values()), **{**settings, "run": run})

    made = worked_out("report", asked_report(data, settings), "Report", make)
    if made is not None:
        content, file = made.html.encode("utf-8"), f"{name}.html"
        download(f"Save {file} ({len(content) / 1e6:.1f} MB)", content, file, key, type="primary")
    return made


def report_choice(data, key):
    """Rule and parameters of the page, as far as they apply to the model."""
    if not data.models[key].predictions.has_scores:
        return {"rule": "majority"}
    rules = offered_rules(data)
    rule = state.view().rule if state.view().rule in rules else rules[0]
    values = rule_parameters.rule_settings(data.taxonomy)
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
    if data.key in NAME_OF_DEMO:
        flags = [("--demo", NAME_OF_DEMO[data.key])]
    elif files.taxonomy_direction or files.taxonomy_separator:
        return ""  # the command has no such flags
    else:
        is_plain = all(name == stem(path) for name, path in zip(files.names, files.predictions))
        flags = flags_of(replace(files, names=()) if is_plain else files)
        flags = [(flag, None if value is None else without_folder(value)) for flag, value in flags]
    names = [f"{model.predictions.name}=" for model in data.models.values()]
    names, thresholds = ([""], thresholds[:1]) if len(set(thresholds)) == 1 else (names, thresholds)
    flags += [(f"--{name.replace('_', '-')}", str(value)) for name, value in choice.items()]
    flags += [("--threshold", f"{name}{threshold_text(one)}") for name, one in zip(names, thresholds, strict=True)]
    flags += [("--look-at", data.models[key].predictions.name), ("--title", title)]
    flags += [("--note", note.strip()) for note in notes.split("\n\n") if note.strip()]
    flags += [(f"--{name}", str(getattr(samples, name))) for name in ("worst", "random", "seed")]
    flags += [("--sensitivity", str(len(samples.sensitivities)))] if samples.sensitivities else []
    flags += [("--max-mb", f"{samples.max_mb:g}"), *(("--sample", sample) for sample in samples.named)]
    words = [word for pair in flags for word in pair if word is not None]
    return shlex.join(["hierviz", "report", *words, *of_story, "--out", "report.html"])


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
    st.caption(
        "One HTML file with exactly what this page shows. It opens anywhere, without hierviz and without a network."
    )
    view_file(data, page, "get-view")


def view_file(data, page, name):
    """Make the file of what the page shows, and offer it.

    Parameters
    ----------
    data : Dataset
    page : str
        One of `IN_REPORTS`.
    name : str
        Key of the button.
    """
    number, parts = state.seen()
    memory, asked = state.memory(MEMORY), (data.digest, data.key, page, state.link(), number)
    if memory.get("view made", (None,))[0] != asked:
        with st.spinner("Making the file"):
            step, command = _command_of_view(data, page)
            credits = [data.credit] if data.credit else []
            memory["view made"] = asked, view_html(data.title, _caption(data, page, step), parts, command, credits)
    content, file = memory["view made"][1].encode("utf-8"), f"{file_start(data.title)}-{page}.html"
    download(f"Save {file} ({len(content) / 1e6:.1f} MB)", content, file, name, type="primary")


def _command_of_view(data, page):
    """The view as a StoryStep, and the command of a report that begins with it."""
    # The page chooses models where the address names none.
    shown = tuple(state.shown_models(data)) if page == "curves" else state.view().models
    step = step_from_link(link_of_step(StoryStep(page, texts(state.link(models=shown)))), bool(data.first.n_judged))
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
