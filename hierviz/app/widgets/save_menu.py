"""The menu Save in the header of every page: a report of what is open, and a session file of what is shown."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import streamlit as st

from hierviz.app import state
from hierviz.app.state import story
from hierviz.app.state.dataset import NAME_OF_DEMO
from hierviz.app.state.escape import escape
from hierviz.app.state.rule_parameters import rule_settings
from hierviz.app.state.session_file import session_of, why_no_session
from hierviz.app.widgets.controls import has_several_truths, offered_rules
from hierviz.app.widgets.progress import worked_out
from hierviz.charts import threshold_text
from hierviz.cli.parameter_flags import with_flags
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.reports import report
from hierviz.reports.story_html import SECTIONS

MEMORY = "save"
PAGES = Path(__file__).parents[1] / "pages"


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
        menu = st.popover("Save", icon=":material/save:", type="tertiary", key="save", on_change="rerun")
    if not menu.open:
        return
    with menu:
        st.markdown("**Report**")
        st.caption(
            "One HTML file of these data that opens without a network: numbers, curves with a threshold to drag, examples, "
            "confusion matrix, taxonomy."
        )
        _report(data)
        st.markdown("**Story**")
        _story(data, page)
        st.markdown("**Session file**")
        _session(data, page)


def _report(data):
    kept, view = state.kept, state.view()
    title = st.text_input("Title", **kept(MEMORY, "title", data.title))
    notes = st.text_area("Notes", placeholder="What the reader should know", height=90, **kept(MEMORY, "notes", ""))
    with st.container(horizontal=True):
        worst = st.number_input("Worst answers", 0, 50, step=1, **kept(MEMORY, "worst", 6, width=130))
        random = st.number_input("Random samples", 0, 50, step=1, **kept(MEMORY, "random", 3, width=130))
        seed = st.number_input("Seed", 0, 2**31, step=1, **kept(MEMORY, "seed", 0, width=100))
        most = st.number_input("Pictures, MB at most", 0.0, 100.0, step=1.0, **kept(MEMORY, "max_mb", 5.0, width=150))
    chosen = (view.sample,) if view.sample and data.first.predictions.row(view.sample) is not None else ()
    if chosen and not st.checkbox(f"With sample {escape(view.sample)}", **kept(MEMORY, "with_sample", True)):
        chosen = ()
    steps = story.steps(data)
    own = bool(story.own_steps(data))
    wanted = state.kept(MEMORY, "with_own_story" if own else "with_story", own)
    if steps and not st.checkbox(f"With the story ({len(steps)} views)", **wanted):
        steps = ()
    key = state.shown_model(data)
    choice = report_choice(data, key)
    thresholds = [view.threshold_of(name) for name in data.models]
    options = (title, notes, worst, random, seed, most, chosen)
    asked = (data.digest, data.key, key, repr(sorted(choice.items(), key=str)), tuple(thresholds), options, repr(steps))
    memory = state.memory(MEMORY)
    st.button("Make the report", icon=":material/description:", on_click=memory.update, args=({"asked": asked},))
    if memory.get("asked") != asked:
        return
    made = worked_out(
        "report",
        asked,
        "Report",
        lambda stages: report(
            list(data.models.values()),
            choice["rule"],
            thresholds,
            title=title or data.title,
            notes=notes,
            model=data.models[key].predictions.name,
            worst=int(worst),
            samples=chosen,
            random=int(random),
            seed=int(seed),
            max_mb=most,
            command=rebuild_command(data, key, choice, thresholds, options, story_flag(data, steps)),
            words=with_flags,
            story=steps,
            stage=stages,
            **{name: value for name, value in choice.items() if name != "rule"},
        ),
    )
    if made is None:
        return
    offer_report(made, slug(title or data.title), "get-report")
    if made.left_out:
        st.caption(escape(made.left_out))


def offer_report(made, name, key):
    """The button that saves a Report under a name without its ending."""
    content, file = made.html.encode("utf-8"), f"{name}.html"
    st.download_button(
        f"Save {file} ({len(content) / 1e6:.1f} MB)",
        content,
        file,
        "text/html",
        type="primary",
        icon=":material/download:",
        key=key,
        on_click="ignore",
    )


def report_choice(data, key):
    """Rule and parameters of the page, as far as they serve for the model."""
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
    return ["--story", "demo" if steps == story.shipped(data) else f"{slug(data.title)}.hierviz.json"]


def rebuild_command(data, key, choice, thresholds, options, of_story=()):
    """The command that makes the report again; empty where no files say all. Files that were uploaded stand by their names."""
    files = data.files
    if data.key not in NAME_OF_DEMO and (files is None or files.given or files.reading or files.projection):
        return ""
    if any(not isinstance(value, str | int | float) for value in choice.values()):
        return ""
    words = ["hierviz", "report"]
    if data.key in NAME_OF_DEMO:
        words += ["--demo", NAME_OF_DEMO[data.key]]
    else:
        for name in ("taxonomy", "predictions", "model", "inputs", "truth", "classes", "nodes", "media"):
            value = getattr(files, name)
            for path in value if isinstance(value, tuple) else (value,) if value else ():
                words += [f"--{name}", Path(path).name if files.held else str(path)]
        for name in ("truth_column", "parametrisation", "missing", "taxonomy_form", "predictions_form"):
            words += [f"--{name.replace('_', '-')}", getattr(files, name)] if getattr(files, name) else []
        if files.taxonomy_direction or files.taxonomy_separator:
            return ""  # the command has no such flags
    for name, value in choice.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    names = [model.predictions.name for model in data.models.values()]
    if len(set(thresholds)) == 1:
        words += ["--threshold", threshold_text(thresholds[0])]
    else:
        for name, threshold in zip(names, thresholds, strict=True):
            words += ["--threshold", f"{name}={threshold_text(threshold)}"]
    title, notes, worst, random, seed, most, chosen = options
    words += ["--look-at", data.models[key].predictions.name, "--title", title or data.title]
    words += [word for note in notes.split("\n\n") if note.strip() for word in ("--note", note.strip())]
    words += [
        "--worst",
        str(int(worst)),
        "--random",
        str(int(random)),
        "--seed",
        str(int(seed)),
        "--max-mb",
        f"{most:g}",
    ]
    words += [word for sample in chosen for word in ("--sample", sample)]
    return shlex.join([*words, *of_story, "--out", "report.html"])


def _story(data, page):
    n = len(story.steps(data))
    st.caption(
        "Views in an order, each with a caption, played in full screen; session file and report keep them. "
        + (f"There {'is 1 view' if n == 1 else f'are {n} views'} now." if n else "There is none yet.")
    )
    if page != "story":
        if (page or "overview") not in SECTIONS:
            st.caption("Played in the app as any other page; in a report a view of this page is its caption only.")
        st.text_area("Caption", placeholder="What to see here", height=70, **state.kept(MEMORY, "caption", ""))
        st.button("Add this view", icon=":material/playlist_add:", key="add-view", on_click=_add, args=(data, page))
    st.page_link(PAGES / "story.py", label="Arrange and play", icon=":material/slideshow:", query_params=state.link())


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
        "This page with its choices, to be opened again with the same files, on this server or another: names and SHA-256 of the "
        "files, no data. Open it under **Open files**."
    )

    # Made where no session is known: what it needs of this one is looked up now.
    memories = {name: dict(values) for name, values in state.memories().items()}
    view, steps = state.view(), story.own_steps(data)

    def content():
        return session_of(data, page or "overview", view, memories, steps).to_json()

    st.download_button(
        "Save the session file",
        content,
        f"{slug(data.title)}.hierviz.json",
        "application/json",
        icon=":material/bookmark:",
        key="get-session",
        on_click="ignore",
    )


def slug(title):
    """A title as part of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "report"
