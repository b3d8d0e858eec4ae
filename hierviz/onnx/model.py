"""Loading an ONNX model: which node each output column belongs to, and what would have to be asked.

Conventions
-----------
A model may describe itself: see `metadata`. What the caller passes wins over that; contradictions become notes.
Columns are matched to nodes by name, never by position.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hierviz.messages.errors import FileError, ModelError
from hierviz.onnx.account import full_account, taxonomy_words
from hierviz.onnx.description.file import check_file
from hierviz.onnx.description.metadata import declared
from hierviz.onnx.description.open_question import OpenQuestion, Question
from hierviz.onnx.inputs.declared_inputs import find_inputs, require_tensors
from hierviz.onnx.inputs.named_presets import with_preset
from hierviz.onnx.loaded_model import Model
from hierviz.onnx.process.isolation import Limits
from hierviz.onnx.process.session import Session
from hierviz.onnx.process.verdicts import printable
from hierviz.onnx.scores.class_sets import MISSING, class_set
from hierviz.onnx.scores.columns import find_columns, find_parametrisation
from hierviz.onnx.scores.outputs import choose_outputs, doubt_words, require_classifier
from hierviz.onnx.scores.score_reading import require_kind
from hierviz.taxonomy.checks import check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy


def load_model(
    path: str | os.PathLike[str],
    taxonomy: Taxonomy,
    *,
    classes: str | os.PathLike[str] | Sequence[str] | Mapping[int, str] | None = None,
    parametrisation: str | None = None,
    name: str | None = None,
    scores: str | None = None,
    outputs: str | Sequence[str] | None = None,
    preprocessing: Mapping[str, Any] | str | None = None,
    missing: str | None = None,
    only_known: bool = False,
    ignore: Sequence[str] = (),
    sum_repeated: bool = False,
    limits: Limits | None = None,
) -> Model:
    """Load an ONNX model and find out which node each of its output columns belongs to.

    Parameters
    ----------
    path : str or Path
    taxonomy : Taxonomy
    classes : sequence of str, dict of column number to str, or path, optional
        Node of each output column: names, a text file with one a line, a CSV with a column of them, or a JSON list or object.
    parametrisation : str, optional
        Key of `PARAMETRISATIONS`.
    name : str, optional
        How screens call the model; its title, else its file name, when absent.
    scores : str, optional
        What the scores are, a key of `hierviz.onnx.scores.score_kind.KINDS`; inferred from the scores when absent.
    outputs : str or sequence of str, optional
        Names of the outputs that hold the scores, in the order of the class names: one, or one head per depth.
    preprocessing : dict or str, optional
        How to prepare pictures, by key of `hierviz.onnx.description.input_keys.INPUT_KEYS`: ``layout``, ``size``, ``colour``,
        ``range``, ``mean``, ``std``, ...; or the name of a usual preparation (`hierviz.onnx.inputs.named_presets`), alone or as
        ``preset`` next to keys that differ from it.
    missing : {"zero"}, optional
        The model knows some of the classes only: the others have probability 0. `Predictions.known` says which, and
        `hierviz.projection.only_known` keeps to them.
    only_known : bool
        The same, for who passes the predictions to `hierviz.projection.only_known` when their truth is joined.
    ignore : sequence of str
        Names of columns that belong to no node; one called ``background`` never does.
    sum_repeated : bool
        Several columns of one node are summed.
    limits : Limits, optional
        What it may use of the machine.

    Returns
    -------
    Model

    Raises
    ------
    OpenQuestion
        A ModelError: if class names are missing or unknown to the taxonomy, or no or several outputs fit.
    ModelError
        If the file is no ONNX model or too large; onnxruntime is missing, too old or refuses it; or the parametrisation
        does not fit.
    FileError
        If the file of class names or the JSON next to the model cannot be read.
    TaxonomyError
        If the parametrisation is defined on trees only and the taxonomy is not one.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise FileError(f"model: expected the path of an ONNX model, got {type(path).__name__}. It comes first.")
    check_taxonomy(taxonomy, "It comes after the path of the model.")
    asked = _Asked(
        classes, parametrisation, name, scores, outputs, preprocessing, missing, only_known, ignore, sum_repeated
    )
    model = _draft(path, taxonomy, limits, asked)
    model.require_answers()
    return model


def draft_model(path, taxonomy, *, limits=None, **given):
    """A Model for which questions may be open: `Model.questions`. Arguments and errors are those of `load_model`.

    Nothing is run: `Model.account` is what is known without that.
    """
    return _draft(path, taxonomy, limits, _Asked(**given))


@dataclass(frozen=True)
class _Asked:
    """What the caller says of a model: keywords of `load_model`."""

    classes: Any = None
    parametrisation: str | None = None
    name: str | None = None
    scores: str | None = None
    outputs: str | Sequence[str] | None = None
    preprocessing: Mapping[str, Any] | str | None = None
    missing: str | None = None
    only_known: bool = False
    ignore: str | Sequence[str] = ()
    sum_repeated: bool = False


def _draft(path, taxonomy, limits, asked):
    path = Path(path)
    require_kind(asked.scores)
    check_file(path)
    session = Session(path, limits=limits)
    try:
        return _understood(path, taxonomy, session, asked)
    except BaseException:
        session.close()
        raise


def _understood(path, taxonomy, session, asked):
    """The Model of a session."""
    where = path.name
    if asked.missing not in (None, MISSING):
        raise ModelError(f"missing ({{missing}}): expected {MISSING} for a model, got {asked.missing!r}. Leave it out.")
    notes = []
    said, origin = declared(path, session.metadata, notes, with_preset(asked.preprocessing, session.inputs))
    require_tensors(where, session.inputs)
    require_classifier(where, session.inputs, session.outputs, session.facts["by_number"])
    ignore = (asked.ignore,) if isinstance(asked.ignore, str) else tuple(asked.ignore)
    of = (path, taxonomy, session, said, origin, asked.classes, notes)
    columns = find_columns(*of, ignore, asked.sum_repeated)
    key, key_from, outputs, known = asked.parametrisation or said.get("parametrisation"), "the scores", (), None
    questions = []
    if columns.problem is not None:
        words = doubt_words(session.outputs, session.facts["by_number"])
        problem = columns.problem
        questions.append(replace(problem, text=f"{words} {problem.text}") if words else problem)
    else:
        try:
            depths = np.where(columns.nodes >= 0, taxonomy.depth[columns.nodes], -1)
            how = {"depths": depths, "parametrisation": key, "wanted": asked.outputs, "notes": notes}
            outputs = choose_outputs(where, session.outputs, columns.names, **how)
            known = class_set(where, taxonomy, columns.nodes, key, bool(asked.missing or asked.only_known), notes)
            known = replace(known, only_known=asked.only_known)
            if not known.is_shared:
                of = (known.taxonomy, said, origin, asked.parametrisation, known.scored_nodes)
                key, key_from = find_parametrisation(where, *of, notes)
        except OpenQuestion as open_question:
            questions.append(open_question.question)
    inputs = find_inputs(where, session.inputs, said.get("input", {}), notes)
    inputs = tuple(replace(spec, most_bytes=session.memory_mb << 20) for spec in inputs)
    questions += _picture_questions(where, inputs)
    trained_with = taxonomy_words(taxonomy, said.get("taxonomy_sha256"), notes)
    title = printable(asked.name or said.get("title") or path.stem)
    batch = next((spec.shape[0] for spec in inputs if spec.shape[0] is not None), None)
    read = (batch, {}, tuple(notes), session, asked.scores, tuple(questions), known)
    model = Model(taxonomy, title, key, columns, inputs, tuple(outputs), *read)
    stated = {"parametrisation_from": key_from, "taxonomy": trained_with}
    return replace(model, account=full_account(path, model, said, stated))


def _picture_questions(where, inputs):
    """What must be said before pictures can be fed."""
    if len(inputs) != 1 or inputs[0].why_never_pictures:
        return []
    return [
        Question(
            "preprocessing",
            f"For pictures: {sentence}?",
            (f"preprocessing.{key}",),
            tuple((f"preprocessing.{key}", value, means) for value, means in _CHOICES.get(key, {}).items()),
            "pictures",
            f"{where}: expected to know {sentence}, got no setting. Pass {{preprocessing.{key}}}.",
        )
        for key, sentence in inputs[0].questions
    ]


# Usual values of a key of the preprocessing, with what each means.
_CHOICES = {
    "layout": {"NCHW": "channels before height and width (PyTorch)", "NHWC": "channels last (TensorFlow)"},
    "range": {"0,1": "0..255 becomes 0..1", "-1,1": "0..255 becomes -1..1", "0,255": "unchanged"},
}
