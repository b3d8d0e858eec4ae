"""The order of folders in CONTRIBUTING.md, checked against every import of the package.

Imports are read with `ast`, also inside functions. `import hierviz` must stay light, and the core must run on numpy alone.
"""

import ast
import functools
import graphlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hierviz._public import PUBLIC

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "hierviz"
HEAVY = (
    "altair",
    "pandas",
    "streamlit",
    "onnx",
    "onnxruntime",
    "pyarrow",
    "PIL",
    "pillow_heif",
    "anytree",
    "vl_convert",
    "torch",
    "numba",
    "dask",
    "distributed",
    "fsspec",
)
# What teams track and train with is loaded by the functions that are named after it.
TRACKING = ("mlflow", "wandb", "sklearn", "matplotlib", "torchmetrics")
# A foreign model never meets the app's own process.
SCREEN = tuple(name for name in HEAVY if name not in ("onnx", "onnxruntime"))

# The column, from the bottom up: a file may import what stands in its own place or in a place before it. `app` and `hierviz`
# by themselves are the files directly in these folders that have no row of their own.
COLUMN = (
    "messages",
    "_version",
    "_public",
    "taxonomy",
    "predictions",
    "losses",
    "projection",
    "compiled",
    "inference",
    "metrics",
    "curves",
    "uncertainty",
    "evaluation",
    "diagnosis",
    "thresholds",
    "comparison",
    "second_opinion",
    "readers",
    "cluster",
    "onnx/process",
    "onnx/description",
    "onnx/inputs",
    "onnx/scores",
    "onnx",
    "findings",
    "charts",
    "reports",
    "tracking",
    "demo",
    "opening",
    "hierviz",
    "lessons",
    "app/state",
    "app/widgets",
    "app/model_page",
    "app/curve_panels",
    "app/mistakes_page",
    "app/compare_page",
    "app/taxonomy_page",
    "app/example_page",
    "app/learn_page",
    "app/pages",
    "app",
    "cli",
    "__main__",
)
CORE = COLUMN[: COLUMN.index("second_opinion") + 1]
# A program of its own, the only place where foreign models are opened: nothing of hierviz but its own files.
CHILD = "onnx/process/child"
# Places that stand lower and are none of their business.
NEVER = {
    "onnx": ("charts",),
    "charts": ("readers", "onnx", "onnx/process", "onnx/description", "onnx/inputs", "onnx/scores"),
    "demo": ("charts", "reports"),
    "opening": ("charts", "reports"),
    # The command starts the app as a script, and neither knows the other.
    "cli": tuple(place for place in COLUMN if place.split("/")[0] == "app"),
    "reports": ("readers", "onnx", "onnx/process", "onnx/description", "onnx/inputs", "onnx/scores"),
}
# Charts need altair: the command line and the front door load them inside functions.
LATE = dict.fromkeys(("cli", "hierviz", "tracking"), ("charts", "reports"))
# Other packages: at the top of a file, and inside functions only.
PACKAGES = {
    "messages": (("numpy",), ()),
    "_public": ((), ()),
    # Its loops are loaded inside functions only, and where numba is there.
    "compiled": (("numpy", "numba"), ()),
    "readers": (
        ("numpy",),
        ("pandas", "pyarrow", "PIL", "pillow_heif", "fsspec", "anytree", "newick", "rdflib", "pronto", "yaml"),
    ),
    "second_opinion": (("numpy",), ("sklearn", "hiclass")),
    "cluster": (("numpy",), ("dask", "distributed")),
    "onnx": (("numpy",), ("pandas", "PIL", "timm")),
    "tracking": (("numpy",), ("torch", *TRACKING)),
    "demo": (("numpy",), ()),
    "lessons": (("numpy",), ("IPython",)),
    "charts": (("numpy", "altair", "pandas", "vl_convert"), ("anywidget", "traitlets")),
    "cli": (("numpy",), ()),
    "app": (("numpy", "starlette", *SCREEN), ()),
    "hierviz": ((), ()),
    "__main__": ((), ()),
    CHILD: (("numpy", "onnx", "onnxruntime"), ()),
}
# The folders that hand out public names, on demand.
NAMESPACES = [PACKAGE.joinpath(*name.split(".")[1:], "__init__.py") for name in PUBLIC]
# The only places in the core where another package may be imported: place, package, functions.
IN_THE_CORE = (
    ("taxonomy", "anytree", ("to_anytree", "from_anytree")),
    ("messages", "pandas", ("frame",)),
    ("messages", "narwhals", ("as_pandas", "in_backend")),
    *((place, "pandas", ("to_frame",)) for place in ("metrics", "evaluation", "comparison")),
)


@functools.cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def is_mirror(node):
    """The block in which a namespace names its public names for type checkers."""
    return isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"


def imports_of(tree, without_mirror=False):
    """(dotted name, names of the functions around it) of every import, dynamic ones with a constant name included."""
    found = []

    def walk(node, around):
        if without_mirror and is_mirror(node):
            return
        if isinstance(node, ast.Import):
            found.extend((alias.name, around) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            joint = "" if base.endswith(".") else "."
            # A name may be a module of its own: `from hierviz import inference`.
            is_ours = base.startswith((".", "hierviz"))
            names = [f"{base}{joint}{alias.name}" for alias in node.names]
            found.extend((name, around) for name in (names if is_ours else [base]))
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


@functools.cache
def place_of(path, package):
    """The row of the column a file belongs to; None when it stands in none."""
    parts = path.relative_to(package).with_suffix("").parts
    for name in ("/".join(parts[:n]) for n in range(len(parts), 0, -1)):
        if name in (*COLUMN, CHILD) and not (len(parts) == 1 and (package / name).is_dir()):
            return name
    return "hierviz" if parts == ("__init__",) else None


@functools.cache
def place_of_name(name, package):
    """The row of an imported module of the package."""
    file = package
    for part in name.split(".")[1:]:
        if (file / part).is_dir():
            file = file / part
        elif (file / f"{part}.py").is_file():
            return place_of(file / f"{part}.py", package)
        else:
            break
    file = file / "__init__.py"
    return place_of(file, package)


def packages_of(place):
    """Other packages a place may import at the top of a file, and inside functions."""
    return PACKAGES.get(place) or PACKAGES.get(place.split("/")[0]) or (("numpy",), ())


def violations(path, package):
    """What a file imports and may not, in words."""
    place = place_of(path, package)
    if place is None:
        return [f"{path.name} stands in no row of the table"]
    found = []
    for name, around in imports_of(parsed(path), without_mirror=path in NAMESPACES):
        if name.startswith("."):
            level = len(name) - len(name.lstrip("."))
            folder = path.relative_to(package.parent).parts[:-level]
            name = ".".join([*folder, name.lstrip(".")])
        top = name.split(".")[0]
        anywhere, inside = packages_of(place)
        if top in sys.stdlib_module_names:
            allowed = True
        elif place == CHILD:
            allowed = top in anywhere or top.startswith("child_")
        elif top == "hierviz":
            target = place_of_name(name, package)
            allowed = target is not None and COLUMN.index(target) <= COLUMN.index(place)
            allowed &= target not in NEVER.get(place.split("/")[0], ())
            allowed &= target not in LATE.get(place, ()) or bool(around)
        else:
            allowed = top in anywhere or (top in inside and bool(around))
            allowed |= any((place, top) == (at, what) and set(around) & set(names) for at, what, names in IN_THE_CORE)
        if not allowed:
            where = f"in {'.'.join(around)}()" if around else "at the top"
            found.append(f"{path.relative_to(package)} imports {name} {where}")
    return found


def test_every_namespace_names_its_names_for_type_checkers():
    """One table says what is public; the blocks for type checkers and the help texts follow it."""
    for path in NAMESPACES:
        tree = parsed(path)
        (block,) = (node for node in tree.body if is_mirror(node))
        mirrored = {
            alias.name: node.module.removeprefix("hierviz.")
            for node in ast.walk(block)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        table = PUBLIC[module_name(path)]
        assert mirrored == table, path
        listed = [line.split()[0] for line in ast.get_docstring(tree).splitlines() if "  " in line.strip()]
        assert set(listed) >= set(table), path


def module_name(path):
    return ".".join(("hierviz", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


def import_graph(files):
    """Module to the modules of the package it imports, inside functions too; the child program by its plain names."""
    names = {path.stem if path.is_relative_to(PACKAGE / CHILD) else module_name(path): path for path in files}
    graph, known = {}, set(names)
    for module, path in names.items():
        targets = set()
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and node.module:
                of_names = {f"{node.module}.{alias.name}" for alias in node.names}
                targets |= (of_names & known) or {node.module}
            elif isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
        graph[module] = targets & known - {module}
    return graph


FILES = sorted(PACKAGE.rglob("*.py"))


def test_layers():
    assert [violation for path in FILES for violation in violations(path, PACKAGE)] == []


def test_every_place_is_seen():
    assert {place_of(path, PACKAGE) for path in FILES} == {*COLUMN, CHILD}
    assert imports_of(ast.parse("def f():\n    from a.b import c\nimport d as e")) == [("a.b", ("f",)), ("d", ())]


# The checker itself ----------------------------------------------------------------------------------------------------

PLANTED = [
    *((f"{part}.py", f"import {name}") for part in ("taxonomy/taxonomy", "predictions/predictions") for name in HEAVY),
    ("taxonomy/taxonomy.py", "import anytree"),
    ("taxonomy/taxonomy.py", "def f():\n    from anytree import Node"),
    ("curves/a.py", "def f():\n    import pandas as pd"),
    ("curves/a.py", "class A:\n    def f(self):\n        from altair.vegalite import Chart"),
    ("curves/a.py", "class A:\n    def to_frame(self):\n        import altair"),
    ("predictions/predictions.py", "class A:\n    def to_frame(self):\n        import pandas"),
    ("curves/a.py", "import importlib\nimportlib.import_module('streamlit')"),
    ("curves/a.py", "if True:\n    try:\n        import pandas\n    except ImportError:\n        pass"),
    ("metrics/win.py", "import scipy.stats"),
    ("metrics/win.py", "from hierviz.curves import envelope"),
    ("metrics/win.py", "from ..curves import envelope"),
    ("metrics/win.py", "from hierviz import curves"),
    ("metrics/win.py", "from .. import curves"),
    ("taxonomy/taxonomy.py", "from hierviz.metrics import win"),
    ("predictions/parametrisation.py", "from hierviz.losses import registry"),
    ("predictions/predictions.py", "def f():\n    from hierviz.readers import load_predictions"),
    ("inference/a.py", "from hierviz import Taxonomy"),
    ("evaluation/a.py", "from hierviz import charts"),
    ("_public.py", "import numpy"),
    ("messages/errors.py", "from hierviz.taxonomy.taxonomy import Taxonomy"),
    ("readers/tables.py", "import pandas"),
    ("readers/tables.py", "import streamlit"),
    ("readers/tables.py", "def f():\n    import altair"),
    ("readers/tables.py", "def f():\n    from hierviz.charts import theme"),
    ("charts/theme.py", "import streamlit"),
    ("charts/theme.py", "from hierviz.readers import load_taxonomy"),
    ("charts/theme.py", "from hierviz.app import state"),
    *(
        (name, f"def f():\n    import {top}")
        for name in ("onnx/model.py", "app/pages/model.py")
        for top in ("onnx", "onnxruntime")
    ),
    ("onnx/process/child/child_run.py", "import hierviz"),
    ("onnx/process/child/child_run.py", "from hierviz.messages.errors import ModelError"),
    ("cli/app.py", "from hierviz.charts import theme"),
    ("cli/app.py", "def f():\n    import streamlit"),
    ("cli/app.py", "def f():\n    from hierviz.app import state"),
    ("app/state/paths.py", "def f():\n    from hierviz.cli import output"),
    ("opening/files.py", "from hierviz.cli.files import load_models"),
    ("opening/loading.py", "def f():\n    from hierviz.charts import theme"),
    ("tracking/_mlflow_run.py", "import mlflow"),
    ("tracking/_mlflow_run.py", "from hierviz.reports import report_file"),
    ("__init__.py", "from hierviz import charts"),
    ("helpers.py", "import numpy"),
]
FINE = [
    ("curves/a.py", "import numpy as np\nimport json\nfrom hierviz.metrics.path import path_metrics"),
    ("taxonomy/taxonomy.py", "def to_anytree(self):\n    from anytree import Node"),
    ("evaluation/a.py", "class A:\n    def to_frame(self):\n        import pandas as pd"),
    ("messages/errors.py", "import difflib"),
    (
        "metrics/win.py",
        "from hierviz.metrics.path import truncate\nfrom hierviz.messages.errors import PredictionsError",
    ),
    ("readers/tables.py", "def f():\n    import pandas\n    from PIL import Image"),
    ("onnx/process/child/child_run.py", "import onnx\nimport onnxruntime\nfrom child_job import Refused"),
    ("charts/theme.py", "import altair\nimport pandas\nfrom hierviz.curves import envelope"),
    ("cli/app.py", "def f():\n    from hierviz.charts import theme"),
    ("app/widgets/sample.py", "import streamlit\nimport hierviz as hv\nfrom hierviz.charts import theme"),
    ("__init__.py", "def __getattr__(name):\n    return importlib.import_module('hierviz.charts')"),
]


def plant(folder, name, text):
    package = folder / "hierviz"
    for place in (*COLUMN, CHILD):
        if (PACKAGE / place).is_dir():
            (package / place).mkdir(parents=True, exist_ok=True)
            (package / place / "__init__.py").touch()
        elif place != "hierviz":
            package.mkdir(exist_ok=True)
            (package / f"{place}.py").touch()
    (package / "__init__.py").touch()
    (package / "metrics" / "path.py").touch()
    (package / "inference" / "rules.py").touch()
    (package / name).write_text(text)
    return violations(package / name, package)


@pytest.mark.parametrize(("name", "text"), PLANTED)
def test_a_planted_import_is_found(tmp_path, name, text):
    assert len(plant(tmp_path, name, text)) == 1


@pytest.mark.parametrize(("name", "text"), FINE)
def test_an_allowed_import_is_not(tmp_path, name, text):
    assert plant(tmp_path, name, text) == []


def test_there_is_no_circle():
    graphlib.TopologicalSorter(import_graph(FILES)).prepare()
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(
            import_graph(FILES) | {"hierviz.messages.errors": {"hierviz.taxonomy.taxonomy"}}
        ).prepare()


def test_no_folder_hands_out_a_function_over_a_module_of_that_name():
    for path in FILES:
        if path.name == "__init__.py" and path.parent != PACKAGE:
            beside = {one.stem for one in path.parent.iterdir() if one.suffix == ".py" or one.is_dir()}
            imported = {
                (alias.asname or alias.name)
                for node in ast.walk(parsed(path))
                if isinstance(node, ast.ImportFrom)
                for alias in node.names
            }
            assert not beside & imported, path


def test_a_class_name_has_one_meaning():
    names = [node.name for path in FILES for node in parsed(path).body if isinstance(node, ast.ClassDef)]
    assert sorted(names) == sorted(set(names))


# In a process of its own -----------------------------------------------------------------------------------------------


def run(code):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_import_is_light():
    code = """
import json, sys
import hierviz as hv
few = sorted(name for name in sys.modules if name.startswith("hierviz"))
drawn = ("charts", "show", "widget", "report")
spaces = [hv, *(getattr(hv, name) for name in dir(hv) if name in ("metrics", "curves", "diagnosis", "thresholds", "comparison"))]
[getattr(space, name) for space in spaces for name in space.__all__ if name not in drawn]
print(json.dumps([few, sorted({name.split(".")[0] for name in sys.modules})]))
"""
    few, loaded = run(code)
    assert few == ["hierviz", "hierviz._public", "hierviz.messages", "hierviz.messages.stopping"]
    assert {"hierviz", "numpy"} <= set(loaded)
    assert set(loaded) & {*HEAVY, *TRACKING} == set()


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


# The tests ---------------------------------------------------------------------------------------------------------------


def test_no_test_file_imports_from_another():
    """What tests share stands in `conftest.py` or in a support file, whose name does not start with `test_`."""
    files = sorted((ROOT / "tests").rglob("*.py"))
    assert len(files) > 100
    for path in files:
        imported = [
            f"{getattr(node, 'module', None) or ''}.{alias.name}"
            for node in ast.walk(parsed(path))
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        ]
        assert not [name for name in imported if any(part.startswith("test_") for part in name.split("."))], path
