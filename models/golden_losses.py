"""What torch says about the seven losses, as a file that can be read without torch.

    python models/golden_losses.py              writes tests/golden/torch_losses.json

Values in float64, gradients by torch's own differentiation. Needs torch: pip install -e ".[dev]"
"""

import json
from pathlib import Path

import numpy as np
import torch
import torch_losses
from drawing import edges
from methods import METHODS
from tree import Tree

FILE = Path(__file__).resolve().parents[1] / "tests" / "golden" / "torch_losses.json"
ROWS = 2
TREES = 12


def cases(loss, n, seed):
    """n random cases of a loss on random trees of 2 to 13 nodes: dicts as in the file, without what torch says.

    Parents of node 1, 2, ... come before their children. Each truth is any node, a leaf where the loss wants one.
    """
    rng = np.random.default_rng([seed, *loss.encode()])
    for k in range(n):
        # A chain where a node can only hang below the one before it, a bush where below any; small and large scores.
        reach, spread = (1, 2, 4, 13)[k % 4], (0.3, 1, 4, 30)[k // 4 % 4]
        parents = [int(rng.integers(max(0, node - reach), node)) for node in range(1, rng.integers(2, 14))]
        yield _case(loss, parents, spread, rng)


def _case(loss, parents, spread, rng):
    tree = tree_of(parents)
    method = next(method for method in METHODS.values() if method.loss == loss)
    truths = tree.leaves if loss == "conditional_sigmoid" else np.arange(len(tree))
    return {
        "loss": loss,
        "options": {"tau": float(rng.choice([0.0, 0.5, 1.0, 5.0]))} if loss == "soft_max_margin" else {},
        "parents": parents,
        "truth": rng.choice(truths, ROWS).tolist(),
        "scores": rng.normal(0, spread, (ROWS, len(method.columns(tree)))).round(2).tolist(),
    }


def tree_of(parents):
    """The Tree whose node i is called 'n<i>'."""
    return Tree([(f"n{parent}", f"n{node}") for node, parent in enumerate(parents, 1)])


def by_torch(case):
    """(values, gradient) of a case as lists, float64."""
    scores = torch.tensor(case["scores"], dtype=torch.float64, requires_grad=True)
    values = getattr(torch_losses, case["loss"])(
        tree_of(case["parents"]), scores, torch.tensor(case["truth"]), **case["options"]
    )
    values.sum().backward()
    return values.tolist(), scores.grad.tolist()


def main():
    torch.set_num_threads(1)
    demo = Tree(edges()).parent[1:].tolist()
    found = []
    for loss in dict.fromkeys(method.loss for method in METHODS.values()):
        found += cases(loss, TREES, seed=0)
        found.append(_case(loss, demo, 3, np.random.default_rng([0, *loss.encode()])))
    for case in found:
        case["values"], case["gradient"] = by_torch(case)
    content = {"torch": torch.__version__.split("+")[0], "dtype": "float64", "cases": found}
    # One case a line: a difference shows which.
    lines = ",\n".join(json.dumps(case) for case in found)
    head = json.dumps({**content, "cases": []}, indent=1).removesuffix("[]\n}")
    FILE.write_text(f"{head}[\n{lines}\n]}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
