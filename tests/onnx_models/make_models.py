"""Write the models of tests/onnx_models/files, as today's exporters write them, and what the original libraries say.

    python tests/onnx_models/make_models.py             all cases, into tests/onnx_models/files
    python tests/onnx_models/make_models.py torch_      only the cases whose name starts so, into a temporary folder

Needs torch, onnxscript, scikit-learn and skl2onnx: pip install -e ".[dev]"

Every case is a folder: `model.onnx` (and what the exporter put beside it), the inputs, `truth.csv` and `expected.npz`, the
probabilities of torch or scikit-learn. onnxruntime takes no part. `manifest.json` lists the cases. With the versions that
stand there, a second run writes the same bytes.
"""

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import sklearn_cases
import torch_picture_cases
import torch_table_cases
from model_cases import TAXONOMIES, write_csv

HERE = Path(__file__).resolve().parent
FILES = HERE / "files"
PACKAGES = ("torch", "onnxscript", "onnx", "scikit-learn", "skl2onnx", "numpy", "pandas", "pillow")
MOST_FILE, MOST_ALL = 60_000, 800_000


def main():
    """Write taxonomies, cases and the manifest."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("start", nargs="?", default="", help="start of the names of the cases to write")
    start = arguments.parse_args().start
    target = Path(tempfile.mkdtemp())
    for name, pairs in TAXONOMIES.items():
        write_csv(target / name, ["parent", "child"], pairs)
    cases = []
    for write in (*torch_picture_cases.CASES, *torch_table_cases.CASES, *sklearn_cases.CASES):
        if write.__name__.startswith(start):
            case = write(target)
            cases.append(case.entry)
            size = sum(one.stat().st_size for one in case.path.iterdir())
            print(f"{case.entry['name']:32} {size:7} bytes")
    written = {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
    text = json.dumps({"versions": written, "cases": cases}, indent=1, ensure_ascii=False)
    (target / "manifest.json").write_text(text + "\n", encoding="utf-8", newline="")
    sizes = {one: one.stat().st_size for one in target.rglob("*") if one.is_file()}
    for path, size in sizes.items():
        if size > MOST_FILE:
            raise SystemExit(f"{path}: {size} bytes, at most {MOST_FILE} were wanted")
    if sum(sizes.values()) > MOST_ALL:
        raise SystemExit(f"{target}: {sum(sizes.values())} bytes, at most {MOST_ALL} were wanted")
    if not start:
        shutil.rmtree(FILES, ignore_errors=True)
        shutil.copytree(target, FILES)
        shutil.rmtree(target)
        target = FILES
    print(f"{len(cases)} cases, {len(sizes)} files, {sum(sizes.values())} bytes in {target}")


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # skl2onnx goes through sets
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    main()
