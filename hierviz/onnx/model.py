"""ONNX models: which node each output column belongs to, and running them on inputs.

Conventions
-----------
A model may describe itself: see `metadata`. What the caller passes wins over that; contradictions become notes.
Columns are matched to nodes by name, never by position.

Rows run in batches of one fixed size, the last one padded with copies, so that a row's scores do not depend on its
neighbours. `session` is the only file that touches onnxruntime.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hierviz.errors import ModelError, PredictionsError, listed
from hierviz.onnx.columns import find_nodes, find_parametrisation
from hierviz.onnx.declared_inputs import find_inputs, pictures_words, require_tensors
from hierviz.onnx.file import check_file, companions, sha256
from hierviz.onnx.input_spec import InputSpec
from hierviz.onnx.metadata import declared
from hierviz.onnx.model_inputs import ModelInputs
from hierviz.onnx.outputs import PROBABILITIES, as_scores, choose_output
from hierviz.onnx.session import Session
from hierviz.predictions import Predictions
from hierviz.readers.truth_file import load_truth
from hierviz.taxonomy import Taxonomy

# Rounding may take a float32 softmax this far out of [0, 1].
ROUNDING = 1e-5


@dataclass(frozen=True, eq=False)
class Model:
    """An ONNX model whose outputs are scores of nodes. Build it with `hierviz.load_model`.

    Parameters
    ----------
    taxonomy : Taxonomy
    name : str
        How screens call the model.
    parametrisation : str
        Key of `PARAMETRISATIONS`.
    scored_nodes : ndarray of int, shape (n_scores,)
        Node of each output column.
    inputs : tuple of InputSpec
    output : str
        Name of the output that holds the scores.
    batch : int or None
        Rows of one run when the model fixes them.
    account : dict
        What is known about the model, in plain words and JSON types.
    notes : tuple of str
        What had to be assumed or contradicts itself.
    session : Session
    """

    taxonomy: Taxonomy
    name: str
    parametrisation: str
    scored_nodes: np.ndarray
    inputs: tuple[InputSpec, ...]
    output: str
    batch: int | None
    account: dict
    notes: tuple[str, ...]
    session: Session = field(repr=False)

    def __repr__(self):
        return f"<Model {self.name!r}: {len(self.scored_nodes)} scores ({self.parametrisation}) in {self.output!r}>"

    def predict(self, inputs, *, truth=None, sample_ids=None, attributes=None, batch_size=64, progress=None):
        """Run the model.

        Parameters
        ----------
        inputs : ModelInputs, Pictures, path, ndarray, or mapping of input name to ndarray
            What `hierviz.onnx.model_inputs.load_inputs` accepts, or arrays at hand.
        truth : sequence of node names or numbers, shape (n_samples,), or NodeLists, optional
            An empty name, None or -1 where it is not known.
        sample_ids, attributes : optional
            As in `Predictions`; those of the inputs when absent.
        batch_size : int
            Rows of one run, at least 2 (one row alone is computed differently), unless the model fixes them.
        progress : callable, optional
            Called as progress(rows done, rows in all) after each run.

        Returns
        -------
        Predictions
            Scores as float32, shape (n_samples, n_scores).

        Raises
        ------
        ModelError
            If the inputs do not fit, onnxruntime fails, or a score is not finite (says in which rows).
        FileError
            If a picture or array cannot be read.
        PredictionsError
            If truth, ids or attributes do not fit the samples, or probabilities are none.
        """
        where = self.account["file"]
        if int(batch_size) < 1:
            raise ModelError(f"{where}: expected a batch size of at least 1, got {batch_size}. Leave it out.")
        inputs = ModelInputs.of(inputs, self.inputs)
        truth = _truth_nodes(truth, self.taxonomy)
        ids = inputs.sample_ids if sample_ids is None else np.asarray(sample_ids).astype(str)
        total, step = len(inputs), self.batch or max(2, int(batch_size))
        scores = np.empty((total, len(self.scored_nodes)), dtype=np.float32)
        names = [self.taxonomy.names[node] for node in self.scored_nodes]
        place = f"{where}, output {self.output!r}"
        for start in range(0, total, step):
            rows = slice(start, min(start + step, total))
            feeds = {name: _padded(block, step) for name, block in inputs.feed(self.inputs, rows).items()}
            with np.errstate(over="ignore"):
                scores[rows] = as_scores(place, self.session.run(feeds, self.output), step, names)[: rows.stop - start]
            if progress is not None:
                progress(rows.stop, total)
        if self.parametrisation in PROBABILITIES:
            rounded = (scores > 1) & (scores <= 1 + ROUNDING) | (scores < 0) & (scores >= -ROUNDING)
            scores[rounded] = np.clip(scores[rounded], 0, 1)
        bad = np.flatnonzero(~np.isfinite(scores).all(axis=1))
        if len(bad):
            named = listed([str(row) for row in bad] if ids is None else [str(ids[row]) for row in bad])
            raise ModelError(
                f"{where}: expected finite scores, got NaN or infinity in {len(bad)} of {total} rows ({named}). "
                "Check these inputs, their scaling and the model's weights."
            )
        account = self.account
        made = Predictions(
            self.taxonomy,
            self.name,
            scores,
            self.parametrisation,
            self.scored_nodes,
            truth=truth,
            sample_ids=ids,
            attributes={**inputs.attributes, **(attributes or {})},
            notes=(*self.notes, *inputs.notes),
            detected={key: str(account[key]) for key in ("file", "sha256", "output", "classes", "preprocessing")}
            | {"parametrisation": f"{self.parametrisation} ({account['parametrisation_from']})"},
            media=inputs.pictures,
        )
        made.check_scores(place)
        return made


def load_model(path, taxonomy, *, classes=None, parametrisation=None, name=None):
    """Load an ONNX model and find out which node each of its output columns belongs to.

    Parameters
    ----------
    path : str or Path
    taxonomy : Taxonomy
    classes : sequence of str, or path, optional
        Node of each output column: names, a text file with one a line, or a CSV with a column of them.
    parametrisation : str, optional
        Key of `PARAMETRISATIONS`.
    name : str, optional
        How screens call the model; its title, else its file name, when absent.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If the file is no ONNX model or too large; onnxruntime is missing, too old or refuses it; class names are
        missing or unknown to the taxonomy; the parametrisation is missing or does not fit; or no output is wide enough.
    FileError
        If the file of class names or the JSON beside the model cannot be read.
    TaxonomyError
        If the parametrisation is defined on trees only and the taxonomy is not one.
    """
    path = Path(path)
    where = path.name
    check_file(path)
    session = Session(path)
    notes = []
    said, origin = declared(path, session.metadata, notes)
    require_tensors(where, session.inputs)

    nodes, classes_from = find_nodes(path, taxonomy, session.outputs, said, origin, classes, notes)
    key, key_from = find_parametrisation(where, taxonomy, said, origin, parametrisation, nodes, notes)
    output = choose_output(where, session.outputs, len(nodes), key, notes)
    inputs = find_inputs(where, session.inputs, said.get("input", {}), notes)

    here, there = taxonomy.sha256, said.get("taxonomy_sha256")
    match = "not stated by the model"
    if there is not None:
        match = "the one the model was trained with" if there == here else "another one than the model was trained with"
        if there != here:
            notes.append(
                f"the model was trained with another taxonomy (hash {there[:8]}…, here {here[:8]}…): "
                "its columns were matched by name"
            )
    title = name or said.get("title") or path.stem
    account = {
        "title": title,
        "file": where,
        "bytes": path.stat().st_size,
        "sha256": sha256(path),
        "companions": [
            {"file": beside.name, "bytes": beside.stat().st_size, "sha256": sha256(beside)}
            for beside in companions(path)
        ],
        "inputs": [{"name": one.name, "dtype": one.dtype, "shape": list(one.shape)} for one in inputs],
        "outputs": [{"name": one, "type": kind, "shape": list(shape)} for one, kind, shape in session.outputs],
        "output": output,
        "batch": next((one.shape[0] for one in inputs if one.shape[0] is not None), None),
        "parametrisation": key,
        "parametrisation_from": key_from,
        "classes": f"{len(nodes)} names from {classes_from}",
        "preprocessing": inputs[0].words if len(inputs) == 1 else "arrays are fed as they are",
        "pictures": pictures_words(inputs),
        "taxonomy": match,
        "loss": said.get("loss"),
        "training": said.get("training"),
        "notes": notes,
    }
    return Model(taxonomy, title, key, nodes, inputs, output, account["batch"], account, tuple(notes), session)


def _padded(block, n_rows):
    """`block` with copies of its first row up to `n_rows`."""
    missing = n_rows - len(block)
    return block if not missing else np.concatenate([block, np.repeat(block[:1], missing, axis=0)])


def _truth_nodes(truth, taxonomy):
    """Truth at hand as node numbers, -1 where unknown, or NodeLists."""
    if truth is None:
        return None
    if isinstance(truth, (str, os.PathLike)):  # the rows of a file must be joined by id
        raise PredictionsError(
            f"truth: expected node names or numbers, got {str(truth)!r}. Pass files to hierviz.readers.attach_truth."
        )
    return load_truth(truth, taxonomy).nodes
