"""What in a sample moves the log-odds of a model between two classes: its parts are hidden one at a time and the model is run.

`Model` has the methods of `WithSensitivity`. What is hidden: see `hiding`; the results: `hierviz.diagnosis.Sensitivity`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hierviz.diagnosis._average_sensitivity import FEWEST, AverageSensitivity, averaged
from hierviz.diagnosis._deciding_pair import checked_pair, deciding_pair
from hierviz.diagnosis._sensitivity import LEAST, Sensitivity, log_odds
from hierviz.inference.registry import infer
from hierviz.messages.errors import ModelError, PredictionsError, shown
from hierviz.onnx.hiding import hiding_of
from hierviz.onnx.inputs.model_inputs import ModelInputs
from hierviz.readers.truth_file import load_truth
from hierviz.taxonomy.positions import check_position
from hierviz.taxonomy.taxonomy import NodeLists

# Rows from which the kind of scores is detected.
ROWS_TO_SETTLE = 64
# Bytes of scores, and of probabilities, that are held at once; rows of one start of the model's process.
SCORE_BYTES, P_BYTES, MOST_ROWS = 64 << 20, 32 << 20, 16_384


class WithSensitivity:
    """The methods of a `Model` that hide parts of its samples."""

    if TYPE_CHECKING:
        taxonomy: Any
        inputs: Any

        def require_answers(self) -> Any: ...

    def sensitivity(
        self, inputs, row, between=None, *, truth=None, answer=None, fill="mean", batch_size=64, progress=None
    ) -> Sensitivity:
        """What in one sample moves the log-odds between two classes.

        Patches of a picture (1/4 and 1/8 of the sides, half a patch apart: 274 runs), each word and each sentence of a text,
        or each column of a row of features is hidden, one at a time.

        Parameters
        ----------
        inputs : ModelInputs, Pictures, path, ndarray, or mapping of input name to ndarray
            As in `predict`; medians of columns are taken over all of them.
        row : int
        between : (first, second), optional
            Names or numbers of two classes of which neither contains the other. By default the two between which the answer
            was decided: see `hierviz.diagnosis.deciding_pair`.
        truth : str or int, optional
            True class of the sample.
        answer : str or int, optional
            The answer that is explained; that of the rule `majority` by default.
        fill : {"mean", "blur"}
            What a patch is filled with: the mean colour of the picture, or a blurred copy of it.
        batch_size : int
            As in `predict`.
        progress : callable, optional
            Called as progress(runs done, runs in all); what it raises ends the work.

        Returns
        -------
        Sensitivity

        Raises
        ------
        ModelError
            If parts of such samples are not known (arrays with more than two axes that are no pictures, numbers of words), or
            the model fails.
        PredictionsError
            If there is no such row, or the two classes contain each other.
        TaxonomyError
            If a class is unknown, or no `between` is given and the taxonomy is no tree.
        """
        self.require_answers()
        inputs = ModelInputs.from_values(inputs, self.inputs)
        check_position("row", row, len(inputs), "row")
        truth, answer = (_node(self.taxonomy, what, one) for what, one in (("truth", truth), ("answer", answer)))
        run = SensitivityRuns(self, inputs, between, fill, batch_size)
        (found,) = run.of([int(row)], [truth], [answer], progress)
        return found

    def average_sensitivity(
        self, inputs, rows, between=None, *, truth=None, answers=None, fill="mean", batch_size=64, progress=None
    ) -> AverageSensitivity:
        """The mean of `sensitivity` over samples, such as those of a slice or of two classes that are confused.

        Parameters
        ----------
        inputs, between, fill, batch_size, progress
            As in `sensitivity`.
        rows : sequence of int
            At least 20 different ones.
        truth, answers : sequence of node names or numbers, shape (n_samples,), optional
            Of all inputs, not only those of `rows`; an empty name, None or -1 where it is not known. Answers of the rule
            `majority` by default.

        Returns
        -------
        AverageSensitivity
            With pointwise 95 % Student intervals over the samples. Where each sample has two classes of its own, effects are
            towards the truth.

        Raises
        ------
        ModelError, TaxonomyError
            As `sensitivity`.
        PredictionsError
            If there are fewer rows, one is none or there twice, or pictures have several sizes.
        """
        self.require_answers()
        inputs = ModelInputs.from_values(inputs, self.inputs)
        rows = [int(row) for row in np.asarray(rows).ravel()]
        for row in rows:
            check_position("rows", row, len(inputs), "row")
        if len(set(rows)) != len(rows) or len(rows) < FEWEST:
            raise PredictionsError(
                f"rows: expected at least {FEWEST} different rows for a mean, got {len(set(rows))}. Take a larger slice, or "
                "use sensitivity for each of them."
            )
        truths = _of_rows(self.taxonomy, "truth", truth, inputs, rows)
        answered = _of_rows(self.taxonomy, "answers", answers, inputs, rows)
        found = SensitivityRuns(self, inputs, between, fill, batch_size).of(rows, truths, answered, progress)
        return averaged(found)


def settled_scores(model, inputs, ids=None):
    """The model with the kind of its scores detected from the first rows, as in a whole run, and how many rows that took.

    Parameters
    ----------
    model : Model
    inputs : ModelInputs
    ids : sequence of str, optional
        What errors call the rows.
    """
    if model.parametrisation is not None or model.known is None or model.known.is_shared:
        return model, 0
    rows, unreadable = slice(0, min(ROWS_TO_SETTLE, len(inputs))), {}
    n = rows.stop
    scores = model.run_blocks(lambda: inputs.blocks(model.inputs, rows, n, unreadable), n, batch_size=max(2, n))
    kept = [row for row in range(n) if row not in unreadable]
    if not kept:
        return model, n
    read = model.read_scores(scores[kept], None if ids is None else np.asarray(ids)[kept])
    return replace(model, parametrisation=read.parametrisation, scores=read.kind.kind), n


class SensitivityRuns:
    """Runs of a model on samples with hidden parts."""

    def __init__(self, model, inputs, between, fill, batch_size):
        if int(batch_size) < 1:
            raise ModelError(f"batch_size: expected a number of rows of at least 1, got {batch_size}. Leave it out.")
        self.taxonomy = model.taxonomy
        self.between = None if between is None else _pair(self.taxonomy, between)
        if self.between is None:
            self.taxonomy.require_tree("between")
        self.hiding = hiding_of(model, inputs, fill)
        self.model, self.n_settled = settled_scores(model, inputs)
        self.inputs, self.step = inputs, model.batch or max(2, int(batch_size))
        ids = inputs.sample_ids
        self.ids = [str(row) for row in range(len(inputs))] if ids is None else [str(one) for one in ids]

    def of(self, rows, truths, answers, progress):
        """A Sensitivity of each row."""
        found, waiting, done = [], [], 0
        most = max(1, min(MOST_ROWS, SCORE_BYTES // max(1, 4 * len(self.model.columns.names))))
        total = self._total(rows)

        def told(n, _):
            progress(done + n, max(total, done + n))

        for place, row in enumerate(rows):
            waiting.append((row, truths[place], answers[place], *self.hiding.parts(row)))
            n = sum(1 + len(parts) for *_, parts, _ in waiting)
            if n >= most or place == len(rows) - 1:
                found += self._made(waiting, n, told if progress else None)
                waiting, done = [], done + n
        return found

    def _total(self, rows):
        """Runs of all rows; where samples differ in their number of parts, as many more as the first has."""
        parts, _ = self.hiding.parts(rows[0])
        return len(rows) * (1 + len(parts))

    def _made(self, samples, n, progress):
        scores, notes = self._scores(samples, n, progress)
        starts = np.cumsum([0, *(1 + len(parts) for *_, parts, _ in samples)])
        named = [self.ids[row] for row, *_, parts, _ in samples for _ in range(1 + len(parts))]
        read = self.model.read_scores(scores, named)
        made = self.model.predictions_of(read, f"{self.model.account['file']}, output {self.model.output!r}")
        found = []
        for (row, truth, answer, parts, _), start in zip(samples, starts.tolist()):
            (p,) = made.node_probabilities(np.array([start]))
            answer = (
                int(infer(self.taxonomy, p[None], "majority")[0])
                if answer is None and self.taxonomy.is_tree
                else answer
            )
            first, second, why = self.between or _decided(self.taxonomy, p, answer, truth)
            odds, n_clipped = self._odds(made, start, 1 + len(parts), first, second)
            said = [self.hiding.note, *notes]
            if n_clipped:
                said.append(f"probabilities below {LEAST:g} count as {LEAST:g}: {n_clipped:,} of {2 * len(odds):,} did")
            if self.n_settled:
                said.append(f"the kind of the scores was detected from {self.n_settled} rows")
            of = {"taxonomy": self.taxonomy, "model": self.model.name, "sample": self.ids[row], "truth": truth}
            of |= {"answer": answer, "first": first, "second": second, "why": why, "parts": parts}
            effect, runs = odds[0] - odds[1:], len(odds) + self.n_settled
            found.append(Sensitivity(**of, log_odds=float(odds[0]), effect=effect, n_runs=runs, notes=tuple(said)))
            self.n_settled = 0
        return found

    def _scores(self, samples, n, progress):
        """Raw scores of all rows, and notes."""
        step, notes = self.inputs.rows_at_once(self.model.inputs, self.step), []

        def blocks():
            for *_, parts, feed in samples:
                for start in range(0, 1 + len(parts), step):
                    yield feed(range(start, min(start + step, 1 + len(parts))))

        return self.model.run_blocks(blocks, n, batch_size=self.step, progress=progress, notes=notes), notes

    def _odds(self, made, start, n, first, second):
        """Log-odds of some rows, a block of probabilities at a time, and how many probabilities were clipped."""
        step, odds, n_clipped = max(1, P_BYTES // (8 * self.taxonomy.n_nodes)), [], 0
        for at in range(start, start + n, step):
            p = made.node_probabilities(np.arange(at, min(at + step, start + n)))
            values, clipped = log_odds(p, first, second)
            odds.append(values)
            n_clipped += clipped
        return np.concatenate(odds), n_clipped


def _decided(taxonomy, p, answer, truth):
    pair = deciding_pair(taxonomy, p, answer, truth)
    return pair.first, pair.second, pair.why


def _pair(taxonomy, between):
    """(first, second, why) of two classes that were named."""
    pair = between if isinstance(between, (tuple, list, np.ndarray)) else ()
    if len(pair) != 2:
        raise PredictionsError(f"between: expected two classes, got {shown(between)}. Pass (first, second).")
    return (*checked_pair(taxonomy, *pair), "two classes that were named")


def _node(taxonomy, what, value):
    """A class by name or number; None where it is none."""
    if value is None or isinstance(value, str):
        return taxonomy.node(value) if value else None
    check_position(what, value, taxonomy.n_nodes, "node number")
    return int(value)


def _of_rows(taxonomy, what, values, inputs, rows):
    """The class of each row, None where it is not known."""
    if values is None:
        return [None] * len(rows)
    nodes = load_truth(values, taxonomy).nodes
    if isinstance(nodes, NodeLists) or len(nodes) != len(inputs):
        got = "several a sample" if isinstance(nodes, NodeLists) else f"{len(nodes)} values"
        raise PredictionsError(
            f"{what}: expected one class of each of the {len(inputs)} inputs, got {got}. Align them with the inputs."
        )
    return [None if nodes[row] < 0 else int(nodes[row]) for row in rows]
