"""Dask clusters for the tests: inside this process, where workers are threads."""

import contextlib
import logging
import sys
import types
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def no_main(monkeypatch):
    """A page that another test ran stands as ``__main__``, which new worker processes would run again."""
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))


@pytest.fixture(scope="session")
def threads_cluster():
    """A context of a client on n workers of one thread each inside this process."""
    distributed = pytest.importorskip("distributed", reason="dask is not installed: there is no cluster")

    @contextlib.contextmanager
    def opened(n_workers):
        with (
            distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=False,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client

    return opened


@pytest.fixture(scope="module")
def client(threads_cluster):
    """A client on two workers inside this process."""
    with threads_cluster(2) as client:
        yield client
