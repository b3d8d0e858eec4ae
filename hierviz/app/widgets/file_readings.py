"""Options of single prediction files: their method, kind of scores, class names and threshold, as a table to fill in."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.evaluation.model_table import run_groups
from hierviz.opening.named_files import stem
from hierviz.predictions.parametrisation import PARAMETRISATIONS

FILE, METHOD, SCORES, CLASSES, THRESHOLD = "File", "Method", "Scores", "Class names", "τ"


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
            "Files with the same method name are its runs: pages show their mean and spread. Empty cells are as for all files."
        )
        edited = _edited(names, methods_of(paths), list(labels), list(of_classes))
    columns = {column: [None if pd.isna(cell) or cell == "" else cell for cell in edited[column]] for column in edited}
    keys = [labels.get(text) for text in columns[SCORES]]
    given = columns.get(CLASSES, [None] * len(paths))
    return {
        "names": tuple(columns[METHOD]),
        "parametrisations": tuple(keys) if any(keys) else (),
        "classes_of": tuple(of_classes.get(name) for name in given) if any(given) else (),
        "thresholds": tuple(columns[THRESHOLD]) if any(one is not None for one in columns[THRESHOLD]) else (),
    }


def methods_of(paths):
    """Names of files at first: those that differ only in the number of a seed or run are one method.

    Files with the same name and no run are different models, which get a number.
    """
    stems = [stem(path) for path in paths]
    method_of = {name: method for method, of_method in run_groups(stems).items() for name in of_method}
    seen, found = Counter(), []
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
            fresh[CLASSES] = [classes[0]] * len(names)
        fresh[THRESHOLD] = pd.Series([None] * len(names), dtype=float)
        store["base"] = store["edited"] if store.get("key") == key else fresh
        store["key"] = key
    options = {
        FILE: st.column_config.TextColumn(disabled=True),
        METHOD: st.column_config.TextColumn(help="Files of one name are runs of one method.", required=True),
        SCORES: st.column_config.SelectboxColumn(help="What the scores of this file are.", options=labels),
        THRESHOLD: st.column_config.NumberColumn(
            help="Where the handle of this model starts.", min_value=0.0, max_value=1.0, step=0.001
        ),
    }
    if classes:
        options[CLASSES] = st.column_config.SelectboxColumn(help="Which file names its columns.", options=classes)
    store["edited"] = st.data_editor(
        store["base"], hide_index=True, key=key, column_config=options, height=min(35 * (len(names) + 1) + 3, 400)
    )
    return store["edited"]
