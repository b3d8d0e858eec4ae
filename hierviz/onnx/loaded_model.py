"""A loaded ONNX model: running it on inputs, and Predictions out of what it gives.

Conventions
-----------
What the scores are is inferred from their values when it is not declared; where these are ambiguous, the user is asked
(`open_question`).

Rows run in batches of one fixed size, the last one padded with copies, so that a row's scores do not depend on its
neighbours. A batch that needs more memory than the model may use is run again in halves, down to one row.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import numpy as np

from hierviz._version import version
from hierviz.messages.errors import FileError, ModelError, PredictionsError, listed
from hierviz.messages.notebook_html import Short
from hierviz.messages.parameters import Sentence
from hierviz.onnx.description.open_question import OpenQuestion, Question
from hierviz.onnx.inputs.declared_inputs import COLOUR_ASSUMED
from hierviz.onnx.inputs.input_spec import InputSpec
from hierviz.onnx.inputs.model_inputs import ModelInputs, without_unreadable
from hierviz.onnx.process.session import OutOfMemory, Session
from hierviz.onnx.scores.class_sets import ClassSet, shared_probabilities
from hierviz.onnx.scores.columns import ScoreColumns
from hierviz.onnx.scores.outputs import gathered, score_outputs
from hierviz.onnx.scores.score_kind import ENOUGH_ROWS, ScoreKind, find_kind
from hierviz.onnx.scores.score_reading import PROBABILITIES, changed, check_declared, check_flat, choose
from hierviz.onnx.sensitivity import WithSensitivity
from hierviz.predictions.column_text import as_text
from hierviz.predictions.predictions import Predictions
from hierviz.projection.projected import with_zeros
from hierviz.readers.truth_file import load_truth
from hierviz.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class ReadScores(Short):
    """Scores as a parametrisation takes them.

    Parameters
    ----------
    scores : ndarray of float32, shape (n_samples, n_scores)
    nodes : ndarray of int, shape (n_scores,)
        Node of each column.
    parametrisation : str
    kind : ScoreKind
        What kind of numbers the scores look like.
    why : str
        Why this parametrisation.
    notes : tuple of str
        What was done to the numbers, and warnings.
    taxonomy : Taxonomy
        That of `nodes`: the part that the model knows.
    """

    scores: np.ndarray
    nodes: np.ndarray
    parametrisation: str
    kind: ScoreKind
    why: str
    notes: tuple[str, ...]
    taxonomy: Taxonomy


@dataclass(frozen=True, eq=False)
class Model(WithSensitivity):
    """An ONNX model whose outputs are scores of nodes. Build it with `hierviz.load_model`.

    Parameters
    ----------
    taxonomy : Taxonomy
    name : str
        How screens call the model.
    parametrisation : str or None
        Key of `PARAMETRISATIONS`; None when not declared; `predict` then infers it from the scores.
    columns : ScoreColumns
        Name and node of each column of the scores.
    inputs : tuple of InputSpec
    outputs : tuple of str
        Names of the outputs that hold the scores, side by side.
    batch : int or None
        Rows of one run when the model fixes them.
    account : dict
        What is known about the model, in JSON types; see `account.full_account`.
    notes : tuple of str
        What had to be assumed or contradicts itself.
    session : Session
    scores : str or None
        Key of `score_kind.KINDS` when the caller says what the scores are.
    questions : tuple of Question
        What is not declared yet; none of it stops `predict` in a model that `load_model` gave.
    known : ClassSet or None
        What the columns score; None while that is open.
    """

    taxonomy: Taxonomy
    name: str
    parametrisation: str | None
    columns: ScoreColumns
    inputs: tuple[InputSpec, ...]
    outputs: tuple[str, ...]
    batch: int | None
    account: dict
    notes: tuple[str, ...]
    session: Session = field(repr=False)
    scores: str | None = None
    questions: tuple[Question, ...] = ()
    known: ClassSet | None = None

    def __repr__(self):
        what = self.parametrisation or "inferred from the scores"
        return f"<Model {self.name!r}: {len(self.scored_nodes)} scores ({what}) in {self.output!r}>"

    @property
    def scored_nodes(self):
        """Node of each column that has one, shape (n_scores,)."""
        return self.columns.scored_nodes

    @property
    def class_numbers(self):
        """Node of each column that has one, by its place: what numbers as truth mean."""
        nodes = () if self.columns.nodes is None else self.columns.nodes.tolist()
        return {place: node for place, node in enumerate(nodes) if node >= 0}

    @property
    def output(self):
        """Name of the output that holds the scores; several names are joined."""
        return " + ".join(self.outputs)

    def require_answers(self):
        """Raise the first question without whose answer nothing can be predicted as an `OpenQuestion`."""
        for question in self.questions:
            if question.stops == "loading":
                raise OpenQuestion(question)

    def raw_scores(self, inputs, *, batch_size=64, progress=None, unreadable=None, notes=None):
        """What the model gives for inputs, before anything is made of it.

        Parameters
        ----------
        inputs, batch_size, progress
            As in `predict`.
        unreadable : dict, optional
            Grows by the rows whose picture cannot be read, with the reason: their scores mean nothing. Without it such a
            picture is an error.
        notes : list of str, optional
            As in `run_blocks`.

        Returns
        -------
        ndarray, shape (n_samples, n_columns)
            Columns of no node included. Without class names, the only output of scores as wide as the leaves or the nodes,
            with or without one column more.

        Raises
        ------
        ModelError
            If the inputs do not fit or the model fails; or without class names no or several outputs could hold scores.
        """
        where = self.account["file"]
        if int(batch_size) < 1:
            raise ModelError(f"{where}: expected a batch size of at least 1, got {batch_size}. Leave it out.")
        inputs = ModelInputs.from_values(inputs, self.inputs)
        total, step = len(inputs), self.batch or max(2, int(batch_size))

        def blocks():
            return inputs.blocks(self.inputs, slice(total), step, unreadable)

        return self.run_blocks(blocks, total, batch_size=step, progress=progress, notes=notes)

    def run_blocks(self, blocks, n_rows, *, batch_size=64, progress=None, notes=None):
        """Scores of the model for arrays of exactly its input types, block by block.

        Parameters
        ----------
        blocks : callable that gives an iterable of dict of input name to ndarray, or a list of them
            Read again when the rows are run in smaller batches.
        n_rows : int
            Rows of all blocks together.
        batch_size, progress
            As in `predict`.
        notes : list of str, optional
            Gets a note when a smaller batch was run, because memory did not suffice for this one.

        Returns
        -------
        ndarray, shape (n_rows, n_columns)
        """
        session, outputs = self.session, self.outputs or (self._nameless_output(),)
        wanted = self.batch or batch_size
        widest = len(self.columns.names) if self.outputs else self.taxonomy.n_nodes + 1
        step = wanted if self.batch else self._first_step(wanted)
        while True:
            given = blocks() if callable(blocks) else blocks
            try:
                run = session.run(given, list(outputs), n_rows=n_rows, step=step, widest=widest, progress=progress)
                break
            except OutOfMemory:
                if self.batch or step == 1:
                    raise
                step = session.most_rows = step // 2
        if step < wanted and notes is not None:
            rows = f"{step} row{'s' * (step > 1)} at a time"
            notes.append(f"{session.where} ran {rows}: {wanted} rows exceed its memory limit of {session.memory_mb} MB")
        if not self.outputs:
            return run.values[outputs[0]].reshape(n_rows, -1)
        return gathered(self.account["file"], run, outputs, n_rows, self.columns.names, session.class_labels)

    def _first_step(self, wanted):
        """Rows that are tried first: fewer where more failed before, or where the inputs alone take half of the memory."""
        step, session, row_bytes = wanted, self.session, sum(spec.fed_bytes for spec in self.inputs)
        while step > 1 and (step > (session.most_rows or step) or step * row_bytes > session.memory_mb << 19):
            step //= 2
        return step

    def read_scores(self, scores, ids=None):
        """Find out what raw scores are, and bring them into the form that their parametrisation takes.

        Parameters
        ----------
        scores : ndarray, shape (n_samples, n_columns)
            From `raw_scores`.
        ids : sequence of str, optional
            What errors call the rows.

        Returns
        -------
        ReadScores

        Raises
        ------
        OpenQuestion, ModelError, PredictionsError
            As `predict`.
        """
        place, notes = f"{self.account['file']}, output {self.output!r}", []
        columns, taxonomy, kind = self.known.nodes, self.known.taxonomy, self.scores
        if self.known.is_shared:
            p, detected, why = shared_probabilities(place, scores, self.known, kind, ids)
            return ReadScores(p, np.arange(1, taxonomy.n_nodes), "node_probabilities", detected, why, (), taxonomy)
        detected = find_kind(scores, taxonomy, columns, where=place, ids=ids)
        key, change, why = choose(
            place, detected, taxonomy, columns[columns >= 0], kind=kind, parametrisation=self.parametrisation
        )
        if self.parametrisation is not None and kind is None:
            why = self.account["parametrisation_from"]
            check_declared(place, detected, key, why, notes)
        elif kind == "logits":
            check_declared(place, detected, key, "{scores=logits}", notes)
        if key in PROBABILITIES:
            check_flat(place, detected, len(scores), notes)
        scores, nodes = changed(place, scores, change, detected, taxonomy, columns, key, notes)
        return ReadScores(scores, nodes, key, detected, why, tuple(notes), taxonomy)

    def predictions_of(self, read, where, truth=None, **more):
        """Predictions out of scores that were read, on the whole taxonomy: classes that the model does not know have 0.

        Parameters
        ----------
        read : ReadScores
        where : str
            What errors call the scores.
        truth, **more
            As in `Predictions`.
        """
        made = Predictions(read.taxonomy, self.name, read.scores, read.parametrisation, read.nodes, **more)
        if self.known.part is None:
            made = made.replace(truth=truth)
            made.check_scores(where)
            return made
        made.check_scores(where)
        return with_zeros(self.taxonomy, self.known.part, made).replace(truth=truth)

    def predict(
        self,
        inputs,
        *,
        truth=None,
        sample_ids=None,
        attributes=None,
        batch_size=64,
        progress=None,
        strict=False,
        unreadable=None,
    ):
        """Run the model.

        Parameters
        ----------
        inputs : ModelInputs, Pictures, path, ndarray, or mapping of input name to ndarray
            What `hierviz.onnx.inputs.model_inputs.load_inputs` accepts, or arrays.
        truth : sequence of node names or numbers, shape (n_samples,), or NodeLists, optional
            An empty name, None or -1 where it is not known.
        sample_ids, attributes : optional
            As in `Predictions`; those of the inputs when absent.
        batch_size : int
            Rows of one run, at least 2 (one row alone is computed differently), unless the model fixes them. Halved, and
            said in a note, where the model's memory is not enough.
        progress : callable, optional
            Called as progress(rows done, rows in all) after each run.
        strict : bool
            Stop at a picture that cannot be read, and where pictures of other kinds lie among the others. Else they are
            left out: notes name them and `n_without_prediction` counts them.
        unreadable : dict, optional
            Grows by the rows of `inputs` that were left out, with the reason; see `model_inputs.without_unreadable`.

        Returns
        -------
        Predictions
            Scores as float32, shape (n_samples, n_scores), of the samples that could be read. Notes say what was done to
            the scores, and warn when a softmax or sigmoid seems to be applied twice.

        Raises
        ------
        OpenQuestion
            If the kind of the scores is ambiguous; a ModelError that names the parameters and lists what fits.
        ModelError
            If the inputs do not fit, onnxruntime fails, or a score is not finite (says in which rows).
        FileError
            If an array, or with `strict` a picture, cannot be read, or no picture at all.
        PredictionsError
            If truth, ids or attributes do not fit the samples, or probabilities are none.
        """
        self.require_answers()
        inputs = ModelInputs.from_values(inputs, self.inputs)
        truth = _truth_nodes(truth, self.taxonomy)
        ids = inputs.sample_ids if sample_ids is None else as_text(sample_ids)
        foreign = () if inputs.pictures is None or inputs.arrays is not None else inputs.pictures.left_out
        if strict and foreign:
            raise FileError(
                f"{inputs.pictures.path.name}: expected pictures that can all be read, got {len(foreign)} of other kinds: "
                f"{listed(foreign)}. Save them as PNG or JPEG, or leave {{strict}} out."
            )
        n, told = len(inputs), []
        unreadable = None if strict else {} if unreadable is None else unreadable
        scores = self.raw_scores(inputs, batch_size=batch_size, progress=progress, unreadable=unreadable, notes=told)
        if unreadable:
            # Before some are left out.
            for what, values in {"truth": truth, "sample ids": ids, **(attributes or {})}.items():
                if values is not None and len(values) != n:
                    raise PredictionsError(
                        f"{what}: expected {n} values (one per sample), got {len(values)}. Align the rows."
                    )
            inputs, kept = without_unreadable(inputs, unreadable)
            scores, ids = scores[kept], None if ids is None else ids[kept]
            truth = truth.take(kept) if truth is not None else None
            attributes = {name: np.asarray(values)[kept] for name, values in (attributes or {}).items()}
        read, account = self.read_scores(scores, ids), self.account
        if len(scores) >= ENOUGH_ROWS and (np.asarray(scores) == scores[0]).all():
            told.append(
                Sentence(
                    f"all answers are equal: the {len(scores):,} rows have the same scores. Check the inputs and their "
                    "preprocessing ({preprocessing.range}), and the export of the model"
                )
            )
        notes = [note for note in self.notes if inputs.arrays is None or note != COLOUR_ASSUMED] + told
        return self.predictions_of(
            read,
            f"{account['file']}, output {self.output!r}",
            truth,
            sample_ids=ids,
            attributes={**inputs.attributes, **(attributes or {})},
            n_without_prediction=n - len(inputs) + len(foreign),
            notes=(*notes, *read.notes, *inputs.notes),
            detected=self._detected(read),
            media=inputs.pictures,
        )

    def _nameless_output(self):
        taxonomy = self.taxonomy
        widths = {n + more for n in (taxonomy.n_leaves, taxonomy.n_nodes - 1, taxonomy.n_nodes) for more in (0, 1)}
        fits = [output[0] for output in score_outputs(self.session.outputs) if output[2] and output[2][-1] in widths]
        if len(fits) != 1:
            raise OpenQuestion(self.questions[0])
        return fits[0]

    def _detected(self, read):
        """What was found out, and what else must be known to make the same numbers again."""
        facts, companions = self.account, self.account["companions"]
        made = {name: str(facts[name]) for name in ("file", "sha256", "output", "classes", "preprocessing")}
        made["parametrisation"] = f"{read.parametrisation} ({read.why})"
        made["scores"] = f"{read.kind.kind}: {read.kind.why}"
        made |= {"sha256 of companions": ", ".join(f"{file['file']} {file['sha256']}" for file in companions)}
        made |= {"hierviz": version(), "onnxruntime": str(facts.get("onnxruntime", "")), "numpy": np.__version__}
        return {key: value for key, value in made.items() if value}


def _truth_nodes(truth, taxonomy):
    """Truth in memory as node numbers, -1 where unknown, or NodeLists."""
    if truth is None:
        return None
    if isinstance(truth, (str, os.PathLike)):  # the rows of a file must be joined by id
        raise PredictionsError(
            f"truth: expected node names or numbers, got {str(truth)!r}. For a file: hierviz.attach_truth(predictions, file)."
        )
    return load_truth(truth, taxonomy).nodes
