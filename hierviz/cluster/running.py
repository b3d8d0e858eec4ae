"""Partitions go to the workers, pieces come back, and the Evaluation is put together in the order of the rows.

Conventions
-----------
No more than `IN_FLIGHT` partitions a thread are with the scheduler at a time, so that neither it nor the workers keep much;
pieces are fetched as they are done. A worker that is lost is no error: Dask gives its partitions to others, up to its setting
``distributed.scheduler.allowed-failures`` (3) times. Nothing but results is kept here, so that nothing is lost with a worker.
"""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable
from typing import Any

import hierviz.errors
from hierviz._version import version
from hierviz.cluster import work
from hierviz.cluster.partitions import fields_of, partitions, place_of
from hierviz.errors import ClusterError, HiervizError
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.pieces import EvaluationPiece, evaluation_of_pieces
from hierviz.extras import require
from hierviz.inference.registry import inference_rule
from hierviz.predictions import Predictions

IN_FLIGHT = 3
# For workers to come up, in seconds.
PATIENCE = 60


def evaluation_on(
    client: Any,
    predictions: Predictions,
    progress: Callable[[int, int], object] | None = None,
    *,
    rule: str = "majority",
    threshold: float = 0.5,
    n_partitions: int | None = None,
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
    rule, threshold, **parameters
        What will be asked for, as in `hierviz.evaluate`: the answers of the rule come with the pieces. Other answers are made
        here, from the scores.
    n_partitions : int, optional
        In place of what suits the number of threads.

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
    choice = {"rule": rule, "threshold": threshold, **parameters}
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
    finally:
        # After an error and at Ctrl-C the workers are free at once.
        run.cancel()
    return evaluation_of_pieces(predictions, [pieces[k] for k in range(len(rows))])


class _Run:
    """The partitions of one model that are with the scheduler."""

    def __init__(self, client, predictions, choice):
        from distributed import as_completed

        self.client, self.predictions, self.running = client, predictions, {}
        self.name = f"hierviz-{uuid.uuid4().hex[:12]}"
        # Part of the graph and not scattered: what is scattered is gone with the workers that hold it.
        content = pickle.dumps((predictions.taxonomy, choice))
        self.shared = self._submitted(work.unpacked, content, key=f"{self.name}-taxonomy")
        self.waiting = as_completed([])

    def submit(self, partition):
        """Give a numbered partition to the scheduler; None is none."""
        if partition is None:
            return
        k, rows = partition
        fields = fields_of(self.predictions, rows)
        where, key = place_of(self.predictions), f"{self.name}-rows-{rows.start}"
        future = self._submitted(work.evaluated, self.shared, fields, where, key=key)
        self.running[future] = k, rows
        self.waiting.add(future)

    def _submitted(self, function, *arguments, key):
        import dask

        # Partitions of scores in memory are sent on purpose.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
            return self.client.submit(function, *arguments, key=key, pure=False, retries=1)

    def __iter__(self):
        """Yield (number, EvaluationPiece) as they are done."""
        for future in self.waiting:
            k, rows = self.running[future]
            what, result = self._result(future, rows)
            if isinstance(result, str):
                raise getattr(hierviz.errors, what)(result)
            if what != version():
                raise ClusterError(
                    f"worker: expected hierviz {version()} as here, got {what}. Install the same version on all workers."
                )
            del self.running[future]
            future.release()
            yield k, result

    def _result(self, future, rows):
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        try:
            return future.result()
        except KilledWorker:
            raise ClusterError(
                f"rows {rows.start} to {rows.stop - 1}: expected workers that stay, got several that were lost with these rows. "
                "See the workers' logs; often their memory is too small for a row group."
            ) from None
        except FutureCancelledError:
            raise ClusterError(
                f"rows {rows.start} to {rows.stop - 1}: expected a scheduler that stays, got a lost connection. Start again."
            ) from None
        except ImportError as error:
            raise ClusterError(
                f"worker: expected hierviz {version()} and its packages to be installed, got {type(error).__name__} ({error}). "
                'Run pip install "hierviz[cluster]" where workers run.'
            ) from None

    def cancel(self):
        """Take back what is not done."""
        futures = [*self.running, self.shared]
        self.running = {}
        self.client.cancel(futures)


def _threads(client):
    """Threads of all workers, of which there has to be one."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise ClusterError(
            f"{client.scheduler.address}: expected at least one worker, got none in {PATIENCE} s. Start one: dask worker "
            f"{client.scheduler.address}"
        ) from None
    except AttributeError:
        raise HiervizError(
            f"client: expected a distributed.Client, got {type(client).__name__}. Pass Client('tcp://host:port')."
        ) from None
    return max(1, sum(client.nthreads().values()))
