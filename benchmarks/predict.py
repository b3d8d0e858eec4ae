"""Throughput of running a model in its own process against a bare onnxruntime loop, and what the process costs.

    python benchmarks/predict.py [models/flat_softmax.onnx] [rows]

The demo's 600 pictures, repeated to at least 20,000 rows, go through one model in batches of 64 on one thread: by a bare
loop in a fresh Python, and by `Session.run`, in turns. Claim: the run phase takes at most 1.15 times the bare
loop; exit code 1 when it does not. "run phase" is what the model's process spends between getting rows and having written
their outputs; "whole run" is Session.run from the caller's side (process, loading, writing rows, reading outputs);
"predict" is Model.predict on the same array. Best of the rounds, wall-clock seconds.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "ORT_DISABLE_TELEMETRY": "1"}

import numpy as np

from hierviz.demo import bundle_folder
from hierviz.onnx.model import load_model
from hierviz.onnx.process.session import Session
from hierviz.readers.pictures import Pictures
from hierviz.readers.taxonomy_file import load_taxonomy

BATCH, ROUNDS, MOST = 64, 5, 1.15
BARE = """
import sys, time
import numpy as np
import onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.add_session_config_entry("session.intra_op.allow_spinning", "0")
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
rows, batch, name = np.load(sys.argv[2]), int(sys.argv[3]), session.get_inputs()[0].name
rows = np.concatenate([rows, np.repeat(rows[-1:], -len(rows) % batch, axis=0)])
start = time.monotonic()
parts = [session.run(None, {name: rows[at : at + batch]})[0] for at in range(0, len(rows), batch)]
made = np.concatenate(parts)
print(time.monotonic() - start)
np.save(sys.argv[4], made)
"""


def bare(model, rows_file, out_file):
    """Seconds of a bare loop in a fresh Python."""
    command = [sys.executable, "-c", BARE, str(model), str(rows_file), str(BATCH), str(out_file)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def timed(work):
    """(seconds, what it returned)"""
    start = time.monotonic()
    made = work()
    return time.monotonic() - start, made


def main():
    """Measure, print, and judge the claim."""
    folder = bundle_folder()
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else folder / "models" / "flat_softmax.onnx"
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    assets = folder / "assets" / "demo"
    pictures = Pictures.from_path(assets / "pictures.zip")
    array = np.stack([pictures.array(name) for name in pictures.names])
    array = np.tile(array, (-(-wanted // len(array)), 1, 1, 1))
    first = timed(lambda: Session(path))[0]
    model = load_model(path, load_taxonomy(assets / "taxonomy.csv"))
    starts = [timed(lambda: Session(path))[0] for _ in range(6)]
    session = Session(path)
    name, output = session.inputs[0][0], session.outputs[0][0]
    blocks = [{name: array[at : at + BATCH]} for at in range(0, len(array), BATCH)]
    one = [{name: array[:1]}]
    small = [timed(lambda: session.run(one, [output], n_rows=1, step=BATCH))[0] for _ in range(6)]
    found = {"bare loop": [], "run phase": [], "whole run": [], "predict": []}
    with tempfile.TemporaryDirectory() as scratch:
        rows_file, out_file = Path(scratch) / "rows.npy", Path(scratch) / "out.npy"
        np.save(rows_file, array)
        for _ in range(ROUNDS):
            found["bare loop"].append(bare(path, rows_file, out_file))
            whole, made = timed(lambda: session.run(blocks, [output], n_rows=len(array), step=BATCH))
            found["run phase"].append(made.seconds)
            found["whole run"].append(whole)
            found["predict"].append(timed(lambda: model.predict({name: array}, batch_size=BATCH))[0])
        same = np.array_equal(np.load(out_file)[: len(array)], made.values[output])
    print(f"{path.name}, {len(array):,} rows, batch {BATCH}, one thread, best of {ROUNDS}; same numbers: {same}")
    for what, seconds in found.items():
        best = min(seconds)
        ratio = best / min(found["bare loop"])
        shown = [round(one, 2) for one in seconds]
        print(f"  {what:<10} {best:6.2f} s  {len(array) / best:8,.0f} rows/s  {ratio:5.2f} x bare  {shown}")
    print(f"  start-up: the first model of a program {first:.3f} s (imports), each further one {min(starts):.3f} s")
    print(f"  one row with process and loading: {min(small):.3f} s")
    return 0 if same and min(found["run phase"]) <= MOST * min(found["bare loop"]) else 1


if __name__ == "__main__":
    sys.exit(main())
