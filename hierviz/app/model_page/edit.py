"""Widgets that change a sample: sliders of a picture, a text, or the fields of a row."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.widgets import model_samples as samples
from hierviz.charts.export import picture_url
from hierviz.messages.errors import ModelError
from hierviz.onnx.inputs.table_inputs import column_names
from hierviz.reports.view_file import SeenTable

# Values of a row that are offered to be typed.
MOST_TYPED = 2000
# Name in `hierviz.onnx.perturbation` to what it is called here.
SLIDERS = {"darker": "Darken", "smaller": "Shrink", "blurred": "Blur", "moved": "Shift to the corner"}


def edited(model, kind, sample_set, row):
    """A sample with the widgets that change it.

    Parameters
    ----------
    model : Model
    kind : str
        Of `model_samples.kind_of`.
    sample_set : Samples or None
        None when the visitor types.
    row : int

    Returns
    -------
    feed, changed : dict of input name to array of one row, or None
        As it is, and as the visitor changed it; None where something is missing or nothing was changed.
    """
    if kind == "picture":
        picture = samples.picture_of(sample_set, model.inputs, row)
        if picture is not None:
            return _picture(model, picture)
    if kind == "text":
        return _text(model, sample_set, row)
    if kind == "row":
        return _row(model, sample_set, row)
    st.markdown(f"Row {row + 1} of {len(sample_set)}, unchanged.")
    return samples.row_feed(model, sample_set, row), None


def _picture(model, picture):
    images = st.container(horizontal=True, gap="xsmall")
    # On a phone the drawing would be far below.
    place = st.expander("Change the picture", icon=":material/tune:") if state.is_narrow() else st.container()
    with place:
        strengths, columns = {}, [column for _ in range(2) for column in st.columns(2)]
        for column, (name, label) in zip(columns, SLIDERS.items(), strict=True):
            kept = state.kept("model", f"strength-{name}", 0.0)
            strengths[name] = column.slider(label, 0.0, 1.0, step=0.05, format="percent", **kept)
        is_changed = any(strengths.values())
        undo = {"on_click": state.memory("model").update, "args": ({f"strength-{name}": 0.0 for name in SLIDERS},)}
        st.button("Reset", icon=":material/undo:", disabled=not is_changed, key="unperturbed", **undo)
    changed = samples.perturbed(picture, strengths)
    seen = None if model.inputs[0].why_no_pictures else model.inputs[0].preview(changed)
    shown = {"Original": picture} | ({"Changed": changed} if is_changed else {})
    with images:
        for words, image in (shown | ({"Model input": seen.picture} if seen else {})).items():
            st.image(picture_url(_png(image)), words, width=82, alt=words)
        if seen is None:
            st.caption("Answer the questions above to run the model.")
            return None, None
    height, width = seen.picture.shape[:2]
    place.caption(
        f"The model input is {width} × {height} pixels with values from {seen.low:.4g} to {seen.high:.4g} (mean {seen.mean:.4g})."
    )
    return samples.picture_feed(model, picture), samples.picture_feed(model, changed) if is_changed else None


def _png(picture):
    from PIL import Image

    image, made = Image.fromarray(picture), io.BytesIO()
    if max(image.size) < 106:  # small ones would be blurred by the browser
        image = image.resize([side * (212 // max(image.size)) for side in image.size], Image.Resampling.NEAREST)
    image.thumbnail((212, 212))
    image.save(made, "PNG")
    return made.getvalue()


def _text(model, sample_set, row):
    before = ""
    if sample_set is not None:
        before = str(np.asarray(sample_set.inputs.arrays[model.inputs[0].name][row]).ravel()[0])
    text = st.text_area("Text", before, height=200, key=f"text-{samples.digest({'text': np.array([before])})}")
    if not text.strip():
        st.caption("Type a text, then press Ctrl+Enter.")
        return None, None
    return _text_feed(model, before or text), _text_feed(model, text) if before and text != before else None


def _text_feed(model, text):
    spec = model.inputs[0]
    return {spec.name: spec.cast(np.array([text], dtype=object).reshape([1] * len(spec.shape)))}


def _row(model, sample_set, row):
    """A row as a table of two columns to edit: value of each field."""
    if sample_set is None and any(len(spec.shape) == 2 and (spec.shape[1] or 0) > MOST_TYPED for spec in model.inputs):
        st.info("The rows of this model are too long to type: upload a table or an array.", icon=":material/info:")
        return None, None
    feed = None if sample_set is None else samples.row_feed(model, sample_set, row)
    fields = [(spec, k, name) for spec in model.inputs for k, name in enumerate(_fields(spec, sample_set, feed))]
    if not fields:
        st.info("The rows of this model may have any length: upload a table.", icon=":material/info:")
        return None, None
    # One line a field reads better than one line with many columns, on a phone too. Numbers and texts cannot share a column.
    is_text = any(spec.dtype == "str" for spec in model.inputs)
    empty = {spec.name: "" if spec.dtype == "str" else 0.0 for spec in model.inputs}
    cells = [feed[spec.name].flat[k] if feed else empty[spec.name] for spec, k, _ in fields]
    shown = [_shown(cell) for cell in cells] if is_text else [float(cell) for cell in cells]
    frame = pd.DataFrame({"field": [name for *_, name in fields], "value": shown})
    key = samples.digest({"row": np.array([_shown(cell) for cell in cells])})
    state.see(
        "edited-row", lambda: SeenTable(list(edited), list(edited.itertuples(index=False, name=None)), len(edited))
    )
    edited = st.data_editor(
        frame,
        hide_index=True,
        disabled=["field"],
        height=min(35 * (len(frame) + 1) + 3, 563),
        column_config={
            "value": st.column_config.TextColumn() if is_text else st.column_config.NumberColumn(format="%.6g")
        },
        key=f"row-{key}",
    )
    st.caption("Double-click a value to edit it.")
    typed = dict.fromkeys(empty, ())
    for (spec, _, name), value, was, cell in zip(fields, edited["value"].tolist(), shown, cells, strict=True):
        # Unedited values keep all their digits.
        typed[spec.name] += (cell if value == was or (value != value and was != was) else _cell(spec, name, value),)
    made = {spec.name: _array(spec, typed[spec.name]) for spec in model.inputs}
    if feed is None:
        return made, None
    return feed, made if samples.digest(made) != samples.digest(feed) else None


def _fields(spec, sample_set, feed):
    """Names of the values of one input."""
    width = feed[spec.name].size if feed else 1 if len(spec.shape) == 1 else spec.shape[1]
    if width is None:
        return []
    if width == 1:
        return [spec.name]
    named = spec.columns or (column_names(sample_set.inputs, spec) if sample_set is not None else None)
    return list(named) if named is not None and len(named) == width else [f"{spec.name} {k + 1}" for k in range(width)]


def _array(spec, values):
    array = np.array(values, dtype=object if spec.dtype == "str" else None)
    made = spec.cast(array if len(spec.shape) == 1 else array.reshape(1, -1))
    return made.astype(object if spec.dtype == "str" else spec.dtype)


def _shown(value):
    return f"{value:.7g}" if isinstance(value, (float, np.floating)) else str(value)


def _cell(spec, name, value):
    if spec.dtype == "str":
        return str(value if value is not None else "")
    try:
        number = float("nan") if value is None else float(value)
        if spec.dtype.startswith("float"):
            return number
        whole = int(number)
        if whole != number:
            raise ValueError
        return bool(whole) if spec.dtype == "bool" else whole
    except (TypeError, ValueError, OverflowError):
        kind = "a number" if spec.dtype.startswith("float") else "a whole number"
        raise ModelError(f"{name}: expected {kind}, got {value!r}. Correct it.") from None
