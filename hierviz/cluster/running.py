"""Partitions go to the workers, pieces come back, and the Evaluation is assembled in the order of the rows.

Conventions
-----------
No more than `IN_FLIGHT` partitions a thread are with the scheduler at a time, so that neither it nor the workers keep much;
pieces are fetched as they are done. A worker that is lost is no error: Dask gives its partitions to others, up to its setting
``distributed.scheduler.allowed-failures`` (3) times. Nothing but results is kept here, so that nothing is lost with a worker.
"""

from __future__ import annotations

import contextlib
import pickle
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import Any

import hierviz.messages.errors
from hierviz._version import version
from hierviz.cluster import work
from hierviz.cluster.work import fields_of, partitions, place_of
from hierviz.evaluation import summary
from hierviz.evaluation.evaluation import Evaluation, corpus_of
from hierviz.evaluation.pieces import EvaluationPiece, evaluation_of_pieces
from hierviz.inference.registry import inference_rule
from hierviz.messages.errors import ClusterError
from hierviz.messages.extras import require
from hierviz.predictions.predictions import Predictions

IN_FLIGHT = 3
# For a first worker, or another one once all are gone, in seconds; and how often that is checked.
PATIENCE, LOOK = 60, 5
# What a worker is asked for first, without sending it anything of hierviz: it would end at what it cannot import.
_ASKED = "__import__('hierviz.cluster.work', fromlist=['version']).version()"


def evaluation_on(
    client: Any,
    predictions: Predictions,
    progress: Callable[[int, int], object] | None = None,
    *,
    rule: str = "majority",
    threshold: float = 0.5,
    n_partitions: int | None = None,
    more: bool = False,
    paths: bool = False,
    **parameters: Any,
) -> Evaluation:
    """Evaluate a Predictions on a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
        Not an asynchronous one.
    predictions : Predictions
        Scores of ``.npy`` and Parquet files are read by the workers, under the same path or URL; others are sent.
    progress : callable, optional
        Called with (rows done, n_samples).
    rule, threshold, more, **parameters
        What will be asked for, as in `hierviz.evaluate`: the answers of the rule come with the pieces. Other answers are made
        here, from the scores.
    n_partitions : int, optional
        In place of what suits the number of threads.
    paths : bool
        Whether conformal nodes will be asked for.

    Returns
    -------
    Evaluation
        As `Evaluation.from_predictions` makes it: the same answers and counts, means within 1e-12.

    Raises
    ------
    ClusterError
        If there is no worker, workers have another version of hierviz or none, or rows cost too many workers.
    HiervizError
        If a worker cannot read or use its rows, as without a cluster.
    """
    require("cluster", "cluster", "distributed")
    choice = {"rule": rule, "threshold": threshold, "corpus": corpus_of(predictions), "more": more, "paths": paths}
    choice |= parameters
    inference_rule(rule).settings(parameters)
    if predictions.n_samples == 0:
        return Evaluation.from_predictions(predictions, threshold=threshold)
    n_threads = _threads(client)
    rows = partitions(predictions, n_threads, n_partitions)
    run = _Run(client, predictions, choice)
    pieces: dict[int, EvaluationPiece] = {}
    done, todo = 0, iter(enumerate(rows))
    if progress:
        progress(0, predictions.n_samples)
    try:
        for _ in range(IN_FLIGHT * n_threads):
            run.submit(next(todo, None))
        for k, piece in run:
            pieces[k] = piece
            run.submit(next(todo, None))
            done += piece.n_samples
            if progress:
                progress(done, predictions.n_samples)
    except _lost_connections():
        raise ClusterError(
            "scheduler: expected a steady connection, got a lost one. See its log and start again."
        ) from None
    finally:
        # After an error and at Ctrl-C the workers are free at once.
        run.cancel()
    return evaluation_of_pieces(predictions, [pieces[k] for k in range(len(rows))])


class _Run:
    """The partitions of one model that are with the scheduler."""

    def __init__(self, client, predictions, choice):
        self.client, self.predictions, self.running = client, predictions, {}
        self.name = f"hierviz-{uuid.uuid4().hex[:12]}"
        # Part of the graph and not scattered: what is scattered is gone with the workers that hold it.
        content = pickle.dumps((predictions.taxonomy, choice))
        self.shared = self._submitted(work.unpacked, content, key=f"{self.name}-taxonomy")

    def submit(self, partition):
        """Give a numbered partition to the scheduler; None is none."""
        if partition is None:
            return
        k, rows = partition
        fields = fields_of(self.predictions, rows)
        where, key = place_of(self.predictions), f"{self.name}-rows-{rows.start}"
        future = self._submitted(work.evaluated, self.shared, fields, where, key=key)
        self.running[future] = k, rows

    def _submitted(self, function, *arguments, key):
        import dask

        # Partitions of scores in memory are sent on purpose.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
            return self.client.submit(function, *arguments, key=key, pure=False, retries=1)

    def __iter__(self):
        """Yield (number, EvaluationPiece) as they are done."""
        while self.running:
            for future in self._done():
                k, rows = self.running[future]
                what, result = self._result(future, rows)
                if isinstance(result, str):
                    raise getattr(hierviz.messages.errors, what)(result)
                if what != version():
                    raise _other_version(what)
                del self.running[future]
                future.release()
                yield k, result

    def _done(self):
        """Futures that are done, at least one."""
        from distributed import wait

        return self._patiently(lambda: wait(list(self.running), timeout=LOOK, return_when="FIRST_COMPLETED").done)

    def _result(self, future, rows):
        from distributed import KilledWorker

        try:
            # What is done can be lost with its worker, and is then made again.
            return self._patiently(lambda: future.result(timeout=LOOK))
        except KilledWorker:
            raise ClusterError(
                f"rows {rows.start} to {rows.stop - 1}: expected workers that keep running, got several lost with these rows. "
                "See the workers' logs; often their memory is too small for a row group."
            ) from None
        except ImportError as error:
            raise _not_installed(error) from None

    def _patiently(self, ask):
        """What `ask` returns within `LOOK` seconds, asked again as long as there are workers."""
        lonely = 0.0
        while True:
            try:
                return ask()
            except TimeoutError:
                lonely = 0.0 if self.client.nthreads() else lonely + LOOK
                if lonely >= PATIENCE:
                    raise _no_workers(self.client) from None

    def cancel(self):
        """Take back what is not done."""
        futures = [*self.running, self.shared]
        self.running = {}
        with contextlib.suppress(*_lost_connections()):
            self.client.cancel(futures)


def _threads(client):
    """Threads of all workers, of which there has to be one, each with this version of hierviz."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise _no_workers(client) from None
    except AttributeError:
        raise ClusterError(
            f"client: expected a distributed.Client, got {type(client).__name__}. Pass Client('tcp://host:port')."
        ) from None
    for said in client.run(eval, _ASKED, on_error="return").values():
        if isinstance(said, ImportError):
            raise _not_installed(said)
        if isinstance(said, str) and said != version():
            raise _other_version(said)
    return max(1, sum(client.nthreads().values()))


def _lost_connections():
    """What Dask raises when the scheduler is gone."""
    from distributed.client import ClosedClientError
    from distributed.comm import CommClosedError

    return CancelledError, ClosedClientError, CommClosedError


def _no_workers(client):
    address = client.scheduler.address
    return ClusterError(
        f"{address}: expected at least one worker, got none in {PATIENCE} s. Start one: dask worker {address}"
    )


def _not_installed(error):
    return ClusterError(
        f"worker: expected hierviz {version()} and its packages to be installed, got {type(error).__name__} ({error}). "
        'Run pip install "hierviz[cluster]" where workers run.'
    )


def _other_version(said):
    return ClusterError(
        f"worker: expected hierviz {version()} as here, got {said}. Install the same version on all workers."
    )


def evaluate(
    predictions: Predictions | Evaluation | Sequence[Predictions | Evaluation],
    rule: str | None = None,
    threshold: float | Sequence[float] | None = None,
    *,
    threads: int | None = None,
    client: Any = None,
    class_weights: Any = None,
    more: bool = False,
    **parameters: Any,
) -> dict[str, Any]:
    """Every number of one or several models.

    Parameters
    ----------
    predictions : Predictions, Evaluation, or list of them
        Several models need the same taxonomy and the same samples.
    rule : str, optional
        Key of `INFERENCE_RULES`; ``majority`` when absent, or ``threshold`` where a threshold is given.
    threshold : float, or sequence of float, optional
        In [0, 1], one for all models or one for each; used by the rules ``threshold`` and ``threshold_set`` and by the sets
        of block ``labels``, which ``notes`` says where the rule has none. 0.5 when absent.
    threads : int, optional
        Blocks of rows that are processed at a time, where compiled loops serve (`hierviz.compiled`); all processors when
        None. On a cluster each thread of a worker is one.
    client : distributed.Client, optional
        Evaluates Predictions on its workers (extra ``cluster``). Scores of ``.npy`` and Parquet files are read by the
        workers, under the same path or URL; load them with ``load_predictions(..., read_scores=False)``.
    class_weights : "equal", or ndarray of float, shape (n_nodes,), optional
        Adds the numbers of block ``curve`` as means over true classes, each with the same weight or with its own
        (``balanced_ac``, ...).
    more : bool
        Adds the blocks best_leaves, probabilities, random_cuts, levels, lca and selective, which read all probabilities once
        more.
    **parameters
        Of the rule, ``INFERENCE_RULES[rule].parameters``; each has a default, and those of other rules play no part.

    Returns
    -------
    dict
        The JSON of the command line: version, taxonomy and ``models``, each with the blocks distribution, top_down,
        predicted, labels, curve and confusion. A block that does not apply is None and ``notes`` says why.

    Raises
    ------
    PredictionsError
        If models differ in samples, or rule or threshold is not valid.
    TaxonomyError
        If models differ in their taxonomy.
    ClusterError
        If the cluster has no workers, or ones without this version of hierviz.
    """
    if client is None:
        return summary.evaluate(
            predictions, rule, threshold, threads=threads, class_weights=class_weights, more=more, **parameters
        )

    def evaluation_of(model, rule, threshold):
        return evaluation_on(client, model, rule=rule, threshold=threshold, more=more, **parameters)

    of_cluster = {"evaluation_of": evaluation_of}
    evaluations, rule, thresholds = summary.evaluations_of(predictions, rule, threshold, parameters, **of_cluster)
    return summary.evaluate(evaluations, rule, thresholds, class_weights=class_weights, more=more, **parameters)
