"""Details of a model: its file, inputs and outputs, and the class of each column."""

from __future__ import annotations

import html

import pandas as pd
import streamlit as st

from hierviz.app.model_page import questions as questions
from hierviz.app.state.escape import escape, in_form_words, sentence
from hierviz.app.state.limits import size_text
from hierviz.app.widgets.table import draw as draw_table
from hierviz.losses.registry import LOSSES
from hierviz.onnx.account import parametrisation_words
from hierviz.opening.options import LABELS
from hierviz.predictions.parametrisation import PARAMETRISATIONS

STYLE = """<style>
.hierviz-facts {display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; font-size: 0.95rem}
.hierviz-facts, .hierviz-facts dt, .hierviz-facts dd {margin: 0 !important; padding: 0 !important}
.hierviz-facts dt {opacity: 0.7}
.hierviz-facts dd {overflow-wrap: anywhere}
@media (max-width: 640px) {.hierviz-facts {grid-template-columns: 7rem 1fr}}
</style>"""
PLAIN_TYPES = {
    "tensor(float)": "floating point",
    "tensor(double)": "floating point (double precision)",
    "tensor(float16)": "floating point (half precision)",
    "tensor(int64)": "integers",
    "tensor(string)": "text",
    "float32": "floating point (float32)",
    "float64": "floating point (float64)",
    "float16": "floating point (float16)",
    "uint8": "integers 0 to 255 (uint8)",
    "str": "text",
    "bool": "true or false",
}


def one_line(model, kind):
    """The model in one line of Markdown."""
    account = model.account
    table = account["columns"]
    matched = sum(entry["node"] is not None for entry in table)
    takes = {"picture": "pictures", "text": "texts", "row": "rows of a table", "array": "arrays of numbers"}[kind]
    if kind == "picture" and model.inputs[0].size:
        height, width = model.inputs[0].size
        takes += f" ({width} × {height} pixels)"
    columns = (
        f"{matched} of {len(table)} columns are classes of the taxonomy" if table else "columns without class names"
    )
    weight = account["bytes"] + sum(companion["bytes"] for companion in account["companions"])
    return f"**{escape(model.name)}** · takes {takes} · {columns} · {size_text(weight)}"


def account(source, model, kind):
    """The whole account."""
    st.html(STYLE)
    known, facts = model.account, model.account["facts"]
    left, right = st.columns(2, gap="large")
    with left:
        shapes = [_axes(one["name"], one["dtype"], one["shape"]) for one in known["inputs"]]
        shapes += [("preprocessing", known["preprocessing"])] if kind == "picture" else []
        _facts("Inputs", [*shapes, ("batch size", known["batch"] or "any")])
        opset = ", ".join(f"{name} {number}" for name, number in facts["opset"].items())
        loss = LOSSES[known["loss"]].label if known["loss"] in LOSSES else known["loss"] or "not stated"
        companions = [(f"with {one['file']}", size_text(one["bytes"])) for one in known["companions"]]
        file = [("name", known["file"]), ("size", size_text(known["bytes"])), *companions]
        file += [
            ("producer", facts["producer"] or "not stated"),
            ("format", f"ONNX IR {facts['ir_version']}, opset {opset}, {facts['n_nodes']} operators"),
            ("training loss", loss),
            *((key, known[key]) for key in ("taxonomy", "sha256")),
        ]
        _facts("File", file)
    with right:
        key = known["parametrisation"]
        outputs = [_axes(one["name"], one["type"], one["shape"]) for one in known["outputs"]]
        outputs += [("output used", known["output"]), ("class names", known["classes"])]
        outputs.append(("parametrisation", PARAMETRISATIONS[key].label if key else parametrisation_words(known)))
        _facts("Outputs", outputs + ([("stated by", known["parametrisation_from"])] if key else []))
        _columns(model)
    for note in known["notes"]:
        st.markdown(f":material/info: {escape(sentence(note))}")
    _overrule(source, model, kind)


def _axes(name, kind, shape):
    return name, f"{PLAIN_TYPES.get(kind, kind)}, {' × '.join('any' if axis is None else str(axis) for axis in shape)}"


def _facts(title, rows):
    cells = "".join(f"<dt>{_cell(key)}</dt><dd>{_cell(value)}</dd>" for key, value in rows)
    with st.container(border=True):
        st.markdown(f"**{title}**")
        st.html(f'<dl class="hierviz-facts">{cells}</dl>')


def _cell(value):
    return html.escape(in_form_words(value).replace(" x ", " × "))


def _columns(model):
    table = model.account["columns"]
    with st.container(border=True):
        st.markdown("**Columns and classes**")
        if not table:
            st.markdown("The columns have no class names.")
            return
        n_strange = sum(entry["node"] is None for entry in table)
        said = f":material/warning: {n_strange} of {len(table)} names are not in the taxonomy: see the first rows."
        st.markdown(said if n_strange else f"All {len(table)} names are in the taxonomy.")
        # What did not match first, then what was matched under another name.
        shown = sorted(table, key=lambda one: (one["node"] is not None, one["node"] == one["name"], one["column"]))
        frame = pd.DataFrame(
            {
                "column": [entry["column"] for entry in shown],
                "name in the model": [entry["name"] for entry in shown],
                "class": [entry["node"] or "– none –" for entry in shown],
            }
        )
        draw_table(frame, key="columns-table", most=300)


def _overrule(source, model, kind):
    first, is_picture = model.inputs[0], kind == "picture"
    keys = {
        "classes": True,
        "scores": True,
        "preprocessing.resize": is_picture,
        "preprocessing.range": is_picture and not first.is_whole,
        "preprocessing.colour": is_picture and first.channels == 3,
    }
    st.markdown("**Corrections.** Set what was detected wrongly:")
    with st.container(horizontal=True):
        for key in filter(keys.get, keys):
            args = (source, model.taxonomy, key)
            st.button(LABELS[key], key=f"overrule-{key}", on_click=questions.overrule, args=args)
