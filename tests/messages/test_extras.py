"""A missing extra is said in one line that names what to install."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz.messages.extras import MissingExtraError, require

ROOT = Path(__file__).parents[2]


def install(extra):
    return rf'got no such package\. Run pip install "hierviz\[{extra}\]"\.$'


@pytest.mark.parametrize(
    "statement", ["import hierviz.charts", "import hierviz; hierviz.charts", "import hierviz.charts.theme"]
)
def test_charts_without_altair_are_one_line(statement):
    """In a process where altair is not there, as after `pip install .` alone."""
    code = f"import sys\nsys.modules['altair'] = None\n{statement}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        'hierviz: hierviz.charts: expected altair to be installed, got no such package. Run pip install "hierviz[charts]".\n'
    )


def test_other_errors_keep_their_traceback():
    code = """
import sys
from hierviz.messages.extras import require
try:
    require("here", "charts", "no_such_package")
except ImportError as error:
    print(error._render_traceback_()[0])
sys.excepthook(*((kind := ValueError), kind("a bug"), None))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.startswith("hierviz: here: expected no_such_package to be installed")
    assert done.stderr == "ValueError: a bug\n"


def test_parquet_without_pyarrow(taxonomy, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    predictions = hv.Predictions.from_scores(taxonomy, np.full((2, 4), 0.25), "leaf_probabilities")
    path = tmp_path / "p.parquet"
    hv.write_predictions(predictions, path)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"^p\.parquet: expected pyarrow .*" + install("files")):
        hv.load_predictions(path, taxonomy)
    with pytest.raises(MissingExtraError, match=r"^q\.parquet: expected pyarrow .*" + install("files")):
        hv.write_predictions(predictions, tmp_path / "q.parquet")
    assert not (tmp_path / "q.parquet").exists()


def test_pictures_and_trees_without_their_packages(taxonomy, monkeypatch):
    from hierviz.readers.pictures import decode

    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    for name in ("PIL", "anytree"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"^a\.png: expected pillow .*" + install("onnx")):
        decode(b"", "a.png")
    with pytest.raises(MissingExtraError, match="^anytree: expected anytree .*" + install("files")):
        taxonomy.to_anytree()
    with pytest.raises(ImportError, match=install("files")):
        hv.Taxonomy.from_anytree(None)


def test_what_is_installed_is_silent():
    require("here", "files", "numpy", "json")
