"""Location is the layer: the table of style.md as a dict, compared with every import of the package.

Imports are read with `ast`, also inside functions. `import hierviz` must stay light, and the core must run on numpy alone.
"""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "hierviz"
HEAVY = ("altair", "pandas", "streamlit", "onnx", "onnxruntime", "pyarrow", "PIL", "anytree", "vl_convert", "torch")
# A foreign model never meets the app's own process.
SCREEN = tuple(name for name in HEAVY if name not in ("onnx", "onnxruntime"))

# What a core file, or folder, may import of the core besides errors, which is open to all, and itself.
CORE = {
    "errors": (),
    "number_text": (),
    "stopping": (),
    "csv_cells": (),
    "new_files": (),
    "node_lists": (),
    "edges": (),
    "taxonomy": ("node_lists", "edges"),
    "parametrisation": ("taxonomy",),
    "predictions": ("taxonomy", "parametrisation"),
    "rules": ("taxonomy",),
    "crm": ("taxonomy", "parametrisation", "rules"),
    "inference": ("taxonomy", "rules", "crm"),
    "information_curve": ("taxonomy", "curves", "pareto", "rules"),
    "repeats": ("curves",),
    "resamples": (),
    "bootstrap": ("curves", "resamples"),
    "comparison": ("bootstrap", "resamples"),
    "metrics": ("taxonomy", "inference"),
    # inference: the answer at one threshold is rule `threshold`.
    "pareto": ("taxonomy", "predictions", "inference"),
    "curves": ("metrics", "pareto"),
    "losses": ("taxonomy", "parametrisation"),
    "evaluation": ("taxonomy", "parametrisation", "predictions", "inference", "metrics", "pareto", "curves", "losses"),
    # Means, notes and JSON from an Evaluation.
    "summary": ("parametrisation", "predictions", "inference", "metrics", "curves", "evaluation"),
    # Writes the registries down as a page.
    "reference": ("inference", "losses", "metrics", "parametrisation"),
    "mistakes": ("taxonomy", "parametrisation", "predictions", "inference", "metrics", "curves", "evaluation"),
    "answers": ("inference",),
    "set_operating_curve": ("curves", "metrics"),
    "bounds": (),
    # resamples: what a column of groups is.
    "splits": ("resamples",),
    "goals": ("metrics", "answers"),
    "threshold_groups": ("metrics", "curves", "splits"),
    "guarantee": ("inference", "metrics", "curves", "resamples", "answers", "bounds", "splits"),
    "operating_point": ("inference", "summary"),
    "judged_samples": ("curves", "evaluation", "resamples"),
    "model_table": ("bootstrap", "comparison", "curves", "metrics", "repeats", "resamples"),
    # Sentences only: what was promised beside what is measured.
    "promises": ("metrics",),
}
CHILD = tuple(path.stem for path in (PACKAGE / "onnx" / "child").glob("child_*.py"))
# The layers on top: (parts of hierviz, packages at the top of a file, parts and packages inside functions only).
ABOVE = {
    "readers": ((*CORE, "readers"), ("numpy",), ("pandas", "pyarrow", "PIL")),
    "onnx": ((*CORE, "readers", "onnx"), ("numpy",), ("pandas", "PIL")),
    # A program of its own, the only place where foreign models are opened: nothing of hierviz but its own files.
    "onnx/child": ((), ("numpy", "onnx", "onnxruntime", *CHILD), ()),
    "demo": ((*CORE, "readers", "onnx"), ("numpy",), ()),
    "charts": ((*CORE, "charts"), ("numpy", "altair", "pandas", "vl_convert"), ()),
    "cli": ((*CORE, "readers", "onnx", "demo", "cli"), ("numpy",), ("charts",)),
    "app": ((*CORE, "readers", "onnx", "demo", "charts", "cli", "app", ""), ("numpy", *SCREEN), ()),
    "__main__": (("cli",), (), ()),
    "": ((*CORE, "readers", "onnx"), (), ("charts",)),
}
# The only place in the core where another package may be imported.
ANYTREE = ("taxonomy", "anytree", ("to_anytree", "from_anytree"))


def imports_of(tree):
    """(dotted name, names of the functions around it) of every import, dynamic ones with a constant name included."""
    found = []

    def walk(node, around):
        if isinstance(node, ast.Import):
            found.extend((alias.name, around) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            joint = "" if base.endswith(".") else "."
            # A name may be a module of its own: `from hierviz import inference`.
            names = [f"{base}{joint}{alias.name}" for alias in node.names]
            found.extend((name, around) for name in (names if base in ("hierviz", ".", "..") else [base]))
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in ("import_module", "__import__") and node.args and isinstance(node.args[0], ast.Constant):
                found.append((node.args[0].value, around))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            around = (*around, node.name)
        for child in ast.iter_child_nodes(node):
            walk(child, around)

    walk(tree, ())
    return found


def part_of(path, package):
    """The row of the table a file belongs to: its folder or, directly in the package, its name."""
    parts = path.relative_to(package).parts
    if parts[:2] == ("onnx", "child"):
        return "onnx/child"
    first = parts[0].removesuffix(".py")
    return "" if first == "__init__" else first


def violations(path, package):
    """What a file imports and may not, in words."""
    part = part_of(path, package)
    if part not in CORE and part not in ABOVE:
        return [f"{path.name} stands in no row of the table"]
    found = []
    for name, around in imports_of(ast.parse(path.read_text(encoding="utf-8"))):
        if name.startswith("."):
            level = len(name) - len(name.lstrip("."))
            folder = path.relative_to(package.parent).parts[:-level]
            name = ".".join([*folder, name.lstrip(".")])
        top, *rest = name.split(".")
        if top in sys.stdlib_module_names:
            allowed = part != "errors" or top in ("difflib", "functools", "re", "unicodedata")
        elif top == "hierviz":
            target = rest[0] if rest else ""
            if not (package / target).is_dir() and not (package / f"{target}.py").is_file():
                target = ""
            if part in CORE:
                allowed = target in ("errors", part, *CORE[part]) and part != "errors"
            else:
                anywhere, _, inside = ABOVE[part]
                allowed = target in anywhere or (target in inside and bool(around))
        elif part in CORE:
            allowed = (top == "numpy" and part != "errors") or (
                (part, top) == ANYTREE[:2] and bool(set(around) & set(ANYTREE[2]))
            )
        else:
            _, anywhere, inside = ABOVE[part]
            allowed = top in anywhere or (top in inside and bool(around))
        if not allowed:
            where = f"in {'.'.join(around)}()" if around else "at the top"
            found.append(f"{path.relative_to(package)} imports {name} {where}")
    return found


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_layers(path):
    assert violations(path, PACKAGE) == []


def test_all_of_the_core_is_seen():
    seen = {part_of(path, PACKAGE) for path in FILES}
    assert seen >= {"", "cli", "errors", "taxonomy", "parametrisation", "predictions", "inference", "metrics", "curves"}
    assert imports_of(ast.parse("def f():\n    from a.b import c\nimport d as e")) == [("a.b", ("f",)), ("d", ())]


# The checker itself ----------------------------------------------------------------------------------------------------

PLANTED = [
    *((f"{part}.py", f"import {name}") for part in ("curves", "inference") for name in HEAVY),
    ("taxonomy.py", "import anytree"),
    ("taxonomy.py", "def f():\n    from anytree import Node"),
    ("curves.py", "def f():\n    import pandas as pd"),
    ("curves.py", "class A:\n    def f(self):\n        from altair.vegalite import Chart"),
    ("curves.py", "import importlib\nimportlib.import_module('streamlit')"),
    ("curves.py", "if True:\n    try:\n        import pandas\n    except ImportError:\n        pass"),
    ("metrics/win.py", "import scipy.stats"),
    ("metrics/win.py", "from hierviz.curves import envelope"),
    ("metrics/win.py", "from ..curves import envelope"),
    ("metrics/win.py", "from hierviz import curves"),
    ("metrics/win.py", "from .. import curves"),
    ("taxonomy.py", "from hierviz.metrics import win"),
    ("parametrisation.py", "from hierviz.predictions import Predictions"),
    ("predictions.py", "def f():\n    from hierviz.readers import load_predictions"),
    ("inference.py", "from hierviz import Taxonomy"),
    ("evaluation.py", "from hierviz import charts"),
    ("errors.py", "import numpy"),
    ("errors.py", "from hierviz.taxonomy import Taxonomy"),
    ("readers/tables.py", "import pandas"),
    ("readers/tables.py", "import streamlit"),
    ("readers/tables.py", "def f():\n    import altair"),
    ("readers/tables.py", "def f():\n    from hierviz.charts import theme"),
    ("charts/theme.py", "import streamlit"),
    ("charts/theme.py", "from hierviz.readers import load_taxonomy"),
    ("charts/theme.py", "from hierviz.app import state"),
    *(
        (name, f"def f():\n    import {top}")
        for name in ("onnx/model.py", "app/model.py")
        for top in ("onnx", "onnxruntime")
    ),
    ("onnx/child/child_run.py", "import hierviz"),
    ("onnx/child/child_run.py", "from hierviz.errors import ModelError"),
    ("cli/app.py", "from hierviz.charts import theme"),
    ("cli/app.py", "def f():\n    import streamlit"),
    ("cli/app.py", "def f():\n    from hierviz.app import state"),
    ("__init__.py", "from hierviz import charts"),
    ("helpers.py", "import numpy"),
]
FINE = [
    ("curves.py", "import numpy as np\nimport json\nfrom hierviz.metrics.path import path_metrics"),
    ("taxonomy.py", "def to_anytree(self):\n    from anytree import Node"),
    ("errors.py", "import difflib"),
    ("metrics/win.py", "from hierviz.metrics.path import truncate\nfrom hierviz.errors import PredictionsError"),
    ("readers/tables.py", "def f():\n    import pandas\n    from PIL import Image"),
    ("onnx/child/child_run.py", "import onnx\nimport onnxruntime\nfrom child_job import Refused"),
    ("charts/theme.py", "import altair\nimport pandas\nfrom hierviz.curves import envelope"),
    ("cli/app.py", "def f():\n    from hierviz.charts import theme"),
    ("app/sample.py", "import streamlit\nimport hierviz as hv\nfrom hierviz.charts import theme"),
    ("__init__.py", "def __getattr__(name):\n    return importlib.import_module('hierviz.charts')"),
]


def plant(folder, name, text):
    package = folder / "hierviz"
    for part in (*CORE, *ABOVE):
        if part in ("metrics", "losses", "readers", "onnx", "onnx/child", "charts", "cli", "app"):
            (package / part).mkdir(parents=True)
        elif part:
            package.mkdir(exist_ok=True)
            (package / f"{part}.py").touch()
    (package / name).write_text(text)
    return violations(package / name, package)


@pytest.mark.parametrize(("name", "text"), PLANTED)
def test_a_planted_import_is_found(tmp_path, name, text):
    assert len(plant(tmp_path, name, text)) == 1


@pytest.mark.parametrize(("name", "text"), FINE)
def test_an_allowed_import_is_not(tmp_path, name, text):
    assert plant(tmp_path, name, text) == []


# In a process of its own -----------------------------------------------------------------------------------------------


def run(code):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_import_is_light():
    loaded = run("import hierviz, json, sys; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))")
    assert {"hierviz", "numpy"} <= set(loaded)
    assert set(loaded) & set(HEAVY) == set()


def test_the_core_runs_on_numpy_alone():
    code = f"""
import sys
for name in {HEAVY!r}:
    sys.modules[name] = None
import json
import numpy as np
import hierviz as hv
taxonomy = hv.Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
rows = np.array([[0.5, 0.25, 0.25], [0.125, 0.25, 0.625]])
predictions = hv.Predictions.from_scores(taxonomy, rows, "leaf_probabilities", truth=taxonomy.nodes("cat", "newt"))
print(json.dumps(hv.evaluate(predictions)["models"][0]))
"""
    model = run(code)
    # cat: (0.75 + 0.5) / 2; newt: 0.625. Majority answers mammal and newt: one edge of two is said of cat.
    assert model["distribution"]["softmax_win"] == 0.625
    assert model["predicted"]["depth_recall"] == 0.75
    assert [model["confusion"][cell] for cell in ("tp", "tn", "fp", "fn")] == [2, 3, 0, 1]
    assert model["curve"]["n_points"] == 4
