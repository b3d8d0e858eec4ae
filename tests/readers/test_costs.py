"""Small files whose reading once took minutes, or a share of memory that grew with the square of their size.

All run in one process with a generous limit on processor time, which only what is quadratic reaches: at these sizes each of
them would take many minutes.
"""

import json
import subprocess
import sys

import pytest

from hierviz import Taxonomy
from hierviz.messages.errors import TaxonomyError
from hierviz.readers.taxonomy_file import load_taxonomy
from hierviz.taxonomy import class_places
from tests.readers.bad_files import EDGES

SECONDS = 100
LETTERS = "abcdefghij"


def nested(depth, width):
    """A chain of `depth` classes with `width` classes below its end."""
    return (
        "".join(f'{{"name": "c{k}", "children": [' for k in range(depth))
        + ", ".join(f'"leaf {k}"' for k in range(width))
        + "]}" * depth
    )


FILES = {
    # Every name again and again on one path, and on many.
    "path.txt": " > ".join("a" * 20_000),
    "far apart.txt": "\n".join(" > ".join([f"top {k}", *(f"level {i}" for i in range(900))]) for k in range(100)),
    "chain.csv": "".join(f"c{k},c{k + 1}\n" for k in range(30_000)),
    "cycle.csv": "".join(f"c{k},c{k + 1}\n" for k in range(30_000)) + "c30000,c1000\n",
    "backwards.csv": "".join(f"c{k + 1},c{k}\n" for k in range(30_000)),
    "deep.json": nested(400, 30_000),
    "keys.json": json.dumps({"name": "top", "children": [{"name": f"c{k}", f"key {k}": k} for k in range(30_000)]}),
    "numbers.csv": f"parent,child,number\nanimal,cat,{'1' * 900_000}x\nanimal,dog,1\n",
    "names.csv": "animal,cat\nanimal," + "d" * 900_000 + "\n",
}
PREDICTIONS = {
    "path.csv": "sample_id,label\na," + " > ".join("ab" * 300_000) + "\n",
    "stranger.csv": "sample_id,label\na," + "c" * 900_000 + "\n",
    "strangers.csv": "sample_id," + ",".join(f"c{k}" for k in range(100_000)) + "\na" + ",0" * 100_000 + "\n",
    "column twice.csv": ",".join(f"c{k}" for k in range(100_000)) + ",c99999\n",
}
PROGRAM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
from pathlib import Path
from hierviz.messages.errors import HiervizError
from hierviz.readers import load_predictions, load_taxonomy
taxonomy = load_taxonomy("edges.csv")
for name in sys.argv[1:]:
    try:
        load_predictions(name, taxonomy) if name.startswith("p-") else load_taxonomy(name)
        print(name, "read", flush=True)
    except HiervizError as error:
        print(name, len(str(error)) <= 500 and "one line", flush=True)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print("peak", peak.split()[1])
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the peak of memory")
def test_no_file_costs_the_square_of_its_size(tmp_path):
    (tmp_path / "edges.csv").write_text(EDGES)
    names = []
    for name, text in [*FILES.items(), *((f"p-{name}", text) for name, text in PREDICTIONS.items())]:
        (tmp_path / name).write_text(text)
        names.append(name)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(seconds=SECONDS), *names], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stderr == ""
    found = dict(line.rsplit(" ", 1) for line in done.stdout.replace("one line", "one_line").splitlines())
    kilobytes = int(found.pop("peak"))
    assert list(found) == names
    assert [name for name in names if found[name] == "read"] == ["deep.json", "keys.json", "numbers.csv"]
    assert kilobytes < 1 << 20


def test_names_that_only_long_paths_tell_apart_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.txt"
    path.write_text("\n".join(" > ".join([top, *"a" * 40]) for top in LETTERS))
    assert load_taxonomy(path).n_nodes == 411
    for budget in ("MOST_STEPS", "MOST_LETTERS"):
        with monkeypatch.context() as patch:
            patch.setattr(class_places, budget, 1000)
            with pytest.raises(
                TaxonomyError, match=r"t\.txt: expected classes of one name to differ in the classes a few"
            ):
                load_taxonomy(path)


def test_every_way_through_a_graph_is_not_gone_twice(monkeypatch):
    """Two ways round each of 60 classes: 2^60 ways from the top to the leaf, 181 classes on them."""
    from hierviz.taxonomy import node_lists

    edges = [(f"c{k}", f"{side}{k}") for k in range(60) for side in "lr"]
    edges += [(f"{side}{k}", f"c{k + 1}") for k in range(60) for side in "lr"]
    edges += [(f"c{k}", f"c{k + 1}") for k in range(60)]
    taxonomy = Taxonomy.from_edges(edges)
    monkeypatch.setattr(node_lists, "MOST_PAIRS", 181)
    assert len(taxonomy.ancestors(taxonomy.leaves).nodes) == 181
    monkeypatch.setattr(node_lists, "MOST_PAIRS", 180)
    with pytest.raises(TaxonomyError, match="million pairs of a class and a class above it"):
        taxonomy.ancestors(taxonomy.leaves)


def test_a_key_of_one_node_is_not_kept_for_all(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"name": "top", "children": [{"name": f"c{k}", f"key {k}": k} for k in range(150)]}))
    taxonomy = load_taxonomy(path)
    assert len(taxonomy.attributes) == 100
    assert "50 more were left out: 'key 100', 'key 101'" in taxonomy.notes[-1]
