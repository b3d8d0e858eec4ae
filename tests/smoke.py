"""Whether hierviz works on this machine: run ``python tests/smoke.py`` in the environment where it is installed.

It takes a few minutes, needs no network, changes no file outside the folder for temporary files, and prints a table to paste
into an issue: what was tried, what came out, how long it took. It exits with 1 when something failed.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHECKS = []


def check(function):
    """A check is a function of a private folder that returns what came out, in words, or raises."""
    CHECKS.append(function)
    return function


def run(folder, *arguments, code=0, stdin=""):
    """Standard output and error of the command ``hierviz``."""
    done = subprocess.run(
        [sys.executable, "-m", "hierviz", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        input=stdin,
        timeout=600,
        env={**os.environ, "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)},
    )
    if done.returncode != code:
        raise RuntimeError(f"expected code {code}, got {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout, done.stderr


def files(folder):
    """A taxonomy and predictions with names that are not ASCII, in a folder with a blank and an umlaut."""
    place = folder / "Größe a b"
    place.mkdir(exist_ok=True)
    (place / "tax.csv").write_text(
        "parent,child\nTier,Säuger\nSäuger,Katze\nSäuger,Hund\nTier,Molch\n", encoding="utf-8"
    )
    rows = "sample_id,Katze,Hund,Molch,truth\na,0.7,0.2,0.1,Katze\nb,0.3,0.4,0.3,Hund\nc,0.1,0.1,0.8,Molch\n"
    (place / "scores.csv").write_text(rows, encoding="utf-8")
    return place / "tax.csv", place / "scores.csv"


@check
def numbers(folder):
    """evaluate, with names and paths that are not ASCII, and --json written twice"""
    taxonomy, scores = files(folder)
    out = scores.with_name("zahlen.json")
    for _ in range(2):  # the second time a file is replaced
        run(folder, "evaluate", "--taxonomy", taxonomy, "--predictions", scores, "--json", out)
    model = json.loads(out.read_text(encoding="utf-8"))["models"][0]
    if model["predicted"]["n_exact"] != 2 or model["n_samples"] != 3:
        raise RuntimeError(f"expected 2 of 3 exact, got {model['predicted']}")
    left = sorted(path.name for path in scores.parent.iterdir())
    if left != ["scores.csv", "tax.csv", "zahlen.json"]:
        raise RuntimeError(f"files were left: {left}")
    return "2 of 3 exact"


@check
def large_file(folder):
    """scores set aside in a temporary file (compressed npz)"""
    code = (
        "import numpy as np, hierviz as hv\n"
        "from hierviz.readers import file_limits\n"
        "file_limits.MEMORY_BYTES = 1000\n"
        "t = hv.Taxonomy.from_edges([('r', f'c{k}') for k in range(50)])\n"
        "p = np.random.default_rng(0).dirichlet(np.ones(50), 400)\n"
        "np.savez_compressed('p.npz', scores=p, names=np.array(t.names[1:]), ids=np.arange(400).astype(str))\n"
        "m = hv.load_predictions('p.npz', t)\n"
        "print(float(abs(m.node_probabilities()[:, 1:] - p).max()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, env=_environment())
    if done.returncode or float(done.stdout) > 1e-12:
        raise RuntimeError(done.stderr.strip()[-300:] or done.stdout)
    return "the same scores"


@check
def model(folder):
    """a model in its own process: run on pictures, stopped at its limits of memory and of time"""
    out = folder / "p.csv"
    demo = ROOT / "assets" / "demo"
    said = ["predict", "--model", ROOT / "models" / "flat_softmax.onnx", "--taxonomy", demo / "taxonomy.csv"]
    said += ["--inputs", demo / "pictures.zip"]
    run(folder, *said, "--out", out)
    n_rows = len(out.read_text(encoding="utf-8").splitlines()) - 1
    run(folder, *said, "--out", folder / "memory.csv", "--memory-mb", "60", code=2)
    import numpy as np
    from onnx_models import hostile_models

    (folder / "endless.onnx").write_bytes(hostile_models.endless_loop().SerializeToString())
    (folder / "four.csv").write_text("parent,child\nroot,a\nroot,b\nroot,c\nroot,d\n", encoding="utf-8")
    (folder / "classes.txt").write_text("a\nb\nc\nd\n", encoding="utf-8")
    np.save(folder / "x.npy", hostile_models.X)
    said = ["predict", "--model", folder / "endless.onnx", "--taxonomy", folder / "four.csv"]
    said += ["--classes", folder / "classes.txt", "--inputs", folder / "x.npy", "--out", folder / "time.csv"]
    _, words = run(folder, *said, "--cpu-seconds", "1", code=2)
    if "processor time" not in words:
        raise RuntimeError(f"expected to be told of the processor time, got {words}")
    return f"{n_rows} pictures; --memory-mb and --cpu-seconds stop it"


@check
def report(folder):
    """an HTML report with charts"""
    taxonomy, scores = files(folder)
    out = folder / "report.html"
    run(folder, "report", "--taxonomy", taxonomy, "--predictions", scores, "--out", out)
    return f"{out.stat().st_size >> 10} KB"


@check
def uploads(folder):
    """folders of uploads: locked while a server lives, removed after one that was killed"""
    code = (
        "import os, sys\n"
        "from hierviz.app.state.uploads import UploadFolder\n"
        "f = UploadFolder(sys.argv[1])\n"
        "print(f.path, flush=True)\n"
        "sys.stdin.read()\n"
        "os._exit(0)\n"
    )
    place = folder / "uploads"
    place.mkdir()
    server = subprocess.Popen(
        [sys.executable, "-c", code, str(place)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=_environment(),
    )
    server.stdout.readline()
    sys.path.insert(0, str(ROOT))
    from hierviz.app.state.uploads import remove_stale_folders

    while_alive = remove_stale_folders(place)
    server.kill()
    server.wait()
    time.sleep(0.5)
    afterwards = remove_stale_folders(place)
    left = list(place.iterdir())
    if while_alive or len(afterwards) != 1 or left:
        raise RuntimeError(f"removed while alive: {while_alive}; afterwards: {afterwards}; left: {left}")
    return "kept, then removed"


@check
def app(folder):
    """the app: it starts, answers, and ends"""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = time.monotonic()
    said = [sys.executable, "-m", "hierviz", "app", "--demo", "vehicles", "--port", str(port), "--no-browser"]
    with open(folder / "app.log", "w") as log:
        server = subprocess.Popen(said, stdout=log, stderr=log, cwd=folder, env=_environment())
        try:
            while True:
                try:
                    health = urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5).read()
                    page = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).read()
                    break
                except OSError:
                    if time.monotonic() - started > 180 or server.poll() is not None:
                        raise
                    time.sleep(0.5)
        finally:
            server.terminate()
            try:
                server.wait(60)
            except subprocess.TimeoutExpired:
                server.kill()
    if health != b"ok" or b"<html" not in page.lower():
        raise RuntimeError(f"expected a page, got {page[:80]!r}")
    return "answers; look at it: hierviz"


def _environment():
    return {**os.environ, "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)}


def main():
    """Run all checks and print the table."""
    print(
        f"{platform.platform()}, Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors"
    )
    failed = 0
    for one in CHECKS:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="hierviz-smoke-", ignore_cleanup_errors=True) as name:
            try:
                word, said = "ok", one(Path(name))
            except Exception as error:  # whatever goes wrong is what the table is for
                word, said, failed = "FAILED", f"{type(error).__name__}: {error}", failed + 1
        print(f"{word:<7}{one.__doc__.splitlines()[0]}: {said} ({time.monotonic() - began:.0f} s)", flush=True)
    print(f"{len(CHECKS) - failed} of {len(CHECKS)} work here")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
