"""A Dask client by an address: of a cluster that is there, or of worker processes on this machine."""

from __future__ import annotations

import atexit
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hierviz.messages.errors import ClusterError
from hierviz.messages.extras import require
from hierviz.messages.processors import n_processors

# For a scheduler to answer, in seconds.
PATIENCE = 30
MOST_LOCAL = 1024
# Workers of Dask look a hundred times a second at what they do, twice at the machine, and give memory back that the next block
# of rows needs.
_FRUGAL = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
}


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client, as a context.

    Parameters
    ----------
    address : str
        ``local`` (a worker process for each processor), ``local:N``, or a scheduler's ``tcp://host:port`` or
        ``tls://host:port``.

    Yields
    ------
    distributed.Client
        Closed at the end; so are local workers.

    Raises
    ------
    ClusterError
        If the address is none of these, or nobody answers.
    """
    n_workers = local_workers(address)
    import dask
    from distributed import Client, LocalCluster
    from distributed.deploy import spec

    # Where a start is interrupted, closing the cluster a second time at the end of the process fails with a traceback; the
    # workers end with this process.
    atexit.unregister(spec.close_clusters)
    if n_workers is None:
        try:
            client = Client(address, timeout=PATIENCE)
        except (OSError, ValueError) as error:
            words = " ".join(str(error).split()).rstrip(".")[:160]
            raise ClusterError(
                f"cluster {address}: expected a scheduler that answers within {PATIENCE} s, got none ({words}). "
                "Check the address, or start one: dask scheduler"
            ) from None
        with client:
            yield client
        return
    with (
        dask.config.set(_FRUGAL),
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            # Nothing is served to other machines; the port of the dashboard is any that is free.
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def local_workers(address: str) -> int | None:
    """Number of worker processes that an address asks for, None where it is a scheduler's.

    Raises
    ------
    ClusterError
        If it is neither.
    MissingExtraError
        If dask is not installed.
    """
    require("cluster", "cluster", "distributed")
    words = re.fullmatch(r"local(?::([0-9]+))?", address)
    if words is None:
        if re.fullmatch(r"(tcp|tls)://\S+:[0-9]+", address):
            return None
    elif words[1] is None:
        return n_processors()
    elif 1 <= int(words[1]) <= MOST_LOCAL:
        return int(words[1])
    raise ClusterError(
        f"cluster: expected local, local:N with N from 1 to {MOST_LOCAL}, or tcp://host:port, got {address!r}. Choose one."
    )
