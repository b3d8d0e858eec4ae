"""How the open files were read, in words."""

from pathlib import Path

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape, in_form_words
from hierviz.findings.finding import counted

# Models that a line names.
MOST_NAMED = 3
# Pixels of the card of a file.
CARD = 380


def account(data):
    """Taxonomy, models, truth, and every note of the readers."""
    taxonomy = data.taxonomy
    levels = f"up to {taxonomy.max_depth} levels below the root {taxonomy.title(0)!r}"
    facts = {
        "classes": f"{taxonomy.n_nodes:,} nodes, {taxonomy.n_leaves:,} leaves, {levels}",
        "shape": "a tree" if taxonomy.is_tree else "a DAG: some nodes have several parents",
    }
    # Side by side where there is room.
    with st.container(horizontal=not state.is_narrow(), gap="small"):
        _facts("Taxonomy", facts | taxonomy.detected, taxonomy.notes)
        for model in data.models.values():
            predictions, judged = model.predictions, f"{model.n_judged:,}" if model.n_judged else "none"
            samples = {"samples": f"{predictions.n_samples:,}, {judged} with known truth"}
            _facts(predictions.name, samples | predictions.detected, predictions.notes)


def opened_line(data):
    """What was just opened, in a line with the whole account behind it; nothing once another page was shown."""
    if state.session.get("just_opened") != data.key:
        return
    read_as = {}
    for model in data.models.values():
        read_as.setdefault(str(model.predictions.detected.get("form", "")), []).append(model.predictions.name)
    said = [f"the taxonomy as {data.taxonomy.detected.get('form', 'given')}"]
    for form, names in read_as.items():
        named = ", ".join(names) if len(names) <= MOST_NAMED else f"{names[0]} and {len(names) - 1:,} more"
        said.append(f"{named} as {form or 'given'}")
    said.append(_truth_text(data))
    notes = [note for of in (data.taxonomy, *(one.predictions for one in data.models.values())) for note in of.notes]
    notes = list(dict.fromkeys(in_form_words(note) for note in notes))
    n_notes = f"{counted(len(notes), 'note')} on them under" if notes else "More under"
    with st.container(horizontal=True, vertical_alignment="center", key="just-opened"):
        st.markdown(f":material/check_circle: **Opened**: {escape('; '.join(said))}. {n_notes}", width="content")
        with st.popover("How the files were read", type="tertiary"):
            account(data)
    for note in data.notes:
        st.warning(escape(note), icon=":material/content_copy:")


def _truth_text(data):
    """How many samples have a truth, and from which file."""
    n, judged = data.first.predictions.n_samples, data.first.n_judged
    if not judged:
        return "no truth, so answers are not evaluated"
    # Without a file of its own its column is in that of the predictions, or of the inputs of a model.
    files = data.files
    given = () if files is None else files.truth or files.predictions or files.inputs or ()
    given = (given,) if isinstance(given, str) else given
    place = f" from {Path(given[0]).name}" if len(given) == 1 else " from the prediction files" if given else ""
    return f"truth of {judged:,} of {n:,} samples{place}"


def _facts(title, facts, notes):
    with st.container(border=True, width="stretch" if state.is_narrow() else CARD):
        st.markdown(f"**{escape(title)}**")
        st.markdown("  \n".join(f"{escape(str(key))}: {escape(str(value))}" for key, value in facts.items()))
        for note in notes:
            st.markdown(f":material/info: {escape(in_form_words(note))}")
