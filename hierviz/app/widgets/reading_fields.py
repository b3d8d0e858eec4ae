"""How files are read, all or single ones, and on which part of the taxonomy they are judged: fields for `Files`."""

from collections import Counter
from pathlib import Path

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.widgets.controls import menu
from hierviz.app.widgets.ways_out import reading
from hierviz.evaluation.model_table import run_groups
from hierviz.opening.files import OPTIONS
from hierviz.opening.named_files import stem, steps_of_stems, training_step
from hierviz.opening.options import LABELS
from hierviz.predictions.parametrisation import PARAMETRISATIONS
from hierviz.readers.outside import OUTSIDE_ANSWERS, OUTSIDE_TRUTHS
from hierviz.readers.raw_predictions import DISAGREEING, IDS, SAMPLES

# In the order of the form; buttons below an error fill in those that are kept.
KEPT = (
    "parametrisation",
    "percent",
    "truth_column",
    "ids",
    "missing",
    "samples",
    "disagreeing",
    "outside",
    "outside_truth",
)
ORDER = ("taxonomy_form", "taxonomy_direction", "taxonomy_separator", "predictions_form", *KEPT)
_START = {"percent": False, "ids": IDS[0], "samples": SAMPLES[0], "disagreeing": DISAGREEING[0]}
_START |= {"outside": OUTSIDE_ANSWERS[0], "outside_truth": OUTSIDE_TRUTHS[0]}
CUTS = {"": "the whole taxonomy", "max_depth": "cut at a depth", "cut_level": "cut at a rank"}
CLASSES = {False: "all classes", True: "only those that the models know"}
UNSEEN = {"": "left out, counted", "project": "judged at their nearest known ancestor", "error": "an error"}
INNER = {"": "the end of their own path", "other": "a leaf “other” below them"}
FILE, METHOD, SCORES, NAMES_OF, THRESHOLD = "File", "Method", "Scores", "Class names", "τ"


def reading_fields():
    """Ask how the files are read; returns keywords of `Files`."""
    said = {}
    for name in ORDER:
        option, start = OPTIONS[name], _START.get(name, "")
        kept = reading(name, start) if name in KEPT else {}
        if name == "percent":
            said[name] = st.checkbox(option.label, **kept)
            continue
        if option.offered is None:
            value = st.text_input(f"{option.label} (empty: detect)", **kept)
            value = value.replace("\\t", "\t") if name == "taxonomy_separator" else value
        else:
            value = menu(option.label, option.offered, help=option.hint or None, **kept)
        if value not in ("", start):
            said[name] = value
    return said


def projection_fields():
    """Ask for the part of the taxonomy; returns `Files.projection`, empty for the whole."""
    asked = {}
    with st.expander("Judge on a part of the taxonomy"):
        cut = menu("Judged on", CUTS, key="projection_cut")
        if cut == "max_depth":
            asked["max_depth"] = st.number_input("Depth in edges from the root", 1, 1000, 2, key="projection_depth")
        elif cut == "cut_level":
            help = "Header of a level column of the taxonomy, a value of the node attribute `rank`, or a depth."
            help += " Leaves above it stay."
            asked["cut_level"] = st.text_input("Rank", key="projection_rank", help=help).strip()
        help = "Those with a column of scores, and their ancestors; of labels those that the class names list."
        asked["only_known"] = menu(LABELS["only_known"], CLASSES, key="projection_known", help=help)
        if asked["only_known"]:
            asked["unseen"] = menu(LABELS["unseen"], UNSEEN, key="projection_unseen")
        asked["inner_truth"] = menu("Inner classes as truth are", INNER, key="projection_inner")
        st.caption("The account of each file after opening gives how many truths were moved or left out.")
    return {name: value for name, value in asked.items() if value}


def file_readings(paths, classes=()):
    """Ask for the options of single files.

    Parameters
    ----------
    paths : sequence of str
        Prediction files.
    classes : sequence of str
        Files of class names; where there are several, each prediction file has its own.

    Returns
    -------
    dict
        Keywords of `hierviz.app.state.dataset.Files`: names, parametrisations, classes_of, thresholds.
    """
    names = [Path(path).name for path in paths]
    labels = {found.label: key for key, found in PARAMETRISATIONS.items()}
    of_classes = {Path(path).name: path for path in classes} if len(classes) > 1 else {}
    with st.expander(f"Single files: method, kind of scores, threshold ({len(paths)})", expanded=len(paths) > 1):
        st.caption(
            "Files with the same method name are its runs: pages show their mean and spread. Names such as flat@1, flat@2 are "
            "steps of a training: pages show the last one, Compare and Examples all. Empty cells are as for all files."
        )
        edited = _edited(names, methods_of(paths), list(labels), list(of_classes))
    columns = {column: [None if pd.isna(cell) or cell == "" else cell for cell in edited[column]] for column in edited}
    given = {
        "parametrisations": [labels.get(text) for text in columns[SCORES]],
        "classes_of": [of_classes.get(name) for name in columns.get(NAMES_OF, ())],
        "thresholds": columns[THRESHOLD],
    }
    of_files = {name: tuple(values) for name, values in given.items() if any(value is not None for value in values)}
    return {"names": tuple(columns[METHOD])} | of_files


def methods_of(paths):
    """Names of files at first: those that differ only in the number of a seed or run are one method, in that of an epoch or a
    step a training.

    Files with the same name and no run are different models, which get a number.
    """
    stems = [stem(path) for path in paths]
    steps = steps_of_stems(stems)
    method_of = {name: method for method, of_method in run_groups(stems).items() for name in of_method} | steps
    # A training is called as none of the other files.
    seen, found = Counter({training_step(name)[0] for name in steps.values()}), []
    for name in stems:
        if name in method_of:
            found.append(method_of[name])
            continue
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _edited(names, methods, labels, classes):
    """The table as it was left; it starts again with other files, and what was written outlives a change of page."""
    store, key = state.memory("file readings"), f"readings-{abs(hash((*names, *classes)))}"
    if key not in state.session or store.get("key") != key:
        fresh = pd.DataFrame({FILE: names, METHOD: methods, SCORES: [None] * len(names)}, dtype=object)
        if classes:
            fresh[NAMES_OF] = [classes[0]] * len(names)
        fresh[THRESHOLD] = pd.Series([None] * len(names), dtype=float)
        store["base"] = store["edited"] if store.get("key") == key else fresh
        store["key"] = key
    options = {
        FILE: st.column_config.TextColumn(disabled=True),
        METHOD: st.column_config.TextColumn(
            help="Files of one name are runs of one method; NAME@STEP is a step of a training.", required=True
        ),
        SCORES: st.column_config.SelectboxColumn(help="What the scores of this file are.", options=labels),
        THRESHOLD: st.column_config.NumberColumn(
            help="Where the handle of this model starts.", min_value=0.0, max_value=1.0, step=0.001
        ),
    }
    if classes:
        options[NAMES_OF] = st.column_config.SelectboxColumn(help="Which file names its columns.", options=classes)
    store["edited"] = st.data_editor(
        store["base"], hide_index=True, key=key, column_config=options, height=min(35 * (len(names) + 1) + 3, 400)
    )
    return store["edited"]
