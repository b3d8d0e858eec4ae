"""Damaged models with a fixed seed, 500 before a release: each runs or is refused in one line, and leaves nothing behind."""

import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("psutil")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

import psutil
from strategies import examples

from hierviz.messages.errors import ModelError
from hierviz.onnx.process.isolation import Limits
from hierviz.onnx.process.session import Session

from .mutants import mutant, originals, rows_for

SEED, N_MUTANTS = 4, examples(500)
MOST_MB = 30


@pytest.mark.long
def test_mutants(tmp_path, temporary, capfd):
    models, here = originals(), threading.local()
    limits = Limits(cpu_seconds=2, wall_seconds=600)

    def fate(data):
        here.path = getattr(here, "path", None) or Path(tempfile.mkdtemp(dir=tmp_path)) / "m.onnx"
        here.path.write_bytes(data)
        try:
            session = Session(here.path, limits=limits)
            names = [name for name, _, _ in session.outputs]
            if session.inputs:
                session.run([rows_for(session)], names, n_rows=7, step=4)
        except ModelError as error:
            return str(error)
        return None

    process = psutil.Process()
    for data in models:
        assert fate(data.tobytes()) is None
    before = process.memory_info().rss
    with ThreadPoolExecutor(2) as pool:
        fates = list(pool.map(lambda number: fate(mutant(SEED, number, models)), range(N_MUTANTS)))
    grown = (process.memory_info().rss - before) / 2**20
    assert grown < MOST_MB

    refused = [one for one in fates if one is not None]
    assert 5 < len(refused) < N_MUTANTS - 5  # neither is a matter of course
    for one in refused:
        assert one.isprintable()
        assert one.startswith("m.onnx: expected ")
        assert len(one) < 700
        assert " within 600 s," not in one  # the processor limit ended it, not the clock behind it
    assert list(temporary.iterdir()) == []
    assert capfd.readouterr() == ("", "")
